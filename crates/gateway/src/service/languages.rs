//! What programs are written in, and what runs them.

use std::sync::Arc;

use engine::{Engine, Language};

use super::execute::Request;
use super::{Caller, Refusal, Service};

impl Service {
    /// What runs programs of a language.
    pub(super) async fn engine(&self, language: Language) -> Result<Arc<dyn Engine>, Refusal> {
        Ok(self.parts.engines.get(language).await?)
    }

    /// What a program is written in: as its caller says, as its session has it, or as is usual here.
    pub(super) fn language_of(
        &self,
        caller: &Caller,
        request: &Request,
    ) -> Result<Language, Refusal> {
        let asked = self.language(request.language.as_deref())?;
        let Some(id) = &request.session else {
            return Ok(asked.unwrap_or_else(|| self.parts.engines.usual()));
        };
        let has = self.entry(caller, id)?.language;
        match asked {
            Some(asked) if asked != has => {
                Err(Refusal::OtherLanguage { session: id.clone(), asked, has: has.title() })
            }
            _ => Ok(has),
        }
    }

    /// A language by its name, if programs in it are run here.
    pub(super) fn language(&self, name: Option<&str>) -> Result<Option<Language>, Refusal> {
        let Some(name) = name else { return Ok(None) };
        let offered = self.languages();
        let known = name.parse::<Language>().ok();
        known.filter(|language| offered.contains(language)).map(Some).ok_or_else(|| {
            let names: Vec<_> = offered.iter().map(|one| format!("\"{one}\"")).collect();
            let problem = format!(
                "is {name:?}; programs are run in {} (setting `languages`)",
                names.join(" and ")
            );
            match known {
                Some(_) => Refusal::Unfit { field: "language", problem },
                None => Refusal::Invalid { field: "language", problem },
            }
        })
    }
}
