//! Wordings that a sample of unread documents brought up, each with its kind beside it that stays open.

use aon_manifest::Document;

use super::judge;
use crate::choice::Classifier;
use crate::finding::Confidence::{Likely, Possible};

fn number(name: &str, description: &str) -> Option<Vec<String>> {
    let text = format!(
        "operations:\n  - id: a\n    parameters:\n      - {{ name: {name}, type: integer, description: {description:?} }}\n"
    );
    let document = Document::from_text("a.aon.yaml", &text);
    let apis = document.apis();
    let api = apis.first().expect("one api");
    let inputs = api.inputs();
    let input = inputs.first().expect("one parameter");
    crate::classify_input(&mut Classifier::default(), api, input).map(|found| found.values)
}

#[test]
fn numbers_with_meanings_are_choices() {
    let mut wrong = Vec::new();
    for (text, values) in [
        (
            "Sort of seller, including:\r\n\r\n`1`: regular seller\r\n\r\n`2`: other seller",
            &["1", "2"][..],
        ),
        ("Modulation. 1=4QAM,2=16QAM,3=64QAM", &["1", "2", "3"]),
        (
            "The bitrate of the network. ('1', '2', '5.5' or '11')",
            &["1", "2", "5.5", "11"],
        ),
    ] {
        let found = number("thing", text);
        if found.as_deref() != Some(&values.map_to_owned()[..]) {
            wrong.push((text, found));
        }
    }
    for text in [
        "It must be (1) a switch, and (2) part of a network.",
        "The size of a page (20) or of a part (50).",
        "How many ('1' or more).",
    ] {
        let found = number("thing", text);
        if found.is_some() {
            wrong.push((text, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn sets_in_rare_shapes_are_choices() {
    let mut wrong = Vec::new();
    for (name, text, values) in [
        (
            "thing",
            "How it is cut.\n\n| Value | Meaning |\n|-------|:-------|\n| `narrow` | Little |\n| `wide` | Much |\n",
            &["narrow", "wide"] as &[&str],
        ),
        (
            "thing",
            "One of the following widths:\n| Name | Meaning |\n|---|---|\n| narrow | Little |\n| wide | Much |",
            &["narrow", "wide"],
        ),
        (
            "thing",
            "The role of the user, \"admin\" or \"collaborator\".",
            &["admin", "collaborator"],
        ),
        ("qop", "auth or auth-int", &["auth", "auth-int"]),
        (
            "thing",
            "Search your contacts. Either 'all' or 'ff' for just friends and family.",
            &["all", "ff"],
        ),
        ("order", "Sort order", &[]),
        (
            "part",
            "The names that you can include in the parameter value are id, snippet, cdn, and status.",
            &["id", "snippet", "cdn", "status"],
        ),
        (
            "thing",
            "Controls the width.\n`narrow` means little.\n`wide` is the default value and means much.\n`full` leaves it out.",
            &["narrow", "wide", "full"],
        ),
        (
            "thing",
            "Use `narrow` to save room if nobody looks. Use `wide` if your reader may be far away.",
            &["narrow", "wide"],
        ),
        (
            "thing",
            "Accepts narrow, wide and full.",
            &["narrow", "wide", "full"],
        ),
        (
            "thing",
            "Allowed values are `narrow` for little, `wide` for much, or `full` which leaves it out.",
            &["narrow", "wide", "full"],
        ),
    ] {
        let verdict = judge(name, text, "");
        let found = verdict.filter(|verdict| verdict.confidence >= Likely);
        let found = found.map(|verdict| verdict.values);
        if found != Some(values.map_to_owned()) {
            wrong.push((name, text, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_resembles_them_stays_open() {
    let mut wrong = Vec::new();
    for (name, text) in [
        (
            "thing",
            "all | full-time | part-time | [reviewer-name]\n\nSpecify a reviewer's name to get that one.",
        ),
        (
            "thing",
            "How it is paid.\n\n| Plan | Price |\n|---|---|\n| small | 1 |\n| large | 2 |\n",
        ),
        (
            "born",
            "Date of birth as an ISO 8601 date. Valid values: refer to 'Date formats'.",
        ),
        ("thing", "Home or home-office supplies."),
        ("thing", "Either `project-id` or `list` must be specified."),
        (
            "cursor",
            "Either the `next_cursor` or `previous_cursor` of an earlier response.",
        ),
        (
            "thing",
            "This is the `thing_reference` you want to use. The value `LATEST` can be used for the last.",
        ),
        (
            "country",
            "The ISO code of the country.\n- A query for Delaware would use \"US-DE\".\n- For Dubai, use \"DU\"",
        ),
        (
            "place-id",
            "The place. Supported values can be found with the lookup service.",
        ),
    ] {
        let verdict = judge(name, text, "");
        if verdict.as_ref().is_some_and(|v| v.confidence > Possible) {
            wrong.push((name, text, verdict));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn kinds_may_be_named_like_the_parts_beside_them() {
    let text = "\
operations:
  - id: pay
    parameters:
      - { name: how, type: string, description: 'One of (card, token, cash, cheque).' }
      - { name: card, type: string }
      - { name: token, type: string }
      - { name: one, type: string, description: 'One of (card, token) is needed.' }
";
    let document = Document::from_text("a.aon.yaml", text);
    let apis = document.apis();
    let api = apis.first().expect("one api");
    let inputs = api.inputs();
    let verdicts: Vec<_> = inputs
        .iter()
        .map(|input| {
            crate::classify_input(&mut Classifier::default(), api, input)
                .is_some_and(|v| v.confidence > Possible)
        })
        .collect();
    // A name alone may be a hint; the sentence that asks for one of two others is not a set.
    assert!(verdicts[0] && !verdicts[3], "{verdicts:?}");
}

/// Shortens the tables above.
trait Owned {
    fn map_to_owned(&self) -> Vec<String>;
}

impl Owned for &[&str] {
    fn map_to_owned(&self) -> Vec<String> {
        self.iter().map(|value| (*value).to_owned()).collect()
    }
}
