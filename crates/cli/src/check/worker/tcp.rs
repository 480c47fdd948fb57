//! Whether a worker is reachable from elsewhere: the process behind the socket, and the ports it listens at.

use std::collections::BTreeSet;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::Probe;
use crate::check::{Ask, holds};

pub(super) async fn probe(probe: &mut Probe<'_>) {
    let ask = Ask::contract(
        "W1",
        "the worker listens at no TCP port, where nobody would be asked who they are",
    )
    .fix("listen at the Unix socket alone");
    let peer = match probe.connect().await {
        Ok(wire) => wire.stream.peer_cred().ok().and_then(|peer| peer.pid()),
        Err(_gone) => None,
    };
    let Some(ports) = peer.and_then(ports) else {
        probe.table.skip(
            ask,
            "the system does not say which ports the process listens at",
        );
        return;
    };
    let mut open = Vec::new();
    for port in ports {
        if !(port.ip().is_loopback() && speaks_http(port).await) {
            open.push(port.to_string());
        }
    }
    let held = holds(open.is_empty(), || {
        format!("it listens at {}", open.join(", "))
    });
    probe.table.judge(ask, held);
}

/// Whether another service is there, such as the metrics of the worker for this machine.
async fn speaks_http(port: SocketAddr) -> bool {
    let asked = async {
        let mut stream = TcpStream::connect(port).await.ok()?;
        stream.write_all(b"GET / HTTP/1.0\r\n\r\n").await.ok()?;
        let mut answer = [0; 5];
        stream.read_exact(&mut answer).await.ok()?;
        Some(&answer == b"HTTP/")
    };
    let answered = timeout(Duration::from_secs(1), asked).await;
    answered.ok().flatten().unwrap_or(false)
}

/// Where a process listens, as Linux tells it.
fn ports(pid: i32) -> Option<Vec<SocketAddr>> {
    let own = fs::read_dir(format!("/proc/{pid}/fd")).ok()?;
    let inodes: BTreeSet<String> = own
        .filter_map(|file| fs::read_link(file.ok()?.path()).ok())
        .filter_map(|link| {
            let link = link.to_str()?.strip_prefix("socket:[")?;
            Some(link.strip_suffix(']')?.to_owned())
        })
        .collect();
    let mut ports = Vec::new();
    for table in ["tcp", "tcp6"] {
        let text = fs::read_to_string(format!("/proc/{pid}/net/{table}")).unwrap_or_default();
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            // Its own address, the state (0A: listening), the inode.
            if let (Some(local), Some(&"0A"), Some(inode)) =
                (fields.get(1), fields.get(3), fields.get(9))
                && inodes.contains(*inode)
                && let Some(address) = address(local)
            {
                ports.push(address);
            }
        }
    }
    Some(ports)
}

/// An address as the kernel writes it: words of four bytes, each in the order of the machine, and the port.
fn address(text: &str) -> Option<SocketAddr> {
    let (ip, port) = text.split_once(':')?;
    let word = |at: usize| {
        let word = u32::from_str_radix(ip.get(at * 8..at * 8 + 8)?, 16).ok()?;
        Some(word.to_ne_bytes())
    };
    let ip = match ip.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(0)?)),
        32 => {
            let words = [word(0)?, word(1)?, word(2)?, word(3)?];
            let bytes: [u8; 16] = words.concat().try_into().ok()?;
            Ipv6Addr::from(bytes).to_canonical()
        }
        _ => return None,
    };
    Some(SocketAddr::new(ip, u16::from_str_radix(port, 16).ok()?))
}

#[cfg(all(test, target_endian = "little"))]
mod tests {
    use super::address;

    #[test]
    fn addresses_are_read_as_the_kernel_writes_them() {
        for (text, read) in [
            ("0100007F:1F90", "127.0.0.1:8080"),
            ("00000000:0050", "0.0.0.0:80"),
            ("00000000000000000000000001000000:0050", "[::1]:80"),
            ("0000000000000000FFFF00000100007F:0050", "127.0.0.1:80"),
            ("00000000000000000000000000000000:0050", "[::]:80"),
        ] {
            assert_eq!(
                address(text).map(|found| found.to_string()).as_deref(),
                Some(read)
            );
        }
        assert_eq!(address("xyz"), None);
    }
}
