//! What tools mean, as vectors that somebody else computes.
//!
//! Vectors come from outside, keyed by the digest of the text they stand for, so that they can be
//! kept on disk and only what is new is computed. They are directions of one length; how alike two
//! are is their product.

use std::collections::HashMap;
use std::sync::Arc;

use super::part::Part;

/// No vector has more numbers.
const LONGEST: usize = 4096;

/// The vectors that are known, by the digest of their text.
pub(super) type Vectors = HashMap<[u8; 32], Arc<[f32]>>;

/// Whether a vector can be used at all.
pub(super) fn is_sound(vector: &[f32]) -> bool {
    !vector.is_empty() && vector.len() <= LONGEST && vector.iter().all(|number| number.is_finite())
}

/// How alike each tool, with a little of its server, is to `meaning`. Zero for those whose vector
/// is not known.
pub(super) fn likeness(
    parts: &[Arc<Part>],
    vectors: &Vectors,
    meaning: &[f32],
    server_share: f32,
) -> Vec<f32> {
    let alike = |digest: &[u8; 32]| {
        vectors
            .get(digest)
            .filter(|vector| vector.len() == meaning.len())
            .map_or(0.0, |vector| product(vector, meaning))
    };
    let mut likeness = Vec::new();
    for part in parts {
        let server = server_share * alike(&part.text.digest);
        likeness.extend(part.entries.iter().map(|entry| match alike(&entry.text.digest) {
            // Written out, since a tool must not be found by its server alone.
            0.0 => 0.0,
            tool => tool + server,
        }));
    }
    likeness
}

/// Eight sums side by side, which is what lets the compiler use wide registers.
fn product(one: &[f32], other: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 8];
    let (ones, others) = (one.chunks_exact(8), other.chunks_exact(8));
    let rest: f32 = ones.remainder().iter().zip(others.remainder()).map(|(a, b)| a * b).sum();
    for (ones, others) in ones.zip(others) {
        for ((sum, a), b) in sums.iter_mut().zip(ones).zip(others) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::{is_sound, product};

    #[test]
    fn the_product_counts_every_number() {
        let numbers: Vec<f32> = (1_u8..=19).map(f32::from).collect();
        let squares: f32 = numbers.iter().map(|number| number * number).sum();
        assert!((product(&numbers, &numbers) - squares).abs() < 0.01);
    }

    #[test]
    fn vectors_that_are_no_directions_are_refused() {
        assert!(is_sound(&[0.5, 0.5]));
        assert!(!is_sound(&[]));
        assert!(!is_sound(&[f32::NAN]));
        assert!(!is_sound(&[f32::INFINITY, 0.0]));
    }
}
