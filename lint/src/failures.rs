//! What the description of an operation says about its failures. The rules and the score ask the same functions.

use aon_manifest::model::{ErrorResponse, Method, Operation, Status};

/// Whether it describes a failure: a status from 400 to 599, or a `default` that says more than that there is one.
pub(crate) fn is_failure(error: &ErrorResponse<'_>) -> bool {
    match error.status {
        Some(Status::Default) => says_something(error),
        Some(status) => status.is_error(),
        None => false,
    }
}

/// Whether the caller is to blame, or may be: a 4xx, or a `default`, which stands for every 4xx that is not listed.
pub(crate) fn is_client_failure(error: &ErrorResponse<'_>) -> bool {
    is_failure(error) && error.status.is_some_and(|status| !status.is_server_error())
}

/// Whether an operation says how it can fail.
pub(crate) fn lists_failure(operation: &Operation<'_>) -> bool {
    operation.errors.iter().any(is_failure)
}

/// Whether it reads and takes nothing, so that a caller can do nothing wrong.
pub(crate) fn is_harmless(operation: &Operation<'_>) -> bool {
    matches!(operation.method, Some(Method::Get | Method::Head))
        && operation.parameters.is_empty()
        && operation.request_body.is_none()
}

/// Whether the body of an error has a shape: a schema, or an example.
pub(crate) fn is_typed(error: &ErrorResponse<'_>) -> bool {
    error.has_schema() || !error.examples.is_empty()
}

/// A bare `default` only repeats that something can go wrong.
fn says_something(error: &ErrorResponse<'_>) -> bool {
    is_typed(error) || error.code.is_some() || error.remediation.is_some()
}

#[cfg(test)]
mod tests {
    use aon_manifest::Document;

    use super::*;

    #[test]
    fn a_default_counts_for_what_it_says() {
        let text = |default: &str| {
            format!(
                "openapi: 3.0.0\ninfo: {{ title: a, version: '1' }}\npaths: {{ /a: {{ post: {{ responses: {{ '200': {{ description: OK }}, default: {default} }} }} }} }}\n"
            )
        };
        for (default, counts) in [
            ("{ description: Unexpected error }", false),
            (
                "{ description: Error, content: { application/json: { schema: { type: object } } } }",
                true,
            ),
            ("{ description: Error, x-aon-code: broken }", true),
        ] {
            let document = Document::from_text("a.yaml", &text(default));
            let apis = document.apis();
            assert_eq!(lists_failure(&apis[0].operations[0]), counts, "{default}");
        }
    }
}
