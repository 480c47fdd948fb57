//! `tracing` events of a handler as `status` events of its session, for programs that opt in.

/// The span a handler runs in: that of its session where somebody listens, none otherwise.
#[cfg(not(feature = "tracing-status"))]
pub(crate) fn span(_: &crate::session::Session) -> tracing::Span {
    tracing::Span::none()
}

#[cfg(feature = "tracing-status")]
pub use layer::StatusLayer;
#[cfg(feature = "tracing-status")]
pub(crate) use layer::span;

#[cfg(feature = "tracing-status")]
mod layer {
    use std::cell::RefCell;
    use std::fmt::{self, Write as _};
    use std::sync::atomic::{AtomicBool, Ordering};

    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id};
    use tracing::{Event, Level, Span, Subscriber};
    use tracing_subscriber::Layer;
    use tracing_subscriber::layer::Context;
    use tracing_subscriber::registry::LookupSpan;

    use crate::session::Session;

    const TARGET: &str = "aon_live::session";

    /// Whether anybody turns events into status.
    static WANTED: AtomicBool = AtomicBool::new(false);

    thread_local! {
        /// The session of the span that is being made. Spans carry no values of ours, so it is handed over beside.
        static MAKING: RefCell<Option<Session>> = const { RefCell::new(None) };
    }

    pub(crate) fn span(session: &Session) -> Span {
        if !WANTED.load(Ordering::Relaxed) {
            return Span::none();
        }
        MAKING.with_borrow_mut(|making| *making = Some(session.clone()));
        let span = tracing::error_span!(target: TARGET, "session");
        MAKING.with_borrow_mut(Option::take);
        span
    }

    /// Shows what a handler logs as `status` events of its session, on every channel and without secrets.
    ///
    /// Add it to the subscriber of the program. What the handler logs from tasks of its own is shown where they run in
    /// its span (`tracing::Instrument`). A black box shows nothing, as ever.
    ///
    /// ```
    /// use aon_live::StatusLayer;
    /// use tracing_subscriber::layer::SubscriberExt as _;
    ///
    /// let subscriber = tracing_subscriber::registry().with(StatusLayer::new(tracing::Level::INFO));
    /// # let _ = subscriber;
    /// ```
    #[derive(Clone, Copy, Debug)]
    pub struct StatusLayer {
        least: Level,
    }

    impl StatusLayer {
        /// Shows events of this level and of more serious ones.
        pub fn new(least: Level) -> Self {
            WANTED.store(true, Ordering::Relaxed);
            Self { least }
        }
    }

    impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for StatusLayer {
        fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
            if attributes.metadata().target() != TARGET {
                return;
            }
            let session = MAKING.with_borrow(Clone::clone);
            if let (Some(session), Some(span)) = (session, context.span(id)) {
                span.extensions_mut().insert(session);
            }
        }

        fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
            let metadata = event.metadata();
            // What this crate logs itself would come back to it.
            if *metadata.level() > self.least || metadata.target().starts_with("aon_live") {
                return;
            }
            let Some(scope) = context.event_scope(event) else {
                return;
            };
            for span in scope {
                let session = span.extensions().get::<Session>().cloned();
                if let Some(session) = session {
                    let mut words = Words::default();
                    event.record(&mut words);
                    session.status(words.text()).phase("log");
                    return;
                }
            }
        }
    }

    /// The message, and the other fields behind it.
    #[derive(Default)]
    struct Words {
        message: String,
        fields: String,
    }

    impl Words {
        fn text(mut self) -> String {
            self.message.push_str(&self.fields);
            self.message
        }
    }

    impl Visit for Words {
        fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
            // Writing into a string fails only when the Debug does; what it wrote is kept.
            let _: fmt::Result = if field.name() == "message" {
                write!(self.message, "{value:?}")
            } else {
                write!(self.fields, " {}={value:?}", field.name())
            };
        }
    }
}
