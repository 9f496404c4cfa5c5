//! The network itself: six layers of attention over the tokens of one sentence.
//!
//! One sentence at a time. Sentences of different lengths would have to be padded to share a pass,
//! and their vectors would then depend on their neighbours; so little is gained that it is not
//! worth it on a processor.

use std::collections::HashMap;

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::ops::layer_norm;

use crate::DIMENSIONS;

const LAYERS: usize = 6;
const HEADS: usize = 12;
const INNER: usize = 1536;
const VOCABULARY: usize = 30522;
/// The most tokens the network has places for.
const PLACES: usize = 512;
const EPSILON: f32 = 1e-12;
/// How many outputs are computed together; divides all their numbers.
const BLOCK: usize = 64;

/// All weights.
#[derive(Debug)]
pub(crate) struct Bert {
    words: Tensor,
    /// Place and kind of token, already added up.
    places: Tensor,
    norm: Norm,
    layers: Vec<Layer>,
}

#[derive(Debug)]
struct Layer {
    /// Query, key and value in one, since three small products cost more than a larger one.
    attention: Linear,
    mixed: Linear,
    attention_norm: Norm,
    inner: Linear,
    outer: Linear,
    norm: Norm,
}

/// A product with weights, cut into blocks of a few outputs each.
///
/// A question has few tokens, so all of the weights are read for little work, and how they lie in
/// memory decides how long it takes. Row by row of a whole matrix every step would touch another
/// page; row by row of a block they lie one after the other.
#[derive(Debug)]
struct Linear {
    /// Blocks, inputs, outputs of a block.
    weight: Tensor,
    bias: Vec<f32>,
}

#[derive(Debug)]
struct Norm {
    weight: Tensor,
    bias: Tensor,
}

impl Bert {
    /// Takes the weights out of a safetensors file.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self> {
        let mut weights = Weights(candle_core::safetensors::load_buffer(bytes, &Device::Cpu)?);
        let embeddings = "embeddings";
        let kinds = weights
            .take(&format!("{embeddings}.token_type_embeddings.weight"), &[2, DIMENSIONS])?;
        let places = weights
            .take(&format!("{embeddings}.position_embeddings.weight"), &[PLACES, DIMENSIONS])?;
        Ok(Self {
            words: weights
                .take(&format!("{embeddings}.word_embeddings.weight"), &[VOCABULARY, DIMENSIONS])?,
            places: places.broadcast_add(&kinds.get(0)?)?,
            norm: weights.norm(&format!("{embeddings}.LayerNorm"))?,
            layers: (0..LAYERS).map(|layer| weights.layer(layer)).collect::<Result<_>>()?,
        })
    }

    /// The mean of what the network makes of each token, as a direction of length one.
    pub(crate) fn forward(&self, tokens: &[u32]) -> Result<Vec<f32>> {
        let count = tokens.len();
        let ids = Tensor::new(tokens, &Device::Cpu)?;
        let tokens = self.words.index_select(&ids, 0)?;
        let mut state = self.norm.forward(&(tokens + self.places.narrow(0, 0, count)?)?)?;
        for layer in &self.layers {
            state = layer.forward(&state)?;
        }
        let mean = state.mean(0)?.to_vec1::<f32>()?;
        let length = mean.iter().map(|number| number * number).sum::<f32>().sqrt();
        Ok(mean.iter().map(|number| number / length.max(EPSILON)).collect())
    }
}

impl Layer {
    fn forward(&self, state: &Tensor) -> Result<Tensor> {
        let mixed = self.mixed.forward(&self.attend(state)?, same)?;
        let state = self.attention_norm.forward(&(state + mixed)?)?;
        let inner = self.inner.forward(&state, gelu)?;
        self.norm.forward(&(&state + self.outer.forward(&inner, same)?)?)
    }

    /// What each token takes from all others, head by head.
    ///
    /// By hand: these products are so small that calling the library takes longer than they do.
    fn attend(&self, state: &Tensor) -> Result<Tensor> {
        const SIZE: usize = DIMENSIONS / HEADS;
        let count = state.dim(0)?;
        let all = self.attention.forward(state, same)?.flatten_all()?.to_vec1::<f32>()?;
        // Of a token: query, key and value, each of all heads.
        let part = |token: usize, which: usize, head: usize| {
            let start = (token * 3 + which) * DIMENSIONS + head * SIZE;
            &all[start..start + SIZE]
        };
        #[expect(clippy::cast_precision_loss, reason = "a head has 32 numbers")]
        let scale = 1.0 / (SIZE as f32).sqrt();
        let mut seen = vec![0.0; count * DIMENSIONS];
        let mut alike = vec![0.0; count];
        for head in 0..HEADS {
            for token in 0..count {
                let query = part(token, 0, head);
                for (other, alike) in alike.iter_mut().enumerate() {
                    let key = part(other, 1, head);
                    *alike =
                        query.iter().zip(key).map(|(one, other)| one * other).sum::<f32>() * scale;
                }
                let most = alike.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                for alike in &mut alike {
                    *alike = exponential(*alike - most);
                }
                let whole: f32 = alike.iter().sum();
                let start = token * DIMENSIONS + head * SIZE;
                let into = &mut seen[start..start + SIZE];
                for (other, alike) in alike.iter().enumerate() {
                    let share = alike / whole;
                    for (into, value) in into.iter_mut().zip(part(other, 2, head)) {
                        *into += share * value;
                    }
                }
            }
        }
        Tensor::from_vec(seen, (count, DIMENSIONS), &Device::Cpu)
    }
}

impl Linear {
    /// The products, and what `finish` makes of each.
    ///
    /// Bias and `finish` are applied here and not by the library, which spreads such small work
    /// over threads that wait for each other: on a busy machine that costs more than it saves.
    fn forward(&self, state: &Tensor, finish: impl Fn(f32) -> f32) -> Result<Tensor> {
        let (blocks, from, width) = self.weight.dims3()?;
        let count = state.dim(0)?;
        let state = state.unsqueeze(0)?.expand((blocks, count, from))?;
        let parts = state.matmul(&self.weight)?.flatten_all()?.to_vec1::<f32>()?;
        let mut finished = vec![0.0; parts.len()];
        let bias = self.bias.chunks_exact(width);
        for (block, (parts, bias)) in parts.chunks_exact(count * width).zip(bias).enumerate() {
            for (token, part) in parts.chunks_exact(width).enumerate() {
                let start = (token * blocks + block) * width;
                let into = &mut finished[start..start + width];
                for ((into, part), bias) in into.iter_mut().zip(part).zip(bias) {
                    *into = finish(part + bias);
                }
            }
        }
        Tensor::from_vec(finished, (count, blocks * width), &Device::Cpu)
    }
}

/// As it is.
fn same(number: f32) -> f32 {
    number
}

/// The Gaussian error linear unit: `x` times the share of a normal distribution below it.
fn gelu(number: f32) -> f32 {
    0.5 * number * (1.0 + error_function(number * std::f32::consts::FRAC_1_SQRT_2))
}

/// To within a few units of the seventh digit (Abramowitz and Stegun, 7.1.26), without a branch, so
/// that several are computed at once.
fn error_function(number: f32) -> f32 {
    let size = number.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let polynomial = t
        * (0.254_829_6
            + t * (-0.284_496_74 + t * (1.421_413_7 + t * (-1.453_152 + t * 1.061_405_4))));
    (1.0 - polynomial * exponential(-size * size)).copysign(number)
}

/// The exponential function of a number that is not above zero.
fn exponential(number: f32) -> f32 {
    // Adding and taking away this much leaves a whole number, because nothing finer fits.
    const WHOLE: f32 = 12_582_912.0;
    let power = (number * std::f32::consts::LOG2_E).max(-126.0);
    let whole = (power + WHOLE) - WHOLE;
    let rest = (power - whole) * std::f32::consts::LN_2;
    let fraction = 1.0
        + rest
            * (1.0
                + rest * (0.5 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0 + rest * (1.0 / 120.0)))));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number from 1 to 127, as the exponent of a number"
    )]
    let scale = f32::from_bits(((whole + 127.0) as u32) << 23);
    fraction * scale
}

impl Norm {
    fn forward(&self, state: &Tensor) -> Result<Tensor> {
        layer_norm(state, &self.weight, &self.bias, EPSILON)
    }
}

/// What the file holds, by name. Every shape is compared before it is believed.
struct Weights(HashMap<String, Tensor>);

impl Weights {
    fn take(&mut self, name: &str, shape: &[usize]) -> Result<Tensor> {
        let Some(tensor) = self.0.remove(name) else {
            candle_core::bail!("the weights have no {name}");
        };
        if tensor.dims() != shape || tensor.dtype() != DType::F32 {
            candle_core::bail!(
                "{name} should be 32-bit numbers of shape {shape:?} and is {:?} of shape {:?}",
                tensor.dtype(),
                tensor.dims()
            );
        }
        Ok(tensor)
    }

    fn layer(&mut self, number: usize) -> Result<Layer> {
        let at = format!("encoder.layer.{number}");
        let parts = ["query", "key", "value"].map(|part| {
            self.linear(&format!("{at}.attention.self.{part}"), DIMENSIONS, DIMENSIONS)
        });
        let [query, key, value] = parts;
        let (query, key, value) = (query?, key?, value?);
        let attention = Linear {
            weight: Tensor::cat(&[&query.weight, &key.weight, &value.weight], 0)?,
            bias: [query.bias, key.bias, value.bias].concat(),
        };
        Ok(Layer {
            attention,
            mixed: self.linear(&format!("{at}.attention.output.dense"), DIMENSIONS, DIMENSIONS)?,
            attention_norm: self.norm(&format!("{at}.attention.output.LayerNorm"))?,
            inner: self.linear(&format!("{at}.intermediate.dense"), DIMENSIONS, INNER)?,
            outer: self.linear(&format!("{at}.output.dense"), INNER, DIMENSIONS)?,
            norm: self.norm(&format!("{at}.output.LayerNorm"))?,
        })
    }

    fn linear(&mut self, name: &str, from: usize, to: usize) -> Result<Linear> {
        let weight = self.take(&format!("{name}.weight"), &[to, from])?;
        Ok(Linear {
            weight: weight.reshape((to / BLOCK, BLOCK, from))?.transpose(1, 2)?.contiguous()?,
            bias: self.take(&format!("{name}.bias"), &[to])?.to_vec1()?,
        })
    }

    fn norm(&mut self, name: &str) -> Result<Norm> {
        Ok(Norm {
            weight: self.take(&format!("{name}.weight"), &[DIMENSIONS])?,
            bias: self.take(&format!("{name}.bias"), &[DIMENSIONS])?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{error_function, exponential, gelu};

    #[test]
    fn the_functions_are_right_to_the_sixth_digit() {
        // Tables give these.
        for (number, wanted) in
            [(0.0, 0.0), (0.5, 0.520_499_9), (1.0, 0.842_700_8), (2.0, 0.995_322_3), (9.0, 1.0)]
        {
            assert!((error_function(number) - wanted).abs() < 1e-6, "{number}");
            assert!((error_function(-number) + wanted).abs() < 1e-6, "-{number}");
        }
        for number in [0.0_f32, -0.1, -1.0, -5.0, -20.0] {
            assert!((exponential(number) - number.exp()).abs() < 1e-6, "{number}");
        }
        assert!(exponential(-1000.0) < 1e-30);
        assert!((gelu(1.0) - 0.841_344_8).abs() < 1e-6);
        assert!(gelu(-50.0).abs() < 1e-6 && (gelu(50.0) - 50.0).abs() < 1e-4);
    }
}
