//! The tree itself: file length, dependency direction, fences that nobody runs, words that must not stand here.

mod dependencies;
mod files;
mod licences;
