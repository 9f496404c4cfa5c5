//! Which servers a program may want, from its text.
//!
//! A guess that errs on one side only: a server that is not named and turns out to be wanted
//! is asked when its first call comes. It saves a program that uses no tools from waiting for
//! servers it does not need.

use catalog::ServerName;

/// Words after which a program may mean any server.
const OPENINGS: &[&str] = &[
    "servers",
    "call_mcp_tool",
    "callMCPTool",
    "search_tools",
    "tool_discovery",
    "list_directory",
    "read_file",
    "list_resources",
    "read_resource",
    "list_prompts",
    "get_prompt",
];

/// What a program seems to want.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Servers it names where a server is meant: waited for.
    pub(super) named: Vec<ServerName>,
    /// Servers whose names occur elsewhere, as words do: not waited for long.
    pub(super) mentioned: Vec<ServerName>,
    /// It may mean others besides.
    pub(super) any: bool,
}

/// Reads a program's text for server names.
pub(super) fn wanted(source: &str, servers: &[&ServerName]) -> Wanted {
    let words: Vec<(usize, &str)> = words(source).collect();
    let mentions = |server: &ServerName| {
        source.contains(&server.0)
            || words.iter().any(|(_, word)| folded(word) == folded(&server.0))
            || words.iter().any(|(_, word)| is_qualified(word, server))
    };
    let mentioned = servers.iter().filter(|server| mentions(server)).map(|&server| server.clone());
    let (named, mentioned): (Vec<ServerName>, Vec<ServerName>) =
        mentioned.partition(|server| is_meant(source, &words, server));
    let open = words.iter().enumerate().any(|(index, &(at, word))| {
        if !OPENINGS.contains(&word) {
            return false;
        }
        let rest = &source[at + word.len()..];
        let is_named = |text: &str| {
            let text = text
                .strip_prefix("mcp__")
                .and_then(|rest| rest.split_once("__"))
                .map_or(text, |(server, _)| server);
            let text = folded(text);
            named.iter().any(|name| folded(&name.0) == text)
        };
        // `servers.github`, `/servers/github`, `from servers import github` and
        // `call_mcp_tool("github", …)` mean that one and no other.
        match word {
            "call_mcp_tool" | "callMCPTool" => !opened_text(rest).is_some_and(is_named),
            _ if rest.starts_with('/') => {
                let end = |letter: char| "/\"'\n".contains(letter);
                !rest[1..].split(end).next().is_some_and(is_named)
            }
            _ if rest.starts_with('.') => {
                !words.get(index + 1).is_some_and(|(_, next)| is_named(next))
            }
            // What follows says which.
            "servers" if is_imported_whole(&source[..at], rest) => false,
            "servers" => !imported(rest).is_some_and(|mut names| names.all(is_named)),
            _ => true,
        }
    });
    Wanted { named, mentioned, any: open }
}

/// `mcp__github__create_issue`.
fn is_qualified(word: &str, server: &ServerName) -> bool {
    let name = word.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
    name.is_some_and(|(name, _)| folded(name) == folded(&server.0))
}

/// Whether a server's name stands where nothing but a server is meant.
fn is_meant(source: &str, words: &[(usize, &str)], server: &ServerName) -> bool {
    let name = folded(&server.0);
    words.iter().any(|&(at, word)| {
        if is_qualified(word, server) {
            return true;
        }
        let line = source[..at].rsplit('\n').next().unwrap_or_default();
        if folded(word) == name {
            let begins = line.trim_start();
            return line.ends_with("servers.")
                || line.ends_with("servers/")
                || begins.starts_with("import ")
                || begins.starts_with("from ");
        }
        // The name may have signs that no word has.
        let rest = &source[at + word.len()..];
        match word {
            "call_mcp_tool" | "callMCPTool" | "list_resources" | "read_resource"
            | "list_prompts" | "get_prompt" => {
                opened_text(rest).is_some_and(|text| folded(text) == name)
            }
            "server" => {
                let given = rest.trim_start().strip_prefix('=').map(str::trim_start);
                given.is_some_and(|given| {
                    folded(given.split([',', ')', '\n']).next().unwrap_or_default()) == name
                })
            }
            "servers" => {
                let path = rest.strip_prefix('/').map(|path| path.split(['/', '"', '\'']).next());
                path.flatten().is_some_and(|part| folded(part) == name)
            }
            _ => false,
        }
    })
}

/// The text that is the first argument of a call.
fn opened_text(rest: &str) -> Option<&str> {
    let rest = rest.trim_start().strip_prefix('(')?.trim_start();
    let mark = rest.chars().next().filter(|mark| "\"'".contains(*mark))?;
    rest[1..].split(mark).next()
}

/// `import servers`, and nothing more.
fn is_imported_whole(before: &str, rest: &str) -> bool {
    before.ends_with("import ") && (rest.is_empty() || rest.starts_with(['\n', '\r', ';']))
}

/// The names after `import` on the same line, without those they get.
fn imported(rest: &str) -> Option<impl Iterator<Item = &str>> {
    let names = rest.strip_prefix(" import ")?.lines().next()?;
    Some(names.split(',').map(|name| name.split_whitespace().next().unwrap_or_default()))
}

/// A name without what spellings of it differ in.
pub(super) fn folded(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Runs of letters, digits and underscores, with where they begin.
fn words(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut rest = 0;
    std::iter::from_fn(move || {
        let begin = rest + source[rest..].find(is_word)?;
        let length = source[begin..].find(|letter| !is_word(letter));
        let end = length.map_or(source.len(), |length| begin + length);
        rest = end;
        Some((begin, &source[begin..end]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(source: &str) -> (Vec<String>, bool) {
        let servers = ["github", "google-drive", "time"].map(|name| ServerName(name.to_owned()));
        let Wanted { named, any, .. } = wanted(source, &servers.iter().collect::<Vec<_>>());
        (named.into_iter().map(|name| name.0).collect(), any)
    }

    #[test]
    fn a_word_that_happens_to_be_a_servers_name_is_a_word() {
        for source in [
            "time = 3\nprint(time)",
            "rows = ['github']",
            "# about github",
            "x = 'a-github-b'",
            "import datetime\nprint(datetime.time(3))",
        ] {
            assert_eq!(of(source), (vec![], false), "{source}");
        }
        assert_eq!(of("await read_resource('google-drive', 'x')").0, ["google-drive"]);
        assert_eq!(of("search_tools('x', server=\"github\")").0, ["github"]);
    }

    #[test]
    fn a_program_without_tools_wants_none() {
        assert_eq!(of("import json\nprint(sum(range(10)))"), (vec![], false));
    }

    #[test]
    fn an_import_names_its_server_and_no_other() {
        assert_eq!(of("from servers.github import create_issue"), (vec!["github".into()], false));
        assert_eq!(of("open('/servers/google_drive/x.py')"), (vec!["google-drive".into()], false));
        assert_eq!(of("import github"), (vec!["github".into()], false));
        let whole = "import servers\nawait servers.github.x()";
        assert_eq!(of(whole), (vec!["github".into()], false));
        assert_eq!(of("import servers\nprint(dir(servers))"), (vec![], true));
    }

    #[test]
    fn a_call_by_name_may_mean_any() {
        assert_eq!(of("await call_mcp_tool('createIssue', {})"), (vec![], true));
        let (named, any) = of("call_mcp_tool('mcp__google_drive__get', {})");
        assert_eq!((named, any), (vec!["google-drive".to_owned()], false));
        assert_eq!(of("import os; os.listdir('/servers')"), (vec![], true));
    }

    #[test]
    fn a_server_named_in_a_call_is_the_only_one_that_is_waited_for() {
        assert_eq!(of("await call_mcp_tool('github', 'x', {})"), (vec!["github".into()], false));
        let qualified = "callMCPTool(\"mcp__github__x\", {})";
        assert_eq!(of(qualified), (vec!["github".into()], false));
        assert_eq!(of("await call_mcp_tool('x', {'repo': 'github'})"), (vec![], true));
        assert_eq!(of("name = 'github'\nawait call_mcp_tool(name, 'x')"), (vec![], true));
    }
}
