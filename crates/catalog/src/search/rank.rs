//! How well each tool fits the words of a query.
//!
//! For every word that is asked for a tool gets the rarity of the word times how much the word
//! says about the tool. Stand-ins (synonyms, and known words in place of mistyped ones) compete:
//! the best counts, so that no tool gains by having all of them. To the score of the whole query
//! comes a share of that of the step that the tool fits best.

use std::collections::{HashMap, HashSet};

use super::shape::Shaped;
use super::words::{self, words};
use super::{Inner, Tuning, synonyms};

/// How many different words of a query count.
const WORDS: usize = 128;
/// How many unknown words are compared with all that are known.
const MENDED: usize = 6;
/// What a known word counts in place of one that was mistyped, after one slip and after two.
const SLIPS: [f32; 2] = [0.7, 0.5];

/// One word of the catalog: which tools have it.
#[derive(Debug, Default)]
pub(super) struct Occurrences {
    /// How many tools have it.
    pub(super) tools: u32,
    /// The servers that have it, with its place in their list of words.
    pub(super) places: Vec<(u32, u32)>,
}

/// A word that is asked for.
#[derive(Debug)]
struct Term {
    /// Without its ending, as words are compared,
    word: String,
    /// and with it, as it was written.
    written: String,
}

/// What a word of the query gives each tool that it gives anything.
type Gain = Vec<(u32, f32)>;

/// Scores of all tools, in the order of the catalog. `None` when no word of the query counts.
pub(super) fn by_words(index: &Inner, shaped: &Shaped, tuning: &Tuning) -> Option<Vec<f32>> {
    let wanted = terms(index, &shaped.wanted);
    let server = terms(index, &shaped.server);
    let steps: Vec<Vec<Term>> = shaped.steps.iter().map(|step| terms(index, step)).collect();
    if wanted.is_empty() && server.is_empty() {
        // What is too long to be a word was asked for all the same, and no tool has it.
        return words::is_data(&shaped.wanted).then(|| vec![0.0; index.count]);
    }
    let gains = gains(index, wanted.iter().chain(&server), tuning);

    let mut scores = vec![0.0; index.count];
    for word in wanted.iter().chain(&server) {
        add(&mut scores, gains.get(word.word.as_str()));
    }
    if tuning.steps > 0.0 {
        let mut best = vec![0.0_f32; index.count];
        let mut one = vec![0.0; index.count];
        for step in &steps {
            for word in step {
                add(&mut one, gains.get(word.word.as_str()));
            }
            for (best, one) in best.iter_mut().zip(&mut one) {
                *best = best.max(std::mem::take(one));
            }
        }
        for (score, best) in scores.iter_mut().zip(best) {
            *score += tuning.steps * best;
        }
    }
    Some(scores)
}

fn add(scores: &mut [f32], gain: Option<&Gain>) {
    for &(tool, gain) in gain.into_iter().flatten() {
        scores[tool as usize] += gain;
    }
}

/// The different words of a text. Of a word with words inside it either itself counts, if any
/// tool has it, or they do.
fn terms(index: &Inner, text: &str) -> Vec<Term> {
    let mut known = HashSet::new();
    let mut terms = Vec::new();
    for word in words(text, 2 * WORDS) {
        let inside = if word.pieces.is_empty() || index.words.contains_key(word.whole.as_str()) {
            vec![Term { word: word.whole, written: word.written }]
        } else {
            let piece = |piece: String| Term { written: piece.clone(), word: piece };
            word.pieces.into_iter().map(piece).collect()
        };
        terms.extend(inside.into_iter().filter(|term| known.insert(term.word.clone())));
    }
    terms.truncate(WORDS);
    terms
}

fn gains<'a>(
    index: &Inner,
    asked: impl Iterator<Item = &'a Term> + Clone,
    tuning: &Tuning,
) -> HashMap<&'a str, Gain> {
    let all: HashSet<&str> = asked.clone().map(|term| term.word.as_str()).collect();
    let mut best = vec![0.0; index.count];
    let mut gains = HashMap::with_capacity(all.len());
    let mut mended = 0;
    for Term { word, written } in asked {
        if gains.contains_key(word.as_str()) {
            continue;
        }
        let mut gain = Gainer { index, best: &mut best, touched: Vec::new() };
        let rarity = gain.add(word, 1.0, f32::INFINITY);
        if tuning.synonyms > 0.0 {
            for other in synonyms::of(word).iter().filter(|other| !all.contains(other.as_str())) {
                gain.add(other, tuning.synonyms, rarity.unwrap_or(f32::INFINITY));
            }
        }
        if gain.touched.is_empty() && tuning.typos && mended < MENDED {
            mended += 1;
            for (edits, near) in index.known.near(word, written) {
                let share = SLIPS[edits.clamp(1, 2) - 1];
                let rarity = gain.add(near, share, f32::INFINITY).unwrap_or(f32::INFINITY);
                // What was meant finds what it would have found.
                if tuning.synonyms > 0.0 {
                    for other in synonyms::of(near) {
                        gain.add(other, share * tuning.synonyms, rarity);
                    }
                }
            }
        }
        gains.insert(word.as_str(), gain.finish());
    }
    gains
}

/// Gathers what one word of the query gives the tools.
struct Gainer<'i> {
    index: &'i Inner,
    /// Zero throughout, except what was touched.
    best: &'i mut [f32],
    touched: Vec<u32>,
}

impl Gainer<'_> {
    /// Gives every tool that has `word` its share, unless it has more already. The rarity of the
    /// word, if any tool has it.
    fn add(&mut self, word: &str, share: f32, at_most: f32) -> Option<f32> {
        let occurrences = self.index.words.get(word)?;
        let rarity = rarity(self.index.count, occurrences.tools);
        let share = share * rarity.min(at_most);
        for &(part, place) in &occurrences.places {
            let start = self.index.starts[part as usize];
            for posting in &self.index.parts[part as usize].words[place as usize].1 {
                let tool = start + posting.tool;
                let best = &mut self.best[tool as usize];
                if *best == 0.0 {
                    self.touched.push(tool);
                }
                *best = best.max(share * posting.weight);
            }
        }
        Some(rarity)
    }

    fn finish(self) -> Gain {
        let Self { best, touched, .. } = self;
        touched.into_iter().map(|tool| (tool, std::mem::take(&mut best[tool as usize]))).collect()
    }
}

/// What a word that `having` of `all` tools have is worth.
#[expect(clippy::cast_precision_loss, reason = "a catalog has some thousand tools")]
fn rarity(all: usize, having: u32) -> f32 {
    let having = having as f32;
    (1.0 + (all as f32 - having + 0.5) / (having + 0.5)).ln()
}
