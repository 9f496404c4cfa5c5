//! Values that are cut to a budget: never over it, always JSON.
#![no_main]

use budget::Strategy;
use libfuzzer_sys::fuzz_target;
use serde_json::value::RawValue;

/// The least that a gateway may be asked for.
const LEAST: usize = 64;

fuzz_target!(|data: (u8, u16, &str)| {
    let (way, most, json) = data;
    let strategy = match way % 5 {
        0 => Strategy::Auto,
        1 => Strategy::Summarize,
        2 => Strategy::Schema,
        3 => Strategy::Sample,
        _ => Strategy::Truncate,
    };
    let Ok(value) = serde_json::from_str::<&RawValue>(json) else { return };
    let most = usize::from(most).max(LEAST);
    let fitted = budget::fit(value, strategy, most);
    assert!(fitted.tokens <= most, "{} tokens of {most}", fitted.tokens);
    assert_eq!(budget::count(fitted.value.get()), fitted.tokens, "counted as it is");
});
