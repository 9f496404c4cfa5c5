//! The log from outside: writing, reading, crashing, tampering.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod common;
mod crashing;
mod reading;
mod tampering;
mod writing;
