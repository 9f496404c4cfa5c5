//! What our tools cost a model before it has used them.

use super::*;

/// What all that a client is told of our tools may cost it.
const MOST_TOKENS: usize = 650;

#[test]
fn our_tools_cost_few_tokens() {
    let tokens = tiktoken_rs::o200k_base().unwrap();
    let text = serde_json::to_string(&*DEFINITIONS).unwrap();
    let count = tokens.encode_with_special_tokens(&text).len();
    assert!(count < MOST_TOKENS, "{count} tokens");
}

#[test]
fn our_definitions_can_be_read() {
    assert_eq!(own_tools(), ["execute_python", "search_tools"]);
}
