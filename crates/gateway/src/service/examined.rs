//! A program, looked at before it runs: its mistakes, and what it could do.

use std::sync::Arc;
use std::time::Instant;

use check::Report;
use check::review::{Review, Verdict};
use engine::{Level, Limits, Outcome, Program};
use metrics::counter;

use super::execute::Place;
use super::figures::Phase;
use super::{Refusal, Request, Service};
use crate::checks::refusal;
use crate::reviewing::review_refusal;
use crate::tools::Offer;

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
            examined.refused = review_refusal(&verdict);
            if let (Some(trail), Some(_)) = (&self.parts.trail, &examined.refused) {
                trail.reviewed(begun, &verdict);
            }
        }
        run.is_reviewed_as(review);
        examined
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
        self.validate(request)?;
        let asked = request.level.unwrap_or(self.settings.level);
        let level = self.settings.level.max(asked);
        let mut limits = self.settings.limits.clone();
        if level > self.settings.level {
            limits = limits.tightened_by(&Limits::of(level));
        }
        let program = Program::new(request.code.clone());
        let (review, _) = self.reviews.review(Some(&self.parts.tools), &program, &limits).await;
        let verdict = self.settings.reviewing.verdict(&review, level);
        Ok(Validated { review, verdict, level })
    }
}
