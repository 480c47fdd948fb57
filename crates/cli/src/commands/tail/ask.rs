//! A question to the person at the terminal: allowed places one by one, then the answer is sent.

use std::io::BufRead as _;

use aon_live::client::{Received, call, resolve};
use http::Method;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use super::line::visible;
use crate::commands::heal::value_of;

/// Asks one question at a time, on standard error, and reads the answers from standard input.
#[derive(Debug)]
pub(super) struct Asker {
    url: String,
    headers: HeaderMap,
    lines: Option<mpsc::UnboundedReceiver<String>>,
    open: Option<Open>,
}

/// A question that is being answered.
#[derive(Debug)]
struct Open {
    id: String,
    url: String,
    base: Option<String>,
    paths: Vec<String>,
    current: Map<String, Value>,
    operations: Vec<Value>,
    at: usize,
}

/// What to do with what was typed.
#[derive(Debug, PartialEq)]
enum Typed {
    Next,
    Send(&'static str, Value),
}

impl Asker {
    pub(super) fn new(url: &str, headers: HeaderMap) -> Self {
        Self {
            url: url.to_owned(),
            headers,
            lines: None,
            open: None,
        }
    }

    /// Whether a question waits for the person here.
    pub(super) const fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Takes a question up; the words to show.
    pub(super) fn take(&mut self, event: &Received) -> Option<String> {
        let text = |name: &str| event.member::<String>(name);
        let url = resolve(&self.url, &text("patch_url")?).ok()?;
        let paths: Vec<String> = event.member("allowedPatchPaths").unwrap_or_default();
        let problem = event.member::<Value>("problem").unwrap_or_default();
        let current = event.member::<Map<String, Value>>("current");
        let open = Open {
            id: text("request_id")?,
            url,
            base: text("base_hash"),
            paths,
            current: current.unwrap_or_default(),
            operations: Vec::new(),
            at: 0,
        };
        let error = event.member::<Value>("error").unwrap_or_default();
        let word = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
        let mut words = format!(
            "\nStep {} needs you: {} ({})\n",
            visible(&text("step").unwrap_or_default()),
            visible(word("message")),
            visible(word("code")),
        );
        if let Some(values) = problem.get("valid_values").and_then(Value::as_object) {
            for (field, values) in values {
                words.push_str(&format_args!("  {field} is one of {values}\n").to_string());
            }
        }
        if let Some(ms) = event.member::<u64>("expires_in_ms") {
            let left = super::line::seconds(std::time::Duration::from_millis(ms));
            words.push_str(&format_args!("  There are {left} to answer.\n").to_string());
        }
        words.push_str(
            "  Enter keeps a value. !deny gives up, !retry tries again as it was, !patch [...] sends a patch.",
        );
        let words = format!("{}\n{}", visible_lines(&words), open.prompt());
        self.open = Some(open);
        if self.lines.is_none() {
            self.lines = Some(listen());
        }
        Some(words)
    }

    /// The question was answered, here or elsewhere.
    pub(super) fn settle(&mut self, event: &Received) {
        let id = event.member::<String>("request_id");
        if self.open.as_ref().map(|open| &open.id) == id.as_ref() {
            self.open = None;
        }
    }

    /// Waits for the next line while a question is open. Dropping the future loses nothing.
    pub(super) async fn typed(&mut self) -> Option<String> {
        match &mut self.lines {
            Some(lines) if self.open.is_some() => lines.recv().await,
            _ => std::future::pending().await,
        }
    }

    /// Does what was typed says; the words to show.
    pub(super) async fn hear(&mut self, line: Option<String>) -> Option<String> {
        let Some(line) = line else {
            // Nobody is there any more; somebody else may answer.
            self.open = None;
            return None;
        };
        let open = self.open.as_mut()?;
        let (kind, answer) = match open.hear(line.trim()) {
            Ok(Typed::Next) => return Some(open.prompt()),
            Ok(Typed::Send(kind, answer)) => (kind, answer),
            Err(why) => return Some(format!("{why}\n{}", open.prompt())),
        };
        let mut headers = self.headers.clone();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        if let Some(base) = open.base.as_deref().and_then(|base| base.parse().ok()) {
            headers.insert(http::header::IF_MATCH, base);
        }
        let body = answer.to_string().into_bytes();
        let url = open.url.clone();
        match call(Method::POST, &url, headers, body).await {
            Ok(taken) if taken.status < 400 => {
                self.open = None;
                Some("Sent.".to_owned())
            }
            Ok(refused) => {
                let problem: Value = serde_json::from_slice(&refused.body).unwrap_or_default();
                let detail = problem.get("detail").and_then(Value::as_str);
                let why = visible(detail.unwrap_or("The answer was refused."));
                if matches!(refused.status, 404 | 409 | 410) {
                    self.open = None;
                    return Some(why);
                }
                open.begin_again();
                Some(format!("{why}\n{}", open.prompt()))
            }
            Err(why) => Some(format!("It could not be sent: {why}\n{}", open.prompt())),
        }
    }
}

impl Open {
    fn prompt(&self) -> String {
        match self.paths.get(self.at) {
            Some(path) if path.contains('*') || path.ends_with("/-") => {
                format!("{} (a patch, or Enter)> ", visible(path))
            }
            Some(path) => {
                let now = self.current.get(path);
                let now = now.map_or_else(String::new, |now| format!(" [{now}]"));
                visible_lines(&format!("{path}{now}> "))
            }
            None => "!deny or !retry> ".to_owned(),
        }
    }

    fn begin_again(&mut self) {
        self.at = 0;
        self.operations.clear();
    }

    fn hear(&mut self, line: &str) -> Result<Typed, String> {
        const PATCH: &str = "application/json-patch+json";
        const WORDS: &str = "application/json";
        if line == "!deny" {
            return Ok(Typed::Send(WORDS, json!({"deny": true})));
        }
        if line == "!retry" {
            return Ok(Typed::Send(WORDS, json!({"retry": true})));
        }
        if let Some(patch) = line.strip_prefix("!patch") {
            let patch: Result<Value, _> = serde_json::from_str(patch.trim());
            let patch = patch.map_err(|error| format!("The patch is not JSON: {error}."))?;
            return Ok(Typed::Send(PATCH, patch));
        }
        if line.starts_with('!') {
            return Err("There are !deny, !retry and !patch.".to_owned());
        }
        if let Some(path) = self.paths.get(self.at)
            && !line.is_empty()
        {
            // A text stays a text; where something else was, what is typed is read as JSON.
            let value = match self.current.get(path) {
                Some(Value::String(_)) | None => Value::from(line),
                Some(_) => value_of(line),
            };
            let op = if self.current.contains_key(path) {
                "replace"
            } else {
                "add"
            };
            self.operations
                .push(json!({"op": op, "path": path, "value": value}));
        }
        self.at += 1;
        if self.at < self.paths.len() {
            return Ok(Typed::Next);
        }
        if self.operations.is_empty() {
            self.begin_again();
            return Err("Nothing is changed. !retry tries again as it was.".to_owned());
        }
        Ok(Typed::Send(PATCH, Value::Array(self.operations.clone())))
    }
}

fn visible_lines(text: &str) -> String {
    let text = aon::redact::text(text);
    let lines: Vec<String> = text.split('\n').map(visible).collect();
    lines.join("\n")
}

/// Reads lines on a thread of its own: waiting for a person must not keep the program from ending.
fn listen() -> mpsc::UnboundedReceiver<String> {
    let (sender, lines) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open() -> Open {
        Open {
            id: "r".to_owned(),
            url: "http://x/".to_owned(),
            base: None,
            paths: vec!["/email".to_owned(), "/age".to_owned()],
            current: Map::from_iter([
                ("/email".to_owned(), json!("ann")),
                ("/age".to_owned(), json!(5)),
            ]),
            operations: Vec::new(),
            at: 0,
        }
    }

    #[test]
    fn what_is_typed_becomes_a_patch() {
        let mut question = open();
        assert_eq!(question.prompt(), "/email [\"ann\"]> ");
        assert_eq!(question.hear("7"), Ok(Typed::Next));
        let sent = question.hear("7").unwrap();
        let patch = json!([
            {"op": "replace", "path": "/email", "value": "7"},
            {"op": "replace", "path": "/age", "value": 7},
        ]);
        assert_eq!(sent, Typed::Send("application/json-patch+json", patch));
    }

    #[test]
    fn nothing_is_sent_by_mistake() {
        let mut question = open();
        assert_eq!(question.hear(""), Ok(Typed::Next));
        assert!(question.hear("").is_err());
        assert!(question.hear("!dney").is_err());
        let denied = Typed::Send("application/json", json!({"deny": true}));
        assert_eq!(question.hear("!deny"), Ok(denied));
    }
}
