//! Whole programs, measured as the system counts them: CPU time and peak memory of a child.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What one run of a program took.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// User and system time together.
    pub cpu: Duration,
    /// From start to end.
    pub wall: Duration,
    /// The most memory it held, in MB.
    pub peak: f64,
    /// Its exit code; none when it was killed.
    pub code: Option<i32>,
}

impl Usage {
    /// CPU seconds.
    pub fn seconds(&self) -> f64 {
        self.cpu.as_secs_f64()
    }
}

/// Runs a program to its end. What it says is thrown away.
pub fn run(command: &mut Command) -> Option<Usage> {
    let start = Instant::now();
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    let pid = libc::pid_t::try_from(child.id()).ok()?;
    let mut status = 0;
    // SAFETY: a `rusage` of zeros is valid, and both pointers are to values that live until the call returns.
    let (waited, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::wait4(pid, &mut status, 0, &mut usage), usage)
    };
    let wall = start.elapsed();
    let time = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    (waited == pid).then(|| Usage {
        cpu: time(usage.ru_utime) + time(usage.ru_stime),
        wall,
        peak: usage.ru_maxrss as f64 / 1024.0,
        code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
    })
}

/// Runs commands in turn, some rounds long, and gives for each the run with the least CPU time.
pub fn best(rounds: usize, commands: &mut [Command]) -> Vec<Usage> {
    let mut best: Vec<Option<Usage>> = vec![None; commands.len()];
    for _ in 0..rounds {
        for (command, best) in commands.iter_mut().zip(&mut best) {
            let usage = run(command).expect("the program starts");
            if best.is_none_or(|best| usage.cpu < best.cpu) {
                *best = Some(usage);
            }
        }
    }
    best.into_iter().flatten().collect()
}

/// The folder of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of real documents, when it is there.
pub fn corpus() -> Option<PathBuf> {
    let folder = env::var_os("AON_CORPUS").map_or_else(|| root().join("../shared/corpus"), PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// The folder of tools that `.ci/tools --peers` fills.
pub fn tools() -> PathBuf {
    env::var_os("AON_TOOLS").map_or_else(|| root().join("target/tools"), PathBuf::from)
}

/// Builds the programs as they are shipped, and gives the folder they are in.
pub fn programs() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--profile", "dist", "--package", "aon-cli"])
        .current_dir(root())
        .env("CARGO_TARGET_DIR", &target)
        .status();
    assert!(status.is_ok_and(|status| status.success()), "the programs are built");
    target.join("dist")
}

/// A folder that is removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    /// An empty one.
    pub fn new(name: &str) -> Folder {
        let path = env::temp_dir().join(format!("aon-bench-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for the run");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Copies the small documents of the corpus until there are so many.
pub fn many(corpus: &Path, folder: &Path, count: usize) -> u64 {
    let mut small: Vec<PathBuf> = std::fs::read_dir(corpus.join("openapi/bulk-small"))
        .expect("small documents")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    small.sort();
    let mut bytes = 0;
    for (number, path) in small.iter().cycle().take(count).enumerate() {
        let name = path.file_name().expect("a name").to_string_lossy();
        bytes += std::fs::copy(path, folder.join(format!("{number:04}-{name}"))).expect("a copy");
    }
    bytes
}
