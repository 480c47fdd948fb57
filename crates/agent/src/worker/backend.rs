//! What makes tokens.

use std::fmt;
use std::pin::Pin;

use aon::door::Failure;
use futures_util::Stream;
use futures_util::stream;
use serde_json::{Map, Value};
use tokio::sync::mpsc;

/// A generator of text: a model, a service, a program.
///
/// ```
/// use aon_agent::worker::{Ask, Backend, Tokens};
///
/// #[derive(Debug)]
/// struct Shout;
///
/// impl Backend for Shout {
///     fn name(&self) -> &str {
///         "shout"
///     }
///
///     fn generate(&self, ask: Ask) -> Tokens {
///         let (sender, tokens) = aon_agent::worker::queue(16);
///         tokio::spawn(async move {
///             for word in ask.prompt.split_inclusive(' ') {
///                 // Waits while the client is behind; an error means that nobody wants more.
///                 if sender.send(word.to_uppercase()).await.is_err() {
///                     return;
///                 }
///             }
///         });
///         tokens
///     }
/// }
/// ```
pub trait Backend: fmt::Debug + Send + Sync + 'static {
    /// Its name, as `status` says it.
    fn name(&self) -> &str;

    /// Starts to generate. The stream is asked for its next token when the last one could be written, and dropped as soon as
    /// nobody wants more: after an abort, at the time-out, or when the client is gone.
    fn generate(&self, ask: Ask) -> Tokens;
}

/// What is asked of a backend.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Ask {
    /// The session.
    pub session_id: String,
    /// The prompt, as it came.
    pub prompt: String,
    /// What the session was created with.
    pub params: Map<String, Value>,
}

impl Ask {
    /// What is asked.
    pub fn new(session_id: impl Into<String>, prompt: impl Into<String>) -> Self {
        Self {
            session_id: session_id.into(),
            prompt: prompt.into(),
            params: Map::new(),
        }
    }

    /// With what its session was created with.
    #[must_use]
    pub fn with_params(mut self, params: Map<String, Value>) -> Self {
        self.params = params;
        self
    }
}

/// Tokens as they come. A failure is the last item.
pub type Tokens = Pin<Box<dyn Stream<Item = Result<String, Failure>> + Send>>;

/// Where a generator that pushes puts its tokens.
#[derive(Clone, Debug)]
pub struct TokenSender(mpsc::Sender<Result<String, Failure>>);

/// Nobody wants more tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "it says all there is to say")]
pub struct Unwanted;

impl TokenSender {
    /// Adds a token; waits while the queue is full.
    ///
    /// # Errors
    ///
    /// When nobody wants more.
    pub async fn send(&self, token: impl Into<String>) -> Result<(), Unwanted> {
        let sent = self.0.send(Ok(token.into())).await;
        sent.map_err(|_unwanted| Unwanted)
    }

    /// Adds a token from blocking code; waits while the queue is full.
    ///
    /// # Errors
    ///
    /// When nobody wants more.
    pub fn blocking_send(&self, token: impl Into<String>) -> Result<(), Unwanted> {
        let sent = self.0.blocking_send(Ok(token.into()));
        sent.map_err(|_unwanted| Unwanted)
    }

    /// Ends the stream with a failure.
    ///
    /// # Errors
    ///
    /// When nobody wants more.
    pub async fn fail(self, failure: impl Into<Failure>) -> Result<(), Unwanted> {
        let sent = self.0.send(Err(failure.into())).await;
        sent.map_err(|_unwanted| Unwanted)
    }
}

/// A queue of at most `capacity` tokens, for generators that push.
pub fn queue(capacity: usize) -> (TokenSender, Tokens) {
    let (sender, mut receiver) = mpsc::channel(capacity.max(1));
    let tokens = stream::poll_fn(move |cx| receiver.poll_recv(cx));
    (TokenSender(sender), Box::pin(tokens))
}

impl fmt::Display for Unwanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nobody wants more tokens")
    }
}

impl std::error::Error for Unwanted {}
