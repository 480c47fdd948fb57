//! The shell of every proxy over HTTP: a port, connections, and when to stop.

use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};

use super::a2a::A2a;
use super::args::Proxy;
use super::mcp::Mcp;
use super::observe::{Keeper, Manifest, Observer};
use super::rest::Rest;
use super::upstream::Upstream;
use super::wire::Body;
use crate::fault::Fault;
use crate::http::Target;
use crate::output::Output;
use crate::server::{Stop, base, runtime};

/// How long open connections may take to end once the program was asked to stop.
const GRACE: Duration = Duration::from_secs(2);
/// How long the head of a request may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// What the server behind the proxy speaks.
#[derive(Debug)]
pub(super) enum Spoken {
    Mcp(Box<Mcp>),
    Rest(Box<Rest>),
    A2a(Box<A2a>),
}

impl Spoken {
    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        match self {
            Self::Mcp(mcp) => mcp.answer(request).await,
            Self::Rest(rest) => rest.answer(request).await,
            Self::A2a(a2a) => a2a.answer(request).await,
        }
    }
}

/// Serves until the program is asked to stop.
pub(super) fn run(args: &Proxy, url: &str, output: &mut Output) -> Result<(), Fault> {
    let target = Target::parse(url).map_err(|reason| {
        Fault::usage(reason, "Name an address such as http://127.0.0.1:3000/mcp.")
    })?;
    let observer = Observer::default();
    let document = match (&args.rest, &args.manifest) {
        (Some(_), Some(path)) => Some(path.as_path()),
        _ => None,
    };
    let keeper = args
        .observe
        .as_deref()
        .map(|folder| Keeper::start(folder, manifest(args, document), observer.clone()))
        .transpose()?;
    runtime()?.block_on(async {
        let (host, port) = (args.host, args.port);
        let listener = TcpListener::bind((host, port))
            .await
            .map_err(|source| Fault::refused(format!("listening on {host}:{port}"), &source))?;
        let address = listener
            .local_addr()
            .map_err(|source| Fault::refused("listening", &source))?;
        let stop = Stop::listen()?;
        let here = base(address);
        let upstream = Upstream::new(target.clone(), address.port(), args.timeout);
        let spoken = if args.mcp.is_some() {
            Spoken::Mcp(Box::new(Mcp::new(upstream, observer)))
        } else if let Some(document) = document {
            Spoken::Rest(Box::new(Rest::new(upstream, observer, document)?))
        } else {
            Spoken::A2a(Box::new(A2a::new(upstream, observer, &here)))
        };
        output.line(format!("ready {here}{} for {target}", target.path))?;
        output.flush()?;
        accept(&listener, Arc::new(spoken), stop).await;
        Ok(())
    })?;
    keeper.map_or(Ok(()), Keeper::finish)
}

fn manifest(args: &Proxy, document: Option<&Path>) -> Manifest {
    match document {
        Some(path) => Manifest::File(path.to_owned()),
        None if args.mcp.is_some() => Manifest::Told("tools.json"),
        None => Manifest::Told("agent-card.json"),
    }
}

async fn accept(listener: &TcpListener, spoken: Arc<Spoken>, stop: Stop) {
    let graceful = GracefulShutdown::new();
    let mut stopped = std::pin::pin!(stop.asked());
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                // Too many open files, for example: the next one may do.
                Err(_refused) => {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    continue;
                }
            },
            () = &mut stopped => break,
        };
        connection(stream, Arc::clone(&spoken), &graceful);
    }
    tokio::select! {
        () = graceful.shutdown() => {}
        () = tokio::time::sleep(GRACE) => {}
    }
}

fn connection(stream: TcpStream, spoken: Arc<Spoken>, graceful: &GracefulShutdown) {
    // Without it small messages wait for each other; a socket that refuses works all the same.
    let _set = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let spoken = Arc::clone(&spoken);
        async move { Ok::<_, Infallible>(spoken.answer(request).await) }
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .preserve_header_case(true)
        .auto_date_header(false)
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE);
    builder
        .http2()
        .auto_date_header(false)
        .timer(TokioTimer::new());
    let connection = builder
        .serve_connection_with_upgrades(TokioIo::new(stream), service)
        .into_owned();
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        // A client that breaks its connection has nobody to be told of.
        let _ended = connection.await;
    });
}
