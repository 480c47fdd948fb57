//! Which representation an error takes. It never ends in a 406 ([S2]).
//!
//! [S2]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s2

use crate::accept::{Accept, Range};

/// A representation of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Json,
    Html,
}

impl Form {
    /// The form that wins: by weight, then by how specific the range is, then JSON before HTML. When nothing is
    /// acceptable it is JSON all the same.
    pub(super) fn of(accept: &Accept) -> Self {
        let best = |types: &[&str]| {
            let wanted = types.iter().filter_map(|media| accept.wanted(media));
            let wanted = wanted.map(|wanted| (wanted.weight, wanted.specific));
            wanted.max().filter(|(weight, _)| *weight > 0)
        };
        // Whoever reads some other kind of JSON reads ours.
        let suffixed = accept.ranges().iter().filter(|range| is_json(range));
        let suffixed = suffixed.map(|range| (range.weight(), 3)).max();
        let json = best(&["application/problem+json", "application/json"]).max(suffixed);
        let html = best(&["text/html", "application/xhtml+xml"]);
        if html > json { Self::Html } else { Self::Json }
    }

    /// The surface it belongs to.
    pub(super) const fn surface(self) -> &'static str {
        match self {
            Self::Json => "rest",
            Self::Html => "human",
        }
    }
}

fn is_json(range: &Range) -> bool {
    range.kind() == "application" && range.subtype().ends_with("+json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_cases() {
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
        for (accept, form) in [
            ("", Form::Json),
            ("*/*", Form::Json),
            ("application/json", Form::Json),
            ("application/problem+json", Form::Json),
            ("image/png", Form::Json),
            ("text/event-stream", Form::Json),
            ("text/html", Form::Html),
            ("TEXT/HTML", Form::Html),
            (browser, Form::Html),
            ("text/*", Form::Html),
            ("text/html, */*", Form::Html),
            ("*/*, text/html", Form::Html),
            ("text/html;q=0.5, application/json", Form::Json),
            ("application/json;q=0.5, text/html", Form::Html),
            ("application/json, text/html", Form::Json),
            ("text/html, application/json", Form::Json),
            ("text/html, application/problem+json", Form::Json),
            ("application/json, text/plain, */*", Form::Json),
            ("text/html;q=0", Form::Json),
            ("text/html;q=0, */*", Form::Json),
            ("application/*;q=0, text/html;q=0.1", Form::Html),
            ("text/markdown", Form::Json),
            ("text/*;q=0.3, text/html;q=0", Form::Json),
            ("application/vnd.api+json, text/html;q=0.9", Form::Json),
            (
                "text/html;level=\"a,b;q=0\";q=0.9, application/json;q=0.8",
                Form::Html,
            ),
            ("text/html;Q=0.001", Form::Html),
            ("text/html;q=1.001, application/json;q=0.1", Form::Json),
            ("text/html;q=0.1234", Form::Json),
            (";;;,,,q=,/,\"", Form::Json),
        ] {
            assert_eq!(Form::of(&Accept::parse([accept])), form, "{accept}");
        }
    }
}
