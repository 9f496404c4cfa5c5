//! The earliest and the latest of ISO dates and times.

/// Seconds of a day.
const DAY: i64 = 86_400;

/// When something is: seconds since 1970 in UTC, and nanoseconds.
type Moment = (i64, u32);

/// What is known of the texts seen so far.
#[derive(Debug, Default)]
pub(crate) enum Times {
    /// There was none.
    #[default]
    Unknown,
    /// All of them are times; these are the outermost, as written.
    Between([(Moment, String); 2]),
    /// Some are no times.
    Others,
}

impl Times {
    /// Adds a text, with its quotes.
    pub(crate) fn add(&mut self, written: &str) {
        if matches!(self, Self::Others) {
            return;
        }
        let text = written.trim_matches('"');
        let Some(when) = moment(text) else {
            *self = Self::Others;
            return;
        };
        match self {
            Self::Between([earliest, latest]) => {
                if when < earliest.0 {
                    earliest.0 = when;
                    text.clone_into(&mut earliest.1);
                } else if when > latest.0 {
                    latest.0 = when;
                    text.clone_into(&mut latest.1);
                }
            }
            _ => *self = Self::Between([(when, text.to_owned()), (when, text.to_owned())]),
        }
    }

    /// The earliest and the latest, if all of them are times.
    pub(crate) fn ends(self) -> Option<[String; 2]> {
        match self {
            Self::Between(ends) => Some(ends.map(|(_, text)| text)),
            Self::Unknown | Self::Others => None,
        }
    }
}

/// The time that a text is, if it is one. Without a zone it is in UTC, and a date is its midnight.
fn moment(text: &str) -> Option<Moment> {
    let mut rest = Reading(text.as_bytes());
    let day = rest.day()?;
    if rest.0.is_empty() {
        return Some((day * DAY, 0));
    }
    if !rest.passes(b'T') && !rest.passes(b' ') {
        return None;
    }
    let (seconds, nanos) = rest.clock()?;
    let ahead = rest.zone()?;
    rest.0.is_empty().then_some((day * DAY + seconds - ahead, nanos))
}

/// What is left of a text that is read.
struct Reading<'a>(&'a [u8]);

impl Reading<'_> {
    /// Whether this is next, which then is passed.
    fn passes(&mut self, mark: u8) -> bool {
        let rest = self.0.strip_prefix(&[mark]);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// A number of so many digits.
    fn number(&mut self, digits: usize) -> Option<i64> {
        let (written, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        written.iter().try_fold(0, |sum, byte| {
            byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0'))
        })
    }

    /// One of two digits, below another.
    fn below(&mut self, limit: i64) -> Option<i64> {
        self.number(2).filter(|number| *number < limit)
    }

    /// A date, as days since 1970.
    fn day(&mut self) -> Option<i64> {
        let year = self.number(4)?;
        let month = self.passes(b'-').then(|| self.below(13))??;
        let day = self.passes(b'-').then(|| self.below(32))??;
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let longest = match month {
            0 => return None,
            2 => 28 + i64::from(is_leap),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        (1..=longest).contains(&day).then(|| days_since_1970(year, month, day))
    }

    /// A time of day: seconds since midnight, and nanoseconds.
    fn clock(&mut self) -> Option<Moment> {
        let mut seconds = self.below(24)? * 3600;
        let mut nanos = 0;
        if self.passes(b':') {
            seconds += self.below(60)? * 60;
            if self.passes(b':') {
                seconds += self.below(60)?;
                nanos = if self.passes(b'.') { self.fraction()? } else { 0 };
            }
        }
        Some((seconds, nanos))
    }

    /// The digits of a fraction, as nanoseconds.
    fn fraction(&mut self) -> Option<u32> {
        let length = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at(length);
        self.0 = rest;
        let padded = digits.iter().copied().chain(std::iter::repeat(b'0')).take(9);
        let nanos = padded.fold(0, |sum, byte| sum * 10 + u32::from(byte - b'0'));
        (length > 0).then_some(nanos)
    }

    /// How many seconds a zone is ahead of UTC.
    fn zone(&mut self) -> Option<i64> {
        if self.0.is_empty() || self.passes(b'Z') {
            return Some(0);
        }
        let sign = if self.passes(b'-') { -1 } else { self.passes(b'+').then_some(1)? };
        let hours = self.below(24)?;
        let has_minutes = self.passes(b':') || !self.0.is_empty();
        let minutes = if has_minutes { self.below(60)? } else { 0 };
        Some(sign * (hours * 3600 + minutes * 60))
    }
}

/// Counted in years from March, so that the day that some years have more is the last of one.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let months = (month + 9) % 12;
    let days = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    days + (153 * months + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_1970() {
        for (text, days) in [
            ("1970-01-01", 0),
            ("1969-12-31", -1),
            ("2000-02-29", 11_016),
            ("2000-03-01", 11_017),
            ("2024-12-31", 20_088),
            ("0001-01-01", -719_162),
            ("9999-12-31", 2_932_896),
        ] {
            assert_eq!(moment(text), Some((days * DAY, 0)), "{text}");
        }
    }

    #[test]
    fn a_time_is_read_in_its_zone() {
        let noon = (20_088 * DAY + 43_200, 0);
        for text in [
            "2024-12-31T12:00:00Z",
            "2024-12-31 12:00",
            "2024-12-31T12",
            "2024-12-31T21:00:00+09:00",
            "2024-12-31T06:30:00.000-0530",
            "2025-01-01T02:00+14",
        ] {
            assert_eq!(moment(text), Some(noon), "{text}");
        }
        assert_eq!(moment("1970-01-01T00:00:00.0255"), Some((0, 25_500_000)));
        assert_eq!(moment("1970-01-01T00:00:01.1234567899Z"), Some((1, 123_456_789)));
    }

    #[test]
    fn what_only_looks_like_a_time_is_none() {
        for text in [
            "",
            "2024",
            "2024-1-1",
            "2024-13-01",
            "2024-00-10",
            "2023-02-29",
            "2024-04-31",
            "2024-01-00",
            "2024-01-01T",
            "2024-01-01T24:00",
            "2024-01-01T10:60",
            "2024-01-01T10:00:00.",
            "2024-01-01T10:00:00X",
            "2024-01-01T10:00:00+",
            "2024-01-01T10:00:00Zx",
            "2024-01-01 lunch",
            "20é4-01-01",
            "+024-01-01",
        ] {
            assert_eq!(moment(text), None, "{text}");
        }
    }
}
