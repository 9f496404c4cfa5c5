//! What holds for whatever comes back: it fits, it is small, and nothing of it is kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::sight::{DENSE, MOST_VALUES, SPARE};
use super::{Learned, MAX_BYTES, Shape, Sight};
use crate::schema::{self, Schema};
use crate::{Catalog, Fingerprint, Listing, Tool, ToolName};

fn fingerprint(description: &str) -> Fingerprint {
    let tool = json!({"name": "f", "description": description});
    Fingerprint::of(&serde_json::from_value::<Tool>(tool).unwrap())
}

fn one(value: &Value) -> Learned {
    Learned::from_one(fingerprint("a"), &Sight::Value(value))
}

/// What is learned from these results, one after the other.
fn learned(results: &[Value]) -> Learned {
    let mut learned = Learned::new(fingerprint("a"));
    for result in results {
        learned.merge(&one(result));
    }
    learned
}

/// The type in a form to be read: objects in braces, `?` after what may be absent.
fn shown(results: &[Value]) -> String {
    let schema = learned(results).schema();
    written(&schema, &schema.root)
}

fn written(schema: &Schema, shape: &schema::Shape) -> String {
    use schema::Shape as S;
    let of = |shape: &S| written(schema, shape);
    match shape {
        S::Any => "any".into(),
        S::Null => "null".into(),
        S::Boolean => "bool".into(),
        S::Integer => "int".into(),
        S::Number => "float".into(),
        S::String => "str".into(),
        S::Literal(values) => values.iter().map(Value::to_string).collect::<Vec<_>>().join("|"),
        S::List(item) => format!("[{}]", of(item)),
        S::Map(value) => format!("{{*: {}}}", of(value)),
        S::Union(shapes) => shapes.iter().map(of).collect::<Vec<_>>().join(" | "),
        S::Tuple { .. } => unreachable!("nothing is learned as a tuple"),
        S::Object(index) => {
            let object = &schema.definitions[*index];
            let field = |field: &schema::Field| {
                let mark = if field.required { "" } else { "?" };
                let rules = field.rules.iter().map(|rule| format!(" ({rule})"));
                format!("{}{mark}: {}{}", field.name, of(&field.shape), rules.collect::<String>())
            };
            let mut fields: Vec<String> = object.fields.iter().map(field).collect();
            fields.extend(object.extra.iter().map(|extra| format!("*: {}", of(extra))));
            format!("{{{}}}", fields.join(", "))
        }
    }
}

/// Whether a value is of a type. Nothing but what the type says is allowed.
fn fits(schema: &Schema, shape: &schema::Shape, value: &Value) -> bool {
    use schema::Shape as S;
    match (shape, value) {
        (S::Any, _)
        | (S::Null, Value::Null)
        | (S::Boolean, Value::Bool(_))
        | (S::Number, Value::Number(_))
        | (S::String, Value::String(_)) => true,
        (S::Integer, Value::Number(number)) => !number.is_f64(),
        (S::Literal(values), value) => values.contains(value),
        (S::List(item), Value::Array(items)) => items.iter().all(|value| fits(schema, item, value)),
        (S::Map(inner), Value::Object(map)) => map.values().all(|value| fits(schema, inner, value)),
        (S::Union(shapes), value) => shapes.iter().any(|shape| fits(schema, shape, value)),
        (S::Object(index), Value::Object(map)) => {
            let object = &schema.definitions[*index];
            let there = |field: &schema::Field| map.contains_key(&field.name) || !field.required;
            object.fields.iter().all(there)
                && map.iter().all(|(key, value)| {
                    let field = object.fields.iter().find(|field| field.name == *key);
                    let shape = field.map(|field| &field.shape).or(object.extra.as_ref());
                    shape.is_some_and(|shape| fits(schema, shape, value))
                })
        }
        _ => false,
    }
}

fn assert_fits(learned: &Learned, value: &Value) {
    let schema = learned.schema();
    let said = written(&schema, &schema.root);
    assert!(fits(&schema, &schema.root, value), "{value} does not fit {said}");
}

#[test]
fn fields_are_known_after_two_sightings_and_optional_when_once_absent() {
    let first = json!({"id": 1, "title": "a", "owner": null});
    assert_snapshot!(shown(std::slice::from_ref(&first)), @"{*: str | int | null}");
    let second = json!({"id": 2, "title": "b", "owner": {"login": "ada"}});
    assert_snapshot!(
        shown(&[first.clone(), second.clone()]),
        @"{id: int, owner: {*: str} | null, title: str}"
    );
    let third = json!({"id": 2.5, "owner": {"login": "bob"}});
    assert_snapshot!(
        shown(&[first, second, third]),
        @"{id: float, owner: {login: str} | null, title?: str (in 2 of 3)}"
    );
}

#[test]
fn one_list_of_records_is_enough_to_know_them() {
    let result = json!([{"id": 1, "tags": ["x"]}, {"id": 2, "tags": []}, {"id": 3}]);
    assert_snapshot!(shown(&[result]), @"[{id: int, tags?: [str] (in 2 of 3)}]");
}

#[test]
fn results_of_different_kinds_are_a_union() {
    let results = [json!("none"), json!([1, "a"]), json!(null), json!({"a": 1}), json!({"a": 2})];
    assert_snapshot!(shown(&results), @"{a: int} | [str | int] | str | null");
    assert_snapshot!(shown(&[json!([])]), @"[any]");
}

#[test]
fn keys_that_are_addresses_dates_or_ids_make_a_map_at_once() {
    let by_address =
        json!({"ada@example.com": {"age": 1, "on": true}, "b@c.d": {"age": 2, "on": true}});
    assert_snapshot!(shown(&[by_address]), @"{*: {age: int, on: bool}}");
    let by_day = json!({"2024-01-31": 3, "2024-02-01": 4.5});
    assert_snapshot!(shown(&[by_day]), @"{*: float}");
}

#[test]
fn keys_that_look_like_names_are_a_map_once_they_change() {
    let people = |names: &[&str]| -> Value {
        names.iter().map(|name| ((*name).to_owned(), json!({"age": 1, "city": "x"}))).collect()
    };
    let results = [people(&["ada", "bob", "cyd", "dan"]), people(&["ada", "bob", "cyd", "dan"])];
    assert_snapshot!(shown(&results), @"{*: {age: int, city: str}}");

    let word = |number: usize| {
        let letters =
            [number / 26, number % 26].map(|at| char::from(b'a' + u8::try_from(at).unwrap()));
        letters.iter().collect::<String>()
    };
    let count =
        |begin: usize| -> Value { (begin..begin + 4).map(|n| (word(n), json!(n))).collect() };
    let results: Vec<Value> = (0..30).map(|n| count(n * 3)).collect();
    let learned = learned(&results);
    assert_eq!(written(&learned.schema(), &learned.schema().root), "{*: int}");
    let stored = serde_json::to_string(&learned).unwrap();
    assert!(!stored.contains("\"t\""), "{stored}");
}

#[test]
fn stable_fields_beside_changing_keys_stay_fields() {
    let results = [
        json!({"total": 1, "count": 1, "a@b.c": "x"}),
        json!({"total": 2, "count": 1, "d@e.f": "y"}),
    ];
    assert_snapshot!(shown(&results), @"{count: int, total: int, *: str}");
}

/// Issues with these states, ten of each.
fn issues(states: &[&str]) -> Value {
    let issue = |state: &&str| json!({"state": state, "assignee": state});
    std::iter::repeat_n(states, 10).flatten().map(issue).collect()
}

#[test]
fn a_category_is_known_by_its_values_when_they_are_few_and_stable() {
    let page = issues(&["open", "closed"]);
    let results = vec![page.clone(); 3];
    assert_snapshot!(shown(&results[..2]), @"[{assignee: str, state: str}]");
    assert_snapshot!(shown(&results), @r#"[{assignee: str, state: "closed"|"open"}]"#);
}

#[test]
fn a_new_value_of_a_category_is_let_in_when_it_comes_back() {
    let mut results = vec![issues(&["open", "closed"]); 3];
    results.push(json!([{"state": "merged", "assignee": "x"}]));
    assert_snapshot!(shown(&results), @"[{assignee: str, state: str}]");
    results.extend(vec![results[3].clone(); 2]);
    assert_snapshot!(shown(&results), @r#"[{assignee: str, state: "closed"|"merged"|"open"}]"#);
}

#[test]
fn one_value_too_many_and_a_category_is_text_for_good() {
    let nine = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
    let mut results = vec![issues(&nine)];
    results.extend(vec![issues(&["a", "b"]); 30]);
    assert_snapshot!(shown(&results), @"[{assignee: str, state: str}]");
    let mut results = vec![issues(&["open", "no such state"])];
    results.extend(vec![issues(&["open", "closed"]); 30]);
    let learned = learned(&results);
    let stored = serde_json::to_string(&learned).unwrap();
    assert!(!stored.contains("open") && !stored.contains("no such"), "{stored}");
}

#[test]
fn one_value_that_is_always_the_same_is_not_kept() {
    let results = vec![issues(&["alice"]); 30];
    assert_snapshot!(shown(&results), @"[{assignee: str, state: str}]");
    assert!(!serde_json::to_string(&learned(&results)).unwrap().contains("alice"));
}

#[test]
fn words_wait_as_marks_in_the_store_and_qualify_across_it() {
    let mut learned = Learned::new(fingerprint("a"));
    for _ in 0..2 {
        learned.merge(&one(&issues(&["open", "closed"])));
        let stored = serde_json::to_string(&learned).unwrap();
        assert!(!stored.contains("open"), "{stored}");
        learned = serde_json::from_str(&stored).unwrap();
    }
    learned.merge(&one(&issues(&["open", "closed"])));
    assert_eq!(
        written(&learned.schema(), &learned.schema().root),
        r#"[{assignee: str, state: "closed"|"open"}]"#
    );
}

#[test]
fn another_definition_of_the_tool_starts_again() {
    let mut known = learned(&[json!({"a": 1}), json!({"a": 1})]);
    let other = Learned::from_one(fingerprint("b"), &Sight::Text("x"));
    let before = known.clone();
    known.merge(&other);
    assert_eq!(known, before);
}

#[test]
fn a_catalog_shows_what_was_learned_about_this_very_definition_and_shares_the_rest() {
    let listing = |server: &str| {
        let tools = json!([{"name": "f", "description": "a"}, {"name": "g"}]);
        let listing = json!({"server": server, "tools": tools});
        Arc::new(serde_json::from_value::<Listing>(listing).unwrap())
    };
    let listings = vec![listing("one"), listing("other")];
    let learned = Arc::new(learned(&[json!([1])]));
    let tools = ["f", "g"].map(|name| (ToolName(name.to_owned()), Arc::clone(&learned)));
    let tools = BTreeMap::from([(listings[0].server.clone(), Arc::new(BTreeMap::from(tools)))]);
    let before = Catalog::new(listings.clone());
    let after = before.refreshed_with(listings.clone(), &tools);
    let results: Vec<bool> = after.tools().map(|tool| tool.result().is_some()).collect();
    // The fingerprint is that of `f`; `g` is another tool.
    assert_eq!(results, [true, false, false, false]);
    let shared = |one: &Catalog, other: &Catalog| {
        let pairs = one.shared_servers().iter().zip(other.shared_servers());
        pairs.map(|(one, other)| Arc::ptr_eq(one, other)).collect::<Vec<_>>()
    };
    assert_eq!(shared(&before, &after), [false, true]);
    assert_eq!(shared(&after, &after.refreshed_with(listings, &tools)), [true, true]);
}

#[test]
fn a_type_is_settled_when_many_results_added_nothing() {
    let mut known = learned(&[json!({"a": 1}), json!({"a": 2})]);
    (0..99).for_each(|_| known.merge(&one(&json!({"a": 3}))));
    assert!(!known.is_settled());
    known.merge(&one(&json!({"a": 3})));
    assert!(known.is_settled());
    assert_eq!((known.seen(), known.changed_at()), (102, 2));
    known.merge(&one(&json!({"a": "text"})));
    assert!(!known.is_settled());
    assert_eq!(known.changed_at(), 103);
}

#[test]
fn a_key_that_is_there_twice_counts_once() {
    let twice = Sight::Json(r#"[{"a": 1, "a": 2}, {"b": 1}, {"b": 2}]"#);
    let schema = Learned::from_one(fingerprint("a"), &twice).schema();
    assert_eq!(written(&schema, &schema.root), "[{b?: int (in 2 of 3), *: int}]");
}

#[test]
fn parts_are_a_list_and_what_cannot_be_read_is_anything() {
    let schema = |sight: &Sight<'_>| {
        let schema = Learned::from_one(fingerprint("a"), sight).schema();
        written(&schema, &schema.root)
    };
    let parts = Sight::Several(vec![Sight::Text("x"), Sight::Json("[1]"), Sight::Nothing]);
    assert_eq!(schema(&parts), "[[int] | str | null]");
    assert_eq!(schema(&Sight::Several(vec![Sight::Text("x"), Sight::Opaque])), "[any]");
    assert_eq!(schema(&Sight::Json("{\"a\": ")), "any");
    assert_eq!(schema(&Sight::Json(&"[".repeat(100_000))), "any");
}

#[test]
fn what_is_too_deep_is_anything_and_still_fits() {
    let deep = (0..60).fold(json!(1), |inner, _| json!([inner]));
    let learned = learned(std::slice::from_ref(&deep));
    assert_fits(&learned, &deep);
    assert!(serde_json::to_string(&learned).unwrap().len() < 1_000);
}

#[test]
fn a_long_list_is_sampled_the_same_way_each_time() {
    let mut items: Vec<Value> = (0..50_000).map(|_| json!({"a": 1, "b": "x"})).collect();
    items[DENSE - 1] = json!({"a": 1.5, "b": "x"});
    let long = Value::Array(items);
    let shape = Shape::of(&Sight::Value(&long));
    assert_eq!(shape, Shape::of(&Sight::Json(&long.to_string())));
    let seen = shape.items.as_ref().unwrap().object.as_ref().unwrap().seen;
    assert!((1_000..10_000).contains(&seen), "{seen} items were looked at");
    assert_eq!(shown(&[long]), "[{a: float, b: str}]");
}

#[test]
fn no_more_than_so_many_values_are_looked_at() {
    let row: Value = (0..900).collect();
    let table: Value = std::iter::repeat_n(row, 900).collect();
    let mut budget = MOST_VALUES + SPARE;
    let mut shape = Shape::default();
    shape.look(&Sight::Value(&table), &mut budget);
    assert_eq!(budget, SPARE);
    assert_eq!(shown(&[table]), "[[int]]");
}

#[test]
fn records_in_records_without_end_are_given_up_and_still_fit() {
    let letter = |number: usize| char::from(b'a' + u8::try_from(number).unwrap());
    let key = |number: usize| format!("k{}{}", letter(number / 26), letter(number % 26));
    let record = |inner: &Value| -> Value { (0..60).map(|n| (key(n), inner.clone())).collect() };
    let mut value = record(&record(&record(&json!(1))));
    value["text"] = json!("x");
    let mut budget = MOST_VALUES + SPARE;
    Shape::default().look(&Sight::Value(&value), &mut budget);
    assert_eq!(budget, 0);
    let learned = learned(&[value.clone(), value.clone()]);
    assert_fits(&learned, &value);
    assert!(learned.shape().weight() <= MAX_BYTES);
}

#[test]
fn a_shape_that_would_be_too_large_loses_what_is_deepest() {
    let word =
        |number: usize| format!("field_{}", char::from(b'a' + u8::try_from(number).unwrap()));
    let record = |inner: &Value| -> Value { (0..20).map(|n| (word(n), inner.clone())).collect() };
    let mut value = json!({"x": 1});
    for _ in 0..3 {
        // A text beside the records keeps them from being a map of records.
        value = record(&value);
        value["name"] = json!("x");
    }
    let learned = learned(&[value.clone(), value.clone()]);
    assert_fits(&learned, &value);
    assert!(serde_json::to_string(learned.shape()).unwrap().len() <= MAX_BYTES);
    let root = learned.schema();
    assert!(root.definitions[0].fields.len() == 21, "{}", written(&root, &root.root));
}

#[test]
fn a_file_that_says_what_we_never_write_is_refused() {
    let good = learned(&[json!({"state": "a", "b": [1]}), json!({"state": "a", "b": [1]})]);
    let good = serde_json::to_value(&good).unwrap();
    assert!(serde_json::from_value::<Learned>(good.clone()).is_ok());
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut changed = good.clone();
        change(&mut changed);
        assert_ne!(changed, good);
        serde_json::from_value::<Learned>(changed).unwrap_err().to_string()
    };
    let key = |value: &Value| -> String {
        value["shape"]["o"]["k"].as_object().unwrap().keys().next().unwrap().clone()
    };
    refused(&|value| value["more"] = json!(1));
    refused(&|value| value["fingerprint"] = json!("x"));
    refused(&|value| value["steady"] = json!(99));
    refused(&|value| value["shape"]["v"] = json!(64));
    refused(&|value| value["shape"]["v"] = json!(16));
    refused(&|value| value["shape"]["o"]["c"] = json!(true));
    let at = key(&good);
    refused(&|value| value["shape"]["o"]["k"][&at]["n"] = json!(3));
    refused(&|value| value["shape"]["o"]["k"][&at]["t"] = json!("a@b.c"));
    refused(&|value| value["shape"]["o"]["k"][&at]["t"] = json!("another"));
    let deep = (0..30).fold(json!({"v": 1}), |inner, _| json!({"l": inner}));
    refused(&|value| value["shape"] = deep.clone());
    let many: Map<String, Value> =
        (0..201).map(|mark| (mark.to_string(), json!({"n": 1, "s": {}}))).collect();
    refused(&|value| value["shape"] = json!({"o": {"n": 1, "k": many}}));
    let texts: Map<String, Value> =
        (0..9).map(|mark| (mark.to_string(), json!([1, null]))).collect();
    refused(&|value| value["shape"] = json!({"t": {"n": 9, "r": 1, "w": texts}}));
}

/// Texts, some of which repeat and some of which must never be kept.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec!["open", "closed", "in_progress", "p1"]).prop_map(str::to_owned),
        2 => "[a-z]{1,6}@[a-z]{1,6}\\.com",
        1 => "sk-[a-zA-Z0-9]{20}",
        1 => any::<String>(),
    ]
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => prop::sample::select(vec!["id", "title", "state", "kind", "user", "items"])
            .prop_map(str::to_owned),
        1 => "[a-z]{1,3}",
        1 => "20[0-9]{2}-[01][0-9]-[0-3][0-9]",
        1 => any::<String>(),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((key(), inner), 0..8)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn values() -> impl Strategy<Value = Vec<Value>> {
    // The same few results many times over, as real tools give them.
    prop::collection::vec((value(), 1_usize..9), 1..5)
        .prop_map(|some| some.into_iter().flat_map(|(value, times)| vec![value; times]).collect())
}

fn keys_of(value: &Value, keys: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            keys.push(key.clone());
            keys_of(value, keys);
        }),
        Value::Array(list) => list.iter().for_each(|value| keys_of(value, keys)),
        _ => {}
    }
}

/// Merges neighbours until one is left: an order that has nothing to do with the usual one.
fn merged_in_pairs(mut all: Vec<Learned>) -> Learned {
    while all.len() > 1 {
        all = all
            .chunks(2)
            .map(|pair| {
                let mut first = pair[0].clone();
                pair[1..].iter().for_each(|second| first.merge(second));
                first
            })
            .collect();
    }
    all.remove(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_was_seen_fits_in_whatever_order(results in values(), turn in 0_usize..40) {
        let mut others = results.clone();
        others.rotate_left(turn % results.len());
        others.reverse();
        let in_pairs = merged_in_pairs(others.iter().map(one).collect());
        for learned in [learned(&results), learned(&others), in_pairs] {
            prop_assert_eq!(learned.seen(), results.len() as u64);
            for result in &results {
                assert_fits(&learned, result);
            }
        }
    }

    #[test]
    fn a_merged_shape_takes_what_either_takes_whichever_comes_first(
        one in values(), other in values(),
    ) {
        let (left, right) = (learned(&one), learned(&other));
        let (mut both, mut swapped) = (left.clone(), right.clone());
        both.merge(&right);
        swapped.merge(&left);
        prop_assert_eq!(both.shape(), swapped.shape());
        one.iter().chain(&other).for_each(|result| assert_fits(&both, result));
    }

    #[test]
    fn what_is_stored_is_small_and_comes_back(results in values()) {
        let learned = learned(&results);
        let stored = serde_json::to_string(&learned).unwrap();
        prop_assert!(serde_json::to_string(learned.shape()).unwrap().len() <= learned.shape().weight());
        prop_assert!(learned.shape().weight() <= MAX_BYTES);
        let read: Learned = serde_json::from_str(&stored).unwrap();
        prop_assert_eq!(serde_json::to_string(&read).unwrap(), stored);
        prop_assert_eq!(read.schema(), learned.schema());
        // What was read goes on as what was written would have.
        let mut later = read;
        later.merge(&learned);
        for result in &results {
            assert_fits(&later, result);
        }
    }

    #[test]
    fn no_text_is_stored_but_fields_and_choices(results in values()) {
        let learned = learned(&results);
        let mut may_stay = Vec::new();
        let schema = learned.schema();
        for object in &schema.definitions {
            may_stay.extend(object.fields.iter().map(|field| field.name.clone()));
        }
        // Deep under keys that change, a schema does not name every field that came back.
        let mut keys = Vec::new();
        for result in &results {
            keys_of(result, &mut keys);
        }
        let is_word = |key: &&String| key.bytes().all(|byte| byte.is_ascii_alphabetic());
        let is_again = |key: &&String| keys.iter().filter(|other| other == key).count() > 1;
        may_stay.extend(keys.iter().filter(is_word).filter(is_again).cloned());
        let mut stored = Vec::new();
        texts(&serde_json::to_value(learned.shape()).unwrap(), &mut stored);
        let mut choices = Vec::new();
        choices_of(&schema.root, &mut choices);
        for object in &schema.definitions {
            let fields = object.fields.iter().map(|field| &field.shape);
            for shape in fields.chain(&object.extra) {
                choices_of(shape, &mut choices);
            }
        }
        for text in stored {
            prop_assert!(may_stay.contains(&text) || choices.contains(&text), "{text:?} was kept");
        }
    }

    #[test]
    fn bytes_nobody_vouches_for_are_read_or_refused(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let good = learned(&[json!({"state": "a", "b": [1]}), json!({"state": "a", "b": [1]})]);
        let mut bytes = serde_json::to_vec(&good).unwrap();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(mut read) = serde_json::from_slice::<Learned>(&bytes) {
            prop_assert!(read.shape().weight() <= MAX_BYTES);
            read.merge(&good);
            let _ = read.schema();
        }
    }
}

/// Every text in a stored shape that is a value. The keys are marks and single letters.
fn texts(stored: &Value, found: &mut Vec<String>) {
    match stored {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(map) => {
            for (key, value) in map {
                assert!(key.len() == 1 || key.parse::<u32>().is_ok(), "{key:?} was kept");
                texts(value, found);
            }
        }
        _ => {}
    }
}

fn choices_of(shape: &schema::Shape, found: &mut Vec<String>) {
    match shape {
        schema::Shape::Literal(values) => {
            found.extend(values.iter().filter_map(Value::as_str).map(str::to_owned));
        }
        schema::Shape::List(inner) | schema::Shape::Map(inner) => choices_of(inner, found),
        schema::Shape::Union(shapes) => {
            for shape in shapes {
                choices_of(shape, found);
            }
        }
        _ => {}
    }
}
