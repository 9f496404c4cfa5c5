//! The secrets that stand in arguments, for whoever must not repeat them.

use super::address::addresses;
use super::{Hidden, bare, begins_like_secret, looked_at, within};

/// How the names of arguments end that say where something is.
const PLACES: [&str; 6] = ["dir", "path", "file", "folder", "root", "directory"];

/// What in arguments is a secret.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::config) struct Values<'a> {
    /// It begins like one, or is a password before a host.
    pub(in crate::config) sure: Vec<&'a str>,
    /// It is only called one.
    pub(in crate::config) perhaps: Vec<&'a str>,
    /// Addresses, which may hold some.
    pub(in crate::config) addresses: Vec<&'a str>,
}

/// The secrets that stand in arguments themselves. What references stand for is not among them.
pub(in crate::config) fn of_arguments(args: &[String]) -> Values<'_> {
    let mut values = Values::default();
    for (argument, hidden) in looked_at(args) {
        values.addresses.extend(addresses(argument).into_iter().map(|range| &argument[range]));
        values.sure.extend(bare::passwords(argument).into_iter().map(|range| &argument[range]));
        if let Some(Hidden { name, before }) = hidden
            && !is_place(&name)
        {
            // What is hidden is all that follows.
            values.push(&argument[before.len()..]);
        }
        for (_, begins) in within::all(argument).filter(|(name, _)| !is_place(name)) {
            values.push(within::value(argument, begins));
        }
    }
    values
}

impl<'a> Values<'a> {
    fn push(&mut self, value: &'a str) {
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
        let values = of_arguments(&args);
        assert_eq!(values.sure, ["ghp_0123456789abcdef", "s3cretpw"]);
        assert_eq!(
            values.perhaps,
            ["correct horse", "abcdefgh LOGIN_TOKEN=ijklmnop exec x", "abcdefgh", "ijklmnop"]
        );
        assert_eq!(values.addresses, ["postgres://u:secretpw@h/"]);
    }
}
