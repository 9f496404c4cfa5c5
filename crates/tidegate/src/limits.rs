//! The limits of a run, from the options on the command line.
//!
//! A level is where limits start; options tighten them. One that would loosen them
//! changes nothing, and a warning says what is used instead.

use std::time::Duration;

use clap::{Args, ValueEnum};
use engine::{Level, Limits};

use crate::out;
use crate::units;

/// Options that decide what a program may use.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitOptions {
    /// The named set of limits to start from.
    #[arg(long, value_enum, default_value_t)]
    level: LevelName,
    /// Wall-clock and CPU time of the run, such as 500ms, 5s or 2m.
    #[arg(long, value_name = "TIME", value_parser = units::parse_duration)]
    timeout: Option<Duration>,
    /// Memory the program may hold, such as 256MB or 1GiB.
    #[arg(long, value_name = "SIZE", value_parser = units::parse_bytes)]
    memory: Option<u64>,
    /// Share of a core, such as 0.5.
    #[arg(long, value_name = "CORES", value_parser = units::parse_share)]
    cpu: Option<f64>,
}

/// A level as users write it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum LevelName {
    /// Generous, for working on one's own machine.
    Development,
    /// For programs written by a model.
    #[default]
    Production,
    /// For programs nobody vouches for: little time, no files, few imports.
    Hardened,
}

/// What a run may use, and how that came about.
#[derive(Debug, Clone)]
pub(crate) struct Resolved {
    /// The level the limits started from.
    pub(crate) level: Level,
    /// The limits.
    pub(crate) limits: Limits,
    /// Options that asked for more than the level allows.
    pub(crate) refused: Vec<Refused>,
}

/// An option that asked for more than the level allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    option: &'static str,
    asked: String,
    used: String,
}

impl LimitOptions {
    /// The limits these options stand for.
    pub(crate) fn resolve(&self) -> Resolved {
        let level = self.level.into();
        let allowed = Limits::of(level);
        let wish = Limits {
            wall: self.timeout.unwrap_or(allowed.wall),
            cpu_time: self.timeout.unwrap_or(allowed.cpu_time),
            memory_bytes: self.memory.unwrap_or(allowed.memory_bytes),
            cpu_share: self.cpu.unwrap_or(allowed.cpu_share),
            ..allowed.clone()
        };
        let refused = refused(&wish, &allowed);
        Resolved { level, limits: allowed.tightened_by(&wish), refused }
    }
}

impl Resolved {
    /// Says which options were not followed.
    pub(crate) fn warn(&self) {
        for Refused { option, asked, used } in &self.refused {
            let level = self.level.name();
            let more = match self.level {
                Level::Development => "",
                _ => "; --level development allows more",
            };
            out::warn(format_args!(
                "{option} {asked} is more than level {level} allows; using {used}{more}"
            ));
        }
    }
}

fn refused(wish: &Limits, allowed: &Limits) -> Vec<Refused> {
    let mut refused = Vec::new();
    let mut note = |option, loosens: bool, asked, used| {
        if loosens {
            refused.push(Refused { option, asked, used });
        }
    };
    let (asked, used) = (wish.wall, allowed.wall);
    note("--timeout", asked > used, units::duration(asked), units::duration(used));
    let (asked, used) = (wish.memory_bytes, allowed.memory_bytes);
    note("--memory", asked > used, units::exact_bytes(asked), units::exact_bytes(used));
    let (asked, used) = (wish.cpu_share, allowed.cpu_share);
    note("--cpu", asked > used, asked.to_string(), used.to_string());
    refused
}

impl From<LevelName> for Level {
    fn from(name: LevelName) -> Self {
        match name {
            LevelName::Development => Self::Development,
            LevelName::Production => Self::Production,
            LevelName::Hardened => Self::Hardened,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_tightens_what_the_level_allows() {
        let options = LimitOptions {
            timeout: Some(Duration::from_secs(2)),
            memory: Some(64 << 20),
            ..LimitOptions::default()
        };
        let resolved = options.resolve();
        assert_eq!(resolved.limits.wall, Duration::from_secs(2));
        assert_eq!(resolved.limits.cpu_time, Duration::from_secs(2));
        assert_eq!(resolved.limits.memory_bytes, 64 << 20);
        assert_eq!(resolved.refused, []);
    }

    #[test]
    fn an_option_never_loosens_what_the_level_allows() {
        let options = LimitOptions { memory: Some(10 << 30), ..LimitOptions::default() };
        let resolved = options.resolve();
        assert_eq!(resolved.limits, Limits::of(Level::Production));
        let refused =
            Refused { option: "--memory", asked: "10 GiB".into(), used: "256 MiB".into() };
        assert_eq!(resolved.refused, [refused]);
    }
}
