//! What becomes of each field, as the book shows it and the suite proves it.

/// Event type, field, and what it becomes beside its place in the whole event (`_meta` of a progress, `data` of a message).
pub const FIELDS: &[(&str, &str, &str)] = &[
    ("every event", "type", "`logger` of a message"),
    (
        "every event",
        "id, seq, timestamp, ts_ms, trace_id, session_id",
        "in the whole event",
    ),
    (
        "session",
        "version, durability, sse_url, ws_url, patch_url, state_url, expires_at, heartbeat_ms",
        "in the whole event; the first progress, 0 and without a message",
    ),
    ("status", "message", "`message` of a progress; level `info`"),
    (
        "status",
        "progress",
        "`progress` of a progress with `total` 1; it never falls, and grows by a millionth where nothing is said",
    ),
    ("status", "dropped", "level `warning`"),
    (
        "status",
        "estimated_delay_ms, phase, last_seq, durability",
        "in the whole event",
    ),
    (
        "intent_analysis",
        "original_intent, detected_issue, decision",
        "`message` of a progress, one after the other; level `info`",
    ),
    (
        "healing",
        "severity",
        "the level: `info`, `notice`, `warning`, `critical`",
    ),
    ("healing", "description", "`message` of a progress"),
    (
        "healing",
        "action",
        "`message` of a progress where there is no description",
    ),
    ("healing", "metadata", "in the whole event"),
    (
        "interactive_healing_request",
        "step, error",
        "`message` of a progress; level `notice`; the question itself is an elicitation",
    ),
    (
        "interactive_healing_request",
        "request_id",
        "the key of the question in `input_required` and in a task",
    ),
    (
        "interactive_healing_request",
        "problem, allowedPatchPaths, removablePaths, snapshot, current, max_operations, answers",
        "the form of the elicitation",
    ),
    (
        "interactive_healing_request",
        "attempt, round, expires_at, expires_in_ms, patch_url, base_hash",
        "in the whole event",
    ),
    (
        "interactive_healing_result",
        "outcome",
        "`message` of a progress; level `notice`, or `warning` where it did not help",
    ),
    (
        "interactive_healing_result",
        "request_id, paths",
        "in the whole event",
    ),
    (
        "gap",
        "requested, oldest, newest, reason",
        "in the whole event; level `warning`",
    ),
    (
        "an event of your own",
        "data.message",
        "`message` of a progress, or else the type",
    ),
    (
        "an event of your own",
        "data.level",
        "the level where it is one, or else `info`",
    ),
    (
        "an event of your own",
        "everything else",
        "in the whole event",
    ),
];

/// Event types without a notification, and why nothing is lost to the caller.
pub const LOSSES: &[(&str, &str)] = &[
    ("result", "it is the result of the call, or of its task"),
    (
        "error",
        "it is the result of the call with `isError`: the problem whole",
    ),
    ("heartbeat", "the transport has signs of life of its own"),
    ("replay_complete", "a call is live from its first event"),
];
