//! Several nodes and a real engine with its replica, killed, paused and cut off while sessions run. A checker goes through what every reader
//! saw, what the log holds afterwards and what was done.
//!
//! `AON_CLUSTER_ROUNDS` says how often each kind of accident happens; 5 unless set. `AON_CLUSTER_ACCIDENTS=KillOwner,CutReader` names those
//! that are to happen.

mod deployment;
mod history;
mod kills;
mod lease;
mod node;
mod restart;
mod sentinel;
