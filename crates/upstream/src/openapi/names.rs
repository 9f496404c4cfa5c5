//! What a tool is called: the operation's own identifier, or its method and path in words.

use std::collections::HashMap;

/// Characters of a tool's name, at most.
const MOST_CHARACTERS: usize = 128;

/// Names already given, so that each is given once.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Each with the number to try next, so that thousands of equal wishes do not take
    /// millions of tries.
    taken: HashMap<String, usize>,
}

impl Names {
    /// The name of the next operation. A second operation with the same identifier is named
    /// after its path, which says more than a number would.
    pub(super) fn next(&mut self, identifier: Option<&str>, method: &str, path: &str) -> String {
        let identifier = identifier.map(cleaned).unwrap_or_default();
        if identifier.is_empty() || self.taken.contains_key(&identifier) {
            return self.claim(&from_path(method, path));
        }
        self.claim(&identifier)
    }

    /// The name as wished, or with the first number that makes it new.
    pub(super) fn claim(&mut self, wished: &str) -> String {
        let mut name = wished.to_owned();
        let mut number = self.taken.get(wished).copied().unwrap_or(2);
        while self.taken.contains_key(&name) {
            name = format!("{wished}_{number}");
            number += 1;
        }
        self.taken.insert(wished.to_owned(), number);
        self.taken.insert(name.clone(), 2);
        name
    }
}

/// An identifier without what no client accepts in a name: blanks, quotes, brackets.
fn cleaned(identifier: &str) -> String {
    let mut name = String::new();
    for character in identifier.trim().chars().take(MOST_CHARACTERS) {
        let fits = character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | '/');
        if fits {
            name.push(character);
        } else if !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
    }
    name.trim_end_matches('_').to_owned()
}

/// `GET /pets/{petId}` as `get_pets_by_pet_id`.
pub(super) fn from_path(method: &str, path: &str) -> String {
    let mut words = vec![method.to_lowercase()];
    for segment in path.split('/').filter(|segment| !segment.is_empty()) {
        for (position, piece) in segment.split(['{', '}']).enumerate() {
            // Splitting at braces puts what stood between them at the odd positions.
            if position % 2 == 1 && !piece.is_empty() {
                words.push("by".to_owned());
            }
            let snake = snake(piece);
            if !snake.is_empty() {
                words.push(snake);
            }
        }
    }
    if words.len() == 1 {
        words.push("root".to_owned());
    }
    words.join("_").chars().take(MOST_CHARACTERS).collect()
}

/// `petId`, `pet-id` and `PetID` as `pet_id`.
fn snake(text: &str) -> String {
    let mut name = String::new();
    let mut previous = ' ';
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character.is_alphanumeric() {
            let mut ends_capitals = || characters.peek().is_some_and(|next| next.is_lowercase());
            let begins_word = character.is_uppercase()
                && (previous.is_lowercase()
                    || previous.is_numeric()
                    || (previous.is_uppercase() && ends_capitals()));
            if begins_word && !name.ends_with('_') {
                name.push('_');
            }
            name.extend(character.to_lowercase());
        } else if !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
        previous = character;
    }
    name.trim_end_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    #[test]
    fn a_path_reads_as_words() {
        let paths = [
            ("GET", "/"),
            ("GET", "/pets"),
            ("GET", "/pets/{petId}"),
            ("POST", "/users/{userID}/HTTPLogs/{log-id}.json"),
            ("DELETE", "/v1.2/größe/{x}{y}/"),
            ("PUT", "/a//b/{}/c"),
            ("PATCH", "/reports/{from}..{to}"),
        ];
        let named: Vec<String> = paths
            .iter()
            .map(|(method, path)| format!("{method} {path} -> {}", from_path(method, path)))
            .collect();
        assert_snapshot!(named.join("\n"), @"
        GET / -> get_root
        GET /pets -> get_pets
        GET /pets/{petId} -> get_pets_by_pet_id
        POST /users/{userID}/HTTPLogs/{log-id}.json -> post_users_by_user_id_http_logs_by_log_id_json
        DELETE /v1.2/größe/{x}{y}/ -> delete_v1_2_größe_by_x_by_y
        PUT /a//b/{}/c -> put_a_b_c
        PATCH /reports/{from}..{to} -> patch_reports_by_from_by_to
        ");
    }

    #[test]
    fn every_name_is_given_once() {
        let mut names = Names::default();
        let operations = [
            (Some("listPets"), "get", "/pets"),
            (Some("listPets"), "get", "/animals"),
            (Some("listPets"), "get", "/animals/"),
            (None, "get", "/animals"),
            (Some("repos/list-for-user"), "get", "/r"),
            (Some("  List all the \"pets\"! "), "get", "/p"),
            (Some("???"), "get", "/q"),
        ];
        let given: Vec<String> =
            operations.iter().map(|(id, method, path)| names.next(*id, method, path)).collect();
        assert_snapshot!(given.join("\n"), @"
        listPets
        get_animals
        get_animals_2
        get_animals_3
        repos/list-for-user
        List_all_the_pets
        get_q
        ");
    }

    #[test]
    fn a_name_has_an_end() {
        let long = "x".repeat(1000);
        assert_eq!(Names::default().next(Some(&long), "get", "/").len(), MOST_CHARACTERS);
        assert_eq!(from_path("get", &format!("/{long}")).len(), MOST_CHARACTERS);
    }
}
