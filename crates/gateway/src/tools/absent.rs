//! What a program cannot import although it is there, and why: a file beside the bindings, which
//! the guest reads when an import fails.

use std::collections::BTreeMap;

use bindings::SourceFile;
use catalog::names::{self, Kind};
use catalog::{Catalog, ServerName};

use super::ServerPolicy;

/// Where the guest looks.
const PATH: &str = ".absent.json";

/// Reasons by what would be imported below `servers`; `None` when there is nothing to explain.
///
/// `unlisted` are the servers that have not said what they offer, and why not.
pub(super) fn file<'s>(
    catalog: &Catalog,
    configured: &BTreeMap<ServerName, ServerPolicy>,
    unlisted: impl Iterator<Item = (&'s ServerName, Option<&'s str>)>,
) -> Option<SourceFile> {
    let mut reasons: BTreeMap<String, String> = BTreeMap::new();
    for withheld in catalog.withheld() {
        let Some(server) = catalog.server(&withheld.server) else { continue };
        for package in [server.python(), &server.name().0] {
            for spelling in withheld.spellings() {
                reasons.insert(format!("{package}.{spelling}"), withheld.to_string());
            }
        }
    }
    let all: Vec<&str> = configured.keys().map(|name| name.0.as_str()).collect();
    let packages: BTreeMap<&str, String> =
        all.iter().copied().zip(names::python(Kind::Server, &all)).collect();
    for (server, why) in unlisted {
        let why = why.unwrap_or("it has not said yet what it offers");
        let reason = format!(
            "the server '{server}' is configured but could not be used: {why}; `tidegate test {server}` shows more"
        );
        reasons.extend(packages.get(server.0.as_str()).map(|name| (name.clone(), reason.clone())));
        reasons.insert(server.0.clone(), reason);
    }
    if reasons.is_empty() {
        return None;
    }
    let text = serde_json::to_string(&reasons).ok()?;
    Some(SourceFile { path: PATH.to_owned(), text: text.into() })
}
