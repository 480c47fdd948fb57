//! What a caller accepts: the `Accept` header of RFC 9110 section 12.5.1.
//!
//! The one parser of the program. The REST edge chooses between JSON and HTML with it, and whoever serves one
//! resource in several forms chooses with it too:
//!
//! ```
//! use aon::accept::Accept;
//!
//! let accept = Accept::parse(["application/json;q=0.5, application/x-ndjson"]);
//! assert_eq!(accept.choose(&["application/json", "application/x-ndjson"]), Some("application/x-ndjson"));
//!
//! // `q=0` excludes, and no header accepts everything.
//! assert_eq!(Accept::parse(["application/json;q=0"]).choose(&["application/json"]), None);
//! assert_eq!(Accept::any().choose(&["application/json", "text/html"]), Some("application/json"));
//! ```
//!
//! A member of the list that does not follow the grammar is passed over; a header without one good member counts as
//! absent. Media types are compared without regard to case.

/// The media ranges a caller accepts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accept {
    ranges: Vec<Range>,
}

/// One member of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    kind: String,
    subtype: String,
    parameters: Vec<(String, String)>,
    weight: u16,
}

/// How much a media type is wanted, and by how specific a range it was named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Wanted {
    /// `q` in thousandths; 0 excludes the type.
    pub weight: u16,
    /// 0 for a range whose parameters the type lacks, 1 for `*/*`, 2 for `type/*`, 3 for the type itself, and one more
    /// for each parameter.
    pub specific: usize,
}

impl Accept {
    /// What a request without the header accepts: anything.
    pub const fn any() -> Self {
        Self { ranges: Vec::new() }
    }

    /// The header's lines; several are one list.
    pub fn parse<'a>(lines: impl IntoIterator<Item = &'a str>) -> Self {
        let members = lines.into_iter().flat_map(|line| split(line, ','));
        Self {
            ranges: members.filter_map(Range::parse).collect(),
        }
    }

    /// The ranges, in their order.
    pub fn ranges(&self) -> &[Range] {
        &self.ranges
    }

    /// How much a media type is wanted: the most specific range that fits decides, the larger weight of two equally
    /// specific ones. `None` when no range fits.
    ///
    /// A range with parameters the type does not have fits only where no other range does: it asks for more than there
    /// is, which is better met by half than refused.
    pub fn wanted(&self, media_type: &str) -> Option<Wanted> {
        if self.ranges.is_empty() {
            return Some(Wanted {
                weight: 1000,
                specific: 1,
            });
        }
        let offer = Range::parse(media_type)?;
        let fitting = self.ranges.iter().filter_map(|range| range.fits(&offer));
        fitting.max_by_key(|wanted| (wanted.specific, wanted.weight))
    }

    /// The offer that is wanted most: by weight, then by how specific the range is, then the first. `None` when the
    /// caller accepts none of them.
    pub fn choose<'o>(&self, offers: &[&'o str]) -> Option<&'o str> {
        let mut best: Option<(Wanted, &'o str)> = None;
        for offer in offers {
            let wanted = self.wanted(offer).filter(|wanted| wanted.weight > 0);
            if let Some(wanted) = wanted
                && best.is_none_or(|(so_far, _)| wanted > so_far)
            {
                best = Some((wanted, *offer));
            }
        }
        best.map(|(_, offer)| offer)
    }
}

impl Range {
    /// The type, in lower case, or `*`.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The subtype, in lower case, or `*`.
    pub fn subtype(&self) -> &str {
        &self.subtype
    }

    /// `q` in thousandths.
    pub fn weight(&self) -> u16 {
        self.weight
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = split(text, ';');
        let (kind, subtype) = parts.next()?.trim_matches(BLANK).split_once('/')?;
        let wild = |word: &str| word == "*";
        if !is_token(kind) || !is_token(subtype) || (wild(kind) && !wild(subtype)) {
            return None;
        }
        let mut range = Self {
            kind: kind.to_ascii_lowercase(),
            subtype: subtype.to_ascii_lowercase(),
            parameters: Vec::new(),
            weight: 1000,
        };
        for part in parts {
            let part = part.trim_matches(BLANK);
            if part.is_empty() {
                continue;
            }
            let (name, value) = part.split_once('=')?;
            if name.eq_ignore_ascii_case("q") {
                range.weight = thousandths(value)?;
                // What follows the weight was an extension once, and means nothing now.
                break;
            }
            if !is_token(name) {
                return None;
            }
            let value = value_of(value)?;
            range.parameters.push((name.to_ascii_lowercase(), value));
        }
        Some(range)
    }

    fn fits(&self, offer: &Self) -> Option<Wanted> {
        let wild = |word: &str| word == "*";
        let specific = if wild(&self.kind) {
            1
        } else if self.kind != offer.kind {
            return None;
        } else if wild(&self.subtype) {
            2
        } else if self.subtype == offer.subtype {
            3
        } else {
            return None;
        };
        let has = |(name, value): &(String, String)| {
            let same = |(other, given): &(String, String)| {
                other == name && given.eq_ignore_ascii_case(value)
            };
            offer.parameters.iter().any(same)
        };
        let met = self.parameters.iter().all(has);
        let specific = if met {
            specific + self.parameters.len()
        } else if self.weight > 0 {
            0
        } else {
            return None;
        };
        Some(Wanted {
            weight: self.weight,
            specific,
        })
    }
}

/// Optional white space.
const BLANK: [char; 2] = [' ', '\t'];

fn is_token(text: &str) -> bool {
    let sign = |byte: u8| b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || sign(byte))
}

/// A token, or a quoted text without its quotes.
fn value_of(text: &str) -> Option<String> {
    let Some(quoted) = text.strip_prefix('"') else {
        return is_token(text).then(|| text.to_owned());
    };
    let mut value = String::new();
    let mut chars = quoted.chars();
    loop {
        match chars.next()? {
            '"' => return chars.next().is_none().then_some(value),
            '\\' => value.push(chars.next()?),
            other => value.push(other),
        }
    }
}

/// `0`, `0.5`, `1.000`.
fn thousandths(text: &str) -> Option<u16> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value: u16 = format!("{fraction:0<3}").parse().ok()?;
    match whole {
        "0" => Some(value),
        "1" if value == 0 => Some(1000),
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
mod tests;
