//! Tokens, the vault and the settings, one promise at a time.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use privacy::{Detector, Key, Kind, Pattern, Settings, SettingsError, Tokenizer, Vault};

fn tokenizer() -> Tokenizer {
    with(&Settings::default())
}

fn with(settings: &Settings) -> Tokenizer {
    Tokenizer::new(Detector::new(settings).unwrap(), Key::new(&[9; 32]))
}

fn text(tokenizer: &Tokenizer, text: &str) -> String {
    tokenizer.tokenize_text(text, &mut Vault::default()).into_owned()
}

#[test]
fn the_same_value_has_the_same_token_and_another_key_another() {
    let one = text(&tokenizer(), "jane@example.com");
    assert_eq!(one, text(&tokenizer(), "jane@example.com"));
    let other = Tokenizer::new(Detector::new(&Settings::default()).unwrap(), Key::new(&[8; 32]));
    assert_ne!(one, text(&other, "jane@example.com"));
    let body = one.strip_prefix("EMAIL_").unwrap();
    assert_eq!(body.len(), 12);
    assert!(body.bytes().all(|one| one.is_ascii_lowercase() || one.is_ascii_digit()), "{one}");
}

#[test]
fn another_way_to_write_it_begins_with_the_same_token_and_comes_back_as_written() {
    let tokenizer = tokenizer();
    let mut vault = Vault::default();
    let plain = tokenizer.tokenize_text("+49301234567", &mut vault).into_owned();
    let spaced = tokenizer.tokenize_text("+49 30 1234567", &mut vault).into_owned();
    assert_eq!(spaced.len(), plain.len() + 4);
    assert!(spaced.starts_with(&plain));
    assert_eq!(vault.restore_text(&spaced), "+49 30 1234567");
    assert_eq!(vault.restore_text(&plain), "+49301234567");
}

#[test]
fn tokens_are_put_back_inside_urls_code_and_names_of_fields() {
    let tokenizer = tokenizer();
    let mut vault = Vault::default();
    let token = tokenizer.tokenize_text("jane@example.com", &mut vault).into_owned();
    let json = format!(r#"{{"url":"https://x.org/?q={token}&b=1","{token}":["x = '{token}'"]}}"#);
    assert_eq!(
        vault.restore_json(&json).unwrap(),
        r#"{"url":"https://x.org/?q=jane@example.com&b=1","jane@example.com":["x = 'jane@example.com'"]}"#
    );
}

#[test]
fn numbers_become_texts_and_numbers_again() {
    let tokenizer = tokenizer();
    let mut vault = Vault::default();
    let json =
        r#"{"card_number": 4111111111111111, "big": 123456789012345678901234567890, "x": 1.50}"#;
    let tokens = tokenizer.tokenize_json(json, &mut vault).unwrap().into_owned();
    assert!(tokens.starts_with(r#"{"card_number": "CARD_"#), "{tokens}");
    assert!(
        tokens.ends_with(r#"", "big": 123456789012345678901234567890, "x": 1.50}"#),
        "{tokens}"
    );
    assert_eq!(vault.restore_json(&tokens).unwrap(), json);
}

#[test]
fn values_are_escaped_when_they_are_put_back() {
    let settings = Settings {
        patterns: vec![Pattern { name: "quoted".to_owned(), regex: r#""[a-z]+\\""#.to_owned() }],
        ..Settings::default()
    };
    let tokenizer = with(&settings);
    let mut vault = Vault::default();
    let json = serde_json::to_string(&[r#"say "abc\" now"#]).unwrap();
    let tokens = tokenizer.tokenize_json(&json, &mut vault).unwrap().into_owned();
    assert!(tokens.contains("QUOTED_"), "{tokens}");
    assert_eq!(vault.restore_json(&tokens).unwrap(), json);
}

#[test]
fn what_looks_like_a_token_and_is_unknown_stays() {
    let vault = Vault::default();
    let text = "EMAIL_000000000000 and EMAIL_k3v9q2xw7m12";
    assert_eq!(vault.restore_text(text), text);
    assert_eq!(self::text(&tokenizer(), text), text);
}

#[test]
fn a_full_vault_forgets_the_oldest_and_counts() {
    let tokenizer = tokenizer();
    let mut vault = Vault::new(2);
    let tokens = tokenizer
        .tokenize_text("a1@example.com b1@example.com c1@example.com", &mut vault)
        .into_owned();
    assert_eq!((vault.len(), vault.dropped()), (2, 1));
    let back = vault.restore_text(&tokens).into_owned();
    assert!(
        back.starts_with("EMAIL_") && back.ends_with(" b1@example.com c1@example.com"),
        "{back}"
    );
}

#[test]
fn a_vault_is_stored_and_read_and_never_printed() {
    let tokenizer = tokenizer();
    let mut vault = Vault::new(10);
    let tokens = tokenizer
        .tokenize_json(r#"{"phone":14155550132,"mail":"a@example.com"}"#, &mut vault)
        .unwrap()
        .into_owned();
    let stored = serde_json::to_string(&vault).unwrap();
    let read: Vault = serde_json::from_str(&stored).unwrap();
    assert_eq!(read.restore_json(&tokens).unwrap(), vault.restore_json(&tokens).unwrap());
    assert_eq!(serde_json::to_string(&read).unwrap(), stored);
    assert!(!format!("{vault:?}").contains("example"));
    assert!(!format!("{tokenizer:?}").contains('9'), "{tokenizer:?}");
}

#[test]
fn own_patterns_and_fields_are_found_and_kinds_can_be_left_out() {
    let settings: Settings = serde_json::from_str(
        r#"{"kinds":["email"],"patterns":[{"name":"employee-id","regex":"E-[0-9]{6}"}],"name-fields":["Spieler"]}"#,
    )
    .unwrap();
    let tokenizer = with(&settings);
    let found = text(&tokenizer, "E-123456 called +49 30 12345678");
    assert!(
        found.starts_with("EMPLOYEEID_") && found.ends_with(" called +49 30 12345678"),
        "{found}"
    );

    let settings = Settings { name_fields: vec!["Spieler".to_owned()], ..Settings::default() };
    let found = Detector::new(&settings).unwrap().find_json(r#"{"spieler":"pelé"}"#).unwrap();
    assert_eq!(found[0].kind, Kind::Name);
}

#[test]
fn settings_that_cannot_work_say_what_to_write() {
    let pattern = |name: &str, regex: &str| Settings {
        patterns: vec![Pattern { name: name.to_owned(), regex: regex.to_owned() }],
        ..Settings::default()
    };
    let error = |settings: Settings| Detector::new(&settings).unwrap_err();
    let kinds = Settings { kinds: vec!["mail".to_owned()], ..Settings::default() };
    assert_eq!(
        error(kinds).to_string(),
        "there is no kind \"mail\" of personal data; write one of email, phone, name, address, card, iban, national_number, ip"
    );
    assert!(matches!(error(pattern("1a", "x")), SettingsError::PatternName { .. }));
    assert!(matches!(error(pattern("e-mail", "x")), SettingsError::PatternNameTaken { .. }));
    assert!(matches!(error(pattern("a", "(")), SettingsError::PatternRegex { .. }));
    assert!(matches!(error(pattern("a", "x*")), SettingsError::PatternEmpty { .. }));
    let fields = Settings { name_fields: vec!["12".to_owned()], ..Settings::default() };
    assert!(matches!(error(fields), SettingsError::NameField { .. }));
    assert!(serde_json::from_str::<Settings>(r#"{"kind":["email"]}"#).is_err());
}
