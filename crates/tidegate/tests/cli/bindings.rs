//! Typed functions are written for any `tools/list` answer, without its server.

use std::collections::BTreeMap;
use std::path::Path;

use crate::tide::User;

const TOOLS: &str = r#"{"tools": [
    {"name": "create-issue", "description": "Opens an issue.", "inputSchema": {"type": "object",
     "properties": {"title": {"type": "string"}, "state": {"enum": ["open", "closed"]}}, "required": ["title"]}},
    {"name": "say", "inputSchema": {"type": "object"}}
]}"#;

#[test]
fn a_list_of_tools_becomes_the_same_files_every_time_in_either_language() {
    let user = User::new();
    let tools = user.file("forge.json", TOOLS);
    for (language, file, words) in [
        ("python", "forge/create_issue.py", "Literal[\"open\", \"closed\"]"),
        ("typescript", "forge/create-issue.ts", "\"open\" | \"closed\""),
    ] {
        let written = |name: &str| {
            let folder = user.folder().join(format!("{language}-{name}"));
            user.ok(&[
                "bindings",
                "generate",
                tools.to_str().unwrap(),
                "--language",
                language,
                "-o",
                folder.to_str().unwrap(),
            ]);
            files(&folder)
        };
        let first = written("first");
        let text = first.get(file).unwrap_or_else(|| panic!("no {file} in {:?}", first.keys()));
        assert!(text.contains(words), "no {words:?} in {text}");
        assert_eq!(first, written("second"), "{language}");
    }
}

#[test]
fn a_tool_is_read_as_it_is_of_a_server() {
    let user = User::new();
    let tools = r#"{"tools": [{"name": "odd", "inputSchema": 3, "annotations": "x"}, {"title": "nameless"}]}"#;
    let tools = user.file("forge.json", tools);
    let folder = user.folder().join("out");
    let (tools, output) = (tools.to_str().unwrap(), folder.to_str().unwrap());
    let said = user.tidegate(&["bindings", "generate", tools, "-o", output]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.stderr.contains("tool 2 of the list is left out"), "{said:?}");
    assert!(!said.stderr.contains("tool 1"), "{said:?}");
    assert!(files(&folder).contains_key("forge/odd.py"));
}

#[test]
fn what_is_no_list_of_tools_is_refused_by_name() {
    let user = User::new();
    let odd = user.file("odd.json", "{\"tools\": 3}");
    let folder = user.folder().join("out");
    let said = user.tidegate(&[
        "bindings",
        "generate",
        odd.to_str().unwrap(),
        "-o",
        folder.to_str().unwrap(),
    ]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.stderr.contains("odd.json"), "{said:?}");
    assert!(!folder.exists());
}

/// Every file below a folder, by its path there.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                found.insert(name, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}
