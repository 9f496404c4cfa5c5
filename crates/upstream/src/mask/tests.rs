//! Credentials do not come back, in whatever form.

use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::*;

const KEY: &str = "ghp_S3cr+t/\"Key=";

fn mask(values: &[&str]) -> Mask {
    let mask = Mask::default();
    mask.configured(values.iter().map(ToString::to_string), std::iter::empty());
    mask
}

#[test]
fn what_may_be_a_secret_is_hidden_where_a_server_speaks_of_itself() {
    let mask = Mask::default();
    mask.configured(std::iter::empty(), std::iter::once("hunter2hunter2".to_owned()));
    let dump = "started with --key hunter2hunter2".to_owned();
    assert_eq!(mask.standard_error(dump.clone(), false), "started with --key ***");
    assert_eq!(mask.text(dump.clone()), dump);
    let problem = ConnectError::Start {
        server: catalog::ServerName("s".into()),
        command: "x".into(),
        reason: dump,
        stderr: String::new(),
    };
    assert!(mask.unconnected(problem).to_string().contains("--key ***"));
}

#[test]
fn what_only_may_be_a_secret_changes_no_names() {
    let mask = Mask::default();
    let (short, perhaps) = ("hunter2".to_owned(), "customers".to_owned());
    mask.configured(std::iter::once(short), std::iter::once(perhaps));
    for name in ["customers", "hunter2"] {
        let schema = json!({ "type": "object", "properties": { name: { "type": "string" } } });
        let tool = json!({ "name": format!("{name}_query"), "inputSchema": schema });
        let listing = Listing {
            server: catalog::ServerName("s".into()),
            title: None,
            version: None,
            description: None,
            tools: vec![serde_json::from_value(tool).unwrap()],
        };
        let listing = mask.listing(listing);
        assert_eq!(listing.tools.len(), 1);
        assert_eq!(listing.tools[0].input_schema, schema);
        let resources = vec![json!({ "uri": format!("{name}://a/b") })];
        assert_eq!(mask.list(resources.clone()), resources);
    }
}

#[test]
fn half_a_credential_does_not_stay_where_a_text_was_cut() {
    let mask = mask(&["hunter2hunter2"]);
    let cut = "r2hunter2 was refused";
    assert_eq!(mask.standard_error(cut.to_owned(), true), "*** was refused");
    assert_eq!(mask.standard_error(cut.to_owned(), false), cut);
    assert_eq!(mask.standard_error("er2 and more".to_owned(), true), "er2 and more");
    assert_eq!(mask.standard_error("unter3".to_owned(), true), "unter3");
}

#[test]
fn a_credential_is_found_in_every_form() {
    let mask = mask(&[KEY]);
    let dump = format!("Authorization: Bearer {KEY}\nagain {KEY}");
    assert_eq!(mask.text(dump), "Authorization: Bearer ***\nagain ***");
    for text in [
        json!({ "key": KEY }).to_string(),
        format!("https://x/?key={}", percent(KEY, |byte| format!("%{byte:02X}"))),
        format!("https://x/?key={}", percent(KEY, |byte| format!("%{byte:02x}"))),
        STANDARD.encode(KEY),
        STANDARD.encode(format!("u:{KEY}")),
        STANDARD.encode(format!("me:{KEY} and more")),
        STANDARD.encode(format!("you:{KEY}!")),
        URL_SAFE_NO_PAD.encode(format!("{{\"token\":{KEY}}}")),
    ] {
        let masked = mask.text(text.clone());
        assert!(masked.contains(INSTEAD), "{text} -> {masked}");
        assert!(masked.len() < text.len() && !masked.contains("S3cr"), "{text} -> {masked}");
    }
}

#[test]
fn what_goes_before_a_credential_is_no_part_of_it() {
    let basic = format!("Basic {}", STANDARD.encode("anna:correct horse"));
    let mask = mask(&["Bearer abcdefgh12345", &basic]);
    assert_eq!(mask.text("token abcdefgh12345".into()), "token ***");
    assert_eq!(mask.text("wrong password: correct horse".into()), "wrong password: ***");
}

#[test]
fn structured_answers_stay_what_they_are() {
    let mask = mask(&["hunter2hunter2", "1234567890"]);
    let value = json!({
        "a": ["hunter2hunter2", 1, null], "hunter2hunter2": {"n": 1_234_567_890_u64}, "m": 12_345
    });
    let masked = json!({ "a": ["***", 1, null], "***": { "n": "***" }, "m": 12_345 });
    assert_eq!(mask.json(value.clone()), masked);
    let result = ToolResult {
        structured: Some(value),
        content: vec![
            Part::Text { text: "it is hunter2hunter2".into() },
            Part::Image {
                data: STANDARD.encode("xhunter2hunter2"),
                media_type: "image/png".into(),
            },
        ],
        is_error: true,
    };
    let shown = format!("{:?}", mask.result(result));
    assert!(!shown.contains("hunter2") && !shown.contains("aHVudGVyMmh"), "{shown}");
}

#[test]
fn errors_and_definitions_are_looked_through() {
    let mask = mask(&["hunter2hunter2"]);
    let server = catalog::ServerName("s".into());
    let failure = CallFailure::Refused {
        server: server.clone(),
        tool: catalog::ToolName("t".into()),
        code: 1,
        message: "no: hunter2hunter2".into(),
    };
    assert!(mask.failure(failure).to_string().contains("no: ***"));
    let problem = ConnectError::Start {
        server: server.clone(),
        command: "x".into(),
        reason: "exit".into(),
        stderr: "; TOKEN=hunter2hunter2".into(),
    };
    assert!(mask.unconnected(problem).to_string().contains("TOKEN=***"));
    let refused = Refused {
        code: 1,
        message: "hunter2hunter2".into(),
        data: Some(json!({ "sent": "hunter2hunter2" })),
    };
    let refused = format!("{:?}", mask.unpassed(refused.into()));
    assert!(!refused.contains("hunter2"), "{refused}");
    let tool = json!({ "name": "t", "description": "hunter2hunter2", "input_schema": { "default": "hunter2hunter2" } });
    let named = json!({ "name": "call-hunter2hunter2" });
    let listing = Listing {
        server,
        title: None,
        version: None,
        description: Some("hunter2hunter2".into()),
        tools: [tool, named].map(|tool| serde_json::from_value(tool).unwrap()).into(),
    };
    let listing = mask.listing(listing);
    assert_eq!(listing.tools.len(), 1);
    let listing = format!("{listing:?}");
    assert!(!listing.contains("hunter2"), "{listing}");
}

#[test]
fn the_log_has_no_servers_credentials() {
    let said = || "url: http://127.0.0.1:9/logged-credential/mcp".to_owned();
    let mask = Mask::known();
    mask.configured(std::iter::once("logged-credential".to_owned()), std::iter::empty());
    assert_eq!(without_credentials(said()), "url: http://127.0.0.1:9/***/mcp");
    drop(mask);
    assert_eq!(without_credentials(said()), said());
}

#[test]
fn short_values_are_not_looked_for_and_none_costs_nothing() {
    let mask = mask(&["abc", "1234567", ""]);
    assert!(mask.is_empty());
    assert_eq!(mask.text("abc 1234567".into()), "abc 1234567");
    mask.token("a-token-of-its-own");
    assert_eq!(mask.text("a-token-of-its-own".into()), INSTEAD);
    // Those that were replaced long ago are over.
    for number in 0..TOKENS {
        mask.token(&format!("token-number-{number}"));
    }
    assert_eq!(mask.text("a-token-of-its-own".into()), "a-token-of-its-own");
    assert_eq!(mask.text("token-number-0".into()), INSTEAD);
}

#[test]
fn every_line_of_a_key_is_a_credential() {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw";
    let key = format!("-----BEGIN PRIVATE KEY-----\n{line}\n-----END PRIVATE KEY-----");
    let mask = mask(&[&key]);
    assert_eq!(mask.text(format!("> {line}")), "> ***");
    let heading = "-----BEGIN PRIVATE KEY-----";
    assert_eq!(mask.text(heading.into()), heading);
}
