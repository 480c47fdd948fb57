//! Sets of words.

/// Words in lower case, written with spaces between them, in a table of their hashes.
pub(super) struct Words<const SLOTS: usize = 256> {
    pub(super) text: &'static [u8],
    /// Where in the text the word with this hash begins, plus one.
    slots: [u16; SLOTS],
}

impl<const SLOTS: usize> Words<SLOTS> {
    pub(super) const fn of(text: &'static str) -> Self {
        let text = text.as_bytes();
        let mut slots = [0; SLOTS];
        let mut rest = text;
        while !rest.is_empty() {
            let (word, after) = split_word(rest);
            let mut slot = hash(word, usize::MAX) as usize % SLOTS;
            while slots[slot] != 0 {
                slot = (slot + 1) % SLOTS;
            }
            #[expect(
                clippy::cast_possible_truncation,
                reason = "checked here, while compiling"
            )]
            {
                assert!(text.len() < u16::MAX as usize);
                slots[slot] = (text.len() - rest.len() + 1) as u16;
            }
            rest = after;
        }
        Self { text, slots }
    }

    /// Whether a word in lower case is one of them.
    pub(super) fn has(&self, word: &[u8]) -> bool {
        let mut slot = hash(word, usize::MAX) as usize % SLOTS;
        while let Some(start) = self.slots.get(slot)
            && let Some(start) = usize::from(*start).checked_sub(1)
        {
            let known = self.text.get(start..).unwrap_or_default();
            if split_word(known).0 == word {
                return true;
            }
            slot = (slot + 1) % SLOTS;
        }
        false
    }

    /// The same in any case.
    pub(super) fn has_any_case(&self, word: &[u8]) -> bool {
        let mut lower = [0_u8; 32];
        let Some(lower) = lower.get_mut(..word.len()) else {
            return false;
        };
        lower.copy_from_slice(word);
        lower.make_ascii_lowercase();
        self.has(lower)
    }
}

/// The hash of a word, or of its last letters, from the last one on.
pub(super) const fn hash(word: &[u8], most: usize) -> u32 {
    let (mut hash, mut at) = (0, word.len());
    while at > 0 && word.len() - at < most {
        at -= 1;
        hash = add(hash, word[at]);
    }
    hash
}

/// A hash with one letter more, in either case.
pub(super) const fn add(hash: u32, letter: u8) -> u32 {
    let mixed = (hash ^ (letter | 0x20) as u32).wrapping_mul(0x0100_0193);
    mixed ^ mixed >> 15
}

/// The parts of a text with commas between them, told apart while compiling.
pub(super) const fn list<const COUNT: usize>(text: &'static str) -> [&'static [u8]; COUNT] {
    let mut parts: [&[u8]; COUNT] = [b""; COUNT];
    let mut rest = text.as_bytes();
    let mut number = 0;
    while number < COUNT {
        (parts[number], rest) = split_at_mark(rest, b',');
        number += 1;
    }
    assert!(rest.is_empty(), "there are more parts");
    parts
}

/// The first word, and what follows the space behind it.
const fn split_word(text: &'static [u8]) -> (&'static [u8], &'static [u8]) {
    split_at_mark(text, b' ')
}

const fn split_at_mark(text: &'static [u8], mark: u8) -> (&'static [u8], &'static [u8]) {
    let mut end = 0;
    while end < text.len() && text[end] != mark {
        end += 1;
    }
    let (part, rest) = text.split_at(end);
    let skip = if rest.is_empty() { 0 } else { 1 };
    (part, rest.split_at(skip).1)
}
