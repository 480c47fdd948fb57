//! The golden expansions compile and do what they say. They are written by the unit test `golden`.
#![expect(
    clippy::all,
    clippy::pedantic,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    non_shorthand_field_patterns,
    unnameable_types,
    reason = "lints are silent in the expansion of a macro; here it stands as a file"
)]

#[rustfmt::skip]
#[path = "expansion/authorisation.rs"]
mod authorisation;
#[rustfmt::skip]
#[path = "expansion/choices.rs"]
mod choices;
#[rustfmt::skip]
#[path = "expansion/generic.rs"]
mod generic;

use aon::{Choices, Problem};

#[test]
fn the_goldens_work() {
    let error = authorisation::AuthError::InvalidAuthUx {
        given: "secret".to_owned(),
    };
    assert_eq!(
        error.to_problem().detail(),
        Some("auth_ux must be \"hosted\" or \"custom\".")
    );
    let used_up = generic::UsedUp {
        value: 3,
        source_name: "pool".to_owned(),
        wait: None,
    };
    assert_eq!(used_up.to_problem().detail(), Some("3 is used up"));
    assert_eq!(choices::AuthUx::CHOICES.len(), 2);
}
