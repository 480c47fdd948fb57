//! Lists, however they are written.

use super::super::tokens::{plain, tokenise};
use super::*;

fn values(text: &str) -> Vec<String> {
    let plain = plain(text);
    let mut tokens = Vec::new();
    tokenise(&plain, &mut tokens);
    let prose = Prose {
        text: &plain,
        tokens: &tokens,
    };
    read(prose, 0)
        .map(|list| list.values.iter().map(|v| (*v).to_owned()).collect())
        .unwrap_or_default()
}

#[test]
fn lists_are_read_however_they_are_written() {
    let abc = ["a1", "b1", "c1"];
    for text in [
        "`a1`, `b1` or `c1`.",
        ": a1, b1, c1",
        "'a1' (default), 'b1', and 'c1'.",
        "a1 | b1 | c1",
        "a1/b1/c1",
        ":\n* **a1**\n* **b1**: meaning. More.\n* **c1** (new)\n",
        ":\n\n- a1\n- b1\n- c1\n\nThe end.",
        ":\n a1 - x\n b1 - y\n c1 - z",
        "<ul><li><code>a1</code> &mdash; x</li><li><code>b1</code></li><li><code>c1</code></li></ul>",
        "'a1' - does one; 'b1' - does two; 'c1' - does three.",
        "`a1` to do one or `b1` to do two, or `c1` to do nothing.",
        "`a1, b1, c1`",
        "[`a1`](https://x.example), `b1` or `c1`.",
        "`a1`, `b1`,\n`c1`",
    ] {
        assert_eq!(values(text), abc, "{text}");
    }
    assert_eq!(values("a, b or c"), ["a", "b", "c"]);
    assert_eq!(values("All, 2.4GHz, 5GHz."), ["All", "2.4GHz", "5GHz"]);
    assert_eq!(
        values("None, Read Only, Read Write."),
        ["None", "Read Only", "Read Write"]
    );
}

#[test]
fn prose_is_no_list() {
    for text in [
        "a branch name or a commit",
        "the `sid` of it",
        "between 1 and 5",
        "",
    ] {
        assert!(values(text).len() < 2, "{text}: {:?}", values(text));
    }
    assert!(
        is_range("1-31") && is_range("2000-10000") && !is_range("2010-04-01") && !is_range("a-b")
    );
}
