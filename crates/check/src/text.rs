//! The program in what a model sent: without fences and common indentation, as the guest reads it.
//!
//! Lines stay what they were, so a line number needs no translation; only a removed margin
//! moves columns. The rules are those of the guest's `program.py`.

use ruff_python_ast::PySourceType;
use ruff_python_parser::parse_unchecked_source;

const LANGUAGES: &[&str] = &["", "python", "python3", "py", "py3", "ipython", "tool_code"];

/// A program's text, ready to be parsed.
#[derive(Debug)]
pub(crate) struct Text {
    /// What is parsed. Lines that are not part of the program are empty.
    pub(crate) code: String,
    /// How many characters were removed at the beginning of every line.
    pub(crate) margin: u32,
    /// The lines as they were sent, for showing.
    pub(crate) lines: Vec<String>,
}

impl Text {
    pub(crate) fn of(source: &str) -> Self {
        let source = source.replace("\r\n", "\n").replace('\r', "\n");
        let source = source.strip_prefix('\u{feff}').unwrap_or(&source);
        let lines: Vec<String> = source.split('\n').map(str::to_owned).collect();
        if parses(source) {
            return Self { code: source.to_owned(), margin: 0, lines };
        }
        let block = unfenced(&lines).unwrap_or(0..lines.len());
        let (body, margin) = dedented(&lines[block.clone()]);
        let code = format!("{}{}", "\n".repeat(block.start), body.join("\n"));
        Self { code, margin, lines }
    }
}

fn parses(source: &str) -> bool {
    parse_unchecked_source(source, PySourceType::Python).has_valid_syntax()
}

/// The lines inside the one fence, if what is around it is no program.
fn unfenced(lines: &[String]) -> Option<std::ops::Range<usize>> {
    let opening = lines.iter().position(|line| fence(line).is_some())?;
    let (mark, language) = fence(&lines[opening])?;
    if !LANGUAGES.contains(&language.as_str()) {
        return None;
    }
    let closings: Vec<usize> =
        (opening + 1..lines.len()).filter(|at| closes(&lines[*at], &mark)).collect();
    let candidates = match closings[..] {
        [] => vec![lines.len()],
        [only] => vec![only],
        [first, .., last] => vec![last, first],
    };
    candidates.into_iter().find_map(|closing| {
        let block = opening + 1..closing;
        let several = closings.len() > 1;
        if several && !parses(&dedented(&lines[block.clone()]).0.join("\n")) {
            return None;
        }
        let after = lines.get(closing + 1..).unwrap_or_default();
        let more = after.iter().any(|line| fence(line).is_some());
        (!more && !is_program(&lines[..opening]) && !is_program(after)).then_some(block)
    })
}

/// The mark of a fence and the word after it.
fn fence(line: &str) -> Option<(String, String)> {
    let line = line.trim_start_matches([' ', '\t']);
    let letter = line.chars().next().filter(|letter| matches!(letter, '`' | '~'))?;
    let mark: String = line.chars().take_while(|one| *one == letter).collect();
    let rest = &line[mark.len()..];
    if mark.len() < 3 || rest.contains('`') {
        return None;
    }
    let word = rest.trim_matches(['{', '}', '.', ' ', '\t']).to_lowercase();
    Some((mark, word.split_whitespace().next().unwrap_or_default().to_owned()))
}

fn closes(line: &str, mark: &str) -> bool {
    let line = line.trim();
    line.len() >= mark.len() && line.chars().all(|letter| mark.starts_with(letter))
}

fn is_program(lines: &[String]) -> bool {
    let text = lines.join("\n");
    let parsed = parse_unchecked_source(&text, PySourceType::Python);
    parsed.has_valid_syntax() && !parsed.suite().is_empty()
}

/// The lines without the indentation that all of them have, if the first of them has any.
fn dedented(lines: &[String]) -> (Vec<String>, u32) {
    let is_blank = |line: &&String| line.trim().is_empty();
    let first = lines.iter().find(|line| !is_blank(line) && !line.trim_start().starts_with('#'));
    let indented = first.is_some_and(|line| line.starts_with([' ', '\t']));
    let indent = |line: &String| line.len() - line.trim_start_matches([' ', '\t']).len();
    let margin = lines.iter().filter(|line| !is_blank(line)).map(indent).min().unwrap_or(0);
    if !indented || margin == 0 {
        return (lines.to_vec(), 0);
    }
    let cut = |line: &String| line.get(margin..).unwrap_or_default().to_owned();
    (lines.iter().map(cut).collect(), u32::try_from(margin).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_and_its_words_are_left_out_and_lines_stay() {
        let text = Text::of("Here it is:\n\n```python\nx = 1\n```\nDone!");
        assert_eq!(text.code, "\n\n\nx = 1");
    }

    #[test]
    fn a_margin_is_removed_and_remembered() {
        let text = Text::of("    x = 1\n    if x:\n        y = 2\n");
        assert_eq!((text.code.as_str(), text.margin), ("x = 1\nif x:\n    y = 2\n", 4));
    }

    #[test]
    fn a_program_that_holds_a_fence_in_a_string_stays() {
        let source = "x = '''\n```python\n```\n'''\n";
        assert_eq!(Text::of(source).code, source);
    }
}
