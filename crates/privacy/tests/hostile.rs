//! Inputs made to be slow or to break something.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::time::{Duration, Instant};

use privacy::{Detector, JsonError, Key, Settings, Tokenizer, Vault};

fn tokenizer() -> Tokenizer {
    Tokenizer::new(Detector::new(&Settings::default()).unwrap(), Key::new(&[3; 32]))
}

/// What is repeated until it is long.
const PIECES: &[&str] = &[
    "a",
    "A",
    "@",
    "a@",
    "a@b.",
    "1",
    "1 ",
    "1-",
    "1.",
    "(1",
    "+1",
    "+1 ",
    "0 ",
    "00",
    "1:",
    ":",
    "::",
    "a:",
    "2001:",
    "Name: ",
    "Name: Jane ",
    "Customer: Jane Doe ",
    "<",
    "Jane Doe <",
    "Jane Doe <j@x.de>",
    "_",
    "EMAIL_",
    "EMAIL_000000000000",
    "AEMAIL_000000000000",
    "Hauptstraße 1",
    "Hauptstraße 1, ",
    "Hauptstraße 12, 10115 Berlin ",
    "12 Main Street ",
    "12 Main ",
    "Main ",
    "Rua ",
    "Via de ",
    "Calle A A A ",
    "12 rue de la ",
    "ul. ",
    "PO Box 1 ",
    "東京都千",
    "路1号",
    "DE89 ",
    "DE89",
    "DE",
    "AB 12 34 56 C",
    "4111 ",
    "4111 1111 1111 1111 ",
    "555-123-4567 ",
    "jane@example.com ",
    "203.0.113.7 ",
    "x@y.zz",
    "{",
    "[",
    "\"",
    "\\",
    "ß",
    "é1",
    "\u{0}",
    "phone 1",
    "order ",
    "%",
    "%4",
    "\\n",
    "\\u00",
    "+a",
    "a=b+c",
    "a+b&",
    "{\"a\":",
    "[\"",
    "[[\"name\",\"phone\"],",
    "Address: ",
    "Address: A 1, ",
    "A 1, 10000 ",
    "A 1,\n",
    "(at)",
    "a(at)a.",
    "a [dot] ",
    "a+b=",
    "ул. А ",
    "Jl. A ",
    "Plot 1, A, ",
    "로",
    "شارع ",
    "Dr. ",
    "A (B) ",
    "\"A\"@",
    "李",
    "A Cad ",
    "user=\"Jane Doe\" ",
];

/// A megabyte takes a fraction of a second; what grows with the square would take minutes.
#[test]
fn time_grows_with_length_whatever_the_text() {
    let tokenizer = tokenizer();
    for piece in PIECES {
        let text = piece.repeat(1_000_000 / piece.len());
        let started = Instant::now();
        let mut vault = Vault::default();
        let tokens = tokenizer.tokenize_text(&text, &mut vault).into_owned();
        assert_eq!(vault.restore_text(&tokens), text, "{piece}");
        let json = serde_json::to_string(&text).unwrap();
        let tokens = tokenizer.tokenize_json(&json, &mut vault).unwrap().into_owned();
        assert_eq!(vault.restore_json(&tokens).unwrap(), json, "{piece}");
        let elapsed = started.elapsed();
        assert!(elapsed < Duration::from_secs(20), "{piece:?}: {elapsed:?}");
    }
}

#[test]
fn deep_nesting_is_refused_and_not_followed() {
    let tokenizer = tokenizer();
    let mut vault = Vault::default();
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = open.repeat(128) + "1" + &close.repeat(128);
        assert!(tokenizer.tokenize_json(&deep, &mut vault).is_ok());
        let deeper = open.repeat(100_000) + "1" + &close.repeat(100_000);
        assert!(matches!(
            tokenizer.tokenize_json(&deeper, &mut vault),
            Err(JsonError::TooDeep { .. })
        ));
        assert!(matches!(vault.restore_json(&deeper), Err(JsonError::TooDeep { .. })));
    }
    let mut text = "{\"email\":\"jane@example.com\"}".to_owned();
    for _ in 0..10 {
        text = serde_json::to_string(&[text]).unwrap();
    }
    let tokens = tokenizer.tokenize_json(&text, &mut vault).unwrap().into_owned();
    assert!(!tokens.contains("jane"));
    assert_eq!(vault.restore_json(&tokens).unwrap(), text);
}

#[test]
fn half_a_character_is_left_as_it_is() {
    let tokenizer = tokenizer();
    let mut vault = Vault::default();
    let json =
        r#"{"a":"\ud800 jane@example.com \udc00\ud83d\ude00","b":"caf\u00e9 \"+49 30 12345678\""}"#;
    let tokens = tokenizer.tokenize_json(json, &mut vault).unwrap().into_owned();
    assert!(tokens.starts_with(r#"{"a":"\ud800 EMAIL_"#), "{tokens}");
    assert!(tokens.contains(r#" \udc00\ud83d\ude00","b":"caf\u00e9 \"PHONE_"#), "{tokens}");
    assert_eq!(vault.restore_json(&tokens).unwrap(), json);
}

#[test]
fn what_is_not_json_is_an_error_that_says_where() {
    let tokenizer = tokenizer();
    let mut vault = Vault::default();
    for text in [
        "",
        "{",
        "[1,]",
        "{\"a\"}",
        "{\"a\":1,}",
        "\"\\x\"",
        "\"a",
        "01",
        "1.",
        "-",
        "tru",
        "[1] 2",
        "\"\n\"",
        "\"\\u12\"",
        "1e",
    ] {
        assert!(
            matches!(tokenizer.tokenize_json(text, &mut vault), Err(JsonError::Invalid { .. })),
            "{text}"
        );
        assert!(serde_json::from_str::<serde_json::Value>(text).is_err(), "{text}");
    }
}
