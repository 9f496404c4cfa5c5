//! Reads the archives that npm packs: tar in gzip, as far as those go.

use std::collections::BTreeMap;
use std::io::{self, Read};

const BLOCK: usize = 512;

/// Larger members are none that anybody wants.
const MOST: u64 = 64 << 20;

/// The members called one of `wanted`, by name.
pub(super) fn members(packed: impl Read, wanted: &[&str]) -> io::Result<BTreeMap<String, Vec<u8>>> {
    let mut tar = flate2::read::GzDecoder::new(packed);
    let mut found = BTreeMap::new();
    let mut header = [0; BLOCK];
    let mut is_archive = false;
    while found.len() < wanted.len() {
        if let Err(error) = tar.read_exact(&mut header) {
            // Some archives end without the two empty blocks; none is without any.
            let at_end = is_archive && error.kind() == io::ErrorKind::UnexpectedEof;
            return if at_end { Ok(found) } else { Err(error) };
        }
        is_archive = true;
        if header.iter().all(|&byte| byte == 0) {
            break;
        }
        let name = text(&header[..100]);
        let size = octal(&header[124..136]).filter(|&size| size <= MOST);
        let size = size.ok_or_else(|| io::Error::other("a member has no sensible length"))?;
        let padded = size.next_multiple_of(BLOCK as u64);
        // `0` is a file, and so was the zero byte.
        if matches!(header[156], b'0' | 0) && wanted.contains(&name.as_str()) {
            let mut content = Vec::new();
            tar.by_ref().take(size).read_to_end(&mut content)?;
            if content.len() as u64 != size {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            found.insert(name, content);
            io::copy(&mut tar.by_ref().take(padded - size), &mut io::sink())?;
        } else {
            io::copy(&mut tar.by_ref().take(padded), &mut io::sink())?;
        }
    }
    Ok(found)
}

fn text(field: &[u8]) -> String {
    let end = field.iter().position(|&byte| byte == 0).unwrap_or(field.len());
    String::from_utf8_lossy(&field[..end]).into_owned()
}

fn octal(field: &[u8]) -> Option<u64> {
    u64::from_str_radix(text(field).trim(), 8).ok()
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write as _;

    use super::*;

    /// An archive as npm packs them.
    pub(in super::super) fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut tar = Vec::new();
        for (name, content) in members {
            let mut header = [0; BLOCK];
            header[..name.len()].copy_from_slice(name.as_bytes());
            header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
            header[156] = b'0';
            tar.extend_from_slice(&header);
            tar.extend_from_slice(content);
            tar.resize(tar.len().next_multiple_of(BLOCK), 0);
        }
        tar.resize(tar.len() + 2 * BLOCK, 0);
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(&tar).unwrap();
        packed.finish().unwrap()
    }

    #[test]
    fn wanted_members_are_found_wherever_they_are() {
        let long = vec![7; 1000];
        let packed = archive(&[("a", b"x"), ("package/long", &long), ("b", b"y"), ("c", b"")]);
        let found = members(&packed[..], &["package/long", "c", "absent"]).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(found["package/long"], long);
        assert_eq!(found["c"], b"");
    }

    #[test]
    fn what_is_cut_off_is_no_archive() {
        let packed = archive(&[("a", &[1; 2000])]);
        assert!(members(&packed[..packed.len() / 2], &["a"]).is_err());
        assert!(members(&b"no gzip"[..], &["a"]).is_err());
    }
}
