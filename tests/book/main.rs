//! The book: its commands run, its links lead somewhere, every page can be reached, and the site works in a browser.

mod commands;
mod fences;
mod links;
mod site;
