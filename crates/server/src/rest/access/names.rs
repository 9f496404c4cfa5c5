//! Names of hosts and origins, compared the way browsers mean them.

/// Whether a `Host` header names us.
pub(super) fn host_allowed(host: &str, ours: &[String]) -> bool {
    names_this_machine(host)
        || ours.iter().any(|own| {
            own == "*" || own.eq_ignore_ascii_case(host) || own.eq_ignore_ascii_case(name_of(host))
        })
}

/// Whether a `Host` header names the machine itself, as whoever is on it does.
pub(super) fn names_this_machine(host: &str) -> bool {
    is_loopback(name_of(host))
}

/// Whether a page of this origin may use us.
pub(super) fn origin_allowed(origin: &str, host: &str, listed: &[String]) -> bool {
    if listed.iter().any(|one| one == "*" || one.eq_ignore_ascii_case(origin)) {
        return true;
    }
    let Some((scheme, authority)) = origin.split_once("://") else { return false };
    let web = ["http", "https"].iter().any(|web| web.eq_ignore_ascii_case(scheme));
    web && (authority.eq_ignore_ascii_case(host) || is_loopback(name_of(authority)))
}

/// A host without its port.
fn name_of(authority: &str) -> &str {
    if authority.starts_with('[') {
        let end = authority.find(']').map_or(authority.len(), |end| end + 1);
        let (name, port) = authority.split_at(end);
        return if is_port(port) { name } else { authority };
    }
    match authority.split_once(':') {
        Some((name, port)) if is_digits(port) => name,
        _ => authority,
    }
}

fn is_port(text: &str) -> bool {
    text.is_empty() || text.strip_prefix(':').is_some_and(is_digits)
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_loopback(name: &str) -> bool {
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|own| own.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names_are_ours() {
        let ours = ["gate.example".to_owned()];
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:9", "[::1]:9", "gate.example:8443"] {
            assert!(host_allowed(host, &ours), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "[::1]evil",
            "localhost:x",
            "",
        ] {
            assert!(!host_allowed(host, &ours), "{host}");
        }
        assert!(host_allowed("anything", &["*".to_owned()]));
        assert!(names_this_machine("[::1]:9") && !names_this_machine("gate.example"));
    }

    #[test]
    fn pages_come_from_here_or_from_the_list() {
        let listed = ["https://app.example".to_owned()];
        for origin in ["http://localhost:5173", "https://app.example", "https://gate.example:8443"]
        {
            assert!(origin_allowed(origin, "gate.example:8443", &listed), "{origin}");
        }
        for origin in ["null", "https://evil.example", "http://app.example", "file://localhost"] {
            assert!(!origin_allowed(origin, "gate.example:8443", &listed), "{origin}");
        }
    }
}
