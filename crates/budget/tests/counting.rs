//! What a cut value, a summary or an outline says of numbers is true: counts, quartiles, lengths.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use budget::{Strategy, Whole, fit, share};
use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// What is shown of a value.
fn shown(value: &impl ToString, strategy: Strategy, most: usize) -> Value {
    let raw = RawValue::from_string(value.to_string()).unwrap();
    let fitted = fit(&raw, strategy, most);
    assert!(fitted.tokens <= most, "{} of {most}", fitted.tokens);
    serde_json::from_str(fitted.value.get()).unwrap()
}

/// An object of so many fields, each name begun by something.
fn wide(fields: usize, name: &str) -> Value {
    (0..fields).map(|at| (format!("{name}{at}"), json!(at))).collect::<Map<_, _>>().into()
}

/// How many fields an object has, by those that it shows and the count of those that it does not.
fn counted(object: &Value) -> usize {
    let object = object.as_object().unwrap();
    let missing = object.get("$left_out").map_or(0, |said| {
        let said = said.as_str().unwrap();
        let digits = said.strip_suffix(" more fields").unwrap_or_else(|| panic!("{said}"));
        digits.parse::<usize>().unwrap() - 1
    });
    object.len() + missing
}

const TELLING: [Strategy; 5] =
    [Strategy::Auto, Strategy::Sample, Strategy::Truncate, Strategy::Summarize, Strategy::Schema];

#[test]
fn fields_that_are_left_out_are_all_counted() {
    for strategy in TELLING {
        for most in [300, 2000] {
            let value = shown(&wide(12_345, "user_"), strategy, most);
            assert_eq!(counted(&value), 12_345, "{strategy:?} {most}");
            let value = shown(&json!({ "a": { "b": wide(12_345, "user_") } }), strategy, most);
            assert_eq!(counted(&value["a"]["b"]), 12_345, "{strategy:?} {most}: nested");
        }
    }
}

#[test]
fn fields_of_rows_that_are_left_out_are_all_counted() {
    for rows in [1, 3] {
        let rows = json!(vec![wide(12_345, "user_"); rows]);
        for most in [300, 2000] {
            let value = shown(&rows, Strategy::Schema, most);
            assert_eq!(counted(&value["list"]), 12_345, "{most}");
            let value = shown(&rows, Strategy::Summarize, most);
            for part in ["fields", "first"] {
                match value[part]["$left_out"].as_str() {
                    Some("object of 12345") => {}
                    _ => assert_eq!(counted(&value[part]), 12_345, "{most}: {part}"),
                }
            }
        }
    }
}

#[test]
fn an_object_with_long_names_shows_some_of_them_shortened() {
    let letters = "abcdefghijklmnopqrstuvwxyz".chars().cycle();
    let name = |at: usize| letters.clone().skip(at % 26).step_by(7).take(156).collect::<String>();
    let long: Map<String, Value> =
        (0..2000).map(|at| (format!("{}{at:04}", name(at)), json!(at))).collect();
    let long = Value::Object(long);
    for strategy in TELLING {
        for most in [60, 100, 150] {
            let value = shown(&long, strategy, most);
            assert_eq!(counted(&value), 2000, "{strategy:?} {most}: {value}");
            assert!(value.as_object().unwrap().len() > 2, "{strategy:?} {most}: {value}");
            assert!(value.as_object().unwrap().keys().next().unwrap().contains('…'), "{value}");
            let value = shown(&json!({ "inside": long }), strategy, most);
            assert_eq!(counted(&value["inside"]), 2000, "{strategy:?} {most}: {value}");
        }
    }
}

#[test]
fn names_that_are_alike_when_shortened_are_told_apart() {
    let alike: Map<String, Value> = (0..300)
        .map(|at| (format!("{}{at:03}{}", "1a2b".repeat(40), "3c4d".repeat(40)), json!(at)))
        .collect();
    let value = shown(&Value::Object(alike), Strategy::Auto, 100);
    assert_eq!(counted(&value), 300, "{value}");
    assert!(value.as_object().unwrap().len() > 2, "{value}");
}

#[test]
fn quartiles_of_what_recurs_are_exact() {
    for (period, wanted) in [
        (json!([1, 2, 3, 1000]), json!([1.75, 2.5, 252.25])),
        (json!([1, 2]), json!([1, 1.5, 2])),
        (json!([5.5, -1, 7, 0.25, 3]), json!([0.25, 3, 5.5])),
    ] {
        let period = period.as_array().unwrap().clone();
        let numbers: Vec<&Value> = period.iter().cycle().take(100_000 * period.len()).collect();
        let value = shown(&json!(numbers), Strategy::Summarize, 500);
        let found = ["p25", "median", "p75"].map(|name| &value["values"][name]);
        assert_eq!(json!(found), wanted, "{period:?}");
    }
}

#[test]
fn quartiles_of_rows_that_alternate_are_exact() {
    let value = |at: usize| [20, 21, 90, 1000][at % 4];
    let row = |at: usize| json!({ "sensor": at % 4, "value": value(at) });
    let rows: Vec<Value> = (0..200_000).map(row).collect();
    let value = shown(&json!(rows), Strategy::Summarize, 500);
    let figures = &value["fields"]["value"];
    assert_eq!((&figures["p25"], &figures["median"]), (&json!(20.75), &json!(55.5)), "{value}");
    assert_eq!(figures["p75"], 317.5, "{value}");
}

#[test]
fn lists_of_several_lengths_say_the_shortest_and_the_longest() {
    let lists = vec!["[],[1],[1,1,1]"; 500].join(",");
    let value = shown(&format!("[{lists}]"), Strategy::Schema, 500);
    assert_eq!(value, json!({ "list": { "list": "integer", "count": [0, 3] }, "count": 1500 }));
}

#[test]
fn one_row_among_many_that_is_different_is_in_the_schema() {
    let mut rows: Vec<Value> = (0..100_000).map(|at| json!({ "id": at })).collect();
    rows[77_777]["odd"] = json!("x");
    let value = shown(&json!(rows), Strategy::Schema, 500);
    let wanted = json!({ "list": { "id": "integer", "odd?": "string" }, "count": 100_000 });
    assert_eq!(value, wanted);
}

#[test]
fn bytes_are_bytes_in_a_schema() {
    let bytes = json!({ "$type": "bytes", "base64": "x".repeat(900) });
    let value = shown(&json!({ "data": bytes, "list": [bytes, 1] }), Strategy::Schema, 500);
    let list = json!({ "list": { "any_of": ["bytes", "integer"] }, "count": 2 });
    assert_eq!(value, json!({ "data": "bytes", "list": list }));
    // What only looks like it is what it is.
    let other = json!({ "$type": "bytes", "base64": "x".repeat(900), "more": 1 });
    assert_eq!(shown(&other, Strategy::Schema, 500)["more"], "integer");
}

#[test]
fn what_was_printed_is_truncated_to_its_beginning() {
    let lines: Vec<String> = (0..5000).map(|at| format!("line {at}\n")).collect();
    let printed = lines.concat();
    let whole = Whole { value: RawValue::NULL, stdout: &printed, stderr: &printed };
    let cut = share(&whole, Strategy::Truncate, 300);
    for shown in [&cut.stdout, &cut.stderr] {
        let (kept, said) = shown.split_once("[... ").unwrap();
        assert!(kept.starts_with("line 0\nline 1\n") && printed.starts_with(kept), "{shown}");
        assert!(said.ends_with(" characters left out ...]\n"), "{shown}");
    }
    assert!((280..=300).contains(&cut.tokens), "{cut:?}");
    let ends = share(&whole, Strategy::Auto, 300);
    assert!(ends.stdout.ends_with("line 4999\n"), "{ends:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_budget_the_fields_add_up(
        fields in 200_usize..6000, letters in 1_usize..30, most in 60_usize..2500, which in 0..5_usize,
    ) {
        let name = "n".repeat(letters);
        let value = shown(&wide(fields, &name), TELLING[which], most);
        prop_assert_eq!(counted(&value), fields);
    }

    #[test]
    fn quartiles_are_those_of_all_numbers(
        numbers in prop::collection::vec(prop_oneof![-5_i32..5, any::<i32>()], 150..400),
    ) {
        let value = shown(&json!(numbers), Strategy::Summarize, 300);
        let mut sorted: Vec<f64> = numbers.iter().map(|one| f64::from(*one)).collect();
        sorted.sort_by(f64::total_cmp);
        for (name, quarters) in [("p25", 1), ("median", 2), ("p75", 3)] {
            let place = (sorted.len() - 1) * quarters;
            let (low, high) = (sorted[place / 4], sorted[(place / 4 + 1).min(sorted.len() - 1)]);
            #[expect(clippy::cast_precision_loss, reason = "below four")]
            let wanted = low + (high - low) * ((place % 4) as f64 / 4.0);
            let found = value["values"][name].as_f64().unwrap();
            prop_assert!((found - wanted).abs() <= wanted.abs() * 1e-11, "{name}: {found} {wanted}");
        }
    }
}
