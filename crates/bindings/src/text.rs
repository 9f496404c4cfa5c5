//! Other people's sentences, made safe to put into source code.
//!
//! Descriptions come from servers, so from attackers. What is dropped here is what a reader
//! cannot see: control characters, direction overrides, tag characters. What the target
//! language would take for syntax is escaped by whoever writes that language.

use std::fmt::Write as _;

/// What is left of a text after cleaning, with its lines kept, at most `limit` characters.
///
/// A longer one is cut after a sentence, a line or a word, and ends in `…`.
pub(crate) fn paragraph(text: &str, limit: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut length = 0;
    for line in text.lines() {
        let line = visible(line);
        if line.is_empty() && lines.last().is_none_or(String::is_empty) {
            continue;
        }
        length += line.chars().count() + 1;
        lines.push(line);
        if length > limit {
            break;
        }
    }
    let text = outdent(&lines).join("\n");
    cut(text.trim(), limit)
}

/// The text on one line, at most `limit` characters.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    // Nothing beyond this can be in the answer unless it is nearly all white space.
    let mut line = String::new();
    for word in text.split_whitespace() {
        let word = visible(word);
        if word.is_empty() {
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
        if line.len() > limit * 4 {
            break;
        }
    }
    cut(&line, limit)
}

/// The first sentence, on one line.
pub(crate) fn first_sentence(text: &str, limit: usize) -> String {
    let paragraph = text.trim_start().split("\n\n").next().unwrap_or_default();
    let line = one_line(paragraph, limit * 4);
    let end = line.find(". ").map_or(line.len(), |dot| dot + 1);
    cut(&line[..end], limit)
}

/// A character that a reader of the source would not see, or would see somewhere else.
pub(crate) fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            // Joiners between letters are part of how some scripts and emoji are written.
            | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// One line without what cannot be seen and without trailing space.
fn visible(line: &str) -> String {
    let mut clean = String::with_capacity(line.len());
    for character in line.chars() {
        match character {
            '\t' => clean.push_str("    "),
            character if is_hidden(character) => {}
            character => clean.push(character),
        }
    }
    clean.truncate(clean.trim_end().len());
    clean
}

/// Takes away the indentation that all lines but the first share: descriptions often are
/// somebody's docstring.
fn outdent(lines: &[String]) -> Vec<&str> {
    let spaces = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let rest = lines.get(1..).unwrap_or_default();
    let shared = rest.iter().filter(|line| !line.is_empty()).map(|line| spaces(line)).min();
    let shared = shared.unwrap_or(0);
    let first = lines.first().map(|line| line.trim_start());
    let rest = rest.iter().map(|line| line.get(shared..).unwrap_or_default());
    first.into_iter().chain(rest).collect()
}

/// At most `limit` characters, the last of them `…` when something is missing.
fn cut(text: &str, limit: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(limit) else { return text.to_owned() };
    let room = text[..end].char_indices().next_back().map_or(0, |(last, _)| last);
    let kept = &text[..room];
    // A good place to stop is worth a quarter of the text, a whole word an eighth.
    let sentence = kept.rfind(['\n', '.']).map(|at| at + 1).filter(|at| at * 4 >= room * 3);
    let word = || kept.rfind(' ').filter(|at| at * 8 >= room * 7);
    let stop = sentence.or_else(word).unwrap_or(room);
    let kept = kept[..stop].trim_end();
    if kept.ends_with('.') { format!("{kept} …") } else { format!("{kept}…") }
}

/// `prefix` before every line that is not empty.
pub(crate) fn indent(text: &str, prefix: &str) -> String {
    let mut out = String::with_capacity(text.len() + prefix.len() * 8);
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        if !line.is_empty() {
            let _ = write!(out, "{prefix}{line}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_dropped() {
        let text = "a\u{202e}b\u{0}c\u{e0041}\u{feff}\u{2028}d\u{7f}";
        assert_eq!(paragraph(text, 100), "abcd");
        assert_eq!(one_line(text, 100), "abc d");
    }

    #[test]
    fn the_indentation_of_a_docstring_goes_and_its_shape_stays() {
        let text = "Finds things.\n\n    Args:\n        x: a thing\r\n    \n\n\n    Done.  ";
        assert_eq!(paragraph(text, 100), "Finds things.\n\nArgs:\n    x: a thing\n\nDone.");
    }

    #[test]
    fn a_long_text_is_cut_at_a_sentence_or_a_word() {
        assert_eq!(paragraph("One two. Three four five", 11), "One two. …");
        assert_eq!(paragraph("wonderful words everywhere", 18), "wonderful words…");
        assert_eq!(paragraph(&"x".repeat(50), 10), format!("{}…", "x".repeat(9)));
        assert_eq!(one_line(&"é ".repeat(50), 5), "é é…");
        assert_eq!(one_line("", 5), "");
    }

    #[test]
    fn the_first_sentence_is_found() {
        let text = "Creates  an\nissue. Then\n\nmore";
        assert_eq!(first_sentence(text, 40), "Creates an issue.");
        assert_eq!(first_sentence("No end\n\nmore", 40), "No end");
    }
}
