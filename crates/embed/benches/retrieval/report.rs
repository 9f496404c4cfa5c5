//! The figures as text, and where they go.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use crate::Failure;
use crate::corpus::Corpus;
use crate::speed::Sample;

const BEGIN: &str = "<!-- retrieval:begin -->";
const END: &str = "<!-- retrieval:end -->";

/// One way of ranking, over all sets.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) scores: Vec<Score>,
}

/// How one set went.
#[derive(Default)]
pub(crate) struct Score {
    questions: u32,
    hits: [u32; 3],
    reciprocal: f64,
}

impl Score {
    /// Where the first right tool was, if anywhere.
    pub(crate) fn add(&mut self, position: Option<usize>) {
        self.questions += 1;
        let Some(position) = position else { return };
        for (hits, within) in self.hits.iter_mut().zip([1, 5, 10]) {
            *hits += u32::from(position < within);
        }
        self.reciprocal += 1.0 / f64::from(u32::try_from(position + 1).unwrap_or(u32::MAX));
    }

    fn share(&self, which: usize) -> f64 {
        f64::from(self.hits[which]) / f64::from(self.questions.max(1))
    }

    fn mean_reciprocal(&self) -> f64 {
        self.reciprocal / f64::from(self.questions.max(1))
    }
}

/// How long something took.
pub(crate) struct Time {
    name: &'static str,
    p50: Duration,
    p99: Duration,
    /// The median on processors.
    processor: Duration,
    under: Option<Duration>,
}

impl Time {
    pub(crate) fn new(name: &'static str, samples: Vec<Sample>, under: Option<Duration>) -> Self {
        let (mut wall, mut processor): (Vec<Duration>, Vec<Duration>) =
            samples.into_iter().map(|sample| (sample.wall, sample.processor)).unzip();
        wall.sort_unstable();
        processor.sort_unstable();
        let at = |samples: &[Duration], share: usize| {
            samples.get(samples.len() * share / 100).copied().unwrap_or_default()
        };
        Self { name, p50: at(&wall, 50), p99: at(&wall, 99), processor: at(&processor, 50), under }
    }
}

pub(crate) fn text(corpus: &Corpus, rows: &[Row], times: &[Time]) -> String {
    let mut text = String::new();
    let sets = if rows.is_empty() { &[] } else { corpus.sets.as_slice() };
    for (number, set) in sets.iter().enumerate() {
        let tools = if set.own { &corpus.own_catalog } else { &corpus.catalog }.tools().count();
        let _ =
            writeln!(text, "### {}: {} questions, {tools} tools\n", set.name, set.questions.len());
        text.push_str(
            "| ranking | hit@1 | hit@5 | hit@10 | MRR |\n| --- | --- | --- | --- | --- |\n",
        );
        for row in rows {
            let score = &row.scores[number];
            let _ = writeln!(
                text,
                "| {} | {:.3} | {:.3} | {:.3} | {:.3} |",
                row.name,
                score.share(0),
                score.share(1),
                score.share(2),
                score.mean_reciprocal(),
            );
        }
        text.push('\n');
    }
    if times.is_empty() {
        return text;
    }
    let tools: usize = corpus.many.iter().map(|listing| listing.tools.len()).sum();
    let _ = writeln!(text, "### Times over {tools} tools of {} servers\n", corpus.many.len());
    text.push_str(
        "| what | p50 | p99 | processor time, p50 | must be |\n| --- | --- | --- | --- | --- |\n",
    );
    for time in times {
        let verdict = time.under.map_or_else(
            || "–".to_owned(),
            |under| {
                let held = if time.p50 < under { "held" } else { "NOT held" };
                format!("under {under:?} (p50): {held}")
            },
        );
        let _ = writeln!(
            text,
            "| {} | {:.2?} | {:.2?} | {:.2?} | {verdict} |",
            time.name, time.p50, time.p99, time.processor
        );
    }
    text
}

/// Puts the figures where the last ones were, or before those of the tool calls.
pub(crate) fn write(file: &Path, figures: &str) -> Result<(), Failure> {
    let old = std::fs::read_to_string(file)?;
    let section = format!("{BEGIN}\n## Finding tools\n\n{}\n\n{figures}{END}\n", about());
    let new = match (old.find(BEGIN), old.find(END)) {
        (Some(begin), Some(end)) if begin < end => {
            let after = old[end + END.len()..].trim_start_matches('\n');
            format!("{}{section}\n{after}", &old[..begin])
        }
        _ => match old.find("<!-- tools:begin -->") {
            Some(at) => format!("{}{section}\n{}", &old[..at], &old[at..]),
            None => format!("{}\n\n{section}", old.trim_end()),
        },
    };
    std::fs::write(file, new)?;
    Ok(())
}

fn about() -> String {
    format!(
        "Written by `cargo bench --bench retrieval -- --write`, on {}. A hit is a question for which any\n\
         right tool is among the first. Model-written questions count with the tools that were shown for them and then\n\
         used; the second table also counts tools that were only used later, which no search could know. Questions and\n\
         tools are those of LiveMCPBench, except the last: those are our own, and no question shares a word with its tool. Where others use the\n\
         machine too, a time on the wall is longer than the time on processors beside it.",
        machine()
    )
}

/// Processor and cores, as the system says.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = information
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("an unknown processor", |(_, name)| name.trim());
    format!("{name}, {cores} cores")
}
