//! A router to break, and what comes out of it.

use aon::ProblemDetails;
use axum::Router;
use axum::body::Body;
use axum::response::Response;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use tower::ServiceExt;

pub(crate) use crate::log;

/// What a client got.
#[derive(Debug)]
pub struct Got {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: String,
}

impl Got {
    /// The problem in it; fails unless it is one by all of S2.
    #[track_caller]
    pub fn problem(&self) -> ProblemDetails {
        assert_eq!(
            self.header("content-type"),
            "application/problem+json",
            "{self:?}"
        );
        let reading = ProblemDetails::read(self.body.as_bytes()).expect("a problem");
        assert_eq!(reading.ignored, Vec::<String>::new(), "{}", self.body);
        let problem = reading.problem;
        assert_eq!(
            problem.status().map(|status| status.as_u16()),
            Some(self.status.as_u16()),
            "{}",
            self.body
        );
        assert!(
            problem.type_uri().is_some() && problem.title().is_some() && problem.code().is_some(),
            "{}",
            self.body
        );
        let id = problem.request_id().expect("a request id");
        assert_eq!(self.header("x-request-id"), id);
        assert!(
            problem
                .instance()
                .expect("an instance")
                .as_str()
                .ends_with(&format!(":request:{id}"))
        );
        problem
    }

    #[track_caller]
    pub fn code(&self) -> String {
        self.problem()
            .code()
            .map(ToString::to_string)
            .unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

pub async fn send(app: &Router, request: Request<Body>) -> Got {
    read(app.clone().oneshot(request).await.unwrap()).await
}

pub async fn read(response: Response) -> Got {
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    Got {
        status: parts.status,
        headers: parts.headers,
        body: String::from_utf8(bytes.to_vec()).unwrap(),
    }
}

pub fn get(path: &str) -> Request<Body> {
    Request::get(path).body(Body::empty()).unwrap()
}

pub fn get_as(path: &str, name: &str, value: &str) -> Request<Body> {
    Request::get(path)
        .header(name, value)
        .body(Body::empty())
        .unwrap()
}

pub fn post_json(path: &str, body: &str) -> Request<Body> {
    Request::post(path)
        .header("content-type", "application/json")
        .body(Body::from(body.to_owned()))
        .unwrap()
}
