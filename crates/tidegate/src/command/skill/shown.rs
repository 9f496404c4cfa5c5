//! Skills, for people and as JSON.

use anyhow::Context as _;
use gateway::skillset::SkillView;
use serde_json::json;
use skills::Answer;

use super::Bench;
use crate::exit::Ending;
use crate::out::{self, DIM, HINT, TITLE};
use crate::show;

/// Skills that are listed.
const MOST: usize = 1_000;
/// Letters of a description in a table.
const SHORT: usize = 60;

pub(super) fn list(bench: &Bench, words: &str, json: bool) -> anyhow::Result<Ending> {
    let (found, _) = bench.skillset.find(&bench.everybody(), words, MOST);
    let views: Vec<SkillView> =
        found.iter().map(|kept| SkillView::new(&bench.skillset, &bench.tools, kept)).collect();
    if json {
        out::line(json!(views)).context(show::LOST)?;
        return Ok(Ending::Success);
    }
    if views.is_empty() {
        out::tell(
            "no skills; a program saves one with save_skill(), `tidegate skill install starter` installs some",
        );
        return Ok(Ending::Success);
    }
    let mut table = show::table(["skill", "version", "scope", "uses", "what it does"]);
    for view in &views {
        let about: String =
            view.description.lines().next().unwrap_or_default().chars().take(SHORT).collect();
        let state = if view.stale.is_some() { "stale: " } else { "" };
        table.add_row([
            view.name.clone(),
            view.version.to_string(),
            out::clean(&view.scope).to_string(),
            view.uses.to_string(),
            format!("{state}{}", out::clean(&about)),
        ]);
    }
    out::line(table.trim_fmt()).context(show::LOST)?;
    Ok(Ending::Success)
}

pub(super) fn one(bench: &Bench, name: &str, json: bool) -> anyhow::Result<Ending> {
    let kept = bench.find(name)?;
    let view = SkillView::new(&bench.skillset, &bench.tools, &kept);
    let skill = &kept.skill;
    if json {
        let whole = json!({ "skill": view, "source": skill.source, "examples": skill.examples });
        out::line(whole).context(show::LOST)?;
        return Ok(Ending::Success);
    }
    let print = |line: String| out::line(line).context(show::LOST);
    print(format!("{TITLE}{}{TITLE:#}", out::clean(&view.signature)))?;
    print(out::clean(view.description.trim()).to_string())?;
    print(format!(
        "{DIM}version {} of {:?}, {}, by {}, uses: {}{DIM:#}",
        view.version,
        view.versions,
        out::clean(&view.scope),
        out::clean(&view.author),
        view.uses
    ))?;
    if let Some(why) = &view.stale {
        print(format!("{HINT}stale:{HINT:#} {}", out::clean(why)))?;
    }
    for used in &view.tools {
        print(format!("calls {}", out::clean(&used.tool)))?;
    }
    for (at, example) in skill.examples.iter().enumerate() {
        let expected = example.expect.as_ref().map_or("anything".to_owned(), ToString::to_string);
        let errors = example.results.iter().filter(|one| matches!(one.answer, Answer::Error(_)));
        print(format!(
            "example {}: {} gives {}; recorded calls: {}, of which failed: {}",
            at + 1,
            out::clean(&serde_json::Value::Object(example.arguments.clone()).to_string()),
            out::clean(&expected),
            example.results.len(),
            errors.count()
        ))?;
    }
    print(String::new())?;
    print(out::clean(skill.source.trim_end()).to_string())?;
    Ok(Ending::Success)
}
