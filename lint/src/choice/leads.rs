//! The wordings that announce a closed set, and what they announce.

mod announced;
mod coded;
mod modal;
mod pointed;
mod shapes;
mod spelled;

use self::announced::{heading, one_of, values_lead};
use self::coded::coded;
use self::modal::{can_be, choose, must_be, only};
use self::pointed::elsewhere;
use self::shapes::{
    bars, bulleted, constants, defined_lines, sampled, set_to, slashed_code, unannounced,
    vocabulary, with_default,
};
use self::spelled::{bracketed, either, list_of, named_list, settings, spelled_bullets};
use super::lexicon::Lexicon;
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

impl Hit<'_> {
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
    for at in 0..prose.len() {
        match prose.kind(at) {
            Some(Kind::Stop | Kind::Paragraph) => {
                sentence = at + 1;
                foreign = about_another_field(prose.text, prose.tokens, sentence);
                exemplary = false;
                continue;
            }
            Some(Kind::Bullet) => exemplary = false,
            Some(Kind::Word) => exemplary |= is_example_word(prose, at),
            _ => {}
        }
        if !may_start(prose, at) {
            continue;
        }
        let hit = if foreign {
            values_lead(prose, at).filter(|_| !exemplary)
        } else {
            lead(prose, at, sentence, exemplary, known)
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

/// Whether a wording can start here at all. Most words cannot, and this is asked for every one of them.
fn may_start(prose: Prose<'_>, at: usize) -> bool {
    match prose.kind(at) {
        Some(Kind::Word) => {
            let word = prose.word(at);
            let bytes = word.as_bytes();
            STARTERS.has(word)
                || at == 0
                || matches!(prose.kind(at + 1), Some(Kind::Colon | Kind::Pipe))
                || prose.is(at + 1, Kind::Dash)
                || (bytes.len() <= 3 && prose.is_one_of(at + 1, coded::MEANS))
                || bytes.contains(&b'=')
        }
        Some(
            Kind::Code
            | Kind::Quote
            | Kind::Bold
            | Kind::Open
            | Kind::Colon
            | Kind::Bullet
            | Kind::Dash,
        ) => true,
        _ => false,
    }
}

/// The words that start a wording.
static STARTERS: Lexicon = Lexicon::new(
    "\
    allowed accepted acceptable available allowable any accepts accept are alternatives asc ascending active all \
    can could choices choose chosen csv critical closed controlled desc descending disabled delete daily day \
    expected eligible either enum enumeration enabled enter false female fixed get high hour is in inactive \
    inbound json legal limited list low may might must male medium monthly month n no one options only on off open \
    other out outbound possible permitted permissible pick pass post put patch public private pull push predefined \
    pre-defined quarterly recognized recognised restricted supported strings should select selected set specify \
    supports takes true to use valid values weekly week xml yes y yearly yaml year",
);

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
        if fields * 2 > list.len() || (fields > 0 && list.len() == fields + 1 && !hit.exhaustive) {
            return None;
        }
        let numbers = list.values.iter().filter(|value| is_numeric(value)).count();
        if known.numeric && numbers < list.len().max(2) {
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
        let strong = sure && hit.exhaustive && listed;
        if !strong {
            return None;
        }
    }
    if !hit.list.clean && !hit.list.is_marked() {
        hit.confidence = hit.confidence.min(Confidence::Likely);
    }
    Some(hit)
}

fn lead<'t>(
    prose: Prose<'t>,
    at: usize,
    sentence: usize,
    exemplary: bool,
    known: Known<'_>,
) -> Option<Hit<'t>> {
    if exemplary {
        return sampled(prose, at, known).filter(|hit| hit.exhaustive);
    }
    values_lead(prose, at)
        .or_else(|| one_of(prose, at))
        .or_else(|| can_be(prose, at))
        .or_else(|| {
            must_be(prose, at).filter(|hit| hit.list.len() > 1 || !is_conditional(prose, sentence))
        })
        .or_else(|| heading(prose, at, sentence))
        .or_else(|| named_list(prose, at, sentence))
        .or_else(|| list_of(prose, at))
        .or_else(|| either(prose, at, known))
        .or_else(|| choose(prose, at))
        .or_else(|| only(prose, at, sentence, known))
        .or_else(|| bars(prose, at, known))
        .or_else(|| slashed_code(prose, at, known))
        .or_else(|| bracketed(prose, at, sentence))
        .or_else(|| constants(prose, at, sentence))
        .or_else(|| vocabulary(prose, at))
        .or_else(|| coded(prose, at))
        .or_else(|| bulleted(prose, at))
        .or_else(|| spelled_bullets(prose, at))
        .or_else(|| with_default(prose, at))
        .or_else(|| unannounced(prose, at, sentence))
        .or_else(|| set_to(prose, at, sentence))
        .or_else(|| settings(prose, at))
        .or_else(|| defined_lines(prose, at))
        .or_else(|| sampled(prose, at, known))
        .or_else(|| elsewhere(prose, at))
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
    prose.is_one_of(
        at,
        &[
            "e.g",
            "eg",
            "example",
            "examples",
            "ex",
            "sample",
            "typical",
            "typically",
            "i.e",
            "like",
            "instance",
        ],
    ) || (prose.is_word(at, "such") && prose.is_word(at + 1, "as"))
}

fn is_numeric(value: &str) -> bool {
    !value.is_empty()
        && value
            .bytes()
            .all(|b| b.is_ascii_digit() || b == b'-' || b == b'.')
}

/// "For Paysafecard it must be `x`": one value for one case says nothing about the others.
fn is_conditional(prose: Prose<'_>, sentence: usize) -> bool {
    prose.is_one_of(sentence, &["for", "if", "when", "unless", "in", "with"])
}

/// A form with a part to fill in: `pow##`, `{unit}-ago`, `["*"]`.
fn has_room(value: &str) -> bool {
    value.contains("##") || value.starts_with('[') || (value.len() > 1 && value.contains('*'))
}

/// Words for identifiers, which stand for many values: `sid`, `unique_name`, `{width}`.
fn is_placeholder(value: &str) -> bool {
    value.contains(['{', '<'])
        || [
            "id",
            "sid",
            "name",
            "unique_name",
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
