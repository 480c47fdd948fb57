//! Counts names and learns weights: `zcat inputs.jsonl.gz | cargo run --release -p aon-tests --bin learn -- [--half seen|unseen]`.
//!
//! Reads one input per line (`provider`, `name`, `in`, `type`, `description`, `values`, and the constraints) and writes
//! `lint/src/choice/names.tsv` and `lint/src/choice/weights.tsv`. The same lines give the same files.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead as _;
use std::{env, fs};

use aon_lint::{Candidate, Location, training};
use aon_manifest::model::Types;
use aon_manifest::{ParseOptions, parse};
use aon_tests::hidden::Half;
use aon_tests::place;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Row {
    provider: String,
    name: String,
    #[serde(rename = "in")]
    place: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    description: Option<String>,
    values: Option<Vec<Value>>,
    format: Option<String>,
    pattern: Option<String>,
    example: Option<Value>,
    default: Option<Value>,
    minimum: Option<f64>,
    maximum: Option<f64>,
    #[serde(rename = "minLength")]
    min_length: Option<usize>,
    #[serde(rename = "maxLength")]
    max_length: Option<usize>,
}

/// What is learned from: the features of an input, whether its author declared a set, and how much it counts.
struct Sample {
    features: Vec<usize>,
    closed: f64,
    counts: f64,
}

fn main() {
    let half = env::args().find_map(|arg| match arg.as_str() {
        "seen" => Some(Half::Seen),
        "unseen" => Some(Half::Unseen),
        _ => None,
    });
    let mut odd = 0;
    let mut rows: Vec<Row> = Vec::new();
    for line in std::io::stdin().lock().lines() {
        // Some authors write a number where a text belongs; those inputs are left out and counted.
        match serde_json::from_str::<Row>(&line.expect("text")) {
            Ok(row) if half.is_none_or(|half| Half::of(&row.provider) == half) => rows.push(row),
            Ok(_) => {}
            Err(_) => odd += 1,
        }
    }
    assert!(!rows.is_empty(), "no inputs on standard input");
    let folder = place::root().join("lint/src/choice");
    let names = names(&rows);
    let weights = weights(&rows);
    fs::write(folder.join("names.tsv"), &names).expect("written");
    fs::write(folder.join("weights.tsv"), &weights).expect("written");
    println!(
        "{} inputs ({odd} left out): {} names, {} weights",
        rows.len(),
        names.lines().count(),
        weights.lines().count()
    );
}

fn is_closed(row: &Row) -> bool {
    row.values.as_ref().is_some_and(|values| values.len() >= 2)
}

/// In how many APIs inputs of a name, or of a last word or two, declare their values. An API counts as most of its inputs do.
fn names(rows: &[Row]) -> String {
    let mut all: BTreeMap<String, BTreeMap<&str, (usize, usize)>> = BTreeMap::new();
    for row in rows
        .iter()
        .filter(|row| row.kind.as_deref() != Some("integer"))
    {
        let words = training::words(&row.name);
        let ends = (1..=2.min(words.len()))
            .map(|from| format!("*_{}", words[words.len() - from..].join("_")));
        for name in ends.chain([words.join("_")]) {
            let (closed, inputs) = all
                .entry(name)
                .or_default()
                .entry(&row.provider)
                .or_default();
            *closed += usize::from(is_closed(row));
            *inputs += 1;
        }
    }
    let mut out = String::new();
    for (name, apis) in all {
        let closed = apis
            .values()
            .filter(|(closed, inputs)| closed * 2 >= *inputs && *closed > 0)
            .count();
        let least = if name.starts_with("*_") { 4 } else { 3 };
        if apis.len() >= least && name.len() > 2 {
            out.push_str(&format!("{name}\t{closed}\t{}\n", apis.len()));
        }
    }
    out
}

/// Logistic regression by gradient descent with a penalty on large weights. Each API counts with the square root of its inputs.
fn weights(rows: &[Row]) -> String {
    let mut apis: BTreeMap<&str, f64> = BTreeMap::new();
    for row in rows {
        *apis.entry(&row.provider).or_default() += 1.0;
    }
    let mut used: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let mut read: Vec<(Vec<String>, &Row)> = Vec::new();
    for row in rows {
        if let Some(features) = features(row) {
            for feature in &features {
                used.entry(feature.clone())
                    .or_default()
                    .insert(&row.provider);
            }
            read.push((features, row));
        }
    }
    // A word that one vendor uses says nothing about others.
    used.retain(|_, apis| apis.len() >= LEAST_APIS);
    let index: BTreeMap<&String, usize> = used
        .keys()
        .enumerate()
        .map(|(at, name)| (name, at))
        .collect();
    let samples: Vec<Sample> = read
        .iter()
        .map(|(features, row)| Sample {
            features: features
                .iter()
                .filter_map(|name| index.get(name).copied())
                .collect(),
            closed: f64::from(u8::from(is_closed(row))),
            counts: 1.0 / apis[row.provider.as_str()].sqrt(),
        })
        .collect();
    let learned = descend(&samples, index.len());
    let mut out = String::new();
    for (name, at) in index {
        let thousandths = (learned[at] * 1000.0).round();
        if thousandths.abs() >= 20.0 {
            out.push_str(&format!("{name}\t{thousandths}\n"));
        }
    }
    out
}

fn descend(samples: &[Sample], size: usize) -> Vec<f64> {
    let mut weights = vec![0.0; size];
    let mut squares = vec![1e-8_f64; size];
    for _ in 0..ROUNDS {
        for sample in samples {
            let sum: f64 = sample.features.iter().map(|at| weights[*at]).sum();
            let error = (1.0 / (1.0 + (-sum).exp()) - sample.closed) * sample.counts;
            for at in &sample.features {
                let slope = error + PENALTY * weights[*at] * sample.counts;
                squares[*at] += slope * slope;
                weights[*at] -= RATE * slope / squares[*at].sqrt();
            }
        }
    }
    weights
}

fn features(row: &Row) -> Option<Vec<String>> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let kind = row.kind.clone().unwrap_or_default();
    let tree = parse(
        "type.json",
        format!("{{\"type\":\"{kind}\"}}"),
        &ParseOptions::default(),
    );
    let default = row.default.as_ref().map(text);
    let example = row.example.as_ref().map(text);
    let examples: Vec<&str> = example.iter().map(String::as_str).collect();
    let candidate = Candidate {
        name: &row.name,
        location: match row.place.as_str() {
            "path" => Location::Path,
            "query" => Location::Query,
            "header" => Location::Header,
            _ => Location::Body,
        },
        types: Types::read(tree.root().and_then(|root| root.get("type")), None),
        array: false,
        format: row.format.as_deref(),
        pattern: row.pattern.as_deref(),
        min_length: row.min_length,
        max_length: row.max_length,
        minimum: row.minimum,
        maximum: row.maximum,
        description: row.description.as_deref().filter(|text| !text.is_empty()),
        more: None,
        default: default.as_deref(),
        examples: &examples,
        path: "",
        neighbours: &|_: &mut dyn FnMut(&str)| {},
        untyped_is_string: false,
    };
    let useful =
        training::is_candidate(&candidate) && (is_closed(row) || !training::is_told(&candidate));
    useful.then(|| training::features(&candidate))
}

const LEAST_APIS: usize = 4;
const ROUNDS: usize = 60;
const PENALTY: f64 = 0.15;
const RATE: f64 = 0.05;
