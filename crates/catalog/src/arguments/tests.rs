//! What a model is told about wrong arguments.

use insta::assert_snapshot;
use serde_json::json;

use super::*;
use crate::schema;

fn check(input: &Value, arguments: &Value) -> Result<Value, String> {
    Checker::new(input)
        .check("create_issue", &schema::read(input), arguments)
        .map(Cow::into_owned)
        .map_err(|mistake| mistake.to_string())
}

fn mistake(input: &Value, arguments: &Value) -> String {
    check(input, arguments).unwrap_err()
}

fn issue() -> Value {
    json!({
        "type": "object",
        "properties": {
            "owner": {"type": "string"},
            "repo": {"type": "string"},
            "title": {"type": "string"},
            "body": {"type": "string"},
            "labels": {"type": "array", "items": {"type": "string"}},
            "state": {"enum": ["open", "closed"]},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100},
            "filter": {"type": "object", "properties": {
                "key": {"type": "string"}, "value": {"type": "integer"},
            }, "required": ["key"], "additionalProperties": false},
            "assignee": {"anyOf": [{"type": "string", "minLength": 3}, {"type": "null"}]},
        },
        "required": ["owner", "repo", "title"],
    })
}

fn with(extra: Value) -> Value {
    let mut arguments = json!({"owner": "o", "repo": "r", "title": "t"});
    let Value::Object(extra) = extra else { unreachable!() };
    arguments.as_object_mut().unwrap().extend(extra);
    arguments
}

#[test]
fn a_tool_that_takes_any_names_is_not_said_to_take_none() {
    let schema = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    assert_snapshot!(mistake(&schema, &json!({"a": "x"})), @r#"create_issue: "a" should be int, not "x"; parameters: any name: int"#);
}

#[test]
fn a_misspelled_parameter_is_told_with_all_there_are() {
    let arguments = json!({"owner": "o", "repo": "r", "titel": "t"});
    assert_snapshot!(mistake(&issue(), &arguments), @r#"create_issue: "titel" is not a parameter; did you mean "title"? parameters: *owner: str, *repo: str, *title: str, body: str, labels: list[str], state: Literal["open", "closed"], limit: int, filter: dict, assignee: str | None"#);
}

#[test]
fn each_problem_names_its_place_and_what_is_right() {
    let first = |extra: Value| {
        let text = mistake(&issue(), &with(extra));
        let end = text.find(" parameters: ").unwrap();
        text["create_issue: ".len()..end].to_owned()
    };
    assert_snapshot!(first(json!({"limit": "ten"})), @r#""limit" should be int, not "ten";"#);
    assert_snapshot!(first(json!({"limit": 0})), @r#""limit" should be at least 1, not 0;"#);
    assert_snapshot!(first(json!({"state": "close"})), @r#""state" should be one of "open", "closed", not "close"; did you mean "closed"?"#);
    assert_snapshot!(first(json!({"labels": ["a", 2]})), @r#""labels[1]" should be str, not 2;"#);
    assert_snapshot!(first(json!({"filter": {"value": 1}})), @r#""filter" has the keys *key: str, value: int; "filter.key" is missing;"#);
    assert_snapshot!(first(json!({"filter": {"key": "k", "valeu": 1}})), @r#""filter" has no key "valeu", only *key: str, value: int; did you mean "value"?"#);
    assert_snapshot!(first(json!({"assignee": "x"})), @r#""assignee" should have at least 3 characters, not 1;"#);
    assert_snapshot!(first(json!({"assignee": 1})), @r#""assignee" should be str | None, not 1;"#);
}

#[test]
fn of_two_objects_it_is_said_where_they_differ() {
    let first = |mode: &Value, given: Value| {
        let schema = json!({"type": "object", "properties": {"mode": mode}});
        let text = mistake(&schema, &json!({"mode": given}));
        text["create_issue: ".len()..text.find("; parameters: ").unwrap()].to_owned()
    };
    let only = json!({"kind": "a", "to": {"n": [1, 2]}});
    for mode in [json!({"const": only}), json!({"enum": [only]})] {
        for (given, told) in [
            (json!({"kind": "b"}), r#""mode.kind" should be "a", not "b""#),
            (json!({"kind": "a"}), r#""mode.to" should be {"n":[1,2]}, and is missing"#),
            (json!({"kind": "a", "to": {"n": [1, 3]}}), r#""mode.to.n[1]" should be 2, not 3"#),
            (json!({"kind": "a", "to": {"n": [1]}}), r#""mode.to.n" should be [1,2], not [1]"#),
            (json!({"kind": "a", "to": {"n": [1, 2]}, "x": 1}), r#""mode" has no key "x""#),
        ] {
            assert_eq!(first(&mode, given), told, "{mode}");
        }
    }
    let several = json!({"enum": [{"a": 1}, {"a": 2}]});
    assert_snapshot!(first(&several, json!({"a": 3})), @r#""mode" should be one of {"a":1}, {"a":2}, not {"a":3}"#);
}

#[test]
fn a_schema_that_contradicts_itself_is_said_to() {
    let schema = json!({"type": "object", "allOf": [
        {"properties": {"a": {"type": "string"}}, "additionalProperties": false},
        {"properties": {"b": {"type": "string"}}},
    ]});
    let said = mistake(&schema, &json!({"a": "x", "b": "y"}));
    assert!(said.contains("contradicts itself about \"b\""), "{said}");
    assert!(!said.contains("did you mean"), "{said}");
    let nested = json!({"type": "object", "properties": {"f": schema}});
    let said = mistake(&nested, &json!({"f": {"b": "y"}}));
    assert!(said.contains("contradicts itself about \"f.b\""), "{said}");
}

#[test]
fn several_problems_are_told_at_once_and_no_more_than_five() {
    assert_snapshot!(mistake(&issue(), &json!({"limit": 0.5, "labels": "a"})).split(" parameters").next().unwrap(), @r#"create_issue: "owner" is missing; "repo" is missing; "title" is missing; "limit" should be int, not 0.5; "limit" should be at least 1, not 0.5;"#);
    assert_snapshot!(mistake(&issue(), &json!([1])).split(" parameters").next().unwrap(), @"create_issue: arguments are an object, not a list of 1 item;");
}

#[test]
fn null_for_an_optional_parameter_is_left_out() {
    let sent = check(&issue(), &with(json!({"body": null, "assignee": null, "limit": 3.0})));
    assert_eq!(sent, Ok(with(json!({"assignee": null, "limit": 3.0}))));
    assert!(
        mistake(&issue(), &with(json!({"title": null})))
            .contains("\"title\" should be str, not null")
    );
}

#[test]
fn no_arguments_are_an_empty_object() {
    assert_eq!(check(&json!({"type": "object"}), &Value::Null), Ok(json!({})));
    assert_eq!(check(&Value::Null, &Value::Null), Ok(json!({})));
}

#[test]
fn further_parameters_are_fine_where_the_schema_says_so() {
    let arguments = json!({"a": 1, "other": 2});
    let properties = json!({"a": {"type": "integer"}});
    for more in [json!(true), json!({}), json!({"type": "integer"})] {
        let schema =
            json!({"type": "object", "properties": properties, "additionalProperties": more});
        assert!(check(&schema, &arguments).is_ok(), "{more}");
    }
    assert!(
        check(&json!({"properties": properties, "patternProperties": {"^o": {}}}), &arguments)
            .is_ok()
    );
    assert!(check(&json!({"type": "object", "properties": {}}), &arguments).is_ok());
    assert!(check(&json!({"type": "object", "properties": properties}), &arguments).is_err());
    assert!(check(&json!({"type": "object", "additionalProperties": false}), &arguments).is_err());
}

#[test]
fn what_cannot_be_read_at_all_is_left_to_the_server() {
    for schema in [
        json!({"type": "file"}),
        json!({"properties": {"a": {"$ref": "https://example.test/other.json"}}}),
        json!({"properties": {"a": {"pattern": "("}}}),
        json!("nonsense"),
        json!(false),
    ] {
        assert!(check(&schema, &json!({"a": 1})).is_ok(), "{schema}");
    }
}

#[test]
fn what_openapi_and_sloppy_servers_write_is_understood() {
    let nullable = json!({"properties": {"a": {"type": "string", "nullable": true, "enum": ["x"]}}, "required": ["a"]});
    assert!(check(&nullable, &json!({"a": null})).is_ok());
    let contradiction =
        json!({"properties": {"a": {}}, "required": ["a", "b"], "additionalProperties": false});
    assert!(check(&contradiction, &json!({"a": 1})).is_ok());
    let overlapping =
        json!({"properties": {"a": {"oneOf": [{"type": "integer"}, {"type": "number"}]}}});
    assert!(check(&overlapping, &json!({"a": 1})).is_ok());
    let unknown_draft =
        json!({"$schema": "https://example.test/draft", "properties": {"a": {"type": "integer"}}});
    assert!(check(&unknown_draft, &json!({"a": "1"})).is_err());
    let look_ahead = json!({"properties": {"a": {"type": "string", "pattern": "^(?!x)"}}});
    assert!(check(&look_ahead, &json!({"a": "x"})).is_err());
    assert!(
        check(&json!({"properties": {"a": {"format": "date"}}}), &json!({"a": "soon"})).is_ok()
    );
}

#[test]
fn a_choice_between_sets_of_parameters_allows_those_of_each() {
    let schema = json!({"oneOf": [
        {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
        {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    ]});
    assert!(check(&schema, &json!({"name": "n"})).is_ok());
    assert_snapshot!(mistake(&schema, &json!({"nam": "n"})), @r#"create_issue: "nam" is not a parameter; did you mean "name"? parameters: id: str, name: str"#);
}

#[test]
fn where_nothing_is_given_every_alternative_says_what_it_lacks() {
    let schema = json!({"type": "object", "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "owner": {"type": "string"}},
        "anyOf": [{"required": ["id"]}, {"required": ["name", "owner"]}]});
    assert_snapshot!(mistake(&schema, &json!({})), @r#"create_issue: "id", or "name" and "owner" is missing; parameters: id: str, name: str, owner: str"#);
    assert_snapshot!(mistake(&shapes(), &json!({"shape": {}})), @r#"create_issue: "shape" lacks "kind" and "radius", or "kind" and "side"; parameters: *shape: dict"#);
}

fn shapes() -> Value {
    json!({"type": "object", "required": ["shape"], "properties": {"shape": {"oneOf": [
        {"type": "object", "required": ["kind", "radius"], "additionalProperties": false,
         "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}}},
        {"type": "object", "required": ["kind", "side"], "additionalProperties": false,
         "properties": {"kind": {"const": "square"}, "side": {"type": "number"}, "colour": {"type": "string"}}},
    ]}}})
}

#[test]
fn of_several_alternatives_the_one_that_was_meant_is_spoken_of() {
    let shape = |given: Value| {
        let said = mistake(&shapes(), &json!({"shape": given}));
        said.split(" parameters").next().unwrap().trim_end_matches(';').to_owned()
    };
    assert_snapshot!(shape(json!({"kind": "square", "color": "red"})), @r#"create_issue: "shape" has the keys *kind: Literal["square"], *side: float, colour: str; "shape.side" is missing; "shape" has no key "color", only *kind: Literal["square"], *side: float, colour: str; did you mean "colour"?"#);
    assert_snapshot!(shape(json!({"kind": "square", "side": "2"})), @r#"create_issue: "shape.side" should be float, not "2""#);
    assert_snapshot!(shape(json!({"kind": "oval", "side": 2})), @r#"create_issue: "shape.kind" should be one of "circle", "square", not "oval""#);
    assert_snapshot!(shape(json!({"side": 2})), @r#"create_issue: "shape" has the keys *kind: Literal["square"], *side: float, colour: str; "shape.kind" is missing"#);

    let source = json!({"type": "object", "properties": {"source": {"anyOf": [
        {"type": "object", "required": ["path", "mode"], "properties": {"path": {"type": "string"}, "mode": {"type": "integer"}}},
        {"type": "object", "required": ["url", "method"], "properties": {"url": {"type": "string"}, "method": {"type": "string"}}},
    ]}}});
    assert_snapshot!(mistake(&source, &json!({"source": {"url": "x"}})), @r#"create_issue: "source" has the keys *url: str, *method: str; "source.method" is missing; parameters: source: dict"#);
    let marked = json!({"type": "object", "properties": {"a": {"anyOf": [
        {"type": "object", "properties": {"x": {"const": 1}}, "required": ["x"]},
        {"type": "object", "properties": {"y": {"const": 1}}, "required": ["y"]},
    ]}}});
    assert_snapshot!(mistake(&marked, &json!({"a": {"x": 2, "y": 2}})), @r#"create_issue: "a" fits none of {*x}, {*y}; parameters: a: dict"#);
}

/// Two references to the next level at each level: a validator would look at the last one a
/// million million times.
#[test]
fn a_schema_that_would_take_forever_is_left_to_the_server() {
    let levels: Map<String, Value> = (0..60)
        .map(|level| {
            let next = json!({"$ref": format!("#/$defs/l{}", level + 1)});
            (format!("l{level}"), json!({"allOf": [next, next]}))
        })
        .chain([("l60".to_owned(), json!({"properties": {"a": {"type": "integer"}}}))])
        .collect();
    let schema = json!({"$ref": "#/$defs/l0", "$defs": levels});
    assert!(check(&schema, &json!({"a": "text"})).is_ok());

    let schema = json!({"type": "object", "properties": {"a": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}, "x": {"type": "integer"}}});
    let mut arguments = json!({"x": "text"});
    for _ in 0..60 {
        arguments = json!({"a": arguments});
    }
    assert!(mistake(&schema, &arguments).contains("an argument does not fit"));
}

#[test]
fn arguments_behind_names_and_addresses_are_checked_too() {
    let schema = json!({
        "$id": "https://example.test/root.json",
        "type": "object",
        "properties": {
            "anchor": {"$ref": "#text"},
            "relative": {"$ref": "count.json"},
            "whole": {"$ref": "https://example.test/count.json"},
            "dynamic": {"$dynamicRef": "#node"},
            "inner": {"$ref": "part.json#/$defs/flag"},
            "part": {"$ref": "part.json"},
            "moved": {"$ref": "#/components/schemas/Text"},
            "spaced": {"$ref": "#spaced"},
            "anything": {"$dynamicRef": "#nowhere"},
        },
        "$defs": {
            "Text": {"$anchor": "text", "type": "string"},
            "Count": {"$id": "count.json", "type": "integer"},
            "Node": {"$dynamicAnchor": "node", "type": "object", "properties": {
                "next": {"$dynamicRef": "#node"}, "n": {"type": "integer"},
            }},
            "Part": {"$id": "part.json", "$defs": {"flag": {"type": "boolean"}}, "properties": {
                "flag": {"$ref": "#/$defs/flag"},
            }},
            "a b/ü": {"$anchor": "spaced", "type": "string"},
        },
    });
    let right = json!({
        "anchor": "x", "relative": 1, "whole": 1, "dynamic": {"next": {"n": 1}}, "inner": true,
        "part": {"flag": true}, "moved": "x", "spaced": "x", "anything": 5,
    });
    assert!(check(&schema, &right).is_ok(), "{:?}", check(&schema, &right));
    for (name, wrong) in [
        ("anchor", json!(1)),
        ("relative", json!("x")),
        ("whole", json!("x")),
        ("dynamic", json!({"n": "x"})),
        ("dynamic", json!({"next": {"next": {"n": "x"}}})),
        ("inner", json!(1)),
        ("part", json!({"flag": 1})),
        ("moved", json!(1)),
        ("spaced", json!(1)),
    ] {
        let said = mistake(&schema, &json!({name: wrong}));
        assert!(said.contains(&format!("\"{name}")), "{name} {wrong}: {said}");
    }
}

#[test]
fn a_tool_whose_schema_describes_no_object_can_be_called() {
    for root in [
        json!({"type": "array", "items": {"type": "string"}}),
        json!({"type": "string"}),
        json!({"type": "null"}),
        json!({"anyOf": [{"type": "array"}, {"type": "integer"}]}),
    ] {
        assert!(check(&root, &json!({})).is_ok(), "{root}");
        assert!(check(&root, &json!({"a": 1})).is_ok(), "{root}");
        assert!(mistake(&root, &json!([1])).contains("arguments are an object"), "{root}");
    }
    // Where an object is one of the ways, it is the one that counts.
    let some = json!({"anyOf": [
        {"type": "array"},
        {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
    ]});
    assert!(check(&some, &json!({"a": 1})).is_ok());
    assert!(check(&some, &json!({"a": "x"})).is_err());
}

#[test]
fn what_cannot_be_read_allows_anything_and_the_rest_is_still_checked() {
    for odd in [
        json!({"type": "integer", "minimum": 0, "exclusiveMinimum": true}),
        json!({"type": "array", "items": [{"type": "string"}, {"type": "integer"}]}),
        json!({"type": "string", "required": true}),
        json!({"$ref": "#/$defs/nowhere"}),
        json!({"$ref": "https://example.com/schema.json"}),
        json!({"type": "string", "pattern": "("}),
        json!({"type": "foo"}),
        json!({"type": "integer", "minimum": "1"}),
        json!({"type": "string", "title": 5, "description": ["x"]}),
        json!({"anyOf": []}),
        json!({"properties": 5}),
        json!({"required": ["n", "n"]}),
        json!({"additionalProperties": "false"}),
        json!({"$id": "not a uri ::", "$anchor": "1 2"}),
        json!({"$defs": {"a": 5}, "dependencies": {"n": 5}, "dependentRequired": 7}),
        json!({"if": 5, "then": "x", "$ref": "#foo"}),
    ] {
        let map = json!({"type": "object", "additionalProperties": {"type": "integer"}});
        let schema = json!({"type": "object", "properties": {"odd": odd, "m": map}});
        let mut above = schema.clone();
        if let (Value::Object(above), Value::Object(odd)) = (&mut above, &odd) {
            // The same beside the parameters.
            let same = ["type", "properties", "items", "minimum", "pattern"];
            let odd = odd.iter().filter(|(key, _)| !same.contains(&key.as_str()));
            above.extend(odd.map(|(key, value)| (key.clone(), value.clone())));
        }
        let said = mistake(&above, &json!({"m": {"a": "b"}}));
        assert!(said.contains("m.a"), "{above}: {said}");
        let said = mistake(&schema, &json!({"m": {"a": "b"}}));
        assert!(said.contains("m.a"), "{schema}: {said}");
        assert!(check(&schema, &json!({"m": {"a": 1}})).is_ok(), "{schema}");
    }
    // Older spellings are still understood.
    let schema = json!({"properties": {
        "n": {"type": "integer", "minimum": 0, "exclusiveMinimum": true},
        "pair": {"type": "array", "items": [{"type": "string"}, {"type": "integer"}]},
    }});
    assert!(mistake(&schema, &json!({"n": 0})).contains('n'));
    assert!(mistake(&schema, &json!({"pair": ["a", "b"]})).contains("pair"));
    assert!(check(&schema, &json!({"n": 1, "pair": ["a", 1]})).is_ok());
}

#[test]
fn every_schema_of_the_corpus_can_be_checked() {
    for listing in crate::corpus::listings() {
        for tool in &listing.tools {
            let checker = Checker::new(&tool.input_schema);
            assert!(
                checker.validator.is_some(),
                "{}.{}: {:?}",
                listing.server,
                tool.name,
                checker.work
            );
        }
    }
}
