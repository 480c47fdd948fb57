//! The shell: a child process, its streams, and ours. Two threads copy lines, and one looks at the clock.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use super::args::Proxy;
use super::observe::{Keeper, Manifest, Observer};
use super::relay::{Out, Relay};
use crate::fault::Fault;
use crate::server::Stop;

/// The longest line that is looked into; a longer one passes as it is, piece by piece.
const LONGEST: u64 = 64 * 1024 * 1024;

/// How often the clock is looked at.
const TICK: Duration = Duration::from_millis(100);
/// How long the server may take to end once the proxy was asked to stop.
const GRACE: Duration = Duration::from_secs(1);

struct Shared {
    relay: Mutex<Relay>,
    client: Mutex<io::Stdout>,
    start: Instant,
}

impl Shared {
    fn relay(&self) -> MutexGuard<'_, Relay> {
        self.relay.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn tell(&self, line: &[u8]) -> io::Result<()> {
        let mut client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        client.write_all(line)?;
        if line.last() != Some(&b'\n') {
            client.write_all(b"\n")?;
        }
        client.flush()
    }
}

/// Starts the server and passes lines until one side ends.
pub(super) fn run(args: &Proxy) -> Result<u8, Fault> {
    let Some((program, rest)) = args.command.split_first() else {
        return Err(Fault::usage(
            "there is no command to run",
            "aon proxy -- COMMAND ARGS",
        ));
    };
    let mut child = Command::new(program)
        .args(rest)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|source| Fault::refused(format!("starting {program}"), &source))?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Fault::usage(
            "the server has no streams",
            "aon proxy -- COMMAND ARGS",
        ));
    };
    let observer = Observer::default();
    let keeper = args
        .observe
        .as_deref()
        .map(|folder| Keeper::start(folder, Manifest::Told("tools.json"), observer.clone()))
        .transpose()?;
    let shared = Arc::new(Shared {
        relay: Mutex::new(Relay::new(args.timeout, observer)),
        client: Mutex::new(io::stdout()),
        start: Instant::now(),
    });
    // What goes to the server goes through one place, whichever thread decided it; `None` closes its input.
    let (to_server, lines) = mpsc::channel::<Option<Vec<u8>>>();
    std::thread::spawn(move || {
        let mut input = input;
        while let Ok(Some(line)) = lines.recv() {
            let newline: &[u8] = if line.last() == Some(&b'\n') {
                b""
            } else {
                b"\n"
            };
            let written = input
                .write_all(&line)
                .and_then(|()| input.write_all(newline))
                .and_then(|()| input.flush());
            if written.is_err() {
                return;
            }
        }
    });
    let (client, sender) = (Arc::clone(&shared), to_server.clone());
    std::thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        while let Some(line) = read(&mut stdin) {
            let now = client.now();
            let out = client.relay().client_line(line, now);
            if route(&client, &sender, out).is_err() {
                break;
            }
        }
        // A server that is gone already has no input to close.
        let _closed = sender.send(None);
    });
    let (clock, sender) = (Arc::clone(&shared), to_server.clone());
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(TICK);
            let now = clock.now();
            let out = clock.relay().expired(now);
            if route(&clock, &sender, out).is_err() {
                return;
            }
        }
    });
    let child = Arc::new(Mutex::new(child));
    end_with_us(Arc::clone(&child), to_server.clone())?;
    let mut output = BufReader::new(output);
    while let Some(line) = read(&mut output) {
        let now = shared.now();
        let out = shared.relay().server_line(line, now);
        if route(&shared, &to_server, out).is_err() {
            break;
        }
    }
    let out = shared.relay().gone();
    // A client that went away needs no answer.
    let _told = route(&shared, &to_server, out);
    if let Some(keeper) = keeper {
        keeper.finish()?;
    }
    let ended = loop {
        match ended(&child) {
            Ok(Some(ended)) => break ended,
            Ok(None) => std::thread::sleep(TICK / 10),
            Err(source) => return Err(Fault::refused("waiting for the server", &source)),
        }
    };
    Ok(ended
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(crate::exit::FAILED))
}

fn ended(child: &Mutex<Child>) -> io::Result<Option<ExitStatus>> {
    let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
    child.try_wait()
}

/// Ends the server when the proxy is asked to stop: first its input is closed, and a moment later it is killed. Clients end the
/// program they started, and know of no other.
fn end_with_us(
    child: Arc<Mutex<Child>>,
    server: mpsc::Sender<Option<Vec<u8>>>,
) -> Result<(), Fault> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| Fault::refused("listening for signals", &source))?;
    let stop = runtime.block_on(async { Stop::listen() })?;
    std::thread::spawn(move || {
        runtime.block_on(stop.asked());
        drop(server.send(None));
        let asked = Instant::now();
        while asked.elapsed() < GRACE {
            if !matches!(ended(&child), Ok(None)) {
                return;
            }
            std::thread::sleep(TICK / 10);
        }
        let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
        // One that is gone by now needs no end.
        let _killed = child.kill();
    });
    Ok(())
}

fn route(shared: &Shared, server: &mpsc::Sender<Option<Vec<u8>>>, out: Vec<Out>) -> io::Result<()> {
    for one in out {
        match one {
            Out::Client(line) => shared.tell(&line)?,
            // A server that went away is noticed where its answers are read.
            Out::Server(line) => drop(server.send(Some(line))),
        }
    }
    Ok(())
}

/// The next line, its end included; `None` at the end.
fn read(from: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    let mut limited = io::Read::take(from, LONGEST);
    match limited.read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(line),
    }
}
