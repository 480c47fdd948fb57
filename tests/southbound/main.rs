//! Southbound: signatures, certificates, actions that are done once, attacks, kills, and clients that we did not write.

#![cfg(unix)]

mod actions;
mod asking;
mod books;
mod certificates;
mod commands;
mod files;
mod fleet;
mod flood;
mod healing;
mod hostile;
mod kills;
mod kit;
mod script;
mod signed;
mod speed;
mod support;
mod trust;
