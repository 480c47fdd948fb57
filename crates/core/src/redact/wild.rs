//! A third corpus, of whole texts: secrets that have to go, in every encoding, and false friends that have to stay.
//!
//! It was written before the rules were widened and divided by lot in two halves. The first was looked at while they were; the
//! second was only counted, before and after, so it tells about what nobody has seen: of its 129 secrets 103 were hidden before
//! and 123 after, of its 110 false friends 110 were kept before and 109 after, as plain text. Both halves have the same author as
//! the rules, so the figure flatters.

use std::fmt::Write as _;

use super::{is_secret, json_text, text};

const SECRETS: &str = include_str!("wild/secrets.txt");
const FRIENDS: &str = include_str!("wild/friends.txt");

/// The lines of a half: what stands in them, its holes filled.
fn lines(file: &'static str, half: char) -> impl Iterator<Item = String> {
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    lines.enumerate().filter_map(move |(salt, line)| {
        let line = line.strip_prefix(half)?.strip_prefix(' ')?;
        Some(filled(line, salt).replace('⏎', "\n"))
    })
}

/// Puts letters that look drawn at random, and are the same on every run, into the holes of a line.
fn filled(line: &str, salt: usize) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        rest = after;
        let hole = after.split_once('}').and_then(|(hole, after)| {
            let kind = hole.chars().next()?;
            let length: usize = hole.get(1..)?.parse().ok()?;
            Some((alphabet(kind)?, length, after))
        });
        match hole {
            Some((alphabet, length, after)) => {
                out.push_str(&drawn(alphabet, length, salt + out.len()));
                rest = after;
            }
            None => out.push('{'),
        }
    }
    out + rest
}

fn alphabet(kind: char) -> Option<&'static [u8]> {
    match kind {
        'L' => Some(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
        'l' => Some(b"abcdefghijklmnopqrstuvwxyz0123456789"),
        'U' => Some(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
        'H' => Some(b"0123456789abcdef"),
        'D' => Some(b"123456789"),
        _ => None,
    }
}

fn drawn(alphabet: &[u8], length: usize, salt: usize) -> String {
    let mut state = 0x9e37_79b9_u64 + (salt * 131 + length) as u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % alphabet.len()
    };
    (0..length).map(|_| char::from(alphabet[next()])).collect()
}

/// One way to write a text, and to read it again.
struct Encoding {
    name: &'static str,
    write: fn(&str) -> String,
    read: fn(&str) -> String,
}

const ENCODINGS: &[Encoding] = &[
    Encoding {
        name: "plain",
        write: str::to_owned,
        read: str::to_owned,
    },
    Encoding {
        name: "json in a string",
        write: quoted,
        read: unquoted,
    },
    Encoding {
        name: "json in a string in a string",
        write: |plain| quoted(&quoted(plain)),
        read: |shown| unquoted(&unquoted(shown)),
    },
    Encoding {
        name: "json escapes",
        write: escaped,
        read: unquoted,
    },
    Encoding {
        name: "percent",
        write: percent,
        read: unpercent,
    },
    Encoding {
        name: "percent twice",
        write: |plain| percent(&percent(plain)),
        read: |shown| unpercent(&unpercent(shown)),
    },
    Encoding {
        name: "json in percent",
        write: |plain| percent(&quoted(plain)),
        read: |shown| unquoted(&unpercent(shown)),
    },
    Encoding {
        name: "base64",
        write: base64,
        read: unbase64,
    },
    Encoding {
        name: "json in base64",
        write: |plain| base64(&quoted(plain)),
        read: |shown| unquoted(&unbase64(shown)),
    },
    Encoding {
        name: "base64 in json",
        write: |plain| quoted(&base64(plain)),
        read: |shown| unbase64(&unquoted(shown)),
    },
];

fn quoted(plain: &str) -> String {
    serde_json::json!({ "note": plain }).to_string()
}

/// What a reader makes of it; a text that cannot be read any more shows what it is.
fn unquoted(shown: &str) -> String {
    let read: Option<serde_json::Value> = serde_json::from_str(shown).ok();
    let note = read.and_then(|value| value.get("note")?.as_str().map(str::to_owned));
    note.unwrap_or_else(|| shown.to_owned())
}

/// Every third letter as an escape of JSON.
fn escaped(plain: &str) -> String {
    let mut out = String::from("{\"note\":\"");
    for (index, unit) in plain.encode_utf16().enumerate() {
        let byte = u8::try_from(unit).ok().filter(|byte| {
            index % 3 != 1 && (byte.is_ascii_graphic() || *byte == b' ') && !b"\"\\".contains(byte)
        });
        match byte {
            Some(byte) => out.push(char::from(byte)),
            None => write!(out, "\\u{unit:04x}").expect("a string"),
        }
    }
    out + "\"}"
}

fn percent(plain: &str) -> String {
    let mut out = String::new();
    for &byte in plain.as_bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").expect("a string");
        }
    }
    out
}

fn unpercent(shown: &str) -> String {
    let mut out = Vec::new();
    let mut rest = shown.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).and_then(|code| {
            let code = std::str::from_utf8(code).ok()?;
            u8::from_str_radix(code, 16).ok()
        });
        match code {
            Some(code) if *first == b'%' => {
                out.push(code);
                rest = &after[2..];
            }
            _ => {
                out.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(plain: &str) -> String {
    let mut out = String::new();
    for chunk in plain.as_bytes().chunks(3) {
        let byte = |index: usize| usize::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for index in 0..4 {
            let letter = BASE64[bits >> (18 - 6 * index) & 63];
            let filler = index > chunk.len();
            out.push(if filler { '=' } else { char::from(letter) });
        }
    }
    out
}

fn unbase64(shown: &str) -> String {
    let mut out = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for byte in shown.bytes().filter(|&byte| byte != b'=') {
        let Some(value) = BASE64.iter().position(|&letter| letter == byte) else {
            return shown.to_owned();
        };
        bits = bits << 6 | u32::try_from(value).expect("6 bits");
        count += 6;
        if count >= 8 {
            count -= 8;
            out.extend(u8::try_from(bits >> count & 255));
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The secrets of a half that a way of writing lets through, and how many there are.
fn shown(half: char, encoding: &Encoding) -> (Vec<String>, usize) {
    let mut shown = Vec::new();
    let mut count = 0;
    for line in lines(SECRETS, half) {
        count += 1;
        let plain = line.replace('¦', "");
        let written = (encoding.write)(&plain);
        let leaks = |out: &str| {
            let read = (encoding.read)(out);
            line.split('¦')
                .skip(1)
                .step_by(2)
                .any(|secret| read.contains(secret))
        };
        let out = text(&written);
        if leaks(&out) || leaks(&json_text(&written)) {
            shown.push(format!("{plain}\n      {out}"));
        } else {
            assert_eq!(text(&out), out, "not stable");
            assert!(is_secret(&written), "{written}");
        }
    }
    (shown, count)
}

/// The false friends of a half that are changed, and how many there are.
fn changed(half: char, encoding: &Encoding) -> (Vec<String>, usize) {
    let mut changed = Vec::new();
    let mut count = 0;
    for plain in lines(FRIENDS, half) {
        count += 1;
        let written = (encoding.write)(&plain);
        for out in [text(&written), json_text(&written)] {
            if out != written {
                changed.push(format!("{plain}\n      {out}"));
                break;
            }
        }
    }
    (changed, count)
}

type Measure = fn(char, &Encoding) -> (Vec<String>, usize);

/// Counts a half in every encoding and says what failed, as far as it may be looked at.
fn figures(half: char, what: &str, measure: Measure) -> Vec<usize> {
    let mut failed = Vec::new();
    for encoding in ENCODINGS {
        let (failures, count) = measure(half, encoding);
        assert!(count > 100, "only {count} lines");
        let name = encoding.name;
        println!(
            "count: half {half}, {name}: {} of {count} {what}",
            count - failures.len()
        );
        if half == '1' {
            for failure in &failures {
                println!("    {failure}");
            }
        }
        failed.push(failures.len());
    }
    failed
}

#[test]
fn first_half_of_the_secrets() {
    let failed = figures('1', "secrets hidden", shown);
    assert!(failed.iter().all(|count| *count <= 1), "{failed:?}");
}

#[test]
fn second_half_of_the_secrets() {
    let failed = figures('2', "secrets hidden", shown);
    assert!(failed.iter().all(|count| *count <= 8), "{failed:?}");
}

#[test]
fn first_half_of_the_friends() {
    let failed = figures('1', "false friends kept", changed);
    assert!(failed.iter().all(|count| *count <= 1), "{failed:?}");
}

#[test]
fn second_half_of_the_friends() {
    let failed = figures('2', "false friends kept", changed);
    assert!(failed.iter().all(|count| *count <= 1), "{failed:?}");
}
