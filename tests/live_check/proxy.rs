//! A network that breaks: a proxy which cuts each connection after so many bytes of the answer.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// The port of a proxy to `port`. Connection by connection it cuts after as many bytes as `cuts` says; later ones are whole.
pub fn start(port: u16, cuts: Vec<usize>) -> u16 {
    start_with(port, cuts, Duration::from_millis(150))
}

/// The same, which breaks so long after the last byte.
pub fn start_with(port: u16, cuts: Vec<usize>, pause: Duration) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let own = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        let count = AtomicUsize::new(0);
        for client in listener.incoming().flatten() {
            let most = cuts
                .get(count.fetch_add(1, Ordering::Relaxed))
                .copied()
                .unwrap_or(usize::MAX);
            let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else {
                continue;
            };
            thread::spawn(move || carry(client, server, most, pause));
        }
    });
    own
}

fn carry(client: TcpStream, mut server: TcpStream, mut most: usize, pause: Duration) {
    let (mut from, mut to) = (
        client.try_clone().expect("a socket"),
        server.try_clone().expect("a socket"),
    );
    thread::spawn(move || {
        let _ = std::io::copy(&mut from, &mut to);
        // The caller left: the server hears of it.
        let _ = to.shutdown(Shutdown::Both);
    });
    let mut client = client;
    let mut piece = [0; 4096];
    while most > 0 {
        let room = piece.len().min(most);
        match server.read(&mut piece[..room]) {
            Ok(0) | Err(_) => break,
            Ok(read) => {
                most -= read;
                if client.write_all(&piece[..read]).is_err() {
                    break;
                }
            }
        }
    }
    // What was sent arrives before the break.
    thread::sleep(pause);
    let _ = client.shutdown(Shutdown::Both);
    let _ = server.shutdown(Shutdown::Both);
}
