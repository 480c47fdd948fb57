//! Descriptions that announced nothing. Documents repeat theirs, and the same words need not be read again.

/// Texts with what was known about the place besides, as bits, that had nothing to tell whatever stood beside them.
#[derive(Debug, Default)]
pub(super) struct Dull {
    /// The texts, one behind the other.
    texts: String,
    /// Each at a place that its hash decides; a later one takes the place of an earlier one.
    slots: Vec<Slot>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    start: usize,
    end: usize,
    known: u8,
}

impl Dull {
    pub(super) fn has(&self, text: &str, known: u8) -> bool {
        let Some(slot) = self.slots.get(place(text)) else {
            return false;
        };
        slot.known == known
            && slot.start < slot.end
            && self.texts.get(slot.start..slot.end) == Some(text)
    }

    pub(super) fn note(&mut self, text: &str, known: u8) {
        if self.slots.is_empty() || self.texts.len() + text.len() > MAX_BYTES {
            self.texts.clear();
            self.slots.clear();
            self.slots.resize(SLOTS, Slot::default());
        }
        let start = self.texts.len();
        self.texts.push_str(text);
        let end = self.texts.len();
        if let Some(slot) = self.slots.get_mut(place(text)) {
            *slot = Slot { start, end, known };
        }
    }
}

/// A hash over 8 bytes at a time; equal ones are settled by comparing the texts.
fn place(text: &str) -> usize {
    let (chunks, rest) = text.as_bytes().as_chunks();
    let mut hash = text.len() as u64;
    for chunk in chunks {
        hash = (hash.rotate_left(5) ^ u64::from_le_bytes(*chunk)).wrapping_mul(SEED);
    }
    for byte in rest {
        hash = (hash.rotate_left(5) ^ u64::from(*byte)).wrapping_mul(SEED);
    }
    (hash >> 32) as usize % SLOTS
}

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
const SLOTS: usize = 1024;
/// More text than this is forgotten, so that a large document takes no more room than a small one.
const MAX_BYTES: usize = 256 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_dull_only_with_the_same_knowledge() {
        let mut dull = Dull::default();
        assert!(!dull.has("", 0) && !dull.has("The name.", 1));
        dull.note("The name.", 1);
        dull.note("", 0);
        assert!(dull.has("The name.", 1));
        assert!(!dull.has("The name.", 0) && !dull.has("The name", 1) && !dull.has("", 0));
    }

    #[test]
    fn it_forgets_when_there_is_too_much() {
        let mut dull = Dull::default();
        let texts: Vec<String> = (0..4_000).map(|n| format!("{n:0100}")).collect();
        for text in &texts {
            dull.note(text, 0);
            assert!(dull.has(text, 0) && dull.texts.len() <= MAX_BYTES);
        }
        let kept = texts.iter().filter(|text| dull.has(text, 0)).count();
        assert!(kept <= SLOTS && kept > SLOTS / 2, "{kept}");
    }
}
