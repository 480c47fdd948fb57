//! The redactor: no input makes it fail, and doing it twice changes nothing.
#![no_main]

use aon_core::redact;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let once = redact::text(text).into_owned();
    assert_eq!(redact::text(&once), once);
    let json = redact::json_text(text).into_owned();
    assert_eq!(redact::json_text(&json), json);
});
