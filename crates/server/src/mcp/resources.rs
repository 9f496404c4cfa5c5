//! What runs left behind, as resources: `tidegate://runs/RUN/artifacts/NAME`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gateway::service::Caller;
use gateway::service::ids::RunId;
use gateway::service::store::RunFilter;
use rmcp::ErrorData;
use rmcp::model::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};

use super::Mcp;

const SCHEME: &str = "tidegate://runs/";

/// Runs whose files are listed.
const RECENT: u32 = 50;

/// The address of a run's file.
pub(super) fn artifact_uri(run: &RunId, name: &str) -> String {
    format!("{SCHEME}{run}/artifacts/{name}")
}

/// Whether an address is one of ours.
pub(super) fn is_own(uri: &str) -> bool {
    uri.starts_with(SCHEME)
}

/// The kinds of addresses there are.
pub(super) fn templates() -> ListResourceTemplatesResult {
    let template = format!("{SCHEME}{{run_id}}/artifacts/{{name}}");
    let artifact = ResourceTemplate::new(template, "artifact")
        .with_description("A file that a program produced, such as a figure.");
    ListResourceTemplatesResult::with_all_items(vec![artifact])
}

impl Mcp {
    /// Files of the caller's latest runs.
    pub(super) async fn resources(
        &self,
        caller: &Caller,
    ) -> Result<ListResourcesResult, ErrorData> {
        let filter =
            RunFilter { owner: Some(caller.owner.clone()), limit: RECENT, ..RunFilter::default() };
        let runs = self.shared.service.list_runs(caller, filter).await.map_err(internal)?;
        let mut found = Vec::new();
        for run in &runs {
            for artifact in run.ended.iter().flat_map(|ended| &ended.artifacts) {
                let uri = artifact_uri(&run.id, &artifact.name);
                let resource = Resource::new(uri, artifact.name.clone())
                    .with_mime_type(artifact.media_type.clone())
                    .with_size(artifact.bytes);
                found.push(resource);
            }
        }
        Ok(ListResourcesResult::with_all_items(found))
    }

    /// The content of one.
    pub(super) async fn resource(
        &self,
        caller: &Caller,
        uri: &str,
    ) -> Result<ReadResourceResult, ErrorData> {
        let unknown = |reason: String| {
            let data = serde_json::json!({ "uri": uri });
            ErrorData::resource_not_found(reason, Some(data))
        };
        let parts = uri.strip_prefix(SCHEME).and_then(|rest| rest.split_once("/artifacts/"));
        let Some((run, name)) = parts else {
            return Err(unknown(format!("there is no resource {uri:?}")));
        };
        let run: RunId = run.parse().map_err(|error| unknown(format!("{error}")))?;
        let artifact = self.shared.service.artifact(caller, &run, name).await;
        let (media_type, bytes) = artifact.map_err(|refusal| unknown(refusal.to_string()))?;
        let content =
            ResourceContents::blob(STANDARD.encode(bytes), uri).with_mime_type(media_type);
        Ok(ReadResourceResult::new(vec![content]))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "a refusal is mapped where it ends")]
fn internal(refusal: gateway::service::Refusal) -> ErrorData {
    ErrorData::internal_error(refusal.to_string(), None)
}
