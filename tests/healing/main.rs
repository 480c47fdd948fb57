//! Healing: patches and what they may touch, steps, people who answer, who may do what, and secrets on every new path.

mod access;
mod asking;
mod canaries;
mod demo;
mod keys;
mod outside;
mod patches;
mod race;
mod steps;
#[allow(
    dead_code,
    reason = "it is the support of the suite of the glass box, used in part"
)]
#[path = "../live/support.rs"]
mod support;
mod token;
