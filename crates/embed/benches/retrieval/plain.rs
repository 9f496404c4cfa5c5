//! BM25 as everybody writes it first, to compare with: one bag of words for each tool, of all that
//! is said about it and its server. Questions come without tags, as they do for our own ranking.

use std::collections::HashMap;

use catalog::Catalog;

use crate::names;

const SATURATION: f64 = 1.2;
const LENGTH_MATTERS: f64 = 0.75;

pub(crate) struct Plain {
    names: Vec<(String, String)>,
    counts: Vec<HashMap<String, u32>>,
    lengths: Vec<f64>,
    having: HashMap<String, u32>,
}

impl Plain {
    pub(crate) fn new(catalog: &Catalog) -> Self {
        let mut plain = Self {
            names: names(catalog),
            counts: Vec::new(),
            lengths: Vec::new(),
            having: HashMap::new(),
        };
        let tools = catalog.servers().flat_map(|server| {
            server.tools().iter().map(|tool| (server.listing().description.as_deref(), tool))
        });
        for (about, tool) in tools {
            let said = [
                tool.server().0.as_str(),
                about.unwrap_or_default(),
                tool.name().0.as_str(),
                tool.tool().description.as_deref().unwrap_or_default(),
            ];
            let words = words(&said.join(" "));
            plain.lengths.push(f64::from(u32::try_from(words.len()).unwrap_or(u32::MAX)));
            let mut counts: HashMap<String, u32> = HashMap::new();
            for word in words {
                *counts.entry(word).or_default() += 1;
            }
            for word in counts.keys() {
                *plain.having.entry(word.clone()).or_default() += 1;
            }
            plain.counts.push(counts);
        }
        plain
    }

    pub(crate) fn search(&self, question: &str) -> Vec<(String, String)> {
        let all = f64::from(u32::try_from(self.counts.len()).unwrap_or(u32::MAX));
        let average = self.lengths.iter().sum::<f64>() / all;
        let words = words(question);
        let score = |tool: usize| -> f64 {
            let length = 1.0 - LENGTH_MATTERS + LENGTH_MATTERS * self.lengths[tool] / average;
            let gain = |word: &String| {
                let count = f64::from(*self.counts[tool].get(word)?);
                let having = f64::from(*self.having.get(word)?);
                let rarity = (1.0 + (all - having + 0.5) / (having + 0.5)).ln();
                Some(rarity * count * (SATURATION + 1.0) / (count + SATURATION * length))
            };
            words.iter().filter_map(gain).sum()
        };
        let mut scored: Vec<(usize, f64)> =
            (0..self.counts.len()).map(|tool| (tool, score(tool))).collect();
        scored.sort_by(|one, other| other.1.total_cmp(&one.1));
        scored.iter().map(|(tool, _)| self.names[*tool].clone()).collect()
    }
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|character: char| !character.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect()
}
