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

/// A call with one argument that asks until it is answered.
fn ask(approvals: &Arc<Approvals>, key: &str) -> tokio::task::JoinHandle<Result<(), Unapproved>> {
    let (approvals, key) = (Arc::clone(approvals), key.to_owned());
    tokio::spawn(async move {
        let behalf = Behalf { run: "r".into(), session: "s".into(), ..Behalf::default() };
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
        };
        let done = BTreeMap::from([("desk.look".to_owned(), 2)]);
        approvals.ask(&wish, &decision, &done).await
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
