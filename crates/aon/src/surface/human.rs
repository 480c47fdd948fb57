//! Human: the same problem as What / Why / Try this ([S7]).
//!
//! | form | for | made by |
//! | --- | --- | --- |
//! | text | a terminal | [`Text`] |
//! | HTML fragment | a page of yours | [`fragment`] |
//! | HTML page | a browser | [`Page`], [`page`], in your colours [`branded`] |
//! | documentation page | what `docs_url` links to | [`document`] |
//!
//! All of them tell one [story](Story): the parts of a problem are placed there once. Whatever text a problem carries,
//! it cannot play tricks: control characters, bidirectional overrides and zero-width characters are made visible,
//! HTML is escaped, and only web addresses become links.
//!
//! The page carries the canonical JSON in a `<script type="application/problem+json">` block, so nothing is lost there
//! and a client that was sent a page can still [recover](super::Surface::recover) the problem. The other forms are for
//! reading only.
//!
//! # Examples
//!
//! ```
//! use aon::surface::human::Text;
//! use aon::{Code, ProblemDetails, Status};
//!
//! let problem = ProblemDetails::new(Status::from_static(422), Code::from_static("invalid_auth_ux"))
//!     .with_title("Invalid auth_ux")
//!     .with_detail("auth_ux must be one of \"hosted\" or \"custom\".")
//!     .with_valid_values("auth_ux", ["hosted", "custom"]);
//! assert_eq!(
//!     Text::new().render(&problem),
//!     "\
//! What
//!   Invalid auth_ux (422 invalid_auth_ux)
//!
//! Why
//!   auth_ux must be one of \"hosted\" or \"custom\".
//!
//! Try this
//!   auth_ux: hosted, custom
//!
//! type: pspace://problem/invalid_auth_ux
//! "
//! );
//! ```
//!
//! [S7]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s7

mod brand;
mod html;
mod page;
mod story;
mod text;
mod visible;

pub use brand::Brand;
pub use html::fragment;
pub use page::{Page, branded, document, page};
pub use story::{Remark, Story};
pub use text::Text;
pub use visible::visible;
