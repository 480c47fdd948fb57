//! What a plain YAML scalar means in the core schema of YAML 1.2.
//!
//! `no`, `off` and `yes` are strings, `NO` is Norway, `012` is twelve, and `1_000` or `12:30` are strings too.

use crate::tree::Tag;

/// The tag and the truth value of a plain scalar.
pub(crate) fn resolve(text: &str) -> (Tag, u32) {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => (Tag::Null, 0),
        "true" | "True" | "TRUE" => (Tag::Bool, 1),
        "false" | "False" | "FALSE" => (Tag::Bool, 0),
        _ if is_number(text) => (Tag::Number, 0),
        _ => (Tag::Plain, 0),
    }
}

pub(crate) fn is_number(text: &str) -> bool {
    let bytes = text.as_bytes();
    if !matches!(bytes.first(), Some(b'0'..=b'9' | b'+' | b'-' | b'.')) {
        return false;
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return !digits.is_empty() && digits.bytes().all(|b| matches!(b, b'0'..=b'7'));
    }
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return true;
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let has_digits = !whole.is_empty() || !fraction.is_empty();
    let exponent_fits = exponent.is_none_or(|exponent| {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !exponent.is_empty() && digits(exponent)
    });
    has_digits && digits(whole) && digits(fraction) && exponent_fits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_core_schema_knows_few_words() {
        for text in [
            "no",
            "NO",
            "yes",
            "on",
            "off",
            "y",
            "1_000",
            "12:30",
            "0b1",
            "1e",
            ".",
            "-",
            "+",
            "2024-01-01",
            "1.2.3",
            "e3",
            "nan",
        ] {
            assert_eq!(resolve(text).0, Tag::Plain, "{text}");
        }
        for text in [
            "0", "-1", "+12", "012", "0x1F", "0o17", "1.5", "1.", ".5", "1e3", "-1.5E-3", ".inf",
            "-.INF", ".NaN",
        ] {
            assert_eq!(resolve(text).0, Tag::Number, "{text}");
        }
        assert_eq!(resolve("True"), (Tag::Bool, 1));
        assert_eq!(resolve("~").0, Tag::Null);
    }
}
