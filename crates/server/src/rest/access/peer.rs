//! Whose process is at the other end of a connection from this machine.

use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::MetadataExt as _;

/// Whether a connection from this machine was made by our own user, or by root. What cannot be found
/// out is not so.
pub(super) fn is_our_user(peer: SocketAddr) -> bool {
    let Ok(own) = std::fs::metadata("/proc/self") else { return false };
    let tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];
    let users = tables.iter().filter_map(|table| {
        let text = std::fs::read_to_string(table).ok()?;
        user_of(&text, peer)
    });
    users.into_iter().any(|user| user == own.uid() || user == 0)
}

/// The user of the socket that has this address, in a table of the kernel's.
fn user_of(table: &str, address: SocketAddr) -> Option<u32> {
    table.lines().skip(1).find_map(|line| {
        let mut words = line.split_whitespace();
        let (at, user) = (words.nth(1)?, words.nth(5)?);
        (parsed(at)? == (address.ip().to_canonical(), address.port())).then(|| user.parse().ok())?
    })
}

/// `0100007F:1F5E` is 127.0.0.1:8030: each group of four bytes is turned round.
fn parsed(text: &str) -> Option<(IpAddr, u16)> {
    let (address, port) = text.split_once(':')?;
    let mut bytes = Vec::with_capacity(16);
    for at in (0..address.len()).step_by(8) {
        let group = u32::from_str_radix(address.get(at..at + 8)?, 16).ok()?;
        bytes.extend_from_slice(&group.to_ne_bytes());
    }
    let address = match <[u8; 4]>::try_from(bytes.as_slice()) {
        Ok(four) => IpAddr::from(four),
        Err(_) => IpAddr::from(<[u8; 16]>::try_from(bytes.as_slice()).ok()?),
    };
    Some((address.to_canonical(), u16::from_str_radix(port, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    const TABLE: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F5E 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1
   1: 0100007F:C350 0100007F:1F5E 01 00000000:00000000 00:00000000 00000000 65534        0 2
";

    #[test]
    fn a_socket_belongs_to_the_user_that_the_kernel_names() {
        let of = |port| user_of(TABLE, SocketAddr::from(([127, 0, 0, 1], port)));
        assert_eq!((of(50000), of(8030), of(1)), (Some(65534), Some(1000), None));
    }

    #[test]
    fn our_own_connections_are_ours() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(address) else { continue };
            let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            assert!(is_our_user(stream.local_addr().unwrap()), "{address}");
        }
    }
}
