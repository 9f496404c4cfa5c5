//! The model of the demo: a real one where there is a key, otherwise what one said.

use agent::{ModelSettings, ProviderName, Settings};
use scripted::{Format, Scripted, Turn};
use upstream::Secret;
use url::Url;

use crate::config::Config;
use crate::config::ask::keyed_provider;
use crate::exit::Misuse;

const PROGRAM: &str = include_str!("../../../../../examples/home/recorded/lights.program.md");
const ANSWER: &str = include_str!("../../../../../examples/home/recorded/lights.answer.md");

/// Who answers.
pub(super) struct Model {
    pub(super) settings: Settings,
    /// Says what was recorded, as long as it lives.
    recorded: Option<Scripted>,
}

impl Model {
    /// The one that is named, the one of `[ask]`, or else the recordings.
    pub(super) async fn choose(config: &Config, named: Option<&str>) -> anyhow::Result<Self> {
        let known = match named {
            Some(model) => Some(config.model_by_key(model)?.ok_or_else(no_key)?),
            None => config.ask(Vec::new())?.filter(has_key),
        };
        if let Some(settings) = known {
            return Ok(Self { settings, recorded: None });
        }
        let turns = [PROGRAM, ANSWER].map(|text| Turn::say(text.trim()));
        let recorded = Scripted::saying(Format::Anthropic, turns).await;
        let url: Url = recorded.url().parse()?;
        let mut model = ModelSettings::new(ProviderName::Anthropic, scripted::MODEL, url);
        model.key = Some(Secret::new(scripted::KEY.to_owned()));
        Ok(Self { settings: Settings::new(model), recorded: Some(recorded) })
    }

    /// Who it is, in words.
    pub(super) fn introduction(&self) -> String {
        let model = &self.settings.model;
        match (&self.recorded, keyed_provider()) {
            (None, _) => format!("{} of {} answers.", model.model, model.provider.name()),
            (Some(_), Some(provider)) => format!(
                "There is a key of {}; `tidegate demo --model NAME` asks one of its models. Until then, what a model says is recorded; all else happens now.",
                provider.name()
            ),
            (Some(_), None) => "There is no key of a model, so what a model says is recorded; all else happens now.".to_owned(),
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
