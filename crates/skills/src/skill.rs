//! What a skill is, and how large one may be.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::name::Name;

/// The longest source, in bytes.
pub(crate) const MAX_SOURCE: usize = 64 << 10;
/// The longest description, in bytes.
const MAX_DESCRIPTION: usize = 4 << 10;
/// The longest first line, in bytes.
const MAX_SIGNATURE: usize = 4 << 10;
/// The most tools that one skill calls.
const MAX_TOOLS: usize = 64;
/// The most examples.
const MAX_EXAMPLES: usize = 20;
/// The most calls that one example records.
const MAX_CALLS: usize = 100;
/// The largest skill as it is written down, in bytes.
pub(crate) const MAX_STORED: usize = 2 << 20;

/// Why something is not a skill that can be kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SkillError {
    /// It is larger than what is kept of one skill.
    #[error("the {what} of a skill may have at most {allowed}, not {found}; {advice}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// How much there is.
        found: usize,
        /// How much there may be.
        allowed: usize,
        /// What to do about it.
        advice: &'static str,
    },
    /// Nobody could tell what it is for.
    #[error(
        "a skill needs a docstring or a description: one or two sentences that say what it returns"
    )]
    NoDescription,
}

/// A function worth keeping.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skill {
    /// What programs import.
    pub name: Name,
    /// Counts from 1; 0 before it was saved.
    pub version: u32,
    /// What it does, for whoever looks for one.
    pub description: String,
    /// The first line of the function, without `def`: `high_spenders(minimum: float = 100) -> list`.
    pub signature: String,
    /// The Python source that defines it.
    #[serde(default)]
    pub source: String,
    /// The tools it calls.
    #[serde(default)]
    pub tools: Vec<Used>,
    /// Calls whose results are known.
    #[serde(default)]
    pub examples: Vec<Example>,
    /// Who saved it, or the pack it came in.
    pub author: String,
    /// When it was saved, in seconds since 1970.
    pub saved: u64,
}

/// A tool that a skill calls, and what it was when the skill was saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Used {
    /// `server.tool`.
    pub tool: String,
    /// The fingerprint of its definition, if anybody knew it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

/// One call of a skill, what its tools answered, and what came out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// What the function was called with.
    #[serde(default, deserialize_with = "or_nothing")]
    pub arguments: Map<String, Value>,
    /// What its tools answered.
    #[serde(default, deserialize_with = "or_nothing")]
    pub results: Vec<Recorded>,
    /// What came out.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "given")]
    pub expect: Option<Value>,
}

/// A tool's answer to one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// `server.tool`.
    pub tool: String,
    /// What it was called with.
    #[serde(default)]
    pub arguments: Map<String, Value>,
    /// What it answered.
    #[serde(flatten)]
    pub answer: Answer,
}

/// What a tool said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// Its result.
    Result(Value),
    /// Its words for not having one.
    Error(String),
}

impl Skill {
    /// Whether it is small enough to be kept, and says what it is for.
    pub fn check(&self) -> Result<(), SkillError> {
        let at_most = |what, found: usize, allowed, advice| {
            if found > allowed {
                return Err(SkillError::TooLarge { what, found, allowed, advice });
            }
            Ok(())
        };
        if self.description.trim().is_empty() {
            return Err(SkillError::NoDescription);
        }
        at_most(
            "source bytes",
            self.source.len(),
            MAX_SOURCE,
            "keep one function and its helpers",
        )?;
        at_most("description bytes", self.description.len(), MAX_DESCRIPTION, "say it shorter")?;
        at_most("signature bytes", self.signature.len(), MAX_SIGNATURE, "take fewer parameters")?;
        at_most("tools", self.tools.len(), MAX_TOOLS, "make two skills of it")?;
        at_most("examples", self.examples.len(), MAX_EXAMPLES, "keep those that differ")?;
        for example in &self.examples {
            let advice = "choose arguments that need fewer calls";
            at_most("calls in one example", example.results.len(), MAX_CALLS, advice)?;
        }
        let bytes = serde_json::to_vec(self).map_or(usize::MAX, |bytes| bytes.len());
        let advice = "its examples record large results; choose arguments that give small ones";
        at_most("bytes with examples", bytes, MAX_STORED, advice)
    }
}

/// `null` is as good as saying nothing.
fn or_nothing<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// Tells an example that expects `None` from one that expects nothing in particular.
mod given {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};
    use serde_json::Value;

    #[expect(clippy::ref_option, reason = "serde gives it so")]
    pub(super) fn serialize<S: Serializer>(
        value: &Option<Value>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        value.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Value>, D::Error> {
        Value::deserialize(from).map(Some)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::json;

    use super::*;

    /// A skill that is fine.
    pub(crate) fn skill(name: &str) -> Skill {
        Skill {
            name: Name::new(name).unwrap(),
            version: 0,
            description: "Customers who spent more than a minimum.".to_owned(),
            signature: format!("{name}(minimum: float) -> list"),
            source: format!("def {name}(minimum):\n    return []\n"),
            tools: vec![Used { tool: "crm.list".to_owned(), fingerprint: Some("f1".to_owned()) }],
            examples: vec![Example {
                arguments: json!({ "minimum": 1 }).as_object().unwrap().clone(),
                results: vec![Recorded {
                    tool: "crm.list".to_owned(),
                    arguments: Map::new(),
                    answer: Answer::Result(json!([1, 2])),
                }],
                expect: Some(Value::Null),
            }],
            author: "ada".to_owned(),
            saved: 7,
        }
    }

    #[test]
    fn a_skill_comes_back_as_it_was_written() {
        let skill = skill("high_spenders");
        let text = serde_json::to_string(&skill).unwrap();
        assert_eq!(serde_json::from_str::<Skill>(&text).unwrap(), skill);
        let mut other = skill;
        other.examples[0].expect = None;
        other.examples[0].results[0].answer = Answer::Error("no such list".to_owned());
        let text = serde_json::to_string(&other).unwrap();
        assert_eq!(serde_json::from_str::<Skill>(&text).unwrap(), other);
    }

    #[test]
    fn what_is_too_large_is_refused_with_the_limit() {
        let mut large = skill("a");
        large.source = "#".repeat(MAX_SOURCE + 1);
        assert!(large.check().unwrap_err().to_string().contains("65536"));
        let mut many = skill("a");
        many.examples = vec![many.examples[0].clone(); 21];
        assert!(many.check().unwrap_err().to_string().contains("at most 20, not 21"));
        let mut heavy = skill("a");
        heavy.examples[0].expect = Some(Value::String("x".repeat(MAX_STORED)));
        assert!(heavy.check().unwrap_err().to_string().contains("examples record"));
        let mut silent = skill("a");
        silent.description = " ".to_owned();
        assert!(matches!(silent.check(), Err(SkillError::NoDescription)));
    }
}
