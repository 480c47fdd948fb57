//! Wordings, one line each: what makes a place a choice, and what does not.

mod unseen;

use aon_manifest::Document;

use super::{Classifier, Verdict};
use crate::finding::Confidence::{Certain, Likely, Possible};

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
    // Confidence, name, values, description.
    let cases = r#"
certain ~ width ~ narrow wide full ~ Must be one of narrow, wide or full.
certain ~ width ~ narrow wide ~ Allowed values: narrow, wide.
certain ~ width ~ narrow wide ~ Supported values are `narrow` and `wide`.
certain ~ width ~ narrow wide ~ The permitted values are narrow, wide
certain ~ width ~ narrow wide ~ Accepted values: 'narrow' | 'wide'
certain ~ width ~ narrow wide ~ enum: [narrow, wide]
certain ~ width ~ narrow wide ~ One of `narrow`, `wide`.
certain ~ width ~ narrow wide full ~ How wide (narrow|wide|full).
certain ~ width ~ narrow wide full ~ Options: narrow, wide, full
certain ~ width ~ narrow wide ~ Can be either narrow or wide.
certain ~ width ~ narrow wide ~ Valid values:\n* `narrow` - less\n* `wide` - more
likely ~ width ~ narrow wide ~ The width: 'narrow' or 'wide'
likely ~ width ~ wide ~ Must equal "wide".
likely ~ thing ~ N W ~ N for narrow, W for wide.
likely ~ thing ~ 1 2 4 ~ 1 - narrow, 2 - wide, 4 - full
likely ~ thing ~ narrow wide full ~ Page style: narrow, wide, or full.
likely ~ thing ~ narrow wide full ~ All or a comma-separated list of: narrow, wide, full
likely ~ thing ~ narrow wide full ~ Choose:\n- `narrow`\n- `wide`\n- `full`
likely ~ thing ~ 1 2 3 ~ How hard it blows. 1=calm/slow,2=fair,3=gale/storm
likely ~ thing ~ 3 4 ~ Animal key - 3=rat 4=mouse
likely ~ order ~  ~ The order of notes. Default is 'desc'.
likely ~ thing ~ rq pq bq ~ Compression of new things: rq, pq, or bq. Empty means rq.
likely ~ thing ~ class_1 class_2 class_3 ~ <p>Query by class:</p><p>class_1, class_2, class_3</p>
likely ~ thing ~ narrow wide full ~ Zur Auswahl stehen "narrow", "wide" und "full".
certain ~ content_type ~ json CSV ~ What comes out, either json or CSV
likely ~ thing ~  ~ See a full list of supported diets.
likely ~ thing ~  ~ [Complete list of attribute values](https://example.com). Use "user" for tags.
certain ~ thing ~ FULL LEVELS ~ Choose a strategy. Available options (FULL,LEVELS)
certain ~ thing ~ date status amount ~ A field to sort on. Choices are date, status, and amount
certain ~ thing ~ SENT LOST OLD ~ What you would like returned (either 'SENT', 'LOST' or 'OLD')
likely ~ thing ~  ~ For possible values, refer to the handbook.
likely ~ thing ~  ~ Look at the widths endpoint for allowed values.
likely ~ thing ~  ~ To list available widths, use `GET /widths`.
likely ~ thing ~  ~ Taken from a fixed set.
certain ~ resource_name ~ cpu memory ~ What it is for. Supported values: cpu, memory.
certain ~ thing ~ loan tax ~ What it is for\n**Allowed values**: loan, tax
likely ~ thing ~ mono dual ~ Can be: `mono` or `dual` and the default is `mono`.
likely ~ thing ~ end start ~ end => behind it, start => in front
likely ~ thing ~ metric imperial ~ Unit system (metric or imperial).
certain ~ operator ~ Exists Equal Lt ~ Valid operators are Exists, Equal, and Lt.
likely ~ events ~ card.read card.made card.lost ~ The events you get. Can be: `card.read, card.made, card.lost`
likely ~ thing ~ mortgage tax other ~ What it is for. **Allowed values**: mortgage, tax, other
likely ~ thing ~ run_query ~ The name of the query. Must be `run_query`.
likely ~ orientation ~ Horizontal Vertical ~ Horizontal or Vertical
certain ~ thing ~ narrow wide full ~ <b>One of:</b> <code>narrow</code> <code>wide</code> <code>full</code>
likely ~ thing ~ Ignore Warn Strict ~ What to do with odd fields. Choose: - Ignore: drops them. - Warn: drops and tells. - Strict: fails.
"#;
    let mut wrong = Vec::new();
    for case in cases.trim().lines() {
        let mut parts = case.splitn(4, " ~ ");
        let mut next = || parts.next().expect("four parts").trim();
        let (confidence, name, values, text) =
            (next(), next(), next(), next().replace("\\n", "\n"));
        let values: Vec<&str> = values.split_whitespace().collect();
        let verdict = judge(name, &text, "");
        let right = verdict.as_ref().is_some_and(|verdict| {
            verdict.confidence.as_str() == confidence && verdict.values == values
        });
        if !right {
            wrong.push((text, confidence, verdict));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
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
        "access_modes",
    ] {
        let verdict = judge(name, "", "").unwrap_or_else(|| panic!("missed: {name}"));
        assert_eq!(verdict.confidence, Likely, "{name}");
    }
}

#[test]
fn open_values_are_left_alone() {
    let mut wrong = Vec::new();
    let cases = r#"
name ~ The name of the thing.
idAction ~ The action.
width ~ Valid values range from 1 to 60.
width ~ Possible values: 100-600.
width ~ The value must match the one in the order.
width ~ Possible values are `linear` and `pow##`.
sha ~ SHA that the head must match.
thing ~ Required if `type` is `narrow` or `wide`.
thing ~ This field is required if `type` is `narrow` or `wide`.
thing ~ For books it must be set to `wide`.
thing ~ Common values include `narrow`, `wide`. Additional values may be supported.
thing ~ Any string, for example `narrow`.
thing ~ A sum of one or more of `1`, `2`, `4`.
thing ~ Text.\n* Encoding: ASCII\n* minLength: 3\n* maxLength: 6
day ~ Can be one of "past", "all", or a date such as 2015-05-05.
thing ~ The order of parts (head and tail).
date_format ~ How dates are written.
content_type ~ The type of the body.
http_status ~ The status to answer with.
area_level1 ~ 
image_url ~ Supports `.jpg`, `.png` and `.gif`.
created ~ May be prefixed by one of the following operators [<, >].
thing ~ Can be one of: `top`, `bottom`, or `after:<card_id>`.
thing ~ There are several schemes:\n* [NAICS codes](https://a.example)\n* [NAPCS codes](https://b.example)
thing ~ Only valid pairs can be exported and, hence, published.
thing ~ The path of the field. Must be present and non-empty.
thing ~ A code.\n>Required if the `kind` is either **NARROW** or **WIDE**.
q ~ Your search query. The available filters are `album` and `artist`.
thing ~ The filters, encoded as JSON. Available filters: `album`, `artist`.
policy_name ~ The name of a policy you created or one of 'Narrow', 'Wide'.
client_state ~ Comes back with every event. It must be a valid Base-64 encoded string.
thing ~ In the form `<prefix>_<station>`, where prefix is one of "vha", "vba".
value ~ A sign, `+` or `-`, followed by decimal digits `0`, `1`, `2`.
type ~ The name to use. It cannot be person or company.
thing ~ What to look for. Can be path/id/name.
thing ~ Search in the fields: web_text, event_name and venue_name.
thing ~ The place to check for available machines.
order ~ Fields to order by, separated by commas. ASC and DESC change the order.
thing ~ Allowed: `narrow`, `wide`, or any of your custom widths.
type ~ One of `log`, `mail`, or any type of custom extension.
group ~ Type of group:\n- H or S - one\n- P - two\n- X or Y or Z - three
thing ~ A width supported by the host. Ex. "narrow", "wide".
thing ~ The kind of order (e.g. 'Narrow', 'Wide').
thing ~ The `sid` or `unique_name` of the order.
thing ~ The account to which it must be booked, depending on the split.
thing ~ For rows: "column:asc" or "column:desc"
thing ~ Use the id returned by one of the tools.
thing ~ List of names of things allowed to run.
thing ~ Actions for other channels. Used for places.
thing ~ Typical values are:\n* HD = `1280x720`\n* VGA = `640x480`
thing ~ Supported: `narrow`, `wide`. Custom widths are supported.
thing ~ The type of reference (id or name).
thing ~ Possible values include: one1, two2, or - in rare cases - what was sent.
sort ~ List of sort fields (e.g. ?sort=name:asc). The supported fields are: name and date.
plan_types ~ The list of plan type IDs.
thing ~ E-mail or T-shirt.
thing ~ A search. `AND`, `OR` and `NOT` must be in capitals.
category ~ List of required category ids.
thing ~ A keyword:\n- ANY = Cases with any amount.\n- LEXX = Replacing XX with an amount, cases below it.
thing ~ A note. The maximum length depends on the kind:\n- **narrow**: 80 characters.\n- **wide**: 16 characters.\n- **full**: 10 characters.
thing ~ If it failed, "why" or "when".
order ~ The sort order of the results, such as `name,asc`.
operator ~ The operator of the mobile network.
owner ~ Repository owner (username or organization).
wwids ~ Either wwids or combination of wwns and lun must be set, but not both.
thing ~ Must be a filesystem type supported by the host operating system. Ex. "ext4", "xfs".
ref ~ The ref (branch or tag) of the file.
people ~ The people to be added or removed as guests.
name ~ The name of the file, spaces ` ` or `-` are not allowed.
key ~ A key that must be unique or left blank.
address ~ The full address, in the format of `Street, City, State, Zip`.
from ~ Must be less or equal to the end.
audience ~ The audience. Optional for `narrow`, `wide`, and `full`, and required for others.
include ~ Names or patterns. Also accepts `~one` to include one or `~all` to include all.
issue_type ~ The kind (e.g. 'Task', 'Bug'). The available types depend on your project configuration.
manifest ~ A comma-separated list of full manifest paths.
"#;
    for case in cases.trim().lines() {
        let (name, text) = case.split_once(" ~ ").expect("two parts");
        let text = text.replace("\\n", "\n");
        let verdict = judge(name, &text, "");
        if verdict.as_ref().is_some_and(|v| v.confidence > Possible) {
            wrong.push((name, text, verdict));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_numbers_of_an_id_are_a_choice_when_each_has_a_meaning() {
    let judge = |name: &str, description: &str| {
        let text = format!(
            "operations:\n  - id: a\n    parameters:\n      - {{ name: {name}, type: integer, description: {description:?} }}\n"
        );
        let document = Document::from_text("a.aon.yaml", &text);
        let apis = document.apis();
        let api = apis.first().expect("one api");
        let inputs = api.inputs();
        let input = inputs.first().expect("one parameter");
        crate::classify_input(&mut Classifier::default(), api, input).map(|found| found.values)
    };
    let listed = |values: &[&str]| Some(values.iter().map(|value| (*value).to_owned()).collect());
    let text = "1 = small, 2 = large, 3 = huge";
    assert_eq!(judge("size_id", text), listed(&["1", "2", "3"]));
    for text in [
        "Minimum accepted value is `1`.",
        "0 means a call and no retries, and 1 means a call and one retry.",
    ] {
        assert_eq!(judge("size_id", text), None, "{text}");
    }
}

#[test]
fn what_a_template_leaves_open_says_nothing() {
    let more = "        example: '{{direction}}'\n";
    let verdict = judge("thing", "Can be ascending or descending.", more);
    assert!(verdict.is_some_and(|verdict| verdict.confidence == Likely));
}

#[test]
fn what_stands_beside_a_name_can_open_it() {
    let mut wrong = Vec::new();
    for (name, text, more) in [
        ("type", "The IATA code of the plane.", ""),
        ("scopes", "", ""),
        ("status", "The `status` returned from a previous call.", ""),
        ("target", "", "        example: 'https://example.com'\n"),
        ("type", "", "        default: 'application/json'\n"),
        ("level", "", "        example: '12'\n"),
        ("state", "Two-letter code.", ""),
    ] {
        let verdict = judge(name, text, more);
        if verdict.as_ref().is_some_and(|v| v.confidence > Possible) {
            wrong.push((name, text, verdict));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
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
    assert!(complete("Can be one of: `name` or `date`."));
    assert!(complete(
        "Allowed values are:\n- `name`: sorts by name (not for several pages)\n- `date`: when it was made"
    ));
    for text in [
        "Must be one of name, date. Can be prefixed with a minus sign.",
        "Must be one of name, date. You may also name an id.",
        "The following countries are supported:\n- United Kingdom (UK)\n- New Zealand (NZ)",
        "Must be one of name, date. Case insensitive.",
        "Must be one of name, date. Reverse the order with a hyphen.",
        "Must be one of `all=true`, `all=1`.",
        "Available values are `name`, `date`. Separate several values with `;`.",
        "`name` and `date` are supported for `kind` of `x` and `y`.",
        "Comma-separated, any of `name`, `date`.",
        "One of `name`, `date`, or `null`.",
        "Allowed values are:\n- `name`: by name\n- `date`: by date, and others like it",
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
