//! Tools as plain endpoints: `POST /mcp/tools/NAME` takes the arguments as a JSON object and answers with JSON.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;

use crate::served::Tools;

/// Answers at this listener until the process ends.
pub(crate) async fn serve<T: Tools>(tools: T, listener: TcpListener) -> Result<(), String> {
    let router = Router::new()
        .route("/mcp/tools", get(definitions::<T>))
        .route("/mcp/tools/{name}", post(answer::<T>))
        .with_state(Arc::new(tools));
    axum::serve(listener, router).await.map_err(|error| error.to_string())
}

async fn definitions<T: Tools>() -> Json<Value> {
    Json(serde_json::from_str(T::DEFINITIONS).unwrap_or_default())
}

async fn answer<T: Tools>(
    State(tools): State<Arc<T>>,
    Path(name): Path<String>,
    Json(arguments): Json<Map<String, Value>>,
) -> (StatusCode, Json<Value>) {
    match tools.answer(&name, arguments).await {
        Ok(value) => (StatusCode::OK, Json(value)),
        Err(reason) => (StatusCode::BAD_REQUEST, Json(json!({ "error": reason }))),
    }
}
