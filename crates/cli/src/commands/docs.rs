//! `aon docs`: the book on a port, in a folder, or a page of it on standard output.

use std::fs;
use std::path::Path;

use aon::axum::ProblemLayer;
use axum::Router;
use axum::response::IntoResponse;
use axum::routing::get;
use http::{HeaderName, HeaderValue, header};
use tokio::net::TcpListener;

use crate::args::Docs;
use crate::book::{self, SiteFile};
use crate::exit;
use crate::fault::Fault;
use crate::output::Output;
use crate::server::{Stop, base, runtime};

/// Says that a folder holds a book that we wrote, and nothing else.
const MARK: &str = ".aon-docs";

pub(crate) fn run(args: &Docs, output: &mut Output) -> Result<u8, Fault> {
    match (&args.page, &args.out) {
        (Some(page), _) => print(page, output)?,
        (None, Some(folder)) => write(folder, output)?,
        (None, None) => serve(args, output)?,
    }
    Ok(exit::OK)
}

/// The Markdown of a page.
fn print(wanted: &str, output: &mut Output) -> Result<(), Fault> {
    let name = book::name(wanted);
    if let Some((_, text)) = book::pages().find(|(path, _)| book::name(path) == name) {
        return output.write(text.as_bytes());
    }
    let names: Vec<&str> = book::pages().map(|(path, _)| book::name(path)).collect();
    let last = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
    let hint = names
        .iter()
        .find(|known| last(known) == name)
        .map(|known| (*known).to_owned())
        .or_else(|| aon::suggest::nearest(name, names.iter().copied()).map(str::to_owned))
        .map_or_else(
            || "`aon docs index` lists the pages.".to_owned(),
            |meant| format!("Did you mean {meant}? `aon docs index` lists the pages."),
        );
    Err(Fault::usage(format!("the book has no page {wanted}"), hint))
}

/// Writes the site into a folder that is empty, or that an earlier run filled.
fn write(folder: &Path, output: &mut Output) -> Result<(), Fault> {
    let unwritable = |path: &Path| {
        let path = path.to_owned();
        move |source: std::io::Error| Fault::unwritable(&path, &source)
    };
    fs::create_dir_all(folder).map_err(unwritable(folder))?;
    let mark = folder.join(MARK);
    let mut entries = fs::read_dir(folder).map_err(unwritable(folder))?;
    if !mark.exists() && entries.next().is_some() {
        return Err(Fault::usage(
            format!("{} is not empty", folder.display()),
            "Name an empty folder, a new one, or one that `aon docs` wrote.",
        ));
    }
    let version = env!("CARGO_PKG_VERSION");
    fs::write(&mark, format!("{version}\n")).map_err(unwritable(&mark))?;
    let site = book::site();
    for file in &site {
        let path = folder.join(&file.path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(unwritable(parent))?;
        }
        fs::write(&path, &file.text).map_err(unwritable(&path))?;
    }
    let first = folder.join("index.html");
    output.line(format!("{} files, {}", site.len(), first.display()))
}

/// Serves the site until the program is asked to stop.
fn serve(args: &Docs, output: &mut Output) -> Result<(), Fault> {
    let (host, port) = (args.host, args.port);
    runtime()?.block_on(async {
        let listener = TcpListener::bind((host, port))
            .await
            .map_err(|source| Fault::refused(format!("listening on {host}:{port}"), &source))?;
        let address = listener
            .local_addr()
            .map_err(|source| Fault::refused("listening", &source))?;
        let asked = Stop::listen()?;
        output.line(format!("ready {}", base(address)))?;
        output.flush()?;
        axum::serve(listener, app(book::site()))
            .with_graceful_shutdown(asked.asked())
            .await
            .map_err(|source| Fault::refused("serving", &source))
    })
}

/// A route for each file; a folder shows its index. An address that does not exist gets the nearest one.
fn app(site: Vec<SiteFile>) -> Router {
    let mut router = Router::new();
    for file in site {
        let path = format!("/{}", file.path);
        let folder = path.strip_suffix("index.html").map(str::to_owned);
        let answer = get(async move || answer(&file));
        if let Some(folder) = folder {
            router = router.route(&folder, answer.clone());
        }
        router = router.route(&path, answer);
    }
    ProblemLayer::new().wrap(router)
}

fn answer(file: &SiteFile) -> impl IntoResponse + use<> {
    let headers: [(HeaderName, HeaderValue); 3] = [
        (header::CONTENT_TYPE, HeaderValue::from_static(file.media)),
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(book::POLICY),
        ),
        (
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ),
    ];
    (headers, file.text.clone())
}
