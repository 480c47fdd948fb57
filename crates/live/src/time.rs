//! Time as values. What decides takes it as an argument; [`Clock`](crate::clock::Clock) is the one place that asks.

/// Milliseconds since the hub was made: for deadlines, never written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Tick(pub(crate) u64);

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
    pub(crate) const fn plus(self, milliseconds: u64) -> Self {
        Self(self.0.saturating_add(milliseconds))
    }

    /// Milliseconds since `earlier`.
    pub(crate) const fn since(self, earlier: Self) -> u64 {
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
