//! The hosts and addresses that an operator named.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use url::Host;

/// Why something names no host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{written:?} {problem}")]
pub struct WrongHost {
    /// As it is written.
    pub written: String,
    /// What is wrong with it.
    pub problem: &'static str,
}

/// Hosts: `api.example.com`, `*.github.com:443`, `192.0.2.7:8080`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hosts(Vec<Named>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Named {
    host: Host<String>,
    /// Every host below it, and not itself.
    below: bool,
    /// The port; the usual ones of HTTP if nothing is said.
    port: Option<u16>,
}

impl Hosts {
    /// Reads what an operator wrote.
    ///
    /// # Errors
    /// When one of them is no host.
    pub fn new<'w>(written: impl IntoIterator<Item = &'w str>) -> Result<Self, WrongHost> {
        written.into_iter().map(Named::read).collect::<Result<_, _>>().map(Self)
    }

    /// Whether no host may be reached.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a host may be reached at a port.
    pub(super) fn allow(&self, host: &Host<&str>, port: u16) -> bool {
        self.0.iter().any(|named| named.is(host, port))
    }
}

impl fmt::Display for Hosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, others)) = self.0.split_first() else { return f.write_str("it is empty") };
        write!(f, "there are {first}")?;
        others.iter().try_for_each(|one| write!(f, ", {one}"))
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let below = if self.below { "*." } else { "" };
        write!(f, "{below}{}", self.host)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

impl Named {
    fn read(written: &str) -> Result<Self, WrongHost> {
        let wrong = |problem| WrongHost { written: written.to_owned(), problem };
        if written.contains("://") || written.contains(['/', '@', '?', '#', ' ']) {
            return Err(wrong(
                "is no host; write its name alone, such as api.example.com or api.example.com:8443",
            ));
        }
        let (host, port) = parted(written).map_err(wrong)?;
        let (below, host) = match host.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, host),
        };
        if host.contains('*') {
            return Err(wrong("has a * somewhere else than at its beginning, as in *.example.com"));
        }
        let host = Host::parse(host).map_err(|_| wrong("is no host"))?;
        let host = match host {
            Host::Domain(name) => Host::Domain(plain(&name).to_owned()),
            _ if below => return Err(wrong("is an address, and nothing is below it")),
            host => host,
        };
        if below && !matches!(&host, Host::Domain(name) if name.contains('.')) {
            return Err(wrong("would be half of the internet; name a domain below it"));
        }
        Ok(Self { host, below, port })
    }

    fn is(&self, host: &Host<&str>, port: u16) -> bool {
        let is_port = self.port.map_or(matches!(port, 80 | 443), |own| own == port);
        let is_host = match (&self.host, host) {
            (Host::Domain(own), Host::Domain(name)) => {
                let name = plain(name);
                let rest = name.strip_suffix(own.as_str());
                if self.below {
                    rest.is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
                } else {
                    rest == Some("")
                }
            }
            (Host::Ipv4(own), Host::Ipv4(address)) => own == address,
            (Host::Ipv6(own), Host::Ipv6(address)) => own == address,
            _ => false,
        };
        is_port && is_host
    }
}

/// A name without the dot that only says that it is whole. `url` has made it lower-case already.
fn plain(name: &str) -> &str {
    name.strip_suffix('.').unwrap_or(name)
}

/// A host and its port.
fn parted(written: &str) -> Result<(&str, Option<u16>), &'static str> {
    let after = written.rfind(']').map_or(0, |at| at + 1);
    let Some(at) = written[after..].rfind(':').map(|at| at + after) else {
        return Ok((written, None));
    };
    if after == 0 && written[..at].contains(':') {
        return Err("is no host; write an IPv6 address in brackets: [2001:db8::1]");
    }
    let port = u16::from_str(&written[at + 1..]).ok().filter(|port| *port > 0);
    port.map(|port| (&written[..at], Some(port))).ok_or("has no port after its colon")
}

/// Addresses that are not public, each with or without a port: `127.0.0.1:8080`, `10.0.0.5`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PrivateAddresses(Vec<(IpAddr, Option<u16>)>);

impl PrivateAddresses {
    /// Reads what an operator wrote.
    ///
    /// # Errors
    /// When one of them is no address.
    pub fn new<'w>(written: impl IntoIterator<Item = &'w str>) -> Result<Self, WrongHost> {
        let read = |written: &str| {
            if let Ok(address) = written.parse::<SocketAddr>()
                && address.port() > 0
            {
                return Ok((address.ip(), Some(address.port())));
            }
            let bare = written.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            bare.unwrap_or(written).parse().map(|address| (address, None)).map_err(|_| WrongHost {
                written: written.to_owned(),
                problem: "is no address; write 127.0.0.1:8080 or [::1]:8080",
            })
        };
        written.into_iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an address may be reached at a port, though it is not public. An address in another
    /// clothing (`::ffff:127.0.0.1`) is another address.
    pub(super) fn allow(&self, address: IpAddr, port: u16) -> bool {
        self.0.iter().any(|(own, at)| *own == address && at.is_none_or(|at| at == port))
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    fn allows(written: &str, url: &str) -> bool {
        let hosts = Hosts::new([written]).unwrap();
        let url = Url::parse(url).unwrap();
        hosts.allow(&url.host().unwrap(), url.port_or_known_default().unwrap())
    }

    #[test]
    fn a_host_is_that_host_at_the_usual_ports_or_the_one_that_is_named() {
        for (written, url, expected) in [
            ("api.example.com", "https://api.example.com/x", true),
            ("api.example.com", "http://API.Example.COM./x", true),
            ("api.example.com", "https://api.example.com:8443/x", false),
            ("api.example.com:8443", "https://api.example.com:8443/x", true),
            ("api.example.com:8443", "https://api.example.com/x", false),
            ("api.example.com", "https://example.com/", false),
            ("api.example.com", "https://api.example.com.evil.net/", false),
            ("api.example.com", "https://evilapi.example.com/", false),
            ("*.github.com:443", "https://api.github.com/", true),
            ("*.github.com:443", "https://a.b.github.com/", true),
            ("*.github.com:443", "https://github.com/", false),
            ("*.github.com:443", "http://api.github.com/", false),
            ("*.github.com", "https://evilgithub.com/", false),
            ("*.github.com", "https://.github.com/", false),
            ("bücher.example", "https://xn--bcher-kva.example/", true),
            ("127.0.0.1:8080", "http://127.0.0.1:8080/", true),
            ("127.0.0.1:8080", "http://2130706433:8080/", true),
            ("[::1]:8080", "http://[::1]:8080/", true),
            ("127.0.0.1", "http://[::ffff:127.0.0.1]/", false),
            ("example.com", "http://127.0.0.1/", false),
        ] {
            assert_eq!(allows(written, url), expected, "{written} {url}");
        }
    }

    #[test]
    fn what_is_no_host_is_refused() {
        for written in [
            "https://example.com",
            "example.com/path",
            "a b",
            "",
            "*",
            "*.com",
            "a.*.com",
            "*.127.0.0.1",
            "example.com:",
            "example.com:0",
            "example.com:99999",
            "::1",
            "user@example.com",
        ] {
            assert!(Hosts::new([written]).is_err(), "{written}");
        }
        for written in ["localhost:80", "127.0.0.1:x", "10.0.0.0/8", ""] {
            assert!(PrivateAddresses::new([written]).is_err(), "{written}");
        }
    }
}
