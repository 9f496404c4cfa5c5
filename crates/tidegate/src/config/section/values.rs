//! Durations and sizes in settings: a number, or text with a unit.

use std::fmt;
use std::time::Duration;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::units;

/// A duration: `"30s"`, `"500ms"`, or seconds as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span(pub(crate) Duration);

/// A size: `"64MB"`, or bytes as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) u64);

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl Visitor<'_> for Reader {
            type Value = Span;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration such as \"30s\" or \"500ms\", or a number of seconds")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Span, E> {
                units::parse_duration(text).map(Span).map_err(E::custom)
            }

            fn visit_i64<E: Error>(self, seconds: i64) -> Result<Span, E> {
                self.visit_str(&seconds.to_string())
            }

            fn visit_u64<E: Error>(self, seconds: u64) -> Result<Span, E> {
                self.visit_str(&seconds.to_string())
            }

            fn visit_f64<E: Error>(self, seconds: f64) -> Result<Span, E> {
                self.visit_str(&seconds.to_string())
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(duration) = self;
        serializer.collect_str(&match duration.subsec_millis() {
            0 => format_args!("{}s", duration.as_secs()).to_string(),
            _ => format_args!("{}ms", duration.as_millis()).to_string(),
        })
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl Visitor<'_> for Reader {
            type Value = Size;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a size such as \"64MB\", or a number of bytes")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Size, E> {
                units::parse_bytes(text).map(Size).map_err(E::custom)
            }

            fn visit_i64<E: Error>(self, bytes: i64) -> Result<Size, E> {
                self.visit_str(&bytes.to_string())
            }

            fn visit_u64<E: Error>(self, bytes: u64) -> Result<Size, E> {
                self.visit_str(&bytes.to_string())
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // As text beyond what TOML's integers hold.
        match i64::try_from(self.0) {
            Ok(bytes) => serializer.serialize_i64(bytes),
            Err(_) => serializer.collect_str(&self.0),
        }
    }
}
