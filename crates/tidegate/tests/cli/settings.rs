//! Where a setting comes from.

use serde_json::Value;

use crate::tide::User;

#[test]
fn every_setting_is_shown_with_who_said_it() {
    let user = User::new();
    let file = user.file("tidegate.toml", "[serve]\nidle-freeze = \"7s\"\nmax-live = 5\n");
    let shown = user
        .command(&["config", "show", "--json"])
        .env("TIDEGATE_CONFIG", &file)
        .env("TIDEGATE_PORT", "8123")
        .env("TIDEGATE_MAX_LIVE", "6")
        .output()
        .unwrap();
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    for (setting, value, origin) in [
        ("idle-freeze", "7s", file.to_str().unwrap()),
        ("port", "8123", "TIDEGATE_PORT"),
        // A variable goes before the file.
        ("max-live", "6", "TIDEGATE_MAX_LIVE"),
        ("host", "127.0.0.1", "default"),
    ] {
        assert_eq!(shown[setting]["value"], value, "{setting}: {shown}");
        assert_eq!(shown[setting]["origin"], origin, "{setting}: {shown}");
    }
}

#[test]
fn a_setting_that_does_not_exist_is_named_with_the_nearest() {
    let user = User::new();
    let file = user.file("tidegate.toml", "[serve]\nidle-freze = \"7s\"\n");
    let said = user.command(&["config", "show"]).env("TIDEGATE_CONFIG", &file).output().unwrap();
    let told = String::from_utf8(said.stderr).unwrap();
    assert!(!said.status.success() && told.contains("idle-freze"), "{told}");
    assert!(told.contains("idle-freeze"), "{told}");
}

#[test]
fn the_reference_in_the_manual_is_the_one_that_the_command_prints() {
    let printed = User::new().ok(&["config", "reference"]);
    let page = include_str!("../../../../docs/src/configuration.md");
    assert_eq!(
        printed, page,
        "print it anew: tidegate config reference > docs/src/configuration.md"
    );
}
