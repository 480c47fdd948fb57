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

/// Groups of words, each with a number whose bits say what the words are good for. A word of several groups has the bits of all.
#[derive(Debug)]
pub(super) struct Classes {
    groups: &'static [(u32, &'static str)],
    table: OnceLock<Table>,
}

#[derive(Debug)]
struct Table {
    slots: Vec<(&'static str, u32)>,
    /// The lengths of the words with each first letter, and with each last one, a bit for each length. Most words are ruled
    /// out by these.
    starts: [u32; 32],
    ends: [u32; 32],
}

impl Classes {
    pub(super) const fn new(groups: &'static [(u32, &'static str)]) -> Classes {
        Classes {
            groups,
            table: OnceLock::new(),
        }
    }

    /// The bits of a word, in any case; 0 for a word that is in no group.
    pub(super) fn of(&self, word: &str) -> u32 {
        let table = self.table.get_or_init(|| Table::fill(self.groups));
        let (Some(first), Some(last)) = (word.as_bytes().first(), word.as_bytes().last()) else {
            return 0;
        };
        let lengths = |of: &[u32; 32], letter: &u8| of.get(usize::from(letter & 31)).copied();
        let starts = lengths(&table.starts, first).unwrap_or(0);
        let ends = lengths(&table.ends, last).unwrap_or(0);
        if starts & ends & length(word) == 0 {
            return 0;
        }
        let (slots, mut at) = (&table.slots, hash(word));
        // At least half of the slots are empty, so the search ends.
        while let Some((found, bits)) = slots.get(at & (slots.len() - 1)) {
            if found.is_empty() {
                return 0;
            }
            if found.eq_ignore_ascii_case(word) {
                return *bits;
            }
            at += 1;
        }
        0
    }
}

impl Table {
    fn fill(groups: &[(u32, &'static str)]) -> Table {
        let words = groups
            .iter()
            .flat_map(|(bits, list)| list.split_ascii_whitespace().map(move |word| (word, *bits)));
        let count = words.clone().count();
        let mut table = Table {
            slots: vec![("", 0); (count * 2).next_power_of_two()],
            starts: [0; 32],
            ends: [0; 32],
        };
        let mask = table.slots.len() - 1;
        for (word, bits) in words {
            let sides = [
                (&mut table.starts, word.as_bytes().first()),
                (&mut table.ends, word.as_bytes().last()),
            ];
            for (lengths, letter) in sides {
                let at = letter.map_or(0, |letter| usize::from(letter & 31));
                if let Some(lengths) = lengths.get_mut(at) {
                    *lengths |= length(word);
                }
            }
            let mut at = hash(word);
            while let Some((found, _)) = table.slots.get(at & mask)
                && !found.is_empty()
                && *found != word
            {
                at += 1;
            }
            if let Some(slot) = table.slots.get_mut(at & mask) {
                *slot = (word, slot.1 | bits);
            }
        }
        table
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

/// The bit of a word's length; all words that are too long for one share the last.
fn length(word: &str) -> u32 {
    1 << word.len().min(31)
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

    #[test]
    fn a_word_of_two_groups_has_the_bits_of_both() {
        static CLASSES: Classes = Classes::new(&[(1, "red green"), (2, "green x-y"), (4, "")]);
        let bits = ["red", "GREEN", "x-Y", "blue", "", "greener"].map(|word| CLASSES.of(word));
        assert_eq!(bits, [1, 3, 2, 0, 0, 0]);
        assert_eq!(Classes::new(&[]).of("red"), 0);
    }
}
