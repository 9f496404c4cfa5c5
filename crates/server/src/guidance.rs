//! What agents are told about working through us: one text, with a version.

use std::borrow::Cow;

const OWN: &str = include_str!("../guidance/guidance.md");

/// What is added for those who can write programs in TypeScript.
pub(crate) const TYPESCRIPT: &str = include_str!("../guidance/typescript.md");

/// What is said before that to those who can write them in nothing else.
pub(crate) const TYPESCRIPT_ALONE: &str = include_str!("../guidance/typescript-alone.md");

/// The text for agents, ours or the operator's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guidance {
    /// Which text it is; stored with each run.
    pub version: String,
    /// The text, in Markdown.
    pub text: Cow<'static, str>,
}

impl Default for Guidance {
    fn default() -> Self {
        let (version, text) = split(OWN);
        Self { version: version.unwrap_or("1").to_owned(), text: Cow::Borrowed(text) }
    }
}

impl Guidance {
    /// A text of the operator's own. Without a version of its own it is called `custom`.
    #[must_use]
    pub fn custom(file: &str) -> Self {
        let (version, text) = split(file);
        let version = version.unwrap_or("custom").to_owned();
        Self { version, text: Cow::Owned(text.to_owned()) }
    }
}

/// What our own text says of the tool that searches, and what it says where that is none of the client's.
const SEARCHING: [(&str, &str); 2] = [
    (
        "`search_tools` finds those functions, also inside a program.",
        "Inside a program, the function `search_tools` finds them.",
    ),
    (
        "Search first: `search_tools(query=\"create issue\", detail_level=\"full\")`.",
        "Search first, in a program: `return search_tools(\"create issue\", \"full\")`.",
    ),
];

impl Guidance {
    /// The same for those who can search in programs only. A text of the operator's own stays as it is.
    #[must_use]
    pub fn without_search(&self) -> String {
        let told = |text: String, (with, without): &(&str, &str)| text.replace(with, without);
        SEARCHING.iter().fold(self.text.to_string(), told)
    }
}

/// A file that may begin with `---`, lines such as `version: 1`, and `---`.
fn split(file: &str) -> (Option<&str>, &str) {
    let front = file.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    let Some((front, text)) = front else { return (None, file.trim()) };
    let version = front.lines().find_map(|line| line.strip_prefix("version:"));
    (version.map(str::trim), text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_has_a_version_and_a_text_without_it() {
        let guidance = Guidance::default();
        assert_eq!(guidance.version, "5");
        assert!(guidance.text.starts_with("# Working through Tidegate"));
    }

    #[test]
    fn who_has_no_tool_to_search_with_is_told_to_search_in_programs() {
        let guidance = Guidance::default();
        for (with, without) in SEARCHING {
            assert!(guidance.text.contains(with), "{with}");
            let told = guidance.without_search();
            assert!(told.contains(without) && !told.contains(with), "{told}");
        }
    }

    #[test]
    fn a_text_without_a_version_is_custom() {
        let guidance = Guidance::custom("Only read.\n");
        assert_eq!((guidance.version.as_str(), &*guidance.text), ("custom", "Only read."));
    }
}
