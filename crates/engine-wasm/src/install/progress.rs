//! What an installation tells whoever watches it.

/// Watches an installation.
pub trait Progress: Sync {
    /// `fraction` of `stage` is done, from 0 to 1. Stages with nothing to do are skipped.
    fn stage(&self, stage: Stage, fraction: f64);

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
            Self::Fetch => "fetching CPython for WebAssembly",
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

    /// How much of the whole is done when `fraction` of this stage is.
    #[must_use]
    pub fn overall(self, fraction: f64) -> f64 {
        let before: f64 =
            Self::ALL.iter().filter(|stage| **stage < self).map(|stage| stage.weight()).sum();
        before + self.weight() * fraction.clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Stage;

    #[test]
    fn the_last_stage_ends_at_the_end() {
        assert!((Stage::Image.overall(1.0) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_stage_begins_where_the_one_before_ended() {
        for pair in Stage::ALL.windows(2) {
            assert!((pair[0].overall(1.0) - pair[1].overall(0.0)).abs() < 1e-9);
        }
    }
}
