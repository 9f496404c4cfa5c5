//! What runs left behind, as resources: `tidegate://runs/RUN/artifacts/NAME`; and skills: `tidegate://skills/NAME`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gateway::service::ids::RunId;
use gateway::service::store::RunFilter;
use gateway::service::{Caller, Of, Wanted};
use rmcp::ErrorData;
use rmcp::model::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};

use super::Mcp;

const SCHEME: &str = "tidegate://runs/";
const SKILLS: &str = "tidegate://skills/";

/// Members of a result's page at most.
const LARGEST_PAGE: usize = 10_000;
/// Bytes of a page: a model reads it.
const PAGE_BYTES: usize = 16 << 10;

/// Skills that are listed.
const MOST_SKILLS: usize = 200;

/// Runs whose files are listed.
const RECENT: u32 = 50;

/// The address of a run's file.
pub(super) fn artifact_uri(run: &RunId, name: &str) -> String {
    format!("{SCHEME}{run}/artifacts/{name}")
}

/// Whether an address is one of ours.
pub(super) fn is_own(uri: &str) -> bool {
    uri.starts_with(SCHEME) || uri.starts_with(SKILLS)
}

/// The kinds of addresses there are.
pub(super) fn templates() -> ListResourceTemplatesResult {
    let template = format!("{SCHEME}{{run_id}}/artifacts/{{name}}");
    let artifact = ResourceTemplate::new(template, "artifact")
        .with_description("A file that a program produced, such as a figure.");
    let template = format!("{SCHEME}{{run_id}}/result{{?pointer,offset,limit}}");
    let result = ResourceTemplate::new(template, "result")
        .with_description("What a program returned, page by page, also where its answer was cut.");
    let template = format!("{SCHEME}{{run_id}}/stdout{{?offset,limit}}");
    let printed = ResourceTemplate::new(template, "stdout")
        .with_description("What a program printed, page by page; stderr and error likewise.");
    let template = format!("{SKILLS}{{name}}");
    let skill = ResourceTemplate::new(template, "skill").with_description(
        "The source of a saved function; NAME_v1 is its first version. A program has it with `from skills import NAME`.",
    );
    ListResourceTemplatesResult::with_all_items(vec![artifact, result, printed, skill])
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
        // Where none are kept there are none.
        let skills = self.shared.service.skills(caller, "", MOST_SKILLS).unwrap_or_default();
        for skill in skills {
            let resource = Resource::new(format!("{SKILLS}{}", skill.name), skill.name)
                .with_description(skill.description)
                .with_mime_type("text/x-python");
            found.push(resource);
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
        if let Some(name) = uri.strip_prefix(SKILLS) {
            let found = self.shared.service.skill(caller, name, None);
            let (_, skill) = found.map_err(|refusal| unknown(refusal.to_string()))?;
            let content = ResourceContents::text(skill.source, uri).with_mime_type("text/x-python");
            return Ok(ReadResourceResult::new(vec![content]));
        }
        if let Some((run, of, query)) = uri.strip_prefix(SCHEME).and_then(result_of) {
            let run: RunId = run.parse().map_err(|error| unknown(format!("{error}")))?;
            let page = self.result_page(caller, &run, of, query).await.map_err(unknown)?;
            let content = ResourceContents::text(page, uri).with_mime_type("application/json");
            return Ok(ReadResourceResult::new(vec![content]));
        }
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

impl Mcp {
    /// A part of what a run returned, as JSON; or why not.
    async fn result_page(
        &self,
        caller: &Caller,
        run: &RunId,
        of: Of,
        query: &str,
    ) -> Result<String, String> {
        let mut page = (String::new(), 0_usize, None);
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            let number =
                || value.parse::<usize>().map_err(|_| format!("`{name}` must be a number"));
            match &*name {
                "pointer" => page.0 = value.into_owned(),
                "offset" => page.1 = number()?,
                "limit" => page.2 = Some(number()?.clamp(1, LARGEST_PAGE)),
                _ => {
                    return Err(format!(
                        "there is no `{name}`; there are pointer, offset and limit"
                    ));
                }
            }
        }
        let (pointer, offset, limit) = (page.0.as_str(), page.1, page.2);
        let wanted = Wanted { of, pointer, offset, limit, most: PAGE_BYTES };
        let found = self.shared.service.page(caller, run, &wanted).await;
        let found = found.map_err(|refusal| refusal.to_string())?;
        let (total, offset, value) = (found.total, found.offset, found.part.get());
        Ok(format!(r#"{{"total":{total},"offset":{offset},"value":{value}}}"#))
    }
}

/// The run whose result an address names, what of it, and which part of that.
fn result_of(address: &str) -> Option<(&str, Of, &str)> {
    let (run, rest) = address.split_once('/')?;
    let (of, query) = rest.split_once('?').unwrap_or((rest, ""));
    Some((run, of.parse().ok()?, query))
}

#[expect(clippy::needless_pass_by_value, reason = "a refusal is mapped where it ends")]
fn internal(refusal: gateway::service::Refusal) -> ErrorData {
    ErrorData::internal_error(refusal.to_string(), None)
}
