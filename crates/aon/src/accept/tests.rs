use super::*;

const OFFERS: [&str; 5] = [
    "text/html",
    "text/html;level=1",
    "text/plain",
    "application/json",
    "application/x-ndjson",
];

/// Type, subtype, parameter, weight.
type Member<'a> = (&'a str, &'a str, Option<&'a str>, u16);

/// The rule, said as slowly as it can be: for each length of match from the longest, is there a range?
fn reference(ranges: &[Member<'_>], offer: &str) -> Option<u16> {
    let (media, parameter) = match offer.split_once(';') {
        Some((media, parameter)) => (media, Some(parameter)),
        None => (offer, None),
    };
    let (kind, subtype) = media.split_once('/').unwrap();
    let step = |fits: &dyn Fn(&Member<'_>) -> bool| {
        ranges
            .iter()
            .filter(|range| fits(range))
            .map(|range| range.3)
            .max()
    };
    let met = |range: &Member<'_>| range.2.is_some() && range.2 == parameter;
    step(&|range| range.0 == kind && range.1 == subtype && met(range))
        .or_else(|| step(&|range| range.0 == kind && range.1 == subtype && range.2.is_none()))
        .or_else(|| step(&|range| range.0 == kind && range.1 == "*" && range.2.is_none()))
        .or_else(|| step(&|range| range.0 == "*" && range.2.is_none()))
        .or_else(|| {
            step(&|range| range.0 == kind && range.1 == subtype && range.2.is_some() && range.3 > 0)
        })
}

#[test]
fn every_pair_and_triple_of_ranges_is_weighed_like_the_reference() {
    let media = [
        ("*", "*", None),
        ("text", "*", None),
        ("text", "html", None),
        ("text", "html", Some("level=1")),
        ("application", "json", None),
        ("application", "x-ndjson", None),
    ];
    let weights = [("", 1000), (";q=0", 0), (";q=0.5", 500), (";q=0.501", 501)];
    let mut members = Vec::new();
    for (kind, subtype, parameter) in media {
        for (written, weight) in weights {
            let parameter_text = parameter.map(|text| format!(";{text}")).unwrap_or_default();
            members.push((
                format!("{kind}/{subtype}{parameter_text}{written}"),
                (kind, subtype, parameter, weight),
            ));
        }
    }
    let mut compared = 0_u32;
    for (a, first) in &members {
        for (b, second) in &members {
            for (c, third) in &members {
                let line = format!("{a}, {b}");
                let accept = Accept::parse([line.as_str(), c.as_str()]);
                for offer in OFFERS {
                    let wanted = accept.wanted(offer).map(|wanted| wanted.weight);
                    let expected = reference(&[*first, *second, *third], offer);
                    assert_eq!(wanted, expected, "{line} | {c}: {offer}");
                    compared += 1;
                }
            }
        }
    }
    assert_eq!(compared, 24 * 24 * 24 * 5);
}

#[test]
fn the_example_of_the_specification() {
    let accept = Accept::parse([
        "text/*;q=0.3, text/html;q=0.7, text/html;level=1, text/html;level=2;q=0.4, */*;q=0.5",
    ]);
    for (offer, weight) in [
        ("text/html;level=1", 1000),
        ("text/html", 700),
        ("text/plain", 300),
        ("image/jpeg", 500),
        ("text/html;level=2", 400),
        ("text/html;level=3", 700),
    ] {
        assert_eq!(
            accept.wanted(offer).map(|wanted| wanted.weight),
            Some(weight),
            "{offer}"
        );
    }
}

#[test]
fn what_does_not_follow_the_grammar_is_passed_over() {
    for bad in [
        "text",
        "text/",
        "/html",
        "*/html",
        "te xt/html",
        "text/html;q=1.001",
        "text/html;q=0.1234",
        "text/html;q=",
        "text/html;q=.5",
        "text/html;q=2",
        "text/html;q=-1",
        "text/html;level",
        "text/html;level=\"a",
        "text/html;le vel=1",
        "\"text/html\"",
        "text/html;q=\"0.5",
        "text/html;q=\"0.5\"",
        ";q=1",
        "text/ html",
        "text/html;level=a b",
    ] {
        assert_eq!(Accept::parse([bad]), Accept::any(), "{bad}");
        let beside = format!("application/json;q=0.2, {bad}");
        let accept = Accept::parse([beside.as_str()]);
        assert_eq!(
            accept
                .wanted("application/json")
                .map(|wanted| wanted.weight),
            Some(200),
            "{bad}"
        );
    }
    for good in [
        "text/html;q=1.",
        "text/html;q=0.",
        "text/html ; q=0.5",
        "text/html;;q=1",
        "TEXT/Html;Q=0.001",
        "text/html;a=\"x,\\\"y;\";q=0.5",
        "text/html;q=1;ext=2",
        "\ttext/html ",
    ] {
        assert_eq!(Accept::parse([good]).ranges().len(), 1, "{good}");
    }
    assert_eq!(Accept::parse(["", ",,", " , "]), Accept::any());
}

#[test]
fn the_choice_of_a_stream_is_never_made_by_a_wildcard() {
    let offers = ["application/json", "application/x-ndjson"];
    for (accept, chosen) in [
        ("*/*", Some("application/json")),
        ("application/*", Some("application/json")),
        ("application/x-ndjson", Some("application/x-ndjson")),
        ("application/x-ndjson, */*", Some("application/x-ndjson")),
        (
            "application/x-ndjson, application/json",
            Some("application/json"),
        ),
        (
            "application/x-ndjson;q=0.9, application/json;q=0.8",
            Some("application/x-ndjson"),
        ),
        (
            "application/x-ndjson;q=0.8, application/json",
            Some("application/json"),
        ),
        ("application/x-ndjson;q=0", None),
        (
            "application/x-ndjson;q=0, */*;q=0.1",
            Some("application/json"),
        ),
        ("text/html", None),
        ("*/*;q=0", None),
    ] {
        assert_eq!(Accept::parse([accept]).choose(&offers), chosen, "{accept}");
    }
}
