//! How long it takes to tokenise 10 MB of JSON and to put the values back.
//!
//! `cargo bench -p privacy --bench privacy` prints the median of each.

#![expect(clippy::print_stdout, reason = "the figures are the point")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on says where")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use privacy::{Detector, Key, Settings, Tokenizer, Vault};

const BYTES: usize = 10_000_000;
const ROUNDS: usize = 7;

fn main() {
    let tokenizer =
        Tokenizer::new(Detector::new(&Settings::default()).unwrap(), Key::new(&[1; 32]));
    let mut table = String::from("| 10 MB of | median | found |\n| --- | --- | --- |\n");
    for (what, json) in [
        ("rows without personal data", devices()),
        ("customers, four values each", customers()),
        ("one long text of log lines", log()),
    ] {
        let mut vault = Vault::default();
        let time = median(|| {
            vault = Vault::new(1_000_000);
            black_box(tokenizer.tokenize_json(&json, &mut vault).unwrap());
        });
        let _ = writeln!(table, "| {what}, tokenised | {time:.0?} | {} |", vault.len());
        let tokens = tokenizer.tokenize_json(&json, &mut vault).unwrap().into_owned();
        let time = median(|| drop(black_box(vault.restore_json(&tokens).unwrap())));
        let _ = writeln!(table, "| {what}, put back | {time:.0?} | |");
    }
    println!("{table}");
}

fn median(mut work: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let started = Instant::now();
            work();
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[times.len() / 2]
}

fn rows(mut row: impl FnMut(&mut String, u32)) -> String {
    let mut json = String::from("[");
    let mut at = 0;
    while json.len() < BYTES {
        json.push_str(if at == 0 { "" } else { "," });
        row(&mut json, at);
        at += 1;
    }
    json.push(']');
    json
}

fn devices() -> String {
    rows(|json, at| {
        let _ = write!(
            json,
            r#"{{"id":{at},"name":"Device {} sensor","value":{}.{},"status":"{}","updated_at":"2026-11-{:02}T12:{:02}:00Z"}}"#,
            at * 7 % 1000,
            at * 13 % 997,
            at % 10,
            if at.is_multiple_of(3) { "idle" } else { "active" },
            at % 28 + 1,
            at % 60,
        );
    })
}

fn customers() -> String {
    rows(|json, at| {
        let _ = write!(
            json,
            r#"{{"id":{at},"first_name":"Jane","last_name":"Doe","email":"jane.doe{at}@example.com","phone":"+49 30 {:08}","city":"Berlin","note":"Called on 2026-11-{:02} about order {at}, wants a refund of {}.50 EUR","active":true}}"#,
            10_000_000 + at,
            at % 28 + 1,
            at % 900,
        );
    })
}

fn log() -> String {
    let mut text = String::new();
    let mut at = 0_u32;
    while text.len() < BYTES {
        let _ = write!(
            text,
            "2026-11-16T10:{:02}:{:02}Z INFO request served path=/v1/items/{at} status=200 ms={} client=203.0.113.{}\\n",
            at / 60 % 60,
            at % 60,
            at % 700,
            at % 250,
        );
        at += 1;
    }
    format!(r#"{{"log":"{text}"}}"#)
}
