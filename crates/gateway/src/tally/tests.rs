//! What is counted, and when.

use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use upstream::Part;

use super::*;
use crate::answer::answer;

fn text(text: &str) -> Part {
    Part::Text { text: text.to_owned() }
}

/// Has an answer counted as a call does.
fn says(tally: &Tally, structured: Option<Value>, content: Vec<Part>) {
    let result = Arc::new(ToolResult { structured, content, is_error: false });
    let value = answer(&result).unwrap();
    tally.answered(Said::by(&result, &value), value.get().len());
}

fn rows(rows: usize) -> Value {
    (0..rows).map(|row| json!({ "id": row, "name": format!("Größe {row}") })).collect()
}

#[tokio::test]
async fn a_call_that_never_left_is_not_counted() {
    let tally = Tally::default();
    tally.leaves("a.x".to_owned(), 5);
    tally.leaves("a.x".to_owned(), 7);
    tally.leaves("a.y".to_owned(), 3);
    tally.stays("a.x", 7);
    tally.stays("a.y", 3);
    let counts = tally.settled().await;
    assert_eq!(counts.tools, BTreeMap::from([("a.x".to_owned(), 1)]));
    assert_eq!(counts.argument_tokens, 5);
}

#[tokio::test]
async fn what_is_counted_beside_the_program_is_what_a_model_would_have_read() {
    let tally = Tally::default();
    let (many, pretty) = (rows(2_000), serde_json::to_string_pretty(&rows(300)).unwrap());
    let all = [many.to_string(), pretty.clone(), "two\nparts".to_owned(), "42".to_owned()];
    says(&tally, Some(many), vec![]);
    // Said twice, of which a model reads the text.
    says(&tally, Some(rows(300)), vec![text(&pretty)]);
    says(&tally, None, vec![text("two"), text("parts")]);
    says(&tally, None, vec![text("42")]);
    let counts = tally.settled().await;
    let tokens: usize = all.iter().map(|text| budget::count(text)).sum();
    let bytes: usize = all.iter().map(String::len).sum();
    assert_eq!(counts.result_tokens, tokens as u64);
    assert_eq!(counts.result_bytes, bytes as u64);
    assert!(all[0].len() > LONG && pretty.len() > LONG, "all were counted at once");
}

#[tokio::test]
async fn answers_that_are_not_text_are_counted_as_they_came() {
    let counted = async |structured: Option<Value>, content: Vec<Part>| {
        let tally = Tally::default();
        says(&tally, structured.clone(), content.clone());
        let counts = tally.settled().await;
        // The same where another process has only what was kept of it.
        let again = Tally::default();
        let result = ToolResult { structured, content, is_error: false };
        again.answered(Said::kept(&answer(&result).unwrap()), 0);
        assert_eq!(again.settled().await, counts);
        (counts.result_tokens, counts.result_bytes)
    };
    let picture =
        |bytes: usize| Part::Image { data: "A".repeat(bytes), media_type: "image/png".to_owned() };
    assert_eq!(counted(None, vec![]).await, (0, 0));
    assert_eq!(counted(None, vec![picture(120_000)]).await, (0, 120_000));
    let numbers: Value = (0..3_000).collect();
    let json = numbers.to_string();
    let tokens = (budget::count("short") + budget::count(&json)) as u64;
    let all = counted(Some(numbers.clone()), vec![text("short")]).await;
    assert_eq!(all, (tokens, 5 + json.len() as u64));
    // What a text beside a picture repeats is read once.
    let all = counted(Some(numbers), vec![text(&json), picture(8)]).await;
    assert_eq!(all, (budget::count(&json) as u64, 8 + json.len() as u64));
    let link = Part::Link {
        uri: "file:a".to_owned(),
        name: "a".to_owned(),
        description: Some("one".to_owned()),
        media_type: None,
    };
    assert_eq!(counted(None, vec![link]).await, (0, 10));
    let other = json!({"type": "new"});
    let bytes = other.to_string().len() as u64;
    assert_eq!(counted(None, vec![Part::Other { value: other }]).await, (0, bytes));
}

#[tokio::test]
async fn answers_that_come_at_once_are_each_counted_once() {
    let tally = Tally::default();
    let long = "a word ".repeat(2_000);
    for _ in 0..200 {
        tally.answered(Said::Text(long.clone()), long.len());
        tally.answered(Said::Text("short".to_owned()), 5);
    }
    let counts = tally.settled().await;
    let each = budget::count(&long) + budget::count("short");
    assert_eq!(counts.result_tokens, 200 * each as u64);
    assert_eq!(counts.result_bytes, 200 * (long.len() as u64 + 5));
}

#[tokio::test]
async fn an_answer_without_room_in_the_line_is_counted_where_it_comes() {
    let tally = Tally::default();
    assert!(Room::of(MOST_WAITING + 1).is_none());
    tally.answered(Said::Text("too much to wait".to_owned()), MOST_WAITING + 1);
    // Nobody had to be waited for.
    let counts = tally.shared.counts().clone();
    assert_eq!(counts.result_tokens, budget::count("too much to wait") as u64);
}

#[tokio::test]
async fn where_no_receipt_is_written_tools_are_known_and_nothing_is_counted() {
    let tally = Tally::default();
    tally.is_unwanted();
    let tokens = tally.tokens(&json!({ "query": "SELECT 1" }));
    tally.leaves("a.x".to_owned(), tokens);
    says(&tally, Some(rows(2_000)), vec![]);
    let tools = BTreeMap::from([("a.x".to_owned(), 1)]);
    assert_eq!(tally.settled().await, Counts { tools, ..Counts::default() });
}

#[test]
fn what_was_written_for_the_program_is_not_written_again() {
    let by = |structured, content| {
        let result = Arc::new(ToolResult { structured, content, is_error: false });
        Said::by(&result, &answer(&result).unwrap())
    };
    assert!(matches!(by(Some(json!({"v": 1})), vec![]), Said::Text(text) if text == "{\"v\":1}"));
    assert!(matches!(by(Some(json!([])), vec![text("[ ]")]), Said::Texts(_)));
    assert!(matches!(by(None, vec![text("[ 1 ]")]), Said::Texts(_)));
    // Of another value than what was made for a program nothing is taken.
    let result = Arc::new(ToolResult { structured: Some(json!(1)), ..ToolResult::default() });
    assert!(matches!(Said::by(&result, &to_raw_value("1").unwrap()), Said::Parts(_)));
}
