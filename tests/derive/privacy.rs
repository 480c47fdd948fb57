//! Fields that are not public never reach the detail, however the format string names them (P9).

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
enum Leaky {
    #[error("inline {secret} and {id:>4}")]
    #[problem(status = 500)]
    Inline {
        secret: String,
        #[problem(public)]
        id: u32,
    },
    #[error("tuple {0} {1:?} {{literal}}")]
    #[problem(status = 500)]
    Tuple(#[problem(public)] &'static str, String),
    #[error("args {} {} {name} {}", shout(.id), .secret.len(), .id.len(), name = shout(.secret))]
    #[problem(status = 500)]
    Args {
        #[problem(extension)]
        id: String,
        secret: String,
    },
    #[error("pair {} {}", .0.0, .1)]
    #[problem(status = 500)]
    Pair(#[problem(public)] (u8, u8), String),
    #[error("path {path} {LIMIT} {secret}")]
    #[problem(status = 500)]
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
    #[error("{0}")]
    #[problem(status = 500, title = "Only private")]
    OnlyPrivate(String),
    #[error("reading failed: {source}")]
    #[problem(status = 500)]
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
#[error("one text for all: {0}")]
enum SharedText {
    #[problem(status = 500)]
    One(String),
    #[problem(status = 501)]
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
            Leaky::Inline {
                secret: secret(),
                id: 7,
            },
            "inline [private] and    7",
        ),
        (Leaky::Tuple("a", secret()), "tuple a [private] {literal}"),
        (
            Leaky::Args {
                id: id(),
                secret: secret(),
            },
            "args I7 [private] [private] 2",
        ),
        (Leaky::Pair((1, 2), secret()), "pair 1 [private]"),
        (
            Leaky::Path {
                path: PathBuf::from("/a"),
                secret: secret(),
            },
            "path /a 9 [private]",
        ),
        (Leaky::AllPublic { id: id() }, "all public i7"),
        (Leaky::Function(5), "Function"),
        (Leaky::OnlyPrivate(secret()), "Only private"),
        (Leaky::Opaque(std::io::Error::other("s3cret")), "Opaque"),
        (
            Leaky::WithSource {
                source: std::fmt::Error,
            },
            "reading failed: [private]",
        ),
        (
            Leaky::OwnDetail {
                secret: secret(),
                id: id(),
            },
            "public words about i7 {and} \"i7\"",
        ),
        (Leaky::OwnText { secret: secret() }, "nothing to see"),
    ];
    for (error, expected) in &cases {
        assert_eq!(detail(error), *expected);
    }
    assert_eq!(
        detail(&SharedText::One(secret())),
        "one text for all: [private]"
    );
    assert_eq!(detail(&SharedText::Two(id())), "one text for all: i7");
}

#[test]
fn display_itself_is_untouched() {
    let error = Leaky::Inline {
        secret: "s3cret".to_owned(),
        id: 7,
    };
    assert_eq!(error.to_string(), "inline s3cret and    7");
}
