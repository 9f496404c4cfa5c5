//! What a program asks models, and tells other programs: `ask_model`, `post` and `receive`.

use std::collections::BTreeMap;

use ruff_text_size::TextRange;

use super::counting::{Count, Counting};
use super::own;
use super::{Found, Rule, ToolRisk, ToolUse};
use crate::names::Names;
use crate::tree::Tree;

/// What stands in the place of a server, as rules call it, too.
const SERVER: &str = "tidegate";
/// The functions, as rules call them.
const ASK: &str = "ask_model";
const POST: &str = "post";
const RECEIVE: &str = "receive";

/// Each of them, how often it is used, and where first.
#[derive(Default)]
pub(super) struct Asked(BTreeMap<&'static str, (Count, TextRange)>);

impl Asked {
    /// One more use.
    pub(super) fn note(&mut self, function: &'static str, count: Count, range: TextRange) {
        let known = self.0.entry(function).or_insert((Count::NEVER, range));
        known.0 = known.0.plus(count);
    }

    /// Each in the place of a tool.
    pub(super) fn judged(self, found: &mut Vec<Found>) -> Vec<ToolUse> {
        let used = self.0.into_iter().map(|(function, (count, range))| {
            if function == ASK && count.number > 0 {
                let message = "asks a model, which reads the question".to_owned();
                found.push(Found { rule: Rule::OpenWorldTool, range, message });
            }
            if function == ASK && count.unbounded {
                let message = "asks a model in a loop of unknown length; only the limit `model-tokens` bounds what that costs";
                found.push(Found { rule: Rule::ModelInLoop, range, message: message.to_owned() });
            }
            ToolUse {
                server: SERVER.to_owned(),
                tool: function.to_owned(),
                // A message stays among the programs of its owner, so that no rule is about it.
                risk: if function == ASK { ToolRisk::OpenWorld } else { ToolRisk::Write },
                trusted: true,
                calls: count.number,
                unbounded: count.unbounded,
            }
        });
        used.collect()
    }
}

/// The function that programs in TypeScript have under a name of their own.
pub(crate) fn in_typescript(name: &str) -> Option<&'static str> {
    match name {
        "askModel" => Some(ASK),
        "post" => Some(POST),
        "receive" => Some(RECEIVE),
        _ => None,
    }
}

/// Finds them, and at how many places.
pub(super) fn find<'a>(
    tree: &Tree<'a>,
    names: &Names<'a, '_>,
    counting: &mut Counting<'_, 'a, '_>,
    found: &mut Vec<Found>,
) -> (Vec<ToolUse>, u64) {
    let uses = own::uses(tree, names, &[ASK, POST, RECEIVE], counting);
    let sites = uses.len() as u64;
    let mut asked = Asked::default();
    for one in uses {
        asked.note(one.function, one.count, one.range);
    }
    (asked.judged(found), sites)
}
