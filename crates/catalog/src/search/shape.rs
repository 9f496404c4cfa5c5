//! What a model writes into a search, as what it means.
//!
//! Some write two words, some a whole task with file names, and some wrap what they want:
//!
//! ```text
//! <tool_assistant>
//! server: file system
//! tool: save a report to /tmp/report.md, then mail it
//! </tool_assistant>
//! ```
//!
//! Out of this comes what is wanted (`save a report to markdown file, then mail it`), what is
//! said about the server (`file system`), and the steps: `save a report to markdown file`, `mail it`.
//! Tools are found for the whole and for the step that fits them best, so that a long task does
//! not only find tools that have a little to do with all of it.

use super::fields::cut;

/// How many characters of a query are read.
pub(super) const LONGEST: usize = 4000;
/// How many steps are told apart.
const STEPS: usize = 16;

const SERVER: [&str; 4] = ["server", "server_name", "service", "platform"];
const TOOL: [&str; 8] =
    ["tool", "tool_name", "function", "action", "capability", "query", "task", "description"];

/// What the ending of a file's name says about the file.
const ENDINGS: &[(&str, &str)] = &[
    ("csv", "csv spreadsheet"),
    ("db", "database"),
    ("doc", "word document"),
    ("docx", "word document"),
    ("gif", "image"),
    ("html", "html page"),
    ("jpeg", "image"),
    ("jpg", "image"),
    ("js", "javascript code"),
    ("json", "json"),
    ("md", "markdown"),
    ("mp3", "audio"),
    ("mp4", "video"),
    ("pdf", "pdf document"),
    ("png", "image"),
    ("ppt", "powerpoint presentation slide"),
    ("pptx", "powerpoint presentation slide"),
    ("py", "python code"),
    ("rs", "rust code"),
    ("sql", "sql database"),
    ("sqlite", "sqlite database"),
    ("svg", "image"),
    ("tex", "latex document"),
    ("ts", "typescript code"),
    ("txt", "text"),
    ("wav", "audio"),
    ("xls", "excel spreadsheet"),
    ("xlsx", "excel spreadsheet"),
    ("xml", "xml"),
    ("yaml", "yaml"),
    ("yml", "yaml"),
    ("zip", "archive"),
];

/// A query, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Shaped {
    /// What is wanted, exactly as written.
    pub(super) raw: String,
    /// What is wanted, with words in place of paths and addresses.
    pub(super) wanted: String,
    /// What is said about the server.
    pub(super) server: String,
    /// The steps of `wanted`; none when it is only one.
    pub(super) steps: Vec<String>,
}

impl Shaped {
    pub(super) fn new(text: &str) -> Self {
        let text = without_tags(cut(text, LONGEST));
        let (server, raw) = labelled(&text);
        let wanted: Vec<String> = raw.split_whitespace().map(described).collect();
        let wanted = wanted.join(" ");
        let mut steps = steps(&wanted);
        if steps.len() < 2 {
            steps.clear();
        }
        Self { raw, wanted, server, steps }
    }

    /// What to embed.
    pub(super) fn sentence(&self) -> String {
        match (self.server.as_str(), self.wanted.as_str()) {
            ("", wanted) => wanted.to_owned(),
            (server, "") => server.to_owned(),
            (server, wanted) => format!("{server}: {wanted}"),
        }
    }
}

/// The text with a line break in place of every tag. A `<` that opens no tag stays.
fn without_tags(text: &str) -> String {
    const LONGEST_TAG: usize = 60;
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        kept.push_str(&rest[..at]);
        let tag = &rest[at + 1..];
        let is_name =
            |character: char| character.is_ascii_alphanumeric() || "_-/ :=\"'".contains(character);
        let opens = tag.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/');
        match tag.find('>').filter(|end| opens && *end <= LONGEST_TAG) {
            Some(end) if tag[..end].chars().all(is_name) => {
                kept.push('\n');
                rest = &tag[end + 1..];
            }
            _ => {
                kept.push('<');
                rest = tag;
            }
        }
    }
    kept.push_str(rest);
    kept
}

/// What is said about the server, and everything else. Without a label all of it is wanted.
fn labelled(text: &str) -> (String, String) {
    let (mut server, mut wanted) = (Vec::new(), Vec::new());
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let bare = line.trim_start_matches(['-', '*', '{', '"', '\'', ' ']);
        let label = bare.split_once(':').map(|(label, rest)| {
            (label.trim_matches(['"', '\'', '*', ' ']).to_ascii_lowercase(), rest.trim())
        });
        match label {
            Some((label, rest)) if SERVER.contains(&label.as_str()) => server.push(rest),
            Some((label, rest)) if TOOL.contains(&label.as_str()) => wanted.push(rest),
            _ => wanted.push(line),
        }
    }
    if wanted.iter().all(|line| line.is_empty()) {
        return (String::new(), server.join("\n"));
    }
    (server.join("\n"), wanted.join("\n"))
}

/// A word as it is, a path or an address as what it is.
fn described(word: &str) -> String {
    let core = word.trim_matches(|character: char| {
        !character.is_alphanumeric() && !"/~\\.".contains(character)
    });
    let core = core.trim_end_matches('.');
    let after = word.rfind(core).map_or("", |at| &word[at + core.len()..]);
    let known = if let Some(address) =
        core.strip_prefix("https://").or_else(|| core.strip_prefix("http://"))
    {
        format!("url {}", host(address))
    } else if is_path(core) {
        match ending(core) {
            Some((_, ending)) => format!("{} file", about(ending).unwrap_or(ending)),
            None => "directory".to_owned(),
        }
    } else if let Some((_, ending)) = ending(core)
        && let Some(about) = about(ending)
    {
        format!("{about} file")
    } else {
        return word.to_owned();
    };
    // What ends a step stays at its end.
    let stop: String = after.chars().filter(|character| ",;.!?".contains(*character)).collect();
    known + &stop
}

/// The words in the host of an address that may name a service.
fn host(address: &str) -> String {
    let host = address.split(['/', ':', '?', '#']).next().unwrap_or_default();
    let words: Vec<&str> = host
        .split('.')
        .filter(|word| word.len() > 2 && !["www", "com", "org", "net", "api"].contains(word))
        .collect();
    words.join(" ")
}

fn is_path(word: &str) -> bool {
    let rooted = ["/", "~/", "./", "../"].iter().any(|start| word.starts_with(start));
    let separators = word.matches(['/', '\\']).count();
    word.len() > 2
        && ((rooted && word.len() > 3)
            || word.contains(":\\")
            || (separators >= 2 && ending(word).is_some()))
}

/// The name and the ending of a file.
fn ending(path: &str) -> Option<(&str, &str)> {
    let file = path.rsplit(['/', '\\']).next()?;
    let (name, ending) = file.rsplit_once('.')?;
    let fits = (1..=6).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && !name.is_empty();
    fits.then_some((name, ending))
}

fn about(ending: &str) -> Option<&'static str> {
    let ending = ending.to_ascii_lowercase();
    ENDINGS
        .binary_search_by(|(known, _)| known.cmp(&ending.as_str()))
        .ok()
        .map(|found| ENDINGS[found].1)
}

/// The parts of a text that ask for one thing each.
fn steps(text: &str) -> Vec<String> {
    let mut steps = vec![String::new()];
    for word in text.split_inclusive(char::is_whitespace) {
        let bare = word.trim_matches(|character: char| !character.is_alphanumeric());
        if ["and", "or", "then", "also", "including"]
            .iter()
            .any(|one| bare.eq_ignore_ascii_case(one))
        {
            steps.push(String::new());
            continue;
        }
        let word_end = word.trim_end();
        for (at, character) in word.char_indices() {
            let ends = match character {
                ',' | '+' | '|' | '，' | '、' | '。' | '；' | '！' | '？' => true,
                '.' | ';' | '!' | '?' => at + character.len_utf8() == word_end.len(),
                _ => false,
            };
            if ends {
                steps.push(String::new());
            } else if let Some(step) = steps.last_mut() {
                step.push(character);
            }
        }
    }
    let mut steps: Vec<String> = steps.iter().map(|step| step.trim().to_owned()).collect();
    steps.retain(|step| step.chars().any(char::is_alphanumeric));
    steps.truncate(STEPS);
    steps
}

#[cfg(test)]
mod tests {
    use super::{ENDINGS, Shaped};

    #[test]
    fn endings_are_sorted_so_that_they_are_found() {
        assert!(ENDINGS.is_sorted());
    }

    #[test]
    fn tags_and_labels_are_not_part_of_what_is_wanted() {
        insta::assert_snapshot!(
            shown("<tool_assistant>\nserver: file system\ntool: write a file + make a folder\n</tool_assistant>"),
            @"file system | write a file + make a folder | write a file / make a folder"
        );
        insta::assert_snapshot!(shown("**Tool**: list pods"), @"| list pods |");
        insta::assert_snapshot!(shown("server: github"), @"| github |");
    }

    #[test]
    fn paths_and_addresses_become_what_they_are() {
        insta::assert_snapshot!(
            shown("Plot /data/sales.xlsx, save it in out/figs/sale.png or ~/figs. See https://www.example.com/a?b=c."),
            @"| Plot excel spreadsheet file, save it in image file or directory. See url example. | Plot excel spreadsheet file / save it in image file / directory / See url example"
        );
    }

    #[test]
    fn what_only_looks_like_a_path_or_a_tag_stays() {
        insta::assert_snapshot!(shown("vercel/ai a < b and/or c > d v1.2 x"), @"| vercel/ai a < b and/or c > d v1.2 x |");
    }

    fn shown(text: &str) -> String {
        let shaped = Shaped::new(text);
        format!("{} | {} | {}", shaped.server, shaped.wanted, shaped.steps.join(" / "))
            .trim()
            .to_owned()
    }
}
