//! The keys of the file that stand neither under `[serve]` nor in a table of one's own names: what
//! each is, and how it is said without a file.
//!
//! `network.allow` is also the variable `TIDEGATE_NETWORK_ALLOW` and the flag `--set
//! network.allow=…`. What either says is one more source after the files, with this one key in it,
//! so that whoever reads a file needs to know of no other way.

use std::env;

use crate::settings::{SETTINGS, variable, yes};

/// One key.
#[derive(Debug)]
pub(crate) struct Key {
    /// Its tables and its name: `network.allow`.
    pub(crate) path: &'static str,
    /// What it is written as.
    form: Form,
    /// What holds when nobody says anything.
    pub(crate) usual: &'static str,
    /// What it does.
    pub(crate) about: &'static str,
}

/// What a value is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Text, or whatever its reader makes of text.
    Text,
    /// Text that is not shown.
    Secret,
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Whole,
    /// A number.
    Number,
    /// Texts with commas between them.
    List,
}

use Form::{Bool, List, Number, Secret, Text, Whole};

const fn key(path: &'static str, form: Form, usual: &'static str, about: &'static str) -> Key {
    Key { path, form, usual, about }
}

/// Variables of ours that are no key of the file: name, what holds otherwise, what it does.
pub(crate) const OTHERS: [(&str, &str, &str); 8] = [
    (
        "TIDEGATE_CACHE",
        "`tidegate` in the user's cache folder",
        "Folder of the runtime and of images, which can be made again",
    ),
    (
        "TIDEGATE_DATA",
        "`tidegate` in the user's data folder",
        "Folder of sessions, runs, tokens and the audit log, which cannot",
    ),
    (
        "TIDEGATE_CONFIG",
        "",
        "The only file with settings, as `--config`; otherwise the project's and the user's count",
    ),
    ("TIDEGATE_LOG", "", "Which events are shown: `debug`, or `upstream=debug` of servers alone"),
    ("TIDEGATE_LOG_FORMAT", "`human`", "How they are shown: human, json"),
    (
        "TIDEGATE_URL",
        "`http://127.0.0.1:8030`",
        "Where commands find a gateway that runs, as `--url`",
    ),
    ("TIDEGATE_TOKEN", "", "The token with which they come in"),
    ("TIDEGATE_TRAVEL_DATABASE", "", "The PostgreSQL of the example server `travel`"),
];

const LOW: &str =
    "What is done about findings of low risk: allow, ask, deny; as the level has it if empty";
const MEDIUM: &str = "The same, of medium risk";
const HIGH: &str = "The same, of high risk, but for imports";
const IMPORTS: &str = "The same, of imports that the level does not list";

/// Every such key but the limits, whose names [`crate::limits`] has.
pub(crate) const KEYS: &[Key] = &[
    key("check", Text, "on", "Whether programs are checked before they run: on, off"),
    key(
        "checker",
        Text,
        "",
        "The user's own TypeScript compiler, asked about programs in TypeScript as well: tsc, tsgo; none if empty",
    ),
    key(
        "learn",
        Bool,
        "true",
        "Whether types are learned from results, where a server says nothing",
    ),
    key(
        "embeddings",
        Bool,
        "false",
        "Whether tools are found by meaning, too, with a model that is fetched",
    ),
    key(
        "roots",
        List,
        "",
        "What servers get that ask for roots: file:// addresses; none is a refusal",
    ),
    key(
        "elicitation",
        Text,
        "refuse",
        "What servers get that ask for a person's choice: refuse, decline",
    ),
    key(
        "policy.reads",
        Text,
        "allow",
        "Calls that only read, where no rule decides: allow, ask, deny",
    ),
    key("policy.writes", Text, "allow", "Calls that change something"),
    key("policy.destructive", Text, "ask", "Calls that may destroy something"),
    key(
        "policy.unannotated",
        Text,
        "",
        "Calls of which nothing is known; allow if empty, ask in hardened sessions",
    ),
    key(
        "policy.models",
        Text,
        "",
        "Questions of programs to a model; allow if empty, deny in hardened sessions",
    ),
    key("privacy.pii", Text, "off", "Who does not see personal data: off, logs, tokenize"),
    key("privacy.kinds", List, "", "Which kinds are looked for; all if empty"),
    key("privacy.name-fields", List, "", "Further fields whose text is a person's name"),
    key("privacy.keep", Text, "720h", "How long a value is kept after it was last seen"),
    key("privacy.max-values", Whole, "100000", "Values that are kept of one owner"),
    key("review.low", Text, "", LOW),
    key("review.medium", Text, "", MEDIUM),
    key("review.high", Text, "", HIGH),
    key("review.imports", Text, "", IMPORTS),
    key("review.development.low", Text, "", LOW),
    key("review.development.medium", Text, "", MEDIUM),
    key("review.development.high", Text, "", HIGH),
    key("review.development.imports", Text, "", IMPORTS),
    key("review.production.low", Text, "", LOW),
    key("review.production.medium", Text, "", MEDIUM),
    key("review.production.high", Text, "", HIGH),
    key("review.production.imports", Text, "", IMPORTS),
    key("review.hardened.low", Text, "", LOW),
    key("review.hardened.medium", Text, "", MEDIUM),
    key("review.hardened.high", Text, "", HIGH),
    key("review.hardened.imports", Text, "", IMPORTS),
    key("network.allow", List, "", "Hosts that programs may reach by themselves"),
    key(
        "network.allow-private",
        List,
        "",
        "Addresses that may be reached though they are not public",
    ),
    key("network.max-bytes", Text, "10MiB", "Bytes that an answer may have, unpacked"),
    key("network.timeout", Text, "30s", "How long a request of a program may take"),
    key(
        "audit.anomalies",
        Bool,
        "true",
        "Whether runs are watched for what is unlike their owner's others",
    ),
    key("audit.webhook", Secret, "", "Where anomalies are posted"),
    key(
        "skills.indexes",
        List,
        "",
        "Indexes of packs, as folders or addresses, from which clients of `serve` may install",
    ),
    key("skills.trust", List, "", "Public keys of minisign's whose packs are installed"),
    key(
        "ask.provider",
        Text,
        "",
        "Who answers questions: anthropic, openai, openai-compatible, gemini, ollama",
    ),
    key("ask.model", Text, "", "What the provider calls the model"),
    key("ask.url", Text, "", "Where the provider is, if not where it usually is"),
    key(
        "ask.key",
        Secret,
        "",
        "A reference to the key, such as ${env:NAME}; the provider's usual variable if empty",
    ),
    key("ask.models", List, "", "Other models that callers may name"),
    key("ask.mode", Text, "code", "How questions are answered: code, hybrid, direct"),
    key("ask.language", Text, "python", "What a model writes programs in: python, typescript"),
    key("ask.attempts", Whole, "3", "How often a program that failed may be mended"),
    key("ask.max-tokens", Whole, "200000", "Tokens that one question may use"),
    key("ask.max-steps", Whole, "12", "Requests to the model that one question may make"),
    key("ask.max-cost", Number, "", "Money that one question may cost"),
    key("ask.reply-tokens", Whole, "4096", "Tokens that one reply may have"),
    key("ask.timeout", Text, "120s", "How long one reply may take"),
    key("ask.rollout", Text, "100%", "The share of users that are answered with programs"),
    key("ask.input-price", Number, "0", "What a million tokens cost that the model reads"),
    key("ask.output-price", Number, "0", "What a million tokens cost that it writes"),
];

impl Key {
    /// Whether its value is for nobody's eyes.
    pub(crate) fn is_secret(&self) -> bool {
        self.form == Secret
    }
}

/// One key, said elsewhere than in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    /// `TIDEGATE_NETWORK_ALLOW`, or `--set network.allow`.
    pub(crate) origin: String,
    /// What a file would say.
    pub(crate) toml: String,
}

impl Said {
    /// What the environment says, and then the flags, which count more.
    pub(super) fn all(flags: &[(String, String)]) -> Vec<Self> {
        let from_environment = all().filter_map(|(path, form)| {
            let origin = variable(&path);
            let value = env::var(&origin).ok()?;
            // Nothing is a list, and no value of anything else.
            let says = form == List || !value.trim().is_empty();
            says.then(|| Self { origin, toml: written(&path, form, &value) })
        });
        let from_flags = flags.iter().filter_map(|(path, value)| {
            let (path, form) = all().find(|(known, _)| known == path)?;
            let toml = written(&path, form, value);
            Some(Self { origin: format!("--set {path}"), toml })
        });
        from_environment.chain(from_flags).collect()
    }
}

/// `KEY=VALUE`, if there is such a key.
pub(crate) fn parse(text: &str) -> Result<(String, String), String> {
    let (path, value) = text.split_once('=').ok_or("write it as KEY=VALUE")?;
    if all().any(|(known, _)| known == path) {
        return Ok((path.to_owned(), value.to_owned()));
    }
    if let Some(name) = path.strip_prefix("serve.") {
        return Err(format!("settings under [serve] have flags of their own: --{name}"));
    }
    let names: Vec<String> = all().map(|(path, _)| path).collect();
    let near = super::nearest::of(path, names.iter().map(String::as_str));
    let meant = near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
    Err(format!(
        "there is no key `{path}`{meant} that can be set here; `tidegate config reference` lists them"
    ))
}

/// Variables that are called as ours are and mean nothing, with the one that was probably meant.
pub(crate) fn strangers() -> Vec<(String, Option<String>)> {
    let ours = SETTINGS.iter().map(|setting| variable(setting.name));
    let ours = ours.chain(all().map(|(path, _)| variable(&path)));
    let ours: Vec<String> = ours.chain(OTHERS.map(|(name, ..)| name.to_owned())).collect();
    let given = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let strange = given.filter(|name| {
        name.starts_with("TIDEGATE_") && !name.starts_with("TIDEGATE_TEST_") && !ours.contains(name)
    });
    let near = |name: &str| super::nearest::of(name, ours.iter().map(String::as_str));
    strange
        .map(|name| {
            let meant = near(&name).map(str::to_owned);
            (name, meant)
        })
        .collect()
}

/// Every key with its form.
fn all() -> impl Iterator<Item = (String, Form)> {
    let limits = crate::limits::NAMES.iter().map(|name| (format!("limits.{name}"), Text));
    KEYS.iter().map(|key| (key.path.to_owned(), key.form)).chain(limits)
}

/// The line of a file that says it. What is no value of its form stays text, and is refused by
/// whoever reads it.
fn written(path: &str, form: Form, value: &str) -> String {
    let value = value.trim();
    let text = || toml::Value::String(value.to_owned());
    let value = match form {
        Text | Secret => text(),
        Bool => yes(value).map_or_else(|_| text(), toml::Value::Boolean),
        Whole => value.parse().map_or_else(|_| text(), toml::Value::Integer),
        Number => value.parse().map_or_else(|_| text(), toml::Value::Float),
        List => {
            let parts = value.split(',').map(str::trim).filter(|part| !part.is_empty());
            toml::Value::Array(parts.map(|part| toml::Value::String(part.to_owned())).collect())
        }
    };
    format!("{path} = {value}\n")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::config::section::FileSection;

    #[test]
    fn every_key_is_one_of_the_file_and_has_a_variable_of_its_own() {
        let mut variables: BTreeSet<String> =
            SETTINGS.iter().map(|setting| variable(setting.name)).collect();
        for (path, form) in all() {
            assert!(variables.insert(variable(&path)), "{path} has the variable of another");
            let value = match form {
                Bool => "yes",
                Whole | Number => "3",
                List => "a, b",
                Text | Secret => "",
            };
            let line = written(&path, form, value);
            let read = toml::from_str::<FileSection>(&line);
            let problem = read.map(drop).err().map(|error| error.message().to_owned());
            // The value is none of that key's, but there is such a key.
            let unknown = problem.as_deref().is_some_and(|said| said.contains("unknown field"));
            assert!(!unknown, "{line}: {problem:?}");
            let fits = matches!(form, Bool | Whole | Number | List | Secret);
            assert!(!fits || problem.is_none(), "{line}: {problem:?}");
        }
    }

    #[test]
    fn a_value_is_written_as_a_file_has_it() {
        let line = |path: &str, value: &str| {
            let (path, form) = all().find(|(known, _)| known == path).unwrap();
            written(&path, form, value)
        };
        assert_eq!(
            line("network.allow", "a.example.com, b\"c"),
            "network.allow = [\"a.example.com\", 'b\"c']\n"
        );
        assert_eq!(line("learn", "off"), "learn = false\n");
        assert_eq!(line("learn", "maybe"), "learn = \"maybe\"\n");
        assert_eq!(line("ask.max-cost", "0.25"), "ask.max-cost = 0.25\n");
        assert_eq!(line("limits.calls", "10"), "limits.calls = \"10\"\n");
    }

    #[test]
    fn a_flag_for_a_key_that_does_not_exist_says_which_does() {
        assert!(parse("network.alow=x").unwrap_err().contains("`network.allow`"));
        assert!(parse("serve.port=1").unwrap_err().contains("--port"));
        assert!(parse("check").unwrap_err().contains("KEY=VALUE"));
        let wanted = ("ask.url".to_owned(), "http://h/?a=b".to_owned());
        assert_eq!(parse("ask.url=http://h/?a=b"), Ok(wanted));
    }
}
