//! The files of a run, also where there is no room, no time or another run.

use engine::image::{Digest, Header};
use futures_util::FutureExt as _;
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;
use upstream::{Options, Upstreams};

use super::*;
use crate::desk::Books as _;
use crate::mailboxes::{POST, RECEIVE};
use crate::service::deeds;
use crate::service::durable::RunBooks;
use crate::service::ids::SessionId;
use crate::service::run::Run;
use crate::tools::CALL;
use crate::{CallKind, Memory, Tools};

fn begun() -> Begun {
    Begun {
        run: RunId::fresh(),
        session: SessionId::fresh(),
        owner: "ada".to_owned(),
        teams: Vec::new(),
        agent: String::new(),
        started_by: Vec::new(),
        level: engine::Level::default(),
        created_at: Moment::now(),
        language: engine::Language::default(),
        program: "1".to_owned(),
        context: engine::Context::new(),
        guidance: String::new(),
        limits: engine::Limits::default(),
        timeout: None,
        fit: (budget::Strategy::default(), 100),
        resumes: None,
        is_alone: true,
        is_plain: true,
        trace: None,
    }
}

fn call(id: u64, name: &str, arguments: &str) -> HostCall {
    let arguments = RawValue::from_string(arguments.to_owned()).unwrap();
    HostCall { id: CallId(id), name: name.to_owned(), arguments }
}

fn write(id: u64) -> HostCall {
    call(id, CALL, r#"{"server":"s","tool":"t","arguments":{}}"#)
}

fn keeper(own: &Own, begun: Begun) -> Arc<Keeper> {
    Arc::new(Keeper::new(&own.folder, begun, Vec::new()))
}

fn own() -> (tempfile::TempDir, Own) {
    let folder = tempfile::tempdir().unwrap();
    let own = Own::new(folder.path().join("kept")).unwrap();
    (folder, own)
}

#[tokio::test]
async fn a_run_that_was_told_to_have_failed_is_not_gone_on_with() {
    let (_folder, own) = own();
    let keeper = keeper(&own, begun());
    keeper.accept().await.unwrap();
    keeper.leaves(&write(1), Effect::Write).unwrap();
    let error = ProgramError { kind: "NoRoom".to_owned(), ..ProgramError::default() };
    keeper.ends(Some(error)).await.unwrap();
    let run = keeper.begun().run.clone();
    // Whoever takes over knows what it did, stored or not.
    let known = Keeper::calls_of(&own, &run).unwrap();
    assert!(matches!(known.called, Called::These(calls) if calls.len() == 1));
    let found = Keeper::find(own.folder.join(run.as_str())).unwrap().unwrap();
    let over = found.over.expect("it does not go on");
    assert_eq!(over.error.unwrap().kind, "NoRoom");
    assert_eq!(found.keeper.all_left().len(), 1);
    Arc::new(found.keeper).over(false, false).await.unwrap();
    let known = Keeper::calls_of(&own, &run).unwrap();
    assert!(matches!(known.called, Called::These(calls) if calls.len() == 1));
}

#[tokio::test]
async fn a_run_that_was_told_to_have_succeeded_is_found_so() {
    let (_folder, own) = own();
    let keeper = keeper(&own, begun());
    keeper.accept().await.unwrap();
    keeper.leaves(&write(1), Effect::Write).unwrap();
    keeper.ends_well().await.unwrap();
    let run = keeper.begun().run.clone();
    let found = Keeper::find(own.folder.join(run.as_str())).unwrap().unwrap();
    let over = found.over.expect("it does not go on");
    assert!(over.success && over.error.is_none() && over.note.is_some());
    Arc::new(found.keeper).over(true, false).await.unwrap();
    assert!(!own.folder.join(run.as_str()).exists());
}

/// An image that is in the ledger of `keeper`, in which `pending` are pending.
async fn image(keeper: &Arc<Keeper>, pending: &[u64]) {
    let header =
        Header { engine: "none".to_owned(), base: Digest([0; 32]), body_bytes: 0, waiting: true };
    let image = Image::new(header, b"program".to_vec());
    let pending = pending.iter().map(|id| CallId(*id)).collect();
    let line = ImageLine { number: 0, bytes: 0, wake_at: None, pending, since: None };
    keeper.image(image, line).await.unwrap();
}

#[tokio::test]
async fn a_ledger_whose_end_is_gone_is_not_taken_for_one_that_never_had_it() {
    let (_folder, own) = own();
    for images in 1..3 {
        let keeper = keeper(&own, begun());
        keeper.accept().await.unwrap();
        for _ in 1..images {
            image(&keeper, &[]).await;
        }
        let folder = own.folder.join(keeper.begun().run.as_str());
        let before = std::fs::metadata(folder.join(LEDGER)).unwrap().len();
        keeper.leaves(&write(1), Effect::Write).unwrap();
        image(&keeper, &[1]).await;
        let found = Keeper::find(folder.clone()).unwrap().unwrap();
        assert!(found.over.is_none(), "it goes on");
        assert_eq!(found.image.unwrap().number, images);
        // All that says of the write that it left.
        File::options().write(true).open(folder.join(LEDGER)).unwrap().set_len(before).unwrap();
        let found = Keeper::find(folder).unwrap().unwrap();
        assert_eq!(found.over.unwrap().error.unwrap().kind, "Unknown");
    }
}

#[tokio::test]
async fn an_image_is_found_though_the_process_ended_before_it_had_its_name() {
    let (_folder, own) = own();
    let keeper = keeper(&own, begun());
    image(&keeper, &[]).await;
    let [named, new] = image_files(&own.folder.join(keeper.begun().run.as_str()), 1);
    std::fs::rename(&named, &new).unwrap();
    let found = Keeper::find(named.parent().unwrap().to_owned()).unwrap().unwrap();
    assert!(found.over.is_none());
    Arc::new(found.keeper).thawed().await.unwrap();
    // One whose line was not written is not used.
    let half = new.with_file_name("image-2.new");
    std::fs::write(&half, b"half").unwrap();
    let found = Keeper::find(named.parent().unwrap().to_owned()).unwrap().unwrap();
    assert!(found.over.is_none() && found.image.unwrap().number == 1);
    assert!(!half.exists() && new.exists());
}

#[tokio::test]
async fn a_run_that_was_refused_is_forgotten() {
    let (_folder, own) = own();
    let keeper = keeper(&own, begun());
    keeper.accept().await.unwrap();
    assert!(own.folder.join(keeper.begun().run.as_str()).exists());
    keeper.forget().await;
    assert!(!own.folder.join(keeper.begun().run.as_str()).exists());
    assert!(!keeper.is_written());
}

#[tokio::test]
async fn a_run_that_rests_holds_no_file_open_whatever_is_written_meanwhile() {
    let (_folder, own) = own();
    let keeper = keeper(&own, begun());
    let is_open = || lock(&keeper.state).ledger.as_ref().is_some_and(Ledger::is_open);
    keeper.leaves(&write(1), Effect::Write).unwrap();
    assert!(is_open());
    keeper.rests();
    keeper.waits(CallId(1));
    assert!(!is_open());
    keeper.sync().await.unwrap();
    assert!(!is_open());
    assert_eq!(keeper.never_left(), [1]);
}

#[tokio::test]
async fn the_last_that_took_over_is_known_also_of_a_run_of_which_nothing_is_kept() {
    let (_folder, own) = own();
    let (of, first, second) = (RunId::fresh(), RunId::fresh(), RunId::fresh());
    Keeper::is_taken_up(&own, &of, first).unwrap();
    Keeper::is_taken_up(&own, &of, second.clone()).unwrap();
    let known = Keeper::calls_of(&own, &of).unwrap();
    assert!(matches!(known.called, Called::Unkept));
    assert_eq!(known.taken_up_by, Some(second));
}

#[tokio::test]
async fn what_a_run_was_asked_for_with_is_kept_of_one_that_failed_and_of_no_other() {
    let (_folder, own) = own();
    for (succeeded, asked_for) in [(false, true), (false, false), (true, true)] {
        let keeper = keeper(&own, begun());
        keeper.over(succeeded, asked_for).await.unwrap();
        let kept = Keeper::begun_of(&own, &keeper.begun().run).unwrap();
        assert_eq!(kept.is_some(), !succeeded && asked_for);
    }
}

#[tokio::test]
async fn from_when_a_run_is_to_leave_nothing_leaves_that_changes_something() {
    let (_folder, own) = own();
    let keeper = keeper(&own, begun());
    let upstreams = Upstreams::new(Vec::new(), Options::default());
    let offer = Tools::new(upstreams, std::collections::BTreeMap::new(), Memory::none());
    let offer = offer.offer("").await;
    let leaving = CancellationToken::new();
    let books = RunBooks::new(Arc::clone(&keeper), offer, leaving.clone());
    for (id, effect) in [(1, Effect::Write), (2, Effect::Idempotent), (3, Effect::Read)] {
        keeper.leaves(&write(id), effect).unwrap();
    }
    assert!(books.departure(&write(3)).is_none(), "reads go on");
    let departures = [1, 2].map(|id| books.departure(&write(id)).unwrap());
    assert!(departures[0].leaves().now_or_never().is_some_and(|left| left.is_ok()));
    leaving.cancel();
    for (departure, held) in departures.iter().zip([vec![1], vec![1, 2]]) {
        let stays = async {
            while keeper.never_left() != held {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            _ = departure.leaves() => panic!("it left"),
            () = stays => {}
        }
    }
}

#[tokio::test]
async fn a_tool_is_no_internal_call_whatever_it_is_called() {
    let upstreams = Upstreams::new(Vec::new(), Options::default());
    let tools = Tools::new(upstreams, std::collections::BTreeMap::new(), Memory::none());
    let offer = tools.offer("").await;
    let of = |call: &HostCall| {
        let note = CallNote::leaving(call);
        assert_eq!(offer.effect(call), offer.effect_of(&note), "{note:?}");
        (note.kind, offer.effect(call))
    };
    let pay = call(1, CALL, r#"{"server":"s","tool":"$pay"}"#);
    assert_eq!(of(&pay), (CallKind::Tool, Effect::Write));
    let named_like_a_request = call(2, CALL, r#"{"server":"http","tool":"GET x"}"#);
    assert_eq!(of(&named_like_a_request), (CallKind::Tool, Effect::Write));
    let resource = call(3, "$resource", r#"{"server":"s","uri":"u","tool":"t"}"#);
    assert_eq!(of(&resource), (CallKind::Besides, Effect::Read));
    assert_eq!(CallNote::leaving(&resource).name(), "s.$resource");
    let request = call(4, "$http", r#"{"method":"POST","url":"https://h/"}"#);
    assert_eq!(of(&request), (CallKind::Web, Effect::Write));
    // What a child does is not to be done twice.
    let child = call(5, "$spawn", r#"{"code":"return 1"}"#);
    assert_eq!(of(&child), (CallKind::Besides, Effect::Write));
}

#[tokio::test]
async fn a_message_that_nobody_had_may_be_asked_for_again_and_one_that_was_posted_is_not_posted_twice()
 {
    let (_folder, own) = own();
    let keeper = keeper(&own, begun());
    let run = Run::new(keeper.begun().record(), None, &CancellationToken::new());
    for (id, name) in [(1, RECEIVE), (2, POST), (3, POST)] {
        keeper.leaves(&call(id, name, r#"{"box":"b","message":1}"#), Effect::Write).unwrap();
    }
    for (left, is_done) in keeper.all_left().iter().zip([true, true, false]) {
        deeds::told(&run, &keeper, left, is_done).await;
    }
    let left = |id| keeper.left(CallId(id)).unwrap();
    assert!(left(1).answer.is_none() && !left(1).is_unknown());
    assert!(left(2).is_done());
    assert!(left(3).is_unknown(), "nobody knows of one that has no deed");
    let Called::These(calls) = Keeper::calls_of(&own, run.id()).unwrap().called else { panic!() };
    let unknown: Vec<bool> = calls.iter().map(Left::is_unknown).collect();
    assert_eq!(unknown, [false, false, true]);
}

#[tokio::test]
async fn a_run_is_given_up_in_whose_steps_one_process_after_the_other_ends() {
    let (_folder, own) = own();
    let begun = begun();
    let folder = own.folder.join(begun.run.as_str());
    let first = keeper(&own, begun.clone());
    first.accept().await.unwrap();
    // Its first process may have ended for any reason.
    first.steps();
    for process in 0..steps::MOST_DIED {
        let found = Keeper::find(folder.clone()).unwrap().unwrap();
        assert!(found.over.is_none(), "{process}");
        // Steps that come to an end are no reason, nor is the end of a process in between.
        drop(found.keeper.step());
        let again = Keeper::find(folder.clone()).unwrap().unwrap();
        assert!(again.over.is_none(), "{process}");
        // That of a program that it started is one.
        again.keeper.steps();
        if process == 0 {
            drop(again.keeper.step());
        }
    }
    let error = Keeper::find(folder).unwrap().unwrap().over.unwrap().error.unwrap();
    assert_eq!(error.kind, "GivenUp");
    assert!(error.hint.unwrap().contains(begun.run.as_str()));
}

#[tokio::test]
async fn a_run_that_gets_on_is_not_given_up() {
    let (_folder, own) = own();
    let begun = begun();
    let folder = own.folder.join(begun.run.as_str());
    keeper(&own, begun).accept().await.unwrap();
    for _ in 0..3 * steps::MOST_DIED {
        let found = Keeper::find(folder.clone()).unwrap().unwrap();
        assert!(found.over.is_none());
        let keeper = Arc::new(found.keeper);
        keeper.steps();
        image(&keeper, &[]).await;
        keeper.has_stepped();
        keeper.steps();
    }
}
