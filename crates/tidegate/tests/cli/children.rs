//! Programs that programs start: what they get, what they may use, what comes back.

use serde_json::json;

use crate::tide::User;

/// What a program returns.
fn value(source: &str) -> serde_json::Value {
    User::new().value(&["-c", source])
}

#[test]
fn a_child_knows_its_context_alone_and_gives_what_it_returns() {
    let source = r"
own = 5
given = {'rows': [1, 2, 3], 'big': 2 ** 80}
total = await spawn('''
    own_here = 'own' in globals()
    print('nobody reads this')
    return [sum(rows), big + 1, own_here]
''', context=given)
[total[0], total[1] == 2 ** 80 + 1, total[2], own]";
    assert_eq!(value(source), json!([6, true, false, 5]));
}

#[test]
fn children_of_a_map_run_beside_each_other_and_answer_in_order() {
    let source = r"
first = await spawn_map('import time\ntime.sleep(0.01 * (8 - index))\nreturn [index, item * 2]', range(8), parallel=3)
none = await spawn_map('return 1', [])
[first, none]";
    let rows: Vec<_> = (0..8).map(|index| json!([index, index * 2])).collect();
    assert_eq!(value(source), json!([rows, []]));
}

#[test]
fn what_goes_wrong_in_a_child_is_an_error_where_it_was_started() {
    let source = r"
said = []
for code in ('raise ValueError(7)', 'return undefined_name', 'return await spawn(\'return 1\')', 'x' * 3 + '(', ''):
    try:
        await spawn(code)
    except ToolError as error:
        said.append([error.kind, str(error)])
try:
    await spawn_map('return 1 / item', [1, 0, 1])
except ToolError as error:
    said.append([error.kind, str(error)])
for wrong in (lambda: spawn(len), lambda: spawn('1', context=[1]), lambda: spawn('1', context={'not one': 1})):
    try:
        await wrong()
    except TypeError as error:
        said.append(['TypeError', str(error)])
said";
    let said = value(source);
    let words = [
        (
            "ChildError",
            "the child program failed with ValueError: 7 (its line 1: raise ValueError(7))",
        ),
        ("ChildError", "CheckError"),
        ("ChildError", "cannot start others"),
        ("ChildError", "the child program failed"),
        ("ChildError", "is empty"),
        ("ChildError", "ZeroDivisionError"),
        ("TypeError", "code is the text of a program"),
        ("TypeError", "context is a dict"),
        ("TypeError", "cannot be a variable"),
    ];
    assert_eq!(said.as_array().unwrap().len(), words.len(), "{said}");
    for (said, (kind, words)) in said.as_array().unwrap().iter().zip(words) {
        assert_eq!(said[0], kind, "{said}");
        assert!(said[1].as_str().unwrap().contains(words), "no {words:?} in {said}");
    }
}

#[test]
fn a_child_has_a_part_of_what_its_program_may_use_and_all_of_them_no_more_than_that() {
    let source = r"
said = []
try:
    await spawn('return len(bytearray(40 << 20))')
except ToolError as error:
    said.append(str(error))
own = len(bytearray(40 << 20))
for turn in range(6):
    try:
        await spawn('while True: pass')
    except ToolError as error:
        said.append(f'{error.kind}: {error}')
[own, said]";
    let user = User::new();
    let limits = ["--memory", "100MiB", "--timeout", "2s"];
    let given = user.value(&[&limits[..], &["-c", source]].concat());
    assert_eq!(given[0], 40 << 20);
    let said: Vec<&str> =
        given[1].as_array().unwrap().iter().map(|said| said.as_str().unwrap()).collect();
    assert!(said[0].contains("MemoryError"), "{said:?}");
    assert!(said[1].contains("ChildError") && said[1].contains("LimitExceeded"), "{said:?}");
    assert!(said[6].contains("all children of a run together may use"), "{said:?}");
}

#[test]
fn what_a_child_did_not_use_is_there_for_the_next() {
    let source = r"
import asyncio
for turn in range(6):
    try:
        await spawn('return undefined_name')
    except ToolError:
        pass
    try:
        await asyncio.wait_for(spawn('import time\ntime.sleep(60)'), 0.05)
    except TimeoutError:
        pass
    try:
        await spawn_map('if item:\n    raise ValueError\nimport time\ntime.sleep(60)', [0, 0, 0, 1])
    except ToolError:
        pass
return await spawn('return 7')";
    assert_eq!(value(source), json!(7));
}

#[test]
fn the_program_of_a_child_is_reviewed_like_any_other() {
    let user = User::new();
    let source =
        "try:\n    await spawn(code)\nexcept ToolError as error:\n    said = str(error)\nsaid";
    let context = r#"{"code": "return eval('1')"}"#;
    let arguments = ["--level", "hardened", "--no-check", "--context", context, "-c", source];
    let said = user.value(&arguments);
    assert!(said.as_str().unwrap().contains("ReviewError"), "{said}");
}
