//! The log of the demo: one line on standard error for each problem, so that its request id leads somewhere.

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer as _, fmt};

/// Starts it. What a panic says goes through the door too, so the hook that would write it bare is turned off.
pub(super) fn start() {
    let problems = Targets::new()
        .with_target("aon::problem", LevelFilter::DEBUG)
        .with_default(LevelFilter::WARN);
    let lines = fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_filter(problems);
    // Somebody who embeds the commands may have one already; that one stays.
    if tracing_subscriber::registry()
        .with(lines)
        .try_init()
        .is_ok()
    {
        std::panic::set_hook(Box::new(|_| {}));
    }
}
