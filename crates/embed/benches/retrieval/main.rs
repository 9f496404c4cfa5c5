//! How often the right tool is found, and how fast.
//!
//! `cargo bench --bench retrieval -- --corpus DIR` prints the figures; with `--write` they also go
//! into docs/benchmarks.md. DIR holds the questions and their tools; without it the environment
//! variable `TIDEGATE_RETRIEVAL` is taken, else `../shared/corpus/retrieval` beside the repository.
//! `--words` leaves the sentence model out; `--quality` and `--times` measure only the one.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod corpus;
mod plain;
mod report;
mod speed;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use catalog::Catalog;
use catalog::search::{Index, Query, Tuning, sentence};
use embed::{Model, Store};

use crate::corpus::{Corpus, Question};
use crate::plain::Plain;
use crate::report::{Row, Score};

pub(crate) type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |wanted: &str| arguments.iter().any(|argument| argument == wanted);
    let root = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| ".".into()))
        .join("../..");
    let named = arguments.iter().position(|argument| argument == "--corpus");
    let folder = named
        .and_then(|at| arguments.get(at + 1).map(PathBuf::from))
        .or_else(|| std::env::var_os("TIDEGATE_RETRIEVAL").map(PathBuf::from))
        .unwrap_or_else(|| root.join("../shared/corpus/retrieval"));
    let Some(corpus) = Corpus::read(&folder, &root)? else {
        println!(
            "skipped: {} has no questions; name a folder with --corpus or TIDEGATE_RETRIEVAL",
            folder.display()
        );
        return Ok(());
    };

    let mut meanings = if has("--words") { None } else { Some(Meanings::open()?) };
    let rows = if has("--times") { Vec::new() } else { rows(&corpus, meanings.as_mut())? };
    let times =
        if has("--quality") { Vec::new() } else { speed::measure(&corpus, meanings.as_mut())? };
    let text = report::text(&corpus, &rows, &times);
    println!("{text}");
    if has("--write") {
        report::write(&root.join("docs/benchmarks.md"), &text)?;
    }
    Ok(())
}

/// The sentence model, and the vectors it has computed so far.
pub(crate) struct Meanings {
    pub(crate) model: Model,
    store: Store,
    file: PathBuf,
}

impl Meanings {
    fn open() -> Result<Self, Failure> {
        let home = std::env::var_os("HOME").ok_or("set HOME or TIDEGATE_TEST_SENTENCES")?;
        let folder = std::env::var_os("TIDEGATE_TEST_SENTENCES")
            .map_or_else(|| Path::new(&home).join(".cache/tidegate-ci/sentences"), PathBuf::from);
        let installed = embed::install(&folder, None, &|_, _| {})?;
        let model = Model::load(&installed.folder)?;
        let file = folder.join("retrieval.vectors");
        let store = Store::open(&file, model.identity())?;
        Ok(Self { model, store, file })
    }

    /// The index with the vectors of all its tools.
    pub(crate) fn given_to(&mut self, index: &Index) -> Result<Index, Failure> {
        for (number, text) in index.texts_without_vector().into_iter().enumerate() {
            if self.store.get(&text.digest).is_none() {
                self.store.insert(text.digest, self.model.embed_one(&text.text)?.into());
            }
            if number % 200 == 199 {
                self.store.save(&self.file)?;
            }
        }
        self.store.save(&self.file)?;
        let vectors = self.store.iter();
        Ok(index.with_vectors(vectors.map(|(digest, vector)| (*digest, Arc::clone(vector)))))
    }

    pub(crate) fn of(&self, question: &str) -> Result<Vec<f32>, Failure> {
        Ok(self.model.embed_question(&sentence(question))?)
    }
}

/// Every way of ranking, over every set of questions.
fn rows(corpus: &Corpus, meanings: Option<&mut Meanings>) -> Result<Vec<Row>, Failure> {
    let plain = [Plain::new(&corpus.catalog), Plain::new(&corpus.own_catalog)];
    let mut rows = vec![Row::new("plain BM25", corpus, |question, own| {
        Ok(plain[usize::from(own)].search(&sentence(&question.text)))
    })?];
    let ours = Tuning::default();
    let level = Tuning { fields: [1.0; 8], ..ours.clone() };
    let without_field = |fields: &[usize]| {
        let mut tuning = ours.clone();
        for field in fields {
            tuning.fields[*field] = 0.0;
        }
        tuning
    };
    for (name, tuning) in [
        ("ours, words only", ours.clone()),
        ("– without synonyms", Tuning { synonyms: 0.0, ..ours.clone() }),
        ("– without steps", Tuning { steps: 0.0, ..ours.clone() }),
        ("– without mending typos", Tuning { typos: false, ..ours.clone() }),
        ("– all fields alike", level),
        ("– without what the server says of itself", without_field(&[7])),
        ("– without server name and text", without_field(&[6, 7])),
        ("– without parameters", without_field(&[4, 5])),
    ] {
        rows.push(row(name, corpus, &tuning, None)?);
    }
    if let Some(meanings) = meanings {
        for (name, tuning) in [
            ("ours, words and meaning", ours.clone()),
            ("– without synonyms", Tuning { synonyms: 0.0, ..ours.clone() }),
            ("– without the server's meaning", Tuning { server_meaning: 0.0, ..ours.clone() }),
            ("– meaning counts less", Tuning { meaning: ours.meaning / 2.0, ..ours.clone() }),
            ("– meaning counts more", Tuning { meaning: ours.meaning * 2.0, ..ours.clone() }),
            ("– meaning alone", Tuning { fields: [0.0; 8], ..ours.clone() }),
        ] {
            rows.push(row(name, corpus, &tuning, Some(meanings))?);
        }
    }
    Ok(rows)
}

fn row(
    name: &str,
    corpus: &Corpus,
    tuning: &Tuning,
    mut meanings: Option<&mut Meanings>,
) -> Result<Row, Failure> {
    let mut indexes = Vec::new();
    for catalog in [&corpus.catalog, &corpus.own_catalog] {
        let index = Index::tuned(tuning.clone()).refreshed(catalog);
        indexes.push(match meanings.as_deref_mut() {
            Some(meanings) => meanings.given_to(&index)?,
            None => index,
        });
    }
    Row::new(name, corpus, |question, own| {
        let meaning =
            meanings.as_deref().map(|meanings| meanings.of(&question.text)).transpose()?;
        search(&indexes[usize::from(own)], question, meaning.as_deref())
    })
}

fn search(
    index: &Index,
    question: &Question,
    meaning: Option<&[f32]>,
) -> Result<Vec<(String, String)>, Failure> {
    let found = index.search(&Query { text: &question.text, server: None, limit: 100, meaning })?;
    Ok(found.hits.into_iter().map(|hit| (hit.server.0, hit.tool.0)).collect())
}

/// The catalog's tools, as server and tool.
pub(crate) fn names(catalog: &Catalog) -> Vec<(String, String)> {
    catalog.tools().map(|tool| (tool.server().0.clone(), tool.name().0.clone())).collect()
}

impl Row {
    fn new(
        name: &str,
        corpus: &Corpus,
        ranked: impl Fn(&Question, bool) -> Result<Vec<(String, String)>, Failure>,
    ) -> Result<Self, Failure> {
        let mut scores = Vec::new();
        for set in &corpus.sets {
            let mut score = Score::default();
            for question in &set.questions {
                let ranked = ranked(question, set.own)?;
                score.add(ranked.iter().position(|tool| question.right.contains(tool)));
            }
            scores.push(score);
        }
        Ok(Self { name: name.to_owned(), scores })
    }
}
