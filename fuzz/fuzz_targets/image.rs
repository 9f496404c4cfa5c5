//! A frozen guest as bytes that may come from anybody.

#![no_main]

use engine::image::{Header, MAX_BODY};
use engine::{Digest, Image};
use libfuzzer_sys::fuzz_target;

const PREFIX: &[u8] = b"TIDEIMG\n\x01\0\0\0";

/// More than this is not unpacked, so that a small input cannot take long.
const ROOM: u64 = 1 << 20;

fuzz_target!(|data: &[u8]| {
    read(data.to_vec());
    read(sealed(data.to_vec()));
    read(sealed([PREFIX, data].concat()));
    read_with_header(data);
    round_trip(data);
});

fn read(bytes: Vec<u8>) {
    if let Ok(image) = Image::decode(bytes.clone()) {
        assert_eq!(image.as_bytes(), bytes);
        if let Ok(body) = image.body(ROOM) {
            assert_eq!(body.len() as u64, image.header().body_bytes);
        }
    }
}

/// With the checksum it would have, so that what comes after the checksum is reached.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = Digest::of(&bytes);
    bytes.extend_from_slice(&sum.0);
    bytes
}

/// A right envelope around any header (the first line) and any body (the rest).
fn read_with_header(data: &[u8]) {
    let end = data.iter().position(|&byte| byte == b'\n').unwrap_or(data.len());
    let Ok(length) = u32::try_from(end) else { return };
    let body = data.get(end + 1..).unwrap_or_default();
    read(sealed([PREFIX, &length.to_le_bytes(), &data[..end], body].concat()));
}

fn round_trip(body: &[u8]) {
    let header =
        Header { engine: "fuzz".into(), base: Digest::of(body), body_bytes: 0, waiting: true };
    let packed = Image::new(header, body.to_vec());
    let image = Image::decode(packed.as_bytes().to_vec()).expect("it was packed just now");
    assert_eq!(image.body(MAX_BODY).expect("it is as long as it says"), body);
}
