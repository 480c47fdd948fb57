//! Reads the documents and scores them, without holding more of them than are being scored.

use std::collections::BTreeMap;
use std::io::{self, Read};

use aon_lint::Settings;
use aon_lint::score::{ApiScore, Join, Set, Ticket, Unread, score_briefly, score_together};
use aon_manifest::{Api, Document, IssueKind, Severity};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use super::args::ScoreArgs;
use crate::fault::Fault;
use crate::lint::args::LintArgs;
use crate::lint::files::{self, Files, Input, Texts};
use crate::lint::setup::Setup;
use crate::output::Output;

/// What was scored, and what could not be read.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) apis: Vec<ApiScore>,
    pub(super) unread: Vec<Unread>,
}

/// One API of one document, scored by itself.
struct Part {
    file: usize,
    /// Which API of the document it is.
    nth: usize,
    ticket: Ticket,
    alone: Option<ApiScore>,
}

/// Scores every file by itself first, on all cores; then those that belong together once more, as one. So at no time more
/// documents are held than there are cores, or documents of one API.
pub(super) fn score_all(
    args: &ScoreArgs,
    join: &Join,
    output: &mut Output,
) -> Result<Found, Fault> {
    let mut found = Found::default();
    let setup = Setup::read(&reading(args))?;
    let settings = &setup.settings;
    let reader = Reader::new(args, &setup, &mut found.unread, output);
    let bar = progress(reader.inputs.len());
    let read = |(at, input): (usize, &Input)| {
        let parts = reader.score_alone(at, input, join, settings);
        bar.inc(1);
        parts
    };
    let each: Vec<_> = reader.inputs.par_iter().enumerate().map(read).collect();
    bar.finish_and_clear();
    let mut parts: Vec<Part> = Vec::new();
    for result in each {
        match result {
            Ok(some) => parts.extend(some),
            Err(unread) => found.unread.push(unread),
        }
    }
    let tickets: Vec<Ticket> = parts.iter().map(|part| part.ticket.clone()).collect();
    let sets = join.sets(&tickets);
    // What stands alone is scored already, and is moved instead of copied.
    let alone: Vec<Option<ApiScore>> = sets
        .iter()
        .map(|set| match set.members.as_slice() {
            [only] => parts.get_mut(*only)?.alone.take(),
            _ => None,
        })
        .collect();
    let score = |(set, alone): (&Set, Option<ApiScore>)| {
        let score = alone.or_else(|| reader.score_set(set, &parts, settings))?;
        Some(match &set.name {
            Some(name) => score.with_slug(name.clone()),
            None => score,
        })
    };
    found.apis = sets.par_iter().zip(alone).filter_map(score).collect();
    Ok(found)
}

struct Reader {
    inputs: Vec<Input>,
    args: LintArgs,
    /// What stands for standard input, under its name.
    texts: Texts,
    explains: bool,
}

impl Reader {
    /// Finds the files. What cannot be found is noted, and the rest is gone through.
    fn new(
        args: &ScoreArgs,
        setup: &Setup,
        unread: &mut Vec<Unread>,
        output: &mut Output,
    ) -> Reader {
        let mut reading = reading(args);
        reading.paths.clone_from(&args.paths);
        let mut files = Files::find(&reading);
        setup.narrow(&mut files);
        let missed = files.unread.drain(..);
        unread.extend(missed.map(|missed| Unread::new(missed.name, missed.reason)));
        let mut texts = Texts::new();
        // Standard input can be read only once, but a document that is joined is read twice.
        if let Some(input) = files.inputs.iter().find(|input| input.path.is_none()) {
            let mut bytes = Vec::new();
            if let Err(error) = io::stdin().lock().read_to_end(&mut bytes) {
                output.note(&format!("standard input: {error}"));
            }
            let text = String::from_utf8_lossy(&bytes).into_owned();
            texts.insert(input.name.clone(), text);
        }
        Reader {
            inputs: files.inputs,
            args: reading,
            texts,
            explains: args.explain.is_some(),
        }
    }

    fn open(&self, input: &Input) -> Result<Document, Unread> {
        input
            .open(&self.args, &self.texts)
            .map_err(|fault| Unread::new(input.name.clone(), fault.reason()))
    }

    /// Only `--explain` tells every place; for everything else they would fill the memory for nothing.
    fn score<'a>(&self, apis: &[&'a Api<'a>], settings: &Settings) -> ApiScore {
        if self.explains {
            score_together(apis, settings)
        } else {
            score_briefly(apis, settings)
        }
    }

    fn score_alone(
        &self,
        file: usize,
        input: &Input,
        join: &Join,
        settings: &Settings,
    ) -> Result<Vec<Part>, Unread> {
        let document = self.open(input)?;
        if let Some(reason) = unreadable(&document, input.named) {
            return Err(Unread::new(input.name.clone(), reason));
        }
        let apis = document.apis();
        let parts = apis.iter().enumerate().map(|(nth, api)| Part {
            file,
            nth,
            ticket: join.ticket(api),
            alone: Some(self.score(&[api], settings)),
        });
        Ok(parts.collect())
    }

    /// The score of several documents as one.
    fn score_set(&self, set: &Set, parts: &[Part], settings: &Settings) -> Option<ApiScore> {
        let members: Vec<&Part> = set.members.iter().filter_map(|at| parts.get(*at)).collect();
        let mut documents: BTreeMap<usize, Document> = BTreeMap::new();
        for part in &members {
            let input = self.inputs.get(part.file)?;
            if let Ok(document) = self.open(input) {
                documents.insert(part.file, document);
            }
        }
        let apis: BTreeMap<usize, Vec<Api<'_>>> = documents
            .iter()
            .map(|(file, document)| (*file, document.apis()))
            .collect();
        let joined: Vec<&Api<'_>> = members
            .iter()
            .filter_map(|part| apis.get(&part.file)?.get(part.nth))
            .collect();
        Some(self.score(&joined, settings))
    }
}

/// Why a document cannot be scored. A file that was found in a folder need not be a manifest, unless it looks like one.
fn unreadable(document: &Document, named: bool) -> Option<String> {
    let broken = |kind: IssueKind| {
        !matches!(
            kind,
            IssueKind::DuplicateKey
                | IssueKind::DanglingRef
                | IssueKind::CircularRef
                | IssueKind::RefToUrl
                | IssueKind::RefOutsideRoot
                | IssueKind::UnreadableRef
                | IssueKind::WrongShape
                | IssueKind::UnknownVersion
                | IssueKind::LoneSurrogate
        )
    };
    let issues = document.issues();
    let issue = issues
        .iter()
        .find(|issue| issue.severity() == Severity::Error && broken(issue.kind()))?;
    let counts = named || document.format().is_some() || files::was_meant(document, issue.kind());
    let at = issue.start();
    counts.then(|| {
        format!(
            "{} (line {}, column {})",
            issue.message(),
            at.line,
            at.column
        )
    })
}

/// The arguments of `aon lint` that say how to read, with everything else as it is by default.
fn reading(args: &ScoreArgs) -> LintArgs {
    #[derive(Parser)]
    struct Defaults {
        #[command(flatten)]
        lint: LintArgs,
    }
    let mut reading = Defaults::parse_from(["aon"]).lint;
    reading.read_as = args.read_as;
    reading.stdin_filename.clone_from(&args.stdin_filename);
    reading.root.clone_from(&args.root);
    reading.allow_outside_root = args.allow_outside_root;
    reading.config.clone_from(&args.config);
    reading
}

/// A bar on a terminal, when there is something to wait for.
fn progress(files: usize) -> ProgressBar {
    if files < MANY {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(files as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} files, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// From how many files on a bar is shown.
const MANY: usize = 50;
