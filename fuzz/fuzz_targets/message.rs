//! What a guest says through the door.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| engine_wasm::fuzzing::message(data));
