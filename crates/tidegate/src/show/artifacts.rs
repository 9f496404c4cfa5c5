//! Pictures a run produced, written to files.
//!
//! Their names come from inside the sandbox, so they are held to letters that
//! cannot lead anywhere, and nothing that exists is ever overwritten.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use engine::Artifact;

/// How many files of one name are tried before giving up.
const TRIES: u32 = 10_000;

/// Writes `artifacts` into `folder` and says where each went.
pub(crate) fn write(artifacts: &[Artifact], folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if artifacts.is_empty() {
        return Ok(Vec::new());
    }
    std::fs::create_dir_all(folder).with_context(|| {
        format!("could not create {}; give --artifacts a folder you can write to", folder.display())
    })?;
    let mut paths = Vec::new();
    for (number, artifact) in artifacts.iter().enumerate() {
        let name = safe_name(&artifact.name).unwrap_or_else(|| format!("artifact-{}", number + 1));
        let path = write_new(folder, &name, &artifact.data).with_context(|| {
            format!(
                "could not write {name} to {}; give --artifacts another folder",
                folder.display()
            )
        })?;
        paths.push(path);
    }
    Ok(paths)
}

/// Writes to a file that was not there: `name`, else `name-2` and so on.
fn write_new(folder: &Path, name: &str, data: &[u8]) -> io::Result<PathBuf> {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let dot = if ending.is_empty() { "" } else { "." };
    for number in 1..TRIES {
        let name = match number {
            1 => name.to_owned(),
            _ => format!("{stem}-{number}{dot}{ending}"),
        };
        let path = folder.join(name);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => return file.write_all(data).map(|()| path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn safe_name(name: &str) -> Option<String> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let fits = (1..=64).contains(&name.len()) && name.chars().all(allowed);
    (fits && !name.starts_with(['.', '-'])).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(name: &str) -> Artifact {
        Artifact { name: name.into(), media_type: "image/png".into(), data: b"png".to_vec() }
    }

    #[test]
    fn a_name_never_leads_out_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("pictures");
        let names = ["../evil.png", "/etc/evil", ".bashrc", "fine.png"].map(artifact);
        let paths = write(&names, &inside).unwrap();
        let expected = ["artifact-1", "artifact-2", "artifact-3", "fine.png"];
        assert_eq!(paths, expected.map(|name| inside.join(name)));
    }

    #[test]
    fn nothing_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("figure-1.png"), "mine").unwrap();
        let paths = write(&[artifact("figure-1.png")], folder.path()).unwrap();
        assert_eq!(paths, [folder.path().join("figure-1-2.png")]);
        assert_eq!(std::fs::read(folder.path().join("figure-1.png")).unwrap(), b"mine");
    }
}
