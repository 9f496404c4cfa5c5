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
fn every_other_key_is_said_by_file_variable_or_flag_and_shown_with_who_said_it() {
    let user = User::new();
    let text = "learn = false\n[network]\nallow = [\"file.example.com\"]\ntimeout = \"5s\"\n\
                [policy]\nwrites = \"ask\"\n[limits]\ncalls = 7\nfiles = 8\n";
    let file = user.file("tidegate.toml", text);
    let shown = user
        .command(&["config", "show", "--json", "--set", "network.max-bytes=2MiB"])
        .args(["--set", "limits.calls=9", "--set", "elicitation=decline"])
        .env("TIDEGATE_CONFIG", &file)
        .env("TIDEGATE_CHECK", "off")
        .env("TIDEGATE_LIMITS_CALLS", "8")
        .env("TIDEGATE_ROOTS", "file:///a, file:///b")
        .env("TIDEGATE_NETWORK_ALLOW", "variable.example.com")
        .env("TIDEGATE_PRIVACY_PII", "logs")
        .env("TIDEGATE_REVIEW_HARDENED_LOW", "deny")
        .env("TIDEGATE_AUDIT_WEBHOOK", "https://h/secret")
        .env("TIDEGATE_ASK_KEY", "sk-secret")
        .output()
        .unwrap();
    assert!(shown.status.success(), "{shown:?}");
    let text = String::from_utf8(shown.stdout).unwrap();
    assert!(!text.contains("secret\""), "{text}");
    let shown: Value = serde_json::from_str(&text).unwrap();
    let file = file.to_str().unwrap();
    for (key, value, origin) in [
        ("learn", "false", file),
        ("network.timeout", "5s", file),
        ("policy.writes", "ask", file),
        ("limits.files", "8", file),
        ("check", "off", "TIDEGATE_CHECK"),
        ("roots", "file:///a,file:///b", "TIDEGATE_ROOTS"),
        // A variable goes before the file, and a flag before both.
        ("network.allow", "variable.example.com", "TIDEGATE_NETWORK_ALLOW"),
        ("limits.calls", "9", "--set limits.calls"),
        ("network.max-bytes", "2MiB", "--set network.max-bytes"),
        ("elicitation", "decline", "--set elicitation"),
        ("privacy.pii", "logs", "TIDEGATE_PRIVACY_PII"),
        ("review.hardened.low", "deny", "TIDEGATE_REVIEW_HARDENED_LOW"),
        ("audit.webhook", "***", "TIDEGATE_AUDIT_WEBHOOK"),
        ("ask.key", "***", "TIDEGATE_ASK_KEY"),
        ("embeddings", "false", "default"),
        ("audit.anomalies", "true", "default"),
        ("ask.attempts", "3", "default"),
        ("network.allow-private", "", "default"),
    ] {
        assert_eq!(shown[key]["value"], value, "{key}: {text}");
        assert_eq!(shown[key]["origin"], origin, "{key}: {text}");
    }
}

#[test]
fn what_a_variable_says_is_done() {
    let user = User::new();
    let program = user.file("program.py", "x = 1\nx / 0\n");
    let run = |check: &str| {
        let mut command = user.command(&["run", program.to_str().unwrap()]);
        let said = command.env("TIDEGATE_CHECK", check).output().unwrap();
        String::from_utf8(said.stderr).unwrap()
    };
    assert!(run("on").contains("was not run"), "{}", run("on"));
    assert!(run("off").contains("ZeroDivisionError"), "{}", run("off"));
    let strange = user.command(&["config", "show"]).env("TIDEGATE_PROT", "9000").output().unwrap();
    let told = String::from_utf8(strange.stderr).unwrap();
    assert!(told.contains("TIDEGATE_PROT means nothing; did you mean TIDEGATE_PORT?"), "{told}");
    let wrong = run("maybe");
    assert!(wrong.contains("TIDEGATE_CHECK") && wrong.contains("`check`"), "{wrong}");
    let said = user.tidegate(&["--set", "network.alow=x", "config", "show"]);
    assert!(said.code == Some(2) && said.stderr.contains("`network.allow`"), "{said:?}");
}

#[test]
fn servers_rules_and_tokens_are_shown_with_the_line_that_has_them() {
    let user = User::new();
    let text = "[servers.one]\ncommand = \"one\"\nargs = [\"--token\", \"abc\"]\n\n\
                [servers.two]\nurl = \"https://h/mcp\"\nenabled = false\n\n\
                [[policy.rules]]\ntools = \"one.*\"\naction = \"deny\"\n\n\
                [audit]\nwebhook = \"${env:HOOK}\"\nheaders = { Authorization = \"Bearer x\" }\n";
    let file = user.file("tidegate.toml", text);
    user.ok(&["token", "create", "alice"]);
    let said = user.ok(&["--config", file.to_str().unwrap(), "config", "show", "--json"]);
    let shown: Value = serde_json::from_str(&said).unwrap();
    let at = |line: usize| format!("{}:{line}", file.display());
    for (key, value, origin) in [
        ("servers.one", "one --token ***", at(1)),
        ("servers.two", "https://h/mcp (switched off)", at(5)),
        ("policy.rules.1", "tools one.*, action deny", at(9)),
        ("audit.headers.Authorization", "***", at(15)),
        ("audit.webhook", "${env:HOOK}", file.display().to_string()),
    ] {
        assert_eq!(shown[key]["value"], value, "{key}: {said}");
        assert_eq!(shown[key]["origin"], origin, "{key}: {said}");
    }
    let mut tokens = shown.as_object().unwrap().iter();
    let token = tokens.find(|(name, _)| name.starts_with("tokens.")).unwrap().1;
    assert_eq!(token["value"], "alice: execute, read", "{said}");
    assert!(token["origin"].as_str().unwrap().ends_with("tidegate.db"), "{said}");
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
