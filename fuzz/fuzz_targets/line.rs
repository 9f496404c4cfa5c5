//! Lines of the audit log: whatever lies in the file, reading it ends.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = audit::decode_line(bytes);
});
