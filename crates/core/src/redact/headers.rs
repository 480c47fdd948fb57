//! Values of headers, as they are shown.

use super::header;

#[test]
fn headers_keep_their_scheme() {
    let rows = [
        ("Authorization", "Bearer a b c", "Bearer [redacted]"),
        ("authorization", "Basic dXNlcjpw", "Basic [redacted]"),
        (
            "Authorization",
            "Digest username=\"u\", response=\"r\"",
            "Digest [redacted]",
        ),
        ("Authorization", "rawvalue", "[redacted]"),
        ("Authorization", "Bearer {token}", "Bearer {token}"),
        (
            "Authorization",
            "Bearer <your-token>",
            "Bearer <your-token>",
        ),
        ("Authorization", "Bearer $TOKEN", "Bearer $TOKEN"),
        ("Authorization", "Bearer [redacted]", "Bearer [redacted]"),
        ("Authorization", "", ""),
        ("X-Api-Key", "abc", "[redacted]"),
        ("X-Api-Key", "${API_KEY}", "${API_KEY}"),
        ("Set-Cookie", "a=b; Path=/", "[redacted]"),
        (
            "WWW-Authenticate",
            "Bearer realm=\"x\", error=\"invalid_token\"",
            "Bearer realm=\"x\", error=\"invalid_token\"",
        ),
        (
            "Referer",
            "https://a.example/?token=abc&b=1",
            "https://a.example/?token=[redacted]&b=1",
        ),
        ("Content-Type", "application/json", "application/json"),
    ];
    for (name, value, wanted) in rows {
        assert_eq!(header(name, value), wanted, "{name}: {value}");
    }
}
