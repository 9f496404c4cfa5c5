//! Where each key of the file comes from, and which tables of one's own names there are.

use serde::Serialize;
use serde_json::Value;
use toml_edit::{Document, Item};

use super::Config;
use super::keys::{KEYS, Key};
use super::problem::line_at;
use super::secrets::Template;
use super::servers::{load, plain, whole};
use super::shown;
use crate::exit::Misuse;

/// A name, its value, and who says so.
pub(crate) type Shown = (String, String, String);

/// Stands for a value that is not shown.
const HIDDEN: &str = "***";

impl Config {
    /// Every key that is neither under `[serve]` nor a table of one's own names. `limits` are their
    /// names, and what holds of them.
    pub(crate) fn keys_shown(&self, limits: &[(&str, String)]) -> anyhow::Result<Vec<Shown>> {
        let sources = self.sources()?;
        let said = |path: &str| {
            let found = sources
                .iter()
                .rev()
                .find_map(|(origin, table)| Some((plain(at(table, path)?), origin.clone())));
            found.unwrap_or_else(|| (String::new(), "default".to_owned()))
        };
        let of_key = |key: &Key| {
            let (value, origin) = said(key.path);
            let value = match value {
                value if key.is_secret() => hidden(value),
                value if key.path == "ask.url" => shown::without_secrets(&value),
                value if origin == "default" && value.is_empty() => key.usual.to_owned(),
                value => value,
            };
            (key.path.to_owned(), value, origin)
        };
        // What is under [privacy] is shown with what servers say of it.
        let keys = KEYS.iter().filter(|key| !key.path.starts_with("privacy."));
        let mut all: Vec<Shown> = keys.map(of_key).collect();
        all.extend(limits.iter().map(|(name, value)| {
            let path = format!("limits.{name}");
            let (_, origin) = said(&path);
            (path, value.clone(), origin)
        }));
        Ok(all)
    }

    /// Each server, rule and header, with the file and the line that has it.
    pub(crate) fn tables_shown(&self) -> anyhow::Result<Vec<Shown>> {
        let mut all = Vec::new();
        for server in load(&self.places).map_err(|error| Misuse::error(error.to_string()))? {
            let off = if server.section.is_enabled() { "" } else { " (switched off)" };
            let value = format!("{}{off}", shown::place(&server.section));
            let text = std::fs::read_to_string(&server.file).unwrap_or_default();
            let line = line_of(&text, &["servers", &server.name.0]);
            let origin = format!("{}:{line}", self.places.short(&server.file));
            all.push((format!("servers.{}", server.name), value, origin));
        }
        let files = self.places.files().map_err(|error| Misuse::error(error.to_string()))?;
        let (mut rules, mut flows) = (0, 0);
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let said = whole(&file, &text).map_err(|error| Misuse::error(error.to_string()))?;
            let origin = |line: usize| format!("{}:{line}", self.places.short(&file));
            let lines = lines_of(&text, "rules");
            for (at, rule) in said.policy.rules.iter().enumerate() {
                rules += 1;
                let line = lines.get(at).copied().unwrap_or(1);
                all.push((format!("policy.rules.{rules}"), in_short(rule), origin(line)));
            }
            let lines = lines_of(&text, "flow");
            for (at, flow) in said.policy.flow.iter().enumerate() {
                flows += 1;
                let line = lines.get(at).copied().unwrap_or(1);
                all.push((format!("policy.flow.{flows}"), in_short(flow), origin(line)));
            }
            for name in said.audit.header_names() {
                let line = line_of(&text, &["audit", "headers"]);
                all.push((format!("audit.headers.{name}"), HIDDEN.to_owned(), origin(line)));
            }
        }
        Ok(all)
    }

    /// What each file, variable and flag says, the one that counts most last.
    fn sources(&self) -> anyhow::Result<Vec<(String, toml::Table)>> {
        let files = self.places.files().map_err(|error| Misuse::error(error.to_string()))?;
        let files = files.into_iter().map(|file| {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            // A mistake in it is told by who reads it as what it is to be.
            (self.places.short(&file), toml::from_str(&text).unwrap_or_default())
        });
        let said = self.places.said.iter();
        let said =
            said.map(|said| (said.origin.clone(), toml::from_str(&said.toml).unwrap_or_default()));
        Ok(files.chain(said).collect())
    }
}

/// The value at a path such as `network.allow`.
fn at<'t>(table: &'t toml::Table, path: &str) -> Option<&'t toml::Value> {
    let (tables, name) = path.rsplit_once('.').unwrap_or(("", path));
    let mut inner = table;
    for part in tables.split('.').filter(|part| !part.is_empty()) {
        inner = inner.get(part)?.as_table()?;
    }
    inner.get(name)
}

/// A reference as it is, a secret not at all.
fn hidden(value: String) -> String {
    let is_reference = Template::parse(&value).is_ok_and(|template| template.plain().is_none());
    if value.is_empty() || is_reference { value } else { HIDDEN.to_owned() }
}

/// A rule in one line: what it says, without what it does not say.
fn in_short(rule: &impl Serialize) -> String {
    let Ok(Value::Object(said)) = serde_json::to_value(rule) else { return String::new() };
    let is_empty = |value: &Value| {
        value.is_null()
            || value.as_array().is_some_and(Vec::is_empty)
            || value.as_str().is_some_and(str::is_empty)
    };
    let said = said.into_iter().filter(|(_, value)| !is_empty(value));
    let said = said.map(|(name, value)| match value {
        Value::String(text) => format!("{name} {text}"),
        value => format!("{name} {value}"),
    });
    said.collect::<Vec<_>>().join(", ")
}

/// The line where something begins; the first where that cannot be told.
fn line_of(text: &str, path: &[&str]) -> usize {
    let Ok(document) = Document::parse(text) else { return 1 };
    let found = path.iter().try_fold(document.as_item(), |item, part| item.get(part));
    let span = found.and_then(|item| item.span().or_else(|| first_within(item)));
    line_at(text, span.map_or(0, |span| span.start))
}

/// Where the first thing in a table is that has no line of its own, as in `servers.a.command = "x"`.
fn first_within(item: &Item) -> Option<std::ops::Range<usize>> {
    let table = item.as_table_like()?;
    let spans = table.iter().filter_map(|(_, inner)| inner.span().or_else(|| first_within(inner)));
    spans.min_by_key(|span| span.start)
}

/// The lines of the tables in a list under `[policy]`.
fn lines_of(text: &str, list: &str) -> Vec<usize> {
    let Ok(document) = Document::parse(text) else { return Vec::new() };
    let found = document.as_item().get("policy").and_then(|policy| policy.get(list));
    let spans: Vec<_> = match found {
        Some(Item::ArrayOfTables(tables)) => tables.iter().map(toml_edit::Table::span).collect(),
        Some(Item::Value(toml_edit::Value::Array(values))) => {
            values.iter().map(toml_edit::Value::span).collect()
        }
        _ => Vec::new(),
    };
    spans.into_iter().map(|span| line_at(text, span.map_or(0, |span| span.start))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_rules_are_found_by_their_lines() {
        let text = "check = \"off\"\n\n[servers.a]\ncommand = \"x\"\n[servers.\"b c\"]\nurl = \"http://h\"\n\n\
                    [[policy.rules]]\naction = \"deny\"\n\n[[policy.rules]]\naction = \"ask\"\n";
        assert_eq!(line_of(text, &["servers", "a"]), 3);
        assert_eq!(line_of(text, &["servers", "b c"]), 5);
        assert_eq!(line_of(text, &["servers", "none"]), 1);
        assert_eq!(lines_of(text, "rules"), [8, 11]);
        let within = "[policy]\nrules = [\n  { action = \"deny\" },\n  { action = \"ask\" },\n]\n";
        assert_eq!(lines_of(within, "rules"), [3, 4]);
        assert_eq!(lines_of(within, "flow"), [0; 0]);
        assert_eq!(line_of("\n[servers]\na.command = \"x\"\n", &["servers", "a"]), 3);
    }

    #[test]
    fn a_secret_is_not_shown_and_a_reference_is() {
        assert_eq!(hidden("${env:KEY}".to_owned()), "${env:KEY}");
        assert_eq!(hidden("sk-1".to_owned()), "***");
        assert_eq!(hidden(String::new()), "");
    }
}
