//! `[ask]`: which model answers questions, how, and for how much.

use std::path::Path;

use agent::{Budgets, ModelSettings, Prices, ProviderName, Settings};
use serde::Deserialize;
use upstream::Secret;

use super::Config;
use super::secrets::{Entry, Template};
use super::section::Span;
use crate::exit::Misuse;

/// `[ask]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct AskSection {
    /// `anthropic`, `openai`, `openai-compatible`, `gemini` or `ollama`.
    provider: Option<String>,
    /// What the provider calls the model.
    model: Option<String>,
    /// Where the provider is, if not where it usually is.
    url: Option<String>,
    /// A reference to the key, such as `${env:OPENAI_API_KEY}`.
    key: Option<String>,
    /// Other models that callers may name.
    models: Option<Vec<String>>,
    /// `code`, `hybrid` or `direct`.
    mode: Option<String>,
    /// How often a program that failed may be mended.
    attempts: Option<u32>,
    /// Tokens that one question may use.
    max_tokens: Option<u64>,
    /// Requests to the model that one question may make.
    max_steps: Option<u32>,
    /// Money that one question may cost.
    max_cost: Option<f64>,
    /// Tokens that one reply may have.
    reply_tokens: Option<u64>,
    /// How long one reply may take.
    timeout: Option<Span>,
    /// The share of users that are answered with programs: `"25%"`, or a number.
    rollout: Option<toml::Value>,
    /// What a million tokens cost that the model reads.
    input_price: Option<f64>,
    /// What a million tokens cost that it writes.
    output_price: Option<f64>,
}

impl Config {
    /// Who answers questions; nobody, unless a provider is named. This may wait for the user to unlock a keyring.
    pub(crate) fn ask(&self, direct: Vec<String>) -> anyhow::Result<Option<Settings>> {
        let wholes = super::servers::wholes(self.places());
        let files = wholes.map_err(|error| Misuse::error(error.to_string()))?;
        let mut found = None;
        for (file, said) in files {
            if said.ask.provider.is_some() {
                found = Some((file, said.ask));
            }
        }
        let Some((file, said)) = found else { return Ok(None) };
        let folder = file.parent().unwrap_or(Path::new("/"));
        let settings = self.asked(folder, said, direct);
        let name = self.places().short(&file);
        settings.map(Some).map_err(|words| Misuse::error(format!("{name}: in [ask] {words}")))
    }

    /// The same for a model that is named only: whose it is, the key says that is in its usual variable.
    pub(crate) fn model_by_key(&self, model: &str) -> anyhow::Result<Option<Settings>> {
        let Some(provider) = keyed_provider() else { return Ok(None) };
        let said = AskSection {
            provider: Some(provider.name().to_owned()),
            model: Some(model.to_owned()),
            ..AskSection::default()
        };
        let settings = self.asked(Path::new("/"), said, Vec::new());
        settings.map(Some).map_err(Misuse::error)
    }

    fn asked(
        &self,
        folder: &Path,
        said: AskSection,
        direct: Vec<String>,
    ) -> Result<Settings, String> {
        let provider: ProviderName = said.provider.unwrap_or_default().parse()?;
        let model = said.model.ok_or("`model` is missing; name one that the provider has")?;
        let url = said.url.or_else(|| provider.usual_url().map(str::to_owned));
        let url = url.ok_or("`url` is missing; say where the provider is")?;
        let url = super::section::address(&url).map_err(|error| format!("`url`: {error}"))?;
        let mut own = ModelSettings::new(provider, model, url);
        let key = said.key.or_else(|| {
            // Without it, whoever needs one says so.
            provider.usual_key().map(|name| format!("${{env:{name}:-}}"))
        });
        if let Some(key) = key {
            let template = Template::parse(&key).map_err(|error| format!("`key`: {error}"))?;
            let value = template.resolve(&self.lookup(folder, &Entry::secret));
            let value = value.map_err(|error| format!("`key`: {error}"))?;
            own.key = (!value.is_empty()).then(|| Secret::new(value));
        }
        own.reply_tokens = said.reply_tokens.unwrap_or(own.reply_tokens).max(1);
        own.timeout = said.timeout.map_or(own.timeout, |Span(time)| time);
        let mut settings = Settings::new(own);
        let usual = settings.budgets;
        settings.budgets = Budgets {
            tokens: said.max_tokens.unwrap_or(usual.tokens),
            steps: said.max_steps.unwrap_or(usual.steps),
            cost: said.max_cost.map(|cost| money("max-cost", Some(cost))).transpose()?,
        };
        settings.prices = Prices {
            input: money("input-price", said.input_price)?,
            output: money("output-price", said.output_price)?,
        };
        settings.models = said.models.unwrap_or_default();
        settings.attempts = said.attempts.unwrap_or(settings.attempts).max(1);
        if let Some(mode) = said.mode {
            settings.mode =
                mode.parse::<agent::Mode>().map_err(|words| format!("`mode`: {words}"))?;
        }
        if let Some(share) = said.rollout {
            settings.rollout = percent(&share)?;
        }
        settings.direct = direct;
        Ok(settings)
    }

    /// Each of these settings with its value, but for the key.
    pub(crate) fn ask_shown(&self) -> anyhow::Result<Vec<(String, String, String)>> {
        let Some(settings) = self.ask(Vec::new())? else { return Ok(Vec::new()) };
        let model = &settings.model;
        let shown = [
            ("provider", model.provider.name().to_owned()),
            ("model", model.model.clone()),
            ("url", model.url.origin().ascii_serialization()),
            ("key", model.key.as_ref().map(ToString::to_string).unwrap_or_default()),
            ("models", settings.models.join(",")),
            ("mode", settings.mode.name().to_owned()),
            ("attempts", settings.attempts.to_string()),
            ("max-tokens", settings.budgets.tokens.to_string()),
            ("max-steps", settings.budgets.steps.to_string()),
            ("max-cost", settings.budgets.cost.map(|cost| cost.to_string()).unwrap_or_default()),
            ("reply-tokens", model.reply_tokens.to_string()),
            ("timeout", format!("{}s", model.timeout.as_secs())),
            ("rollout", format!("{}%", settings.rollout)),
            ("input-price", settings.prices.input.to_string()),
            ("output-price", settings.prices.output.to_string()),
        ];
        let of = |(name, value): (&str, String)| (format!("ask.{name}"), value, "[ask]".to_owned());
        Ok(shown.into_iter().map(of).collect())
    }
}

/// The provider whose usual variable holds a key.
pub(crate) fn keyed_provider() -> Option<ProviderName> {
    let has_key = |name: &str| std::env::var(name).is_ok_and(|key| !key.is_empty());
    ProviderName::ALL.into_iter().find(|provider| provider.usual_key().is_some_and(has_key))
}

fn money(key: &str, given: Option<f64>) -> Result<f64, String> {
    let given = given.unwrap_or_default();
    if given.is_finite() && given >= 0.0 {
        return Ok(given);
    }
    Err(format!("`{key}`: {given} is no price; write a number such as 3 or 0.25"))
}

/// A share: `"25%"`, `"25"` or 25.
fn percent(given: &toml::Value) -> Result<f64, String> {
    let text = match given {
        toml::Value::String(text) => text.trim().trim_end_matches('%').trim().to_owned(),
        other => other.to_string(),
    };
    let share = text.parse::<f64>().ok().filter(|share| (0.0..=100.0).contains(share));
    share.ok_or_else(|| format!("`rollout`: {given} is no share; write one such as \"25%\""))
}
