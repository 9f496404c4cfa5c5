//! Code blocks in what a model says.

/// Blocks of one text that are found.
const MOST_BLOCKS: usize = 4;

/// A fenced block: what stands after the fence, and what is in it.
struct Block<'a> {
    tag: &'a str,
    code: String,
}

/// The programs in a text, in their order: blocks that say they are Python.
pub(crate) fn programs(text: &str) -> Vec<String> {
    let python = |block: &Block<'_>| ["python", "py", "python3"].contains(&block.tag);
    let found = blocks(text).into_iter().filter(python).map(|block| block.code);
    found.filter(|code| !code.trim().is_empty()).take(MOST_BLOCKS).collect()
}

/// The one program of a text that is to have one: the last that says it is Python, or else the last that
/// says nothing.
pub(crate) fn program(text: &str) -> Option<String> {
    let mut found = programs(text);
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
        let marks = bare.len() - bare.trim_start_matches('`').len();
        match &mut open {
            // A fence is closed by one that is at least as long and says nothing.
            Some((fence, _)) if marks >= fence.len() && bare.trim_end().len() == marks => {
                found.extend(open.take().map(|(_, block)| block));
            }
            Some((_, block)) => {
                block.code.push_str(line);
                block.code.push('\n');
            }
            None if marks >= 3 => {
                let tag = bare[marks..].split_whitespace().next().unwrap_or_default();
                open = Some((&bare[..marks], Block { tag, code: String::new() }));
            }
            None => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_say_they_are_python_are_found_in_order() {
        let text =
            "First\n```python\na = 1\n```\nthen\n```text\nno\n```\n  ```py\nreturn '```'\n```\n";
        assert_eq!(programs(text), ["a = 1\n", "return '```'\n"]);
        assert_eq!(program(text).as_deref(), Some("return '```'\n"));
    }

    #[test]
    fn a_block_that_never_ends_is_none() {
        assert_eq!(programs("```python\nreturn 1"), Vec::<String>::new());
        assert_eq!(program("no code at all"), None);
    }

    #[test]
    fn a_longer_fence_holds_shorter_ones() {
        assert_eq!(programs("````python\nx = '''\n```\n'''\n````"), ["x = '''\n```\n'''\n"]);
    }
}
