//! Milliseconds since 1970 as people write them, in UTC.

const DAY: u64 = 86_400_000;

/// The time as `2026-03-01T12:30:00.250Z`.
#[must_use]
pub fn iso(time: u64) -> String {
    let (year, month, day) = date(time / DAY);
    let rest = time % DAY;
    let (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60);
    let milli = rest % 1000;
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// Year, month and day of so many days after 1970.
///
/// Years begin in March here, so that the odd day comes last; after Howard Hinnant's
/// "chrono-compatible low-level date algorithms".
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::iso;

    #[test]
    fn days_are_named_as_the_calendar_does() {
        assert_eq!(iso(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(iso(1_709_251_199_999), "2024-02-29T23:59:59.999Z");
        assert_eq!(iso(4_102_444_800_000), "2100-01-01T00:00:00.000Z");
        assert!(iso(u64::MAX).ends_with('Z'));
    }
}
