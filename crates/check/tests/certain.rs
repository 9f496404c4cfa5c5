//! What must not block: results that are other than before, objects that may hold more, and names
//! of Python's own that are something else by now.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use catalog::learned::Sight;
use catalog::{Catalog, Learned, LearnedTools, Listing};
use check::{Checker, Given, Program};
use serde_json::{Value, json};

fn listing(output: Option<Value>) -> Arc<Listing> {
    let mut tool = json!({"name": "get", "inputSchema": {"type": "object"}});
    if let Some(output) = output {
        tool["outputSchema"] = output;
    }
    Arc::new(serde_json::from_value(json!({"server": "s", "tools": [tool]})).expect("a listing"))
}

fn blocks(catalog: Catalog, source: &str) -> bool {
    let checker = Checker::new(Arc::new(catalog)).with_patience(Duration::from_secs(300));
    checker.check(&Program { source, ..Program::default() }).blocks()
}

fn reads(field: &str) -> String {
    format!("from servers.s import get\nr = await get()\nprint(r[{field:?}])")
}

#[test]
fn a_learned_type_never_blocks() {
    let listing = listing(None);
    let tool = Catalog::new(vec![Arc::clone(&listing)]);
    let fingerprint = tool.tools().next().unwrap().fingerprint().clone();
    let seen = json!({"id": 1, "title": "x", "assignee": null});
    let learned = Learned::from_one(fingerprint, &Sight::Value(&seen));
    let tools: LearnedTools = [(listing.tools[0].name.clone(), Arc::new(learned))].into();
    let learned = BTreeMap::from([(listing.server.clone(), Arc::new(tools))]);
    let catalog = Catalog::default().refreshed_with(vec![listing], &learned);
    assert!(catalog.tools().next().unwrap().learned().is_some());
    for source in [reads("titel"), reads("note"), reads("assignee") + "\nr['assignee']['login']"] {
        assert!(!blocks(catalog.clone(), &source), "{source}");
    }
}

#[test]
fn a_field_that_was_not_declared_blocks_only_as_a_misspelt_one() {
    let open = json!({"type": "object", "properties": {"title": {"type": "string"}}});
    let catalog = Catalog::new(vec![listing(Some(open))]);
    assert!(blocks(catalog.clone(), &reads("titel")));
    assert!(!blocks(catalog, &reads("extra")));
}

#[test]
fn an_object_of_which_nothing_is_said_may_hold_anything() {
    for output in [json!({"type": "object"}), json!({"type": "object", "properties": {}})] {
        let catalog = Catalog::new(vec![listing(Some(output.clone()))]);
        assert!(!blocks(catalog, &reads("a")), "{output}");
    }
}

#[test]
fn a_name_of_pythons_own_may_be_given_or_made_another() {
    let checker = Checker::new(Arc::default()).with_patience(Duration::from_secs(300));
    for source in ["input['a']", "hash[:1]", "[x for x in all]", "filter['a']"] {
        let names = ["input", "hash", "all", "filter"].map(str::to_owned);
        for names in [Given::Names(&names), Given::Unknown] {
            let report = checker.check(&Program { source, names, ..Program::default() });
            assert!(!report.blocks(), "{source}: {}", report.for_model());
        }
    }
    let report = checker.check(&Program { source: "len(5) + 'x'", ..Program::default() });
    assert!(report.blocks(), "without such a name it is certain");
}
