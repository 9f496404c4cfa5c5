//! The files under `/skills`.
//!
//! `NAME.py` is the newest version and `NAME_v1.py` the first, `README.md` says what there is for whoever reads,
//! and `.index.json` the same for the guest.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use engine::Folder;
use serde_json::{Map, Value, json};
use skills::Kept;

/// The files of these skills and their older versions; `why` says of each why it may be out of date.
pub(super) fn folder(
    skills: &[Kept],
    older: &[Kept],
    why: &dyn Fn(&Kept) -> Option<String>,
) -> Folder {
    let mut files: BTreeMap<String, Arc<[u8]>> = BTreeMap::new();
    let mut index = Map::new();
    let mut readme =
        "# Skills\n\nFunctions that were saved: `from skills import NAME`.\n".to_owned();
    let newest = skills.iter().map(|kept| (kept, true));
    for (kept, is_newest) in older.iter().map(|kept| (kept, false)).chain(newest) {
        let (skill, stale) = (&kept.skill, why(kept));
        let numbered = format!("{}_v{}", skill.name, skill.version);
        let source: Arc<[u8]> = skill.source.as_bytes().into();
        let entry = json!({ "version": skill.version, "stale": stale });
        files.insert(format!("{numbered}.py"), Arc::clone(&source));
        index.insert(numbered, entry.clone());
        if !is_newest {
            continue;
        }
        files.insert(format!("{}.py", skill.name), source);
        index.insert(skill.name.to_string(), entry);
        // Writing to a text never fails.
        let _ = write!(
            readme,
            "\n## {}\n\n`{}`, version {}, {}\n\n{}\n",
            skill.name, skill.signature, skill.version, kept.scope, skill.description
        );
        if let Some(why) = &stale {
            let _ = writeln!(readme, "\nIt may be out of date: {why}");
        }
    }
    files.insert("README.md".to_owned(), readme.into_bytes().into());
    files.insert(".index.json".to_owned(), Value::Object(index).to_string().into_bytes().into());
    Folder::new(files)
}
