//! Files that hold what came out last time, read by a person when they change.

use std::path::Path;
use std::{env, fs};

/// Compares `actual` with the file; `AON_BLESS=1` writes it instead.
///
/// # Panics
///
/// When they differ, or the file is not there.
pub fn check(path: &Path, actual: &str) {
    if env::var_os("AON_BLESS").is_some() {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).expect("the folder of a golden file can be made");
        }
        fs::write(path, actual).expect("a golden file can be written");
        return;
    }
    let expected = fs::read_to_string(path).unwrap_or_else(|error| {
        panic!(
            "{}: {error}; run with AON_BLESS=1 to write it",
            path.display()
        )
    });
    assert!(
        expected == actual,
        "{} is not what came out (AON_BLESS=1 writes it)\n--- expected\n{expected}\n--- actual\n{actual}",
        path.display()
    );
}
