//! What an assertion looks at, whatever type it has.

use std::cell::RefCell;

use aon_core::{Problem, ProblemDetails};

/// The value of an assertion. Which of the traits below applies is decided by the compiler: the one that needs the
/// fewest references.
#[derive(Debug)]
pub struct Subject<T>(RefCell<T>);

impl<T> Subject<T> {
    /// A value to look at.
    pub fn new(value: T) -> Self {
        Self(RefCell::new(value))
    }
}

/// What was seen.
#[derive(Debug, Default)]
#[expect(
    unnameable_types,
    reason = "it goes from one part of the macro to the next"
)]
pub struct Observed {
    pub(super) problem: Option<ProblemDetails>,
    pub(super) headers: Vec<(String, String)>,
    /// What is wrong already.
    pub(super) faults: Vec<String>,
    /// What was there, when it is not a problem.
    pub(super) raw: String,
}

/// A response.
#[cfg(feature = "axum")]
pub trait ViaResponse {
    /// Takes the response in.
    fn observe(&self) -> Observed;
}

/// A problem.
pub trait ViaProblem {
    /// Takes the problem in.
    fn observe(&self) -> Observed;
}

/// The bytes of a body.
pub trait ViaBytes {
    /// Takes the body in.
    fn observe(&self) -> Observed;
}

impl<P: Problem> ViaProblem for &&Subject<P> {
    fn observe(&self) -> Observed {
        Observed {
            problem: Some(self.0.borrow().to_problem()),
            ..Observed::default()
        }
    }
}

impl<T: AsRef<[u8]>> ViaBytes for &Subject<T> {
    fn observe(&self) -> Observed {
        of_bytes(self.0.borrow().as_ref())
    }
}

fn of_bytes(bytes: &[u8]) -> Observed {
    match ProblemDetails::read(bytes) {
        Ok(reading) => Observed {
            problem: Some(reading.problem),
            faults: reading.ignored,
            ..Observed::default()
        },
        Err(error) => Observed {
            faults: vec![format!("the body is not a problem: {error}")],
            raw: String::from_utf8_lossy(bytes).chars().take(2000).collect(),
            ..Observed::default()
        },
    }
}

#[cfg(feature = "axum")]
impl<B> ViaResponse for Subject<http::Response<B>>
where
    B: http_body::Body<Data: AsRef<[u8]>, Error: std::fmt::Display> + Unpin,
{
    fn observe(&self) -> Observed {
        let mut response = self.0.borrow_mut();
        let bytes = match read_now(response.body_mut()) {
            Ok(bytes) => bytes,
            Err(fault) => {
                return Observed {
                    faults: vec![fault],
                    ..Observed::default()
                };
            }
        };
        let mut observed = of_bytes(&bytes);
        observed.headers = response
            .headers()
            .iter()
            .map(|(name, value)| {
                let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
                (name.as_str().to_owned(), value)
            })
            .collect();
        let header = |name: &str| {
            let found = observed.headers.iter().find(|(kept, _)| kept == name);
            found.map(|(_, value)| value.as_str())
        };
        let media = header("content-type").unwrap_or("none");
        let mut faults = Vec::new();
        if media.split(';').next() != Some(crate::surface::rest::MEDIA_TYPE) {
            faults.push(format!(
                "the content type must be application/problem+json, got {media}"
            ));
        }
        let line = response.status().as_u16();
        if let Some(problem) = &observed.problem {
            let status = problem.status().map(aon_core::Status::as_u16);
            if status != Some(line) {
                faults.push(format!(
                    "the status line says {line}, the body {}",
                    status.map_or("nothing".to_owned(), |status| status.to_string())
                ));
            }
            if problem.request_id().is_none() {
                faults.push("the body has no request_id".to_owned());
            }
        }
        observed.faults.extend(faults);
        observed
    }
}

/// The body of an error is there at once; a test cannot look at one that is not.
#[cfg(feature = "axum")]
fn read_now<B>(body: &mut B) -> Result<Vec<u8>, String>
where
    B: http_body::Body<Data: AsRef<[u8]>, Error: std::fmt::Display> + Unpin,
{
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};

    let mut cx = Context::from_waker(Waker::noop());
    let mut bytes = Vec::new();
    loop {
        match Pin::new(&mut *body).poll_frame(&mut cx) {
            Poll::Ready(Some(Ok(frame))) => {
                if let Ok(data) = frame.into_data() {
                    bytes.extend_from_slice(data.as_ref());
                }
            }
            Poll::Ready(Some(Err(error))) => return Err(format!("the body broke off: {error}")),
            Poll::Ready(None) => return Ok(bytes),
            Poll::Pending => {
                return Err(
                    "the body is a stream that is not there yet; collect it first".to_owned(),
                );
            }
        }
    }
}
