//! What a model reads of a run.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use budget::Strategy;
use engine::{Artifact, Language, ProgramError};
use gateway::service::ids::RunId;
use gateway::service::record::{Ended, Record};
use rmcp::model::{CallToolResult, ContentBlock, Resource};
use serde_json::{Value, json};

use super::resources;

/// Pictures up to this size are sent along; larger ones can be fetched.
const ENCLOSED: usize = 1 << 20;
/// And no more of them than have this size together.
const ALL_ENCLOSED: usize = 2 << 20;

/// How many of them a result has at most that may have many tokens, and for how many tokens there is one.
const MOST_ENCLOSED: usize = 8;
const TOKENS_FOR_ONE: usize = 500;

/// How many pictures a result of so many tokens has at most. What one costs, models say each in its own way; that there
/// are few keeps the whole in proportion.
fn pictures(most_tokens: usize) -> usize {
    most_tokens.div_ceil(TOKENS_FOR_ONE).clamp(1, MOST_ENCLOSED)
}

/// A run that ended, as the result of a tool.
/// Clients without `links` are told in words where larger files are.
pub(super) fn result(record: &Record, artifacts: &[Artifact], links: bool) -> CallToolResult {
    let Some(ended) = &record.ended else {
        return super::execute::failed(format!(
            "the gateway is stopping, and the run {} has not ended; it goes on at the next start. Do not repeat what it \
             does: the same code with resume_from=\"{0}\" gives its result then",
            record.id
        ));
    };
    let mut content = vec![ContentBlock::text(text(record, ended))];
    let most = record.answer.as_ref().map_or(MOST_ENCLOSED, |answer| pictures(answer.most));
    content.extend(files(&record.id, artifacts, (most, links)));
    let mut result = if ended.error.is_none() {
        CallToolResult::success(content)
    } else {
        CallToolResult::error(content)
    };
    result.structured_content = Some(structured(record, ended));
    if let Some(receipt) = &ended.receipt
        && let Ok(receipt) = serde_json::to_value(receipt)
    {
        let meta = result.meta.get_or_insert_default();
        meta.0.insert("tidegate/receipt".to_owned(), receipt);
    }
    result
}

/// What a run produced besides its value: pictures as far as they are small, and where the rest is.
fn files(run: &RunId, artifacts: &[Artifact], (most, links): (usize, bool)) -> Vec<ContentBlock> {
    let mut content = Vec::with_capacity(artifacts.len());
    let (mut enclosed, mut pictures) = (0, 0);
    for artifact in artifacts {
        let (name, bytes) = (&artifact.name, artifact.data.len());
        let is_small = artifact.media_type.starts_with("image/") && bytes <= ENCLOSED;
        if is_small && enclosed + bytes <= ALL_ENCLOSED && pictures < most {
            enclosed += bytes;
            pictures += 1;
            let data = STANDARD.encode(&artifact.data);
            content.push(ContentBlock::image(data, artifact.media_type.clone()));
            continue;
        }
        let uri = resources::artifact_uri(run, name);
        if is_small && pictures >= most {
            content.push(ContentBlock::text(format!(
                "{name} ({bytes} bytes) is left out, because one result has at most {most} pictures with this `max_output_tokens`; read the resource {uri}, or put several into one"
            )));
        } else if is_small {
            content.push(ContentBlock::text(format!(
                "{name} ({bytes} bytes) is left out, because the pictures of one result have at most {ALL_ENCLOSED} bytes together; read the resource {uri}, or make fewer or smaller pictures"
            )));
        } else if !links {
            content.push(ContentBlock::text(format!(
                "{name} ({bytes} bytes) can be read as the resource {uri}"
            )));
        }
        if links {
            content.push(ContentBlock::resource_link(link(run, artifact)));
        }
    }
    content
}

fn link(run: &RunId, artifact: &Artifact) -> Resource {
    let uri = resources::artifact_uri(run, &artifact.name);
    Resource::new(uri, artifact.name.clone()).with_mime_type(artifact.media_type.clone())
}

fn structured(record: &Record, ended: &Ended) -> Value {
    let (value, stdout, stderr) = shown(record, ended);
    // Python's texts may have half a letter, which JSON can write and few can read.
    let whole = || serde_json::from_slice(&upstream::whole_letters(value.as_bytes())?).ok();
    let value: Value = serde_json::from_str(value).ok().or_else(whole).unwrap_or_default();
    let mut all = json!({
        "success": ended.error.is_none(),
        "return_value": value,
        "stdout": stdout,
        "stderr": stderr,
        "error": error(record, ended),
        "session": record.session,
        "run_id": record.id,
    });
    if let Some(left) = left_out(record) {
        all["truncated"] = json!(left);
    }
    if let Some(receipt) = &ended.receipt {
        all["tokens_saved"] = json!(receipt.tokens_saved);
        all["tools_called"] = json!(receipt.tools_called);
    }
    all
}

/// Value and output as far as they fit.
fn shown<'r>(record: &'r Record, ended: &'r Ended) -> (&'r str, &'r str, &'r str) {
    match &record.answer {
        Some(answer) => {
            let shown = &answer.shown;
            (shown.value.get(), &shown.stdout, &shown.stderr)
        }
        None => (ended.return_value.get(), &ended.stdout, &ended.stderr),
    }
}

/// What was left out, and how to get at it.
fn left_out(record: &Record) -> Option<String> {
    let answer = record.answer.as_ref()?;
    let (id, most) = (&record.id, answer.most);
    let is_script = record.language == Language::TypeScript.name();
    let Some(cut) = answer.shown.cut.as_ref() else {
        return answer.is_error_cut.then(|| {
            format!("cut to {most} tokens. All of the error is in /results/{id}.error.json.")
        });
    };
    let mut said = match answer.strategy {
        Strategy::Summarize | Strategy::Schema => {
            format!("shown by `{}` in at most {most} tokens.", answer.strategy.name())
        }
        _ => format!("cut to {most} tokens."),
    };
    if cut.value {
        let bytes = cut.value_bytes;
        let _ = write!(
            said,
            " The value has {bytes} bytes; a program can read all of it: {}.",
            if is_script {
                format!("JSON.parse(await readFile(\"/results/{id}.json\"))")
            } else {
                format!("json.load(open(\"/results/{id}.json\"))")
            }
        );
        if answer.shown.value.get().contains("\"$columns\"") {
            let rows = if is_script { "an array of objects" } else { "a list of dicts" };
            let _ = write!(said, " There, what is shown as $columns and $rows is {rows}.");
        }
    }
    if cut.printed {
        let ended = record.ended.as_ref();
        let has = |of: fn(&Ended) -> &String| ended.is_some_and(|ended| !of(ended).is_empty());
        let files = [("stdout", has(|one| &one.stdout)), ("stderr", has(|one| &one.stderr))];
        let files = files.iter().filter(|(_, is_there)| *is_there);
        let files: Vec<String> =
            files.map(|(name, _)| format!("/results/{id}.{name}.txt")).collect();
        let _ = write!(said, " All that was printed is in {}.", files.join(" and "));
    }
    said.push_str(" Better: filter or aggregate first, and return less.");
    Some(said)
}

/// The value first, then what was printed, then how to go on.
fn text(record: &Record, ended: &Ended) -> String {
    let (returned, stdout, stderr) = shown(record, ended);
    let mut parts = Vec::new();
    match error(record, ended) {
        Some(error) => parts.push(failure(error)),
        None if returned == "null" => {}
        None => parts.push(value(returned)),
    }
    for (name, printed) in [("stdout", stdout), ("stderr", stderr)] {
        if !printed.trim().is_empty() {
            parts.push(format!("{name}:\n{}", printed.trim_end()));
        }
    }
    if let Some(note) = &ended.note {
        parts.push(format!("note: {note}"));
    }
    parts.extend(left_out(record));
    parts.push(format!("session: {}", record.session));
    parts.join("\n\n")
}

/// Why it failed, as far as that fits.
fn error<'r>(record: &'r Record, ended: &'r Ended) -> Option<&'r ProgramError> {
    match &record.answer {
        Some(answer) => answer.error.as_ref(),
        None => ended.error.as_ref(),
    }
}

/// Text as itself, anything else as JSON.
fn value(json: &str) -> String {
    serde_json::from_str::<String>(json).unwrap_or_else(|_| json.to_owned())
}

/// What went wrong, where, and what to do about it.
fn failure(error: &ProgramError) -> String {
    let place = match (error.line, error.column) {
        (Some(line), Some(column)) => format!(" at line {line}, column {column}"),
        (Some(line), None) => format!(" at line {line}"),
        _ => String::new(),
    };
    // The check's own words have the place of each finding.
    let mut text = if error.kind == "CheckError" {
        error.message.clone()
    } else {
        format!("{}{place}: {}", error.kind, error.message)
    };
    if let Some(source) = error.source_line.as_ref().filter(|_| error.kind != "CheckError") {
        text.push_str("\n    ");
        text.push_str(source.trim());
    }
    if let Some(traceback) = error.traceback.as_ref().filter(|text| text.lines().count() > 4) {
        text.push('\n');
        text.push_str(traceback.trim_end());
    }
    if let Some(hint) = &error.hint {
        text.push_str("\nhint: ");
        text.push_str(hint);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_sent_along_up_to_a_size_together_and_the_rest_is_named() {
        let run: RunId = "r_00000000000000000000000000000001".parse().unwrap();
        let picture = |number: usize, bytes: usize| Artifact {
            name: format!("figure-{number}.png"),
            media_type: "image/png".to_owned(),
            data: vec![7; bytes],
        };
        let made: Vec<Artifact> = (0..6).map(|number| picture(number, 700 << 10)).collect();
        for links in [true, false] {
            let content = files(&run, &made, (usize::MAX, links));
            let images: Vec<usize> = content
                .iter()
                .filter_map(|block| Some(STANDARD.decode(&block.as_image()?.data).unwrap().len()))
                .collect();
            assert!(images.len() == 2 && images.iter().sum::<usize>() <= ALL_ENCLOSED);
            let said: Vec<&str> =
                content.iter().filter_map(|block| Some(block.as_text()?.text.as_str())).collect();
            assert_eq!(said.len(), 4);
            for (number, said) in (2..).zip(said) {
                let uri = resources::artifact_uri(&run, &format!("figure-{number}.png"));
                assert!(said.contains(&uri) && said.contains("left out"), "{said}");
            }
            let linked = content.iter().filter(|block| block.as_resource_link().is_some());
            assert_eq!(linked.count(), if links { 4 } else { 0 });
        }
    }
}
