//! Where people work: the language server, the hooks of pre-commit, the action, the shells and the manual.

mod action;
mod hooks;
mod lsp;
mod messages;
mod program;
mod shells;
