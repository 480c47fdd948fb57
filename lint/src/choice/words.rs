//! Words and numbers that are no values.

use super::lexicon::Lexicon;

pub(super) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// `1-31`, `0..10`, `2000–10000`.
pub(super) fn is_range(text: &str) -> bool {
    let number = |part: &str| {
        let part = part.trim();
        !part.is_empty()
            && part.len() <= 12
            && part
                .bytes()
                .all(|b| b.is_ascii_digit() || b == b'.' || b == b',')
    };
    // Most texts are words, and need not be searched for dashes.
    let starts = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    text.trim_start().starts_with(starts)
        && ["..", "-", "–", "~"].iter().any(|dash| {
            text.split_once(dash)
                .is_some_and(|(a, b)| number(a) && number(b) && !b.contains('-'))
        })
}

/// Words that start prose, not a value.
pub(super) fn is_filler(word: &str) -> bool {
    // A capital in the middle of a list makes a value of many of these: `In`, `NotIn`.
    if word.starts_with(|c: char| c.is_ascii_uppercase()) {
        return CAPITAL_FILLERS.has(word);
    }
    FILLERS.has_exactly(word)
}

/// Whether a word announces examples.
pub(super) fn is_example(word: &str) -> bool {
    ["e.g", "eg", "i.e", "ie", "example", "examples", "ex"]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
}

static FILLERS: Lexicon = Lexicon::new(
    "\
    a an the any this that these those your our its their his each every some if when where \
    which who whose what how whether for from with without to in on at by of as is are was be \
    been must should can may will used use see note only not also either both it you we they \
    there here then than but because so such following below above up more less between about \
    into based defined specified provided required one set part list values value name string \
    strings integers numbers integer number positive negative alphanumeric e.g eg i.e example \
    examples default defaults",
);

static CAPITAL_FILLERS: Lexicon = Lexicon::new(
    "\
    a an the this that these those your our its each every if when where which whether for with \
    to must should can may will use see note only also it you we they there e.g example examples \
    defaults required specify specifies indicates returns",
);
