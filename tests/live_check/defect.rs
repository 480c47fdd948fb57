//! What a server can get wrong, and the rows of the table that must say so.

/// One mistake; each was made by somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    None,
    /// The header is searched for a word.
    SubstringAccept,
    IgnoresQZero,
    WildcardGlass,
    FirstLineOnly,
    NoVary,
    PlainNotAcceptable,
    NoModeEcho,
    HeadRunsTheHandler,
    TwoResults,
    ErrorThenResult,
    NoTerminal,
    /// 200, one line, and then nothing.
    AckOnly,
    /// The connection breaks after a good end.
    BreaksAfterTheEnd,
    StaysOpen,
    FalsyReplaced,
    Reformatted,
    UnboundedReport,
    NoHeartbeat,
    NumberedHeartbeat,
    NoSeq,
    Milliseconds,
    OwnTrace,
    NoProxyHeaders,
    LeaksSecret,
    NoGap,
    NoSseId,
    /// Each event reaches one reader only.
    ConsumedByOneReader,
    SmallSocketFrames,
    NoReplayComplete,
    RepeatsAfterTheEnd,
    ForgetsSince,
    ExtraLine,
    OddSeverity,
    /// The handler waits for whoever reads slowest.
    WaitsForTheSlowest,
}

impl Defect {
    /// Every mistake, and a row that must fail because of it.
    pub const ALL: [(Self, &'static str); 34] = [
        (Self::SubstringAccept, "q=0 excludes"),
        (Self::IgnoresQZero, "q=0 excludes"),
        (Self::WildcardGlass, "a wildcard Accept get the black box"),
        (Self::FirstLineOnly, "several lines of Accept"),
        (Self::NoVary, "Vary: Accept"),
        (Self::PlainNotAcceptable, "406 is a problem"),
        (Self::NoModeEcho, "says its mode and version"),
        (Self::HeadRunsTheHandler, "HEAD never runs the handler"),
        (Self::TwoResults, "exactly one terminal event"),
        (Self::ErrorThenResult, "exactly one terminal event"),
        (Self::NoTerminal, "exactly one terminal event"),
        (Self::AckOnly, "the first event is the session"),
        (Self::BreaksAfterTheEnd, "closed after its end"),
        (Self::StaysOpen, "closed after its end"),
        (Self::FalsyReplaced, "byte for byte"),
        (Self::Reformatted, "byte for byte"),
        (Self::UnboundedReport, "X-AON-Report is ASCII"),
        (Self::NoHeartbeat, "signs of life"),
        (Self::NumberedHeartbeat, "numbered from 1"),
        (Self::NoSeq, "numbered from 1"),
        (Self::Milliseconds, "has its times"),
        (Self::OwnTrace, "the trace of the caller"),
        (
            Self::NoProxyHeaders,
            "keep proxies from holding events back",
        ),
        (Self::LeaksSecret, "no event shows a secret"),
        (Self::NoGap, "another epoch is answered by a gap"),
        (Self::NoSseId, "SSE has event, data and id"),
        (Self::ConsumedByOneReader, "SSE shows the same events"),
        (Self::SmallSocketFrames, "WebSocket shows the same events"),
        (Self::NoReplayComplete, "joins while it runs"),
        (Self::RepeatsAfterTheEnd, "gets 204"),
        (Self::ForgetsSince, "Last-Event-ID resumes exactly"),
        (Self::ExtraLine, "every line is one JSON object"),
        (Self::OddSeverity, "every type has its members"),
        (Self::WaitsForTheSlowest, "stops reading slows nobody down"),
    ];
}
