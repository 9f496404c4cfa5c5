//! Questions to models and messages, where no gateway runs.

use serde_json::json;

use crate::tide::User;

#[test]
fn a_program_and_its_children_leave_each_other_messages() {
    let source = r#"
import asyncio
child = "job = await receive('jobs', timeout=60)\nawait post('done', job * 2)"
workers = [asyncio.ensure_future(spawn(child, agent='worker')) for _ in range(3)]
for number in (1, 2, 3):
    await post('jobs', number)
found = sorted([await receive('done', timeout=60) for _ in range(3)])
await asyncio.gather(*workers)
try:
    await receive('done', timeout=0.01)
except TimeoutError as error:
    found.append(error.kind)
found"#;
    assert_eq!(User::new().value(&["-c", source]), json!([2, 4, 6, "TimedOut"]));
}

#[test]
fn where_no_model_is_configured_the_error_says_what_to_configure() {
    let source = "try:\n    await ask_model('anybody?')\nexcept ToolError as error:\n    said = [error.kind, str(error)]\nsaid";
    let said = User::new().value(&["-c", source]);
    assert_eq!(said[0], "NotSent", "{said}");
    for words in ["[ask]", "`provider`", "`model`"] {
        assert!(said[1].as_str().unwrap().contains(words), "{said}");
    }
}

#[test]
fn hardened_programs_ask_no_model_unless_a_rule_says_so() {
    let source = "try:\n    await ask_model('anybody?')\nexcept PolicyError as error:\n    said = str(error)\nsaid";
    let said = User::new().value(&["--level", "hardened", "-c", source]);
    assert!(said.as_str().unwrap().contains("policy.models"), "{said}");
}
