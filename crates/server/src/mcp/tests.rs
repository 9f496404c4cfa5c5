//! What our tools cost a model before it has used them.

use super::*;

/// What all that a client is told of our tools may cost it.
const MOST_TOKENS: usize = 650;

#[test]
fn our_tools_cost_few_tokens() {
    let count = budget::count(&own_definitions(None));
    assert!(count < MOST_TOKENS, "{count} tokens");
    let without = |left_out: &str| {
        let names: Vec<String> = own_tools().into_iter().filter(|name| name != left_out).collect();
        budget::count(&own_definitions(Some(&names)))
    };
    let with_analysis = without(SCRIPT);
    assert!(with_analysis < 900, "{with_analysis} tokens with the analysis");
    let all = without("");
    assert!(all < 1_100, "{all} tokens with both languages and the analysis");
}

#[test]
fn the_manual_says_how_much_is_read_once() {
    let page = include_str!("../../../../docs/src/receipts.md");
    let text = budget::count(&guidance::Guidance::default().text);
    let tools = budget::count(&own_definitions(None));
    let told = format!("({text} tokens beside {tools} of the definitions");
    assert!(page.contains(&told), "docs/src/receipts.md does not say {told}");
}

#[test]
fn a_second_language_is_offered_to_those_who_ask_for_it() {
    assert!(!own_definitions(None).contains(SCRIPT));
    assert!(own_definitions(Some(&[SCRIPT.to_owned()])).contains(SCRIPT));
    assert!(!is_usual(SCRIPT) && is_usual(EXECUTE));
}

#[test]
fn where_there_is_one_language_its_tool_is_offered() {
    let offered = |language| -> Vec<String> {
        own_tools().into_iter().filter(|tool| is_for_one(tool, language)).collect()
    };
    assert_eq!(offered(Language::Python), [EXECUTE, SEARCH]);
    assert_eq!(offered(Language::TypeScript), [SCRIPT, SEARCH]);
}

#[test]
fn who_cannot_run_programs_is_told_of_nothing_else() {
    let told = without_programs(&[SEARCH]);
    assert!(told.contains(SEARCH) && !told.contains(EXECUTE) && !told.contains(ANALYSIS), "{told}");
    assert!(without_programs(&[ANALYSIS]).contains(ANALYSIS));
}

#[test]
fn what_programs_answer_is_said_the_same_way_of_both_languages() {
    let of = |name: &str| {
        let tool = DEFINITIONS.iter().find(|tool| tool.name == name).unwrap();
        serde_json::to_value(&tool.output_schema).unwrap()
    };
    assert!(of(EXECUTE)["properties"]["return_value"].is_object());
    assert_eq!(of(SCRIPT), of(EXECUTE));
}

#[test]
fn our_definitions_can_be_read() {
    assert_eq!(
        own_tools(),
        ["execute_python", "execute_typescript", "search_tools", "execute_analysis"]
    );
}
