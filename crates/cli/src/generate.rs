//! `aon gen`: code for every consumer of an API, from manifests and catalogs.

mod config;
mod difference;
mod samples;
mod stage;
mod write;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use aon::catalog::Catalog;
use aon::suggest;
use aon_codegen::{GeneratedFile, LowerIssue, Options, Target, lower, targets};
use aon_lint::score::{Join, Ticket};
use aon_manifest::{Api, Document, ReadOptions};

pub use self::config::SETTINGS;
use self::write::{Plan, State};
use crate::args::Gen;
use crate::exit;
use crate::fault::Fault;
use crate::input;
use crate::lint::files::{is_manifest_name, load, read, shown};
use crate::output::Output;

/// Generates, compares or shows.
pub(crate) fn run(args: &Gen, output: &mut Output) -> Result<u8, Fault> {
    let chosen = choose(&args.target)?;
    if args.paths.is_empty() && args.catalog.is_none() {
        return Err(Fault::usage(
            "there is nothing to generate from",
            "Name a manifest, or the catalog of a program with --catalog FILE.",
        ));
    }
    let options = config::options(args)?;
    let documents = documents(&args.paths)?;
    let mut catalog = args.catalog.as_deref().map(input::catalog).transpose()?;
    if let Some(catalog) = catalog.as_mut().filter(|_| args.own) {
        catalog
            .problems
            .retain(|record| !record.origin.is_built_in());
    }
    let join = crate::config::join(args.config.as_deref(), &args.paths)?;
    let groups = together(&documents, &join)?;
    let files = emit(&groups, catalog.as_ref(), &chosen, &options, output)?;
    drop(groups);
    // The program ends soon; giving a large document back piece by piece would take longer than anything that follows.
    std::mem::forget(documents);
    let folders: Vec<&str> = chosen.iter().map(|target| target.name()).collect();
    let plan = Plan::new(&args.out, files, &folders)?;
    if args.check || args.diff {
        return report(&plan, args, output);
    }
    let counts = plan.carry_out(args.force)?;
    output.note(&format!(
        "{} written, {} removed, {} current in {}",
        counts.written,
        counts.removed,
        counts.current,
        args.out.display()
    ));
    Ok(exit::OK)
}

/// Names what is not current, and shows how it differs.
fn report(plan: &Plan, args: &Gen, output: &mut Output) -> Result<u8, Fault> {
    let mut drift = 0;
    for item in plan.items() {
        if item.state == State::Current {
            continue;
        }
        drift += 1;
        output.line(format!("{}: {}", item.state.word(), item.path.display()))?;
        if args.diff {
            output.write(difference::lines(&item.before, &item.after, &item.path).as_bytes())?;
        }
    }
    if drift == 0 {
        output.note(&format!("{} files are current", plan.items().len()));
        return Ok(exit::OK);
    }
    output.note(&format!(
        "{drift} of {} files are not current; run aon gen without --check to write them",
        plan.items().len()
    ));
    Ok(if args.check { exit::FOUND } else { exit::OK })
}

/// The targets by name, each once, in the order of the whole list.
fn choose(names: &[String]) -> Result<Vec<Box<dyn Target>>, Fault> {
    let all = targets();
    let known: Vec<String> = all.iter().map(|target| target.name().to_owned()).collect();
    let names: Vec<&str> = names
        .iter()
        .map(|name| name.trim())
        .filter(|name| !name.is_empty())
        .collect();
    for name in &names {
        if *name != "all" && !known.iter().any(|own| own == name) {
            let meant = suggest::nearest(name, known.iter().map(String::as_str));
            return Err(Fault::InvalidUsage {
                message: format!("there is no target `{name}`"),
                hint: meant.map_or_else(
                    || "Choose one of the valid values.".to_owned(),
                    |meant| format!("Did you mean {meant}?"),
                ),
                valid: Some((
                    "target".to_owned(),
                    known.iter().cloned().chain(["all".to_owned()]).collect(),
                )),
            });
        }
    }
    if names.is_empty() {
        return Err(Fault::usage(
            "no target is named",
            "Use it like this: --target rust,typescript",
        ));
    }
    let wanted = |target: &dyn Target| {
        names
            .iter()
            .any(|name| *name == "all" || *name == target.name())
    };
    Ok(all
        .into_iter()
        .filter(|target| wanted(target.as_ref()))
        .collect())
}

fn documents(paths: &[PathBuf]) -> Result<Vec<Document>, Fault> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = found.len();
            for file in manifests(path)? {
                found.extend(Some(open(&file)?).filter(|document| document.format().is_some()));
            }
            if found.len() == before {
                return Err(Fault::usage(
                    format!("there is no manifest in {}", path.display()),
                    "Name a file, or a folder with OpenAPI documents, tool lists, agent cards or native manifests.",
                ));
            }
        } else {
            found.push(open(path)?);
        }
    }
    Ok(found)
}

/// Reads a manifest and what it refers to.
pub(crate) fn open(path: &Path) -> Result<Document, Fault> {
    let bytes = read(path).map_err(|source| Fault::unreadable(path, &source))?;
    let root = path.parent().map(Path::to_path_buf).unwrap_or_default();
    let loader = move |name: &str| load(Path::new(name), &root, false);
    Ok(Document::open(
        &shown(path),
        bytes,
        &ReadOptions::default(),
        &loader,
    ))
}

/// The manifests in a folder, at any depth, sorted.
fn manifests(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = open.pop() {
        let entries =
            fs::read_dir(&folder).map_err(|source| Fault::unreadable(&folder, &source))?;
        for entry in entries {
            let entry = entry.map_err(|source| Fault::unreadable(&folder, &source))?;
            let (path, name) = (
                entry.path(),
                entry.file_name().to_string_lossy().into_owned(),
            );
            let kind = entry
                .file_type()
                .map_err(|source| Fault::unreadable(&path, &source))?;
            if name.starts_with('.') || name == "node_modules" || name == "target" {
                continue;
            }
            if kind.is_dir() {
                open.push(path);
            } else if is_manifest_name(&name) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// What is generated as one, by the name of its folder: the documents that `aon score` scores as one.
fn together<'d>(
    documents: &'d [Document],
    join: &Join,
) -> Result<BTreeMap<String, Vec<Api<'d>>>, Fault> {
    let mut apis: Vec<Api<'d>> = Vec::new();
    for document in documents {
        let found = document.apis();
        if found.is_empty() {
            let reasons: Vec<String> = document.issues().iter().map(ToString::to_string).collect();
            return Err(Fault::CannotGenerate {
                reason: reasons.join("; "),
                issues: None,
            });
        }
        apis.extend(found);
    }
    let tickets: Vec<Ticket> = apis.iter().map(|api| join.ticket(api)).collect();
    let mut groups: BTreeMap<String, Vec<Api<'d>>> = BTreeMap::new();
    for set in join.sets(&tickets) {
        let members = set.members.iter().filter_map(|at| apis.get(*at));
        let members: Vec<Api<'d>> = members.cloned().collect();
        let own = set.name.or_else(|| Some(members.first()?.slug()));
        let own = own.unwrap_or_default();
        // Another version, or another document without a slug of its own.
        let version = members.iter().find_map(|api| api.version);
        let mut names = std::iter::once(own.clone())
            .chain(version.map(|version| format!("{own}-{}", version.as_str())))
            .chain((2..).map(|count| format!("{own}-{count}")));
        if let Some(name) = names.find(|name| !groups.contains_key(name)) {
            groups.insert(name, members);
        }
    }
    if groups.is_empty() {
        groups.insert("api".to_owned(), Vec::new());
    }
    Ok(groups)
}

/// The files of all targets for all APIs. With more than one API each gets a folder of its own.
fn emit(
    groups: &BTreeMap<String, Vec<Api<'_>>>,
    catalog: Option<&Catalog>,
    chosen: &[Box<dyn Target>],
    options: &Options,
    output: &mut Output,
) -> Result<Vec<GeneratedFile>, Fault> {
    let several = groups.len() > 1;
    if several && catalog.is_some() {
        return Err(Fault::usage(
            format!(
                "a catalog belongs to one API, and there are {}",
                groups.len()
            ),
            "Run aon gen once for each API, each with its catalog. Documents of one API have the same slug, or are listed under [score.groups] in aon.toml.",
        ));
    }
    let mut files = Vec::new();
    let mut mistakes = Vec::new();
    for (name, apis) in groups {
        let mut api = match lower(apis, catalog, options) {
            Ok(api) => api,
            Err(error) => {
                mistakes.extend_from_slice(error.issues());
                continue;
            }
        };
        for note in &api.notes {
            output.note(&format!("note: {note}"));
        }
        if chosen.iter().any(|target| target.name() == "docs") {
            samples::fill(&mut api);
        }
        for target in chosen {
            let refusals = target.refusals(&api);
            if !refusals.is_empty() {
                mistakes.extend_from_slice(refusals);
                continue;
            }
            for file in target.emit(&api, options) {
                let file = if several {
                    file.below(&folder_name(name))
                } else {
                    file
                };
                files.push(file.below(target.name()));
            }
        }
    }
    if mistakes.is_empty() {
        Ok(files)
    } else {
        Err(refused(&mistakes))
    }
}

/// A slug as the name of a folder.
fn folder_name(slug: &str) -> String {
    slug.chars()
        .map(|c| {
            if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') {
                c
            } else {
                '-'
            }
        })
        .collect()
}

fn refused(all: &[LowerIssue]) -> Fault {
    let lines: Vec<String> = all.iter().take(MOST).map(ToString::to_string).collect();
    let mut reason = lines.join("; ");
    if let Some(more) = all.len().checked_sub(MOST).filter(|more| *more > 0) {
        let _: std::fmt::Result = write!(reason, "; and {more} more");
    }
    let issues = all.iter().map(|issue| {
        serde_json::json!({"message": issue.message, "places": issue.places, "help": issue.help})
    });
    Fault::CannotGenerate {
        reason,
        issues: Some(issues.collect()),
    }
}

/// How many mistakes are told in a sentence.
const MOST: usize = 20;
