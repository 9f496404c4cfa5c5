//! Documents that are wrong, odd or hostile.

use insta::assert_snapshot;
use percent_encoding::percent_decode_str;
use proptest::prelude::*;
use serde_json::{Value, json};
use url::Url;

use super::{planned, planned_text};

#[test]
fn references_are_followed_wherever_they_may_stand() {
    let plan = planned(&json!({
        "openapi": "3.1.0",
        "paths": {
            "/a/{id}": {"$ref": "#/components/pathItems/Shared", "get": {"operationId": "own", "parameters": [{"$ref": "#/components/parameters/Id"}]}},
            "/b/{id}": {"$ref": "#/paths/~1a~1{id}"},
            "/c": {"$ref": "https://other.example/openapi.json#/paths/c"},
        },
        "components": {
            "pathItems": {"Shared": {"delete": {"operationId": "shared", "responses": {"200": {"$ref": "#/components/responses/Done"}}}}},
            "parameters": {"Id": {"$ref": "#/components/parameters/RealId"}, "RealId": {"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}},
            "responses": {"Done": {"content": {"application/json": {"schema": {"type": "boolean"}}}}},
        },
    }));
    assert_eq!(plan.names(), ["own", "shared", "get_b_by_id", "delete_b_by_id"]);
    assert_eq!(plan.tool("own").input_schema["properties"]["id"]["type"], "integer");
    assert_eq!(plan.tool("shared").output_schema, Some(json!({"type": "boolean"})));
}

#[test]
fn what_cannot_be_resolved_is_noted_and_never_fetched() {
    let plan = planned(&json!({
        "openapi": "3.0.0",
        "paths": {"/a": {"post": {
            "operationId": "a",
            "summary": "Does it",
            "parameters": [{"$ref": "https://other.example/p.json"}, {"$ref": "#/components/parameters/Loop"}, {"name": "x"}, 7],
            "requestBody": {"$ref": "bodies.yaml#/Body"},
            "responses": {"200": {"$ref": "#/nowhere"}},
        }}},
        "components": {"parameters": {"Loop": {"$ref": "#/components/parameters/Loop"}}},
    }));
    let tool = plan.tool("a");
    assert_eq!(
        tool.input_schema,
        json!({"type": "object", "properties": {}, "additionalProperties": false})
    );
    assert_snapshot!(tool.description.as_deref().unwrap(), @"
    Does it

    A parameter is left out: `https://other.example/p.json` is outside the document, and other documents are not fetched.

    A parameter is left out: `#/components/parameters/Loop` refers to itself.

    The body cannot be given: `bodies.yaml#/Body` is outside the document, and other documents are not fetched.
    ");
}

#[test]
fn a_placeholder_without_a_description_is_a_required_string() {
    let plan = planned(&json!({"openapi": "3.0.0", "paths": {"/a/{x}/{y}": {"get": {
        "parameters": [{"name": "y", "in": "path", "schema": {"type": "integer"}}, {"name": "z", "in": "path", "schema": {}}],
    }}}}));
    let tool = plan.tool("get_a_by_x_by_y");
    assert_eq!(tool.input_schema["required"], json!(["x", "y"]));
    assert_eq!(
        tool.input_schema["properties"],
        json!({"x": {"type": "string"}, "y": {"type": "integer"}})
    );
}

#[test]
fn no_value_in_a_path_changes_where_a_request_goes() {
    let values = [
        "a/b",
        "/",
        "//evil.example/",
        "../..",
        "..%2F..",
        "%2F",
        "%2e%2e",
        "%2e",
        ".",
        "..",
        "...",
        "",
        "?x=1",
        "a?b#c",
        "#x",
        "\\..\\",
        "@evil.example",
        "https://evil.example",
        ";x=1",
        " ",
        "\r\nHost: b",
    ];
    for (style, prefix) in [("simple", ""), ("label", "."), ("matrix", ";id=")] {
        let plan = planned(&json!({"openapi": "3.0.0", "paths": {"/pets/{id}/photos": {"get": {
            "operationId": "photos",
            "parameters": [{"name": "id", "in": "path", "required": true, "style": style, "schema": {"type": "string"}}],
        }}}}));
        for value in values {
            let sent = plan.request("photos", json!({"id": value}));
            let Some(url) = sent.lines().next().and_then(|line| line.strip_prefix("GET ")) else {
                // What no encoding can keep in its place is not sent.
                let is_dots = [".", ".."].contains(&format!("{prefix}{value}").as_str());
                assert!(is_dots || value.is_empty(), "{style} {value:?}: {sent}");
                continue;
            };
            let url = Url::parse(url).unwrap();
            assert_eq!(url.host_str(), Some("api.example"), "{style} {value:?}");
            assert_eq!((url.query(), url.fragment()), (None, None), "{style} {value:?}");
            let path: Vec<&str> = url.path().split('/').collect();
            let ["", "v1", "pets", segment, "photos"] = path[..] else {
                panic!("{style} {value:?}: {url}");
            };
            let segment = percent_decode_str(segment).decode_utf8().unwrap();
            assert_eq!(segment, format!("{prefix}{value}"), "{style} {value:?}");
        }
    }
}

#[test]
fn operations_at_other_origins_and_outside_the_base_are_left_out_and_told() {
    let text = json!({
        "openapi": "3.0.0",
        "servers": [{"url": "https://api.example"}],
        "paths": {
            "/here": {"get": {}},
            "/there": {"get": {"servers": [{"url": "http://169.254.169.254"}]}},
            "/../admin": {"get": {}},
            "x-hidden": {"get": {}},
        },
    });
    let place = super::Place { base_url: None, document_url: None, has_headers: false };
    let server = catalog::ServerName("api".to_owned());
    let plan = super::plan(&server, &text.to_string(), place, &http::HeaderMap::new()).unwrap();
    assert_eq!(plan.names(), ["get_here"]);
    assert_snapshot!(plan.left_out.join("\n"), @r#"
    GET /there: it is at http://169.254.169.254/ and not at https://api.example/, and requests go to one host only; a server of its own, with the same document and `base-url = "http://169.254.169.254/"`, offers it
    /../admin: its path leads elsewhere
    "#);
}

#[test]
fn a_body_that_refers_to_itself_is_carried_once() {
    let plan = planned(&json!({
        "openapi": "3.0.0",
        "paths": {"/a": {"post": {"operationId": "a", "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}}}}}},
        "components": {"schemas": {"Node": {"type": "object", "properties": {
            "value": {}, "next": {"$ref": "#/components/schemas/Node"}, "all": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}},
        }}}},
    }));
    assert_snapshot!(plan.tool("a").input_schema, @r##"{"type":"object","properties":{"value":{},"next":{"$ref":"#/$defs/Node"},"all":{"type":"array","items":{"$ref":"#/$defs/Node"}}},"additionalProperties":false,"$defs":{"Node":{"type":"object","properties":{"value":{},"next":{"$ref":"#/$defs/Node"},"all":{"type":"array","items":{"$ref":"#/$defs/Node"}}}}}}"##);
    let own = json!({"allOf": [{"$ref": "#/components/schemas/Own"}]});
    let plan = planned(&json!({
        "openapi": "3.0.0",
        "paths": {"/a": {"post": {"operationId": "a", "requestBody": {"content": {"application/json": {"schema": own}}}}}},
        "components": {"schemas": {"Own": own}},
    }));
    assert!(plan.tool("a").input_schema["properties"]["body"].is_object());
}

#[test]
fn documents_without_anything_to_offer_offer_nothing() {
    for document in [
        "openapi: 3.1.0",
        "openapi: 3.0.0\npaths: 7",
        "openapi: 3.0.0\npaths: {/a: 1, /b: {get: 2, summary: {}}}",
    ] {
        assert!(planned_text(document).unwrap().listing.tools.is_empty(), "{document}");
    }
}

/// JSON out of the words that mean something in a document, so that chance gets somewhere.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        Just("get"),
        Just("post"),
        Just("parameters"),
        Just("requestBody"),
        Just("content"),
        Just("schema"),
        Just("$ref"),
        Just("#/components/schemas/A"),
        Just("#/components/parameters/A"),
        Just("#/paths/~1a"),
        Just("properties"),
        Just("type"),
        Just("object"),
        Just("array"),
        Just("items"),
        Just("allOf"),
        Just("anyOf"),
        Just("nullable"),
        Just("enum"),
        Just("required"),
        Just("name"),
        Just("in"),
        Just("path"),
        Just("query"),
        Just("header"),
        Just("cookie"),
        Just("style"),
        Just("deepObject"),
        Just("responses"),
        Just("200"),
        Just("application/json"),
        Just("multipart/form-data"),
        Just("application/x-www-form-urlencoded"),
        Just("servers"),
        Just("url"),
        Just("/a"),
        Just("/{a}"),
        Just("{a}"),
        Just("A"),
        Just("schemas"),
        Just("encoding"),
        Just("default"),
        Just("additionalProperties"),
        Just("exclusiveMinimum"),
        Just("minimum"),
        Just("description"),
        Just("readOnly"),
        Just("é {"),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(7, 200, 8, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((word.clone(), inner), 0..8).prop_map(|entries| entries
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect()),
        ]
    })
}

proptest! {
    #[test]
    fn no_document_makes_us_panic(paths in any_json(), schemas in any_json(), parameters in any_json(), arguments in any_json(), old: bool) {
        let document = json!({
            "openapi": if old { "3.0.0" } else { "3.1.0" },
            "paths": {"/a": paths, "/{a}/b": {"post": schemas, "parameters": parameters}},
            "components": {"schemas": {"A": schemas}, "parameters": {"A": parameters}},
            "servers": paths,
        });
        let plan = planned(&document);
        for operation in plan.operations.values() {
            let mut given = arguments.as_object().cloned().unwrap_or_default();
            let _ = operation.request(given.clone());
            given.extend(operation.parameters.iter().map(|parameter| (parameter.argument.clone(), arguments.clone())));
            let _ = operation.request(given);
        }
        let place = super::Place { base_url: None, document_url: None, has_headers: true };
        let _ = super::plan(&catalog::ServerName("api".to_owned()), &document.to_string(), place, &http::HeaderMap::new());
    }

    #[test]
    fn no_root_makes_us_panic(root in any_json(), text in ".{0,200}") {
        let _ = planned_text(&root.to_string());
        let _ = planned_text(&text);
        let _ = planned_text(&format!("openapi: 3.0.0\npaths:\n  /a: {text}\n"));
    }
}
