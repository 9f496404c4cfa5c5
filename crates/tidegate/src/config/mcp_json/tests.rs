//! Each client's file as it looks in the wild, and what we make of it.

use insta::assert_snapshot;

use super::*;

#[test]
fn claude_desktop() {
    let user =
        User::with(&[(".config/Claude/claude_desktop_config.json", file("claude-desktop.json"))]);
    assert_snapshot!(user.finds(Client::ClaudeDesktop), @r#"
        [files]
        command = "npx"
        args = ["-y", "@modelcontextprotocol/server-filesystem", "/data"]

        [weather]
        command = "npx"
        args = ["-y", "weather-server"]

        [weather.env]
        RETRIES = "3"
        VERBOSE = "true"
        WEATHER_KEY = "k-123456"
        # it is started without `cmd /c` here

        # left out: tidegate because it is Tidegate itself, which would call itself
    "#);
    let on_a_mac = User::with(&[(
        "Library/Application Support/Claude/claude_desktop_config.json",
        file("claude-desktop.json"),
    )]);
    assert_eq!(user.finds(Client::ClaudeDesktop), on_a_mac.finds(Client::ClaudeDesktop));
}

#[test]
fn what_a_server_expands_itself_stays_for_it() {
    let file = r#"{"mcpServers": {
        "bridge": {"command": "npx", "args": ["mcp-remote", "https://r.example.com/sse", "--header", "Authorization:${AUTH_HEADER}"],
            "env": {"AUTH_HEADER": "Bearer abc"}},
        "loop": {"command": "sh", "args": ["-c", "for i in 1; do echo ${i}; done"]}
    }}"#;
    let user = User::with(&[(".config/Claude/claude_desktop_config.json", file.to_owned())]);
    assert_snapshot!(user.finds(Client::ClaudeDesktop), @r#"
        [bridge]
        command = "npx"
        args = ["mcp-remote", "https://r.example.com/sse", "--header", "Authorization:$${AUTH_HEADER}"]

        [bridge.env]
        AUTH_HEADER = "Bearer abc"

        [loop]
        command = "sh"
        args = ["-c", "for i in 1; do echo $${i}; done"]
        # `${i}` among its arguments stays text, as Claude Desktop leaves it to the server; write `${env:i}` for the variable of the environment

    "#);
    // A file of nobody's has what its entries say themselves, and the environment.
    let found = parse(&user.places, Path::new("servers.json"), file).unwrap();
    let arguments = |at: usize| found.servers[at].section.args.last().unwrap().as_str();
    assert_eq!(arguments(0), "Authorization:$${AUTH_HEADER}");
    assert_eq!(arguments(1), "for i in 1; do echo ${env:i}; done");
}

#[test]
fn variables_that_are_handed_on_are_all_taken_or_told() {
    let file = "[mcp_servers.a]\ncommand = 'x'\nenv_vars = ['GITHUB_TOKEN', { name = 'R', source = 'remote' }, 3]\n";
    let user = User::with(&[(".codex/config.toml", file.to_owned())]);
    assert_snapshot!(user.finds(Client::Codex), @r#"
        [a]
        command = "x"

        [a.env]
        GITHUB_TOKEN = "${env:GITHUB_TOKEN}"
        R = "${env:R}"
        # 1 of its `env_vars` name no variable and are left out; put what is meant into `env`

    "#);
}

#[test]
fn claude_code() {
    let user = User::with(&[
        ("project/.mcp.json", file("claude-code-project.json")),
        (".claude.json", file("claude-code-user.json")),
    ]);
    assert_snapshot!(user.finds(Client::ClaudeCode), @r#"
        [tickets]
        url = "${env:TICKETS_URL:-https://tickets.example.com}/mcp"

        [tickets.headers]
        Authorization = "Bearer ${env:TICKETS_TOKEN}"

        [events]
        url = "https://events.example.com/sse"
        transport = "sse"

        [rejected]
        command = "nobody-wants-this"
        enabled = false

        [only-here]
        command = "here-server"
        args = ["${env:HOME}/notes"]

        [everywhere]
        command = "everywhere-server"

        # left out: socket because it speaks "ws", which is neither stdio nor HTTP
    "#);
}

#[test]
fn cursor() {
    let user = User::with(&[("project/.cursor/mcp.json", file("cursor.json"))]);
    assert_snapshot!(user.finds(Client::Cursor), @r#"
        [My-Database]
        command = "~/project/bin/db-server"
        args = ["--config", "${env:HOME}/db.json"]

        [My-Database.env]
        DB_PASSWORD = "${env:DB_PASSWORD}"
        # its `envFile` is not read; put the variables into `env`, or export them
        # it is called "My Database" there

        [design]
        url = "https://design.example.com/mcp"

        [design.oauth]
        client-id = "cursor-client"
        client-secret = "${env:DESIGN_SECRET}"
        scopes = ["read"]

        [server-9f26ee51]
        command = "x"
        # it is called "日本" there

    "#);
    let own = User::with(&[(".cursor/mcp.json", file("cursor.json"))]);
    assert_eq!(user.finds(Client::Cursor), own.finds(Client::Cursor));
}

#[test]
fn vs_code() {
    let user = User::with(&[
        ("project/.vscode/mcp.json", file("vscode.json")),
        (".config/Code/User/settings.json", file("vscode-settings.json")),
    ]);
    assert_snapshot!(user.finds(Client::Vscode), @r#"
        [maps]
        command = "maps-server"
        args = ["--region", "${env:REGION:-eu}", "--root", "project"]

        [maps.env]
        MAPS_KEY = "${env:MAPS_KEY}"
        # VS Code asks for "maps-key" (Key for the maps); here the environment variable MAPS_KEY has the answer
        # VS Code asks for "region" (Region); here the environment variable REGION has the answer

        [search]
        url = "https://search.example.com/mcp"

        [search.headers]
        X-Key = "${env:MAPS_KEY}"
        # VS Code asks for "maps-key" (Key for the maps); here the environment variable MAPS_KEY has the answer

        [older]
        command = "older-server"
        args = ["--stdio"]

        # left out: picker because `${command:pickFolder}` is something only the editor knows
    "#);
}

#[test]
fn windsurf() {
    let user = User::with(&[(".codeium/windsurf/mcp_config.json", file("windsurf.json"))]);
    assert_snapshot!(user.finds(Client::Windsurf), @r#"
        [remote]
        url = "https://remote.example.com/sse"

        [remote.headers]
        API_KEY = "abcdef"

        [off]
        command = "off-server"
        enabled = false
        # its choice of tools is not taken over: all of them can be called here

        # left out: broken because it has neither a command nor an address
        # left out: strange because it is not an object
    "#);
}

#[test]
fn zed() {
    let user = User::with(&[(".config/zed/settings.json", file("zed.json"))]);
    assert_snapshot!(user.finds(Client::Zed), @r#"
        [nested]
        command = "nested-server"
        args = ["--stdio"]

        [nested.env]
        LEVEL = "info"

        [flat]
        command = "flat-server"
        args = ["serve"]

        [far]
        url = "https://far.example.com/mcp"

        [far.headers]
        Authorization = "Bearer 0123456789"

        # left out: from-extension because an extension of the editor provides it, which runs only there
    "#);
}

#[test]
fn codex() {
    let user = User::with(&[(".codex/config.toml", file("codex.toml"))]);
    assert_snapshot!(user.finds(Client::Codex), @r#"
        [hosted]
        url = "https://hosted.example.com/mcp"
        enabled = false

        [hosted.headers]
        Authorization = "Bearer ${env:HOSTED_TOKEN}"
        X-Region = "eu"
        X-Team = "${env:TEAM}"
        # its choice of tools is not taken over: all of them can be called here

        [local]
        command = "local-server"
        args = ["--stdio"]
        cwd = "/srv"
        connect-timeout = "20s"
        timeout = "45500ms"

        [local.env]
        LEVEL = "debug"
        LOCAL_TOKEN = "${env:LOCAL_TOKEN}"
    "#);
}

#[test]
fn gemini() {
    let user = User::with(&[(".gemini/settings.json", file("gemini.json"))]);
    assert_snapshot!(user.finds(Client::Gemini), @r#"
        [new-style]
        url = "https://new.example.com/mcp"
        transport = "streamable-http"
        timeout = "5s"

        [new-style.headers]
        Authorization = "Bearer ${env:NEW_TOKEN}"

        [old-style]
        url = "https://old.example.com/sse"

        [program]
        command = "python"
        args = ["-m", "program"]

        [program.env]
        KEY = "${env:PROGRAM_KEY}"
        # its choice of tools is not taken over: all of them can be called here

        [excluded]
        command = "excluded-server"
        enabled = false
    "#);
}

#[test]
fn relative_paths_mean_what_they_meant_for_the_client() {
    let entries = r#"{"mcpServers": {
        "script": {"command": "./run.sh", "args": ["--fast"]},
        "below": {"command": "node", "args": ["build/index.js", "--stdio"]},
        "apart": {"command": "../tool", "cwd": "tools"},
        "gone": {"command": "bin/gone"},
        "usual": {"command": "npx", "args": ["-y", "@scope/package", "https://h/x"]},
        "whole": {"command": "/opt/x", "cwd": "/srv"},
        "named": {"command": "./x", "cwd": "${HOME}/srv"}
    }}"#;
    let files = [
        ("project/.cursor/mcp.json", entries.to_owned()),
        ("project/run.sh", String::new()),
        ("project/build/index.js", String::new()),
        ("project/tool", String::new()),
        ("project/tools/x", String::new()),
    ];
    let user = User::with(&files);
    assert_snapshot!(user.finds(Client::Cursor), @r#"
    [script]
    command = "~/project/run.sh"
    args = ["--fast"]
    cwd = "~/project"
    # it is started in ~/project, because its paths are relative

    [below]
    command = "node"
    args = ["build/index.js", "--stdio"]
    cwd = "~/project"
    # it is started in ~/project, because its paths are relative

    [apart]
    command = "~/project/tool"
    cwd = "~/project/tools"
    # it is started in ~/project/tools, because its paths are relative

    [gone]
    command = "~/project/bin/gone"
    cwd = "~/project"
    # it is started in ~/project, because its paths are relative; its program is not there

    [usual]
    command = "npx"
    args = ["-y", "@scope/package", "https://h/x"]

    [whole]
    command = "/opt/x"
    cwd = "/srv"

    [named]
    command = "${env:HOME}/srv/./x"
    cwd = "${env:HOME}/srv"
    # its command is relative to ${env:HOME}/srv
    "#);
}

#[test]
fn a_damaged_file_is_told_with_its_line_and_stops_nothing() {
    let user = User::with(&[
        ("project/.cursor/mcp.json", "{\n  \"mcpServers\": {\n    \"a\": ]\n".to_owned()),
        (".cursor/mcp.json", file("cursor.json")),
    ]);
    let (found, problems) = find(&user.places, Client::Cursor);
    assert_eq!(found.servers.len(), 3);
    assert!(problems[0].to_string().contains("mcp.json:3: this is not JSON"), "{}", problems[0]);
}

#[test]
fn servers_whose_names_become_the_same_here_are_all_kept() {
    let entries = r#"{"mcpServers": {
        "My Server": {"command": "a"},
        "My@Server": {"command": "b"},
        "a b": {"command": "c"},
        "a-b": {"command": "d"},
        "日本": {"command": "e"},
        "東京": {"command": "f"}
    }}"#;
    let user = User::with(&[("project/.cursor/mcp.json", entries.to_owned())]);
    assert_snapshot!(user.finds(Client::Cursor), @r#"
    [My-Server]
    command = "a"
    # it is called "My Server" there

    [My-Server-b829e5ce]
    command = "b"
    # it is called "My@Server" there

    [a-b-10a3f9f2]
    command = "c"
    # it is called "a b" there

    [a-b]
    command = "d"

    [server-9f26ee51]
    command = "e"
    # it is called "日本" there

    [server-68dea76f]
    command = "f"
    # it is called "東京" there
    "#);
}

#[test]
fn servers_of_two_clients_whose_names_become_the_same_are_both_kept() {
    let user = User::with(&[
        (".cursor/mcp.json", r#"{"mcpServers": {"My Server": {"command": "a"}}}"#.to_owned()),
        (
            ".codeium/windsurf/mcp_config.json",
            r#"{"mcpServers": {"My-Server": {"command": "b"}}}"#.to_owned(),
        ),
    ]);
    let (mut all, _) = find(&user.places, Client::Cursor);
    all.take(find(&user.places, Client::Windsurf).0);
    all.tell_apart();
    let names: Vec<&str> = all.servers.iter().map(|server| server.name.0.as_str()).collect();
    assert_eq!(names, ["My-Server-c077ed6e", "My-Server"]);
}

#[test]
fn servers_without_a_name_for_the_whole_are_found_too() {
    let user = User::with(&[(
        "bare.json",
        r#"{"a": {"command": "x"}, "b": {"url": "https://h/"}}"#.to_owned(),
    )]);
    let found = read(&user.places, None, &user.folder.path().join("bare.json")).unwrap();
    assert_eq!(
        found.servers.iter().map(|server| server.name.0.as_str()).collect::<Vec<_>>(),
        ["a", "b"]
    );
}

#[test]
fn a_file_without_servers_is_told() {
    for text in ["{}", "", "[]", r#"{"theme": "dark"}"#, r#"{"mcpServers": 5}"#] {
        let user = User::with(&[("x.json", text.to_owned())]);
        assert!(read(&user.places, None, &user.folder.path().join("x.json")).is_err(), "{text}");
    }
}

#[test]
fn this_program_is_recognised_however_it_is_started() {
    let ourselves = |command: &str, args: &[&str]| {
        entry::is_ourselves(&ServerSection {
            command: Some(command.into()),
            args: args.iter().map(|&text| text.to_owned()).collect(),
            ..ServerSection::default()
        })
    };
    assert!(ourselves("tidegate", &["serve"]));
    assert!(ourselves("/opt/bin/tidegate", &[]));
    assert!(ourselves(r"C:\bin\Tidegate.exe", &[]));
    assert!(ourselves("npx", &["-y", "tidegate@1.2.3"]));
    assert!(!ourselves("files-server", &["--root", "/src/tidegate"]));
    assert!(!ourselves("npx", &["-y", "tidegate-notes"]));
}

/// A user with files in their home folder, who stands in their project.
struct User {
    folder: tempfile::TempDir,
    places: Places,
}

impl User {
    fn with(files: &[(&str, String)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        std::fs::create_dir_all(project.join(".git")).unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text.replace("PROJECT", project.to_str().unwrap())).unwrap();
        }
        let places = Places {
            project: vec![project],
            home: Some(folder.path().to_owned()),
            config: Some(folder.path().join(".config")),
            ..Places::default()
        };
        Self { folder, places }
    }

    /// What our file would say, and what is told beside it.
    fn finds(&self, client: Client) -> String {
        let (found, problems) = find(&self.places, client);
        assert!(problems.is_empty(), "{problems:?}");
        let mut told = String::new();
        for server in &found.servers {
            let named = std::collections::BTreeMap::from([(&server.name, &server.section)]);
            told.push_str(&toml::to_string(&named).unwrap());
            told.extend(server.notes.iter().map(|note| format!("# {note}\n")));
            told.push('\n');
        }
        told.extend(
            found
                .unusable
                .iter()
                .map(|entry| format!("# left out: {} because {}\n", entry.called, entry.reason)),
        );
        told.replace(self.folder.path().to_str().unwrap(), "~")
    }
}

fn file(name: &str) -> String {
    let folder =
        Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("tests/servers/clients");
    std::fs::read_to_string(folder.join(name)).unwrap()
}
