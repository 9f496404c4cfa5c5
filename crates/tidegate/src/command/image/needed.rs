//! The images that sessions and resting runs of gateways build on.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use engine::{Digest, Image};

/// Where a gateway keeps guests at rest, and how deep within: `sessions/*.image`,
/// `kept/<process>/<run>/image-*`, `moved/<run>/image-*`.
const PLACES: [(&str, usize); 3] = [("sessions", 0), ("kept", 2), ("moved", 1)];

/// What rests in the folders of gateways on one base, as it is called there: `session s_…`, `run r_…`.
pub(super) fn users(gateways: &[PathBuf], wanted: &Digest) -> anyhow::Result<Vec<String>> {
    let mut users = Vec::new();
    for path in all(gateways)? {
        if base(&path)? == *wanted {
            users.push(called(&path));
        }
    }
    users.sort_unstable();
    users.dedup();
    Ok(users)
}

/// Whose file it is.
fn called(path: &Path) -> String {
    let is_session = path.extension().is_some_and(|end| end == "image");
    let (what, name) = if is_session {
        ("session", path.file_stem())
    } else {
        ("run", path.parent().and_then(Path::file_name))
    };
    format!("{what} {}", name.unwrap_or_default().to_string_lossy())
}

/// The bases of everything that rests in the folders of gateways. One that cannot be read may need anything,
/// and is an error.
pub(super) fn bases(gateways: &[PathBuf]) -> anyhow::Result<Vec<Digest>> {
    let found = all(gateways)?;
    let mut bases = found.iter().map(|path| base(path)).collect::<anyhow::Result<Vec<_>>>()?;
    bases.sort_unstable_by_key(|base| base.0);
    bases.dedup();
    Ok(bases)
}

/// Every guest at rest.
fn all(gateways: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for gateway in gateways {
        for (place, depth) in PLACES {
            guests(&gateway.join(place), depth, &mut found)?;
        }
    }
    Ok(found)
}

/// Guests at rest in a folder, so many folders below it.
fn guests(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let unread = || format!("could not list {}, {KEPT}", folder.display());
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).with_context(unread),
    };
    for entry in entries {
        let entry = entry.with_context(unread)?;
        if depth > 0 {
            if entry.file_type().with_context(unread)?.is_dir() {
                guests(&entry.path(), depth - 1, found)?;
            }
        } else if is_guest(&entry.path()) {
            found.push(entry.path());
        }
    }
    Ok(())
}

/// What is added to every reason why nothing is removed.
const KEPT: &str = "so that nobody knows which images are needed, and none is removed";

fn is_guest(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with("image-") || path.extension().is_some_and(|end| end == "image")
}

fn base(path: &Path) -> anyhow::Result<Digest> {
    let what = || {
        format!("could not read {}, {KEPT}; if a gateway just wrote it, try again", path.display())
    };
    let bytes = std::fs::read(path).with_context(what)?;
    let image = Image::decode(bytes).map_err(|error| anyhow!(error)).with_context(what)?;
    Ok(image.header().base)
}

#[cfg(test)]
mod tests {
    use engine::image::Header;

    use super::*;

    fn rest(path: &Path, base: u8) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let base = Digest([base; 32]);
        let header = Header { engine: "test".into(), base, body_bytes: 0, waiting: false };
        std::fs::write(path, Image::new(header, Vec::new()).as_bytes()).unwrap();
    }

    #[test]
    fn sessions_and_runs_of_every_gateway_need_their_base() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["service", "mcp"].map(|name| folder.path().join(name));
        rest(&one.join("sessions/s_1.image"), 1);
        rest(&one.join("kept/process/r_1/image-3"), 2);
        rest(&one.join("moved/r_2/image-1"), 3);
        rest(&other.join("sessions/s_2.image"), 1);
        std::fs::write(one.join("kept/process/lock"), "").unwrap();
        std::fs::write(one.join("kept/process/r_1/ledger"), "").unwrap();
        let gateways = [one.clone(), other, folder.path().join("mcp-1")];
        let needed: Vec<u8> =
            bases(&gateways).unwrap().iter().filter_map(|base| base.0.first().copied()).collect();
        assert_eq!(needed, [1, 2, 3]);
        let on = |base: u8| users(&gateways, &Digest([base; 32])).unwrap();
        assert_eq!(on(1), ["session s_1", "session s_2"]);
        assert_eq!((on(2), on(3)), (vec!["run r_1".to_owned()], vec!["run r_2".to_owned()]));
        std::fs::write(one.join("sessions/s_3.image"), "no image").unwrap();
        let refused = format!("{:#}", bases(&gateways).unwrap_err());
        assert!(refused.contains("s_3.image") && refused.contains("none is removed"), "{refused}");
    }
}
