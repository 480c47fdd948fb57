//! The maturity score (contract Q): five dimensions, 0 to 4 or N/A, derived from manifests alone.
//!
//! The rubric is a table, [`table::RUBRIC`]: one line for each level, each with the predicate that decides it. A level holds
//! when its line and all lines under it hold. Beside it stands a [`Decimal`]: the share of each line that holds, added up, so
//! that almost all does not look like nothing. What a line asks is what the rules ask: it calls the same functions, or looks
//! at what they report. Every score carries what held and the first thing that is missing, with its
//! place and the rule that would report it.
//!
//! Documents that describe one API are scored together, so that an OpenAPI file, a tool list and an agent card can add up to
//! parity; [`Join`] says which belong together.

mod advice;
mod blame;
mod card;
mod choices;
mod compare;
mod corpus;
mod d1;
mod d2;
mod d3;
mod d4;
mod d5;
mod decimal;
mod diagnosis;
mod evidence;
mod explain;
mod group;
mod join;
mod next;
pub mod report;
mod resolve;
mod table;
mod words;

pub use card::{ApiScore, Score, Scores};
pub use compare::{Comparison, Earlier, InvalidReport, Movement, compare};
pub use corpus::{Corpus, Distribution, Distributions, Gap, Pattern, Report, Unread};
pub use decimal::Decimal;
pub use evidence::{Held, LineScore, Missing, Step};
pub use explain::explain;
pub use group::{score, score_briefly, score_together};
pub use join::{InvalidGroups, Join, Set, Ticket, score_documents};
pub use next::{NextStep, next_steps};
pub use table::{Dimension, InvalidDimension, Line, RUBRIC, THRESHOLD, TOP, WEIGHTS, line};
