//! Cuts plain text: the beginning and the end stay, and a line says what is missing.

use crate::tokens;

/// A text of at most so many tokens. What is left out is said in its middle.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    if tokens::fits(text, most) {
        return text.to_owned();
    }
    // Start from what usually fits, and take less until it does.
    let mut keep = text.len().min(most * 4);
    loop {
        let cut = ends(text, keep);
        if tokens::fits(&cut, most) {
            return cut;
        }
        if keep == 0 {
            // Not even the words about what is missing fit.
            return String::new();
        }
        keep = keep * 4 / 5;
    }
}

/// The beginning and the end of a text, together about so many bytes, cut between lines where
/// there are any near.
fn ends(text: &str, keep: usize) -> String {
    let head = before(text, keep * 2 / 3);
    let tail = after(text, text.len().saturating_sub(keep / 3).max(head));
    let left = text[head..tail].chars().count();
    let lines = text[head..tail].matches('\n').count();
    let what = if lines > 1 { format!("{lines} lines, ") } else { String::new() };
    let (first, last) = (&text[..head], &text[tail..]);
    let first = if first.is_empty() || first.ends_with('\n') {
        first.to_owned()
    } else {
        format!("{first}\n")
    };
    format!("{first}[... {what}{left} characters left out ...]\n{last}")
}

/// A place to cut at, not after `at`.
fn before(text: &str, at: usize) -> usize {
    let at = floor(text, at);
    match text[..at].rfind('\n') {
        Some(line) if line + 1 > at / 2 => line + 1,
        _ => at,
    }
}

/// A place to cut at, not before `at`.
fn after(text: &str, at: usize) -> usize {
    let at = ceil(text, at);
    match text[at..].find('\n') {
        Some(line) if at + line + 1 < at + (text.len() - at) / 2 => at + line + 1,
        _ => at,
    }
}

/// The nearest place between two letters, not after `at`.
pub(crate) fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The nearest place between two letters, not before `at`.
pub(crate) fn ceil(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_stays() {
        assert_eq!(shortened("one\ntwo\n", 50), "one\ntwo\n");
    }

    #[test]
    fn a_long_text_keeps_its_ends() {
        let lines: Vec<String> = (0..1000).map(|line| format!("line {line}\n")).collect();
        let text = lines.concat();
        let cut = shortened(&text, 100);
        assert!(cut.starts_with("line 0\nline 1\n"), "{cut}");
        assert!(cut.ends_with("line 999\n"), "{cut}");
        assert!(cut.contains(" characters left out"), "{cut}");
        assert!(tokens::count(&cut) <= 100);
    }
}
