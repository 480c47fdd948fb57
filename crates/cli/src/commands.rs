//! One file per command.

pub(crate) mod agent;
pub(crate) mod catalog;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod docs;
pub(crate) mod explain;
pub(crate) mod heal;
pub(crate) mod init;
pub(crate) mod lsp;
pub(crate) mod man;
pub(crate) mod project;
pub(crate) mod recover;
pub(crate) mod score;
pub(crate) mod tail;
