//! What a gateway knows of programs before they run, where it lets them go, and what it finds unusual.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod anomalies;
mod gateway;
mod network;
mod review;
mod settings;
