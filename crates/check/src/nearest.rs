//! The name that was most likely meant.

use std::collections::HashSet;
use std::sync::LazyLock;

/// No name is compared beyond this many characters.
const COMPARED: usize = 80;

/// The one of `names` that looks most like `wanted`, if one does.
pub(crate) fn nearest<'n>(
    wanted: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> Option<&'n str> {
    let wanted = folded(wanted);
    let length = wanted.chars().count();
    let near = names.into_iter().filter_map(|name| {
        let other = folded(name);
        let longest = length.max(other.chars().count());
        let tolerated = if longest <= 4 { 1 } else { longest.div_ceil(3).min(6) };
        let distance = strsim::osa_distance(&wanted, &other);
        if distance <= tolerated {
            return Some((distance, name));
        }
        // One inside the other: `temp` for `temperature`, `full_name` for `name`.
        let (short, long) =
            if wanted.len() < other.len() { (&wanted, &other) } else { (&other, &wanted) };
        (short.len() >= 3 && long.contains(short.as_str())).then_some((10 + distance, name))
    });
    // Of those that are as near, one that begins alike: `float` is meant for `float64`, not for `load`.
    let begins_alike = |name: &str| folded(name).chars().next() == wanted.chars().next();
    near.min_by_key(|(distance, name)| (*distance, !begins_alike(name), name.len()))
        .map(|(_, name)| name)
}

/// Whether one name is the other with a slip of the pen: another spelling, or a letter too many, too
/// few, wrong or in the wrong place. What is made of words is another name (`merged_by` for `merged_at`,
/// `context` for `content`), and so are those that are numbered (`line1`, `line2`): a server has both.
pub(crate) fn is_slip(wanted: &str, name: &str) -> bool {
    let is_spelt = is_made_of_words(wanted);
    let (wanted, name) = (folded(wanted), folded(name));
    if wanted == name {
        return true;
    }
    let digits = |text: &str| text.chars().filter(|letter| letter.is_numeric()).collect::<String>();
    let is_one_of_many = is_plural(&wanted, &name) || is_plural(&name, &wanted);
    if is_spelt || is_one_of_many || digits(&wanted) != digits(&name) {
        return false;
    }
    let length = wanted.chars().count().min(name.chars().count());
    let tolerated = match length {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    };
    strsim::osa_distance(&wanted, &name) <= tolerated
        || is_stuttered(&wanted, &name)
        || is_cut(&wanted, &name)
}

/// Whether a name is another without its last letter: `nam`.
fn is_cut(wanted: &str, name: &str) -> bool {
    wanted.chars().count() == 3 && name.chars().count() == 4 && name.starts_with(wanted)
}

/// Whether a name is another with one of its letters twice: `skuu`.
fn is_stuttered(wanted: &str, name: &str) -> bool {
    let letters: Vec<char> = wanted.chars().collect();
    name.chars().count() >= 3
        && letters.len() == name.chars().count() + 1
        && letters.windows(2).enumerate().any(|(at, pair)| {
            let rest = letters[..at].iter().chain(&letters[at + 1..]);
            pair[0] == pair[1] && rest.copied().eq(name.chars())
        })
}

fn is_plural(many: &str, one: &str) -> bool {
    let rest = many.strip_prefix(one.strip_suffix('y').unwrap_or(one));
    // Nothing that ends with an `s` is made many by another one: `statuss`.
    rest.is_some_and(|ending| ["s", "es", "ies"].contains(&ending))
        && !(one.ends_with('s') && many.ends_with("ss"))
}

/// Words that definitions of tools are written with.
static WORDS: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| include_str!("words.txt").lines().collect());

/// Whether a name is nothing but words: `merged_by`, `userIp`.
fn is_made_of_words(name: &str) -> bool {
    let mut parts: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars().take(COMPARED) {
        if !letter.is_alphabetic() || (letter.is_uppercase() && was_lower) {
            parts.push(String::new());
        }
        was_lower = letter.is_lowercase();
        if let Some(part) = parts.last_mut().filter(|_| letter.is_alphabetic()) {
            part.extend(letter.to_lowercase());
        }
    }
    let is_word = |part: &String| {
        let one = part.strip_suffix('s').filter(|one| !one.ends_with('s')).unwrap_or(part);
        part.is_empty() || WORDS.contains(part.as_str()) || WORDS.contains(one)
    };
    parts.iter().all(is_word)
}

/// Without what spellings differ in: `createIssue` and `create_issue` are one.
fn folded(name: &str) -> String {
    name.chars()
        .take(COMPARED)
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_other_spellings_and_parts_are_near() {
        let names = ["title", "body", "stargazers_count", "temperature"];
        assert_eq!(nearest("tittle", names), Some("title"));
        assert_eq!(nearest("stargazersCount", names), Some("stargazers_count"));
        assert_eq!(nearest("temp", names), Some("temperature"));
        assert_eq!(nearest("zebra", names), None);
        assert_eq!(nearest("float", ["load", "float64"]), Some("float64"));
    }

    #[test]
    fn a_slip_is_not_a_synonym() {
        for (wanted, name) in [
            ("tittle", "title"),
            ("createdAt", "created_at"),
            ("desciption", "description"),
            ("skuu", "sku"),
            ("nam", "name"),
            ("statuss", "status"),
        ] {
            assert!(is_slip(wanted, name), "{wanted}");
        }
        for (wanted, name) in [
            ("status", "state"),
            ("temp", "temperature"),
            ("ids", "id"),
            ("url", "uri"),
            ("sku", "skus"),
            ("totals", "total"),
            ("entries", "entry"),
            ("merged_by", "merged_at"),
            ("userIp", "userId"),
            ("context", "content"),
            ("stars", "start"),
            ("address1", "address2"),
        ] {
            assert!(!is_slip(wanted, name), "{wanted}");
        }
    }
}
