//! GitHub's OpenAPI document to TypeScript: beside bare parsing in the same process, and beside the generators people use today.
//!
//! The document is read from the corpus (`AON_CORPUS`, or `../shared/corpus` beside the project), the peers from the tools that
//! `.ci/tools --peers` installs (`AON_TOOLS`, or `target/tools`). What is missing is named and left out.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use aon_codegen::target::python::Python;
use aon_codegen::target::typescript::TypeScript;
use aon_codegen::{Options, Target, lower};
use aon_manifest::{Document, NoFiles, ReadOptions};

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let corpus = env::var_os("AON_CORPUS").map_or_else(|| root.join("../shared/corpus"), PathBuf::from);
    let file = corpus.join("openapi/github/api.github.com.json");
    let Ok(bytes) = fs::read(&file) else {
        println!("gen: skipped, {} is not there", file.display());
        return;
    };
    let rounds = 7;
    let (mut parse, mut whole, mut python, mut lowering, mut size) = (vec![], vec![], vec![], vec![], 0);
    for _ in 0..rounds {
        let start = Instant::now();
        let document = Document::open("github.json", bytes.clone(), &ReadOptions::default(), &NoFiles);
        let parsed = start.elapsed();
        let api = lower(&document.apis(), None, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
        let lowered = start.elapsed();
        let files = TypeScript.emit(&api, &Options::default());
        let written = start.elapsed();
        size = files.iter().map(|file| file.contents().len()).sum();
        let again = Instant::now();
        let pages = Python.emit(&api, &Options::default());
        python.push(lowered + again.elapsed());
        assert!(!pages.is_empty());
        parse.push(parsed);
        lowering.push(lowered - parsed);
        whole.push(written);
    }
    let base = median(&mut parse);
    println!("| what | time | against parsing |");
    println!("|---|---|---|");
    let line = |name: &str, time: Duration| {
        println!("| {name} | {:.0} ms | {:.2} |", time.as_secs_f64() * 1e3, time.as_secs_f64() / base.as_secs_f64());
    };
    line("parse and link, 13 MB", base);
    line("lower", median(&mut lowering));
    let ours = median(&mut whole);
    line(&format!("parse, lower and write TypeScript ({} kB)", size / 1024), ours);
    line("parse, lower and write Python", median(&mut python));

    let tools = env::var_os("AON_TOOLS").map_or_else(|| root.join("target/tools"), PathBuf::from);
    let out = env::temp_dir().join(format!("aon-bench-gen-{}", std::process::id()));
    fs::create_dir_all(&out).expect("a folder for the output of the peers");
    let node = |name: &str| tools.join("node/node_modules/.bin").join(name);
    let peers: [(&str, PathBuf, Vec<String>); 3] = [
        ("openapi-typescript", node("openapi-typescript"), vec![text(&file), "-o".into(), text(&out.join("a.ts"))]),
        ("openapi-zod-client", node("openapi-zod-client"), vec![text(&file), "-o".into(), text(&out.join("b.ts"))]),
        (
            "datamodel-code-generator",
            tools.join("venv/bin/datamodel-codegen"),
            ["--input", &text(&file), "--input-file-type", "openapi", "--output-model-type", "pydantic_v2.BaseModel", "--output", &text(&out.join("c.py"))]
                .map(str::to_owned)
                .to_vec(),
        ),
    ];
    for (name, program, args) in peers {
        if !program.exists() {
            println!("| {name} | not installed | |");
            continue;
        }
        let start = Instant::now();
        let status = Command::new(&program).args(&args).stdout(Stdio::null()).stderr(Stdio::null()).status();
        let time = start.elapsed();
        match status {
            Ok(status) if status.success() => {
                line(name, time);
                println!("| … against ours | {:.0}× | |", time.as_secs_f64() / ours.as_secs_f64());
            }
            _ => println!("| {name} | failed after {:.0} s | |", time.as_secs_f64()),
        }
    }
    let _ = fs::remove_dir_all(&out);
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
