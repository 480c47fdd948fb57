//! Whether a worker is reachable from elsewhere: the process behind the socket, and the ports it listens at.

use std::collections::BTreeSet;
use std::fs;

use super::Probe;
use crate::check::Ask;

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
    let held = match ports.first() {
        None => Ok(()),
        Some(_) => Err(format!("it listens at {ports:?}")),
    };
    probe.table.judge(ask, held);
}

/// The TCP ports that a process listens at, as Linux tells it.
fn ports(pid: i32) -> Option<Vec<u16>> {
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
                && let Some((_, port)) = local.rsplit_once(':')
                && let Ok(port) = u16::from_str_radix(port, 16)
            {
                ports.push(port);
            }
        }
    }
    Some(ports)
}
