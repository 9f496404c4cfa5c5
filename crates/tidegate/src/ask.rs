//! Questions to the user, answered on standard input.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _};

use anyhow::Context as _;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::exit::Misuse;
use crate::out;

/// The longest answer read.
const MOST_BYTES: u64 = 1 << 20;

/// Asks a question with two answers. `None` when nobody is there to answer.
pub(crate) fn yes_or_no(question: &str, usual: bool) -> anyhow::Result<Option<bool>> {
    let choices = if usual { "[Y/n]" } else { "[y/N]" };
    loop {
        out::prompt(format_args!("{question} {choices} "));
        let mut answer = String::new();
        let mut input = io::stdin().lock().take(MOST_BYTES);
        if input.read_line(&mut answer).context("could not read the answer from standard input")?
            == 0
        {
            return Ok(None);
        }
        match answer.trim().to_ascii_lowercase().as_str() {
            "" => return Ok(Some(usual)),
            "y" | "yes" => return Ok(Some(true)),
            "n" | "no" => return Ok(Some(false)),
            _ => out::tell("please answer y or n"),
        }
    }
}

/// Reads a secret: typed without being shown on a terminal, or whatever comes through a pipe,
/// without its last line break.
pub(crate) fn secret(question: &str) -> anyhow::Result<String> {
    let input = io::stdin();
    let mut text = String::new();
    if input.is_terminal() {
        out::prompt(format_args!("{question}: "));
        let hidden = Hidden::begin(&input)
            .context("could not hide what is typed; pipe the secret in instead")?;
        let read = input.lock().take(MOST_BYTES).read_line(&mut text);
        drop(hidden);
        // The line break was typed, not shown.
        out::tell("");
        read.context("could not read the secret from the terminal")?;
    } else {
        input
            .lock()
            .take(MOST_BYTES)
            .read_to_string(&mut text)
            .context("could not read the secret from standard input")?;
    }
    let secret = text.strip_suffix('\n').unwrap_or(&text);
    let secret = secret.strip_suffix('\r').unwrap_or(secret);
    if secret.is_empty() {
        return Err(Misuse::error("the secret is empty; nothing was stored"));
    }
    Ok(secret.to_owned())
}

/// A terminal that does not show what is typed, as long as it lives.
struct Hidden<'a> {
    terminal: &'a io::Stdin,
    before: Termios,
}

impl<'a> Hidden<'a> {
    fn begin(terminal: &'a io::Stdin) -> io::Result<Self> {
        let before = tcgetattr(terminal)?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO);
        tcsetattr(terminal, OptionalActions::Flush, &quiet)?;
        Ok(Self { terminal, before })
    }
}

impl Drop for Hidden<'_> {
    fn drop(&mut self) {
        // A terminal that went away needs nothing back.
        let _ = tcsetattr(self.terminal, OptionalActions::Flush, &self.before);
    }
}
