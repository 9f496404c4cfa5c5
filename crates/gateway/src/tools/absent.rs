//! What a program cannot import although it is there, and why: a file beside the bindings, which
//! the guest reads when an import fails.

use std::collections::BTreeMap;

use bindings::SourceFile;
use catalog::Catalog;

/// Where the guest looks.
const PATH: &str = ".absent.json";

/// Reasons by what would be imported below `servers`; `None` when there is nothing to explain.
pub(super) fn file(catalog: &Catalog) -> Option<SourceFile> {
    let mut reasons: BTreeMap<String, String> = BTreeMap::new();
    for withheld in catalog.withheld() {
        let Some(server) = catalog.server(&withheld.server) else { continue };
        for package in [server.python(), &server.name().0] {
            for spelling in withheld.spellings() {
                reasons.insert(format!("{package}.{spelling}"), withheld.to_string());
            }
        }
    }
    if reasons.is_empty() {
        return None;
    }
    let text = serde_json::to_string(&reasons).ok()?;
    Some(SourceFile { path: PATH.to_owned(), text: text.into() })
}
