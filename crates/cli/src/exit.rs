//! What the exit codes mean, in one place.
//!
//! | code | meaning |
//! | --- | --- |
//! | 0 | it worked, and nothing was found |
//! | 1 | it worked, and something was found: a breaking change, a failed check, a finding |
//! | 2 | it could not start: wrong usage, or input that cannot be read |
//! | 3 | it could not finish: the output, the network or the system failed |
//! | 4 | the stream was cut, so that nobody knows how the work did (`aon tail`) |

/// It worked, and there is nothing to complain about.
pub const OK: u8 = 0;

/// It worked, and something was found: a breaking change, a failed check, a finding.
pub const FOUND: u8 = 1;

/// Wrong usage, or input that cannot be read.
pub const USAGE: u8 = 2;

/// The output, the network or the system failed.
pub const FAILED: u8 = 3;

/// The stream was cut, so that nobody knows how the work did.
pub const CUT: u8 = 4;

/// The table as `--help` shows it.
pub const HELP: &str = "\
Exit codes:
  0  it worked, and nothing was found
  1  it worked, and something was found (a breaking change, a failed check)
  2  wrong usage, or input that cannot be read
  3  the output, the network or the system failed
  4  the stream was cut (aon tail)";
