//! Names that somebody may have meant.

use crate::names::{fold, words};

/// No name is compared beyond this many characters.
const COMPARED: usize = 100;

/// At most `count` of `things`, the ones whose name looks most like `wanted` first. Things that
/// do not look like it at all are left out.
pub(crate) fn to<'n, T>(
    wanted: &str,
    things: impl Iterator<Item = (&'n str, T)>,
    count: usize,
) -> Vec<T> {
    let wanted = Compared::new(wanted);
    let mut similar: Vec<(usize, &str, T)> = things
        .filter_map(|(name, thing)| Some((wanted.distance(&Compared::new(name))?, name, thing)))
        .collect();
    similar.sort_by_key(|(distance, name, _)| (*distance, *name));
    similar.into_iter().take(count).map(|(_, _, thing)| thing).collect()
}

/// A name, ready to be compared.
struct Compared {
    folded: String,
    length: usize,
    words: Vec<String>,
}

impl Compared {
    fn new(name: &str) -> Self {
        let shortened: String = name.chars().take(COMPARED).collect();
        let folded = fold(&shortened);
        Self { length: folded.chars().count(), words: words(&shortened), folded }
    }

    /// How far apart two names are; `None` when nobody would mix them up.
    fn distance(&self, other: &Self) -> Option<usize> {
        if self.length == 0 || other.length == 0 {
            return None;
        }
        let tolerated = self.length.max(other.length).div_ceil(3).min(8);
        let edits = if self.length.abs_diff(other.length) > tolerated {
            usize::MAX
        } else {
            strsim::osa_distance(&self.folded, &other.folded)
        };
        if edits <= tolerated {
            return Some(edits);
        }
        // The same words in another order, or with some more around them. Worse than a slip of
        // the finger, so all of these come after those.
        let shared = self.words.iter().filter(|word| other.words.contains(word)).count();
        let all = self.words.len().max(other.words.len());
        (shared > 0 && shared * 2 >= self.words.len()).then(|| 8 + all - shared)
    }
}
