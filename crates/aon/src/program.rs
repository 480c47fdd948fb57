//! What holds for the whole program.

use std::sync::OnceLock;

use aon_core::Namespace;

/// The namespace of the program, as [`namespace!`](crate::namespace!) says it; `pspace` if nobody does.
///
/// The binary's own word counts most, then that of the packages it was built from, then that of the packages it uses. What the
/// edges answer by themselves lives in it, and so do the types of a crate that says none: such a library need not know the programs
/// it is used in. A layer or a server may say another one for its own routes.
pub fn program_namespace() -> &'static Namespace {
    static PROGRAM: OnceLock<Namespace> = OnceLock::new();
    PROGRAM.get_or_init(said)
}

#[cfg(any(feature = "catalog", feature = "http"))]
fn said() -> Namespace {
    let all = crate::__private::NAMESPACES.iter();
    aon_core::catalog::section::of_program(all.map(|said| (said.prefix, said.urn, said.rank)))
}

// Without an edge there is nothing that the program answers by itself.
#[cfg(not(any(feature = "catalog", feature = "http")))]
fn said() -> Namespace {
    Namespace::DEFAULT
}
