//! A module that shadows everything the prelude gives.
#![allow(
    dead_code,
    non_camel_case_types,
    reason = "the names are there to be in the way"
)]

struct Option;
struct Some;
struct None;
struct Result;
struct Ok;
struct Err;
struct String;
struct Vec;
struct Box;
struct str;
struct u8;
struct usize;
struct u16;
struct u64;
struct bool;
trait Into {}
trait From {}
trait IntoIterator {}
trait FnMut {}
trait Error {}
trait Problem {}
trait Choices {}
mod std {}
mod core {}
mod alloc {}
mod aon {}

macro_rules! vec {
    () => {};
}
macro_rules! write {
    () => {};
}
macro_rules! format_args {
    () => {};
}
macro_rules! concat {
    () => {};
}
vec![];
write! {}
format_args! {}
concat! {}

#[derive(Debug, Clone, Copy, ::aon::Choices)]
#[choice(schema)]
enum Colour {
    Red,
    /// Green.
    Green,
}

#[derive(Debug, ::aon::Problem)]
enum Shadowed {
    #[problem(
        status = 422,
        valid_values(colour = Colour, more = ["a"], n = [1]),
        pointer = "/x",
        retry_after = 3,
        remediation(switch_user, next_action(guide_xri = "g:x"), example_request(method = "GET", path = "/", headers("A" = "b"))),
    )]
    BadColour {
        #[problem(extension)]
        id: ::std::string::String,
        #[problem(valid_values)]
        words: ::std::vec::Vec<::std::string::String>,
    },
    #[problem(status = 429, detail = "wait for {what}")]
    Wait {
        #[problem(retry_after)]
        delay: ::std::option::Option<::std::time::Duration>,
        #[problem(public)]
        what: &'static ::std::primitive::str,
    },
    #[problem(status = 401)]
    Who(#[problem(challenge)] ::std::string::String),
    #[problem(transparent)]
    Inner(::aon::InvalidChoice),
}

impl ::std::fmt::Display for Shadowed {
    fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
        f.write_str("shadowed")
    }
}

impl ::std::error::Error for Shadowed {}

#[test]
fn shadowing_does_no_harm() {
    let wait = Shadowed::Wait {
        delay: ::std::option::Option::None,
        what: "it",
    };
    assert_eq!(
        ::aon::Problem::to_problem(&wait).detail(),
        ::std::option::Option::Some("wait for it")
    );
    let inner = Shadowed::Inner("rad".parse::<Colour>().unwrap_err());
    assert_eq!(
        ::aon::Problem::entry(&inner).unwrap().code,
        "invalid_choice"
    );
    assert_eq!(<Shadowed as ::aon::canary::Specimens>::specimens().len(), 4);
    assert_eq!(Colour::ALL.len(), 2);
}
