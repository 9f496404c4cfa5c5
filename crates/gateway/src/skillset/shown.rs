//! The files under `/skills`.
//!
//! `NAME.py` is the newest version and `NAME_v1.py` the first, `README.md` says what there is for whoever reads,
//! and `.index.json` the same for the guest. Skills are Python; programs in TypeScript have `NAME.ts` besides, whose
//! function runs the skill in a program of its own.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use engine::{Folder, Language, is_variable_of};
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

/// The files of skills as programs in TypeScript see them: `python` are those that there are.
pub(super) fn in_typescript(python: &Folder, skills: &[Kept]) -> Folder {
    let mut files = python.files().clone();
    let mut index = String::new();
    let mut readme = "# Skills\n\nFunctions that were saved: `import { NAME } from \"skills\"`. They are Python: each call runs in a program of its own, \
                      with its arguments by name, `await NAME({ argument: 1 })`.\n"
        .to_owned();
    // Python has names that TypeScript keeps for itself.
    let nameable =
        |kept: &&Kept| is_variable_of(Language::TypeScript, &kept.skill.name.to_string());
    for kept in skills.iter().filter(nameable) {
        let (skill, name) = (&kept.skill, kept.skill.name.to_string());
        files.insert(format!("{name}.ts"), called(&name, &skill.description).into_bytes().into());
        // Writing to a text never fails.
        let _ = writeln!(index, "export {{ {name} }} from \"./{name}.ts\";");
        let _ = write!(
            readme,
            "\n## {name}\n\n`{}`, version {}, {}\n\n{}\n",
            skill.signature, skill.version, kept.scope, skill.description
        );
    }
    files.insert("index.ts".to_owned(), index.into_bytes().into());
    files.insert("README.md".to_owned(), readme.into_bytes().into());
    Folder::new(files)
}

/// A function that runs a skill. Its name is one that programs import, its description anything.
fn called(name: &str, description: &str) -> String {
    let said = description.replace("*/", "*\\/").replace('\n', "\n * ");
    let program = format!(
        "import inspect\nfrom skills import {name}\nvalue = {name}(**given)\nreturn await value if inspect.isawaitable(value) else value"
    );
    let program = Value::String(program);
    format!(
        "import {{ spawn }} from \"tidegate\";\n\n/**\n * {said}\n */\n\
         export async function {name}(given: Record<string, unknown> = {{}}): Promise<any> {{\n  \
         return await spawn({program}, {{ given }}, {{ language: \"python\" }});\n}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::called;

    #[test]
    fn a_description_cannot_end_the_comment_it_stands_in() {
        let source = called("double", "Doubles.\n*/ throw 1; /*");
        assert!(source.contains("Doubles.\n * *\\/ throw 1; /*\n */\n"), "{source}");
        assert!(source.contains(r"from skills import double\nvalue = double(**given)"), "{source}");
    }
}
