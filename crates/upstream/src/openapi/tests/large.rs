//! Documents with more operations than anybody reads.

use std::time::Instant;

use serde_json::{Value, json};

use super::planned;
use super::service::{call, connected, echo, serve, settings};
use crate::connection::Connection as _;

const OPERATIONS: usize = 120;

/// The styles of a list in the path: style, explode, what `["a b", "c"]` becomes for the
/// parameter `key`.
const PATHS: [(&str, bool, &str); 6] = [
    ("simple", false, "a%20b,c"),
    ("simple", true, "a%20b,c"),
    ("label", false, ".a%20b,c"),
    ("label", true, ".a%20b.c"),
    ("matrix", false, ";key=a%20b,c"),
    ("matrix", true, ";key=a%20b;key=c"),
];

/// What a decoded query consists of.
type Pairs = &'static [(&'static str, &'static str)];

/// The same for a list in the query, as it arrives after decoding.
const QUERIES: [(&str, bool, Pairs); 5] = [
    ("form", true, &[("list", "x y"), ("list", "é&")]),
    ("form", false, &[("list", "x y,é&")]),
    ("spaceDelimited", false, &[("list", "x y é&")]),
    ("pipeDelimited", false, &[("list", "x y|é&")]),
    ("deepObject", true, &[("list[0]", "x y"), ("list[1]", "é&")]),
];

/// Media types of bodies, and how the fields `a: 1` and `b: "ö ="` arrive, or the whole body.
const BODIES: [(&str, &str); 5] = [
    ("application/json", r#"{"a":1,"b":"ö ="}"#),
    ("application/x-www-form-urlencoded", "a=1&b=%C3%B6%20%3D"),
    ("multipart/form-data", "name=\"b\"\r\n\r\nö ="),
    ("text/plain", "plain words"),
    ("application/octet-stream", "bytes"),
];

#[tokio::test]
async fn every_one_of_120_operations_reaches_its_service() {
    let service = serve(echo()).await;
    let api = connected(&settings(&document(OPERATIONS).to_string(), Some(&service.url))).await;
    let listing = api.listing().await.unwrap();
    assert_eq!(listing.tools.len(), OPERATIONS);
    for (at, tool) in listing.tools.iter().enumerate() {
        let arguments = arguments(at);
        let given = arguments.as_object().unwrap();
        let properties = tool.input_schema["properties"].as_object().unwrap();
        assert_eq!(properties.len(), given.len(), "{}: {properties:?}", tool.name);
        assert!(given.keys().all(|name| properties.contains_key(name)), "{}", tool.name);
        let arrived = call(&api, &tool.name.0, arguments).await.unwrap().structured.unwrap();
        check(at, &arrived);
    }
}

#[test]
fn a_document_of_5000_operations_is_read() {
    let document = document(5000);
    let text = document.to_string();
    let start = Instant::now();
    let plan = planned(&document);
    let bytes: usize =
        plan.listing.tools.iter().map(|tool| serde_json::to_string(tool).unwrap().len()).sum();
    println!(
        "5000 operations: {} bytes of document, {bytes} bytes of tools, {:?}",
        text.len(),
        start.elapsed()
    );
    assert_eq!(plan.listing.tools.len(), 5000);
}

#[test]
fn schemas_that_all_refer_to_each_other_do_not_multiply() {
    // Like the documents of large services: every tool reaches every schema.
    let schemas: Value = (0..600)
        .map(|at| {
            let refer =
                |other: usize| json!({"$ref": format!("#/components/schemas/S{}", other % 600)});
            let texts: Value = (0..20)
                .map(|field| {
                    (
                        format!("field_{field}"),
                        json!({"type": "string", "description": "words ".repeat(20)}),
                    )
                })
                .collect();
            let mut schema = json!({"type": "object", "properties": texts});
            schema["properties"]["next"] = refer(at + 1);
            schema["properties"]["other"] = refer(at * 7 + 3);
            (format!("S{at}"), schema)
        })
        .collect();
    let paths: Value = (0..1000)
        .map(|at| {
            let schema = json!({"$ref": format!("#/components/schemas/S{}", at % 600)});
            let content = json!({"application/json": {"schema": schema}});
            let operation = json!({"requestBody": {"content": content}, "responses": {"200": {"content": content}}});
            (format!("/p{at}"), json!({"post": operation}))
        })
        .collect();
    let document = json!({"openapi": "3.0.0", "paths": paths, "components": {"schemas": schemas}});
    let start = Instant::now();
    let plan = planned(&document);
    let bytes: usize =
        plan.listing.tools.iter().map(|tool| serde_json::to_string(tool).unwrap().len()).sum();
    println!("1000 operations over 600 schemas: {bytes} bytes of tools, {:?}", start.elapsed());
    assert_eq!(plan.listing.tools.len(), 1000);
    assert!(bytes < 64 << 20, "{bytes}");
    let nearest = &plan.tool("post_p0").output_schema.as_ref().unwrap()["$defs"]["S0"];
    assert_eq!(nearest["properties"].as_object().unwrap().len(), 22);
}

#[test]
fn parts_that_are_repeated_by_reference_do_not_multiply() {
    let texts: Value = (0..1000)
        .map(|at| (format!("f{at}"), json!({"type": "string", "description": "x".repeat(500)})))
        .collect();
    let body = json!({"content": {"application/json": {"schema": {"type": "array", "items": {"properties": texts}}}}});
    let paths: Value = (0..5000)
        .map(|at| {
            (
                format!("/p{at}"),
                json!({"post": {"requestBody": {"$ref": "#/components/requestBodies/Big"}}}),
            )
        })
        .collect();
    let document =
        json!({"openapi": "3.0.0", "paths": paths, "components": {"requestBodies": {"Big": body}}});
    let plan = planned(&document);
    let bytes: usize =
        plan.listing.tools.iter().map(|tool| serde_json::to_string(tool).unwrap().len()).sum();
    assert!(
        plan.listing.tools.len() > 50 && bytes < 128 << 20,
        "{} tools, {bytes} bytes",
        plan.listing.tools.len()
    );
}

/// Operations that between them use every kind of parameter and body there is.
fn document(operations: usize) -> Value {
    let paths: Value = (0..operations)
        .map(|at| (format!("/group{}/item{at}/{{key}}", at % 7), item(at)))
        .collect();
    json!({
        "openapi": "3.0.3",
        "info": {"title": "Large", "version": "1"},
        "paths": paths,
        "components": {
            "schemas": {
                "Tree": {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}}},
                "Fields": {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}, "b": {"type": "string", "nullable": true}}},
            },
            "parameters": {"Trace": {"name": "X-Trace", "in": "header", "schema": {"type": "string"}}},
        },
    })
}

fn item(at: usize) -> Value {
    let (path_style, path_explode, _) = PATHS[at % PATHS.len()];
    let (query_style, query_explode, _) = QUERIES[at % QUERIES.len()];
    let list = json!({"type": "array", "items": {"type": "string"}});
    let mut operation = json!({
        "summary": format!("Does the thing number {at}"),
        "parameters": [
            {"name": "list", "in": "query", "style": query_style, "explode": query_explode, "schema": list},
            {"name": "session", "in": "cookie", "schema": {"type": "string"}},
        ],
        "responses": {"200": {"description": "", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Tree"}}}}},
    });
    // Every third operation has no identifier of its own.
    if !at.is_multiple_of(3) {
        operation["operationId"] = json!(format!("operation{at}"));
    }
    if let Some((media_type, _)) = body(at) {
        let schema = json!({"$ref": "#/components/schemas/Fields"});
        operation["requestBody"] =
            json!({"required": true, "content": {media_type: {"schema": schema}}});
    }
    json!({
        "parameters": [
            {"name": "key", "in": "path", "required": true, "style": path_style, "explode": path_explode, "schema": list},
            {"$ref": "#/components/parameters/Trace"},
        ],
        (method(at)): operation,
    })
}

fn method(at: usize) -> &'static str {
    ["get", "post", "put", "patch", "delete"][at % 5]
}

fn body(at: usize) -> Option<(&'static str, &'static str)> {
    matches!(method(at), "post" | "put" | "patch").then(|| BODIES[at / 5 % BODIES.len()])
}

fn arguments(at: usize) -> Value {
    let mut arguments = json!({"key": ["a b", "c"], "list": ["x y", "é&"], "session": format!("s {at}"), "X-Trace": format!("t{at}")});
    match body(at) {
        Some(("text/plain", words)) => arguments["body"] = json!(words),
        Some(("application/octet-stream", text)) => arguments["body"] = json!({ "text": text }),
        Some(_) => {
            arguments["a"] = json!(1);
            arguments["b"] = json!("ö =");
        }
        None => {}
    }
    arguments
}

fn check(at: usize, arrived: &Value) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (.., path) = PATHS[at % PATHS.len()];
    assert_eq!(text(&arrived["method"]).to_lowercase(), method(at));
    assert_eq!(arrived["path"], format!("/group{}/item{at}/{path}", at % 7));
    let query = text(&arrived["query"]);
    let query: Vec<(String, String)> =
        url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let (.., wanted) = QUERIES[at % QUERIES.len()];
    let wanted: Vec<(String, String)> =
        wanted.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    assert_eq!(query, wanted, "operation {at}");
    assert_eq!(arrived["headers"]["cookie"], format!("session=s%20{at}"));
    assert_eq!(arrived["headers"]["x-trace"], format!("t{at}"));
    let sent = text(&arrived["body"]);
    match body(at) {
        None => assert_eq!(sent, ""),
        Some((media_type @ "multipart/form-data", wanted)) => {
            assert!(sent.contains(wanted), "operation {at}: {sent}");
            assert!(text(&arrived["headers"]["content-type"]).starts_with(media_type));
        }
        Some((media_type, wanted)) => {
            assert_eq!(sent, wanted, "operation {at}");
            assert_eq!(arrived["headers"]["content-type"], media_type);
        }
    }
}
