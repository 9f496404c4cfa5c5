//! Durations, sizes and ages, as people write and read them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// Reads `500ms`, `5s`, `2m`, `1h`; a number alone means seconds.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let seconds_per_unit = match unit {
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(not_a_duration(text)),
    };
    let number: f64 = number.parse().map_err(|_| not_a_duration(text))?;
    match Duration::try_from_secs_f64(number * seconds_per_unit) {
        Ok(duration) if duration >= Duration::from_millis(1) => Ok(duration),
        Ok(_) => Err(format!("{text:?} is too short: at least 1ms")),
        Err(_) => Err(not_a_duration(text)),
    }
}

fn not_a_duration(text: &str) -> String {
    format!("{text:?} is not a duration: write a number and a unit, such as 500ms, 5s or 2m")
}

/// Reads `256MB`, `1GiB`; a number alone means bytes. `MB` is 10^6 bytes, `MiB` 2^20.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let bytes_per_unit = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "kib" => KIB,
        "m" | "mb" => 1_000_000,
        "mib" => MIB,
        "g" | "gb" => 1_000_000_000,
        "gib" => GIB,
        _ => return Err(not_a_size(text)),
    };
    match (number.parse::<u64>(), number.parse::<f64>()) {
        (Ok(0), _) => Err(format!("{text:?} is too little: at least 1 byte")),
        (Ok(whole), _) => whole.checked_mul(bytes_per_unit).ok_or_else(|| not_a_size(text)),
        (Err(_), Ok(number)) if number > 0.0 && number < 1e9 => {
            Ok(fraction(number, bytes_per_unit))
        }
        _ => Err(not_a_size(text)),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "the number is positive and below 1e9, and nobody counts the last byte of 1.5GB"
)]
fn fraction(number: f64, bytes_per_unit: u64) -> u64 {
    ((number * bytes_per_unit as f64) as u64).max(1)
}

fn not_a_size(text: &str) -> String {
    format!("{text:?} is not a size: write a number and a unit, such as 256MB or 1GiB")
}

/// Reads `0.5`: cores' worth of CPU.
pub(crate) fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share.is_finite() && share >= 0.01 => Ok(share),
        _ => {
            Err(format!("{text:?} is not a share of a core: write a number from 0.01, such as 0.5"))
        }
    }
}

fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    (number, unit.trim_start())
}

/// A duration as the shortest exact text: `30 s`, `500 ms`, `7 days`.
pub(crate) fn duration(value: Duration) -> String {
    let (seconds, millis) = (value.as_secs(), value.subsec_millis());
    match seconds {
        _ if millis != 0 => format!("{} ms", value.as_millis()),
        86_400.. if seconds.is_multiple_of(86_400) => format!("{} days", seconds / 86_400),
        120.. if seconds.is_multiple_of(60) => format!("{} min", seconds / 60),
        _ => format!("{seconds} s"),
    }
}

/// A limit in bytes, exactly.
pub(crate) fn exact_bytes(bytes: u64) -> String {
    const UNITS: [(u64, &str); 5] =
        [(GIB, "GiB"), (1_000_000_000, "GB"), (MIB, "MiB"), (1_000_000, "MB"), (KIB, "KiB")];
    let fits = |&&(unit, _): &&(u64, &str)| bytes >= unit && bytes.is_multiple_of(unit);
    match UNITS.iter().find(fits) {
        Some((unit, name)) => format!("{} {name}", bytes / unit),
        None => format!("{bytes} bytes"),
    }
}

/// The size of a file, rounded.
#[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
pub(crate) fn size(bytes: u64) -> String {
    let bytes_f = bytes as f64;
    match bytes {
        1_000_000_000.. => format!("{:.1} GB", bytes_f / 1e9),
        1_000_000.. => format!("{:.1} MB", bytes_f / 1e6),
        1_000.. => format!("{:.1} kB", bytes_f / 1e3),
        _ => format!("{bytes} B"),
    }
}

/// How long ago a moment was, rounded.
pub(crate) fn age(then: u64) -> String {
    match now().saturating_sub(then) {
        seconds @ 0..60 => format!("{seconds} s ago"),
        seconds @ 60..3_600 => format!("{} min ago", seconds / 60),
        seconds @ 3_600..172_800 => format!("{} h ago", seconds / 3_600),
        seconds => format!("{} days ago", seconds / 86_400),
    }
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Milliseconds with a fraction, which is what people compare.
pub(crate) fn millis(value: Duration) -> f64 {
    (value.as_secs_f64() * 1e6).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_with_and_without_a_unit() {
        let read = |text| parse_duration(text).map(|duration| duration.as_millis());
        assert_eq!(
            ["500ms", "5s", "2m", "1.5 s", "3"].map(|text| read(text).unwrap()),
            [500, 5_000, 120_000, 1_500, 3_000]
        );
        for bad in ["", "0", "-1s", "5x", "s", "1e9999s", "0.0001ms", "nan"] {
            assert!(read(bad).is_err(), "{bad:?} was accepted");
        }
    }

    #[test]
    fn sizes_tell_decimal_from_binary_units() {
        assert_eq!(
            ["256MB", "1GiB", "1.5kb", "7"].map(|text| parse_bytes(text).unwrap()),
            [256_000_000, GIB, 1_500, 7]
        );
        for bad in ["", "0", "-1MB", "5x", "99999999999999GB"] {
            assert!(parse_bytes(bad).is_err(), "{bad:?} was accepted");
        }
    }

    #[test]
    fn limits_are_shown_exactly() {
        assert_eq!(exact_bytes(256 << 20), "256 MiB");
        assert_eq!(exact_bytes(100_000_000), "100 MB");
        assert_eq!(exact_bytes(10_000_000_000), "10 GB");
        assert_eq!(exact_bytes(1_234), "1234 bytes");
        assert_eq!(duration(Duration::from_millis(1_500)), "1500 ms");
        assert_eq!(duration(Duration::from_hours(7 * 24)), "7 days");
    }
}
