//! `tidegate remove`: a server less.

use anyhow::Context as _;
use clap::Args;

use crate::config::Config;
use crate::config::edit::Editor;
use crate::exit::Ending;
use crate::{out, show};

/// Options of `tidegate remove`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The server.
    name: String,
}

/// Runs `tidegate remove`.
pub(crate) fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<Ending> {
    let server = config.server(&arguments.name)?;
    let mut editor = Editor::open_alone(server.file.clone())?;
    editor.remove(&server.name);
    editor.save()?;
    let file = config.places().short(&server.file);
    out::line(format_args!("removed `{}` from {file}", server.name)).context(show::LOST)?;
    // The same name may stand in the user's own file too, and counts from now on.
    if let Some(other) = config.servers()?.iter().find(|other| other.name == server.name) {
        let file = config.places().short(&other.file);
        out::tell(format_args!(
            "`{}` is now the one in {file}; run this again to remove that too",
            server.name
        ));
    }
    Ok(Ending::Success)
}
