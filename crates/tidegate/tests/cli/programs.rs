//! Programs that call tools: from another client's file, many calls at once, and no longer than they may take.

use serde_json::{Value, json};

use crate::tide::User;

/// So many calls of a tool that answers once `together` of them are open.
fn gathered(calls: u32, together: u32) -> String {
    format!(
        "import asyncio\nfrom servers.meeting import meet\n\
         answers = await asyncio.gather(*[meet(count={together}) for _ in range({calls})])\n\
         max(answer['most'] for answer in answers)"
    )
}

#[test]
fn a_file_of_another_client_is_used_without_importing_it() {
    let user = User::new();
    let server = json!({"command": "python3", "args": [script()]});
    let file = user.file("mcp.json", &json!({"mcpServers": {"meeting": server}}).to_string());
    let program = user.file("program.py", &gathered(1, 1));
    let (file, program) = (file.to_str().unwrap(), program.to_str().unwrap());
    assert_eq!(user.value(&["--mcp-config", file, program]), 1);

    let listed: Value = serde_json::from_str(&user.ok(&["list", "--json"])).unwrap();
    assert_eq!(listed, json!([]), "it is not one of the user's own servers afterwards");
    let without = user.outcome(&[program]);
    assert_eq!(without["success"], false, "{without}");
}

#[test]
fn a_session_keeps_what_it_imported_of_servers_for_programs_that_do_not_name_them() {
    let user = with_meeting("");
    let first = "import servers.meeting as meeting\n\
                 async def most():\n    return (await meeting.meet(count=1))['most']\n1";
    let session = ["--session", "kept", "-c"];
    assert_eq!(user.value(&[&session[..], &[first]].concat()), 1);
    assert_eq!(user.value(&[&session[..], &["await most()"]].concat()), 1);
}

#[test]
fn ten_calls_in_one_gather_are_open_at_the_same_time() {
    let user = with_meeting("");
    let program = user.file("program.py", &gathered(10, 10));
    assert_eq!(user.value(&[program.to_str().unwrap()]), 10);
}

#[test]
fn no_more_calls_of_a_server_are_open_than_its_setting_says() {
    let user = with_meeting("concurrency = 3\n");
    let program = user.file("program.py", &gathered(9, 3));
    assert_eq!(user.value(&[program.to_str().unwrap()]), 3);
}

#[test]
fn one_tool_may_have_less_time_than_the_others_of_its_server() {
    let user =
        with_meeting("timeout = \"10m\"\n[servers.meeting.tool-timeouts]\nnever = \"200ms\"\n");
    let program = user.file("program.py", "from servers.meeting import never\nawait never()");
    let outcome = user.outcome(&[program.to_str().unwrap()]);
    assert_eq!(outcome["success"], false, "{outcome}");
    let said = outcome["error"].to_string();
    assert!(said.contains("tool-timeouts") && said.contains("never"), "{said}");
}

fn with_meeting(settings: &str) -> User {
    let user = User::new();
    let folder = user.folder().join("config/tidegate");
    std::fs::create_dir_all(&folder).unwrap();
    let server =
        format!("[servers.meeting]\ncommand = \"python3\"\nargs = [{:?}]\n{settings}", script());
    std::fs::write(folder.join("tidegate.toml"), server).unwrap();
    user
}

fn script() -> String {
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    format!("{folder}/tests/servers/meeting.py")
}
