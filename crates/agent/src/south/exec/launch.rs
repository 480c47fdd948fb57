//! The little program between: it lowers its own limits, then becomes the command.
//!
//! Limits can be set for oneself without unsafe code, and not for a child that is about to start. So the acting side starts itself
//! with the limits as arguments (`aon agent launch`), and that process turns into the command. Its standard input leads back to the
//! acting side, which learns there why that failed; the command has an empty one.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use rustix::fs::{Mode, OFlags};
use rustix::process::{Resource, Rlimit, setrlimit};

use super::ResourceLimits;

/// The arguments that [`become_command`] reads, before those of the command.
pub(crate) fn arguments(limits: &ResourceLimits, user: Option<(u32, u32)>) -> Vec<String> {
    let ResourceLimits {
        cpu_seconds,
        memory,
        processes,
        files,
        file_size,
    } = limits;
    let (uid, gid) = user.map_or((String::new(), String::new()), |(uid, gid)| {
        (uid.to_string(), gid.to_string())
    });
    [cpu_seconds, memory, processes, files, file_size]
        .map(u64::to_string)
        .into_iter()
        .chain([uid, gid])
        .collect()
}

/// Sets the limits and becomes the command; returns only when that failed.
pub fn become_command(arguments: &[OsString]) -> io::Error {
    // Closed when this becomes the command, and the acting side reads nothing.
    let back = rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3);
    let error = match empty_input().and_then(|()| prepare(arguments)) {
        Ok(mut command) => command.exec(),
        Err(error) => error,
    };
    if let Ok(back) = back {
        // Nobody else is there to be told.
        let _said = File::from(back).write_all(error.kind().to_string().as_bytes());
    }
    error
}

fn empty_input() -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let nothing = rustix::fs::open("/dev/null", flags, Mode::empty())?;
    Ok(rustix::stdio::dup2_stdin(nothing)?)
}

fn prepare(arguments: &[OsString]) -> io::Result<Command> {
    let wrong = || {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            "the arguments are for the agent's own use",
        )
    };
    let (settings, command) = arguments.split_at_checked(7).ok_or_else(wrong)?;
    let number = |index: usize| {
        settings
            .get(index)
            .and_then(|text| text.to_str()?.parse::<u64>().ok())
    };
    let limits = [
        (Resource::Cpu, number(0)),
        (Resource::As, number(1)),
        (Resource::Nproc, number(2)),
        (Resource::Nofile, number(3)),
        (Resource::Fsize, number(4)),
        (Resource::Core, Some(0)),
    ];
    for (resource, limit) in limits {
        let limit = Some(limit.ok_or_else(wrong)?);
        let had = rustix::process::getrlimit(resource).maximum;
        // Nobody but root can raise what it has.
        let limit = had.map_or(limit, |had| limit.map(|limit| limit.min(had)));
        setrlimit(
            resource,
            Rlimit {
                current: limit,
                maximum: limit,
            },
        )?;
    }
    #[cfg(target_os = "linux")]
    rustix::thread::set_no_new_privs(true)?;
    let (program, args) = command.split_first().ok_or_else(wrong)?;
    let mut command = Command::new(program);
    command.args(args);
    let id = |index| number(index).and_then(|id| u32::try_from(id).ok());
    if let (Some(uid), Some(gid)) = (id(5), id(6)) {
        // The standard library drops the other groups too.
        command.uid(uid).gid(gid);
    }
    Ok(command)
}

/// The user and group ids of a name, as `/etc/passwd` has them.
pub(crate) fn user(passwd: &str, name: &str) -> Option<(u32, u32)> {
    passwd.lines().find_map(|line| {
        let mut parts = line.split(':');
        let found = parts.next()? == name;
        let (_, uid, gid) = (parts.next()?, parts.next()?, parts.next()?);
        found
            .then(|| Some((uid.parse().ok()?, gid.parse().ok()?)))
            .flatten()
    })
}
