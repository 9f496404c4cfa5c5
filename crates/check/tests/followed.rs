//! Mistakes that are a step away from the call: in what a function of the program's own returns, in
//! lists that results were put into, in arguments made by a comprehension, in a future.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use catalog::{Catalog, Listing};
use check::{Checker, Given, Program, Report};
use serde_json::{Value, json};

fn object(fields: &Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": fields, "required": required, "additionalProperties": false})
}

/// A shop that says exactly what it takes and gives.
fn shop() -> Arc<Catalog> {
    let text = json!({"type": "string"});
    let lines = json!({"type": "array", "minItems": 1, "items": object(
        &json!({"sku": text, "quantity": {"type": "integer", "minimum": 1}}),
        &["sku", "quantity"],
    )});
    let order = object(
        &json!({"id": text, "total": {"type": "number"}, "lines": lines}),
        &["id", "total", "lines"],
    );
    let orders = object(&json!({"orders": {"type": "array", "items": order}}), &["orders"]);
    let tools = json!([
        {"name": "list_orders", "inputSchema": object(&json!({}), &[]), "outputSchema": orders},
        {"name": "get_order", "inputSchema": object(&json!({"order_id": text}), &["order_id"]), "outputSchema": order},
        {"name": "create_order", "inputSchema": object(&json!({"lines": lines}), &["lines"]), "outputSchema": order},
    ]);
    let listing: Listing =
        serde_json::from_value(json!({"server": "shop", "tools": tools})).expect("a listing");
    Arc::new(Catalog::new(vec![Arc::new(listing)]))
}

fn check(source: &str) -> Report {
    let source = format!(
        "import asyncio\nfrom functools import partial\nfrom servers.shop import *\n{source}"
    );
    checker().check(&Program { source: &source, ..Program::default() })
}

/// One for all tests: what it has read it need not read again.
fn checker() -> &'static Checker {
    static MADE: LazyLock<Checker> =
        LazyLock::new(|| Checker::new(shop()).with_patience(Duration::from_secs(300)));
    &MADE
}

/// The codes of what blocks.
fn blocking(source: &str) -> Vec<&'static str> {
    check(source).blocking().map(|finding| finding.code.name()).collect()
}

#[test]
fn a_field_is_followed_through_functions_lists_and_dicts() {
    for source in [
        "async def load(): return await list_orders()\nprint((await load())['ordrs'])",
        "async def load():\n    data = await list_orders()\n    return data['orders']\nfor order in await load(): print(order['totl'])",
        "async def one(i):\n    async with asyncio.Semaphore(1):\n        return await get_order(i)\nasync def main():\n    found = await asyncio.gather(*[one(i) for i in 'ab'])\n    print(found[0]['totl'])\nawait main()",
        "async def one(i): return await get_order(i)\ntask = asyncio.create_task(one('a'))\norder = await task\nprint(order['totl'])",
        "found = []\nfor i in 'ab': found.append(await get_order(i))\nprint(found[0]['totl'])",
        "found = []\nfound.extend((await list_orders())['orders'])\nprint(sum(one['totl'] for one in found))",
        "found = {}\nfor i in 'ab': found[i] = await get_order(i)\nprint([one['totl'] for one in found.values()])",
        "found = {}\nasync def one(i):\n    if i not in found: found[i] = await get_order(i)\n    return found[i]\nprint((await one('a'))['totl'])",
        "def line(order): return order['totl']\nfor order in (await list_orders())['orders']: print(line(order))",
        "order = await call_mcp_tool('shop', 'get_order', {'order_id': 'a'})\nprint(order['totl'])",
        "order = call_mcp_tool('mcp__shop__get_order', order_id='a')\nprint(order['totl'])",
    ] {
        assert_eq!(blocking(source), ["unknown-field"], "{source}");
    }
}

#[test]
fn what_may_also_be_something_else_is_not_followed() {
    for source in [
        "async def load(i):\n    if i: return await list_orders()\n    return {'ordrs': []}\nprint((await load(0))['ordrs'])",
        "async def load():\n    data = await list_orders()\n    data['ordrs'] = data['orders']\n    return data\nprint((await load())['ordrs'])",
        "async def load(): return await list_orders()\nasync def load(): return {'ordrs': 1}\nprint((await load())['ordrs'])",
        "found = []\nfound.append(await get_order('a'))\nfound.append({'totl': 1})\nprint(found[1]['totl'])",
        "found = []\nother = found\nfound.append(await get_order('a'))\nother.append({'totl': 1})\nprint(found[1]['totl'])",
        "def line(order): return order['totl']\nprint(line(await get_order('a')) if False else line({'totl': 1}))",
        "text = await call_mcp_tool('shop', 'get_order', {'order_id': 'a'}, str)\nprint(text[0], text.strip())",
        "async def load(): return await list_orders()\nglobals()['load'] = lambda: None\nprint((await load())['ordrs'])",
    ] {
        assert_eq!(blocking(source), [""; 0], "{source}\n{}", check(source).for_model());
    }
}

#[test]
fn in_a_session_earlier_functions_may_put_something_into_a_list() {
    let source = "from servers.shop import get_order\nfound = []\nfound.append(await get_order('a'))\nfill()\nprint(found[-1]['totl'])";
    let report = checker().check(&Program { source, names: Given::Unknown, ..Program::default() });
    assert!(!report.blocks(), "{}", report.for_model());
}

#[test]
fn an_argument_is_followed_into_comprehensions_partials_and_wrappers() {
    for (source, code) in [
        ("await create_order(lines=[{'sku': s, 'qty': 1} for s in 'ab'])", "unknown-argument"),
        ("await create_order(lines=[{'sku': s} for s in 'ab'])", "missing-argument"),
        ("await create_order(lines=[{'sku': s, 'quantity': '1'} for s in 'ab'])", "wrong-type"),
        (
            "lines = [{'sku': s, 'quantity': 0} for s in 'ab']\nawait create_order(lines=lines)",
            "wrong-value",
        ),
        ("name = input\nawait create_order(lines=[{'sku': name, 'quantity': '1'}])", "wrong-type"),
        (
            "await call_mcp_tool('shop', 'create_order', {'lines': [{'sku': s} for s in 'ab']})",
            "missing-argument",
        ),
        ("one = partial(get_order, oder_id='a')\nawait one()", "unknown-argument"),
        ("one = partial(get_order)\nawait one(oder_id='a')", "unknown-argument"),
        ("async def one(i): return await get_order(order_id=i)\nawait one(7)", "wrong-type"),
        (
            "async def one(i): return await get_order(i)\nawait one(i=(await get_order('a'))['total'])",
            "wrong-type",
        ),
    ] {
        assert!(blocking(source).contains(&code), "{source}\n{}", check(source).for_model());
    }
    for source in [
        "await create_order(lines=[{'sku': s, 'quantity': 1} for s in 'ab' if s > 'c'])",
        "more = {'quantity': 1}\nawait create_order(lines=[{'sku': s, **more} for s in 'ab'])",
        "lines = [{'sku': s} for s in 'ab']\nfor line in lines: line['quantity'] = 1\nawait create_order(lines=lines)",
        "async def one(i):\n    if isinstance(i, int): i = str(i)\n    return await get_order(order_id=i)\nawait one(7)",
        "async def one(i): return await get_order(order_id=i)\nasync def safe(call):\n    try: return await call\n    except TypeError: return None\nawait safe(one(7))",
        "one = partial(get_order, order_id=7)\nawait one(order_id='a')",
    ] {
        assert_eq!(blocking(source), [""; 0], "{source}\n{}", check(source).for_model());
    }
}

#[test]
fn a_future_is_not_its_result() {
    let made = "rs = asyncio.gather(get_order('a'), get_order('b'))\n";
    for rest in [
        "print(rs[0])",
        "print(len(rs))",
        "for r in rs: print(r)",
        "print([r['id'] for r in rs])",
        "print(sum(r['total'] for r in rs))",
        "for i, r in enumerate(rs): print(i, r)",
        "for i, r in zip(['a', 'b'], rs): print(i, r)",
        "a, b = rs",
        "print(sorted(rs))",
    ] {
        assert_eq!(blocking(&format!("{made}{rest}")), ["missing-await"], "{rest}");
    }
    for rest in [
        "for r in await rs: print(r['id'])",
        "await rs\nfor r in rs: print(r)\nprint(rs.result()[0]['id'])",
        "await asyncio.sleep(1)\nprint([r for r in rs])",
        "for r in rs: break",
        "rs = await rs\nprint(rs[0]['id'], len(rs))",
        "if rs.done(): print(rs[0])",
        "try: print(rs[0])\nexcept TypeError: print((await rs)[0])",
        "for i, r in zip([], rs): print(i, r)",
    ] {
        assert_eq!(blocking(&format!("{made}{rest}")), [""; 0], "{rest}");
    }
}

#[test]
fn a_literal_is_looked_into_where_nothing_changes_it() {
    for source in [
        "d = {'a': 1}\nprint(d['b'])",
        "d = {'a': 1, 2: 3}\ndef f(): return d[3]\nprint(f())",
        "print([1, 2][2])",
        "xs = [1, 2]\nprint(xs[-3])",
        "print(sorted([1], len))",
        "print(f\"{'x':.2f}\")",
        "print(f'{None:>3}')",
        "print(search_tools(q='x'))",
        "print(await ask_model('why?', shema={}))",
        "print(await ask_model())",
        "await post('work')",
        "print(await receive('work', wait=5))",
        "print(summarize([1], 'schema', 100, 5))",
    ] {
        assert_eq!(blocking(source), ["certain-crash"], "{source}");
    }
    let given = ["d".to_owned(), "summarize".to_owned()];
    let source = "if summarize(text='x'):\n    d = {'a': 1}\nprint(d['b'])";
    for names in [Given::Names(&given), Given::Unknown] {
        let report = checker().check(&Program { source, names, ..Program::default() });
        assert!(!report.blocks(), "{}", report.for_model());
    }
}
