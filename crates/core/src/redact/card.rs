//! Payment card numbers.

use std::ops::Range;

use super::plain::{at, prior, slice};

/// A card number that starts at the digit `index`, which must not continue a word.
pub(super) fn number(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    // The first group has three digits at least.
    let digit = |ahead: usize| at(bytes, index + ahead).is_ascii_digit();
    if !matches!(at(bytes, index), b'2'..=b'6') || !digit(1) || !digit(2) {
        return None;
    }
    // Behind a plus stands a telephone number; inside a decimal, an identifier or a group of dashes the digits are something else.
    let before = prior(bytes, index);
    let goes_on = || prior(bytes, index - 1).is_ascii_alphanumeric();
    if matches!(before, b'_' | b'+') || matches!(before, b'.' | b'-') && goes_on() {
        return None;
    }
    let mut digits = [0_u8; 19];
    let mut count = 0;
    let mut position = index;
    let mut separator = 0;
    let mut group = 0;
    let mut best = None;
    loop {
        let byte = at(bytes, position);
        let next = at(bytes, position + 1);
        position += 1;
        if byte.is_ascii_digit() {
            let Some(slot) = digits.get_mut(count) else {
                return best;
            };
            *slot = byte - b'0';
            count += 1;
            group += 1;
            let decimal = next == b'.' && at(bytes, position + 1).is_ascii_digit();
            let ends = !next.is_ascii_alphanumeric() && next != b'_' && !decimal;
            if ends && is_card(slice(&digits, 0, count)) {
                best = Some(index..position);
            }
        } else {
            let joins = matches!(byte, b' ' | b'-') && (separator == 0 || separator == byte);
            if !joins || group < 3 || !next.is_ascii_digit() {
                return best;
            }
            separator = byte;
            group = 0;
        }
    }
}

/// Whether these digits (as numbers, not as text) have the length and range of a card scheme and a right check digit.
fn is_card(digits: &[u8]) -> bool {
    let four = digits
        .iter()
        .take(4)
        .fold(0_u32, |sum, &digit| sum * 10 + u32::from(digit));
    // Visa numbers of thirteen digits were given out long ago; today they are telephone numbers.
    let known = matches!(
        (four, digits.len()),
        (4000..=4999, 16 | 19)
            | (5100..=5599 | 2221..=2720, 16)
            | (5000..=5099 | 5600..=5899, 13..=19)
            | (3400..=3499 | 3700..=3799, 15)
            | (3000..=3059 | 3090..=3099 | 3600..=3699 | 3800..=3999, 14..=19)
            | (2200..=2204 | 3528..=3589 | 6011 | 6200..=6399 | 6440..=6599 | 6700..=6799, 16..=19)
    );
    known && luhn(digits)
}

fn luhn(digits: &[u8]) -> bool {
    let sum = digits.iter().rev().enumerate().map(|(place, &digit)| {
        let value = u32::from(digit) * if place % 2 == 1 { 2 } else { 1 };
        if value > 9 { value - 9 } else { value }
    });
    sum.sum::<u32>().is_multiple_of(10)
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
