//! REST over axum: S2, S3, S4 and P9 on real routers and a real server.

mod derived;
mod door;
mod errors;
mod extractors;
mod foreign;
mod layer;
mod log;
mod negotiation;
mod rejections;
mod serve;
mod server;
mod services;
mod support;
