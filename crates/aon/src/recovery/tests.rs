use serde::Deserialize;
use serde_json::{Value, json};

use super::*;

/// The vectors that every language runs.
const VECTORS: &str = include_str!("vectors.json");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    name: String,
    #[serde(default)]
    known: Vec<Operation>,
    call: Call,
    #[serde(default)]
    allowed: Allowed,
    #[serde(default)]
    budget: Budget,
    events: Vec<Event>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Event {
    #[serde(default)]
    rest: Option<Http>,
    #[serde(default)]
    mcp: Option<Value>,
    #[serde(default)]
    a2a: Option<Http>,
    #[serde(default)]
    lost: Option<Lost>,
    #[serde(default, deserialize_with = "present")]
    chosen: Option<Value>,
    #[serde(default)]
    granted: Option<bool>,
    #[serde(default, deserialize_with = "present")]
    helped: Option<Value>,
    #[serde(default)]
    waited: Option<bool>,
    expect: Value,
}

/// A member that is there, `null` included.
fn present<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(input).map(Some)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Http {
    status: u16,
    #[serde(default)]
    headers: std::collections::BTreeMap<String, String>,
    body: Value,
}

impl Http {
    fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(|(name, value)| (&**name, &**value))
    }

    /// A text is a body that is not JSON.
    fn body(&self) -> String {
        match self.body.as_str() {
            Some(text) => text.to_owned(),
            None => self.body.to_string(),
        }
    }
}

fn run(recovery: &mut Recovery<'_>, event: &Event) -> Decision {
    let seen = match event {
        Event {
            rest: Some(http), ..
        } => Some(Seen::rest(
            http.status,
            http.headers(),
            http.body().as_bytes(),
        )),
        Event {
            mcp: Some(wire), ..
        } => Seen::mcp(wire.to_string().as_bytes()),
        Event {
            a2a: Some(http), ..
        } => Seen::a2a(http.status, http.headers(), http.body().as_bytes()),
        Event {
            lost: Some(lost), ..
        } => Some(Seen::lost(*lost)),
        _ => None,
    };
    match event {
        _ if seen.is_some() => recovery.failed(seen.unwrap(), 10),
        Event {
            granted: Some(granted),
            ..
        } => recovery.granted(*granted),
        // `null` stands for none.
        Event {
            chosen: Some(value),
            ..
        } => recovery.chosen(Some(value).filter(|value| !value.is_null())),
        Event {
            helped: Some(value),
            ..
        } => recovery.helped(Some(value).filter(|value| !value.is_null())),
        Event {
            waited: Some(_), ..
        } => recovery.waited(),
        _ => panic!("an event says what happened"),
    }
}

#[test]
fn the_shared_vectors_hold() {
    let vectors: Vec<Vector> = serde_json::from_str(VECTORS).unwrap();
    let mut met = std::collections::BTreeSet::new();
    let mut wrong = Vec::new();
    let mut events = 0;
    for vector in &vectors {
        let mut recovery = Recovery::new(
            vector.call.clone(),
            &vector.known,
            vector.allowed.clone(),
            vector.budget,
        );
        for event in &vector.events {
            let decision = run(&mut recovery, event);
            met.insert(decision.rule);
            events += 1;
            let told = json!({"rule": decision.rule, "step": decision.step});
            if told != event.expect {
                wrong.push(format!("{}: {told}\n   {}", vector.name, decision.because));
            }
            assert!(!decision.because.contains('\n'), "{}", decision.because);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let missing: Vec<&Rule> = Rule::ALL
        .iter()
        .filter(|rule| !met.contains(rule))
        .collect();
    assert_eq!(
        missing,
        Vec::<&Rule>::new(),
        "every line of the table has a vector"
    );
    assert!(vectors.len() >= 40 && events > vectors.len());
}
