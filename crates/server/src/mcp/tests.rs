//! What our tools cost a model before it has used them.

use super::*;

/// What all that a client is told of our tools may cost it.
const MOST_TOKENS: usize = 650;

#[test]
fn our_tools_cost_few_tokens() {
    let count = budget::count(&own_definitions(None));
    assert!(count < MOST_TOKENS, "{count} tokens");
    let all = budget::count(&own_definitions(Some(&own_tools())));
    assert!(all < 900, "{all} tokens with the analysis");
}

#[test]
fn who_cannot_run_programs_is_told_of_nothing_else() {
    let told = without_programs(&[SEARCH]);
    assert!(told.contains(SEARCH) && !told.contains(EXECUTE) && !told.contains(ANALYSIS), "{told}");
    assert!(without_programs(&[ANALYSIS]).contains(ANALYSIS));
}

#[test]
fn our_definitions_can_be_read() {
    assert_eq!(own_tools(), ["execute_python", "search_tools", "execute_analysis"]);
}
