//! The RPC middleware: errors of methods, in the form of the profile.

use std::future::Future;
use std::sync::Arc;

use ::jsonrpsee::Extensions;
use ::jsonrpsee::core::middleware::{Batch, BatchEntry, Notification, Request, RpcServiceT};
use ::jsonrpsee::core::server::{BatchResponseBuilder, MethodResponse};
use ::jsonrpsee::types::Id;
use aon_core::Json;
use tower_layer::Layer;

use super::{own, ticket, written};
use crate::adapter::unwind::caught;
use crate::door::{Door, Facts, Occurrence, OpenCall, Scope};
use crate::surface::a2a::Profile;
use crate::surface::raw;

/// The layer for `RpcServiceBuilder`.
///
/// # Examples
///
/// ```
/// use aon::jsonrpsee::ProblemLayer;
/// use jsonrpsee::core::middleware::RpcServiceBuilder;
/// use jsonrpsee::server::RpcModule;
///
/// let module = RpcModule::new(());
/// let middleware = RpcServiceBuilder::new().layer(ProblemLayer::new().with_methods(module.method_names()));
/// # let _ = middleware;
/// ```
#[derive(Clone, Debug)]
pub struct ProblemLayer {
    settings: Arc<Settings>,
}

#[derive(Clone, Debug)]
struct Settings {
    door: Door,
    profile: Profile,
    methods: Vec<String>,
}

/// The longest response of a batch: what a server of jsonrpsee sends unless it is set.
const BATCH_LIMIT: usize = 10 << 20;

impl ProblemLayer {
    /// With the profile `pspace`, and no method known by name.
    pub fn new() -> Self {
        Self {
            settings: Arc::new(Settings {
                door: Door::new(),
                profile: Profile::PSPACE,
                methods: Vec::new(),
            }),
        }
    }

    /// Sets the door failures leave through, where [`HttpProblemLayer`](super::HttpProblemLayer) did not open one for the
    /// request: over a web socket, or without that layer.
    #[must_use]
    pub fn with_door(self, door: Door) -> Self {
        self.with(|settings| settings.door = door)
    }

    /// Sets the profile of requests that bring none in their extensions, as [`HttpProblemLayer`](super::HttpProblemLayer) puts it there.
    #[must_use]
    pub fn with_profile(self, profile: Profile) -> Self {
        self.with(|settings| settings.profile = profile)
    }

    /// Names the methods, so that the nearest one can be suggested.
    #[must_use]
    pub fn with_methods<'a>(self, methods: impl IntoIterator<Item = &'a str>) -> Self {
        self.with(|settings| settings.methods = methods.into_iter().map(str::to_owned).collect())
    }

    fn with(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(Arc::make_mut(&mut self.settings));
        self
    }
}

impl Default for ProblemLayer {
    fn default() -> Self {
        Self::new()
    }
}

impl<S> Layer<S> for ProblemLayer {
    type Service = ProblemService<S>;

    fn layer(&self, service: S) -> ProblemService<S> {
        ProblemService {
            service: Arc::new(service),
            settings: Arc::clone(&self.settings),
        }
    }
}

/// The service [`ProblemLayer`] makes.
#[derive(Debug)]
pub struct ProblemService<S> {
    service: Arc<S>,
    settings: Arc<Settings>,
}

impl<S> Clone for ProblemService<S> {
    fn clone(&self) -> Self {
        Self {
            service: Arc::clone(&self.service),
            settings: Arc::clone(&self.settings),
        }
    }
}

impl<S> RpcServiceT for ProblemService<S>
where
    S: RpcServiceT<
            MethodResponse = MethodResponse,
            BatchResponse = MethodResponse,
            NotificationResponse = MethodResponse,
        > + Send
        + Sync
        + 'static,
{
    type MethodResponse = MethodResponse;
    type NotificationResponse = MethodResponse;
    type BatchResponse = MethodResponse;

    fn call<'a>(&self, request: Request<'a>) -> impl Future<Output = MethodResponse> + Send + 'a {
        let Self { service, settings } = self.clone();
        async move {
            let about = About {
                id: request.id.clone(),
                method: request.method.clone(),
                params: request.params.clone(),
                scope: settings.scope(&request.extensions, &request.method),
            };
            let watched = about.scope.begin_call(&about.method, "");
            let called = about.scope.enter(async { service.call(request).await });
            match caught(called).await {
                Ok(response) if response.is_error() => about.repaired(response, &settings, watched),
                Ok(response) => {
                    watched.end(None);
                    response
                }
                Err(words) => {
                    watched.end(Some(crate::builtin::INTERNAL.code));
                    let failure = Occurrence::broken("the method panicked", words);
                    let error = written(&about.scope, failure);
                    MethodResponse::error(about.id, error)
                }
            }
        }
    }

    fn batch<'a>(&self, batch: Batch<'a>) -> impl Future<Output = MethodResponse> + Send + 'a {
        let this = self.clone();
        async move {
            let mut responses = BatchResponseBuilder::new_with_limit(BATCH_LIMIT);
            let mut notified = false;
            // What came with the batch came with each of its requests.
            let first = batch.iter().flatten().next().map(BatchEntry::extensions);
            let none = Extensions::new();
            let scope = this.settings.scope(first.unwrap_or(&none), "");
            let no_request = |response| this.refused(response, scope.clone());
            for entry in batch {
                let response = match entry {
                    Ok(BatchEntry::Call(request)) => this.call(request).await,
                    Ok(BatchEntry::Notification(notification)) => {
                        notified = true;
                        this.notification(notification).await;
                        continue;
                    }
                    Err(entry) => {
                        let (error, id) = entry.into_parts();
                        no_request(MethodResponse::error(id, error))
                    }
                };
                if let Err(too_large) = responses.append(response) {
                    return no_request(too_large);
                }
            }
            if responses.is_empty() && notified {
                MethodResponse::notification()
            } else {
                MethodResponse::from_batch(responses.finish())
            }
        }
    }

    fn notification<'a>(
        &self,
        notification: Notification<'a>,
    ) -> impl Future<Output = MethodResponse> + Send + 'a {
        let service = Arc::clone(&self.service);
        async move { service.notification(notification).await }
    }
}

impl Settings {
    /// The scope the HTTP layer opened for the request, or one of its own.
    fn scope(&self, extensions: &Extensions, method: &str) -> Scope {
        if let Some(scope) = extensions.get::<Scope>() {
            return scope.clone();
        }
        let profile = extensions.get::<Profile>().unwrap_or(&self.profile);
        let facts = Facts::new("a2a")
            .with_method(method)
            .with_profile(profile.clone());
        Scope::open(&self.door, facts)
    }
}

impl<S> ProblemService<S> {
    /// An entry of a batch that is not a request, or the answer to all of it.
    fn refused(&self, response: MethodResponse, scope: Scope) -> MethodResponse {
        let json = response.as_json().get();
        let id = raw::member(json, "id").and_then(|id| serde_json::from_str::<Id<'_>>(id).ok());
        let about = About {
            id: id.map_or(Id::Null, Id::into_owned),
            method: "".into(),
            params: None,
            scope,
        };
        about.repaired(response, &self.settings, OpenCall::unwatched())
    }
}

/// What an error is about.
struct About<'a> {
    id: Id<'a>,
    method: std::borrow::Cow<'a, str>,
    params: Option<std::borrow::Cow<'a, serde_json::value::RawValue>>,
    scope: Scope,
}

impl About<'_> {
    /// The failure in a response: the one that was handed over, or what jsonrpsee says; `None` when the program made the
    /// error by itself.
    fn failure(&self, response: &MethodResponse, settings: &Settings) -> Option<Occurrence> {
        let error = raw::member(response.as_json().get(), "error")?;
        if let Some(failure) = ticket(error).and_then(|ticket| self.scope.redeem(ticket)) {
            return Some(failure);
        }
        let params = self.params.as_deref().map(serde_json::value::RawValue::get);
        own::failure(error, &self.method, &settings.methods, params)
    }

    /// The response with its problem; as it was, when the program made the error by itself.
    fn repaired(
        self,
        response: MethodResponse,
        settings: &Settings,
        watched: OpenCall,
    ) -> MethodResponse {
        let Some(failure) = self.failure(&response, settings) else {
            watched.end(Some("foreign"));
            return response;
        };
        watched.end(Some(failure.code()));
        let params = self.params.as_deref();
        let params = params.and_then(|params| Json::parse(params.get()).ok());
        let error = written(&self.scope, failure.with_arguments(params));
        let extensions = response.extensions().clone();
        let repaired = if response.is_subscription() {
            MethodResponse::subscription_error(self.id, error)
        } else {
            MethodResponse::error(self.id, error)
        };
        repaired.with_extensions(extensions)
    }
}
