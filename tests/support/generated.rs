//! The files that are generated from the code, each with what it must hold.

use std::fs;
use std::path::Path;

/// Path from the root, and contents.
pub fn files() -> Vec<(String, String)> {
    let mut files = vec![
        (
            "docs/schema/problem.schema.json".to_owned(),
            pretty(&schemars::schema_for!(aon_core::ProblemDetails)),
        ),
        (
            "docs/schema/event.schema.json".to_owned(),
            pretty(&aon_live::schema::event()),
        ),
        (
            "docs/schema/worker.schema.json".to_owned(),
            pretty(&aon_agent::schema::worker()),
        ),
        (
            "docs/schema/southbound.schema.json".to_owned(),
            pretty(&aon_agent::south::schema::southbound()),
        ),
        (
            "docs/schema/daemon.schema.json".to_owned(),
            pretty(&aon_agent::schema::daemon()),
        ),
        ("docs/recovery.md".to_owned(), recovery_chapter()),
        (
            "docs/observability/metrics.md".to_owned(),
            format!(
                "# Metrics\n\nGenerated from the code by `cargo regen`. [The chapter](../observability.md) says how to use them.\n\n{}",
                aon_observe::names::table()
            ),
        ),
        (
            "docs/contract.md".to_owned(),
            aon_cli::contract::TEXT.to_owned(),
        ),
        (
            "docs/schema/lint-report.schema.json".to_owned(),
            pretty(&aon_lint::report::schema()),
        ),
        (
            "docs/schema/score-report.schema.json".to_owned(),
            pretty(&aon_lint::score::report::schema()),
        ),
        (
            "manifests/schema/aon-manifest.schema.json".to_owned(),
            pretty(&aon_manifest::native::json_schema()),
        ),
    ];
    files.extend(
        aon_lint::docs::pages()
            .into_iter()
            .map(|(name, page)| (format!("docs/rules/{name}"), page)),
    );
    files.extend(
        crate::reference::pages()
            .into_iter()
            .map(|(name, page)| (format!("docs/reference/{name}"), page)),
    );
    files.push(("crates/cli/book.txt".to_owned(), book(&files)));
    files.sort();
    files
}

/// The chapter as it is, with the table of decisions in its place.
fn recovery_chapter() -> String {
    let path = crate::place::root().join("docs/recovery.md");
    let text = fs::read_to_string(path).expect("the chapter");
    let (start, end) = ("<!-- decisions -->\n", "<!-- /decisions -->");
    let (before, rest) = text.split_once(start).expect("where the table begins");
    let (_, after) = rest.split_once(end).expect("where the table ends");
    let table = aon::recovery::table_markdown();
    format!("{before}{start}{table}{end}{after}")
}

/// All of `docs/` in one text, as the program carries it: what is generated as it must be, the rest as it is.
fn book(generated: &[(String, String)]) -> String {
    let mut paths = Vec::new();
    collect(&crate::place::root().join("docs"), "", &mut paths);
    paths.extend(
        generated
            .iter()
            .filter_map(|(path, _)| path.strip_prefix("docs/").map(str::to_owned)),
    );
    paths.sort();
    paths.dedup();
    let files: Vec<(String, String)> = paths
        .into_iter()
        .map(|path| {
            let whole = format!("docs/{path}");
            let own = generated.iter().find(|(known, _)| *known == whole);
            let text = own.map_or_else(
                || {
                    fs::read_to_string(crate::place::root().join(&whole))
                        .unwrap_or_else(|error| panic!("{whole}: {error}"))
                },
                |(_, text)| text.clone(),
            );
            (path, text)
        })
        .collect();
    aon_cli::book::pack(&files)
}

fn collect(folder: &Path, inside: &str, paths: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("docs/ can be read") {
        let entry = entry.expect("docs/ can be read");
        let path = format!("{inside}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{path}/"), paths);
        } else {
            paths.push(path);
        }
    }
}

/// Folders that hold nothing but generated files.
const OWNED: &[&str] = &[
    "docs/reference",
    "docs/rules",
    "docs/schema",
    "manifests/schema",
];

/// Files in generated folders that nothing generates any more.
pub fn left_over(root: &Path, files: &[(String, String)]) -> Vec<String> {
    let mut found = Vec::new();
    for folder in OWNED {
        let Ok(entries) = fs::read_dir(root.join(folder)) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if !files.iter().any(|(kept, _)| *kept == path) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn pretty<T: serde::Serialize>(value: &T) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("a schema is JSON");
    text.push('\n');
    text
}
