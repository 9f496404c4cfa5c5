//! Shares the tokens of an answer between a value and what was printed.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::printed::started;
use crate::{Strategy, fit, shortened, tokens};

/// All that a run gave.
#[derive(Debug, Clone, Copy)]
pub struct Whole<'a> {
    /// Its value.
    pub value: &'a RawValue,
    /// What it printed.
    pub stdout: &'a str,
    /// What it wrote to standard error.
    pub stderr: &'a str,
}

/// What of it is shown.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The value.
    pub value: Box<RawValue>,
    /// What it printed.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// What was left out, if anything was.
    pub cut: Option<Cut>,
    /// Tokens of all three together.
    pub tokens: usize,
}

/// What was left out of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// Bytes of the whole value.
    pub value_bytes: u64,
    /// Bytes of all that was printed.
    pub printed_bytes: u64,
    /// Whether the value is less than all of it.
    pub value: bool,
    /// Whether what was printed is.
    pub printed: bool,
}

/// The most informative part of a run's answer, in at most `most` tokens.
///
/// The value has what printed text leaves it, and at least six tenths; standard error has at most
/// a tenth where all are too long.
#[must_use]
pub fn share(whole: &Whole<'_>, strategy: Strategy, most: usize) -> Shown {
    let Whole { value, stdout, stderr } = *whole;
    if strategy == Strategy::None {
        let printed = tokens::count_text(stdout) + tokens::count_text(stderr);
        let tokens = tokens::count(value.get()) + printed;
        return Shown {
            value: value.to_owned(),
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            cut: None,
            tokens,
        };
    }
    let small = |text: &str, most: usize| {
        if tokens::text_fits(text, most) { tokens::count_text(text) } else { most }
    };
    let errors = small(stderr, most / 10);
    let printed = small(stdout, most * 3 / 10);
    let fitted = fit(value, strategy, most - errors - printed);
    let mut rest = most - fitted.tokens;
    let shortened = if strategy == Strategy::Truncate { started } else { shortened };
    let stderr = shortened(stderr, errors.max(rest.saturating_sub(printed)));
    rest -= tokens::count_text(&stderr);
    let stdout = shortened(stdout, rest);
    let tokens = most - rest + tokens::count_text(&stdout);
    let printed_cut = stdout != whole.stdout || stderr != whole.stderr;
    let cut = (fitted.is_cut || printed_cut).then(|| Cut {
        value_bytes: value.get().len() as u64,
        printed_bytes: (whole.stdout.len() + whole.stderr.len()) as u64,
        value: fitted.is_cut,
        printed: printed_cut,
    });
    Shown { value: fitted.value, stdout, stderr, cut, tokens }
}
