//! Values between escapes: halves of JSON, lines of logs, queries of addresses, names of fields.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use privacy::{Detector, Key, Settings, Tokenizer, Vault};

fn tokens(answer: &str) -> String {
    let tokenizer =
        Tokenizer::new(Detector::new(&Settings::default()).unwrap(), Key::new(&[5; 32]));
    let mut vault = Vault::default();
    let tokens = tokenizer.tokenize(answer, &mut vault).into_owned();
    assert_eq!(tokenizer.tokenize(&tokens, &mut vault), tokens);
    tokens
}

#[test]
fn an_escape_is_no_part_of_a_value() {
    for (text, left) in [
        (r#"{"msg":"Contact:\nanna@example.de"}"#, r#"{"msg":"Contact:\n"#),
        (r#"x "Contact:\nanna@example.de""#, r#"x "Contact:\n"#),
        (r#"x "Contact:\\nanna@example.de""#, r#"x "Contact:\\n"#),
        (r#"x "a\t4111 1111 1111 1111""#, r#"x "a\t"#),
        (r#"x "a\n203.0.113.7""#, r#"x "a\n"#),
        (r#"x "a\nDE89370400440532013000""#, r#"x "a\n"#),
        (r#"x "a\t+49 171 2345678""#, r#"x "a\t"#),
        (r"x j\u00f6rg@example.de", "x "),
        ("x?email=kim%40example.com", "x?email="),
    ] {
        let two = format!("{text}\n{text}");
        for text in [text, &two] {
            let tokens = tokens(text);
            assert!(tokens.starts_with(left), "{text}: {tokens}");
            let kind = &tokens[left.len()..];
            assert!(kind.starts_with(|first: char| first.is_ascii_uppercase()), "{text}: {tokens}");
        }
    }
}

#[test]
fn lines_of_json_stay_json_and_are_read_by_their_fields() {
    let lines =
        "{\"first_name\":\"Ida\",\"note\":\"a\\nb@example.de\"}\n{\"card\":4111111111111111}\n";
    let tokens = tokens(lines);
    for line in tokens.lines() {
        assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{tokens}");
    }
    assert!(
        !tokens.contains("Ida") && !tokens.contains("example") && !tokens.contains("4111"),
        "{tokens}"
    );
}

#[test]
fn tables_are_read_by_their_columns() {
    for table in [
        r#"[["id","full_name","phone","ok"],[1,"Hana Malá","601 123 456",true],[2,null,"602 123 456",null],[3,"Petr Nový",null,1]]"#,
        r#"{"columns":["id","full_name","phone"],"rows":[[1,"Hana Malá","601 123 456"],[2,"Petr Nový","602 123 456"]]}"#,
    ] {
        let tokens = tokens(table);
        assert!(!["Hana", "Petr", "601", "602"].iter().any(|one| tokens.contains(one)), "{tokens}");
    }
    for table in [
        r#"{"columns":["name","price"],"rows":[["Blue Lamp",1250],["Red Lamp",1300]]}"#,
        r#"[["Hello","World"],["Jane","12345678"]]"#,
        r#"{"fields":["phone"],"rows":[["1234567"]]}"#,
    ] {
        assert_eq!(tokens(table), table);
    }
}

#[test]
fn fields_of_forms_and_lines_of_logs_name_people() {
    for (text, left) in [
        ("q?name=Jane+Doe&x=1", "q?name=NAME_"),
        ("INFO login ok user=\"Jane Doe\" id=7", "INFO login ok user=\"NAME_"),
        ("no way to Jane Doe <jane@example.com>: 550", "no way to NAME_"),
        ("jane [dot] doe (at) example (dot) com", "EMAIL_"),
        ("Tel.: 0 89 / 55 02 71-13", "Tel.: PHONE_"),
        ("Rückruf: (0 40) 42 83 80", "Rückruf: PHONE_"),
    ] {
        let tokens = tokens(text);
        assert!(tokens.starts_with(left), "{text}: {tokens}");
    }
}

#[test]
fn names_of_fields_are_looked_through() {
    let tokens = tokens(
        r#"{"203.0.113.7":1,"+49 171 2345678":2,"DE89370400440532013000":3,"total_2024":4}"#,
    );
    for kind in ["\"IP_", "\"PHONE_", "\"IBAN_", "\"total_2024\""] {
        assert!(tokens.contains(kind), "{tokens}");
    }
}

#[test]
fn who_was_named_in_a_field_is_found_in_the_texts_beside_it() {
    let tokens = tokens(
        r#"{"first_name":"Ida","last_name":"Brandt","note":"Ida Brandt called; Ida Brandtner did not"}"#,
    );
    assert!(!tokens.contains("Ida Brandt called"), "{tokens}");
    assert!(tokens.contains("; Ida Brandtner did not"), "{tokens}");
}
