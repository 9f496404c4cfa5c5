//! Moments as people and programs write them: RFC 3339, in UTC, with milliseconds.

use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, SecondsFormat, Utc};
use gateway::service::Moment;

/// A moment as text.
pub(crate) fn text(moment: Moment) -> String {
    let time = DateTime::<Utc>::from_timestamp_millis(moment.0).unwrap_or_default();
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// A moment of the system's clock as text.
pub(crate) fn of_system(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    text(Moment(i64::try_from(since.as_millis()).unwrap_or_default()))
}

/// A moment that somebody wrote.
pub(crate) struct Written(pub(crate) Moment);

impl std::str::FromStr for Written {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        // In an address, an unescaped `+` stands for a blank.
        let read = DateTime::parse_from_rfc3339(given)
            .or_else(|_| DateTime::parse_from_rfc3339(&given.replace(' ', "+")));
        let read = read.map_err(|error| format!("{error}; write it as 2026-01-31T12:00:00Z"))?;
        Ok(Self(Moment(read.timestamp_millis())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_and_read() {
        let moment = Moment(1_767_225_600_007);
        assert_eq!(text(moment), "2026-01-01T00:00:00.007Z");
        for same in ["2026-01-01T00:00:00.007Z", "2026-01-01T01:00:00.007 01:00"] {
            assert_eq!(same.parse::<Written>().unwrap().0, moment);
        }
        assert!("yesterday".parse::<Written>().is_err());
    }
}
