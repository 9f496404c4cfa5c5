//! The command as users meet it: the real binary, its output and its exit codes.
//!
//! The runtime is taken from `TIDEGATE_TEST_CACHE`, else from
//! `~/.cache/tidegate-ci/guest`; the first test installs it if it is not there.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod analyze;
mod ask;
mod bindings;
mod check;
mod children;
mod compiler;
mod demo;
mod explain;
mod images;
mod import;
mod manual;
mod minds;
mod policy;
mod programs;
mod repl;
mod run;
mod servers;
mod sessions;
mod settings;
mod skills;
mod tide;
mod tools;
mod typescript;
mod wrong_inputs;
