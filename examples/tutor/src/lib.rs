//! A small teaching service: a lesson is a session of the hub, questions come in beside it, and the answers are part of the lesson.
//!
//! It shows what an application of one's own needs: event types (`events`), a handler that holds a session (`class`), a route that
//! speaks into it (`chat`). Everything else (numbers, replay, channels, heartbeats, metrics) comes from the hub.

pub mod chat;
pub mod class;
pub mod events;
pub mod follow;
pub mod judge;
pub mod library;
pub mod queue;
pub mod school;

pub use school::{School, Settings};
