//! The limits of a run, from the options on the command line.
//!
//! A level is where limits start; options tighten them. One that would loosen them
//! changes nothing, and a warning says what is used instead.

use std::time::Duration;

use clap::{Args, ValueEnum};
use engine::{Level, Limits};

use crate::exit::Misuse;
use crate::out;
use crate::units;

/// Options that decide what a program may use.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitOptions {
    #[command(flatten)]
    usual: UsualLimits,
    /// Any other limit by its setting, such as calls=10 or output-bytes=64KiB; --explain lists them.
    #[arg(long = "limit", value_name = "NAME=VALUE", value_parser = parse_limit)]
    limits: Vec<(String, String)>,
}

/// Those of them that every command has, also one whose `--limit` is something else.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct UsualLimits {
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

impl From<UsualLimits> for LimitOptions {
    fn from(usual: UsualLimits) -> Self {
        Self { usual, limits: Vec::new() }
    }
}

/// `NAME=VALUE`, if there is such a limit and it could have that value.
fn parse_limit(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    set(&mut Limits::default(), name, value)?;
    Ok((name.to_owned(), value.to_owned()))
}

/// The limits that can be set by name.
pub(crate) const NAMES: &[&str] = &[
    "wall",
    "cpu-time",
    "rest",
    "cpu-share",
    "memory-bytes",
    "output-bytes",
    "value-bytes",
    "calls",
    "calls-in-flight",
    "call-arguments-bytes",
    "call-result-bytes",
    "workspace-writable",
    "workspace-bytes",
    "file-bytes",
    "files",
    "open-files",
    "model-tokens",
    "recursion",
    "imports",
];

/// Sets the limit of this name.
pub(crate) fn set(limits: &mut Limits, name: &str, text: &str) -> Result<(), String> {
    let wrong = |problem: String| format!("`{name}` is {text:?}: {problem}");
    let time = || units::parse_duration(text).map_err(wrong);
    let bytes = || units::parse_bytes(text).map_err(wrong);
    let count = || text.parse::<u64>().map_err(|_| wrong("it must be a whole number".to_owned()));
    match name {
        "wall" => limits.wall = time()?,
        "cpu-time" => limits.cpu_time = time()?,
        "rest" => limits.rest = time()?,
        "cpu-share" => limits.cpu_share = units::parse_share(text).map_err(wrong)?,
        "memory-bytes" => limits.memory_bytes = bytes()?,
        "output-bytes" => limits.output_bytes = bytes()?,
        "value-bytes" => limits.value_bytes = bytes()?,
        "calls" => limits.calls = count()?,
        "calls-in-flight" => limits.calls_in_flight = count()?,
        "call-arguments-bytes" => limits.call_arguments_bytes = bytes()?,
        "call-result-bytes" => limits.call_result_bytes = bytes()?,
        "workspace-writable" => {
            limits.workspace_writable =
                text.parse().map_err(|_| wrong("it must be true or false".to_owned()))?;
        }
        "workspace-bytes" => limits.workspace_bytes = bytes()?,
        "file-bytes" => limits.file_bytes = bytes()?,
        "files" => limits.files = count()?,
        "open-files" => limits.open_files = count()?,
        "model-tokens" => limits.model_tokens = count()?,
        "recursion" => limits.recursion = count()?,
        "imports" if text == "all" => limits.imports = None,
        "imports" => {
            let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
            limits.imports = Some(names.map(str::to_owned).collect());
        }
        _ => {
            let near = crate::config::nearest::of(name, NAMES.iter().copied());
            let meant = near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
            return Err(format!(
                "there is no limit `{name}`{meant}; there are {}",
                NAMES.join(", ")
            ));
        }
    }
    Ok(())
}

/// A level as users write it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelName {
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
    /// Development would have allowed more of what was asked for.
    allows_more: bool,
}

/// An option that asked for more than the level allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    option: &'static str,
    asked: String,
    used: String,
}

impl LimitOptions {
    /// The limits these options stand for, where `of` says what a level allows.
    pub(crate) fn resolve(
        &self,
        of: impl Fn(Level) -> anyhow::Result<Limits>,
    ) -> anyhow::Result<Resolved> {
        let UsualLimits { level, timeout, memory, cpu } = self.usual;
        let level = level.into();
        let allowed = of(level)?;
        let mut wish = Limits {
            wall: timeout.unwrap_or(allowed.wall),
            cpu_time: timeout.unwrap_or(allowed.cpu_time),
            memory_bytes: memory.unwrap_or(allowed.memory_bytes),
            cpu_share: cpu.unwrap_or(allowed.cpu_share),
            ..allowed.clone()
        };
        for (name, value) in &self.limits {
            set(&mut wish, name, value).map_err(Misuse::error)?;
        }
        let mut refused = refused(&wish, &allowed);
        let limits = allowed.tightened_by(&wish);
        for (name, value) in &self.limits {
            // One that changes nothing after being tightened was looser.
            let mut alone = allowed.clone();
            set(&mut alone, name, value).map_err(Misuse::error)?;
            if alone != allowed && allowed.tightened_by(&alone) == allowed {
                let used = format!("what it is (--explain shows {name})");
                refused.push(Refused { option: "--limit", asked: format!("{name}={value}"), used });
            }
        }
        let more = of(Level::Development)?;
        let allows_more = level != Level::Development && more.tightened_by(&wish) != limits;
        Ok(Resolved { level, limits, refused, allows_more })
    }
}

impl Resolved {
    /// Says which options were not followed.
    pub(crate) fn warn(&self) {
        for Refused { option, asked, used } in &self.refused {
            let level = self.level.name();
            let more = if self.allows_more { "; --level development allows more" } else { "" };
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
        let options = LimitOptions::from(UsualLimits {
            timeout: Some(Duration::from_secs(2)),
            memory: Some(64 << 20),
            ..UsualLimits::default()
        });
        let resolved = options.resolve(|level| Ok(Limits::of(level))).unwrap();
        assert_eq!(resolved.limits.wall, Duration::from_secs(2));
        assert_eq!(resolved.limits.cpu_time, Duration::from_secs(2));
        assert_eq!(resolved.limits.memory_bytes, 64 << 20);
        assert_eq!(resolved.refused, []);
    }

    #[test]
    fn an_option_never_loosens_what_the_level_allows() {
        let usual = UsualLimits { memory: Some(10 << 30), ..UsualLimits::default() };
        let options = LimitOptions::from(usual);
        let resolved = options.resolve(|level| Ok(Limits::of(level))).unwrap();
        assert_eq!(resolved.limits, Limits::of(Level::Production));
        let refused =
            Refused { option: "--memory", asked: "10 GiB".into(), used: "256 MiB".into() };
        assert_eq!(resolved.refused, [refused]);
    }

    #[test]
    fn every_limit_can_be_set_and_only_tightened_by_an_option() {
        let given = |text: &str| parse_limit(text).unwrap();
        let options = LimitOptions {
            limits: vec![given("calls=10"), given("files=1000000"), given("imports=json, re")],
            ..LimitOptions::default()
        };
        let resolved = options.resolve(|level| Ok(Limits::of(level))).unwrap();
        assert_eq!(resolved.limits.calls, 10);
        assert_eq!(resolved.limits.files, Limits::default().files);
        assert_eq!(resolved.limits.imports.as_deref(), Some(&["json".to_owned(), "re".into()][..]));
        assert_eq!(resolved.refused.len(), 1);
        for name in NAMES {
            let value = match *name {
                "wall" | "cpu-time" | "rest" => "5s",
                "workspace-writable" => "true",
                _ => "1",
            };
            set(&mut Limits::default(), name, value).unwrap();
        }
        let problem = parse_limit("cals=1").unwrap_err();
        assert!(problem.contains("did you mean `calls`"), "{problem}");
    }
}
