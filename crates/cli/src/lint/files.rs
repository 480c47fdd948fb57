//! Which files are checked, and how they are read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use aon_manifest::{Document, IssueKind, ParseOptions, ReadOptions};

use super::args::LintArgs;
use crate::fault::Fault;

/// The files of a run, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    pub(crate) inputs: Vec<Input>,
    /// What was named or found and cannot be read. It does not keep the rest from being checked.
    pub(crate) unread: Vec<Unread>,
}

/// A file or folder that cannot be read, and why.
#[derive(Clone, Debug)]
pub(crate) struct Unread {
    pub(crate) name: String,
    pub(crate) reason: String,
    /// Whether it was named on the command line.
    pub(crate) named: bool,
}

impl Unread {
    fn new(path: &Path, reason: &dyn std::fmt::Display) -> Unread {
        Unread {
            name: shown(path),
            reason: reason.to_string(),
            named: false,
        }
    }
}

/// One file.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// Where it is; none for standard input.
    pub(crate) path: Option<PathBuf>,
    /// The name in reports, with `/`.
    pub(crate) name: String,
    /// Whether it was named on the command line, so it has to be a manifest.
    pub(crate) named: bool,
}

impl Files {
    /// Walks what was named. Folders are searched for YAML, JSON and `.kno`; hidden ones and `target`, `node_modules` are
    /// left out.
    pub(crate) fn find(args: &LintArgs) -> Files {
        let mut files = Files::default();
        let here = [PathBuf::from(".")];
        let paths: &[PathBuf] = if args.paths.is_empty() {
            &here
        } else {
            &args.paths
        };
        for path in paths {
            if path.as_os_str() == "-" {
                let name = args
                    .stdin_filename
                    .clone()
                    .unwrap_or_else(|| "<stdin>".to_owned());
                files.inputs.push(Input {
                    path: None,
                    name,
                    named: true,
                });
                continue;
            }
            match fs::metadata(path) {
                Ok(kind) if kind.is_dir() => files.walk(path, 0),
                Ok(_) => files.inputs.push(Input {
                    name: shown(path),
                    path: Some(path.clone()),
                    named: true,
                }),
                Err(error) => files.unread.push(Unread {
                    named: true,
                    ..Unread::new(path, &error)
                }),
            }
        }
        // Of a file that was found twice the one that was named stays.
        let order = |input: &Input| (input.name.clone(), input.path.clone(), !input.named);
        files.inputs.sort_by_cached_key(order);
        files
            .inputs
            .dedup_by(|a, b| a.name == b.name && a.path == b.path);
        files
    }

    fn walk(&mut self, folder: &Path, depth: usize) {
        if depth > MAX_DEPTH {
            let reason = format!("it lies more than {MAX_DEPTH} folders deep");
            self.unread.push(Unread::new(folder, &reason));
            return;
        }
        let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = match entries {
            Ok(entries) => entries,
            Err(error) => return self.unread.push(Unread::new(folder, &error)),
        };
        let mut paths: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
        paths.sort();
        for path in paths {
            let name = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            if name.starts_with('.') {
                continue;
            }
            // A link to a folder may lead in a circle; only real folders are entered.
            if fs::symlink_metadata(&path).is_ok_and(|kind| kind.is_dir()) {
                if !SKIPPED.contains(&name.as_str()) {
                    self.walk(&path, depth + 1);
                }
            } else if is_manifest_name(&name) {
                match fs::metadata(&path) {
                    Ok(kind) if kind.is_file() => self.inputs.push(Input {
                        name: shown(&path),
                        path: Some(path),
                        named: false,
                    }),
                    Ok(_) => {}
                    Err(error) => self.unread.push(Unread::new(&path, &error)),
                }
            }
        }
    }
}

impl Input {
    /// Reads the file and everything it refers to, with texts that take the place of files.
    pub(crate) fn open(&self, args: &LintArgs, texts: &Texts) -> Result<Document, Fault> {
        let bytes = match texts.get(&self.name) {
            Some(text) => text.clone().into_bytes(),
            None => self.read()?,
        };
        Ok(open_bytes(&self.name, bytes, args, texts))
    }

    /// The bytes of the file.
    pub(crate) fn read(&self) -> Result<Vec<u8>, Fault> {
        if let Some(path) = &self.path {
            return read(path).map_err(|source| Fault::unreadable(path, &source));
        }
        let mut bytes = Vec::new();
        io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map_err(|source| Fault::stream(&source))?;
        Ok(bytes)
    }
}

/// Which files a run looks at. An entry that sets nothing aside is stale only when its file was among them.
#[derive(Debug)]
pub(crate) struct Looked {
    names: BTreeSet<String>,
    /// Folders that were searched whole; an empty one is the current folder.
    folders: Vec<String>,
}

impl Looked {
    pub(crate) fn new(files: &Files, args: &LintArgs) -> Looked {
        let mut folders = Vec::new();
        if args.changed.is_none() {
            folders.extend(
                args.paths
                    .iter()
                    .filter(|path| path.is_dir())
                    .map(|path| shown(path)),
            );
            if args.paths.is_empty() {
                folders.push(String::new());
            }
        }
        for folder in &mut folders {
            if folder == "." {
                folder.clear();
            }
        }
        Looked {
            names: files
                .inputs
                .iter()
                .map(|input| input.name.clone())
                .collect(),
            folders,
        }
    }

    /// Whether a file of this name was looked at, or would have been if it were still there.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
            || self.folders.iter().any(|folder| {
                let folder = folder.trim_end_matches('/');
                if folder.is_empty() {
                    return !name.starts_with("../") && !name.starts_with('/');
                }
                name.strip_prefix(folder)
                    .is_some_and(|rest| rest.starts_with('/'))
            })
    }

    /// Whether everything from the current folder on was looked at.
    pub(crate) fn whole(&self) -> bool {
        self.folders.iter().any(String::is_empty)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}

/// Texts by the name of the file they take the place of.
pub(crate) type Texts = BTreeMap<String, String>;

/// Reads a document out of bytes that stand for a file of that name.
fn open_bytes(name: &str, bytes: Vec<u8>, args: &LintArgs, texts: &Texts) -> Document {
    let mut options = ReadOptions::default().with_outside_root(args.allow_outside_root);
    if let Some(format) = args.read_as {
        options = options.with_format(format.into());
    }
    if let Some(root) = &args.root {
        options = options.with_root(shown(root));
    }
    let root = args.root.clone().unwrap_or_else(|| {
        Path::new(name)
            .parent()
            .map(Path::to_path_buf)
            .unwrap_or_default()
    });
    let outside = args.allow_outside_root;
    let loader = move |path: &str| match texts.get(path) {
        Some(text) => Ok(text.clone().into_bytes()),
        None => load(Path::new(path), &root, outside),
    };
    Document::open(name, bytes, &options, &loader)
}

/// Reads a referenced file. A symbolic link that leads out of the root is refused like a path that does.
pub(crate) fn load(path: &Path, root: &Path, outside: bool) -> io::Result<Vec<u8>> {
    if !outside {
        let here = Path::new(".");
        let root = fs::canonicalize(if root.as_os_str().is_empty() {
            here
        } else {
            root
        })?;
        let real = fs::canonicalize(path)?;
        if !real.starts_with(&root) {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "it lies outside the root",
            ));
        }
    }
    read(path)
}

/// Reads a file, but not more than a manifest may have.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let limit = ParseOptions::default().max_bytes() as u64;
    let file = fs::File::open(path)?;
    let size = file.metadata()?.len();
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(limit)).unwrap_or(0) + 1);
    // One byte more, so that the parser sees that it is too much.
    file.take(limit + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether a file in a folder that cannot be read because of `kind` was meant to be a manifest. A folder holds many other files,
/// and only of these nobody wants to hear; of what cannot even be looked into nobody can say.
pub(crate) fn was_meant(document: &Document, kind: IssueKind) -> bool {
    let source = document.entry().source();
    match kind {
        // Such a file can be read, and is not a manifest.
        IssueKind::UnknownFormat
        | IssueKind::Empty
        | IssueKind::DuplicateKey
        | IssueKind::DanglingRef
        | IssueKind::CircularRef
        | IssueKind::RefToUrl
        | IssueKind::RefOutsideRoot
        | IssueKind::UnreadableRef
        | IssueKind::WrongShape
        | IssueKind::UnknownVersion
        | IssueKind::LoneSurrogate => false,
        IssueKind::Binary | IssueKind::WideEncoding => true,
        _ => {
            let ends = |ending: &&str| source.name().ends_with(ending);
            [".kno", ".aon.yaml", ".aon.yml", ".aon.json"]
                .iter()
                .any(ends)
                || MARKS.iter().any(|mark| source.text().contains(mark))
        }
    }
}

/// Whether a file in a folder may be a manifest.
pub(crate) fn is_manifest_name(name: &str) -> bool {
    let ending = name
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_ascii_lowercase());
    matches!(ending.as_deref(), Some("yaml" | "yml" | "json" | "kno"))
}

/// A path as reports show it: with `/`, without a leading `./`.
pub(crate) fn shown(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    let text = text.strip_prefix("./").unwrap_or(&text);
    if text.is_empty() {
        ".".to_owned()
    } else {
        text.to_owned()
    }
}

/// What a broken file in a folder has in it when it was meant to be a manifest.
const MARKS: &[&str] = &[
    "openapi",
    "swagger",
    "operations",
    "\"tools\"",
    "\"skills\"",
];

const SKIPPED: &[&str] = &["target", "node_modules", "vendor", "__pycache__"];
const MAX_DEPTH: usize = 64;
