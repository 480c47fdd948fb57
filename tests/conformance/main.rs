//! One contract, mounted once per surface: what is projected comes back, and says the same everywhere (S9).

mod common;
mod corrections;
mod derived;
mod events;
mod golden;
mod mcp;
mod parity;
mod pretty;
mod secrets;

use aon::surface::a2a::status::HttpJson;
use aon::surface::a2a::{A2a, Profile};
use aon::surface::mcp::{Mcp, Mode};
use aon::surface::rest::Rest;
use aon::surface::stream::Stream;

/// Mounts the suite for a surface.
macro_rules! mount {
    ($($name:ident => $surface:expr;)+) => {
        $(
            mod $name {
                use super::*;

                #[test]
                fn every_sample_comes_back() {
                    common::every_sample_comes_back(&$surface);
                }

                #[test]
                fn random_problems_come_back() {
                    common::random_problems_come_back(&$surface);
                }

                #[test]
                fn the_wire_is_json_without_a_key_twice() {
                    common::the_wire_is_json_without_a_key_twice(&$surface);
                }

                #[test]
                fn arbitrary_wires_never_panic() {
                    common::arbitrary_wires_never_panic(&$surface);
                }
            }
        )+
    };
}

mount! {
    rest => Rest::default();
    mcp_structured => Mcp::new(Mode::Structured);
    mcp_text_only => Mcp::new(Mode::TextOnly);
    mcp_meta => Mcp::new(Mode::Meta);
    a2a_pspace => A2a::new(Profile::PSPACE);
    a2a_1_0 => A2a::new(Profile::A2A_1_0);
    a2a_0_3 => A2a::new(Profile::A2A_0_3);
    a2a_of_a_user => A2a::new(Profile::named("mine"));
    a2a_http => HttpJson::default();
    stream => Stream::default();
}
