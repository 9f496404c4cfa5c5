//! Personal data in whatever a tool answered: it comes back, and JSON stays JSON.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use privacy::{Detector, Key, Settings, Tokenizer, Vault};
use serde_json::Value;

fuzz_target!(|answer: &str| {
    let mut vault = Vault::new(4096);
    let hidden = tokenizer().tokenize(answer, &mut vault);
    if vault.dropped() > 0 {
        return;
    }
    assert_eq!(vault.restore(&hidden), answer, "what was taken out is put back");
    if serde_json::from_str::<Value>(answer).is_ok() {
        assert!(serde_json::from_str::<Value>(&hidden).is_ok(), "JSON stays JSON");
    }
});

fn tokenizer() -> &'static Tokenizer {
    static TOKENIZER: OnceLock<Tokenizer> = OnceLock::new();
    TOKENIZER.get_or_init(|| {
        let detector = Detector::new(&Settings::default()).expect("the usual settings are valid");
        Tokenizer::new(detector, Key::new(&[7; 32]))
    })
}
