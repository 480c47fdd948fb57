//! Wordings, one line each: what makes a place a choice, and what does not.

use aon_manifest::Document;

use super::{Classifier, Verdict};
use crate::finding::Confidence::{self, Certain, Likely, Possible};

/// Judges a string parameter of a native manifest.
fn judge(name: &str, description: &str, more: &str) -> Option<Verdict> {
    let text = format!(
        "operations:\n  - id: a\n    parameters:\n      - name: {name}\n        in: query\n        type: string\n        description: {description:?}\n{more}"
    );
    let document = Document::from_text("a.aon.yaml", &text);
    let apis = document.apis();
    let api = apis.first().expect("one api");
    let inputs = api.inputs();
    let input = inputs.first().expect("one parameter");
    crate::classify_input(&mut Classifier::default(), api, input)
}

#[test]
fn announced_sets_are_choices() {
    let cases: &[(&str, &str, Confidence, &[&str])] = &[
        (
            "width",
            "Must be one of narrow, wide or full.",
            Certain,
            &["narrow", "wide", "full"],
        ),
        (
            "width",
            "Allowed values: narrow, wide.",
            Certain,
            &["narrow", "wide"],
        ),
        (
            "width",
            "Supported values are `narrow` and `wide`.",
            Certain,
            &["narrow", "wide"],
        ),
        (
            "width",
            "The permitted values are narrow, wide",
            Certain,
            &["narrow", "wide"],
        ),
        (
            "width",
            "Accepted values: 'narrow' | 'wide'",
            Certain,
            &["narrow", "wide"],
        ),
        (
            "width",
            "enum: [narrow, wide]",
            Certain,
            &["narrow", "wide"],
        ),
        (
            "width",
            "One of `narrow`, `wide`.",
            Certain,
            &["narrow", "wide"],
        ),
        (
            "width",
            "How wide (narrow|wide|full).",
            Certain,
            &["narrow", "wide", "full"],
        ),
        (
            "width",
            "Options: narrow, wide, full",
            Certain,
            &["narrow", "wide", "full"],
        ),
        (
            "width",
            "Can be either narrow or wide.",
            Certain,
            &["narrow", "wide"],
        ),
        (
            "width",
            "Valid values:\n* `narrow` - less\n* `wide` - more",
            Certain,
            &["narrow", "wide"],
        ),
        (
            "width",
            "The width: 'narrow' or 'wide'",
            Likely,
            &["narrow", "wide"],
        ),
        ("width", "Must equal \"wide\".", Likely, &["wide"]),
        (
            "width",
            "The only supported value is W100.",
            Likely,
            &["W100"],
        ),
        (
            "width",
            "Supported values: narrow, wide, etc.",
            Likely,
            &["narrow", "wide"],
        ),
        ("thing", "N for narrow, W for wide.", Likely, &["N", "W"]),
        (
            "thing",
            "1 - narrow, 2 - wide, 4 - full",
            Likely,
            &["1", "2", "4"],
        ),
        (
            "thing",
            "end => behind it, start => in front",
            Likely,
            &["end", "start"],
        ),
        (
            "thing",
            "Page style: narrow, wide, or full.",
            Likely,
            &["narrow", "wide", "full"],
        ),
        (
            "thing",
            "All or a comma-separated list of: narrow, wide, full",
            Likely,
            &["narrow", "wide", "full"],
        ),
        (
            "thing",
            "How it is cut. - CutNarrow keeps little. - CutWide keeps all.",
            Likely,
            &["CutNarrow", "CutWide"],
        ),
        (
            "thing",
            "If this field is set to Narrow, less. If this field is set to Wide, more.",
            Likely,
            &["Narrow", "Wide"],
        ),
        (
            "thing",
            "Accepted values: ods xlsx csv.",
            Likely,
            &["ods", "xlsx", "csv"],
        ),
        (
            "thing",
            "Unit system (metric or imperial).",
            Likely,
            &["metric", "imperial"],
        ),
        (
            "thing",
            "Choose:\n- `narrow`\n- `wide`\n- `full`",
            Likely,
            &["narrow", "wide", "full"],
        ),
        // The set is elsewhere.
        (
            "thing",
            "For possible values, refer to the handbook.",
            Likely,
            &[],
        ),
        (
            "thing",
            "Look at the widths endpoint for allowed values.",
            Likely,
            &[],
        ),
        (
            "thing",
            "To list available widths, use `GET /widths`.",
            Likely,
            &[],
        ),
        ("thing", "Taken from a fixed set.", Likely, &[]),
        // An open name needs a list that is announced.
        (
            "resource_name",
            "What it is for. Supported values: cpu, memory.",
            Certain,
            &["cpu", "memory"],
        ),
    ];
    for (name, text, confidence, values) in cases {
        let verdict = judge(name, text, "").unwrap_or_else(|| panic!("missed: {text}"));
        assert_eq!(verdict.confidence, *confidence, "{text}");
        assert_eq!(verdict.values, *values, "{text}");
    }
}

#[test]
fn names_of_choices_are_likely() {
    for name in [
        "type",
        "Kind",
        "log_level",
        "sort-type",
        "billingTier",
        "auth_ux",
        "VISIBILITY",
        "orderStatus",
        "idType",
        "filter[state]",
        "verdict",
        "retry_policy",
        "build.stage",
        "phase",
        "severity",
        "category",
        "action",
        "mode",
    ] {
        let verdict = judge(name, "", "").unwrap_or_else(|| panic!("missed: {name}"));
        assert_eq!(verdict.confidence, Likely, "{name}");
    }
}

#[test]
fn open_values_are_left_alone() {
    for (name, text) in [
        ("name", "The name of the thing."),
        ("idAction", "The action."),
        ("width", "Valid values range from 1 to 60."),
        ("width", "Possible values: 100-600."),
        ("width", "The value must match the one in the order."),
        ("width", "Possible values are `linear` and `pow##`."),
        ("sha", "SHA that the head must match."),
        ("thing", "Required if `type` is `narrow` or `wide`."),
        (
            "thing",
            "This field is required if `type` is `narrow` or `wide`.",
        ),
        ("thing", "For books it must be set to `wide`."),
        (
            "thing",
            "Common values include `narrow`, `wide`. Additional values may be supported.",
        ),
        (
            "thing",
            "Supported: `narrow`, `wide`. Custom widths are supported.",
        ),
        ("thing", "Any string, for example `narrow`."),
        ("thing", "A sum of one or more of `1`, `2`, `4`."),
        (
            "thing",
            "Text.\n* Encoding: ASCII\n* minLength: 3\n* maxLength: 6",
        ),
        (
            "day",
            "Can be one of \"past\", \"all\", or a date such as 2015-05-05.",
        ),
        ("thing", "The order of parts (head and tail)."),
        ("thing", "The type of reference (id or name)."),
        ("date_format", "How dates are written."),
        ("content_type", "The type of the body."),
        ("http_status", "The status to answer with."),
    ] {
        let verdict = judge(name, text, "");
        assert!(
            verdict.as_ref().is_none_or(|v| v.confidence == Possible),
            "{name}, {text}: {verdict:?}"
        );
    }
}

#[test]
fn what_stands_beside_a_name_can_open_it() {
    for (name, text, more) in [
        ("status", "The `status` returned from a previous call.", ""),
        ("type", "The IATA code of the plane.", ""),
        ("target", "What to aim at.", ""),
        ("scopes", "", ""),
        ("target", "", "        example: 'https://example.com'\n"),
        ("type", "", "        default: 'application/json'\n"),
        ("level", "", "        example: '12'\n"),
        ("state", "Two-letter code.", ""),
    ] {
        let verdict = judge(name, text, more);
        assert!(
            verdict.as_ref().is_none_or(|v| v.confidence == Possible),
            "{name}, {text}: {verdict:?}"
        );
    }
}

#[test]
fn the_names_of_the_contract_are_choices_when_nothing_speaks_against_them() {
    let names = "type kind mode state status stage phase tier category severity level format policy \
                 action verdict visibility scope target auth_ux";
    for name in names.split_whitespace() {
        let upper = name[..1].to_uppercase() + &name[1..];
        for name in [
            name.to_owned(),
            name.to_uppercase(),
            format!("order_{name}"),
            format!("order-{name}"),
            format!("order{upper}"),
        ] {
            let verdict = judge(&name, "", "");
            assert!(
                verdict.as_ref().is_some_and(|v| v.confidence >= Likely),
                "{name}: {verdict:?}"
            );
        }
    }
}

#[test]
fn values_that_can_be_written_in_other_ways_are_not_declared_unasked() {
    let complete = |text: &str| judge("sort", text, "").is_some_and(|verdict| verdict.complete);
    assert!(complete("Must be one of name, date."));
    for text in [
        "Must be one of name, date. Can be prefixed with a minus sign.",
        "Must be one of name, date. You may also name an id.",
        "The following countries are supported:\n- United Kingdom (UK)\n- New Zealand (NZ)",
        "Must be one of name, date. Case insensitive.",
        "Comma-separated, any of `name`, `date`.",
    ] {
        assert!(!complete(text), "{text}");
    }
}

#[test]
fn only_the_beginning_of_an_endless_text_is_read() {
    let bullets: Vec<String> = (0..20_000).map(|at| format!("\n- `a{at}`: x")).collect();
    let bullets = bullets.concat();
    let verdict = judge("thing", &format!("Allowed values:{bullets}"), "");
    assert!(
        verdict.is_some_and(|v| v.confidence == Certain && v.values.len() > 100 && !v.complete)
    );
}

#[test]
fn a_table_is_not_read_as_a_list() {
    let verdict = judge(
        "thing",
        "Available things include 'a': ['x', 'y'], 'b': ['x'].",
        "",
    );
    assert!(verdict.is_none_or(|verdict| !verdict.complete));
}
