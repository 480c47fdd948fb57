//! Metrics, logs, rules, dashboard, page and traces, each tried on the real thing: promtool and Prometheus, pino-pretty, Chromium, an
//! OTLP collector; and the teaching example they are tried with.

mod agents;
mod board;
mod calls;
mod compose;
mod consumer;
mod consumer_generated;
mod logs;
mod metrics;
mod page;
mod rules;
mod support;
mod traces;
mod tutor;
