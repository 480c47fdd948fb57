//! The page in a real browser: light, dark, and on a phone.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use aon_lint::score::report::html;
use aon_lint::score::{Report, Unread, next_steps};
use aon_tests::place;
use serde_json::Value;

/// What the browser is asked: nothing may be wider than the window, nothing may be loaded, every part must be visible.
const SCRIPT: &str = r#"
import { createRequire } from "node:module";
const [tools, chromium, page, folder] = process.argv.slice(2);
const { chromium: driver } = createRequire(tools + "/node/")("playwright-core");
const browser = await driver.launch({ executablePath: chromium, args: ["--no-sandbox"] });
const results = [];
for (const [name, width, height, scheme] of [["light", 1280, 900, "light"], ["dark", 1280, 900, "dark"], ["phone", 390, 844, "light"]]) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  const tab = await context.newPage();
  const loaded = [], errors = [];
  tab.on("request", (request) => loaded.push(request.url()));
  tab.on("console", (message) => errors.push(message.text()));
  tab.on("pageerror", (error) => errors.push(String(error)));
  await tab.goto("file://" + page);
  await tab.locator("summary").first().click();
  const seen = await tab.evaluate(() => {
    const box = (selector) => [...document.querySelectorAll(selector)].map((node) => node.getBoundingClientRect());
    const shown = (selector) => box(selector).filter((rect) => rect.width > 0 && rect.height > 0).length;
    return {
      overflow: document.documentElement.scrollWidth - window.innerWidth,
      radars: shown("svg.radar"), cells: shown(".heat td.cell"), details: shown("details"), open: shown("details[open] .body"),
      background: getComputedStyle(document.body).backgroundColor,
      smallest: Math.min(...[...document.querySelectorAll("td, p, summary, li")].map((node) => parseFloat(getComputedStyle(node).fontSize))),
    };
  });
  await tab.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  results.push({ name, ...seen, loaded: loaded.filter((url) => !url.startsWith("file://" + page)), errors });
  await context.close();
}
await browser.close();
console.log(JSON.stringify(results));
"#;

fn chromium() -> Option<PathBuf> {
    let named = env::var_os("AON_BROWSER").map(PathBuf::from);
    let known = [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
    ];
    named
        .into_iter()
        .chain(known.iter().map(PathBuf::from))
        .find(|path| path.is_file())
}

fn report() -> Report {
    let folder = place::root().join("manifests/examples");
    let mut names: Vec<_> = fs::read_dir(&folder)
        .expect("manifests/examples")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("a name")
        })
        .filter(|name| !name.ends_with(".md"))
        .collect();
    names.sort();
    let texts: Vec<(String, String)> = names
        .into_iter()
        .map(|name| {
            (
                name.clone(),
                fs::read_to_string(folder.join(name)).expect("an example"),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = texts
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    Report::new(
        super::scored(&files),
        vec![Unread::new("broken.yaml", "it ends too early")],
    )
}

#[test]
fn the_page_is_right_in_a_real_browser() {
    let Some(tools) = place::tools("score page", "node/node_modules/playwright-core") else {
        return;
    };
    let Some(chromium) = chromium() else {
        place::say("skipped: score page, there is no chromium here (AON_BROWSER names one)");
        return;
    };
    let report = report();
    let folder = env::temp_dir().join(format!("aon-score-page-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for the page");
    let page = folder.join("report.html");
    fs::write(&page, html(&report, None, Some(&next_steps(&report.apis)))).expect("the page");
    let script = folder.join("look.mjs");
    fs::write(&script, SCRIPT).expect("the script");
    let results = look(&tools, &chromium, &script, &page, &folder);
    assert_eq!(results.len(), 3);
    let mut backgrounds = Vec::new();
    for seen in &results {
        let name = &seen["name"];
        assert!(
            seen["overflow"].as_i64().expect("a number") <= 0,
            "{name} is wider than its window: {seen}"
        );
        assert_eq!(
            seen["radars"].as_u64(),
            Some(report.apis.len() as u64),
            "{seen}"
        );
        assert_eq!(
            seen["cells"].as_u64(),
            Some(report.apis.len() as u64 * 5),
            "{seen}"
        );
        assert_eq!(
            seen["details"].as_u64(),
            Some(report.apis.len() as u64 * 5),
            "{seen}"
        );
        assert!(
            seen["open"].as_u64() >= Some(1),
            "a click opens the evidence: {seen}"
        );
        assert_eq!(seen["loaded"], serde_json::json!([]), "nothing is loaded");
        assert_eq!(seen["errors"], serde_json::json!([]));
        assert!(
            seen["smallest"].as_f64().expect("a number") >= 12.0,
            "{seen}"
        );
        let size = fs::metadata(folder.join(format!("{}.png", name.as_str().expect("a name"))))
            .expect("a screenshot")
            .len();
        assert!(size > 20_000, "the screenshot of {name} is almost empty");
        backgrounds.push(seen["background"].clone());
    }
    assert_ne!(backgrounds[0], backgrounds[1], "dark is dark");
    place::say(&format!("count: score page {} windows", results.len()));
    match env::var_os("AON_SCREENSHOTS") {
        Some(place) => {
            for name in ["light.png", "dark.png", "phone.png"] {
                fs::copy(folder.join(name), Path::new(&place).join(name))
                    .expect("a copy of the screenshot");
            }
        }
        None => fs::remove_dir_all(&folder).expect("the folder goes"),
    }
}

fn look(tools: &Path, chromium: &Path, script: &Path, page: &Path, folder: &Path) -> Vec<Value> {
    let output = Command::new("node")
        .args([script, tools, chromium, page, folder])
        .output()
        .expect("node starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("results")
}
