//! Fields that are not public never reach the detail: a message that names one does not compile, a detail of its own may
//! stand beside it (P9). What is refused stands in `tests/ui/derive/private-field-in-message.rs`.

use std::fmt;
use std::path::PathBuf;

use aon::Problem;

fn shout(text: &str) -> String {
    text.to_uppercase()
}

fn by_hand(_secret: &u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("secret inside")
}

const LIMIT: u32 = 9;

#[derive(Debug, thiserror::Error, aon::Problem)]
enum Careful {
    #[error("inline {id:>4}")]
    #[problem(status = 500)]
    Inline {
        secret: String,
        #[problem(public)]
        id: u32,
    },
    #[error("tuple {0} {{literal}}")]
    #[problem(status = 500)]
    Tuple(#[problem(public)] &'static str, String),
    #[error("args {} {name} {}", shout(.id), .id.len(), name = shout(.id))]
    #[problem(status = 500)]
    Args {
        #[problem(extension)]
        id: String,
        secret: String,
    },
    #[error("pair {}", .0.0)]
    #[problem(status = 500)]
    Pair(#[problem(public)] (u8, u8), String),
    #[error("limit {LIMIT}")]
    #[problem(status = 500, detail = "path {path}")]
    Path {
        #[problem(public)]
        path: PathBuf,
        secret: String,
    },
    #[error("all public {id}")]
    #[problem(status = 500)]
    AllPublic {
        #[problem(public)]
        id: String,
    },
    #[error(fmt = by_hand)]
    #[problem(status = 500, title = "Function")]
    Function(u32),
    #[error(transparent)]
    #[problem(status = 500, title = "Opaque")]
    Opaque(#[from] std::io::Error),
    #[error("reading failed: {source}")]
    #[problem(status = 500, detail = "reading failed")]
    WithSource {
        #[source]
        source: std::fmt::Error,
    },
    #[error("internal words {secret}")]
    #[problem(status = 500, detail = "public words about {id} {{and}} {id:?}")]
    OwnDetail {
        secret: String,
        #[problem(public)]
        id: String,
    },
    #[error("internal words {secret}")]
    #[problem(status = 500, detail = "nothing to see")]
    OwnText { secret: String },
}

#[derive(Debug, thiserror::Error, aon::Problem)]
#[error("one text for all")]
enum SharedText {
    #[problem(status = 500)]
    One(String),
    #[problem(status = 501, detail = "a text of its own: {0}")]
    Two(#[problem(public)] String),
}

fn detail(problem: &impl Problem) -> String {
    let mut out = String::new();
    problem.detail(&mut out).unwrap();
    assert_eq!(problem.to_problem().detail(), Some(out.as_str()));
    out
}

#[test]
fn details_hide_private_fields_and_keep_the_rest() {
    let secret = || "s3cret".to_owned();
    let id = || "i7".to_owned();
    let cases = [
        (
            Careful::Inline {
                secret: secret(),
                id: 7,
            },
            "inline    7",
        ),
        (Careful::Tuple("a", secret()), "tuple a {literal}"),
        (
            Careful::Args {
                id: id(),
                secret: secret(),
            },
            "args I7 I7 2",
        ),
        (Careful::Pair((1, 2), secret()), "pair 1"),
        (
            Careful::Path {
                path: PathBuf::from("/a"),
                secret: secret(),
            },
            "path /a",
        ),
        (Careful::AllPublic { id: id() }, "all public i7"),
        (Careful::Function(5), "Function"),
        (Careful::Opaque(std::io::Error::other("s3cret")), "Opaque"),
        (
            Careful::WithSource {
                source: std::fmt::Error,
            },
            "reading failed",
        ),
        (
            Careful::OwnDetail {
                secret: secret(),
                id: id(),
            },
            "public words about i7 {and} \"i7\"",
        ),
        (Careful::OwnText { secret: secret() }, "nothing to see"),
    ];
    for (error, expected) in &cases {
        assert_eq!(detail(error), *expected);
    }
    assert_eq!(detail(&SharedText::One(secret())), "one text for all");
    assert_eq!(detail(&SharedText::Two(id())), "a text of its own: i7");
}

#[test]
fn display_itself_is_untouched() {
    let error = Careful::OwnText {
        secret: "s3cret".to_owned(),
    };
    assert_eq!(error.to_string(), "internal words s3cret");
}
