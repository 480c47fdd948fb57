//! The linter against documents it was not written for.

mod labels;
