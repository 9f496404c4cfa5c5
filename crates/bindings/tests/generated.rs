//! What generated files look like. The snapshots are meant to be read.

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;

use catalog::learned::Sight;
use catalog::{Catalog, Learned, Listing};
use insta::assert_snapshot;
use serde_json::{Value, json};

/// A catalog of one server.
fn catalog_of(server: &str, tools: &Value) -> Catalog {
    let listing = json!({"server": server, "tools": tools});
    let listing: Listing = serde_json::from_value(listing).expect("a listing");
    Catalog::new(vec![Arc::new(listing)])
}

/// Compares with the snapshot called `name`, which is only what is generated.
fn show(name: &str, text: &str) {
    insta::with_settings!({omit_expression => true, prepend_module_to_snapshot => false}, {
        assert_snapshot!(name, text);
    });
}

/// Both files of one tool of `github`.
fn files_of(tool: &Value) -> String {
    let catalog = catalog_of("github", &json!([tool]));
    let tool = catalog.tools().next().expect("a tool");
    let line = "=".repeat(40);
    format!("{}{line}\n{}", bindings::python_tool(tool), bindings::typescript_tool(tool))
}

/// How a tool with this input is called.
fn signature_of(input: &Value) -> String {
    let catalog = catalog_of("s", &json!([{"name": "f", "inputSchema": input}]));
    bindings::signature(catalog.tools().next().expect("a tool"))
}

#[test]
fn a_typical_tool() {
    show(
        "a_typical_tool",
        &files_of(&json!({
            "name": "create_issue",
            "description": "Create an issue.\n\n    The title is shown in lists.\n      * once",
            "inputSchema": {
                "type": "object",
                "required": ["owner", "title", "priority"],
                "properties": {
                    "owner": {"type": "string", "description": "Who owns the repository", "minLength": 1},
                    "body": {"type": "string", "description": "Text in Markdown.\nMay be long."},
                    "title": {"type": "string"},
                    "priority": {"enum": ["low", "high"], "description": "How soon"},
                    "labels": {"type": "array", "default": [], "items": {
                        "type": "object",
                        "description": "A label",
                        "required": ["name"],
                        "properties": {
                            "name": {"type": "string", "description": "What it says"},
                            "colour": {"type": "string", "pattern": "^[0-9a-f]{6}$"},
                        },
                    }},
                    "milestone": {"type": ["integer", "null"], "minimum": 1},
                    "class": {"type": "boolean"},
                    "If-Match": {"type": "string"},
                },
            },
            "outputSchema": {
                "type": "object",
                "description": "The new issue",
                "required": ["number"],
                "properties": {
                    "number": {"type": "integer"},
                    "user": {"type": "object", "properties": {"login": {"type": "string"}}},
                    "from": {"type": "string", "format": "date-time"},
                },
            },
        })),
    );
}

#[test]
fn a_tool_that_says_nothing() {
    show(
        "a_tool_that_says_nothing",
        &files_of(&json!({"name": "getThing", "inputSchema": {"type": "object"}})),
    );
}

/// A catalog of one server whose only tool returned these results.
fn catalog_that_learned(results: &[Value]) -> Catalog {
    let catalog =
        catalog_of("shop", &json!([{"name": "list_orders", "inputSchema": {"type": "object"}}]));
    let tool = catalog.tools().next().expect("a tool");
    let mut learned = Learned::new(tool.fingerprint().clone());
    for result in results {
        learned.merge(&Learned::from_one(tool.fingerprint().clone(), &Sight::Value(result)));
    }
    let tools = BTreeMap::from([(tool.name().clone(), Arc::new(learned))]);
    let learned = BTreeMap::from([(tool.server().clone(), Arc::new(tools))]);
    let listings = catalog.servers().map(|server| Arc::clone(server.listing())).collect();
    catalog.refreshed_with(listings, &learned)
}

#[test]
fn a_tool_whose_results_were_learned() {
    let page = json!({
        "orders": [
            {"id": "a1", "total": 12.5, "status": "open", "lines": [{"sku": "x", "count": 1}]},
            {"id": "a2", "total": 3, "status": "closed", "lines": [{"sku": "y", "count": 2}], "ship-to": null},
        ],
        "totals_by_day": {"2024-01-31": 3, "2024-02-01": 4},
        "next": null,
    });
    let catalog = catalog_that_learned(&vec![page; 12]);
    let tool = catalog.tools().next().expect("a tool");
    let line = "=".repeat(40);
    show(
        "a_tool_whose_results_were_learned",
        &format!("{}{line}\n{}", bindings::python_tool(tool), bindings::typescript_tool(tool)),
    );
    assert_snapshot!(bindings::signature(tool), @"async def list_orders(**arguments: Any) -> ListOrdersResult");
}

#[test]
fn whatever_was_learned_is_source_code() {
    let results = [
        json!([1, "a", null, true, 2.5, {"class": 1, "self": 2}, {"class": 1, "None": 2}]),
        json!({"@type": "x", "$ref": [[[{"a-b": {"_c": []}}, {"a-b": {"_c": []}}]]]}),
        json!({"@type": "x", "$ref": []}),
        json!({"__proto__": {"constructor": 1}, "Any": {}, "TypedDict": []}),
        json!({"__proto__": {"constructor": 1}, "Any": {"x": 1}, "TypedDict": [{}]}),
        json!("text"),
    ];
    for count in 1..=results.len() {
        let catalog = catalog_that_learned(&results[..count]);
        assert_eq!(support::python_complaints(&catalog), "");
    }
    assert_eq!(support::typescript_complaints(&catalog_that_learned(&results)), "");
}

#[test]
fn a_tool_that_says_what_it_returns_is_believed() {
    let schemas = [json!({"type": "object"}), json!({"type": "string"})];
    let tool = json!({"name": "f", "inputSchema": schemas[0], "outputSchema": schemas[1]});
    let catalog = catalog_of("s", &json!([tool]));
    let tool = catalog.tools().next().expect("a tool");
    let learned = Learned::from_one(tool.fingerprint().clone(), &Sight::Value(&json!([1])));
    let tools = BTreeMap::from([(tool.name().clone(), Arc::new(learned))]);
    let listings = catalog.servers().map(|server| Arc::clone(server.listing())).collect();
    let learned = BTreeMap::from([(tool.server().clone(), Arc::new(tools))]);
    let catalog = catalog.refreshed_with(listings, &learned);
    let tool = catalog.tools().next().expect("a tool");
    assert!(tool.learned().is_none());
    assert_snapshot!(bindings::signature(tool), @"async def f(**arguments: Any) -> str");
}

#[test]
fn a_tool_that_tries_to_break_out() {
    show(
        "a_tool_that_tries_to_break_out",
        &files_of(&json!({
            "name": "x\"\"\"\n*/ import os\\",
            "description": "\"\"\"\nimport os\n*/ process.exit() /*\n\\",
            "inputSchema": {
                "type": "object",
                "required": ["a\"]: int\nevil"],
                "properties": {
                    "a\"]: int\nevil": {"type": "string", "description": "*/ \"\"\" \\ \u{202e}\u{0}"},
                    "b": {"enum": ["\"", "\\", "\n", "*/", 1.5, 2, null, true], "default": "\"\"\"\n"},
                    "nested": {"type": "object", "description": "*/\"\"\"\\", "properties": {
                        "__private": {"type": "string"},
                        "a\nb": {"type": "integer", "description": "# one\r\ntwo */"},
                    }},
                },
            },
        })),
    );
}

#[test]
fn a_recursive_tool() {
    show(
        "a_recursive_tool",
        &files_of(&json!({
            "name": "filter",
            "inputSchema": {
                "type": "object",
                "required": ["where"],
                "properties": {"where": {"$ref": "#/$defs/Condition"}},
                "$defs": {"Condition": {
                    "type": "object",
                    "properties": {
                        "and": {"type": "array", "items": {"$ref": "#/$defs/Condition"}},
                        "equals": {"type": "string"},
                    },
                }},
            },
        })),
    );
}

#[test]
fn a_tool_with_several_ways_to_call_it() {
    show(
        "a_tool_with_several_ways_to_call_it",
        &files_of(&json!({
            "name": "find",
            "inputSchema": {"anyOf": [
                {"type": "object", "required": ["id", "kind"],
                 "properties": {"id": {"type": "integer"}, "kind": {"const": "id"}}},
                {"type": "object", "required": ["name", "kind"],
                 "properties": {"name": {"type": "string"}, "kind": {"const": "name"}}},
            ]},
        })),
    );
}

#[test]
fn required_parameters_come_first_and_null_is_sent_where_it_means_something() {
    assert_snapshot!(
        signature_of(&json!({
            "required": ["b"],
            "properties": {
                "a": {"type": "integer"},
                "b": {"type": "string"},
                "c": {"type": ["string", "null"]},
                "d": {},
            },
        })),
        @"async def f(b: str, *, a: int | None = None, c: str | None = UNSET, d: Any = None) -> Any"
    );
}

#[test]
fn further_arguments_are_keywords() {
    assert_snapshot!(
        signature_of(&json!({"properties": {"extra": {}}, "additionalProperties": {"type": "string"}})),
        @"async def f(*, extra: Any = None, **extra_: str) -> Any"
    );
    assert_snapshot!(signature_of(&json!(true)), @"async def f(**arguments: Any) -> Any");
    assert_snapshot!(signature_of(&json!({"type": "string"})), @"async def f(**arguments: Any) -> Any");
    assert_snapshot!(signature_of(&json!({"type": "object"})), @"async def f(**arguments: Any) -> Any");
    assert_snapshot!(signature_of(&json!({"type": "object", "properties": []})), @"async def f(**arguments: Any) -> Any");
    assert_snapshot!(signature_of(&json!({"type": "object", "properties": {}})), @"async def f() -> Any");
    assert_snapshot!(signature_of(&json!({"type": "object", "additionalProperties": false})), @"async def f() -> Any");
}

#[test]
fn a_root_that_is_a_list_is_said_to_be_wrong_as_input_and_is_one_as_output() {
    let list = json!({"type": "array", "items": {"type": "string"}});
    let tool = json!({"name": "f", "inputSchema": list, "outputSchema": list});
    let catalog = catalog_of("s", &json!([tool]));
    let tool = catalog.tools().next().expect("a tool");
    assert_eq!(bindings::signature(tool), "async def f(**arguments: Any) -> list[str]");
    let said = "the server describes its arguments as a list, but a call sends an object";
    for file in [bindings::python_tool(tool), bindings::typescript_tool(tool)] {
        assert!(file.contains(said), "{file}");
    }
}

#[test]
fn a_result_without_known_fields_is_a_dict() {
    for output in [json!({"type": "object"}), json!({"type": "object", "properties": {}})] {
        let tool = json!({"name": "f", "inputSchema": {"type": "object", "properties": {}}, "outputSchema": output});
        let catalog = catalog_of("s", &json!([tool]));
        let tool = catalog.tools().next().expect("a tool");
        assert_eq!(bindings::signature(tool), "async def f() -> dict[str, Any]");
        assert!(!bindings::python_tool(tool).contains("TypedDict"));
        assert!(
            bindings::typescript_tool(tool).contains("export type FResult = Record<string, any>;")
        );
    }
}

#[test]
fn every_kind_of_type_has_an_annotation() {
    assert_snapshot!(
        signature_of(&json!({
            "required": ["a", "b", "c", "d", "e"],
            "properties": {
                "a": {"type": "array", "items": {"type": "number"}},
                "b": {"type": "object", "additionalProperties": {"type": "boolean"}},
                "c": {"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}},
                "d": {"enum": [1.5, "x"]},
                "e": {"anyOf": [{"type": "string"}, {"type": "array"}, {"type": "null"}]},
            },
        })),
        @r#"async def f(a: list[float], b: dict[str, bool], c: tuple[str, *tuple[int, ...]], d: Literal["x"] | float, e: str | list[Any] | None) -> Any"#
    );
}

#[test]
fn a_server_has_its_files_under_every_name() {
    let listing = json!({
        "server": "google-drive",
        "title": "Google Drive",
        "version": "1.2",
        "description": "Documents.\nAll of them.",
        "tools": [{"name": "getDocument"}, {"name": "list"}, {"name": "a/b"}, {"name": "index"}],
    });
    let listing: Listing = serde_json::from_value(listing).expect("a listing");
    let catalog = Catalog::new(vec![Arc::new(listing)]);
    let server = catalog.servers().next().expect("a server");

    let mut files = bindings::python_server(server);
    files.extend(bindings::typescript_server(server));
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    show("paths", &paths.join("\n"));
    let text = |path: &str| files.iter().find(|file| file.path == path).expect(path).text.clone();
    show("package", &text("google_drive/__init__.py"));
    show("index", &text("google_drive/index.ts"));
    show("server_json", &text("google-drive/.server.json"));
    show("readme", &bindings::readme(&catalog).text);
    let (one, other) = (text("google_drive/get_document.py"), text("google-drive/getDocument.py"));
    assert!(Arc::ptr_eq(&one, &other));
}

#[test]
fn a_module_exports_nothing_that_makes_it_a_promise() {
    let catalog = catalog_of("th", &json!([{"name": "then"}, {"name": "Then"}, {"name": "other"}]));
    let files = bindings::typescript_server(catalog.servers().next().expect("a server"));
    for file in &files {
        let exports = |line: &str| line.starts_with("export") && line.contains("then");
        for line in file.text.lines().filter(|line| exports(line)) {
            let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            assert!(words.clone().all(|word| word != "then"), "{}: {line}", file.path);
        }
    }
    let index = files.iter().find(|file| file.path == "th/index.ts").expect("an index");
    assert!(index.text.contains("then_"), "{}", index.text);
}

#[test]
fn where_nothing_is_compiled_every_tool_is_a_file_under_its_own_name() {
    let tools = ["GetDocument", "files/read", "files", "a", "a.py/b", "../x", "getdocument"];
    let tools: Vec<Value> =
        tools.iter().map(|name| json!({"name": name, "inputSchema": {}})).collect();
    let catalog = catalog_of("Google-Drive", &json!(tools));
    let server = catalog.servers().next().expect("a server");
    let mut files = bindings::python_server(server);
    files.extend(bindings::typescript_server(server));
    let added = bindings::unwritten_names(server, &files);
    assert!(added.iter().all(|added| files.iter().all(|file| file.path != added.path)));
    files.extend(added);
    let text = |path: &str| {
        files
            .iter()
            .find(|file| file.path == path)
            .map(|file| file.text.lines().take(40).collect::<String>())
    };
    for folder in ["Google-Drive", server.python()] {
        for (name, ending, said) in [
            ("GetDocument", "ts", "\"GetDocument\""),
            ("GetDocument", "py", "\"GetDocument\""),
            ("getdocument", "ts", "\"getdocument\""),
            ("files/read", "ts", "\"files/read\""),
            ("files/read", "py", "\"files/read\""),
            ("files", "py", "\"files\""),
        ] {
            let path = format!("{folder}/{name}.{ending}");
            assert!(
                text(&path).is_some_and(|text| text.contains(said)),
                "{path}: {:?}",
                text(&path)
            );
        }
        assert!(!files.iter().any(|file| file.path.contains("..") || file.path.contains("a.py/")));
    }
}

#[test]
fn a_long_result_without_parameters_stays_on_one_line() {
    let values: Vec<String> = (0..40).map(|number| format!("value {number}")).collect();
    let tool =
        json!({"name": "f", "inputSchema": {"properties": {}}, "outputSchema": {"enum": values}});
    let catalog = catalog_of("s", &json!([tool]));
    let python = bindings::python_tool(catalog.tools().next().expect("a tool"));
    assert!(python.contains("\nasync def f() -> Literal[\"value 0\", "), "{python}");
}

#[test]
fn a_long_description_is_cut() {
    let tool = json!({"name": "f", "description": "All work and no play. ".repeat(1_000)});
    let catalog = catalog_of("s", &json!([tool]));
    let python = bindings::python_tool(catalog.tools().next().expect("a tool"));
    assert!(python.contains("no play. …\n") && python.len() < 5_000);
}

#[test]
fn a_type_checker_reads_what_a_tool_gives_and_every_name_it_has() {
    let item = json!({"type": "object", "properties": {"id": {"type": "integer"}}, "additionalProperties": true});
    let tags = json!({"type": "object", "properties": {"main": {"type": "string"}}, "additionalProperties": {"type": "string"}});
    let output = json!({"type": "object", "required": ["found", "tags"], "additionalProperties": false,
        "properties": {"found": {"type": "array", "items": item}, "tags": tags}});
    let catalog = catalog_of(
        "docs",
        &json!([{"name": "findAll", "inputSchema": {"type": "object"}, "outputSchema": output}]),
    );
    let server = catalog.servers().next().expect("a server");
    let files: Vec<String> = bindings::python_stubs(server)
        .iter()
        .map(|file| format!("--- {}\n{}", file.path, file.text))
        .collect();
    assert_snapshot!(files.concat(), @r"
    --- docs/__init__.pyi
    from typing import Any
    from servers.docs.find_all import find_all as find_all
    findAll = find_all
    def __getattr__(name: str) -> Any: ...
    --- docs/find_all.pyi
    from typing import Any, Literal, NotRequired, TypedDict
    from tidegate import ToolCall

    class FindAllResultFoundItem(TypedDict):
        id: NotRequired[int]
        # Any other key holds Any.


    class FindAllResultTags(TypedDict, extra_items=Any):
        main: NotRequired[str]
        # Any other key holds str.


    class FindAllResult(TypedDict, closed=True):
        found: list[FindAllResultFoundItem]
        tags: FindAllResultTags


    def find_all(*arguments: Any, **named: Any) -> ToolCall[FindAllResult]: ...
    def __getattr__(name: str) -> Any: ...
    ");
}

#[test]
fn a_signature_knows_both_names_of_a_parameter_and_what_none_means() {
    let input = json!({"type": "object", "required": ["class"], "properties": {
        "class": {"type": "string"}, "limit": {"type": "integer"}, "owner": {"type": ["string", "null"]}}});
    let catalog = catalog_of("s", &json!([{"name": "f", "inputSchema": input}]));
    let signature = bindings::python_parameters(catalog.tools().next().expect("a tool"));
    let said: Vec<_> = signature
        .parameters
        .iter()
        .map(|one| (one.name.as_str(), one.key.as_str(), one.required, one.none_is_absent))
        .collect();
    assert_eq!(
        said,
        [
            ("class_", "class", true, false),
            ("limit", "limit", false, true),
            ("owner", "owner", false, false)
        ]
    );
    assert!(!signature.extra);
}

#[test]
fn a_signature_in_typescript_has_its_types_and_nothing_else() {
    let tool = json!([{
        "name": "find_items",
        "inputSchema": {
            "type": "object", "required": ["query"],
            "properties": {"query": {"type": "string", "description": "What to export today"}},
        },
        "outputSchema": {"type": "object", "properties": {"count": {"type": "integer"}}},
    }]);
    let catalog = catalog_of("shop", &tool);
    let signature = bindings::typescript_signature(catalog.tools().next().expect("a tool"));
    assert_snapshot!(signature, @r"
    interface FindItemsInput {
      /** What to export today */
      query: string;
    }

    interface FindItemsResult {
      count?: number;
    }

    async function findItems(input: FindItemsInput): Promise<FindItemsResult>
    ");
}

#[test]
fn a_parameter_called_like_what_every_object_has_passes_the_strict_compiler() {
    let names = ["constructor", "toString", "valueOf", "hasOwnProperty", "plain"];
    let tools: Vec<_> = names
        .iter()
        .map(|name| {
            let properties = json!({ *name: {"type": "string"} });
            json!({"name": format!("tool_{name}"), "inputSchema": {"type": "object", "properties": properties}})
        })
        .collect();
    let catalog = catalog_of("s", &json!(tools));
    for (tool, name) in catalog.tools().zip(names) {
        let file = bindings::typescript_tool(tool);
        let wanted = if name == "plain" { " = {}): Promise" } else { "(input?: " };
        assert!(file.contains(wanted), "{file}");
    }
    assert_eq!(support::typescript_complaints(&catalog), "");
}
