//! Each client's file as it looks in the wild, and what we make of it.

use insta::assert_snapshot;

use super::*;

#[test]
fn claude_desktop() {
    let user =
        User::with(&[(".config/Claude/claude_desktop_config.json", file("claude-desktop.json"))]);
    assert_snapshot!(user.finds(Client::ClaudeDesktop), @"");
    let on_a_mac = User::with(&[(
        "Library/Application Support/Claude/claude_desktop_config.json",
        file("claude-desktop.json"),
    )]);
    assert_eq!(user.finds(Client::ClaudeDesktop), on_a_mac.finds(Client::ClaudeDesktop));
}

#[test]
fn claude_code() {
    let user = User::with(&[
        ("project/.mcp.json", file("claude-code-project.json")),
        (".claude.json", file("claude-code-user.json")),
    ]);
    assert_snapshot!(user.finds(Client::ClaudeCode), @"");
}

#[test]
fn cursor() {
    let user = User::with(&[("project/.cursor/mcp.json", file("cursor.json"))]);
    assert_snapshot!(user.finds(Client::Cursor), @"");
    let own = User::with(&[(".cursor/mcp.json", file("cursor.json"))]);
    assert_eq!(user.finds(Client::Cursor), own.finds(Client::Cursor));
}

#[test]
fn vs_code() {
    let user = User::with(&[
        ("project/.vscode/mcp.json", file("vscode.json")),
        (".config/Code/User/settings.json", file("vscode-settings.json")),
    ]);
    assert_snapshot!(user.finds(Client::Vscode), @"");
}

#[test]
fn windsurf() {
    let user = User::with(&[(".codeium/windsurf/mcp_config.json", file("windsurf.json"))]);
    assert_snapshot!(user.finds(Client::Windsurf), @"");
}

#[test]
fn zed() {
    let user = User::with(&[(".config/zed/settings.json", file("zed.json"))]);
    assert_snapshot!(user.finds(Client::Zed), @"");
}

#[test]
fn codex() {
    let user = User::with(&[(".codex/config.toml", file("codex.toml"))]);
    assert_snapshot!(user.finds(Client::Codex), @"");
}

#[test]
fn gemini() {
    let user = User::with(&[(".gemini/settings.json", file("gemini.json"))]);
    assert_snapshot!(user.finds(Client::Gemini), @"");
}

#[test]
fn a_damaged_file_is_told_with_its_line_and_stops_nothing() {
    let user = User::with(&[
        ("project/.cursor/mcp.json", "{\n  \"mcpServers\": {\n    \"a\": ]\n".to_owned()),
        (".cursor/mcp.json", file("cursor.json")),
    ]);
    let (found, problems) = find(&user.places, Client::Cursor);
    assert_eq!(found.servers.len(), 2);
    assert!(problems[0].to_string().contains("mcp.json:3: this is not JSON"), "{}", problems[0]);
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
            let section = toml::to_string(&server.section).unwrap();
            told.push_str(&format!("[{}]\n{section}", server.name));
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
