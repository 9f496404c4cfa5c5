//! Measured values and how they are written down.

/// What was measured, in whatever order it came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    /// Adds one.
    pub(crate) fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The middle one; `None` when nothing was measured.
    pub(crate) fn p50(&self) -> Option<f64> {
        self.percentile(50)
    }

    /// What all but one in a hundred stay below.
    pub(crate) fn p99(&self) -> Option<f64> {
        self.percentile(99)
    }

    /// The smallest.
    pub(crate) fn least(&self) -> Option<f64> {
        self.percentile(0)
    }

    fn percentile(&self, percent: usize) -> Option<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (sorted.len() * percent).div_ceil(100).max(1);
        sorted.get(rank - 1).copied()
    }
}

impl Extend<f64> for Samples {
    fn extend<T: IntoIterator<Item = f64>>(&mut self, values: T) {
        self.0.extend(values);
    }
}

/// The n-th root of the product: the mean for ratios.
pub(crate) fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let count = u32::try_from(ratios.len()).ok().filter(|count| *count > 0)?;
    Some((ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / f64::from(count)).exp())
}

/// A duration with three digits and the unit that suits it.
pub(crate) fn seconds(value: f64) -> String {
    match value {
        value if value < 1e-3 => format!("{} µs", digits(value * 1e6)),
        value if value < 1.0 => format!("{} ms", digits(value * 1e3)),
        value => format!("{} s", digits(value)),
    }
}

/// A size in units of a thousand bytes.
pub(crate) fn bytes(value: f64) -> String {
    if value < 1e6 {
        format!("{} kB", digits(value / 1e3))
    } else {
        format!("{} MB", digits(value / 1e6))
    }
}

/// How often something happens.
pub(crate) fn per_second(value: f64) -> String {
    format!("{value:.0} /s")
}

/// How much of something else.
pub(crate) fn times(value: f64) -> String {
    format!("{}x", digits(value))
}

fn digits(value: f64) -> String {
    match value.abs() {
        size if size < 10.0 => format!("{value:.2}"),
        size if size < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}
