//! Whether a path lies in a folder.
//!
//! Nothing is looked up. A path that a server could read in more than one way, because of dots, links,
//! case, escapes or another system's signs, is neither in the folder nor outside.

use crate::alike::{alike, unaccented};
use crate::condition::Holds;

/// A folder as a rule names it; `None` if it could be read in more than one way itself.
pub(crate) fn folder(path: &str) -> Option<Vec<String>> {
    let parts = parts(path)?;
    (!parts.iter().any(|part| has_class(part)))
        .then(|| parts.into_iter().map(str::to_owned).collect())
}

/// Whether a path lies in a folder, or is that folder.
pub(crate) fn is_under(path: &str, folder: &[String]) -> Holds {
    let Some(path) = parts(path) else { return Holds::Unclear };
    let starts = |same: &dyn Fn(&str, &str) -> bool| {
        path.len() >= folder.len() && path.iter().zip(folder).all(|(own, of)| same(own, of))
    };
    if starts(&|own, of| own == of) {
        Holds::Yes
    } else if starts(&|own, of| alike(own, of) || has_class(own)) {
        // Another name on one system, and the same on the next; or a shell's pattern for it, `[s]rv`. Below
        // the folder such a name does no harm.
        Holds::Unclear
    } else {
        Holds::No
    }
}

/// Whether a name has what shells read as one of several letters.
fn has_class(name: &str) -> bool {
    unaccented(name).contains('[')
}

/// Whether a name could be such a pattern for `..`: `[.][.]`.
fn may_be_above(name: &str) -> bool {
    let (mut rest, mut letters) = (name, 0);
    while let Some(first) = rest.chars().next() {
        let end = rest.find(']').filter(|_| first == '[');
        let (letter, after) = rest.split_at(end.map_or(first.len_utf8(), |end| end + 1));
        // `[!a]` and `[^a]` are every other letter, and `[+-9]` all between.
        let is_dot =
            if end.is_some() { letter.contains(['.', '!', '^', '-']) } else { first == '.' };
        if !is_dot {
            return false;
        }
        (rest, letters) = (after, letters + 1);
    }
    letters == 2
}

/// The parts of an absolute path; nothing if it could be read in more than one way.
fn parts(path: &str) -> Option<Vec<&str>> {
    let inside = path.strip_prefix('/')?;
    let inside = inside.strip_suffix('/').unwrap_or(inside);
    if inside.is_empty() {
        return (path == "/").then(Vec::new);
    }
    let parts: Vec<&str> = inside.split('/').collect();
    parts.iter().all(|part| is_plain(part)).then_some(parts)
}

/// Whether a name means itself wherever it is read.
fn is_plain(name: &str) -> bool {
    // Signs of shells, of addresses and of other systems; a name that ends with a dot or a space is
    // another one without it on some, and some leave out what comes after a semicolon.
    let odd = |letter: char| {
        letter.is_control()
            || matches!(letter, '\\' | '%' | '*' | '?' | '$' | '`' | '/' | '{' | '}' | ';')
    };
    let looks = unaccented(name);
    !name.is_empty()
        && !name.ends_with(['.', ' '])
        && !name.starts_with([' ', '~'])
        && !looks.starts_with("..")
        && !may_be_above(&looks)
        && !name.contains(odd)
        && !looks.contains(odd)
        && !looks.ends_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(path: &str) -> Holds {
        is_under(path, &folder("/srv/data").unwrap())
    }

    #[test]
    fn paths_are_inside_outside_or_neither() {
        for path in [
            "/srv/data/a.txt",
            "/srv/data",
            "/srv/data/",
            "/srv/data/donn\u{e9}es/x y",
            "/srv/data/[id].ts",
            "/srv/data/[...a]/b",
        ] {
            assert_eq!(is(path), Holds::Yes, "{path:?}");
        }
        for path in ["/srv/database", "/srv", "/", "/etc/passwd", "/srv/dat/a", "/tmp/[id]/a"] {
            assert_eq!(is(path), Holds::No, "{path:?}");
        }
        for path in [
            "",
            "data/x",
            "./srv/data/x",
            "~/srv/data",
            "/srv/data/../x",
            "/tmp/../srv/data/x",
            "/../srv/data/x",
            "/srv/data/..",
            "/srv/./data",
            "//srv/data/x",
            "/srv//data/x",
            "/srv/data//",
            "\\srv\\data",
            "/srv/data/..\\..\\etc",
            "C:/srv/data",
            "file:///srv/data/x",
            "/srv/data/%2e%2e/x",
            "/srv%2fdata",
            "/srv/data/\0/x",
            "/srv/data\n",
            "/srv/data./x",
            "/srv/data /x",
            "/SRV/Data/x",
            "/srv/d\u{430}ta/x",
            "/srv/data/\u{ff0e}\u{ff0e}/x",
            "/srv/data\u{ff0f}x",
            "/srv/data/\u{2026}",
            "/srv/da\u{200b}ta/x",
            "/s*/data",
            "/srv/[d]ata/x",
            "/srv/\u{ff3b}d\u{ff3d}ata",
            "/srv/data/[.][.]/x",
            "/srv/data/[!a]./x",
            "/srv/{data,x}/y",
            "/srv/x/..;/data",
            "/srv/x;y/data",
            "/srv/data/..x",
            "/srv/$HOME/x",
        ] {
            assert_eq!(is(path), Holds::Unclear, "{path:?}");
        }
    }

    #[test]
    fn a_folder_that_is_unclear_is_none() {
        assert!(folder("/srv/../etc").is_none() && folder("srv").is_none());
        assert!(folder("/srv/[a]").is_none());
        assert_eq!(folder("/"), Some(vec![]));
    }
}
