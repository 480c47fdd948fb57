//! The page of the demo in a real browser. Says so when there is none.

use std::process::Command;

use crate::demo::Demo;
use crate::run::Folder;

/// Every failure the page offers, with the code all three surfaces must show, or none where each has a word of its own.
const SCENARIOS: [(&str, Option<&str>); 18] = [
    ("invalid", Some("invalid_auth_ux")),
    ("unclear", Some("invalid_auth_ux")),
    ("missing", Some("possibility_not_found")),
    ("private", Some("sign_in_required")),
    ("read-only", Some("missing_scope")),
    ("provisioning", Some("still_provisioning")),
    ("no-domain", Some("custom_domain_missing")),
    ("busy", Some("too_many_changes")),
    ("broken", Some("storage")),
    ("retired", Some("possibility_retired")),
    ("crash", Some("internal")),
    ("absent", Some("missing_field")),
    ("type", Some("invalid_value")),
    ("stray", Some("unknown_field")),
    ("array", None),
    ("json", None),
    ("name", None),
    ("fine", None),
];

fn browser() -> Option<String> {
    let named = std::env::var("AON_BROWSER").ok();
    let known = ["chromium", "chromium-browser", "google-chrome"].map(str::to_owned);
    named.into_iter().chain(known).find(|name| {
        Command::new(name)
            .arg("--version")
            .output()
            .is_ok_and(|output| output.status.success())
    })
}

/// The page after its scripts have run, at an address.
fn page(browser: &str, folder: &Folder, url: &str) -> String {
    let output = Command::new(browser)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--virtual-time-budget=15000",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", folder.0.display()))
        .arg(url)
        .output()
        .expect("the browser runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_page_shows_each_failure_on_three_surfaces() {
    let Some(browser) = browser() else {
        aon_tests::place::say(
            "skipped: the demo page in a browser, there is no chromium here (AON_BROWSER names one)",
        );
        return;
    };
    let demo = Demo::start();
    let folder = Folder::new("browser");
    let mut seen = 0;
    for (name, code) in SCENARIOS {
        let dom = page(
            &browser,
            &folder,
            &format!("http://127.0.0.1:{}/#{name}", demo.port),
        );
        assert!(
            dom.contains("data-state=\"done\""),
            "{name}: the page did not finish: {dom}"
        );
        assert!(
            dom.contains(&format!("data-scenario=\"{name}\"")),
            "{name} was not picked"
        );
        let start = dom.find("id=\"verdict\"").expect("a verdict");
        let verdict = dom[start..]
            .split_once('>')
            .and_then(|(_, rest)| rest.split_once('<'))
            .expect("text")
            .0;
        match code {
            Some(code) => {
                assert!(
                    verdict.starts_with(&format!("All three say the same: {code}, status ")),
                    "{name}: {verdict}"
                );
                assert!(!dom.contains("<mark class=\"differs\">\""), "{name}");
            }
            None if name == "fine" => assert_eq!(verdict, "All three accepted the call."),
            None => assert!(
                verdict.starts_with("Each surface has its own word")
                    || verdict.starts_with("All three say"),
                "{name}: {verdict}"
            ),
        }
        if name != "fine" {
            assert_eq!(dom.matches("<dt>What</dt>").count(), 3, "{name}");
            assert!(
                dom.matches("<dt>Why</dt>").count() == 3 || name == "crash",
                "{name}"
            );
        }
        if name == "invalid" {
            assert_eq!(
                dom.matches("Send this instead: {").count(),
                2,
                "MCP and A2A correct the call"
            );
            assert!(dom.contains("<mark class=\"renamed\">\"documentation_uri\"</mark>"));
            assert!(dom.contains("<mark class=\"own\">\"corrected_args\"</mark>"));
        }
        seen += 1;
    }
    assert_eq!(seen, SCENARIOS.len());
    println!("failures seen in the browser: {seen}");
}
