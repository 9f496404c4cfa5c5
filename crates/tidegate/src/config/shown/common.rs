//! Passwords that everybody has: hiding them would hide words.

/// What is put where a password has to be, and what passwords are often the same as.
const COMMONPLACE: [&str; 40] = [
    "password",
    "passwd",
    "pass",
    "passphrase",
    "secret",
    "token",
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "mongodb",
    "mongo",
    "redis",
    "rabbitmq",
    "sqlserver",
    "database",
    "root",
    "admin",
    "administrator",
    "user",
    "username",
    "guest",
    "test",
    "testing",
    "example",
    "sample",
    "changeme",
    "default",
    "app",
    "local",
    "localhost",
    "dev",
    "develop",
    "development",
    "stage",
    "staging",
    "prod",
    "production",
    "public",
    "x-oauth-basic",
];
/// A password of fewer letters is no sure one,
const SHORT: usize = 6;
/// and of fewer than these, one that could be a word is none.
const LONG: usize = 12;

/// Whether a text is a word that means nothing.
pub(in crate::config) fn is_commonplace(text: &str) -> bool {
    COMMONPLACE.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// Whether what stands in the place of a password is no secret.
pub(super) fn is_no_secret(user: &str, password: &str) -> bool {
    password.eq_ignore_ascii_case(user) || is_commonplace(password)
}

/// Whether a password is surely none of the words that are said anyway.
pub(super) fn is_sure(password: &str) -> bool {
    let length = password.chars().count();
    let is_word =
        password.chars().all(char::is_lowercase) || password.chars().all(char::is_uppercase);
    length >= LONG || (length >= SHORT && !is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_told_from_words() {
        for (user, password) in [("postgres", "postgres"), ("anna", "Anna"), ("anna", "Production")]
        {
            assert!(is_no_secret(user, password), "{password}");
        }
        for password in ["pw1", "customers", "CUSTOMERS"] {
            assert!(!is_no_secret("anna", password) && !is_sure(password), "{password}");
        }
        for password in ["hunter2", "aBcDeF", "customersofmine"] {
            assert!(!is_no_secret("anna", password) && is_sure(password), "{password}");
        }
    }
}
