//! What an installation tells whoever watches it.

/// Watches an installation.
pub trait Progress: Sync {
    /// `stage` is under way, and this much of the whole work is done, from 0 to 1. Stages with
    /// nothing to do are not part of the work.
    fn stage(&self, stage: Stage, overall: f64);

    /// Another process is installing; this one waits until it is done.
    fn waiting_for_other(&self);
}

/// Watches nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _: Stage, _: f64) {}
    fn waiting_for_other(&self) {}
}

/// The stages of an installation, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Getting the wheel.
    Fetch,
    /// Comparing it with the digest in our source.
    Check,
    /// Taking out what is needed.
    Unpack,
    /// Turning the module into machine code.
    Compile,
    /// Running the warm-up programs.
    Image,
}

impl Stage {
    /// All of them, in order.
    pub const ALL: [Self; 5] = [Self::Fetch, Self::Check, Self::Unpack, Self::Compile, Self::Image];

    /// What to call it on a progress bar.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Fetch => "fetching the interpreter for WebAssembly",
            Self::Check => "checking its SHA-256",
            Self::Unpack => "unpacking",
            Self::Compile => "compiling to machine code, once",
            Self::Image => "warming up interpreters",
        }
    }

    /// Its share of the whole time, as measured on two cores.
    #[must_use]
    pub fn weight(self) -> f64 {
        match self {
            Self::Fetch => 0.04,
            Self::Check => 0.01,
            Self::Unpack => 0.02,
            Self::Compile => 0.85,
            Self::Image => 0.08,
        }
    }
}

/// The stages that have something to do, and who watches them.
pub(super) struct Work<'a> {
    stages: Vec<Stage>,
    watched: &'a dyn Progress,
}

impl<'a> Work<'a> {
    pub(super) fn new(stages: Vec<Stage>, watched: &'a dyn Progress) -> Self {
        Self { stages, watched }
    }

    /// `fraction` of `stage` is done, from 0 to 1.
    pub(super) fn stage(&self, stage: Stage, fraction: f64) {
        self.watched.stage(stage, self.overall(stage, fraction));
    }

    fn overall(&self, stage: Stage, fraction: f64) -> f64 {
        let sum = |part: &dyn Fn(Stage) -> bool| -> f64 {
            self.stages.iter().filter(|stage| part(**stage)).map(|stage| stage.weight()).sum()
        };
        let before = sum(&|other| other < stage);
        let whole = sum(&|_| true).max(f64::MIN_POSITIVE);
        ((before + stage.weight() * fraction.clamp(0.0, 1.0)) / whole).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Silent, Stage, Work};

    fn is(overall: f64, expected: f64) -> bool {
        (overall - expected).abs() < 1e-9
    }

    #[test]
    fn the_last_stage_ends_at_the_end() {
        let work = Work::new(Stage::ALL.to_vec(), &Silent);
        assert!(is(work.overall(Stage::Image, 1.0), 1.0));
    }

    #[test]
    fn a_stage_begins_where_the_one_before_ended() {
        let work = Work::new(Stage::ALL.to_vec(), &Silent);
        for pair in Stage::ALL.windows(2) {
            assert!(is(work.overall(pair[0], 1.0), work.overall(pair[1], 0.0)));
        }
    }

    #[test]
    fn what_is_done_already_is_not_part_of_the_work() {
        let work = Work::new(vec![Stage::Image], &Silent);
        assert!(is(work.overall(Stage::Image, 0.0), 0.0));
        assert!(is(work.overall(Stage::Image, 0.5), 0.5));
    }
}
