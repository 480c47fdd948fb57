//! `aon tail`: a stream as a person watches it, and how it ended (L11).

use std::io::IsTerminal as _;
use std::io::Read as _;
use std::time::Instant;

use aon::redact::{self, Policy};
use aon::surface::human::Text;
use aon_live::client::{Channel, Cut, Outcome, Request, Rules, Step};
use http::{HeaderName, HeaderValue, Method, header};

use self::args::{ChannelName, Tail};
use self::ask::Asker;
use self::screen::Screen;
use crate::exit;
use crate::fault::Fault;
use crate::output::Output;

pub(crate) mod args;

mod ask;
mod line;
mod screen;

/// Follows the stream; the exit code says how it ended.
pub(crate) fn run(args: &Tail, output: &mut Output) -> Result<u8, Fault> {
    let request = request(args)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| Fault::refused("starting the network", &source))?;
    runtime.block_on(follow(args, request, output))
}

async fn follow(args: &Tail, request: Request, output: &mut Output) -> Result<u8, Fault> {
    let terminal = std::io::stdout().is_terminal() && !args.json;
    let person = std::io::stdin().is_terminal() && !args.json && args.data.as_deref() != Some("@-");
    let asks = args.ask || (person && !args.no_ask);
    let mut screen = Screen::new(args.json, terminal, output.is_coloured());
    let start = Instant::now();
    let mut way_back = None;
    let mut asker = asker(args)?;
    let mut tail = request.send();
    let outcome = loop {
        let step = tokio::select! {
            step = tail.next() => step,
            line = asker.typed() => {
                if let Some(words) = asker.hear(line).await {
                    output.note(&words);
                }
                continue;
            }
        };
        match step {
            Step::Event(event) => {
                if event.kind() == "session" {
                    way_back = event.member::<String>("sse_url");
                }
                screen.event(start.elapsed(), &event, output)?;
                match event.kind() {
                    "interactive_healing_request" if asks => {
                        screen.pause(asker.is_open());
                        if let Some(words) = asker.take(&event) {
                            screen.pause(true);
                            output.note(&words);
                        }
                    }
                    "interactive_healing_result" => {
                        asker.settle(&event);
                        screen.pause(asker.is_open());
                    }
                    _ => {}
                }
            }
            Step::Notice(notice) => screen.notice(start.elapsed(), &notice, output)?,
            Step::End(outcome) => break outcome,
        }
    };
    screen.close(output)?;
    match outcome {
        Outcome::Result(success) => {
            screen.result(start.elapsed(), &success, output)?;
            Ok(exit::OK)
        }
        Outcome::Error(failure) => {
            screen.failed(start.elapsed(), output)?;
            output.flush()?;
            if args.json && failure.event().is_none() {
                output.note(&failure.problem().to_string());
            } else if !args.json {
                let text = Text::new().with_width(100);
                let text = text.with_color(output.notes_are_coloured());
                let problem = redact::problem(failure.problem().clone(), Policy::default());
                output.note(text.render(&problem).trim_end());
            }
            Ok(exit::FOUND)
        }
        Outcome::Cut(Cut::Unreachable(reason)) => Err(Fault::Unreachable {
            url: args.url.clone(),
            reason,
        }),
        Outcome::Cut(cut) => Err(Fault::StreamCut {
            reason: cut.to_string(),
            hint: hint(&cut, args, way_back, tail.cursor()),
        }),
    }
}

/// What helps after a cut: going on where the stream broke, as long as the server knows the session.
fn hint(
    cut: &Cut,
    args: &Tail,
    way_back: Option<String>,
    cursor: Option<String>,
) -> Option<String> {
    let (Cut::GaveUp(_), Some(url), Some(cursor)) = (cut, way_back, cursor) else {
        return None;
    };
    let url = if url.starts_with('/') {
        let (scheme, rest) = args.url.split_once("://").unwrap_or(("http", &args.url));
        let host = rest.split('/').next().unwrap_or_default();
        format!("{scheme}://{host}{url}")
    } else {
        url
    };
    Some(format!(
        "Go on where it broke: aon tail --since {cursor} {url}"
    ))
}

fn asker(args: &Tail) -> Result<Asker, Fault> {
    let headers = super::heal::headers(&args.header)?;
    Ok(Asker::new(&full(&args.url), headers))
}

fn full(url: &str) -> String {
    if url.contains("://") {
        url.to_owned()
    } else {
        format!("http://{url}")
    }
}

fn request(args: &Tail) -> Result<Request, Fault> {
    let usage = |why: String, hint: &str| Fault::usage(why, hint);
    let url = full(&args.url);
    let method = match (&args.method, &args.data) {
        (Some(method), _) => {
            Method::from_bytes(method.to_ascii_uppercase().as_bytes()).map_err(|_invalid| {
                usage(
                    format!("{method:?} is not a method"),
                    "Name it like this: -X POST",
                )
            })?
        }
        (None, Some(_)) => Method::POST,
        (None, None) => Method::GET,
    };
    let mut request = Request::new(method, &url).map_err(|why| {
        usage(
            why.to_string(),
            "Name it like this: aon tail http://127.0.0.1:8787/play",
        )
    })?;
    request = request.header(
        header::USER_AGENT,
        HeaderValue::from_static(concat!("aon-tail/", env!("CARGO_PKG_VERSION"))),
    );
    for text in &args.header {
        let (name, value) = pair(text).ok_or_else(|| {
            usage(
                format!("{text:?} is not a header"),
                "Name it like this: -H 'Authorization: Bearer …'",
            )
        })?;
        request = request.header(name, value);
    }
    if let Some(data) = &args.data {
        request = request.json(body(data)?);
    }
    if let Some(since) = &args.since {
        request = request.since(since.clone());
    }
    let mut rules = Rules::default();
    rules.attempts = args.attempts;
    rules.channel = match args.channel {
        ChannelName::Ndjson => Channel::Ndjson,
        ChannelName::Sse => Channel::Sse,
        ChannelName::Ws => Channel::WebSocket,
    };
    Ok(request.rules(rules))
}

pub(super) fn pair(text: &str) -> Option<(HeaderName, HeaderValue)> {
    let (name, value) = text.split_once(':')?;
    let name = HeaderName::from_bytes(name.trim().as_bytes()).ok()?;
    Some((name, HeaderValue::from_str(value.trim()).ok()?))
}

pub(super) fn body(data: &str) -> Result<Vec<u8>, Fault> {
    match data.strip_prefix('@') {
        None => Ok(data.as_bytes().to_vec()),
        Some("-") => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().read_to_end(&mut bytes);
            read.map_err(|source| Fault::stream(&source))?;
            Ok(bytes)
        }
        Some(path) => {
            let path = std::path::Path::new(path);
            std::fs::read(path).map_err(|source| Fault::unreadable(path, &source))
        }
    }
}
