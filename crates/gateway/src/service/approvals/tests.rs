//! Questions keep their numbers, and answers are for what they name.

use catalog::Annotations;
use policy::Verdict;
use serde_json::json;

use super::*;
use crate::behalf::Behalf;

/// Questions in memory, and one run that asks them.
async fn approvals() -> Arc<Approvals> {
    let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await;
    let pool = pool.unwrap();
    prepare(&pool).await.unwrap();
    Arc::new(Approvals::new(pool, Duration::from_secs(60)))
}

type Call = tokio::task::JoinHandle<Result<(), Unapproved>>;

/// A call with one argument that asks until it is answered.
fn ask(approvals: &Arc<Approvals>, key: &str) -> Call {
    ask_because(approvals, key, &["bookings"])
}

/// The same, where these want it so.
fn ask_because(approvals: &Arc<Approvals>, key: &str, grounds: &[&str]) -> Call {
    let behalf = Behalf { run: "r".into(), session: "s".into(), ..Behalf::default() };
    ask_as(behalf, approvals, key, grounds, || ())
}

/// The same of somebody else; `asked` is called when the question can be answered.
fn ask_as(
    behalf: Behalf,
    approvals: &Arc<Approvals>,
    key: &str,
    grounds: &[&str],
    asked: impl FnOnce() + Send + 'static,
) -> Call {
    let (approvals, key) = (Arc::clone(approvals), key.to_owned());
    let grounds = grounds.iter().map(|ground| (*ground).to_owned()).collect();
    tokio::spawn(async move {
        let arguments = Map::from_iter([("key".to_owned(), Value::String(key))]);
        let wish = Wish {
            behalf: &behalf,
            server: "desk",
            tool: "book",
            annotations: &Annotations::default(),
            is_trusted: false,
            arguments: &arguments,
            shown: &arguments,
        };
        let decision = Decision {
            verdict: Verdict::Ask,
            rule: "bookings".into(),
            reason: "they cost money".into(),
            limits: vec![],
            grounds,
        };
        let done = BTreeMap::from([("desk.look".to_owned(), 2)]);
        approvals.ask(&wish, &decision, &done, asked).await
    })
}

/// What waits, once there are so many.
async fn waiting(approvals: &Approvals, count: usize) -> Group {
    loop {
        let groups = approvals.waiting(Some("r"), None).await.unwrap();
        if groups.iter().map(|group| group.items.len()).sum::<usize>() == count {
            return groups.into_iter().next().unwrap();
        }
        tokio::task::yield_now().await;
    }
}

fn answer(approves: bool, items: Option<Vec<String>>) -> Answer {
    Answer { approves, items, tool: None, pattern: None, reason: None, by: "cleo".into() }
}

#[tokio::test]
async fn a_question_keeps_its_number_and_an_answer_is_for_what_it_names() {
    let approvals = approvals().await;
    let mut calls = Vec::new();
    for (at, key) in ["a", "b", "c"].into_iter().enumerate() {
        calls.push(ask(&approvals, key));
        waiting(&approvals, at + 1).await;
    }
    let group = waiting(&approvals, 3).await;
    let numbers = |group: &Group| group.items.iter().map(|item| item.number).collect::<Vec<_>>();
    assert_eq!(numbers(&group), [1, 2, 3]);
    assert_eq!(group.done, BTreeMap::from([("desk.look".to_owned(), 2)]));
    let second = group.items[1].id.clone();
    let answered = approvals.answer("r", &answer(true, Some(vec![second]))).await.unwrap();
    assert_eq!((answered.calls["desk.book"], answered.left), (1, 2));
    assert_eq!(calls.remove(1).await.unwrap(), Ok(()));
    // One that is asked after an answer is neither covered by it nor called like another.
    calls.push(ask(&approvals, "d"));
    let group = waiting(&approvals, 3).await;
    assert_eq!(numbers(&group), [1, 3, 4]);
    let shown = group.items[..2].iter().map(|item| item.id.clone()).collect();
    approvals.answer("r", &answer(false, Some(shown))).await.unwrap();
    let group = waiting(&approvals, 1).await;
    assert_eq!(group.items[0].arguments, json!({ "key": "d" }));
    for call in calls.drain(..2) {
        let unapproved = call.await.unwrap().unwrap_err();
        assert!(unapproved.words.contains("cleo said no") && !unapproved.is_expired);
    }
    calls.remove(0).abort();
}

#[tokio::test]
async fn a_call_is_said_to_wait_once_it_can_be_answered() {
    let approvals = approvals().await;
    let (say, mut said) = tokio::sync::oneshot::channel();
    let one_at_a_time = approvals.claiming.lock().await;
    let behalf = Behalf { run: "r".into(), session: "s".into(), ..Behalf::default() };
    let call = ask_as(behalf, &approvals, "a", &["bookings"], || say.send(()).unwrap());
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(said.try_recv().is_err(), "nobody could answer it");
    drop(one_at_a_time);
    said.await.unwrap();
    approvals.answer("r", &answer(true, None)).await.unwrap();
    assert_eq!(call.await.unwrap(), Ok(()));
}

#[tokio::test]
async fn a_no_counts_once_where_no_program_asks_and_for_good_where_one_does() {
    let direct = || Behalf::default().without_program("r");
    let no = |call: Call| async move {
        let words = call.await.unwrap().unwrap_err().words;
        assert!(words.contains("cleo said no"), "{words}");
    };
    let approvals = approvals().await;
    // Whether it is heard while the call waits,
    let call = ask_as(direct(), &approvals, "a", &[], || ());
    waiting(&approvals, 1).await;
    approvals.answer("r", &answer(false, None)).await.unwrap();
    no(call).await;
    // or by the next one, because the first did not wait so long.
    let call = ask_as(direct(), &approvals, "a", &[], || ());
    waiting(&approvals, 1).await;
    call.abort();
    assert!(call.await.is_err());
    approvals.answer("r", &answer(false, None)).await.unwrap();
    no(ask_as(direct(), &approvals, "a", &[], || ())).await;
    let call = ask_as(direct(), &approvals, "a", &[], || ());
    assert_eq!(waiting(&approvals, 1).await.items[0].number, 3);
    call.abort();
    assert!(call.await.is_err());
    approvals.answer("r", &answer(false, None)).await.unwrap();
    let of_program = ask(&approvals, "b");
    waiting(&approvals, 1).await;
    approvals.answer("r", &answer(false, None)).await.unwrap();
    no(of_program).await;
    for _ in 0..2 {
        no(ask(&approvals, "b")).await;
    }
}

#[tokio::test]
async fn every_condition_of_what_is_remembered_is_read() {
    let approvals = approvals().await;
    let call = ask(&approvals, "a");
    waiting(&approvals, 1).await;
    let pattern = Some(vec!["key == 'a'".to_owned(), "key is odd".to_owned()]);
    let wrong = approvals.answer("r", &Answer { pattern, ..answer(true, None) }).await;
    assert!(matches!(wrong, Err(AnswerError::Condition(_))), "{wrong:?}");
    waiting(&approvals, 1).await;
    call.abort();
}

#[tokio::test]
async fn nobody_who_answers_in_time_is_another_thing_than_no() {
    let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await;
    let pool = pool.unwrap();
    prepare(&pool).await.unwrap();
    let approvals = Arc::new(Approvals::new(pool, Duration::ZERO));
    let unapproved = ask(&approvals, "a").await.unwrap().unwrap_err();
    assert!(unapproved.is_expired, "{unapproved:?}");
}

#[tokio::test]
async fn what_is_approved_for_a_session_is_what_was_shown_and_nothing_else_of_that_name() {
    let approvals = approvals().await;
    let first = ask_because(&approvals, "a", &["flow after hr"]);
    waiting(&approvals, 1).await;
    let remembered = Answer { pattern: Some(vec![]), ..answer(true, None) };
    approvals.answer("r", &remembered).await.unwrap();
    assert_eq!(first.await.unwrap(), Ok(()));
    // The same again is not asked about,
    assert_eq!(ask_because(&approvals, "b", &["flow after hr"]).await.unwrap(), Ok(()));
    // what another rule wants asked about as well is, as is what has read from elsewhere besides,
    for (count, more) in [(1, "public"), (2, "flow after fin")] {
        ask_because(&approvals, "c", &["flow after hr", more]);
        let groups = async || approvals.waiting(Some("r"), None).await.unwrap();
        while groups().await.len() < count {
            tokio::task::yield_now().await;
        }
    }
    // until each was approved.
    approvals.answer("r", &remembered).await.unwrap();
    assert_eq!(ask_because(&approvals, "d", &["public", "flow after fin"]).await.unwrap(), Ok(()));
    // Where nothing says what it is for, nothing was approved.
    let call = ask_because(&approvals, "e", &[]);
    waiting(&approvals, 1).await;
    call.abort();
}

#[tokio::test]
async fn an_approval_is_not_used_for_what_was_asked_for_other_reasons() {
    let approvals = approvals().await;
    let call = ask_because(&approvals, "a", &["small amounts"]);
    waiting(&approvals, 1).await;
    // As when the process ends before anybody has answered, and the rules change.
    call.abort();
    assert!(call.await.is_err());
    approvals.answer("r", &answer(true, None)).await.unwrap();
    let call = ask_because(&approvals, "a", &["large amounts"]);
    assert_eq!(waiting(&approvals, 1).await.items[0].number, 2);
    call.abort();
    assert!(call.await.is_err());
    approvals.answer("r", &answer(true, None)).await.unwrap();
    // For the same reasons it is.
    assert_eq!(ask_because(&approvals, "a", &["large amounts"]).await.unwrap(), Ok(()));
}
