//! Text that only talks about secrets, or looks like one and is none.

use std::borrow::Cow;

use super::{json_text, text};

const INNOCENT: &[&str] = &[
    "",
    "set the password field",
    "Bearer token required",
    "bearer token-based authentication",
    "The bearer of this letter",
    "WWW-Authenticate: Bearer realm=\"x\"",
    "WWW-Authenticate: Bearer realm=\"x\", error=\"invalid_token\", error_description=\"The token expired\"",
    "WWW-Authenticate: Basic realm=\"Access to staging\", charset=\"UTF-8\"",
    "Basic authentication is disabled",
    "Digest authentication is disabled",
    "Authorization: Bearer token required",
    "Authorization: header missing",
    "Authorization: Bearer <token>",
    "Authorization: Bearer {token}",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer ${TOKEN}",
    "Authorization: Bearer [redacted]",
    "Authorization: Bearer",
    "missing Authorization header",
    "password: must be at least 8 characters",
    "password: is too short",
    "password is required",
    "password is 8 characters long",
    "the secret is well-known",
    "token: expired",
    "token: invalid",
    "token expired at 2026-08-01T12:00:00Z",
    "the secret: never give up",
    "password: String, token: &str",
    "token: token was rejected",
    "Password: required",
    "api_key=<your-api-key>",
    "api_key=YOUR_API_KEY",
    "api_key=$API_KEY",
    "api_key=${API_KEY}",
    "api_key={{ api_key }}",
    "token: ${{ secrets.TOKEN }}",
    "https://api.example.com/v1?api_key={api_key}",
    "GET /users/{token}/items",
    "\"password\": null",
    "\"password\": \"\"",
    "\"password\": \"<password>\"",
    "password=***",
    "token=xxxxxxxx",
    "has_password=true",
    "token_type=Bearer&expires_in=3600",
    "max_tokens=4096 total_tokens: 17",
    "next_page_token=CAUQAA",
    "https://api.example.com/list?page_token=eyJwIjoyfQ&limit=10",
    "continuation_token: abc123",
    "author: Ann Example",
    "authority=example.com",
    "key=value",
    "primary_key: id",
    "idempotency_key=8f14e45f-ceea-467f-a9b5-0c1d2e3f4a5b",
    "public_key: MCowBQYDK2VwAyEA",
    "session_id=0190b6a0-7d1e-7cc3-98c4-dc0c0c07398f",
    "request_id 0190b6a0-7d1e-7cc3-98c4-dc0c0c07398f",
    "urn:pspace:request:0190b6a0-7d1e-7cc3-98c4-dc0c0c07398f",
    "token 550e8400-e29b-41d4-a716-446655440000 is a request",
    "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "token rejected, trace_id=4bf92f3577b34da6a3ce929d0e0e4736",
    "commit 95f063095f063095f063095f063095f063095f06",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "secret scan passed for commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "ETag: \"33a64df551425fcc55e4d42a148795d9f25f89d4\"",
    "integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP",
    "2026-08-01T12:34:56.789Z",
    "2026-08-01 12:34:56",
    "https://example.com/docs/errors#auth?x=1&y=2",
    "https://example.com:8443/@user/post",
    "https://medium.com/@author/some-title-1234567890ab",
    "http://[::1]:8080/path@x",
    "http://localhost:8080/",
    "ssh://git@github.com/org/repo.git",
    "git@github.com:org/repo.git",
    "mailto:ann@example.com",
    "postgres://user@host/db",
    "postgres://user:[redacted]@host/db",
    "postgres://user:<password>@host/db",
    "postgres://user:${DB_PASSWORD}@host/db",
    "postgres://localhost:5432/db",
    "timestamp 1786000000000 and 1786000000000000",
    "order 4111 1111 1111 1112 is no card",
    "phone +49 30 1234567",
    "amount 4111.1111",
    "id 1234567890123456789",
    "ratio 0.4111111111111111",
    "call +4915112345678 or 4915112345678",
    "pi_3MtwBwLkdIwHu7ix28a3tqPa of cus_NffrFeUfNV2Hib",
    "user_2NNEqL2nrIRdJ194ndJqAHwEfxC and order_01HZX3K9V7Q2M8T4B6N5C1D0EF",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "api-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b is deployed",
    "cache key 5d41402abc4b2a76b9719d911017c592",
    "?key=name&order=asc",
    "?auth=oauth2&scope=read",
    "auth: oauth2, key: RSA-2048",
    "key: line_item_2",
    "https://example.com/docs/reset-password/guide",
    "https://example.com/verify/email",
    "/v1/login/callback",
    "the name=\"password\" field is missing",
    "Login failed for user ann",
    "$6 million, $2b of it",
    "a SIGNATURE='x' of f(a, b)",
    "mysql -h db -u root",
    "12:30@noon, mailto:john.doe1@example.com",
    "aHR0cHM6Ly9leGFtcGxlLmNvbS9kb2NzL2dldHRpbmctc3RhcnRlZA==",
    "sk-circle-fade-dot and task-runner-with-a-long-name",
    "npm_config_registry and npm_lifecycle_event_name",
    "hf_hub and ghp_ prefix",
    "AKIA is a prefix",
    "eyJ is how they begin, eyJustice.example.com",
    "pypi-publish-action",
    "secret_santa_list",
    "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUXk\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----",
    "a -----BEGIN PRIVATE KEY----- line is expected",
    "use --token to pass a token",
    "tool --password --verbose",
    "<password></password>",
    "<token>{token}</token>",
    "Cookie: <cookies>",
    "cookie_policy=strict; SameSite=Lax",
    "PWD=/home/ann/project",
    "first pass: parse, second pass: check",
    "std::token::Kind and Token::new(password)",
    "12:30 to 13:45, ratio 3:2",
    "a=b; c = d, e => f",
    "100% of 50%off %zz",
    "caf\u{e9} \u{1f600} na\u{ef}ve: \u{fc}ber=\u{e4}",
    "https://example.com/?q=hello%20world&lang=de%2DDE",
    "The signature did not match",
    "grant_type=client_credentials",
    "token=os.environ.get(\"API_TOKEN\")",
    "const token = process.env.API_TOKEN;",
    "\"credentials\" : {",
    "\"credentials\" : [",
    "\"credentials\" : [ ]",
    "credentials: []",
    "account_sid: ACaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "unexpected token: found `}`",
    "{\"type\":\"token\",\"text\":\"Hello\"}",
    "{\"code\":\"quota_exceeded\",\"status\":429,\"valid_values\":{\"grant_type\":[\"password\",\"refresh_token\"]}}",
];

#[test]
fn innocent_text_stays_as_it_is() {
    let mut wrong = Vec::new();
    for given in INNOCENT {
        let got = text(given);
        if !matches!(got, Cow::Borrowed(_)) {
            wrong.push(format!("given {given}\ngot   {got}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} wrong:\n{}",
        wrong.len(),
        INNOCENT.len(),
        wrong.join("\n")
    );
    assert!(INNOCENT.len() >= 80, "only {} texts", INNOCENT.len());
}

#[test]
fn innocent_text_stays_inside_json() {
    let mut covered = 0;
    for given in INNOCENT {
        let document = serde_json::json!({ "detail": given, "list": [given] }).to_string();
        assert_eq!(json_text(&document), document);
        let mut value = serde_json::json!({ "detail": given });
        super::json(&mut value);
        assert_eq!(value["detail"], *given);
        covered += 1;
    }
    assert!(covered >= 80, "only {covered} texts");
}
