//! The configured provider, for programs that ask a model themselves.

use std::sync::Arc;

use async_trait::async_trait;
use gateway::minds::{self, End, Mind, MindError};

use crate::model::message::{Message, Prompt, Stop};
use crate::model::{Model, ModelError, Told};
use crate::settings::Settings;

/// The provider of `[ask]`, as programs ask it.
pub struct Provider {
    model: Model,
    settings: Settings,
}

impl Provider {
    /// The provider that these settings name.
    pub fn of(settings: Settings) -> Result<Arc<dyn Mind>, ModelError> {
        let model = Model::new(settings.model.clone())?;
        Ok(Arc::new(Self { model, settings }))
    }
}

#[async_trait]
impl Mind for Provider {
    fn name(&self) -> &'static str {
        "provider"
    }

    fn reply_tokens(&self) -> u64 {
        self.settings.model.reply_tokens
    }

    async fn reply(&self, prompt: &minds::Prompt) -> Result<minds::Reply, MindError> {
        let said = prompt.said.iter().enumerate().map(|(at, text)| match at % 2 {
            0 => Message::User(text.clone()),
            _ => Message::Model { text: text.clone(), calls: Vec::new() },
        });
        let asked = Prompt {
            system: prompt.system.clone(),
            messages: said.collect(),
            tools: Vec::new(),
            reply_tokens: prompt.reply_tokens,
            left: prompt.left,
        };
        // What broke off was charged for, too.
        let mut lost = (0_u64, 0_u64);
        let mut told = |told: Told<'_>| {
            if let Told::Lost(used) = told {
                lost = (lost.0.saturating_add(used.input), lost.1.saturating_add(used.output));
            }
        };
        let replied = self.model.complete(&self.settings.model.model, &asked, &mut told).await;
        let prices = self.settings.prices;
        let reply = replied.map_err(|error| {
            let ((input, output), reason) = (lost, error.to_string());
            MindError::Lost { reason, input, output, cost: prices.of(input, output) }
        })?;
        let end = match reply.stop {
            Stop::Length => End::Cut,
            Stop::Refused => End::Refused,
            Stop::End | Stop::Tools => End::Whole,
        };
        let input = reply.usage.input.saturating_add(lost.0);
        let output = reply.usage.output.saturating_add(lost.1);
        let cost = prices.of(input, output);
        Ok(minds::Reply { text: reply.text, end, input, output, cost })
    }
}
