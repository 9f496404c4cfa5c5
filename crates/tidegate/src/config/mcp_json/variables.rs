//! `${…}` of other clients in our words.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::config::secrets::Template;

/// What clients know by names of their own.
const PREDEFINED: [&str; 6] = [
    "workspaceFolder",
    "workspaceRoot",
    "cwd",
    "workspaceFolderBasename",
    "userHome",
    "pathSeparator",
];

/// What a client's file may refer to.
#[derive(Debug, Default)]
pub(super) struct Variables {
    /// The folder that `${workspaceFolder}` means.
    pub(super) workspace: Option<PathBuf>,
    /// What VS Code asks its user for.
    pub(super) inputs: BTreeMap<String, Input>,
    /// Whether `$NAME` without braces is a variable too.
    pub(super) bare_dollars: bool,
    /// The client that hands `${NAME}` on to the server as it is, if it is one of those.
    pub(super) hands_on: Option<&'static str>,
    /// Whether `${file:…}` and `${keyring:…}` are known where the file comes from.
    pub(super) reads_secrets: bool,
    /// Where its servers may be started, the likeliest first.
    pub(super) started_in: Vec<PathBuf>,
}

/// Something that VS Code asks its user for.
#[derive(Debug, Clone, Default)]
pub(super) struct Input {
    /// The question.
    pub(super) description: Option<String>,
    /// The answer, if none is given.
    pub(super) default: Option<String>,
}

impl Variables {
    /// A client's text as our file would have it. Adds what the user has to know to `notes`.
    pub(super) fn translate(&self, text: &str, notes: &mut Vec<String>) -> Result<String, String> {
        self.read(text, None, notes)
    }

    /// The same of a word of a command line whose process has the variables `own`. Programs and shells
    /// expand those themselves, as `mcp-remote` does with what its headers name.
    pub(super) fn translate_word(
        &self,
        text: &str,
        own: &BTreeMap<String, String>,
        notes: &mut Vec<String>,
    ) -> Result<String, String> {
        self.read(text, Some(own), notes)
    }

    fn read(
        &self,
        text: &str,
        own: Option<&BTreeMap<String, String>>,
        notes: &mut Vec<String>,
    ) -> Result<String, String> {
        let mut ours = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            ours.push_str(&rest[..at]);
            let from = &rest[at + 1..];
            let inside = from.strip_prefix('{').and_then(|from| from.split_once('}'));
            if let Some((inside, after)) = inside {
                match own.and_then(|own| self.of_program(inside, own, notes)) {
                    Some(word) => ours.push_str(&word),
                    None => ours.push_str(&self.reference(inside, notes)?),
                }
                rest = after;
                continue;
            }
            let name = &from[..from.find(|c: char| !is_name_part(c)).unwrap_or(from.len())];
            let value = own.and_then(|own| own.get(name));
            let stays = value.is_some_and(|value| is_literal(value));
            if self.bare_dollars && is_name(name) && !stays {
                ours.push_str(&value.cloned().unwrap_or_else(|| env(name)));
                rest = &from[name.len()..];
            } else {
                // A brace without its partner must not become one of ours.
                ours.push_str(if from.starts_with('{') { "$$" } else { "$" });
                rest = from;
            }
        }
        ours.push_str(rest);
        Ok(ours)
    }

    /// What `${NAME}` in a word of a command line is, if it is no variable of the environment: text for the
    /// program that is started with it, or what the program's own variable is.
    fn of_program(
        &self,
        inside: &str,
        own: &BTreeMap<String, String>,
        notes: &mut Vec<String>,
    ) -> Option<String> {
        let name = inside.split_once(":-").map_or(inside, |(name, _)| name);
        if !is_name(name) || PREDEFINED.contains(&inside) {
            return None;
        }
        let stays = format!("$${{{inside}}}");
        if let Some(value) = own.get(name) {
            if self.hands_on.is_some() || is_literal(value) {
                return Some(stays);
            }
            // The client puts a value there before the program could.
            return (*value != env(name)).then(|| value.clone());
        }
        let client = self.hands_on?;
        let note = format!(
            "`${{{inside}}}` among its arguments stays text, as {client} leaves it to the server; write \
             `${{env:{inside}}}` for the variable of the environment"
        );
        add(notes, note);
        Some(stays)
    }

    fn reference(&self, inside: &str, notes: &mut Vec<String>) -> Result<String, String> {
        let workspace = || {
            let folder = self.workspace.as_ref().and_then(|folder| folder.to_str());
            folder.ok_or_else(|| {
                format!("`${{{inside}}}` needs a project; import it from the project's folder")
            })
        };
        if let Some((kind, name)) = inside.split_once(':') {
            match kind {
                "env" if is_name(name) => return Ok(env(name)),
                "input" => return Ok(self.input(name, notes)),
                "workspaceFolder" => return workspace().map(str::to_owned),
                "command" | "config" => {
                    return Err(format!("`${{{inside}}}` is something only the editor knows"));
                }
                // Ours already: somebody wrote the file for us.
                "file" | "keyring" if self.reads_secrets => {
                    add(notes, format!("it sends what `${{{inside}}}` holds"));
                    return Ok(format!("${{{inside}}}"));
                }
                // Nobody but us would read it, so whoever wrote it into a project may mean us ill.
                "file" | "keyring" => {
                    let note = format!(
                        "its client does not know `${{{inside}}}`, so it stays text; write it into `tidegate.toml` if it is wanted"
                    );
                    add(notes, note);
                    return Ok(format!("$${{{inside}}}"));
                }
                _ => {}
            }
        }
        match inside {
            "workspaceFolder" | "workspaceRoot" | "cwd" => return workspace().map(str::to_owned),
            "workspaceFolderBasename" => {
                let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
                return workspace().map(name);
            }
            "userHome" => return Ok(env("HOME")),
            "pathSeparator" | "/" => return Ok("/".to_owned()),
            _ => {}
        }
        let (name, otherwise) =
            inside.split_once(":-").map_or((inside, None), |(name, rest)| (name, Some(rest)));
        let name = name.strip_prefix("env:").unwrap_or(name);
        Ok(match otherwise {
            Some(otherwise) if is_name(name) => format!("${{env:{name}:-{otherwise}}}"),
            None if is_name(name) => env(name),
            _ => format!("$${{{inside}}}"),
        })
    }

    /// What VS Code would ask for has to come from somewhere else here.
    fn input(&self, id: &str, notes: &mut Vec<String>) -> String {
        let input = self.inputs.get(id).cloned().unwrap_or_default();
        let mut name: String = id
            .chars()
            .map(|c| if is_name_part(c) { c.to_ascii_uppercase() } else { '_' })
            .collect();
        if !is_name(&name) {
            name.insert_str(0, "INPUT_");
        }
        let asked = input.description.map_or_else(String::new, |text| format!(" ({text})"));
        let note = format!(
            "VS Code asks for {id:?}{asked}; here the environment variable {name} has the answer"
        );
        add(notes, note);
        match input.default.filter(|default| !default.contains('}')) {
            Some(default) => format!("${{env:{name}:-{default}}}"),
            None => env(&name),
        }
    }
}

fn add(notes: &mut Vec<String>, note: String) {
    if !notes.contains(&note) {
        notes.push(note);
    }
}

fn env(name: &str) -> String {
    format!("${{env:{name}}}")
}

/// Whether a text in our words has no reference.
fn is_literal(text: &str) -> bool {
    Template::parse(text).map_or(true, |template| template.plain().is_some())
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(is_name_part)
}

fn is_name_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_variable_becomes_ours() {
        for (theirs, ours) in [
            ("${TOKEN}", "${env:TOKEN}"),
            ("Bearer ${TOKEN:-none}", "Bearer ${env:TOKEN:-none}"),
            ("${env:TOKEN}", "${env:TOKEN}"),
            ("${workspaceFolder}/data", "/project/data"),
            ("${workspaceFolderBasename}", "project"),
            ("${userHome}/x", "${env:HOME}/x"),
            ("a${/}b${pathSeparator}c", "a/b/c"),
            ("${keyring:github/token}", "${keyring:github/token}"),
            ("$5 and $TOKEN", "$5 and $TOKEN"),
            ("${#array[@]}", "$${#array[@]}"),
            ("${open", "$${open"),
            ("plain", "plain"),
        ] {
            assert_eq!(translated(theirs, false).unwrap(), ours, "{theirs}");
        }
        assert_eq!(translated("$TOKEN-$5", true).unwrap(), "${env:TOKEN}-$5");
    }

    #[test]
    fn what_only_an_editor_knows_is_refused() {
        assert!(translated("${command:pick}", false).unwrap_err().contains("editor"));
        let without = Variables::default().translate("${workspaceFolder}", &mut Vec::new());
        assert!(without.unwrap_err().contains("project"));
    }

    #[test]
    fn what_vs_code_asks_for_becomes_a_variable_and_a_note() {
        let input = Input { description: Some("API key".into()), default: None };
        let inputs = BTreeMap::from([("api-key".to_owned(), input)]);
        let variables = Variables { inputs, ..Variables::default() };
        let mut notes = Vec::new();
        let ours = variables.translate("${input:api-key}", &mut notes).unwrap();
        assert_eq!(ours, "${env:API_KEY}");
        assert!(notes[0].contains("API key") && notes[0].contains("API_KEY"), "{notes:?}");
    }

    #[test]
    fn secrets_that_a_client_does_not_know_stay_text_and_others_are_said() {
        for text in ["${file:~/.x}", "${keyring:a/b}"] {
            let (mut theirs, mut ours) = (Vec::new(), Vec::new());
            let client = Variables::default();
            assert_eq!(client.translate(text, &mut theirs).unwrap(), format!("${text}"));
            let written_for_us = Variables { reads_secrets: true, ..Variables::default() };
            assert_eq!(written_for_us.translate(text, &mut ours).unwrap(), text);
            for notes in [theirs, ours] {
                assert!(notes.len() == 1 && notes[0].contains(text), "{notes:?}");
            }
        }
    }

    #[test]
    fn what_a_program_expands_itself_stays_for_it() {
        let own = BTreeMap::from([("AUTH".to_owned(), "Bearer abc".to_owned())]);
        let word = |variables: &Variables, text: &str| {
            let mut notes = Vec::new();
            let ours = variables.translate_word(text, &own, &mut notes).unwrap();
            (ours, notes.len())
        };
        let unknown = Variables { bare_dollars: true, ..Variables::default() };
        for (text, ours) in [
            ("Authorization:${AUTH}", "Authorization:$${AUTH}"),
            ("${AUTH:-none}", "$${AUTH:-none}"),
            ("$AUTH and $OTHER", "$AUTH and ${env:OTHER}"),
            ("${env:AUTH}", "${env:AUTH}"),
            ("${OTHER}", "${env:OTHER}"),
        ] {
            assert_eq!(word(&unknown, text), (ours.to_owned(), 0), "{text}");
        }
        let hands_on = Variables { hands_on: Some("Claude Desktop"), ..Variables::default() };
        assert_eq!(word(&hands_on, "echo ${i}"), ("echo $${i}".to_owned(), 1));
        assert_eq!(word(&hands_on, "X:${AUTH}"), ("X:$${AUTH}".to_owned(), 0));
        assert_eq!(word(&hands_on, "${userHome}/x"), ("${env:HOME}/x".to_owned(), 0));
        assert_eq!(hands_on.translate("${KEY}", &mut Vec::new()).unwrap(), "${env:KEY}");
    }

    #[test]
    fn what_a_client_expands_itself_has_its_value() {
        let own = [("MY_API", "${env:MY_API}"), ("AUTH", "Bearer ${env:T}"), ("KIND", "fast")];
        let own = BTreeMap::from(own.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let word = |variables: &Variables, text: &str| {
            variables.translate_word(text, &own, &mut Vec::new()).unwrap()
        };
        let expands = Variables { bare_dollars: true, ..Variables::default() };
        for (text, ours) in [
            ("${MY_API}", "${env:MY_API}"),
            ("--key=${MY_API:-none}", "--key=${env:MY_API:-none}"),
            ("$MY_API", "${env:MY_API}"),
            ("Authorization:${AUTH}", "Authorization:Bearer ${env:T}"),
            ("${KIND} $KIND", "$${KIND} $KIND"),
        ] {
            assert_eq!(word(&expands, text), ours, "{text}");
        }
        let hands_on = Variables { hands_on: Some("Claude Desktop"), ..Variables::default() };
        assert_eq!(word(&hands_on, "${MY_API}"), "$${MY_API}");
    }

    fn translated(text: &str, bare_dollars: bool) -> Result<String, String> {
        let workspace = Some("/project".into());
        let variables =
            Variables { workspace, bare_dollars, reads_secrets: true, ..Variables::default() };
        let ours = variables.translate(text, &mut Vec::new())?;
        crate::config::secrets::Template::parse(&ours).map_err(|error| error.to_string())?;
        Ok(ours)
    }
}
