//! Text that comes in pieces: a character that is split over two of them arrives whole.

/// Decodes UTF-8 piece by piece.
///
/// ```
/// use aon_agent::text::Decoder;
///
/// let mut decoder = Decoder::default();
/// let (first, second) = "olá".as_bytes().split_at(3);
/// assert_eq!(decoder.push(first), "ol");
/// assert_eq!(decoder.push(second), "á");
/// assert_eq!(decoder.finish(), "");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    /// The beginning of a character whose end is missing.
    kept: Vec<u8>,
}

impl Decoder {
    /// The text up to the last character that is whole. Bytes that are not UTF-8 become U+FFFD.
    pub fn push(&mut self, piece: &[u8]) -> String {
        let joined;
        let mut rest = if self.kept.is_empty() {
            piece
        } else {
            self.kept.extend_from_slice(piece);
            joined = std::mem::take(&mut self.kept);
            &joined
        };
        let mut text = String::with_capacity(rest.len());
        loop {
            match std::str::from_utf8(rest) {
                Ok(valid) => {
                    text.push_str(valid);
                    return text;
                }
                Err(error) => {
                    let (valid, after) = rest.split_at(error.valid_up_to());
                    text.push_str(&String::from_utf8_lossy(valid));
                    if let Some(wrong) = error.error_len() {
                        text.push(char::REPLACEMENT_CHARACTER);
                        rest = &after[wrong..];
                    } else {
                        self.kept = after.to_vec();
                        return text;
                    }
                }
            }
        }
    }

    /// What is left at the end: nothing, or U+FFFD for a character that was cut off.
    pub fn finish(&mut self) -> String {
        let kept = std::mem::take(&mut self.kept);
        String::from_utf8_lossy(&kept).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_split_gives_the_same_text() {
        let text = " olá 世界 😀\n";
        let bytes = text.as_bytes();
        for first in 0..=bytes.len() {
            for second in first..=bytes.len() {
                let mut decoder = Decoder::default();
                let mut out = decoder.push(&bytes[..first]);
                out += &decoder.push(&bytes[first..second]);
                out += &decoder.push(&bytes[second..]);
                out += &decoder.finish();
                assert_eq!(out, text);
            }
        }
    }

    #[test]
    fn what_is_not_text_is_marked_and_the_rest_kept() {
        let mut decoder = Decoder::default();
        assert_eq!(decoder.push(b"a\xffb\xc3"), "a\u{fffd}b");
        assert_eq!(decoder.push(b"(c"), "\u{fffd}(c");
        assert_eq!(decoder.push(b"\xe4\xb8"), "");
        assert_eq!(decoder.finish(), "\u{fffd}");
    }
}
