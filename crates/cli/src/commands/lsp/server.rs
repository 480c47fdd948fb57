//! What the server knows, and how it answers. It sends nothing itself: what is to be said waits in a list.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionParams, CodeActionProviderCapability,
    CodeActionResponse, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, HoverParams, HoverProviderCapability,
    PositionEncodingKind, PublishDiagnosticsParams, SaveOptions, ServerCapabilities,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, Uri,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::actions::{self, FIX_ALL, Target};
use super::check::{self, Checked, Item, Job};
use super::place;
use super::refusal::Refusal;
use super::settings::Options;
use super::wire::{self, Incoming};
use crate::args::Lsp;

/// Whether the session goes on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Next {
    Go,
    Stop,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Phase {
    Started,
    Serving,
    ShutDown,
}

/// An open document.
#[derive(Debug)]
struct Open {
    uri: Uri,
    version: i32,
    text: Arc<str>,
    /// Which state this is; it changes with the text and with whatever else a check depends on.
    generation: u64,
    /// When it is to be checked; none when that has begun.
    due: Option<Instant>,
    /// What the last check found.
    checked: Option<Checked>,
}

impl Open {
    fn is_current(&self) -> bool {
        self.checked
            .as_ref()
            .is_some_and(|checked| checked.generation == self.generation)
    }
}

/// The server.
#[derive(Debug)]
pub(super) struct Server {
    phase: Phase,
    options: Options,
    roots: Vec<PathBuf>,
    /// Whether the editor understands edits that name a version.
    versioned: bool,
    /// Whether the editor can be asked to watch files.
    watches: bool,
    documents: BTreeMap<String, Open>,
    /// The documents the editor shows findings of ours for.
    shown: BTreeSet<String>,
    generation: u64,
    jobs: Sender<Job>,
    outbox: Vec<Value>,
    told: BTreeSet<String>,
}

impl Server {
    pub(super) fn new(args: &Lsp, jobs: Sender<Job>) -> Self {
        Self {
            phase: Phase::Started,
            options: Options {
                pedantic: args.pedantic,
                preview: args.preview,
                strict: args.strict,
            },
            roots: Vec::new(),
            versioned: false,
            watches: false,
            documents: BTreeMap::new(),
            shown: BTreeSet::new(),
            generation: 0,
            jobs,
            outbox: Vec::new(),
            told: BTreeSet::new(),
        }
    }

    pub(super) fn was_shut_down(&self) -> bool {
        self.phase == Phase::ShutDown
    }

    /// What is to be sent.
    pub(super) fn drain(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.outbox)
    }

    /// How long until a document is to be checked.
    pub(super) fn until_due(&self) -> Option<Duration> {
        let first = self.documents.values().filter_map(|open| open.due).min()?;
        Some(first.saturating_duration_since(Instant::now()))
    }

    /// Hands the documents that were left alone long enough to the checker.
    pub(super) fn start_due(&mut self) {
        let now = Instant::now();
        let due: Vec<String> = self
            .documents
            .iter()
            .filter(|(_, open)| open.due.is_some_and(|due| due <= now))
            .map(|(key, _)| key.clone())
            .collect();
        let texts = self.texts();
        for key in due {
            let job = self.job(&key, &texts);
            if let Some(open) = self.documents.get_mut(&key) {
                open.due = None;
            }
            if let Some(job) = job
                && self.jobs.send(job).is_err()
            {
                self.log("documents are no longer checked; restart the server");
            }
        }
    }

    /// Takes what a check found, unless the document has changed since.
    pub(super) fn take(&mut self, mut checked: Checked) {
        let key = checked.uri.as_str().to_owned();
        let Some(open) = self.documents.get_mut(&key) else {
            return;
        };
        if open.generation != checked.generation || open.is_current() {
            return;
        }
        let notes = std::mem::take(&mut checked.notes);
        let mut targets = checked.targets();
        if checked.is_manifest || self.shown.contains(&key) {
            targets.push(checked.uri.clone());
        }
        let before = open.checked.replace(checked);
        targets.extend(before.iter().flat_map(Checked::targets));
        self.publish_all(targets);
        for note in notes {
            self.warn_once(&note);
        }
    }

    /// Answers a message.
    pub(super) fn hear(&mut self, message: Incoming) -> Next {
        match message {
            Incoming::Request { id, method, params } => {
                let answer = match self.answer(&method, params) {
                    Ok(result) => wire::response(&id, &result),
                    Err(refusal) => refusal.response(&id),
                };
                self.outbox.push(answer);
            }
            Incoming::Notification { method, .. } if method == "exit" => return Next::Stop,
            Incoming::Notification { method, params } => {
                if self.phase == Phase::Serving
                    && let Err(refusal) = self.note(&method, params)
                {
                    self.log(&refusal.to_string());
                }
            }
            Incoming::Answer => {}
            Incoming::Unreadable(reason) => {
                let refusal = Refusal::UnreadableMessage { reason };
                self.outbox.push(refusal.response(&Value::Null));
            }
            Incoming::Malformed { id, reason } => {
                let refusal = Refusal::MalformedMessage { reason };
                self.outbox.push(refusal.response(&id));
            }
        }
        Next::Go
    }

    fn answer(&mut self, method: &str, params: Value) -> Result<Value, Refusal> {
        let owned = || method.to_owned();
        match (self.phase, method) {
            (Phase::Started, "initialize") => Ok(self.initialize(&params)),
            (Phase::Started, _) => Err(Refusal::EarlyRequest { method: owned() }),
            (Phase::ShutDown, _) | (Phase::Serving, "initialize") => {
                Err(Refusal::LateRequest { method: owned() })
            }
            (Phase::Serving, "shutdown") => {
                self.phase = Phase::ShutDown;
                Ok(Value::Null)
            }
            (Phase::Serving, "textDocument/codeAction") => {
                let params: CodeActionParams = fitting(method, params)?;
                self.settle();
                Ok(json_of(&self.code_actions(&params)))
            }
            (Phase::Serving, "textDocument/hover") => {
                let params: HoverParams = fitting(method, params)?;
                self.settle();
                let at = params.text_document_position_params;
                let items = self.items(&at.text_document.uri);
                Ok(json_of(&actions::hover(&items, at.position)))
            }
            (Phase::Serving, _) => Err(Refusal::UnknownMethod {
                method: owned(),
                suggestion: aon::suggest::nearest(method, METHODS.iter().copied()),
            }),
        }
    }

    fn note(&mut self, method: &str, params: Value) -> Result<(), Refusal> {
        match method {
            "initialized" => self.ask_to_watch(),
            "textDocument/didOpen" => {
                let document = fitting::<DidOpenTextDocumentParams>(method, params)?.text_document;
                self.set_text(
                    document.uri,
                    document.version,
                    document.text,
                    Duration::ZERO,
                );
            }
            "textDocument/didChange" => {
                let params: DidChangeTextDocumentParams = fitting(method, params)?;
                let document = params.text_document;
                match params.content_changes.into_iter().last() {
                    Some(change) if change.range.is_none() => {
                        self.set_text(document.uri, document.version, change.text, PAUSE);
                    }
                    Some(_) => {
                        return Err(Refusal::UnfitParameters {
                            method: method.to_owned(),
                            reason: "documents are sent whole".to_owned(),
                        });
                    }
                    None => {}
                }
            }
            "textDocument/didSave" => {
                let params: DidSaveTextDocumentParams = fitting(method, params)?;
                let uri = params.text_document.uri;
                if let Some(open) = self.documents.get(uri.as_str()) {
                    let (version, text) = (open.version, Arc::clone(&open.text));
                    let text = params.text.map_or(text, Arc::from);
                    self.set_text(uri, version, text, Duration::ZERO);
                }
            }
            "textDocument/didClose" => {
                let params: DidCloseTextDocumentParams = fitting(method, params)?;
                self.close(&params.text_document.uri);
            }
            "workspace/didChangeConfiguration" => {
                self.options
                    .update(params.get("settings").unwrap_or(&Value::Null));
                self.check_again(|_| true, Duration::ZERO);
            }
            "workspace/didChangeWatchedFiles" => {
                self.told.clear();
                self.check_again(|_| true, PAUSE);
            }
            // The protocol lets a server leave out what it does not know.
            _ => {}
        }
        Ok(())
    }

    fn initialize(&mut self, params: &Value) -> Value {
        self.phase = Phase::Serving;
        self.options
            .update(params.get("initializationOptions").unwrap_or(&Value::Null));
        let uris = params
            .get("workspaceFolders")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|folder| folder.get("uri"))
            .chain(params.get("rootUri"));
        self.roots = uris
            .filter_map(|uri| uri.as_str()?.parse::<Uri>().ok())
            .filter_map(|uri| place::path(&uri))
            .collect();
        let can = |pointer: &str| params.pointer(pointer).and_then(Value::as_bool) == Some(true);
        self.versioned = can("/capabilities/workspace/workspaceEdit/documentChanges");
        self.watches = can("/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration");
        json!({
            "capabilities": capabilities(),
            "serverInfo": { "name": "aon", "version": env!("CARGO_PKG_VERSION") },
        })
    }

    /// Asks the editor to tell when a configuration or a referenced file changes on disk.
    fn ask_to_watch(&mut self) {
        if !self.watches {
            return;
        }
        let params = json!({ "registrations": [{
            "id": "aon-files",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": { "watchers": [
                { "globPattern": "**/aon.toml" },
                { "globPattern": "**/*.{yaml,yml,json,kno}" },
            ] },
        }] });
        self.outbox
            .push(wire::request("aon-1", "client/registerCapability", &params));
    }

    fn set_text(&mut self, uri: Uri, version: i32, text: impl Into<Arc<str>>, wait: Duration) {
        self.generation += 1;
        let key = uri.as_str().to_owned();
        let checked = self
            .documents
            .remove(&key)
            .and_then(|earlier| earlier.checked);
        let name = place::name(&uri);
        self.documents.insert(
            key,
            Open {
                uri,
                version,
                text: text.into(),
                generation: self.generation,
                due: Some(Instant::now() + wait),
                checked,
            },
        );
        self.check_again(|checked| checked.files.contains(&name), wait);
    }

    fn close(&mut self, uri: &Uri) {
        let Some(open) = self.documents.remove(uri.as_str()) else {
            return;
        };
        let mut targets: Vec<Uri> = open.checked.iter().flat_map(Checked::targets).collect();
        if self.shown.contains(uri.as_str()) {
            targets.push(uri.clone());
        }
        self.publish_all(targets);
        let name = place::name(uri);
        self.check_again(|checked| checked.files.contains(&name), Duration::ZERO);
    }

    /// Plans a new check of the documents that are `concerned` by a change.
    fn check_again(&mut self, concerned: impl Fn(&Checked) -> bool, wait: Duration) {
        for open in self.documents.values_mut() {
            if open.checked.as_ref().is_some_and(&concerned) {
                self.generation += 1;
                open.generation = self.generation;
                open.due = Some(Instant::now() + wait);
            }
        }
    }

    /// Checks what is not checked yet, so that an answer is about the text the editor has.
    fn settle(&mut self) {
        let stale: Vec<String> = self
            .documents
            .iter()
            .filter(|(_, open)| !open.is_current())
            .map(|(key, _)| key.clone())
            .collect();
        let texts = self.texts();
        for key in stale {
            if let Some(job) = self.job(&key, &texts) {
                if let Some(open) = self.documents.get_mut(&key) {
                    open.due = None;
                }
                self.take(check::check(&job));
            }
        }
    }

    fn texts(&self) -> Arc<BTreeMap<String, Arc<str>>> {
        let texts = self.documents.values();
        Arc::new(
            texts
                .map(|open| (place::name(&open.uri), Arc::clone(&open.text)))
                .collect(),
        )
    }

    fn job(&self, key: &str, texts: &Arc<BTreeMap<String, Arc<str>>>) -> Option<Job> {
        let open = self.documents.get(key)?;
        let root = place::path(&open.uri).and_then(|path| {
            let around = self.roots.iter().filter(|root| path.starts_with(root));
            around.max_by_key(|root| root.components().count()).cloned()
        });
        Some(Job {
            uri: open.uri.clone(),
            generation: open.generation,
            text: Arc::clone(&open.text),
            known: open.checked.as_ref().is_some_and(|last| last.is_manifest),
            open: Arc::clone(texts),
            root,
            options: self.options,
        })
    }

    /// The findings in a document, whichever check found them: in order, each once.
    fn items(&self, uri: &Uri) -> Vec<&Item> {
        let checks = self
            .documents
            .values()
            .filter_map(|open| open.checked.as_ref());
        let mut items: Vec<&Item> = checks
            .flat_map(|checked| &checked.items)
            .filter(|item| item.uri == *uri)
            .collect();
        items.sort_by_key(|item| (item.diagnostic.range.start, item.diagnostic.range.end));
        items.dedup_by(|a, b| a.diagnostic == b.diagnostic);
        items
    }

    fn publish_all(&mut self, mut targets: Vec<Uri>) {
        targets.sort();
        targets.dedup();
        for target in targets {
            self.publish(&target);
        }
    }

    fn publish(&mut self, uri: &Uri) {
        let diagnostics: Vec<_> = self
            .items(uri)
            .into_iter()
            .map(|item| item.diagnostic.clone())
            .collect();
        if diagnostics.is_empty() && !self.documents.contains_key(uri.as_str()) {
            self.shown.remove(uri.as_str());
        } else {
            self.shown.insert(uri.as_str().to_owned());
        }
        let version = self.documents.get(uri.as_str()).map(|open| open.version);
        let params = PublishDiagnosticsParams::new(uri.clone(), diagnostics, version);
        self.say("textDocument/publishDiagnostics", &json_of(&params));
    }

    fn code_actions(&self, params: &CodeActionParams) -> CodeActionResponse {
        let uri = &params.text_document.uri;
        let target = Target {
            uri,
            version: self.documents.get(uri.as_str()).map(|open| open.version),
            versioned: self.versioned,
        };
        let only = params.context.only.as_deref();
        let found = actions::actions(&self.items(uri), params.range, only, &target);
        found.into_iter().map(Into::into).collect()
    }

    fn say(&mut self, method: &str, params: &Value) {
        self.outbox.push(wire::notification(method, params));
    }

    fn log(&mut self, message: &str) {
        self.say(
            "window/logMessage",
            &json!({ "type": 2, "message": message }),
        );
    }

    /// Shows a person what is wrong, once.
    fn warn_once(&mut self, message: &str) {
        if self.told.insert(message.to_owned()) {
            self.say(
                "window/showMessage",
                &json!({ "type": 2, "message": message }),
            );
        }
    }
}

fn fitting<T: DeserializeOwned>(method: &str, params: Value) -> Result<T, Refusal> {
    serde_json::from_value(params).map_err(|error| Refusal::UnfitParameters {
        method: method.to_owned(),
        reason: error.to_string(),
    })
}

/// A value of the protocol as JSON; its types always have one.
fn json_of(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

fn capabilities() -> Value {
    json_of(&ServerCapabilities {
        position_encoding: Some(PositionEncodingKind::UTF16),
        text_document_sync: Some(TextDocumentSyncCapability::Options(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::FULL),
                save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
                    include_text: Some(false),
                })),
                ..TextDocumentSyncOptions::default()
            },
        )),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, FIX_ALL]),
            ..CodeActionOptions::default()
        })),
        ..ServerCapabilities::default()
    })
}

/// How long a document is left alone before it is checked.
const PAUSE: Duration = Duration::from_millis(150);

/// The requests that are answered.
const METHODS: &[&str] = &[
    "initialize",
    "shutdown",
    "textDocument/codeAction",
    "textDocument/hover",
];
