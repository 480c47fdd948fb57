//! Entries are collected by the linker, and stand in the program's own section (D4).

use aon::catalog::{Catalog, Record, section};
use object::{Object, ObjectSection};

use crate::canonical::AuthError;

/// The records in the section of this very test program.
fn embedded() -> Vec<Record> {
    let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let file = object::File::parse(&*program).unwrap();
    let names = [section::NAME, section::NAME_MACHO, section::NAME_PE];
    let section = names
        .iter()
        .find_map(|name| file.section_by_name(name))
        .expect("the section");
    section::records(section.data().unwrap())
}

#[test]
fn the_program_carries_its_catalog() {
    let records = embedded();
    let catalog = Catalog::of::<AuthError>();
    assert_eq!(catalog.problems.len(), 4);
    for record in &catalog.problems {
        assert!(
            records.contains(record),
            "{record:?}\nis not among\n{records:#?}"
        );
    }
}

#[test]
fn what_is_embedded_equals_what_is_collected() {
    let all = aon::catalog::all();
    assert!(all.problems.len() > 30, "{}", all.problems.len());
    let records = embedded();
    for record in all
        .problems
        .iter()
        .filter(|record| record.origin.package == "aon-tests")
    {
        assert!(records.contains(record), "{record:?}");
    }
}

#[test]
fn codes_used_twice_are_found() {
    let all = aon::catalog::all();
    let duplicates: Vec<&str> = all.duplicates().into_iter().map(|(code, _)| code).collect();
    assert!(duplicates.contains(&"wrong_method"), "{duplicates:?}");
    assert_eq!(Catalog::of::<AuthError>().duplicates(), []);
}
