//! The hub's hook: its signals as metrics and spans.

use std::sync::PoisonError;

use aon_live::event::GapReason;
use aon_live::observer::{Channel, Observer, Signal, WeakHub};

use crate::bounded::{among, word};
use crate::clock::seconds;
use crate::metrics::{HEALING_OUTCOMES, HUMAN_OUTCOMES, index};
use crate::telemetry::{Asked, Telemetry, exemplar};

/// The most requests to people that are kept in mind.
const MOST_ASKED: usize = 10_000;

impl Observer for Telemetry {
    fn attached(&self, hub: WeakHub) {
        let mut hubs = self.0.hubs.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that are gone are not kept until somebody scrapes.
        hubs.retain(|hub| hub.stats().is_some());
        hubs.push(hub);
    }

    fn seen(&self, signal: &Signal<'_>) {
        self.count(signal);
        #[cfg(feature = "otlp")]
        if let Some(spans) = self.0.spans.get() {
            spans.seen(signal);
        }
    }
}

impl Telemetry {
    #[expect(
        clippy::cast_precision_loss,
        reason = "numbers of waiting events are far from where a double gets coarse"
    )]
    fn count(&self, signal: &Signal<'_>) {
        let metrics = &self.0.metrics;
        match *signal {
            Signal::SessionStarted { .. } => drop(metrics.sessions_started.inc()),
            Signal::SessionEnded {
                trace,
                started,
                at,
                code,
                left_out,
                ..
            } => {
                let [result, error] = &metrics.session_duration;
                let (_, duration) = if code.is_some() { error } else { result };
                let took = seconds(at.saturating_sub(started));
                duration.observe(took, exemplar(trace.digits().as_str()), None);
                metrics.events_left_out.inc_by(left_out);
                // A question goes with its session, whether or not somebody said so.
                let mut asked = self.0.asked.lock().unwrap_or_else(PoisonError::into_inner);
                if !asked.is_empty() {
                    asked.retain(|_, question| question.trace != Some(trace));
                }
            }
            Signal::Published { kind } => {
                if let Some(counter) = metrics.event(kind) {
                    counter.inc();
                }
            }
            Signal::ReaderJoined {
                channel,
                behind,
                at,
            } => {
                let place = index(channel);
                metrics.readers[place].inc();
                metrics.reader_lag[place].observe(behind as f64);
                metrics.last_heartbeat[place].set(seconds(at));
                if channel == Channel::Sse {
                    metrics.sse_open.inc();
                }
            }
            Signal::ReaderLeft { channel } => {
                metrics.readers[index(channel)].dec();
                if channel == Channel::Sse {
                    metrics.sse_open.dec();
                }
            }
            Signal::Sign {
                channel,
                heartbeat,
                behind,
                at,
            } => {
                let place = index(channel);
                metrics.last_heartbeat[place].set(seconds(at));
                if heartbeat {
                    metrics.heartbeats[place].inc();
                }
                // Most readers are up to date, and say nothing here.
                if behind > 0 {
                    metrics.reader_lag[place].observe(behind as f64);
                }
            }
            Signal::Gap { channel, reason } => {
                let labels = [
                    ("channel", channel.as_str().into()),
                    ("reason", gap(reason).into()),
                ];
                metrics.gaps.at(&labels).inc();
            }
            Signal::Healing {
                action, outcome, ..
            } => {
                let outcome = among(outcome.unwrap_or("attempted"), HEALING_OUTCOMES);
                metrics
                    .healings
                    .at(&[("action", word(action)), ("outcome", outcome.into())])
                    .inc();
            }
            Signal::StepEnded {
                step,
                success,
                trace,
                started,
                at,
                ..
            } => {
                let outcome = if success { "succeeded" } else { "failed" };
                let labels = [("step", word(step)), ("outcome", outcome.into())];
                let trace = trace.map(|trace| trace.digits());
                let took = seconds(at.saturating_sub(started));
                let series = metrics.steps.at(&labels);
                series.observe(took, trace.and_then(|it| exemplar(it.as_str())), None);
            }
            Signal::HumanAsked {
                request,
                step,
                trace,
                at,
            } => {
                metrics
                    .human_requests
                    .at(&[("outcome", "asked".into())])
                    .inc();
                let mut asked = self.0.asked.lock().unwrap_or_else(PoisonError::into_inner);
                if asked.len() < MOST_ASKED {
                    let step = step.map(str::to_owned);
                    asked.insert(request.to_owned(), Asked { at, trace, step });
                }
            }
            Signal::HumanAnswered {
                request,
                outcome,
                trace,
                at,
            } => {
                let outcome = among(outcome, HUMAN_OUTCOMES);
                metrics
                    .human_requests
                    .at(&[("outcome", outcome.into())])
                    .inc();
                let known = self
                    .0
                    .asked
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .remove(request);
                if let Some(asked) = known {
                    let waited = at.saturating_sub(asked.at);
                    let trace = trace.map(|trace| trace.digits());
                    let wait = metrics.human_wait.at(&[("outcome", outcome.into())]);
                    wait.observe(
                        seconds(waited),
                        trace.and_then(|it| exemplar(it.as_str())),
                        None,
                    );
                    #[cfg(feature = "otlp")]
                    if let Some(spans) = self.0.spans.get() {
                        spans.human(
                            &asked,
                            at,
                            outcome,
                            trace.as_ref().map(aon_live::id::Digits::as_str),
                        );
                    }
                }
            }
            _ => {}
        }
    }
}

/// The word for a reason.
fn gap(reason: GapReason) -> &'static str {
    match reason {
        GapReason::Evicted => "evicted",
        GapReason::Epoch => "epoch",
        GapReason::Ahead => "ahead",
        _ => crate::names::OTHER,
    }
}
