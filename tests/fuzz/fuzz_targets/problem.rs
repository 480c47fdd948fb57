//! The lenient reader: whatever it keeps is written the same twice.
#![no_main]

use aon_core::ProblemDetails;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(read) = ProblemDetails::read(bytes) {
        let written = read.problem.to_vec();
        let again = ProblemDetails::read(&written).expect("what was written is read");
        assert!(again.ignored.is_empty(), "{:?}", again.ignored);
        assert_eq!(again.problem.to_vec(), written);
    }
});
