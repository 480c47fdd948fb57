//! Python: pydantic models, a class to match on for each problem, a parser for all surfaces, and clients for httpx.

mod client;
mod models;
mod pattern;
mod problems;

use super::{Options, Target, recovery};
use crate::file::GeneratedFile;
use crate::ir::Api;
use crate::json::Tree;
use crate::writer::{Writer, prose};

/// Writes a package.
///
/// It holds `__init__.py`, `models.py`, `problems.py`, `client.py`, `runtime.py`, `stream.py`, `recovery.py` and `py.typed`. It needs pydantic
/// 2 and Python 3.10; only `client` and `stream` need httpx.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to configure")]
pub struct Python;

impl Target for Python {
    fn name(&self) -> &'static str {
        "python"
    }

    fn emit(&self, api: &Api, options: &Options) -> Vec<GeneratedFile> {
        let head = options.head(self.name(), api, "#");
        let client = client::has_calls(api)
            .then(|| GeneratedFile::new("client.py", client::emit(api, head.clone())));
        let files = [
            GeneratedFile::new("__init__.py", init(api, head.clone())),
            GeneratedFile::new("models.py", models::emit(api, head.clone())),
            GeneratedFile::new("problems.py", problems::emit(api, head.clone())),
            GeneratedFile::new(
                "runtime.py",
                format!("{head}{}", include_str!("python/runtime.py")),
            ),
            GeneratedFile::new(
                "stream.py",
                format!("{head}{}", include_str!("python/stream.py")),
            ),
            GeneratedFile::new(
                "recovery.py",
                format!(
                    "{head}{}",
                    recovery::with_table(include_str!("python/recovery.py"), "    (", "),")
                ),
            ),
            // An empty file is how a package says that it is typed.
            GeneratedFile::new("py.typed", ""),
        ];
        files.into_iter().chain(client).collect()
    }
}

fn init(api: &Api, head: String) -> String {
    let mut names: Vec<String> = problems::classes(api);
    names.extend(problems::FIXED.iter().map(|name| (*name).to_owned()));
    names.sort();
    let mut out = Writer::new(head, "    ");
    docstring(&mut out, &[&api.title, &api.description]);
    out.blank();
    out.line("from . import models as models");
    out.open("from .problems import (");
    for name in &names {
        out.line(format!("{name} as {name},"));
    }
    out.close(")");
    out.blank();
    out.open("__all__ = [");
    out.line("\"models\",");
    for name in &names {
        out.line(format!("\"{name}\","));
    }
    out.close("]");
    out.finish()
}

/// A docstring of these paragraphs; whether there was anything to say.
pub(super) fn docstring(out: &mut Writer, paragraphs: &[&str]) -> bool {
    let mut lines: Vec<String> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for paragraph in paragraphs {
        let paragraph = paragraph.trim();
        if paragraph.is_empty() || seen.contains(&paragraph) {
            continue;
        }
        seen.push(paragraph);
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(
            prose(paragraph)
                .into_iter()
                .map(|line| line.replace('\\', "\\\\").replace('"', "\\\"")),
        );
    }
    match lines.as_slice() {
        [] => return false,
        [only] => out.line(format!("\"\"\"{only}\"\"\"")),
        [first, rest @ ..] => {
            out.line(format!("\"\"\"{first}"));
            for line in rest {
                out.line(line);
            }
            out.line("\"\"\"");
        }
    }
    true
}

/// A string literal. What JSON writes, Python reads.
pub(super) fn text(text: &str) -> String {
    Tree::from(text).to_compact()
}
