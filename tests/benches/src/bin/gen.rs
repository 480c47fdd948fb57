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
    let args: Vec<String> = env::args().skip(1).collect();
    if let [part, file] = args.as_slice() {
        return alone(part, file);
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let corpus = env::var_os("AON_CORPUS").map_or_else(|| root.join("../shared/corpus"), PathBuf::from);
    let file = corpus.join("openapi/github/api.github.com.json");
    let Ok(bytes) = fs::read(&file) else {
        println!("gen: skipped, {} is not there", file.display());
        return;
    };
    let rounds = 15;
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
    let base = best(&parse);
    println!("| what | time | against parsing |");
    println!("|---|---|---|");
    let line = |name: &str, time: Duration| {
        println!("| {name} | {:.0} ms | {:.2} |", time.as_secs_f64() * 1e3, time.as_secs_f64() / base.as_secs_f64());
    };
    line("parse and link, 13 MB", base);
    line("lower", best(&lowering));
    let ours = best(&whole);
    line(&format!("parse, lower and write TypeScript ({} kB)", size / 1024), ours);
    line("parse, lower and write Python", best(&python));

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
    println!();
    println!("| generator | CPU | peak memory | output |");
    println!("|---|---|---|---|");
    // Each in a process of its own, our parts included: this program starts itself again.
    let own = env::current_exe().expect("this program has a path");
    let ours = ["parse", "typescript", "python"].map(|part| (format!("aon, {part}"), own.clone(), vec![part.to_owned(), text(&file)]));
    let peers = peers.map(|(name, program, args)| (name.to_owned(), program, args));
    for (name, program, args) in ours.into_iter().chain(peers) {
        if !program.exists() {
            println!("| {name} | not installed | | |");
            continue;
        }
        let told = Command::new("/usr/bin/time").args(["-f", "%U %S %M"]).arg(&program).args(&args).stdin(Stdio::null()).output();
        let Ok(told) = told else {
            println!("| {name} | /usr/bin/time is not there | | |");
            continue;
        };
        let said = String::from_utf8_lossy(&told.stderr).into_owned();
        let numbers: Vec<f64> = said.lines().last().unwrap_or("").split(' ').filter_map(|word| word.parse().ok()).collect();
        if let (true, [user, system, memory]) = (told.status.success(), numbers.as_slice()) {
            let written = String::from_utf8_lossy(&told.stdout).trim().parse().unwrap_or(0) + size_of(&out);
            println!("| {name} | {:.0} ms | {:.0} MB | {} kB |", (user + system) * 1e3, memory / 1024.0, written / 1024);
        } else {
            let reason = said.lines().find(|line| line.contains("rror")).unwrap_or("it says nothing");
            println!("| {name} | failed: {} | | |", reason.trim().replace('|', "/").chars().take(160).collect::<String>());
        }
        let _ = fs::remove_dir_all(&out);
        fs::create_dir_all(&out).expect("a folder for the output of the peers");
    }
    let _ = fs::remove_dir_all(&out);
}

/// One part of our own work, for the table of processes. Says how many bytes it wrote.
fn alone(part: &str, file: &str) {
    let bytes = fs::read(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let document = Document::open("github.json", bytes, &ReadOptions::default(), &NoFiles);
    let mut written = 0;
    if part != "parse" {
        let api = lower(&document.apis(), None, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
        let files = if part == "python" { Python.emit(&api, &Options::default()) } else { TypeScript.emit(&api, &Options::default()) };
        written = files.iter().map(|file| file.contents().len()).sum();
        std::mem::forget((files, api));
    }
    std::mem::forget(document);
    println!("{written}");
}

/// The bytes of all files in a folder.
fn size_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|about| about.len()).sum()
}

/// The best of all rounds: what the machine does beside only ever adds.
fn best(times: &[Duration]) -> Duration {
    times.iter().copied().min().unwrap_or_default()
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
