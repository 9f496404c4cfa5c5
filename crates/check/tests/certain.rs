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

/// A catalog whose only tool was seen to return this.
fn learned_from(seen: &serde_json::Value) -> Catalog {
    let listing = listing(None);
    let tool = Catalog::new(vec![Arc::clone(&listing)]);
    let fingerprint = tool.tools().next().expect("a tool").fingerprint().clone();
    let mut learned = Learned::new(fingerprint.clone());
    // What was seen once could be a map whose keys change.
    for _ in 0..12 {
        learned.merge(&Learned::from_one(fingerprint.clone(), &Sight::Value(seen)));
    }
    let tools: LearnedTools = [(listing.tools[0].name.clone(), Arc::new(learned))].into();
    let learned = BTreeMap::from([(listing.server.clone(), Arc::new(tools))]);
    let catalog = Catalog::default().refreshed_with(vec![listing], &learned);
    assert!(catalog.tools().next().expect("a tool").learned().is_some());
    catalog
}

fn orders() -> Catalog {
    let order =
        json!({"id": 1, "title": "x", "assignee": null, "lines": [{"sku": "a", "price": 2.5}]});
    learned_from(&json!({"orders": [order, order], "next": null, "total": 2}))
}

#[test]
fn a_learned_type_never_blocks() {
    let begin = "from servers.s import get\nr = await get()\n";
    for rest in [
        "print(r['titel'])",
        "print(r['ordrs'])",
        "print(r['orders'][0]['titel'])",
        "r['total']['x']",
        "n = r['total']\nn['x'] + n.y + len(n) + n()",
        "for x in r['total']: print(x)",
        "r.orders\nr()\nr + 1\n-r\nr['orders'] + 1\nr['orders'].values()\nr['orders']['x']",
        "r['orders'][0]['assignee']['login']",
        "r['next'] + 'x'",
        "r['orders'][0]['lines']['sku'].upper()\n'x' + r['total']",
        "for key, value in r['orders']: print(key + 1)",
        "r['new'] = 1\nprint(r['new'])\nr['orders'].append(5)\nr['total'] = {}\nr['total']['a']",
        "a, b = r\n[x] = r['orders']\nint(r['orders'])\nsum(r)\n'%d' % r\nr[0]\nr[0:2]\nr['orders']['a':'b']",
        "await r\nawait r['total']\nasync for x in r: pass\nwith r: pass",
        "await get(**r)\nawait get(*r['total'])",
    ] {
        let source = format!("{begin}{rest}");
        assert!(!blocks(orders(), &source), "{source}");
    }
}

#[test]
fn a_field_that_was_never_seen_is_worth_a_word() {
    let checker = Checker::new(Arc::new(orders())).with_patience(Duration::from_secs(300));
    let advice = |rest: &str| {
        let source = format!("from servers.s import get\nr = await get()\n{rest}");
        let report = checker.check(&Program { source: &source, ..Program::default() });
        let said = report.findings.iter().map(|one| format!("{} {:?}", one.message, one.nearest));
        said.collect::<Vec<_>>().join("; ")
    };
    let expected = r#"no result seen so far had a field "ordrs" Some("\"orders\"")"#;
    assert_eq!(advice("print(r['ordrs'])"), expected);
    let expected = r#"no result seen so far had a field "titel" Some("\"title\"")"#;
    assert_eq!(advice("print(r['orders'][0]['titel'])"), expected);
    assert_eq!(advice("for order in r['orders']:\n    print(order['titel'])"), expected);
    assert_eq!(advice("rows = [o['titel'] for o in r['orders'] if o['id']]"), expected);
    assert_eq!(advice("print(r['orders'][0]['title'], r['total'], r['next'])"), "");
    assert_eq!(advice("r['mine'] = 1\nprint(r['mine'])"), "");
}

#[test]
fn a_field_that_was_not_declared_blocks_only_as_a_misspelt_one() {
    let open = json!({"type": "object", "properties": {"title": {"type": "string"}}});
    let catalog = Catalog::new(vec![listing(Some(open))]);
    assert!(blocks(catalog.clone(), &reads("titel")));
    assert!(!blocks(catalog, &reads("extra")));
}

#[test]
fn who_loops_over_a_dict_is_told_what_it_has() {
    let output = json!({"type": "object", "properties": {"count": {"type": "integer"}, "rows": {"type": "array"}}, "required": ["count", "rows"]});
    let checker = Checker::new(Arc::new(Catalog::new(vec![listing(Some(output))])));
    let checker = checker.with_patience(Duration::from_secs(300));
    for rest in ["for row in r:\n    print(row['name'])", "print([row['name'] for row in r])"] {
        let source = format!("from servers.s import get\nr = await get()\n{rest}");
        let report = checker.check(&Program { source: &source, ..Program::default() });
        let mut told = report.findings.iter().map(|one| format!("{} {:?}", one.message, one.valid));
        let expected = r#"it has "count", "rows""#;
        assert!(told.any(|one| one.contains(expected)), "{:#?}", report.findings);
    }
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

#[test]
fn a_field_blocks_where_the_object_is_closed_or_the_pen_slipped() {
    let with = |further: Option<bool>| {
        let mut schema = json!({"type": "object", "properties": {"state": {"type": "string"}, "title": {"type": "string"}}});
        if let Some(further) = further {
            schema["additionalProperties"] = further.into();
        }
        Catalog::new(vec![listing(Some(schema))])
    };
    // Nothing was said about further fields, or that there may be any: `status` may be one of them, `tittle` hardly.
    for (further, field, expected) in [
        (None, "status", false),
        (None, "labels", false),
        (None, "tittle", true),
        (Some(true), "tittle", true),
        (Some(true), "status", false),
        (Some(false), "status", true),
        (Some(false), "labels", true),
        (Some(false), "state", false),
    ] {
        assert_eq!(blocks(with(further), &reads(field)), expected, "{field} with {further:?}");
    }
}

#[test]
fn a_number_that_is_declared_may_be_a_whole_one() {
    let output = json!({"type": "object", "required": ["total"], "properties": {"total": {"type": "number"}}});
    for use_of_it in [
        "for i in range(n): pass",
        "print('=' * n, [None] * n, n * 'x')",
        "print(n & 1, n << 1, n | 4, n ^ 2)",
        "print(n.bit_length(), n.to_bytes(2))",
        "x = n * 2\nprint('ab' * x, range(n // 2), range(n + 1))",
    ] {
        let source =
            format!("from servers.s import get\nn = (await get())[\"total\"]\n{use_of_it}");
        assert!(!blocks(Catalog::new(vec![listing(Some(output.clone()))]), &source), "{source}");
    }
    // What neither kind of number takes still blocks.
    let source = "from servers.s import get\nn = (await get())[\"total\"]\nprint('n: ' + n)";
    assert!(blocks(Catalog::new(vec![listing(Some(output))]), source));
}

#[test]
fn what_asyncio_runs_is_on_the_main_line() {
    let body = "import asyncio\nfrom servers.s import get\nasync def main():\n    r = await get()\n    return nowhere\n";
    for end in [
        "await main()",
        "asyncio.run(main())",
        "result = asyncio.run(main())",
        "loop = asyncio.new_event_loop()\nloop.run_until_complete(main())",
    ] {
        assert!(blocks(Catalog::new(vec![listing(None)]), &format!("{body}{end}")), "{end}");
    }
    let tried = format!("{body}try:\n    asyncio.run(main())\nexcept Exception:\n    pass");
    assert!(!blocks(Catalog::new(vec![listing(None)]), &tried));
    assert!(!blocks(Catalog::new(vec![listing(None)]), &format!("{body}c = main()\nc.close()")));
}

#[test]
fn a_field_that_is_not_there_blocks_only_where_the_program_may_come() {
    let closed = json!({"type": "object", "properties": {"title": {"type": "string"}, "total": {"type": "integer"}}, "required": ["title", "total"], "additionalProperties": false});
    let catalog = || Catalog::new(vec![listing(Some(closed.clone()))]);
    let begin = "import os, sys\nfrom servers.s import get\nDEBUG = False\nr = await get()\n";
    for (rest, expected) in [
        ("print(r['size'])", true),
        ("if r['total'] > 3:\n    print(r['size'])", true),
        ("for _ in range(r['total']):\n    print(r['size'])", true),
        ("if os.environ.get('X'):\n    print(r['titel'])", true),
        ("if os.environ.get('X'):\n    print(r['size'])", false),
        ("if 'error' in r:\n    print(r['message'])", false),
        ("if isinstance(r, list):\n    print(r['size'])", false),
        ("if DEBUG:\n    print(r['titel'])", false),
        ("if False:\n    print(r['titel'])", false),
        ("if not DEBUG:\n    pass\nelse:\n    print(r['titel'])", false),
        ("if sys.version_info < (3, 8):\n    print(r['titel'])", false),
        ("print(DEBUG and r['titel'])", false),
        ("def f():\n    return 1\n    return r['titel']\nf()", false),
        ("def f():\n    return r['titel']\n", false),
        ("def f():\n    return r['titel']\ndef g():\n    return f()\n", false),
        ("class A:\n    def f(self):\n        return r['titel']\nA()", false),
        ("class A:\n    def f(self):\n        return r['titel']\nA().f()", true),
        ("for _ in range(3):\n    continue\n    print(r['titel'])", false),
        ("try:\n    print(r['titel'])\nexcept KeyError:\n    pass", false),
        ("try:\n    print(r['titel'])\nexcept ValueError:\n    pass", true),
        ("assert r, r['titel']", false),
    ] {
        assert_eq!(blocks(catalog(), &format!("{begin}{rest}")), expected, "{rest}");
    }
}

#[test]
fn skills_are_known_only_when_the_program_runs() {
    for source in [
        "from skills import high_spenders, high_spenders_v2 as old\nprint(await high_spenders(5) + old(minimum=5))",
        "import skills\nprint(skills.high_spenders(5), dir(skills))",
        "def twice(n):\n    return 2 * n\nsaved = await save_skill('twice', twice, examples=[{'n': 4}])\nprint(saved['version'], search_skills('twice')[0]['name'])",
        "from skills import save_skill, search_skills\nawait save_skill('f', 'def f(): pass', 'Nothing.', scope='team:ops')\nprint(search_skills())",
    ] {
        assert!(!blocks(Catalog::new(vec![listing(None)]), source), "{source}");
    }
    assert!(blocks(
        Catalog::new(vec![listing(None)]),
        "from skill import high_spenders\nhigh_spenders(5)"
    ));
}
