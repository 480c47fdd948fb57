//! How far a dimension is, between and beside the levels.

use std::fmt;
use std::ops::Add;

use serde::{Serialize, Serializer};

/// A number of hundredths, rounded down, so that nothing looks complete that is not.
///
/// As the score of a dimension it goes from 0.0 to 4.0: for each line of the rubric the share of what is measured that holds
/// it, added up. A line that holds counts 1, so the decimal is never under the level.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Decimal(u16);

impl Decimal {
    /// One whole.
    pub(super) const ONE: Decimal = Decimal(100);

    /// The most that a line has which does not hold.
    pub(super) const ALMOST: Decimal = Decimal(99);

    /// The share that `part` is of `whole`; nothing when there is no whole.
    pub(super) fn share(part: usize, whole: usize) -> Decimal {
        let hundredths = (part.min(whole) * 100).checked_div(whole).unwrap_or(0);
        Decimal(u16::try_from(hundredths).unwrap_or(100))
    }

    /// The mean of several; none when there are none.
    pub(super) fn mean(all: impl Iterator<Item = Decimal>) -> Option<Decimal> {
        let (mut sum, mut count) = (0_u32, 0_u32);
        for one in all {
            sum += u32::from(one.0);
            count += 1;
        }
        let mean = sum.checked_div(count)?;
        Some(Decimal(u16::try_from(mean).unwrap_or(u16::MAX)))
    }

    /// Reads a number of a report.
    pub(super) fn from_number(number: f64) -> Option<Decimal> {
        let text = format!("{number:.2}");
        let (whole, rest) = text.split_once('.')?;
        let hundredths = whole.parse::<u16>().ok()?.checked_mul(100)?;
        Some(Decimal(hundredths.checked_add(rest.parse().ok()?)?))
    }

    /// With two digits, for small steps: `2.49`.
    pub fn precise(self) -> String {
        format!("{}.{:02}", self.0 / 100, self.0 % 100)
    }

    /// In hundredths: 249 for 2.49.
    pub fn hundredths(self) -> u16 {
        self.0
    }
}

impl Add for Decimal {
    type Output = Decimal;

    fn add(self, other: Decimal) -> Decimal {
        Decimal(self.0.saturating_add(other.0))
    }
}

/// With one digit, rounded down: `2.4`.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0 / 100, self.0 % 100 / 10)
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(f64::from(self.0) / 100.0)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Decimal {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Decimal".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "number", "minimum": 0, "maximum": 4})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn almost_all_is_not_all() {
        assert_eq!(Decimal::share(761, 763).to_string(), "0.9");
        assert_eq!(Decimal::share(763, 763), Decimal::ONE);
        assert_eq!(Decimal::share(0, 0).hundredths(), 0);
        assert_eq!((Decimal(199) + Decimal(50)).to_string(), "2.4");
    }

    #[test]
    fn a_number_of_a_report_is_read_back() {
        for hundredths in [0, 5, 99, 100, 249, 400] {
            let decimal = Decimal(hundredths);
            let text = serde_json::to_string(&decimal).unwrap();
            assert_eq!(Decimal::from_number(text.parse().unwrap()), Some(decimal));
        }
        assert_eq!(Decimal::from_number(-1.0), None);
        assert_eq!(Decimal::from_number(f64::NAN), None);
    }
}
