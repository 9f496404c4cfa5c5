//! Code blocks in what a model says.

use engine::Language;

/// Blocks of one text that are found.
const MOST_BLOCKS: usize = 4;

/// A fenced block: what stands after the fence, and what is in it.
struct Block<'a> {
    tag: &'a str,
    code: String,
}

/// The programs in a text, in their order: blocks that say they are in the language.
pub(crate) fn programs(text: &str, language: Language) -> Vec<String> {
    let is_one = |block: &Block<'_>| Language::of_tag(block.tag) == Some(language);
    let found = blocks(text).into_iter().filter(is_one).map(|block| block.code);
    found.filter(|code| !code.trim().is_empty()).take(MOST_BLOCKS).collect()
}

/// The one program of a text that is to have one: the last that says it is in the language, or else the last
/// that says nothing.
pub(crate) fn program(text: &str, language: Language) -> Option<String> {
    let mut found = programs(text, language);
    found.pop().or_else(|| {
        let untold = blocks(text).into_iter().filter(|block| block.tag.is_empty());
        untold.map(|block| block.code).rfind(|code| !code.trim().is_empty())
    })
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut open: Option<(&str, Block<'_>)> = None;
    for line in text.lines() {
        let bare = line.trim_start();
        let fence = fence_of(bare);
        let rest = &bare[fence.len()..];
        match &mut open {
            // A fence is closed by one of its kind that is at least as long and says nothing.
            Some((opened, _)) if fence.starts_with(*opened) && rest.trim().is_empty() => {
                found.extend(open.take().map(|(_, block)| block));
            }
            Some((_, block)) => {
                block.code.push_str(line);
                block.code.push('\n');
            }
            // What ends on its own line is a piece of a sentence.
            None if fence.len() >= 3 && !(fence.starts_with('`') && rest.contains('`')) => {
                open = Some((fence, Block { tag: tag_of(rest), code: String::new() }));
            }
            None => {}
        }
    }
    found
}

/// The marks that a line begins with, all of one kind.
fn fence_of(line: &str) -> &str {
    let Some(mark) = line.chars().next().filter(|mark| ['`', '~'].contains(mark)) else {
        return "";
    };
    &line[..line.len() - line.trim_start_matches(mark).len()]
}

/// The language that stands after a fence, also where it is written as `{python}` or `{.python}`.
fn tag_of(rest: &str) -> &str {
    let ends = |letter: char| letter.is_whitespace() || [',', '}'].contains(&letter);
    let tag = rest.trim_start().trim_start_matches(['{', '.']);
    tag.split(ends).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Language::{Python, TypeScript};

    #[test]
    fn a_block_of_another_language_is_not_the_program() {
        let text = "```python\nold = 1\n```\n```ts\nconst n = 1;\n```\n";
        assert_eq!(programs(text, TypeScript), ["const n = 1;\n"]);
        assert_eq!(programs(text, Python), ["old = 1\n"]);
        assert_eq!(programs("```javascript\n1\n```", TypeScript), ["1\n"]);
    }

    #[test]
    fn blocks_that_say_they_are_python_are_found_in_order() {
        let text =
            "First\n```python\na = 1\n```\nthen\n```text\nno\n```\n  ```py\nreturn '```'\n```\n";
        assert_eq!(programs(text, Python), ["a = 1\n", "return '```'\n"]);
        assert_eq!(program(text, Python).as_deref(), Some("return '```'\n"));
    }

    #[test]
    fn a_block_is_found_however_it_is_fenced_and_a_piece_of_a_sentence_is_none() {
        let text = "```pip install x```\nThen:\n```python\nreturn 1\n```\n";
        assert_eq!(programs(text, Python), ["return 1\n"]);
        assert_eq!(programs("~~~python\nx = '```'\n```\n~~~~\n", Python), ["x = '```'\n```\n"]);
        for tag in ["{python}", "{.python .numbered}", "{python, echo=FALSE}", " python title=`x`"]
        {
            let fence = if tag.contains('`') { "~~~" } else { "```" };
            let text = format!("{fence}{tag}\nreturn 2\n{fence}\n");
            assert_eq!(programs(&text, Python), ["return 2\n"], "{tag}");
        }
    }

    #[test]
    fn a_block_that_never_ends_is_none() {
        assert_eq!(programs("```python\nreturn 1", Python), Vec::<String>::new());
        assert_eq!(program("no code at all", Python), None);
    }

    #[test]
    fn a_longer_fence_holds_shorter_ones() {
        assert_eq!(
            programs("````python\nx = '''\n```\n'''\n````", Python),
            ["x = '''\n```\n'''\n"]
        );
    }
}
