//! What was counted, for people.

use std::fmt::Write as _;
use std::path::Path;

use crate::tasks::Task;
use crate::{Cost, Failure};

/// One task at every size.
pub(crate) struct Row {
    name: &'static str,
    rows: usize,
    pub(crate) costs: Vec<Cost>,
}

impl Row {
    pub(crate) fn new(task: &Task) -> Self {
        Self { name: task.name, rows: task.rows, costs: Vec::new() }
    }
}

/// The rows as Markdown.
pub(crate) fn table(rows: &[Row], own: usize, sizes: [usize; 3]) -> String {
    let mut text = String::from("| task | rows |");
    for size in sizes {
        let _ = write!(text, " inline, {size} tools |");
    }
    text.push_str(" tool search | Tidegate | of inline at 500 | of tool search |\n");
    text.push_str(&"| --- ".repeat(sizes.len() + 6));
    text.push_str("|\n");
    let mut losses = Vec::new();
    let (mut inline_holds, mut search_holds) = (true, true);
    for row in rows {
        let [_, middle, _] = row.costs[..] else { continue };
        let _ = write!(text, "| {} | {} |", row.name, row.rows);
        for cost in &row.costs {
            let _ = write!(text, " {} |", cost.inline);
        }
        let (of_inline, of_search) =
            (share(middle.ours, middle.inline), share(middle.ours, middle.search));
        let _ = writeln!(
            text,
            " {} | {} | {of_inline:.1} % | {of_search:.0} % |",
            middle.search, middle.ours
        );
        inline_holds &= of_inline <= 5.0;
        // At every number of tools: what a search finds differs.
        let lost = row.costs.iter().any(|cost| cost.ours >= cost.search);
        search_holds &= !lost || row.rows <= 20;
        if lost {
            losses.push(row.name);
        }
    }
    let _ = writeln!(
        text,
        "\n* At least 95 % under inline at 500 tools, in every task: {}.\n\
         * Under tool search in every task of more than 20 rows: {}.\n\
         * Lost against tool search: {}.\n\
         * {own} of the tokens in the column Tidegate are our own definitions and instructions, which a conversation pays once, however many tasks it has.",
        held(inline_holds),
        held(search_holds),
        if losses.is_empty() { "none".to_owned() } else { losses.join("; ") },
    );
    text
}

fn held(good: bool) -> &'static str {
    if good { "held" } else { "NOT held" }
}

#[expect(clippy::cast_precision_loss, reason = "counts of tokens are small")]
fn share(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole as f64
}

/// Puts the figures where the last ones were.
pub(crate) fn write(file: &Path, table: &str) -> Result<(), Failure> {
    const BEGIN: &str = "<!-- tokens:begin -->";
    const END: &str = "<!-- tokens:end -->";
    let old = std::fs::read_to_string(file)?;
    let before = old.split(BEGIN).next().unwrap_or_default().trim_end();
    // What other benchmarks wrote stays.
    let after = old.split_once(END).map_or("\n", |(_, after)| after);
    let about = "## Tokens\n\nWritten by `cargo bench --workspace --bench tokens -- --write`. Tokens (o200k) that pass through a model's\ncontext for each task, each counted once, with the very same tool results in all three ways:\n\n* *inline*: all definitions, every call, every result;\n* *tool search*: one small search tool, the queries, only the definitions that are used, every call, every result;\n* *Tidegate*: our own definitions and instructions, the queries and what `search_tools` really answered, the program, and\n  what `execute_python` really answered. Tool search and Tidegate are shown for 500 tools. A search of ours for one\n  tool that does not find it is made again for five, and costs again; tool search is taken to find everything at once.\n\nThe definitions are those of real servers, with sentences of the same length in place of the original ones; at 3,500 tools\nsome servers are there twice.\n";
    std::fs::write(file, format!("{before}\n\n{BEGIN}\n{about}\n{table}\n{END}{after}"))?;
    Ok(())
}
