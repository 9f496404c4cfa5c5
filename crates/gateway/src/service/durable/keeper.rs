//! The files of one run: its ledger, and its last image.

mod after;
mod given_up;
mod soon;
pub(super) mod steps;

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use engine::{CallError, CallId, CallResult, HostCall, Image, Outcome, ProgramError};

pub(crate) use self::after::{Called, Known};
use super::Effect;
use super::images::{image_files, last_image, names_in, read_image};
use super::ledger::{self, Begun, ImageLine, Ledger, Line};
use super::over::{damaged, ends_processes, told, told_well};
use super::own::Own;
use super::past::{Left, OfChild, Past, REFUSED};
use crate::hearing::{CallNote, Fate};
use crate::service::ids::RunId;
use crate::service::record::{Moment, Rest};
use crate::service::{Record, Status, lock};

/// The ledger's file name.
const LEDGER: &str = "ledger";
/// What it is called once its run was told to have failed, though that is not stored yet.
const ENDED: &str = "ended";
/// The same once it was told to have succeeded.
const SUCCEEDED: &str = "succeeded";
/// Calls that are told one by one.
const MOST_TOLD: usize = 10;

/// Calls, in words: so many of them, and how many more there are.
pub(crate) fn counted(mut calls: Vec<String>) -> String {
    let more = calls.len().saturating_sub(MOST_TOLD);
    calls.truncate(MOST_TOLD);
    let told = calls.join(", ");
    if more == 0 { told } else { format!("{told} and {more} more") }
}

/// Writes down what one run does.
pub(crate) struct Keeper {
    folder: PathBuf,
    begun: Begun,
    state: Mutex<State>,
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "each says something of its own about what is known of the run"
)]
#[derive(Default)]
struct State {
    /// How many processes ended within a step of it, if it was taken up and has not got on since.
    died: Option<u64>,
    /// Steps under way, of its own and of those that it started.
    inside: usize,
    /// Not there until there is something to write.
    ledger: Option<Ledger>,
    /// The last image, and its number.
    image: u64,
    /// Calls that have left, by number.
    left: BTreeMap<CallId, Left>,
    /// Answers to calls that the program makes again under other numbers.
    spare: Vec<Left>,
    /// Calls of the run that this one takes over from, each used once.
    earlier: Vec<Left>,
    /// Calls of programs that it started, by number.
    of_children: BTreeMap<u64, OfChild>,
    /// Nobody knows what else it has done.
    is_damaged: bool,
    /// A call is said to wait that may yet be forgotten to.
    waits_unsynced: bool,
    /// The run rests, so that nothing is left open.
    rests: bool,
    /// That it was begun is on disk, or will be soon.
    is_safe_soon: bool,
}

/// A run as it was found on disk.
pub(crate) struct Found {
    pub(crate) begun: Begun,
    pub(crate) image: Option<ImageLine>,
    pub(crate) keeper: Keeper,
    /// How it ended, if it does not go on.
    pub(crate) over: Option<Outcome>,
}

impl Keeper {
    /// What a ledger may be called in the folder of its run.
    pub(super) const NAMES: [&'static str; 3] = [SUCCEEDED, ENDED, LEDGER];

    /// For a run that has done nothing yet. Nothing is written until it does.
    pub(crate) fn new(runs: &Path, begun: Begun, earlier: Vec<Left>) -> Self {
        let state = Mutex::new(State { earlier, ..State::default() });
        Self { folder: runs.join(begun.run.as_str()), begun, state }
    }

    /// What is on disk of a run; `None` if that does not say what it is.
    pub(crate) fn find(folder: PathBuf) -> io::Result<Option<Found>> {
        // Looked at once: there may be many of them, and somebody waits for the start.
        let names = names_in(&folder)?;
        let has = |name: &str| names.iter().any(|one| one == name);
        let told_as = [SUCCEEDED, ENDED].into_iter().find(|name| has(name));
        let is_over = told_as.is_some();
        let path = folder.join(told_as.unwrap_or(LEDGER));
        let read = match ledger::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read?,
        };
        let (mut lines, valid, is_torn_inside) = read;
        let Some(Line::Begun(begun)) = lines.first().cloned() else { return Ok(None) };
        lines.remove(0);
        let past = if is_over { Past::of(lines) } else { Past::to_go_on(lines) };
        let number = past.image.as_ref().map_or(0, |image| image.number);
        let damage = if is_torn_inside || past.is_damaged {
            Some("its ledger was changed")
        } else if !is_over && last_image(&names) > number {
            // An image has its name only once its line is on disk.
            Some("its ledger lacks what was written last")
        } else {
            None
        };
        let open = if is_over { Ledger::of_over } else { Ledger::of_earlier };
        let mut ledger = open(&path, valid);
        if damage.is_some() {
            // Whoever wants to take over from it has to know.
            ledger.append(&Line::Damaged)?;
            ledger.close();
        }
        // One that was being written when the process ended. What is known of images reads all of them.
        let [_, half] = image_files(&folder, number + 1);
        if half.file_name().and_then(|name| name.to_str()).is_some_and(has) {
            let _ = std::fs::remove_file(half);
        }
        let Past { image, left, spare, earlier, of_children, ended, .. } = past;
        let died = steps::died(&folder);
        let over = match (told_as, damage) {
            (Some(SUCCEEDED), _) => Some(told_well()),
            (_, Some(damage)) => Some(damaged(damage)),
            (None, None) if died >= steps::MOST_DIED => Some(ends_processes(&begun.run)),
            (told_as, None) => told_as.map(|_| told(ended)),
        };
        // What was told to be over has none any more.
        let image = image.filter(|_| !is_over);
        let state = Mutex::new(State {
            ledger: Some(ledger),
            image: image.as_ref().map_or(0, |image| image.number),
            left,
            spare,
            earlier,
            of_children,
            is_damaged: damage.is_some(),
            died: Some(died),
            ..State::default()
        });
        let begun = *begun;
        let keeper = Self { folder, begun: begun.clone(), state };
        Ok(Some(Found { begun, image, keeper, over }))
    }

    /// What the run is.
    pub(crate) fn begun(&self) -> &Begun {
        &self.begun
    }

    /// Says that the run was accepted; when this comes back, it is not forgotten.
    pub(crate) async fn accept(self: &Arc<Self>) -> io::Result<()> {
        self.blocking(|keeper| {
            let mut state = lock(&keeper.state);
            let written = keeper.write_begun(&mut state);
            if written.is_err() {
                // What was refused does not run after all.
                state.ledger = None;
                let _ = keeper.remove();
            }
            written
        })
        .await
    }

    /// Forgets a run that was refused after all; when this comes back, no later process begins it.
    pub(crate) async fn forget(self: &Arc<Self>) {
        let forgotten = self.blocking(|keeper| {
            lock(&keeper.state).ledger = None;
            keeper.remove()
        });
        if let Err(error) = forgotten.await {
            tracing::warn!(run = %self.begun.run, error = %error, "a run that was refused could not be forgotten");
        }
    }

    fn remove(&self) -> io::Result<()> {
        match std::fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => self.folder.parent().map_or(Ok(()), sync_folder),
        }
    }

    /// The run did not succeed and is told so, though that cannot be stored yet: no later process goes on
    /// with it. That takes no space, because there may be none.
    pub(crate) async fn ends(self: &Arc<Self>, error: Option<ProgramError>) -> io::Result<()> {
        self.told_as(ENDED, Line::Ended { error }).await
    }

    /// The same of one that succeeded. What it gave is not written down, because there may be no room for it;
    /// that it did is.
    pub(crate) async fn ends_well(self: &Arc<Self>) -> io::Result<()> {
        self.told_as(SUCCEEDED, Line::Ended { error: None }).await
    }

    async fn told_as(self: &Arc<Self>, name: &'static str, line: Line) -> io::Result<()> {
        self.blocking(move |keeper| {
            let mut state = lock(&keeper.state);
            let image = std::mem::take(&mut state.image);
            let Some(ledger) = &mut state.ledger else { return Ok(()) };
            ledger.rename(keeper.folder.join(name))?;
            sync_folder(&keeper.folder)?;
            // Of no more use, and what it leaves may be room enough to say how the run ended.
            for number in [image, image + 1] {
                for path in image_files(&keeper.folder, number) {
                    let _ = std::fs::remove_file(path);
                }
            }
            let _ = ledger.append(&line).and_then(|()| ledger.sync());
            ledger.close();
            Ok(())
        })
        .await
    }

    fn write_begun(&self, state: &mut State) -> io::Result<()> {
        let ledger = self.ledger(state)?;
        ledger.sync()?;
        ledger.close();
        state.is_safe_soon = true;
        self.sync_folders()
    }

    /// Sees to it that the ledger is found after a loss of power.
    fn sync_folders(&self) -> io::Result<()> {
        sync_folder(&self.folder)?;
        self.folder.parent().map_or(Ok(()), sync_folder)
    }

    fn ledger<'s>(&self, state: &'s mut State) -> io::Result<&'s mut Ledger> {
        if state.ledger.is_none() {
            std::fs::create_dir_all(&self.folder)?;
            let path = self.folder.join(LEDGER);
            let mut ledger = Ledger::create(&path)?;
            let begun = Line::Begun(Box::new(self.begun.clone()));
            // All it has to know of earlier runs, which may be gone when it is needed.
            let earlier = state.earlier.iter().map(|left| Line::Earlier(Box::new(left.clone())));
            let mut lines = std::iter::once(begun).chain(earlier);
            if let Err(error) = lines.try_for_each(|line| ledger.append(&line)) {
                // Another attempt makes it anew.
                let _ = std::fs::remove_file(path);
                return Err(error);
            }
            state.ledger = Some(ledger);
        }
        state.ledger.as_mut().ok_or_else(|| io::Error::other("there is no ledger"))
    }

    /// A call is about to leave.
    pub(crate) fn leaves(&self, call: &HostCall, effect: Effect) -> io::Result<()> {
        let left = Left::new(call.clone(), effect, SystemTime::now(), false);
        self.note(&mut lock(&self.state), left)
    }

    fn note(&self, state: &mut State, left: Left) -> io::Result<()> {
        let Left { call, effect, at, reused, answer, .. } = left.clone();
        let (call, id) = (call.clone(), call.id);
        let ledger = self.ledger(state)?;
        ledger.append(&Line::Calls { call, effect, at, reused })?;
        if let Some((result, took)) = answer {
            ledger.append(&Line::Answered { result, took })?;
        }
        state.left.insert(id, left);
        Ok(())
    }

    /// Whether a call that is to leave is not known to be read-only.
    pub(crate) fn changes_something(&self, id: CallId) -> bool {
        lock(&self.state).left.get(&id).is_some_and(|left| left.effect != Effect::Read)
    }

    /// A call that was to leave has to wait. If that cannot be written down, its fate is unknown
    /// after a crash, which is as safe.
    pub(crate) fn waits(&self, id: CallId) {
        let mut state = lock(&self.state);
        let Some(left) = state.left.get_mut(&id).filter(|left| !left.waits) else { return };
        left.waits = true;
        state.waits_unsynced = true;
        let _ = self.append(&mut state, &Line::Waits { id });
    }

    /// Writes a line. While the run rests, nothing stays open for that.
    fn append(&self, state: &mut State, line: &Line) -> io::Result<()> {
        let rests = state.rests;
        let ledger = self.ledger(state)?;
        let written = ledger.append(line);
        if rests {
            ledger.close();
        }
        written
    }

    /// A call does not leave any more; when this comes back, that is known after a crash.
    pub(crate) async fn stays(self: &Arc<Self>, id: CallId) {
        self.waits(id);
        self.remember_waiting().await;
    }

    /// A call leaves. One that had to wait does so only when that cannot be forgotten.
    pub(crate) async fn goes(self: &Arc<Self>, id: CallId) -> io::Result<()> {
        if !lock(&self.state).left.get(&id).is_some_and(|left| left.waits) {
            return Ok(());
        }
        self.blocking(move |keeper| {
            let mut state = lock(&keeper.state);
            let ledger = keeper.ledger(&mut state)?;
            ledger.append(&Line::Goes { id })?;
            ledger.sync()?;
            if let Some(left) = state.left.get_mut(&id) {
                left.waits = false;
            }
            Ok(())
        })
        .await
    }

    /// A call was answered. What cannot be written down is unknown after a crash, which is as safe.
    pub(crate) fn answered(&self, result: &CallResult, took: Duration) {
        let mut state = lock(&self.state);
        if let Some(left) = state.left.get_mut(&result.id) {
            left.answer = Some((result.clone(), took));
        }
        let _ = self.append(&mut state, &Line::Answered { result: result.clone(), took });
    }

    /// The same call as it was answered before: in this run before a crash, or in the one that it takes
    /// over from. Each is used once.
    pub(crate) fn known(&self, call: &HostCall) -> io::Result<Option<Left>> {
        let mut state = lock(&self.state);
        let is_same = |left: &Left| left.is_same(call);
        let spare = state.spare.iter().position(is_same);
        let earlier = state.earlier.iter().position(is_same);
        let found = match (spare, earlier) {
            (Some(at), _) => Some(state.spare[at].clone()),
            (None, Some(at)) => self.of_earlier(state.earlier[at].clone()),
            (None, None) => None,
        };
        let Some(mut left) = found else { return Ok(None) };
        left.call.id = call.id;
        if let Some((result, _)) = &mut left.answer {
            result.id = call.id;
        }
        // So that whoever takes over from this run, or goes on with it, has it too.
        self.note(&mut state, left.clone())?;
        match (spare, earlier) {
            (Some(at), _) => drop(state.spare.remove(at)),
            // What nobody knows the fate of is refused however often it is tried.
            (None, Some(at)) if state.earlier[at].is_done() => drop(state.earlier.remove(at)),
            (None, _) => {}
        }
        Ok(Some(left))
    }

    /// What an earlier run's call means for this run; `None` if it was not done and may go well this
    /// time.
    fn of_earlier(&self, left: Left) -> Option<Left> {
        if left.is_done() {
            return Some(Left { reused: true, ..left });
        }
        let is_half_done = left.is_half_done();
        (is_half_done || left.is_unknown()).then(|| {
            let run = self.begun.resumes.as_ref().map_or("", RunId::as_str);
            let what = if is_half_done {
                format!("this program was started in run {run} and failed after it had begun to change something, so it is not started")
            } else {
                format!("this call left in run {run} and nobody knows whether it was carried out, so it is not made")
            };
            let message = format!(
                "{what} again; find out with a tool that reads, and leave the call out"
            );
            let result = Err(CallError { kind: REFUSED.to_owned(), message });
            let answer = Some((CallResult { id: left.call.id, result }, Duration::ZERO));
            Left { reused: true, answer, ..left }
        })
    }

    /// A call that has left, as it is known.
    pub(crate) fn left(&self, id: CallId) -> Option<Left> {
        lock(&self.state).left.get(&id).cloned()
    }

    /// All calls that have left, in their order.
    pub(crate) fn all_left(&self) -> Vec<Left> {
        lock(&self.state).left.values().cloned().collect()
    }

    /// What is told of all calls, those of programs that were started among them.
    pub(crate) fn notes(&self) -> Vec<CallNote> {
        let state = lock(&self.state);
        Past::notes(state.left.values(), state.of_children.values())
    }

    /// A program that was started makes a call.
    pub(crate) fn child_leaves(
        &self,
        (id, agent): (u64, Option<String>),
        call: &HostCall,
        effect: Effect,
    ) -> io::Result<()> {
        let note = CallNote { id, agent, ..CallNote::leaving(call) };
        let told = Left::new(call.clone(), effect, note.started_at, false).told();
        let call = OfChild { note, effect, told };
        let mut state = lock(&self.state);
        self.append(&mut state, &Line::OfChild(Box::new(call.clone())))?;
        state.of_children.insert(id, call);
        Ok(())
    }

    /// It was answered, or nobody waits for it any more. What cannot be written down is unknown after a crash.
    pub(crate) fn child_ends(&self, id: u64, end: impl FnOnce(CallNote) -> CallNote) {
        let mut state = lock(&self.state);
        let Some(call) = state.of_children.get_mut(&id).filter(|call| call.note.ok.is_none())
        else {
            return;
        };
        call.note = end(call.note.clone());
        let line = Line::OfChild(Box::new(call.clone()));
        let _ = self.append(&mut state, &line);
    }

    /// How many programs the run has started that called anything, at most.
    pub(crate) fn children_before(&self) -> u64 {
        lock(&self.state).of_children.keys().next_back().map_or(0, |last| last >> 32)
    }

    /// The calls that were to leave and never did.
    pub(crate) fn never_left(&self) -> Vec<u64> {
        let state = lock(&self.state);
        let waits = |left: &&Left| left.waits && left.answer.is_none();
        state.left.values().filter(waits).map(|left| left.call.id.0).collect()
    }

    /// Comes back when everything that was written down is on disk.
    pub(crate) async fn sync(self: &Arc<Self>) -> io::Result<()> {
        self.blocking(|keeper| {
            let mut state = lock(&keeper.state);
            let rests = state.rests;
            let Some(ledger) = &mut state.ledger else { return Ok(()) };
            let synced = ledger.sync();
            if rests {
                ledger.close();
            }
            synced
        })
        .await
    }

    /// Writes everything a program is; when this comes back, it goes on from there after a crash.
    pub(crate) async fn image(
        self: &Arc<Self>,
        image: Image,
        mut line: ImageLine,
    ) -> io::Result<()> {
        self.blocking(move |keeper| {
            let number = lock(&keeper.state).image + 1;
            std::fs::create_dir_all(&keeper.folder)?;
            let bytes = image.as_bytes();
            (line.number, line.bytes) = (number, bytes.len() as u64);
            let [named, path] = image_files(&keeper.folder, number);
            let file = File::create(&path)?;
            let written = io::Write::write_all(&mut &file, bytes).and_then(|()| file.sync_data());
            if let Err(error) = written {
                let _ = std::fs::remove_file(&path);
                return Err(error);
            }
            sync_folder(&keeper.folder)?;
            let mut state = lock(&keeper.state);
            let is_new = state.ledger.is_none();
            let ledger = keeper.ledger(&mut state)?;
            ledger.append(&Line::Image(line))?;
            ledger.sync()?;
            if is_new {
                sync_folder(&keeper.folder)?;
            }
            if number == 1 {
                keeper.folder.parent().map_or(Ok(()), sync_folder)?;
            }
            state.image = number;
            state.spare.clear();
            keeper.gets_on(&mut state);
            drop(state);
            // Says that its line was written, whatever becomes of the ledger. It is found without that, too.
            let _ = std::fs::rename(path, named);
            if number > 1 {
                // Of no more use, and not missed if it stays.
                for path in image_files(&keeper.folder, number - 1) {
                    let _ = std::fs::remove_file(path);
                }
            }
            Ok(())
        })
        .await
    }

    /// The last image.
    pub(crate) async fn thawed(self: &Arc<Self>) -> io::Result<Image> {
        self.blocking(|keeper| {
            let mut state = lock(&keeper.state);
            state.rests = false;
            let number = state.image;
            drop(state);
            let bytes = read_image(&keeper.folder, number)?;
            Image::decode(bytes).map_err(io::Error::other)
        })
        .await
    }

    /// Sees to it that calls which wait, maybe for days, are known to have waited after a loss of power.
    pub(crate) async fn remember_waiting(self: &Arc<Self>) {
        if !std::mem::take(&mut lock(&self.state).waits_unsynced) {
            return;
        }
        if let Err(error) = self.sync().await {
            tracing::warn!(run = %self.begun.run, error = %error, "what waits could not be written down safely");
        }
    }

    /// The run rests, and needs no file open for that.
    pub(crate) fn rests(&self) {
        let mut state = lock(&self.state);
        state.rests = true;
        if let Some(ledger) = &mut state.ledger {
            ledger.close();
        }
    }

    /// Whether anything of the run is on disk.
    pub(crate) fn is_written(&self) -> bool {
        lock(&self.state).ledger.is_some()
    }

    /// Whether nobody knows what the run has done.
    pub(crate) fn is_damaged(&self) -> bool {
        lock(&self.state).is_damaged
    }

    /// Whether the run can go on from an image.
    pub(crate) fn has_image(&self) -> bool {
        lock(&self.state).image > 0
    }

    /// Takes a run out of those that go on here; when this comes back, it does not any more.
    pub(crate) fn leave(folder: &Path, to: &Path) -> io::Result<()> {
        if let Some(above) = to.parent() {
            std::fs::create_dir_all(above)?;
        }
        std::fs::rename(folder, to)?;
        // From now on it is kept as long as any other that is over.
        File::open(to)?.set_modified(SystemTime::now())?;
        let folders = [folder.parent(), to.parent()];
        folders.into_iter().flatten().try_for_each(sync_folder)
    }

    /// What lies in the folder of a run that left: its ledger, and its last image.
    pub(crate) fn packed(folder: &Path) -> io::Result<(Vec<u8>, Option<Vec<u8>>)> {
        let ledger = std::fs::read(folder.join(LEDGER))?;
        let image = Past::of(ledger::decode(&ledger).0).image;
        let image = image.map(|image| read_image(folder, image.number)).transpose()?;
        Ok((ledger, image))
    }

    /// Puts a run that left somewhere else among those that go on here. `begun` says what it may.
    pub(crate) fn come(
        own: &Own,
        aside: &Path,
        begun: Begun,
        (ledger, image): (&[u8], Option<&[u8]>),
    ) -> io::Result<Option<Found>> {
        let folder = own.folder_of(&begun.run);
        let _ = std::fs::remove_dir_all(aside);
        std::fs::create_dir_all(aside)?;
        let (lines, _) = ledger::decode(ledger);
        let number = Past::of(lines.clone()).image.map(|image| image.file());
        let mut new = Ledger::create(&aside.join(LEDGER))?;
        new.append(&Line::Begun(Box::new(begun)))?;
        for line in lines.into_iter().filter(|line| !matches!(line, Line::Begun(_))) {
            new.append(&line)?;
        }
        new.sync()?;
        if let (Some(name), Some(image)) = (number, image) {
            let file = File::create(aside.join(name))?;
            io::Write::write_all(&mut &file, image)?;
            file.sync_data()?;
        }
        sync_folder(aside)?;
        std::fs::rename(aside, &folder)?;
        sync_folder(&own.folder)?;
        Self::find(folder)
    }

    /// A run that rests on disk, to be looked at only.
    pub(crate) fn look(folder: &Path) -> io::Result<Option<Record>> {
        let mut lines = ledger::read(&folder.join(LEDGER))?.0.into_iter();
        let Some(Line::Begun(begun)) = lines.next() else { return Ok(None) };
        let past = Past::to_go_on(lines.collect());
        let image = past.image.as_ref();
        let since = image.and_then(|image| image.since).unwrap_or(begun.created_at);
        let wakes_at = image.and_then(|image| image.wake_at).map(Moment::of);
        Ok(Some(Record {
            status: Status::Waiting,
            started_at: image.map(|_| begun.created_at),
            waiting: Some(Rest { since, wakes_at, is_paused: true }),
            calls: Past::notes(past.left.values(), past.of_children.values()),
            ..begun.record()
        }))
    }

    /// Says in an outcome that is no success what became of the calls that change something.
    pub(crate) fn tell(&self, outcome: &mut Outcome) {
        if outcome.success {
            return;
        }
        let (mut committed, mut unknown, mut half_done) = (Vec::new(), Vec::new(), Vec::new());
        for left in self.all_left().into_iter().filter(|left| left.effect != Effect::Read) {
            match &left.answer {
                Some(_) if left.is_done() => committed.push(left.told()),
                _ if left.is_unknown() => unknown.push(left.told()),
                Some(_) if left.is_half_done() => half_done.push(left.told()),
                Some(_) | None => {}
            }
        }
        for OfChild { note, effect, told } in lock(&self.state).of_children.values() {
            match note.fate(true) {
                Some(Fate::Committed) if *effect != Effect::Read => committed.push(told.clone()),
                Some(Fate::Unknown) if *effect == Effect::Write => unknown.push(told.clone()),
                _ => {}
            }
        }
        let told = [
            ("calls that are done and not undone", committed),
            ("calls that left, and nobody knows whether they were carried out", unknown),
            ("programs that failed after they had begun to change something", half_done),
        ];
        for (what, calls) in told.into_iter().filter(|(_, calls)| !calls.is_empty()) {
            let note = format!("{what}: {}", counted(calls));
            outcome.note = Some(match outcome.note.take() {
                Some(before) => format!("{before}; {note}"),
                None => note,
            });
        }
    }

    async fn blocking<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let keeper = Arc::clone(self);
        tokio::task::spawn_blocking(move || work(&keeper)).await.map_err(io::Error::other)?
    }
}

/// Sees to it that names in a folder are on disk.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests;
