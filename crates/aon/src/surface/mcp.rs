//! MCP: a tool result with `isError` ([S5]), for protocol versions up to 2026-07-28.
//!
//! | member | on the wire |
//! | --- | --- |
//! | all of [P1] | `structuredContent.error`, flattened; `docs_url` is called `documentation_uri` |
//! | `mcp_tool` | also `suggested_tools[0]`, and named in the text |
//! | the failed call's arguments | `corrected_args`, where a correction is clear ([P11]) |
//! | derived | `schema`, `surface`, `machine_hints` ([P10]) |
//! | for the model | `content[0]`, text that says what happened, why, what is valid, what to try, and which tool |
//!
//! Nothing is lost, in each [`Mode`]. Bad arguments and failures of the program are tool results, so that the model
//! sees them; a JSON-RPC error stays for requests that are none. No JSON-RPC number of another protocol appears here.
//!
//! [S5]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s5
//! [P1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p1
//! [P11]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p11
//! [P10]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p10

use std::borrow::Cow;

use aon_core::json::{ObjectTree, ObjectWriter, write_string};
use aon_core::{MachineHints, ProblemDetails};
use serde_json::Value;

use super::correct::Correction;
use super::envelope::{self, MCP};
use super::{Call, RecoverError, Surface, raw};

mod text;

/// The key of the envelope in `_meta` (reverse DNS; a second label `mcp` would be reserved).
pub const META_KEY: &str = "space.possibility/error";

/// What a tool result carries besides its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mode {
    /// `structuredContent.error`. The declared output schema must allow it.
    #[default]
    Structured,
    /// A second text block with the JSON, for clients that refuse structured content in errors.
    TextOnly,
    /// `_meta`, for clients that refuse it and models that should not read it.
    Meta,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Self; 3] = [Self::Structured, Self::TextOnly, Self::Meta];

    /// Its name, as on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Structured => "structured",
            Self::TextOnly => "text_only",
            Self::Meta => "meta",
        }
    }

    /// The mode with that name.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == word)
    }
}

/// The MCP surface: the JSON of a `CallToolResult`.
///
/// # Examples
///
/// ```
/// use aon::surface::mcp::Mcp;
/// use aon::surface::{Call, Surface};
/// use aon::{Code, ProblemDetails, Status};
///
/// let problem = ProblemDetails::new(Status::from_static(404), Code::from_static("no_such_order"));
/// let mut out = Vec::new();
/// Mcp::default().project(&problem, &Call::default(), &mut out);
/// assert!(out.starts_with(br#"{"content":[{"type":"text","text":"Not Found (404 no_such_order)"}],"#));
/// assert_eq!(Mcp::default().recover(&out)?, problem);
/// # Ok::<(), aon::surface::RecoverError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Mcp {
    mode: Mode,
}

impl Mcp {
    /// The surface in that mode.
    pub const fn new(mode: Mode) -> Self {
        Self { mode }
    }
}

impl Surface for Mcp {
    fn name(&self) -> &'static str {
        MCP.surface
    }

    fn project(&self, problem: &ProblemDetails, call: &Call<'_>, out: &mut Vec<u8>) {
        // The envelope comes first, because the text may be as long as a share of it.
        let mut envelope = Vec::with_capacity(1536);
        let text = write_parts(problem, call, &mut envelope);
        write_result(self.mode, false, &text, &envelope, out);
    }

    /// Reads each mode, a bare result or a whole JSON-RPC response, and a JSON-RPC error that carries the envelope
    /// in `data`.
    fn recover(&self, wire: &[u8]) -> Result<ProblemDetails, RecoverError> {
        let wire = raw::document(wire)?;
        let Some(envelope) = find(wire) else {
            return Err(RecoverError::new(
                "a tool result with an error in structuredContent, content or _meta is expected",
            ));
        };
        envelope::read(&envelope, &MCP)
    }
}

/// Appends a tool result of an envelope and its text; since 2026-07-28 it names its type.
pub(crate) fn write_result(
    mode: Mode,
    modern: bool,
    text: &str,
    envelope: &[u8],
    out: &mut Vec<u8>,
) {
    out.reserve(envelope.len() + text.len() + 192);
    out.extend_from_slice(if modern {
        b"{\"resultType\":\"complete\","
    } else {
        b"{"
    });
    out.extend_from_slice(b"\"content\":[{\"type\":\"text\",\"text\":");
    write_string(out, text);
    out.extend_from_slice(b"}");
    match mode {
        Mode::Structured => {
            out.extend_from_slice(b"],\"structuredContent\":{\"error\":");
            out.extend_from_slice(envelope);
            out.push(b'}');
        }
        Mode::Meta => {
            out.extend_from_slice(b"],\"_meta\":{");
            write_string(out, META_KEY);
            out.push(b':');
            out.extend_from_slice(envelope);
            out.push(b'}');
        }
        Mode::TextOnly => {
            out.extend_from_slice(b",{\"type\":\"text\",\"text\":");
            let mirror = format!("{{\"error\":{}}}", String::from_utf8_lossy(envelope));
            write_string(out, &mirror);
            out.extend_from_slice(b"}]");
        }
    }
    out.extend_from_slice(b",\"isError\":true}");
}

/// Appends the envelope alone, what stands in `structuredContent.error`, and gives the text for the model that goes with it.
///
/// The text says what happened, why, what is valid, what to try and which tool, in at most six tenths of the size of the envelope ([S5]).
///
/// [S5]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s5
pub fn write_parts(problem: &ProblemDetails, call: &Call<'_>, out: &mut Vec<u8>) -> String {
    let start = out.len();
    let correction = call.correction(problem);
    let hints = MachineHints::of(problem);
    write_error(problem, correction.as_ref(), &hints, out);
    let budget = text::share(out.len() - start);
    text::within(problem, correction.as_ref(), budget)
}

/// The envelope as a tree, for types that hold one, and the text that goes with it. Both are what [`write_parts`] gives.
pub fn tree_parts(problem: &ProblemDetails, call: &Call<'_>) -> (Value, String) {
    let correction = call.correction(problem);
    let correction = correction.as_ref();
    let hints = MachineHints::of(problem);
    let mut object = ObjectTree::default();
    let corrected = correction.map(Correction::arguments);
    envelope::write(&mut object, &MCP, problem, corrected, &hints);
    let least = text::share(object.least_size());
    let text = text::fitting(problem, correction, least, || {
        let mut json = Vec::with_capacity(1536);
        write_error(problem, correction, &hints, &mut json);
        text::share(json.len())
    });
    (object.end(), text)
}

/// Appends the envelope alone: what stands in `structuredContent.error`.
pub fn write_envelope(problem: &ProblemDetails, call: &Call<'_>, out: &mut Vec<u8>) {
    let correction = call.correction(problem);
    let hints = MachineHints::of(problem);
    write_error(problem, correction.as_ref(), &hints, out);
}

fn write_error(
    problem: &ProblemDetails,
    correction: Option<&Correction>,
    hints: &MachineHints,
    out: &mut Vec<u8>,
) {
    let mut object = ObjectWriter::begin(out);
    let corrected = correction.map(Correction::arguments);
    envelope::write(&mut object, &MCP, problem, corrected, hints);
    object.end();
}

/// The envelope in whatever carries it.
pub(crate) fn find(wire: &str) -> Option<Cow<'_, str>> {
    let outer = raw::members(wire)?;
    let inner = raw::find(&outer, "result").and_then(raw::members);
    let members = inner.unwrap_or(outer);
    let object = |json: &str| raw::members(json).is_some();
    if let Some(structured) = raw::find(&members, "structuredContent")
        && let Some(error) = raw::member(structured, "error").filter(|error| object(error))
    {
        return Some(Cow::Borrowed(error));
    }
    if let Some(meta) = raw::find(&members, "_meta")
        && let Some(error) = raw::member(meta, META_KEY).filter(|error| object(error))
    {
        return Some(Cow::Borrowed(error));
    }
    if let Some(content) = raw::find(&members, "content") {
        return raw::items(content)?
            .into_iter()
            .filter_map(|block| raw::text(raw::member(block, "text")?))
            .find_map(|text| {
                let error = raw::member(&text, "error").filter(|error| object(error))?;
                Some(Cow::Owned(error.to_owned()))
            });
    }
    let error = raw::find(&members, "error").filter(|error| object(error));
    if let Some(error) = error {
        let data = raw::member(error, "data").filter(|data| object(data));
        return Some(Cow::Borrowed(data.unwrap_or(error)));
    }
    envelope::is_envelope(wire, &MCP).then_some(Cow::Borrowed(wire))
}

#[cfg(test)]
mod tests;
