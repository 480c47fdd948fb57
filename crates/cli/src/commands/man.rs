//! `aon man`: the manual pages, made from the arguments themselves.

use std::fs;
use std::io;
use std::path::Path;

use clap::Command;
use clap_mangen::Man;

use crate::args::ManPage;
use crate::exit;
use crate::fault::Fault;
use crate::output::Output;

/// Writes one page to standard output, or all of them into a folder.
pub(crate) fn run(args: &ManPage, output: &mut Output) -> Result<u8, Fault> {
    let pages = pages().map_err(|source| Fault::stream(&source))?;
    if let Some(folder) = &args.out {
        fs::create_dir_all(folder).map_err(|source| Fault::unwritable(folder, &source))?;
        for (name, page) in &pages {
            let file = folder.join(format!("{name}.1"));
            write(&file, page)?;
            output.line(file.display().to_string())?;
        }
        return Ok(exit::OK);
    }
    let wanted = args.page.join("-");
    let wanted = match wanted.as_str() {
        "" => "aon".to_owned(),
        name if name == "aon" || name.starts_with("aon-") => name.to_owned(),
        name => format!("aon-{name}"),
    };
    let Some((_, page)) = pages.iter().find(|(name, _)| *name == wanted) else {
        // What all names begin with makes none of them near.
        let bare = |name| str::strip_prefix(name, "aon-").unwrap_or(name);
        let names = pages.iter().map(|(name, _)| bare(name.as_str()));
        let hint = aon::suggest::nearest(bare(&wanted), names).map_or_else(
            || "`aon man` is the page that names the commands.".to_owned(),
            |meant| format!("Did you mean {meant}?"),
        );
        return Err(Fault::usage(format!("there is no page {wanted}"), hint));
    };
    output.write(page)?;
    Ok(exit::OK)
}

fn write(file: &Path, page: &[u8]) -> Result<(), Fault> {
    fs::write(file, page).map_err(|source| Fault::unwritable(file, &source))
}

/// Every page by name. `aon-lint` stands for `aon lint` as well: they are the same.
fn pages() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut root = crate::args::command();
    root.build();
    let mut pages = Vec::new();
    add(&root, "aon", &mut pages)?;
    Ok(pages)
}

fn add(command: &Command, name: &str, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    let mut page = Vec::new();
    Man::new(command.clone()).title(name).render(&mut page)?;
    pages.push((name.to_owned(), page));
    for inner in command.get_subcommands() {
        if inner.get_name() != "help" && !inner.is_hide_set() {
            add(inner, &format!("{name}-{}", inner.get_name()), pages)?;
        }
    }
    Ok(())
}
