//! Telling somebody over HTTP that a person is needed; an answer may come back at once, or later another way.

use std::future::pending;
use std::time::Duration;

use http::Method;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};

use super::ask::{Asker, Asking, Reply};
use super::question::{Question, Responder};
use crate::channel::in_words;
use crate::client::call;

/// Posts every question to an address.
///
/// What comes back is an answer when its status is 2xx and it is `{"patch": […]}`, `{"retry": true}` or `{"deny": true}`;
/// anything else of status 2xx means that somebody was told, and answers at `patch_url`.
#[derive(Clone)]
pub struct Webhook {
    url: String,
    authorization: Option<HeaderValue>,
    time_limit: Duration,
}

impl Webhook {
    /// Posts to this address.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            authorization: None,
            time_limit: Duration::from_secs(10),
        }
    }

    /// Sends this as `Authorization`. A value that cannot stand in a header is left out.
    #[must_use]
    pub fn authorization(mut self, value: &str) -> Self {
        self.authorization = HeaderValue::from_str(value).ok().map(|mut value| {
            value.set_sensitive(true);
            value
        });
        self
    }

    /// How long the address may take: ten seconds.
    #[must_use]
    pub const fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }

    async fn tell(&self, question: &Question) -> Option<Reply> {
        let body = serde_json::to_vec(&question.request()).ok()?;
        let headers = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))]
            .into_iter()
            .chain(
                self.authorization
                    .clone()
                    .map(|value| (AUTHORIZATION, value)),
            )
            .collect();
        let posted = tokio::time::timeout(
            self.time_limit,
            call(Method::POST, &self.url, headers, body),
        );
        let answer = match posted.await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => {
                tracing::warn!(%error, "a webhook could not be told");
                return None;
            }
            Err(_elapsed) => {
                tracing::warn!("a webhook took too long");
                return None;
            }
        };
        if !(200..300).contains(&answer.status) {
            tracing::warn!(status = answer.status, "a webhook could not be told");
            return None;
        }
        let by = Responder::new("webhook");
        let answer = in_words(question, &answer.body, &by).ok()?;
        Some(Reply::new(answer, by))
    }
}

impl Asker for Webhook {
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a> {
        Box::pin(async move {
            match self.tell(question).await {
                Some(reply) => reply,
                // Told; the answer comes another way.
                None => pending().await,
            }
        })
    }
}

impl std::fmt::Debug for Webhook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Webhook").finish_non_exhaustive()
    }
}
