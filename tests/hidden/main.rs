//! Prints how well hidden enums are found and restored: `cargo run --release -p aon-tests --bin hidden -- PATHS`.
//!
//! `--half seen` and `--half unseen` keep to one half of the providers. `--missed`, `--wrong` and `--others` list places of the seen
//! half, for whoever changes the rule; those of the unseen half are never shown.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use aon_tests::hidden::{Figures, Half, Trial, measure, provider};

fn main() {
    let mut paths = Vec::new();
    let mut lists = Vec::new();
    let mut halves = vec![Half::Seen, Half::Unseen];
    let mut args = env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--half" => {
                halves = match args.next().as_deref() {
                    Some("seen") => vec![Half::Seen],
                    Some("unseen") => vec![Half::Unseen],
                    _ => usage("`--half` takes `seen` or `unseen`"),
                }
            }
            "--missed" | "--wrong" | "--others" => lists.push(arg),
            _ if arg.starts_with('-') => usage(&format!("`{arg}` is not an option")),
            _ => paths.push(PathBuf::from(arg)),
        }
    }
    if paths.is_empty() {
        usage("name files or folders");
    }
    let mut files = Vec::new();
    for path in &paths {
        collect(path, &mut files);
    }
    files.sort();
    let mut all: BTreeMap<Half, BTreeMap<String, Trial>> = BTreeMap::new();
    for path in files {
        let provider = provider(&path);
        let half = Half::of(&provider);
        if !halves.contains(&half) {
            continue;
        }
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if let Some(trial) = measure(&name, &text) {
            if half == Half::Seen {
                list(&name, &trial, &lists);
            }
            let sum = all.entry(half).or_default().entry(provider).or_default();
            sum.places.extend(trial.places);
            sum.others.extend(trial.others);
        }
    }
    for (half, trials) in &all {
        println!("{half:?} half: {}", Figures::of(trials));
    }
    if all.len() > 1 {
        let both = all.into_values().flatten().collect();
        println!("Both halves: {}", Figures::of(&both));
    }
}

fn usage(what: &str) -> ! {
    eprintln!("{what}\nusage: hidden [--half seen|unseen] [--missed] [--wrong] [--others] PATHS");
    std::process::exit(2);
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if let Ok(entries) = fs::read_dir(path) {
        for entry in entries.flatten() {
            collect(&entry.path(), files);
        }
    } else if path
        .extension()
        .is_some_and(|kind| kind == "yaml" || kind == "yml" || kind == "json")
    {
        files.push(path.to_path_buf());
    }
}

fn list(file: &str, trial: &Trial, lists: &[String]) {
    let wants = |name: &str| lists.iter().any(|list| list == name);
    for place in &trial.places {
        let wrong = place.fixed.is_some() && !place.exact();
        if wants("--missed") && place.found.is_none() || wants("--wrong") && wrong {
            println!(
                "{:?} {file} {} `{}` declared {:?} fixed {:?}\n    {:?}",
                place.told, place.pointer, place.name, place.declared, place.fixed, place.text
            );
        }
    }
    if wants("--others") {
        for other in &trial.others {
            println!(
                "other {file} {} {:?} fixed={} {}\n    {:?}",
                other.pointer, other.hit, other.fixed, other.message, other.text
            );
        }
    }
}
