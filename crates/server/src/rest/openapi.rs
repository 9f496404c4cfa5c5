//! The description of the door, for programs (`/openapi.json`) and for people (`/docs`).

use std::sync::LazyLock;

use axum::response::{IntoResponse, Response};
use http::header;
use utoipa::OpenApi;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{
    Components, ContentBuilder, OpenApi as Document, Ref, RefOr, ResponseBuilder,
    SecurityRequirement,
};

use super::{execute, files, health, problem, runs, servers, sessions, tools};

/// What every request may be answered with, besides what its own route says.
const ANY: [(&str, &str); 10] = [
    ("400", "Something in the request is not as it must be: `invalid_request`, `invalid_json`."),
    ("401", "The token is missing or wrong: `unauthorized`."),
    (
        "403",
        "The token has not this scope, or the page may not use us: `scope_missing`, `origin_not_allowed`.",
    ),
    ("414", "The address is too long: `uri_too_long`."),
    ("421", "We are not called so: `host_not_allowed`."),
    ("431", "The headers are too many or too large: `headers_too_large`."),
    ("500", "The gateway failed: `storage_failed`, `sandbox_failed`."),
    ("503", "Not now: `installing`, `no_runtime`, `shutting_down`; see `Retry-After`."),
    ("504", "It took longer than requests may: `timed_out`."),
    ("507", "The disk of the gateway is full: `storage_full`."),
];

/// What requests with a body may be answered with.
const WITH_BODY: [(&str, &str); 5] = [
    ("408", "The body did not come in time: `request_timeout`."),
    ("413", "The body is too large: `too_large`."),
    ("415", "The body is something else than JSON: `unsupported_media_type`."),
    (
        "422",
        "What is asked for is well-formed, and cannot be here: a variable called `if`, a language that is not run: `invalid_request`.",
    ),
    ("429", "Too much waits, or is on its way: `too_many_requests`; see `Retry-After`."),
];

/// Requests that need no token.
const OPEN: [&str; 2] = ["/health", "/health/ready"];

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Tidegate",
        description = "Runs programs in a sandbox, with the tools of MCP servers as functions.",
        license(name = "MIT OR Apache-2.0"),
    ),
    servers((url = "/")),
    paths(
        execute::execute,
        runs::list, runs::one, runs::events, runs::cancel, runs::resume, runs::result, runs::artifact, super::stats::stats, super::security::report, super::analysis::analyze, super::review::validate, super::ask::ask,
        super::conversations::list, super::conversations::one,
        super::approvals::list, super::approvals::answer,
        sessions::list, sessions::create, sessions::one, sessions::remove, sessions::fork,
        sessions::freeze, super::moving::export_run, super::moving::import_run,
        super::moving::export_session, super::moving::import_session,
        files::list, files::read, files::write, files::remove,
        tools::search, tools::list, tools::one,
        servers::list, servers::add, servers::remove,
        super::skills::list, super::skills::save, super::skills::one, super::skills::remove, super::skills::test,
        super::skills::packs, super::skills::install,
        health::health, health::ready, health::metrics,
    ),
    components(schemas(problem::ErrorBody, tools::DetailLevel)),
    tags(
        (name = "run", description = "Running programs."),
        (name = "runs", description = "Runs that are under way or over."),
        (name = "approvals", description = "Calls that somebody has to approve."),
        (name = "sessions", description = "What one program leaves for the next."),
        (name = "files", description = "The files of a session."),
        (name = "tools", description = "What programs can call."),
        (name = "skills", description = "Functions that programs keep and import."),
        (name = "servers", description = "Who offers the tools."),
        (name = "health", description = "How the gateway is doing."),
    ),
)]
struct Api;

/// The whole description.
fn document() -> Document {
    let mut api = Api::openapi();
    if let Some(item) = api.paths.paths.get("/execute").cloned() {
        api.paths.paths.insert("/api/v1/execute".to_owned(), item);
    }
    for (path, item) in &mut api.paths.paths {
        for (method, operation) in operations(item) {
            operation.operation_id = Some(named(method, path));
            complete(operation);
            if OPEN.contains(&path.as_str()) {
                operation.security = Some(vec![SecurityRequirement::default()]);
            }
        }
    }
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
    let components = api.components.get_or_insert_with(Components::new);
    components.add_security_scheme("token", SecurityScheme::Http(bearer));
    let token = SecurityRequirement::new("token", [""; 0]);
    // From the machine itself no token is needed.
    api.security = Some(vec![token, SecurityRequirement::default()]);
    api
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    let each = [
        ("get", item.get.as_mut()),
        ("post", item.post.as_mut()),
        ("put", item.put.as_mut()),
        ("delete", item.delete.as_mut()),
    ];
    each.into_iter().filter_map(|(method, operation)| Some((method, operation?)))
}

/// A name that no other operation has: functions of several modules are called the same.
fn named(method: &str, path: &str) -> String {
    let words = path.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!("{method}_{}", words.join("_"))
}

fn complete(operation: &mut Operation) {
    let with_body = WITH_BODY.iter().filter(|_| operation.request_body.is_some());
    let responses = &mut operation.responses.responses;
    for (status, description) in ANY.iter().chain(with_body) {
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Error"))).build();
        let response = ResponseBuilder::new()
            .description(*description)
            .content("application/json", content)
            .build();
        responses.entry((*status).to_owned()).or_insert(RefOr::T(response));
    }
}

/// `GET /openapi.json`.
pub(crate) async fn json() -> Response {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        // It is made of texts and lists; writing it does not fail.
        document().to_json().unwrap_or_default()
    });
    ([(header::CONTENT_TYPE, "application/json")], TEXT.as_str()).into_response()
}

/// `GET /docs`: one page that needs nothing but `/openapi.json`.
pub(crate) async fn docs() -> Response {
    super::page(include_str!("docs.html"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    #[test]
    fn every_operation_has_a_name_of_its_own_and_says_how_it_can_fail() {
        let mut api = document();
        let mut names = BTreeSet::new();
        for item in api.paths.paths.values_mut() {
            for (_, operation) in operations(item) {
                assert!(names.insert(operation.operation_id.clone().unwrap()));
                for (status, _) in ANY {
                    assert!(operation.responses.responses.contains_key(status));
                }
            }
        }
        assert_eq!(names.len(), 48);
    }

    #[test]
    fn the_manual_has_every_status_of_an_error_with_its_code() {
        let page = include_str!("../../../../docs/src/rest.md");
        for (status, said) in ANY.into_iter().chain(WITH_BODY) {
            let rows = page.lines().filter(|line| line.starts_with(&format!("| {status} |")));
            let rows: Vec<&str> = rows.collect();
            let codes = said.split('`').skip(1).step_by(2);
            // Names of fields and of headers begin otherwise, or are words of programs.
            for code in codes.filter(|code| code.contains('_') || *code == "unauthorized") {
                let is_told = rows.iter().any(|row| row.contains(&format!("`{code}`")));
                assert!(is_told, "docs/src/rest.md has no row of {status} with {code}");
            }
        }
    }

    #[test]
    fn whatever_takes_a_body_says_what_becomes_of_one_that_cannot_be() {
        let mut api = document();
        for (path, item) in &mut api.paths.paths {
            for (method, operation) in operations(item) {
                let described = &operation.responses.responses;
                let takes = operation.request_body.is_some();
                for status in ["408", "413", "415", "422", "429"] {
                    assert!(!takes || described.contains_key(status), "{method} {path}: {status}");
                }
                // Skills may be switched off, or damaged, for whoever only reads them, too.
                let of_skills = ["/api/v1/skills", "/api/v1/packs"];
                let is_one = of_skills.iter().any(|begin| path.starts_with(begin));
                assert!(!is_one || described.contains_key("422"), "{method} {path}");
            }
        }
    }

    #[test]
    fn a_scope_is_said_to_be_one_of_a_few() {
        let api: Value = serde_json::to_value(document()).unwrap();
        let pattern = "^(own|global|team:.+)?$";
        for schema in ["SkillDraft", "PackInstall"] {
            let at = format!("/components/schemas/{schema}/properties/scope/pattern");
            assert_eq!(api.pointer(&at).and_then(Value::as_str), Some(pattern), "{schema}");
        }
        let parameters = &api["paths"]["/api/v1/skills/{name}"]["delete"]["parameters"];
        let parameters = parameters.as_array().unwrap().iter();
        let scope = parameters.clone().find(|given| given["name"] == "scope").unwrap();
        assert_eq!(scope["schema"]["pattern"], pattern);
    }

    #[test]
    fn the_manual_has_every_address() {
        let manual = include_str!("../../../../docs/src/rest.md");
        for path in document().paths.paths.keys() {
            assert!(manual.contains(path.as_str()), "docs/src/rest.md says nothing of {path}");
        }
    }

    #[test]
    fn everything_that_is_referred_to_is_there() {
        let api: Value = serde_json::to_value(document()).unwrap();
        let mut wanted = BTreeSet::new();
        references(&api, &mut wanted);
        for reference in wanted {
            let at = reference.trim_start_matches('#');
            assert!(api.pointer(at).is_some(), "{reference}");
        }
    }

    fn references(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(reference)) = members.get("$ref") {
                    found.insert(reference.clone());
                }
                members.values().for_each(|member| references(member, found));
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }
}
