//! A program's text as names, texts and signs, whatever its language and whether or not it is whole.
//!
//! A parser knows more, of one language and of programs without mistakes. This is for a guess that
//! has to be quick: comments are gone, brackets join lines, and what stands in a formatted text is
//! read like the rest.

/// One piece of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'s> {
    Name(&'s str),
    /// What stands between quotes, as it is written.
    Text(&'s str),
    Sign(char),
    /// The end of a statement's line.
    Line,
}

impl<'s> Token<'s> {
    pub(super) fn name(&self) -> Option<&'s str> {
        match *self {
            Self::Name(name) => Some(name),
            _ => None,
        }
    }
}

/// Formatted texts within formatted texts that are read.
const DEEPEST: usize = 4;

/// The pieces of a program, in its order.
pub(super) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    read(source, 0, &mut found);
    found
}

fn read<'s>(source: &'s str, depth: usize, found: &mut Vec<Token<'s>>) {
    let mut rest = source;
    let mut open = 0_usize;
    while let Some(letter) = rest.chars().next() {
        let after = &rest[letter.len_utf8()..];
        if is_word(letter) {
            let end = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
            let (word, beyond) = rest.split_at(end);
            rest = if is_prefix(word) && beyond.starts_with(is_quote) {
                text(beyond, word.contains(['f', 'F', 't', 'T']), depth, found)
            } else {
                found.push(Token::Name(word));
                beyond
            };
            continue;
        }
        rest = match letter {
            '#' => after.find('\n').map_or("", |end| &after[end..]),
            '\\' => after.strip_prefix("\r\n").or(after.strip_prefix('\n')).unwrap_or(after),
            '\n' if open == 0 => {
                found.push(Token::Line);
                after
            }
            _ if is_quote(letter) => text(rest, letter == '`', depth, found),
            _ if letter.is_whitespace() => after,
            _ => {
                open = match letter {
                    '(' | '[' | '{' => open + 1,
                    ')' | ']' | '}' => open.saturating_sub(1),
                    _ => open,
                };
                found.push(Token::Sign(letter));
                after
            }
        };
    }
}

/// Reads the text that begins here, and says what comes after it.
fn text<'s>(
    rest: &'s str,
    is_formatted: bool,
    depth: usize,
    found: &mut Vec<Token<'s>>,
) -> &'s str {
    let single = &rest[..1];
    let mark = if rest[1..].starts_with(&single.repeat(2)) { &rest[..3] } else { single };
    let body = &rest[mark.len()..];
    let goes_on = mark.len() == 3 || single == "`";
    let mut escaped = false;
    let end = body.char_indices().find(|&(at, letter)| {
        if escaped {
            escaped = false;
            return false;
        }
        escaped = letter == '\\';
        body[at..].starts_with(mark) || letter == '\n' && !goes_on
    });
    let end = end.map_or(body.len(), |(at, _)| at);
    found.push(Token::Text(&body[..end]));
    if is_formatted && depth < DEEPEST {
        formatted(&body[..end], depth, found);
    }
    let after = &body[end..];
    after.strip_prefix(mark).unwrap_or(after)
}

/// Reads what stands in the braces of a formatted text.
fn formatted<'s>(text: &'s str, depth: usize, found: &mut Vec<Token<'s>>) {
    let mut parts = text.split('{');
    parts.next();
    for part in parts {
        found.push(Token::Sign('{'));
        read(part.split('}').next().unwrap_or_default(), depth + 1, found);
        found.push(Token::Sign('}'));
    }
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn is_quote(letter: char) -> bool {
    matches!(letter, '"' | '\'' | '`')
}

/// Letters that may stand before a text: `rb"…"`, `f"…"`.
fn is_prefix(word: &str) -> bool {
    word.len() <= 2 && word.chars().all(|letter| "rRbBuUfFtT".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::Token::{Line, Name, Sign, Text};
    use super::*;

    #[test]
    fn comments_are_gone_and_signs_in_texts_begin_none() {
        let source = "a = 'x # y' # it's\nb";
        assert_eq!(tokens(source), [Name("a"), Sign('='), Text("x # y"), Line, Name("b")]);
    }

    #[test]
    fn brackets_and_long_texts_join_lines() {
        assert_eq!(tokens("(a,\nb)"), [Sign('('), Name("a"), Sign(','), Name("b"), Sign(')')]);
        assert_eq!(tokens("'''a\n'b'''\nc"), [Text("a\n'b"), Line, Name("c")]);
        assert_eq!(tokens("a \\\n b"), [Name("a"), Name("b")]);
    }

    #[test]
    fn what_stands_in_a_formatted_text_is_read() {
        let found = tokens("f\"x {await servers.github.y('z')} {{\"");
        assert!(found.contains(&Name("servers")), "{found:?}");
        assert!(!tokens("\"{servers.github}\"").contains(&Name("servers")));
    }

    #[test]
    fn a_text_without_an_end_and_letters_of_any_kind_do_no_harm() {
        for source in ["'", "'''", "f'{", "`", "\\", "é'ü\\", "#", "f'{f\"{f`{'é'}`}\"}'", "{{{)"]
        {
            let _ = tokens(source);
        }
        assert_eq!(tokens("'a\nb"), [Text("a"), Line, Name("b")]);
    }
}
