//! Schemas of every kind, as types.

use std::fmt::Write as _;

use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::tests::well_formed;

/// A schema in short: the root, then each object with its fields, then the notes.
fn shown(schema: &Value) -> String {
    let schema = read(schema);
    well_formed(&schema);
    let mut out = short(&schema.root);
    for (index, object) in schema.definitions.iter().enumerate() {
        let _ = write!(out, "\n#{index} {}", object.path.join("/"));
        for field in &object.fields {
            let mark = if field.required { "*" } else { "" };
            let _ = write!(out, "\n  {mark}{}: {}", field.name, short(&field.shape));
            if !field.rules.is_empty() {
                let _ = write!(out, " ({})", field.rules.join("; "));
            }
            if let Some(default) = &field.default {
                let _ = write!(out, " = {default}");
            }
        }
        if let Some(extra) = &object.extra {
            let _ = write!(out, "\n  …: {}", short(extra));
        }
    }
    for note in &schema.notes {
        let _ = write!(out, "\n! {note}");
    }
    out
}

fn short(shape: &Shape) -> String {
    let list = |shapes: &[Shape], between: &str| {
        shapes.iter().map(short).collect::<Vec<_>>().join(between)
    };
    match shape {
        Shape::Literal(values) => values.iter().map(Value::to_string).collect::<Vec<_>>().join("/"),
        Shape::List(item) => format!("[{}]", short(item)),
        Shape::Tuple { items, rest } => match rest {
            None => format!("({})", list(items, ", ")),
            Some(rest) => format!("({}, {}…)", list(items, ", "), short(rest)),
        },
        Shape::Map(value) => format!("{{{}}}", short(value)),
        Shape::Object(index) => format!("#{index}"),
        Shape::Union(shapes) => list(shapes, " | "),
        simple => format!("{simple:?}"),
    }
}

#[test]
fn required_fields_come_first_and_rules_are_in_words() {
    assert_snapshot!(shown(&json!({
        "type": "object",
        "properties": {
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 30},
            "query": {"type": "string", "minLength": 1, "maxLength": 1},
            "since": {"type": ["string", "null"], "format": "date-time"},
            "tags": {"type": "array", "items": {"type": "string", "maxLength": 9}, "minItems": 1, "uniqueItems": true},
            "safe": {"type": "integer", "minimum": -9_007_199_254_740_991_i64, "exclusiveMaximum": 5},
        },
        "required": ["query", "unknown"],
    })), @"
    #0
    #0 
      *query: String (exactly 1 character)
      *unknown: Any
      limit: Integer (at least 1; at most 100) = 30
      since: String | Null (format date-time)
      tags: [String] (at least 1 item; no item twice; each item at most 9 characters)
      safe: Integer (less than 5)
    ");
}

#[test]
fn one_name_that_is_required_stands_for_a_list_of_it() {
    let schema =
        |required: Value| json!({"properties": {"a": {"type": "string"}}, "required": required});
    let said = shown(&schema(json!("a")));
    assert_eq!(said, shown(&schema(json!(["a"]))));
    assert!(said.contains("*a: String") && !said.contains('!'), "{said}");
}

#[test]
fn nothing_said_is_anything() {
    for schema in [
        json!(null),
        json!({}),
        json!(true),
        json!({"$schema": "http://json-schema.org/draft-07/schema#"}),
    ] {
        assert_eq!(shown(&schema), "Any", "{schema}");
    }
    assert_eq!(shown(&json!(false)), "Any\n! no value can fit");
    assert_eq!(shown(&json!(7)), "Any\n! a number is not a schema");
}

#[test]
fn a_root_with_known_keys_or_none_is_the_first_definition() {
    assert_eq!(shown(&json!({"type": "object"})), "{Any}");
    assert_eq!(shown(&json!({"type": "object", "additionalProperties": {}})), "{Any}");
    assert_eq!(shown(&json!({"type": "object", "properties": {}})), "#0\n#0 ");
    assert_eq!(shown(&json!({"type": "object", "additionalProperties": false})), "#0\n#0 ");
    assert_eq!(shown(&json!({"properties": {"a": {}}})), "#0\n#0 \n  a: Any");
    assert_eq!(shown(&json!({"type": "array", "items": {"type": "object"}})), "[{Any}]");
}

#[test]
fn arguments_that_are_no_object_are_a_map_with_a_note() {
    for (root, kind) in [
        (json!({"type": "array", "items": {"type": "string"}}), "a list"),
        (json!({"type": "string"}), "text"),
        (json!({"type": ["integer", "string"]}), "something else than an object"),
    ] {
        let schema = read_arguments(&root);
        assert_eq!(schema.root, Shape::Map(Box::new(Shape::Any)), "{root}");
        let note = format!("describes its arguments as {kind}, but a call sends an object");
        assert!(schema.notes[0].contains(&note), "{:?}", schema.notes);
    }
    for root in [json!({}), json!({"type": ["object", "null"]}), json!({"properties": {"a": {}}})] {
        assert_eq!(read_arguments(&root), read(&root));
    }
}

#[test]
fn unions_are_flat_and_literals_join() {
    let of = |schema: Value| shown(&schema);
    assert_eq!(
        of(
            json!({"anyOf": [{"type": "null"}, {"enum": ["a"]}, {"oneOf": [{"const": "b"}, {"type": "integer"}]}]})
        ),
        "\"a\"/\"b\" | Integer | Null"
    );
    assert_eq!(of(json!({"anyOf": [{"const": true}, {"const": false}]})), "Boolean");
    assert_eq!(of(json!({"anyOf": [{"const": true}, {"type": "boolean"}]})), "Boolean");
    assert_eq!(of(json!({"anyOf": [{"type": "integer"}, {"type": "number"}]})), "Number");
    assert_eq!(of(json!({"anyOf": [{"type": "string"}]})), "String");
    assert_eq!(of(json!({"anyOf": [{"type": "string"}, {}]})), "Any");
    assert_eq!(of(json!({"enum": ["a", null, 1, 1.0]})), "\"a\"/1 | Null");
    assert_eq!(of(json!({"type": ["string", "number", "null"]})), "String | Number | Null");
    assert_eq!(of(json!({"type": "string", "nullable": true})), "String | Null");
    assert_eq!(of(json!({"type": "string", "nullable": true, "enum": ["x"]})), "\"x\" | Null");
    assert_eq!(of(json!({"enum": [{"a": 1}, [2]]})), "{Any} | [Any]");
    assert_eq!(
        of(json!({"type": "integer", "enum": ["1"]})),
        "\"1\"\n! the listed values are not of the given type"
    );
}

#[test]
fn arrays_and_tuples_of_both_drafts_are_read() {
    let number = json!({"type": "number"});
    assert_eq!(shown(&json!({"prefixItems": [number, {"type": "string"}]})), "(Number, String)");
    assert_eq!(
        shown(&json!({"prefixItems": [number], "items": {"type": "string"}})),
        "(Number, String…)"
    );
    assert_eq!(shown(&json!({"items": [number], "additionalItems": false})), "(Number)");
    assert_eq!(shown(&json!({"items": [number], "additionalItems": number})), "(Number, Number…)");
    assert_eq!(
        shown(&json!({"type": "array", "items": {"type": "array", "items": number}})),
        "[[Number]]"
    );
    assert_eq!(shown(&json!({"type": "array"})), "[Any]");
}

#[test]
fn maps_and_further_keys_are_told_apart() {
    assert_snapshot!(shown(&json!({"type": "object", "properties": {
        "map": {"type": "object", "additionalProperties": {"type": "string"}},
        "pattern": {"type": "object", "patternProperties": {"^x-": {"type": "integer"}}},
        "free": {"type": "object"},
        "closed": {"type": "object", "additionalProperties": false},
        "open": {"type": "object", "properties": {"a": {"type": "null"}}, "additionalProperties": true},
    }, "additionalProperties": false})), @"
    #0
    #0 
      map: {String}
      pattern: {Integer}
      free: {Any}
      closed: #1
      open: #2
    #1 closed
    #2 open
      a: Null
      …: Any
    ");
}

#[test]
fn a_reference_used_twice_is_one_definition_and_recursion_ends() {
    assert_snapshot!(shown(&json!({
        "type": "object",
        "properties": {
            "first": {"$ref": "#/$defs/Node", "description": "says nothing about the type"},
            "second": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]},
            "third": {"allOf": [{"$ref": "#/$defs/Node"}]},
            "self": {"$ref": "#"},
        },
        "$defs": {"Node": {"type": "object", "properties": {
            "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
            "parent": {"$ref": "#/$defs/MaybeNode"},
        }}, "MaybeNode": {"oneOf": [{"type": "null"}, {"$ref": "#/$defs/Node"}]}},
    })), @"
    #0
    #0 
      first: #1
      second: #1 | Null
      third: #1
      self: #0
    #1 Node
      children: [#1]
      parent: #1 | Null
    ");
}

#[test]
fn references_of_every_kind_are_found() {
    assert_snapshot!(shown(&json!({
        "$id": "https://example.test/root.json",
        "type": "object",
        "properties": {
            "original": {"type": "object", "properties": {"a/b": {"type": "integer"}}},
            "pointer": {"$ref": "#/properties/original"},
            "escaped": {"$ref": "#/properties/original/properties/a~1b"},
            "encoded": {"$ref": "#/%24defs/Text"},
            "anchor": {"$ref": "#text"},
            "old anchor": {"$ref": "#old"},
            "id": {"$ref": "text.json"},
            "moved": {"$ref": "#/definitions/Text"},
            "lost": {"$ref": "#/$defs/Nowhere"},
            "remote": {"$ref": "https://example.test/other.json#/x"},
            "loop": {"$ref": "#/properties/loop"},
        },
        "$defs": {
            "Text": {"$anchor": "text", "$id": "text.json", "type": "string"},
            "Old": {"$id": "#old", "type": "boolean"},
        },
    })), @r##"
    #0
    #0 
      original: #1
      pointer: #1
      escaped: Integer
      encoded: String
      anchor: String
      old anchor: Boolean
      id: String
      moved: String
      lost: Any
      remote: Any
      loop: Any
    #1 original
      a/b: Integer
    ! lost: the reference "#/$defs/Nowhere" leads nowhere
    ! remote: the reference "https://example.test/other.json#/x" leads nowhere
    ! loop: the reference leads back to itself and says nothing
    "##);
}

#[test]
fn all_of_merges_and_keeps_what_both_sides_say() {
    assert_snapshot!(shown(&json!({
        "allOf": [
            {"type": "object", "properties": {"a": {"type": "number"}, "b": {"enum": ["x", "y"]}}, "required": ["b"]},
            {"properties": {"a": {"type": "integer", "minimum": 1}, "b": {"enum": ["y", "z"]}, "c": {}}, "required": ["a"]},
            {"properties": {"never": false, "both": {"allOf": [{"type": "string"}, {"type": "integer"}]}}, "required": ["both"]},
        ],
    })), @r#"
    #0
    #0 
      *a: Integer (at least 1)
      *b: "y"
      *both: Any
      c: Any
    ! both: no value can fit
    "#);
}

#[test]
fn alternatives_of_objects_are_named_after_what_tells_them_apart() {
    assert_snapshot!(shown(&json!({"type": "object", "properties": {"part": {
        "type": "object",
        "properties": {"id": {"type": "string"}},
        "oneOf": [
            {"properties": {"type": {"const": "text"}, "text": {"type": "string"}}, "required": ["type"]},
            {"properties": {"type": {"const": "image"}, "url": {"type": "string"}}, "required": ["type"]},
            {"title": "Other One", "properties": {"id": {"maxLength": 3}}},
            {"properties": {"x": {"type": "integer"}}},
        ],
    }}})), @r#"
    #0
    #0 
      part: #1 | #2 | #3 | #4
    #1 part/text
      *type: "text"
      id: String
      text: String
    #2 part/image
      *type: "image"
      id: String
      url: String
    #3 part/Other One
      id: String (at most 3 characters)
    #4 part/option4
      id: String
      x: Integer
    "#);
}

#[test]
fn a_choice_of_required_keys_is_a_note() {
    assert_snapshot!(shown(&json!({
        "type": "object",
        "properties": {"id": {"type": "string"}, "name": {"type": "string"}},
        "anyOf": [{"required": ["id"]}, {"required": ["name"]}],
        "dependentRequired": {"name": ["id"]},
        "not": {"required": ["id", "name"]},
        "if": {"required": ["id"]}, "then": {"properties": {"more": {"type": "integer"}}},
    })), @r#"
    #0
    #0 
      id: String
      name: String
      more: Integer
    ! what fits depends on other values (if, then, else)
    ! some values do not fit (not)
    ! with "name" goes "id"
    ! at least one of these is needed: "id", "name"
    "#);
}

#[test]
fn what_cannot_be_read_is_anything_and_noted() {
    assert_snapshot!(shown(&json!({"type": "object", "properties": {
        "short": "integer",
        "null": null,
        "list": [],
        "type": {"type": "file"},
        "any": {"type": "any"},
        "python": {"type": "int"},
        "choice": {"anyOf": {}},
        "listed": {"enum": []},
        "needed": {"type": "string", "required": true},
        "nested": {"properties": 7, "required": 7},
    }})), @r#"
    #0
    #0 
      *needed: String
      short: Integer
      null: Any
      list: Any
      type: Any
      any: Any
      python: Integer
      choice: Any
      listed: Any
      nested: {Any}
    ! null: null is not a schema
    ! list: a list is not a schema
    ! type: the type "file" is unknown
    ! choice: anyOf lists no schemas
    ! listed: enum lists no values
    ! nested: properties is not an object
    ! nested: required is not a list
    "#);
}

#[test]
fn the_only_alternative_beside_null_speaks_for_the_field() {
    let schema = read(&json!({"properties": {"limit": {
        "anyOf": [{"type": "integer", "minimum": 1, "description": "how many"}, {"type": "null"}],
        "default": null, "examples": [1, 2, 3, 4],
    }}}));
    let field = &schema.definitions[0].fields[0];
    assert_eq!(field.description.as_deref(), Some("how many"));
    assert_eq!(field.rules, ["at least 1"]);
    assert_eq!(field.default, Some(Value::Null));
    assert_eq!(field.examples, [json!(1), json!(2), json!(3)]);
}

#[test]
fn paths_that_would_name_the_same_type_are_told_apart() {
    let object = json!({"type": "object", "properties": {"x": {"type": "integer"}}});
    let schema = read(&json!({"properties": {
        "a": {"type": "object", "properties": {"bc": object}},
        "ab": {"type": "object", "properties": {"c": object}},
        "a_bc": object,
    }}));
    well_formed(&schema);
    let folded: std::collections::HashSet<String> =
        schema.definitions.iter().map(|object| crate::names::fold(&object.path.concat())).collect();
    assert_eq!(folded.len(), schema.definitions.len());
}

#[test]
fn a_list_of_itself_ends() {
    assert_eq!(
        shown(&json!({"$ref": "#/$defs/Json", "$defs": {"Json": {"anyOf": [
            {"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/Json"}},
        ]}}})),
        "String | [Any]\n! item: it contains itself"
    );
}

#[test]
fn an_object_comes_before_those_it_refers_to() {
    let schema = read(&json!({
        "properties": {"b": {"$ref": "#/$defs/B"}, "a": {"$ref": "#/$defs/A"}},
        "$defs": {
            "A": {"properties": {"b": {"$ref": "#/$defs/B"}}},
            "B": {"properties": {"x": {"type": "integer"}}},
        },
    }));
    let paths: Vec<String> = schema.definitions.iter().map(|object| object.path.concat()).collect();
    assert_eq!(paths, ["", "A", "B"]);
}

#[test]
fn a_schema_that_would_unfold_without_end_is_cut_short() {
    // Each level refers twice to the next, in every way there is.
    for keyword in ["allOf", "anyOf", "oneOf", "prefixItems"] {
        let levels: serde_json::Map<String, Value> = (0..200)
            .map(|level| {
                let next = json!({"$ref": format!("#/$defs/l{}", level + 1)});
                let own = json!({"properties": {format!("p{level}"): next, "q": next}});
                (format!("l{level}"), json!({keyword: [next, own, next]}))
            })
            .collect();
        well_formed(&read(&json!({"$ref": "#/$defs/l0", "$defs": levels})));
    }
}

#[test]
fn a_schema_nested_without_end_is_cut_short() {
    let mut schema = json!({"type": "string"});
    for level in 0..300 {
        schema = if level % 2 == 0 {
            json!({"properties": {"a": schema}})
        } else {
            json!({"items": schema})
        };
    }
    let schema = read(&schema);
    well_formed(&schema);
    assert!(schema.notes.iter().any(|note| note.contains("deeper than 64")), "{:?}", schema.notes);
}

#[test]
fn what_is_repeated_by_reference_is_not_copied_without_end() {
    let values: Vec<String> = (0..5_000).map(|value| format!("value{value}")).collect();
    let properties: serde_json::Map<String, Value> =
        (0..5_000).map(|name| (format!("p{name}"), json!({"$ref": "#/$defs/Big"}))).collect();
    let schema = read(
        &json!({"properties": properties, "$defs": {"Big": {"enum": values, "description": "x".repeat(100_000)}}}),
    );
    well_formed(&schema);
    assert_eq!(schema.definitions[0].fields.len(), 5_000);
    assert!(schema.notes[0].contains("too large"));
}

#[test]
fn real_schemas_need_a_tenth_of_what_may_be_looked_at() {
    for listing in crate::corpus::listings() {
        for tool in &listing.tools {
            for schema in std::iter::once(&tool.input_schema).chain(&tool.output_schema) {
                let read = reader::Reader::new(schema, reader::BUDGET / 10).read();
                let cut = read.notes.iter().any(|note| note.contains("too large"));
                assert!(!cut, "{}.{}", listing.server, tool.name);
            }
        }
    }
}

/// JSON that looks like a schema often enough to get past the first question.
fn any_schema() -> impl Strategy<Value = Value> {
    let keyword = || {
        prop::sample::select(vec![
            "type",
            "properties",
            "items",
            "anyOf",
            "oneOf",
            "allOf",
            "enum",
            "const",
            "$ref",
            "required",
            "additionalProperties",
            "patternProperties",
            "prefixItems",
            "nullable",
            "minimum",
            "maxLength",
            "format",
            "if",
            "then",
            "not",
            "dependentRequired",
            "$defs",
            "$id",
            "$anchor",
            "description",
            "default",
            "examples",
            "a",
            "b",
        ])
    };
    let text = prop_oneof![
        prop::sample::select(vec![
            "object",
            "array",
            "string",
            "integer",
            "number",
            "null",
            "boolean",
            "#",
            "#/$defs/a",
            "#/properties/a",
            "#/$defs/b/items",
            "#a",
            "a",
            "b",
        ])
        .prop_map(str::to_owned),
        any::<String>(),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(7, 96, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((keyword(), inner), 0..6).prop_map(|entries| {
                entries
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value))
                    .collect::<serde_json::Map<_, _>>()
                    .into()
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_json_is_read(schema in any_schema()) {
        well_formed(&read(&schema));
    }

    #[test]
    fn any_json_checks_any_arguments(schema in any_schema(), arguments in any_schema()) {
        let checker = crate::arguments::Checker::new(&schema);
        if let Err(mistake) = checker.check("tool", &read(&schema), &arguments) {
            prop_assert!(!mistake.problems().is_empty());
            prop_assert!(mistake.to_string().starts_with("tool: "));
        }
    }
}
