//! Times as A2A writes them: ISO 8601, UTC, milliseconds.

const DAY: u64 = 86_400_000;
/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: u64 = 719_468;

/// Unix milliseconds as text.
pub(super) fn write(ms: u64) -> String {
    let (days, rest) = (ms / DAY + EPOCH, ms % DAY);
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
    let (second, milli) = (rest / 1000 % 60, rest % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// Text as unix milliseconds: `2025-10-28T10:30:00Z`, with any number of digits of a fraction and with or without an offset.
pub fn read(text: &str) -> Option<u64> {
    let (date, clock) = text.split_once(['T', 't', ' '])?;
    let mut date = date.splitn(3, '-').map(number);
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let at = clock.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = clock.split_at(at);
    let (whole, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let mut whole = whole.splitn(3, ':').map(number);
    let (hour, minute, second) = (whole.next()??, whole.next()??, whole.next()??);
    let fits = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=days_of(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 61;
    if !fits
        || fraction.is_empty()
        || fraction.len() > 9
        || !fraction.bytes().all(|b| b.is_ascii_digit())
    {
        return None;
    }
    let milli = number(format!("{fraction:0<3}").get(..3)?)?;
    let shift = match zone {
        "Z" | "z" => 0,
        zone => {
            let (hours, minutes) = zone.get(1..)?.split_once(':')?;
            let minutes = number(hours)? * 60 + number(minutes)?;
            let minutes = i64::try_from(minutes)
                .ok()
                .filter(|minutes| *minutes < 24 * 60)?;
            if zone.starts_with('+') {
                -minutes
            } else {
                minutes
            }
        }
    };
    let from_march = if month > 2 { year } else { year - 1 };
    let (era, of_era) = (from_march / 400, from_march % 400);
    let shifted = if month > 2 { month - 3 } else { month + 9 };
    let of_year = (153 * shifted + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - EPOCH;
    let ms = days * DAY + hour * 3_600_000 + minute * 60_000 + second * 1000 + milli;
    ms.checked_add_signed(shift * 60_000)
}

fn number(text: &str) -> Option<u64> {
    let digits =
        !text.is_empty() && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

const fn days_of(year: u64, month: u64) -> u64 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_go_there_and_back() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_123, "2000-02-29T00:00:00.123Z"),
            (1_761_647_400_000, "2025-10-28T10:30:00.000Z"),
            (4_102_444_799_999, "2099-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(write(ms), text);
            assert_eq!(read(text), Some(ms));
        }
        for step in 0..20_000_u64 {
            let ms = step * 97_654_321;
            assert_eq!(read(&write(ms)), Some(ms), "{}", write(ms));
        }
        assert_eq!(read("2025-10-28T10:30:00Z"), Some(1_761_647_400_000));
        assert_eq!(read("2025-10-28T12:30:00.5+02:00"), Some(1_761_647_400_500));
        for bad in [
            "",
            "now",
            "2025-13-01T00:00:00Z",
            "2025-02-29T00:00:00Z",
            "2025-01-01",
            "2025-01-01T25:00:00Z",
            "1700000000",
            "2025-01-01T00:00:00",
            "2025-01-01T00:00:00.Z",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
