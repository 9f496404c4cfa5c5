//! What is hidden stays hidden, and what is put back is what there was.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use engine::{CallError, Context};
use serde_json::{Value, json};
use upstream::{Part, ToolResult};

use super::*;

const MAIL: &str = "anna.meier@example.com";

fn veil_at(folder: &Path) -> Arc<Veil> {
    Veil::new(Some(folder.join("privacy")), VeilSettings::default()).unwrap()
}

fn told(text: &str) -> ToolResult {
    ToolResult { content: vec![Part::Text { text: text.to_owned() }], ..ToolResult::default() }
}

fn text_of(result: &ToolResult) -> String {
    match &result.content[..] {
        [Part::Text { text }] => text.clone(),
        other => panic!("{other:?}"),
    }
}

/// What a program of `owner` sees of an answer.
async fn seen(veil: &Veil, owner: &str, text: &str) -> String {
    text_of(&veil.over(Pii::Tokenize, owner, "r").result(told(text)).await.unwrap())
}

/// What a server gets of a text in a call of `owner`.
async fn sent(veil: &Veil, owner: &str, text: &str) -> String {
    let sent = veil.over(Pii::Off, owner, "r").take_off("a.b", json!({ "to": text })).await;
    sent.unwrap()["to"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn tokens_are_the_same_in_every_process_and_mean_nothing_to_another_owner() {
    let folder = tempfile::tempdir().unwrap();
    let token = seen(&veil_at(folder.path()), "ann", MAIL).await;
    assert!(token.starts_with("EMAIL_"), "{token}");
    // Another process, with nothing in its memory.
    let later = veil_at(folder.path());
    assert_eq!(sent(&later, "ann", &format!("<{token}>")).await, format!("<{MAIL}>"));
    assert_eq!(sent(&later, "bob", &token).await, token);
    assert_eq!(seen(&later, "ann", MAIL).await, token);
    assert_ne!(seen(&later, "bob", MAIL).await, token);
    assert_eq!(sent(&later, "bob", &token).await, token);
}

#[tokio::test]
async fn json_stays_json_and_numbers_become_numbers_again() {
    let veil = Veil::in_memory();
    let structured = json!({ "card": 4_111_111_111_111_111_u64, "mail": MAIL, "n": 3 });
    let result = ToolResult { structured: Some(structured.clone()), ..ToolResult::default() };
    let cover = veil.over(Pii::Tokenize, "ann", "r");
    let seen = cover.result(result).await.unwrap().structured.unwrap();
    let is = |key: &str, start: &str| seen[key].as_str().unwrap().starts_with(start);
    assert!(is("card", "CARD_") && is("mail", "EMAIL_") && seen["n"] == 3, "{seen}");
    let back = veil.over(Pii::Off, "ann", "r2").take_off("a.b", seen).await.unwrap();
    assert_eq!(back, structured);
}

#[tokio::test]
async fn what_was_put_back_does_not_come_back_in_clear() {
    let veil = Veil::in_memory();
    let found = seen(&veil, "ann", r#"{"name": "Anna Meier", "phone": 491701234567}"#).await;
    let found: Value = serde_json::from_str(&found).unwrap();
    // A server whose answers nobody looks through, and that repeats what it was sent.
    let cover = veil.over(Pii::Off, "ann", "r");
    let sent = cover.take_off("chat.send", found.clone()).await.unwrap();
    assert_eq!(sent["name"], "Anna Meier");
    let words = "hello Anna Meier, and Joanna Meierhof";
    let seen = text_of(&cover.result(told(words)).await.unwrap());
    assert_eq!(seen, format!("hello {}, and Joanna Meierhof", found["name"].as_str().unwrap()));
    let seen = text_of(&cover.result(told(&sent.to_string())).await.unwrap());
    assert_eq!(serde_json::from_str::<Value>(&seen).unwrap(), found);
    let error = cover.words("no such person: Anna Meier".to_owned()).await.unwrap();
    assert!(!error.contains("Meier"), "{error}");
}

#[tokio::test]
async fn a_token_within_a_word_is_taken_out_of_the_answer_as_well() {
    let veil = Veil::in_memory();
    let about = json!({
        "first_name": "Zebulon", "name": "Anna Karenina", "mail": MAIL, "iban": "DE89370400440532013000",
        "card": "4111111111111111", "phone": "+49 151 12345678", "ip": "91.12.4.7",
    });
    let tokens: Value =
        serde_json::from_str(&seen(&veil, "ann", &about.to_string()).await).unwrap();
    for (key, value) in about.as_object().unwrap() {
        let (token, value) = (tokens[key].as_str().unwrap(), value.as_str().unwrap());
        assert_ne!(token, value, "{key} is not personal");
        for (before, after) in
            [("X", ""), ("", "x"), ("q", "q"), ("7", "7"), ("给", "发"), (token, "")]
        {
            let given = format!("{before}{token}{after}");
            let cover = veil.over(Pii::Off, "ann", "r");
            let sent = cover.take_off("a.b", json!([{ given.as_str(): given }])).await.unwrap();
            assert!(sent.to_string().contains(value), "{sent}");
            let result = ToolResult { structured: Some(sent.clone()), ..told(&sent.to_string()) };
            let back = cover.result(result).await.unwrap();
            let back = format!("{}{}", back.structured.as_ref().unwrap(), text_of(&back));
            assert!(!back.contains(value) && back.contains(&given), "{given}: {back}");
        }
    }
    // As a number, too.
    let card = tokens["card"].as_str().unwrap();
    let cover = veil.over(Pii::Off, "ann", "r");
    cover.take_off("a.b", json!([format!("7{card}7")])).await.unwrap();
    let back = cover.data(json!([741_111_111_111_111_117_u64])).await.unwrap();
    assert_eq!(back, json!([format!("7{card}7")]));
}

#[tokio::test]
async fn a_short_name_that_was_no_part_of_a_word_does_not_hide_others() {
    let veil = Veil::in_memory();
    let found = seen(&veil, "ann", r#"{"first_name": "Anna", "name": "Anna Karenina"}"#).await;
    let found: Value = serde_json::from_str(&found).unwrap();
    let (first, whole) = (found["first_name"].as_str().unwrap(), found["name"].as_str().unwrap());
    let cover = veil.over(Pii::Off, "ann", "r");
    cover.take_off("a.b", found.clone()).await.unwrap();
    let back = text_of(&cover.result(told("Anna, Annabelle, XAnna Karenina")).await.unwrap());
    assert_eq!(back, format!("{first}, Annabelle, X{whole}"));
}

#[tokio::test]
async fn errors_resources_prompts_and_replies_are_looked_through_and_pictures_are_not() {
    let veil = Veil::in_memory();
    let cover = veil.over(Pii::Tokenize, "ann", "r");
    let words = cover.words(format!("no mailbox {MAIL}")).await.unwrap();
    assert!(words.starts_with("no mailbox EMAIL_"), "{words}");
    let picture = "QUJD4111111111111111QUJD";
    let reply = json!({
        "content": [
            { "type": "text", "text": format!("{{\"mail\": \"{MAIL}\"}}") },
            { "type": "image", "data": picture, "mimeType": "image/png" },
            { "type": "resource", "resource": { "uri": "x://1", "text": MAIL } },
        ],
        "structuredContent": { "mail": MAIL },
        "isError": false,
    });
    let seen = cover.reply(reply).await.unwrap();
    assert!(!seen.to_string().contains(MAIL), "{seen}");
    assert_eq!(seen["content"][1]["data"], picture);
    let text: Value = serde_json::from_str(seen["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text["mail"], seen["structuredContent"]["mail"]);
    assert_eq!(text["mail"], seen["content"][2]["resource"]["text"]);
}

#[tokio::test]
async fn nobody_else_can_read_what_tokens_stand_for() {
    let folder = tempfile::tempdir().unwrap();
    let veil = veil_at(folder.path());
    // Nothing is made before anything is hidden.
    assert_eq!(sent(&veil, "ann", "EMAIL_k3v9q2xw7m45").await, "EMAIL_k3v9q2xw7m45");
    assert!(!folder.path().join("privacy").exists());
    seen(&veil, "ann", MAIL).await;
    let mode = |name: &str| {
        let about = std::fs::metadata(folder.path().join("privacy").join(name)).unwrap();
        about.permissions().mode() & 0o777
    };
    assert_eq!((mode(""), mode("key"), mode("values.db")), (0o700, 0o600, 0o600));
}

#[tokio::test]
async fn a_damaged_key_hands_nothing_over() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("privacy")).unwrap();
    std::fs::write(folder.path().join("privacy/key"), "short").unwrap();
    let veil = veil_at(folder.path());
    let error = veil.over(Pii::Tokenize, "ann", "r").result(told(MAIL)).await.unwrap_err();
    assert!(matches!(error, VeilError::Key(_)), "{error}");
    assert!(!error.after().message.contains(MAIL));
    let failed = CallError { kind: "ToolError".to_owned(), message: MAIL.to_owned() };
    let told = veil.over(Pii::Tokenize, "ann", "r").fault(failed).await.message;
    assert!(told.contains("privacy/key is no key of 32 bytes") && !told.contains(MAIL), "{told}");
}

#[tokio::test]
async fn no_more_values_are_kept_than_may_be_and_none_for_longer() {
    let folder = tempfile::tempdir().unwrap();
    let kept = |most, keep| {
        let settings = VeilSettings { keep, most, ..VeilSettings::default() };
        Veil::new(Some(folder.path().join("privacy")), settings).unwrap()
    };
    let veil = kept(20, Duration::from_secs(3600));
    let mut tokens = Vec::new();
    for number in 0..100 {
        tokens.push(seen(&veil, "ann", &format!("person{number}@example.com")).await);
    }
    veil.forget().await.unwrap();
    let mut known = 0;
    for (number, token) in tokens.iter().enumerate() {
        let sent = sent(&veil, "ann", token).await;
        known += usize::from(sent == format!("person{number}@example.com"));
        assert!(sent == *token || sent.contains('@'));
    }
    assert_eq!(known, 20);
    let veil = kept(20, Duration::ZERO);
    // Nobody has seen them for longer than no time at all.
    while veil.forget().await.unwrap() > 0 {}
    assert_eq!(sent(&veil, "ann", &tokens[99]).await, tokens[99]);
}

#[tokio::test]
async fn what_comes_back_written_as_addresses_do_is_taken_out_and_numbers_keep_their_digits() {
    let veil = Veil::in_memory();
    let found = seen(&veil, "ann", r#"{"name": "J\u00f6rg Vogt", "last_name": "Vogt"}"#).await;
    let found: Value = serde_json::from_str(&found).unwrap();
    let (name, last) = (found["name"].as_str().unwrap(), found["last_name"].as_str().unwrap());
    let cover = veil.over(Pii::Off, "ann", "r");
    let sent = cover.take_off("a.b", found.clone()).await.unwrap();
    assert_eq!(sent["last_name"], "Vogt");
    let words = |text: &str| cover.words(text.to_owned());
    let url = "https://h/?q=J%C3%B6rg%20Vogt&r=j%20Vogt&s=J%c3%b6rg+Vogt";
    let back = words(url).await.unwrap();
    assert_eq!(back, format!("https://h/?q={name}&r=j%20{last}&s={name}"));
    let lines = "{\"name\": \"J\\u00f6rg Vogt\"}\n{\"a\": 1}";
    let back = words(lines).await.unwrap();
    assert_eq!(back, format!("{{\"name\": \"{name}\"}}\n{{\"a\": 1}}"));
    let json = "{ \"n\": 123456789012345678901234567890, \"who\": \"Vogt\", \"f\": 1.50 }";
    let back = words(json).await.unwrap();
    assert_eq!(back, json.replace("Vogt", last));
}

#[tokio::test]
async fn a_request_has_values_as_its_parts_write_them() {
    let veil = Veil::in_memory();
    let person = json!({ "email": "a+b@example.de", "address": "Flat 3 & 4, 12 High Street", "ip": "2001:db8::7" });
    let found: Value =
        serde_json::from_str(&seen(&veil, "ann", &person.to_string()).await).unwrap();
    let of = |key: &str| found[key].as_str().unwrap();
    assert!(person.as_object().unwrap().keys().all(|key| found[key] != person[key]), "{found}");
    let (mail, address, ip) = (of("email"), of("address"), of("ip"));
    let ask = async |headers: Value, body: Value| {
        let url = format!("https://[{ip}]/u/{mail}?addr={address}&x=1");
        let request = json!({ "method": "POST", "url": url, "headers": headers, "body": body });
        veil.over(Pii::Tokenize, "ann", "r").request(request).await.unwrap()
    };
    let text = format!("m={mail}&a={address}");
    let form = json!([
        ["Content-Type", "application/x-www-form-urlencoded; charset=utf-8"],
        ["x-to", mail]
    ]);
    let sent = ask(form.clone(), json!({ "text": text })).await;
    let url = "https://[2001:db8::7]/u/a%2Bb%40example.de?addr=Flat%203%20%26%204%2C%2012%20High%20Street&x=1";
    assert_eq!(sent["url"], url);
    assert_eq!(sent["headers"][1][1], "a+b@example.de");
    let encoded = "m=a%2Bb%40example.de&a=Flat%203%20%26%204%2C%2012%20High%20Street";
    assert_eq!(sent["body"]["text"], encoded);
    // Bytes are looked through where they are text.
    let decoded = |sent: &Value| {
        use base64::Engine as _;
        let text = sent["body"]["base64"].as_str().unwrap();
        base64::engine::general_purpose::STANDARD.decode(text).unwrap()
    };
    let bytes = |bytes: &[u8]| {
        use base64::Engine as _;
        json!({ "base64": base64::engine::general_purpose::STANDARD.encode(bytes) })
    };
    let sent = ask(form, bytes(text.as_bytes())).await;
    assert_eq!(decoded(&sent), encoded.as_bytes());
    let sent = ask(json!([]), bytes(&[b"\xff\xfe", mail.as_bytes(), b"\xff"].concat())).await;
    assert_eq!(decoded(&sent), [&b"\xff\xfe"[..], b"a+b@example.de", b"\xff"].concat());
    let sent = ask(json!([]), json!({ "text": format!("{{\"m\": \"{mail}\"}}") })).await;
    assert_eq!(sent["body"]["text"], "{\"m\": \"a+b@example.de\"}");
    // Where nobody puts tokens into answers, they leave as they are.
    let request = json!({ "method": "GET", "url": mail, "headers": [] });
    let off = veil.over(Pii::Logs, "ann", "r").request(request.clone()).await.unwrap();
    assert_eq!(off, request);
}

#[tokio::test]
async fn with_logs_what_a_field_said_is_known_where_nothing_says_it_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let veil = veil_at(folder.path());
    let answer = r#"{"first_name": "Hannelore", "last_name": "Vogt", "street": "Ahornweg 5"}"#;
    let cover = veil.over(Pii::Logs, "ann", "r");
    assert_eq!(text_of(&cover.result(told(answer)).await.unwrap()), answer);
    let printed = "Hannelore Vogt ['Ahornweg 5']";
    let is_clean = |text: &str| {
        let kept = ["Hannelore", "Vogt", "Ahornweg"].iter().all(|value| !text.contains(value));
        assert!(kept && text.contains("NAME_") && text.contains("ADDRESS_"), "{text}");
    };
    is_clean(&veil.program("ann", printed).await.unwrap());
    is_clean(&veil.logged(printed));
    // Another process, and one that is asked after the first knows more.
    let later = veil_at(folder.path());
    let kept = later.program("ann", printed).await.unwrap();
    is_clean(&kept);
    assert_eq!(later.program_again("ann", &kept).await.unwrap(), printed);
    assert_eq!(later.program("bob", "Hannelore").await.unwrap(), "Hannelore");
    veil.over(Pii::Logs, "ann", "r").words(r#"{"first_name": "Kunigunde"}"#.into()).await.unwrap();
    assert!(!later.program("ann", "Kunigunde").await.unwrap().contains("Kunigunde"));
}

fn context(of: Value) -> Context {
    serde_json::from_value(of).unwrap()
}

fn with_secrets() -> Arc<Veil> {
    let allow = BTreeMap::from([("db".to_owned(), vec![Glob::new("postgres.*")])]);
    Veil::new(None, VeilSettings { allow, ..VeilSettings::default() }).unwrap()
}

const SECRET: &str = "s3cr\"et/päss";

#[tokio::test]
async fn a_secret_is_a_handle_that_only_its_run_can_send_where_it_may_go() {
    let veil = with_secrets();
    let mut variables = context(json!({ "db": { "$secret": SECRET }, "n": 1 }));
    let held = veil.take_secrets("ann", &mut variables).await.unwrap();
    veil.hold("r1", held);
    assert!(!variables.contains_key("db") && variables.contains_key("n"));
    let handles: Value = serde_json::from_str(variables["secrets"].get()).unwrap();
    let handle = handles["db"].as_str().unwrap();
    assert!(handle.starts_with("tgsecret_") && handle.len() == 33, "{handle}");
    let arguments = json!({ "url": format!("pg://u:{handle}@host"), "list": [handle] });
    let cover = veil.over(Pii::Off, "ann", "r1");
    let sent = cover.take_off("postgres.query", arguments.clone()).await.unwrap();
    assert_eq!(sent, json!({ "url": format!("pg://u:{SECRET}@host"), "list": [SECRET] }));
    // Repeated in any of the usual ways, it does not come back.
    let repeated = format!("{} {SECRET} s3cr%22et%2Fp%C3%A4ss", json!({ "a": SECRET }));
    let seen = text_of(&cover.result(told(&repeated)).await.unwrap());
    assert!(!seen.contains("ss ") && seen.matches(handle).count() == 3, "{seen}");
    let wrong = cover.take_off("chat.send", arguments.clone()).await.unwrap_err().before();
    assert_eq!(wrong.kind, SECRET_REFUSED);
    assert!(
        wrong.message.contains("[secrets] allow = { db = [\"chat.send\"] }"),
        "{}",
        wrong.message
    );
    let other =
        veil.over(Pii::Off, "ann", "r2").take_off("postgres.query", arguments.clone()).await;
    assert!(matches!(other, Err(VeilError::Secret(SecretError::Unknown { .. }))));
    veil.drop_secrets("r1");
    let over = veil.over(Pii::Off, "ann", "r1").take_off("postgres.query", arguments).await;
    assert!(matches!(over, Err(VeilError::Secret(SecretError::Unknown { .. }))));
}

#[tokio::test]
async fn a_secret_that_makes_no_sense_is_refused_without_its_value() {
    let veil = with_secrets();
    for wrong in [
        json!({ "db": { "$secret": "abc" } }),
        json!({ "db": { "$secret": 12345 } }),
        json!({ "db": { "$secret": "abcdef", "more": 1 } }),
        json!({ "db": { "$secret": "abcdef" }, "secrets": 1 }),
    ] {
        let error = veil.take_secrets("ann", &mut context(wrong)).await.unwrap_err().to_string();
        assert!(!error.contains("abc") && !error.contains("12345"), "{error}");
    }
    // What cannot be looked through is refused, and not passed on as it is.
    let deep = format!("{}{{\"$secret\": \"abcdef\"}}{}", "[".repeat(200), "]".repeat(200));
    let deep = serde_json::value::RawValue::from_string(deep).unwrap();
    let mut deep = Context::from_iter([("deep".to_owned(), deep)]);
    let error = veil.take_secrets("ann", &mut deep).await.unwrap_err().to_string();
    assert!(error.contains("nested too deep") && !error.contains("abcdef"), "{error}");
    let twice =
        json!({ "a": { "b.c": { "$secret": "abcdef" }, "b": { "c": { "$secret": "ghijkl" } } } });
    let error = veil.take_secrets("ann", &mut context(twice)).await.unwrap_err().to_string();
    assert!(error.contains("a.b.c"), "{error}");
}

#[tokio::test]
async fn a_secret_within_lists_and_objects_is_a_handle_too() {
    let veil = with_secrets();
    let mut variables = context(json!({
        "config": { "host": "h", "password": { "$secret": "abcdef" } },
        "keys": [[{ "$secret": "ghijkl" }], 1],
        "words": "about $secret",
    }));
    // However its name is written.
    let escaped = r#"{"x": {"\u0024secret": "mnopqr"}, "x": {"\u0024secret": "stuvwx"}}"#;
    let escaped = serde_json::value::RawValue::from_string(escaped.to_owned()).unwrap();
    variables.insert("escaped".to_owned(), escaped);
    let held = veil.take_secrets("ann", &mut variables).await.unwrap();
    let all: String = variables.values().map(|value| value.get()).collect();
    for value in ["abcdef", "ghijkl", "mnopqr", "stuvwx"] {
        assert!(!all.contains(value), "{all}");
    }
    let read = |name: &str| serde_json::from_str::<Value>(variables[name].get()).unwrap();
    let handles = read("secrets");
    assert_eq!(read("config"), json!({ "host": "h", "password": handles["config.password"] }));
    assert_eq!(read("keys"), json!([[handles["keys.0.0"]], 1]));
    assert_eq!(read("words"), "about $secret");
    veil.hold("r1", held);
    // Each goes where its own name may.
    let refused = veil.over(Pii::Off, "ann", "r1").take_off("pg.query", read("config")).await;
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("config.password"), "{refused}");
}

#[tokio::test]
async fn the_same_secret_has_the_same_handle_so_that_a_run_can_take_over() {
    let folder = tempfile::tempdir().unwrap();
    let handle = async || {
        let mut variables = context(json!({ "db": { "$secret": SECRET } }));
        veil_at(folder.path()).take_secrets("ann", &mut variables).await.unwrap();
        variables["secrets"].get().to_owned()
    };
    assert_eq!(handle().await, handle().await);
}

#[tokio::test]
async fn a_program_is_written_down_with_tokens_and_read_again_without() {
    let veil = Veil::in_memory();
    let program = format!("await mail.send(to=\"{MAIL}\")");
    let kept = veil.program("ann", &program).await.unwrap();
    assert!(!kept.contains(MAIL), "{kept}");
    assert_eq!(veil.program_again("ann", &kept).await.unwrap(), program);
    assert_eq!(veil.program_again("bob", &kept).await.unwrap(), kept);
}
