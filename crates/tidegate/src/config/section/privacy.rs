//! `[privacy]` and `[secrets]` as users write them.

use std::collections::BTreeMap;

use gateway::Pii;
use policy::Glob;
use privacy::Pattern;
use serde::Deserialize;

use super::Span;

/// `[privacy]`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct PrivacySection {
    /// Who does not see personal data, for servers that do not say it themselves.
    pub(crate) pii: Option<Pii>,
    /// Which kinds are looked for; all of them if nothing is said.
    pub(crate) kinds: Option<Vec<String>>,
    /// Further things to look for, each with a name and a regular expression.
    pub(crate) patterns: Option<Vec<Pattern>>,
    /// Further fields whose text is a person's name.
    pub(crate) name_fields: Option<Vec<String>>,
    /// How long a value is kept after it was last seen.
    pub(crate) keep: Option<Span>,
    /// Values that are kept of one owner.
    pub(crate) max_values: Option<u64>,
}

/// `[secrets]`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct SecretsSection {
    /// The tools, as `server.tool` with `*` for anything, that each secret may be sent to.
    pub(crate) allow: BTreeMap<String, Vec<Glob>>,
}
