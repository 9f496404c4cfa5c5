//! Runs that come from another gateway: whatever is in the file, reading it ends.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = gateway::service::durable::decode_pack(bytes);
});
