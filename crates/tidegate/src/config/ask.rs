//! `[ask]`: which model answers questions, how, and for how much.

use std::path::{Path, PathBuf};

use agent::{Budgets, ModelSettings, Prices, ProviderName, Settings};
use serde::Deserialize;
use upstream::Secret;

use super::problem::ConfigError;
use super::secrets::{Entry, Lookup, Template};
use super::section::Span;
use super::{Config, servers};
use crate::exit::Misuse;

/// Tokens of a reply by a model that nobody has set up.
const THOUGHTFUL_REPLY: u64 = 16_384;

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
    /// What programs are written in: `python` or `typescript`.
    language: Option<String>,
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

impl AskSection {
    /// These, with what `later` says in their place.
    fn under(self, later: Self) -> Self {
        Self {
            provider: later.provider.or(self.provider),
            model: later.model.or(self.model),
            url: later.url.or(self.url),
            key: later.key.or(self.key),
            models: later.models.or(self.models),
            mode: later.mode.or(self.mode),
            language: later.language.or(self.language),
            attempts: later.attempts.or(self.attempts),
            max_tokens: later.max_tokens.or(self.max_tokens),
            max_steps: later.max_steps.or(self.max_steps),
            max_cost: later.max_cost.or(self.max_cost),
            reply_tokens: later.reply_tokens.or(self.reply_tokens),
            timeout: later.timeout.or(self.timeout),
            rollout: later.rollout.or(self.rollout),
            input_price: later.input_price.or(self.input_price),
            output_price: later.output_price.or(self.output_price),
        }
    }
}

impl Config {
    /// Who answers questions; nobody, unless a provider is named. This may wait for the user to unlock a keyring.
    pub(crate) fn ask(&self, direct: Vec<String>) -> anyhow::Result<Option<Settings>> {
        let wrong = |error: ConfigError| Misuse::error(error.to_string());
        let files = servers::files(self.places()).map_err(wrong)?.into_iter().rev();
        let own = files.map(|(file, whole)| (file, whole.ask));
        let own = own.into_iter().find(|(_, ask)| ask.provider.is_some());
        let said = self.said_of_asking().map_err(wrong)?;
        let found = match own {
            // What is for one provider, its key above all, is not for another.
            Some((file, own)) if said.provider.is_none() || said.provider == own.provider => {
                Some((file, own.under(said)))
            }
            _ if said.provider.is_some() => Some((PathBuf::from("the environment"), said)),
            _ => None,
        };
        let Some((file, said)) = found else { return Ok(None) };
        let folder = file.parent().unwrap_or(Path::new("/"));
        let settings = asked(said, direct, &self.lookup(folder, &Entry::secret));
        let name = self.places().short(&file);
        settings.map(Some).map_err(|words| Misuse::error(format!("{name}: in [ask] {words}")))
    }

    /// The same where nobody is named: whose model it is, the key says that is in its usual variable. `model` counts
    /// before what variables and flags say, and that before what is usual.
    pub(crate) fn ask_by_key(&self, model: Option<&str>) -> anyhow::Result<Option<Settings>> {
        let Some(provider) = keyed_provider() else { return Ok(None) };
        let wrong = |error: ConfigError| Misuse::error(error.to_string());
        let said = self.said_of_asking().map_err(wrong)?;
        let usual = AskSection {
            model: provider.usual_model().map(str::to_owned),
            // Many models think before they write, and are charged for it.
            reply_tokens: Some(THOUGHTFUL_REPLY),
            ..AskSection::default()
        };
        let mut said = usual.under(said);
        said.provider = Some(provider.name().to_owned());
        said.model = model.map(str::to_owned).or(said.model);
        // A key that is named elsewhere may be for somebody else.
        said.key = None;
        let lookup = self.lookup(Path::new("/"), &Entry::secret);
        let settings = asked(said, Vec::new(), &lookup);
        let place = "in the environment: [ask]";
        settings.map(Some).map_err(|words| Misuse::error(format!("{place} {words}")))
    }

    /// What variables and flags say of it.
    fn said_of_asking(&self) -> Result<AskSection, ConfigError> {
        let said = servers::said(self.places())?.into_iter();
        Ok(said.fold(AskSection::default(), |all, (_, whole)| all.under(whole.ask)))
    }
}

/// What a section says, with the key from where it is looked up.
fn asked(said: AskSection, direct: Vec<String>, lookup: &Lookup<'_>) -> Result<Settings, String> {
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
        let value = template.resolve(lookup);
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
        settings.mode = mode.parse::<agent::Mode>().map_err(|words| format!("`mode`: {words}"))?;
    }
    if let Some(language) = said.language {
        settings.language =
            language.parse::<engine::Language>().map_err(|error| format!("`language`: {error}"))?;
    }
    if let Some(share) = said.rollout {
        settings.rollout = percent(&share)?;
    }
    settings.direct = direct;
    Ok(settings)
}

/// The provider whose usual variable holds a key.
fn keyed_provider() -> Option<ProviderName> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::secrets::KeyringError;

    /// What a file with these lines in `[ask]` leads to.
    fn of(lines: &str) -> Result<Settings, String> {
        let text = format!("provider = 'openai'\nmodel = 'm'\n{lines}");
        let said = toml::from_str(&text).map_err(|error| error.to_string())?;
        let keyring = |entry: &Entry| match entry.to_string().as_str() {
            "openai/key" => Ok("sk-from-keyring".to_owned()),
            _ => Err(KeyringError::NoEntry { entry: entry.clone() }),
        };
        let nothing = |_: &str| None;
        let folder = Path::new("/");
        let lookup = Lookup { folder, home: None, environment: &nothing, keyring: &keyring };
        asked(said, Vec::new(), &lookup)
    }

    #[test]
    fn a_share_is_read_as_people_write_it() {
        for (given, percent) in [
            ("'25%'", 25.0),
            ("' 2.5 % '", 2.5),
            ("'25'", 25.0),
            ("25", 25.0),
            ("0.5", 0.5),
            ("'0%'", 0.0),
            ("100", 100.0),
        ] {
            let share = of(&format!("rollout = {given}")).unwrap().rollout;
            assert!((share - percent).abs() < 1e-9, "{given}: {share}");
        }
        assert!((of("").unwrap().rollout - 100.0).abs() < 1e-9);
        for wrong in ["'a quarter'", "101", "-1", "'NaN'", "true", "'25%%%x'"] {
            let said = of(&format!("rollout = {wrong}")).unwrap_err();
            assert!(said.contains("`rollout`") && said.contains("\"25%\""), "{wrong}: {said}");
        }
    }

    #[test]
    fn a_key_comes_from_the_keyring_or_the_error_says_how_to_put_it_there() {
        let key = of("key = '${keyring:openai/key}'").unwrap().model.key.unwrap();
        assert_eq!(key.reveal(), "sk-from-keyring");
        assert!(of("").unwrap().model.key.is_none());
        let said = of("key = '${keyring:openai/other}'").unwrap_err();
        assert!(said.contains("`key`") && said.contains("secret set openai/other"), "{said}");
    }
}
