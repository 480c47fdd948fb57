//! `aon docs`: served, written into a folder, printed, and looked at in a real browser.

use std::path::Path;
use std::process::Command;

use aon_tests::place;
use serde_json::json;

use crate::demo::{PROGRAM, Server};
use crate::tools;

fn aon(args: &[&str]) -> (i32, String, String) {
    let output = Command::new(PROGRAM).args(args).output().expect("it runs");
    (
        output.status.code().expect("it ends"),
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

#[test]
fn a_page_is_printed_and_a_wrong_name_gets_the_nearest() {
    let (code, out, _) = aon(&["docs", "getting-started"]);
    assert_eq!(code, 0);
    assert!(out.starts_with("# Getting started\n"), "{out}");
    let (code, _, err) = aon(&["docs", "geting-started"]);
    assert_eq!(code, 2);
    assert!(err.contains("Did you mean getting-started?"), "{err}");
    let (code, _, err) = aon(&["docs", "undeclared-choice"]);
    assert_eq!(code, 2);
    assert!(err.contains("rules/undeclared-choice"), "{err}");
}

#[test]
fn the_site_is_written_into_a_folder_and_never_over_other_files() {
    let folder = std::env::temp_dir().join(format!("aon-docs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.to_str().expect("text");
    std::fs::write(folder.join("index.html"), "mine").expect("a file");
    let (code, _, err) = aon(&["docs", "--out", path]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("is not empty"), "{err}");
    let kept = std::fs::read_to_string(folder.join("index.html")).expect("it is there");
    assert_eq!(kept, "mine");
    std::fs::remove_file(folder.join("index.html")).expect("it goes");
    for _ in 0..2 {
        let (code, out, err) = aon(&["docs", "--out", path]);
        assert_eq!(code, 0, "{err}");
        assert!(out.contains("index.html"), "{out}");
    }
    for file in [
        "index.html",
        "rules/index.html",
        "book.css",
        "book-index.js",
    ] {
        assert!(folder.join(file).is_file(), "{file}");
    }
    std::fs::remove_dir_all(&folder).expect("the folder goes");
}

#[test]
fn every_page_is_served_and_a_wrong_address_gets_the_nearest() {
    let server = Server::start(&[PROGRAM, "docs", "--port", "0"]);
    let mut served = 0;
    for file in aon_cli::book::site() {
        let answer = server.send("GET", &format!("/{}", file.path), &[], b"");
        assert_eq!(answer.status, 200, "{}", file.path);
        assert_eq!(answer.text(), file.text, "{}", file.path);
        served += 1;
    }
    assert!(served > 60, "{served} files");
    for folder in ["/", "/rules/"] {
        assert_eq!(server.send("GET", folder, &[], b"").status, 200, "{folder}");
    }
    let lost = server.send("GET", "/geting-started.html", &[], b"");
    assert_eq!(lost.status, 404);
    assert!(
        lost.text().contains("/getting-started.html"),
        "{}",
        lost.text()
    );
    place::say(&format!("count: files of the site, {served} served"));
}

#[test]
fn a_person_reads_and_searches_the_book_on_a_desk_and_on_a_phone() {
    let suite = "the book in a browser";
    let known = [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
    ];
    let browser = std::env::var("AON_BROWSER").ok().or_else(|| {
        let found = known.into_iter().find(|path| Path::new(path).exists());
        found.map(str::to_owned)
    });
    let Some(browser) = browser else {
        return place::say(&format!(
            "skipped: {suite}, there is no chromium; .ci/tools installs it"
        ));
    };
    let server = Server::start(&[PROGRAM, "docs", "--port", "0"]);
    let pages: Vec<String> = aon_cli::book::site()
        .into_iter()
        .map(|file| file.path)
        .filter(|path| path.ends_with(".html"))
        .collect();
    let plan = json!({
        "base": server.base,
        "browser": browser,
        "shots": std::env::var("AON_SHOTS").ok(),
        "pages": pages,
    });
    let Some(report) = tools::module(suite, "playwright-core", "book.mjs", &plan) else {
        return;
    };
    assert_eq!(report["complaints"], json!([]), "the pages have errors");
    assert_eq!(report["outside"], json!([]), "a page loads from elsewhere");
    assert_eq!(
        report["overflow"],
        json!([]),
        "pages that are wider than a phone"
    );
    assert_eq!(report["small"], json!([]), "text too small for a phone");
    let shades = [&report["light"], &report["dark"], &report["chosen"]];
    let shade = |at: usize| shades[at].as_u64().expect("a shade");
    assert!(shade(0) > 200 && shade(1) < 60, "{shades:?}");
    assert!(
        shade(2) > 200,
        "the button makes it light again: {shades:?}"
    );
    assert_eq!(
        report["menu"],
        json!([false, true]),
        "the contents open on a phone"
    );
    for (words, place) in [
        ("undeclared choice", "rules/undeclared-choice.html"),
        ("exit codes", "exit-codes.html"),
        ("anyhow", "migrating.html"),
    ] {
        let hits = report["found"][words].as_array().expect("hits");
        let first: Vec<&str> = hits.iter().take(3).filter_map(|hit| hit.as_str()).collect();
        assert!(
            first.iter().any(|hit| hit.contains(place)),
            "{words}: {first:?}"
        );
    }
    assert_eq!(report["nothing"], "Nothing was found.");
    assert_eq!(
        report["keyboard"], true,
        "a slash, words and Enter lead to a page"
    );
    let seen = report["seen"].as_u64().expect("a count");
    assert_eq!(seen, pages.len() as u64, "pages that were looked at");
    place::say(&format!(
        "count: {suite}, {seen} pages at the width of a phone, and a walk on a desk"
    ));
}
