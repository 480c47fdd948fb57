//! What holds for every input.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::corpus::tokens;
use super::{REDACTED, header, json_text, sensitive_key, text};

/// Text made of the pieces the scanner reacts to.
fn busy() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => proptest::sample::select(vec![
            "password", "token", "secret", "Authorization", "Cookie", "Bearer", "Basic", "Digest", "api key", "=", ":", ": ", "://", "@", "\"", "'",
            "\\\"", "\\", "[", "]", "{", "}", "<", ">", "</", "&", "?", ";", ",", " ", "\n", "%3D", "%3A", "%20", "%25", "%2", "-----BEGIN ",
            "PRIVATE KEY-----", "-----END ", "eyJ", ".", "sk-", "ghp_", "--", "-u ", "[redacted]", "${", "$", "4111", "1111", "tcp(", "`", "*", "AKIA",
        ]).prop_map(str::to_owned),
        2 => "[a-zA-Z0-9]{1,24}",
        1 => any::<char>().prop_map(String::from),
    ];
    vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// A value nobody could take for a word or a placeholder.
fn secret() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9]{4,8}[0-9][a-zA-Z][0-9][a-zA-Z0-9]{6,30}"
}

/// A name that promises a secret.
fn name() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "password",
        "api_key",
        "apiKey",
        "X-Api-Key",
        "client_secret",
        "access_token",
        "refresh-token",
        "PASSWORD",
        "private_key",
        "db_password",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn redacting_twice_changes_nothing_more(input in prop_oneof![busy(), any::<String>()]) {
        let once = text(&input).into_owned();
        prop_assert_eq!(text(&once), once.as_str());
        let document = json_text(&input).into_owned();
        prop_assert_eq!(json_text(&document), document.as_str());
    }

    #[test]
    fn every_input_is_survived(name in busy(), input in busy()) {
        let _ = sensitive_key(&input);
        let once = header(&name, &input).into_owned();
        prop_assert_eq!(header(&name, &once), once.as_str());
        let mut value = json!({ input.as_str(): [name.as_str(), input.as_str(), {"name": name, "value": input}] });
        let written = value.to_string();
        super::json(&mut value);
        let redacted = json_text(&written).into_owned();
        prop_assert_eq!(serde_json::from_str::<Value>(&redacted).ok(), Some(value));
    }

    #[test]
    fn what_the_quick_look_passes_holds_no_secret(name in busy(), first in busy(), second in busy(), key in name()) {
        let value = json!({ name.as_str(): first, "list": [first, second], "pair": [name, second], key: {"a": [second]},
            "one": {"name": name, "value": second}, "two": {"pointer": first, "detail": second} });
        for value in [value["list"].clone(), value["two"].clone(), value["pair"].clone(), value["one"].clone(), value] {
            let written = value.to_string();
            let mut redacted = value.clone();
            super::json(&mut redacted);
            let shown = json_text(&written);
            prop_assert_eq!(serde_json::from_str::<Value>(&shown).ok(), Some(redacted), "{}", written);
        }
    }

    #[test]
    fn a_named_secret_never_survives(name in name(), secret in secret(), before in "[a-z ]{0,20}", after in "[a-z ]{0,20}") {
        for given in [
            format!("{before} {name}={secret} {after}"),
            format!("{before} {name}: {secret} {after}"),
            format!("{before} {name}=\"{secret}\", {after}"),
            format!("{{\"{name}\": \"{secret}\"}} {after}"),
            format!("{{\\\"{name}\\\":\\\"{secret}\\\"}} {after}"),
            format!("https://a.example/x?{name}={secret}&b=1 {after}"),
            format!("https%3A%2F%2Fa.example%2Fx%3F{name}%3D{secret}%26b%3D1 {after}"),
            format!("{before} --{name} {secret} {after}"),
            format!("<{name}>{secret}</{name}>{after}"),
            format!("mysql://user:{secret}@host/{after}"),
            format!("Authorization: Bearer {secret} {after}"),
            format!("Cookie: a={secret}; b=c\n{after}"),
        ] {
            let hidden = text(&given);
            prop_assert!(!hidden.contains(&secret) && hidden.contains(REDACTED) && hidden.ends_with(&after), "{} -> {}", given, hidden);
            // What stands around the secret is kept to the letter: nothing but the secret gave way.
            let kept: usize = hidden.split(REDACTED).map(str::len).sum();
            prop_assert!(kept + secret.len() + 16 >= given.len(), "{} -> {}", given, hidden);
        }
        let mut value = json!({"x": [{name: secret}], "y": {"name": name, "value": secret}});
        let written = json_text(&value.to_string()).into_owned();
        super::json(&mut value);
        prop_assert!(!written.contains(&secret) && !value.to_string().contains(&secret));
        prop_assert_eq!(header(name, &secret), REDACTED);
    }

    #[test]
    fn a_shaped_secret_never_survives(pick in any::<proptest::sample::Index>(), before in "[a-z ,(\"=/]{0,12}[ ,(\"=/]", after in "[ ,)\"&]([a-z ]{0,12})") {
        let tokens = tokens();
        let (kind, secret) = pick.get(&tokens);
        let given = format!("{before}{secret}{after}");
        let hidden = text(&given);
        prop_assert!(!hidden.contains(secret.as_str()) && hidden.contains(REDACTED), "{}: {} -> {}", kind, given, hidden);
        let mut value = json!({ "note": given, "list": [secret] });
        let written = json_text(&value.to_string()).into_owned();
        super::json(&mut value);
        prop_assert!(!written.contains(secret.as_str()) && !value.to_string().contains(secret.as_str()), "{}", kind);
        prop_assert!(!header("X-Note", &given).contains(secret.as_str()), "{}", kind);
    }
}
