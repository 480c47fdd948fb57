//! A wire between two programs that can be cut: what is sent meanwhile is neither lost nor refused, it does not arrive, as in a network
//! that is split.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// A port that leads to another one, until it is cut.
pub struct Wire {
    pub port: u16,
    cut: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
}

impl Wire {
    /// Leads to this port of this machine.
    pub fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let wire = Self {
            port: listener.local_addr().expect("its address").port(),
            cut: Arc::default(),
            over: Arc::default(),
        };
        let (cut, over) = (Arc::clone(&wire.cut), Arc::clone(&wire.over));
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                if over.load(Ordering::Relaxed) {
                    return;
                }
                let (cut, over) = (Arc::clone(&cut), Arc::clone(&over));
                thread::spawn(move || {
                    wait(&cut, &over);
                    let Ok(far) = TcpStream::connect(("127.0.0.1", port)) else {
                        return;
                    };
                    let back = (near.try_clone(), far.try_clone());
                    let (Ok(near_2), Ok(far_2)) = back else {
                        return;
                    };
                    let (cut_2, over_2) = (Arc::clone(&cut), Arc::clone(&over));
                    thread::spawn(move || carry(&far_2, &near_2, &cut_2, &over_2));
                    carry(&near, &far, &cut, &over);
                });
            }
        });
        wire
    }

    /// Nothing arrives from here on.
    pub fn cut(&self) {
        self.cut.store(true, Ordering::Relaxed);
    }

    /// What was held up arrives, and what follows.
    pub fn mend(&self) {
        self.cut.store(false, Ordering::Relaxed);
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        // Wakes whoever accepts.
        let _: std::io::Result<TcpStream> = TcpStream::connect(("127.0.0.1", self.port));
    }
}

fn wait(cut: &AtomicBool, over: &AtomicBool) {
    while cut.load(Ordering::Relaxed) && !over.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(5));
    }
}

fn carry(mut from: &TcpStream, mut to: &TcpStream, cut: &AtomicBool, over: &AtomicBool) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        wait(cut, over);
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    wait(cut, over);
    // The end travels like everything else; either side may be gone.
    let _: std::io::Result<()> = to.shutdown(Shutdown::Both);
    let _: std::io::Result<()> = from.shutdown(Shutdown::Both);
}
