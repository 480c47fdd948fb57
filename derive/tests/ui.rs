//! Every mistake the macros refuse, with the words they refuse it with (D3). The cases stand in `tests/ui/derive`.
//!
//! `cargo test -p aon-derive --test ui` compares; with `TRYBUILD=overwrite` it writes the messages anew.

use std::path::Path;

#[test]
fn mistakes_are_refused_in_plain_words() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/ui/derive");
    let mut cases = 0;
    for file in folder.read_dir().unwrap() {
        let path = file.unwrap().path();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("rs") => cases += 1,
            Some("stderr") => assert!(
                path.with_extension("rs").exists(),
                "{} has no case",
                path.display()
            ),
            _ => panic!("{} is neither a case nor its messages", path.display()),
        }
    }
    assert!(cases > 0, "{} has no case", folder.display());
    let tests = trybuild::TestCases::new();
    tests.compile_fail("../tests/ui/derive/*.rs");
    println!("{cases} cases");
}
