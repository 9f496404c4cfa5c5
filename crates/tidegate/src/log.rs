//! What goes on behind a command, for who wants to know: events of the other crates as lines on
//! standard error.
//!
//! Commands that use servers or serve others say what went wrong with that; `TIDEGATE_LOG` asks
//! for more: `info` of our own, `upstream=debug` or `warn,rmcp=info` of anybody. `TIDEGATE_LOG_FORMAT=json` makes an
//! object of each line, with its time, level and fields, for whoever collects them.

use std::fmt::Write as _;
use std::sync::{Arc, OnceLock, Weak};
use std::time::{SystemTime, UNIX_EPOCH};

use gateway::Tools;
use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer, layer};

use crate::config::shown;
use crate::exit::Misuse;
use crate::out::{self, BAD, DIM};

/// What commands that use servers on the side let through.
const WARNINGS: &str = "gateway=warn,server=warn,upstream=warn";
/// Crates of ours.
const OWN: [&str; 6] = ["tidegate", "server", "gateway", "upstream", "engine_wasm", "catalog"];
/// What is let through as JSON.
const EVENTS: &str = "gateway=info,server=info,upstream=info";

/// Shows events from now on. `wanted` is what `TIDEGATE_LOG` says, `format` what
/// `TIDEGATE_LOG_FORMAT` says, `aside` whether servers are used by the way.
pub(crate) fn begin(wanted: Option<&str>, format: Option<&str>, aside: bool) -> anyhow::Result<()> {
    let as_json = match format {
        None | Some("human") => false,
        Some("json") => true,
        Some(other) => {
            return Err(Misuse::error(format!(
                "TIDEGATE_LOG_FORMAT is {other:?}; it can be human or json"
            )));
        }
    };
    // Who collects lines wants to hear of the runs too.
    let usual = if as_json { Some(EVENTS) } else { aside.then_some(WARNINGS) };
    let Some(wanted) = wanted.or(usual) else { return Ok(()) };
    let wanted: Targets = of_our_own(wanted).parse().map_err(|error| {
        Misuse::error(format!(
            "TIDEGATE_LOG is {wanted:?}, which is no filter ({error}); write it as upstream=debug or warn"
        ))
    })?;
    let wanted = capped(&wanted);
    if as_json {
        out::tell_objects();
        tracing_subscriber::registry().with(Objects.with_filter(wanted)).init();
        return Ok(());
    }
    tracing_subscriber::registry().with(Lines.with_filter(wanted)).init();
    Ok(())
}

/// A bare level is one of our own crates; what others say at such a level is for their authors.
fn of_our_own(wanted: &str) -> String {
    match wanted.trim() {
        level @ ("trace" | "debug" | "info") => {
            let own = OWN.map(|name| format!("{name}={level}"));
            format!("warn,{}", own.join(","))
        }
        other => other.to_owned(),
    }
}

/// What others say below `info` may be what goes over the wire, credentials included: of them, that is never
/// shown.
fn capped(wanted: &Targets) -> Targets {
    let least = |level: LevelFilter| level.min(LevelFilter::INFO);
    let mut capped = Targets::new();
    if let Some(level) = wanted.default_level() {
        capped = capped.with_default(least(level)).with_targets(OWN.map(|name| (name, level)));
    }
    let said = wanted.iter();
    capped.with_targets(
        said.map(|(target, level)| (target, if is_own(target) { level } else { least(level) })),
    )
}

fn is_own(target: &str) -> bool {
    let crate_name = target.split("::").next().unwrap_or_default();
    OWN.contains(&crate_name)
}

/// Makes an object of each event: when, how urgent, from where, and its fields.
struct Objects;

impl<S: Subscriber> Layer<S> for Objects {
    fn on_event(&self, event: &Event<'_>, _: layer::Context<'_, S>) {
        let fields = Fields::of(event);
        let about = event.metadata();
        let line = json!({
            "time": time(SystemTime::now()),
            "level": about.level().as_str(),
            "target": about.target(),
            "fields": fields.values,
        });
        // In one piece, so that lines of several threads do not mix.
        out::tell_raw(line);
    }
}

/// A line that is no event, as an object like the others.
pub(crate) fn object(level: &str, target: &str, message: &str) {
    out::tell_raw(json!({
        "time": time(SystemTime::now()),
        "level": level,
        "target": target,
        "fields": { "message": message },
    }));
}

/// Whose servers say whether personal data may be in a line.
static TOOLS: OnceLock<Weak<Tools>> = OnceLock::new();

/// Lets no personal data into lines from now on, as long as one of these servers wants that.
pub(crate) fn hides(tools: &Arc<Tools>) {
    // A process has one set of tools.
    let _ = TOOLS.set(Arc::downgrade(tools));
}

/// A text as a line may have it.
fn hidden(text: &str) -> String {
    let tools = TOOLS.get().and_then(Weak::upgrade).filter(|tools| tools.hides());
    tools.map_or_else(|| text.to_owned(), |tools| tools.veil().logged(text))
}

/// What a library says, without what its addresses and the settings of servers keep.
fn of_others(text: &str) -> String {
    shown::without_secrets(&upstream::without_credentials(text.to_owned()))
}

/// The fields of an event, as JSON.
struct Fields {
    values: Map<String, Value>,
    /// Whether we wrote what it says. Others do not know what is a secret.
    is_own: bool,
}

impl Fields {
    fn of(event: &Event<'_>) -> Self {
        let mut fields = Self { values: Map::new(), is_own: is_own(event.metadata().target()) };
        event.record(&mut fields);
        fields
    }

    fn text(&self, text: &str) -> String {
        if self.is_own { hidden(text) } else { hidden(&of_others(text)) }
    }

    fn put(&mut self, field: &Field, value: impl Into<Value>) {
        self.values.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for Fields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let text = self.text(value);
        self.put(field, text);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let text = self.text(&format!("{value:?}"));
        self.put(field, text);
    }
}

/// A moment as 2026-11-16T02:00:00.000Z.
fn time(moment: SystemTime) -> String {
    let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, rest) = (since.as_secs() / 86400, since.as_secs() % 86400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    let millis = since.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// Year, month and day of a number of days since 1970, in the calendar of today: years begin in
/// March, so that a leap day is the last of its year.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let of_month = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, of_month)
}

/// Makes a line of each event: how urgent, what, and its fields.
struct Lines;

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: layer::Context<'_, S>) {
        let mut fields = Fields::of(event);
        let mut line = match fields.values.remove("message") {
            Some(Value::String(message)) => message,
            _ => String::new(),
        };
        for (name, value) in fields.values {
            // Writing to a string does not fail.
            let _ = write!(line, " {name}={value}");
        }
        let line = out::clean(line.trim());
        match *event.metadata().level() {
            Level::ERROR => out::tell(format_args!("{BAD}error:{BAD:#} {line}")),
            Level::WARN => out::warn(line),
            level => {
                out::tell(format_args!("{DIM}{}:{DIM:#} {line}", level.as_str().to_lowercase()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_goes_over_the_wire_is_never_shown() {
        let shows = |wanted: &str, target: &str, level: Level| {
            capped(&of_our_own(wanted).parse().unwrap()).would_enable(target, &level)
        };
        assert!(shows("debug", "upstream::slot", Level::DEBUG));
        assert!(shows("trace,rmcp=trace", "gateway", Level::TRACE));
        assert!(shows("warn,rmcp=info", "rmcp::service", Level::INFO));
        for target in ["rmcp::service", "hyper::proto", "reqwest"] {
            assert!(!shows("rmcp=trace,hyper=debug,reqwest=trace", target, Level::DEBUG));
            assert!(!shows("trace,rmcp=trace", target, Level::DEBUG));
        }
    }

    #[test]
    fn what_libraries_say_has_no_secrets_of_addresses() {
        let said =
            "error sending request, url: \"http://u:pw@127.0.0.1:9/mcp?k=abc\", when connecting";
        let shown =
            "error sending request, url: \"http://u:***@127.0.0.1:9/mcp?k=***\", when connecting";
        assert_eq!(of_others(said), shown);
    }

    #[test]
    fn moments_are_written_as_everybody_does() {
        let at = |seconds| time(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(at(951_782_399), "2000-02-28T23:59:59.000Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00.000Z");
        assert_eq!(at(1_794_794_400), "2026-11-16T02:00:00.000Z");
        assert_eq!(at(4_107_542_400), "2100-03-01T00:00:00.000Z");
    }
}
