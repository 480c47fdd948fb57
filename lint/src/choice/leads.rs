//! The wordings that announce a closed set, and what they announce.

mod announced;
mod apart;
mod coded;
mod modal;
mod pointed;
mod shapes;
mod spelled;
mod starts;

use self::announced::values_lead;
use self::starts::{Class, Here, may_start, word_may_start};
use super::list::{List, Prose};
use super::openness::about_another_field;
use super::tokens::Kind;
use crate::finding::Confidence;

/// What a description gives away.
#[derive(Clone, Debug)]
pub(super) struct Hit<'t> {
    pub(super) confidence: Confidence,
    /// The values, when they are listed.
    pub(super) list: List<'t>,
    /// Whether a wording says outright that these are all values ("must be one of", "allowed values").
    pub(super) exhaustive: bool,
}

impl<'t> Hit<'t> {
    /// Values that are told with their meanings.
    fn told(values: Vec<&'t str>) -> Hit<'t> {
        Hit {
            confidence: Confidence::Likely,
            list: List {
                values,
                explained: true,
                ..List::default()
            },
            exhaustive: false,
        }
    }

    fn rank(&self) -> (Confidence, bool, usize) {
        (self.confidence, self.exhaustive, self.list.len())
    }
}

/// What is known about the parameter besides its description.
#[derive(Clone, Copy)]
pub(super) struct Known<'k> {
    /// Whether a text is a default or example value.
    pub(super) is_sample: &'k dyn Fn(&str) -> bool,
    /// Whether a text is the name of a neighbour, or the own name.
    pub(super) is_field: &'k dyn Fn(&str) -> bool,
    /// Whether the name alone suggests a choice.
    pub(super) named: bool,
    /// Whether the name alone suggests an open value.
    pub(super) open_name: bool,
    /// Whether only listed numbers count.
    pub(super) numeric: bool,
}

/// Looks for the strongest wording.
pub(super) fn find<'t>(prose: Prose<'t>, known: Known<'_>) -> Option<Hit<'t>> {
    let mut best: Option<Hit<'t>> = None;
    let mut sentence = 0;
    let mut foreign = about_another_field(prose.text, prose.tokens, 0);
    let mut exemplary = false;
    let equals = memchr::memchr(b'=', prose.text.as_bytes()).is_some();
    for at in 0..prose.len() {
        let Some(kind) = prose.kind(at) else {
            continue;
        };
        let mut word = "";
        let class = match kind {
            Kind::Stop | Kind::Paragraph => {
                sentence = at + 1;
                foreign = about_another_field(prose.text, prose.tokens, sentence);
                exemplary = false;
                continue;
            }
            Kind::Bullet => {
                exemplary = false;
                Class::NONE
            }
            Kind::Word => {
                word = prose.text(at);
                let class = Class::of(word);
                // "the ones you would like returned" gives no example.
                let wished = class.has(Class::EXAMPLE)
                    && at > 0
                    && word.eq_ignore_ascii_case("like")
                    && prose.is_one_of(at - 1, &["would", "you'd"]);
                exemplary |= class.has(Class::EXAMPLE) && !wished
                    || class.has(Class::SUCH) && prose.is_word(at + 1, "as");
                if !word_may_start(prose, at, (word, class), equals) {
                    continue;
                }
                class
            }
            kind if may_start(kind) => Class::NONE,
            _ => continue,
        };
        let here = Here {
            prose,
            at,
            sentence,
            equals,
            word,
            class,
            known,
        };
        let hit = if foreign {
            here.values().filter(|_| !exemplary)
        } else if exemplary {
            here.sampled(kind).filter(|hit| hit.exhaustive)
        } else {
            here.lead(kind)
        };
        let Some(hit) = hit.and_then(|hit| {
            // An id or a URL needs a list that is announced as all values.
            let announced = known.open_name && values_lead(prose, at).is_some();
            accept(hit, known, announced)
        }) else {
            continue;
        };
        if best.as_ref().is_none_or(|best| hit.rank() > best.rank()) {
            best = Some(hit);
        }
    }
    best
}

/// Throws out what is no list of values after all.
fn accept<'t>(mut hit: Hit<'t>, known: Known<'_>, announced: bool) -> Option<Hit<'t>> {
    let list = &hit.list;
    if list.range || list.otherwise || (list.open_ended && !(hit.exhaustive && list.len() >= 2)) {
        return None;
    }
    if list.open_ended {
        // "Supported values: a, b, c, etc.": a set, of which some values are told.
        hit.confidence = hit.confidence.min(Confidence::Likely);
    }
    let list = &hit.list;
    if list.len() > 0 {
        let fields = list
            .values
            .iter()
            .filter(|value| (known.is_field)(value))
            .count();
        // "One of card, token, cash or cheque" beside what belongs to a `card` and a `token`.
        let others = list.len() - fields;
        let tells_apart = hit.exhaustive && others >= 2;
        if (fields * 2 > list.len() && !tells_apart)
            || (fields > 0 && list.len() == fields + 1 && !hit.exhaustive)
        {
            return None;
        }
        let numbers = list.values.iter().filter(|value| is_numeric(value)).count();
        // "Only 65534 is supported" is a set of one.
        let least = if list.explained { 1 } else { 2 };
        if known.numeric && numbers < list.len().max(least) {
            return None;
        }
        // Words of a search: "`AND`, `OR` and `NOT` must be in capitals".
        if list.values.contains(&"NOT")
            && ["AND", "OR"].iter().any(|word| list.values.contains(word))
        {
            return None;
        }
        // Names of kinds of things, not values: `sid` or `unique_name`.
        if list.values.iter().all(|value| is_placeholder(value))
            || list.values.iter().any(|value| has_room(value))
        {
            return None;
        }
    } else if known.numeric {
        return None;
    }
    if known.open_name {
        // An id or a URL needs more than a likely wording.
        let many = hit.list.len() >= if hit.list.clean { 2 } else { 4 };
        let listed = hit.list.is_marked() || (announced && many);
        let sure = hit.confidence == Confidence::Certain || (announced && many);
        // `.jpg` and `.png` are endings of what the address leads to.
        let endings = hit.list.values.iter().all(|value| value.starts_with('.'));
        let strong = sure && hit.exhaustive && listed && !(endings && hit.list.len() > 0);
        // "1 = small, 2 = large" tells what the numbers of a `size_id` mean.
        let told = known.numeric && hit.list.explained;
        // "either json or csv" of a content type.
        let formats = hit.exhaustive && hit.list.len() >= 2 && shapes::are_formats(&hit.list);
        // "Must be `run`" of a `name` whose example is `run`.
        let constant = hit.exhaustive
            && hit.list.is_marked()
            && hit.list.len() == 1
            && hit.list.values.iter().all(|value| (known.is_sample)(value));
        // "Supported values can be found in the PlaceIdEnum type".
        let typed = announced && hit.list.len() == 0 && hit.confidence == Confidence::Certain;
        if !strong && !told && !formats && !constant && !typed {
            return None;
        }
    }
    if !hit.list.clean && !hit.list.is_marked() {
        hit.confidence = hit.confidence.min(Confidence::Likely);
    }
    Some(hit)
}

fn short(list: &List<'_>) -> bool {
    list.values
        .iter()
        .all(|value| value.len() <= 24 && !value.contains(' '))
}

impl Prose<'_> {
    /// Over an opening bracket, for `enum: [a, b]`.
    fn behind_open(self, at: usize) -> usize {
        if self.is(at, Kind::Open) { at + 1 } else { at }
    }
}

fn is_example_word(prose: Prose<'_>, at: usize) -> bool {
    let class = Class::of(prose.word(at));
    class.has(Class::EXAMPLE) || class.has(Class::SUCH) && prose.is_word(at + 1, "as")
}

fn is_numeric(value: &str) -> bool {
    !value.is_empty()
        && value
            .bytes()
            .all(|b| b.is_ascii_digit() || b == b'-' || b == b'.')
}

/// A form with a part to fill in: `pow##`, `container:<name>`, `["*"]`.
fn has_room(value: &str) -> bool {
    let named = |(_, rest): (&str, &str)| {
        // `<b>` is markup.
        rest.find('>').is_some_and(|end| end > 1)
            && rest.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    value.contains("##")
        || value.starts_with('[')
        || (value.len() > 1 && value.contains('*'))
        || value.split_once('<').is_some_and(named)
        || value
            .split_once('-')
            .is_some_and(|(_, rest)| is_camel(rest))
}

/// `userId` in `user-userId` stands for any of them.
fn is_camel(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|b| b.is_ascii_alphabetic())
        && (text.ends_with("Id") || text.ends_with("Address") || text.ends_with("Name"))
}

/// Words for identifiers, which stand for many values: `sid`, `unique_name`, `{width}`.
fn is_placeholder(value: &str) -> bool {
    value.contains(['{', '<'])
        || [
            "id",
            "sid",
            "name",
            "unique_name",
            "path",
            "uuid",
            "slug",
            "url",
            "email",
            "username",
            "key:value",
        ]
        .iter()
        .any(|known| value.eq_ignore_ascii_case(known))
}

const SUPPORTED: &[&str] = &[
    "supported",
    "allowed",
    "accepted",
    "valid",
    "permitted",
    "available",
    "possible",
];
