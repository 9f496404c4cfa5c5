//! Messages of every kind, sound and broken.

use proptest::prelude::*;
use rmcp::model::{CallToolRequestParams, Request};

use super::*;

#[test]
fn an_ordinary_answer_stays_the_json_that_came() {
    let mut inbox = waiting_for(&[7]);
    let messages = read(
        &mut inbox,
        r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"hologram"}],"x":1.50}}"#,
    );
    let [JsonRpcMessage::Response(response)] = &messages[..] else { panic!("{messages:?}") };
    let ServerResult::CustomResult(CustomResult(value)) = &response.result else {
        panic!("{response:?}")
    };
    assert_eq!(value.to_string(), r#"{"content":[{"type":"hologram"}],"x":1.5}"#);
    assert!(inbox.pending.is_empty());
}

#[test]
fn a_number_that_comes_back_as_text_is_recognised() {
    let mut inbox = waiting_for(&[7]);
    let messages = read(&mut inbox, r#"{"result":{},"jsonrpc":"2.0","id":"7"}"#);
    assert!(
        matches!(&messages[..], [JsonRpcMessage::Response(response)] if response.id == RequestId::Number(7))
    );
}

#[test]
fn an_error_without_a_number_belongs_to_the_only_request() {
    let mut inbox = waiting_for(&[3]);
    let messages = read(&mut inbox, r#"{"id":null,"error":{"code":-32600,"message":"no"}}"#);
    assert_eq!(failed(&messages), [(3, -32600)]);
    let mut inbox = waiting_for(&[3, 4]);
    assert!(matches!(
        inbox.received(br#"{"id":null,"error":{"code":1,"message":"no"}}"#),
        Received::Stray
    ));
}

#[test]
fn an_unreadable_answer_fails_its_request() {
    for line in [
        r#"{"jsonrpc":"2.0","id":3,"result":{"x":NaN}}"#.to_owned(),
        r#"{"result":{"x":NaN},"jsonrpc":"2.0","id":3}"#.to_owned(),
        format!(r#"{{"id":3,"result":{}{}}}"#, "[".repeat(500), "]".repeat(500)),
    ] {
        let mut inbox = waiting_for(&[3, 4]);
        assert_eq!(failed(&read(&mut inbox, &line)), [(3, UNREADABLE.0)], "{line}");
        assert_eq!(inbox.pending.len(), 1);
    }
}

#[test]
fn what_is_wrong_with_an_answer_is_told_with_its_place() {
    let mut inbox = waiting_for(&[3]);
    let messages = read(&mut inbox, r#"{"jsonrpc":"2.0","id":3,"result":{"x":NaN}}"#);
    let [JsonRpcMessage::Error(error)] = &messages[..] else { panic!("{messages:?}") };
    assert_eq!(
        error.error.message,
        r#"the answer is not readable: expected value at line 1 column 39, near `","id":3,"result":{"x":NaN}}`"#
    );
}

#[test]
fn an_overlong_answer_fails_its_request_wherever_the_number_is() {
    let head = br#"{ "jsonrpc" : "2.0", "id" : 3, "result": {"content": [{"id": 4"#;
    assert_eq!(failed(&waiting_for(&[3, 4]).too_large(head, b"xxx", 9)), [(3, TOO_LARGE.0)]);
    let tail = br#"aaa"id":4}]},"jsonrpc":"2.0","id":3}"#;
    assert_eq!(
        failed(&waiting_for(&[3, 4]).too_large(b"{\"result\":{", tail, 9)),
        [(3, TOO_LARGE.0)]
    );
    let tail = br#"aaa"id":4}]},"id":3,"jsonrpc":"2.0"}"#;
    assert_eq!(
        failed(&waiting_for(&[3, 4]).too_large(b"{\"result\":{", tail, 9)),
        [(3, TOO_LARGE.0)]
    );
}

#[test]
fn an_overlong_answer_of_unknown_number_fails_all_rather_than_none() {
    let mut inbox = waiting_for(&[3, 4]);
    assert_eq!(inbox.too_large(b"{\"result\":", b"}}", 9).len(), 2);
}

#[test]
fn stray_lines_are_told_from_messages() {
    let mut inbox = waiting_for(&[1]);
    for line in ["", "Listening on stdio", "{\"level\":\"info\"}", "{broken", "[1, 2", "42"] {
        assert!(matches!(inbox.received(line.as_bytes()), Received::Stray), "{line}");
    }
    assert!(matches!(inbox.received(b"[]"), Received::Messages(messages) if messages.is_empty()));
}

#[test]
fn several_messages_in_an_array_are_all_read() {
    let mut inbox = waiting_for(&[1, 2]);
    let messages =
        read(&mut inbox, r#"[{"id":1,"result":{}},{"id":2,"error":{"code":5,"message":"x"}}]"#);
    assert_eq!(messages.len(), 2);
}

#[test]
fn a_handshake_without_the_usual_fields_is_completed() {
    let value = json!({"supportedVersions": ["2026-07-28"]});
    assert!(matches!(result_of(Kind::Discover, value), ServerResult::DiscoverResult(_)));
    let value =
        json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": [], "logging": {}}});
    assert!(matches!(result_of(Kind::Initialize, value), ServerResult::InitializeResult(_)));
    let value = json!({"protocolVersion": "2025-11-25", "capabilities": []});
    assert!(matches!(result_of(Kind::Initialize, value), ServerResult::InitializeResult(_)));
    let value = json!({"protocolVersion": "2025-11-25"});
    assert!(matches!(result_of(Kind::Initialize, value), ServerResult::InitializeResult(_)));
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut inbox = waiting_for(&[1, 2]);
        inbox.received(&bytes);
        inbox.too_large(&bytes, &bytes, 1);
    }

    #[test]
    fn no_json_makes_it_panic(text in r#"[\[\]{}:,"\\0-9a-e idresultmethoderror]{0,80}"#) {
        let mut inbox = waiting_for(&[1, 2]);
        inbox.received(format!("{{{text}").as_bytes());
        inbox.too_large(format!("{{{text}").as_bytes(), text.as_bytes(), 1);
    }
}

fn waiting_for(ids: &[i64]) -> Inbox {
    let mut inbox = Inbox::default();
    for id in ids {
        let request =
            ClientRequest::CallToolRequest(Request::new(CallToolRequestParams::new("tool")));
        inbox.sending(&ClientJsonRpcMessage::request(request, RequestId::Number(*id)));
    }
    inbox
}

fn read(inbox: &mut Inbox, line: &str) -> Vec<ServerJsonRpcMessage> {
    match inbox.received(line.as_bytes()) {
        Received::Messages(messages) => messages,
        Received::Stray => panic!("stray: {line}"),
    }
}

fn failed(messages: &[ServerJsonRpcMessage]) -> Vec<(i64, i32)> {
    let failed = messages.iter().filter_map(|message| match message {
        JsonRpcMessage::Error(error) => match error.id {
            Some(RequestId::Number(id)) => Some((id, error.error.code.0)),
            _ => None,
        },
        _ => None,
    });
    failed.collect()
}

#[test]
fn whatever_a_server_asks_is_handed_on_and_takes_no_answer_of_ours() {
    for (line, method) in [
        (r#"{"jsonrpc":"2.0","id":3,"method":"roots/list","params":[]}"#, "roots/list"),
        (r#"{"id":3,"method":"ping"}"#, "ping"),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"sampling/createMessage","params":"bogus"}"#,
            "sampling/createMessage",
        ),
        (r#"{"jsonrpc":"2.0","id":3,"method":"x/y","params":[1]}"#, "x/y"),
        (r#"[{"jsonrpc":"2.0","id":3,"method":"x/y","params":[1]}]"#, "x/y"),
        (r#"{"id":3,"method":"x/y","params":{"a":NaN}}"#, "what could not be read"),
    ] {
        let mut inbox = waiting_for(&[3]);
        let messages = read(&mut inbox, line);
        let [JsonRpcMessage::Request(request)] = &messages[..] else {
            panic!("{line}: {messages:?}")
        };
        assert_eq!(request.id, RequestId::Number(3), "{line}");
        let value = serde_json::to_value(&request.request).unwrap();
        assert_eq!(value["method"], method, "{line}");
        assert_eq!(inbox.pending.len(), 1, "{line}");
    }
    let mut inbox = waiting_for(&[3]);
    let long = inbox.too_large(br#"{"id":3,"method":"x/y","params":{"a":"aaa"#, b"aaa\"}}", 9);
    assert!(matches!(&long[..], [JsonRpcMessage::Request(_)]), "{long:?}");
    assert_eq!(inbox.pending.len(), 1);
}

#[test]
fn a_number_that_is_no_whole_one_is_itself_in_our_answer() {
    let mut inbox = waiting_for(&[]);
    for number in ["1.5", "18446744073709551615", "{\"a\":1}"] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{number},"method":"x/y"}}"#);
        let messages = read(&mut inbox, &line);
        let [JsonRpcMessage::Request(request)] = &messages[..] else {
            panic!("{line}: {messages:?}")
        };
        let no = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "no", None);
        let answer = ClientJsonRpcMessage::error(no, Some(request.id.clone()));
        let sent: Value = serde_json::from_slice(&asked::leaving(&answer).unwrap()).unwrap();
        assert_eq!(sent["id"].to_string(), number);
    }
}

#[test]
fn an_event_that_rmcp_reads_is_left_as_it_is() {
    for text in [
        r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":7}"#,
        "noise",
    ] {
        assert_eq!(asked::readable(text).filter(|made| made.contains("\"id\"")), None, "{text}");
    }
    let odd = r#"{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":"bogus"}"#;
    let made = asked::readable(odd).unwrap();
    assert!(serde_json::from_str::<ServerJsonRpcMessage>(&made).is_ok(), "{made}");
}
