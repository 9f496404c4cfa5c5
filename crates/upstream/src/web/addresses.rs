//! Which addresses belong to everybody: what is left when all others are taken away.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A public address that is Azure's own: it gives its machines their settings and certificates.
const AZURE: Ipv4Addr = Ipv4Addr::new(168, 63, 129, 16);

/// Whether an address is one of the internet, and none of this machine, its networks or its cloud.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

#[expect(clippy::match_same_arms, reason = "each arm is a range that has its own name")]
fn is_public_v4(address: Ipv4Addr) -> bool {
    if AZURE == address {
        return false;
    }
    let [a, b, c, _] = address.octets();
    let is_reserved = match (a, b, c) {
        // "This network", private networks, loopback.
        (0 | 10 | 127, ..) | (172, 16..=31, _) | (192, 168, _) => true,
        // Carriers' own (CGNAT), link-local and with it the metadata of clouds.
        (100, 64..=127, _) | (169, 254, _) => true,
        // Protocols, documentation, benchmarks, the relays of 6to4.
        (192, 0, 0 | 2) | (198, 18 | 19, _) | (198, 51, 100) | (203, 0, 113) | (192, 88, 99) => {
            true
        }
        // Multicast, reserved, broadcast.
        (224.., ..) => true,
        _ => false,
    };
    !is_reserved
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(inner) = embedded(address) {
        return is_public_v4(inner);
    }
    let [first, second, ..] = address.segments();
    // Of the rest only 2000::/3 is given out; in it, these are not for everybody.
    let is_given_out = first & 0xe000 == 0x2000;
    let is_special = (first, second) == (0x2001, 0x0db8)
        || first == 0x2001 && second < 0x0200
        || first == 0x3fff && second < 0x1000;
    is_given_out && !is_special
}

/// The IPv4 address that an IPv6 address stands for, in any of the ways there are.
#[expect(clippy::match_same_arms, reason = "each arm is a range that has its own name")]
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let segments = address.segments();
    let of = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Some(Ipv4Addr::new(a, b, c, d))
    };
    match segments {
        // Mapped (::ffff:a.b.c.d), translated (::ffff:0:a.b.c.d) and compatible (::a.b.c.d).
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0, 0, 0, 0, 0xffff, 0, high, low] => of(high, low),
        [0, 0, 0, 0, 0, 0, high, low] => of(high, low),
        // NAT64, the well-known prefix and the one for local use.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => of(high, low),
        [0x64, 0xff9b, 1, ..] => Some(Ipv4Addr::UNSPECIFIED),
        // 6to4.
        [0x2002, high, low, ..] => of(high, low),
        // Teredo hides the client's address by inverting it.
        [0x2001, 0, _, _, _, _, high, low] => of(!high, !low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_machine_its_networks_and_clouds_are_not_public() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.0.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "168.63.129.16",
            "::ffff:168.63.129.16",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "::127.0.0.1",
            "::ffff:0:127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::7f00:1",
            "2002:7f00:1::",
            "2002:a9fe:a9fe::1",
            "2001:0:0:0:0:0:80ff:fffe",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "2001:db8::1",
            "2001:10::1",
            "2001:20::1",
            "100::1",
            "3fff::1",
            "5f00::1",
            "4000::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn others_are() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.1",
            "168.63.129.15",
            "168.63.129.17",
            "169.253.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.167.0.1",
            "192.169.0.1",
            "198.17.0.1",
            "198.20.0.1",
            "223.255.255.255",
            "2606:4700:4700::1111",
            "2a00:1450:4001:801::200e",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::1",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }
}
