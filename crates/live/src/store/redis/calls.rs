//! Everything that is asked of the engine beside appending: reads, keys, leases, letters. One connection, and one `WAIT` for all that
//! is asked at the same time.
//!
//! A read is behind a write and a `WAIT` too where replicas have to have every event: so nobody is shown an event that only the
//! primary has, and a primary that nobody follows any more is not believed.

use redis::{Cmd, Pipeline, Value};
use tokio::sync::{mpsc, oneshot};

use super::health::{Part, Pulse};
use super::link::{Link, pause, refused, together};

/// How much is asked at once.
const MOST: usize = 128;

/// Something to ask.
struct Call {
    command: Cmd,
    /// Whether it may be asked again when the answer was lost.
    repeats: bool,
    reply: oneshot::Sender<Value>,
}

/// Asks the engine.
#[derive(Clone, Debug)]
pub(super) struct Calls(mpsc::UnboundedSender<Call>);

/// What is asked, on its way to whoever asks.
pub(super) struct Asked(mpsc::UnboundedReceiver<Call>);

impl Calls {
    pub(super) fn new() -> (Self, Asked) {
        let (send, receive) = mpsc::unbounded_channel();
        (Self(send), Asked(receive))
    }

    /// Asks until there is an answer. Dropping the future takes the question back if nobody has asked it yet.
    pub(super) async fn ask(&self, command: Cmd) -> Option<Value> {
        self.send(command, true).await
    }

    /// Asks once; nothing when the answer is not known.
    pub(super) async fn ask_once(&self, command: Cmd) -> Option<Value> {
        self.send(command, false).await
    }

    async fn send(&self, command: Cmd, repeats: bool) -> Option<Value> {
        let (reply, answer) = oneshot::channel();
        let call = Call {
            command,
            repeats,
            reply,
        };
        self.0.send(call).ok()?;
        answer.await.ok()
    }
}

/// Asks what is there to ask, until nobody can ask any more. `mark` is written where only reads are asked.
pub(super) async fn run(link: Link, mut asked: Asked, pulse: Pulse, mark: Vec<u8>) {
    let mut connection = None;
    let mut failures = 0;
    let mut waiting: Vec<Call> = Vec::new();
    loop {
        if waiting.is_empty() {
            match asked.0.recv().await {
                Some(call) => waiting.push(call),
                None => return,
            }
        }
        while waiting.len() < MOST
            && let Ok(call) = asked.0.try_recv()
        {
            waiting.push(call);
        }
        waiting.retain(|call| !call.reply.is_closed());
        if waiting.is_empty() {
            continue;
        }
        let open = match connection.as_mut() {
            Some(open) => open,
            None => match link.connect().await {
                Ok(open) => connection.insert(open),
                Err(broken) => {
                    failures += 1;
                    pulse.bad(Part::Calls, &broken);
                    waiting.retain(|call| call.repeats);
                    pause(failures).await;
                    continue;
                }
            },
        };
        let mut pipeline = Pipeline::with_capacity(waiting.len() + 2);
        for call in &waiting {
            pipeline.add_command(call.command.clone());
        }
        if link.wants() > 0 {
            pipeline.cmd("SET").arg(&mark).arg(1).arg("PX").arg(60_000);
        }
        let answers = together(open, &mut pipeline, link.wants()).await;
        let error = match answers {
            Ok(values) => match values.iter().find_map(refused) {
                None => {
                    failures = 0;
                    pulse.good(Part::Calls);
                    for (call, value) in waiting.drain(..).zip(values) {
                        // Whoever asked may have gone.
                        let _: Result<(), Value> = call.reply.send(value);
                    }
                    continue;
                }
                Some(error) => error,
            },
            Err(broken) => broken.to_string(),
        };
        failures += 1;
        pulse.bad(Part::Calls, &error);
        connection = None;
        waiting.retain(|call| call.repeats);
        pause(failures).await;
    }
}
