//! The readers of streams and the machine behind them: bytes read the same wherever they are split, and whatever comes, there
//! is at most one outcome and no event is shown twice.
#![no_main]

use std::time::Duration;

use aon_live::client::{Follow, Input, Item, Output, Reader, Received, Rules};
use libfuzzer_sys::fuzz_target;

const LIMIT: usize = 256;

fn items(media: &str, pieces: &[&[u8]]) -> Vec<String> {
    let mut seen = Vec::new();
    // An empty line may be told twice when it is split; what it stands for is the same.
    let mut note = |item: Item<'_>| if item != Item::Alive { seen.push(format!("{item:?}")) };
    let mut reader = Reader::of(media, LIMIT).expect("a reader");
    for piece in pieces {
        reader.feed(piece, &mut note);
    }
    reader.finish(&mut note);
    seen
}

fuzz_target!(|input: (u8, Vec<u8>)| {
    let (at, bytes) = input;
    let (head, tail) = bytes.split_at(usize::from(at).min(bytes.len()));
    for media in ["application/x-ndjson", "text/event-stream"] {
        let whole = items(media, &[&bytes]);
        assert_eq!(items(media, &[head, tail]), whole);
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(items(media, &single), whole);

        let mut follow = Follow::call(Rules::default(), Duration::ZERO);
        follow.handle(Duration::ZERO, 0.5, Input::Opened);
        let mut reader = Reader::of(media, LIMIT).expect("a reader");
        reader.feed(&bytes, |item| {
            if let Item::Event { json, id, name } = item {
                let input = Received::read(json, id, name).map_or_else(Input::Bad, Input::Event);
                follow.handle(Duration::from_millis(1), 0.5, input);
            }
        });
        follow.handle(Duration::from_millis(2), 0.5, Input::Lost(String::new()));
        let (mut ends, mut last) = (0, (None, 0));
        while let Some(output) = follow.poll() {
            match output {
                Output::End(_) => ends += 1,
                Output::Show(event) => {
                    assert_eq!(ends, 0, "nothing comes after the end");
                    if let Some(seq) = event.seq() {
                        let epoch = event.epoch().map(str::to_owned);
                        assert!(seq > last.1 || (epoch.is_some() && epoch != last.0), "{seq} after {last:?}");
                        last = (epoch.or(last.0), seq);
                    }
                }
                _ => {}
            }
        }
        assert!(ends <= 1);
    }
});
