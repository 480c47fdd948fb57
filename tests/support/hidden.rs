//! Hidden enums: takes the declared request-side enums out of a document, lints it and fixes it, and compares what came back with
//! what was declared. It needs no labels, so it works on any document.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use aon_lint::{Classifier, Confidence, Edit, Safety, Settings, apply, classify_input, lint};
use aon_manifest::Document;
use aon_manifest::model::{CarrierKind, Input};
use serde_json::Value;

/// The half a provider belongs to. Whoever changes the rule looks at documents of the seen half only.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Half {
    Seen,
    Unseen,
}

impl Half {
    /// A fixed rule: bit 8 of the 32-bit FNV-1a hash of the provider's name.
    pub fn of(provider: &str) -> Half {
        let hash = provider.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
            (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        });
        if hash >> 8 & 1 == 0 {
            Half::Seen
        } else {
            Half::Unseen
        }
    }
}

/// `adyen.com_PayoutService_67.yaml` is of `adyen.com`; other files are of the folder they are in.
pub fn provider(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match name.split_once('_') {
        Some((provider, _)) if provider.contains('.') => provider.to_owned(),
        _ => {
            let folder = path.parent().and_then(Path::file_name);
            folder.unwrap_or_default().to_string_lossy().into_owned()
        }
    }
}

/// How much of a hidden set the words around it name.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Told {
    All,
    Some,
    None,
}

/// A place whose declared values were hidden.
#[derive(Clone, Debug)]
pub struct Place {
    pub pointer: String,
    pub name: String,
    pub text: String,
    pub declared: BTreeSet<String>,
    pub told: Told,
    /// What it was found by; none when it was missed.
    pub found: Option<Hit>,
    /// What `--fix` wrote.
    pub fixed: Option<BTreeSet<String>>,
    /// What `--unsafe-fixes` would write.
    pub offered: Option<BTreeSet<String>>,
}

impl Place {
    pub fn exact(&self) -> bool {
        self.fixed.as_ref() == Some(&self.declared)
    }
}

/// A finding of `undeclared-choice` that is shown without being asked for.
#[derive(Clone, Debug)]
pub struct Hit {
    pub evidence: String,
    pub confidence: Confidence,
}

/// A finding at a place that declared nothing: a set that nobody declared, or a false alarm.
#[derive(Clone, Debug)]
pub struct Other {
    pub pointer: String,
    pub message: String,
    pub text: String,
    pub hit: Hit,
    pub fixed: bool,
}

/// What came of one document.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    pub places: Vec<Place>,
    pub others: Vec<Other>,
}

/// Hides, lints, fixes and compares. None for what is not a manifest or declares nothing.
pub fn measure(name: &str, text: &str) -> Option<Trial> {
    let document = Document::from_text(name, text);
    document.format()?;
    let root = document.entry().root()?;
    let mut places = BTreeMap::new();
    let mut hidden = BTreeSet::new();
    for api in document.apis() {
        for input in api.inputs() {
            for carrier in input.carriers() {
                if carrier.kind == CarrierKind::Enum && carrier.node.is_array() {
                    hidden.insert(carrier.node.pointer());
                }
            }
            if let Some(declared) = declared(&input) {
                let place = place(&input, declared);
                places.insert(place.pointer.clone(), place);
            }
        }
    }
    let mut value = root.to_json();
    for pointer in &hidden {
        if let Some((parent, key)) = pointer.rsplit_once('/')
            && let Some(Value::Object(schema)) = value.pointer_mut(parent)
        {
            schema.remove(key);
        }
    }
    let bare = serde_json::to_string_pretty(&value).ok()?;
    let name = format!("{name}.json");
    let document = Document::from_text(&name, &bare);
    let evidence = evidence(&document);
    let findings = lint(&document, &Settings::default()).findings;
    let shown = findings
        .iter()
        .filter(|finding| finding.rule == "undeclared-choice");
    let mut trial = Trial::default();
    let (mut safe, mut all): (Vec<Edit>, Vec<Edit>) = (Vec::new(), Vec::new());
    for finding in shown {
        if let Some(fix) = &finding.repair {
            if fix.safety == Safety::Safe {
                push(&mut safe, &fix.edits);
            }
            push(&mut all, &fix.edits);
        }
        let (evidence, text) = evidence
            .get(&finding.pointer)
            .cloned()
            .unwrap_or_else(|| ("unknown".to_owned(), String::new()));
        let hit = Hit {
            evidence,
            confidence: finding.confidence,
        };
        match places.get_mut(&finding.pointer) {
            Some(place) => place.found = Some(hit),
            None => trial.others.push(Other {
                pointer: finding.pointer.clone(),
                message: finding.message.clone(),
                text,
                hit,
                fixed: finding
                    .repair
                    .as_ref()
                    .is_some_and(|fix| fix.safety == Safety::Safe),
            }),
        }
    }
    written(&name, &apply(&bare, &safe), &mut places, |place, values| {
        place.fixed = Some(values);
    });
    written(&name, &apply(&bare, &all), &mut places, |place, values| {
        place.offered = Some(values);
    });
    trial.places = places.into_values().collect();
    Some(trial)
}

/// Edits at one place are the same edit, for inputs that share a schema.
fn push(edits: &mut Vec<Edit>, more: &[Edit]) {
    for edit in more {
        if !edits.contains(edit) {
            edits.push(edit.clone());
        }
    }
}

/// What each undeclared input would be reported by, and its words.
fn evidence(document: &Document) -> BTreeMap<String, (String, String)> {
    let mut found = BTreeMap::new();
    let mut classifier = Classifier::default();
    for api in document.apis() {
        for input in api.inputs() {
            if let Some(verdict) = classify_input(&mut classifier, &api, &input) {
                let evidence = format!("{:?}", verdict.evidence).to_lowercase();
                found.insert(input.node.pointer(), (evidence, words(&input)));
            }
        }
    }
    found
}

/// The enums that stand at hidden places after a fix.
fn written(
    name: &str,
    fixed: &str,
    places: &mut BTreeMap<String, Place>,
    note: impl Fn(&mut Place, BTreeSet<String>),
) {
    let document = Document::from_text(name, fixed);
    for api in document.apis() {
        for input in api.inputs() {
            if let Some(values) = declared(&input)
                && let Some(place) = places.get_mut(&input.node.pointer())
            {
                note(place, values);
            }
        }
    }
}

/// The values of the only literal carrier, when it is an `enum` of texts or numbers with something to choose from.
fn declared(input: &Input<'_>) -> Option<BTreeSet<String>> {
    let carriers = input.carriers();
    let [carrier] = carriers.as_slice() else {
        return None;
    };
    if carrier.kind != CarrierKind::Enum || !carrier.node.is_array() {
        return None;
    }
    let values: BTreeSet<String> = carrier
        .node
        .items()
        .filter(|item| !item.is_null())
        .map(|item| item.to_json())
        .map(|value| match value {
            // Quotes tell a text from a number, so that a fix of the wrong type is wrong.
            Value::String(text) => format!("\"{text}\""),
            other => other.to_string(),
        })
        .collect();
    let booleans = values
        .iter()
        .all(|value| value == "true" || value == "false");
    (values.len() >= 2 && !booleans).then_some(values)
}

fn place(input: &Input<'_>, declared: BTreeSet<String>) -> Place {
    let text = words(input);
    let named = declared
        .iter()
        .filter(|value| names(&text, value.trim_matches('"')))
        .count();
    let told = if named == declared.len() {
        Told::All
    } else if named == 0 {
        Told::None
    } else {
        Told::Some
    };
    Place {
        pointer: input.node.pointer(),
        name: input.name().to_owned(),
        text,
        declared,
        told,
        found: None,
        fixed: None,
        offered: None,
    }
}

fn words(input: &Input<'_>) -> String {
    let own = input.description();
    let items = input.schema.items().and_then(|items| items.description());
    let schema = input.schema.description();
    let mut all: Vec<&str> = Vec::new();
    for text in [own, schema, items].into_iter().flatten() {
        if !all.contains(&text.node().text()) {
            all.push(text.node().text());
        }
    }
    all.join("\n\n")
}

/// Whether a text names a value as a word of its own.
fn names(text: &str, value: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    !value.is_empty()
        && text.match_indices(value).any(|(at, found)| {
            let before = text[..at].chars().next_back();
            let behind = text[at + found.len()..].chars().next();
            !before.is_some_and(word) && !behind.is_some_and(word)
        })
}

/// Means over providers, so that one large vendor does not decide.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    pub providers: usize,
    pub places: usize,
    pub found_all: f64,
    pub found_some: f64,
    pub found_none: f64,
    pub precision: f64,
    pub exact: usize,
    pub wrong: usize,
    pub unsafe_exact: usize,
    pub unsafe_wrong: usize,
    /// Safe fixes at places that declared nothing.
    pub elsewhere: usize,
    /// Findings at hidden places and at others, by evidence and confidence.
    pub kinds: BTreeMap<(String, Confidence), (usize, usize)>,
}

impl Figures {
    pub fn of(trials: &BTreeMap<String, Trial>) -> Figures {
        let mut figures = Figures {
            providers: trials.len(),
            ..Figures::default()
        };
        let mut means: [Vec<f64>; 4] = Default::default();
        for trial in trials.values() {
            figures.places += trial.places.len();
            for (told, mean) in [Told::All, Told::Some, Told::None]
                .into_iter()
                .zip(&mut means)
            {
                let of: Vec<_> = trial.places.iter().filter(|p| p.told == told).collect();
                if !of.is_empty() {
                    let found = of.iter().filter(|place| place.found.is_some()).count();
                    mean.push(ratio(found, of.len()));
                }
            }
            let right = trial.places.iter().filter(|p| p.found.is_some()).count();
            if right + trial.others.len() > 0 {
                means[3].push(ratio(right, right + trial.others.len()));
            }
            for place in &trial.places {
                let written = place.fixed.is_some();
                figures.exact += usize::from(place.exact());
                figures.wrong += usize::from(written && !place.exact());
                if let Some(offered) = place.offered.as_ref().filter(|_| !written) {
                    let exact = *offered == place.declared;
                    figures.unsafe_exact += usize::from(exact);
                    figures.unsafe_wrong += usize::from(!exact);
                }
                if let Some(hit) = &place.found {
                    figures.kind(hit).0 += 1;
                }
            }
            for other in &trial.others {
                figures.elsewhere += usize::from(other.fixed);
                figures.kind(&other.hit).1 += 1;
            }
        }
        let [all, some, none, precision] = means.map(|values| mean(&values));
        figures.found_all = all;
        figures.found_some = some;
        figures.found_none = none;
        figures.precision = precision;
        figures
    }

    fn kind(&mut self, hit: &Hit) -> &mut (usize, usize) {
        self.kinds
            .entry((hit.evidence.clone(), hit.confidence))
            .or_default()
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(
            f,
            "{} providers, {} hidden enums",
            self.providers, self.places
        )?;
        writeln!(
            f,
            "  found where the text names all values   {:.3}",
            self.found_all
        )?;
        writeln!(
            f,
            "  found where it names some               {:.3}",
            self.found_some
        )?;
        writeln!(
            f,
            "  found where it names none               {:.3}",
            self.found_none
        )?;
        writeln!(
            f,
            "  apparent precision                      {:.3}",
            self.precision
        )?;
        writeln!(
            f,
            "  fixes exact / wrong / at other places   {} / {} / {}",
            self.exact, self.wrong, self.elsewhere
        )?;
        writeln!(
            f,
            "  unsafe fixes exact / wrong              {} / {}",
            self.unsafe_exact, self.unsafe_wrong
        )?;
        writeln!(f, "  by evidence: declared / nothing declared")?;
        for ((evidence, confidence), (hidden, other)) in &self.kinds {
            writeln!(
                f,
                "    {evidence:<12} {confidence:<9} {hidden:>6} / {other}"
            )?;
        }
        Ok(())
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / ratio(values.len().max(1), 1)
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}
