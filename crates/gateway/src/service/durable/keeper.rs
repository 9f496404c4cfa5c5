//! The files of one run: its ledger, and its last image.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use engine::{CallId, CallResult, HostCall, Image, Outcome};

use super::Effect;
use super::ledger::{self, Begun, ImageLine, Ledger, Line};
use crate::hearing::{CallNote, UNANSWERED};
use crate::service::ids::RunId;
use crate::service::lock;

/// The ledger's file name.
const LEDGER: &str = "ledger";
/// The folder of ledgers of runs that are over.
const OVER: &str = "over";
/// Says which process a folder of runs belongs to, as long as that lives.
const LOCK: &str = "lock";

/// Runs that were taken over one from the other, at most.
const MOST_RESUMED: usize = 100;

/// What a call is answered with that an earlier run may have made.
pub(crate) const REFUSED: &str = "Unknown";

/// Letters of a call's arguments that are told.
const MOST_GIVEN: usize = 160;
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

#[derive(Default)]
struct State {
    /// Not there until there is something to write.
    ledger: Option<Ledger>,
    /// The last image, and its number.
    image: u64,
    /// Calls that have left, by number.
    left: HashMap<CallId, Left>,
}

/// A call that has left.
#[derive(Debug, Clone)]
pub(crate) struct Left {
    pub(crate) call: HostCall,
    pub(crate) effect: Effect,
    pub(crate) at: SystemTime,
    /// What came back, and how long that took.
    pub(crate) answer: Option<(CallResult, Duration)>,
    /// Nobody waits for it any more.
    pub(crate) withdrawn: bool,
    /// It was to leave and had to wait: nobody out there has seen it.
    pub(crate) waits: bool,
}

impl Left {
    /// Whether it may have been carried out without our knowing, and must not be made again.
    pub(crate) fn is_unknown(&self) -> bool {
        self.effect == Effect::Write && !self.waits && !self.is_answered()
    }

    /// Whether anybody knows what became of it.
    fn is_answered(&self) -> bool {
        match &self.answer {
            None => false,
            Some((CallResult { result: Ok(_), .. }, _)) => true,
            Some((CallResult { result: Err(error), .. }, _)) => {
                error.kind != UNANSWERED && error.kind != REFUSED
            }
        }
    }

    /// Whether it is this call, whatever its number.
    pub(crate) fn is_same(&self, call: &HostCall) -> bool {
        self.call.name == call.name && self.call.arguments.get() == call.arguments.get()
    }

    /// Which tool of which server.
    pub(crate) fn name(&self) -> String {
        CallNote::leaving(&self.call).name()
    }

    /// The same with the beginning of what it was given, so that people know which it was.
    pub(crate) fn told(&self) -> String {
        let given: String = self.call.arguments.get().chars().take(MOST_GIVEN + 1).collect();
        let given = match given.char_indices().nth(MOST_GIVEN) {
            Some((at, _)) => format!("{}…", &given[..at]),
            None => given,
        };
        format!("{} {given}", self.name())
    }

    /// What is told of it.
    pub(crate) fn note(&self) -> CallNote {
        let note = CallNote { started_at: self.at, ..CallNote::leaving(&self.call) };
        match &self.answer {
            None => note,
            Some((result, took)) => note.with(result, *took),
        }
    }
}

/// A run as it was found on disk.
pub(crate) struct Found {
    pub(crate) begun: Begun,
    pub(crate) image: Option<ImageLine>,
    pub(crate) keeper: Keeper,
    /// Why it cannot go on.
    pub(crate) damage: Option<&'static str>,
}

impl Keeper {
    /// For a run that has done nothing yet. Nothing is written until it does.
    pub(crate) fn new(runs: &Path, begun: Begun) -> Self {
        Self { folder: runs.join(begun.run.as_str()), begun, state: Mutex::default() }
    }

    /// What is on disk of a run; `None` if that is nothing that could go on.
    pub(crate) fn find(folder: PathBuf) -> io::Result<Option<Found>> {
        let path = folder.join(LEDGER);
        let (mut lines, valid, is_torn_inside) = ledger::read(&path)?;
        let Some(Line::Begun(begun)) = lines.first().cloned() else { return Ok(None) };
        lines.remove(0);
        let (image, left) = read_lines(lines);
        let number = image.as_ref().map_or(0, |image: &ImageLine| image.number);
        // The one after the last may have been written before its line was.
        let damage = if is_torn_inside {
            Some("its ledger was changed")
        } else if last_image(&folder)? > number + 1 {
            Some("its ledger lacks what was written last")
        } else {
            None
        };
        let ledger = Some(Ledger::open(&path, valid)?);
        let left = left.into_iter().map(|left| (left.call.id, left)).collect();
        let state = Mutex::new(State { ledger, image: number, left });
        let begun = *begun;
        let keeper = Self { folder, begun: begun.clone(), state };
        Ok(Some(Found { begun, image, keeper, damage }))
    }

    /// What the run is.
    pub(crate) fn begun(&self) -> &Begun {
        &self.begun
    }

    /// Says that the run was accepted; when this comes back, it is not forgotten.
    pub(crate) async fn accept(self: &Arc<Self>) -> io::Result<()> {
        self.blocking(|keeper| {
            let mut state = lock(&keeper.state);
            keeper.ledger(&mut state)?.sync()?;
            sync_folder(&keeper.folder)?;
            keeper.folder.parent().map_or(Ok(()), sync_folder)
        })
        .await
    }

    fn ledger<'s>(&self, state: &'s mut State) -> io::Result<&'s mut Ledger> {
        if state.ledger.is_none() {
            std::fs::create_dir_all(&self.folder)?;
            let path = self.folder.join(LEDGER);
            let mut ledger = Ledger::create(&path)?;
            if let Err(error) = ledger.append(&Line::Begun(Box::new(self.begun.clone()))) {
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
        let mut state = lock(&self.state);
        let at = SystemTime::now();
        self.ledger(&mut state)?.append(&Line::Calls { call: call.clone(), effect, at })?;
        let call = call.clone();
        let left = Left { call, effect, at, answer: None, withdrawn: false, waits: false };
        state.left.insert(left.call.id, left);
        Ok(())
    }

    /// Whether a call that has left must not be made twice.
    pub(crate) fn is_write(&self, id: CallId) -> bool {
        lock(&self.state).left.get(&id).is_some_and(|left| left.effect == Effect::Write)
    }

    /// A call that was to leave has to wait. If that cannot be written down, its fate is unknown
    /// after a crash, which is as safe.
    pub(crate) fn waits(&self, id: CallId) {
        let mut state = lock(&self.state);
        let Some(left) = state.left.get_mut(&id).filter(|left| !left.waits) else { return };
        left.waits = true;
        if let Ok(ledger) = self.ledger(&mut state) {
            let _ = ledger.append(&Line::Waits { id });
        }
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
        if let Ok(ledger) = self.ledger(&mut state) {
            let _ = ledger.append(&Line::Answered { result: result.clone(), took });
        }
    }

    /// Nobody waits for a call any more.
    pub(crate) fn withdrawn(&self, id: CallId) {
        let mut state = lock(&self.state);
        if let Some(left) = state.left.get_mut(&id)
            && left.answer.is_none()
        {
            left.withdrawn = true;
            if let Ok(ledger) = self.ledger(&mut state) {
                let _ = ledger.append(&Line::Withdrawn { id });
            }
        }
    }

    /// What a call was answered with before, if it is the same call.
    pub(crate) fn known(&self, call: &HostCall) -> Option<CallResult> {
        let state = lock(&self.state);
        let left = state.left.get(&call.id)?;
        let same = left.call.name == call.name
            && left.call.arguments.get() == call.arguments.get()
            && !left.withdrawn;
        left.answer.as_ref().filter(|_| same).map(|(result, _)| result.clone())
    }

    /// A call that has left, as it is known.
    pub(crate) fn left(&self, id: CallId) -> Option<Left> {
        lock(&self.state).left.get(&id).cloned()
    }

    /// All calls that have left, in their order.
    pub(crate) fn all_left(&self) -> Vec<Left> {
        let mut all: Vec<Left> = lock(&self.state).left.values().cloned().collect();
        all.sort_by_key(|left| left.call.id);
        all
    }

    /// The calls that were to leave and never did.
    pub(crate) fn never_left(&self) -> Vec<u64> {
        let state = lock(&self.state);
        let waits = |left: &&Left| left.waits && left.answer.is_none();
        state.left.values().filter(waits).map(|left| left.call.id.0).collect()
    }

    /// Comes back when everything that was written down is on disk.
    pub(crate) async fn sync(self: &Arc<Self>) -> io::Result<()> {
        self.blocking(|keeper| lock(&keeper.state).ledger.as_ref().map_or(Ok(()), Ledger::sync))
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
            let path = keeper.folder.join(line.file());
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
            drop(state);
            if number > 1 {
                // Of no more use, and not missed if it stays.
                let _ = std::fs::remove_file(keeper.folder.join(format!("image-{}", number - 1)));
            }
            Ok(())
        })
        .await
    }

    /// The last image.
    pub(crate) async fn thawed(self: &Arc<Self>) -> io::Result<Image> {
        self.blocking(|keeper| {
            let number = lock(&keeper.state).image;
            let bytes = std::fs::read(keeper.folder.join(format!("image-{number}")))?;
            Image::decode(bytes).map_err(io::Error::other)
        })
        .await
    }

    /// Whether anything of the run is on disk.
    pub(crate) fn is_written(&self) -> bool {
        lock(&self.state).ledger.is_some()
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
        let image = read_lines(ledger::decode(&ledger).0).0;
        let image = image.map(|image| std::fs::read(folder.join(image.file()))).transpose()?;
        Ok((ledger, image))
    }

    /// Puts a run that left somewhere else among those that go on here. `begun` says what it may.
    pub(crate) fn come(
        own: &Own,
        aside: &Path,
        begun: Begun,
        (ledger, image): (&[u8], Option<&[u8]>),
    ) -> io::Result<Option<Found>> {
        let folder = own.folder.join(begun.run.as_str());
        let _ = std::fs::remove_dir_all(aside);
        std::fs::create_dir_all(aside)?;
        let (lines, _) = ledger::decode(ledger);
        let number = read_lines(lines.clone()).0.map(|image| image.file());
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

    /// The run is over and stored. What it called is kept only for whoever takes over from it.
    pub(crate) async fn over(self: &Arc<Self>, succeeded: bool) -> io::Result<()> {
        if !self.is_written() {
            if succeeded || self.begun.resumes.is_none() {
                return Ok(());
            }
            self.accept().await?;
        }
        self.blocking(move |keeper| {
            let left = keeper.all_left();
            // Whoever takes over from one that took over has to know of the first, too.
            let is_forgettable = keeper.begun.resumes.is_none()
                && left.iter().all(|left| left.effect == Effect::Read);
            if succeeded || is_forgettable {
                return std::fs::remove_dir_all(&keeper.folder);
            }
            if let Some(all) = keeper.folder.parent().and_then(Path::parent) {
                std::fs::create_dir_all(all.join(OVER))?;
                std::fs::rename(keeper.folder.join(LEDGER), over(all, &keeper.begun.run))?;
            }
            std::fs::remove_dir_all(&keeper.folder)
        })
        .await
    }

    /// What a run that is over has called; `None` if that is not known, or need not be.
    pub(crate) fn calls_of(own: &Own, run: &RunId) -> io::Result<Option<Vec<Left>>> {
        // One that cannot be stored yet still lies where it was.
        let (mut all, mut next): (Option<Vec<Left>>, _) = (None, Some(run.clone()));
        for _ in 0..MOST_RESUMED {
            let Some(run) = next.take() else { break };
            let Some(lines) = Self::lines_of(own, &run)? else { break };
            if let Some(Line::Begun(begun)) = lines.first() {
                next.clone_from(&begun.resumes);
            }
            let known = all.get_or_insert_default();
            let mut earlier = read_lines(lines).1;
            // What a later one used again is in its own ledger.
            for later in known.iter() {
                if let Some(at) = earlier.iter().position(|one| one.is_same(&later.call)) {
                    earlier.remove(at);
                }
            }
            known.extend(earlier);
        }
        Ok(all)
    }

    fn lines_of(own: &Own, run: &RunId) -> io::Result<Option<Vec<Line>>> {
        for path in [over(&own.all, run), own.folder.join(run.as_str()).join(LEDGER)] {
            match ledger::read(&path) {
                Ok((lines, ..)) => return Ok(Some(lines)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Says in an outcome that is no success what became of the calls that change something.
    pub(crate) fn tell(&self, outcome: &mut Outcome) {
        if outcome.success {
            return;
        }
        let (mut committed, mut unknown) = (Vec::new(), Vec::new());
        for left in self.all_left().into_iter().filter(|left| left.effect != Effect::Read) {
            match &left.answer {
                Some((CallResult { result: Ok(_), .. }, _)) => committed.push(left.told()),
                _ if left.is_unknown() => unknown.push(left.told()),
                Some(_) | None => {}
            }
        }
        let told = [
            ("done and not undone", committed),
            ("left, and nobody knows whether they were carried out", unknown),
        ];
        for (what, calls) in told.into_iter().filter(|(_, calls)| !calls.is_empty()) {
            let note = format!("calls that are {what}: {}", counted(calls));
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

/// Where the ledger of a run lies that is over.
fn over(all: &Path, run: &RunId) -> PathBuf {
    all.join(OVER).join(run.as_str())
}

/// The folder in which one process keeps its runs, as long as it lives.
#[derive(Debug)]
pub(crate) struct Own {
    /// The folders of all processes.
    pub(crate) all: PathBuf,
    /// That of this one.
    pub(crate) folder: PathBuf,
    _lock: File,
}

impl Own {
    /// A new one among those of others.
    pub(crate) fn new(all: PathBuf) -> io::Result<Self> {
        let folder = all.join(uuid::Uuid::new_v4().simple().to_string());
        // Nobody may take it for one that was left before it is locked.
        let aside = folder.with_extension("new");
        std::fs::create_dir_all(&aside)?;
        let lock = File::create(aside.join(LOCK))?;
        lock.lock()?;
        std::fs::rename(&aside, &folder)?;
        sync_folder(&all)?;
        Ok(Self { all, folder, _lock: lock })
    }

    /// Takes over every run that a process left which is no more, as far as it can be read.
    pub(crate) fn take_over(&self) -> io::Result<Vec<Found>> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&self.all)? {
            let folder = entry?.path();
            if folder == self.folder {
                continue;
            }
            // Whoever lives holds it, and what is not there belongs to nobody.
            let Ok(lock) = File::open(folder.join(LOCK)) else { continue };
            if lock.try_lock().is_err() {
                continue;
            }
            self.take(&folder, &mut found)?;
            let _ = std::fs::remove_file(folder.join(LOCK));
            let _ = std::fs::remove_dir(&folder);
        }
        if !found.is_empty() {
            sync_folder(&self.folder)?;
        }
        Ok(found)
    }

    /// Removes it if it is empty; what is in it is for the next process.
    fn leave(&self) -> io::Result<()> {
        if std::fs::read_dir(&self.folder)?.count() == 1 {
            std::fs::remove_file(self.folder.join(LOCK))?;
            std::fs::remove_dir(&self.folder)?;
        }
        Ok(())
    }

    fn take(&self, from: &Path, found: &mut Vec<Found>) -> io::Result<()> {
        for entry in std::fs::read_dir(from)? {
            let entry = entry?;
            if !entry.file_type()?.is_dir() {
                continue;
            }
            let folder = self.folder.join(entry.file_name());
            std::fs::rename(entry.path(), &folder)?;
            match Keeper::find(folder.clone()) {
                Ok(Some(one)) => found.push(one),
                // It was never said to be accepted.
                Ok(None) => std::fs::remove_dir_all(&folder)?,
                Err(error) => {
                    tracing::error!(folder = %folder.display(), error = %error, "a run cannot be read");
                }
            }
        }
        Ok(())
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // An empty folder that stays is removed by the next process.
        let _ = self.leave();
    }
}

/// The last image, and what became of each call, in the order in which they left.
fn read_lines(lines: Vec<Line>) -> (Option<ImageLine>, Vec<Left>) {
    let (mut image, mut all) = (None, BTreeMap::new());
    for line in lines {
        match line {
            Line::Begun(_) => {}
            Line::Calls { call, effect, at } => {
                let id = call.id;
                let left = Left { call, effect, at, answer: None, withdrawn: false, waits: false };
                all.insert(id, left);
            }
            Line::Waits { id } => {
                if let Some(known) = all.get_mut(&id) {
                    known.waits = true;
                }
            }
            Line::Goes { id } => {
                if let Some(known) = all.get_mut(&id) {
                    known.waits = false;
                }
            }
            Line::Answered { result, took } => {
                if let Some(known) = all.get_mut(&result.id) {
                    known.answer = Some((result, took));
                }
            }
            Line::Withdrawn { id } => {
                if let Some(known) = all.get_mut(&id) {
                    known.withdrawn = true;
                }
            }
            Line::Image(line) => image = Some(line),
        }
    }
    (image, all.into_values().collect())
}

/// The highest number of an image in a folder; 0 if there is none.
fn last_image(folder: &Path) -> io::Result<u64> {
    let mut last = 0;
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix("image-")?.parse().ok());
        last = last.max(number.unwrap_or(0));
    }
    Ok(last)
}

/// Sees to it that names in a folder are on disk.
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
