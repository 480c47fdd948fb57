//! The tree itself: file length, dependency direction, fences that nobody runs, words that must not stand here,
//! and the reference pages, whose examples are run.

mod dependencies;
mod examples;
mod files;
mod licences;
mod reference;
