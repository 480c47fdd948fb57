//! What is generated: equal to the golden files, the same whatever the order of the input, and accepted by the real compilers.
//!
//! A case is a folder with a `manifest.*`; the folder of a target in it holds what comes out. `AON_BLESS=1` writes them.

mod answers;
mod build;
mod cases;
mod corpus;
mod recovery;
mod refusals;
mod requests;
mod round_trip;
mod same;
mod three_surface;
mod values;
