//! What a program on the command line is written in.

use std::path::Path;

use clap::Args;
use engine::Language;
use engine_wasm::install::Pins;

use crate::config::Config;
use crate::exit::Misuse;
use crate::store::SessionName;

/// The option of commands that run programs.
#[derive(Debug, Clone, Args)]
pub(crate) struct LanguageOption {
    /// What the program is written in: python or typescript; else by its file's name, or as its session has it.
    #[arg(long, value_name = "LANGUAGE")]
    language: Option<Language>,
}

impl LanguageOption {
    /// The language of a program: as somebody says, as its file's name says, as its session has it, or Python.
    pub(crate) fn of(
        &self,
        config: &Config,
        file: Option<&Path>,
        session: Option<&SessionName>,
    ) -> anyhow::Result<Language> {
        let said = self.language.or_else(|| by_name(file?));
        let has = match session {
            Some(name) => of_session(config, name)?.map(|language| (name, language)),
            None => None,
        };
        match (said, has) {
            (Some(said), Some((name, has))) if said != has => Err(Misuse::error(format!(
                "the session `{name}` has {}, and this program is {}; a session has one language, so choose another --session",
                has.title(),
                said.title()
            ))),
            (Some(language), _) | (None, Some((_, language))) => Ok(language),
            (None, None) => Ok(Language::default()),
        }
    }

    /// The same of a program without a session.
    pub(crate) fn of_file(&self, file: Option<&Path>) -> Language {
        self.language.or_else(|| by_name(file?)).unwrap_or_default()
    }
}

fn by_name(file: &Path) -> Option<Language> {
    Language::of_ending(file.extension()?.to_str()?)
}

/// The language of a session on disk, if there is one whose image is known here.
fn of_session(config: &Config, name: &SessionName) -> anyhow::Result<Option<Language>> {
    let store = config.store()?;
    let Some(entry) = store.entry(name)? else { return Ok(None) };
    let base = match entry.details {
        Some(details) => details.base,
        None => match store.image(name)? {
            Some(image) => image.header().base,
            None => return Ok(None),
        },
    };
    // Whatever is wrong with the image is said when the session is opened.
    let Ok(stored) = config.cache()?.find_image_by_digest(&base) else { return Ok(None) };
    let runs = |language: &Language| Pins::of(*language).runtime() == stored.record.runtime;
    Ok(Language::ALL.into_iter().find(runs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_files_name_says_what_a_program_is_written_in_unless_somebody_does() {
        let (none, script) = (
            LanguageOption { language: None },
            LanguageOption { language: Some(Language::TypeScript) },
        );
        for (file, language) in [
            ("a.py", Language::Python),
            ("a.b.ts", Language::TypeScript),
            ("a.mjs", Language::TypeScript),
            ("-", Language::Python),
            ("ts", Language::Python),
        ] {
            assert_eq!(none.of_file(Some(Path::new(file))), language, "{file}");
            assert_eq!(script.of_file(Some(Path::new(file))), Language::TypeScript);
        }
    }
}
