//! IP addresses, and not version numbers, sections, masks or networks.
//!
//! Addresses that lead to nobody are left: this machine (`127.…`, `::1`), no machine (`0.0.0.0`, `::`),
//! multicast, masks and everything above 240; and a network in its own notation (10.0.0.0/8).
//! Private addresses such as 192.168.1.24 are taken: inside a company they name a desk.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::words::Cue;

/// Where the version 4 address that starts at `start` ends.
pub(crate) fn v4(text: &[u8], start: usize, cue: impl Fn() -> Cue) -> Option<usize> {
    let mut parts = [0_u8; 4];
    let mut at = start;
    for (place, part) in parts.iter_mut().enumerate() {
        if place > 0 {
            if text.get(at) != Some(&b'.') {
                return None;
            }
            at += 1;
        }
        let length = text[at..].iter().take(4).take_while(|one| one.is_ascii_digit()).count();
        if !(1..=3).contains(&length) || length > 1 && text[at] == b'0' {
            return None;
        }
        *part = std::str::from_utf8(&text[at..at + length]).ok()?.parse().ok()?;
        at += length;
    }
    let address = Ipv4Addr::from(parts);
    let cue = cue();
    (ends_v4(text, at, cue)
        && is_somebody(address)
        && !is_network(text, at, address)
        && is_wanted(parts, cue))
    .then_some(at)
}

/// A fifth number or a letter behind it makes it something else.
fn ends_v4(text: &[u8], at: usize, cue: Cue) -> bool {
    match text.get(at) {
        Some(b'.') => !text.get(at + 1).is_some_and(u8::is_ascii_alphanumeric),
        Some(b'-') => cue.has(Cue::IP) || !text.get(at + 1).is_some_and(u8::is_ascii_alphabetic),
        Some(one) => !one.is_ascii_alphanumeric() && *one != b'_',
        None => true,
    }
}

fn is_somebody(address: Ipv4Addr) -> bool {
    !(address.octets()[0] == 0 || address.is_loopback() || address.octets()[0] >= 224)
}

/// `10.0.0.0/8`: nothing is set behind the prefix.
fn is_network(text: &[u8], at: usize, address: Ipv4Addr) -> bool {
    if text.get(at) != Some(&b'/') {
        return false;
    }
    let length = text[at + 1..].iter().take(3).take_while(|one| one.is_ascii_digit()).count();
    let prefix =
        std::str::from_utf8(&text[at + 1..at + 1 + length]).unwrap_or_default().parse::<u32>();
    prefix.is_ok_and(|prefix| prefix < 32 && u32::from(address).trailing_zeros() >= 32 - prefix)
}

/// Small numbers are sections and versions unless a word says otherwise, or the private network 10.
fn is_wanted(parts: [u8; 4], cue: Cue) -> bool {
    if cue.has(Cue::VERSION) {
        return false;
    }
    cue.has(Cue::IP)
        || parts[0] == 10 && !cue.has(Cue::ID)
        || parts.iter().any(|part| *part >= 32) && parts[1..] != [0, 0, 0]
}

/// Where the version 6 address that starts at `start`, the start of a word, ends.
///
/// Only addresses that are in use begin so: 2…, 3…, fc, fd, fe8 to feb, always four digits long.
pub(crate) fn v6(text: &[u8], start: usize) -> Option<usize> {
    if text.get(start..start + 7).is_some_and(|head| head.eq_ignore_ascii_case(b"::ffff:")) {
        return v4(text, start + 7, || Cue::IP);
    }
    let head = text.get(start..start + 5)?;
    let issued = matches!(head[0], b'2' | b'3')
        || matches!(head[0] | 32, b'f') && matches!(head[1] | 32, b'c' | b'd')
        || matches!([head[0] | 32, head[1] | 32], [b'f', b'e'])
            && matches!(head[2] | 32, b'8' | b'9' | b'a' | b'b');
    if !issued || head[4] != b':' || !head[..4].iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let length = text[start..]
        .iter()
        .take(46)
        .take_while(|one| one.is_ascii_hexdigit() || **one == b':')
        .count();
    let mut end = start + length;
    while text[end - 1] == b':' && text.get(end - 2) != Some(&b':') {
        end -= 1;
    }
    let ends = !text.get(end).is_some_and(|one| one.is_ascii_alphanumeric() || *one == b'_');
    let address = std::str::from_utf8(&text[start..end]).ok()?.parse::<Ipv6Addr>().ok()?;
    let network = text.get(end) == Some(&b'/') && text[end - 1] == b':';
    (ends && !network && !address.is_multicast()).then_some(end)
}
