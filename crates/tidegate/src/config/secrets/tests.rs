//! References are read, resolved and escaped; nothing of the machine is looked at.

use std::path::Path;

use super::*;

#[test]
fn references_stand_for_what_is_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("token.txt"), "from-file\r\n").unwrap();
    for (text, whole) in [
        ("plain", "plain"),
        ("", ""),
        ("Bearer ${env:TOKEN}!", "Bearer from-env!"),
        ("${env:NONE:-usual}", "usual"),
        ("${env:EMPTY:-usual}", "usual"),
        ("${env:EMPTY}", ""),
        ("${env:TOKEN:-usual}", "from-env"),
        ("${env:NONE:-}", ""),
        ("${file:token.txt}", "from-file"),
        ("${keyring:https://h/x/me}", "from-keyring"),
        ("${env:TOKEN}${env:TOKEN}", "from-envfrom-env"),
        ("$${env:TOKEN} costs $5 $", "${env:TOKEN} costs $5 $"),
    ] {
        assert_eq!(resolved(text, folder.path()).unwrap(), whole, "{text}");
    }
}

#[test]
fn what_is_missing_is_named() {
    for (text, words) in [
        ("${env:NONE}", "environment variable NONE is not set"),
        ("${file:none.txt}", "none.txt cannot be read"),
        ("${keyring:github/nobody}", "tidegate secret set github/nobody"),
    ] {
        let said = resolved(text, Path::new("/nowhere")).unwrap_err();
        assert!(said.contains(words), "{text}: {said}");
    }
}

#[test]
fn what_is_no_reference_is_refused_with_how_to_write_it() {
    for (text, words) in [
        ("${TOKEN}", "${env:TOKEN}"),
        ("${evn:TOKEN}", "${env:NAME}"),
        ("${env:}", "names nothing"),
        ("${keyring:alone}", "SERVICE/USER"),
        ("${env:X", "no `}`"),
    ] {
        let said = Template::parse(text).unwrap_err().to_string();
        assert!(said.contains(words), "{text}: {said}");
    }
}

fn resolved(text: &str, folder: &Path) -> Result<String, String> {
    let environment = |name: &str| match name {
        "TOKEN" => Some("from-env".into()),
        "EMPTY" => Some("".into()),
        _ => None,
    };
    let keyring = |entry: &Entry| match entry.to_string().as_str() {
        "https://h/x/me" => Ok("from-keyring".to_owned()),
        _ => Err(KeyringError::NoEntry { entry: entry.clone() }),
    };
    let lookup = Lookup { folder, home: None, environment: &environment, keyring: &keyring };
    Template::parse(text).unwrap().resolve(&lookup).map_err(|error| error.to_string())
}
