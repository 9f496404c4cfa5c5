//! Changing a file keeps everything else in it.

use insta::assert_snapshot;

use super::*;
use crate::config::name;

const BEFORE: &str = r#"# The servers of our team.

# For tickets.
[servers.tickets]   # since May
url = "https://tickets.example.com/mcp"   # not the old one

  [servers.files]
command = "files"
args = [
  "--root", # where
  "/data",
]
"#;

#[test]
fn a_new_server_is_added_below_and_nothing_else_changes() {
    let after = changed(BEFORE, |editor| editor.put(&named("git"), &git()).unwrap());
    assert!(after.starts_with(BEFORE), "{after}");
    assert_snapshot!(&after[BEFORE.len()..], @r#"

        [servers.git]
        command = "uvx"
        args = ["mcp-server-git", """it's "quoted""""]
        timeout = "5s"

        [servers.git.env]
        TOKEN = "abc"
    "#);
}

#[test]
fn the_first_server_makes_the_file() {
    assert_snapshot!(changed("", |editor| editor.put(&named("git"), &git()).unwrap()), @r#"
        [servers.git]
        command = "uvx"
        args = ["mcp-server-git", """it's "quoted""""]
        timeout = "5s"

        [servers.git.env]
        TOKEN = "abc"
    "#);
}

#[test]
fn a_server_is_replaced_where_it_stands() {
    let after = changed(BEFORE, |editor| editor.put(&named("tickets"), &git()).unwrap());
    assert_snapshot!(after, @r#"
        # The servers of our team.

        # For tickets.
        [servers.tickets]   # since May
        command = "uvx"
        args = ["mcp-server-git", """it's "quoted""""]
        timeout = "5s"

        [servers.tickets.env]
        TOKEN = "abc"

          [servers.files]
        command = "files"
        args = [
          "--root", # where
          "/data",
        ]
    "#);
}

#[test]
fn removing_a_server_takes_its_own_comment_and_leaves_the_heading() {
    let after = changed(BEFORE, |editor| assert!(editor.remove(&named("tickets"))));
    assert_snapshot!(after, @r#"
        # The servers of our team.

          [servers.files]
        command = "files"
        args = [
          "--root", # where
          "/data",
        ]
    "#);
    let after = changed(BEFORE, |editor| assert!(editor.remove(&named("files"))));
    assert_snapshot!(after, @r#"
        # The servers of our team.

        # For tickets.
        [servers.tickets]   # since May
        url = "https://tickets.example.com/mcp"   # not the old one
    "#);
}

#[test]
fn a_heading_stays_above_what_follows_it() {
    let before = "[servers.a]\ncommand = 'a'\n\n# For work.\n\n# Slow.\n[servers.b]\ncommand = 'b'\n\n[servers.c]\ncommand = 'c'\n";
    let after = changed(before, |editor| assert!(editor.remove(&named("b"))));
    assert_eq!(after, "[servers.a]\ncommand = 'a'\n\n# For work.\n\n[servers.c]\ncommand = 'c'\n");
}

#[test]
fn servers_on_one_line_stay_on_one_line() {
    let before = "servers = { a = { command = \"x\" } }\n";
    assert_snapshot!(changed(before, |editor| editor.put(&named("git"), &git()).unwrap()), @r#"servers = { a = { command = "x" } , git = { command = "uvx", args = ["mcp-server-git", """it's "quoted""""], timeout = "5s", env = { TOKEN = "abc" } } }"#);
}

#[test]
fn a_file_with_mistakes_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tidegate.toml");
    std::fs::write(&path, "[servers.a]\ncomand = 1\n").unwrap();
    assert!(Editor::open(path).unwrap_err().to_string().contains("did you mean `command`"));
}

#[test]
fn a_file_that_holds_values_is_its_owners_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/tidegate.toml");
    let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    let mut editor = Editor::open(path.clone()).unwrap();
    editor
        .put(&named("a"), &ServerSection { command: Some("x".into()), ..ServerSection::default() })
        .unwrap();
    assert_eq!(editor.back_up().unwrap(), None);
    editor.save().unwrap();
    assert_eq!(mode(), 0o600);
    std::fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();

    let mut editor = Editor::open(path.clone()).unwrap();
    editor
        .put(&named("b"), &ServerSection { command: Some("x".into()), ..ServerSection::default() })
        .unwrap();
    let backup = editor.back_up().unwrap().unwrap();
    editor.save().unwrap();
    assert_eq!(mode(), 0o644);
    assert!(!std::fs::read_to_string(&backup).unwrap().contains("servers.b"));

    let mut editor = Editor::open(path.clone()).unwrap();
    editor.put(&named("c"), &git()).unwrap();
    editor.save().unwrap();
    assert_eq!(mode(), 0o600);
}

#[test]
fn what_another_command_wrote_meanwhile_is_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tidegate.toml");
    let mut late = Editor::open(path.clone()).unwrap();
    late.put(&named("late"), &git()).unwrap();
    let mut quick = Editor::open(path.clone()).unwrap();
    quick.put(&named("quick"), &git()).unwrap();
    quick.save().unwrap();
    let refused = late.save().unwrap_err().to_string();
    assert!(refused.contains("was changed by somebody else meanwhile"), "{refused}");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("servers.quick") && !text.contains("servers.late"));
}

#[test]
fn a_link_stays_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real.toml"), folder.path().join("tidegate.toml"));
    std::fs::write(&real, "").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let mut editor = Editor::open(link.clone()).unwrap();
    editor.put(&named("git"), &git()).unwrap();
    editor.save().unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&real).unwrap().contains("servers.git"));
}

fn changed(before: &str, change: impl FnOnce(&mut Editor)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tidegate.toml");
    if !before.is_empty() {
        std::fs::write(&path, before).unwrap();
    }
    let mut editor = Editor::open(path.clone()).unwrap();
    change(&mut editor);
    editor.save().unwrap();
    std::fs::read_to_string(&path).unwrap()
}

fn named(text: &str) -> ServerName {
    name::check(text).unwrap()
}

fn git() -> ServerSection {
    ServerSection {
        command: Some("uvx".into()),
        args: vec!["mcp-server-git".into(), "it's \"quoted\"".into()],
        env: [("TOKEN".to_owned(), "abc".to_owned())].into(),
        timeout: Some(crate::config::section::Span(std::time::Duration::from_secs(5))),
        ..ServerSection::default()
    }
}
