//! A value of every variant with marks in its private fields (P9).

use aon::Problem;
use aon::canary::{Canaries, Canary, Specimens};

use crate::canonical::AuthError;

struct NoMark;

#[derive(Debug)]
struct Custom(#[expect(dead_code, reason = "seen by Debug alone")] String);

impl Canary for Custom {
    fn canary(canaries: &mut Canaries) -> Self {
        Self(canaries.text())
    }
}

#[derive(Debug, thiserror::Error, aon::Problem)]
enum Fields {
    #[error("{public} {private:?} {number} {custom:?} {text}")]
    #[problem(status = 500, detail = "{public}")]
    Many {
        #[problem(public)]
        public: String,
        private: Option<Vec<String>>,
        number: u64,
        custom: Custom,
        text: &'static str,
        inner: AuthError,
    },
    #[error("cannot")]
    #[problem(status = 500)]
    Cannot { _field: fn(NoMark) },
}

#[test]
fn every_private_field_holds_a_mark() {
    let specimens = Fields::specimens();
    let [many, cannot] = &specimens[..] else {
        panic!("{}", specimens.len());
    };
    let fields: Vec<&str> = many.marks.iter().map(|mark| mark.field).collect();
    assert_eq!(fields, ["private", "number", "custom", "text", "given"]);
    let value = many.value.as_ref().unwrap();
    let shown = format!("{value:?}");
    assert!(
        many.marks.iter().all(|mark| shown.contains(&mark.text)),
        "{shown}"
    );
    assert!(shown.contains("public: \"sample\""), "{shown}");
    assert_eq!((cannot.variant, cannot.value.is_none()), ("Cannot", true));
}

#[test]
fn a_forwarding_variant_gives_what_it_forwards_to() {
    let specimens = AuthError::specimens();
    let variants: Vec<&str> = specimens.iter().map(|specimen| specimen.variant).collect();
    assert_eq!(
        variants,
        ["InvalidAuthUx", "StillProvisioning", "Storage", "Other"]
    );
    let mut marks = 0;
    for specimen in &specimens {
        let value = specimen.value.as_ref().unwrap();
        let body = value.to_problem().to_string();
        for mark in &specimen.marks {
            assert!(!body.contains(&mark.text), "{body} shows {}", mark.field);
            marks += 1;
        }
    }
    assert_eq!(marks, 3);
}
