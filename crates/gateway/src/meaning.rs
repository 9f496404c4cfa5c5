//! What texts mean, as vectors that are computed once and kept in a file.
//!
//! The model is loaded when it is first needed. Without it, with a damaged one or while vectors
//! are still missing, tools are found by their words alone.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use catalog::search::Text;
use embed::{Model, Store};
use tracing::warn;

/// Vectors computed between two writes of the file.
const BATCH: usize = 200;

type Vectors = Vec<([u8; 32], Arc<[f32]>)>;

/// A sentence model and the vectors it has computed.
pub struct Meaning {
    folder: PathBuf,
    file: PathBuf,
    loaded: OnceLock<Option<Loaded>>,
    busy: AtomicBool,
    ended: AtomicBool,
}

struct Loaded {
    model: Model,
    store: Mutex<Store>,
}

impl Meaning {
    /// The model in `folder`, as [`embed::install`] gives it; vectors are kept in `file`.
    #[must_use]
    pub fn new(folder: PathBuf, file: PathBuf) -> Self {
        Self {
            folder,
            file,
            loaded: OnceLock::new(),
            busy: AtomicBool::new(false),
            ended: AtomicBool::new(false),
        }
    }

    /// The vector of what somebody asks.
    pub(crate) fn of(&self, question: &str) -> Option<Vec<f32>> {
        self.loaded()?.model.embed_question(question).ok()
    }

    /// The vectors of those of `texts` that were computed before.
    pub(crate) fn stored(&self, texts: &[Text]) -> Vectors {
        let Some(loaded) = self.loaded() else { return Vec::new() };
        let store = loaded.store.lock().unwrap_or_else(PoisonError::into_inner);
        let known = |text: &Text| Some((text.digest, Arc::clone(store.get(&text.digest)?)));
        texts.iter().filter_map(known).collect()
    }

    /// The vectors of `texts`, computed and kept.
    pub(crate) fn vectors(&self, texts: &[Text], told: &dyn Fn(usize, usize)) -> Vectors {
        let Some(loaded) = self.loaded() else { return Vec::new() };
        let mut made = Vec::new();
        for (done, text) in texts.iter().enumerate() {
            if self.ended.load(Ordering::Relaxed) {
                break;
            }
            told(done, texts.len());
            let Ok(vector) = loaded.model.embed_one(&text.text) else { continue };
            let vector: Arc<[f32]> = vector.into();
            let mut store = loaded.store.lock().unwrap_or_else(PoisonError::into_inner);
            store.insert(text.digest, Arc::clone(&vector));
            made.push((text.digest, vector));
            drop(store);
            if made.len().is_multiple_of(BATCH) {
                self.save(loaded);
            }
        }
        if !made.is_empty() {
            self.save(loaded);
        }
        told(texts.len(), texts.len());
        self.busy.store(false, Ordering::Release);
        made
    }

    /// Nobody computes vectors now.
    pub(crate) fn is_idle(&self) -> bool {
        !self.busy.load(Ordering::Acquire)
    }

    /// Takes the turn to compute vectors; false if somebody else has it.
    pub(crate) fn begins(&self) -> bool {
        !self.busy.swap(true, Ordering::AcqRel)
    }

    /// Lets whoever computes vectors end with the one under way.
    pub(crate) fn stop(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    fn save(&self, loaded: &Loaded) {
        let store = loaded.store.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = store.save(&self.file) {
            warn!(error = %error, "what tools mean will be computed again next time");
        }
    }

    fn loaded(&self) -> Option<&Loaded> {
        let load = || {
            let model = Model::load(&self.folder)
                .inspect_err(|error| warn!(error = %error, "tools are found by their words only"));
            let model = model.ok()?;
            let store = Store::open(&self.file, model.identity()).unwrap_or_else(|error| {
                warn!(error = %error, "what tools mean is computed anew");
                Store::new(model.identity())
            });
            Some(Loaded { model, store: Mutex::new(store) })
        };
        self.loaded.get_or_init(load).as_ref()
    }
}
