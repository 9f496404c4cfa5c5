//! What is no Python: where, and what it is instead.

use std::collections::HashSet;

use catalog::CatalogTool;
use ruff_python_ast::ModModule;
use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{ParseError, Parsed};
use ruff_text_size::{Ranged as _, TextRange};

use crate::finding::{Code, Mistake, Report, Severity, Weight, raises};
use crate::place::Lines;
use crate::typed::TypeChecker;

/// Of a program that is no Python at all, the first mistakes are enough.
const MOST_SYNTAX: usize = 3;
/// Tools whose use is shown,
const MOST_NAMED: usize = 3;
/// and the most bytes of it.
const LONGEST_NAMED: usize = 2_500;

/// What a text may be that is no Python.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Instead {
    Fenced,
    Notebook,
    Script,
    OneLine,
    Python,
}

impl Instead {
    fn of(code: &str) -> Self {
        let begins = |marks: &[&str]| {
            code.lines().any(|line| marks.iter().any(|mark| line.trim_start().starts_with(mark)))
        };
        if begins(&["```"]) {
            Self::Fenced
        } else if begins(SCRIPT) || code.contains("===") || code.contains(") => ") {
            Self::Script
        } else if begins(&["!", "%"]) {
            Self::Notebook
        } else if code.trim().lines().count() == 1 && code.contains("\\n") {
            Self::OneLine
        } else {
            Self::Python
        }
    }

    fn advice(self) -> &'static str {
        match self {
            Self::Fenced => "; send only Python code: one block, without Markdown",
            Self::Notebook => {
                "; lines that begin with ! or % belong to notebooks: there is no shell and no pip, and numpy, pandas, scipy, sklearn and matplotlib are there to import"
            }
            Self::OneLine => {
                "; the program is one line with `\\n` written out in it: send it with real line ends"
            }
            Self::Script | Self::Python => "",
        }
    }
}

/// How lines of JavaScript and TypeScript begin, and none of Python.
const SCRIPT: &[&str] = &[
    "const ",
    "let ",
    "var ",
    "import {",
    "import * as ",
    "async function ",
    "interface ",
    "} else",
    "//",
];

const NO_SCRIPT: &str = "this is JavaScript or TypeScript, and programs are written in Python: \
    `from servers.NAME import TOOL`, `r = await TOOL(argument=value)`, r[\"field\"], None, True, False, len(rows), [row for row in rows if ...]";

/// What is wrong with a text that is no Python, and how the tools are called that it names.
pub(crate) fn report(
    checker: &TypeChecker,
    parsed: &Parsed<ModModule>,
    code: &str,
    lines: &Lines<'_>,
) -> Report {
    let instead = Instead::of(code);
    let wrong = |error: &ParseError| (error.location, lower(&error.error.to_string()));
    let unclosed =
        unclosed(parsed).map(|range| (range, format!("`{}` is never closed", &code[range])));
    let errors: Vec<(TextRange, String)> = match (instead, unclosed) {
        // Where it stops being Python by chance is no news.
        (Instead::Script, _) => parsed.errors().iter().take(1).map(wrong).collect(),
        // Nor is what follows a bracket that is never closed.
        (_, Some(unclosed)) => vec![unclosed],
        (_, None) => parsed.errors().iter().take(MOST_SYNTAX).map(wrong).collect(),
    };
    let findings = errors.into_iter().map(|(range, words)| {
        let message = match instead {
            Instead::Script => NO_SCRIPT.to_owned(),
            _ => format!("this is no valid Python: {words}{}", instead.advice()),
        };
        let mistake = Mistake {
            range,
            code: Code::Syntax,
            weight: Weight::Always,
            message,
            valid: Vec::new(),
            nearest: None,
            raises: raises::NOTHING,
            usage: None,
        };
        lines.finding(Severity::Blocks, mistake)
    });
    let findings = findings.collect();
    Report { findings, usage: named(checker, code), ..Report::default() }
}

/// How the tools are called whose names occur in a text.
fn named(checker: &TypeChecker, code: &str) -> Option<String> {
    let words: HashSet<&str> =
        code.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
    let catalog = checker.catalog();
    let is_named = |tool: &&CatalogTool| {
        let spellings = [tool.python(), tool.typescript(), tool.name().0.as_str()];
        words.contains(tool.server_python()) && spellings.iter().any(|one| words.contains(one))
    };
    let usages = catalog.tools().filter(is_named).take(MOST_NAMED);
    let shown = usages.filter_map(|tool| checker.usage(tool)).collect::<Vec<_>>().join("\n");
    (!shown.is_empty() && shown.len() <= LONGEST_NAMED).then_some(shown)
}

/// The first bracket that is never closed.
fn unclosed(parsed: &Parsed<ModModule>) -> Option<TextRange> {
    let mut open = Vec::new();
    for token in parsed.tokens() {
        match token.kind() {
            TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace => open.push(token.range()),
            // One that closes nothing, or another, is told by the parser.
            TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace => drop(open.pop()?),
            _ => {}
        }
    }
    open.first().copied()
}

fn lower(message: &str) -> String {
    let mut letters = message.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => message.to_owned(),
    }
}
