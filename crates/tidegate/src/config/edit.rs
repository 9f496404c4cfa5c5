//! Changes `tidegate.toml` and leaves everything else in it as it is: comments, order, spacing.
//!
//! The file is written aside and renamed, so a crash leaves it before or after a change. One that
//! holds values of variables or headers is its owner's alone to read.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use catalog::ServerName;
use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

use super::problem::ConfigError;
use super::section::ServerSection;
use super::{servers, shown};
use crate::exit::Misuse;

const SERVERS: &str = "servers";
/// Tables inside a server's table that read better with a header of their own.
const OWN_HEADER: [&str; 5] = ["env", "headers", "oauth", "tool-timeouts", "tool-pii"];

/// A configuration file that is being changed.
#[derive(Debug)]
pub(crate) struct Editor {
    path: PathBuf,
    document: DocumentMut,
    before: Option<String>,
    /// Keeps others from changing the file meanwhile.
    alone: Option<File>,
}

impl Editor {
    /// The same as [`open`](Self::open), and nobody else changes the file as long as this lives.
    /// Not for who asks questions in between.
    pub(crate) fn open_alone(path: PathBuf) -> anyhow::Result<Self> {
        let alone = alone(&std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone()))?;
        Ok(Self { alone, ..Self::open(path)? })
    }

    /// Reads the file; one that is not there is empty. A file with mistakes is left alone.
    pub(crate) fn open(path: PathBuf) -> anyhow::Result<Self> {
        // A link stays a link: what it leads to is what changes.
        let path = std::fs::canonicalize(&path).unwrap_or(path);
        let before = read(&path)?;
        let text = before.as_deref().unwrap_or_default();
        servers::parse(&path, text).map_err(|error| Misuse::error(error.to_string()))?;
        let document =
            text.parse().with_context(|| format!("could not read {}", path.display()))?;
        Ok(Self { path, document, before, alone: None })
    }

    /// Which file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The servers the file has now.
    pub(crate) fn servers(&self) -> anyhow::Result<Vec<servers::Server>> {
        servers::parse(&self.path, &self.document.to_string())
            .map_err(|error| Misuse::error(error.to_string()))
    }

    /// Adds a server, or replaces the one of that name where it stands.
    pub(crate) fn put(&mut self, name: &ServerName, section: &ServerSection) -> anyhow::Result<()> {
        let mut table = table_of(section)?;
        let servers = self.document.entry(SERVERS).or_insert_with(|| {
            let mut all = Table::new();
            all.set_implicit(true);
            Item::Table(all)
        });
        if let Some(all) = servers.as_table_mut() {
            if let Some(old) = all.get(&name.0).and_then(Item::as_table) {
                *table.decor_mut() = old.decor().clone();
                table.set_position(old.position());
            } else if !all.is_empty()
                || self.before.as_deref().is_some_and(|text| !text.trim().is_empty())
            {
                table.decor_mut().set_prefix("\n");
            }
            all.insert(&name.0, Item::Table(table));
            return Ok(());
        }
        let all = servers.as_inline_table_mut().context("`servers` is not a table")?;
        all.insert(&name.0, Value::InlineTable(table.into_inline_table()));
        Ok(())
    }

    /// Removes a server. Says whether it was there.
    pub(crate) fn remove(&mut self, name: &ServerName) -> bool {
        let all = self.document.get_mut(SERVERS).and_then(Item::as_table_like_mut);
        let Some(removed) = all.and_then(|all| all.remove(&name.0)) else { return false };
        if let Some(removed) = removed.as_table() {
            self.keep_heading(removed);
        }
        true
    }

    /// Keeps what stood above a server that was removed and is divided from it by an empty line:
    /// it is about the file or what follows, not about the server.
    fn keep_heading(&mut self, removed: &Table) {
        let above = prefix(removed);
        let Some((heading, _)) = above.rsplit_once("\n\n") else { return };
        if heading.trim().is_empty() {
            return;
        }
        let heading = format!("{}\n", heading.trim_end());
        let all = self.document.get_mut(SERVERS).and_then(Item::as_table_mut);
        let tables = all.into_iter().flat_map(Table::iter_mut);
        let below = tables
            .filter_map(|(_, item)| item.as_table_mut())
            .filter(|table| table.position() > removed.position())
            .min_by_key(|table| table.position());
        if let Some(below) = below {
            let own = prefix(below);
            below.decor_mut().set_prefix(format!("{heading}\n{}", own.trim_start_matches('\n')));
        } else {
            let own = self.document.trailing().as_str().unwrap_or_default().to_owned();
            self.document.set_trailing(format!("{heading}{own}"));
        }
    }

    /// Copies the file as it was to `tidegate.toml.bak`. Says where, if there was one.
    pub(crate) fn back_up(&self) -> anyhow::Result<Option<PathBuf>> {
        let Some(before) = &self.before else { return Ok(None) };
        let mut path = self.path.clone().into_os_string();
        path.push(".bak");
        let path = PathBuf::from(path);
        write(&path, before.as_bytes(), 0o600)?;
        Ok(Some(path))
    }

    /// Writes the file, if anything changed.
    pub(crate) fn save(self) -> anyhow::Result<()> {
        let text = self.document.to_string();
        if self.before.as_deref() == Some(text.as_str()) {
            return Ok(());
        }
        let _alone = if self.alone.is_some() { None } else { alone(&self.path)? };
        if read(&self.path)? != self.before {
            return Err(Misuse::error(format!(
                "{} was changed by somebody else meanwhile, and nothing of that is lost; do it again",
                self.path.display()
            )));
        }
        // What is written can be read again, or it is not written.
        let servers = servers::parse(&self.path, &text).with_context(|| {
            format!("{} would not be readable after the change", self.path.display())
        })?;
        let private = servers.iter().any(|server| shown::holds_values(&server.section));
        let mode = std::fs::metadata(&self.path)
            .map_or(0o600, |metadata| metadata.permissions().mode() & 0o777);
        write(&self.path, text.as_bytes(), if private { mode & 0o600 } else { mode })
    }
}

/// What is in the file, if there is one.
fn read(path: &Path) -> anyhow::Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => {
            let path = path.to_owned();
            Err(Misuse::error(ConfigError::Unreadable { path, source }.to_string()))
        }
    }
}

/// Keeps other commands from writing the file as long as this lives. The folder is locked, so
/// that nothing is left behind in it; where locks do not exist, there is none.
fn alone(path: &Path) -> anyhow::Result<Option<File>> {
    let folder = folder_of(path);
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.with_context(|| format!("could not make the folder {}", folder.display()))?;
    let Ok(folder) = File::open(folder) else { return Ok(None) };
    Ok(folder.lock().is_ok().then_some(folder))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Comments and empty lines above a table.
fn prefix(table: &Table) -> String {
    table.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default().to_owned()
}

/// A section as a table with headers for the tables in it.
fn table_of(section: &ServerSection) -> anyhow::Result<Table> {
    let document =
        toml_edit::ser::to_document(section).context("could not write the server as TOML")?;
    let mut table = document.as_table().clone();
    table.set_implicit(false);
    for key in OWN_HEADER {
        if let Some(Item::Value(Value::InlineTable(inner))) = table.get(key) {
            let mut inner = inner.clone().into_table();
            inner.decor_mut().set_prefix("\n");
            table.insert(key, Item::Table(inner));
        }
    }
    if let Some(Item::Value(Value::Array(tools))) = table.get("tools") {
        let inline = tools.iter().filter_map(Value::as_inline_table).cloned();
        let tables: ArrayOfTables = inline.map(InlineTable::into_table).collect();
        table.insert("tools", Item::ArrayOfTables(tables));
    }
    Ok(table)
}

fn write(path: &Path, bytes: &[u8], mode: u32) -> anyhow::Result<()> {
    let folder = folder_of(path);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // The process in the name, so that two commands at once do not write into one file.
    let aside = folder.join(format!(".{name}.{}.new", std::process::id()));
    let write = || {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&aside)?;
        file.write_all(bytes)?;
        file.set_permissions(Permissions::from_mode(mode))?;
        file.sync_all()?;
        std::fs::rename(&aside, path)?;
        File::open(folder)?.sync_all()
    };
    write().with_context(|| {
        // What is left aside helps nobody.
        let _ = std::fs::remove_file(&aside);
        format!("could not write {}; it is as it was before", path.display())
    })
}

#[cfg(test)]
mod tests;
