//! Skills tried again when a tool that they call is another one.
//!
//! ```text
//! catalog changed ──► Skillset::due ──► examples run with what was recorded ──► marked stale, or no longer
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

use catalog::Catalog;
use engine::{Engine, Language};
use skills::{Kept, Reader, Scope};
use tracing::{info, warn};

use super::record::Moment;
use super::{Readiness, Service};
use crate::behalf::Behalf;
use crate::skillset::{Skillset, Workshop};

impl Service {
    /// Looks whether tools have changed until the service ends.
    pub(super) async fn recheck_skills(self: Arc<Self>) {
        let Some(skillset) = self.parts.tools.skillset().cloned() else { return };
        let mut last = Vec::new();
        loop {
            let looked = async {
                tokio::time::sleep(self.often()).await;
                Box::pin(self.recheck_due(&skillset, &mut last)).await;
            };
            tokio::select! {
                () = looked => {}
                // A skill that is being tried is tried again when a service starts.
                () = self.ending.cancelled() => return,
            }
        }
    }

    /// Tries what is due, if tools are not what they were the last time.
    async fn recheck_due(&self, skillset: &Arc<Skillset>, last: &mut Vec<String>) {
        // Where nothing was ever saved, nobody is asked what tools there are.
        if skillset.store().stamp().is_none() {
            return;
        }
        let readiness = self.parts.engines.readiness(Language::Python);
        let Readiness::Ready(engine) = readiness else { return };
        let tools = Arc::clone(&self.parts.tools);
        let known = tokio::task::spawn_blocking(move || {
            tools.catch_up();
            let catalog = tools.catalog();
            (definitions(&catalog), catalog)
        });
        let Ok((now, catalog)) = known.await else { return };
        if now == *last {
            return;
        }
        let (skills, all) = (Arc::clone(skillset), Arc::clone(&catalog));
        let Ok(due) = tokio::task::spawn_blocking(move || skills.due(&all)).await else { return };
        for kept in &due {
            if !Box::pin(self.recheck(&engine, kept)).await {
                // Everybody is busy, and it is still due.
                return;
            }
            skillset.has_tried(kept, &catalog);
        }
        *last = now;
    }

    /// Runs the examples of one skill; false where there is no place for that.
    async fn recheck(&self, engine: &Arc<dyn Engine>, kept: &Kept) -> bool {
        let behalf = self.behalf_of(&kept.scope).await;
        let Ok(ticket) = self.gate.ticket(&behalf.owner) else { return false };
        let _pass = ticket.enter().await;
        let (nursery, limits) = (self.nursery(engine), self.settings.limits.clone());
        let Some(workshop) = Workshop::new(nursery, &self.parts.tools, behalf, limits) else {
            return true;
        };
        let (skill, version) = (&kept.skill.name, kept.skill.version);
        match workshop.test(kept, true).await {
            Ok(tested) if tested.stale.is_some() => {
                info!(%skill, version, "a skill is stale: a tool that it calls has changed");
            }
            Ok(_) => info!(%skill, version, "a skill is as it was when its tools were"),
            Err(error) => {
                warn!(%skill, version, error = %error, "a skill could not be tried again");
            }
        }
        true
    }

    /// Who tries a skill again where nobody asks for it: whoever it belongs to.
    async fn behalf_of(&self, scope: &Scope) -> Behalf {
        let Reader { owner, mut teams } = Reader::of(scope);
        if matches!(scope, Scope::Owner(_)) {
            let tokens = self.parts.store.tokens().await.unwrap_or_default();
            let own = tokens.into_iter().filter(|token| {
                token.owner == owner && token.expires_at.is_none_or(|end| end > Moment::now())
            });
            let found: BTreeSet<String> = own.flat_map(|token| token.teams).collect();
            teams.extend(found);
        }
        self.of_workshop(owner, teams)
    }
}

/// What tells whether any tool is another one.
fn definitions(catalog: &Catalog) -> Vec<String> {
    let tools = catalog.tools();
    tools.map(|tool| format!("{}.{} {}", tool.server(), tool.name(), tool.fingerprint())).collect()
}
