//! The keys that only a file can say: those of tables that have names of one's own, or of which there may be several.
//!
//! `tidegate config reference` prints them. The tests ask the file's reader for every key that it takes and look for
//! it here and in [`super::keys`], so that no key is left out of the manual.

/// One such table.
#[derive(Debug)]
pub(crate) struct Table {
    /// As a file writes it.
    pub(crate) head: &'static str,
    /// The page of the manual that explains it, and its title.
    pub(crate) page: (&'static str, &'static str),
    /// What it is.
    pub(crate) about: &'static str,
    /// Its keys: name, what holds otherwise, what it does.
    pub(crate) keys: &'static [(&'static str, &'static str, &'static str)],
}

/// Every such table.
pub(crate) const TABLES: &[Table] = &[
    Table {
        head: "[servers.NAME]",
        page: ("servers.md", "Servers"),
        about: "One server. Exactly one of `command`, `url`, `openapi` and `tools` says what kind it is",
        keys: &[
            (
                "description",
                "",
                "What it is for, shown to programs and models; the server's own words if empty",
            ),
            ("command", "", "The program that speaks MCP over its standard streams"),
            ("args", "", "Its arguments"),
            ("env", "", "Variables for it, a table"),
            ("cwd", "", "The folder it starts in"),
            ("url", "", "Where an MCP server is reached over HTTP"),
            ("transport", "auto", "Which HTTP transport it speaks: auto, streamable-http, sse"),
            ("auth", "oauth", "Whether a stored log-in is used: oauth, none"),
            ("oauth", "", "How to log in, a table of its own"),
            ("openapi", "", "An OpenAPI 3 document: a file or an address"),
            ("base-url", "", "Where its service is, if not where the document says"),
            ("tools", "", "Plain POST endpoints, tables of their own"),
            ("headers", "", "Sent with every request, a table"),
            ("startup", "lazy", "When to connect: lazy, when it is first needed; eager, at once"),
            (
                "connect-timeout",
                "30s",
                "How long it may take to be connected and to list its tools",
            ),
            ("timeout", "60s", "How long one call may take"),
            ("tool-timeouts", "", "Single tools that may take another time, a table"),
            ("concurrency", "32", "Calls that may be under way at once"),
            ("max-answer-bytes", "64MiB", "Bytes that one answer may have"),
            ("enabled", "true", "Whether it is used"),
            (
                "trusted",
                "false",
                "Whether what it says about the effects of its tools is believed; endpoints are, unless it says no",
            ),
            ("read-only", "", "Tools that change nothing, whatever it says"),
            ("idempotent", "", "Tools that may be called twice where once is meant"),
            ("writes", "", "Tools that change something and must not be repeated"),
            (
                "pin",
                "false",
                "Whether a tool whose definition changed is held back until it is accepted",
            ),
            (
                "pii",
                "",
                "Who does not see personal data in what it answers: off, logs, tokenize; as `privacy.pii` says if empty",
            ),
            ("tool-pii", "", "Single tools for which that is another, a table"),
            (
                "learn",
                "",
                "Whether types are learned from what its tools return; as `learn` says if empty",
            ),
        ],
    },
    Table {
        head: "[servers.NAME.oauth]",
        page: ("servers.md#logging-in", "Logging in"),
        about: "For servers that do not say it all themselves",
        keys: &[
            ("client-id", "", "The client that was registered with the server by hand"),
            ("client-secret", "", "Its secret"),
            ("client-metadata-url", "", "Where our client metadata document is published"),
            ("scopes", "", "What to ask for; what the server wants if empty"),
            (
                "grant",
                "authorization-code",
                "Who logs in: authorization-code, a person; client-credentials, this machine",
            ),
        ],
    },
    Table {
        head: "[[servers.NAME.tools]]",
        page: ("servers.md", "Servers"),
        about: "One plain POST endpoint",
        keys: &[
            ("name", "", "What the tool is called"),
            ("url", "", "Where its arguments are posted"),
            ("description", "", "What it does"),
            ("input-schema", "", "JSON Schema of its arguments; any object if empty"),
            ("output-schema", "", "JSON Schema of its answer"),
            ("read-only", "", "Whether it changes nothing"),
            ("destructive", "", "Whether it may destroy something"),
            ("idempotent", "", "Whether doing it twice is as good as doing it once"),
        ],
    },
    Table {
        head: "[[policy.rules]]",
        page: ("policy.md", "Rules and approvals"),
        about: "One rule: whom it is about, and what is done. The first that fits decides",
        keys: &[
            ("name", "", "What it is called where it is told of; `rule 3` if empty"),
            (
                "tools",
                "",
                "Tools as server.tool, with `*` and `?`, one or a list; all if nothing is said",
            ),
            (
                "annotations",
                "",
                "What is said of the tool, any of these: read-only, destructive, open-world, idempotent, unannotated",
            ),
            ("owners", "", "Owners, with `*`, one or a list; all if nothing is said"),
            ("agents", "", "Names of agents, with `*`, one or a list; all if nothing is said"),
            ("levels", "", "Levels: development, production, hardened; all if empty"),
            (
                "when",
                "",
                "What has to hold of the arguments, one condition or a list of which all have to hold",
            ),
            ("action", "", "What is done: allow, deny, ask; a rule without it only counts"),
            ("reason", "", "Why, for whoever meets it"),
            ("per-run", "", "Calls that fit: in one run, at most"),
            ("per-minute", "", "The same of one owner in a minute"),
            ("per-day", "", "The same of one owner in a day"),
        ],
    },
    Table {
        head: "[[policy.flow]]",
        page: ("policy.md#where-data-may-go", "Where data may go"),
        about: "What came from one server may not reach another",
        keys: &[
            ("from", "", "Tools whose answers are meant, one or a list"),
            ("to", "", "Tools that must not get them, or `model`; one or a list"),
            ("action", "", "What is done: deny, ask"),
            ("reason", "", "Why, for whoever meets it"),
        ],
    },
    Table {
        head: "[[privacy.patterns]]",
        page: ("privacy.md", "Personal data and secrets"),
        about: "One further thing to look for",
        keys: &[
            ("name", "", "What it is called; tokens begin with it"),
            ("regex", "", "What it looks like, as a regular expression of the Rust crate `regex`"),
        ],
    },
    Table {
        head: "[secrets]",
        page: ("privacy.md#secrets", "Personal data and secrets"),
        about: "Where the secrets of programs may go",
        keys: &[(
            "allow",
            "",
            "A table: for each secret the tools, as server.tool with `*`, that may get it",
        )],
    },
    Table {
        head: "[audit]",
        page: ("audit.md", "The audit log"),
        about: "What goes with the web hook",
        keys: &[(
            "headers",
            "",
            "A table of headers, sent with each message; secrets as references",
        )],
    },
];

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::config::keys::KEYS;
    use crate::config::section::FileSection;

    /// What the reader of the file takes in a table, which it says when there is a key that it does not know.
    fn taken(head: &str) -> BTreeSet<String> {
        let text = format!("{}\nno-such-key = 1\n", head.replace("NAME", "a"));
        let error = toml::from_str::<FileSection>(&text).map(drop).unwrap_err();
        let said = error.message();
        assert!(said.starts_with("unknown field `no-such-key`"), "{head}: {said}");
        let names = said.split('`').skip(3).step_by(2);
        // `inputSchema` is how other clients' files write `input-schema`.
        names.filter(|name| !name.contains(char::is_uppercase)).map(str::to_owned).collect()
    }

    #[test]
    fn every_key_of_a_table_is_in_the_reference_and_no_other() {
        // The keys of the other tables, each with the part before its last dot.
        let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for key in KEYS {
            let (table, name) = key.path.rsplit_once('.').unwrap_or(("", key.path));
            known.entry(table.to_owned()).or_default().insert(name.to_owned());
        }
        for table in TABLES {
            let path = table.head.trim_matches(['[', ']']);
            let names = table.keys.iter().map(|(name, ..)| (*name).to_owned());
            known.entry(path.to_owned()).or_default().extend(names);
        }
        // A table is a key of the one around it.
        let paths: Vec<String> = known.keys().filter(|path| !path.is_empty()).cloned().collect();
        for path in paths {
            let path = path.trim_end_matches(".NAME");
            let (around, name) = path.rsplit_once('.').unwrap_or(("", path));
            known.entry(around.to_owned()).or_default().insert(name.to_owned());
        }
        // Tables whose keys are listed elsewhere: settings, limits, and `direct`, which is a setting, too.
        known
            .entry(String::new())
            .or_default()
            .extend(["serve", "limits", "tools"].map(str::to_owned));
        for (path, names) in known {
            let repeated = format!("[[{path}]]");
            let head = match path.as_str() {
                "" => String::new(),
                _ if TABLES.iter().any(|table| table.head == repeated) => repeated,
                _ => format!("[{path}]"),
            };
            assert_eq!(names, taken(&head), "the keys of {head:?}, here and as the file has them");
        }
    }
}
