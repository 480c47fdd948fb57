//! Skills: functions that take a session and arguments.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use aon::Failure;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::session::Session;
use crate::surface::a2a::Message;

/// The work of a skill.
pub(super) type Work = Pin<Box<dyn Future<Output = Result<Value, Failure>> + Send>>;

type Run = Arc<dyn Fn(Session, Message, Value) -> Work + Send + Sync>;

/// What an agent can do: an id, what people read about it, and a function.
///
/// ```
/// use aon_live::Session;
/// use aon_live::a2a::Skill;
///
/// #[derive(serde::Deserialize)]
/// struct Order { item: String }
///
/// async fn create_order(session: Session, order: Order) -> Result<String, aon::ProblemDetails> {
///     session.status("looking at the shelf");
///     Ok(format!("one {}", order.item))
/// }
///
/// let skill = Skill::new("create_order", "Order", "Orders an item.", create_order).tags(["orders"]);
/// assert_eq!(skill.id(), "create_order");
/// ```
#[derive(Clone)]
pub struct Skill {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) tags: Vec<String>,
    pub(super) examples: Vec<String>,
    pub(super) input_modes: Vec<String>,
    pub(super) output_modes: Vec<String>,
    pub(super) run: Run,
}

impl Skill {
    /// A skill whose arguments are the data part of a message, without its member `skill`; or its text, where there is no data
    /// part. What it gives is text where it is text, and JSON otherwise.
    pub fn new<A, T, E, F, Fut>(
        id: impl Into<String>,
        name: impl Into<String>,
        description: impl Into<String>,
        function: F,
    ) -> Self
    where
        A: DeserializeOwned + Send + 'static,
        T: Serialize,
        E: Into<Failure>,
        F: Fn(Session, A) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
    {
        let function = Arc::new(function);
        let run = move |session: Session, _: Message, arguments: Value| -> Work {
            let function = Arc::clone(&function);
            Box::pin(async move {
                let Ok(read) = A::deserialize(&arguments) else {
                    return Err(misfit::<A>(&arguments));
                };
                value(function(session, read).await.map_err(Into::into)?)
            })
        };
        Self::make(id.into(), name.into(), description.into(), Arc::new(run))
            .input_modes(["application/json", "text/plain"])
    }

    /// A skill that takes whole messages: text, data and files, of the media types in [`input_modes`](Self::input_modes).
    pub fn message<T, E, F, Fut>(
        id: impl Into<String>,
        name: impl Into<String>,
        description: impl Into<String>,
        function: F,
    ) -> Self
    where
        T: Serialize,
        E: Into<Failure>,
        F: Fn(Session, Message) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
    {
        let function = Arc::new(function);
        let run = move |session: Session, message: Message, _: Value| -> Work {
            let function = Arc::clone(&function);
            Box::pin(async move { value(function(session, message).await.map_err(Into::into)?) })
        };
        Self::make(id.into(), name.into(), description.into(), Arc::new(run))
            .input_modes(["text/plain", "application/json"])
    }

    fn make(id: String, name: String, description: String, run: Run) -> Self {
        Self {
            id,
            name,
            description,
            tags: Vec::new(),
            examples: Vec::new(),
            input_modes: Vec::new(),
            output_modes: vec!["application/json".to_owned(), "text/plain".to_owned()],
            run,
        }
    }

    /// Words to find it by.
    #[must_use]
    pub fn tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Self {
        self.tags = tags.into_iter().map(Into::into).collect();
        self
    }

    /// What a message to it may say.
    #[must_use]
    pub fn examples<T: Into<String>>(mut self, examples: impl IntoIterator<Item = T>) -> Self {
        self.examples = examples.into_iter().map(Into::into).collect();
        self
    }

    /// The media types of parts it takes; `image/*` and `*/*` are patterns.
    #[must_use]
    pub fn input_modes<T: Into<String>>(mut self, modes: impl IntoIterator<Item = T>) -> Self {
        self.input_modes = modes.into_iter().map(Into::into).collect();
        self
    }

    /// The media types of what it gives.
    #[must_use]
    pub fn output_modes<T: Into<String>>(mut self, modes: impl IntoIterator<Item = T>) -> Self {
        self.output_modes = modes.into_iter().map(Into::into).collect();
        self
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Whether a part of that media type is taken.
    pub(super) fn takes(&self, media: &str) -> bool {
        self.input_modes.iter().any(|mode| accepts(mode, media))
    }
}

/// Whether a media type is what a mode says.
fn accepts(mode: &str, media: &str) -> bool {
    let media = media.split(';').next().unwrap_or(media).trim();
    let json = mode == "application/json" && media.ends_with("+json");
    let family = mode.strip_suffix("/*").is_some_and(|family| {
        family == "*"
            || media
                .split('/')
                .next()
                .is_some_and(|own| own.eq_ignore_ascii_case(family))
    });
    json || family || mode.eq_ignore_ascii_case(media)
}

fn value<T: Serialize>(given: T) -> Result<Value, Failure> {
    serde_json::to_value(given).map_err(Failure::internal)
}

fn misfit<A: DeserializeOwned>(arguments: &Value) -> Failure {
    let problem = aon::arguments::explain::<A>(arguments).unwrap_or_else(|| {
        aon::jsonrpc::invalid_params("The arguments are not what the skill takes.")
    });
    Failure::built_in(problem)
}

impl fmt::Debug for Skill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Skill")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
