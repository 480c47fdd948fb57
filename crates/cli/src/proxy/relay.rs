//! Lines in, lines out: which pass, which are answered here, and which are amended. No I/O and no clock.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Value, json};

use super::clean;
use super::desk::{Desk, Head, Pending};
use super::judge;
use super::observe::Observer;
use super::tools::next_cursor;

/// A line and where it goes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Out {
    Server(Vec<u8>),
    Client(Vec<u8>),
}

/// As many calls wait for the list of tools; more go on unchecked.
const MOST_WAITING: usize = 256;
/// As many pages of the list of tools are read.
const MOST_PAGES: usize = 64;
/// As long calls wait for the list of tools, in milliseconds; then they go on unchecked.
const LIST_PATIENCE: u64 = 20_000;
/// As many late answers are expected; those of earlier calls pass.
const MOST_LATE: usize = 1024;

/// Whose list of tools a request asked for.
#[derive(Debug, PartialEq, Eq)]
enum Asked {
    Client { first: bool },
    Own { first: bool },
}

/// The proxy between one client and one server.
#[derive(Debug, Default)]
pub(super) struct Relay {
    desk: Desk,
    calls: BTreeMap<String, Pending>,
    lists: BTreeMap<String, Asked>,
    /// Calls that wait for the list of tools.
    waiting: Vec<Vec<u8>>,
    /// Since when calls wait for the list, and how many pages of it were asked for.
    asking: Option<(u64, usize)>,
    /// The server does not list its tools.
    unlisted: bool,
    /// Calls that were answered here because they took too long.
    late: VecDeque<String>,
    own: u64,
    timeout: u64,
}

impl Relay {
    /// One that answers by itself after so many seconds; 0 never does.
    pub(super) fn new(timeout: u64, observer: Observer) -> Self {
        Self {
            timeout,
            desk: Desk::new(observer),
            ..Self::default()
        }
    }

    /// A line of the client, at a moment in milliseconds.
    pub(super) fn client_line(&mut self, line: Vec<u8>, now: u64) -> Vec<Out> {
        let text = std::str::from_utf8(&line).unwrap_or_default();
        if !text.contains("tools/") && !text.contains("notifications/cancelled") {
            return vec![Out::Server(line)];
        }
        let Ok(message) = serde_json::from_str::<Value>(text) else {
            return vec![Out::Server(line)];
        };
        let id = message.get("id").filter(|id| !id.is_null());
        match (message.get("method").and_then(Value::as_str), id) {
            (Some("tools/list"), Some(id)) => {
                let first = message.pointer("/params/cursor").is_none();
                self.lists.insert(id.to_string(), Asked::Client { first });
                vec![Out::Server(line)]
            }
            (Some("tools/call"), Some(_)) => {
                let listed = self.desk.tools.is_complete() || self.unlisted;
                if listed || self.waiting.len() >= MOST_WAITING {
                    return vec![self.call(line, &message, now)];
                }
                self.waiting.push(line);
                if self
                    .lists
                    .values()
                    .any(|asked| matches!(asked, Asked::Own { .. }))
                {
                    return Vec::new();
                }
                self.asking = Some((now, 0));
                vec![self.ask(None, message.pointer("/params/_meta"))]
            }
            (Some("notifications/cancelled"), None) => {
                // Nobody waits for it any more.
                if let Some(id) = message.pointer("/params/requestId") {
                    self.calls.remove(&id.to_string());
                }
                vec![Out::Server(line)]
            }
            _ => vec![Out::Server(line)],
        }
    }

    /// A line of the server.
    pub(super) fn server_line(&mut self, line: Vec<u8>, now: u64) -> Vec<Out> {
        if line.trim_ascii_start().first() == Some(&b'[') {
            let judged = clean::each(&line, |one| {
                clean::answer(&serde_json::from_slice::<Head<'_>>(one).ok()?)
            });
            return vec![Out::Client(judged.unwrap_or(line))];
        }
        let Ok(head) = serde_json::from_slice::<Head<'_>>(&line) else {
            // Not a message: words that went to the wrong place.
            return vec![Out::Client(clean::bytes(&line).unwrap_or(line))];
        };
        if let Some(method) = head.method {
            if method.get().contains("tools/list_changed") {
                self.desk.tools.forget();
            }
            return vec![Out::Client(line)];
        }
        let Some(id) = head.id.map(|id| id.get().to_owned()) else {
            return vec![Out::Client(clean::answer(&head).unwrap_or(line))];
        };
        let page = head.result.and_then(|result| {
            self.lists
                .contains_key(&id)
                .then(|| serde_json::from_str::<Value>(result.get()).ok())?
        });
        if let Some(asked) = self.lists.remove(&id) {
            let line = clean::answer(&head).unwrap_or(line);
            return self.list(line, &asked, page.as_ref(), now);
        }
        let Some(call) = self.calls.remove(&id) else {
            // The answer to a call that was answered here, because it took too long, has nobody to go to.
            let late = self.late.iter().position(|known| *known == id);
            if let Some(at) = late {
                self.late.remove(at);
            }
            return if late.is_some() || id.starts_with("\"aon-proxy-") {
                Vec::new()
            } else {
                vec![Out::Client(clean::answer(&head).unwrap_or(line))]
            };
        };
        let amended = self.desk.amended(&call, &head);
        vec![Out::Client(amended.unwrap_or(line))]
    }

    /// Answers what took too long, and sends on what waited too long for the list of tools.
    pub(super) fn expired(&mut self, now: u64) -> Vec<Out> {
        let limit = self.timeout.saturating_mul(1000);
        let patience = match limit {
            0 => LIST_PATIENCE,
            limit => limit.min(LIST_PATIENCE),
        };
        let unlisted = self
            .asking
            .is_some_and(|(since, _)| now.saturating_sub(since) >= patience);
        let released = if unlisted {
            self.unlisted = true;
            self.lists
                .retain(|_, asked| matches!(asked, Asked::Client { .. }));
            self.release(now)
        } else {
            Vec::new()
        };
        if self.timeout == 0 {
            return released;
        }
        let late = |call: &Pending| now.saturating_sub(call.since) >= limit;
        let ids: Vec<String> = self
            .calls
            .iter()
            .filter(|(_, call)| late(call))
            .map(|(id, _)| id.clone())
            .collect();
        let calls: Vec<Pending> = ids.iter().filter_map(|id| self.calls.remove(id)).collect();
        let seconds = self.timeout;
        self.late.extend(ids);
        while self.late.len() > MOST_LATE {
            self.late.pop_front();
        }
        let late = calls
            .iter()
            .map(|call| Out::Client(self.desk.answer(call, judge::late(seconds))));
        released.into_iter().chain(late).collect()
    }

    /// The server went away: whoever waits is told.
    pub(super) fn gone(&mut self) -> Vec<Out> {
        let calls = std::mem::take(&mut self.calls);
        let waiting = std::mem::take(&mut self.waiting);
        let mut out: Vec<Out> = calls
            .values()
            .map(|call| Out::Client(self.desk.answer(call, judge::gone())))
            .collect();
        for line in waiting {
            let message = serde_json::from_slice::<Value>(&line).unwrap_or_default();
            let call = Pending::of(&message, 0);
            out.push(Out::Client(self.desk.answer(&call, judge::gone())));
        }
        out
    }

    /// Asks for the tools in our own name, with what the call says about its protocol.
    fn ask(&mut self, cursor: Option<&str>, meta: Option<&Value>) -> Out {
        self.own += 1;
        let id = format!("aon-proxy-{}", self.own);
        self.lists.insert(
            json!(id).to_string(),
            Asked::Own {
                first: cursor.is_none(),
            },
        );
        Out::Server(list_request(&id, cursor, meta))
    }

    /// A page of the list of tools.
    fn list(&mut self, line: Vec<u8>, asked: &Asked, page: Option<&Value>, now: u64) -> Vec<Out> {
        if let Some(page) = page {
            let (Asked::Client { first } | Asked::Own { first }) = asked;
            self.desk.listed(page, *first);
        }
        if matches!(asked, Asked::Client { .. }) {
            return vec![Out::Client(line)];
        }
        match page {
            Some(page) if next_cursor(page).is_some() && self.turns_page() => {
                let waiting = self
                    .waiting
                    .first()
                    .and_then(|line| serde_json::from_slice::<Value>(line).ok());
                let meta = waiting
                    .as_ref()
                    .and_then(|message| message.pointer("/params/_meta"));
                let cursor = next_cursor(page).map(str::to_owned);
                return vec![self.ask(cursor.as_deref(), meta)];
            }
            Some(page) if next_cursor(page).is_none() => {}
            Some(_) | None => self.unlisted = true,
        }
        self.release(now)
    }

    /// Whether another page may be asked for: some lists have no end.
    fn turns_page(&mut self) -> bool {
        self.asking.as_mut().is_some_and(|(_, pages)| {
            *pages += 1;
            *pages < MOST_PAGES
        })
    }

    /// The calls that waited for the list of tools.
    fn release(&mut self, now: u64) -> Vec<Out> {
        self.asking = None;
        let waiting = std::mem::take(&mut self.waiting);
        let calls = waiting.into_iter().map(|line| {
            let message = serde_json::from_slice::<Value>(&line).unwrap_or_default();
            self.call(line, &message, now)
        });
        calls.collect()
    }

    /// A call: on to the server, or refused by the schema of its tool.
    fn call(&mut self, line: Vec<u8>, message: &Value, now: u64) -> Out {
        let call = Pending::of(message, now);
        if let Some(answer) = self.desk.refusal(&call) {
            return Out::Client(answer);
        }
        self.calls.insert(call.id.to_string(), call);
        Out::Server(line)
    }
}

/// The request for a page of the list of tools, with what a call says about its protocol.
pub(super) fn list_request(id: &str, cursor: Option<&str>, meta: Option<&Value>) -> Vec<u8> {
    let mut params = json!({});
    if let Some(cursor) = cursor {
        params["cursor"] = json!(cursor);
    }
    if let Some(Value::Object(meta)) = meta {
        let kept = meta
            .iter()
            .filter(|(name, _)| name.starts_with("io.modelcontextprotocol/"));
        let kept: serde_json::Map<String, Value> = kept
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        if !kept.is_empty() {
            params["_meta"] = Value::Object(kept);
        }
    }
    let request = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": params});
    request.to_string().into_bytes()
}

#[cfg(test)]
mod tests;
