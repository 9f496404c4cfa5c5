//! Skills among the tools that a search finds, marked as such.

use catalog::ResolveError;
use skills::{Kept, Reader};

use super::{Tools, wanted};
use crate::finding::{Detail, Found, FoundTool, Search};
use crate::skillset::PACKAGE;

/// How a search marks a skill.
const SKILL: &str = "skill";
/// Of what is shown, one in so many may be a skill that fits only somewhat.
const SHARE: usize = 3;

impl Tools {
    /// What was found, with the skills that fit.
    pub(super) fn with_found_skills(
        &self,
        found: Result<Found, ResolveError>,
        asked: &Search,
        reader: &Reader,
    ) -> Result<Found, ResolveError> {
        let Some(skillset) = self.skillset() else { return found };
        let only = asked.server.as_deref().map(wanted::folded);
        let is_only_skills = only.as_deref() == Some(PACKAGE);
        if only.is_some() && !is_only_skills {
            return found;
        }
        let limit = asked.limit.max(1);
        let (kept, fitting) = skillset.find(reader, &asked.query, limit);
        let all = skillset.find(reader, "", 0).1;
        if all == 0 {
            return found;
        }
        let show = |kept: &Kept| shown(kept, asked.detail_level);
        if is_only_skills {
            let tools = kept.iter().map(show).collect();
            return Ok(Found { tools, matching: fitting, total: all, missing: Vec::new() });
        }
        let mut found = found?;
        found.matching += fitting;
        found.total += all;
        let (best, others): (Vec<_>, Vec<_>) =
            kept.iter().partition(|kept| says_all(kept, &asked.query));
        let Room { best: first, others: last } = room(limit, best.len(), found.tools.len());
        let others = others.into_iter().take(last).map(show).collect::<Vec<_>>();
        let best = best.into_iter().take(first).map(show).collect::<Vec<_>>();
        // A skill that says all that was asked for goes first, another one behind the tools.
        found.tools.truncate(limit - best.len() - others.len());
        drop(found.tools.splice(0..0, best));
        found.tools.extend(others);
        Ok(found)
    }
}

/// How many skills are shown before the tools and behind them.
struct Room {
    best: usize,
    others: usize,
}

/// Skills take no more than half of what is shown where there are tools, and one place at least is a tool's.
fn room(limit: usize, best: usize, tools: usize) -> Room {
    let most = if tools == 0 { limit } else { limit.div_ceil(2) };
    let best = best.min(most);
    let left = (limit - best).saturating_sub(tools.min(1));
    Room { best, others: (limit / SHARE).max(1).min(left) }
}

/// Whether a skill has every word that was asked for.
fn says_all(kept: &Kept, query: &str) -> bool {
    let text = format!("{} {}", kept.skill.name, kept.skill.description).to_lowercase();
    let query = query.to_lowercase();
    let mut words = query
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| word.len() > 2)
        .map(|word| word.strip_suffix('s').unwrap_or(word))
        .peekable();
    words.peek().is_some() && words.all(|word| text.contains(word))
}

/// What it does, and why it may no longer.
fn described(kept: &Kept) -> String {
    let about = &kept.skill.description;
    match &kept.state.stale {
        Some(why) => format!("{about}\nIt may be out of date: {why}"),
        None => about.clone(),
    }
}

fn shown(kept: &Kept, detail: Detail) -> FoundTool {
    FoundTool {
        name: kept.skill.name.to_string(),
        server: PACKAGE.to_owned(),
        kind: Some(SKILL),
        description: (detail != Detail::NameOnly).then(|| described(kept)),
        input_schema: None,
        signature: (detail == Detail::Full).then(|| kept.skill.signature.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skills_leave_room_for_tools() {
        let all = |limit, best, tools| {
            let Room { best, others } = room(limit, best, tools);
            (best, others)
        };
        assert_eq!(all(10, 0, 50), (0, 3));
        assert_eq!(all(10, 2, 50), (2, 3));
        assert_eq!(all(10, 30, 50), (5, 3));
        assert_eq!(all(10, 30, 0), (10, 0));
        assert_eq!(all(10, 4, 0), (4, 3));
        assert_eq!(all(1, 0, 50), (0, 0));
        assert_eq!(all(1, 3, 50), (1, 0));
        assert_eq!(all(2, 3, 50), (1, 0));
    }
}
