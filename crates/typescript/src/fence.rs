//! Markdown fences around a program, which models write out of habit.

use std::borrow::Cow;

const LANGUAGES: &[&str] = &["", "ts", "tsx", "typescript", "js", "javascript", "mjs", "mts"];

/// The text without a fence around all of it. The fence's lines stay as empty lines, so that
/// line numbers are those of the text as it was sent.
pub(crate) fn removed(text: &str) -> Cow<'_, str> {
    let lines: Vec<&str> = text.split('\n').collect();
    let filled = |line: &&str| !line.trim().is_empty();
    let (Some(first), Some(last)) = (lines.iter().position(filled), lines.iter().rposition(filled))
    else {
        return Cow::Borrowed(text);
    };
    let opens = lines[first].trim().strip_prefix("```");
    let opens = opens
        .is_some_and(|language| LANGUAGES.contains(&language.trim().to_ascii_lowercase().as_str()));
    if !opens || first == last {
        return Cow::Borrowed(text);
    }
    let closes = lines[last].trim() == "```";
    let kept = |(number, line): (usize, &&str)| {
        let is_fence = number == first || closes && number == last;
        if is_fence { String::new() } else { (*line).to_owned() }
    };
    Cow::Owned(lines.iter().enumerate().map(kept).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::removed;

    #[test]
    fn a_fence_goes_and_its_lines_stay() {
        assert_eq!(removed("```ts\nlet a = 1\n```\n"), "\nlet a = 1\n\n");
        assert_eq!(removed("```\nlet a = 1"), "\nlet a = 1");
    }

    #[test]
    fn what_is_no_fence_is_left_alone() {
        for text in ["", "```", "const a = `\n```ts\nx\n```\n`", "```python\nprint()\n```"] {
            assert_eq!(removed(text), text);
        }
    }
}
