//! The clients whose servers can be imported, and where they keep them.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::config::places::Places;

/// An MCP client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    /// Claude Desktop.
    ClaudeDesktop,
    /// Claude Code: the project's `.mcp.json` and the user's own servers.
    ClaudeCode,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    Vscode,
    /// Windsurf.
    Windsurf,
    /// Zed.
    Zed,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
}

impl Client {
    /// All of them, in the order in which they are looked at.
    pub(crate) const ALL: [Self; 8] = [
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Cursor,
        Self::Vscode,
        Self::Windsurf,
        Self::Zed,
        Self::Codex,
        Self::Gemini,
    ];

    /// What people call it.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "Claude Desktop",
            Self::ClaudeCode => "Claude Code",
            Self::Cursor => "Cursor",
            Self::Vscode => "VS Code",
            Self::Windsurf => "Windsurf",
            Self::Zed => "Zed",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
        }
    }

    /// Whether `${NAME}` in its file is a variable of the environment. The others know `${env:NAME}`, or nothing.
    pub(super) fn expands_names(self) -> bool {
        matches!(self, Self::ClaudeCode | Self::Gemini)
    }

    /// Every file it may have, the one that counts most first. Whether they exist is not asked.
    pub(crate) fn files(self, places: &Places) -> Vec<PathBuf> {
        match self {
            Self::ClaudeDesktop => in_config(places, &["Claude/claude_desktop_config.json"]),
            Self::ClaudeCode => {
                let own = match &places.claude {
                    Some(folder) => vec![folder.join(".claude.json")],
                    None => in_home(places, &[".claude.json"]),
                };
                [in_project(places, ".mcp.json"), own].concat()
            }
            Self::Cursor => both(places, ".cursor/mcp.json"),
            Self::Vscode => {
                let own = [
                    "Code/User/mcp.json",
                    "Code/User/settings.json",
                    "Code - Insiders/User/mcp.json",
                    "Code - Insiders/User/settings.json",
                ];
                let project = [".vscode/mcp.json", ".vscode/settings.json"];
                let project = project.map(|file| in_project(places, file)).concat();
                [project, in_config(places, &own)].concat()
            }
            Self::Windsurf => {
                in_home(places, &[".codeium/windsurf/mcp_config.json", ".codeium/mcp_config.json"])
            }
            Self::Zed => {
                let project = in_project(places, ".zed/settings.json");
                // Lower case on Linux and macOS, upper case on Windows.
                let own = ["zed/settings.json", "Zed/settings.json"];
                [project, in_config(places, &own), in_home(places, &[".config/zed/settings.json"])]
                    .concat()
            }
            Self::Codex => {
                let own = match &places.codex {
                    Some(folder) => vec![folder.join("config.toml")],
                    None => in_home(places, &[".codex/config.toml"]),
                };
                [in_project(places, ".codex/config.toml"), own].concat()
            }
            Self::Gemini => both(places, ".gemini/settings.json"),
        }
        .into_iter()
        .fold(Vec::new(), |mut files, file| {
            if !files.contains(&file) {
                files.push(file);
            }
            files
        })
    }
}

impl Client {
    /// The file that a new server is written to: the user's own, or the project's, where the
    /// client has one. Of the user's files the first that is there, or else the first.
    pub(crate) fn file_to_write(self, places: &Places, project: bool) -> Option<PathBuf> {
        // In the home folder, what is the user's own is not the project's.
        let nowhere = Places { project: Vec::new(), ..places.clone() };
        let users = self.files(&nowhere);
        let in_project = |file: &PathBuf| !users.contains(file);
        // VS Code keeps servers beside its settings, not in them.
        let fits = |file: &PathBuf| self != Self::Vscode || file.ends_with("mcp.json");
        let all = self.files(places).into_iter().filter(fits);
        let (theirs, own): (Vec<_>, Vec<_>) = all.partition(in_project);
        let chosen = if project { theirs } else { own };
        chosen.iter().find(|file| file.is_file()).or(chosen.first()).cloned()
    }

    /// The key that servers are under in its file.
    pub(crate) fn servers_key(self) -> &'static str {
        match self {
            Self::Vscode => "servers",
            Self::Zed => "context_servers",
            Self::Codex => "mcp_servers",
            _ => "mcpServers",
        }
    }
}

/// Below the project's folders, the nearest first, and below the home folder.
fn both(places: &Places, file: &str) -> Vec<PathBuf> {
    [in_project(places, file), in_home(places, &[file])].concat()
}

fn in_project(places: &Places, file: &str) -> Vec<PathBuf> {
    places.project.iter().map(|folder| folder.join(file)).collect()
}

fn in_home(places: &Places, files: &[&str]) -> Vec<PathBuf> {
    let homes = [&places.home, &places.windows_home];
    homes.into_iter().flatten().flat_map(|home| files.iter().map(|file| home.join(file))).collect()
}

/// Below the folders where programs keep their configuration, on Linux, macOS and Windows.
fn in_config(places: &Places, files: &[&str]) -> Vec<PathBuf> {
    let mac = places.home.as_ref().map(|home| home.join("Library/Application Support"));
    let folders = [places.config.clone(), mac, places.windows_config.clone()];
    folders
        .into_iter()
        .flatten()
        .flat_map(|folder| files.iter().map(move |file| folder.join(file)))
        .collect()
}
