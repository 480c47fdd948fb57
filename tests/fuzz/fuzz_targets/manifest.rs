//! Every reader of manifests: whatever bytes come in, there is a model or a list of issues, in bounded time.
#![no_main]

use std::collections::BTreeMap;

use aon_manifest::{Document, Format, ReadOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let nothing: BTreeMap<String, String> = BTreeMap::new();
    for name in ["fuzz.json", "fuzz.yaml"] {
        for format in Format::ALL {
            let options = ReadOptions::default().with_format(*format);
            let document = Document::open(name, bytes, &options, &nothing);
            for api in document.apis() {
                assert!(api.inputs().len() <= bytes.len());
            }
        }
    }
});
