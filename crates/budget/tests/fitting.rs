//! Whatever is cut is JSON, fits, and is the same every time.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use budget::{Strategy, Whole, count, count_text, fit, page, share, together};
use proptest::prelude::*;
use proptest::strategy::Strategy as _;
use serde_json::Value;
use serde_json::value::RawValue;

fn value() -> impl proptest::strategy::Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("JSON has none", |number| number.is_finite())
            .prop_map(Value::from),
        "\\PC{0,60}".prop_map(Value::from),
        "[a-z \n\"\\\\]{0,2000}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 400, 40, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..40).prop_map(Value::from),
            prop::collection::hash_map("\\PC{0,12}", inner.clone(), 0..20)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
            // Rows that are all alike.
            (prop::collection::vec("[a-z]{1,8}", 1..5), prop::collection::vec(inner, 0..60))
                .prop_map(|(keys, values)| {
                    let row = |value: Value| {
                        Value::Object(keys.iter().map(|key| (key.clone(), value.clone())).collect())
                    };
                    Value::from(values.into_iter().map(row).collect::<Vec<_>>())
                }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_cut_is_json_and_fits(value in value(), most in 50_usize..3000, which in 0..5_usize) {
        let strategy = Strategy::ALL[which];
        let raw = RawValue::from_string(value.to_string()).unwrap();
        let fitted = fit(&raw, strategy, most);
        let text = fitted.value.get();
        prop_assert!(serde_json::from_str::<Value>(text).is_ok(), "{text}");
        prop_assert_eq!(count(text), fitted.tokens);
        prop_assert!(fitted.tokens <= most, "{} tokens of {most}: {text}", fitted.tokens);
        if !fitted.is_cut {
            prop_assert_eq!(text, raw.get());
        }
        let again = fit(&raw, strategy, most);
        prop_assert_eq!(again.value.get(), text);
    }

    #[test]
    fn half_letters_and_many_levels_are_cut_like_the_rest(
        value in value(), levels in 0..90_usize, most in 50_usize..1500, which in 0..5_usize,
    ) {
        let deep = (0..levels).fold(value.to_string(), |value, level| match level % 3 {
            0 => format!("[{value}]"),
            1 => format!("{{\"next\":{value},\"level\":{level}}}"),
            _ => format!("[{{\"q\":{value}}},{{\"q\":[]}},{{\"q\":[]}}]"),
        });
        // Only in texts and names is there such a letter.
        let raw = RawValue::from_string(deep.replace('q', r"\ud800")).unwrap();
        let fitted = fit(&raw, Strategy::ALL[which], most);
        prop_assert!(fitted.tokens <= most, "{} tokens of {most}", fitted.tokens);
        prop_assert_eq!(count(fitted.value.get()), fitted.tokens);
        prop_assert!(fitted.value.get() != "null" || raw.get() == "null");
    }

    #[test]
    fn texts_together_are_never_too_long(
        one in "\\PC{0,300}", two in "[a-z \n]{0,3000}", three in "[a-z]{0,40}", most in 0_usize..400,
    ) {
        let whole = [one.as_str(), &two, &three];
        let cut = together([(whole[0], 50), (whole[1], 30), (whole[2], 20)], most);
        // As they are sent: a line's end is more as a text of JSON than as itself.
        let all = |texts: [&str; 3]| texts.into_iter().map(count_text).sum::<usize>();
        let shown = cut.each_ref().map(String::as_str);
        prop_assert!(all(shown) <= most, "{} of {most}", all(shown));
        if all(whole) <= most {
            prop_assert_eq!(shown, whole);
        }
        // What is cut says so while there is a token for it.
        for (cut, whole) in shown.into_iter().zip(whole) {
            prop_assert!(most < 20 || cut == whole || cut.contains('…') || cut.contains("[... "));
        }
    }

    #[test]
    fn a_value_and_what_was_printed_share_what_there_is(
        value in value(), stdout in "[a-z \n]{0,3000}", stderr in "\\PC{0,500}", most in 50_usize..2000,
    ) {
        let raw = RawValue::from_string(value.to_string()).unwrap();
        let shown = share(&Whole { value: &raw, stdout: &stdout, stderr: &stderr }, Strategy::Auto, most);
        // As they stand in the answer's JSON without the quotes around them, or as themselves.
        let sent = |text: &str| {
            let written = serde_json::to_string(text).unwrap();
            count(&written[1..written.len() - 1]).max(count(text))
        };
        let all = count(shown.value.get()) + sent(&shown.stdout) + sent(&shown.stderr);
        prop_assert!(all <= most, "{all} tokens of {most}");
        prop_assert_eq!(all, shown.tokens);
        if shown.cut.is_none() {
            prop_assert_eq!(shown.value.get(), raw.get());
            prop_assert_eq!((&shown.stdout, &shown.stderr), (&stdout, &stderr));
        }
    }
}

proptest! {
    // Each page reads the value anew.
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn whatever_was_cut_can_be_had_page_by_page(
        value in value(), limit in 10_usize..300, most in 400_usize..4000,
    ) {
        let raw = RawValue::from_string(value.to_string()).unwrap();
        prop_assert_eq!(read(&raw, "", limit, most), value);
    }
}

/// What a pointer leads to, read in pages of so many members and bytes.
fn read(raw: &RawValue, pointer: &str, limit: usize, most: usize) -> Value {
    let whole = |member: Value| match member.get("$pointer").and_then(Value::as_str) {
        Some(further) => read(raw, further, limit, most),
        None => member,
    };
    let (mut made, mut offset) = (Value::Null, 0);
    loop {
        let (total, part) = page(raw, pointer, offset, Some(limit), most).unwrap();
        assert!(part.get().len() <= most + most / 2 + 200, "{} bytes", part.get().len());
        let part: Value = serde_json::from_str(part.get()).unwrap();
        offset += match &part {
            Value::Array(members) => members.len(),
            Value::Object(fields) => fields.len(),
            Value::String(text) => text.chars().count(),
            _ => 1,
        };
        made = match (made, part) {
            (Value::Array(mut all), Value::Array(members)) => {
                all.extend(members.into_iter().map(whole));
                Value::Array(all)
            }
            (Value::Object(mut all), Value::Object(fields)) => {
                all.extend(fields.into_iter().map(|(name, member)| (name, whole(member))));
                Value::Object(all)
            }
            (Value::String(start), Value::String(text)) => Value::String(start + &text),
            (_, Value::Array(members)) => members.into_iter().map(whole).collect(),
            (_, Value::Object(fields)) => {
                fields.into_iter().map(|(name, member)| (name, whole(member))).collect()
            }
            (_, part) => part,
        };
        if offset >= total {
            return made;
        }
    }
}

fn rows(count: usize) -> Box<RawValue> {
    let rows: Vec<Value> = (0..count)
        .map(|at| serde_json::json!({"id": at, "name": format!("device {at}"), "value": at * 7 % 1000, "status": if at % 3 == 0 {"idle"} else {"active"}}))
        .collect();
    RawValue::from_string(serde_json::json!({ "rows": rows, "total": count }).to_string()).unwrap()
}

#[test]
fn rows_become_a_table_with_what_is_missing_and_totals_stay() {
    let fitted = fit(&rows(5000), Strategy::Auto, 300);
    let value: Value = serde_json::from_str(fitted.value.get()).unwrap();
    assert_eq!(value["total"], 5000);
    assert_eq!(value["rows"]["$columns"][0], "id");
    let shown = value["rows"]["$rows"].as_array().unwrap();
    let left = shown.iter().find_map(|row| row["$left_out"].as_u64()).unwrap();
    assert_eq!(left + shown.len() as u64 - 1, 5000);
    assert_eq!(shown.last().unwrap()[0], 4999);
    assert!(fitted.tokens > 200, "{} tokens: {}", fitted.tokens, fitted.value.get());
}

#[test]
fn a_summary_has_figures() {
    let fitted = fit(&rows(5000), Strategy::Summarize, 1000);
    let value: Value = serde_json::from_str(fitted.value.get()).unwrap();
    let rows = &value["rows"];
    assert_eq!(rows["count"], 5000);
    assert_eq!(rows["fields"]["id"]["min"], 0);
    assert_eq!(rows["fields"]["id"]["max"], 4999);
    assert_eq!(rows["fields"]["status"]["examples"], serde_json::json!(["active", "idle"]));
    assert_eq!(rows["last"]["id"], 4999);
}

#[test]
fn a_schema_has_types() {
    let fitted = fit(&rows(5000), Strategy::Schema, 1000);
    let value: Value = serde_json::from_str(fitted.value.get()).unwrap();
    assert_eq!(value["rows"]["count"], 5000);
    assert_eq!(value["rows"]["list"]["name"], "string");
}

#[test]
fn one_of_each_kind_is_shown_before_many_of_one() {
    let mut rows: Vec<Value> =
        (0..3000).map(|at| serde_json::json!({ "id": at, "text": "x".repeat(30) })).collect();
    rows.insert(2500, serde_json::json!({ "warning": "disk full" }));
    let raw = RawValue::from_string(Value::from(rows).to_string()).unwrap();
    let fitted = fit(&raw, Strategy::Auto, 200);
    assert!(fitted.value.get().contains("disk full"), "{}", fitted.value.get());
}

#[test]
fn a_table_is_told_of_as_pandas_does() {
    let records: Vec<Value> =
        (1..=1000).map(|at| serde_json::json!({"n": at, "city": "Bonn"})).collect();
    let table = serde_json::json!({
        "$type": "dataframe",
        "shape": [1000, 2],
        "columns": ["n", "city"],
        "dtypes": {"n": "int64", "city": "object"},
        "index_name": "day",
        "index": (1..=1000).collect::<Vec<_>>(),
        "records": records,
    });
    let raw = RawValue::from_string(table.to_string()).unwrap();
    let fitted = fit(&raw, Strategy::Summarize, 1000);
    let value: Value = serde_json::from_str(fitted.value.get()).unwrap();
    assert_eq!(value["shape"], serde_json::json!([1000, 2]));
    assert_eq!(value["dtypes"], serde_json::json!({"n": "int64", "city": "object"}));
    assert_eq!(value["index"], serde_json::json!({"first": 1, "last": 1000}));
    // Rows that are alike are shown as a table.
    assert_eq!(value["head"]["$columns"], serde_json::json!(["n", "city"]));
    assert_eq!(value["head"]["$rows"].as_array().unwrap().len(), 5);
    // As pandas.DataFrame.describe has it.
    let figures = serde_json::json!({
        "type": "number", "count": 1000, "min": 1, "max": 1000, "mean": 500.5, "p25": 250.75,
        "median": 500.5, "p75": 750.25
    });
    let found = &value["describe"]["n"];
    assert!((found["std"].as_f64().unwrap() - 288.819_436).abs() < 1e-3, "{found}");
    for name in ["type", "count", "min", "max", "mean", "p25", "median", "p75"] {
        assert_eq!(found[name], figures[name], "{name}: {found}");
    }
}

#[test]
fn a_table_inside_something_says_what_it_is_at_any_budget() {
    let records: Vec<Value> =
        (1..=1000).map(|at| serde_json::json!({"amount": at, "city": "Bonn"})).collect();
    let table = serde_json::json!({
        "$type": "dataframe",
        "shape": [1000, 2],
        "columns": ["amount", "city"],
        "dtypes": {"amount": "int64", "city": "object"},
        "records": records,
    });
    let nested = serde_json::json!({"title": "sales", "tables": {"first": table, "second": table}});
    let list = serde_json::json!([table, table]);
    for value in [nested, list] {
        let raw = RawValue::from_string(value.to_string()).unwrap();
        for strategy in [Strategy::Auto, Strategy::Summarize, Strategy::Schema, Strategy::Sample] {
            for most in [150, 300, 1000] {
                let shown = fit(&raw, strategy, most).value.get().to_owned();
                assert!(
                    shown.contains("[1000,2]") && shown.contains("amount"),
                    "{strategy:?} {most}: {shown}"
                );
            }
        }
    }
}

#[test]
fn a_truncated_text_is_its_beginning() {
    let text = (0..20_000).map(|at| at.to_string()).collect::<Vec<_>>().join(" ");
    let raw = RawValue::from_string(Value::from(text.clone()).to_string()).unwrap();
    let shown: String =
        serde_json::from_str(fit(&raw, Strategy::Truncate, 200).value.get()).unwrap();
    let (kept, said) = shown.split_once("[...").unwrap();
    assert!(text.starts_with(kept) && said.ends_with("characters left out ...]"), "{shown}");
}
