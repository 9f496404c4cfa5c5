//! The model of the demo: a real one where there is a key, otherwise what one said.

use agent::{ModelSettings, ProviderName, Settings};
use clap::Args;
use scripted::{Format, Scripted, Turn};
use upstream::Secret;
use url::Url;

use crate::config::Config;
use crate::exit::Misuse;

const PROGRAM: &str = include_str!("../../../../../examples/home/recorded/lights.program.md");
const ANSWER: &str = include_str!("../../../../../examples/home/recorded/lights.answer.md");

/// Whom the user wants to answer.
#[derive(Debug, Args)]
pub(super) struct Wanted {
    /// Ask this model; whose it is, the variable with its key says.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Ask no model, also where there is a key of one: play what one said.
    #[arg(long, conflicts_with = "model")]
    recorded: bool,
}

/// Who answers.
pub(super) struct Model {
    pub(super) settings: Settings,
    kind: Kind,
}

/// How it was found.
enum Kind {
    /// By `[ask]`.
    Set,
    /// By the variable that its key is in.
    Keyed(&'static str),
    /// It says what was recorded, as long as this lives.
    Recorded { _provider: Scripted, why: &'static str },
}

impl Model {
    /// The one that is named, the one of `[ask]`, the usual one of whoever there is a key of, or else the recordings.
    pub(super) async fn choose(config: &Config, wanted: &Wanted) -> anyhow::Result<Self> {
        if wanted.recorded {
            return Self::recorded("What a model says is recorded, as `--recorded` says").await;
        }
        let set = match wanted.model {
            Some(_) => None,
            None => config.ask(Vec::new())?.filter(has_key),
        };
        if let Some(settings) = set {
            return Ok(Self { settings, kind: Kind::Set });
        }
        let keyed = config.ask_by_key(wanted.model.as_deref())?;
        if let Some(settings) = keyed {
            let variable = settings.model.provider.usual_key().unwrap_or_default();
            return Ok(Self { settings, kind: Kind::Keyed(variable) });
        }
        if wanted.model.is_some() {
            return Err(no_key());
        }
        Self::recorded("There is no key of a model, so what a model says is recorded").await
    }

    async fn recorded(why: &'static str) -> anyhow::Result<Self> {
        let turns = [PROGRAM, ANSWER].map(|text| Turn::say(text.trim()));
        let provider = Scripted::saying(Format::Anthropic, turns).await;
        let url: Url = provider.url().parse()?;
        let mut model = ModelSettings::new(ProviderName::Anthropic, scripted::MODEL, url);
        model.key = Some(Secret::new(scripted::KEY.to_owned()));
        let kind = Kind::Recorded { _provider: provider, why };
        Ok(Self { settings: Settings::new(model), kind })
    }

    /// Who it is, in words.
    pub(super) fn introduction(&self) -> String {
        let model = &self.settings.model;
        let who = format!("{} of {} answers", model.model, model.provider.name());
        match &self.kind {
            Kind::Set => format!("{who}."),
            Kind::Keyed(variable) => format!(
                "{who}, with the key in {variable}. `--model NAME` asks another, `--recorded` none."
            ),
            Kind::Recorded { why, .. } => format!("{why}; all else happens now."),
        }
    }

    /// What else there is to try when it could not be asked.
    pub(super) fn otherwise(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Recorded { .. } => None,
            Kind::Set => Some("`tidegate demo --recorded` plays what a model said once"),
            Kind::Keyed(_) => Some(
                "`tidegate demo --model NAME` asks another model, `--recorded` plays what one said once",
            ),
        }
    }
}

/// Whether its provider can be asked.
fn has_key(settings: &Settings) -> bool {
    let model = &settings.model;
    model.key.is_some() || model.provider.usual_key().is_none()
}

fn no_key() -> anyhow::Error {
    let names: Vec<&str> =
        ProviderName::ALL.into_iter().filter_map(ProviderName::usual_key).collect();
    Misuse::error(format!("--model needs a key; set one of {}", names.join(", ")))
}
