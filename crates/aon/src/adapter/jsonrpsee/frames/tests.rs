use super::*;

fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = text(payload);
    frame[0] = first;
    frame
}

/// Replaces texts that say `bad`.
fn replace(payload: &[u8]) -> Option<Vec<u8>> {
    (payload == b"bad").then(|| b"a problem, and longer than what it stands for".repeat(4))
}

/// Writes all bytes in pieces, to a client that takes a few at a time.
fn through(bytes: &[u8], piece: impl Fn(usize) -> usize, most: impl Fn(usize) -> usize) -> Vec<u8> {
    let mut frames = Frames::default();
    let mut out = Vec::new();
    let mut at = 0;
    let mut turn = 0;
    while at < bytes.len() {
        turn += 1;
        let end = bytes.len().min(at + piece(turn).max(1));
        match frames.next(&bytes[at..end], replace) {
            Next::Send(count) => {
                assert!(count > 0, "nothing moves at {at}");
                let sent = count.min(most(turn).max(1));
                out.extend_from_slice(&bytes[at..at + sent]);
                frames.sent(sent);
                at += sent;
            }
            Next::Taken(count, sent) => {
                assert!(count > 0, "nothing moves at {at}");
                out.extend_from_slice(&sent.unwrap_or_default());
                at += count;
            }
        }
        assert!(frames.held.len() <= LONGEST + 4);
    }
    out.extend_from_slice(&frames.rest());
    out
}

#[test]
fn heads_of_every_length_are_read() {
    for (length, head) in [
        (0, 2),
        (125, 2),
        (126, 4),
        (65_535, 4),
        (65_536, 10),
        (70_000, 10),
    ] {
        let frame = text(&vec![b'x'; length]);
        assert_eq!(frame.len(), head + length);
        let told = if length <= LONGEST {
            Look::Text(head, head + length)
        } else {
            Look::Passes((head + length) as u64)
        };
        assert_eq!(look(&frame), told, "{length}");
        for cut in 0..head {
            assert!(matches!(look(&frame[..cut]), Look::Needs(more) if more <= head - cut));
        }
    }
    let endless = [0x82, 127, 255, 255, 255, 255, 255, 255, 255, 255];
    assert_eq!(look(&endless), Look::Passes(u64::MAX));
}

#[test]
fn only_whole_plain_short_texts_are_looked_into() {
    // Fragments, continuations, binary, control frames, extension bits: all of them pass.
    for first in [0x01, 0x80, 0x00, 0x82, 0x88, 0x89, 0x8a, 0xc1, 0xa1, 0x91] {
        let bytes = frame(first, b"bad");
        assert_eq!(look(&bytes), Look::Passes(5), "{first:#x}");
        assert_eq!(through(&bytes, |_| 9, |_| 9), bytes, "{first:#x}");
    }
    let masked = [0x81, 0x83, 0, 0, 0, 0, b'b', b'a', b'd'];
    assert_eq!(look(&masked), Look::Passes(9));
    let long = frame(TEXT, &vec![b'x'; LONGEST + 1]);
    assert_eq!(look(&long), Look::Passes(long.len() as u64));
}

#[test]
fn however_the_bytes_are_cut_the_frames_are_the_same() {
    let parts = [
        frame(TEXT, b"good"),
        frame(TEXT, b"bad"),
        frame(0x89, b""),
        frame(TEXT, &[b'y'; 126]),
        frame(TEXT, b"bad"),
        frame(TEXT, b"bad"),
        frame(0x01, b"bad"),
        frame(0x8a, b"bad"),
        frame(0x80, b"bad"),
        frame(TEXT, b""),
        frame(TEXT, &vec![b'z'; LONGEST]),
        frame(TEXT, &vec![b'z'; LONGEST + 1]),
        frame(TEXT, &vec![b'w'; 70_000]),
        frame(TEXT, b"bad"),
        frame(0x88, &[3, 232]),
    ];
    let written = parts.concat();
    let bad = frame(TEXT, b"bad");
    let expected: Vec<u8> = parts
        .iter()
        .flat_map(|part| match replace(b"bad") {
            Some(problem) if *part == bad => text(&problem),
            _ => part.clone(),
        })
        .collect();
    for piece in [1, 2, 3, 5, 7, 11, 126, 4096, 8192, 100_000] {
        for most in [1, 4, 1000, 100_000] {
            let out = through(&written, |_| piece, |_| most);
            assert!(out == expected, "cut by {piece}, sent by {most}");
        }
    }
    for seed in 1..200_usize {
        let any =
            |turn: usize, salt: usize| (turn * 7919 + seed * 104_729 + salt) % 97 * seed % 613;
        let out = through(&written, |turn| any(turn, 1), |turn| any(turn, 5));
        assert!(out == expected, "seed {seed}");
    }
}

#[test]
fn what_ends_early_is_not_lost() {
    let half = &text(b"bad")[..4];
    assert_eq!(through(half, |_| 1, |_| 1), half);
}
