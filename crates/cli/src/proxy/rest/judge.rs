//! What an error response of a REST API says: by its status, its media type, its words and the document.

use aon::axum::ProblemLayer;
use aon::recovery::Effect;
use aon::{Code, ExtensionName, ProblemDetails, Status};
use http::response::Parts;
use http::{HeaderMap, Method, header};
use serde_json::Value;

use super::document::{Api, Operation};
use crate::proxy::judge;
use crate::proxy::tools::Tools;
use crate::proxy::wire;

/// Whether a response belongs to another protocol or is a stream, which has its own way to say what is wrong.
pub(super) fn is_protocol(headers: &HeaderMap) -> bool {
    let media = wire::media_type(headers);
    let streams = [
        "text/event-stream",
        "application/x-ndjson",
        "application/ndjson",
        "application/jsonl",
        "application/problem+xml",
        "application/a2a+json",
        "application/octet-stream",
    ];
    streams.contains(&media.as_str())
        || [
            "application/grpc",
            "multipart/",
            "image/",
            "audio/",
            "video/",
        ]
        .iter()
        .any(|start| media.starts_with(start))
}

/// Whether a person in a browser asked and got a page.
pub(super) fn is_page_for_people(request: &HeaderMap, response: &HeaderMap) -> bool {
    let accept = request
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/html"))
        && wire::media_type(response) == "text/html"
}

/// Whether a response is a problem that has a code already: the server speaks for itself.
pub(super) fn says_enough(headers: &HeaderMap, body: &[u8]) -> bool {
    wire::media_type(headers) == "application/problem+json"
        && ProblemDetails::from_slice(body).is_ok_and(|problem| problem.code().is_some())
}

/// A failure as the server told it.
pub(super) struct Failed<'a> {
    pub(super) api: &'a Api,
    pub(super) layer: &'a ProblemLayer,
    pub(super) operation: Option<&'a Operation>,
    /// What stands before the paths of the document.
    pub(super) base: &'a str,
    /// As the document writes it.
    pub(super) path: &'a str,
    pub(super) arguments: &'a Value,
}

impl Failed<'_> {
    pub(super) fn problem(&self, parts: &Parts, body: &[u8]) -> ProblemDetails {
        let status = parts.status.as_u16();
        let text = String::from_utf8_lossy(body);
        let own = ProblemDetails::from_slice(body).ok().filter(|own| {
            own.status().map(Status::as_u16) == Some(status) && own.title().is_some()
        });
        let read = self.layer.read(parts, self.path, body);
        let mut problem = match own {
            // RFC 9457 alone: its members stay, and it gets a code.
            Some(own) => adopted(own, &read),
            None => self.declared(read, status),
        };
        if status >= 500 {
            problem = match judge::sentence(&text) {
                Some(words) => problem.with_detail(words),
                None => problem,
            };
            return problem;
        }
        if problem.detail().is_none()
            && let Some(words) = judge::sentence(&text)
        {
            problem = problem.with_detail(words);
        }
        match status {
            405 => self.methods(problem),
            415 => self.media_types(problem),
            400 | 404 | 409 | 422 => self.fields(problem, &text),
            _ => problem,
        }
    }

    /// What the document calls this status here, where it names one error for it.
    fn declared(&self, problem: ProblemDetails, status: u16) -> ProblemDetails {
        let errors = self
            .operation
            .into_iter()
            .flat_map(|operation| &operation.errors);
        let mut here = errors.filter(|(own, _, _)| *own == status);
        let (Some((_, code, means)), None) = (here.next(), here.next()) else {
            return problem;
        };
        let status = problem.status().unwrap_or(Status::from_static(500));
        let code = code
            .as_ref()
            .and_then(|code| Code::parse(code.clone()).ok());
        let mut out = match code {
            Some(code) => adopted(problem, &ProblemDetails::new(status, code)),
            None => problem,
        };
        if let Some(means) = means.as_ref().filter(|means| !means.is_empty()) {
            out = out.with_title(means.lines().next().unwrap_or(means).to_owned());
        }
        out
    }

    fn methods(&self, problem: ProblemDetails) -> ProblemDetails {
        let methods = self.api.methods(self.path);
        if methods.is_empty() || problem.valid_values().of("method").is_some() {
            return problem;
        }
        problem.with_valid_values("method", methods)
    }

    fn media_types(&self, problem: ProblemDetails) -> ProblemDetails {
        let types = self
            .operation
            .map(Operation::media_types)
            .unwrap_or_default();
        if types.is_empty() {
            return problem;
        }
        problem.with_valid_values("content-type", types)
    }

    /// The fields the words are about, with the values the document has for them.
    fn fields(&self, mut problem: ProblemDetails, text: &str) -> ProblemDetails {
        let Some(operation) = self.operation else {
            return problem;
        };
        let mut tools = Tools::default();
        tools.add(&operation.name, operation.tool.clone());
        let told = judge::Failed {
            tool: &operation.name,
            arguments: self.arguments,
            status: problem.status().map(Status::as_u16),
            text,
            tools: &tools,
        }
        .problem();
        if problem.field_paths().is_empty() {
            for pointer in told.field_paths() {
                problem = problem.with_pointer(&pointer, None);
            }
        }
        for (field, values) in told.valid_values().iter() {
            if problem.valid_values().of(field).is_none() {
                problem = problem.with_valid_values(field.to_owned(), values);
            }
        }
        for pointer in problem.field_paths() {
            let field = pointer.rsplit('/').next().unwrap_or_default().to_owned();
            if problem.valid_values().of(&field).is_none()
                && let Some(values) = operation.tool.values(&pointer)
            {
                problem = problem.with_valid_values(field, values);
            }
        }
        if problem.status().map(Status::as_u16) == Some(404) {
            return self.choices(problem, operation);
        }
        problem
    }

    /// One of many was not found: where the many are listed.
    fn choices(&self, mut problem: ProblemDetails, operation: &Operation) -> ProblemDetails {
        let Some(lister) = self.api.lister(&operation.template) else {
            return problem;
        };
        let last = operation.in_path(self.path).last();
        if let Some((name, _)) = last
            && problem.field_paths().is_empty()
        {
            problem = problem.with_pointer(&format!("/{}", aon::pointer::escape(name)), None);
        }
        let name = ExtensionName::parse("choices_endpoint".to_owned()).ok();
        let endpoint = format!("{}{}", self.base, lister.template);
        match name.map(|name| problem.clone().with_extension(name, &endpoint)) {
            Some(Ok(extended)) => extended,
            Some(Err(_)) | None => problem,
        }
    }
}

/// A failure of the server without a delay that the server did not tell, where the call does something each time: the delay would invite the
/// caller to repeat it, and nobody knows whether it had its effect.
pub(super) fn unpromised(
    problem: ProblemDetails,
    method: &Method,
    headers: &HeaderMap,
) -> ProblemDetails {
    let own = problem.retry_after().is_some() && !headers.contains_key(header::RETRY_AFTER);
    let failed = problem
        .status()
        .is_some_and(|status| status.as_u16() >= 500);
    if !own || !failed || Effect::of_method(method.as_str()) != Effect::Unsafe {
        return problem;
    }
    let Ok(Value::Object(mut members)) = serde_json::from_slice::<Value>(&problem.to_vec()) else {
        return problem;
    };
    members.remove("retry_after");
    let ours = "send the request again after the delay";
    if members
        .get("detail")
        .and_then(Value::as_str)
        .is_some_and(|detail| detail.contains(ours))
    {
        let detail = "The server failed. Nobody knows whether the call had its effect.";
        members.insert("detail".to_owned(), Value::from(detail));
    }
    let text = Value::Object(members).to_string();
    ProblemDetails::from_slice(text.as_bytes()).unwrap_or(problem)
}

/// A problem with the code of another, where it has none; the rest stays.
fn adopted(own: ProblemDetails, other: &ProblemDetails) -> ProblemDetails {
    let Some(code) = other.code() else {
        return own;
    };
    if own.code().is_some() && own.type_uri().is_some() {
        return own;
    }
    let Ok(Value::Object(mut members)) = serde_json::from_slice::<Value>(&own.to_vec()) else {
        return own;
    };
    members
        .entry("code")
        .or_insert_with(|| Value::String(code.as_str().to_owned()));
    let text = Value::Object(members).to_string();
    ProblemDetails::from_slice(text.as_bytes()).unwrap_or(own)
}
