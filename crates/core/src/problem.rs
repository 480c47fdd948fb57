//! The trait every error of a program implements, mostly by deriving it ([D1]).
//!
//! [D1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#d1

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::details::{ERRORS, Inner, MadeOf, retry_seconds};
use crate::json::{Escaping, ObjectWriter, write_display};
use crate::redact::{self, Policy};
use crate::uri::{instance_of, is_plain_id};
use crate::{Choice, Entry, ExtensionName, Json, Namespace, ProblemDetails};

/// An error that reaches every surface as the same problem.
///
/// Derive it beside `thiserror::Error`, or write it by hand: an [`Entry`] for what is constant, and
/// [`Problem::members`] for what an occurrence adds.
///
/// # Examples
///
/// ```
/// use std::fmt;
/// use aon_core::{Entry, Members, Problem};
///
/// #[derive(Debug)]
/// struct OutOfCredit { balance: u32 }
///
/// impl fmt::Display for OutOfCredit {
///     fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
///         f.write_str("your balance does not cover this")
///     }
/// }
///
/// impl std::error::Error for OutOfCredit {}
///
/// impl Problem for OutOfCredit {
///     fn entry(&self) -> Option<&'static Entry> {
///         static ENTRY: Entry = Entry::new("out_of_credit", 402, "acme://problem/out_of_credit", "Out of credit");
///         Some(&ENTRY)
///     }
///
///     fn members(&self, members: &mut Members<'_>) {
///         members.extension("balance", &self.balance);
///     }
/// }
///
/// assert_eq!(
///     OutOfCredit { balance: 30 }.to_problem().to_string(),
///     r#"{"type":"acme://problem/out_of_credit","title":"Out of credit","status":402,"detail":"your balance does not cover this","code":"out_of_credit","balance":30}"#
/// );
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a problem",
    label = "`aon::Problem` is not implemented",
    note = "add `#[derive(aon::Problem)]` beside the error derive, or wrap the value in a variant of a type that has it"
)]
pub trait Problem: Error {
    /// The catalog entry of this value; `None` for a problem that was received, not declared.
    fn entry(&self) -> Option<&'static Entry>;

    /// Writes the public detail. By default the `Display` text.
    ///
    /// # Errors
    ///
    /// When `out` fails.
    fn detail(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{self}")
    }

    /// Adds what this occurrence knows: values, delays, pointers, extension members.
    fn members(&self, members: &mut Members<'_>) {
        let _ = members;
    }

    /// The canonical value, without ids.
    fn to_problem(&self) -> ProblemDetails {
        assemble(self)
    }

    /// Appends the canonical JSON, with ids where `request_id` is given ([P3]).
    ///
    /// The same bytes as [`ProblemDetails::write`] of [`Problem::to_problem`], but what is constant was
    /// escaped while compiling and is only copied.
    ///
    /// [P3]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p3
    fn write_json(&self, request_id: Option<&str>, out: &mut Vec<u8>) {
        if let Some((entry, json)) = self.entry().and_then(|entry| Some((entry, entry.json?))) {
            let _unasked: bool = write_fast(&Erased(self), entry, json, request_id, None, out);
        } else {
            identified(self, self.to_problem(), request_id).write(out);
        }
    }

    /// Visits the catalog entries of this type, and of the types it forwards to.
    fn entries(visit: &mut dyn FnMut(&'static Entry))
    where
        Self: Sized,
    {
        let _ = visit;
    }
}

/// Appends the canonical JSON as it may leave the program: [`Problem::write_json`] of what [`redact::problem`] leaves.
///
/// A problem that holds no secret, as most do, is written as quickly as without the look.
///
/// ```
/// use aon_core::{Code, ProblemDetails, Status, redact};
///
/// let problem = ProblemDetails::new(Status::from_static(502), Code::from_static("no_database"))
///     .with_detail("postgres://app:hunter2@db refused");
/// let mut out = Vec::new();
/// redact::write(&problem, redact::Policy::default(), Some("req-1"), &mut out);
/// assert!(!String::from_utf8_lossy(&out).contains("hunter2"));
/// ```
pub fn write_redacted<P: Problem + ?Sized>(
    problem: &P,
    policy: Policy,
    request_id: Option<&str>,
    out: &mut Vec<u8>,
) {
    let start = out.len();
    let quick = problem
        .entry()
        .and_then(|entry| Some((entry, entry.json?)))
        .is_some_and(|(entry, json)| {
            write_fast(&Erased(problem), entry, json, request_id, Some(policy), out)
        });
    if !quick {
        out.truncate(start);
        let whole = identified(problem, problem.to_problem(), request_id);
        redact::problem(whole, policy).write(out);
    }
}

/// The problem with the ids of its request, in the namespace of its entry.
fn identified<P: Problem + ?Sized>(
    source: &P,
    problem: ProblemDetails,
    request_id: Option<&str>,
) -> ProblemDetails {
    match request_id {
        Some(id) => {
            let urn = source.entry().map_or("pspace", |entry| entry.urn);
            problem.with_request_id(&Namespace::with_urn(urn), id.to_owned())
        }
        None => problem,
    }
}

/// The canonical value from entry, detail and members: what [`Problem::to_problem`] does by default.
#[doc(hidden)]
pub fn assemble<P: Problem + ?Sized>(source: &P) -> ProblemDetails {
    let entry = source.entry();
    let mut problem = match entry {
        Some(entry) => entry.to_problem(),
        None => ProblemDetails::from_inner(Inner::default()),
    };
    problem.inner.made_of = MadeOf(entry);
    let mut detail = String::with_capacity(entry.map_or(0, |entry| entry.detail.len() + 32));
    // Formatting into a String fails only when a Display says so; what it wrote is kept.
    let _: fmt::Result = source.detail(&mut detail);
    for pointer in entry.map_or(&[][..], |entry| entry.pointers) {
        problem = problem.with_pointer(pointer, Some(&detail));
    }
    problem = problem.with_detail(detail);
    source.members(&mut Members(Sink::Collect(&mut problem)));
    problem
}

macro_rules! problem_behind_a_pointer {
    ($($pointer:ty),*) => {$(
        impl<P: Problem> Problem for $pointer {
            fn entry(&self) -> Option<&'static Entry> {
                (**self).entry()
            }

            fn detail(&self, out: &mut dyn fmt::Write) -> fmt::Result {
                (**self).detail(out)
            }

            fn members(&self, members: &mut Members<'_>) {
                (**self).members(members);
            }

            fn to_problem(&self) -> ProblemDetails {
                (**self).to_problem()
            }

            fn write_json(&self, request_id: Option<&str>, out: &mut Vec<u8>) {
                (**self).write_json(request_id, out);
            }

            fn entries(visit: &mut dyn FnMut(&'static Entry)) {
                P::entries(visit);
            }
        }
    )*};
}

problem_behind_a_pointer!(Box<P>, Arc<P>, &P);

/// A received problem is passed on as it is.
impl Problem for ProblemDetails {
    fn entry(&self) -> Option<&'static Entry> {
        None
    }

    fn detail(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        out.write_str(self.inner.detail.as_deref().unwrap_or_default())
    }

    fn to_problem(&self) -> ProblemDetails {
        self.clone()
    }
}

/// Where [`Problem::members`] puts what an occurrence adds.
#[derive(Debug)]
pub struct Members<'a>(Sink<'a>);

#[derive(Debug)]
enum Sink<'a> {
    Collect(&'a mut ProblemDetails),
    Values(&'a mut Vec<u8>, Written),
    Extensions(&'a mut Vec<u8>, Written),
}

/// What the quick path knows of the members it wrote.
#[derive(Clone, Copy, Debug)]
struct Written {
    /// None so far.
    empty: bool,
    /// Whether secrets are looked for.
    looking: bool,
    /// Whether a secret was seen.
    secret: bool,
}

impl Written {
    /// Writes a member with `value`, and looks at what was written.
    fn member(&mut self, out: &mut Vec<u8>, name: &str, value: impl FnOnce(&mut ObjectWriter<'_>)) {
        let start = out.len();
        let mut object = if std::mem::replace(&mut self.empty, false) {
            ObjectWriter::opened(out)
        } else {
            ObjectWriter::resume(out)
        };
        value(&mut object);
        if self.looking && !self.secret && out.len() > start {
            // Behind the comma, the quotes and the colon of the name; an odd name is left to the thorough look.
            let odd = name.contains([':', '"', '\\']);
            let value = out.get(start..).filter(|_| !odd).and_then(|member| {
                let after = member.iter().position(|&byte| byte == b':')? + 1;
                std::str::from_utf8(member.get(after..)?).ok()
            });
            let long = out.len() - start > redact::MAX_SENTENCE;
            self.secret = long || value.is_none_or(|value| redact::is_secret_member(name, value));
        }
    }
}

impl Members<'_> {
    /// The allowed values of a field, known only now.
    pub fn valid_values<T: Into<Choice>>(
        &mut self,
        field: &'static str,
        values: impl IntoIterator<Item = T>,
    ) {
        match &mut self.0 {
            Sink::Collect(problem) => {
                let choices: Vec<Choice> = values.into_iter().map(Into::into).collect();
                problem.inner.valid_values.set(field, choices);
            }
            Sink::Values(out, written) => {
                let choices: Vec<Choice> = values.into_iter().map(Into::into).collect();
                written.member(out, field, |object| object.value(field, &choices));
            }
            Sink::Extensions(..) => {}
        }
    }

    /// When to try again.
    pub fn retry_after(&mut self, delay: Duration) {
        self.extension("retry_after", &retry_seconds(delay));
    }

    /// The challenge of a 401.
    pub fn challenge(&mut self, challenge: &str) {
        self.extension("challenge", challenge);
    }

    /// An extension member. A name RFC 9457 does not allow, or a standard one, is not written; nor is `null`,
    /// since absent means omitted ([P1]).
    ///
    /// [P1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p1
    pub fn extension<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) {
        match &mut self.0 {
            Sink::Collect(problem) => {
                let Ok(name) = ExtensionName::parse(name) else {
                    return;
                };
                let value = Json::of(value).unwrap_or_else(|error| no_json_form(&error));
                if value.as_str() != "null" {
                    problem.inner.extensions.set(&name, value);
                }
            }
            Sink::Values(..) => {}
            Sink::Extensions(out, written) => {
                written.member(out, name, |object| object.value_unless_null(name, value));
            }
        }
    }
}

/// The same sentence the writer puts in place of what has no JSON form.
fn no_json_form(error: &crate::InvalidJson) -> Json {
    let told = error
        .source()
        .map_or(error.to_string(), ToString::to_string);
    Json::from(format!("[no JSON form: {told}]").as_str())
}

/// A problem behind a reference, whatever its type, for the code below to be compiled once.
struct Erased<'a, P: Problem + ?Sized>(&'a P);

trait Dynamic {
    fn detail(&self, out: &mut dyn fmt::Write) -> fmt::Result;
    fn members(&self, members: &mut Members<'_>);
}

impl<P: Problem + ?Sized> Dynamic for Erased<'_, P> {
    fn detail(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        self.0.detail(out)
    }

    fn members(&self, members: &mut Members<'_>) {
        self.0.members(members);
    }
}

/// Writes what is constant as it was escaped while compiling, and the rest around it. With a policy it looks for secrets in the
/// rest, and says whether there were none; what is constant was looked at while compiling.
fn write_fast(
    problem: &dyn Dynamic,
    entry: &Entry,
    json: crate::entry::EntryJson,
    request_id: Option<&str>,
    policy: Option<Policy>,
    out: &mut Vec<u8>,
) -> bool {
    let request_id = request_id.filter(|id| crate::ids::is_request_id(id));
    out.reserve(json.head.len() + json.remediation.len() + json.tail.len() + 384);
    out.push(b'{');
    out.extend_from_slice(json.head.as_bytes());
    out.extend_from_slice(b",\"detail\":\"");
    let start = out.len();
    // Writing into memory cannot fail; a Display that reports failure leaves what it wrote.
    let _: fmt::Result = problem.detail(&mut Escaping(out));
    let detail = start..out.len();
    out.push(b'"');
    let seen = policy.is_some_and(|policy| {
        let shown = out.get(detail.clone()).unwrap_or_default();
        !policy.keeps_detail()
            && !is_constant(entry.detail, shown)
            && (shown.len() > redact::MAX_SENTENCE || redact::is_secret_escaped(shown))
            || request_id.is_some_and(redact::is_secret_id)
    });
    if seen {
        return false;
    }
    if let Some(id) = request_id {
        out.extend_from_slice(b",\"instance\":");
        if is_plain_id(id) {
            out.extend_from_slice(b"\"urn:");
            out.extend_from_slice(entry.urn.as_bytes());
            out.extend_from_slice(b":request:");
            out.extend_from_slice(id.as_bytes());
            out.push(b'"');
        } else {
            crate::json::write_string(out, &instance_of(entry.urn, id));
        }
    }
    out.extend_from_slice(json.code.as_bytes());
    if let Some(id) = request_id {
        out.extend_from_slice(b",\"request_id\":");
        crate::json::write_string(out, id);
    }
    let mut written = Written {
        empty: true,
        looking: policy.is_some(),
        secret: false,
    };
    write_values(problem, entry, &mut written, out);
    out.extend_from_slice(json.remediation.as_bytes());
    out.extend_from_slice(json.tail.as_bytes());
    out.extend_from_slice(json.advice.as_bytes());
    if !entry.pointers.is_empty() {
        write_errors(entry.pointers, detail, out);
    }
    written.empty = false;
    let mut members = Members(Sink::Extensions(out, written));
    problem.members(&mut members);
    let Members(Sink::Extensions(out, written)) = members else {
        return false;
    };
    out.push(b'}');
    !written.secret
}

fn write_values(problem: &dyn Dynamic, entry: &Entry, written: &mut Written, out: &mut Vec<u8>) {
    if entry.valid_values.is_empty() {
        return;
    }
    let start = out.len();
    out.extend_from_slice(b",\"valid_values\":{");
    let mut varies = false;
    for values in entry.valid_values {
        if values.varies {
            varies = true;
            continue;
        }
        if !std::mem::replace(&mut written.empty, false) {
            out.push(b',');
        }
        crate::json::write_string(out, values.field);
        out.push(b':');
        out.extend_from_slice(values.json.as_bytes());
    }
    if varies {
        let mut members = Members(Sink::Values(out, *written));
        problem.members(&mut members);
        if let Members(Sink::Values(_, so_far)) = members {
            *written = so_far;
        }
    }
    if written.empty {
        out.truncate(start);
    } else {
        out.push(b'}');
    }
}

/// Whether what was written is the template, which has no holes: then it was looked at while compiling.
fn is_constant(template: &str, escaped: &[u8]) -> bool {
    let mut escaped = escaped.iter();
    let same = template.bytes().all(|byte| {
        let written = match escaped.next() {
            // Quotes and backslashes are all that a template is likely to have; anything else is looked at.
            Some(b'\\') => escaped.next(),
            other => other,
        };
        written == Some(&byte) && !matches!(byte, b'{' | b'}' | b'\n')
    });
    same && escaped.next().is_none() && !template.is_empty()
}

/// `errors`: each pointer with the detail, which is escaped in `out` already.
fn write_errors(pointers: &[&str], detail: std::ops::Range<usize>, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(ERRORS.as_str().as_bytes());
    out.extend_from_slice(b"\":[");
    for (at, pointer) in pointers.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        out.extend_from_slice(b"{\"pointer\":");
        write_display(out, crate::pointer::to_fragment(pointer));
        out.extend_from_slice(b",\"detail\":\"");
        out.extend_from_within(detail.clone());
        out.extend_from_slice(b"\"}");
    }
    out.push(b']');
}
