//! The body of a frozen guest, which says how long its own parts are.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    engine_wasm::fuzzing::frozen(data);
    // The description (the first line) with its right length, and the bulk after it.
    let end = data.iter().position(|&byte| byte == b'\n').unwrap_or(data.len());
    let Ok(length) = u32::try_from(end) else { return };
    let bulk = data.get(end + 1..).unwrap_or_default();
    engine_wasm::fuzzing::frozen(&[&length.to_le_bytes(), &data[..end], bulk].concat());
});
