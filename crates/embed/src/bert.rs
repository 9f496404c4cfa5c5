//! The network itself: six layers of attention over the tokens of one sentence.
//!
//! One sentence at a time. Sentences of different lengths would have to be padded to share a pass,
//! and their vectors would then depend on their neighbours; so little is gained that it is not
//! worth it on a processor.

use std::collections::HashMap;

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::ops::{layer_norm, softmax_last_dim};

use crate::DIMENSIONS;

const LAYERS: usize = 6;
const HEADS: usize = 12;
const INNER: usize = 1536;
const VOCABULARY: usize = 30522;
/// The most tokens the network has places for.
const PLACES: usize = 512;
const EPSILON: f32 = 1e-12;

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

#[derive(Debug)]
struct Linear {
    weight: Tensor,
    bias: Tensor,
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
        let mixed = self.mixed.forward(&self.attend(state)?)?;
        let state = self.attention_norm.forward(&(state + mixed)?)?;
        let inner = self.inner.forward(&state)?.gelu_erf()?;
        self.norm.forward(&(&state + self.outer.forward(&inner)?)?)
    }

    fn attend(&self, state: &Tensor) -> Result<Tensor> {
        let count = state.dim(0)?;
        let size = DIMENSIONS / HEADS;
        let all = self.attention.forward(state)?.reshape((count, 3, HEADS, size))?;
        let part = |which| all.narrow(1, which, 1)?.squeeze(1)?.transpose(0, 1)?.contiguous();
        let (query, key, value) = (part(0)?, part(1)?, part(2)?);
        #[expect(clippy::cast_precision_loss, reason = "a head has 32 numbers")]
        let scale = 1.0 / (size as f64).sqrt();
        let alike = (query.matmul(&key.transpose(1, 2)?)? * scale)?;
        let seen = softmax_last_dim(&alike)?.matmul(&value)?;
        seen.transpose(0, 1)?.contiguous()?.reshape((count, DIMENSIONS))
    }
}

impl Linear {
    fn forward(&self, state: &Tensor) -> Result<Tensor> {
        state.matmul(&self.weight)?.broadcast_add(&self.bias)
    }
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
            weight: Tensor::cat(&[&query.weight, &key.weight, &value.weight], 1)?,
            bias: Tensor::cat(&[&query.bias, &key.bias, &value.bias], 0)?,
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
            weight: weight.t()?.contiguous()?,
            bias: self.take(&format!("{name}.bias"), &[to])?,
        })
    }

    fn norm(&mut self, name: &str) -> Result<Norm> {
        Ok(Norm {
            weight: self.take(&format!("{name}.weight"), &[DIMENSIONS])?,
            bias: self.take(&format!("{name}.bias"), &[DIMENSIONS])?,
        })
    }
}
