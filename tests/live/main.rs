//! The glass box over real sockets: modes, lifecycle, three channels, resume, access, limits, proxies.

mod access;
mod around;
mod canonical;
mod channels;
mod foreign;
mod guessing;
mod hostile;
mod hubs;
mod lifecycle;
mod limits;
mod model;
mod negotiation;
mod outages;
mod proxy;
mod push;
mod redis;
mod stalled;
mod store;
mod support;
mod tasks;
mod tracing_status;
