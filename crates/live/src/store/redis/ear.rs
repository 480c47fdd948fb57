//! What nodes say to one another: one connection that listens, one that speaks, and a probe that has to come back.
//!
//! After a failover a connection that looks healthy may hear nothing. So every node says something to itself the usual way; when
//! that does not come back, it connects again, and until then its health is not good.

use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::StreamExt as _;
use redis::Pipeline;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior};

use super::health::{Part, Pulse};
use super::link::{Broken, Link, pause};
use super::wire::{self, Word};
use super::{Rules, Shared};

/// How often a probe is sent, and how long it may be away.
const PROBE: Duration = Duration::from_millis(500);
const PATIENCE: Duration = Duration::from_secs(2);

/// Says what there is to say. What cannot be said is left out: it was a hint.
pub(super) async fn speak(link: Link, mut said: mpsc::UnboundedReceiver<(String, Vec<u8>)>) {
    let mut connection = None;
    let mut failures = 0;
    let mut words = Vec::new();
    while said.recv_many(&mut words, 64).await > 0 {
        let open = match connection.as_mut() {
            Some(open) => open,
            None => match link.connect().await {
                Ok(open) => connection.insert(open),
                Err(_broken) => {
                    failures += 1;
                    words.clear();
                    pause(failures).await;
                    continue;
                }
            },
        };
        let mut pipeline = Pipeline::with_capacity(words.len());
        for (channel, word) in words.drain(..) {
            pipeline.cmd("PUBLISH").arg(channel).arg(word);
        }
        match pipeline.exec_async(open).await {
            Ok(()) => failures = 0,
            Err(_broken) => {
                connection = None;
                failures += 1;
            }
        }
    }
}

/// Listens until the store is gone.
pub(super) async fn listen(
    link: Link,
    rules: Arc<Rules>,
    shared: Weak<Shared>,
    said: mpsc::WeakUnboundedSender<(String, Vec<u8>)>,
    pulse: Pulse,
) {
    let mut failures = 0;
    loop {
        let heard = hear(&link, &rules, &shared, &said, &pulse, &mut failures).await;
        let Err(broken) = heard else { return };
        failures += 1;
        pulse.bad(Part::Ear, &broken);
        if shared.strong_count() == 0 {
            return;
        }
        pause(failures).await;
    }
}

/// Listens on one connection. Ends well when nobody listens any more.
async fn hear(
    link: &Link,
    rules: &Rules,
    shared: &Weak<Shared>,
    said: &mpsc::WeakUnboundedSender<(String, Vec<u8>)>,
    pulse: &Pulse,
    failures: &mut u32,
) -> Result<(), Broken> {
    let mut subscription = link.subscriber().await?;
    for channel in 0..wire::CHANNELS {
        subscription
            .subscribe(wire::named(&rules.prefix, channel))
            .await?;
    }
    subscription.subscribe(&rules.channel).await?;
    // Something may have been said while nobody listened.
    if let Some(shared) = shared.upgrade() {
        shared.refresh_all();
    }
    let mut messages = subscription.into_on_message();
    let mut clock = tokio::time::interval(PROBE);
    clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut heard = Instant::now();
    loop {
        tokio::select! {
            biased;
            message = messages.next() => {
                let Some(message) = message else {
                    return Err(Broken::Deaf);
                };
                let Some(shared) = shared.upgrade() else { return Ok(()) };
                for word in wire::words(message.get_payload_bytes()) {
                    match word {
                        Word::Probe => {
                            heard = Instant::now();
                            *failures = 0;
                            pulse.good(Part::Ear);
                        }
                        Word::Events(id, events) => shared.told(id, &events),
                        Word::Letter(id) => shared.collect(id),
                        Word::Reply(to, text) => shared.replied(to, text),
                    }
                }
            }
            _ = clock.tick() => {
                if heard.elapsed() > PATIENCE {
                    return Err(Broken::Deaf);
                }
                let Some(said) = said.upgrade() else { return Ok(()) };
                // Speaking comes after it, as with everything else.
                let _: Result<(), _> = said.send((rules.channel.clone(), wire::probe()));
            }
        }
    }
}
