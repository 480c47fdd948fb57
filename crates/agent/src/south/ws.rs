//! Southbound over WebSocket: the certificate of the client is its identity, and `hello` comes first.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::server::TlsStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Message};
use tokio_tungstenite::tungstenite::{Bytes, Error};

use super::act::{Acting, How, Who, answer_message};
use super::answer::Answer;
use super::fault::SouthFault;
use super::tls::{Identity, identity};
use super::wire::{Envelope, Request, object, read};

/// How long a handshake may take, of TLS, of WebSocket, and until `hello`.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How long a write may make no progress.
const STALLED: Duration = Duration::from_secs(30);
/// After how long without a word a connection is asked, and after twice that it is closed.
const QUIET: Duration = Duration::from_secs(30);
/// How long the rest of a message that is too large is read and forgotten.
const DRAIN: Duration = Duration::from_secs(2);
/// How many connections there are at once.
const CONNECTIONS: usize = 1024;
/// How many messages of one connection are answered at once.
const AT_ONCE: usize = 256;
/// How many messages wait to be sent on one connection.
const OUTBOX: usize = 64;

type Socket = WebSocketStream<TlsStream<TcpStream>>;

/// Accepts connections until it is dropped.
///
/// # Errors
///
/// When the listener cannot be used any more.
pub async fn serve(
    listener: TcpListener,
    tls: Arc<ServerConfig>,
    acting: Acting,
) -> io::Result<()> {
    let acceptor = TlsAcceptor::from(tls);
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let place = Arc::clone(&places).acquire_owned().await;
        let accepted = listener.accept().await;
        let Ok((stream, _)) = accepted else {
            // Too many open files: others will close theirs.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let (acceptor, acting) = (acceptor.clone(), acting.clone());
        tokio::spawn(async move {
            if let Some((socket, identity)) = open(&acceptor, stream, acting.max_payload()).await {
                converse(socket, identity, acting).await;
            }
            drop(place);
        });
    }
}

/// Both handshakes, in time.
async fn open(
    acceptor: &TlsAcceptor,
    stream: TcpStream,
    largest: u64,
) -> Option<(Socket, Identity)> {
    // A connection that delays small answers is worth a word, and no more.
    let _slower = stream.set_nodelay(true);
    let stream = timeout(HANDSHAKE, acceptor.accept(stream))
        .await
        .ok()?
        .ok()?;
    let shown = stream.get_ref().1.peer_certificates()?.first()?;
    let identity = identity(shown)?;
    let largest = usize::try_from(largest).ok();
    let limits = WebSocketConfig::default()
        .max_message_size(largest)
        .max_frame_size(largest)
        .max_write_buffer_size(16 << 20);
    let socket = tokio_tungstenite::accept_async_with_config(stream, Some(limits));
    let socket = timeout(HANDSHAKE, socket).await.ok()?.ok()?;
    Some((socket, identity))
}

async fn converse(socket: Socket, identity: Identity, acting: Acting) {
    let (sink, mut stream) = socket.split();
    let (outbox, queue) = mpsc::channel(OUTBOX);
    let writer = tokio::spawn(write(sink, queue));
    let end = listen(&mut stream, &identity, &acting, &outbox).await;
    let close = CloseFrame {
        code: end,
        reason: "".into(),
    };
    // The writer is gone where the other side is.
    let _gone = outbox.send(Message::Close(Some(close))).await;
    drop(outbox);
    let Ok(sink) = writer.await else { return };
    if end == CloseCode::Size
        && let Ok(socket) = stream.reunite(sink)
    {
        // What is still on its way would reset the connection, and the answer with it.
        let mut rest = socket.into_inner();
        let mut nowhere = tokio::io::sink();
        let _cut = timeout(DRAIN, tokio::io::copy(&mut rest, &mut nowhere)).await;
    }
}

/// Sends what is in the queue, in order; what nobody takes ends the connection.
async fn write(
    mut sink: SplitSink<Socket, Message>,
    mut queue: mpsc::Receiver<Message>,
) -> SplitSink<Socket, Message> {
    while let Some(message) = queue.recv().await {
        let closes = message.is_close();
        let sent = timeout(STALLED, sink.send(message)).await;
        if closes || !matches!(sent, Ok(Ok(()))) {
            break;
        }
    }
    sink
}

async fn listen(
    stream: &mut SplitStream<Socket>,
    identity: &Identity,
    acting: &Acting,
    outbox: &mpsc::Sender<Message>,
) -> CloseCode {
    let mut who: Option<Who> = None;
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut quiet = false;
    // Pings do not prolong the handshake.
    let welcomed_until = Instant::now() + HANDSHAKE;
    loop {
        let until = match who {
            Some(_) => Instant::now() + QUIET,
            None => welcomed_until,
        };
        let bytes = match timeout_at(until, stream.next()).await {
            Ok(Some(Ok(Message::Text(text)))) => Bytes::from(text),
            Ok(Some(Ok(Message::Binary(bytes)))) => bytes,
            Ok(Some(Ok(Message::Close(_))) | None) => return CloseCode::Normal,
            Ok(Some(Ok(_))) => {
                quiet = false;
                continue;
            }
            Ok(Some(Err(Error::Capacity(_)))) => {
                let max_payload = acting.max_payload();
                let answer = acting.failed(&SouthFault::PayloadTooLarge { max_payload });
                say(outbox, &answer).await;
                return CloseCode::Size;
            }
            Ok(Some(Err(_))) => return CloseCode::Protocol,
            Err(_) if who.is_none() || quiet => return CloseCode::Policy,
            Err(_) => {
                quiet = true;
                if outbox.send(Message::Ping(Bytes::new())).await.is_err() {
                    return CloseCode::Normal;
                }
                continue;
            }
        };
        quiet = false;
        let Some(known) = &mut who else {
            match welcome(&bytes, identity, acting) {
                Ok((agent, answer)) => {
                    who = Some(agent);
                    say(outbox, &answer).await;
                }
                Err(answer) => {
                    say(outbox, &answer).await;
                    return CloseCode::Policy;
                }
            }
            continue;
        };
        // A client that sends faster than it is answered waits.
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return CloseCode::Error;
        };
        let (acting, outbox, mut who) = (acting.clone(), outbox.clone(), known.clone());
        tokio::spawn(async move {
            respond(&acting, &mut who, &bytes, &outbox).await;
            drop(place);
        });
    }
}

/// Binds the connection to an agent: the id in `hello` is a name in the certificate.
fn welcome(bytes: &[u8], identity: &Identity, acting: &Acting) -> Result<(Who, Answer), Answer> {
    let message = object(bytes).map_err(|fault| acting.failed(&fault))?;
    let envelope = Envelope::of(&message);
    let bound = read(message, None).and_then(|request| {
        let Request::Hello(hello) = request else {
            return Err(SouthFault::HelloExpected);
        };
        if !identity.names.contains(&hello.agent_id) {
            return Err(SouthFault::AgentMismatch);
        }
        let mut who = acting.admit(&hello.agent_id, Some(&identity.fingerprint))?;
        let answer = acting.hello(&mut who, &hello)?;
        Ok((who, answer))
    });
    match bound {
        Ok((who, answer)) => Ok((who, answer.to(&envelope))),
        Err(fault) => Err(acting.failed(&fault).to(&envelope)),
    }
}

/// Answers one message; its events come before its answer, when it asks for them with `stream`.
async fn respond(acting: &Acting, who: &mut Who, bytes: &[u8], outbox: &mpsc::Sender<Message>) {
    let asked = object(bytes).unwrap_or_default();
    let streams = asked.get("stream") == Some(&Value::Bool(true));
    let action_id = Envelope::of(&asked).action_id;
    let (follower, mut lines) = mpsc::channel(OUTBOX);
    let how = How {
        waits: true,
        follower: streams.then_some(follower),
        ..How::default()
    };
    let events = async {
        while let Some(line) = lines.recv().await {
            if let Some(event) = event(&line, action_id.as_deref())
                && outbox.send(Message::text(event)).await.is_err()
            {
                return;
            }
        }
    };
    let (answer, ()) = tokio::join!(answer_message(acting, who, bytes, None, how), events);
    say(outbox, &answer).await;
}

/// An event of the session in the shape of the specification, with the id of its action.
fn event(line: &str, action_id: Option<&str>) -> Option<String> {
    let mut event: Value = serde_json::from_str(line).ok()?;
    let members = event.as_object_mut()?;
    match members.get("type")?.as_str()? {
        "exec_log" => {
            if let Some(Value::Object(data)) = members.remove("data") {
                members.extend(data);
            }
        }
        "session"
        | "gap"
        | "healing"
        | "interactive_healing_request"
        | "interactive_healing_result" => {}
        // The answer says how it ended.
        _ => return None,
    }
    members.insert("action_id".to_owned(), action_id?.into());
    Some(event.to_string())
}

async fn say(outbox: &mpsc::Sender<Message>, answer: &Answer) {
    // Nobody is there to hear that nobody is there.
    let _gone = outbox.send(Message::text(answer.text())).await;
}
