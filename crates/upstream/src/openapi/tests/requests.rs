//! What tools look like, and what requests their calls become.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::planned;

#[test]
fn parameters_and_fields_of_the_body_stand_side_by_side() {
    let plan = planned(&json!({
        "openapi": "3.0.3",
        "paths": {"/shops/{shopId}/orders": {
            "parameters": [
                {"name": "shopId", "in": "path", "required": true, "schema": {"type": "integer"}},
                {"name": "dry", "in": "query", "description": "Replaced.", "schema": {"type": "string"}},
            ],
            "post": {
                "operationId": "order",
                "summary": "Order something",
                "description": "Order something. It is sent the next day.",
                "deprecated": true,
                "parameters": [
                    {"name": "dry", "in": "query", "description": "Only try.", "schema": {"type": "boolean", "default": false}},
                    {"name": "X-Key", "in": "header", "required": true, "schema": {"type": "string"}},
                    {"name": "Authorization", "in": "header", "required": true, "schema": {"type": "string"}},
                    {"name": "visit", "in": "cookie", "schema": {"type": "string"}},
                ],
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}},
                "responses": {"201": {"description": "", "content": {"application/json": {"schema": {"type": "string"}}}}},
            },
        }},
        "components": {"schemas": {"Order": {
            "type": "object",
            "required": ["what"],
            "properties": {"what": {"type": "string"}, "note": {"type": "string", "nullable": true}, "id": {"type": "integer", "readOnly": true}},
        }}},
    }));
    let tool = plan.tool("order");
    assert_snapshot!(tool.description.as_deref().unwrap(), @"
    Deprecated.

    Order something. It is sent the next day.
    ");
    assert_snapshot!(lines(&tool.input_schema), @r#"
    shopId: {"type":"integer"}
    dry: {"type":"boolean","default":false,"description":"Only try."}
    X-Key: {"type":"string"}
    visit: {"type":"string"}
    what: {"type":"string"}
    note: {"type":["string","null"]}
    (required): ["shopId","X-Key","what"]
    (additionalProperties): false
    "#);
    assert_snapshot!(tool.output_schema.as_ref().unwrap(), @r#"{"type":"string"}"#);
    let arguments = json!({"shopId": 7, "dry": true, "X-Key": "k", "visit": "a b", "what": "tea", "note": null});
    assert_snapshot!(plan.request("order", arguments), @r#"
    POST https://api.example/v1/shops/7/orders?dry=true
    accept: application/json, */*;q=0.5
    x-key: k
    cookie: visit=a%20b
    content-type: application/json

    {"what":"tea","note":null}
    "#);
}

#[test]
fn a_clash_of_names_keeps_the_body_whole() {
    let plan = planned(&json!({
        "openapi": "3.1.0",
        "paths": {"/things/{id}": {"put": {
            "operationId": "store",
            "parameters": [
                {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
                {"name": "id", "in": "query", "schema": {"type": "string"}},
                {"name": "body", "in": "query", "schema": {"type": "string"}},
            ],
            "requestBody": {"content": {"application/json": {"schema": {"type": "object", "properties": {"id": {"type": "string"}}}}}},
        }}},
    }));
    assert_snapshot!(lines(&plan.tool("store").input_schema), @r#"
    id: {"type":"string"}
    id_query: {"type":"string"}
    body: {"type":"string"}
    request_body: {"type":"object","properties":{"id":{"type":"string"}}}
    (required): ["id"]
    (additionalProperties): false
    "#);
    let arguments = json!({"id": "1", "id_query": "2", "body": "3", "request_body": {"id": "4"}});
    assert_snapshot!(plan.request("store", arguments), @r#"
    PUT https://api.example/v1/things/1?id=2&body=3
    content-type: application/json

    {"id":"4"}
    "#);
    assert_snapshot!(plan.request("store", json!({"id": "1"})), @"PUT https://api.example/v1/things/1");
}

#[test]
fn bodies_that_are_no_plain_objects_stay_whole() {
    let schemas = [
        json!({"type": "array", "items": {"type": "integer"}}),
        json!({"oneOf": [{"type": "object", "properties": {"a": {}}}, {"type": "string"}]}),
        json!({"type": "object", "additionalProperties": {"type": "integer"}}),
        json!({"type": "object", "nullable": true, "properties": {"a": {}}}),
        json!({"allOf": [{"properties": {"a": {}}}, {"properties": {"a": {}}}]}),
    ];
    for schema in schemas {
        let plan = planned(&with_body(&json!({"application/json": {"schema": schema}})));
        let properties = plan.tool("send").input_schema["properties"].as_object().unwrap();
        assert_eq!(properties.keys().collect::<Vec<_>>(), ["body"], "{schema}");
    }
}

#[test]
fn a_body_that_takes_any_field_takes_other_arguments() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": {"type": "string"}});
    let plan = planned(&with_body(&json!({"application/json": {"schema": schema}})));
    assert_snapshot!(lines(&plan.tool("send").input_schema), @r#"
    a: {"type":"integer"}
    (additionalProperties): {"type":"string"}
    "#);
    assert_snapshot!(plan.request("send", json!({"a": 1, "other": "x"})), @r#"
    POST https://api.example/v1/send
    content-type: application/json

    {"a":1,"other":"x"}
    "#);
}

#[test]
fn forms_are_encoded_as_the_document_says() {
    let schema = json!({"type": "object", "properties": {
        "name": {"type": "string"}, "tags": {"type": "array"}, "where": {"type": "object"}, "deep": {"type": "object"}, "csv": {"type": "array"},
    }});
    let encoding = json!({"deep": {"style": "deepObject"}, "csv": {"explode": false}});
    let plan = planned(&with_body(&json!({
        "application/xml": {},
        "application/x-www-form-urlencoded": {"schema": schema, "encoding": encoding},
    })));
    let arguments = json!({"name": "a&b c", "tags": ["x", "y"], "where": {"p": 1}, "deep": {"q": [2]}, "csv": [3, 4], });
    assert_snapshot!(plan.request("send", arguments), @"
    POST https://api.example/v1/send
    content-type: application/x-www-form-urlencoded

    name=a%26b%20c&tags=x&tags=y&where=%7B%22p%22%3A1%7D&deep%5Bq%5D%5B0%5D=2&csv=3,4
    ");
}

#[test]
fn files_travel_as_parts() {
    let schema = json!({"type": "object", "required": ["file"], "properties": {
        "file": {"type": "string", "format": "binary", "description": "The file."},
        "pages": {"type": "array", "items": {"type": "string", "contentMediaType": "image/png"}},
        "title": {"type": "string"},
        "meta": {"type": "object"},
        "ids": {"type": "array", "items": {"type": "integer"}},
    }});
    let encoding = json!({"meta": {"contentType": "application/vnd.meta+json"}});
    let plan = planned(&with_body(
        &json!({"multipart/form-data": {"schema": schema, "encoding": encoding}}),
    ));
    assert_snapshot!(lines(&plan.tool("send").input_schema), @r#"
    file: {"anyOf":[{"type":"string","contentEncoding":"base64"},{"type":"object","properties":{"base64":{"type":"string","description":"The content as base64."},"text":{"type":"string","description":"The content as text, instead of `base64`."},"filename":{"type":"string"},"media_type":{"type":"string"}},"additionalProperties":false}],"description":"The file. (A file: its content as base64, or an object.)"}
    pages: {"type":"array","items":{"anyOf":[{"type":"string","contentEncoding":"base64"},{"type":"object","properties":{"base64":{"type":"string","description":"The content as base64."},"text":{"type":"string","description":"The content as text, instead of `base64`."},"filename":{"type":"string"},"media_type":{"type":"string"}},"additionalProperties":false}],"description":"A file: its content as base64, or an object."}}
    title: {"type":"string"}
    meta: {"type":"object"}
    ids: {"type":"array","items":{"type":"integer"}}
    (additionalProperties): false
    "#);
    let arguments = json!({
        "file": {"text": "hello", "filename": "a\"b\r\n.txt", "media_type": "text/plain\r\nX: y"},
        "pages": ["QQ==", {"base64": "Qg=="}], "title": "T", "meta": {"a": 1}, "ids": [1, 2],
    });
    assert_snapshot!(plan.request("send", arguments), @r#"
    POST https://api.example/v1/send
    content-type: multipart/form-data; boundary=tqoavoELaajdgVWkaeKHOR7RPKxXOftAznvCVhT1

    --tqoavoELaajdgVWkaeKHOR7RPKxXOftAznvCVhT1
    Content-Disposition: form-data; name="file"; filename="a%22b%0D%0A.txt"
    Content-Type: text/plainX: y

    hello
    --tqoavoELaajdgVWkaeKHOR7RPKxXOftAznvCVhT1
    Content-Disposition: form-data; name="pages"; filename="pages"
    Content-Type: image/png

    A
    --tqoavoELaajdgVWkaeKHOR7RPKxXOftAznvCVhT1
    Content-Disposition: form-data; name="pages"; filename="pages"
    Content-Type: image/png

    B
    --tqoavoELaajdgVWkaeKHOR7RPKxXOftAznvCVhT1
    Content-Disposition: form-data; name="title"

    T
    --tqoavoELaajdgVWkaeKHOR7RPKxXOftAznvCVhT1
    Content-Disposition: form-data; name="meta"
    Content-Type: application/vnd.meta+json

    {"a":1}
    --tqoavoELaajdgVWkaeKHOR7RPKxXOftAznvCVhT1
    Content-Disposition: form-data; name="ids"

    1
    --tqoavoELaajdgVWkaeKHOR7RPKxXOftAznvCVhT1
    Content-Disposition: form-data; name="ids"

    2
    --tqoavoELaajdgVWkaeKHOR7RPKxXOftAznvCVhT1--
    "#);
    assert_snapshot!(plan.request("send", json!({"file": "not base64!"})), @r#"the parameter `file` is not valid base64; for text give an object: {"text": …}"#);
    assert_snapshot!(plan.request("send", json!({"file": 7})), @"the parameter `file` is a file: give its content as base64, or an object with `base64` or `text`, and perhaps `filename` and `media_type`");
}

#[test]
fn bytes_and_text_are_sent_as_they_are() {
    let plan = planned(&with_body(
        &json!({"image/*": {"schema": {"type": "string", "format": "binary"}}}),
    ));
    assert_snapshot!(plan.request("send", json!({"body": "aGVs bG8="})), @"
    POST https://api.example/v1/send
    content-type: application/octet-stream

    hello
    ");
    assert_snapshot!(plan.request("send", json!({"body": {"text": "hi", "media_type": "image/svg+xml"}})), @"
    POST https://api.example/v1/send
    content-type: image/svg+xml

    hi
    ");
    let plan = planned(&with_body(&json!({"text/csv": {"schema": {"type": "string"}}})));
    assert_snapshot!(lines(&plan.tool("send").input_schema), @r#"
    body: {"type":"string","description":"Text of type text/csv."}
    (additionalProperties): false
    "#);
    assert_snapshot!(plan.request("send", json!({"body": "a,b\n"})), @"
    POST https://api.example/v1/send
    content-type: text/csv

    a,b
    ");
    assert_snapshot!(plan.request("send", json!({"body": 7})), @"the parameter `body` must be text");
}

#[test]
fn json_of_any_name_is_json() {
    for name in ["application/json; charset=utf-8", "application/vnd.api+json", "text/json"] {
        let plan = planned(&with_body(
            &json!({name: {"schema": {"type": "object", "properties": {"a": {}}}}}),
        ));
        assert_eq!(
            plan.request("send", json!({"a": 1})),
            format!("POST https://api.example/v1/send\ncontent-type: {name}\n\n{{\"a\":1}}")
        );
    }
    let plan = planned(&with_body(
        &json!({"*/*": {"schema": {"type": "object", "properties": {"a": {}}}}}),
    ));
    assert!(plan.request("send", json!({"a": 1})).contains("content-type: application/json"));
}

#[test]
fn a_body_that_need_not_be_there_is_not_sent_when_empty() {
    let schema = json!({"type": "object", "required": ["a"], "properties": {"a": {}}});
    let plan = planned(&with_body(&json!({"application/json": {"schema": schema}})));
    assert_eq!(plan.tool("send").input_schema.get("required"), None);
    assert_snapshot!(plan.request("send", json!({})), @"POST https://api.example/v1/send");
}

#[test]
fn wrong_arguments_are_refused_before_anything_is_sent() {
    let plan = planned(&json!({"openapi": "3.1.0", "paths": {"/a/{x}": {"get": {
        "operationId": "get",
        "parameters": [{"name": "X-H", "in": "header", "schema": {}}, {"name": "q", "in": "query", "required": true, "schema": {}}],
    }}}}));
    let attempts = [
        json!({"x": "1"}),
        json!({"q": "1"}),
        json!({"x": null, "q": 1}),
        json!({"x": "", "q": 1}),
        json!({"x": "..", "q": 1}),
        json!({"x": ["."], "q": 1}),
        json!({"x": "1", "q": 1, "z": 2}),
        json!({"x": "1", "q": 1, "X-H": "a\r\nb: c"}),
    ];
    let answers: Vec<String> =
        attempts.iter().map(|attempt| plan.request("get", attempt.clone())).collect();
    assert_snapshot!(answers.join("\n"), @"
    the parameter `q` is missing
    the parameter `x` is missing
    the parameter `x` is missing
    the parameter `x` stands in the path and must not be empty
    the path would contain the segment `..`, which leads elsewhere; give another value for `x`
    the path would contain the segment `.`, which leads elsewhere; give another value for `x`
    there is no parameter `z`; there are: x, q, X-H
    the parameter `X-H` contains characters that a header cannot carry
    ");
}

#[test]
fn no_value_can_change_where_a_request_goes() {
    let plan = planned(
        &json!({"openapi": "3.1.0", "paths": {"/a/{x}/b": {"get": {"operationId": "get"}}}}),
    );
    for value in [
        "../../admin",
        "a/b",
        "\\..\\",
        "?q=1",
        "#x",
        "%2e%2e",
        "..;",
        "@evil.example",
        "//evil.example/",
        "\t..\n",
        "a\0b",
    ] {
        let url = plan.request("get", json!({"x": value}));
        let url = url::Url::parse(url.strip_prefix("GET ").unwrap()).unwrap();
        let segments: Vec<&str> = url.path_segments().unwrap().collect();
        assert_eq!(
            (url.host_str(), segments.len(), segments[1], segments[3]),
            (Some("api.example"), 4, "a", "b"),
            "{value}"
        );
        assert_eq!((url.query(), url.fragment()), (None, None), "{value}");
        assert_eq!(percent_encoding::percent_decode_str(segments[2]).decode_utf8().unwrap(), value);
    }
}

#[test]
fn a_required_parameter_with_a_default_need_not_be_given() {
    let plan = planned(&json!({"openapi": "3.1.0", "paths": {"/{version}/a": {"get": {
        "operationId": "get",
        "parameters": [
            {"name": "version", "in": "path", "required": true, "schema": {"type": "string", "default": "v1"}},
            {"name": "page", "in": "query", "schema": {"type": "integer", "default": 1}},
        ],
    }}}}));
    assert_eq!(plan.tool("get").input_schema.get("required"), None);
    assert_snapshot!(plan.request("get", json!({})), @"GET https://api.example/v1/v1/a");
}

#[test]
fn a_query_in_the_path_stays() {
    let plan = planned(&json!({"openapi": "3.1.0", "paths": {"/run?Action=List#x": {"post": {
        "operationId": "list", "parameters": [{"name": "n", "in": "query", "schema": {}}],
    }}}}));
    assert_snapshot!(plan.request("list", json!({"n": 1})), @"POST https://api.example/v1/run?Action=List&n=1");
}

#[test]
fn methods_say_what_a_call_may_do() {
    let methods = ["get", "head", "options", "post", "put", "patch", "delete"];
    let item: Value = methods.iter().map(|method| (method.to_string(), json!({}))).collect();
    let plan = planned(&json!({"openapi": "3.1.0", "paths": {"/a": item}}));
    let lines: Vec<String> = plan
        .listing
        .tools
        .iter()
        .map(|tool| {
            format!(
                "{} {} {}",
                tool.name,
                tool.description.as_deref().unwrap(),
                serde_json::to_string(&tool.annotations).unwrap()
            )
        })
        .collect();
    assert_snapshot!(lines.join("\n"), @r#"
    get_a GET /a {"readOnlyHint":true}
    head_a HEAD /a {"readOnlyHint":true}
    options_a OPTIONS /a {"readOnlyHint":true}
    post_a POST /a {}
    put_a PUT /a {"idempotentHint":true}
    patch_a PATCH /a {}
    delete_a DELETE /a {"destructiveHint":true,"idempotentHint":true}
    "#);
}

#[test]
fn the_first_successful_json_answer_gives_the_output_schema() {
    let output = |responses: Value| {
        let plan = planned(
            &json!({"openapi": "3.0.0", "paths": {"/a": {"get": {"operationId": "get", "responses": responses}}}}),
        );
        plan.tool("get").output_schema.as_ref().map_or_else(|| "none".to_owned(), Value::to_string)
    };
    let json = |kind: &str| json!({"content": {"application/json": {"schema": {"type": kind}}}});
    let cases = [
        json!({"400": json("string"), "200": json("array"), "201": json("object")}),
        json!({"2XX": json("integer")}),
        json!({"200": json("object"), "204": {"description": "Nothing."}}),
        json!({"200": {"content": {"*/*": {"schema": {"type": "object"}}}}}),
        json!({"200": {"content": {"text/plain": {"schema": {"type": "string"}}}}}),
        json!({"default": json("object")}),
    ];
    assert_snapshot!(cases.map(output).join("\n"), @r#"
    {"type":"array"}
    {"type":"integer"}
    {"anyOf":[{"type":"object"},{"type":"null"}]}
    {"type":"object"}
    none
    none
    "#);
}

fn with_body(content: &Value) -> Value {
    json!({
        "openapi": "3.1.0",
        "paths": {"/send": {"post": {"operationId": "send", "requestBody": {"content": content}}}},
    })
}

/// A schema of arguments, one argument a line.
fn lines(schema: &Value) -> String {
    let properties = schema["properties"].as_object().unwrap();
    let mut lines: Vec<String> =
        properties.iter().map(|(name, schema)| format!("{name}: {schema}")).collect();
    let others = schema
        .as_object()
        .unwrap()
        .iter()
        .filter(|(key, _)| !matches!(key.as_str(), "properties" | "type"));
    lines.extend(others.map(|(key, value)| format!("({key}): {value}")));
    lines.join("\n")
}
