//! Secrets of many kinds, each in the surroundings it is usually found in.
//!
//! They are made from pieces, so that no complete secret stands in this repository.

use serde_json::{Value, json};

use super::{REDACTED, header, json_text, text};

pub(super) const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
pub(super) const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
pub(super) const HEX: &str = "0123456789abcdef";

/// Letters that look drawn at random and are the same on every run.
pub(super) fn body(alphabet: &str, length: usize) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = 0x2545_f491_u64 + length as u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % letters.len()
    };
    (0..length).map(|_| letters[next()]).collect()
}

/// Tokens that are known by their own shape.
pub(super) fn tokens() -> Vec<(&'static str, String)> {
    let made =
        |prefix: &str, alphabet: &str, length: usize| format!("{prefix}{}", body(alphabet, length));
    let jwt = format!(
        "eyJ{}.eyJ{}.{}",
        body(LETTERS, 33),
        body(LETTERS, 60),
        body(LETTERS, 43)
    );
    vec![
        ("jwt", jwt),
        (
            "jwt with dashes",
            format!(
                "eyJ{}.eyJ{}-_{}.{}_",
                body(LETTERS, 20),
                body(LETTERS, 9),
                body(LETTERS, 9),
                body(LETTERS, 40)
            ),
        ),
        (
            "jwe",
            format!(
                "eyJ{}..{}.{}.{}",
                body(LETTERS, 33),
                body(LETTERS, 16),
                body(LETTERS, 80),
                body(LETTERS, 22)
            ),
        ),
        (
            "unsigned jwt",
            format!("eyJ{}.eyJ{}", body(LETTERS, 17), body(LETTERS, 24)),
        ),
        ("aws long term", made("AKIA", UPPER, 16)),
        ("aws session", made("ASIA", UPPER, 16)),
        ("google api", made("AIza", LETTERS, 35)),
        ("google oauth", made("ya29.", LETTERS, 60)),
        ("github personal", made("ghp_", LETTERS, 36)),
        ("github oauth", made("gho_", LETTERS, 36)),
        ("github user", made("ghu_", LETTERS, 36)),
        ("github server", made("ghs_", LETTERS, 36)),
        ("github refresh", made("ghr_", LETTERS, 36)),
        (
            "github fine",
            format!("github_pat_{}_{}", body(LETTERS, 22), body(LETTERS, 59)),
        ),
        ("gitlab", made("glpat-", LETTERS, 20)),
        (
            "gitlab routable",
            format!("glpat-{}.01.{}", body(LETTERS, 27), body(LETTERS, 9)),
        ),
        (
            "slack bot",
            format!(
                "xoxb-{}-{}-{}",
                body("0123456789", 12),
                body("0123456789", 12),
                body(LETTERS, 24)
            ),
        ),
        (
            "slack user",
            format!("xoxp-{}-{}", body("0123456789", 12), body(LETTERS, 24)),
        ),
        ("slack app", format!("xoxa-2-{}", body(LETTERS, 24))),
        ("slack refresh", format!("xoxr-{}", body(LETTERS, 24))),
        ("slack session", format!("xoxs-{}", body(LETTERS, 24))),
        ("stripe live", made("sk_live_", LETTERS, 24)),
        ("stripe test", made("sk_test_", LETTERS, 24)),
        ("stripe restricted", made("rk_live_", LETTERS, 24)),
        ("stripe webhook", made("whsec_", LETTERS, 32)),
        ("openai", made("sk-", LETTERS, 48)),
        (
            "openai project",
            format!(
                "sk-proj-{}-{}_{}",
                body(LETTERS, 20),
                body(LETTERS, 30),
                body(LETTERS, 20)
            ),
        ),
        (
            "anthropic",
            format!("sk-ant-api03-{}-{}AA", body(LETTERS, 50), body(LETTERS, 40)),
        ),
        ("twilio key", made("SK", HEX, 32)),
        ("twilio account", made("AC", HEX, 32)),
        (
            "sendgrid",
            format!("SG.{}.{}", body(LETTERS, 22), body(LETTERS, 43)),
        ),
        ("npm", made("npm_", LETTERS, 36)),
        ("pypi", made("pypi-AgEIcHlwaS5vcmc", LETTERS, 60)),
        ("hugging face", made("hf_", LETTERS, 34)),
        ("digital ocean", made("dop_v1_", HEX, 64)),
        ("shopify", made("shpat_", HEX, 32)),
        ("shopify shared", made("shpss_", HEX, 32)),
        (
            "telegram",
            format!("{}:AA{}", body("123456789", 9), body(LETTERS, 33)),
        ),
        (
            "discord",
            format!(
                "MTA{}.{}.{}",
                ["5ODc2NTQz", "MjEwMTIzNDU2Nw"].concat(),
                body(LETTERS, 6),
                body(LETTERS, 38)
            ),
        ),
        ("age", made("AGE-SECRET-KEY-1", UPPER, 58)),
        ("square", made("sq0atp-", LETTERS, 22)),
        ("docker", made("dckr_pat_", LETTERS, 27)),
        ("vault", made("hvs.", LETTERS, 90)),
        ("grafana", made("glsa_", LETTERS, 32)),
        ("linear", made("lin_api_", LETTERS, 40)),
        (
            "postman",
            format!("PMAK-{}-{}", body(HEX, 24), body(HEX, 34)),
        ),
        ("mailgun", made("key-", HEX, 32)),
        ("databricks", made("dapi", HEX, 32)),
        ("atlassian", made("ATATT3", LETTERS, 100)),
        ("visa", ["4111", "1111", "1111", "1111"].concat()),
        ("visa spaced", ["4111", "1111", "1111", "1111"].join(" ")),
        (
            "mastercard dashed",
            ["5555", "5555", "5555", "4444"].join("-"),
        ),
        ("mastercard new", ["2223", "0031", "2200", "3222"].concat()),
        ("amex", ["3782", "822463", "10005"].concat()),
        ("amex spaced", ["3782", "822463", "10005"].join(" ")),
        ("discover", ["6011", "1111", "1111", "1117"].join(" ")),
        ("diners", ["3056", "930902", "5904"].concat()),
        ("jcb", ["3530", "1113", "3330", "0000"].concat()),
        ("google client", made("GOCSPX-", LETTERS, 28)),
        ("google refresh", made("1//0g", LETTERS, 60)),
        (
            "azure client",
            format!("{}8Q~{}", body(LETTERS, 3), body(LETTERS, 34)),
        ),
        ("gitlab job", made("glcbt-64_", LETTERS, 20)),
        ("crates.io", made("cio", LETTERS, 32)),
        (
            "terraform",
            format!("{}.atlasv1.{}", body(LETTERS, 14), body(LETTERS, 67)),
        ),
        ("notion", made("ntn_", LETTERS, 46)),
        ("planetscale password", made("pscale_pw_", LETTERS, 43)),
        ("fly", made("fm2_", LETTERS, 90)),
        ("perplexity", made("pplx-", LETTERS, 48)),
        (
            "discord of now",
            format!(
                "N{}.{}.{}",
                body(LETTERS, 25),
                body(LETTERS, 6),
                body(LETTERS, 38)
            ),
        ),
        ("mailchimp", format!("{}-us21", body(HEX, 32))),
        (
            "nuget",
            made("oy2", "abcdefghijklmnopqrstuvwxyz0123456789", 43),
        ),
        ("some vendor", made("acme_live_", LETTERS, 24)),
        ("some other vendor", made("zeta_", LETTERS, 40)),
        ("some token", made("thing_tkn_", HEX, 40)),
    ]
}

/// Text in base64.
pub(super) fn encoded(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..=chunk.len() {
            let digit = bits >> (18 - 6 * at) & 63;
            out.push(char::from(
                DIGITS[usize::try_from(digit).expect("six bits")],
            ));
        }
        out.push_str(&"=".repeat(3 - chunk.len()));
    }
    out
}

fn row(before: &str, secret: &str, after: &str) -> (String, String, String) {
    (before.to_owned(), secret.to_owned(), after.to_owned())
}

/// What stands before a secret, the secret, and what stands after it.
fn placed() -> Vec<(String, String, String)> {
    let plain = body(LETTERS, 18);
    let key = body(LETTERS, 40);
    let hex = body(HEX, 40);
    let base64 = format!("{}+/{}==", body(LETTERS, 40), body(LETTERS, 40));
    let bearer = body(LETTERS, 30);
    let basic = ["dXNlcjpo", "dW50ZXIy"].concat();
    let pem = |label: &str| {
        let line = body(LETTERS, 64);
        format!(
            "-----BEGIN {label}-----\n{line}\n{line}\n{}=\n-----END {label}-----",
            body(LETTERS, 30)
        )
    };
    vec![
        // Headers.
        row("Authorization: Bearer ", &bearer, ""),
        row("authorization: bearer ", &bearer, "\r\nAccept: */*"),
        row("Authorization: Bearer ", "abc", "\nx"),
        row("Authorization: Bearer ", "secret-token", " was rejected"),
        row("Proxy-Authorization: Basic ", &basic, "\nHost: a.example"),
        row(
            "Authorization: Digest ",
            "username=\"u\", realm=\"r\", response=\"6629fae4\"",
            "\nHost: a",
        ),
        row(
            "Authorization: AWS4-HMAC-SHA256 ",
            "Credential=X/20260101/eu/s3/aws4_request, Signature=fe5f80",
            "\n",
        ),
        row("Authorization: Token ", &hex, ""),
        row("Authorization: ", &key, ""),
        row(
            "curl -H 'Authorization: Bearer ",
            &bearer,
            "' https://api.example.com/v1",
        ),
        row(
            "curl -H \"X-Api-Key: ",
            &key,
            "\" https://api.example.com/v1",
        ),
        row(
            "{\"headers\":{\"Authorization\":\"Bearer ",
            &bearer,
            "\"}} trailing",
        ),
        row("log: sent Bearer ", &bearer, ", got 401"),
        row("log: sent Basic ", &basic, " and failed"),
        row("Cookie: ", "sid=abc; theme=dark", "\nAccept: */*"),
        row("Set-Cookie: ", "sid=s%3Aabc.def; Path=/; HttpOnly", "\r\n"),
        row("curl -H 'Cookie: ", "sid=abc; b=c", "' https://a.example"),
        row(
            "{\"msg\":\"call\", \"line\":\"Authorization: Bearer ",
            &bearer,
            "\"",
        ),
        row("x-auth-token: ", &plain, " (stale)"),
        row("headers={authorization=[Bearer ", &bearer, "], accept=[a]}"),
        // Connection strings.
        row("postgres://user:", "pass", "@host"),
        row(
            "postgresql://app:",
            &plain,
            "@db.internal:5432/main?sslmode=require",
        ),
        row(
            "cannot reach mysql://root:",
            "p@ss",
            "@127.0.0.1:3306/db now",
        ),
        row(
            "mongodb+srv://admin:",
            &plain,
            "@cluster0.example.net/?retryWrites=true",
        ),
        row("mongodb://a:", &plain, "@h1:27017,h2:27017/db"),
        row("redis://:", "pw", "@cache:6379/0"),
        row("Uid=a;Password={", "p;w}d", "};Encrypt=True"),
        row("Authorization: Bearer ", "abc123", ", retry"),
        row("my password is ", "S3cr3t!pass", "."),
        row("The Password was '", "hunter two", "', sorry"),
        row("https://user:", "passwd", "@192.168.0.1:25060"),
        row("https://api:", "token", "@localhost:8080/x"),
        row("rediss://default:", &plain, "@cache:6380"),
        row("amqp://guest:", "guest", "@mq:5672/%2f"),
        row("https://user:", &plain, "@example.com/path?x=1"),
        row("postgres://user:", "p/ss", "@host/db"),
        row("smtp://mail%40example.com:", "pw1", "@smtp.example.com:587"),
        row(
            "jdbc:postgresql://db/main?user=app&password=",
            &plain,
            "&ssl=true",
        ),
        row("app:", &plain, "@tcp(127.0.0.1:3306)/main"),
        row("https://", &hex, "@sentry.example.com/1"),
        row(
            "Server=db;Database=main;User Id=sa;Password=",
            &plain,
            ";Encrypt=true",
        ),
        row("Driver={ODBC};Uid=app;Pwd=", &plain, ";"),
        row(
            "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=",
            &base64,
            ";EndpointSuffix=core.windows.net",
        ),
        row(
            "Endpoint=sb://a.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=",
            &base64,
            "",
        ),
        // Addresses.
        row(
            "https://a.blob.example.net/c?sv=2024&sig=",
            "abc%2Bdef%3D",
            "&se=2026",
        ),
        row(
            "https://api.example.com/v1?access_token=",
            &plain,
            "&page=2",
        ),
        row("https://api.example.com/v1?page=2&api_key=", &plain, "#top"),
        row("GET /cb?id_token=", &plain, " HTTP/1.1"),
        row(
            "https://s3.example.com/k?X-Amz-Date=1&X-Amz-Signature=",
            &hex,
            "",
        ),
        row(
            "next=https%3A%2F%2Fa.example%2Fcb%3Ftoken%3D",
            &plain,
            "%26page%3D2",
        ),
        row("u=postgres%3A%2F%2Fapp%3A", &plain, "%40db%2Fmain"),
        row(
            "q=https%253A%252F%252Fa%252F%253Fapi_key%253D",
            &plain,
            "%2526b%253D1",
        ),
        row("/p?access%5Ftoken=", &plain, "&b=1"),
        row("h=Authorization%3A%20Bearer%20", &bearer, "%0AAccept"),
        row(
            "https://hooks.slack.com/services/",
            "T00000000/B00000000/abcdefgh",
            " failed",
        ),
        row(
            "https://discord.com/api/webhooks/",
            "123456789012345678/abc-def_ghi",
            "",
        ),
        row(
            "https://api.telegram.org/bot",
            &["987654321", ":AA", &body(LETTERS, 33)].concat(),
            "/sendMessage",
        ),
        row("user[name]=a&user[password]=", "hunter2", "&commit=1"),
        // Pairs.
        row("password=", "hunter2", ""),
        row("password: ", "hunter2", ""),
        row("login failed, password=", "hunter2", ", user=ann"),
        row("Password: ", "Tr0ub4dor&3", "\nUser: ann"),
        row("pwd=", "a,b)c", " next"),
        row("{\"password\": \"", "correct horse", "\", \"user\": 1"),
        row("{'client_secret': '", &plain, "', 'a': 1}"),
        row(
            "body was {\\\"password\\\":\\\"",
            "hunter2",
            "\\\",\\\"a\\\":1}",
        ),
        row("api key: ", &plain, ""),
        row("AWS secret access key: ", &key, " ok"),
        row("aws_secret_access_key = ", &base64, "\nregion = eu"),
        row("export GITHUB_TOKEN=", &plain, " && run"),
        row("DB_PASSWORD='", "it is long", "' ./run"),
        row("client_secret => \"", "s3", "\","),
        row("refresh_token:", &plain, ""),
        row("<password>", "hunter2", "</password>"),
        row("<wsse:Password Type=\"x\">", "hunter2", "</wsse:Password>"),
        row("<add key=\"a\" password=\"", "hunter2", "\"/>"),
        row("tool --password ", "hunter2", " --verbose"),
        row("tool --api-key=", &plain, " run"),
        row("curl -u admin:", "hunter2", " https://a.example"),
        row("PIN: ", "4821", " entered"),
        row("ssn=", "078-05-1120", ""),
        row("cvv: ", "123", ""),
        row("**Password**: ", "hunter2", ""),
        row("seed phrase: ", "apple tree river stone", "\nend"),
        row("const apiKey = \"", &plain, "\";"),
        row("session_cookie=", &plain, "; x"),
        row("\"private_key\": \"", "-----BEGIN X-----\\nabc", "\""),
        row("secret: \"", "with \\\" quote", "\" end"),
        row("tokens: access_token=", &plain, "]"),
        // What opens an account, wherever it stands.
        row("jdbc:oracle:thin:scott/", "tiger1", "@db:1521/orcl"),
        row("https://a.example/v1?auth=", &plain, "&page=2"),
        row("https://a.example/v1?page=2&key=", &plain, ""),
        row("X-RapidAPI-Key: ", &hex, "\n"),
        row("X-Session-Id: ", &plain, "\n"),
        row("X-Auth: ", &plain, "\n"),
        row("{\"session_id\": \"", &plain, "\"} was kept"),
        row("{\"sid\": \"", &plain, "\"} was kept"),
        row("{\"auth\": \"", &plain, "\"} was kept"),
        row("{\"bearer\": \"", &plain, "\"} was kept"),
        row(
            "Content-Disposition: form-data; name=\"password\"\r\n\r\n",
            "hunter2",
            "\r\n--x--",
        ),
        row("ALTER USER app PASSWORD '", "hunter2", "'"),
        row("mysql -u root -p", "hunter2", " shop"),
        row("https://a.example/reset-password/", &plain, "?lang=de"),
        row("app:", &plain, "@db.internal:5432/main"),
        row(
            "config: ",
            &encoded(&format!("password={plain}")),
            " (encoded)",
        ),
        // Private keys.
        row("key:\n", &pem(&["PRIVATE", "KEY"].join(" ")), "\nend"),
        row("a ", &pem(&["RSA", "PRIVATE", "KEY"].join(" ")), " b"),
        row("a ", &pem(&["OPENSSH", "PRIVATE", "KEY"].join(" ")), " b"),
        row("a ", &pem(&["EC", "PRIVATE", "KEY"].join(" ")), " b"),
        row("a ", &pem(&["ENCRYPTED", "PRIVATE", "KEY"].join(" ")), " b"),
        row(
            "a ",
            &pem(&["PGP", "PRIVATE", "KEY", "BLOCK"].join(" ")),
            " b",
        ),
        // Random text next to a hint.
        row("the secret is ", &hex, " now"),
        row("my api key ", &key, " leaked"),
        row("AWS secret ", &body(LETTERS, 40), ""),
        row("token (", &body(HEX, 64), ")"),
    ]
}

#[test]
fn placed_secrets_go_and_their_surroundings_stay() {
    let placed = placed();
    let mut wrong = Vec::new();
    for (before, secret, after) in &placed {
        let given = format!("{before}{secret}{after}");
        let wanted = format!("{before}{REDACTED}{after}");
        let got = text(&given);
        if got != wanted || text(&got) != got {
            wrong.push(format!("given  {given}\nwanted {wanted}\ngot    {got}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} wrong:\n{}",
        wrong.len(),
        placed.len(),
        wrong.join("\n")
    );
    assert!(
        placed.len() + tokens().len() >= 120,
        "only {} and {} secrets",
        placed.len(),
        tokens().len()
    );
}

#[test]
fn tokens_go_wherever_they_stand() {
    let places = [
        ("", ""),
        ("used ", " today"),
        ("(", ")"),
        ("value=", "&next=1"),
        ("it was ", ", then."),
        ("x: \"", "\""),
        ("https://a.example/", "/list"),
        ("https://a.example/?q=", "#a"),
        ("a%3A", "%20b"),
        ("größe ", " größe"),
        ("[", "]"),
        ("line\n", "\nline"),
    ];
    let mut covered = 0;
    let mut wrong = Vec::new();
    for (name, secret) in tokens() {
        for (before, after) in places {
            let given = format!("{before}{secret}{after}");
            let wanted = format!("{before}{REDACTED}{after}");
            let got = text(&given);
            if got != wanted || text(&got) != got {
                wrong.push(format!("{name}: given {given}\n  got {got}"));
            }
            covered += 1;
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {covered} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(covered >= 600, "only {covered} places");
}

#[test]
fn tokens_go_from_json_and_headers() {
    let mut covered = 0;
    for (name, secret) in tokens() {
        let given = json!({"a": [1, {"note": format!("see {secret} here")}], "b": secret.as_str()});
        let mut value = given.clone();
        super::json(&mut value);
        let wanted = json!({"a": [1, {"note": format!("see {REDACTED} here")}], "b": REDACTED});
        assert_eq!(value, wanted, "{name}");
        let written = json_text(&given.to_string()).into_owned();
        assert_eq!(
            serde_json::from_str::<Value>(&written).ok(),
            Some(wanted),
            "{name}"
        );
        assert_eq!(header("X-Note", &secret), REDACTED, "{name}");
        assert_eq!(
            header("Authorization", &format!("Bearer {secret}")),
            format!("Bearer {REDACTED}"),
            "{name}"
        );
        let mut keyed = json!({});
        keyed[secret.as_str()] = json!(1);
        super::json(&mut keyed);
        assert_eq!(keyed, json!({ REDACTED: 1 }), "{name}");
        covered += 1;
    }
    assert!(covered >= 50, "only {covered} tokens");
}

#[test]
fn a_cut_private_key_goes_too() {
    let given = format!(
        "key -----BEGIN {} KEY-----\n{}\n{}",
        "PRIVATE",
        body(LETTERS, 64),
        body(LETTERS, 20)
    );
    assert_eq!(text(&given), format!("key {REDACTED}"));
    let escaped = given.replace('\n', "\\n");
    assert_eq!(text(&escaped), format!("key {REDACTED}"));
}
