//! The socket of a worker: where it is, and who may use it.

use std::fs::{self, DirBuilder, Permissions};
use std::future::Future;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{
    DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::connection;
use super::wire::write_refusal;
use super::{Shared, Worker};
use crate::fault::{Fault, Told};

/// A worker that listens.
#[derive(Debug)]
pub struct Socket {
    listener: UnixListener,
    path: PathBuf,
    /// Which file is ours, so that nobody else's is removed.
    inode: u64,
    /// Who runs the worker.
    user: u32,
    shared: Arc<Shared>,
    open_directory: Option<u32>,
}

impl Worker {
    /// Makes the socket. Its directory is made with mode 0700 if it is not there, and the socket has mode 0600. A socket
    /// that nobody listens at is replaced; one that somebody listens at is not, and neither is another kind of file.
    ///
    /// # Errors
    ///
    /// When the socket cannot be made there, or should not be: others may write to the directory.
    pub fn bind(self, path: impl Into<PathBuf>) -> Result<Socket, Fault> {
        let path = path.into();
        let refused = |reason: String| Fault::SocketRefused {
            path: path.display().to_string(),
            reason,
        };
        let failed = |error: io::Error| refused(error.to_string());
        let open_directory = directory(&path).map_err(refused)?;
        vacate(&path, &refused)?;
        // Made under another name, so that nobody meets it before it is closed to others.
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.new", std::process::id()));
        let fresh = path.with_file_name(name);
        let _: io::Result<()> = fs::remove_file(&fresh);
        let listener = UnixListener::bind(&fresh).map_err(failed)?;
        let ready = fs::set_permissions(&fresh, Permissions::from_mode(0o600))
            .and_then(|()| fs::rename(&fresh, &path))
            .and_then(|()| fs::symlink_metadata(&path));
        let made = ready.map_err(|error| {
            let _: io::Result<()> = fs::remove_file(&fresh);
            failed(error)
        })?;
        Ok(Socket {
            listener,
            inode: made.ino(),
            user: made.uid(),
            open_directory,
            shared: Arc::new(Shared::new(self)),
            path,
        })
    }
}

/// Makes the directory, or looks at the one that is there: its mode, if others may enter.
fn directory(path: &Path) -> Result<Option<u32>, String> {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or_else(|| Path::new("."));
    match fs::metadata(parent) {
        Ok(known) => {
            let mode = known.mode() & 0o7777;
            let shared = mode & 0o022 != 0;
            let sticky = mode & 0o1000 != 0;
            if shared && !sticky {
                return Err(format!(
                    "others may write to its directory (mode {mode:04o}); give it the mode 0700"
                ));
            }
            Ok((mode & 0o077 != 0).then_some(mode))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(parent);
            made.map_err(|error| format!("its directory cannot be made: {error}"))?;
            Ok(None)
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Makes sure that nobody listens at the path, and removes what a worker left there.
fn vacate(path: &Path, refused: &dyn Fn(String) -> Fault) -> Result<(), Fault> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(refused(error.to_string())),
        Ok(known) if !known.file_type().is_socket() => {
            return Err(refused(
                "there is a file of that name that is not a socket".to_owned(),
            ));
        }
        Ok(_) => {}
    }
    match std::os::unix::net::UnixStream::connect(path) {
        Ok(_) => Err(Fault::SocketInUse {
            path: path.display().to_string(),
        }),
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(|error| refused(error.to_string()))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(refused(error.to_string())),
    }
}

impl Socket {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The mode of its directory, if others may enter it. The socket is closed to them all the same.
    pub const fn open_directory(&self) -> Option<u32> {
        self.open_directory
    }

    /// Serves until `until` is over. Then streams end with `shutting_down`, and the socket is removed.
    pub async fn serve(self, until: impl Future<Output = ()>) {
        let (down, _) = watch::channel(false);
        let mut connections = JoinSet::new();
        let mut until = std::pin::pin!(until);
        loop {
            tokio::select! {
                () = &mut until => break,
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        let work = serve_one(stream, Arc::clone(&self.shared), self.user, down.subscribe());
                        connections.spawn(work);
                    }
                    Err(error) => {
                        // Too many open files, mostly: what is open goes on, and a place may become free.
                        tracing::warn!(target: "aon::agent", %error, "a connection was not accepted");
                        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                    }
                },
                Some(_) = connections.join_next() => {}
            }
        }
        // Nobody listens from here on, and what is open ends.
        down.send_replace(true);
        let all = async { while connections.join_next().await.is_some() {} };
        let grace = std::time::Duration::from_secs(2);
        if tokio::time::timeout(grace, all).await.is_err() {
            connections.abort_all();
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let ours = fs::symlink_metadata(&self.path).is_ok_and(|file| file.ino() == self.inode);
        if ours && let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(target: "aon::agent", %error, "the socket was not removed");
        }
    }
}

async fn serve_one(
    stream: UnixStream,
    shared: Arc<Shared>,
    user: u32,
    down: watch::Receiver<bool>,
) {
    let peer = stream.peer_cred().map(|peer| peer.uid());
    let fault = match peer {
        // The administrator of the machine may do everything anyway.
        Ok(uid) if uid == user || uid == 0 => None,
        _ => Some(Fault::PeerNotAllowed),
    };
    let place = Place::take(&shared);
    let fault = fault.or_else(|| place.is_none().then_some(Fault::TooManyConnections));
    if let Some(fault) = fault {
        let told = Told::of(&fault.into_failure(), &shared.door, "worker");
        let mut line = Vec::new();
        write_refusal(&mut line, None, &told, false);
        // One try: a client that does not read is not waited for.
        let _: io::Result<usize> = stream.try_write(&line);
        return;
    }
    connection::serve(stream, &shared, down).await;
    drop(place);
}

/// The place of a connection, given back when it ends.
struct Place(Arc<Shared>);

impl Place {
    fn take(shared: &Arc<Shared>) -> Option<Self> {
        let most = shared.limits.connections;
        let more = |count: usize| (count < most).then_some(count + 1);
        let taken = shared
            .connections
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        taken.is_ok().then(|| Self(Arc::clone(shared)))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}
