//! Names of agents: whose program runs, where several work for one owner.
//!
//! A session has one from whoever made it, a child from the program that started it. Rules can speak of it
//! (`agents = "worker-*"`). It is somebody's word: a child may do no more than whoever started it, whatever it is called.

/// Letters of a name.
const MOST: usize = 64;

/// Why something cannot be the name of an agent.
pub(crate) fn problem(name: &str) -> Option<String> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let is_name = (1..=MOST).contains(&name.len()) && name.chars().all(fits);
    (!is_name).then(|| {
        let shown: String = name.chars().take(MOST).collect();
        format!("{shown:?} is no name of an agent; it has 1 to {MOST} letters, digits and - _ .")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_letters_digits_and_no_patterns() {
        for name in ["planner", "worker-2", "a.b_C"] {
            assert_eq!(problem(name), None, "{name}");
        }
        for name in ["", "worker-*", "a b", "ä", &"x".repeat(65)] {
            assert!(problem(name).is_some(), "{name}");
        }
    }
}
