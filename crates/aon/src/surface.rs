//! Surfaces: what one problem looks like on REST, MCP, A2A, a stream, or to a person.
//!
//! A projection is a pure function of the problem and the failed call ([S1]). It takes
//! [`Parts`](aon_core::Parts) apart field by field, so a new member breaks the build of every surface until somebody
//! decides what becomes of it. `recover` is the way back, for clients and for the parity proof ([S9]).
//!
//! [S1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s1
//! [S9]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s9

use std::fmt;

use aon_core::{Json, ProblemDetails};

use correct::Correction;

pub mod a2a;
pub mod correct;
pub mod human;
pub mod mcp;
pub mod rest;
pub mod stream;

pub(crate) mod envelope;
pub(crate) mod raw;

/// One way to put a problem on a wire.
///
/// Implement it in your own crate to add a surface ([S10]): nothing here needs to know.
///
/// # Examples
///
/// A surface that is the canonical JSON on a line of its own:
///
/// ```
/// use aon::surface::{Call, RecoverError, Surface};
/// use aon::ProblemDetails;
///
/// struct Line;
///
/// impl Surface for Line {
///     fn name(&self) -> &'static str {
///         "line"
///     }
///
///     fn project(&self, problem: &ProblemDetails, _call: &Call<'_>, out: &mut Vec<u8>) {
///         problem.write(out);
///         out.push(b'\n');
///     }
///
///     fn recover(&self, wire: &[u8]) -> Result<ProblemDetails, RecoverError> {
///         ProblemDetails::from_slice(wire).map_err(RecoverError::read)
///     }
/// }
/// # let problem = ProblemDetails::new(aon::Status::from_static(404), aon::Code::from_static("gone"));
/// # let mut out = Vec::new();
/// # Line.project(&problem, &Call::default(), &mut out);
/// # assert_eq!(Line.recover(&out)?, problem);
/// # Ok::<(), RecoverError>(())
/// ```
///
/// [S10]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s10
pub trait Surface {
    /// The name of the surface, as it stands in `surface` on the wire and on the command line.
    fn name(&self) -> &'static str;

    /// Members this surface cannot carry, by their names in [P1]; the parity suite allows exactly these.
    ///
    /// [P1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p1
    fn losses(&self) -> &'static [&'static str] {
        &[]
    }

    /// Appends what goes on the wire.
    fn project(&self, problem: &ProblemDetails, call: &Call<'_>, out: &mut Vec<u8>);

    /// Reads the problem back from the wire, leniently.
    ///
    /// # Errors
    ///
    /// When there is no problem in it.
    fn recover(&self, wire: &[u8]) -> Result<ProblemDetails, RecoverError>;
}

/// The call that failed, as far as a projection may use it.
#[derive(Clone, Copy, Debug, Default)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers build it with `..Call::default()`; adding a field stays compatible that way"
)]
pub struct Call<'a> {
    /// Its arguments, for a correction ([P11]).
    ///
    /// [P11]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p11
    pub arguments: Option<&'a Json>,
    /// Its JSON-RPC id, where the wire has one.
    pub id: Option<&'a Json>,
}

impl Call<'_> {
    /// Its correction, where that is clear.
    pub(crate) fn correction(&self, problem: &ProblemDetails) -> Option<Correction> {
        Correction::of(problem, self.arguments?)
    }
}

/// Why no problem could be recovered.
#[derive(Debug)]
pub struct RecoverError {
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl RecoverError {
    /// The wire holds something else: `message` says what was expected.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source: None,
        }
    }

    /// The problem in it could not be read.
    pub fn read(source: aon_core::ReadProblemError) -> Self {
        Self {
            message: "no problem could be read".to_owned(),
            source: Some(Box::new(source)),
        }
    }

    /// The wire is not JSON.
    pub fn json(source: serde_json::Error) -> Self {
        Self {
            message: "the wire is not a JSON document".to_owned(),
            source: Some(Box::new(source)),
        }
    }
}

impl fmt::Display for RecoverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RecoverError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.source {
            Some(source) => Some(&**source),
            None => None,
        }
    }
}
