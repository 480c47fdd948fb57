//! What every server of the command line needs: a runtime, its own address, and when to stop.

use std::net::{IpAddr, SocketAddr};

use crate::fault::Fault;

/// The address others use: one that was bound to every interface is reached on this machine.
pub(crate) fn base(address: SocketAddr) -> String {
    let port = address.port();
    match address.ip() {
        ip if ip.is_unspecified() => format!("http://127.0.0.1:{port}"),
        IpAddr::V4(ip) => format!("http://{ip}:{port}"),
        IpAddr::V6(ip) => format!("http://[{ip}]:{port}"),
    }
}

/// Threads, timers and sockets.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Fault> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|source| Fault::refused("starting the server", &source))
}

/// Ctrl-C, or the signal a supervisor sends. Listened for from the moment it is made, so that no signal is lost.
pub(crate) struct Stop {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl Stop {
    #[cfg(unix)]
    pub(crate) fn listen() -> Result<Self, Fault> {
        use tokio::signal::unix::{SignalKind, signal};
        let refused = |source| Fault::refused("listening for signals", &source);
        Ok(Self {
            terminate: signal(SignalKind::terminate()).map_err(refused)?,
            interrupt: signal(SignalKind::interrupt()).map_err(refused)?,
        })
    }

    #[cfg(unix)]
    pub(crate) async fn asked(mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    #[cfg(not(unix))]
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(crate) fn listen() -> Result<Self, Fault> {
        Ok(Self {})
    }

    #[cfg(not(unix))]
    pub(crate) async fn asked(self) {
        // Without a way to listen the program runs until it is ended from outside.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
