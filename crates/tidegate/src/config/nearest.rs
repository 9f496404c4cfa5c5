//! The name somebody probably meant.

/// The candidate closest to `name`, if one is close enough to be meant by it.
pub(crate) fn of<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace(['_', ' '], "-");
    let wanted = plain(name);
    let scored = candidates.map(|candidate| (distance(&wanted, &plain(candidate)), candidate));
    let (score, candidate) = scored.min_by_key(|(score, _)| *score)?;
    (score <= wanted.chars().count() / 3).then_some(candidate)
}

/// How many letters have to be added, removed or exchanged.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, against) in other.iter().enumerate() {
            let exchanged = diagonal + usize::from(letter != *against);
            diagonal = row[column + 1];
            row[column + 1] = exchanged.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_recognised_and_a_stranger_is_not() {
        let keys = ["command", "connect-timeout", "url", "headers"];
        let near = |name| of(name, keys.into_iter());
        assert_eq!(near("comand"), Some("command"));
        assert_eq!(near("connect_timeout"), Some("connect-timeout"));
        assert_eq!(near("Header"), Some("headers"));
        assert_eq!(near("frobnicate"), None);
        assert_eq!(of("x", [].into_iter()), None);
    }
}
