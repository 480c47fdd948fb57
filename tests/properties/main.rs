//! Invariants over random and hostile input.

mod reader;
