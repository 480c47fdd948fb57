//! `aon lsp`: findings, fixes and explanations inside an editor, over the language server protocol.
//!
//! One thread reads messages, one checks documents, and this one decides and answers, so no state is shared. A check starts
//! when a document has been left alone for a moment; what it finds is shown only if the document is still the one that was
//! checked. A question about a document that was not checked yet is answered after checking it.

mod actions;
mod check;
mod place;
mod refusal;
mod server;
mod settings;
mod wire;

use std::io::{self, BufReader, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;

use crate::args::Lsp;
use crate::exit;
use crate::fault::Fault;
use check::{Checked, Job};
use server::{Next, Server};
use wire::Incoming;

/// What the deciding thread hears.
#[derive(Debug)]
enum Event {
    /// The editor said something.
    Said(Incoming),
    /// A document was checked.
    Checked(Box<Checked>),
    /// The editor went away.
    Gone,
}

/// Serves an editor on standard input and output until it says `exit`.
pub(crate) fn run(args: &Lsp) -> Result<u8, Fault> {
    let (events, heard) = mpsc::channel();
    let (jobs, waiting) = mpsc::channel();
    let refused = |source: io::Error| Fault::refused("starting a thread", &source);
    let says = events.clone();
    thread::Builder::new()
        .name("aon-lsp-reader".to_owned())
        .spawn(move || listen(&says))
        .map_err(refused)?;
    thread::Builder::new()
        .name("aon-lsp-checker".to_owned())
        .spawn(move || check_all(&waiting, &events))
        .map_err(refused)?;
    let mut out = io::stdout().lock();
    let mut send = |message: &serde_json::Value| wire::write(&mut out, message);
    let mut server = Server::new(args, jobs);
    let ended = serve(&mut server, &heard, &mut send);
    out.flush().map_err(|source| Fault::stream(&source))?;
    ended
}

fn serve(
    server: &mut Server,
    heard: &Receiver<Event>,
    send: &mut dyn FnMut(&serde_json::Value) -> io::Result<()>,
) -> Result<u8, Fault> {
    loop {
        let event = match server.until_due() {
            None => heard.recv().unwrap_or(Event::Gone),
            Some(wait) => match heard.recv_timeout(wait) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => {
                    server.start_due();
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => Event::Gone,
            },
        };
        let next = match event {
            Event::Said(message) => server.hear(message),
            Event::Checked(checked) => {
                server.take(*checked);
                Next::Go
            }
            Event::Gone => Next::Stop,
        };
        for message in server.drain() {
            send(&message).map_err(|source| Fault::stream(&source))?;
        }
        if next == Next::Stop {
            // The protocol wants 1 from a server that was not shut down first.
            return Ok(if server.was_shut_down() {
                exit::OK
            } else {
                exit::FOUND
            });
        }
    }
}

/// Reads messages until there are no more.
fn listen(events: &Sender<Event>) {
    let mut input = BufReader::new(io::stdin().lock());
    while let Ok(Some(message)) = wire::read(&mut input) {
        if events.send(Event::Said(message)).is_err() {
            return;
        }
    }
    // Nobody is left to hear it when this fails.
    let _: Result<(), _> = events.send(Event::Gone);
}

/// Checks documents one after the other. Of several versions that wait, only the newest is checked.
fn check_all(waiting: &Receiver<Job>, events: &Sender<Event>) {
    while let Ok(first) = waiting.recv() {
        let mut queue = vec![first];
        queue.extend(waiting.try_iter());
        let mut newest: Vec<Job> = Vec::new();
        for job in queue {
            newest.retain(|other| other.uri != job.uri);
            newest.push(job);
        }
        for job in newest {
            let checked = Box::new(check::check(&job));
            if events.send(Event::Checked(checked)).is_err() {
                return;
            }
        }
    }
}
