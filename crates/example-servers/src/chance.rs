//! Numbers that look like chance and are the same everywhere.

/// One number in 0..1 for each place: no state, so any part of a history can be had alone.
pub(crate) fn fraction(seed: u64, device: u64, point: u64) -> f64 {
    let mixed = mix(seed ^ mix(device.wrapping_add(1) ^ mix(point.wrapping_add(1))));
    // The upper 32 bits, which a float holds exactly.
    f64::from(u32::try_from(mixed >> 32).unwrap_or(0)) / f64::from(u32::MAX)
}

/// One of `count` choices for each place.
pub(crate) fn choice(seed: u64, place: u64, count: usize) -> usize {
    let count = u64::try_from(count.max(1)).unwrap_or(1);
    usize::try_from(mix(seed ^ mix(place)) % count).unwrap_or(0)
}

/// The finalizer of `SplitMix64`: every bit of the input reaches every bit of the output.
fn mix(value: u64) -> u64 {
    let mut mixed = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
