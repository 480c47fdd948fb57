//! Lists of words that are asked for every word of every description.

use std::sync::OnceLock;

/// A list of words, written as one text with blanks between them and looked up without regard to case.
#[derive(Debug)]
pub(super) struct Lexicon {
    list: &'static str,
    table: OnceLock<Vec<&'static str>>,
}

impl Lexicon {
    pub(super) const fn new(list: &'static str) -> Lexicon {
        Lexicon {
            list,
            table: OnceLock::new(),
        }
    }

    /// Whether the word is on the list, in any case.
    pub(super) fn has(&self, word: &str) -> bool {
        self.find(word).is_some()
    }

    /// Whether the word is on the list exactly as written.
    pub(super) fn has_exactly(&self, word: &str) -> bool {
        self.find(word) == Some(word)
    }

    fn find(&self, word: &str) -> Option<&'static str> {
        if word.is_empty() {
            return None;
        }
        let table = self.table.get_or_init(|| fill(self.list));
        let mut at = hash(word);
        // At least half of the slots are empty, so the search ends.
        loop {
            let found = *table.get(at & (table.len() - 1))?;
            if found.is_empty() {
                return None;
            }
            if found.eq_ignore_ascii_case(word) {
                return Some(found);
            }
            at += 1;
        }
    }
}

fn fill(list: &'static str) -> Vec<&'static str> {
    let words = list.split_ascii_whitespace();
    let mut table = vec![""; (words.clone().count() * 2).next_power_of_two()];
    let mask = table.len() - 1;
    for word in words {
        let mut at = hash(word);
        while table.get(at & mask).is_some_and(|slot| !slot.is_empty()) {
            at += 1;
        }
        if let Some(slot) = table.get_mut(at & mask) {
            *slot = word;
        }
    }
    table
}

/// The same for both cases of a letter.
fn hash(word: &str) -> usize {
    let mut hash = 0_u32;
    for byte in word.bytes() {
        hash = (hash ^ u32::from(byte | 0x20)).wrapping_mul(0x0100_0193);
    }
    (hash ^ (hash >> 15)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    static COLOURS: Lexicon = Lexicon::new("red green blue e.g x_y");

    #[test]
    fn words_are_found_in_any_case_and_others_are_not() {
        for word in ["red", "Red", "GREEN", "e.g", "E.G", "x_y"] {
            assert!(COLOURS.has(word), "{word}");
        }
        for word in ["", "re", "redd", "yellow", "e,g", "x\u{7f}y"] {
            assert!(!COLOURS.has(word), "{word}");
        }
        assert!(COLOURS.has_exactly("red") && !COLOURS.has_exactly("Red"));
        assert!(!Lexicon::new("").has("red"));
    }
}
