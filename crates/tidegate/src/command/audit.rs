//! `tidegate audit`: what happened, whether anybody changed what is said of it, and what was refused.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use audit::{Entry, Filter, Format, Kind, Order, Outcome};
use clap::{Args, Subcommand, ValueEnum};

use crate::config::Config;
use crate::exit::{Ending, Misuse};
use crate::{out, show, units};

/// Options of `tidegate audit`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Say whether the log is as it was written.
    Verify {
        /// Print a JSON object instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Show entries, the latest first.
    Search {
        #[command(flatten)]
        wanted: Wanted,
        /// Show so many at most.
        #[arg(long, default_value_t = 50)]
        limit: usize,
        /// Print the lines of the log instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Write entries to a file or to standard output, the first first.
    Export {
        #[command(flatten)]
        wanted: Wanted,
        /// As lines of JSON, or as a table for spreadsheets.
        #[arg(long, value_enum, default_value_t = FormatName::Jsonl)]
        format: FormatName,
        /// Where to; standard output if nothing is said.
        #[arg(long, short)]
        output: Option<PathBuf>,
    },
    /// Say what was refused and what met a limit, by type, owner, session and time.
    Report {
        /// How far back, such as 24h.
        #[arg(long, default_value = "24h")]
        since: String,
        /// Print a JSON object, as `GET /api/v1/security/report` answers.
        #[arg(long)]
        json: bool,
    },
    /// Take entries away, and say who did it and why; the rest can still be verified.
    Redact {
        /// Their numbers, as `search` shows them.
        #[arg(required = true)]
        numbers: Vec<u64>,
        /// Who does it.
        #[arg(long)]
        by: String,
        /// Why.
        #[arg(long)]
        why: String,
    },
    /// Put a log away that is not as it was written, so that a new one begins.
    SetAside,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatName {
    Jsonl,
    Csv,
}

/// Which entries are wanted.
#[derive(Debug, Args)]
struct Wanted {
    /// Only of this kind: `run_started`, call, decision, `limit_hit`, `access_refused`, …
    #[arg(long)]
    kind: Vec<String>,
    /// Only this owner's.
    #[arg(long)]
    owner: Option<String>,
    /// Only of this session.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only of this run.
    #[arg(long, value_name = "ID")]
    run: Option<String>,
    /// Only about this tool, setting or limit; * stands for anything.
    #[arg(long)]
    subject: Option<String>,
    /// Only what went so: ok, failed, deny, refused, …
    #[arg(long)]
    outcome: Option<String>,
    /// How far back, such as 24h.
    #[arg(long)]
    since: Option<String>,
    /// Only with this text anywhere.
    #[arg(long)]
    text: Option<String>,
}

impl Wanted {
    fn filter(&self, order: Order, limit: Option<usize>) -> anyhow::Result<Filter> {
        let kinds: Vec<Kind> = self.kind.iter().map(|name| Kind::from(name.as_str())).collect();
        if let Some(unknown) = kinds.iter().find(|kind| matches!(kind, Kind::Other(_))) {
            let known: Vec<&str> = Kind::KNOWN.iter().map(Kind::name).collect();
            let known = known.join(", ");
            return Err(Misuse::error(format!(
                "there is no kind {:?}; there are {known}",
                unknown.name()
            )));
        }
        Ok(Filter {
            kinds,
            owner: self.owner.clone(),
            session: self.session.clone(),
            run: self.run.clone(),
            subject: self.subject.clone(),
            outcome: self.outcome.as_deref().map(Outcome::from),
            since: self.since.as_deref().map(ago).transpose()?,
            text: self.text.clone(),
            limit,
            order,
            ..Filter::default()
        })
    }
}

/// The moment so long ago, in milliseconds since 1970.
fn ago(text: &str) -> anyhow::Result<u64> {
    let time: Duration = units::parse_duration(text)
        .map_err(|problem| Misuse::error(format!("--since: {problem}")))?;
    Ok(audit::now().saturating_sub(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)))
}

/// Runs `tidegate audit`.
pub(crate) fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<Ending> {
    let folder = crate::service::audit_folder(config)?;
    if !folder.is_dir() {
        return Err(Misuse::error(format!(
            "there is no audit log in {}; `tidegate serve` and `tidegate mcp` write one",
            folder.display()
        )));
    }
    match &arguments.action {
        Action::Verify { json } => {
            let verdict = audit::verify(&folder).context("could not read the audit log")?;
            if *json {
                out::line(serde_json::to_string(&verdict)?).context(show::LOST)?;
            } else {
                out::line(&verdict).context(show::LOST)?;
            }
            Ok(if verdict.is_ok() { Ending::Success } else { Ending::Raised })
        }
        Action::Search { wanted, limit, json } => {
            let filter = wanted.filter(Order::NewestFirst, Some(*limit))?;
            search(&folder, &filter, *json)
        }
        Action::Export { wanted, format, output } => {
            let filter = wanted.filter(Order::OldestFirst, None)?;
            export(&folder, &filter, *format, output.as_ref())
        }
        Action::Report { since, json } => report(&folder, ago(since)?, *json),
        Action::Redact { numbers, by, why } => {
            let log = audit::Log::open(&folder, &audit::Options::default())?;
            let done = log.redact(numbers.iter().copied(), by, why)?;
            out::line(format_args!("taken away: {}", done.redacted)).context(show::LOST)?;
            Ok(Ending::Success)
        }
        Action::SetAside => {
            let place = audit::set_aside(&folder)?;
            out::line(format_args!("the log lies in {} now", place.display()))
                .context(show::LOST)?;
            Ok(Ending::Success)
        }
    }
}

fn search(folder: &std::path::Path, filter: &Filter, as_lines: bool) -> anyhow::Result<Ending> {
    let mut table = show::table(["number", "time", "kind", "owner", "subject", "outcome", "run"]);
    for hit in audit::search(folder, filter).context("could not read the audit log")? {
        let hit = match hit {
            Ok(hit) => hit,
            Err(error) => {
                out::warn(format_args!("{error}"));
                continue;
            }
        };
        if as_lines {
            out::line(hit.line.trim_end()).context(show::LOST)?;
            continue;
        }
        let gone = Entry::new(Kind::Redacted);
        let entry = hit.entry().unwrap_or(&gone);
        let outcome = entry.outcome.as_ref().map_or("", Outcome::name);
        let cells = [
            audit::iso(entry.time),
            entry.kind.name().to_owned(),
            entry.owner.clone(),
            entry.subject.clone(),
            outcome.to_owned(),
            entry.run.clone(),
        ];
        let cells = cells.map(|cell| out::clean(&cell).to_string());
        table.add_row([hit.seq.to_string()].into_iter().chain(cells));
    }
    if !as_lines {
        out::line(table).context(show::LOST)?;
    }
    Ok(Ending::Success)
}

fn export(
    folder: &std::path::Path,
    filter: &Filter,
    format: FormatName,
    output: Option<&PathBuf>,
) -> anyhow::Result<Ending> {
    let format = match format {
        FormatName::Jsonl => Format::JsonLines,
        FormatName::Csv => Format::Csv,
    };
    let mut bytes = Vec::new();
    let exported = audit::export(folder, filter, format, &mut bytes)
        .context("could not read the audit log")?;
    match output {
        Some(file) => {
            std::fs::write(file, &bytes)
                .with_context(|| format!("could not write {}", file.display()))?;
            out::tell(format_args!("{} entries in {}", exported.lines, file.display()));
        }
        None => std::io::stdout().write_all(&bytes).context(show::LOST)?,
    }
    if exported.unreadable > 0 {
        out::warn(format_args!(
            "{} places in the log cannot be read; `tidegate audit verify` says which",
            exported.unreadable
        ));
        return Ok(Ending::Raised);
    }
    Ok(Ending::Success)
}

fn report(folder: &std::path::Path, since: u64, as_json: bool) -> anyhow::Result<Ending> {
    let report = audit::report(folder, since, audit::now().saturating_add(1))
        .context("could not read the audit log")?;
    if as_json {
        out::line(serde_json::to_string(&report)?).context(show::LOST)?;
        return Ok(Ending::Success);
    }
    out::line(format_args!(
        "{} violations and denials in {} runs with {} calls",
        report.violations, report.runs, report.calls
    ))
    .context(show::LOST)?;
    let mut table = show::table(["by", "what", "count"]);
    let parts = [
        ("type", &report.by_type),
        ("owner", &report.by_owner),
        ("session", &report.by_session),
        ("subject", &report.by_subject),
    ];
    for (by, counts) in parts {
        for one in counts.iter().take(20) {
            table.add_row([
                by.to_owned(),
                out::clean(&one.name).to_string(),
                one.count.to_string(),
            ]);
        }
    }
    if report.violations > 0 {
        out::line(table).context(show::LOST)?;
    }
    Ok(Ending::Success)
}
