//! The variables a child gets: those that any program needs, and what was configured for it.
//!
//! Everything else of our own environment stays with us. A server has no business with the
//! credentials of another, or with whatever else an operator's shell exports.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use crate::secret::Secret;

/// Passed on under exactly these names.
const NAMES: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TERM",
    "TMPDIR",
    "TZ",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
];

/// Passed on when a name begins so: locale, folders, registries of packages, certificates.
const BEGINNINGS: &[&str] =
    &["LC_", "XDG_", "NPM_CONFIG_", "PIP_", "UV_", "SSL_CERT_", "NVM_", "VOLTA_", "PYENV_"];

/// The child's environment.
pub(crate) fn environment(
    ours: &[(OsString, OsString)],
    configured: &BTreeMap<String, Secret<String>>,
) -> BTreeMap<OsString, OsString> {
    let passed = ours.iter().filter(|(name, _)| is_passed_on(name)).cloned();
    let own = configured.iter().map(|(name, value)| (name.into(), value.reveal().into()));
    passed.chain(own).collect()
}

fn is_passed_on(name: &OsStr) -> bool {
    // npm and proxies are configured in lower case too.
    let Some(name) = name.to_str().map(str::to_ascii_uppercase) else { return false };
    let is_credential =
        ["TOKEN", "PASSWORD", "SECRET", "_AUTH"].iter().any(|word| name.contains(word));
    !is_credential
        && (NAMES.contains(&name.as_str())
            || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_programs_need_is_passed_on() {
        let ours = [
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("npm_config_registry", "r"),
            ("https_proxy", "p"),
            ("GITHUB_TOKEN", "t"),
            ("npm_config__authToken", "t"),
            ("UV_PUBLISH_PASSWORD", "t"),
            ("LD_PRELOAD", "evil"),
        ];
        let ours = ours.map(|(name, value)| (name.into(), value.into()));
        let configured = BTreeMap::from([
            ("API_KEY".to_owned(), Secret::new("k".to_owned())),
            ("PATH".to_owned(), Secret::new("/opt".to_owned())),
        ]);
        let child: Vec<_> = environment(&ours, &configured).into_iter().collect();
        insta::assert_debug_snapshot!(child, @r#"
        [
            (
                "API_KEY",
                "k",
            ),
            (
                "LC_ALL",
                "C",
            ),
            (
                "PATH",
                "/opt",
            ),
            (
                "https_proxy",
                "p",
            ),
            (
                "npm_config_registry",
                "r",
            ),
        ]
        "#);
    }
}
