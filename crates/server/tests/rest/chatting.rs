//! Conversations over `/ws/chat`: streamed, cancelled, lost and taken up again, by two users at once.

use std::sync::mpsc;

use gateway::service::Caller;
use reqwest::{RequestBuilder, Upgraded};
use scripted::{Asked, Turn};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::asking::{WITHIN, asking, traced, well, within};
use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn words_come_one_after_another_and_are_the_answer() {
    let (house, _model) = asking(well).await;
    let mut chat = Chat::open(&house, None).await;
    chat.send(json!({"type": "ask", "question": "How much?"})).await;
    let events = chat.until_over().await;
    let numbers: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert!(numbers.iter().copied().eq(0..numbers.len() as u64), "{numbers:?}");
    let words: Vec<&str> = events
        .iter()
        .filter(|event| event["type"] == "token")
        .map(|one| text(&one["text"]))
        .collect();
    assert!(words.len() > 1, "{words:?}");
    let last = events.last().unwrap();
    assert_eq!((last["type"].as_str(), &last["answer"]), (Some("answer"), &json!(words.concat())));
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_belong_to_the_trace_of_their_connection() {
    let (house, _model, taken) = traced(well).await;
    let mut chat = Chat::within(&house).await;
    for _ in 0..2 {
        chat.send(json!({"type": "ask", "question": "How much?"})).await;
        let events = chat.until_over().await;
        let run = &events.last().unwrap()["runs"][0];
        assert_eq!(taken.of(run).await.caller, within(), "{events:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_users_ask_at_once_and_hear_nothing_of_each_other() {
    // The first question stays open for as long as the second is answered.
    let (house, model) = asking(|asked: &Asked| match asked.number {
        0 => Turn::Hold("Let me".to_owned()),
        _ => well(asked),
    })
    .await;
    let anna = house.token("anna", &[Scope::Execute]).await;
    let boris = house.token("boris", &[Scope::Execute]).await;
    let mut first = Chat::open(&house, Some(&anna)).await;
    first.send(json!({"type": "ask", "question": "Whose is the slow one?"})).await;
    let begun = first.hear().await;
    while model.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    let mut second = Chat::open(&house, Some(&boris)).await;
    second.send(json!({"type": "ask", "question": "Whose is the quick one?"})).await;
    let events = second.until_over().await;
    assert_eq!(events.last().unwrap()["answer"], "It is 42.", "{events:?}");
    assert!(events.iter().all(|event| event["conversation"] != begun["conversation"]));
    second.send(json!({"type": "resume", "conversation": begun["conversation"]})).await;
    let refused = second.hear().await;
    assert_eq!(
        (&refused["type"], &refused["code"]),
        (&json!("refused"), &json!("unknown_conversation"))
    );
    first.send(json!({"type": "cancel"})).await;
    assert_eq!(first.until_over().await.last().unwrap()["code"], "cancelled");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_connection_is_taken_up_where_it_was_and_the_conversation_goes_on() {
    let (house, model) = asking(well).await;
    let mut lost = Chat::open(&house, None).await;
    lost.send(json!({"type": "ask", "question": "How much?"})).await;
    let begun = lost.hear().await;
    drop(lost);
    let mut chat = Chat::open(&house, None).await;
    chat.send(json!({"type": "resume", "conversation": begun["conversation"], "after": 1})).await;
    assert_eq!(chat.hear().await["type"], "history");
    let events = chat.until_over().await;
    assert_eq!(events[0]["seq"], 1, "{events:?}");
    assert_eq!(events.last().unwrap()["answer"], "It is 42.");
    chat.send(json!({"type": "resume", "conversation": begun["conversation"]})).await;
    let history = chat.hear().await;
    assert_eq!(history["totals"], events.last().unwrap()["totals"], "{history}");
    assert_eq!(
        (&history["turns"][0]["tokens"], &history["totals"]["tokens"]),
        (&json!(240), &json!(240))
    );
    // The question lingers, and is told again.
    chat.until_over().await;
    let before = model.asked().len();
    let more = json!({"type": "ask", "question": "Now?", "conversation": begun["conversation"]});
    chat.send(more).await;
    let events = chat.until_over().await;
    assert_eq!(events.last().unwrap()["conversation"], begun["conversation"]);
    assert!(model.asked()[before].text().contains("It is 42."));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_is_lost_in_the_middle_is_taken_up_in_the_middle() {
    // The answer is not begun before somebody says so.
    let (go, waits) = mpsc::channel::<()>();
    let (house, model) = asking(move |asked: &Asked| {
        if asked.number == 1 {
            tokio::task::block_in_place(|| waits.recv().unwrap());
        }
        well(asked)
    })
    .await;
    let mut lost = Chat::open(&house, None).await;
    lost.send(json!({"type": "ask", "question": "How much?"})).await;
    let mut events = Vec::new();
    while events.last().is_none_or(|event: &Value| event["type"] != "program") {
        events.push(lost.hear().await);
    }
    drop(lost);
    // The program runs while nobody is there.
    while model.asked().len() < 2 {
        tokio::task::yield_now().await;
    }
    let conversation = events[0]["conversation"].clone();
    let mut chat = Chat::open(&house, None).await;
    let resume = json!({"type": "resume", "conversation": conversation, "after": events.len()});
    chat.send(resume).await;
    let history = chat.hear().await;
    assert_eq!((&history["type"], &history["turns"]), (&json!("history"), &json!([])));
    assert_eq!(history["follows"], true, "{history}");
    let missed = chat.hear().await;
    assert_eq!((&missed["type"], &missed["seq"]), (&json!("running"), &json!(events.len())));
    events.push(missed);
    go.send(()).unwrap();
    events.extend(chat.until_over().await);
    let numbers: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert!(numbers.iter().copied().eq(0..numbers.len() as u64), "{numbers:?}");
    assert_eq!(events.last().unwrap()["answer"], "It is 42.");
    assert!(events.iter().all(|event| event["conversation"] == conversation), "{events:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_is_cancelled_ends_at_the_model_and_another_can_be_asked() {
    let (house, model) = asking(|asked: &Asked| match asked.number {
        0 => Turn::Hold("Let me".to_owned()),
        _ => well(asked),
    })
    .await;
    let mut chat = Chat::open(&house, None).await;
    chat.send(json!({"type": "cancel"})).await;
    assert_eq!(chat.hear().await["code"], "nothing_to_cancel");
    chat.send(json!({"type": "ask", "question": "How much?"})).await;
    while model.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    chat.send(json!({"type": "cancel"})).await;
    assert_eq!(chat.until_over().await.last().unwrap()["code"], "cancelled");
    model.was_left(1).await;
    chat.send(json!({"type": "ask", "question": "How much?"})).await;
    assert_eq!(chat.until_over().await.last().unwrap()["answer"], "It is 42.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_ends_with_its_token_whether_or_not_anything_is_said() {
    let (house, _model) = asking(|_: &Asked| Turn::Hold("Let me".to_owned())).await;
    let scopes = [Scope::Execute].into();
    let caller = Caller { owner: "anna".to_owned(), teams: Vec::new(), scopes };
    let (token, info) = house.service.store().create_token(&caller, None).await.unwrap();
    let mut silent = Chat::open(&house, Some(&token)).await;
    let mut follows = Chat::open(&house, Some(&token)).await;
    follows.send(json!({"type": "ask", "question": "How much?"})).await;
    follows.hear().await;
    assert!(house.service.store().remove_token(&info.id).await.unwrap());
    for chat in [&mut silent, &mut follows] {
        let (code, words) = chat.closed().await;
        assert_eq!((code, words.contains("unknown or over")), (1008, true), "{words}");
    }
    // Whoever needs none stays.
    let mut other = Chat::open(&house, None).await;
    other.send(json!({"type": "cancel"})).await;
    assert_eq!(other.hear().await["code"], "nothing_to_cancel");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_may_have_what_a_request_may_and_a_larger_one_is_refused_in_words() {
    let (house, _model) = asking(well).await;
    let most = RestOptions::default().bodies.rules().each;
    let mut chat = Chat::open(&house, None).await;
    let question = |bytes: usize| json!({"type": "ask", "question": "How much?", "context": {"rows": "x".repeat(bytes)}});
    chat.send(question(most - 1_000)).await;
    assert_eq!(chat.until_over().await.last().unwrap()["answer"], "It is 42.");
    chat.send(question(most)).await;
    let refused = chat.hear().await;
    assert_eq!((&refused["type"], &refused["code"]), (&json!("refused"), &json!("too_large")));
    assert!(text(&refused["message"]).contains("`body-bytes`"), "{refused}");
    chat.send(question(10)).await;
    assert_eq!(chat.until_over().await.last().unwrap()["answer"], "It is 42.");
}

/// What opens a connection.
fn upgrade(house: &House) -> RequestBuilder {
    house
        .asked(Method::GET, "/ws/chat")
        .header("connection", "upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")
}

/// One client's connection, in the frames of RFC 6455.
struct Chat(Upgraded);

impl Chat {
    async fn open(house: &House, token: Option<&str>) -> Self {
        let mut request = upgrade(house);
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        Self::opened(request).await
    }

    /// One that belongs to a trace.
    async fn within(house: &House) -> Self {
        let request = upgrade(house);
        let request =
            WITHIN.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        Self::opened(request).await
    }

    async fn opened(request: RequestBuilder) -> Self {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), StatusCode::SWITCHING_PROTOCOLS);
        Self(response.upgrade().await.unwrap())
    }

    async fn send(&mut self, message: Value) {
        let text = message.to_string();
        // The length has one byte, two or eight; the mask changes nothing.
        let mut frame = vec![0x81];
        match (u8::try_from(text.len()), u16::try_from(text.len())) {
            (Ok(length @ ..126), _) => frame.push(0x80 | length),
            (_, Ok(length)) => {
                frame.push(0x80 | 0x7e);
                frame.extend(length.to_be_bytes());
            }
            (_, Err(_)) => {
                frame.push(0x80 | 0x7f);
                frame.extend((text.len() as u64).to_be_bytes());
            }
        }
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        self.0.write_all(&frame).await.unwrap();
    }

    /// The next message.
    async fn hear(&mut self) -> Value {
        serde_json::from_slice(&self.frame(0x81).await).unwrap()
    }

    /// With which code and words it is closed.
    async fn closed(&mut self) -> (u16, String) {
        let bytes = self.frame(0x88).await;
        let words = String::from_utf8(bytes[2..].to_vec()).unwrap();
        (u16::from_be_bytes([bytes[0], bytes[1]]), words)
    }

    /// What the next frame of a kind has.
    async fn frame(&mut self, kind: u8) -> Vec<u8> {
        loop {
            let mut head = [0; 2];
            self.0.read_exact(&mut head).await.unwrap();
            let length = match head[1] {
                126 => u64::from(self.0.read_u16().await.unwrap()),
                127 => self.0.read_u64().await.unwrap(),
                length => u64::from(length),
            };
            let mut bytes = vec![0; usize::try_from(length).unwrap()];
            self.0.read_exact(&mut bytes).await.unwrap();
            if head[0] == kind {
                return bytes;
            }
        }
    }

    /// What comes until a question is over.
    async fn until_over(&mut self) -> Vec<Value> {
        let mut events = Vec::new();
        loop {
            let event = self.hear().await;
            let is_last = ["answer", "error"].map(Value::from).contains(&event["type"]);
            events.push(event);
            if is_last {
                return events;
            }
        }
    }
}
