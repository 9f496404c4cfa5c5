//! Which servers a program may want, from its text.
//!
//! A server is waited for where nothing else is meant: `servers.github`, a path below `/servers`, a call by
//! name, an import of a name that no module has. That a word is also the name of a server says
//! nothing: `import time` is Python's own. A server that is not named and turns out to be wanted is asked when
//! its first call comes, so a program that uses no tools waits for none.

use catalog::ServerName;

use super::tokens::{Token, tokens};

/// Functions that are given the name of a tool, of a server, or of both.
const CALLS: &[&str] = &["call_mcp_tool", "callMCPTool"];
/// Functions that ask one server if it is named, and all otherwise.
const ASKS: &[&str] = &[
    "search_tools",
    "list_resources",
    "read_resource",
    "list_prompts",
    "get_prompt",
    "searchTools",
    "listResources",
    "readResource",
    "listPrompts",
    "getPrompt",
];
/// Functions that are given a path, perhaps below `/servers`.
const READS: &[&str] = &["list_directory", "read_file", "listDirectory", "readFile"];
/// Functions that make a name of a text.
const DYNAMIC: &[&str] = &["import_module", "__import__", "exec", "eval"];
/// Where these functions may be found.
const HOMES: &[&str] = &["servers", "tidegate", "tool_discovery"];

/// What a program seems to want.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Servers it names where a server is meant: waited for.
    pub(super) named: Vec<ServerName>,
    /// Servers whose names occur elsewhere, as words do: not waited for.
    pub(super) mentioned: Vec<ServerName>,
    /// Tools it calls by their names alone.
    pub(super) tools: Vec<String>,
    /// It may mean others besides: all are waited for a moment.
    pub(super) any: bool,
    /// It makes names of texts, so those that are mentioned are waited for a moment.
    pub(super) is_dynamic: bool,
}

impl Wanted {
    /// Whether the program may use any server at all.
    pub(super) fn is_something(&self) -> bool {
        let is_named = !(self.named.is_empty() && self.mentioned.is_empty());
        self.any || is_named || !self.tools.is_empty()
    }
}

/// Reads a program's text for server names.
pub(super) fn wanted(source: &str, servers: &[&ServerName]) -> Wanted {
    let folded = servers.iter().map(|server| (folded(&server.0), *server)).collect();
    let tokens = tokens(source);
    let defined = tokens.windows(2).filter_map(|pair| match *pair {
        [Token::Name("def" | "function"), Token::Name(name)] => Some(name),
        _ => None,
    });
    let own = defined.collect();
    let mut reading = Reading { servers: folded, tokens: &tokens, own, wanted: Wanted::default() };
    reading.read();
    reading.wanted
}

struct Reading<'s> {
    /// By their folded names.
    servers: Vec<(String, &'s ServerName)>,
    tokens: &'s [Token<'s>],
    /// Names of functions that are the program's own, or a server's.
    own: Vec<&'s str>,
    wanted: Wanted,
}

impl<'s> Reading<'s> {
    fn read(&mut self) {
        let mut at = 0;
        while let Some(&token) = self.tokens.get(at) {
            at = match token {
                Token::Name("import") if self.begins(at) => self.import(at + 1),
                Token::Name("from") if self.begins(at) => self.from(at + 1),
                Token::Name(name) => {
                    self.name(at, name);
                    at + 1
                }
                Token::Text(text) => {
                    self.text(at, text);
                    at + 1
                }
                Token::Sign(_) | Token::Line => at + 1,
            };
        }
        let is_named =
            |token: &Token<'_>| matches!(token, Token::Text(text) if text.contains("servers"));
        if self.wanted.is_dynamic && self.tokens.iter().any(is_named) {
            self.wanted.any = true;
        }
        let named = &self.wanted.named;
        self.wanted.mentioned.retain(|server| !named.contains(server));
    }

    /// Whether a statement begins here.
    fn begins(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map(|before| self.tokens[before]);
        matches!(before, None | Some(Token::Line | Token::Sign(';' | ':')))
    }

    /// `import servers.github as gh, os, slack`; says where it ends.
    fn import(&mut self, mut at: usize) -> usize {
        loop {
            let (module, end) = self.dotted(at);
            match module[..] {
                // What follows says which.
                ["servers"] if !self.is(end, Token::Name("as")) => {}
                // What skills call is not in this text.
                ["servers"] | ["skills", ..] => self.wanted.any = true,
                ["servers", server, ..] => self.meant(server),
                [root, ..] => self.free(root),
                [] => return end,
            }
            at = if self.is(end, Token::Name("as")) { end + 2 } else { end };
            if !self.is(at, Token::Sign(',')) {
                return at;
            }
            at += 1;
        }
    }

    /// `from servers import github`, `from github import create_issue`; says where it ends.
    fn from(&mut self, at: usize) -> usize {
        let (module, mut at) = self.dotted(at);
        let ends = |token: &Token<'_>| matches!(token, Token::Line | Token::Sign(';'));
        let rest = &self.tokens[at..];
        let names = &rest[..rest.iter().position(ends).unwrap_or(rest.len())];
        at += names.len();
        match module[..] {
            ["servers"] => {
                let mut is_alias = false;
                for token in names {
                    match *token {
                        Token::Name("import") => {}
                        Token::Name("as") => is_alias = true,
                        Token::Name(_) if is_alias => is_alias = false,
                        Token::Name(name) => self.member(name),
                        Token::Sign('*') => self.wanted.any = true,
                        _ => {}
                    }
                }
            }
            ["servers", server, ..] => {
                self.meant(server);
                self.own.extend(names.iter().filter_map(Token::name));
            }
            // What it calls is not in this text.
            ["skills", ..] => self.wanted.any = true,
            [root, ..] => {
                self.free(root);
                if !HOMES.contains(&root) {
                    self.own.extend(names.iter().filter_map(Token::name));
                }
            }
            [] => {}
        }
        at
    }

    /// The names of a module, and where it ends.
    fn dotted(&self, mut at: usize) -> (Vec<&'s str>, usize) {
        let mut names = Vec::new();
        while let Some(Token::Name(name)) = self.tokens.get(at) {
            names.push(*name);
            at += 1;
            if !self.is(at, Token::Sign('.')) {
                break;
            }
            at += 1;
        }
        (names, at)
    }

    /// A name that is used.
    fn name(&mut self, at: usize, name: &'s str) {
        self.mentioned(name);
        let owner = at.checked_sub(2).filter(|_| self.is(at - 1, Token::Sign('.')));
        let owner = owner.map(|owner| self.tokens[owner]);
        let is_ours = match owner {
            None => !self.own.contains(&name),
            Some(Token::Name(owner)) => HOMES.contains(&owner),
            Some(_) => false,
        };
        if DYNAMIC.contains(&name) {
            self.wanted.is_dynamic |=
                matches!(owner, None | Some(Token::Name("importlib" | "builtins")));
        } else if name.starts_with("mcp__") {
            self.qualified(name);
        } else if name == "servers" && owner.is_none() {
            self.servers(at);
        } else if is_ours && CALLS.contains(&name) {
            self.call(at + 1);
        } else if is_ours && ASKS.contains(&name) {
            self.ask(at + 1);
        } else if is_ours && READS.contains(&name) {
            // A path that is written out says itself what it means.
            let is_written = matches!(self.tokens.get(at + 2), Some(Token::Text(_)));
            self.wanted.any |= !is_written;
        }
    }

    /// The package, or a variable of that name.
    fn servers(&mut self, at: usize) {
        match (self.is(at + 1, Token::Sign('.')), self.tokens.get(at + 2)) {
            (true, Some(Token::Name(name))) => self.member(name),
            _ if self.is_variable() || self.is_given_a_value(at) => {}
            _ => self.wanted.any = true,
        }
    }

    /// Whether the program has a variable called `servers`.
    fn is_variable(&self) -> bool {
        (0..self.tokens.len()).filter(|at| self.is(*at, Token::Name("servers"))).any(|at| {
            self.begins(at) && self.is_given_a_value(at)
                || at > 0 && self.is(at - 1, Token::Name("for"))
        })
    }

    /// `servers = …`, also as a keyword of a call.
    fn is_given_a_value(&self, at: usize) -> bool {
        self.is(at + 1, Token::Sign('=')) && !self.is(at + 2, Token::Sign('='))
    }

    /// `call_mcp_tool("github", "create_issue", …)`, `callMCPTool("create_issue", …)`.
    fn call(&mut self, at: usize) {
        if !self.is(at, Token::Sign('(')) {
            // Given to somebody, or imported.
            self.wanted.any = true;
            return;
        }
        if let Some(server) = self.keyword(at + 1, &["server", "server_name"]) {
            self.meant(server);
            return;
        }
        let first = match self.tokens.get(at + 1) {
            Some(Token::Text(first)) => Some(*first),
            _ => self.keyword(at + 1, &["tool", "tool_name", "name"]),
        };
        let Some(first) = first else {
            self.wanted.any = true;
            return;
        };
        let is_pair = self.is(at + 2, Token::Sign(','))
            && matches!(self.tokens.get(at + 3), Some(Token::Text(_)));
        if first.starts_with("mcp__") {
            // What stands before the first sign is meant where the text is read; a name may have that sign.
            for server in catalog::server_parts(first) {
                add(&mut self.wanted.named, &self.servers, server);
            }
        } else if is_pair || self.is_server(first) {
            self.meant(first);
        } else {
            // `github.create_issue` names its server, and could be a tool of another one's own.
            for server in catalog::server_parts(first) {
                add(&mut self.wanted.named, &self.servers, server);
            }
            self.wanted.tools.push(first.to_owned());
        }
    }

    /// `list_resources("github")`, `search_tools("x", server="github")`.
    fn ask(&mut self, at: usize) {
        let given = self.keyword(at + 1, &["server"]);
        let first = match self.tokens.get(at + 1) {
            Some(Token::Text(first))
                if !self.is(at - 1, Token::Name("search_tools"))
                    && !self.is(at - 1, Token::Name("searchTools")) =>
            {
                Some(*first)
            }
            _ => None,
        };
        match given.or(first) {
            Some(name) => self.meant(name),
            None => self.wanted.any = true,
        }
    }

    /// The text that a keyword is given within a call that begins here.
    fn keyword(&self, at: usize, words: &[&str]) -> Option<&'s str> {
        let mut open = 1_usize;
        for (index, token) in self.tokens.iter().enumerate().skip(at) {
            match token {
                Token::Sign('(' | '[' | '{') => open += 1,
                Token::Sign(')' | ']' | '}') if open == 1 => return None,
                Token::Sign(')' | ']' | '}') => open -= 1,
                Token::Name(name) if open == 1 && words.contains(name) => {
                    if let (true, Some(Token::Text(text))) =
                        (self.is(index + 1, Token::Sign('=')), self.tokens.get(index + 2))
                    {
                        return Some(text);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// A text: a path, the name of a module or of a tool, or words.
    fn text(&mut self, at: usize, text: &'s str) {
        for word in text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')) {
            self.mentioned(word);
        }
        self.mentioned(text);
        self.qualified(text);
        if let Some(name) = text.strip_prefix("servers.") {
            self.meant(name.split(|letter: char| !is_name(letter)).next().unwrap_or_default());
        }
        let path = text.trim_start_matches(['.', '/']);
        // `import { create_issue } from "github"`, in TypeScript.
        let is_module = at > 0 && self.is(at - 1, Token::Name("from"));
        let root = path.split('/').next().unwrap_or_default();
        if is_module && self.is_server(root) {
            self.meant(root);
        }
        match path.strip_prefix("servers").map(|rest| (rest, rest.strip_prefix('/'))) {
            Some((_, Some(path))) => self.meant(path.split('/').next().unwrap_or_default()),
            Some(("", None)) if is_module || path.len() < text.len() || self.is_place(at) => {
                self.wanted.any = true;
            }
            _ => {}
        }
    }

    /// Whether the text `servers` is a path or a module's name, and not looked up in something.
    fn is_place(&self, at: usize) -> bool {
        let before = |back: usize| at.checked_sub(back).map(|before| self.tokens[before]);
        match (before(2), before(1)) {
            (_, Some(Token::Sign('/'))) | (Some(Token::Text("/")), Some(Token::Sign(','))) => true,
            (Some(Token::Name(name)), Some(Token::Sign('('))) => {
                !["get", "pop", "print", "setdefault"].contains(&name)
            }
            _ => false,
        }
    }

    /// `mcp__github__create_issue`.
    fn qualified(&mut self, word: &str) {
        let name = word.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
        if let Some((server, _)) = name {
            self.meant(server);
        }
    }

    /// `servers.github`, or something else that the package has.
    fn member(&mut self, name: &str) {
        if self.is_server(name) || !is_ours(name) {
            self.meant(name);
        }
    }

    /// `import github`: the server, where no module has that name.
    fn free(&mut self, root: &str) {
        if !self.is_server(root) {
            return;
        }
        if check::has_module(root) {
            self.mentioned(root);
        } else {
            self.meant(root);
        }
    }

    /// A name that stands where only a server can be meant; one that we do not know may be spelt otherwise.
    fn meant(&mut self, name: &str) {
        self.wanted.any |= !self.is_server(name);
        add(&mut self.wanted.named, &self.servers, name);
    }

    fn mentioned(&mut self, word: &str) {
        add(&mut self.wanted.mentioned, &self.servers, word);
    }

    fn is_server(&self, name: &str) -> bool {
        let name = folded(name);
        self.servers.iter().any(|(folded, _)| *folded == name)
    }

    fn is(&self, at: usize, token: Token<'_>) -> bool {
        self.tokens.get(at).is_some_and(|found| *found == token)
    }
}

/// Adds the servers of a name, of which there may be several that only signs tell apart.
fn add(to: &mut Vec<ServerName>, servers: &[(String, &ServerName)], name: &str) {
    let name = folded(name);
    for (_, server) in servers.iter().filter(|(folded, _)| *folded == name) {
        if !to.contains(server) {
            to.push((*server).clone());
        }
    }
}

/// What the package `servers` has besides servers: functions, and the names of errors.
fn is_ours(name: &str) -> bool {
    CALLS.contains(&name)
        || ASKS.contains(&name)
        || name.starts_with("__")
        || name.starts_with(|letter: char| letter.is_ascii_uppercase())
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// A name without what spellings of it differ in.
pub(super) fn folded(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(source: &str) -> Wanted {
        let servers = ["github", "google-drive", "time", "json", "servers-eu"];
        let servers = servers.map(|name| ServerName(name.to_owned()));
        wanted(source, &servers.iter().collect::<Vec<_>>())
    }

    /// The servers that a program waits for, and whether it waits a moment for all others.
    fn waited(source: &str) -> (Vec<String>, bool) {
        let Wanted { named, any, .. } = of(source);
        (named.into_iter().map(|name| name.0).collect(), any)
    }

    #[test]
    fn a_module_of_pythons_own_is_no_server_of_that_name() {
        for source in [
            "import time\nprint(time.time())",
            "import json, time as t",
            "from time import sleep",
            "from datetime import datetime, time",
            "import os; import json",
            "try:\n    import json\nexcept ImportError: import time",
        ] {
            assert_eq!(waited(source), (vec![], false), "{source}");
        }
        assert_eq!(waited("from servers import time"), (vec!["time".into()], false));
        assert_eq!(waited("import servers.time as t"), (vec!["time".into()], false));
    }

    #[test]
    fn a_word_that_happens_to_be_a_servers_name_is_a_word() {
        for source in [
            "time = 3\nprint(time)",
            "rows = ['github']",
            "# about servers.github",
            "x = 'a-github-b'",
            "import datetime\nprint(datetime.time(3))",
            "servers = ['a', 'b']\nfor one in servers:\n    print(one)",
            "rows['servers'] = data.get('servers')",
            "ping(servers=3)\nrack.servers.append(1)",
            "'''Uses servers.time and /servers/json.'''",
            "def read_file(path):\n    return open(path).read()\nread_file(name)",
            "read_file('/workspace/time.csv')",
        ] {
            assert_eq!(waited(source), (vec![], false), "{source}");
        }
        assert_eq!(waited("await read_resource('google-drive', 'x')").0, ["google-drive"]);
        let searched = waited("search_tools('x', server=\"github\")");
        assert_eq!(searched, (vec!["github".into()], false));
    }

    #[test]
    fn modules_in_typescript_are_servers_by_their_paths() {
        for source in [
            "import { create_issue } from \"servers/github\";",
            "import * as gh from 'servers/github/index.ts'",
            "import { createIssue } from \"github\"",
            "const { createIssue } = await import(\"servers/github\");",
            "const found = await callMCPTool(\"github\", \"create_issue\", { title: 'x' });",
        ] {
            assert_eq!(waited(source), (vec!["github".into()], false), "{source}");
        }
        for source in [
            "import { github } from \"servers\";",
            "searchTools(\"issues\")",
            "for (const path of paths) console.log(readFile(path))",
        ] {
            assert!(waited(source).1, "{source}");
        }
        for source in [
            "import { a } from \"./json.ts\";\nconst time = Date.now()",
            "readFile(\"notes.txt\"); listDirectory(\"/workspace\")",
        ] {
            assert_eq!(waited(source), (vec![], false), "{source}");
        }
    }

    #[test]
    fn what_is_only_mentioned_is_known_and_not_waited_for() {
        let found = of("github.create_issue(title='x', at='google-drive')");
        let mentioned: Vec<&str> = found.mentioned.iter().map(|name| name.0.as_str()).collect();
        assert_eq!(mentioned, ["github", "google-drive"]);
        assert_eq!((found.named, found.any, found.is_dynamic), (vec![], false, false));
        assert!(of("import importlib\nimportlib.import_module('github')").is_dynamic);
        assert!(!of("frame.eval('time > 3')").is_dynamic);
        assert!(of("exec('from servers.github import x')").any);
    }

    #[test]
    fn a_program_without_tools_wants_none() {
        assert_eq!(waited("import json\nprint(sum(range(10)))"), (vec![], false));
    }

    #[test]
    fn an_import_names_its_server_and_no_other() {
        for source in [
            "from servers.github import create_issue",
            "import github",
            "import github.create_issue as create",
            "from github import create_issue",
            "from servers import (\n    github as gh,\n    call_mcp_tool,\n    ToolError,\n)",
            "import servers\nawait servers.github.x()",
            "import servers\nprint(f'{await servers.github.x()}')",
            "from servers.github import read_file\nawait read_file(path=name)",
            "import { createIssue } from './servers/github/createIssue.ts'",
            "open('/servers/github/x.py')",
            "importlib.util.find_spec('servers.github')",
        ] {
            assert_eq!(waited(source), (vec!["github".into()], false), "{source}");
        }
        assert_eq!(waited("open('/servers/google_drive/x.py')").0, ["google-drive"]);
    }

    #[test]
    fn who_looks_at_all_servers_may_mean_any() {
        for source in [
            "import servers\nprint(dir(servers))",
            "import servers as s",
            "from servers import *",
            "import os; os.listdir('/servers')",
            "list_directory('servers/')",
            "list_directory('servers')",
            "Path('/') / 'servers' / name",
            "open(f'/servers/{name}/x.py')",
            "getattr(servers, name)",
            "await list_resources()",
            "search_tools('time')",
            "read_file(path)",
        ] {
            assert_eq!(waited(source), (vec![], true), "{source}");
        }
    }

    #[test]
    fn a_server_named_in_a_call_is_the_only_one_that_is_waited_for() {
        for source in [
            "await call_mcp_tool('github', 'x', {})",
            "callMCPTool(\"mcp__github__x\", {})",
            "call_mcp_tool(server='github', tool='x')",
            "from servers import call_mcp_tool\nawait call_mcp_tool('github', 'x', {'at': 'time'})",
            "await mcp__github__x()",
        ] {
            assert_eq!(waited(source), (vec!["github".into()], false), "{source}");
        }
        assert_eq!(waited("name = 'github'\nawait call_mcp_tool(name, 'x')"), (vec![], true));
        assert_eq!(waited("await call_mcp_tool('elsewhere', 'x', {})"), (vec![], true));
    }

    #[test]
    fn a_tool_called_by_its_name_alone_is_told() {
        let found = of("await callMCPTool('createIssue', {'repo': 'github'})");
        assert_eq!((found.tools, found.any), (vec!["createIssue".to_owned()], false));
    }

    #[test]
    fn a_server_within_the_name_of_a_tool_is_waited_for() {
        for name in ["github.x", "github/x", "servers.github.x", "mcp__github__x"] {
            let source = format!("await call_mcp_tool('{name}', {{}})");
            assert_eq!(waited(&source), (vec!["github".into()], false), "{source}");
        }
        assert_eq!(
            waited("await call_mcp_tool('google-drive.files.list', {})").0,
            ["google-drive"]
        );
        assert_eq!(waited("await call_mcp_tool('elsewhere.x', {})"), (vec![], false));
    }

    #[test]
    fn servers_that_only_signs_tell_apart_are_all_waited_for() {
        let servers = ["a-b", "a_b"].map(|name| ServerName(name.to_owned()));
        let found = wanted("import servers.a_b", &servers.iter().collect::<Vec<_>>());
        assert_eq!(found.named, servers);
    }
}
