//! What is cut still says the most that its tokens can: deep values, wide tables, half letters.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use budget::{Strategy, fit, page};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

fn raw(text: &impl ToString) -> Box<RawValue> {
    RawValue::from_string(text.to_string()).unwrap()
}

/// What is shown of a value, and in how many tokens.
fn shown(text: &impl ToString, strategy: Strategy, most: usize) -> (Value, usize) {
    let fitted = fit(&raw(text), strategy, most);
    assert!(fitted.tokens <= most, "{} of {most}", fitted.tokens);
    let value = serde_json::from_str(fitted.value.get());
    (value.unwrap_or_else(|error| panic!("{error}: {}", fitted.value.get())), fitted.tokens)
}

/// A value so many levels deep.
fn under(levels: usize, value: Value) -> Value {
    (0..levels).fold(value, |value, level| json!({ format!("l{level}"): value }))
}

/// A table as pandas' arrive, of whole numbers.
fn table(rows: usize, columns: usize) -> Value {
    let name = |column: usize| format!("column_{column}");
    let row = |row: usize| -> Map<String, Value> {
        (0..columns).map(|column| (name(column), json!(row * 7 + column))).collect()
    };
    let types: Map<String, Value> = (0..columns).map(|at| (name(at), json!("int64"))).collect();
    json!({
        "$type": "dataframe",
        "shape": [rows, columns],
        "columns": (0..columns).map(name).collect::<Vec<_>>(),
        "dtypes": types,
        "records": (0..rows).map(row).collect::<Vec<_>>(),
    })
}

#[test]
fn a_page_of_a_text_has_every_byte_of_it_half_letters_too() {
    let text = format!("\"{}\"", r"\ud800ab".repeat(4000));
    let (total, part) = page(&raw(&text), "", 0, Some(6), 1 << 20).unwrap();
    assert_eq!((total, part.get()), (12_000, r#""\ud800ab\ud800ab""#));
    // A whole letter of two halves is one letter, and a backslash before a u is none.
    let text = r#""\ud83d\ude00\\ud800\udc00x\ud83d""#;
    let (total, part) = page(&raw(&text), "", 0, Some(99), 1 << 20).unwrap();
    assert_eq!((total, part.get()), (10, text));
    let mut whole = String::new();
    for offset in 0..total {
        let (_, part) = page(&raw(&text), "", offset, Some(1), 1 << 20).unwrap();
        whole.push_str(part.get().trim_matches('"'));
    }
    assert_eq!(format!("\"{whole}\""), text);
    // Letters that take many bytes to write make no page longer than it may be.
    let text = format!("\"{}\"", r"\ud83d\ude00".repeat(2000));
    let (total, part) = page(&raw(&text), "", 0, Some(2000), 1000).unwrap();
    assert_eq!((total, part.get().len() <= 1002), (2000, true));
}

#[test]
fn a_text_with_half_letters_shows_its_beginning_and_its_end() {
    let text = format!("\"begin {} end\"", r"\ud800ab".repeat(4000));
    for strategy in [Strategy::Auto, Strategy::Truncate, Strategy::Sample] {
        let (value, _) = shown(&text, strategy, 300);
        let value = value.as_str().unwrap();
        assert!(value.starts_with("begin \u{fffd}ab\u{fffd}ab"), "{value}");
        assert!(value.contains("characters left out"), "{value}");
        assert!(strategy == Strategy::Truncate || value.ends_with(" end"), "{value}");
    }
    let (value, _) = shown(&text, Strategy::Summarize, 600);
    assert_eq!(value["characters"], 12_010, "{value}");
}

#[test]
fn a_key_with_half_a_letter_is_in_the_schema() {
    let (value, _) =
        shown(&format!(r#"[{{"\udc00a": 1, "b": "{}"}}]"#, "x".repeat(90)), Strategy::Schema, 100);
    assert_eq!(value["list"]["\u{fffd}a"], "integer", "{value}");
}

#[test]
fn a_deep_value_comes_before_rows() {
    let mut value = under(14, json!({ "answer": 42 }));
    value["rows"] = json!((0..5000).collect::<Vec<_>>());
    for strategy in [Strategy::Auto, Strategy::Summarize, Strategy::Sample] {
        let (shown, _) = shown(&value, strategy, 2000);
        assert!(shown.to_string().contains("\"answer\":42"), "{strategy:?}: {shown}");
    }
    let (shown, _) = shown(&value, Strategy::Schema, 500);
    assert!(shown.to_string().contains("\"answer\":\"integer\""), "{shown}");
}

#[test]
fn a_wide_object_deep_inside_uses_the_tokens_there_are() {
    let wide: Map<String, Value> = (0..3000).map(|at| (format!("key{at}"), json!(at))).collect();
    let value = under(30, Value::Object(wide));
    for strategy in [Strategy::Auto, Strategy::Summarize, Strategy::Schema] {
        let (shown, tokens) = shown(&value, strategy, 300);
        assert!(tokens > 250, "{strategy:?}: {tokens}: {shown}");
        assert!(shown.to_string().contains("more fields"), "{shown}");
    }
}

#[test]
fn values_nested_without_end_are_cut_in_time() {
    let mut rows = json!([]);
    for _ in 0..50 {
        rows = json!([{ "x": rows, "y": 1 }, { "x": [], "y": 2 }, { "x": [], "y": 3 }]);
    }
    let text = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    for strategy in Strategy::ALL.into_iter().filter(|one| *one != Strategy::None) {
        shown(&rows, strategy, 500);
        shown(&text, strategy, 300);
    }
}

#[test]
fn a_small_budget_describes_the_first_columns_of_a_table() {
    let (value, tokens) = shown(&table(1000, 3), Strategy::Summarize, 200);
    assert!(tokens > 160, "{tokens}: {value}");
    assert_eq!(value["describe"]["column_0"]["mean"], 3496.5, "{value}");
    assert_eq!(value["dtypes"]["column_2"], "int64", "{value}");
    assert!(value["head"].to_string().contains("column_0"), "{value}");
}

#[test]
fn columns_of_one_name_have_figures_too() {
    let mut value = json!({
        "$type": "dataframe",
        "shape": [1000, 4],
        "columns": ["n", "n", "n.1", ["n", "x"]],
        "dtypes": ["int64", "int64", "object", "float64"],
        "rows": (0..1000).map(|at| json!([at, at * 2, "a", 0.5])).collect::<Vec<_>>(),
    });
    let (told, _) = shown(&value, Strategy::Summarize, 900);
    assert_eq!(told["head"].as_array().unwrap().len(), 5, "{told}");
    let means = ["n", "n.2", "n.x"].map(|name| told["describe"][name]["mean"].clone());
    assert_eq!(means, [json!(499.5), json!(999), json!(0.5)], "{told}");
    assert_eq!(told["describe"]["n.1"]["distinct"], 1, "{told}");
    // More than are told of are counted.
    value["columns"] = json!(vec!["n"; 70]);
    value["rows"] = json!(vec![vec![1; 70]; 300]);
    let (told, _) = shown(&value, Strategy::Summarize, 9000);
    assert_eq!(told["describe"]["$left_out"], "10 more fields", "{told}");
}

#[test]
fn a_wide_table_names_the_columns_that_fit() {
    for (rows, columns) in [(100, 600), (600, 100)] {
        let (value, tokens) = shown(&table(rows, columns), Strategy::Summarize, 300);
        assert!(tokens > 250, "{tokens}: {value}");
        assert_eq!(value["shape"], json!([rows, columns]), "{value}");
        let named = value["dtypes"].as_object().unwrap();
        assert!(named.len() > 10, "{value}");
        assert!(value["describe"]["column_0"]["mean"].is_number(), "{value}");
        let left = named["$left_out"].as_str().unwrap();
        assert_eq!(left, format!("{} more fields", columns + 1 - named.len()));
    }
}

#[test]
fn what_is_no_number_is_counted_beside_the_numbers() {
    let numbers = [json!(1.5), json!(2.5), json!("NaN"), json!(5.5)];
    let list: Vec<&Value> = numbers.iter().cycle().take(2000).collect();
    let (value, _) = shown(&json!(list), Strategy::Summarize, 500);
    assert_eq!(value["values"]["type"], "number", "{value}");
    assert_eq!(value["values"]["not_finite"], json!({ "NaN": 500 }), "{value}");
    // Among words it is a word.
    let (value, _) = shown(&json!(["NaN", "a"].repeat(200)), Strategy::Summarize, 500);
    assert_eq!(value["values"]["examples"], json!(["NaN", "a"]), "{value}");
    assert_eq!(value["values"]["distinct"], 2, "{value}");
}

#[test]
fn numbers_too_large_for_figures_are_still_the_largest() {
    let huge = format!("1{}", "0".repeat(400));
    let list = vec![format!("{huge},1,2,3"); 500].join(",");
    let (value, _) = shown(&format!("[{list}]"), Strategy::Summarize, 500);
    let values = value["values"].as_object().unwrap();
    assert_eq!(values["max"], "1.000e400", "{value}");
    assert_eq!((&values["min"], &values["median"]), (&json!(1), &json!(2.5)), "{value}");
    assert!(!values.values().any(Value::is_null), "{value}");
}

#[test]
fn numbers_that_are_all_too_large_for_figures_have_ends() {
    let ends = |list: String| {
        let (value, _) = shown(&format!("[{list}]"), Strategy::Summarize, 500);
        [value["values"]["min"].clone(), value["values"]["max"].clone()]
    };
    let [huge, larger] = [format!("1{}", "0".repeat(400)), format!("25{}", "0".repeat(400))];
    let many = |some: &str| vec![some; 1000].join(",");
    assert_eq!(ends(many(&huge)), ["1.000e400", "1.000e400"]);
    assert_eq!(ends(many(&format!("{larger},{huge}"))), ["1.000e400", "2.500e401"]);
    assert_eq!(ends(many(&format!("-{huge},-{larger}"))), ["-2.500e401", "-1.000e400"]);
    assert_eq!(ends(many(&format!("{huge},-{larger}"))), ["-2.500e401", "1.000e400"]);
}

#[test]
fn a_field_without_a_value_says_so() {
    let row = |at: usize| {
        let nan = if at < 400 { json!("NaN") } else { Value::Null };
        let odd = if at.is_multiple_of(2) { json!(true) } else { nan.clone() };
        json!({ "nan": nan, "none": null, "far": "-Infinity", "odd": odd })
    };
    let rows: Vec<Value> = (0..1000).map(row).collect();
    let (value, _) = shown(&json!(rows), Strategy::Summarize, 600);
    let told = |field: &str| value["fields"][field].clone();
    let nan = json!({ "type": "null", "null": 600, "not_finite": { "NaN": 400 }, "count": 0 });
    assert_eq!(told("nan"), nan);
    assert_eq!(told("none"), json!({ "type": "null", "null": 1000, "count": 0 }));
    assert_eq!(told("far"), json!({ "type": "number", "not_finite": { "-Infinity": 1000 } }));
    assert_eq!(told("odd")["type"], "boolean or text", "{value}");
}

#[test]
fn texts_that_are_all_times_say_which_are_outermost() {
    let [tokyo, london] = ["2024-06-01T10:00:00+09:00", "2024-06-01T05:00:00Z"];
    let row = |at: usize| match at {
        700 => json!({ "at": tokyo, "day": "1999-12-31", "word": "2024-06-01" }),
        701 => json!({ "at": null, "day": "2024-06-02", "word": "later" }),
        _ => json!({ "at": london, "day": "2024-06-01", "word": "2024-06-01" }),
    };
    let rows: Vec<Value> = (0..1000).map(row).collect();
    let (value, _) = shown(&json!(rows), Strategy::Summarize, 600);
    let ends = |field: &str| {
        let field = &value["fields"][field];
        [field["earliest"].clone(), field["latest"].clone()]
    };
    assert_eq!(ends("at"), [tokyo, london], "{value}");
    assert_eq!(ends("day"), ["1999-12-31", "2024-06-02"], "{value}");
    assert_eq!(ends("word"), [Value::Null, Value::Null], "{value}");
    // Beside numbers they are not all that there is.
    let mixed = vec![format!("1,\"{london}\""); 500].join(",");
    let (value, _) = shown(&format!("[{mixed}]"), Strategy::Summarize, 600);
    assert_eq!(value["values"]["earliest"], Value::Null, "{value}");
}

#[test]
fn a_summary_of_a_text_counts_nothing_twice() {
    let text = "0123456789 ".repeat(2000);
    let (value, _) = shown(&json!({ "a": text, "b": text, "c": text }), Strategy::Summarize, 250);
    assert_eq!(value["a"]["characters"], 22_000, "{value}");
    assert!(!value.to_string().contains("characters left out"), "{value}");
    assert!(value["a"]["head"].as_str().unwrap().ends_with('…'), "{value}");
}

#[test]
fn what_is_left_out_never_takes_the_name_of_a_field() {
    let mut value: Map<String, Value> = Map::new();
    value.insert("$left_out".to_owned(), json!("mine"));
    value.insert("$left_out_2".to_owned(), json!("12 more fields"));
    value.extend((0..3000).map(|at| (format!("key{at}"), json!(at))));
    let (shown, _) = shown(&Value::Object(value), Strategy::Auto, 300);
    assert_eq!(shown["$left_out"], "mine");
    assert_eq!(shown["$left_out_2"], "12 more fields");
    let left = format!("{} more fields", 3002 + 1 - shown.as_object().unwrap().len());
    assert_eq!(shown["$left_out_3"], left.as_str());
}

#[test]
fn what_is_left_out_never_takes_a_name_that_is_written_with_signs() {
    let more: Vec<String> = (0..3000).map(|at| format!(",\"key{at}\":{at}")).collect();
    let more = more.concat();
    let (shown, _) = shown(&format!(r#"{{"\u0024left_out":"mine"{more}}}"#), Strategy::Auto, 300);
    assert_eq!(shown["$left_out"], "mine", "{shown}");
    assert!(shown["$left_out_2"].as_str().unwrap().ends_with("more fields"), "{shown}");
}

#[test]
fn a_name_with_a_question_mark_is_told_from_one_that_is_not_always_there() {
    let rows = json!([{ "a": 1, "a?": "x" }, { "a?": "x".repeat(90) }]);
    let (value, _) = shown(&rows, Strategy::Schema, 100);
    assert_eq!(value["list"], json!({ "a?": "integer", "\"a?\"": "string" }));
}

#[test]
fn tables_of_many_shapes_are_counted() {
    let tables: Vec<Value> = (1..=12).map(|columns| table(20, columns)).collect();
    let (value, _) = shown(&json!(tables), Strategy::Schema, 2000);
    let kinds = value["list"]["any_of"].as_array().unwrap();
    assert_eq!(kinds.last().unwrap(), &json!({ "$left_out": "7 more tables" }), "{value}");
}
