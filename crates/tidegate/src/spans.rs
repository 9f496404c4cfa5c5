//! Runs as OpenTelemetry spans, sent to whoever collects them (OTLP over HTTP).
//!
//! A collector that is slow or gone costs nobody anything: spans wait in a queue of their own thread
//! and are dropped when it is full.

use std::fmt;
use std::str::FromStr as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use async_trait::async_trait;
use gateway::CallNote;
use gateway::service::{Moment, Record, Spans, Trace, TraceParent};
use http::{Request, Response};
use opentelemetry::trace::{
    SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState,
};
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_http::{Bytes, HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{
    BatchSpanProcessor, SpanData, SpanEvents, SpanLinks, SpanProcessor as _,
};
use tokio::runtime::Handle;
use url::Url;

use crate::exit::Misuse;

/// Where OpenTelemetry itself lets operators say it.
const STANDARD: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];
/// How long the last spans may take to be sent when we end.
const LAST: Duration = Duration::from_secs(2);

/// Who takes the spans of runs: a collector at `endpoint`, or at what the usual variables say.
/// Must be made within a tokio runtime.
pub(crate) fn exported(endpoint: Option<&str>) -> anyhow::Result<Option<Exported>> {
    let is_said = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if endpoint.is_none() && !STANDARD.iter().any(|name| is_said(name)) {
        return Ok(None);
    }
    let client = Client { http: reqwest::Client::new(), runtime: Handle::current() };
    let mut builder = SpanExporter::builder().with_http().with_http_client(client);
    if let Some(endpoint) = endpoint {
        builder = builder.with_endpoint(address(endpoint)?);
    }
    let exporter = builder.build().context("could not prepare to send traces")?;
    let mut processor = BatchSpanProcessor::builder(exporter).build();
    let resource = Resource::builder()
        .with_service_name(
            std::env::var("OTEL_SERVICE_NAME").unwrap_or_else(|_| "tidegate".to_owned()),
        )
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .build();
    processor.set_resource(&resource);
    let scope =
        InstrumentationScope::builder("tidegate").with_version(env!("CARGO_PKG_VERSION")).build();
    Ok(Some(Exported { processor, scope }))
}

/// The whole address: collectors are known by their root, traces have a path of their own.
fn address(endpoint: &str) -> anyhow::Result<String> {
    let wrong = |problem: String| {
        Misuse::error(format!(
            "`otlp-endpoint` is {endpoint:?}, {problem}; it must be the address of a collector that takes OTLP over HTTP, such as http://localhost:4318"
        ))
    };
    let mut url = Url::parse(endpoint).map_err(|error| wrong(error.to_string()))?;
    if !["http", "https"].contains(&url.scheme()) {
        return Err(wrong("which is not http or https".to_owned()));
    }
    if url.path() == "/" {
        url.set_path("/v1/traces");
    }
    Ok(url.into())
}

/// Sends the spans of runs.
pub(crate) struct Exported {
    processor: BatchSpanProcessor,
    scope: InstrumentationScope,
}

impl Spans for Exported {
    fn ended(&self, record: &Record, trace: &Trace) {
        if !trace.run.is_sampled {
            return;
        }
        for note in &record.calls {
            self.processor.on_end(self.call(note, trace));
        }
        self.processor.on_end(self.run(record, trace));
    }
}

impl Drop for Exported {
    fn drop(&mut self) {
        if let Err(error) = self.processor.shutdown_with_timeout(LAST) {
            tracing::warn!(error = %error, "the last traces were not sent");
        }
    }
}

impl Exported {
    fn run(&self, record: &Record, trace: &Trace) -> SpanData {
        let ended = record.ended.as_ref();
        let error = ended.and_then(|ended| ended.error.as_ref());
        let receipt = ended.and_then(|ended| ended.receipt.as_ref());
        let mut attributes = vec![
            KeyValue::new("tidegate.run.id", record.id.to_string()),
            KeyValue::new("tidegate.session.id", record.session.to_string()),
            KeyValue::new("tidegate.owner", record.owner.clone()),
            KeyValue::new("tidegate.language", record.language.clone()),
            KeyValue::new("tidegate.status", record.status.name()),
            KeyValue::new("tidegate.calls", number(record.calls.len() as u64)),
        ];
        attributes.extend(
            receipt.map(|receipt| KeyValue::new("tidegate.tokens_saved", receipt.tokens_saved)),
        );
        attributes.extend(error.map(|error| KeyValue::new("error.type", error.kind.clone())));
        let status = match error {
            Some(error) => Status::error(error.kind.clone()),
            None => Status::Ok,
        };
        let times =
            (time(record.created_at), record.finished_at.map_or_else(SystemTime::now, time));
        let parent = trace.caller.as_ref().map(|caller| (caller.span, true));
        SpanData {
            status,
            attributes,
            span_kind: SpanKind::Server,
            ..self.span("run".to_owned(), &trace.run, parent, times)
        }
    }

    fn call(&self, note: &CallNote, trace: &Trace) -> SpanData {
        let name = match &note.server {
            Some(server) => format!("{server}.{}", note.tool),
            None => note.tool.clone(),
        };
        let times = (note.started_at, note.started_at + note.took.unwrap_or_default());
        let mut attributes = vec![
            KeyValue::new("gen_ai.tool.name", note.tool.clone()),
            KeyValue::new("tidegate.argument_bytes", number(note.argument_bytes)),
            KeyValue::new("tidegate.result_bytes", number(note.result_bytes)),
        ];
        let server = note.server.clone();
        attributes.extend(server.map(|server| KeyValue::new("tidegate.server", server)));
        let status = match note.ok {
            Some(true) => Status::Ok,
            Some(false) => Status::error("the call failed"),
            None => Status::error("the run ended before the answer came"),
        };
        let parent = Some((trace.run.span, false));
        SpanData {
            status,
            attributes,
            span_kind: SpanKind::Client,
            ..self.span(name, &trace.call(note.id), parent, times)
        }
    }

    fn span(
        &self,
        name: String,
        own: &TraceParent,
        parent: Option<(u64, bool)>,
        (start_time, end_time): (SystemTime, SystemTime),
    ) -> SpanData {
        let (trace, span) = (TraceId::from(own.trace), SpanId::from(own.span));
        let parent_span = parent.map_or(SpanId::INVALID, |(parent, _)| SpanId::from(parent));
        // It was checked by the same rules.
        let state = own.state.as_ref().and_then(|state| TraceState::from_str(state.as_str()).ok());
        SpanData {
            span_context: SpanContext::new(
                trace,
                span,
                TraceFlags::SAMPLED,
                false,
                state.unwrap_or_default(),
            ),
            parent_span_id: parent_span,
            parent_span_is_remote: parent.is_some_and(|(_, remote)| remote),
            span_kind: SpanKind::Internal,
            name: name.into(),
            start_time,
            end_time,
            attributes: Vec::new(),
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: Status::Unset,
            instrumentation_scope: self.scope.clone(),
        }
    }
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn time(moment: Moment) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(moment.0).unwrap_or_default())
}

/// Sends on our runtime what the exporter's own thread wants sent.
#[derive(Clone)]
struct Client {
    http: reqwest::Client,
    runtime: Handle,
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Client")
    }
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let http = self.http.clone();
        let sending = self.runtime.spawn(async move {
            let answer = http.execute(request.try_into()?).await?;
            let mut response = Response::builder().status(answer.status());
            if let Some(headers) = response.headers_mut() {
                headers.clone_from(answer.headers());
            }
            let body = answer.bytes().await?;
            Ok::<_, HttpError>(response.body(body)?)
        });
        sending.await?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_is_known_by_its_root_or_by_its_path() {
        assert_eq!(address("http://localhost:4318").unwrap(), "http://localhost:4318/v1/traces");
        let whole = "https://collector.example.com/in/v1/traces";
        assert_eq!(address(whole).unwrap(), whole);
        let wrong = address("localhost:4318").unwrap_err().to_string();
        assert!(wrong.contains("otlp-endpoint") && wrong.contains("http"), "{wrong}");
    }
}
