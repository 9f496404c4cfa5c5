//! Packs: skills on their way from one server to another.
//!
//! ```text
//! pack.json             the manifest: what is in it, by digest, and whose key signed it
//! pack.json.minisig     the signature of the manifest
//! skills/<name>.json    one skill without its source
//! skills/<name>.py      its source
//! ```
//!
//! A pack is what its manifest says, to the byte: a file more, a file less or another byte and it is
//! refused. A pack without a signature, or by a key that nobody trusts, is refused unless the person
//! says otherwise.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::archive::{self, ArchiveError, Files};
use crate::disk;
use crate::name::{Name, hex};
use crate::seal::{Key, SealError, Signer};
use crate::skill::{Skill, SkillError};

const MANIFEST: &str = "pack.json";
const SIGNATURE: &str = "pack.json.minisig";
/// The layout that is written and read.
const FORMAT: u32 = 1;
/// The longest text in a manifest.
const MAX_TEXT: usize = 2_000;

/// Why a pack is not used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// Its files cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// It does not hold together.
    #[error("it is not a pack of skills: {0}")]
    Malformed(String),
    /// A file is not the one that was signed.
    #[error("the pack was changed after it was made: {file} {problem}")]
    Changed {
        /// Which file.
        file: String,
        /// How it differs.
        problem: &'static str,
    },
    /// Nobody signed it.
    #[error(
        "the pack is not signed, so nobody can say whose it is; --allow-unsigned installs it all the same"
    )]
    Unsigned,
    /// Somebody signed it whom nobody trusts.
    #[error(
        "the pack is signed with a key that is not trusted here; if it is the publisher's, say --trust {key}"
    )]
    Untrusted {
        /// The key.
        key: Key,
    },
    /// The signature is wrong.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// A skill in it cannot be kept.
    #[error("its skill {name} cannot be kept: {source}")]
    Skill {
        /// Which one.
        name: Name,
        /// Why.
        source: SkillError,
    },
    /// There is something else in its place.
    #[error(
        "there are files in {} already, and a pack with a file too many is refused; name another folder, or an archive that ends in .zip",
        path.display()
    )]
    Occupied {
        /// Where it was to go.
        path: PathBuf,
    },
    /// The disk did not take it.
    #[error("the pack could not be written: {0}")]
    Unwritten(#[from] io::Error),
}

/// What a pack says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    format: u32,
    /// What it is called, as a skill is.
    pub name: Name,
    /// Which edition this is: any text without blanks.
    pub version: String,
    /// What it is for.
    pub description: String,
    /// The key that signs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Key>,
    /// The SHA-256 of every other file.
    files: BTreeMap<String, String>,
}

/// Whose packs are used.
#[derive(Debug, Clone, Default)]
pub struct Trust {
    /// Keys whose signature is enough.
    pub keys: BTreeSet<Key>,
    /// Whether packs that nobody signed are used; then a key that nobody trusts is no worse.
    pub unsigned: bool,
}

/// Skills that travel together.
#[derive(Debug, Clone)]
pub struct Pack {
    /// What it says about itself.
    pub manifest: Manifest,
    /// What is in it.
    pub skills: Vec<Skill>,
    files: Files,
}

impl Pack {
    /// Packs skills, signed if there is somebody to sign.
    pub fn new(
        (name, version, description): (Name, &str, &str),
        skills: Vec<Skill>,
        signer: Option<&Signer>,
    ) -> Result<Self, PackError> {
        let mut files = Files::new();
        for skill in &skills {
            check(skill)?;
            let bare = Skill { source: String::new(), ..skill.clone() };
            let text = serde_json::to_vec_pretty(&bare).map_err(io::Error::from)?;
            files.insert(format!("skills/{}.json", skill.name), text);
            files.insert(format!("skills/{}.py", skill.name), skill.source.clone().into_bytes());
        }
        let manifest = Manifest {
            format: FORMAT,
            name,
            version: version.to_owned(),
            description: description.to_owned(),
            key: signer.map(Signer::key),
            files: files.iter().map(|(name, bytes)| (name.clone(), digest(bytes))).collect(),
        };
        manifest.check()?;
        let text = serde_json::to_vec_pretty(&manifest).map_err(io::Error::from)?;
        if let Some(signer) = signer {
            files.insert(SIGNATURE.to_owned(), signer.sign(&text)?.into_bytes());
        }
        files.insert(MANIFEST.to_owned(), text);
        Ok(Self { manifest, skills, files })
    }

    /// Reads a pack from a folder or an archive, if it is whole and somebody trusts it.
    pub fn open(path: &Path, trust: &Trust) -> Result<Self, PackError> {
        Self::of(archive::read(path)?, trust)
    }

    /// Reads a pack from the bytes of an archive, on the same terms.
    pub fn unpack(bytes: &[u8], trust: &Trust) -> Result<Self, PackError> {
        Self::of(archive::unpack(bytes)?, trust)
    }

    fn of(files: Files, trust: &Trust) -> Result<Self, PackError> {
        let wrong = |problem: &str| PackError::Malformed(problem.to_owned());
        let text = files.get(MANIFEST).ok_or_else(|| wrong("there is no pack.json in it"))?;
        let manifest: Manifest = serde_json::from_slice(text)
            .map_err(|error| PackError::Malformed(format!("pack.json: {error}")))?;
        manifest.check()?;
        // Before anything else of it is looked at.
        match (files.get(SIGNATURE), &manifest.key) {
            (Some(signature), Some(key)) => {
                key.verify(text, signature)?;
                if !trust.keys.contains(key) && !trust.unsigned {
                    return Err(PackError::Untrusted { key: key.clone() });
                }
            }
            (None, Some(_)) | (Some(_), None) => {
                let problem = if manifest.key.is_some() { "is missing" } else { "is of no key" };
                return Err(PackError::Changed { file: SIGNATURE.to_owned(), problem });
            }
            (None, None) if trust.unsigned => {}
            (None, None) => return Err(PackError::Unsigned),
        }
        manifest.fits(&files)?;
        let names = manifest.files.keys().filter_map(|file| {
            file.strip_prefix("skills/").and_then(|name| name.strip_suffix(".json"))
        });
        let skills: Result<Vec<_>, _> = names.map(|name| read_skill(&files, name)).collect();
        let skills = skills?;
        if skills.is_empty() || skills.len() * 2 != manifest.files.len() {
            return Err(wrong(
                "every skill has one .json and one .py under skills/, and nothing else is there",
            ));
        }
        Ok(Self { manifest, skills, files })
    }

    /// The tools that its skills call.
    #[must_use]
    pub fn tools(&self) -> BTreeSet<&str> {
        self.skills.iter().flat_map(|skill| &skill.tools).map(|used| used.tool.as_str()).collect()
    }

    /// The pack as an archive; the same skills and signature give the same bytes.
    pub fn archive(&self) -> Result<Vec<u8>, PackError> {
        Ok(archive::pack(&self.files)?)
    }

    /// Writes the pack: as an archive where the path ends in `.zip`, else as a folder.
    pub fn write(&self, path: &Path) -> Result<(), PackError> {
        if path.extension().is_some_and(|ending| ending == "zip") {
            return Ok(disk::replace(path, &self.archive()?)?);
        }
        if fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(PackError::Occupied { path: path.to_owned() });
        }
        for (name, bytes) in &self.files {
            disk::replace(&path.join(name), bytes)?;
        }
        Ok(())
    }
}

impl Manifest {
    fn check(&self) -> Result<(), PackError> {
        let wrong = |problem: String| Err(PackError::Malformed(problem));
        if self.format != FORMAT {
            return wrong(format!(
                "its format is {}, and this program reads {FORMAT}",
                self.format
            ));
        }
        let plain = |letter: u8| letter.is_ascii_alphanumeric() || b".-_+".contains(&letter);
        let version = self.version.as_bytes();
        if version.is_empty() || version.len() > 40 || !version.iter().all(|&byte| plain(byte)) {
            return wrong("its version must have 1 to 40 letters, digits and . - _ +".to_owned());
        }
        if self.description.len() > MAX_TEXT {
            return wrong(format!("its description is longer than {MAX_TEXT} bytes"));
        }
        Ok(())
    }

    /// Whether the files are those that the manifest names, to the byte.
    fn fits(&self, files: &Files) -> Result<(), PackError> {
        let changed =
            |file: &String, problem| Err(PackError::Changed { file: file.clone(), problem });
        for (name, wanted) in &self.files {
            match files.get(name) {
                None => return changed(name, "is missing"),
                Some(bytes) if digest(bytes) != *wanted => return changed(name, "has other bytes"),
                Some(_) => {}
            }
        }
        let own = [MANIFEST, SIGNATURE];
        let more =
            |name: &&String| !own.contains(&name.as_str()) && !self.files.contains_key(*name);
        files.keys().find(more).map_or(Ok(()), |name| changed(name, "was added"))
    }
}

fn read_skill(files: &Files, name: &str) -> Result<Skill, PackError> {
    let wrong = |problem: String| PackError::Malformed(format!("skills/{name}: {problem}"));
    let file = |ending: &str| files.get(&format!("skills/{name}.{ending}"));
    let (text, source) = (file("json"), file("py"));
    let (Some(text), Some(source)) = (text, source) else {
        return Err(wrong("it has no .py".to_owned()));
    };
    let bare: Skill = serde_json::from_slice(text).map_err(|error| wrong(error.to_string()))?;
    let source =
        std::str::from_utf8(source).map_err(|_| wrong("its .py is not text".to_owned()))?;
    if bare.name.as_str() != name || !bare.source.is_empty() {
        return Err(wrong("its .json must be of that name, with the source in the .py".to_owned()));
    }
    let skill = Skill { source: source.to_owned(), ..bare };
    check(&skill)?;
    Ok(skill)
}

fn check(skill: &Skill) -> Result<(), PackError> {
    skill.check().map_err(|source| PackError::Skill { name: skill.name.clone(), source })
}

pub(crate) fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests;
