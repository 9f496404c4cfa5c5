//! Where lines come from: a prompt with history, or standard input as it is.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, IsTerminal as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use engine::Language;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use super::input::Scan;
use crate::config::Config;
use crate::{interrupt, out};

const FIRST: &str = ">>> ";
const MORE: &str = "... ";

/// What was typed.
pub(super) enum Typed {
    /// A whole program.
    Program(String),
    /// A blank line, or one that was given up.
    Nothing,
    /// The end of input.
    End,
}

/// Reads programs line by line.
pub(super) struct Lines {
    prompt: Option<Prompt>,
    language: Language,
}

struct Prompt {
    editor: DefaultEditor,
    history: PathBuf,
}

/// One line.
enum Line {
    Text(String),
    GivenUp,
    End,
}

impl Lines {
    /// A prompt if there is somebody to prompt.
    pub(super) fn open(config: &Config, language: Language) -> anyhow::Result<Self> {
        if !io::stdin().is_terminal() {
            return Ok(Self { prompt: None, language });
        }
        let mut editor = DefaultEditor::new().context(
            "could not use the terminal; pipe the program into `tidegate repl` or `tidegate run -`",
        )?;
        let history = history_file(&config.data()?);
        // A history that cannot be read is no reason not to start.
        let _ = editor.load_history(&history);
        Ok(Self { prompt: Some(Prompt { editor, history }), language })
    }

    /// Whether somebody types.
    pub(super) fn is_terminal(&self) -> bool {
        self.prompt.is_some()
    }

    /// Reads until a program is complete.
    pub(super) async fn program(&mut self) -> anyhow::Result<Typed> {
        let mut source = String::new();
        loop {
            match self.line(source.is_empty()).await? {
                Line::GivenUp => return Ok(Typed::Nothing),
                Line::End if source.trim().is_empty() => return Ok(Typed::End),
                // What was begun before the end is run; the next look finds the end again.
                Line::End => break,
                Line::Text(line) => {
                    source.push_str(&line);
                    source.push('\n');
                }
            }
            if Scan::of(self.language, &source).is_complete {
                break;
            }
        }
        if source.trim().is_empty() {
            return Ok(Typed::Nothing);
        }
        if let Some(prompt) = &mut self.prompt {
            prompt.remember(source.trim_end());
        }
        Ok(Typed::Program(source))
    }

    async fn line(&mut self, is_first: bool) -> anyhow::Result<Line> {
        match &mut self.prompt {
            Some(prompt) => prompt.line(if is_first { FIRST } else { MORE }),
            None => piped_line().await,
        }
    }
}

impl Prompt {
    fn line(&mut self, prompt: &str) -> anyhow::Result<Line> {
        match self.editor.readline(prompt) {
            Ok(line) => Ok(Line::Text(line)),
            Err(ReadlineError::Interrupted) => Ok(Line::GivenUp),
            Err(ReadlineError::Eof) => Ok(Line::End),
            Err(error) => Err(error).context("could not read from the terminal"),
        }
    }

    /// Losing a line of history is not worth a message.
    fn remember(&mut self, source: &str) {
        let _ = self.editor.add_history_entry(source);
        let _ = self.editor.append_history(&self.history);
    }
}

/// A line of standard input. Ctrl-C meanwhile ends the process: a read cannot be stopped.
async fn piped_line() -> anyhow::Result<Line> {
    let read = || {
        let mut line = String::new();
        io::stdin().read_line(&mut line).map(|bytes| (bytes, line))
    };
    let (bytes, line) = interrupt::or_exit("interrupted", read)
        .await?
        .context("could not read standard input; it must be UTF-8 text")?;
    Ok(if bytes == 0 {
        Line::End
    } else {
        Line::Text(line.trim_end_matches(['\n', '\r']).to_owned())
    })
}

/// The history file, which only its owner can read.
fn history_file(data: &Path) -> PathBuf {
    let path = data.join("history");
    let make = || {
        DirBuilder::new().recursive(true).mode(0o700).create(data)?;
        OpenOptions::new().append(true).create(true).mode(0o600).open(&path).map(drop)
    };
    if let Err(error) = make() {
        out::warn(format_args!(
            "{} cannot be written ({error}), so nothing is remembered; TIDEGATE_DATA names another folder",
            path.display()
        ));
    }
    path
}
