//! Paths in another client's file that mean something only from where that client starts servers.
//!
//! Clients start the servers of a project's file in the project, and the file is written for that.
//! We start them wherever we are, and our file may lie elsewhere. So a program that is named by a
//! relative path is written down as a whole one, and its server keeps the folder it was meant for.

use std::path::{Component, Path, PathBuf};

use super::ServerSection;

/// Makes the paths of a section mean the same from everywhere. Says what was done, if anything.
/// `folders` are those it may have been meant for, the likeliest first.
pub(super) fn settle(section: &mut ServerSection, folders: &[PathBuf]) -> Option<String> {
    let command = section.command.clone()?;
    let program = Some(command.as_str()).filter(|text| names_a_place(text));
    if let Some(cwd) = section.cwd.clone().filter(|cwd| !is_relative(cwd)) {
        // It may have variables, so whether anything is there cannot be said.
        section.command = Some(format!("{cwd}/{}", program?));
        return Some(format!("its command is relative to {cwd}"));
    }
    let folder = meant(section, program, folders)?;
    let whole = program.map(|program| joined(&folder, program));
    let missing = whole.as_ref().is_some_and(|whole| !whole.is_file());
    if let Some(whole) = whole {
        section.command = Some(written(&whole)?);
    }
    section.cwd = Some(written(&folder)?);
    let note = format!("it is started in {}, because its paths are relative", folder.display());
    Some(if missing { format!("{note}; its program is not there") } else { note })
}

/// The folder that relative paths of a section are meant from; none if it has no such paths.
fn meant(section: &ServerSection, program: Option<&str>, folders: &[PathBuf]) -> Option<PathBuf> {
    if let Some(cwd) = &section.cwd {
        let all: Vec<PathBuf> = folders.iter().map(|folder| joined(folder, cwd)).collect();
        return all.iter().find(|folder| folder.is_dir()).or(all.first()).cloned();
    }
    let files = section.args.iter().map(String::as_str).filter(|text| is_file_name(text));
    let named: Vec<&str> = program.into_iter().chain(files).collect();
    let has = |folder: &&PathBuf| named.iter().any(|name| folder.join(name).is_file());
    // A program that is nowhere is still told with the place it should be at.
    folders.iter().find(has).or_else(|| program.and(folders.first())).cloned()
}

/// Where a client may start the servers of a file: in the project it belongs to, or beside it.
pub(super) fn folders_of(file: &Path) -> Vec<PathBuf> {
    let Some(folder) = file.parent().filter(|folder| folder.is_absolute()) else {
        return Vec::new();
    };
    let owner = super::owner_of(folder);
    let mut folders = vec![owner.to_owned()];
    if owner != folder {
        folders.push(folder.to_owned());
    }
    folders
}

/// `./run.sh` and `bin/run`, but not what is looked for among the installed programs.
fn names_a_place(text: &str) -> bool {
    text.contains('/') && is_relative(text)
}

/// `server.js` and `./build`, but not an option, an address or a package such as `@scope/name`.
fn is_file_name(text: &str) -> bool {
    is_relative(text) && !text.starts_with(['-', '@']) && !text.contains("://")
}

fn is_relative(text: &str) -> bool {
    !text.is_empty() && !text.starts_with(['/', '~', '$']) && !text.contains(':')
}

/// One path below another, without the `.` and `..` of the second.
fn joined(folder: &Path, path: &str) -> PathBuf {
    let mut whole = folder.to_owned();
    for part in Path::new(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                whole.pop();
            }
            part => whole.push(part),
        }
    }
    whole
}

/// A path as our file has it, where `${` would begin a variable.
fn written(path: &Path) -> Option<String> {
    path.to_str().map(|path| path.replace("${", "$${"))
}
