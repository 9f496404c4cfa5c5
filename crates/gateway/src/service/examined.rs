//! A program, looked at before it runs: its mistakes, and what it could do.

use std::sync::Arc;
use std::time::Instant;

use catalog::Annotations;
use check::Report;
use check::review::{Decided, Review, Verdict};
use engine::{Level, Limits, Outcome, Program};
use metrics::counter;
use serde_json::{Map, Value};

use super::analysis;
use super::execute::Place;
use super::figures::Phase;
use super::{Refusal, Request, Service};
use crate::checks::refusal;
use crate::judge::Wish;
use crate::reviewing::review_refusal;
use crate::tools::Offer;

/// Letters of a program that whoever is asked about it is shown.
const SHOWN: usize = 20_000;

/// What was found before a program runs.
pub(super) struct Examined {
    /// Its mistakes, where anybody looks for them.
    pub(super) checked: Option<Report>,
    /// What it can call, where that was found out already.
    pub(super) offer: Option<Arc<Offer>>,
    /// How it ended, if it may not run.
    pub(super) refused: Option<Outcome>,
}

/// What a review of a program that does not run says.
#[derive(Debug)]
pub struct Validated {
    /// The review.
    pub review: Review,
    /// What would be done about the program.
    pub verdict: Verdict,
    /// The level it was held against.
    pub level: Level,
}

impl Service {
    /// Looks at a program that is about to run.
    pub(super) async fn examine(
        &self,
        place: Place<'_>,
        program: &Program,
        limits: &Limits,
    ) -> Examined {
        let Place { entry, run, keeper, .. } = place;
        let begun = Instant::now();
        let tools = &self.parts.tools;
        let mut examined = Examined { checked: None, offer: None, refused: None };
        let review = if let Some(checks) = &self.parts.checks {
            let (mut report, offer) =
                checks.examine(Some(tools), program, entry.earlier(), limits).await;
            examined.offer = offer;
            examined.refused = refusal(&report);
            let review = std::mem::take(&mut report.review);
            examined.checked = Some(report);
            review
        } else {
            let (review, offer) = self.reviews.review(Some(tools), program, limits).await;
            examined.offer = offer;
            review
        };
        Phase::Check.took(begun.elapsed());
        counter!("tidegate_reviews_total", "risk" => review.risk.name()).increment(1);
        let begun = keeper.begun();
        let verdict = self.settings.reviewing.verdict(&review, begun.level);
        if examined.refused.is_none() {
            let approved = match &verdict {
                Verdict::Ask(decided) => self.ask_about_program(place, decided).await,
                _ => Err(None),
            };
            examined.refused = match approved {
                Ok(()) => None,
                Err(said) => {
                    let ours = matches!(verdict, Verdict::Deny(_))
                        .then(|| analysis::denied(&begun.program, begun.level));
                    ours.flatten().or_else(|| review_refusal(&verdict, said.as_deref()))
                }
            };
            if examined.refused.is_none() {
                let nursery = self.nursery(place.engine);
                let (source, behalf) = (&program.source, place.behalf());
                let error = nursery.refused_skill(tools, source, limits, &behalf).await;
                examined.refused = error.map(|error| Outcome::failed(*error));
            }
            if let (Some(trail), Some(_)) = (&self.parts.trail, &examined.refused) {
                trail.reviewed(begun, &verdict);
            }
        }
        run.is_reviewed_as(review);
        examined
    }

    /// Has somebody asked whether a program may run; the words say why not.
    async fn ask_about_program(
        &self,
        place: Place<'_>,
        decided: &Decided,
    ) -> Result<(), Option<String>> {
        let behalf = place.behalf();
        let program: String = place.keeper.begun().program.chars().take(SHOWN).collect();
        let shown = Map::from_iter([
            ("finding".to_owned(), Value::String(decided.to_string())),
            ("program".to_owned(), Value::String(program)),
        ]);
        let wish = Wish {
            behalf: &behalf,
            server: "review",
            tool: "run_program",
            annotations: &Annotations::default(),
            is_trusted: false,
            arguments: &shown,
            shown: &shown,
        };
        let decision = policy::Decision {
            verdict: policy::Verdict::Ask,
            rule: decided.setting.clone(),
            reason: "a review of the program found something before it ran".to_owned(),
            limits: Vec::new(),
            grounds: vec![decided.setting.clone()],
        };
        self.ask_somebody(place.run, &wish, &decision).await.map_err(Some)
    }

    /// Looks again at a program that an earlier process began to run.
    pub(super) async fn review_again(&self, place: Place<'_>) {
        let begun = place.keeper.begun();
        let tools = Some(&self.parts.tools);
        let (review, _) = self.reviews.review(tools, &begun.program(), &begun.limits).await;
        place.run.is_reviewed_as(review);
    }

    /// Says what a program could do, and what would be done about it, without running it.
    pub async fn review(&self, request: &Request) -> Result<Validated, Refusal> {
        let language = self.language(request.language.as_deref())?;
        let language = language.unwrap_or_else(|| self.parts.engines.usual());
        self.validate(request, language)?;
        let asked = request.level.unwrap_or(self.settings.level);
        let level = self.settings.level.max(asked);
        let mut limits = self.settings.limits.clone();
        if level > self.settings.level {
            limits = limits.tightened_by(&Limits::of(level));
        }
        let program = Program::new(request.code.clone()).in_language(language);
        let (review, _) = self.reviews.review(Some(&self.parts.tools), &program, &limits).await;
        let verdict = self.settings.reviewing.verdict(&review, level);
        Ok(Validated { review, verdict, level })
    }
}
