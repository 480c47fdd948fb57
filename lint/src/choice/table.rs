//! Words that are looked for: a table from hashes of words to what is known about them, filled once from a text file, and short
//! lists of words for names.

/// Hashes the words of names and descriptions, without regard to case.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hash(u64);

impl Hash {
    /// A hash of its own for each sort of word.
    pub(super) fn new(kind: u8) -> Hash {
        Hash(0xcbf2_9ce4_8422_2325).byte(kind)
    }

    pub(super) fn word(self, word: &str) -> Hash {
        let ended = word
            .bytes()
            .fold(self, |hash, byte| hash.byte(byte.to_ascii_lowercase()));
        ended.byte(b'_')
    }

    fn byte(self, byte: u8) -> Hash {
        Hash((self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
    }
}

/// Open addressing; at least half of the slots are free, so every search ends.
#[derive(Debug)]
pub(super) struct Table<T> {
    slots: Vec<Option<(u64, T)>>,
}

impl<T: Copy> Table<T> {
    pub(super) fn fill(entries: Vec<(Hash, T)>) -> Table<T> {
        let size = (entries.len() * 2).next_power_of_two().max(2);
        let mut slots = vec![None; size];
        for (Hash(hash), value) in entries {
            let mut at = place(hash, size);
            while let Some(Some((known, _))) = slots.get(at) {
                if *known == hash {
                    break;
                }
                at = (at + 1) & (size - 1);
            }
            if let Some(slot) = slots.get_mut(at) {
                *slot = Some((hash, value));
            }
        }
        Table { slots }
    }

    pub(super) fn get(&self, Hash(hash): Hash) -> Option<T> {
        let size = self.slots.len();
        let mut at = place(hash, size);
        while let Some(Some((known, value))) = self.slots.get(at) {
            if *known == hash {
                return Some(*value);
            }
            at = (at + 1) & (size - 1);
        }
        None
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "only the low bits are wanted"
)]
fn place(hash: u64, size: usize) -> usize {
    (hash ^ hash >> 32) as usize & (size - 1)
}

/// The rows of a text file with up to three columns. Most columns are so short that a search by words of the machine does not pay.
pub(super) fn rows(text: &'static str) -> impl Iterator<Item = [&'static str; 3]> {
    text.lines().map(|line| {
        let mut columns = line.split('\t');
        [(); 3].map(|()| columns.next().unwrap_or(""))
    })
}

/// Whether a word is one of these, which stand in one text with blanks between them.
pub(super) fn among(word: &str, words: &str) -> bool {
    let mut known = words.as_bytes().split(|byte| *byte == b' ');
    known.any(|known| known.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_is_found_and_nothing_else() {
        let words: Vec<String> = (0..500).map(|at| format!("word{at}")).collect();
        let hash = |word: &str| Hash::new(b'n').word(word);
        let numbered = words.iter().enumerate();
        let table = Table::fill(numbered.map(|(at, word)| (hash(word), at)).collect());
        for (at, word) in words.iter().enumerate() {
            assert_eq!(table.get(hash(&word.to_uppercase())), Some(at), "{word}");
            assert_eq!(table.get(Hash::new(b'd').word(word)), None, "{word}");
        }
        assert_eq!(table.get(hash("other")), None);
    }
}
