//! Finds the tools that somebody means, by words and by meaning.
//!
//! ```text
//! listing ──► part (once per server) ──┐
//!                                      ├──► index ──► by words ────┐
//! vectors, computed elsewhere ─────────┘                by meaning ──┴──► hits
//! query ──► shape: what is wanted, what server, which steps ─┘
//! ```
//!
//! * **The same everywhere.** The same catalog and query give the same hits in the same order.
//! * **A name is a name.** A query that is a tool's name, in any spelling, finds it first.
//! * **Bounded.** However long a query or a description is, only so much of it is read.
//! * **Shared.** An index is immutable and cheap to clone; refreshing one does work only for
//!   servers whose listing changed.

mod fields;
mod meaning;
mod part;
mod rank;
mod shape;
mod stem;
mod synonyms;
#[cfg(test)]
mod tests;
mod typos;
mod words;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub use part::Text;

use self::fields::Field;
use self::meaning::Vectors;
use self::part::{Part, spellings, telling};
use self::rank::Occurrences;
use self::shape::Shaped;
use self::typos::Known;
use crate::catalog::{Catalog, CatalogServer};
use crate::names::{self, fold};
use crate::resolve::{self, ResolveError};
use crate::{ServerName, ToolName};

/// No search gives more hits.
pub const MOST_HITS: usize = 10_000;

/// How alike a tool must be to what is asked, to be found by meaning alone.
const ALIKE: f32 = 0.25;
/// Longer texts are not compared with names.
const LONGEST_NAME: usize = 200;

/// What is asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct Query<'a> {
    /// A few words, a tool's name, or a whole task. A text without any word that counts asks for
    /// everything.
    pub text: &'a str,
    /// Only tools of this server, in any spelling that the catalog knows.
    pub server: Option<&'a str>,
    /// How many hits at most.
    pub limit: usize,
    /// The vector of [`sentence`] of the text, by the model that the tools' vectors come from.
    pub meaning: Option<&'a [f32]>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// The best ones, best first.
    pub hits: Vec<Hit>,
    /// How many tools have anything to do with what was asked.
    pub matching: usize,
    /// How many tools there are to choose from.
    pub total: usize,
}

/// One tool that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Its server.
    pub server: ServerName,
    /// The tool.
    pub tool: ToolName,
    /// How well it fits; comparable only with other hits of the same search.
    pub score: f32,
}

/// The text whose vector goes into [`Query::meaning`]: what is wanted, without tags and with
/// words in place of paths.
#[must_use]
pub fn sentence(text: &str) -> String {
    Shaped::new(text).sentence()
}

/// All tools of a catalog, ready to be searched.
#[derive(Debug, Clone, Default)]
pub struct Index {
    inner: Arc<Inner>,
    vectors: Arc<Vectors>,
}

#[derive(Debug, Default)]
struct Inner {
    catalog: Catalog,
    tuning: Tuning,
    parts: Vec<Arc<Part>>,
    /// The number of each part's first tool.
    starts: Vec<u32>,
    count: usize,
    words: HashMap<Arc<str>, Occurrences>,
    known: Known,
}

impl Index {
    /// An index of `catalog` that shares with this one whatever it has of the same listings, and
    /// keeps the vectors that are still of use.
    #[must_use]
    pub fn refreshed(&self, catalog: &Catalog) -> Self {
        let old: HashMap<_, &Arc<Part>> =
            self.inner.parts.iter().map(|part| (Arc::as_ptr(&part.listing), part)).collect();
        let parts = catalog
            .servers()
            .map(|server| match old.get(&Arc::as_ptr(server.listing())) {
                Some(part) => Arc::clone(part),
                None => Arc::new(Part::new(server, &self.inner.tuning)),
            })
            .collect();
        let inner = Inner::of(catalog.clone(), parts, self.inner.tuning.clone());
        Self { inner: Arc::new(inner), vectors: Arc::clone(&self.vectors) }
    }

    /// An empty index that weighs otherwise, to measure what each part of the ranking is worth.
    #[doc(hidden)]
    #[must_use]
    pub fn tuned(tuning: Tuning) -> Self {
        let inner = Inner::of(Catalog::default(), Vec::new(), tuning);
        Self { inner: Arc::new(inner), vectors: Arc::default() }
    }

    /// How many tools there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.inner.count
    }

    /// There are no tools.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The texts of tools and servers that have no vector yet, each once, in catalog order.
    #[must_use]
    pub fn texts_without_vector(&self) -> Vec<Text> {
        let mut known = HashSet::new();
        self.texts()
            .filter(|text| !self.vectors.contains_key(&text.digest))
            .filter(|text| known.insert(text.digest))
            .cloned()
            .collect()
    }

    /// This index, with these vectors too. Those of other texts, and those that hold anything but
    /// ordinary numbers, are left out.
    #[must_use]
    pub fn with_vectors(&self, vectors: impl IntoIterator<Item = ([u8; 32], Arc<[f32]>)>) -> Self {
        let mut all = Vectors::clone(&self.vectors);
        all.extend(vectors.into_iter().filter(|(_, vector)| meaning::is_sound(vector)));
        let used: HashSet<[u8; 32]> = self.texts().map(|text| text.digest).collect();
        all.retain(|digest, _| used.contains(digest));
        Self { inner: Arc::clone(&self.inner), vectors: Arc::new(all) }
    }

    fn texts(&self) -> impl Iterator<Item = &Text> {
        let tools = |part: &'_ Arc<Part>| part.entries.len();
        self.inner
            .parts
            .iter()
            .filter(move |part| tools(part) > 0)
            .flat_map(|part| part.entries.iter().map(|entry| &entry.text).chain([&part.text]))
    }

    /// The tools that fit `query`.
    ///
    /// Fails only when [`Query::server`] is no server, or could be several.
    pub fn search(&self, query: &Query<'_>) -> Result<Found, ResolveError> {
        let inner = &*self.inner;
        let only = query.server.map(|server| inner.tools_of(server)).transpose()?;
        let only = only.unwrap_or(0..inner.count);
        let limit = query.limit.min(MOST_HITS);

        let shaped = Shaped::new(query.text);
        let scores = inner.scores(&shaped, query.meaning, &self.vectors);
        let total = only.len();
        let Some(scores) = scores else {
            let hits = only.take(limit).map(|tool| inner.hit(tool, 0.0)).collect();
            return Ok(Found { hits, matching: total, total });
        };
        let mut matching: Vec<usize> = only.filter(|tool| scores[*tool] > 0.0).collect();
        matching.sort_by(|one, other| {
            scores[*other].total_cmp(&scores[*one]).then_with(|| one.cmp(other))
        });
        let hits =
            matching.iter().take(limit).map(|tool| inner.hit(*tool, scores[*tool])).collect();
        Ok(Found { hits, matching: matching.len(), total })
    }
}

impl Inner {
    fn of(catalog: Catalog, parts: Vec<Arc<Part>>, tuning: Tuning) -> Self {
        let mut starts = Vec::with_capacity(parts.len());
        let mut words: HashMap<Arc<str>, Occurrences> = HashMap::new();
        let mut count = 0_u32;
        for (number, part) in (0_u32..).zip(&parts) {
            starts.push(count);
            count += u32::try_from(part.entries.len()).unwrap_or(u32::MAX);
            for (place, (word, postings)) in (0_u32..).zip(&part.words) {
                let occurrences = words.entry(Arc::clone(word)).or_default();
                occurrences.tools += u32::try_from(postings.len()).unwrap_or(u32::MAX);
                occurrences.places.push((number, place));
            }
        }
        let known = Known::new(words.keys().chain(synonyms::asked()));
        let count = count as usize;
        Self { catalog, tuning, parts, starts, count, words, known }
    }

    /// The score of every tool, or `None` when nothing in particular was asked for.
    fn scores(
        &self,
        shaped: &Shaped,
        meaning: Option<&[f32]>,
        vectors: &Vectors,
    ) -> Option<Vec<f32>> {
        let mut scores = rank::by_words(self, shaped, &self.tuning);
        if let Some(meaning) = meaning.filter(|meaning| meaning::is_sound(meaning)) {
            let likeness =
                meaning::likeness(&self.parts, vectors, meaning, self.tuning.server_meaning);
            scores = Some(self.fused(scores.unwrap_or_else(|| vec![0.0; self.count]), &likeness));
        }
        let named = self.named(shaped);
        if !named.is_empty() {
            let scores = scores.get_or_insert_with(|| vec![0.0; self.count]);
            let best = scores.iter().copied().fold(1.0, f32::max);
            for tool in named {
                scores[tool] += 2.0 * best;
            }
        }
        scores
    }

    /// Words and meaning together. The best by words counts one, whatever its score, because how
    /// high scores get depends on how long the query is; how alike two texts are does not.
    fn fused(&self, mut scores: Vec<f32>, likeness: &[f32]) -> Vec<f32> {
        let best = scores.iter().copied().fold(0.0, f32::max);
        for (score, likeness) in scores.iter_mut().zip(likeness) {
            let by_words = if best > 0.0 { *score / best } else { 0.0 };
            *score = if by_words > 0.0 || *likeness >= ALIKE {
                // Above zero, so that no tool that has the words is lost for being unlike.
                (by_words + self.tuning.meaning * likeness).max(f32::MIN_POSITIVE)
            } else {
                0.0
            };
        }
        scores
    }

    /// The tools whose name the query is: as it is spelled, or by its words in whatever order, with or without those of
    /// its server and those between them.
    fn named(&self, shaped: &Shaped) -> Vec<usize> {
        let text = shaped.raw.trim();
        if text.is_empty() || text.len() > LONGEST_NAME {
            return Vec::new();
        }
        let mut wanted = vec![fold(text), fold(resolve::without_prefix(text).0)];
        if !shaped.server.is_empty() && shaped.server.len() <= LONGEST_NAME {
            wanted.push(fold(&shaped.server) + &wanted[0]);
        }
        wanted.dedup();
        wanted.retain(|wanted| !wanted.is_empty());
        // What people write of a product is no name with words in it: GitLab is gitlab.
        let said = names::words(&text.to_lowercase());
        let mut named = Vec::new();
        for ((part, server), start) in
            self.parts.iter().zip(self.catalog.servers()).zip(&self.starts)
        {
            let tools: Vec<&str> = tools_in(&wanted, server);
            let telling = telling(said.clone(), &names::words(&server.name().0));
            for (tool, entry) in part.entries.iter().enumerate() {
                let is_spelled =
                    entry.spellings.iter().any(|spelling| tools.contains(&spelling.as_str()));
                if is_spelled || telling.len() > 1 && entry.name == telling {
                    named.push(*start as usize + tool);
                }
            }
        }
        named
    }

    /// The numbers of the tools of a server.
    fn tools_of(&self, server: &str) -> Result<std::ops::Range<usize>, ResolveError> {
        let name = resolve::named_server(&self.catalog, server)?.name();
        let found = self.catalog.servers().position(|server| server.name() == name);
        Ok(found.map_or(0..0, |part| {
            let start = self.starts[part] as usize;
            start..start + self.parts[part].entries.len()
        }))
    }

    fn hit(&self, tool: usize, score: f32) -> Hit {
        let part = self.starts.partition_point(|start| *start as usize <= tool) - 1;
        // Several empty parts may start where this one does; the last of them has the tool.
        let server = self.catalog.at(part);
        let tool = &server.tools()[tool - self.starts[part] as usize];
        Hit { server: server.name().clone(), tool: tool.name().clone(), score }
    }
}

/// What may be meant as a tool of this server: each of `wanted`, and what follows the server's
/// name in it.
fn tools_in<'w>(wanted: &'w [String], server: &CatalogServer) -> Vec<&'w str> {
    let names = spellings([&server.name().0, server.python(), server.typescript()]);
    let qualified = wanted
        .iter()
        .flat_map(|wanted| names.iter().filter_map(|name| wanted.strip_prefix(name.as_str())));
    let tools = wanted.iter().map(String::as_str).chain(qualified);
    tools.filter(|tool| !tool.is_empty()).collect()
}

/// What the ranking's parts count. Only measurements use another than the default.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq)]
pub struct Tuning {
    /// What a word counts in each field, in the order of `Field`.
    pub fields: [f32; Field::COUNT],
    /// How soon a word that occurs more often stops counting more.
    pub saturation: f32,
    /// What a synonym counts, against one for the word itself.
    pub synonyms: f32,
    /// Mistyped words are mended.
    pub typos: bool,
    /// What the best step counts, against one for the whole.
    pub steps: f32,
    /// What meaning counts, against one for words.
    pub meaning: f32,
    /// What the meaning of the server counts, against one for that of the tool.
    pub server_meaning: f32,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            fields: [3.0, 1.5, 1.2, 1.0, 0.8, 0.4, 2.0, 0.6],
            saturation: 2.0,
            synonyms: 0.5,
            typos: true,
            steps: 0.5,
            meaning: 2.25,
            server_meaning: 0.4,
        }
    }
}
