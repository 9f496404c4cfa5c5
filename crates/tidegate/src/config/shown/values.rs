//! The secrets that stand in arguments, for whoever must not repeat them.

use super::address::addresses;
use super::common::{is_commonplace, is_no_secret, is_sure};
use super::{Hidden, bare, begins_like_secret, looked_at, within};

/// How the names of arguments end that say where something is.
const PLACES: [&str; 6] = ["dir", "path", "file", "folder", "root", "directory"];
/// What passwords are called in the texts that lead to databases and stores.
const PASSWORDS: [&str; 5] = ["password", "passwd", "pwd", "accountkey", "sharedaccesskey"];

/// What in arguments is a secret.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::config) struct Values<'a> {
    /// It begins like one, or is a password before a host.
    pub(in crate::config) sure: Vec<&'a str>,
    /// It is only called one.
    pub(in crate::config) perhaps: Vec<&'a str>,
    /// Those of them that are called passwords within a text, and read like one.
    pub(in crate::config) passwords: Vec<&'a str>,
    /// Addresses, which may hold some.
    pub(in crate::config) addresses: Vec<&'a str>,
}

/// The secrets that stand in the arguments of a command themselves. What references stand for is not among
/// them.
pub(in crate::config) fn of_arguments<'a>(command: &str, args: &'a [String]) -> Values<'a> {
    let mut values = Values::default();
    for (argument, hidden) in looked_at(command, args) {
        values.addresses.extend(addresses(argument).into_iter().map(|range| &argument[range]));
        for range in bare::passwords(argument) {
            let (user, password) = (bare::user(argument, range.start), &argument[range]);
            if !is_no_secret(user, password) {
                let list = if is_sure(password) { &mut values.sure } else { &mut values.perhaps };
                list.push(password);
            }
        }
        if let Some(Hidden { name, before }) = hidden
            && !is_place(&name)
        {
            // What is hidden is all that follows.
            values.push(&argument[before.len()..]);
        }
        for (name, begins) in within::all(argument).filter(|(name, _)| !is_place(name)) {
            let value = within::value(argument, begins);
            values.push(value);
            let is_called = PASSWORDS.iter().any(|password| password.eq_ignore_ascii_case(name));
            if is_called && is_sure(value) && !is_commonplace(value) {
                values.passwords.push(value);
            }
        }
    }
    values
}

impl<'a> Values<'a> {
    fn push(&mut self, value: &'a str) {
        if is_commonplace(value) {
            return;
        }
        let list = if begins_like_secret(value) { &mut self.sure } else { &mut self.perhaps };
        if !list.contains(&value) {
            list.push(value);
        }
    }
}

fn is_place(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    PLACES.iter().any(|place| name.ends_with(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_arguments_are_told_from_what_is_only_called_so() {
        let args = [
            "--token=ghp_0123456789abcdef",
            "--password",
            "correct horse",
            "--key-file",
            "/srv/anna/key",
            "DB=postgres://u:secretpw@h/ API_KEY=abcdefgh LOGIN_TOKEN=ijklmnop exec x",
            "--api-key=${env:KEY}",
            "anna:s3cretpw@db/x",
        ]
        .map(str::to_owned);
        let values = of_arguments("x", &args);
        assert_eq!(values.sure, ["ghp_0123456789abcdef", "s3cretpw"]);
        assert_eq!(
            values.perhaps,
            ["correct horse", "abcdefgh LOGIN_TOKEN=ijklmnop exec x", "abcdefgh", "ijklmnop"]
        );
        assert_eq!(values.addresses, ["postgres://u:secretpw@h/"]);
    }

    #[test]
    fn words_in_the_place_of_passwords_are_not_sure() {
        let args =
            ["root:root@db/x anna:customers@db/x", "Server=h;Password=connpw123;Token=abcdefg9"]
                .map(str::to_owned);
        let values = of_arguments("x", &args);
        assert_eq!(values.sure, [""; 0]);
        assert!(values.perhaps.contains(&"customers") && !values.perhaps.contains(&"root"));
        assert_eq!(values.passwords, ["connpw123"]);
    }
}
