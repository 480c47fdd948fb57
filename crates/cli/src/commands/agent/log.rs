//! The log of the agents: one line of JSON per event, on standard error.

use aon_observe::log::{Level, LogLayer, Logger};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Starts it. What a panic says goes through the door too, so the hook that would write it bare is turned off.
pub(super) fn start(quiet: bool) {
    if quiet {
        return;
    }
    let log = Logger::builder().least(Level::Info).to(std::io::stderr());
    // Somebody who embeds the commands may have one already; that one stays.
    if tracing_subscriber::registry()
        .with(LogLayer::new(log).with_spec_names())
        .try_init()
        .is_ok()
    {
        std::panic::set_hook(Box::new(|_| {}));
    }
}
