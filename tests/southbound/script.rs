//! The shell script of the chapter, as it is there.

use std::process::Command;

use aon_tests::place::{root, say};

use crate::support::{exec, setup};

#[tokio::test]
async fn the_script_of_the_chapter_signs() {
    let chapter = std::fs::read_to_string(root().join("docs/southbound.md")).expect("the chapter");
    let script = chapter
        .split("```sh\n")
        .find(|part| part.starts_with("#!/bin/sh"))
        .expect("the script");
    let script = script.split("```").next().expect("its end");
    let lines = script
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .count();
    assert!(lines <= 10, "{lines} lines");
    let setup = setup("");
    let path = setup.folder.write("ask.sh", script);
    let run = |body: &str, secret: &str| {
        Command::new("sh")
            .arg(&path)
            .args([&setup.server.http, "ops-1", &setup.key.0, secret, body])
            .output()
            .expect("sh")
    };
    let body = exec("curl-1", "/bin/echo", &["from a shell"]).to_string();
    let output = run(&body, &setup.key.1);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains(r#""stdout":"from a shell\n""#),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8_lossy(&run(&body, &setup.key.1).stdout).into_owned();
    assert!(text.contains(r#""replayed":true"#), "{text}");
    let text = String::from_utf8_lossy(&run(&body, &"00".repeat(32)).stdout).into_owned();
    assert!(text.contains("signature_invalid"), "{text}");
    say(&format!(
        "count: 3 requests signed by curl and openssl, {lines} lines of shell"
    ));
}
