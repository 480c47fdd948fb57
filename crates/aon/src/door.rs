//! The one way out: from a failure inside to what its caller sees.
//!
//! A failure stays a value until it leaves. Every adapter does the same four things with it, and so does one you write:
//!
//! 1. It opens a [`Scope`] for each request or message, from plain facts, before anybody serves it.
//! 2. It serves the request inside it ([`Scope::enter`]).
//! 3. What fails inside becomes an [`Occurrence`] and is [handed over](hand_over): the scope keeps the value, and the framework
//!    carries an empty placeholder with a [`Ticket`]. Where no scope is around, the conversion is the edge itself.
//! 4. At the edge it [redeems](Scope::redeem) the ticket and lets the value [pass](Scope::pass): the door redacts it,
//!    gives it ids and namespace, writes one event to the log (target `aon::problem`), calls the hook, and what comes
//!    out is projected once.
//!
//! What a caller must not see (causes, private fields) is only in the log, and secrets are in neither.
//!
//! # Examples
//!
//! An adapter for messages that are lines, in full:
//!
//! ```
//! use aon::door::{self, Door, Facts, Occurrence, Scope, Ticket};
//! use aon::surface::rest::Rest;
//!
//! #[derive(Debug, thiserror::Error, aon::Problem)]
//! #[error("the order is still being set up")]
//! #[problem(status = 409, code = "still_provisioning")]
//! struct StillProvisioning;
//!
//! // What a handler's error becomes, wherever it is converted.
//! fn convert(error: &StillProvisioning) -> Result<Ticket, Vec<u8>> {
//!     door::hand_over("line", Occurrence::of(error)).map_err(|(scope, failure)| scope.answer(failure, &Rest::default(), None))
//! }
//!
//! let scope = Scope::open(&Door::new(), Facts::new("line").with_request_id("42"));
//! let placeholder = scope.run(|| convert(&StillProvisioning)).expect("a scope was around");
//! let failure = scope.redeem(placeholder).expect("it was handed over here");
//! let line = scope.answer(failure, &Rest::default(), None);
//! assert!(String::from_utf8_lossy(&line).contains(r#""request_id":"42""#));
//!
//! assert!(convert(&StillProvisioning).is_err_and(|line| line.starts_with(br#"{"type":"pspace://problem/still"#)));
//! ```

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use aon_core::redact::{self, Policy};
use aon_core::{Code, Json, Namespace, Problem, ProblemDetails, Status, UriRef};

use crate::surface::{Call, Surface};

pub(crate) mod current;
mod facts;
mod hooks;
mod log;
mod occurrence;
mod scope;

pub use facts::Facts;
pub use hooks::{AtEnd, CallEnd, Calling, Emitted, OpenCall};
pub use occurrence::{Failure, Occurrence};
pub use scope::{Scope, Ticket, hand_over};

#[cfg(feature = "axum")]
pub(crate) use facts::Kept;
#[cfg(any(feature = "axum", feature = "rmcp"))]
pub(crate) use log::replaced;
#[cfg(feature = "axum")]
pub(crate) use scope::edge_around;

use hooks::{CallHook, Hook, guarded};
use occurrence::{Made, Private};

/// How many bytes of a request are read, on every surface, unless it is set.
pub const BODY_LIMIT: usize = 2 << 20;

/// Arguments longer than this are not sent back as a correction.
const MOST_ARGUMENTS: usize = 8 << 10;

/// What is said once for all surfaces of a program: give a clone to each adapter.
///
/// # Examples
///
/// ```
/// use aon::door::Door;
///
/// let door = Door::new()
///     .with_namespace("https://parcel.example/problems/")?
///     .on_problem(|problem| println!("{} {}", problem.code, problem.surface));
/// # let _ = door;
/// # Ok::<(), aon::InvalidNamespace>(())
/// ```
#[derive(Clone, Default)]
pub struct Door {
    // Most programs set nothing, and then a request pays nothing for it.
    settings: Option<Arc<Settings>>,
}

#[derive(Clone)]
struct Settings {
    /// That of the program, unless it is set.
    namespace: Option<Namespace>,
    docs: Option<String>,
    keeps_detail: bool,
    body_limit: usize,
    hook: Option<Arc<Hook>>,
    calls: Option<Arc<CallHook>>,
}

static DEFAULTS: Settings = Settings {
    namespace: None,
    docs: None,
    keeps_detail: false,
    body_limit: BODY_LIMIT,
    hook: None,
    calls: None,
};

impl Settings {
    fn policy(&self) -> Policy {
        if self.keeps_detail {
            Policy::default().keep_detail()
        } else {
            Policy::default()
        }
    }
}

impl Door {
    /// A door with the defaults: the namespace of the program (see [`namespace!`](crate::namespace!)), everything redacted, 2 MiB, no hook.
    pub const fn new() -> Self {
        Self { settings: None }
    }

    /// Mints the types of problems that a framework or an adapter makes in a namespace of yours: a short name, or a URI
    /// prefix ([P3]). Types that derive `Problem` keep the one that their crate or their attributes say; those that have none get this.
    ///
    /// # Errors
    ///
    /// When the text is not a namespace.
    ///
    /// [P3]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p3
    pub fn with_namespace(self, namespace: &str) -> Result<Self, aon_core::InvalidNamespace> {
        let namespace = Namespace::parse(namespace)?;
        Ok(self.with(|settings| settings.namespace = Some(namespace)))
    }

    /// Gives problems that a framework or an adapter makes a `docs_url`: `base` followed by the code.
    #[must_use]
    pub fn with_docs(self, base: impl Into<String>) -> Self {
        self.with(|settings| settings.docs = Some(base.into()))
    }

    /// Whether secrets are looked for in `detail`. On unless it is turned off, by somebody who knows that none can be in
    /// there. Everything else is redacted in any case.
    #[must_use]
    pub fn with_detail_redaction(self, on: bool) -> Self {
        self.with(|settings| settings.keeps_detail = !on)
    }

    /// How many bytes of a request are read; told in the error when there are more.
    #[must_use]
    pub fn with_body_limit(self, bytes: usize) -> Self {
        self.with(|settings| settings.body_limit = bytes)
    }

    /// Calls `hook` for every problem that leaves, on whatever surface: for metrics. A hook that panics is ignored.
    #[must_use]
    pub fn on_problem(self, hook: impl Fn(&Emitted<'_>) + Send + Sync + 'static) -> Self {
        self.with(|settings| settings.hook = Some(Arc::new(hook)))
    }

    /// Calls `hook` when a tool or method begins, and what it returns when that ends: for spans and durations. HTTP requests have
    /// layers for this; a message inside one, or on standard input, has not. A hook that panics is ignored.
    ///
    /// ```
    /// use aon::door::{CallEnd, Door};
    ///
    /// let door = Door::new().around_calls(|calling| {
    ///     let name = format!("{} {}", calling.method, calling.target);
    ///     Box::new(move |end| if let CallEnd::Failed(code) = end { println!("{name}: {code}") })
    /// });
    /// # let _ = door;
    /// ```
    #[must_use]
    pub fn around_calls(
        self,
        hook: impl Fn(&Calling<'_>) -> AtEnd + Send + Sync + 'static,
    ) -> Self {
        self.with(|settings| settings.calls = Some(Arc::new(hook)))
    }

    /// Whether the type of an entry is the one that leaves: its crate said a namespace, or the program has none either.
    #[cfg(feature = "axum")]
    pub(crate) fn keeps_type(&self, entry: &aon_core::Entry) -> bool {
        !is_nobodys(entry.urn) || *self.namespace() == Namespace::DEFAULT
    }

    /// The namespace of problems that a framework or an adapter makes, and of types whose crate says none.
    pub fn namespace(&self) -> &Namespace {
        let own = self.settings().namespace.as_ref();
        own.unwrap_or_else(|| crate::program_namespace())
    }

    /// How many bytes of a request are read.
    pub fn body_limit(&self) -> usize {
        self.settings().body_limit
    }

    fn settings(&self) -> &Settings {
        self.settings.as_deref().unwrap_or(&DEFAULTS)
    }

    fn with(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        let settings = self
            .settings
            .get_or_insert_with(|| Arc::new(DEFAULTS.clone()));
        change(Arc::make_mut(settings));
        self
    }
}

impl fmt::Debug for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut door = f.debug_struct("Door");
        door.field("namespace", self.namespace())
            .finish_non_exhaustive()
    }
}

/// A failure that passed the door: redacted, complete, logged, and ready to be projected.
#[derive(Debug)]
pub struct Passed {
    problem: ProblemDetails,
    arguments: Option<Json>,
}

impl Passed {
    /// The problem.
    pub fn problem(&self) -> &ProblemDetails {
        &self.problem
    }

    /// The failed call as a projection may use it, with the JSON-RPC id where the wire has one.
    pub fn call<'a>(&'a self, id: Option<&'a Json>) -> Call<'a> {
        Call {
            arguments: self.arguments.as_ref(),
            id,
        }
    }

    /// The problem alone.
    pub fn into_problem(self) -> ProblemDetails {
        self.problem
    }
}

impl Scope {
    /// Lets a failure out: redacts it, gives it ids and namespace, logs it once and calls the hook. `surface` is what it is
    /// about to be projected to.
    pub fn pass(&self, failure: Occurrence, surface: &'static str) -> Passed {
        let (failure, private, arguments) = failure.into_parts();
        let problem = self.shown(failure);
        let id = problem.request_id().unwrap_or_default();
        let (status, code) = (status_of(&problem), code_of(&problem));
        self.tell(private.as_ref(), &problem, (status, code, id), surface);
        Passed {
            arguments: arguments.and_then(harmless),
            problem,
        }
    }

    /// The problem as it would leave: complete and redacted, but neither logged nor counted. For whoever tells the same
    /// failure a second time.
    pub fn preview(&self, failure: &Occurrence) -> ProblemDetails {
        self.shown(failure.clone().into_parts().0)
    }

    /// Complete and redacted.
    fn shown(&self, failure: Made) -> ProblemDetails {
        redact::problem(complete(failure, self), self.door().settings().policy())
    }

    /// Lets a failure out as the bytes of a surface; `id` is the JSON-RPC id where the wire has one.
    pub fn answer(&self, failure: Occurrence, surface: &dyn Surface, id: Option<&Json>) -> Vec<u8> {
        let passed = self.pass(failure, surface.name());
        let mut out = Vec::with_capacity(1024);
        surface.project(&passed.problem, &passed.call(id), &mut out);
        out
    }

    /// Lets a failure out as canonical JSON, without a value in between where its constant members were written while
    /// compiling.
    #[cfg(feature = "axum")]
    pub(crate) fn quick_json(
        &self,
        problem: &dyn Problem,
        entry: &'static aon_core::Entry,
    ) -> Vec<u8> {
        let mut out = Vec::new();
        let policy = self.door().settings().policy();
        redact::write(problem, policy, Some(self.request_id()), &mut out);
        let said = (entry.status, entry.code, self.request_id());
        self.tell(None, problem, said, "rest");
        out
    }

    /// Says that a call of a tool or method begins in this scope; for adapters. Costs nothing where no hook is set.
    pub fn begin_call(&self, method: &str, target: &str) -> OpenCall {
        let Some(hook) = &self.door().settings().calls else {
            return OpenCall::unwatched();
        };
        self.mark_call();
        let calling = Calling {
            surface: self.surface(),
            method: &redact::echo(method),
            target: &redact::echo(target),
            trace_parent: self.trace_parent(),
        };
        OpenCall::begin(&**hook, &calling)
    }

    /// Tells the log and the hook of a foreign problem that leaves as it is ([S3]).
    ///
    /// [S3]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s3
    pub fn witness(&self, problem: &ProblemDetails, surface: &'static str) {
        let id = problem.request_id().unwrap_or(self.request_id());
        let said = (status_of(problem), code_of(problem), id);
        self.tell(None, problem, said, surface);
    }

    /// One event in the log and one call of the hook.
    fn tell(
        &self,
        private: Option<&Private>,
        problem: &dyn Problem,
        (status, code, request_id): (u16, &str, &str),
        surface: &'static str,
    ) {
        let emitted = Emitted {
            code,
            status,
            surface,
            request_id,
            trace_id: self.trace_id(),
            in_call: self.in_call(),
        };
        log::problem(&emitted, private, problem, self, "");
        if let Some(hook) = &self.door().settings().hook {
            guarded(|| hook(&emitted));
        }
    }
}

/// The problem with its ids, and in the namespace of the program where a framework made it.
fn complete(failure: Made, scope: &Scope) -> ProblemDetails {
    let Made {
        mut problem,
        urn,
        built_in,
    } = failure;
    let program = scope.door().namespace();
    // Nor has a type a place of its own whose crate names none.
    let moves = built_in
        || urn.is_some_and(is_nobodys)
            && namespace_of(&problem).is_some_and(|own| own == Namespace::DEFAULT);
    if moves && let Some(code) = problem.code().cloned() {
        if *program != Namespace::DEFAULT
            && let Ok(uri) = UriRef::parse(program.type_of(code.as_str()))
        {
            problem = problem.with_type(uri);
        }
        if built_in
            && let Some(base) = &scope.door().settings().docs
            && problem.docs_url().is_none()
            && let Ok(url) = UriRef::parse(format!("{base}{code}"))
        {
            problem = problem.with_docs_url(url);
        }
    }
    let id = problem
        .request_id()
        .unwrap_or(scope.request_id())
        .to_owned();
    let minted = match urn {
        _ if moves => None,
        // A type of its own whose crate says no namespace.
        Some(urn) if is_nobodys(urn) => None,
        Some(urn) => Some(Namespace::with_urn(urn)),
        None => namespace_of(&problem),
    };
    problem.with_request_id(minted.as_ref().unwrap_or(program), id)
}

/// Whether the name in URNs is that of a crate that says no namespace.
fn is_nobodys(urn: &str) -> bool {
    urn == Namespace::DEFAULT.urn_name()
}

/// The namespace a problem's type was minted in, as far as its type tells.
fn namespace_of(problem: &ProblemDetails) -> Option<Namespace> {
    let prefix = problem
        .type_uri()?
        .as_str()
        .strip_suffix(problem.code()?.as_str())?;
    let name = prefix.strip_suffix("://problem/").unwrap_or(prefix);
    Namespace::parse(name)
        .or_else(|_no_name| Namespace::parse(prefix))
        .ok()
}

/// Arguments as they may be sent back: without secrets, and not too many.
fn harmless(arguments: Json) -> Option<Json> {
    if arguments.as_str().len() > MOST_ARGUMENTS {
        return None;
    }
    if let Cow::Owned(hidden) = redact::json_text(arguments.as_str()) {
        return Json::parse(&hidden).ok();
    }
    Some(arguments)
}

fn status_of(problem: &ProblemDetails) -> u16 {
    problem.status().map_or(500, Status::as_u16)
}

fn code_of(problem: &ProblemDetails) -> &str {
    problem.code().map_or("", Code::as_str)
}

#[cfg(test)]
mod tests;
