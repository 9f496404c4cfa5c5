//! What schemas become.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::super::document::Document;
use super::{Allowance, Direction, Schemas};

#[test]
fn the_older_dialect_is_translated() {
    let schema = json!({
        "type": "object",
        "nullable": true,
        "required": ["a"],
        "properties": {
            "a": {"type": "integer", "minimum": 3, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": false},
            "b": {"type": "string", "nullable": true, "enum": ["x", "y"], "example": "x"},
            "c": {"nullable": true, "description": "A pet.", "allOf": [{"$ref": "#/components/schemas/Pet"}]},
            "d": {"$ref": "#/components/schemas/Pet", "nullable": true, "description": "Next to it."},
            "e": {"type": "string", "format": "byte"},
            "f": {"items": [{"type": "string"}, {"type": "number"}], "type": "array", "x-other": 1},
        },
        "discriminator": {"propertyName": "a"},
        "xml": {"name": "x"},
    });
    assert_snapshot!(converted("3.0.3", Direction::Input, &schema), @r##"
    type: ["object","null"]
    required: ["a"]
    properties.a: {"type":"integer","maximum":9,"exclusiveMinimum":3}
    properties.b: {"type":["string","null"],"enum":["x","y",null],"examples":["x"]}
    properties.c: {"description":"A pet.","anyOf":[{"allOf":[{"$ref":"#/$defs/Pet"}]},{"type":"null"}]}
    properties.d: {"description":"Next to it.","anyOf":[{"$ref":"#/$defs/Pet"},{"type":"null"}]}
    properties.e: {"type":"string","contentEncoding":"base64"}
    properties.f: {"prefixItems":[{"type":"string"},{"type":"number"}],"type":"array"}
    $defs.Pet: {"type":"object","properties":{"name":{"type":"string"}}}
    "##);
}

#[test]
fn the_newer_dialect_stays_as_it_is() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": ["object", "null"],
        "properties": {"p": {"$ref": "#/components/schemas/Pet", "description": "Ours.", "deprecated": true}},
        "patternProperties": {"^x-": true},
        "unevaluatedProperties": false,
        "if": {"required": ["p"]},
        "then": {"minProperties": 2},
        "examples": [{"p": null}],
    });
    assert_snapshot!(converted("3.1.0", Direction::Input, &schema), @r##"
    type: ["object","null"]
    properties.p: {"$ref":"#/$defs/Pet","description":"Ours.","deprecated":true}
    patternProperties: {"^x-":true}
    unevaluatedProperties: false
    if: {"required":["p"]}
    then: {"minProperties":2}
    examples: [{"p":null}]
    $defs.Pet: {"type":"object","properties":{"name":{"type":"string"}}}
    "##);
}

#[test]
fn recursive_schemas_become_definitions_once() {
    assert_snapshot!(converted("3.0.0", Direction::Output, &json!({"$ref": "#/components/schemas/Tree"})), @r##"
    $ref: "#/$defs/Tree"
    $defs.Tree: {"type":"object","properties":{"left":{"$ref":"#/$defs/Branch"},"right":{"$ref":"#/$defs/Branch"}}}
    $defs.Branch: {"items":{"anyOf":[{"$ref":"#/$defs/Tree"},{"$ref":"#/$defs/Pet_name"}]}}
    $defs.Pet_name: {"type":"string"}
    "##);
}

#[test]
fn properties_go_only_their_way() {
    let schema = json!({"$ref": "#/components/schemas/Account"});
    assert_snapshot!(converted("3.0.0", Direction::Input, &schema), @r##"
    $ref: "#/$defs/Account"
    $defs.Account: {"type":"object","required":["word","name"],"properties":{"word":{"type":"string"},"name":{"type":"string"}}}
    "##);
    assert_snapshot!(converted("3.0.0", Direction::Output, &schema), @r##"
    $ref: "#/$defs/Account"
    $defs.Account: {"type":"object","required":["id","name"],"properties":{"id":{"type":"string"},"name":{"type":"string"},"made":{"$ref":"#/$defs/Made"}}}
    $defs.Made: {"type":"string"}
    "##);
}

#[test]
fn references_that_lead_nowhere_accept_anything_and_say_so() {
    let schema = json!({
        "properties": {
            "remote": {"$ref": "https://other.example/schemas.json#/Pet", "description": "A pet."},
            "file": {"$ref": "pet.yaml"},
            "missing": {"$ref": "#/components/schemas/Nobody"},
            "circle": {"$ref": "#/components/schemas/Circle"},
            "number": {"$ref": 7},
        },
    });
    assert_snapshot!(converted("3.0.0", Direction::Input, &schema), @r#"
    properties.remote: {"description":"A pet. (Anything: the schema `https://other.example/schemas.json#/Pet` is outside the document, and other documents are not fetched.)"}
    properties.file: {"description":"Anything: the schema `pet.yaml` is outside the document, and other documents are not fetched."}
    properties.missing: {"description":"Anything: the schema `#/components/schemas/Nobody` is not in the document."}
    properties.circle: {"description":"Anything: the schema `#/components/schemas/Circle` refers to itself."}
    properties.number: {}
    "#);
}

#[test]
fn values_of_the_wrong_kind_are_dropped() {
    let schema = json!({
        "type": 7, "required": true, "properties": [], "enum": [], "allOf": {}, "minimum": "1",
        "items": "x", "description": 3, "title": null, "pattern": [],
    });
    assert_snapshot!(converted("3.1.0", Direction::Input, &schema), @"items: {}");
    assert_snapshot!(converted("3.1.0", Direction::Input, &json!([1, 2])), @"");
    assert_snapshot!(converted("3.1.0", Direction::Input, &json!(false)), @"false");
}

#[test]
fn definitions_beyond_the_size_accept_anything() {
    let document = document("3.0.0");
    let allowance = Allowance::new(1 << 20);
    let mut schemas = Schemas::new(&document, Direction::Output, &allowance);
    let schema = json!({"$ref": "#/components/schemas/Far"});
    let converted = schemas.convert(&schema);
    assert!(
        schemas.closure_bytes(&converted.uses, 170)
            < schemas.closure_bytes(&converted.uses, 10_000)
    );
    assert_snapshot!(pretty(&schemas.closed(converted, 170)), @r##"
    $ref: "#/$defs/Far"
    $defs.Far: {"properties":{"next":{"$ref":"#/$defs/Farther"}}}
    $defs.Farther: {"properties":{"next":{"$ref":"#/$defs/Farthest"}}}
    $defs.Farthest: {"description":"Anything; its definition is left out for its size."}
    "##);
}

#[test]
fn what_is_deeper_or_larger_than_allowed_accepts_anything() {
    let mut deep = json!({"type": "string"});
    for _ in 0..120 {
        deep = json!({"items": deep});
    }
    let text = converted("3.1.0", Direction::Input, &deep);
    assert_eq!(text.matches("items").count(), 65);

    let document = document("3.1.0");
    let allowance = Allowance::new(1000);
    let mut schemas = Schemas::new(&document, Direction::Input, &allowance);
    let wide: Value = (0..1000).map(|at| (format!("p{at}"), json!({"type": "string"}))).collect();
    let wide = json!({"properties": wide});
    let text = schemas.convert(&wide).schema.to_string();
    assert!(text.matches("\"type\"").count() < 20 && text.contains("left out"));
}

/// The schema with its definitions, as JSON.
fn converted(version: &str, direction: Direction, schema: &Value) -> String {
    let document = document(version);
    let allowance = Allowance::new(1 << 20);
    let mut schemas = Schemas::new(&document, direction, &allowance);
    let converted = schemas.convert(schema);
    pretty(&schemas.closed(converted, 10_000))
}

/// One line per property, since whole lines are easier to compare than deep ones.
fn pretty(schema: &Value) -> String {
    let Value::Object(map) = schema else { return schema.to_string() };
    let mut lines = Vec::new();
    for (key, value) in map {
        match value {
            Value::Object(inner) if key == "properties" || key == "$defs" => {
                lines.extend(inner.iter().map(|(name, value)| format!("{key}.{name}: {value}")));
            }
            _ => lines.push(format!("{key}: {value}")),
        }
    }
    lines.join("\n")
}

fn document(version: &str) -> Document {
    let document = json!({
        "openapi": version,
        "components": {"schemas": {
            "Pet": {"type": "object", "properties": {"name": {"type": "string"}}},
            "Tree": {"type": "object", "properties": {
                "left": {"$ref": "#/components/schemas/Branch"},
                "right": {"$ref": "#/components/schemas/Alias"},
            }},
            "Alias": {"$ref": "#/components/schemas/Branch"},
            "Branch": {"items": {"anyOf": [{"$ref": "#/components/schemas/Tree"}, {"$ref": "#/components/schemas/Pet/properties/name"}]}},
            "Account": {"type": "object", "required": ["id", "word", "name"], "properties": {
                "id": {"type": "string", "readOnly": true},
                "word": {"type": "string", "writeOnly": true},
                "name": {"type": "string"},
                "made": {"$ref": "#/components/schemas/Made"},
            }},
            "Made": {"type": "string", "readOnly": true},
            "Circle": {"$ref": "#/components/schemas/Circle"},
            "Far": {"properties": {"next": {"$ref": "#/components/schemas/Farther"}}},
            "Farther": {"properties": {"next": {"$ref": "#/components/schemas/Farthest"}}},
            "Farthest": {"description": "So far away that nobody knows exactly where it is."},
        }},
    });
    Document::parse(&document.to_string()).unwrap()
}
