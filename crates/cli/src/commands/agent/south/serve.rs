//! `aon agent serve`.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use aon_agent::south::config::{Config, HttpConfig, WebSocketConfig};
use aon_agent::south::exec::Launcher;
use aon_agent::south::fleet::RedisBook;
use aon_agent::south::http::{BySignature, KeyRing, router};
use aon_agent::south::keep::{Book, FileBook};
use aon_agent::south::keys::Keys;
use aon_agent::south::{Acting, clock, tls, ws};
use aon_live::store::RedisSettings;
use aon_live::{Hub, Patient, Settings};
use tokio::net::TcpListener;

use super::args::Serve;
use super::telemetry::Gauges;
use super::{private, read, read_text, unusable};
use crate::exit;
use crate::fault::Fault;
use crate::output::Output;
use crate::server::{Stop, base, runtime};

/// How long a caller may take for the head of a request and each piece of its body.
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) fn run(args: &Serve, output: &mut Output) -> Result<u8, Fault> {
    let path = &args.config;
    let config = Config::parse(&read_text(path)?).map_err(|error| unusable(path, error))?;
    crate::commands::agent::log::start(args.quiet);
    let telemetry = aon_observe::Telemetry::new();
    let launcher = std::env::current_exe()
        .map_err(|source| Fault::refused("finding this program", &source))?;
    let launcher = Launcher::new(launcher, ["agent", "launch", "--"]);
    runtime()?.block_on(async {
        let asked = Stop::listen()?;
        let book = book(&config, path).await?;
        let hub = Hub::with(
            Settings::new()
                .identify(BySignature)
                .sessions(20_000)
                .observe(telemetry.clone()),
        );
        let gauges = Gauges::new(&telemetry);
        let acting = Acting::new(&config, book, launcher, &hub, gauges)
            .map_err(|error| unusable(path, error))?
            .with_door(telemetry.door());
        let mut said = vec!["ready".to_owned()];
        let mut http = None;
        if let Some(settings) = &config.http {
            let listener = bind(settings.listen).await?;
            said.push(format!("http={}", base(local(&listener)?)));
            http = Some((listener, key_ring(settings)?));
        }
        let mut sockets = None;
        if let Some(settings) = &config.websocket {
            let listener = bind(settings.listen).await?;
            said.push(format!("websocket=wss://{}", local(&listener)?));
            sockets = Some((listener, certificates(settings)?));
        }
        if let Some(settings) = &config.metrics {
            let listener = bind(settings.listen).await?;
            said.push(format!("metrics={}/metrics", base(local(&listener)?)));
            tokio::spawn(aon::axum::serve(listener, telemetry.routes()).into_future());
        }
        output.line(said.join(" "))?;
        output.flush()?;
        if let Some((listener, tls)) = sockets {
            tokio::spawn(ws::serve(listener, tls, acting.clone()));
        }
        let Some((listener, keys)) = http else {
            asked.asked().await;
            return Ok(exit::OK);
        };
        let app = router(&acting, &keys).layer(telemetry.layer());
        aon::axum::serve(Patient::new(listener, Duration::from_secs(30)), app)
            .with_patience(PATIENCE)
            .with_graceful_shutdown(asked.asked())
            .await
            .map_err(|source| Fault::refused("serving", &source))?;
        Ok(exit::OK)
    })
}

/// The ledger: a file of this machine, or what its fleet shares.
async fn book(config: &Config, file: &Path) -> Result<Arc<dyn Book>, Fault> {
    let ledger = &config.ledger;
    if let Some(address) = &ledger.redis {
        let settings = RedisSettings::new(address.as_str()).map_err(|bad| unusable(file, bad))?;
        let (fleet, node) = (&ledger.fleet, ledger.node.as_deref());
        let book = RedisBook::open(settings, fleet, node, ledger.limits()).await;
        return Ok(Arc::new(book.map_err(|error| unusable(file, error))?));
    }
    let path = ledger.path.as_deref().unwrap_or_else(|| Path::new(""));
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty() && !folder.exists())
    {
        use std::os::unix::fs::DirBuilderExt as _;
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(|source| Fault::unwritable(folder, &source))?;
    }
    let book = FileBook::open(path, ledger.limits(), clock::now());
    Ok(Arc::new(book.map_err(|error| unusable(path, error))?))
}

async fn bind(address: std::net::SocketAddr) -> Result<TcpListener, Fault> {
    let listener = TcpListener::bind(address).await;
    listener.map_err(|source| Fault::refused(format!("listening on {address}"), &source))
}

fn local(listener: &TcpListener) -> Result<std::net::SocketAddr, Fault> {
    listener
        .local_addr()
        .map_err(|source| Fault::refused("finding the address", &source))
}

fn certificates(
    settings: &WebSocketConfig,
) -> Result<Arc<tokio_rustls::rustls::ServerConfig>, Fault> {
    private(&settings.key)?;
    let own = tls::Own {
        certificate: &read(&settings.certificate)?,
        key: &read(&settings.key)?,
    };
    let revoked = settings.revoked.as_deref().map(read).transpose()?;
    tls::server(own, &read(&settings.client_ca)?, revoked.as_deref())
        .map_err(|error| unusable(&settings.certificate, error))
}

/// The keys, read again when their file changes.
fn key_ring(settings: &HttpConfig) -> Result<KeyRing, Fault> {
    let path = settings.keys.clone();
    let keys = load(&path)?;
    let ring = KeyRing::new(keys);
    let (kept, mut seen) = (ring.clone(), changed(&path));
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_millis(200)).await;
            let now = changed(&path);
            if now == seen {
                continue;
            }
            seen = now;
            match load(&path) {
                Ok(keys) => kept.replace(keys),
                // A key that cannot be read is not good any more, and neither are the others.
                Err(fault) => {
                    tracing::error!(%fault, "the keys cannot be read, so nobody is let in");
                    kept.replace(Keys::default());
                }
            }
        }
    });
    Ok(ring)
}

fn load(path: &Path) -> Result<Keys, Fault> {
    private(path)?;
    Keys::parse(&read_text(path)?).map_err(|error| unusable(path, error))
}

fn changed(path: &Path) -> Option<(SystemTime, u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    let found = std::fs::metadata(path).ok()?;
    Some((found.modified().ok()?, found.len(), found.ino()))
}
