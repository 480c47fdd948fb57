//! Which representation an error takes (RFC 9110 section 12.5.1). It never ends in a 406 (S2).

/// A representation of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Json,
    Html,
    Markdown,
}

/// Whether the header asks for nothing but JSON, by a cheap look: absent and these two are most of all requests.
#[inline]
pub(super) fn is_plain(accept: &[u8]) -> bool {
    accept == b"*/*" || accept == b"application/json"
}

/// The form that wins: by weight, then by how specific the range is, then JSON before HTML before markdown. When
/// nothing is acceptable it is JSON all the same.
pub(super) fn negotiate(accept: &str) -> Form {
    let mut json = Match::default();
    let mut html = Match::default();
    let mut markdown = Match::default();
    for range in split(accept, ',') {
        let mut parts = split(range, ';');
        let media = parts.next().unwrap_or_default().trim();
        let Some(weight) = weight(parts) else {
            continue;
        };
        let Some((kind, subtype)) = media.split_once('/') else {
            continue;
        };
        let (kind, subtype) = (kind.trim(), subtype.trim());
        let is = |a: &str, b: &str| kind.eq_ignore_ascii_case(a) && subtype.eq_ignore_ascii_case(b);
        if is("*", "*") {
            for each in [&mut json, &mut html, &mut markdown] {
                each.meet(0, weight);
            }
        } else if is("application", "*") {
            json.meet(1, weight);
        } else if is("text", "*") {
            html.meet(1, weight);
            markdown.meet(1, weight);
        } else if is("text", "html") || is("application", "xhtml+xml") {
            html.meet(2, weight);
        } else if is("text", "markdown") || is("text", "x-markdown") {
            markdown.meet(2, weight);
        } else if is("application", "problem+json") {
            json.meet(3, weight);
        } else if is("application", "json")
            || (kind.eq_ignore_ascii_case("application") && ends_with_json(subtype))
        {
            json.meet(2, weight);
        }
    }
    let mut best = (Form::Json, json);
    for (form, met) in [(Form::Html, html), (Form::Markdown, markdown)] {
        // What names problem+json itself is not ahead of what names another type.
        let key = |met: Match| {
            (
                met.weight,
                met.specific.min(3) - u8::from(met.specific == 3),
            )
        };
        if met.weight > 0 && key(met) > key(best.1) {
            best = (form, met);
        }
    }
    best.0
}

fn ends_with_json(subtype: &str) -> bool {
    let bytes = subtype.as_bytes();
    bytes
        .len()
        .checked_sub(5)
        .and_then(|at| bytes.get(at..))
        .is_some_and(|end| end.eq_ignore_ascii_case(b"+json"))
}

/// The weight of the most specific range that was met, the larger of two equally specific ones.
#[derive(Clone, Copy, Default)]
struct Match {
    met: bool,
    specific: u8,
    weight: u16,
}

impl Match {
    fn meet(&mut self, specific: u8, weight: u16) {
        if !self.met || specific > self.specific {
            *self = Self {
                met: true,
                specific,
                weight,
            };
        } else if specific == self.specific {
            self.weight = self.weight.max(weight);
        }
    }
}

/// `q` in thousandths, 1000 where there is none; `None` when it is malformed.
fn weight<'a>(parameters: impl Iterator<Item = &'a str>) -> Option<u16> {
    for parameter in parameters {
        let Some((name, value)) = parameter.split_once('=') else {
            continue;
        };
        if name.trim().eq_ignore_ascii_case("q") {
            return thousandths(value.trim());
        }
    }
    Some(1000)
}

fn thousandths(text: &str) -> Option<u16> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let fraction: u16 = format!("{fraction:0<3}").parse().unwrap_or(0);
    match whole {
        "0" => Some(fraction),
        "1" if fraction == 0 => Some(1000),
        _ => None,
    }
}

/// Splits at a separator that does not stand in quotes.
fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    let mut escaped = false;
    text.split(move |c| {
        if escaped {
            escaped = false;
        } else if quoted && c == '\\' {
            escaped = true;
        } else if c == '"' {
            quoted = !quoted;
        }
        !quoted && c == separator
    })
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
            ("application/json;q=0, */*", Form::Html),
            ("application/*;q=0, text/html;q=0.1", Form::Html),
            ("text/markdown", Form::Markdown),
            ("text/markdown, text/html;q=0.9, */*;q=0.1", Form::Markdown),
            (
                "text/*;q=0.3, text/html;q=0, text/markdown;q=0.2",
                Form::Markdown,
            ),
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
            assert_eq!(negotiate(accept), form, "{accept}");
        }
    }
}
