//! Precision and recall on the labelled set, in all, by kind and by language.
//!
//! `cargo test --release -p privacy --test labelled -- --nocapture` prints them, with every miss and
//! every false alarm. What was found counts only if kind and text are exactly those of a label.
//! `tests/labelled/README.md` says what the files are and how they came about.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]
#![expect(clippy::print_stdout, reason = "the figures are the point")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use privacy::{Detector, Settings};
use serde::Deserialize;

/// Both are more than what is promised for texts that nobody has seen yet: .95 and .90.
const LEAST_PRECISION: f64 = 0.99;
const LEAST_RECALL: f64 = 0.98;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    lang: String,
    format: String,
    text: String,
    labels: Vec<Label>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Label {
    kind: String,
    text: String,
}

#[derive(Default, Clone, Copy)]
struct Tally {
    right: u32,
    missed: u32,
    wrong: u32,
}

impl Tally {
    fn precision(self) -> f64 {
        ratio(self.right, self.wrong)
    }

    fn recall(self) -> f64 {
        ratio(self.right, self.missed)
    }

    fn print(self, what: &str) {
        println!(
            "{what:16} precision {:.3} recall {:.3} ({} right, {} missed, {} wrong)",
            self.precision(),
            self.recall(),
            self.right,
            self.missed,
            self.wrong
        );
    }

    fn add(&mut self, other: Self) {
        self.right += other.right;
        self.missed += other.missed;
        self.wrong += other.wrong;
    }
}

/// The tallies of some entries.
#[derive(Default)]
struct Figures {
    entries: u32,
    without: u32,
    tally: Tally,
    by_kind: BTreeMap<String, Tally>,
    by_language: BTreeMap<String, Tally>,
}

impl Figures {
    fn count(&mut self, kind: &str, language: &str, tally: Tally) {
        self.tally.add(tally);
        self.by_kind.entry(kind.to_owned()).or_default().add(tally);
        self.by_language.entry(language.to_owned()).or_default().add(tally);
    }

    fn add(&mut self, other: &Self) {
        self.entries += other.entries;
        self.without += other.without;
        self.tally.add(other.tally);
        for (kind, tally) in &other.by_kind {
            self.by_kind.entry(kind.clone()).or_default().add(*tally);
        }
        for (language, tally) in &other.by_language {
            self.by_language.entry(language.clone()).or_default().add(*tally);
        }
    }

    fn print(&self, what: &str) {
        self.tally.print(what);
    }
}

fn ratio(right: u32, others: u32) -> f64 {
    if right + others == 0 { 1.0 } else { f64::from(right) / f64::from(right + others) }
}

#[test]
fn precision_and_recall_are_what_we_promise() {
    let only = std::env::var("LABELLED").ok();
    let mut all = Figures::default();
    for file in files() {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|only| !only.split(',').any(|one| one == name)) {
            continue;
        }
        println!("\n== {name}");
        let figures = evaluate(&fs::read_to_string(&file).unwrap());
        figures.print("in all");
        all.add(&figures);
    }
    println!("\n== everything, {} entries, {} of them without a label", all.entries, all.without);
    for (what, tally) in all.by_kind.iter().chain(&all.by_language) {
        tally.print(what);
    }
    all.print("in all");
    assert!(all.tally.precision() >= LEAST_PRECISION, "precision {:.3}", all.tally.precision());
    assert!(all.tally.recall() >= LEAST_RECALL, "recall {:.3}", all.tally.recall());
}

fn files() -> Vec<std::path::PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/labelled");
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "jsonl"));
    files.sort();
    files
}

fn evaluate(lines: &str) -> Figures {
    let detector = Detector::new(&Settings::default()).unwrap();
    let mut figures = Figures::default();
    for line in lines.lines() {
        let entry: Entry = serde_json::from_str(line).unwrap();
        figures.entries += 1;
        figures.without += u32::from(entry.labels.is_empty());
        let mut wanted: Vec<(String, String)> =
            entry.labels.iter().map(|label| (label.kind.clone(), label.text.clone())).collect();
        for found in found(&detector, &entry) {
            let mut tally = Tally::default();
            if let Some(at) = wanted.iter().position(|one| *one == found) {
                wanted.swap_remove(at);
                tally.right = 1;
            } else {
                println!("false alarm {}: {} {:?} in {:?}", entry.id, found.0, found.1, entry.text);
                tally.wrong = 1;
            }
            figures.count(&found.0, &entry.lang, tally);
        }
        for (kind, text) in wanted {
            println!("missed {}: {kind} {text:?} in {:?}", entry.id, entry.text);
            figures.count(&kind, &entry.lang, Tally { missed: 1, ..Tally::default() });
        }
    }
    figures
}

fn found(detector: &Detector, entry: &Entry) -> Vec<(String, String)> {
    if entry.format == "json" {
        let found = detector.find_json(&entry.text).unwrap();
        return found.into_iter().map(|one| (one.kind.name().to_owned(), one.value)).collect();
    }
    let found = detector.find(&entry.text);
    found
        .into_iter()
        .map(|one| (one.kind.name().to_owned(), entry.text[one.start..one.end].to_owned()))
        .collect()
}
