//! What goes on behind a command, for who wants to know: events of the other crates as lines on
//! standard error.
//!
//! Commands that use servers on the side say what went wrong with those; `TIDEGATE_LOG` asks
//! for more, of anybody: `upstream=debug`, `warn,rmcp=info`. `TIDEGATE_LOG_FORMAT=json` makes an
//! object of each line, with its time, level and fields, for whoever collects them.

use std::io;

use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::exit::Misuse;
use crate::out;

/// What commands that use servers on the side let through.
const WARNINGS: &str = "gateway=warn,upstream=warn";
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
    let wanted: Targets = wanted.parse().map_err(|error| {
        Misuse::error(format!(
            "TIDEGATE_LOG is {wanted:?}, which is no filter ({error}); write it as upstream=debug or warn"
        ))
    })?;
    if as_json {
        let objects = tracing_subscriber::fmt::layer().json().with_writer(io::stderr);
        tracing_subscriber::registry().with(objects.with_filter(wanted)).init();
        return Ok(());
    }
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(Lines)
        .with_ansi(false)
        .with_target(false)
        .with_level(false)
        .without_time();
    tracing_subscriber::registry().with(lines.with_filter(wanted)).init();
    Ok(())
}

/// Makes a line of each event.
struct Lines;

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line(Vec::new())
    }
}

/// One event, told when it is whole.
struct Line(Vec<u8>);

impl io::Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let text = String::from_utf8_lossy(&self.0);
        out::warn(out::clean(text.trim_end()));
    }
}
