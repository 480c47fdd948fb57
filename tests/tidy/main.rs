//! The tree itself: file length, dependency direction, fences that nobody runs, words that must not stand here,
//! the reference pages, whose examples are run, and plain English.

mod dependencies;
mod examples;
mod files;
mod licences;
mod published;
mod reference;
mod words;
