//! What the words of a server that knows nothing of us say: status, code, fields and values.

use aon::arguments::{self, Fault};
use aon::{Code, ProblemDetails, Status, ToolName, redact};
use http::HeaderMap;
use serde_json::Value;

use super::desk::Head;
use super::tools::{Tool, Tools};

/// The parts of a request, as `FastAPI` calls them.
const PARTS: [&str; 5] = ["body", "query", "path", "header", "cookie"];
/// The longest text that is looked through.
const LONGEST: usize = 8192;

/// The signs of a kind of failure, in the order they are looked for.
const SIGNS: [(&[&str], u16, &str); 8] = [
    (
        &["rate limit", "too many requests", "quota exceeded", "429"],
        429,
        "too_many_requests",
    ),
    (
        &[
            "unauthorized",
            "unauthenticated",
            "api key",
            "invalid token",
            "401",
        ],
        401,
        "unauthorized",
    ),
    (
        &[
            "permission denied",
            "access denied",
            "forbidden",
            "not allowed",
            "eacces",
            "eperm",
            "outside allowed",
            "403",
        ],
        403,
        "forbidden",
    ),
    (
        &[
            "not found",
            "no such",
            "does not exist",
            "doesn't exist",
            "enoent",
            "unknown ",
            "404",
        ],
        404,
        "not_found",
    ),
    (
        &["already exists", "conflict", "eexist", "409"],
        409,
        "conflict",
    ),
    (
        &["timed out", "time-out", "timeout", "etimedout", "deadline"],
        504,
        "upstream_timeout",
    ),
    (
        &[
            "unavailable",
            "econnrefused",
            "econnreset",
            "connection refused",
            "network",
            "503",
            "502",
        ],
        503,
        "upstream_unavailable",
    ),
    (
        &[
            "validation error",
            "invalid",
            "must be",
            "required",
            "but got",
            "but received",
            ", got",
            ", received",
            "malformed",
            "cannot parse",
            "failed to parse",
        ],
        422,
        "invalid_value",
    ),
];

/// A failure as the server told it.
pub(super) struct Failed<'a> {
    pub(super) tool: &'a str,
    pub(super) arguments: &'a Value,
    /// The status, where the protocol told it; else the words do.
    pub(super) status: Option<u16>,
    pub(super) text: &'a str,
    pub(super) tools: &'a Tools,
}

impl Failed<'_> {
    /// The problem: what the words say of the arguments, else what kind of failure they speak of.
    pub(super) fn problem(&self) -> ProblemDetails {
        let text: String = self.text.chars().take(LONGEST).collect();
        let known = self.tools.get(self.tool);
        if known.is_none() && self.tools.is_complete() {
            return aon::jsonrpc::unknown_operation("tool", self.tool, self.tools.names());
        }
        if let Some(problem) = issues(&text).or_else(|| self.of_serde(&text)) {
            return problem.with_detail(detail(&text));
        }
        if let Some(problem) = known.and_then(|tool| self.described(tool, &text)) {
            return problem;
        }
        self.by_kind(&text)
    }

    /// Words of serde, which many servers pass on.
    fn of_serde(&self, text: &str) -> Option<ProblemDetails> {
        let starts = [
            "unknown variant `",
            "unknown field `",
            "missing field `",
            "invalid type: ",
        ];
        let at = starts.iter().filter_map(|start| text.find(start)).min()?;
        let fault = Fault::from_message(self.arguments, text.get(at..)?);
        arguments::problem(&[fault])
    }

    /// A value that the description of its argument does not list. Where the words speak of it, it was refused; where they
    /// speak of nothing, it is the likely cause, and nobody knows what was done.
    fn described(&self, tool: &Tool, text: &str) -> Option<ProblemDetails> {
        let lower = text.to_lowercase();
        let wrong = tool.described.iter().filter_map(|(name, values)| {
            let given = self.arguments.get(name)?.as_str()?;
            let listed = values.iter().any(|value| value == given);
            (!listed).then_some((name, values, given))
        });
        let wrong: Vec<_> = wrong.collect();
        let says = |name: &str, given: &str| {
            lower.contains(&name.to_lowercase()) || (given.len() > 1 && text.contains(given))
        };
        let said = wrong.iter().find(|(name, _, given)| says(name, given));
        let silent = SIGNS
            .iter()
            .all(|(words, _, _)| !words.iter().any(|word| self::says(&lower, word)));
        let (found, problem) = match (said, wrong.as_slice()) {
            (Some(found), _) => (found, problem(422, "invalid_value")),
            (None, [only]) if silent => (only, problem(500, "tool_failed")),
            _ => return None,
        };
        let (name, values, _) = found;
        let place = format!("/{}", aon::pointer::escape(name));
        let problem = problem.with_detail(detail(text)).with_pointer(&place, None);
        Some(problem.with_valid_values((*name).clone(), (*values).clone()))
    }

    /// The kind the words speak of, and the arguments whose values they repeat.
    fn by_kind(&self, text: &str) -> ProblemDetails {
        let lower = text.to_lowercase();
        let sign = SIGNS
            .iter()
            .find(|(words, _, _)| words.iter().any(|word| says(&lower, word)));
        let (status, code) =
            sign.map_or((500, "tool_failed"), |(_, status, code)| (*status, *code));
        let status = self.status.unwrap_or(status);
        let mut out = problem(status, code).with_detail(detail(text));
        if matches!(status, 400 | 404 | 409 | 422) {
            for (name, value) in self.arguments.as_object().into_iter().flatten() {
                let repeated = value
                    .as_str()
                    .is_some_and(|value| value.len() > 2 && text.contains(value));
                let named = lower
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .any(|word| word == name.to_lowercase());
                if repeated || named {
                    out = out.with_pointer(&format!("/{}", aon::pointer::escape(name)), None);
                }
            }
        }
        let lister = self.tools.lister(self.tool).filter(|_| status == 404);
        if let Some(tool) = lister.and_then(|name| ToolName::parse(name.to_owned()).ok()) {
            out = out.with_mcp_tool(tool);
        }
        // A failure that may pass is worth a second try where trying does no harm.
        let reads = self
            .tools
            .get(self.tool)
            .is_some_and(|tool| tool.reads_only);
        if matches!(status, 429 | 503) && reads {
            out = out.with_retry_after(std::time::Duration::from_secs(5));
        }
        out
    }
}

/// A word of the table in a text, where a word begins: `unexpected` does not say `expected`. A number only by itself.
fn says(text: &str, word: &str) -> bool {
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return text
            .split(|c: char| !c.is_alphanumeric())
            .any(|other| other == word);
    }
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        !word.starts_with(char::is_alphanumeric) || !before.is_some_and(char::is_alphanumeric)
    })
}

/// The issues of zod, a JSON array in the text, and those of pydantic, three lines each.
fn issues(text: &str) -> Option<ProblemDetails> {
    let found = zod(text).or_else(|| pydantic(text))?;
    let mut out = problem(422, "invalid_value");
    for Issue {
        pointer,
        message,
        values,
    } in found
    {
        let field = pointer.rsplit('/').next().unwrap_or_default().to_owned();
        if !values.is_empty() && !field.is_empty() {
            out = out.with_valid_values(field, values);
        }
        out = out.with_pointer(&pointer, Some(&redact::text(&message)));
    }
    Some(out)
}

struct Issue {
    pointer: String,
    message: String,
    values: Vec<String>,
}

fn zod(text: &str) -> Option<Vec<Issue>> {
    let start = text.find("[{").or_else(|| text.find("[\n"))?;
    let end = text.rfind(']')?;
    let Ok(Value::Array(items)) = serde_json::from_str::<Value>(text.get(start..=end)?) else {
        return None;
    };
    let read = |item: &Value| {
        let path = item.get("path").or_else(|| item.get("loc"))?.as_array()?;
        // FastAPI names the part of the request first.
        let part = path.len() > 1
            && item.get("loc").is_some()
            && path
                .first()
                .and_then(Value::as_str)
                .is_some_and(|part| PARTS.contains(&part));
        let tokens = path
            .iter()
            .skip(usize::from(part))
            .map(|token| match token {
                Value::String(text) => format!("/{}", aon::pointer::escape(text)),
                other => format!("/{other}"),
            });
        let list = item
            .get("options")
            .or_else(|| item.get("values"))
            .and_then(Value::as_array);
        let values = list
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned);
        let expected = item.pointer("/ctx/expected").and_then(Value::as_str);
        let values = values.chain(expected.into_iter().flat_map(quoted));
        let message = item
            .get("message")
            .or_else(|| item.get("msg"))
            .and_then(Value::as_str)
            .unwrap_or("is not valid");
        Some(Issue {
            pointer: tokens.collect(),
            message: message.to_owned(),
            values: values.collect(),
        })
    };
    items
        .iter()
        .map(read)
        .collect::<Option<Vec<_>>>()
        .filter(|found| !found.is_empty())
}

/// The words in quotes: `'a', 'b' or 'c'`.
fn quoted(set: &str) -> impl Iterator<Item = String> {
    set.split('\'').skip(1).step_by(2).map(str::to_owned)
}

fn pydantic(text: &str) -> Option<Vec<Issue>> {
    let (_, rest) = text.split_once(" validation error")?;
    let mut out: Vec<Issue> = Vec::new();
    let mut field: Option<&str> = None;
    for line in rest.lines().skip(1) {
        let words = line.trim();
        if line.starts_with(' ') {
            let Some(name) = field.take() else {
                continue;
            };
            let message = words.split(" [type=").next().unwrap_or(words);
            let set = message
                .strip_prefix("Input should be ")
                .filter(|set| set.starts_with('\''));
            let values = set.map(|set| quoted(set).collect());
            let pointer: aon::Pointer = name.split('.').collect();
            let pointer = pointer.as_str().to_owned();
            out.push(Issue {
                pointer,
                message: message.to_owned(),
                values: values.unwrap_or_default(),
            });
        } else if !words.is_empty() && !words.contains(' ') {
            field = Some(words);
        }
    }
    (!out.is_empty()).then_some(out)
}

pub(super) fn problem(status: u16, code: &'static str) -> ProblemDetails {
    let status = Status::new(status).unwrap_or(Status::from_static(500));
    ProblemDetails::new(status, Code::from_static(code)).with_title(status.phrase())
}

/// The words themselves, cut short; secrets leave them at the door.
fn detail(text: &str) -> String {
    text.chars().take(1024).collect()
}

/// The server is gone.
pub(super) fn gone() -> ProblemDetails {
    problem(502, "server_gone").with_detail("The server behind the proxy ended before it answered. Nobody knows whether the call had its effect.")
}

/// The server answered something else.
pub(super) fn nonsense() -> ProblemDetails {
    problem(502, "invalid_answer").with_detail("The server behind the proxy sent something that is not an answer. Nobody knows whether the call had its effect.")
}

/// Whether an answer is a message of JSON-RPC, or several.
pub(super) fn is_message(bytes: &[u8]) -> bool {
    let is_one =
        |head: &Head<'_>| head.result.is_some() || head.error.is_some() || head.method.is_some();
    serde_json::from_slice::<Head<'_>>(bytes).is_ok_and(|head| is_one(&head))
        || serde_json::from_slice::<Vec<Head<'_>>>(bytes)
            .is_ok_and(|heads| heads.iter().any(is_one))
}

/// There is no server.
pub(super) fn unreachable() -> ProblemDetails {
    problem(502, "server_unreachable")
        .with_detail("The proxy could not connect to the server. The call did not reach it.")
}

/// The words of a body that are for people.
pub(super) fn sentence(text: &str) -> Option<String> {
    let found = match serde_json::from_str::<Value>(text) {
        Ok(value) => ["message", "detail", "error_description", "error", "title"]
            .iter()
            .find_map(|name| {
                let member = value.get(name)?;
                let inner = member.get("message").unwrap_or(member);
                inner.as_str().map(str::to_owned)
            })
            .unwrap_or_else(|| text.to_owned()),
        Err(_) if text.trim_start().starts_with('<') => plain(text),
        Err(_) => text.to_owned(),
    };
    let cut: String = found.trim().chars().take(1024).collect();
    (!cut.is_empty()).then_some(cut)
}

/// A page without its tags.
fn plain(page: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for letter in page.chars() {
        match letter {
            '<' => inside = true,
            '>' => {
                inside = false;
                out.push(' ');
            }
            letter if !inside => out.push(letter),
            _ => {}
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What an answer without words of the protocol says: by its status, its headers and its text.
pub(super) fn of_status(status: u16, headers: &HeaderMap, body: &[u8]) -> ProblemDetails {
    let code = match status {
        429 => "too_many_requests",
        502 | 503 => "upstream_unavailable",
        504 => "upstream_timeout",
        _ => "tool_failed",
    };
    let text = String::from_utf8_lossy(body);
    let mut out = problem(status, code);
    if let Some(words) = sentence(&text) {
        out = out.with_detail(words);
    }
    match delay(headers) {
        Some(delay) => out.with_retry_after(delay),
        None => out,
    }
}

/// `Retry-After` in seconds.
fn delay(headers: &HeaderMap) -> Option<std::time::Duration> {
    let text = headers.get(http::header::RETRY_AFTER)?.to_str().ok()?;
    text.trim().parse().ok().map(std::time::Duration::from_secs)
}

/// The server did not answer in time.
pub(super) fn late(seconds: u64) -> ProblemDetails {
    problem(504, "upstream_timeout").with_detail(format!(
        "The server behind the proxy did not answer within {seconds} s. Nobody knows whether the call had its effect."
    ))
}
