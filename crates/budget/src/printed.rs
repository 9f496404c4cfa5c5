//! Cuts plain text: the beginning and the end stay, and a line says what is missing.

use memchr::memchr_iter;

use crate::tokens;

/// Fewer tokens than this are not spent on words about what is missing.
const FEW: usize = 20;
/// Bytes of a token, at most, on average.
const MOST_BYTES: usize = 12;

/// A text of at most so many tokens. What is left out is said in its middle; where there is no room
/// for that, an ellipsis stands for its end.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    if tokens::text_fits(text, most) {
        return text.to_owned();
    }
    said(text, most, Whole::ends)
}

/// The beginning of a text in at most so many tokens, and what is left out after it.
pub(crate) fn started(text: &str, most: usize) -> String {
    if tokens::text_fits(text, most) {
        return text.to_owned();
    }
    said(text, most, Whole::start)
}

/// What `cut` gives of a text, with words about what is missing if there is room for them.
fn said<'t>(text: &'t str, most: usize, cut: impl Fn(&Whole<'t>, usize) -> String) -> String {
    let whole = Whole { letters: text.chars().count(), lines: lines(text), text };
    let cut = if most < FEW { None } else { longest(text, most, |keep| cut(&whole, keep)) };
    cut.unwrap_or_else(|| beginning(text, most))
}

/// The beginning of a text, with an ellipsis, in at most so many tokens; nothing where there are
/// none.
#[must_use]
pub fn beginning(text: &str, most: usize) -> String {
    if tokens::text_fits(text, most) {
        return text.to_owned();
    }
    let cut = longest(text, most, |keep| format!("{}…", &text[..floor(text, keep)]));
    cut.unwrap_or_default()
}

/// Texts that have at most so many tokens together. Each has its share of them, by its weight, and
/// what others leave; what is left at last is the first one's.
#[must_use]
pub fn together<const N: usize>(texts: [(&str, usize); N], most: usize) -> [String; N] {
    let mut cut = [const { None }; N];
    let (mut left, mut weights) = (most, texts.iter().map(|(_, weight)| weight).sum::<usize>());
    let share = |left: usize, weights: usize, weight: usize| left * weight / weights.max(1);
    loop {
        let fits = |at: &usize| {
            let (text, weight) = texts[*at];
            cut[*at].is_none() && tokens::text_fits(text, share(left, weights, weight))
        };
        let short = (0..N).find(fits);
        // When no more of them fit, the others are cut.
        let Some(at) = short.or_else(|| cut.iter().rposition(Option::is_none)) else { break };
        let (text, weight) = texts[at];
        let text = shortened(text, share(left, weights, weight));
        left -= tokens::count_text(&text);
        weights -= weight;
        cut[at] = Some(text);
    }
    cut.map(Option::unwrap_or_default)
}

/// The longest of what `cut` gives for a number of bytes that has at most so many tokens.
fn longest(text: &str, most: usize, cut: impl Fn(usize) -> String) -> Option<String> {
    let fitting = |keep| Some(cut(keep)).filter(|cut| tokens::text_fits(cut, most));
    let mut best = fitting(0)?;
    let (mut low, mut high) = (0, text.len().min(most * MOST_BYTES));
    while low + 1 < high {
        let keep = usize::midpoint(low, high);
        match fitting(keep) {
            Some(found) => (best, low) = (found, keep),
            None => high = keep,
        }
    }
    Some(best)
}

/// A text, and how much it is.
struct Whole<'t> {
    text: &'t str,
    letters: usize,
    lines: usize,
}

impl Whole<'_> {
    /// The beginning and the end, together about so many bytes, cut between lines where there are
    /// any near.
    fn ends(&self, keep: usize) -> String {
        let text = self.text;
        let head = before(text, keep * 2 / 3);
        self.around(head, after(text, text.len().saturating_sub(keep / 3).max(head)))
    }

    /// The beginning, about so many bytes.
    fn start(&self, keep: usize) -> String {
        self.around(before(self.text, keep), self.text.len())
    }

    /// What is before and after a gap, and what the gap has.
    fn around(&self, head: usize, tail: usize) -> String {
        let text = self.text;
        let (first, last) = (&text[..head], &text[tail..]);
        let left = self.letters - first.chars().count() - last.chars().count();
        let lines = self.lines - lines(first) - lines(last);
        let what = if lines > 1 { format!("{lines} lines, ") } else { String::new() };
        let end = if first.is_empty() || first.ends_with('\n') { "" } else { "\n" };
        format!("{first}{end}[... {what}{left} characters left out ...]\n{last}")
    }
}

fn lines(text: &str) -> usize {
    memchr_iter(b'\n', text.as_bytes()).count()
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

    #[test]
    fn what_leaves_no_room_for_words_ends_in_an_ellipsis() {
        let cut = shortened("raise ValueError('boom ' * 9000)", 6);
        assert!(cut.starts_with("raise ") && cut.ends_with('…'), "{cut}");
        assert!(tokens::count(&cut) <= 6);
        assert_eq!(shortened("a text", 0), "");
        let kind = beginning(&"X".repeat(200), 10);
        assert!(kind.ends_with("X…") && tokens::count(&kind) <= 10, "{kind}");
    }

    #[test]
    fn texts_together_use_what_they_have_and_none_vanishes() {
        let message = "boom ".repeat(9000);
        let line = "raise ValueError('boom ' * 9000)";
        let traceback = format!("Traceback:\n  line 1\nValueError: {message}");
        let texts = [(message.as_str(), 50), ("", 20), (&traceback, 15), (line, 15)];
        let [cut, hint, trace, shown] = together(texts, 70);
        assert_eq!((hint.as_str(), shown.as_str()), ("", line));
        assert!(cut.contains("characters left out") && cut.starts_with("boom boom"), "{cut}");
        assert!(trace.starts_with("Traceback") && trace.ends_with('…'), "{trace}");
        let used: usize = [cut, trace, shown].iter().map(|text| tokens::count(text)).sum();
        assert!((66..=70).contains(&used), "{used}");
    }

    #[test]
    fn texts_that_fit_together_stay() {
        assert_eq!(together([("one two three", 1), ("four", 9)], 5), ["one two three", "four"]);
    }
}
