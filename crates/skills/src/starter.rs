//! The skills that come with this program: small functions over rows and records, which call no tools.

use serde::Deserialize;

use crate::name::Name;
use crate::pack::{Pack, PackError};
use crate::skill::{Example, Skill};

/// Each by its name: its source, and what else is said of it.
const SKILLS: &[(&str, &str, &str)] = &[
    (
        "compare_records",
        include_str!("../starter/compare_records.py"),
        include_str!("../starter/compare_records.json"),
    ),
    (
        "find_duplicates",
        include_str!("../starter/find_duplicates.py"),
        include_str!("../starter/find_duplicates.json"),
    ),
    (
        "find_outliers",
        include_str!("../starter/find_outliers.py"),
        include_str!("../starter/find_outliers.json"),
    ),
    (
        "flatten_record",
        include_str!("../starter/flatten_record.py"),
        include_str!("../starter/flatten_record.json"),
    ),
    (
        "group_totals",
        include_str!("../starter/group_totals.py"),
        include_str!("../starter/group_totals.json"),
    ),
    (
        "join_records",
        include_str!("../starter/join_records.py"),
        include_str!("../starter/join_records.json"),
    ),
    (
        "markdown_table",
        include_str!("../starter/markdown_table.py"),
        include_str!("../starter/markdown_table.json"),
    ),
    (
        "parse_table",
        include_str!("../starter/parse_table.py"),
        include_str!("../starter/parse_table.json"),
    ),
    (
        "period_totals",
        include_str!("../starter/period_totals.py"),
        include_str!("../starter/period_totals.json"),
    ),
    ("top_rows", include_str!("../starter/top_rows.py"), include_str!("../starter/top_rows.json")),
];

/// What is said of a skill beside its source.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    description: String,
    signature: String,
    examples: Vec<Example>,
}

/// The pack of the skills that come with this program.
///
/// # Errors
/// Never, unless the program was built of broken parts.
pub fn starter() -> Result<Pack, PackError> {
    let mut all = Vec::new();
    for (name, source, said) in SKILLS {
        let broken = |problem: String| PackError::Malformed(format!("{name}: {problem}"));
        let said: Said = serde_json::from_str(said).map_err(|error| broken(error.to_string()))?;
        all.push(Skill {
            name: Name::new(name).map_err(|error| broken(error.to_string()))?,
            version: 0,
            description: said.description,
            signature: said.signature,
            source: (*source).to_owned(),
            tools: Vec::new(),
            examples: said.examples,
            author: "starter".to_owned(),
            saved: 0,
        });
    }
    let name = Name::new("starter").map_err(|error| PackError::Malformed(error.to_string()))?;
    let about = "Rows and records: sorting, grouping, comparing, joining, tables.";
    Pack::new((name, env!("CARGO_PKG_VERSION"), about), all, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_skills_come_with_the_program_each_with_examples() {
        let pack = starter().unwrap();
        assert_eq!(pack.skills.len(), 10);
        for skill in &pack.skills {
            skill.check().unwrap();
            assert!(!skill.examples.is_empty(), "{}", skill.name);
            assert!(skill.examples.iter().all(|example| example.expect.is_some()));
            assert!(skill.source.starts_with(&format!("def {}(", skill.name)));
        }
    }
}
