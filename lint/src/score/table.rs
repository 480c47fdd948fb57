//! The rubric, as the contract states it (Q1). Everything that can be tuned stands here.

use std::fmt;
use std::str::FromStr;

use super::evidence::Tally;
use super::group::Group;
use super::{d1, d2, d3, d4, d5};

/// The highest level.
pub const TOP: u8 = 4;

/// The level every applicable dimension must reach.
pub const THRESHOLD: u8 = 3;

/// How much a level of each dimension counts towards the points of an API.
pub const WEIGHTS: [usize; 5] = [1, 1, 1, 1, 1];

macro_rules! dimensions {
    ($($(#[$doc:meta])* $variant:ident = $name:literal $title:literal $zero:literal $applies:path,)*) => {
        /// What is scored.
        #[expect(clippy::exhaustive_enums, reason = "the contract names exactly five")]
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum Dimension { $($(#[$doc])* $variant,)* }

        impl Dimension {
            /// All dimensions, in order.
            pub const ALL: &'static [Dimension] = &[$(Dimension::$variant,)*];

            /// The short name, such as `D1`.
            pub const fn name(self) -> &'static str {
                match self { $(Dimension::$variant => $name,)* }
            }

            /// What it is about, in a word or two.
            pub const fn title(self) -> &'static str {
                match self { $(Dimension::$variant => $title,)* }
            }

            /// What level 0 says.
            pub const fn zero(self) -> &'static str {
                match self { $(Dimension::$variant => $zero,)* }
            }

            /// Why there is nothing to measure, when there is nothing.
            pub(super) fn not_applicable(self, group: &Group<'_>) -> Option<String> {
                match self { $(Dimension::$variant => $applies(group),)* }
            }
        }

        impl FromStr for Dimension {
            type Err = InvalidDimension;

            fn from_str(text: &str) -> Result<Dimension, InvalidDimension> {
                $(if text.eq_ignore_ascii_case($name) || text.eq_ignore_ascii_case($title) {
                    return Ok(Dimension::$variant);
                })*
                Err(InvalidDimension { given: text.to_owned() })
            }
        }
    };
}

dimensions! {
    /// Can a caller find the valid values without guessing?
    D1 = "D1" "choices" "a constrained parameter must be guessed" d1::nothing_to_choose,
    /// Can a caller tell failures apart?
    D2 = "D2" "clarity" "no or generic errors" d2::always,
    /// Does a failure say what to do next?
    D3 = "D3" "remediation" "no remediation" d3::always,
    /// Can the platform put it right?
    D4 = "D4" "auto-fix" "observes only" d4::nothing_to_fix,
    /// Do all surfaces say the same?
    D5 = "D5" "parity" "one surface" d5::nothing_public,
}

/// One line of the rubric: a level of a dimension, and what decides it.
#[non_exhaustive]
#[derive(Debug)]
pub struct Line {
    /// The dimension.
    pub dimension: Dimension,
    /// The level, 1 to 4.
    pub level: u8,
    /// What the rubric says.
    pub says: &'static str,
    /// What is counted, for evidence: "4 of 4 …".
    pub counts: &'static str,
    pub(super) check: for<'a> fn(&Group<'a>) -> Tally<'a>,
}

macro_rules! rubric {
    ($($dimension:ident { $($level:literal $says:literal, counting $counts:literal => $check:path;)* })*) => {
        /// The twenty lines above level 0.
        pub static RUBRIC: &[Line] = &[$($(Line {
            dimension: Dimension::$dimension,
            level: $level,
            says: $says,
            counts: $counts,
            check: $check,
        },)*)*];
    };
}

rubric! {
    D1 {
        1 "every set is at least named in prose", counting "constrained inputs name their values" => d1::named_in_prose;
        2 "every one has a carrier", counting "constrained inputs have a carrier" => d1::has_carrier;
        3 "bounded and defaulted: carriers well-formed, `choices_endpoint` resolves, optional ones have a default inside the set",
            counting "constrained inputs are bounded, and required or defaulted" => d1::bounded_and_defaulted;
        4 "exposed on an agent surface and tied to recovery: a wrong value's error names `valid_values`",
            counting "constrained inputs are on an agent surface and named by an error" => d1::tied_to_recovery;
    }
    D2 {
        1 "failure statuses are listed", counting "operations that can fail say how" => d2::statuses_listed;
        2 "structured: every 4xx is problem+json", counting "client errors (4xx, `default`) are problem documents" => d2::structured;
        3 "discriminated: every 4xx and 5xx has its own code and type", counting "errors have a code and type of their own" => d2::discriminated;
        4 "typed: error bodies have schemas or examples, validation outcomes are layered per field",
            counting "errors have a typed body, those of validation per field" => d2::typed;
    }
    D3 {
        1 "prose or docs link", counting "client errors (4xx, `default`) say what to do or link to it" => d3::advice;
        2 "a remediation type on every 4xx (own or default)", counting "client errors (4xx, `default`) have a remediation type" => d3::remediation_type;
        3 "`next_action` on every variant, or an honest `none`", counting "errors have a next action or an honest `none`" => d3::next_action;
        4 "closed: every `next_action` resolves to an operation here and the result can be verified",
            counting "next actions resolve and can be verified" => d3::closed;
    }
    D4 {
        1 "shows a corrected example", counting "errors show a corrected request" => d4::corrected_example;
        2 "a diagnosis operation or corrected arguments exist", counting "operations or errors diagnose or correct" => d4::diagnosis;
        3 "a bounded corrective action is exposed and resolves", counting "promised fixes lead to an operation" => d4::corrective_action;
        4 "diagnose → apply → verify are all operations", counting "fixes are diagnosed, applied and verified by operations" => d4::whole_loop;
    }
    D5 {
        1 "two surfaces", counting "surfaces" => d5::two_surfaces;
        2 "REST, MCP and A2A, for some operations", counting "machine surfaces" => d5::three_surfaces;
        3 "all three surfaces for every public operation, derived from one source", counting "public operations are on REST, MCP and A2A" => d5::every_operation;
        4 "four surfaces, the human one included, names and content equal", counting "public operations are documented and the same on all surfaces" => d5::four_equal;
    }
}

/// The line of a level; none for level 0 and above the top.
pub fn line(dimension: Dimension, level: u8) -> Option<&'static Line> {
    RUBRIC
        .iter()
        .find(|line| line.dimension == dimension && line.level == level)
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is not a dimension.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidDimension {
    given: String,
}

impl fmt::Display for InvalidDimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a dimension; the dimensions are", self.given)?;
        for dimension in Dimension::ALL {
            write!(f, " {dimension} ({})", dimension.title())?;
        }
        Ok(())
    }
}

impl std::error::Error for InvalidDimension {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rubric_has_every_level_once_and_in_order() {
        let levels: Vec<_> = RUBRIC
            .iter()
            .map(|line| (line.dimension, line.level))
            .collect();
        let wanted: Vec<_> = Dimension::ALL
            .iter()
            .flat_map(|dimension| (1..=TOP).map(move |level| (*dimension, level)))
            .collect();
        assert_eq!(levels, wanted);
        assert_eq!(WEIGHTS.len(), Dimension::ALL.len());
    }

    #[test]
    fn dimensions_parse_by_name_and_by_title() {
        for dimension in Dimension::ALL {
            assert_eq!(dimension.name().parse(), Ok(*dimension));
            assert_eq!(dimension.title().parse(), Ok(*dimension));
        }
        assert!("D9".parse::<Dimension>().is_err());
    }
}
