//! Sets of words.

/// Words in lower case, written with spaces between them. Most others are ruled out by their first letter and their length.
pub(super) struct Words {
    text: &'static [u8],
    /// For every first letter a bit for each length.
    lengths: [u32; 26],
}

impl Words {
    pub(super) const fn of(text: &'static str) -> Self {
        let mut lengths = [0; 26];
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let (word, after) = split_word(rest);
            lengths[(word[0] - b'a') as usize] |= 1 << word.len();
            rest = after;
        }
        let text = text.as_bytes();
        Self { text, lengths }
    }

    /// Whether a word in lower case is one of them.
    pub(super) fn has(&self, word: &[u8]) -> bool {
        let letter = word.first().map_or(255, |first| first.wrapping_sub(b'a'));
        let lengths = self.lengths.get(usize::from(letter)).copied();
        word.len() < 32
            && lengths.is_some_and(|lengths| lengths >> word.len() & 1 == 1)
            && self
                .text
                .split(|byte| *byte == b' ')
                .any(|known| known == word)
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

/// The first word, and what follows the space behind it.
pub(super) const fn split_word(text: &'static [u8]) -> (&'static [u8], &'static [u8]) {
    let mut end = 0;
    while end < text.len() && text[end] != b' ' {
        end += 1;
    }
    let (word, rest) = text.split_at(end);
    let skip = if rest.is_empty() { 0 } else { 1 };
    (word, rest.split_at(skip).1)
}
