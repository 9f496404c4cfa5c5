//! Whatever a server calls its tools and says about them, the result is source code.

mod support;

use std::sync::Arc;

use catalog::{Catalog, Listing, ServerName, Tool};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

/// Texts that have ended somebody's string before, and any others.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\"\"\"".to_owned()),
        Just("\\".to_owned()),
        Just("*/".to_owned()),
        Just("'''".to_owned()),
        Just("\r\n".to_owned()),
        Just("${x}`".to_owned()),
        Just("\u{2028}\u{0}\u{feff}".to_owned()),
        Just("__a".to_owned()),
        Just("class".to_owned()),
        "[a-zA-Z_]{1,8}",
        any::<String>(),
    ];
    proptest::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ]
}

/// Schemas of all kinds, mostly sensible ones.
fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({})),
        Just(json!(true)),
        Just(json!({"type": "string"})),
        Just(json!({"type": ["integer", "null"], "minimum": 3})),
        Just(json!({"$ref": "#"})),
        Just(json!({"$ref": "#/properties/next"})),
        proptest::collection::vec(scalar(), 1..5).prop_map(|values| json!({"enum": values})),
        (text(), scalar()).prop_map(|(said, value)| json!({
            "type": "number", "description": said, "default": value, "examples": [value],
        })),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let fields = proptest::collection::vec((text(), inner.clone(), any::<bool>()), 0..5);
        prop_oneof![
            (fields, text(), proptest::option::of(inner.clone())).prop_map(
                |(fields, said, extra)| {
                    let required: Vec<&str> = fields
                        .iter()
                        .filter(|(_, _, required)| *required)
                        .map(|(name, ..)| name.as_str())
                        .collect();
                    let properties: serde_json::Map<String, Value> = fields
                        .iter()
                        .map(|(name, schema, _)| (name.clone(), schema.clone()))
                        .collect();
                    let mut object = json!({
                        "type": "object", "description": said, "required": required,
                        "properties": properties,
                    });
                    if let Some(extra) = extra {
                        object["additionalProperties"] = extra;
                    }
                    object
                }
            ),
            inner.clone().prop_map(|item| json!({"type": "array", "items": item})),
            proptest::collection::vec(inner.clone(), 1..4)
                .prop_map(|items| json!({"type": "array", "prefixItems": items})),
            inner.clone().prop_map(|item| json!({"type": "object", "additionalProperties": item})),
            proptest::collection::vec(inner, 1..4).prop_map(|kinds| json!({"anyOf": kinds})),
        ]
    })
}

fn tool() -> impl Strategy<Value = Tool> {
    (text(), proptest::option::of(text()), schema(), proptest::option::of(schema())).prop_map(
        |(name, said, input, output)| {
            let tool = json!({
                "name": name, "description": said, "inputSchema": input, "outputSchema": output,
            });
            serde_json::from_value(tool).expect("a tool")
        },
    )
}

/// Many servers at once: starting a compiler for each would take hours.
fn catalogs(count: usize) -> impl Strategy<Value = Catalog> {
    let server = (text(), proptest::option::of(text()), proptest::collection::vec(tool(), 1..8));
    proptest::collection::vec(server, count).prop_map(|servers| {
        let listing = |(name, said, tools): (String, Option<String>, Vec<Tool>)| Listing {
            server: ServerName(name),
            title: said.clone(),
            version: said.clone(),
            description: said,
            tools,
        };
        Catalog::new(servers.into_iter().map(listing).map(Arc::new).collect())
    })
}

/// How many catalogs are tried: `PROPTEST_CASES`, or as many as take seconds.
fn cases(few: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(few)
}

#[test]
fn any_server_gives_python_that_imports() {
    let config = Config {
        cases: cases(4),
        max_shrink_iters: 60,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&catalogs(150), |catalog| {
            prop_assert_eq!(support::python_complaints(&catalog), "");
            Ok(())
        })
        .unwrap();
}

#[test]
fn any_server_gives_typescript_that_compiles() {
    let config = Config {
        cases: cases(2),
        max_shrink_iters: 30,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&catalogs(150), |catalog| {
            prop_assert_eq!(support::typescript_complaints(&catalog), "");
            Ok(())
        })
        .unwrap();
}
