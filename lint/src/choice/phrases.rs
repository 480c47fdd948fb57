//! Lists of phrases that descriptions are searched for.

use super::tokens::IN_WORD;

/// Some phrases in lower case, each of at least two letters.
#[derive(Debug)]
pub(super) struct Phrases {
    list: &'static [&'static str],
    /// Those with each first letter, and those with each second one, a bit for each phrase. Most words of a text can start none.
    first: [u128; 32],
    second: [u128; 32],
}

impl Phrases {
    pub(super) const fn new(list: &'static [&'static str]) -> Phrases {
        assert!(list.len() <= 128, "there is a bit for each");
        let (mut first, mut second) = ([0; 32], [0; 32]);
        let mut at = 0;
        while at < list.len() {
            let phrase = list[at].as_bytes();
            assert!(phrase.len() >= 2, "a phrase has at least two letters");
            first[(phrase[0] & 31) as usize] |= 1 << at;
            second[(phrase[1] & 31) as usize] |= 1 << at;
            at += 1;
        }
        Phrases {
            list,
            first,
            second,
        }
    }

    /// Whether one of these stands in the text as whole words, whatever the case.
    pub(super) fn any_in(&self, text: &str) -> bool {
        let bytes = text.as_bytes();
        let with = |letters: &[u128; 32], byte: u8| {
            let those = letters.get(usize::from(byte & 31));
            those.copied().unwrap_or(0)
        };
        let mut inside = false;
        for (at, pair) in bytes.windows(2).enumerate() {
            let &[one, two] = pair else {
                continue;
            };
            let starts = !inside;
            inside = IN_WORD.get(usize::from(one)) == Some(&true);
            if !starts || !inside {
                continue;
            }
            let mut those = with(&self.first, one) & with(&self.second, two);
            while those != 0 {
                let phrase = self.list.get(those.trailing_zeros() as usize);
                if phrase.is_some_and(|phrase| stands(bytes, at, phrase.as_bytes())) {
                    return true;
                }
                those &= those - 1;
            }
        }
        false
    }
}

/// Whether a phrase stands here and ends where a word does.
fn stands(bytes: &[u8], at: usize, phrase: &[u8]) -> bool {
    let end = at + phrase.len();
    bytes
        .get(at..end)
        .is_some_and(|window| window.eq_ignore_ascii_case(phrase))
        && bytes
            .get(end)
            .is_none_or(|byte| !byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    static SOME: Phrases = Phrases::new(&["any of", "or 'null'", "id", "iso"]);

    #[test]
    fn phrases_are_found_as_whole_words_only() {
        for text in [
            "Any of these",
            "one, ANY OF: a",
            "x or 'null'",
            "(id)",
            "the ISO",
            "iso",
        ] {
            assert!(SOME.any_in(text), "{text}");
        }
        for text in ["", "i", "many of", "any off", "ids", "void", "anyof", "isö"] {
            assert!(!SOME.any_in(text), "{text}");
        }
    }
}
