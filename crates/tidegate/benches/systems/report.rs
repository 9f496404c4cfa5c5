//! What was measured, for people.

use std::fmt::Write as _;

use crate::direct::PART;
use crate::{BEGINS, Both, MESSAGE, READS, WRITES, Way};

/// The most that programs may take of what tools alone take.
const MOST: f64 = 0.5;

/// One system, the middle of its rounds.
pub(crate) struct Row {
    name: &'static str,
    tools: Way,
    programs: Way,
}

impl Row {
    pub(crate) fn of(name: &'static str, mut rounds: Vec<Both>) -> Self {
        rounds.sort_by_key(|(_, programs)| programs.work);
        let (tools, programs) = rounds[rounds.len() / 2];
        Self { name, tools, programs }
    }
}

/// The rows as Markdown, with what they are.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut text = format!(
        "## Four systems, from question to answer

Written by `cargo bench --workspace --bench systems -- --write`. The steps of the four examples, done by a program each, and the very calls of those
programs made again by a plain MCP client, one in each message, without asking the same twice in a row. Tools and programs really run; the model is scripted,
the same for both ways, and its time is added. Target: at most half the time, with either script:

- **by messages**: {} s for each message, whatever it says. With tools alone an answer of more than {PART} tokens, which is what Claude Code takes at most
  unless told otherwise, comes in as many messages as it takes.
- **by tokens**: {} ms until it begins, {} tokens a second that it reads for the first time and {} that it writes. It reads definitions and whole answers, writes
  arguments or the program, and at last the result. That no model can read so much at once is left out.

The last column is not promised: {} s for each message, and every answer in one, however large. A step that is one call then has two messages either way.

| system | messages: tools alone, in parts | with programs | tools, programs ran for | by messages: tools alone | with programs | ratio | by tokens: tools alone | with programs | ratio | both at most half | ratio with whole answers |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
",
        MESSAGE.as_secs(),
        BEGINS.as_millis(),
        READS,
        WRITES,
        MESSAGE.as_secs(),
    );
    for Row { name, tools, programs } in rows {
        let (parts, ours) = (tools.at(tools.parts), programs.at(programs.parts));
        let (read, written) = (tools.at_speeds(), programs.at_speeds());
        let held = if ours / parts <= MOST && written / read <= MOST { "held" } else { "NOT held" };
        let _ = writeln!(
            text,
            "| {name} | {}, {} | {} | {:.1} s, {:.1} s | {parts:.1} s | {ours:.1} s | {:.2} | {read:.1} s | {written:.1} s | {:.2} | {held} | {:.2} |",
            tools.messages,
            tools.parts,
            programs.messages,
            tools.work.as_secs_f64(),
            programs.work.as_secs_f64(),
            ours / parts,
            written / read,
            ours / tools.at(tools.messages),
        );
    }
    text
}
