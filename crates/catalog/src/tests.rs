//! What must hold for the tools of real servers, all of them.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::schema::{Schema, Shape};
use crate::{Catalog, CatalogTool, corpus};

fn catalog() -> Catalog {
    Catalog::new(corpus::listings().into_iter().map(Arc::new).collect())
}

fn schemas(tool: &CatalogTool) -> impl Iterator<Item = &Schema> {
    std::iter::once(tool.input()).chain(tool.output())
}

#[test]
fn every_tool_of_the_corpus_is_read_and_almost_nothing_is_lost() {
    let catalog = catalog();
    assert!(catalog.tools().count() > 2_700);
    let mut notes = Vec::new();
    for tool in catalog.tools() {
        for schema in schemas(tool) {
            well_formed(schema);
            notes.extend(
                schema
                    .notes
                    .iter()
                    .map(|note| format!("{}.{}: {note}", tool.server(), tool.name())),
            );
        }
    }
    assert_eq!(notes, ["netlify.netlify-coding-rules: creationType: enum lists no values"]);
}

#[test]
fn identifiers_in_the_corpus_are_unique_without_case() {
    for server in catalog().servers() {
        for identifier in [CatalogTool::python, CatalogTool::typescript] {
            let unique: HashSet<String> =
                server.tools().iter().map(|tool| identifier(tool).to_lowercase()).collect();
            assert_eq!(unique.len(), server.tools().len(), "{}", server.name());
        }
    }
}

#[test]
fn every_spelling_of_every_tool_in_the_corpus_leads_back_to_it() {
    let catalog = catalog();
    for tool in catalog.tools() {
        let (server, name) = (tool.server().0.as_str(), tool.name().0.as_str());
        let found = |server: Option<&str>, name: &str| {
            let found =
                catalog.resolve(server, name).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(
                std::ptr::eq(found, tool),
                "{name} leads to {}.{}",
                found.server(),
                found.name()
            );
        };
        found(Some(server), name);
        found(Some(server), tool.python());
        found(Some(server), tool.typescript());
        found(Some(tool.server_python()), &name.to_uppercase());
        found(None, &format!("mcp__{server}__{name}"));
        found(None, &format!("mcp__{}__{}", tool.server_python(), tool.python()));
        found(None, &format!("{server}.{name}"));
        found(None, &format!("{server}/{}", tool.typescript()));
        found(None, &format!("servers.{}.{}", tool.server_python(), tool.python()));
    }
}

#[test]
fn a_bare_name_in_the_corpus_leads_to_its_tool_or_lists_it() {
    let catalog = catalog();
    for tool in catalog.tools() {
        match catalog.resolve(None, &tool.name().0) {
            Ok(found) => assert!(std::ptr::eq(found, tool)),
            Err(error) => assert!(
                error.to_string().contains(&format!("\"{}.{}\"", tool.server(), tool.name())),
                "{error}"
            ),
        }
    }
}

/// Arguments made up from the types alone pass the server's own schema, but for limits that a
/// type cannot express. So types and schemas agree.
#[test]
fn arguments_made_from_the_types_fit_the_schemas_of_the_corpus() {
    let limits = ["should match", "should have at least"];
    for tool in catalog().tools() {
        let arguments = example(tool.input(), &tool.input().root, 0);
        let Err(mistake) = tool.check(&arguments) else { continue };
        let only_limits = mistake
            .problems()
            .iter()
            .all(|problem| limits.iter().any(|limit| problem.message.contains(limit)));
        assert!(only_limits, "{}.{} {arguments}: {mistake}", tool.server(), tool.name());
    }
}

#[test]
fn an_unknown_parameter_is_refused_in_the_corpus_unless_the_schema_allows_it() {
    for tool in catalog().tools() {
        let Shape::Object(index) = tool.input().root else { continue };
        let object = &tool.input().definitions[index];
        let mut arguments = example(tool.input(), &tool.input().root, 0);
        arguments["a parameter that nobody has"] = json!(1);
        let told = tool.check(&arguments).is_err_and(|mistake| {
            mistake.to_string().contains("\"a parameter that nobody has\" is not a parameter")
        });
        let closed = tool.tool().input_schema["additionalProperties"] == json!(false);
        let expected = object.extra.is_none() && (closed || !object.fields.is_empty());
        assert_eq!(told, expected, "{}.{}", tool.server(), tool.name());
    }
}

/// What [`Schema`] promises.
pub(crate) fn well_formed(schema: &Schema) {
    let mut paths = HashSet::new();
    well_formed_shape(schema, &schema.root);
    if let Shape::Object(index) = schema.root {
        assert_eq!(index, 0);
        assert_eq!(schema.definitions[0].path, [] as [&str; 0]);
    }
    for object in &schema.definitions {
        assert!(paths.insert(object.path.clone()), "{:?} is there twice", object.path);
        assert!(object.fields.is_sorted_by_key(|field| !field.required));
        let names: HashSet<&str> = object.fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names.len(), object.fields.len());
        object.fields.iter().for_each(|field| well_formed_shape(schema, &field.shape));
        object.extra.iter().for_each(|shape| well_formed_shape(schema, shape));
    }
}

fn well_formed_shape(schema: &Schema, shape: &Shape) {
    match shape {
        Shape::Object(index) => assert!(*index < schema.definitions.len()),
        Shape::List(item) | Shape::Map(item) => well_formed_shape(schema, item),
        Shape::Tuple { items, rest } => {
            items.iter().chain(rest.as_deref()).for_each(|item| well_formed_shape(schema, item));
        }
        Shape::Literal(values) => {
            assert!(!values.is_empty());
            assert!(values.iter().all(|value| !value.is_array() && !value.is_object()));
            assert!(values.iter().enumerate().all(|(at, value)| !values[..at].contains(value)));
        }
        Shape::Union(shapes) => {
            assert!(shapes.len() > 1);
            assert!(shapes.iter().all(|shape| !matches!(shape, Shape::Union(_) | Shape::Any)));
            assert!(shapes.iter().enumerate().all(|(at, shape)| !shapes[..at].contains(shape)));
            assert!(shapes.iter().filter(|shape| matches!(shape, Shape::Literal(_))).count() <= 1);
            assert!(shapes[..shapes.len() - 1].iter().all(|shape| *shape != Shape::Null));
            for shape in shapes {
                well_formed_shape(schema, shape);
            }
        }
        _ => {}
    }
}

/// A value of a shape, with as little in it as possible.
fn example(schema: &Schema, shape: &Shape, depth: usize) -> Value {
    match shape {
        _ if depth > 12 => Value::Null,
        Shape::Any | Shape::Map(_) => json!({}),
        Shape::Null => Value::Null,
        Shape::Boolean => json!(true),
        Shape::Integer | Shape::Number => json!(1),
        Shape::String => json!("text"),
        Shape::Literal(values) => values[0].clone(),
        Shape::List(item) => json!([example(schema, item, depth + 1)]),
        Shape::Tuple { items, .. } => {
            items.iter().map(|item| example(schema, item, depth + 1)).collect()
        }
        Shape::Object(index) => schema.definitions[*index]
            .fields
            .iter()
            .filter(|field| field.required)
            .map(|field| (field.name.clone(), example(schema, &field.shape, depth + 1)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Shape::Union(shapes) => example(schema, &shapes[0], depth + 1),
    }
}
