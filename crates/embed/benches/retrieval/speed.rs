//! How long searches take over many tools, and how long an index.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use catalog::Catalog;
use catalog::search::{Index, Query};
use rustix::time::{ClockId, clock_gettime};

use crate::corpus::Corpus;
use crate::report::Time;
use crate::{Failure, Meanings};

const ROUNDS: usize = 5;

/// How long something took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    /// By the clock on the wall.
    pub(crate) wall: Duration,
    /// On processors, all threads together: what is left of `wall` when nothing else runs.
    pub(crate) processor: Duration,
}

struct Started {
    wall: Instant,
    processor: Duration,
}

impl Started {
    fn now() -> Self {
        Self { wall: Instant::now(), processor: processor_time() }
    }

    fn ended(&self) -> Sample {
        let processor = processor_time().saturating_sub(self.processor);
        Sample { wall: self.wall.elapsed(), processor }
    }
}

/// What this process has used so far.
fn processor_time() -> Duration {
    clock_gettime(ClockId::ProcessCPUTime).try_into().unwrap_or_default()
}

pub(crate) fn measure(
    corpus: &Corpus,
    meanings: Option<&mut Meanings>,
) -> Result<Vec<Time>, Failure> {
    let catalog = Catalog::new(corpus.many.clone());
    let index = Index::default().refreshed(&catalog);
    let texts: Vec<&str> = corpus
        .sets
        .iter()
        .filter(|set| !set.own)
        .flat_map(|set| &set.questions)
        .map(|question| question.text.as_str())
        .collect();
    let mut times = Vec::new();

    let words = samples(&texts, |text| {
        black_box(index.search(&Query { text, limit: 10, ..Query::default() })?);
        Ok(())
    })?;
    times.push(Time::new("a search by words", words, Some(Duration::from_millis(2))));

    if let Some(meanings) = meanings {
        let index = meanings.given_to(&index)?;
        let both = samples(&texts, |text| {
            let meaning = meanings.of(text)?;
            black_box(index.search(&Query {
                text,
                limit: 10,
                meaning: Some(&meaning),
                server: None,
            })?);
            Ok(())
        })?;
        times.push(Time::new(
            "a search by words and meaning, the question embedded",
            both,
            Some(Duration::from_millis(20)),
        ));
        let short = samples(&["send an email to a colleague"; 100], |text| {
            black_box(meanings.model.embed_question(text)?);
            Ok(())
        })?;
        times.push(Time::new(
            "– of it, embedding six words",
            short,
            Some(Duration::from_millis(15)),
        ));
    }

    let whole = samples(&[""; 4], |_| {
        black_box(Index::default().refreshed(&catalog));
        Ok(())
    })?;
    times.push(Time::new("building the index", whole, None));
    times.push(Time::new("adding one server to it", adding(corpus)?, None));
    Ok(times)
}

/// The last server comes to an index of all others.
fn adding(corpus: &Corpus) -> Result<Vec<Sample>, Failure> {
    let (last, others) = corpus.many.split_last().ok_or("there are no servers")?;
    let before = Catalog::new(others.to_vec());
    let index = Index::default().refreshed(&before);
    let mut samples = Vec::new();
    for _ in 0..4 * ROUNDS {
        // A listing that the index has not seen, though it says the same.
        let mut listings = others.to_vec();
        listings.push(Arc::new(catalog::Listing::clone(last)));
        let after = before.refreshed(listings);
        let started = Started::now();
        black_box(index.refreshed(&after));
        samples.push(started.ended());
    }
    Ok(samples)
}

fn samples(
    texts: &[&str],
    mut once: impl FnMut(&str) -> Result<(), Failure>,
) -> Result<Vec<Sample>, Failure> {
    let mut samples = Vec::new();
    for round in 0..=ROUNDS {
        for text in texts {
            let started = Started::now();
            once(text)?;
            // The first round warms up.
            if round > 0 {
                samples.push(started.ended());
            }
        }
    }
    Ok(samples)
}
