//! What the macros promise, on types as users write them (D1, D2, P9).

mod bytes;
mod canonical;
mod catalog;
mod choices;
mod privacy;
mod run_time;
mod shadowed;
mod shapes;
mod specimens;
