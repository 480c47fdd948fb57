//! Time as values. What decides takes it as an argument; [`Clock`](crate::clock::Clock) is the one place that asks.

/// Milliseconds since the hub was made: for deadlines, never written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_structs, reason = "a tick is a number")]
pub struct Tick(pub u64);

/// Unix time in milliseconds: for what is written, never compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WallMs(pub(crate) u64);

/// One reading of both clocks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Now {
    pub(crate) tick: Tick,
    pub(crate) wall: WallMs,
}

impl Tick {
    /// That many milliseconds later.
    #[must_use]
    pub const fn plus(self, milliseconds: u64) -> Self {
        Self(self.0.saturating_add(milliseconds))
    }

    /// Milliseconds since `earlier`.
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl WallMs {
    /// Milliseconds.
    pub(crate) const fn get(self) -> u64 {
        self.0
    }

    /// Whole seconds, that many milliseconds later.
    pub(crate) const fn seconds_after(self, milliseconds: u64) -> u64 {
        self.0.saturating_add(milliseconds) / 1000
    }
}

/// A time of day as RFC 3339 has it, in UTC.
#[cfg(feature = "rmcp")]
pub(crate) fn utc(milliseconds: u64) -> String {
    let (days, rest) = (milliseconds / 86_400_000, milliseconds % 86_400_000);
    // Days since the first of March of the year 0, in eras of 400 years.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
    let (second, thousandth) = (rest / 1000 % 60, rest % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{thousandth:03}Z")
}

#[cfg(all(test, feature = "rmcp"))]
mod tests {
    use super::utc;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (at, wanted) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_715_432_000_250, "2024-05-11T12:53:20.250Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(utc(at), wanted);
        }
    }
}
