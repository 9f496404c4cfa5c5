//! A small service with real handlers, and every one of its operations called.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::extract::{FromRequest as _, Path, Query, RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Form, Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use insta::assert_snapshot;
use serde::Deserialize;
use serde_json::{Value, json};

use super::service::{Service, call, connected, serve, settings};
use crate::connection::Connection as _;
use crate::openapi::OpenApiConnection;
use crate::result::{Part, ToolResult};

const DOCUMENT: &str = include_str!("../../../tests/fixtures/openapi/kennel.yaml");

/// The smallest picture there is, or at least its beginning.
const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n";

#[tokio::test]
async fn every_operation_becomes_a_tool() {
    let (_service, kennel) = open().await;
    let listing = kennel.listing().await.unwrap();
    assert_eq!(
        (listing.title.as_deref(), listing.version.as_deref()),
        (Some("Kennel"), Some("2.1"))
    );
    assert_eq!(kennel.facts().server.as_deref(), Some("Kennel 2.1"));
    let lines: Vec<String> = listing
        .tools
        .iter()
        .map(|tool| {
            let properties = tool.input_schema["properties"].as_object().unwrap();
            let names: Vec<String> = properties.keys().cloned().collect();
            let description = tool.description.as_deref().unwrap().replace("\n\n", " / ");
            format!("{}({}): {description}", tool.name, names.join(", "))
        })
        .collect();
    assert_snapshot!(lines.join("\n"), @"
    listDogs(limit, breed, size, filter, X-Trace): List the dogs / Newest first. Dogs that went home are not shown.
    addDog(X-Trace, name, chip, breed, weight, mother): Take in a dog
    get_dogs_by_dog_id(dogId): Look at one dog
    dogExists(dogId): HEAD /dogs/{dogId}
    replaceDog(dogId, If-Match, name, chip, breed, weight, mother): Write a dog's entry anew
    removeDog(dogId): Send a dog home
    photoOfDog(dogId): GET /dogs/{dogId}/photo
    addPhoto(dogId, photo, more, caption, taken): Add photos of a dog
    storePapers(dogId, body): Store a dog's papers
    fetchPapers(dogId): GET /dogs/{dogId}/papers
    oneRun(row, place, session): One run, by its place
    signIn(name, word, roles): POST /sign-in
    leaveNote(body): Deprecated. / Leave a note
    report(range): Count the dogs by day
    ");
}

#[tokio::test]
async fn dogs_come_stay_and_go() {
    let (_service, kennel) = open().await;
    let dog = json!({"name": "Rex", "chip": null, "breed": "Beagle", "X-Trace": "t1"});
    let added = value(&kennel, "addDog", dog).await;
    assert_eq!(
        added,
        json!({"id": "1", "name": "Rex", "chip": null, "breed": "Beagle", "trace": "t1"})
    );
    assert_eq!(value(&kennel, "get_dogs_by_dog_id", json!({"dogId": "1"})).await["name"], "Rex");
    assert_eq!(value(&kennel, "dogExists", json!({"dogId": "1"})).await, Value::Null);

    let replaced = json!({"dogId": "1", "If-Match": "\"v1\"", "name": "Max"});
    assert_eq!(
        value(&kennel, "replaceDog", replaced).await,
        json!({"id": "1", "name": "Max", "match": "\"v1\""})
    );
    assert_eq!(value(&kennel, "removeDog", json!({"dogId": "1"})).await, Value::Null);

    let gone = call(&kennel, "get_dogs_by_dog_id", json!({"dogId": "1"})).await.unwrap();
    assert!(gone.is_error);
    assert_eq!(gone.content, [text("HTTP 404 Not Found: no dog 1")]);
}

#[tokio::test]
async fn every_style_of_query_arrives() {
    let (_service, kennel) = open().await;
    let filter = json!({"name": "é&=", "age": {"from": 1, "to": 3}});
    let arguments = json!({"limit": 5.0, "breed": ["Beagle", "Poodle"], "size": ["small", "large"], "filter": filter});
    let seen = value(&kennel, "listDogs", arguments).await;
    assert_eq!(
        seen[0]["query"],
        json!([
            ["limit", "5"],
            ["breed", "Beagle"],
            ["breed", "Poodle"],
            ["size", "small|large"],
            ["filter[name]", "é&="],
            ["filter[age][from]", "1"],
            ["filter[age][to]", "3"],
        ])
    );
    let range = json!({"from": "2026-01-01", "days": 2});
    assert_eq!(value(&kennel, "report", json!({"range": range})).await, json!({"2026-01-01": 2}));
}

#[tokio::test]
async fn pictures_and_papers_travel_both_ways() {
    let (_service, kennel) = open().await;
    let photo = STANDARD.encode(PICTURE);
    let photos = json!({
        "dogId": "a/b", "photo": photo, "more": ["QQ==", {"text": "B", "filename": "b.txt"}],
        "caption": "In the sun", "taken": {"year": 2026},
    });
    assert_eq!(value(&kennel, "addPhoto", photos).await, 3);

    let picture = call(&kennel, "photoOfDog", json!({"dogId": "a/b"})).await.unwrap();
    assert_eq!(picture.content, [Part::Image { data: photo, media_type: "image/png".to_owned() }]);

    let stored =
        call(&kennel, "storePapers", json!({"dogId": "7", "body": "AAEC/w=="})).await.unwrap();
    assert_eq!(stored.content, [text("4 bytes for 7: [0, 1, 2, 255]")]);

    let papers = call(&kennel, "fetchPapers", json!({"dogId": "7"})).await.unwrap();
    let Part::Resource(resource) = &papers.content[0] else { panic!("{papers:?}") };
    assert_eq!(resource.media_type.as_deref(), Some("application/pdf"));
    assert_eq!(resource.blob.as_deref(), Some(STANDARD.encode("%PDF-1.7").as_str()));
    assert!(resource.uri.ends_with("/api/v2/dogs/7/papers"));
}

#[tokio::test]
async fn the_rest_of_the_kennel_answers_too() {
    let (_service, kennel) = open().await;
    let run = value(&kennel, "oneRun", json!({"row": 3, "place": 4, "session": "s;1"})).await;
    assert_eq!(run, json!({"row": 3, "place": 4, "cookie": "session=s%3B1"}));
    let greeting = json!({"name": "Ann & Bo", "word": "pass word+", "roles": ["vet", "owner"]});
    let greeting = call(&kennel, "signIn", greeting).await.unwrap();
    assert_eq!(greeting.content, [text("Hello Ann & Bo, vet and owner (pass word+)")]);
    assert_eq!(value(&kennel, "leaveNote", json!({"body": "Feed them."})).await, Value::Null);
    assert_eq!(value(&kennel, "leaveNote", json!({})).await, Value::Null);
}

async fn value(kennel: &OpenApiConnection, tool: &str, arguments: Value) -> Value {
    let result = call(kennel, tool, arguments).await.unwrap();
    let ToolResult { structured: Some(value), is_error: false, .. } = result else {
        panic!("{tool}: {result:?}")
    };
    value
}

fn text(text: &str) -> Part {
    Part::Text { text: text.to_owned() }
}

/// The service, and the connection that its own document leads to.
async fn open() -> (Service, OpenApiConnection) {
    let service = serve(Router::new().nest("/api/v2", kennel())).await;
    let document = DOCUMENT.replace("\"8080\"", &format!("\"{}\"", service.url.port().unwrap()));
    let connection = connected(&settings(&document, None)).await;
    (service, connection)
}

type Dogs = Arc<Mutex<HashMap<String, Value>>>;

fn kennel() -> Router {
    Router::new()
        .route("/dogs", get(list_dogs).post(add_dog))
        .route("/dogs/{id}", get(one_dog).put(replace_dog).delete(remove_dog))
        .route("/dogs/{id}/photo", get(photo).post(add_photo))
        .route("/dogs/{id}/papers", put(store_papers).get(fetch_papers))
        .route("/runs/{place}", get(one_run))
        .route("/sign-in", post(sign_in))
        .route("/notes", post(leave_note))
        .route("/report", get(report))
        .with_state(Dogs::default())
}

async fn list_dogs(RawQuery(query): RawQuery) -> Json<Value> {
    let query = query.unwrap_or_default();
    let pairs: Vec<_> = url::form_urlencoded::parse(query.as_bytes()).collect();
    Json(json!([{ "query": pairs }]))
}

async fn add_dog(
    State(dogs): State<Dogs>,
    headers: HeaderMap,
    Json(mut dog): Json<Value>,
) -> Response {
    let mut dogs = dogs.lock().unwrap();
    let id = (dogs.len() + 1).to_string();
    dog["id"] = json!(id);
    dog["trace"] = json!(headers["x-trace"].to_str().unwrap());
    dogs.insert(id, dog.clone());
    (StatusCode::CREATED, Json(dog)).into_response()
}

async fn one_dog(State(dogs): State<Dogs>, Path(id): Path<String>) -> Response {
    match dogs.lock().unwrap().get(&id) {
        Some(dog) => Json(dog.clone()).into_response(),
        None => (StatusCode::NOT_FOUND, format!("no dog {id}")).into_response(),
    }
}

async fn replace_dog(
    State(dogs): State<Dogs>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(mut dog): Json<Value>,
) -> Json<Value> {
    dog["id"] = json!(id);
    dog["match"] = json!(headers["if-match"].to_str().unwrap());
    dogs.lock().unwrap().insert(id, dog.clone());
    Json(dog)
}

async fn remove_dog(State(dogs): State<Dogs>, Path(id): Path<String>) -> StatusCode {
    dogs.lock().unwrap().remove(&id);
    StatusCode::NO_CONTENT
}

async fn photo(Path(id): Path<String>) -> Response {
    assert_eq!(id, "a/b");
    ([(header::CONTENT_TYPE, "image/png")], PICTURE).into_response()
}

/// Counts the files, after looking at each part.
async fn add_photo(headers: HeaderMap, body: axum::body::Bytes) -> Json<usize> {
    let kind = headers[header::CONTENT_TYPE].to_str().unwrap();
    let boundary = kind.strip_prefix("multipart/form-data; boundary=").unwrap();
    let text = String::from_utf8_lossy(&body);
    let parts: Vec<&str> = text.split(&format!("--{boundary}")).collect();
    assert_eq!(parts.last(), Some(&"--\r\n"));
    let part = |name: &str| {
        parts.iter().find(|part| part.contains(&format!("name=\"{name}\""))).unwrap().to_string()
    };
    assert!(part("photo").contains("filename=\"photo\"\r\nContent-Type: image/png\r\n\r\n"));
    assert!(body.windows(PICTURE.len()).any(|window| window == PICTURE));
    assert!(part("caption").ends_with("\r\n\r\nIn the sun\r\n"));
    assert!(part("taken").contains("Content-Type: application/json\r\n\r\n{\"year\":2026}\r\n"));
    Json(text.matches("filename=").count())
}

async fn store_papers(
    Path(id): Path<String>,
    headers: HeaderMap,
    body: axum::body::Bytes,
) -> String {
    assert_eq!(headers[header::CONTENT_TYPE], "application/octet-stream");
    format!("{} bytes for {id}: {:?}", body.len(), &body[..])
}

async fn fetch_papers() -> Response {
    ([(header::CONTENT_TYPE, "application/pdf")], "%PDF-1.7").into_response()
}

async fn one_run(Path(place): Path<String>, headers: HeaderMap) -> Json<Value> {
    let (row, place) = place.split_once(',').unwrap();
    let number = |text: &str| text.parse::<u32>().unwrap();
    Json(
        json!({"row": number(row), "place": number(place), "cookie": headers[header::COOKIE].to_str().unwrap()}),
    )
}

#[derive(Deserialize)]
struct Visitor {
    name: String,
    word: String,
}

async fn sign_in(body: String) -> String {
    let pairs: Vec<(String, String)> =
        url::form_urlencoded::parse(body.as_bytes()).into_owned().collect();
    let roles: Vec<&str> =
        pairs.iter().filter(|(name, _)| name == "roles").map(|(_, role)| role.as_str()).collect();
    let visitor =
        axum::http::Request::post("/").header("content-type", "application/x-www-form-urlencoded");
    let visitor = visitor.body(axum::body::Body::from(body)).unwrap();
    // The framework's own reading of the form is the judge.
    let Form(visitor) = Form::<Visitor>::from_request(visitor, &()).await.unwrap();
    format!("Hello {}, {} ({})", visitor.name, roles.join(" and "), visitor.word)
}

async fn leave_note(headers: HeaderMap, body: String) -> StatusCode {
    let kind = headers.get(header::CONTENT_TYPE).map(|kind| kind.to_str().unwrap());
    assert!(matches!((kind, body.as_str()), (Some("text/plain"), "Feed them.") | (None, "")));
    StatusCode::ACCEPTED
}

async fn report(Query(query): Query<HashMap<String, String>>) -> Json<Value> {
    let range: Value = serde_json::from_str(&query["range"]).unwrap();
    Json(json!({ range["from"].as_str().unwrap(): range["days"] }))
}
