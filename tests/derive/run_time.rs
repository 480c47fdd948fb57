//! Members an occurrence adds: values, delays, challenges.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use aon::{Choice, Problem};
use serde_json::json;

#[derive(Debug, Clone, Copy, PartialEq, aon::Choices)]
enum Size {
    Small,
    Large,
}

#[derive(Debug, thiserror::Error, aon::Problem)]
enum Busy<'a> {
    #[error("no region {given}")]
    #[problem(status = 422, detail = "no such region", valid_values(size = Size))]
    NoRegion {
        given: String,
        #[problem(valid_values)]
        region: Vec<String>,
    },
    #[error("no such plan")]
    #[problem(status = 422)]
    NoPlan {
        #[problem(valid_values = "plan")]
        plans: &'static [&'static str],
        #[problem(valid_values = "level")]
        levels: [u8; 2],
        #[problem(valid_values = "size")]
        sizes: Vec<Size>,
        #[problem(valid_values = "zone")]
        zones: BTreeSet<String>,
        #[problem(valid_values = "tier")]
        tiers: Arc<[Cow<'static, str>]>,
        #[problem(valid_values = "worded")]
        worded: Vec<Choice>,
    },
    #[error("borrowed")]
    #[problem(status = 422)]
    Borrowed(#[problem(valid_values = "word")] Vec<&'a str>),
    #[error("nothing fits")]
    #[problem(status = 422)]
    NothingFits(#[problem(valid_values = "size")] Vec<Size>),
    #[error("too fast")]
    #[problem(status = 429)]
    TooFast {
        #[problem(retry_after)]
        wait: Duration,
    },
    #[error("down")]
    #[problem(status = 503)]
    Down(#[problem(retry_after)] Option<Duration>),
    #[error("who")]
    #[problem(status = 401)]
    Who {
        #[problem(challenge)]
        challenge: String,
    },
    #[error("who, again")]
    #[problem(status = 401, code = "who_again")]
    WhoAgain(#[problem(challenge)] Option<&'static str>),
    #[error("perhaps")]
    #[problem(status = 422)]
    Perhaps {
        #[problem(valid_values)]
        list: Option<Vec<String>>,
        #[problem(valid_values)]
        slice: Option<&'static [u16]>,
        #[problem(valid_values)]
        array: Option<[Size; 2]>,
        #[problem(valid_values)]
        set: Option<BTreeSet<&'static str>>,
        #[problem(valid_values)]
        shared: Option<Arc<[Cow<'static, str>]>>,
        #[problem(valid_values)]
        borrowed: Option<Cow<'static, [i64]>>,
        #[problem(valid_values)]
        one: Option<String>,
        #[problem(valid_values)]
        size: Option<Size>,
        #[problem(valid_values)]
        named: Option<Names>,
    },
    #[error("wrong method")]
    #[problem(status = 405)]
    WrongMethod(#[problem(valid_values = "method")] Vec<&'static str>),
}

type Names = std::collections::VecDeque<&'static str>;

#[derive(Debug, thiserror::Error, aon::Problem)]
#[error("none of these")]
#[problem(status = 422, code = "none_of_these")]
struct NoneOf<T: std::fmt::Debug> {
    #[problem(valid_values)]
    value: Option<Vec<T>>,
    #[problem(valid_values)]
    other: Option<T>,
}

#[test]
fn an_option_feeds_valid_values_where_it_is_there() {
    let full = Busy::Perhaps {
        list: Some(vec!["a".to_owned()]),
        slice: Some(&[1, 2]),
        array: Some([Size::Small, Size::Large]),
        set: Some(BTreeSet::from(["s"])),
        shared: Some(Arc::from([Cow::Borrowed("gold")])),
        borrowed: Some(Cow::Borrowed(&[-1])),
        one: Some("only".to_owned()),
        size: Some(Size::Large),
        named: Some(Names::from(["n"])),
    };
    assert_eq!(
        tree(&full)["valid_values"],
        json!({
            "list": ["a"], "slice": [1, 2], "array": ["small", "large"], "set": ["s"], "shared": ["gold"],
            "borrowed": [-1], "one": ["only"], "size": ["large"], "named": ["n"],
        })
    );
    let empty = Busy::Perhaps {
        list: None,
        slice: None,
        array: None,
        set: None,
        shared: None,
        borrowed: None,
        one: None,
        size: None,
        named: None,
    };
    assert_eq!(tree(&empty).get("valid_values"), None);
    assert!(empty.to_problem().valid_values().is_empty());
    let generic = NoneOf {
        value: Some(vec![1, 2]),
        other: Some(3),
    };
    assert_eq!(
        tree(&generic)["valid_values"],
        json!({"value": [1, 2], "other": [3]})
    );
    let generic = NoneOf::<bool> {
        value: None,
        other: None,
    };
    assert_eq!(tree(&generic).get("valid_values"), None);
}

fn no_plan() -> Busy<'static> {
    Busy::NoPlan {
        plans: &["free", "team"],
        levels: [1, 2],
        sizes: vec![Size::Small],
        zones: BTreeSet::from(["z".to_owned()]),
        tiers: Arc::from([Cow::Borrowed("gold")]),
        worded: vec![Choice::new("a").with_label("A")],
    }
}

pub(crate) fn samples() -> Vec<Box<dyn Problem>> {
    let region = |region: &[&str]| Busy::NoRegion {
        given: "mars".to_owned(),
        region: region.iter().map(|name| (*name).to_owned()).collect(),
    };
    let busy = vec![
        region(&["eu", "us \"1\""]),
        region(&[]),
        no_plan(),
        Busy::Borrowed(vec!["w"]),
        Busy::NothingFits(Vec::new()),
        Busy::TooFast {
            wait: Duration::from_millis(1500),
        },
        Busy::Down(None),
        Busy::Down(Some(Duration::from_secs(1_000_000))),
        Busy::Who {
            challenge: "Bearer".to_owned(),
        },
        Busy::WhoAgain(None),
        Busy::WhoAgain(Some("Basic")),
        Busy::WrongMethod(vec!["GET"]),
    ];
    busy.into_iter()
        .map(|busy| Box::new(busy) as Box<dyn Problem>)
        .collect()
}

fn tree(problem: &dyn Problem) -> serde_json::Value {
    let mut out = Vec::new();
    problem.write_json(None, &mut out);
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn anything_that_yields_choices_feeds_valid_values() {
    assert_eq!(
        tree(&no_plan())["valid_values"],
        json!({
            "plan": ["free", "team"], "level": [1, 2], "size": ["small"], "zone": ["z"], "tier": ["gold"],
            "worded": [{"value": "a", "label": "A"}],
        })
    );
    let first = samples().swap_remove(0);
    assert_eq!(
        tree(&*first)["valid_values"],
        json!({"size": ["small", "large"], "region": ["eu", "us \"1\""]})
    );
    assert_eq!(tree(&*first)["detail"], "no such region");
}

#[test]
fn the_catalog_says_what_varies() {
    let catalog = aon::catalog::Catalog::of::<Busy<'_>>();
    let record = catalog.find("no_region").unwrap();
    assert_eq!(record.valid_values["region"], None);
    assert_eq!(
        record.valid_values["size"],
        Some(vec![json!("small"), json!("large")])
    );
    assert_eq!(catalog.find("too_fast").unwrap().retry_after, Some(None));
}

#[test]
fn delays_and_challenges_come_from_fields() {
    let delay = |busy: Busy<'_>| busy.to_problem().retry_after();
    let wait = Duration::from_millis(1500);
    assert_eq!(delay(Busy::TooFast { wait }), Some(Duration::from_secs(2)));
    assert_eq!(delay(Busy::Down(None)), None);
    let challenge = |busy: Busy<'_>| busy.to_problem().challenge();
    assert_eq!(
        challenge(Busy::WhoAgain(Some("Basic"))).as_deref(),
        Some("Basic")
    );
    assert_eq!(challenge(Busy::WhoAgain(None)), None);
    let who = Busy::Who {
        challenge: "Bearer".to_owned(),
    };
    assert_eq!(challenge(who).as_deref(), Some("Bearer"));
}
