//! A calendar day, as far as expiry dates need one.

use std::fmt;
use std::str::FromStr;

/// A day such as `2026-03-31`.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// The day that many days after 1970-01-01.
    ///
    /// ```
    /// use aon_lint::Date;
    ///
    /// assert_eq!(Date::from_days(0).to_string(), "1970-01-01");
    /// assert_eq!(Date::from_days(20_593).to_string(), "2026-05-20");
    /// ```
    pub fn from_days(days: u32) -> Date {
        let (mut year, mut left) = (1970_u16, days);
        while left >= year_length(year) {
            left -= year_length(year);
            year = year.saturating_add(1);
            if year == u16::MAX {
                break;
            }
        }
        let mut month = 1_u8;
        while month < 12 && left >= month_length(year, month) {
            left -= month_length(year, month);
            month += 1;
        }
        Date {
            year,
            month,
            day: u8::try_from(left + 1).unwrap_or(31),
        }
    }
}

impl FromStr for Date {
    type Err = InvalidDate;

    fn from_str(text: &str) -> Result<Date, InvalidDate> {
        let invalid = || InvalidDate {
            given: text.to_owned(),
        };
        let mut parts = text.split('-');
        let mut number = |width: usize| {
            let part = parts.next().filter(|part| part.len() == width)?;
            part.bytes()
                .all(|b| b.is_ascii_digit())
                .then(|| part.parse::<u16>().ok())
                .flatten()
        };
        let (year, month, day) = (number(4), number(2), number(2));
        let (Some(year), Some(month), Some(day), None) = (year, month, day, parts.next()) else {
            return Err(invalid());
        };
        let narrow = |value: u16| u8::try_from(value).unwrap_or(0);
        let (month, day) = (narrow(month), narrow(day));
        let fits =
            (1..=12).contains(&month) && day >= 1 && u32::from(day) <= month_length(year, month);
        if fits {
            Ok(Date { year, month, day })
        } else {
            Err(invalid())
        }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// A text that is not a day.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidDate {
    given: String,
}

impl fmt::Display for InvalidDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a date such as 2026-03-31", self.given)
    }
}

impl std::error::Error for InvalidDate {}

fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn year_length(year: u16) -> u32 {
    if is_leap(year) { 366 } else { 365 }
}

fn month_length(year: u16, month: u8) -> u32 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_and_counted() {
        let date: Date = "2024-02-29".parse().unwrap();
        assert_eq!(date.to_string(), "2024-02-29");
        assert!("2023-02-29".parse::<Date>().is_err());
        assert!("2023-2-9".parse::<Date>().is_err());
        assert!("soon".parse::<Date>().is_err());
        assert!("2023-02-09-01".parse::<Date>().is_err());
        assert_eq!(Date::from_days(19_782), "2024-02-29".parse().unwrap());
        assert!(Date::from_days(19_783) > date);
    }
}
