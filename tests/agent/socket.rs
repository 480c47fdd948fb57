//! Where the socket is, and who may use it.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::Command;

use aon_agent::Fault;
use aon_agent::worker::{Echo, Worker};

use crate::support::{Folder, refused, serve, serve_with, tool};

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).expect("it is there").mode() & 0o7777
}

#[tokio::test]
async fn the_directory_is_0700_and_the_socket_0600_and_gone_at_the_end() {
    let worker = serve(Echo);
    let path = worker.path.clone();
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    let _folder = worker.stop().await;
    assert!(!path.exists());
}

#[tokio::test]
async fn a_socket_that_nobody_listens_at_is_replaced_and_one_in_use_is_not() {
    let folder = Folder::new();
    let path = folder.path().join("w.sock");
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(path.exists(), "it was left there");
    let first = Worker::new(Echo).bind(&path).unwrap();
    let second = Worker::new(Echo).bind(&path).unwrap_err();
    assert!(matches!(second, Fault::SocketInUse { .. }), "{second}");
    drop(first);
    assert!(!path.exists());
    std::fs::write(&path, "mine").unwrap();
    let third = Worker::new(Echo).bind(&path).unwrap_err();
    assert!(third.to_string().contains("not a socket"), "{third}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
}

#[tokio::test]
async fn a_worker_removes_no_socket_but_its_own() {
    let folder = Folder::new();
    let path = folder.path().join("w.sock");
    let first = Worker::new(Echo).bind(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let second = Worker::new(Echo).bind(&path).unwrap();
    drop(first);
    assert!(path.exists());
    drop(second);
}

#[tokio::test]
async fn a_directory_that_others_may_write_to_is_refused() {
    let folder = Folder::new();
    let open = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(folder.path(), open).unwrap();
    let refused = Worker::new(Echo)
        .bind(folder.path().join("w.sock"))
        .unwrap_err();
    assert!(refused.to_string().contains("0700"), "{refused}");
    // A folder like that for temporary files is closed to others by its sticky bit.
    let sticky = std::fs::Permissions::from_mode(0o1777);
    std::fs::set_permissions(folder.path(), sticky).unwrap();
    let socket = Worker::new(Echo)
        .bind(folder.path().join("w.sock"))
        .unwrap();
    assert_eq!(socket.open_directory(), Some(0o1777));
}

/// Root can pretend to be somebody else; nobody else can.
#[tokio::test]
async fn another_user_is_refused_even_where_the_modes_let_it_in() {
    let worker = serve(Echo);
    let owner = std::fs::metadata(&worker.path).unwrap().uid();
    if owner != 0 {
        aon_tests::place::say("skipped: peer uid, only root can change its user");
        return;
    }
    let Some(setpriv) = tool("peer uid", "setpriv") else {
        return;
    };
    // One of the system, which everybody may run.
    let python = Path::new("/usr/bin/python3");
    if !python.exists() {
        aon_tests::place::say("skipped: peer uid, /usr/bin/python3 is not there");
        return;
    }
    let everybody = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    everybody(&worker.path, 0o666);
    everybody(worker.path.parent().unwrap(), 0o755);
    everybody(worker.folder.path(), 0o755);
    let script = "import socket,sys\ns=socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\nprint(s.makefile().readline())";
    let path = worker.path.clone();
    let said = tokio::task::spawn_blocking(move || {
        let mut command = Command::new(setpriv);
        command
            .args(["--reuid", "65534", "--clear-groups"])
            .arg(python)
            .args(["-c", script])
            .arg(path);
        command.output().unwrap()
    });
    let said = said.await.unwrap();
    let line = String::from_utf8_lossy(&said.stdout);
    let answer = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{said:?}"));
    refused(&answer, "peer_not_allowed");
    assert_eq!(
        worker.client().await.ask(r#"{"type":"status"}"#).await["ok"],
        true
    );
}

#[tokio::test]
async fn there_are_only_so_many_connections() {
    let worker = serve_with(Worker::new(Echo).limits(|limits| limits.connections = 2));
    let (mut first, mut second) = (worker.client().await, worker.client().await);
    for client in [&mut first, &mut second] {
        assert_eq!(
            client.ask(r#"{"type":"status"}"#).await["status"],
            "running"
        );
    }
    let mut third = worker.client().await;
    refused(&third.line().await.unwrap(), "too_many_connections");
    assert!(third.line().await.is_none());
    drop(first);
    loop {
        let mut next = worker.client().await;
        let answer = next.ask(r#"{"type":"status"}"#).await;
        if answer["ok"] == true {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}
