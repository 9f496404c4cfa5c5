//! How large and how deep a program may be to be looked at.
//!
//! Everything after this recurses over the tree, so depth is bounded before there is one: from
//! the tokens, by what could possibly nest.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, lexer};

use crate::finding::Unchecked;

/// The longest program that is checked, in bytes.
pub(crate) const MOST_BYTES: usize = 256 << 10;
/// The most parts of a program that is checked; the longest one has fewer unless it is nothing but
/// signs.
pub(crate) const MOST_NODES: usize = 100_000;
/// How deep expressions may nest. CPython itself takes 200 brackets.
const DEEPEST_EXPRESSION: usize = 400;
/// How deep blocks may nest. CPython itself takes 100.
const DEEPEST_BLOCK: usize = 100;

/// Why a program is not looked at.
pub(crate) fn refused(source: &str) -> Option<Unchecked> {
    if source.len() > MOST_BYTES {
        return Some(Unchecked::TooLong);
    }
    is_too_deep(source).then_some(Unchecked::TooDeep)
}

fn is_too_deep(source: &str) -> bool {
    let mut lexer = lexer::lex(source, Mode::Module);
    // How much could nest since the last thing that ends it, for each open bracket.
    let mut open: Vec<usize> = vec![0];
    let mut nested = 0_usize;
    let mut blocks = 0_usize;
    loop {
        let kind = lexer.next_token();
        match kind {
            TokenKind::EndOfFile => return false,
            TokenKind::Indent => blocks += 1,
            TokenKind::Dedent => blocks = blocks.saturating_sub(1),
            TokenKind::Newline => {
                open.clear();
                open.push(0);
                nested = 0;
            }
            TokenKind::Lpar
            | TokenKind::Lsqb
            | TokenKind::Lbrace
            | TokenKind::FStringStart
            | TokenKind::TStringStart => {
                nested += 1;
                if let Some(count) = open.last_mut() {
                    *count += 1;
                }
                open.push(0);
            }
            TokenKind::Rpar
            | TokenKind::Rsqb
            | TokenKind::Rbrace
            | TokenKind::FStringEnd
            | TokenKind::TStringEnd => {
                // One that was never opened closes nothing.
                let inner = if open.len() > 1 { open.pop() } else { None };
                nested -= inner.unwrap_or_default();
            }
            TokenKind::Comma => {
                if let Some(count) = open.last_mut() {
                    nested -= std::mem::take(count);
                }
            }
            kind if deepens(kind) => {
                nested += 1;
                if let Some(count) = open.last_mut() {
                    *count += 1;
                }
            }
            _ => {}
        }
        if nested > DEEPEST_EXPRESSION || blocks > DEEPEST_BLOCK {
            return true;
        }
    }
}

fn deepens(kind: TokenKind) -> bool {
    kind.is_operator()
        || matches!(
            kind,
            TokenKind::If
                | TokenKind::Not
                | TokenKind::Lambda
                | TokenKind::Await
                | TokenKind::And
                | TokenKind::Or
                | TokenKind::Equal
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_as_they_are_written_are_not_too_deep() {
        let list = format!("x = [{}]\n", "-1, ".repeat(20_000));
        let lines = "y = a.b(c)[d] + 1\n".repeat(5_000);
        let table = format!("z = {{{}}}\n", "'a': {'b': [1, 2 + 3]}, ".repeat(3_000));
        assert_eq!(refused(&list), None);
        assert_eq!(refused(&lines), None);
        assert_eq!(refused(&table), None);
    }

    #[test]
    fn whatever_nests_is_noticed() {
        for part in [
            "(",
            "[",
            "{0:",
            "-",
            "not ",
            "a+",
            "a.b.",
            "lambda: ",
            "f(",
            "a if b else ",
            "await ",
            "f'{",
            "a=",
            "x(y)(",
        ] {
            assert_eq!(refused(&part.repeat(20_000)), Some(Unchecked::TooDeep), "{part}");
        }
        let blocks: Vec<String> =
            (0..300).map(|depth| format!("{}if x:", " ".repeat(depth))).collect();
        let blocks = blocks.join("\n");
        assert_eq!(refused(&blocks), Some(Unchecked::TooDeep));
    }
}
