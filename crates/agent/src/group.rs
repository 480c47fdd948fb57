//! Programs in a process group of their own, which ends as a whole: what a program started does not outlive it.

use std::time::Duration;

use tokio::process::{Child, Command};

/// How long pipes may stay open after the process group is gone: what left the group may hold them.
pub(crate) const LINGER: Duration = Duration::from_millis(500);

/// A process group that ends when it is dropped, whatever happened.
pub(crate) struct Group {
    #[cfg(unix)]
    id: Option<rustix::process::Pid>,
}

impl Group {
    /// Starts a program in a group of its own.
    pub(crate) fn start(command: &mut Command) -> std::io::Result<(Child, Self)> {
        #[cfg(unix)]
        command.process_group(0);
        let child = command.kill_on_drop(true).spawn()?;
        let group = Self {
            #[cfg(unix)]
            id: child
                .id()
                .and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?)),
        };
        Ok((child, group))
    }

    /// Ends what is left of it.
    pub(crate) fn kill(&self) {
        #[cfg(unix)]
        if let Some(group) = self.id {
            // It may be gone already.
            let _gone = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
