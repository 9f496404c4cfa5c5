//! The model, loaded: text in, directions out.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::{ThreadPool, ThreadPoolBuilder};
use sha2::{Digest as _, Sha256};
use tokenizers::{Tokenizer, TruncationParams};

use crate::Pins;
use crate::bert::Bert;
use crate::pins::{Member, hex};

/// How many tokens of a text are read. The model was trained on no more.
const TOKENS: usize = 128;
/// How many tokens of a question are read. Whoever asks waits, the time grows with each token, and
/// a question says what it is about early: with 18 tokens as many tools are found as with 32 or 128.
const QUESTION: usize = 18;
/// How many characters of a text are cut into tokens; no 128 tokens are longer than this, unless
/// they are made so on purpose.
const CHARACTERS: usize = 4000;

/// An error of somebody else's making.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why the model could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A file is not there, or cannot be read.
    #[error("could not read {} of the sentence model; install it again", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file is not the one that was installed.
    #[error(
        "{} of the sentence model was changed: its SHA-256 should be {wanted} and is {found}; install it again",
        file.display()
    )]
    Changed {
        /// The file.
        file: PathBuf,
        /// The pinned digest.
        wanted: String,
        /// Its digest.
        found: String,
    },
    /// The files are as pinned, and do not fit this program.
    #[error("the sentence model does not suit this version of tidegate")]
    Unsuitable(#[source] BoxError),
}

/// Why a text has no vector.
#[derive(Debug, thiserror::Error)]
#[error("could not compute the vector of a text")]
pub struct ModelError(#[source] BoxError);

/// The sentence model. Loading one takes a moment and about 90 MB; share it.
#[derive(Debug)]
pub struct Model {
    tokenizer: Tokenizer,
    bert: Bert,
    identity: [u8; 32],
    /// One thread each. The library would spread a sentence over all cores, whose threads then
    /// wait for each other longer than they work.
    cores: Vec<ThreadPool>,
    turn: AtomicUsize,
}

impl Model {
    /// Loads what [`install`](crate::install) put into `folder`. Both files are compared with
    /// their pins first.
    pub fn load(folder: &Path) -> Result<Self, LoadError> {
        Self::load_pinned(folder, &Pins::default())
    }

    pub(crate) fn load_pinned(folder: &Path, pins: &Pins) -> Result<Self, LoadError> {
        let tokens = read(folder, &pins.tokens)?;
        let weights = read(folder, &pins.weights)?;
        let unsuitable = |error: BoxError| LoadError::Unsuitable(error);
        let mut tokenizer = Tokenizer::from_bytes(&tokens).map_err(unsuitable)?;
        let truncation = TruncationParams { max_length: TOKENS, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(truncation)).map_err(unsuitable)?;
        // Padding would only be averaged away again.
        tokenizer.with_padding(None);
        let bert = Bert::read(&weights).map_err(|error| LoadError::Unsuitable(error.into()))?;
        let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let core = || ThreadPoolBuilder::new().num_threads(1).build();
        let cores: Result<Vec<ThreadPool>, _> = (0..count.min(8)).map(|_| core()).collect();
        let cores = cores.map_err(|error| LoadError::Unsuitable(error.into()))?;
        let turn = AtomicUsize::new(0);
        Ok(Self { tokenizer, bert, identity: pins.identity(), cores, turn })
    }

    /// Which model this is: vectors of one identity can be compared with each other.
    #[must_use]
    pub fn identity(&self) -> [u8; 32] {
        self.identity
    }

    /// The direction of each text, in their order. Each depends on its own text only, and is the
    /// same every time on the same kind of processor.
    pub fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        texts.iter().map(|text| self.embed_one(text)).collect()
    }

    /// The direction of one text, of length one.
    pub fn embed_one(&self, text: &str) -> Result<Vec<f32>, ModelError> {
        self.embed_tokens(text, TOKENS)
    }

    /// The direction of what somebody asks; of a long text only the beginning counts.
    pub fn embed_question(&self, text: &str) -> Result<Vec<f32>, ModelError> {
        self.embed_tokens(text, QUESTION)
    }

    fn embed_tokens(&self, text: &str, most: usize) -> Result<Vec<f32>, ModelError> {
        let end = text.char_indices().nth(CHARACTERS).map_or(text.len(), |(at, _)| at);
        let encoded = self.tokenizer.encode_fast(&text[..end], true).map_err(ModelError)?;
        let mut ids = encoded.get_ids().to_vec();
        // The last token says that the text is over, and stays the last.
        if ids.len() > most {
            let last = ids.pop();
            ids.truncate(most - 1);
            ids.extend(last);
        }
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let vector = match self.cores.get(turn % self.cores.len().max(1)) {
            Some(core) => core.install(|| self.bert.forward(&ids)),
            None => self.bert.forward(&ids),
        };
        vector.map_err(|error| ModelError(error.into()))
    }
}

/// A file of the model, whole and as pinned.
pub(crate) fn read(folder: &Path, member: &Member) -> Result<Vec<u8>, LoadError> {
    let file = folder.join(member.file);
    let unreadable = |source| LoadError::Unreadable { file: file.clone(), source };
    let mut bytes = Vec::with_capacity(usize::try_from(member.bytes).unwrap_or_default());
    File::open(&file)
        // One byte more than there should be, so that a longer file is noticed and not read.
        .and_then(|opened| opened.take(member.bytes + 1).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    let found = hex(&Sha256::digest(&bytes));
    if found == member.sha256 {
        Ok(bytes)
    } else {
        Err(LoadError::Changed { file, wanted: member.sha256.clone(), found })
    }
}
