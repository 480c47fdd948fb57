//! The tree itself: file length, dependency direction, fences that nobody runs, words that must not stand here.

#![expect(clippy::disallowed_methods, reason = "reads the project's own files")]

mod dependencies;
mod files;
