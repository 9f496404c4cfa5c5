//! A program in TypeScript reviewed before it runs: by the same rules, from what was read of it.

use std::collections::BTreeMap;

use ruff_text_size::TextRange;
use typescript::{Construct, Reading};

use super::counting::Count;
use super::minds::Asked;
use super::touched::Seen;
use super::{Estimates, Found, MANY_LINES, MANY_NODES, MOST_TOOLS, Review, Rule, Rules, told};
use crate::place::Lines;
use crate::script::{Called, range};

/// Modules that every program may import: they are ours.
const OURS: [&str; 4] = ["servers", "skills", "tidegate", "tool_discovery"];

/// Reviews a program whose calls are known.
pub(crate) fn review(
    reading: &Reading,
    called: &[Called<'_>],
    lines: &Lines<'_>,
    rules: &Rules,
) -> Review {
    let mut found = Vec::new();
    imports(reading, rules, &mut found);
    for (construct, at) in &reading.constructs {
        let (rule, message) = match construct {
            Construct::DynamicExecution => (Rule::DynamicExecution, "runs text as code"),
            Construct::DynamicImport => {
                (Rule::DynamicImport, "imports a module whose name is made while it runs")
            }
        };
        found.push(Found { rule, range: range(*at), message: message.to_owned() });
    }
    let mut seen: BTreeMap<(&str, &str), Seen<'_>> = BTreeMap::new();
    let (mut asked, mut others, mut sites) = (Asked::default(), Count::NEVER, 0);
    for (call, called) in reading.calls.iter().zip(called) {
        let (count, at) = (Count { number: 1, unbounded: call.is_repeated }, range(call.range));
        match *called {
            Called::Tool(tool) => {
                let key = (tool.server().0.as_str(), tool.name().0.as_str());
                let one = Seen { tool, count: Count::NEVER, range: at };
                let seen = seen.entry(key).or_insert(one);
                seen.count = seen.count.plus(count);
            }
            Called::Unlisted => {
                others = others.plus(count);
                let message = "calls a tool of a server that has not said what it offers";
                found.push(Found {
                    rule: Rule::UnknownTool,
                    range: at,
                    message: message.to_owned(),
                });
            }
            Called::Any => {
                others = others.plus(count);
                let message = "calls a tool whose name is made while it runs";
                found.push(Found { rule: Rule::AnyTool, range: at, message: message.to_owned() });
            }
            Called::Own(function) => asked.note(function, count, at),
            Called::Nothing => continue,
        }
        sites += 1;
    }
    let mut tools: Vec<_> = seen.into_values().map(|one| one.judged(rules, &mut found)).collect();
    tools.extend(asked.judged(&mut found));
    let mut estimates = Estimates {
        calls: others.number,
        unbounded: others.unbounded,
        call_sites: sites,
        loops: reading.loops,
        functions: reading.functions,
        lines: reading.lines(),
        nodes: reading.nodes,
    };
    for one in &tools {
        estimates.calls = estimates.calls.saturating_add(one.calls);
        estimates.unbounded |= one.unbounded;
    }
    if estimates.lines > MANY_LINES || estimates.nodes > MANY_NODES {
        let message = format!("has {} lines, more than people read", estimates.lines);
        found.push(Found { rule: Rule::LargeProgram, range: TextRange::default(), message });
    }
    tools.truncate(MOST_TOOLS);
    let (violations, more) = told(found, lines);
    Review { violations, more, tools, estimates, ..Review::default() }.judged()
}

/// Where a level lists what may be imported, files of the workspace are none of it: the guest refuses them, too.
fn imports(reading: &Reading, rules: &Rules, found: &mut Vec<Found>) {
    let Some(allowed) = &rules.imports else { return };
    for import in &reading.imports {
        let name = &import.specifier.name;
        let root = name.trim_start_matches('/').split('/').next().unwrap_or_default();
        if OURS.contains(&root) || allowed.iter().any(|one| one == name) {
            continue;
        }
        let message = format!("imports `{name}`, which this level does not list");
        let range = range(import.specifier.range);
        found.push(Found { rule: Rule::ImportNotAllowed, range, message });
    }
}
