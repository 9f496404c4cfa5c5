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
    let given = section.cwd.clone().filter(|cwd| !is_relative(cwd));
    let program = names_a_place(&command).then_some(command.as_str());
    let named: Vec<&str> = program
        .into_iter()
        .chain(section.args.iter().map(String::as_str).filter(|text| is_file_name(text)))
        .collect();
    let folder = match (given, section.cwd.as_deref()) {
        (Some(cwd), _) => PathBuf::from(cwd),
        (None, Some(cwd)) => {
            let all: Vec<PathBuf> = folders.iter().map(|folder| joined(folder, cwd)).collect();
            all.iter().find(|folder| folder.is_dir()).or(all.first())?.clone()
        }
        (None, None) => {
            let has = |folder: &&PathBuf| named.iter().any(|name| folder.join(name).is_file());
            match folders.iter().find(has) {
                Some(folder) => folder.clone(),
                // A program that is nowhere is still told with the place it should be at.
                None => program.and(folders.first())?.clone(),
            }
        }
    };
    let is_changed = program.is_some() || section.cwd.as_deref() != folder.to_str();
    if !is_changed {
        return None;
    }
    let whole = program.map(|program| joined(&folder, program));
    let missing = whole.as_ref().is_some_and(|whole| !whole.is_file());
    if let Some(whole) = whole {
        section.command = Some(written(&whole)?);
    }
    section.cwd = Some(written(&folder)?);
    let note = format!("it is started in {}, because its paths are relative", folder.display());
    Some(if missing { format!("{note}; its program is not there") } else { note })
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
