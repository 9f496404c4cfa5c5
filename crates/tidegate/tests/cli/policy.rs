//! Rules about calls, at the command line.

use crate::tide::User;

const SERVER: &str = r#"
import json, sys
TOOLS = [
    {"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
    {"name": "remove", "inputSchema": {"type": "object"}, "annotations": {"destructiveHint": True}},
]
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    method = asked["method"]
    if method == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": TOOLS}
    elif method == "tools/call":
        result = {"content": [{"type": "text", "text": asked["params"]["name"]}]}
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"#;

fn user(rules: &str) -> (User, String) {
    let user = User::new();
    let server = user.file("server.py", SERVER);
    let server = server.display();
    let text = format!("[servers.s]\ncommand = \"python3\"\nargs = [\"{server}\"]\n{rules}");
    let config = user.file("tidegate.toml", &text);
    (user, config.to_str().unwrap().to_owned())
}

#[test]
fn a_destructive_tool_is_asked_about_and_approved_beforehand() {
    let (user, config) = user("");
    let program = "from servers.s import look, remove\n[await look(), await remove()]";
    let run = ["--config", &config, "run", "-c", program];
    let said = user.tidegate(&run);
    assert_eq!(said.code, Some(1), "{said:?}");
    for words in ["s.remove was not called", "policy.destructive", "--approve s.remove"] {
        assert!(said.stderr.contains(words), "no {words:?} in {said:?}");
    }
    let said = user.ok(&[&run[..], &["--approve", "s.rem*"]].concat());
    assert!(said.contains("remove"), "{said}");
    let explained = user.ok(&["--config", &config, "policy", "explain", "s.remove"]);
    assert!(explained.contains("s.remove is asked about"), "{explained}");
    assert!(explained.contains("policy.destructive"), "{explained}");
}

#[test]
fn rules_are_explained_and_mistakes_in_them_are_errors() {
    let rule = "[[policy.rules]]\nname = \"small\"\ntools = \"s.look\"\nwhen = \"amount <= 1000\"\naction = \"allow\"\n[[policy.rules]]\ntools = \"s.*\"\naction = \"deny\"\n";
    let (user, config) = user(rule);
    let explain =
        |arguments: &str| user.ok(&["--config", &config, "policy", "explain", "s.look", arguments]);
    assert!(explain(r#"{"amount": 10}"#).contains("is allowed\n  by small"));
    assert!(explain(r#"{"amount": 5000}"#).contains("is denied\n  by rule 2"));
    let shown = user.ok(&["--config", &config, "policy", "show"]);
    assert!(shown.contains("amount <= 1000") && shown.contains("destructive"), "{shown}");
    for (wrong, words) in [
        ("[[policy.rules]]\ntool = \"s.look\"\naction = \"deny\"\n", "there is no key `tool`"),
        ("[[policy.rules]]\ntools = \"s.look\"\n", "neither what is done"),
        ("[policy]\nreads = \"maybe\"\n", "maybe"),
        (
            "[[policy.rules]]\ntools = \"s.*\"\naction = \"deny\"\n[[policy.rules]]\ntools = \"s.look\"\naction = \"allow\"\n",
            "never reached",
        ),
        (
            "[[policy.rules]]\ntools = \"s.look\"\nwhen = \"amount ~ 5\"\naction = \"deny\"\n",
            "amount ~ 5",
        ),
    ] {
        let (user, config) = self::user(wrong);
        let said = user.tidegate(&["--config", &config, "run", "-c", "1"]);
        assert_eq!(said.code, Some(2), "{wrong}: {said:?}");
        assert!(said.stderr.contains(words), "{wrong}: {said:?}");
    }
}

#[test]
fn what_the_operator_says_of_a_tool_counts_before_what_its_server_says() {
    let (user, config) = user("read-only = [\"rem*\"]\nwrites = [\"look\", \"lost_*\"]\n");
    let told = user.tidegate(&["--config", &config, "test", "s"]);
    assert_eq!(told.code, Some(0), "{told:?}");
    let idle = "`servers.s.writes` has \"lost_*\", which fits no tool of it";
    assert!(told.stderr.contains(idle), "{told:?}");
    assert!(!told.stderr.contains("rem*"), "{told:?}");
    let doctor = user.tidegate(&["--config", &config, "doctor"]);
    assert!(doctor.stdout.contains(idle), "{doctor:?}");
    let explain = |tool: &str| user.ok(&["--config", &config, "policy", "explain", tool]);
    let remove = explain("s.remove");
    assert!(remove.contains("s.remove is allowed\n  by policy.reads"), "{remove}");
    assert!(remove.contains("overruled by `servers.s.read-only` with \"rem*\""), "{remove}");
    assert!(remove.contains("may be repeated"), "{remove}");
    let look = explain("s.look");
    assert!(look.contains("s.look is allowed\n  by policy.writes"), "{look}");
    assert!(look.contains("is not repeated"), "{look}");
    let shown = user.ok(&["--config", &config, "tools", "show", "s.remove"]);
    assert!(shown.contains("# it changes nothing: `servers.s.read-only` has \"rem*\""), "{shown}");
    // It is asked about no more.
    let program = "from servers.s import remove\nawait remove()";
    let said = user.ok(&["--config", &config, "run", "-c", program]);
    assert!(said.contains("remove"), "{said}");
}

#[test]
fn a_tool_that_is_to_be_hidden_and_is_not_there_is_named() {
    let (user, config) = user("tool-pii = { look = \"tokenize\", \"r*\" = \"tokenize\" }\n");
    let told = user.tidegate(&["--config", &config, "test", "s"]);
    let idle =
        "`servers.s.tool-pii` has \"r*\" as \"tokenize\", which is the name of no tool of it";
    assert!(told.stderr.contains(idle) && !told.stderr.contains("\"look\""), "{told:?}");
    let doctor = user.tidegate(&["--config", &config, "doctor"]);
    assert!(doctor.stdout.contains(idle), "{doctor:?}");
}

#[test]
fn a_session_that_was_imported_counts_as_having_read_everything() {
    let flow = "[[policy.flow]]\nfrom = \"hr.*\"\nto = \"s.look\"\naction = \"deny\"\n";
    let (user, config) = user(flow);
    let file = user.file("s.tide", "");
    // A place for it is all that is wanted: what is there already is not written over.
    std::fs::remove_file(&file).unwrap();
    let file = file.to_str().unwrap();
    let run = |session: &str, program: &str| {
        user.tidegate(&["--config", &config, "run", "--session", session, "-c", program])
    };
    let look = "from servers.s import look\nawait look()";
    assert_eq!(run("own", "x = 1").code, Some(0));
    assert_eq!(run("own", look).code, Some(0));
    user.ok(&["--config", &config, "session", "export", "own", "-o", file]);
    user.ok(&["--config", &config, "session", "import", file, "brought"]);
    let said = run("brought", look);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.stderr.contains("has read from elsewhere"), "{said:?}");
    // A name that is taken changes nothing of the session that has it.
    let taken = user.tidegate(&["--config", &config, "session", "import", file, "own"]);
    assert_eq!(taken.code, Some(2), "{taken:?}");
    assert_eq!(run("own", look).code, Some(0));
}

#[test]
fn what_is_no_tool_is_explained_as_it_is_decided() {
    let explain = |rules: &str, what: &str, level: &str| {
        let (user, config) = user(rules);
        user.ok(&["--config", &config, "policy", "explain", what, "--level", level])
    };
    for what in [
        "s.$resource",
        "s.$prompt",
        "http.GET h",
        "http.POST h",
        "tidegate.post",
        "tidegate.receive",
    ] {
        let said = explain("", what, "hardened");
        assert!(said.contains(&format!("{what} is allowed")), "{said}");
    }
    // By the same settings, too.
    for (rules, what, by) in [
        ("[policy]\nreads = \"deny\"\n", "s.$resource", "policy.reads"),
        ("[policy]\nreads = \"deny\"\n", "http.GET h", "policy.reads"),
        ("[policy]\nwrites = \"deny\"\n", "http.POST h", "policy.writes"),
        ("[policy]\nwrites = \"deny\"\n", "tidegate.post", "policy.writes"),
        ("[policy]\nunannotated = \"deny\"\n", "s.nothing", "policy.unannotated"),
    ] {
        let said = explain(rules, what, "production");
        assert!(said.contains(&format!("{what} is denied\n  by {by}")), "{said}");
    }
    let (user, config) = user("[policy]\nreads = \"deny\"\n");
    let code = "await read_resource('s', 's://paper')";
    let said = user.tidegate(&["--config", &config, "run", "-c", code]);
    assert!(
        said.stderr.contains("PolicyError") && said.stderr.contains("policy.reads"),
        "{said:?}"
    );
}
