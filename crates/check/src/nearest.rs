//! The name that was most likely meant.

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
        let tolerated = length.max(other.chars().count()).div_ceil(3).min(6);
        let distance = strsim::osa_distance(&wanted, &other);
        if distance <= tolerated {
            return Some((distance, name));
        }
        // One inside the other: `temp` for `temperature`, `full_name` for `name`.
        let (short, long) =
            if wanted.len() < other.len() { (&wanted, &other) } else { (&other, &wanted) };
        (short.len() >= 3 && long.contains(short.as_str())).then_some((10 + distance, name))
    });
    near.min_by_key(|(distance, name)| (*distance, name.len())).map(|(_, name)| name)
}

/// Whether one name is the other with a slip of the pen: another spelling, or a letter too many, too
/// few, wrong or in the wrong place. What merely means the same is another name, and so are one and
/// many (`total`, `totals`) and those that are numbered (`line1`, `line2`): a server has both.
pub(crate) fn is_slip(wanted: &str, name: &str) -> bool {
    let (wanted, name) = (folded(wanted), folded(name));
    let digits = |text: &str| text.chars().filter(|letter| letter.is_numeric()).collect::<String>();
    if digits(&wanted) != digits(&name) || is_plural(&wanted, &name) || is_plural(&name, &wanted) {
        return false;
    }
    let length = wanted.chars().count().min(name.chars().count());
    let tolerated = match length {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    };
    strsim::osa_distance(&wanted, &name) <= tolerated
}

fn is_plural(many: &str, one: &str) -> bool {
    let rest = many.strip_prefix(one.strip_suffix('y').unwrap_or(one));
    rest.is_some_and(|ending| ["s", "es", "ies"].contains(&ending))
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
    }

    #[test]
    fn a_slip_is_not_a_synonym() {
        for (wanted, name) in
            [("tittle", "title"), ("createdAt", "created_at"), ("desciption", "description")]
        {
            assert!(is_slip(wanted, name), "{wanted}");
        }
        for (wanted, name) in [
            ("status", "state"),
            ("temp", "temperature"),
            ("ids", "id"),
            ("url", "uri"),
            ("totals", "total"),
            ("entries", "entry"),
            ("address1", "address2"),
        ] {
            assert!(!is_slip(wanted, name), "{wanted}");
        }
    }
}
