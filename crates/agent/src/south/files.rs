//! Files inside allowed folders, without a way out of them.
//!
//! A path is walked folder by folder, from the allowed one down, and no link is followed on the way: every step is an `openat` with
//! `O_NOFOLLOW` on the folder that is held. A link that is swapped in meanwhile is refused or replaced, never followed.

use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::buffer::spare_capacity;
use rustix::fs::{
    AtFlags, Mode, OFlags, Stat, XattrFlags, fchmod, fchown, fgetxattr, flistxattr, fsetxattr,
    fstat, fsync, open, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;

use super::fault::SouthFault;

/// The largest file that is compared or changed.
const LARGEST: u64 = 8 << 20;

/// The most bytes of the names of its attributes, and of one of them: what Linux allows.
const ATTRIBUTES: usize = 64 << 10;

/// The mode of a file that is made.
const NEW_FILE: Mode = Mode::from_raw_mode(0o644);

/// The folders that may be looked into and changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roots(Vec<PathBuf>);

/// A file that was found, or the place where it would be.
#[derive(Debug)]
pub struct Place {
    folder: OwnedFd,
    name: std::ffi::OsString,
}

/// A file as it was read.
#[derive(Debug)]
pub struct Content {
    text: String,
    stat: Stat,
    attributes: Vec<(CString, Vec<u8>)>,
}

impl Content {
    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Roots {
    /// These folders, which are absolute. They may be links themselves: the operator chose them.
    pub fn new(roots: impl IntoIterator<Item = PathBuf>) -> Self {
        Self(roots.into_iter().collect())
    }

    /// Walks to a file.
    ///
    /// # Errors
    ///
    /// When it is outside, a link is in the way, or a folder does not exist.
    pub fn find(&self, named: &str) -> Result<Place, SouthFault> {
        let not_allowed = || SouthFault::PathNotAllowed {
            roots: self
                .0
                .iter()
                .map(|root| root.display().to_string())
                .collect(),
        };
        let path = Path::new(named);
        // `..`, `.` and double slashes have no meaning here that could not be written without them. A line feed would end the
        // header of a diff.
        let plain = path.is_absolute()
            && !named.chars().any(char::is_control)
            && path
                .components()
                .skip(1)
                .all(|part| matches!(part, Component::Normal(_)))
            && path.components().collect::<PathBuf>().as_os_str() == path.as_os_str();
        let root = self.0.iter().find(|root| plain && path.starts_with(root));
        let (Some(root), Some(name)) = (root, path.file_name()) else {
            return Err(not_allowed());
        };
        let inside = path.strip_prefix(root).map_err(|_outside| not_allowed())?;
        let mut folder = open(
            root,
            OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        )
        .map_err(failed)?;
        let parents = inside.parent().ok_or_else(not_allowed)?;
        for part in parents.components() {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            folder = openat(&folder, part.as_os_str(), flags, Mode::empty()).map_err(failed)?;
        }
        Ok(Place {
            folder,
            name: name.to_owned(),
        })
    }
}

impl Place {
    /// Reads the file, `None` when there is none.
    ///
    /// # Errors
    ///
    /// When it is a link, not a regular file, too large, or not text.
    pub fn read(&self) -> Result<Option<Content>, SouthFault> {
        let flags =
            OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = match openat(&self.folder, &self.name, flags, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(failed(errno)),
        };
        let stat = fstat(&file).map_err(failed)?;
        if !is_file(&stat) {
            return Err(SouthFault::NotAFile);
        }
        let attributes = attributes(&file).map_err(failed)?;
        let mut bytes = Vec::new();
        let mut file = File::from(file).take(LARGEST + 1);
        file.read_to_end(&mut bytes)
            .map_err(|error| io_failed(&error))?;
        if bytes.len() as u64 > LARGEST {
            return Err(unusable(&format!("it is larger than {LARGEST} bytes")));
        }
        let text = String::from_utf8(bytes).map_err(|_binary| unusable("it is not UTF-8 text"))?;
        Ok(Some(Content {
            text,
            stat,
            attributes,
        }))
    }

    /// Puts a new text in place of what was read, at once: readers see the old file or the new one. Mode, owner and extended
    /// attributes stay, access lists among them.
    ///
    /// # Errors
    ///
    /// When the file changed since it was read, or the file system refuses. Then nothing has changed.
    pub fn replace(&self, old: Option<&Content>, new: &str, random: u64) -> Result<(), SouthFault> {
        let mut temporary = OsStr::new(".").to_owned();
        temporary.push(&self.name);
        temporary.push(format!(".aon-{random:016x}"));
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // Nobody else may read it before it has the mode and the owner it should have.
        let file =
            openat(&self.folder, &temporary, flags, Mode::RUSR | Mode::WUSR).map_err(failed)?;
        let written = Self::fill(file, old, new)
            .and_then(|()| self.unchanged(old))
            .and_then(|()| {
                renameat(&self.folder, &temporary, &self.folder, &self.name).map_err(failed)
            });
        if written.is_err() {
            // It is ours, and if it cannot be removed there is nothing else to try.
            let _left = unlinkat(&self.folder, &temporary, AtFlags::empty());
            return written;
        }
        // The name is as durable as the content.
        let folder = openat(
            &self.folder,
            ".",
            OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        );
        folder.and_then(fsync).map_err(failed)
    }

    fn fill(file: OwnedFd, old: Option<&Content>, new: &str) -> Result<(), SouthFault> {
        let mut file = File::from(file);
        file.write_all(new.as_bytes())
            .map_err(|error| io_failed(&error))?;
        if let Some(old) = old {
            let (uid, gid) = (old.stat.st_uid, old.stat.st_gid);
            let own = fstat(&file).map_err(failed)?;
            if (own.st_uid, own.st_gid) != (uid, gid) {
                let (uid, gid) = (
                    rustix::fs::Uid::from_raw(uid),
                    rustix::fs::Gid::from_raw(gid),
                );
                fchown(&file, Some(uid), Some(gid)).map_err(failed)?;
            }
            for (name, value) in &old.attributes {
                match fsetxattr(&file, name, value, XattrFlags::empty()) {
                    // The system gives labels itself where nobody else may.
                    Err(Errno::PERM | Errno::NOTSUP) if is_label(name) => {}
                    set => set.map_err(failed)?,
                }
            }
        }
        // After the owner, because changing that takes set-uid away, and after the access list, whose mask it is.
        let mode = old.map_or(NEW_FILE, |old| Mode::from_raw_mode(old.stat.st_mode));
        fchmod(&file, mode).map_err(failed)?;
        file.sync_all().map_err(|error| io_failed(&error))
    }

    /// What is there now is what was read.
    fn unchanged(&self, old: Option<&Content>) -> Result<(), SouthFault> {
        let now = match statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Some(stat),
            Err(Errno::NOENT) => None,
            Err(errno) => return Err(failed(errno)),
        };
        let key = |stat: &Stat| {
            (
                stat.st_dev,
                stat.st_ino,
                stat.st_size,
                stat.st_mtime,
                stat.st_mtime_nsec,
                stat.st_mode,
            )
        };
        if now.as_ref().map(key) == old.map(|old| key(&old.stat)) {
            Ok(())
        } else {
            Err(SouthFault::FileChanged)
        }
    }
}

/// The extended attributes of a file. Without them, an access list would be lost, and its mask become the rights of the group.
fn attributes(file: &OwnedFd) -> Result<Vec<(CString, Vec<u8>)>, Errno> {
    let mut names = Vec::with_capacity(ATTRIBUTES);
    match flistxattr(file, spare_capacity(&mut names)) {
        Ok(_) => {}
        Err(Errno::NOTSUP) => return Ok(Vec::new()),
        Err(errno) => return Err(errno),
    }
    let names = names
        .split_inclusive(|byte| *byte == 0)
        .filter_map(|name| CStr::from_bytes_with_nul(name).ok());
    names
        .map(|name| {
            let mut value = Vec::with_capacity(ATTRIBUTES);
            fgetxattr(file, name, spare_capacity(&mut value))?;
            Ok((name.to_owned(), value))
        })
        .collect()
}

fn is_label(name: &CStr) -> bool {
    [&b"security."[..], b"trusted."]
        .iter()
        .any(|start| name.to_bytes().starts_with(start))
}

fn is_file(stat: &Stat) -> bool {
    rustix::fs::FileType::from_raw_mode(stat.st_mode).is_file()
}

fn failed(errno: Errno) -> SouthFault {
    match errno {
        // A link, or a file where a folder should be.
        Errno::LOOP | Errno::NOTDIR | Errno::MLINK => SouthFault::PathThroughLink,
        Errno::NOENT => SouthFault::FileNotFound,
        Errno::NXIO | Errno::ISDIR => SouthFault::NotAFile,
        Errno::NAMETOOLONG => unusable("its name is too long"),
        errno => io_failed(&std::io::Error::from(errno)),
    }
}

fn io_failed(error: &std::io::Error) -> SouthFault {
    SouthFault::FileFailed {
        reason: error.kind().to_string(),
    }
}

fn unusable(reason: &str) -> SouthFault {
    SouthFault::FileUnusable {
        reason: reason.to_owned(),
    }
}
