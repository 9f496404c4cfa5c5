//! Servers over standard streams, well-behaved and not.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod support;

use std::path::Path;
use std::time::Duration;

use catalog::ToolName;
use serde_json::{Map, Value, json};
use support::{
    call, fixture, name, options, plain, server, start, state, status, stdio, text, tools, until,
};
use upstream::{
    CallFailure, ConnectError, Elicitation, Hiding, NoteKind, Options, Part, Roots, Secret,
    ServerSettings, ServerState, Source, Startup, Upstreams,
};

#[tokio::test]
async fn both_eras_connect_and_are_called_alike() {
    let upstreams = start(["normal", "modern", "locked"].map(fixture));
    for (server, revision) in
        [("normal", "2025-11-25"), ("modern", "2026-07-28"), ("locked", "2026-07-28")]
    {
        assert_eq!(text(call(&upstreams, server, "echo", json!({"text": "hi"})).await), "hi");
        let sum = call(&upstreams, server, "add", json!({"a": 2, "b": 3})).await.unwrap();
        assert_eq!(sum.structured, Some(json!({"sum": 5})));
        let status = status(&upstreams, server);
        assert_eq!(status.state, ServerState::Connected);
        assert_eq!(status.protocol.as_deref(), Some(revision));
        assert_eq!(status.server.as_deref(), Some("fixture 1.0"));
        assert_eq!(status.tools, Some(17));
        let listing = upstreams.listing(&name(server)).await.unwrap();
        assert_eq!(listing.title.as_deref(), Some("fixture"));
        assert_eq!(listing.description.as_deref(), Some("A server for tests."));
    }
    upstreams.close().await;
}

#[tokio::test]
async fn a_server_that_discovers_something_unknown_is_started_again_and_initialized() {
    let upstreams = start([fixture("versions")]);
    assert_eq!(text(call(&upstreams, "versions", "echo", json!({"text": "hi"})).await), "hi");
    assert_eq!(status(&upstreams, "versions").protocol.as_deref(), Some("2025-11-25"));
}

#[tokio::test]
async fn a_server_that_ignores_discover_is_started_again_and_initialized() {
    let upstreams = start([fixture("ignores-discover")]);
    assert_eq!(
        text(call(&upstreams, "ignores-discover", "echo", json!({"text": "hi"})).await),
        "hi"
    );
}

#[tokio::test]
async fn a_server_that_ends_on_discover_is_started_again_and_initialized() {
    let upstreams = start([fixture("ends-on-discover")]);
    let echo = call(&upstreams, "ends-on-discover", "echo", json!({"text": "hi"})).await;
    assert_eq!(text(echo), "hi");
}

#[tokio::test]
async fn a_slow_starter_is_waited_for() {
    let upstreams = start([fixture("slow-start")]);
    assert_eq!(text(call(&upstreams, "slow-start", "echo", json!({"text": "hi"})).await), "hi");
    // Started once: the second process would have begun with an empty standard error too, but
    // later than the answer came.
    assert_eq!(status(&upstreams, "slow-start").stderr, "fixture in mode slow-start\n");
}

#[tokio::test]
async fn a_server_that_hangs_on_discover_is_initialized_when_it_is_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let started = folder.path().join("silent");
    let mut silent = counted("silent", &started, "true");
    silent.timeouts.connect = Duration::from_secs(4);
    let upstreams = start([silent]);
    let problem = upstreams.listing(&name("silent")).await.unwrap_err().to_string();
    assert!(problem.contains("not ready within 4 s (setting `connect-timeout`)"), "{problem}");
    assert_eq!(text(call(&upstreams, "silent", "echo", json!({"text": "hi"})).await), "hi");
    assert_eq!(std::fs::read_to_string(&started).unwrap(), "x\nx\n");
}

#[tokio::test]
async fn a_server_that_says_nothing_at_all_is_late_and_was_started_once() {
    let folder = tempfile::tempdir().unwrap();
    let started = folder.path().join("mute");
    let mut mute = counted("mute", &started, "true");
    mute.timeouts.connect = Duration::from_secs(3);
    let upstreams = start([mute]);
    let problem = upstreams.listing(&name("mute")).await.unwrap_err().to_string();
    assert!(problem.contains("not ready within 3 s (setting `connect-timeout`)"), "{problem}");
    assert_eq!(std::fs::read_to_string(&started).unwrap(), "x\n");
}

#[tokio::test]
async fn standard_error_is_shown_when_a_server_does_not_start() {
    let upstreams =
        start([fixture("dies"), server("missing", stdio("no-such-program-anywhere", &[]))]);
    let problem = upstreams.listing(&name("dies")).await.unwrap_err();
    let ConnectError::Start { reason, stderr, .. } = &problem else { panic!("{problem:?}") };
    assert!(reason.contains("exit status: 4"), "{reason}");
    assert!(stderr.contains("missing API key"), "{stderr}");
    let problem = upstreams.listing(&name("missing")).await.unwrap_err();
    assert!(
        matches!(&problem, ConnectError::Start { reason, .. } if reason.contains("No such file")),
        "{problem:?}"
    );
    assert!(matches!(state(&upstreams, "missing"), ServerState::Failed { .. }));
}

#[tokio::test]
async fn a_crash_ends_the_calls_under_way_and_the_next_call_starts_it_again() {
    let upstreams = start([fixture("normal")]);
    plain(&upstreams, "normal", "pid").await.unwrap();
    let (waiting, crashing) =
        tokio::join!(plain(&upstreams, "normal", "never"), plain(&upstreams, "normal", "crash"));
    for failure in [waiting.unwrap_err(), crashing.unwrap_err()] {
        let CallFailure::Broken { reason, .. } = &failure else { panic!("{failure:?}") };
        assert!(reason.contains("exit status: 3"), "{reason}");
        assert!(failure.is_ambiguous());
    }
    assert_eq!(text(call(&upstreams, "normal", "echo", json!({"text": "back"})).await), "back");
}

#[tokio::test]
async fn a_call_that_is_never_answered_ends_with_its_time_and_the_server_is_told() {
    let mut patient = fixture("normal");
    patient.timeouts.tools.insert(ToolName("never".to_owned()), Duration::from_millis(100));
    let upstreams = start([patient]);
    let failure = plain(&upstreams, "normal", "never").await.unwrap_err();
    assert!(
        matches!(&failure, CallFailure::Late { allowed, .. } if *allowed == Duration::from_millis(100)),
        "{failure:?}"
    );
    assert_eq!(text(plain(&upstreams, "normal", "cancelled").await), "1");
}

#[tokio::test]
async fn dropping_a_call_cancels_it() {
    for mode in ["normal", "modern"] {
        let upstreams = start([fixture(mode)]);
        plain(&upstreams, mode, "pid").await.unwrap();
        let (server, tool) = (name(mode), ToolName("never".to_owned()));
        let mut never = Box::pin(upstreams.call(&server, &tool, Map::new()));
        // Polled until the server has it: it answers in order.
        tokio::select! {
            _ = &mut never => panic!("answered"),
            _ = plain(&upstreams, mode, "pid") => {}
        }
        drop(never);
        assert_eq!(text(plain(&upstreams, mode, "cancelled").await), "1");
    }
}

#[tokio::test]
async fn fifty_megabytes_arrive_where_they_are_allowed() {
    let upstreams = start([fixture("normal")]);
    for number_last in [false, true] {
        let arguments = json!({"bytes": 50_000_000, "number_last": number_last});
        assert_eq!(text(call(&upstreams, "normal", "large", arguments).await).len(), 50_000_000);
    }
}

#[tokio::test]
async fn fifty_megabytes_fail_the_call_and_nothing_else_where_they_are_not_allowed() {
    let mut narrow = fixture("normal");
    narrow.answer_bytes = 1 << 20;
    let upstreams = start([narrow]);
    let before = plain(&upstreams, "normal", "pid").await.unwrap().structured;
    for number_last in [false, true] {
        let arguments = json!({"bytes": 50_000_000, "number_last": number_last});
        let (large, echo) = tokio::join!(
            call(&upstreams, "normal", "large", arguments),
            call(&upstreams, "normal", "echo", json!({"text": "hi"})),
        );
        assert!(
            matches!(large, Err(CallFailure::TooLarge { allowed, .. }) if allowed == 1 << 20),
            "{large:?}"
        );
        assert_eq!(text(echo), "hi");
    }
    assert_eq!(plain(&upstreams, "normal", "pid").await.unwrap().structured, before);
}

#[tokio::test]
async fn an_unreadable_answer_fails_its_call_at_once() {
    let upstreams = start([fixture("normal")]);
    let failure = plain(&upstreams, "normal", "unreadable").await.unwrap_err();
    assert!(
        matches!(&failure, CallFailure::Unreadable { problem, .. } if problem.contains("line 1 column")),
        "{failure:?}"
    );
    assert_eq!(text(call(&upstreams, "normal", "echo", json!({"text": "hi"})).await), "hi");
}

#[tokio::test]
async fn lines_that_are_no_messages_are_kept_as_notes() {
    let upstreams = start([fixture("garbage")]);
    assert_eq!(text(plain(&upstreams, "garbage", "noise").await), "after the noise");
    let notes = status(&upstreams, "garbage").notes;
    let stray: Vec<_> = notes
        .iter()
        .filter(|note| note.kind == NoteKind::Stray)
        .map(|note| note.text.as_str())
        .collect();
    assert!(stray.contains(&"Welcome to the fixture!"), "{stray:?}");
    assert!(stray.contains(&"this is not JSON"), "{stray:?}");
    assert!(stray.contains(&r#"{"neither": "a message"}"#), "{stray:?}");
}

#[tokio::test]
async fn a_flood_on_standard_error_neither_blocks_nor_fills_memory() {
    let upstreams = start([fixture("chatty")]);
    for _ in 0..50 {
        assert_eq!(text(call(&upstreams, "chatty", "echo", json!({"text": "hi"})).await), "hi");
    }
    assert!(status(&upstreams, "chatty").stderr.len() <= 64 << 10);
}

#[tokio::test]
async fn a_changed_list_of_tools_is_noticed() {
    for mode in ["normal", "modern"] {
        let upstreams = start([fixture(mode)]);
        assert_eq!(tools(&upstreams, mode).await.unwrap().len(), 17);
        let mut changes = upstreams.changes();
        changes.mark_unchanged();
        // The newest revision tells only those who have asked, which happens in the background.
        let subscribed = async {
            loop {
                plain(&upstreams, mode, "change").await.unwrap();
                if tokio::time::timeout(Duration::from_millis(300), changes.changed()).await.is_ok()
                {
                    return;
                }
            }
        };
        subscribed.await;
        let names = tools(&upstreams, mode).await.unwrap();
        assert!(names.contains(&"extra_0".to_owned()), "{mode}: {names:?}");
        assert_eq!(text(plain(&upstreams, mode, "extra_0").await), "extra_0");
        assert!(upstreams.known_listing(&name(mode)).unwrap().tools.len() > 17);
    }
}

#[tokio::test]
async fn a_change_that_comes_before_the_first_list_is_not_lost() {
    let upstreams = start([fixture("changes-at-once")]);
    upstreams.listing(&name("changes-at-once")).await.unwrap();
    until("the new tool is listed", || {
        upstreams
            .known_listing(&name("changes-at-once"))
            .unwrap()
            .tools
            .iter()
            .any(|tool| tool.name.0 == "at_once")
    })
    .await;
}

#[tokio::test]
async fn all_pages_of_a_list_are_read_and_endless_ones_end() {
    let upstreams = start(["pages", "circle", "endless"].map(fixture));
    assert_eq!(tools(&upstreams, "pages").await.unwrap().len(), 17);
    assert_eq!(tools(&upstreams, "circle").await.unwrap(), ["tNone", "tagain"]);
    assert_eq!(tools(&upstreams, "endless").await.unwrap().len(), 10_000);
    let notes = status(&upstreams, "endless").notes;
    assert!(notes.iter().any(|note| note.text.contains("more than 10000 entries")), "{notes:?}");
}

#[tokio::test]
async fn odd_tools_are_kept_where_they_can_be() {
    let upstreams = start([fixture("odd")]);
    let listing = upstreams.listing(&name("odd")).await.unwrap();
    let names: Vec<_> = listing.tools.iter().map(|tool| tool.name.0.as_str()).collect();
    assert_eq!(&names[..3], ["boolean", "none", "null"]);
    assert_eq!(names.len(), 3 + 17);
    assert_eq!(listing.tools[0].input_schema, json!(true));
    assert_eq!(listing.tools[2].output_schema, Some(json!(false)));
}

#[tokio::test]
async fn every_kind_of_answer_arrives() {
    let upstreams = start([fixture("normal")]);
    let result = plain(&upstreams, "normal", "parts").await.unwrap();
    assert_eq!(result.structured, Some(json!([1, "two", null])));
    assert!(matches!(&result.content[1], Part::Other { value } if value["beams"] == 3));
    assert!(plain(&upstreams, "normal", "fails").await.unwrap().is_error);
    let failure = plain(&upstreams, "normal", "refuses").await.unwrap_err();
    assert!(matches!(failure, CallFailure::Refused { code: -32602, .. }));
    assert!(!failure.is_ambiguous());
}

#[tokio::test]
async fn requests_of_a_server_are_refused_and_never_left_open() {
    let upstreams = start([fixture("normal")]);
    for (method, word) in [
        ("sampling/createMessage", "sampling"),
        ("elicitation/create", "elicitation"),
        ("roots/list", "roots"),
        ("no/such/thing", "no/such/thing"),
    ] {
        let answer = text(call(&upstreams, "normal", "ask", json!({"method": method})).await);
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["code"], -32601, "{method}: {answer}");
        assert!(answer["message"].as_str().unwrap().contains(word), "{answer}");
    }
    assert_eq!(text(call(&upstreams, "normal", "ask", json!({"method": "ping"})).await), "{}");
    let asked = status(&upstreams, "normal")
        .notes
        .iter()
        .filter(|note| note.kind == NoteKind::Asked)
        .count();
    assert_eq!(asked, 4);
}

#[tokio::test]
async fn requests_of_a_server_are_answered_where_the_policy_says_so() {
    let roots = Roots::Listed(vec!["file:///work".to_owned()]);
    let options = Options { roots, elicitation: Elicitation::Decline, ..options() };
    let upstreams = Upstreams::new(vec![fixture("normal")], options);
    let answer = text(call(&upstreams, "normal", "ask", json!({"method": "roots/list"})).await);
    assert!(answer.contains("file:///work"), "{answer}");
    let answer =
        text(call(&upstreams, "normal", "ask", json!({"method": "elicitation/create"})).await);
    assert!(answer.contains("decline"), "{answer}");
}

#[tokio::test]
async fn a_question_in_place_of_an_answer_gets_one_where_the_policy_says_so() {
    let options = Options { elicitation: Elicitation::Decline, ..options() };
    let upstreams = Upstreams::new(vec![fixture("asks-modern")], options);
    let answer =
        text(call(&upstreams, "asks-modern", "ask", json!({"method": "elicitation/create"})).await);
    insta::assert_snapshot!(answer, @r#"[{"q": {"action": "decline"}}, "s"]"#);
    let failure = call(&upstreams, "asks-modern", "ask", json!({"method": "roots/list"})).await;
    assert!(matches!(failure, Err(CallFailure::WantsInput { .. })), "{failure:?}");
}

#[tokio::test]
async fn a_server_with_ever_more_questions_is_given_up_on() {
    let options = Options { elicitation: Elicitation::Decline, ..options() };
    let upstreams = Upstreams::new(vec![fixture("asks-modern")], options);
    let endless = json!({"method": "elicitation/create", "endless": true});
    let failure = call(&upstreams, "asks-modern", "ask", endless).await.unwrap_err();
    insta::assert_snapshot!(failure, @"asks-modern.ask wants an answer more than 8 times from its client, which this gateway does not give");
}

#[tokio::test]
async fn a_question_in_place_of_an_answer_is_said_to_be_one() {
    let upstreams = start([fixture("asks-modern")]);
    let failure = call(&upstreams, "asks-modern", "ask", json!({"method": "elicitation/create"}))
        .await
        .unwrap_err();
    insta::assert_snapshot!(failure, @"asks-modern.ask wants a choice of the user (elicitation) from its client, which this gateway does not give");
}

#[tokio::test]
async fn progress_and_log_messages_are_kept() {
    let upstreams = start([fixture("normal")]);
    plain(&upstreams, "normal", "progress").await.unwrap();
    until("three notes", || status(&upstreams, "normal").notes.len() == 3).await;
    let mut notes: Vec<_> =
        status(&upstreams, "normal").notes.into_iter().map(|note| note.text).collect();
    notes.sort();
    assert_eq!(notes, ["1 of 2: step 1", "2 of 2: step 2", "warning fixture: careful"]);
}

#[tokio::test]
async fn resources_and_prompts_are_reachable() {
    let upstreams = start([fixture("normal")]);
    let server = name("normal");
    assert_eq!(upstreams.resources(&server).await.unwrap().len(), 2);
    let contents = upstreams.resource(&server, "test://one").await.unwrap();
    assert_eq!(contents[0].text.as_deref(), Some("first"));
    assert!(matches!(
        upstreams.resource(&server, "test://none").await,
        Err(CallFailure::Refused { .. })
    ));
    // What has no contents is no resource, whatever it is instead.
    let odd = upstreams.resource(&server, "test://odd").await.unwrap_err();
    assert!(matches!(odd, CallFailure::Refused { .. }), "{odd:?}");
    assert!(odd.to_string().contains("`contents`: there is no test://odd"), "{odd}");
    assert_eq!(upstreams.prompts(&server).await.unwrap()[0]["name"], "greet");
    let arguments = json!({"who": 7}).as_object().unwrap().clone();
    let prompt = upstreams.prompt(&server, "greet", arguments).await.unwrap();
    assert_eq!(prompt.messages[0].content, Part::Text { text: "Hello 7".to_owned() });
}

#[tokio::test]
async fn a_gateway_for_programs_is_recognised() {
    let upstreams = start([fixture("gateway")]);
    upstreams.listing(&name("gateway")).await.unwrap();
    assert!(status(&upstreams, "gateway").code_mode.unwrap().contains("execute_code"));
}

#[tokio::test]
async fn a_child_gets_what_it_was_given_and_little_else() {
    let mut given = fixture("normal");
    let Source::Stdio(stdio) = &mut given.source else { unreachable!() };
    stdio.environment.insert("GIVEN".to_owned(), Secret::new("yes".to_owned()));
    let mut options = options();
    options.environment.push(("SOMEBODYS_TOKEN".into(), "secret".into()));
    let upstreams = Upstreams::new(vec![given], options);
    let environment = plain(&upstreams, "normal", "environment").await.unwrap().structured.unwrap();
    assert_eq!(environment["GIVEN"], "yes");
    assert!(environment.get("PATH").is_some());
    assert_eq!(environment.get("SOMEBODYS_TOKEN"), None);
}

#[tokio::test]
async fn a_credential_that_a_child_was_given_does_not_come_back() {
    let mut given = fixture("normal");
    let Source::Stdio(stdio) = &mut given.source else { unreachable!() };
    let secret = Secret::new("ghp_0123456789".to_owned());
    stdio.environment.insert("TOKEN".to_owned(), secret.clone());
    let source = Box::new(given.source);
    given.source = Source::Hiding(Hiding { source, values: vec![secret], perhaps: Vec::new() });
    let upstreams = start([given]);
    let environment = plain(&upstreams, "normal", "environment").await.unwrap();
    assert_eq!(environment.structured.as_ref().unwrap()["TOKEN"], "***");
    assert!(!format!("{environment:?}").contains("ghp_0123456789"), "{environment:?}");
}

#[tokio::test]
async fn a_tool_with_a_credential_in_its_name_is_left_out_and_told() {
    let mut given = fixture("normal");
    let (source, secret) = (Box::new(given.source), Secret::new("progress".to_owned()));
    given.source = Source::Hiding(Hiding { source, values: vec![secret], perhaps: Vec::new() });
    let upstreams = start([given]);
    let listing = upstreams.listing(&name("normal")).await.unwrap();
    assert!(listing.tools.iter().all(|tool| tool.name.0 != "progress"), "{listing:?}");
    let status = status(&upstreams, "normal");
    assert_eq!(status.tools, Some(16));
    assert!(status.left_out[0].starts_with("1 tool: the name has a secret"), "{status:?}");
}

#[tokio::test]
async fn many_callers_at_once_share_one_process() {
    let upstreams = start([fixture("normal")]);
    let calls = (0..20).map(|_| plain(&upstreams, "normal", "pid"));
    let pids: std::collections::HashSet<_> = futures_util::future::join_all(calls)
        .await
        .into_iter()
        .map(|result| result.unwrap().structured.unwrap().to_string())
        .collect();
    assert_eq!(pids.len(), 1);
}

#[tokio::test]
async fn no_more_calls_run_at_once_than_configured() {
    let mut narrow = fixture("normal");
    narrow.concurrency = 1;
    narrow.timeouts.tools.insert(ToolName("echo".to_owned()), Duration::from_millis(100));
    let upstreams = start([narrow]);
    plain(&upstreams, "normal", "pid").await.unwrap();
    let (server, never) = (name("normal"), ToolName("never".to_owned()));
    let never = upstreams.call(&server, &never, Map::new());
    tokio::select! {
        biased;
        _ = never => panic!("answered"),
        refused = call(&upstreams, "normal", "echo", json!({"text": "hi"})) => {
            let refused = refused.unwrap_err();
            assert!(refused.to_string().contains("setting `concurrency`"), "{refused}");
            assert!(!refused.is_ambiguous());
        }
    }
    assert_eq!(text(call(&upstreams, "normal", "echo", json!({"text": "hi"})).await), "hi");
}

#[tokio::test]
async fn slow_and_broken_servers_do_not_hold_up_the_others() {
    let mut servers: Vec<_> = ["mute", "dies", "slow-list", "normal"].map(fixture).into();
    for server in &mut servers {
        server.startup = Startup::Eager;
    }
    let upstreams = start(servers);
    assert_eq!(text(call(&upstreams, "normal", "echo", json!({"text": "hi"})).await), "hi");
    assert_eq!(state(&upstreams, "mute"), ServerState::Connecting);
    assert_eq!(state(&upstreams, "slow-list"), ServerState::Connecting);
    upstreams.close().await;
}

#[tokio::test]
async fn a_program_that_is_slow_to_start_is_not_started_twice() {
    // Three quarters of the time it has; that it is installed meanwhile would be a reason.
    const MODES: [&str; 3] = ["normal", "modern", "locked"];
    let folder = tempfile::tempdir().unwrap();
    let slow = |mode: &str| {
        let mut slow = counted(mode, &folder.path().join(mode), "sleep 9");
        slow.timeouts.connect = Duration::from_secs(12);
        slow.startup = Startup::Eager;
        slow
    };
    let upstreams = start(MODES.map(slow));
    for mode in MODES {
        assert_eq!(text(call(&upstreams, mode, "echo", json!({"text": "hi"})).await), "hi");
        assert_eq!(std::fs::read_to_string(folder.path().join(mode)).unwrap(), "x\n");
    }
    upstreams.close().await;
}

/// The fixture behind a script that writes a line whenever it is started, and does something first.
fn counted(mode: &str, started: &Path, first: &str) -> ServerSettings {
    let script = format!("echo x >> {}; {first}; exec \"$@\"", started.display());
    let mut counted = fixture(mode);
    if let Source::Stdio(stdio) = &mut counted.source {
        let command = std::mem::replace(&mut stdio.command, "sh".to_owned());
        let mut arguments = vec!["-c".to_owned(), script, "sh".to_owned(), command];
        arguments.append(&mut stdio.arguments);
        stdio.arguments = arguments;
    }
    counted
}

#[tokio::test]
async fn an_eager_server_connects_by_itself_and_again_after_a_crash() {
    let mut eager = fixture("normal");
    eager.startup = Startup::Eager;
    let upstreams = start([eager]);
    until("it is connected", || state(&upstreams, "normal") == ServerState::Connected).await;
    let before = plain(&upstreams, "normal", "pid").await.unwrap().structured;
    plain(&upstreams, "normal", "crash").await.unwrap_err();
    until("it is connected again", || state(&upstreams, "normal") == ServerState::Connected).await;
    assert_ne!(plain(&upstreams, "normal", "pid").await.unwrap().structured, before);
}

#[tokio::test]
async fn after_several_failures_the_reason_comes_at_once_until_the_wait_is_over() {
    let upstreams = start([fixture("dies")]);
    until_backed_off(&upstreams).await;
    let problem = upstreams.listing(&name("dies")).await.unwrap_err();
    assert!(problem.to_string().contains("missing API key"), "{problem}");
    assert!(matches!(state(&upstreams, "dies"), ServerState::Failed { .. }));
}

/// Connects until the wait is longer than a caller is made to wait.
async fn until_backed_off(upstreams: &Upstreams) {
    loop {
        upstreams.listing(&name("dies")).await.unwrap_err();
        if let ServerState::Failed { again_in, .. } = state(upstreams, "dies")
            && again_in > Duration::from_secs(2)
        {
            return;
        }
    }
}

#[tokio::test]
async fn servers_can_be_added_and_removed() {
    let upstreams = start([]);
    let unknown = upstreams.listing(&name("normal")).await.unwrap_err();
    assert_eq!(unknown.to_string(), r#"there is no server called "normal"; configured are: none"#);
    upstreams.add(fixture("normal")).await;
    assert_eq!(text(call(&upstreams, "normal", "echo", json!({"text": "hi"})).await), "hi");
    let mut changes = upstreams.changes();
    changes.mark_unchanged();
    assert!(upstreams.remove(&name("normal")).await);
    assert!(changes.has_changed().unwrap());
    assert!(!upstreams.remove(&name("normal")).await);
    assert!(upstreams.status().is_empty());
}

#[tokio::test]
async fn closing_ends_children_that_do_not_want_to_go() {
    let upstreams = start(["stubborn", "family", "normal"].map(fixture));
    let mut pids = Vec::new();
    for server in ["stubborn", "family", "normal"] {
        let found = plain(&upstreams, server, "pid").await.unwrap().structured.unwrap();
        pids.extend(found.as_array().unwrap().iter().filter_map(Value::as_u64));
    }
    assert_eq!(pids.len(), 4);
    upstreams.close().await;
    until("all are gone", || pids.iter().all(|pid| is_gone(*pid))).await;
    let problem = plain(&upstreams, "normal", "pid").await.unwrap_err();
    assert!(problem.to_string().contains("shutting down"), "{problem}");
}

fn is_gone(pid: u64) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return true };
    stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
}
