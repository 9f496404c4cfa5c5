//! From a document to tools: which operations there are, and what each becomes.

use std::collections::HashMap;

use catalog::{Annotations, Listing, ServerName, Tool, ToolName};
use http::{HeaderMap, Method};
use serde_json::{Map, Value, json};
use tracing::warn;
use url::Url;

use super::base::{BaseProblem, Place};
use super::body::{self, essence, is_json};
use super::document::{Document, DocumentProblem, Unresolved, reference, shortened};
use super::input;
use super::names::Names;
use super::parameter;
use super::path::Template;
use super::request::Operation;
use super::schema::{Allowance, Converted, Direction, Schemas};

/// Operations one document may have.
const MOST_OPERATIONS: usize = 10_000;

/// Entries of `paths` that may refer to each other, one after the other.
const MOST_LAYERS: usize = 8;

/// Bytes that all schemas and descriptions of a document may come to, definitions aside.
const MOST_BYTES: usize = 64 << 20;

/// Bytes that the definitions of all tools may come to.
const MOST_DEFINITION_BYTES: usize = 32 << 20;

/// Bytes of definitions that one schema of a tool carries, if there is room for all.
const DEFINITION_BYTES: usize = 96 << 10;

/// Bytes of a tool's description.
const MOST_DESCRIPTION_BYTES: usize = 16 << 10;

/// Bytes of the description of the service.
const MOST_INFO_BYTES: usize = 4096;

/// Operations that became no tools of which is told why.
const MOST_LEFT_OUT: usize = 1_000;

/// What one operation costs besides its texts and schemas.
const OPERATION_COST: usize = 512;

/// Why a document gives no tools.
#[derive(Debug, thiserror::Error)]
pub(super) enum PlanProblem {
    #[error(transparent)]
    Document(#[from] DocumentProblem),
    #[error(transparent)]
    Base(#[from] BaseProblem),
}

/// The tools of a service, and how to call them.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) listing: Listing,
    pub(super) operations: HashMap<ToolName, Operation>,
    /// Operations that became no tools, each with the reason.
    pub(super) left_out: Vec<String>,
}

/// Reads a document. Takes a while for large ones, so not on a thread that others wait for.
pub(super) fn plan(
    server: &ServerName,
    text: &str,
    place: Place<'_>,
    fixed: &HeaderMap,
) -> Result<Plan, PlanProblem> {
    let document = Document::parse(text)?;
    let base = place.base(&document)?;
    warn_of_keys_in_queries(server, &document);
    let allowance = Allowance::new(MOST_BYTES);
    let mut reader = Reader {
        server,
        document: &document,
        place,
        base,
        fixed,
        allowance: &allowance,
        inputs: Schemas::new(&document, Direction::Input, &allowance),
        outputs: Schemas::new(&document, Direction::Output, &allowance),
        names: Names::default(),
        drafts: Vec::new(),
        left_out: Vec::new(),
    };
    reader.read();
    Ok(reader.finish())
}

/// A tool whose schemas still lack their definitions.
struct Draft {
    name: ToolName,
    description: String,
    input: Converted,
    output: Option<Converted>,
    annotations: Annotations,
    operation: Operation,
}

struct Reader<'d, 's> {
    server: &'s ServerName,
    document: &'d Document,
    place: Place<'s>,
    base: Url,
    fixed: &'s HeaderMap,
    allowance: &'d Allowance,
    inputs: Schemas<'d>,
    outputs: Schemas<'d>,
    names: Names,
    drafts: Vec<Draft>,
    left_out: Vec<String>,
}

impl<'d> Reader<'d, '_> {
    fn read(&mut self) {
        let paths = self.document.get("paths").and_then(Value::as_object);
        for (path, item) in paths.into_iter().flatten().filter(|(path, _)| !path.starts_with("x-"))
        {
            let Some(template) = Template::parse(path) else {
                self.leave_out(path, "its path leads elsewhere");
                continue;
            };
            let (item, problem) = Item::read(self.document, item);
            if let Some(problem) = problem {
                self.leave_out(path, &problem.to_string());
            }
            for (method, operation) in item.operations() {
                if self.drafts.len() >= MOST_OPERATIONS || !self.allowance.take(OPERATION_COST) {
                    self.leave_out(
                        path,
                        "the document is too large, and neither it nor what follows is offered",
                    );
                    return;
                }
                self.operation(path, &template, &item, method, operation);
            }
        }
    }

    fn operation(
        &mut self,
        path: &str,
        template: &Template,
        item: &Item<'d>,
        method: Method,
        source: &'d Value,
    ) {
        let servers = source.get("servers").or_else(|| item.get("servers"));
        let base = match self.place.special(&self.base, servers) {
            Ok(base) => base,
            Err(elsewhere) => {
                return self.leave_out(&format!("{method} {path}"), &elsewhere.to_string());
            }
        };
        let mut notes = Vec::new();
        let lists = [source.get("parameters"), item.get("parameters")];
        let mut parameters =
            parameter::read(self.document, lists, self.fixed, self.allowance, &mut notes);
        fit_to_path(&mut parameters, template);
        parameter::name_arguments(&mut parameters);
        let body = body::read(self.document, source).unwrap_or_else(|problem| {
            notes.push(format!("The body cannot be given: {problem}."));
            None
        });
        let input = input::flat(self.document, &mut self.inputs, self.allowance, &parameters, body);
        let (output, accept) = self.output(source);
        let identifier = source.get("operationId").and_then(Value::as_str);
        let name = ToolName(self.names.next(identifier, method.as_str(), path));
        self.drafts.push(Draft {
            name,
            description: self.description(path, &method, source, &notes),
            input: input.schema,
            output,
            annotations: annotations(&method),
            operation: Operation {
                method,
                base,
                path: template.clone(),
                parameters: input.parameters,
                body: input.body,
                accept,
            },
        });
    }

    /// The schema of the first successful answer that is JSON, and what to ask for.
    fn output(&mut self, source: &'d Value) -> (Option<Converted>, Option<String>) {
        let responses = source.get("responses").and_then(Value::as_object).into_iter().flatten();
        let good = responses.filter(|(status, _)| status.len() == 3 && status.starts_with('2'));
        let good: Vec<&'d Value> =
            good.filter_map(|(_, response)| self.document.resolve(response).ok()).collect();
        let contents = good.iter().filter_map(|response| response.get("content")?.as_object());
        let media: Vec<(&'d String, &'d Value)> = contents.flatten().collect();
        let json =
            media.iter().copied().find(|(name, media)| is_json_answer(self.document, name, media));
        let accept = json.or(media.first().copied()).map(|(name, _)| name.trim());
        let accept = accept.filter(|name| !name.contains('*') && name.len() < 200);
        let accept = accept.map(|name| format!("{name}, */*;q=0.5"));
        let Some(schema) = json.and_then(|(_, media)| media.get("schema")) else {
            return (None, accept);
        };
        let mut converted = self.outputs.convert(schema);
        let can_be_empty = good.iter().any(|response| {
            response.get("content").and_then(Value::as_object).is_none_or(Map::is_empty)
        });
        if can_be_empty {
            converted.schema = json!({ "anyOf": [converted.schema, { "type": "null" }] });
        }
        (Some(converted), accept)
    }

    fn description(&self, path: &str, method: &Method, source: &Value, notes: &[String]) -> String {
        let text = |key| {
            source.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
        };
        let mut parts: Vec<String> = Vec::new();
        if source.get("deprecated") == Some(&Value::Bool(true)) {
            parts.push("Deprecated.".to_owned());
        }
        match (text("summary"), text("description")) {
            (Some(summary), Some(description)) if description.starts_with(summary) => {
                parts.push(description.to_owned());
            }
            (summary, description) => {
                parts.extend([summary, description].into_iter().flatten().map(str::to_owned));
            }
        }
        if text("summary").is_none() && text("description").is_none() {
            parts.push(format!("{method} {path}"));
        }
        parts.extend(notes.iter().take(5).cloned());
        let whole = shortened(&parts.join("\n\n"), MOST_DESCRIPTION_BYTES);
        if self.allowance.take(whole.len()) { whole } else { shortened(&whole, 200) }
    }

    fn leave_out(&mut self, path: &str, reason: &str) {
        let path = shortened(path, 200);
        warn!(server = %self.server, path = %path, reason, "operation left out");
        if self.left_out.len() < MOST_LEFT_OUT {
            self.left_out.push(format!("{path}: {reason}"));
        }
    }

    /// Adds the definitions and makes the tools.
    fn finish(self) -> Plan {
        let most = self.definition_bytes();
        let Self { server, document, inputs, outputs, drafts, left_out, .. } = self;
        let mut operations = HashMap::with_capacity(drafts.len());
        let mut tools = Vec::with_capacity(drafts.len());
        for draft in drafts {
            tools.push(Tool {
                name: draft.name.clone(),
                title: None,
                description: Some(draft.description),
                input_schema: inputs.closed(draft.input, most),
                output_schema: draft.output.map(|output| outputs.closed(output, most)),
                annotations: draft.annotations,
            });
            operations.insert(draft.name, draft.operation);
        }
        let info = |key: &str| {
            let text = document.get("info")?.get(key)?.as_str()?.trim();
            (!text.is_empty()).then(|| shortened(text, MOST_INFO_BYTES))
        };
        let listing = Listing {
            server: server.clone(),
            title: info("title"),
            version: info("version"),
            description: info("description").or_else(|| info("summary")),
            tools,
        };
        Plan { listing, operations, left_out }
    }

    /// How much each schema may carry so that all of them together stay within bounds.
    fn definition_bytes(&self) -> usize {
        let mut most = DEFINITION_BYTES;
        while most > 1024 {
            let bytes = |draft: &Draft| {
                let output = draft
                    .output
                    .as_ref()
                    .map_or(0, |output| self.outputs.closure_bytes(&output.uses, most));
                output + self.inputs.closure_bytes(&draft.input.uses, most)
            };
            if self.drafts.iter().map(bytes).sum::<usize>() <= MOST_DEFINITION_BYTES {
                break;
            }
            most /= 2;
        }
        most
    }
}

/// One entry of `paths`: its own keys, then those of the entry it refers to, and so on.
struct Item<'d> {
    layers: Vec<&'d Map<String, Value>>,
}

impl<'d> Item<'d> {
    /// Reads as many layers as there are, and says why there are no more if one is missing.
    fn read(document: &'d Document, entry: &'d Value) -> (Self, Option<Unresolved>) {
        let mut layers = Vec::new();
        let mut next = Ok(entry);
        while let Ok(layer) = next {
            layers.extend(layer.as_object());
            next = match reference(layer) {
                Some(name) if layers.len() < MOST_LAYERS => document.at(name),
                Some(name) => Err(Unresolved::Circular(shortened(name, 200))),
                None => return (Self { layers }, None),
            };
        }
        (Self { layers }, next.err())
    }

    fn get(&self, key: &str) -> Option<&'d Value> {
        self.layers.iter().find_map(|layer| layer.get(key))
    }

    fn operations(&self) -> Vec<(Method, &'d Value)> {
        let keys = self.layers.iter().flat_map(|layer| layer.keys());
        let mut found: Vec<(Method, &'d Value)> = Vec::new();
        for (key, method) in keys.filter_map(|key| Some((key, method(key)?))) {
            if let Some(operation) = self.get(key).filter(|operation| operation.is_object())
                && !found.iter().any(|(known, _)| *known == method)
            {
                found.push((method, operation));
            }
        }
        found
    }
}

fn method(key: &str) -> Option<Method> {
    Some(match key {
        "get" => Method::GET,
        "put" => Method::PUT,
        "post" => Method::POST,
        "delete" => Method::DELETE,
        "options" => Method::OPTIONS,
        "head" => Method::HEAD,
        "patch" => Method::PATCH,
        "trace" => Method::TRACE,
        _ => return None,
    })
}

/// What the method says about the effects of a call.
fn annotations(method: &Method) -> Annotations {
    let is_delete = method == Method::DELETE;
    let is_idempotent = is_delete || method == Method::PUT;
    let is_safe = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS | Method::TRACE);
    Annotations {
        read_only_hint: is_safe.then_some(true),
        destructive_hint: is_delete.then_some(true),
        idempotent_hint: is_idempotent.then_some(true),
        ..Annotations::default()
    }
}

/// Every placeholder of the path has its parameter, and no other parameter goes there.
fn fit_to_path(parameters: &mut Vec<parameter::Described<'_>>, template: &Template) {
    let placeholders = template.placeholders();
    let in_path =
        |described: &parameter::Described<'_>| described.parameter.place == parameter::Place::Path;
    parameters.retain(|described| {
        !in_path(described) || placeholders.contains(&described.parameter.name.as_str())
    });
    let missing = placeholders.iter().filter(|name| {
        !parameters.iter().any(|described| in_path(described) && described.parameter.name == **name)
    });
    let missing: Vec<_> = missing.map(|name| parameter::undescribed(name)).collect();
    parameters.splice(0..0, missing);
}

/// Whether an answer will be JSON. Some frameworks say `*/*` for whatever they describe.
fn is_json_answer(document: &Document, media_type: &str, media: &Value) -> bool {
    let essence = essence(media_type);
    let schema = media.get("schema").and_then(|schema| document.resolve(schema).ok());
    let is_described =
        schema.and_then(|schema| schema.get("type")).is_some_and(|kind| kind != "string");
    is_json(&essence) || (essence == "*/*" && is_described)
}

/// Credentials come from the configured headers. A key in the query would show up in logs
/// all along the way, so there is no setting for it.
fn warn_of_keys_in_queries(server: &ServerName, document: &Document) {
    let schemes =
        document.get("components").and_then(|components| components.get("securitySchemes"));
    for (name, scheme) in schemes.and_then(Value::as_object).into_iter().flatten() {
        let is = |key: &str, wanted: &str| scheme.get(key).is_some_and(|value| value == wanted);
        if is("type", "apiKey") && is("in", "query") {
            warn!(server = %server, scheme = %shortened(name, 100), "the service takes a key in the query; only `headers` are supported");
        }
    }
}
