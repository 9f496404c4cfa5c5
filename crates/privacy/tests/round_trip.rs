//! Whatever is tokenised comes back, stays JSON, and is tokenised once.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use privacy::{Detector, Key, Pattern, Settings, Tokenizer, Vault};
use proptest::prelude::*;
use serde_json::{Value, json};

fn tokenizer() -> Tokenizer {
    let own = |name: &str, regex: &str| Pattern { name: name.to_owned(), regex: regex.to_owned() };
    let settings = Settings {
        patterns: vec![own("staff", "E-[0-9]{4}"), own("low", "[a-c]{3}")],
        name_fields: vec!["spieler".to_owned()],
        ..Settings::default()
    };
    Tokenizer::new(Detector::new(&settings).unwrap(), Key::new(&[7; 32]))
}

/// Pieces that are personal, nearly so, or in the way.
fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "jane@example.com",
        "+49 30 12345678",
        "555-123-4567",
        "(212) 555-0187",
        "4111 1111 1111 1111",
        "378282246310005",
        "DE89 3704 0044 0532 0130 00",
        "536-22-9871",
        "86095742719",
        "203.0.113.7",
        "2001:db8::42",
        "Hauptstraße 12, 10115 Berlin",
        "12 rue de la Paix, 75002 Paris",
        "221B Baker Street",
        "Name: ",
        "Customer: ",
        "Jane Doe",
        "Max Mustermann",
        "phone ",
        "Tel. ",
        "order ",
        "SSN ",
        "passport ",
        "612 345 678",
        "E-1234",
        "abc",
        "EMAIL_",
        "_",
        "000000000000",
        "@",
        ":",
        "<",
        ">",
        " ",
        " ",
        ", ",
        "\n",
        "-",
        ".",
        "/",
        "(",
        "+",
        "0",
        "1",
        "2026-11-16",
        "12:30",
        "v",
        "ip ",
        "\"",
        "\\",
        "{",
        "}",
        "ß",
        "山田太郎",
        "氏名：",
        "नाम: ",
        "\u{0}",
        "x12",
        "AB 12 34 56 C",
        "123456789",
        "PO Box 12",
        ",",
        "ID ",
        "é",
    ];
    prop_oneof![
        4 => prop::sample::select(pieces.to_vec()).prop_map(str::to_owned),
        1 => "\\PC{0,6}",
        1 => "[0-9 ().+-]{1,16}",
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..14).prop_map(|pieces| pieces.concat())
}

fn key() -> impl Strategy<Value = String> {
    let keys = [
        "name",
        "email",
        "phone",
        "first_name",
        "customer",
        "address",
        "street",
        "card",
        "ssn",
        "iban",
        "ip",
        "id",
        "order_id",
        "price",
        "spieler",
        "items",
        "authors",
        "version",
        "note",
        "jane@example.com",
    ];
    prop_oneof![4 => prop::sample::select(keys.to_vec()).prop_map(str::to_owned), 1 => text()]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop::sample::select(vec![4_111_111_111_111_111_i64, 14_155_550_132, 536_229_871, 5])
            .prop_map(Value::from),
        any::<f64>()
            .prop_filter("JSON has none", |number| number.is_finite())
            .prop_map(Value::from),
        text().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((key(), inner.clone()), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            // A tool's answer: JSON in a text.
            inner.prop_map(|value| json!({"type": "text", "text": value.to_string()})),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn a_text_comes_back_and_is_tokenised_once(text in text()) {
        let tokenizer = tokenizer();
        let mut vault = Vault::default();
        let tokens = tokenizer.tokenize_text(&text, &mut vault).into_owned();
        prop_assert_eq!(&*vault.restore_text(&tokens), &text, "{}", tokens);
        let again = tokenizer.tokenize_text(&tokens, &mut vault).into_owned();
        prop_assert_eq!(&again, &tokens, "{}", text);
        let tokens = tokenizer.tokenize(&text, &mut vault).into_owned();
        prop_assert_eq!(&*vault.restore(&tokens), &text, "{}", tokens);
    }

    #[test]
    fn a_table_comes_back_and_is_tokenised_once(
        header in prop::sample::select(vec!["name,email,phone", "id;customer;price", "| Employee | Phone |"]),
        rows in prop::collection::vec(prop::collection::vec(piece(), 2..4), 0..6),
    ) {
        let between = if header.contains(',') { "," } else if header.contains(';') { ";" } else { "|" };
        let rows: Vec<String> = rows.iter().map(|row| row.join(between)).collect();
        let text = format!("{header}\n{}", rows.join("\n"));
        let tokenizer = tokenizer();
        let mut vault = Vault::default();
        let tokens = tokenizer.tokenize_text(&text, &mut vault).into_owned();
        prop_assert_eq!(&*vault.restore_text(&tokens), &text, "{}", tokens);
        let again = tokenizer.tokenize_text(&tokens, &mut vault).into_owned();
        prop_assert_eq!(&again, &tokens, "{}", text);
    }

    #[test]
    fn json_comes_back_and_is_tokenised_once(value in value()) {
        let tokenizer = tokenizer();
        let mut vault = Vault::default();
        let json = value.to_string();
        let tokens = tokenizer.tokenize_json(&json, &mut vault).unwrap().into_owned();
        prop_assert!(serde_json::from_str::<Value>(&tokens).is_ok(), "{}", tokens);
        prop_assert_eq!(&*tokenizer.tokenize(&tokens, &mut vault), &tokens);
        let back = vault.restore_json(&tokens).unwrap();
        prop_assert_eq!(&*back, &json, "{}", tokens);
        let again = tokenizer.tokenize_json(&tokens, &mut vault).unwrap().into_owned();
        prop_assert_eq!(&again, &tokens, "{}", json);
    }

    #[test]
    fn nothing_makes_it_panic(text in "\\PC{0,200}", bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let tokenizer = tokenizer();
        let mut vault = Vault::new(3);
        for text in [text, String::from_utf8_lossy(&bytes).into_owned()] {
            let _ = tokenizer.tokenize_text(&text, &mut vault);
            let _ = tokenizer.tokenize_json(&text, &mut vault);
            let _ = vault.restore_json(&text);
            let quoted = Value::from(text.as_str()).to_string();
            let found = tokenizer.tokenize_json(&quoted, &mut vault).unwrap().into_owned();
            prop_assert!(serde_json::from_str::<Value>(&found).is_ok());
        }
    }

    #[test]
    fn what_is_found_is_sorted_and_apart(text in text()) {
        let found = tokenizer().detector().find(&text);
        for pair in found.windows(2) {
            prop_assert!(pair[0].end <= pair[1].start);
        }
        for one in found {
            prop_assert!(one.start < one.end && text.is_char_boundary(one.start) && text.is_char_boundary(one.end));
        }
    }
}

#[test]
fn what_is_put_back_into_json_within_other_text_leaves_it_json() {
    let nick = Pattern { name: "nick".to_owned(), regex: "\"[A-Z][a-z]+\"".to_owned() };
    let settings = Settings { patterns: vec![nick], ..Settings::default() };
    let tokenizer = Tokenizer::new(Detector::new(&settings).unwrap(), Key::new(&[7; 32]));
    let mut vault = Vault::default();
    let person = json!({ "nick": "say \"Jo\"", "street": "12 High Street\nLeeds", "phone": 491_701_234_567_u64 });
    let hidden = tokenizer.tokenize_json(&person.to_string(), &mut vault).unwrap().into_owned();
    assert!(!hidden.contains("Jo") && !hidden.contains("4917"), "{hidden}");
    let is_person = |text: &str| {
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), person, "{text}");
    };
    let lines = format!("{hidden}\n{hidden}\n");
    vault.restore_text(&lines).lines().for_each(is_person);
    let arguments = json!({ "text": format!("payload={hidden}; {{x}}"), "lines": lines });
    let restored = vault.restore_json(&arguments.to_string()).unwrap().into_owned();
    let restored: Value = serde_json::from_str(&restored).unwrap();
    let text = restored["text"].as_str().unwrap();
    is_person(text.strip_prefix("payload=").unwrap().strip_suffix("; {x}").unwrap());
    restored["lines"].as_str().unwrap().lines().for_each(is_person);
    // One text in JSON, and the same outside of any.
    let nick = serde_json::from_str::<Value>(&hidden).unwrap()["nick"].clone();
    let text = nick.to_string();
    assert_eq!(vault.restore_text(&text), json!(person["nick"]).to_string());
    assert_eq!(vault.restore_text(nick.as_str().unwrap()), "say \"Jo\"");
}
