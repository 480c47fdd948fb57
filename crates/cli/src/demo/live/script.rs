//! A script: what the playground is asked to do, read with the mistake and its place where there is one.

use std::collections::BTreeMap;
use std::time::Duration;

use aon::json::Json;
use aon::redact::echo;
use aon::{Choice, Code, ProblemDetails, Status, suggest};
use aon_live::Severity;
use aon_live::event::EventName;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::healing::Healing;

/// The most steps of a script.
const STEPS: usize = 1000;
/// The most events of a script, bursts included.
const EVENTS: u64 = 10_000;
/// The longest sleep of a script, all its sleeps together.
const SLEEP: Duration = Duration::from_secs(120);

/// What a script says.
#[derive(Debug)]
pub(super) struct Script {
    /// The answer of a script without an end.
    pub(super) payload: Json,
    pub(super) steps: Vec<Step>,
}

/// A script as it is written.
#[derive(serde::Deserialize)]
struct Outer<'a> {
    #[serde(borrow, default)]
    payload: Option<&'a RawValue>,
    #[serde(borrow, default)]
    steps: Option<&'a RawValue>,
}

/// One thing to do.
#[derive(Debug)]
pub(super) enum Step {
    Status {
        message: String,
        delay: Option<Duration>,
        progress: Option<f64>,
    },
    Intent {
        original: String,
        issue: Option<String>,
        decision: Option<String>,
    },
    Healing {
        severity: Severity,
        action: String,
        description: Option<String>,
        metadata: Map<String, Value>,
    },
    Event {
        name: EventName,
        data: Value,
    },
    Sleep(Duration),
    Burst {
        count: u64,
        message: String,
    },
    Panic(String),
    Abandon,
    Hang,
    Problem(Box<ProblemDetails>),
    Healed(Box<Healing>),
    Result(Json),
}

/// Every step there is, by its name.
pub(super) const NAMES: [&str; 13] = [
    "status",
    "intent_analysis",
    "healing",
    "event",
    "sleep",
    "burst",
    "log",
    "panic",
    "abandon",
    "hang",
    "problem",
    "step",
    "result",
];

impl Script {
    /// Reads a script. What is wrong with it is a problem that points at the place.
    pub(super) fn read(body: &str) -> Result<Self, ProblemDetails> {
        let whole = Json::parse(body).map_err(|error| {
            let why = if body.trim().is_empty() {
                "The body is empty; it must be a script in JSON.".to_owned()
            } else {
                format!("The body is not valid JSON: it is {error}.")
            };
            // The code that broken JSON has everywhere.
            aon::jsonrpc::parse_error().with_detail(why)
        })?;
        let object = Some(&whole).filter(|whole| whole.as_str().starts_with('{'));
        let outer: Outer<'_> = object
            .and_then(|whole| whole.read().ok())
            .ok_or_else(|| malformed("", "a script is an object with payload and steps"))?;
        let payload = outer.payload.map_or("null", RawValue::get);
        let payload =
            Json::parse(payload).map_err(|error| malformed("/payload", &error.to_string()))?;
        let steps = outer.steps.map_or("[]", RawValue::get);
        let steps: Option<Vec<&RawValue>> = serde_json::from_str(steps)
            .map_err(|_other| malformed("/steps", "steps is not an array"))?;
        let steps = steps.unwrap_or_default();
        if steps.len() > STEPS {
            return Err(too_much(format!(
                "a script has at most {STEPS} steps, this one has {}",
                steps.len()
            )));
        }
        let steps: Vec<Step> = steps
            .iter()
            .enumerate()
            .map(|(at, step)| read(at, step.get()))
            .collect::<Result<_, _>>()?;
        limits(&steps)?;
        Ok(Self { payload, steps })
    }
}

fn limits(steps: &[Step]) -> Result<(), ProblemDetails> {
    let (mut events, mut sleep) = (0_u64, Duration::ZERO);
    for step in steps {
        match step {
            Step::Burst { count, .. } => events = events.saturating_add(*count),
            Step::Sleep(time) => sleep = sleep.saturating_add(*time),
            _ => events = events.saturating_add(1),
        }
    }
    if events > EVENTS {
        return Err(too_much(format!(
            "a script publishes at most {EVENTS} events, this one would publish {events}"
        )));
    }
    if sleep > SLEEP {
        return Err(too_much(format!(
            "a script sleeps at most {} s, this one would sleep {} s",
            SLEEP.as_secs(),
            sleep.as_secs()
        )));
    }
    Ok(())
}

/// The members of one step, and where it stands.
pub(super) struct Members<'a> {
    at: usize,
    pub(super) members: &'a Map<String, Value>,
}

impl Members<'_> {
    pub(super) fn pointer(&self, name: &str) -> String {
        format!("/steps/{}/{name}", self.at)
    }

    pub(super) fn wrong(&self, name: &str, wanted: &str) -> ProblemDetails {
        let what = if self.members.contains_key(name) {
            "is not"
        } else {
            "is missing; it is"
        };
        invalid(&self.pointer(name), &format!("{name} {what} {wanted}"))
    }

    fn text(&self, name: &str) -> Result<String, ProblemDetails> {
        let text = self.members.get(name).and_then(Value::as_str);
        text.map(str::to_owned)
            .ok_or_else(|| self.wrong(name, "a text"))
    }

    pub(super) fn maybe_text(&self, name: &str) -> Result<Option<String>, ProblemDetails> {
        match self.members.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(_) => self.text(name).map(Some),
        }
    }

    fn number(&self, name: &str) -> Result<u64, ProblemDetails> {
        let number = self.members.get(name).and_then(Value::as_u64);
        number.ok_or_else(|| self.wrong(name, "a whole number"))
    }

    fn maybe_number(&self, name: &str) -> Result<Option<u64>, ProblemDetails> {
        match self.members.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(_) => self.number(name).map(Some),
        }
    }

    fn object(&self, name: &str) -> Result<Map<String, Value>, ProblemDetails> {
        match self.members.get(name) {
            None | Some(Value::Null) => Ok(Map::new()),
            Some(Value::Object(object)) => Ok(object.clone()),
            Some(_) => Err(self.wrong(name, "an object")),
        }
    }

    fn value(&self, name: &str) -> Value {
        self.members.get(name).cloned().unwrap_or(Value::Null)
    }
}

fn read(at: usize, step: &str) -> Result<Step, ProblemDetails> {
    let written: BTreeMap<String, &RawValue> = serde_json::from_str(step)
        .map_err(|_other| malformed(&format!("/steps/{at}"), "a step is an object"))?;
    let data = written.get("data").map_or("null", |data| data.get());
    let mut members = Map::new();
    for (name, value) in &written {
        // Numbers that no machine type holds are fine in an answer, which is passed on as it is written.
        match serde_json::from_str(value.get()) {
            Ok(value) => drop(members.insert(name.clone(), value)),
            Err(_) if name == "data" => {}
            Err(error) => {
                let pointer = format!("/steps/{at}/{name}");
                return Err(invalid(&pointer, &error.to_string()));
            }
        }
    }
    let step = Members {
        at,
        members: &members,
    };
    let name = step.text("do").map_err(|problem| with_names(problem, ""))?;
    Ok(match name.as_str() {
        "status" => Step::Status {
            message: step.text("message")?,
            delay: step
                .maybe_number("estimated_delay_ms")?
                .map(Duration::from_millis),
            progress: step.members.get("progress").and_then(Value::as_f64),
        },
        "intent_analysis" => Step::Intent {
            original: step.text("original_intent")?,
            issue: step.maybe_text("detected_issue")?,
            decision: step.maybe_text("decision")?,
        },
        "healing" => Step::Healing {
            severity: severity(&step)?,
            action: step.text("action")?,
            description: step.maybe_text("description")?,
            metadata: step.object("metadata")?,
        },
        "event" => {
            let kind = step.text("type")?;
            let name = EventName::parse(&kind);
            let name = name.map_err(|error| invalid(&step.pointer("type"), &error.to_string()))?;
            Step::Event {
                name,
                data: step.value("data"),
            }
        }
        "log" => Step::Event {
            name: EventName::parse("log").map_err(|error| invalid("", &error.to_string()))?,
            data: serde_json::json!({
                "level": step.maybe_text("level")?.unwrap_or_else(|| "info".to_owned()),
                "message": step.text("message")?,
            }),
        },
        "sleep" => Step::Sleep(Duration::from_millis(step.number("ms")?)),
        "burst" => Step::Burst {
            count: step.number("count")?,
            message: step
                .maybe_text("message")?
                .unwrap_or_else(|| "event {n}".to_owned()),
        },
        "panic" => Step::Panic(step.maybe_text("message")?.unwrap_or_default()),
        "abandon" => Step::Abandon,
        "hang" => Step::Hang,
        "problem" => {
            let members = step.object("problem")?;
            Step::Problem(Box::new(problem_of(&members, &step.pointer("problem"))?))
        }
        "step" => Step::Healed(Box::new(super::healing::read(&step)?)),
        "result" => {
            let data = Json::parse(data);
            Step::Result(data.map_err(|error| invalid(&step.pointer("data"), &error.to_string()))?)
        }
        other => {
            let detail = format!("{:?} is not a step of a script", echo(other));
            let problem = invalid(&step.pointer("do"), &detail);
            return Err(with_names(problem, other));
        }
    })
}

fn severity(step: &Members<'_>) -> Result<Severity, ProblemDetails> {
    let word = step.text("severity")?;
    Severity::from_word(&word).ok_or_else(|| {
        let detail = format!("{:?} is not a severity", echo(&word));
        let words = ["low", "medium", "high", "critical"].map(Choice::from);
        invalid(&step.pointer("severity"), &detail).with_valid_values("severity", words)
    })
}

/// The problem a script ends with, as it says; what is not there has a default.
pub(super) fn problem_of(
    members: &Map<String, Value>,
    pointer: &str,
) -> Result<ProblemDetails, ProblemDetails> {
    let status = members.get("status").map_or(Some(500), Value::as_u64);
    let fits = status.is_some_and(|status| (400..=599).contains(&status));
    if !fits {
        return Err(invalid(
            &format!("{pointer}/status"),
            "a status of a problem is between 400 and 599",
        ));
    }
    let mut whole = Map::new();
    whole.insert("status".to_owned(), Value::from(status.unwrap_or(500)));
    whole.insert("code".to_owned(), Value::from("scripted"));
    whole.extend(members.clone());
    let read = ProblemDetails::read(Value::Object(whole).to_string().as_bytes());
    let read = read.map_err(|error| invalid(pointer, &error.to_string()))?;
    match read.ignored.first() {
        Some(ignored) => Err(invalid(pointer, ignored)),
        None => Ok(with_type(read.problem)),
    }
}

/// A problem with a code has the type of the code, and the title of its status, unless the script says another (P3).
fn with_type(problem: ProblemDetails) -> ProblemDetails {
    let (Some(status), Some(code)) = (problem.status(), problem.code()) else {
        return problem;
    };
    let usual = ProblemDetails::new(status, code.clone());
    let problem = match (problem.title(), usual.title()) {
        (None, Some(title)) => problem.with_title(title.to_owned()),
        _ => problem,
    };
    match (problem.type_uri(), usual.type_uri()) {
        (None, Some(kind)) => problem.with_type(kind.clone()),
        _ => problem,
    }
}

/// What the caller can correct needs no remediation: the pointer and the valid values say what to do.
fn refusal(status: Status, code: Code, title: &'static str, detail: String) -> ProblemDetails {
    ProblemDetails::new(status, code)
        .with_title(title)
        .with_detail(detail)
}

fn malformed(pointer: &str, detail: &str) -> ProblemDetails {
    let code = Code::from_static("invalid_body");
    let problem = refusal(
        Status::from_static(400),
        code,
        "Not a script",
        detail.to_owned(),
    );
    problem.with_pointer(pointer, None)
}

pub(super) fn invalid(pointer: &str, detail: &str) -> ProblemDetails {
    let code = Code::from_static("invalid_value");
    let problem = refusal(
        Status::from_static(422),
        code,
        "Invalid step",
        detail.to_owned(),
    );
    problem.with_pointer(pointer, None)
}

pub(super) fn too_much(detail: String) -> ProblemDetails {
    refusal(
        Status::from_static(413),
        Code::from_static("script_too_large"),
        "Script too large",
        detail,
    )
}

/// Names the steps that exist, and the one that was probably meant.
fn with_names(problem: ProblemDetails, given: &str) -> ProblemDetails {
    let problem = match suggest::nearest(given, NAMES) {
        Some(meant) => {
            let given = echo(given);
            let detail = format!("{given:?} is not a step of a script; did you mean {meant:?}?");
            problem.with_detail(detail)
        }
        None => problem,
    };
    problem.with_valid_values("do", NAMES.map(Choice::from))
}
