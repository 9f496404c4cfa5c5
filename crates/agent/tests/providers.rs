//! Every wire format, spoken with a provider that looks closely, and that misbehaves.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::time::Duration;

use agent::model::message::{Message, Prompt, Reply, Stop, ToolResult, ToolSpec, Usage};
use agent::model::{Model, ModelError, Told};
use agent::{ModelSettings, ProviderName};
use scripted::{Format, KEY, MODEL, Scripted, Turn};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use upstream::Secret;

const FORMATS: [(Format, ProviderName); 5] = [
    (Format::OpenAi, ProviderName::OpenAi),
    (Format::OpenAi, ProviderName::Compatible),
    (Format::Anthropic, ProviderName::Anthropic),
    (Format::Gemini, ProviderName::Gemini),
    (Format::Ollama, ProviderName::Ollama),
];

#[tokio::test]
async fn words_come_in_pieces_and_are_the_reply() {
    for (format, provider) in FORMATS {
        let said = "Grüße, and a second sentence.";
        let server = Scripted::saying(format, [Turn::say(said)]).await;
        let (reply, heard) = asked(&server, provider).await;
        let reply = reply.unwrap();
        assert_eq!((reply.text.as_str(), reply.stop), (said, Stop::End), "{provider:?}");
        assert!(heard.len() > 2 && heard.concat() == said, "{provider:?}: {heard:?}");
        assert_eq!((reply.usage.input, reply.usage.output), (100, 20), "{provider:?}");
        assert_eq!(server.complaints(), Vec::<String>::new(), "{provider:?}");
    }
}

#[tokio::test]
async fn calls_come_whole_and_their_results_go_back() {
    for (format, provider) in FORMATS {
        let calls = vec![
            ("lookup".to_owned(), json!({"word": "tide", "limit": 3})),
            ("lookup".to_owned(), json!({"word": "gate"})),
        ];
        let turns = [Turn::Call("Let me see.".to_owned(), calls), Turn::say("Done.")];
        let server = Scripted::saying(format, turns).await;
        let model = model(&server, provider);
        let mut prompt = prompt();
        let reply = model.complete(MODEL, &prompt, &mut |_| {}).await.unwrap();
        assert_eq!(reply.stop, Stop::Tools, "{provider:?}");
        let given: Vec<_> = reply.calls.iter().map(|call| call.arguments.clone()).collect();
        assert_eq!(given, [json!({"word": "tide", "limit": 3}), json!({"word": "gate"})]);
        let results = reply.calls.iter().map(|call| ToolResult {
            id: call.id.clone(),
            name: call.name.clone(),
            text: "found".to_owned(),
            failed: false,
        });
        let results = results.collect();
        prompt.messages.push(Message::Model { text: reply.text, calls: reply.calls });
        prompt.messages.push(Message::Results(results));
        let last = model.complete(MODEL, &prompt, &mut |_| {}).await.unwrap();
        assert_eq!(last.text, "Done.", "{provider:?}");
        assert_eq!(server.complaints(), Vec::<String>::new(), "{provider:?}");
    }
}

#[tokio::test]
async fn what_passes_is_asked_again() {
    for (format, provider) in FORMATS {
        let turns = [
            Turn::Status(429, Some(0), "slow down".to_owned()),
            Turn::Status(500, None, "oh".to_owned()),
            Turn::Cut("Half of an ans".to_owned()),
            Turn::say("All of it."),
        ];
        let server = Scripted::saying(format, turns).await;
        let (reply, heard) = asked(&server, provider).await;
        assert_eq!(reply.unwrap().text, "All of it.", "{provider:?}");
        let anew = heard.iter().position(|word| word == "<anew>").unwrap();
        assert_eq!(heard[anew + 1..].concat(), "All of it.", "{provider:?}");
    }
}

#[tokio::test]
async fn a_reply_that_ends_too_early_is_no_short_answer() {
    for (format, provider) in FORMATS {
        let server = Scripted::by(format, |_| Turn::Stop("It is 4".to_owned())).await;
        let (reply, _) = asked(&server, provider).await;
        assert!(matches!(reply, Err(ModelError::Cut { tries: 4, .. })), "{provider:?}: {reply:?}");
    }
}

#[tokio::test]
async fn what_a_reply_had_used_that_broke_off_is_told_and_bounds_the_next() {
    for (format, provider) in FORMATS {
        let said = "Half of an answer";
        let turns = [
            Turn::Status(500, None, "oh".to_owned()),
            Turn::Stop(said.to_owned()),
            Turn::say("All of it."),
        ];
        let server = Scripted::saying(format, turns).await;
        let (reply, _, lost) = asked_within(&server, provider, None).await;
        // Whoever only refuses has read nothing.
        assert_eq!((reply.unwrap().usage.input, lost.len()), (100, 1), "{provider:?}");
        assert_eq!(lost[0].output, budget::count(said) as u64, "{provider:?}");
        assert!(lost[0].input > 20 && lost[0].estimated, "{provider:?}: {lost:?}");

        let server = Scripted::by(format, |_| Turn::Stop("Half".to_owned())).await;
        let (reply, _, lost) = asked_within(&server, provider, Some(10)).await;
        assert!(matches!(reply, Err(ModelError::Cut { tries: 1, .. })), "{provider:?}: {reply:?}");
        assert_eq!((lost.len(), server.asked().len()), (1, 1), "{provider:?}");
    }
}

#[tokio::test]
async fn an_error_that_comes_as_a_success_is_told_in_its_words() {
    for (format, provider) in FORMATS {
        let turn = |_: &scripted::Asked| Turn::Status(200, None, "no credit is left".to_owned());
        let server = Scripted::by(format, turn).await;
        let error = asked(&server, provider).await.0.unwrap_err();
        let words = error.to_string();
        assert!(matches!(error, ModelError::Told { .. }), "{provider:?}: {words}");
        assert!(words.contains("no credit is left"), "{provider:?}: {words}");
    }
}

#[tokio::test]
async fn an_error_in_the_middle_of_a_reply_is_told_and_is_asked_past() {
    for (format, provider) in FORMATS {
        let turns = [Turn::Fail("overloaded".to_owned()), Turn::say("All of it.")];
        let server = Scripted::saying(format, turns).await;
        let (reply, _) = asked(&server, provider).await;
        assert_eq!(reply.unwrap().text, "All of it.", "{provider:?}");

        let server = Scripted::by(format, |_| Turn::Fail("overloaded".to_owned())).await;
        let (reply, _) = asked(&server, provider).await;
        let error = reply.unwrap_err();
        assert!(matches!(error, ModelError::Told { .. }), "{provider:?}: {error:?}");
        assert!(error.to_string().contains("overloaded"), "{provider:?}: {error}");
        assert_eq!(server.asked().len(), 4, "{provider:?}");
    }
}

#[tokio::test]
async fn nonsense_and_floods_end_in_words() {
    for (format, provider) in FORMATS {
        for turn in [Turn::Nonsense, Turn::Flood] {
            let server = Scripted::saying(format, [turn]).await;
            let (reply, _) = asked(&server, provider).await;
            assert!(matches!(reply, Err(ModelError::Unreadable { .. })), "{provider:?}: {reply:?}");
        }
    }
}

#[tokio::test]
async fn a_refusal_is_one_and_not_an_answer() {
    for (format, provider) in [FORMATS[0], FORMATS[2], FORMATS[3]] {
        let server = Scripted::saying(format, [Turn::Refuse("I will not.".to_owned())]).await;
        let (reply, _) = asked(&server, provider).await;
        assert_eq!(reply.unwrap().stop, Stop::Refused, "{provider:?}");
    }
}

#[tokio::test]
async fn a_reply_that_had_no_more_tokens_says_so() {
    for (format, provider) in FORMATS {
        let server = Scripted::saying(format, [Turn::Length("It is 4".to_owned())]).await;
        let (reply, _) = asked(&server, provider).await;
        let reply = reply.unwrap();
        assert_eq!((reply.text.as_str(), reply.stop), ("It is 4", Stop::Length), "{provider:?}");
        assert_eq!((reply.usage.input, reply.usage.output), (100, 20), "{provider:?}");
    }
}

#[tokio::test]
async fn the_key_is_in_no_error() {
    for (format, provider) in FORMATS {
        let said = format!("Incorrect API key provided: {KEY}");
        let server = Scripted::saying(format, [Turn::Status(401, None, said)]).await;
        let (reply, _) = asked(&server, provider).await;
        let error = reply.unwrap_err();
        let told = format!("{error} {error:?}");
        assert!(!told.contains(KEY) && told.contains("***"), "{told}");
        assert!(told.contains("`[ask] key`"), "{told}");
        assert!(!format!("{:?}", settings(&server, provider)).contains(KEY));
    }
}

#[tokio::test]
async fn whoever_says_to_wait_long_is_not_waited_for() {
    let turn = Turn::Status(429, Some(3600), "slow down".to_owned());
    let server = Scripted::saying(Format::OpenAi, [turn]).await;
    let (reply, _) = asked(&server, ProviderName::OpenAi).await;
    assert!(matches!(reply, Err(ModelError::Busy { .. })), "{reply:?}");
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn arguments_that_are_no_json_are_kept_as_they_came() {
    for (format, provider) in [FORMATS[0], FORMATS[2]] {
        let server = Scripted::saying(format, [Turn::Garble("lookup".to_owned())]).await;
        let (reply, _) = asked(&server, provider).await;
        let call = &reply.unwrap().calls[0];
        assert_eq!(call.arguments, json!({}), "{provider:?}");
        assert!(call.broken.as_deref().unwrap().starts_with("{\"code\""), "{call:?}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed_so_that_nobody_else_gets_the_key() {
    for (format, provider) in FORMATS {
        let elsewhere = Scripted::saying(format, [Turn::say("I have a key.")]).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut settings = settings(&elsewhere, provider);
        let to = settings.url.port().unwrap();
        settings.url.set_port(Some(listener.local_addr().unwrap().port())).unwrap();
        let redirects = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                redirect(stream, to).await;
            }
        });
        let model = Model::new(settings).unwrap();
        let error = model.complete(MODEL, &prompt(), &mut |_| {}).await.unwrap_err();
        redirects.abort();
        assert!(elsewhere.asked().is_empty(), "{provider:?}: {:?}", elsewhere.asked());
        assert!(!error.to_string().contains(KEY), "{provider:?}: {error}");
    }
}

/// Reads a request and sends whoever made it to the same place at another port.
async fn redirect(mut stream: TcpStream, to: u16) {
    let mut read = Vec::new();
    let path = loop {
        stream.read_buf(&mut read).await.unwrap();
        let text = String::from_utf8_lossy(&read).to_ascii_lowercase();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.unwrap().parse::<usize>().unwrap() {
            let line = String::from_utf8_lossy(&read).lines().next().unwrap().to_owned();
            break line.split(' ').nth(1).unwrap().to_owned();
        }
    };
    let answer = format!(
        "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:{to}{path}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(answer.as_bytes()).await.unwrap();
}

fn settings(server: &Scripted, provider: ProviderName) -> ModelSettings {
    let mut settings = ModelSettings::new(provider, MODEL, server.url().parse().unwrap());
    settings.key = Some(Secret::new(KEY.to_owned()));
    settings.retry_after = Duration::from_millis(1);
    settings
}

fn model(server: &Scripted, provider: ProviderName) -> Model {
    Model::new(settings(server, provider)).unwrap()
}

fn prompt() -> Prompt {
    let parameters = json!({"type": "object", "properties": {"word": {"type": "string"}}});
    Prompt {
        system: "You look things up.".to_owned(),
        messages: vec![Message::User("What is a tide gate?".to_owned())],
        tools: vec![ToolSpec {
            name: "lookup".to_owned(),
            description: "Looks a word up.".to_owned(),
            parameters,
        }],
        reply_tokens: 100,
        left: None,
    }
}

/// The reply, and what was heard of it while it came.
async fn asked(
    server: &Scripted,
    provider: ProviderName,
) -> (Result<Reply, ModelError>, Vec<String>) {
    let (reply, heard, _) = asked_within(server, provider, None).await;
    (reply, heard)
}

/// The same with so many tokens, and what replies had used that broke off.
async fn asked_within(
    server: &Scripted,
    provider: ProviderName,
    left: Option<u64>,
) -> (Result<Reply, ModelError>, Vec<String>, Vec<Usage>) {
    let (mut heard, mut lost) = (Vec::new(), Vec::new());
    let mut told = |told: Told<'_>| match told {
        Told::Text(text) => heard.push(text.to_owned()),
        Told::Anew => heard.push("<anew>".to_owned()),
        Told::Lost(used) => lost.push(used),
    };
    let prompt = Prompt { left, ..prompt() };
    let reply = model(server, provider).complete(MODEL, &prompt, &mut told).await;
    (reply, heard, lost)
}
