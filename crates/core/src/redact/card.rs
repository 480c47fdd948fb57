//! Payment card numbers.

use std::ops::Range;

use super::plain::at;

/// A card number that starts at the digit `index`, which must not continue a word.
pub(super) fn number(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    // The first group has three digits at least.
    let digit = |ahead: usize| at(bytes, index + ahead).is_ascii_digit();
    if !matches!(at(bytes, index), b'2'..=b'6') || !digit(1) || !digit(2) {
        return None;
    }
    if index > 0 {
        let (before, earlier) = (
            at(bytes, index - 1),
            if index > 1 { at(bytes, index - 2) } else { 0 },
        );
        // Behind a plus stands a telephone number; inside a decimal, an identifier or a group of dashes the digits are something
        // else.
        if matches!(before, b'_' | b'+')
            || matches!(before, b'.' | b'-') && earlier.is_ascii_alphanumeric()
        {
            return None;
        }
    }
    let mut digits = [0_u8; 19];
    let mut count = 0;
    let mut position = index;
    let mut separator = 0;
    let mut group = 0;
    let mut best = None;
    loop {
        let byte = at(bytes, position);
        if byte.is_ascii_digit() {
            let Some(slot) = digits.get_mut(count) else {
                break;
            };
            *slot = byte - b'0';
            count += 1;
            group += 1;
            position += 1;
            let next = at(bytes, position);
            let ends = !next.is_ascii_alphanumeric()
                && next != b'_'
                && !(next == b'.' && at(bytes, position + 1).is_ascii_digit());
            if ends && is_card(digits.get(..count).unwrap_or_default()) {
                best = Some(index..position);
            }
        } else if matches!(byte, b' ' | b'-')
            && group >= 3
            && at(bytes, position + 1).is_ascii_digit()
            && (separator == 0 || separator == byte)
        {
            separator = byte;
            group = 0;
            position += 1;
        } else {
            break;
        }
    }
    best
}

/// Whether these digits (as numbers, not as text) have the length and range of a card scheme and a right check digit.
fn is_card(digits: &[u8]) -> bool {
    let prefix = |length: usize| {
        digits
            .iter()
            .take(length)
            .fold(0_u32, |sum, &digit| sum * 10 + u32::from(digit))
    };
    let (two, three, four, length) = (prefix(2), prefix(3), prefix(4), digits.len());
    let known = match at(digits, 0) {
        // Numbers of thirteen digits were given out long ago; today they are telephone numbers.
        4 => matches!(length, 16 | 19),
        5 => {
            (51..=55).contains(&two) && length == 16
                || matches!(two, 50 | 56..=58) && (13..=19).contains(&length)
        }
        2 => {
            (2221..=2720).contains(&four) && length == 16
                || (2200..=2204).contains(&four) && (16..=19).contains(&length)
        }
        3 => {
            matches!(two, 34 | 37) && length == 15
                || (matches!(three, 300..=305 | 309) || matches!(two, 36 | 38 | 39))
                    && (14..=19).contains(&length)
                || (3528..=3589).contains(&four) && (16..=19).contains(&length)
        }
        6 => {
            (four == 6011 || matches!(three, 644..=649) || matches!(two, 62 | 63 | 65 | 67))
                && (16..=19).contains(&length)
        }
        _ => false,
    };
    known && luhn(digits)
}

fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, &digit)| {
            let value = u32::from(digit) * if place % 2 == 1 { 2 } else { 1 };
            if value > 9 { value - 9 } else { value }
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_ends_where_its_digits_end() {
        let text = ["4111 1111", " 1111 1111 12/27"].concat();
        assert_eq!(number(text.as_bytes(), 0), Some(0..19));
        assert_eq!(number(b"4111 1111 1111 1112", 0), None);
    }
}
