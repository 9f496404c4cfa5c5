//! An index: which packs there are to install, and where.
//!
//! A folder with `index.json` and the archives it names; any web server can offer it. The index is not
//! signed: it only says where to look. What is installed is a pack, with the digest that the index
//! says and the signature of its publisher.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::disk;
use crate::name::Name;
use crate::pack::{Pack, PackError, Trust, digest};
use crate::seal::Key;

const FILE: &str = "index.json";
/// Held by whoever changes the index.
const LOCK: &str = ".lock";
/// The largest index that is read.
pub(crate) const MAX_INDEX: usize = 4 << 20;
const FORMAT: u32 = 1;

/// Why an index is of no use.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// It cannot be read.
    #[error("it is not an index of skills: {0}")]
    Malformed(String),
    /// It names no such pack.
    #[error("the index has no pack {wanted:?}; it has: {known}")]
    Unknown {
        /// What was asked for.
        wanted: String,
        /// What there is.
        known: String,
    },
    /// What came is not what the index says.
    #[error("{file} is not the file that the index names: its SHA-256 is another one")]
    Changed {
        /// Which file.
        file: String,
    },
    /// That version is already there, and different.
    #[error(
        "the index already has {name} {version}, and it is another one; give this a new version"
    )]
    Published {
        /// The pack.
        name: Name,
        /// Its version.
        version: String,
    },
    /// The pack cannot be written.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The disk did not do it.
    #[error("the index could not be read or written: {0}")]
    Disk(#[from] io::Error),
}

/// Packs that can be installed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    format: u32,
    /// In the order in which they were published.
    pub packs: Vec<Listed>,
}

/// One pack in an index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    /// What it is called.
    pub name: Name,
    /// Which edition.
    pub version: String,
    /// What it is for.
    pub description: String,
    /// The archive, beside the index.
    pub file: String,
    /// Its SHA-256.
    pub sha256: String,
    /// The key that signed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Key>,
    /// The skills in it.
    pub skills: Vec<Name>,
    /// The tools they call.
    pub tools: BTreeSet<String>,
}

impl Index {
    /// Reads an index.
    pub fn read(bytes: &[u8]) -> Result<Self, IndexError> {
        let wrong = |problem: String| Err(IndexError::Malformed(problem));
        if bytes.len() > MAX_INDEX {
            return wrong(format!("it is larger than {MAX_INDEX} bytes"));
        }
        let index: Self = serde_json::from_slice(bytes)
            .map_err(|error| IndexError::Malformed(error.to_string()))?;
        if index.format != FORMAT {
            return wrong(format!(
                "its format is {}, and this program reads {FORMAT}",
                index.format
            ));
        }
        if let Some(bad) = index.packs.iter().find(|listed| !is_plain(&listed.file)) {
            return wrong(format!("{:?} is not the name of a file beside it", bad.file));
        }
        Ok(index)
    }

    /// The newest edition of a pack, by its name or that of a skill in it.
    pub fn find(&self, wanted: &str) -> Result<&Listed, IndexError> {
        let newest =
            |fits: &dyn Fn(&Listed) -> bool| self.packs.iter().rfind(|listed| fits(listed));
        let is_skill = |listed: &Listed| listed.skills.iter().any(|skill| skill.as_str() == wanted);
        let found = newest(&|listed| listed.name.as_str() == wanted).or_else(|| newest(&is_skill));
        found.ok_or_else(|| {
            let known: BTreeSet<_> = self.packs.iter().map(|listed| listed.name.as_str()).collect();
            let known = known.into_iter().take(20).collect::<Vec<_>>().join(", ");
            IndexError::Unknown { wanted: wanted.chars().take(80).collect(), known }
        })
    }

    /// Puts a pack into the index in `folder`, which is made when it is not there.
    pub fn publish(folder: &Path, pack: &Pack) -> Result<Listed, IndexError> {
        fs::create_dir_all(folder)?;
        // Of two who publish at once, the second finds what the first has listed. Let go when this ends.
        let alone = File::create(folder.join(LOCK))?;
        alone.lock()?;
        let mut index = match disk::read(&folder.join(FILE), MAX_INDEX) {
            Ok(bytes) => Self::read(&bytes)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::default(),
            Err(error) => return Err(error.into()),
        };
        index.format = FORMAT;
        let archive = pack.archive()?;
        let manifest = &pack.manifest;
        let listed = Listed {
            name: manifest.name.clone(),
            version: manifest.version.clone(),
            description: manifest.description.clone(),
            file: format!("{}-{}.zip", manifest.name, manifest.version),
            sha256: digest(&archive),
            key: manifest.key.clone(),
            skills: pack.skills.iter().map(|skill| skill.name.clone()).collect(),
            tools: pack.tools().into_iter().map(str::to_owned).collect(),
        };
        let same = |one: &&Listed| one.name == listed.name && one.version == listed.version;
        if let Some(before) = index.packs.iter().find(same) {
            if before.sha256 == listed.sha256 || holds(folder, before, pack) {
                return Ok(before.clone());
            }
            let Listed { name, version, .. } = listed;
            return Err(IndexError::Published { name, version });
        }
        // The archive first: an index never names a file that is not there.
        disk::replace(&folder.join(&listed.file), &archive)?;
        index.packs.push(listed.clone());
        let text = serde_json::to_vec_pretty(&index).map_err(io::Error::from)?;
        disk::replace(&folder.join(FILE), &text)?;
        Ok(listed)
    }
}

impl Listed {
    /// Whether these are the bytes that the index names.
    pub fn check(&self, archive: &[u8]) -> Result<(), IndexError> {
        if digest(archive) == self.sha256 {
            return Ok(());
        }
        Err(IndexError::Changed { file: self.file.clone() })
    }
}

/// Whether what was published is this pack: of the same bytes no two signatures are, so that archives say nothing.
fn holds(folder: &Path, before: &Listed, pack: &Pack) -> bool {
    let trust = Trust { unsigned: true, ..Trust::default() };
    let there = Pack::open(&folder.join(&before.file), &trust);
    there.is_ok_and(|there| there.manifest == pack.manifest)
}

fn is_plain(file: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_+".contains(&byte);
    !file.is_empty() && file.len() <= 120 && !file.starts_with('.') && file.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seal::Signer;
    use crate::skill::tests::skill;

    fn pack(version: &str, skill_name: &str) -> Pack {
        let name = Name::new("sales").unwrap();
        Pack::new((name, version, "Sales."), vec![skill(skill_name)], None).unwrap()
    }

    #[test]
    fn a_published_pack_is_found_by_its_name_and_by_its_skills() {
        let folder = tempfile::tempdir().unwrap();
        Index::publish(folder.path(), &pack("1", "refunds")).unwrap();
        Index::publish(folder.path(), &pack("2", "high_spenders")).unwrap();
        let index = Index::read(&fs::read(folder.path().join(FILE)).unwrap()).unwrap();
        assert_eq!(index.find("sales").unwrap().version, "2");
        let listed = index.find("refunds").unwrap();
        assert_eq!((listed.version.as_str(), listed.file.as_str()), ("1", "sales-1.zip"));
        let bytes = fs::read(folder.path().join(&listed.file)).unwrap();
        listed.check(&bytes).unwrap();
        assert!(matches!(listed.check(&bytes[1..]), Err(IndexError::Changed { .. })));
        assert!(index.find("other").unwrap_err().to_string().ends_with("it has: sales"));
    }

    #[test]
    fn what_was_published_is_never_replaced_by_something_else() {
        let folder = tempfile::tempdir().unwrap();
        Index::publish(folder.path(), &pack("1", "refunds")).unwrap();
        Index::publish(folder.path(), &pack("1", "refunds")).unwrap();
        let again = Index::publish(folder.path(), &pack("1", "high_spenders"));
        assert!(matches!(again, Err(IndexError::Published { .. })));
        let index = Index::read(&fs::read(folder.path().join(FILE)).unwrap()).unwrap();
        assert_eq!(index.packs.len(), 1);
    }

    #[test]
    fn what_is_signed_anew_is_the_same_and_what_another_signs_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let signed = |signer: &Signer| {
            let name = Name::new("sales").unwrap();
            Pack::new((name, "1", "Sales."), vec![skill("refunds")], Some(signer)).unwrap()
        };
        let (own, other) = (Signer::generate().unwrap().0, Signer::generate().unwrap().0);
        let first = Index::publish(folder.path(), &signed(&own)).unwrap();
        assert_ne!(signed(&own).archive().unwrap(), signed(&own).archive().unwrap());
        assert_eq!(Index::publish(folder.path(), &signed(&own)).unwrap(), first);
        let archive = fs::read(folder.path().join(&first.file)).unwrap();
        first.check(&archive).unwrap();
        let again = Index::publish(folder.path(), &signed(&other));
        assert!(matches!(again, Err(IndexError::Published { .. })));
    }

    #[test]
    fn those_who_publish_at_once_are_all_listed() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let at = folder.path();
                scope.spawn(move || {
                    Index::publish(at, &pack(&number.to_string(), "refunds")).unwrap();
                });
            }
        });
        let index = Index::read(&fs::read(folder.path().join(FILE)).unwrap()).unwrap();
        assert_eq!(index.packs.len(), 8);
    }

    #[test]
    fn an_index_cannot_name_files_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        Index::publish(folder.path(), &pack("1", "refunds")).unwrap();
        let text = fs::read_to_string(folder.path().join(FILE)).unwrap();
        for file in ["../x.zip", "http://a/x.zip", "a/x.zip", ""] {
            let hostile = text.replace("sales-1.zip", file);
            assert!(
                matches!(Index::read(hostile.as_bytes()), Err(IndexError::Malformed(_))),
                "{file}"
            );
        }
    }
}
