//! What a server's table may say, and what is said about one that may not.

use insta::assert_snapshot;

use crate::config::section::Kind;
use crate::config::servers::parse;

#[test]
fn every_key_is_read() {
    let servers =
        parse("/p/tidegate.toml".as_ref(), include_str!("../../../tests/servers/every-key.toml"))
            .unwrap();
    let kinds: Vec<(&str, Kind)> =
        servers.iter().map(|server| (server.name.0.as_str(), server.kind)).collect();
    assert_eq!(
        kinds,
        [
            ("docs", Kind::Http),
            ("files", Kind::Stdio),
            ("machine", Kind::Http),
            ("plain", Kind::Endpoints),
            ("shop", Kind::OpenApi),
        ]
    );
    let files = &servers[1].section;
    assert_eq!(files.timeout.unwrap().0.as_millis(), 1_500);
    assert_eq!(files.connect_timeout.unwrap().0.as_secs(), 90);
    assert_eq!(files.max_answer_bytes.unwrap().0, 1_000_000);
    assert_eq!(files.tool_timeouts["slow"].0.as_secs(), 300);
    assert!(!files.is_enabled());
    assert_eq!(files.learn, Some(false));
}

#[test]
fn a_wrong_key_is_named_with_its_line_and_the_right_ones() {
    assert_snapshot!(
        wrong("[servers.a]\ncomand = 'x'\n"),
        @"tidegate.toml:2: in [servers.a] there is no key `comand` (did you mean `command`?); valid keys: description, command, args, cwd, url, transport, auth, openapi, base-url, startup, connect-timeout, timeout, concurrency, max-answer-bytes, enabled, trusted, read-only, idempotent, writes, pin, learn, pii, env, headers, tool-timeouts, tool-pii, oauth, tools"
    );
    assert_snapshot!(wrong("[servers.a]\nurl = 'https://h/'\nconnect_timeout = 3\n"), @"tidegate.toml:3: in [servers.a] there is no key `connect_timeout` (did you mean `connect-timeout`?); valid keys: description, command, args, cwd, url, transport, auth, openapi, base-url, startup, connect-timeout, timeout, concurrency, max-answer-bytes, enabled, trusted, read-only, idempotent, writes, pin, learn, pii, env, headers, tool-timeouts, tool-pii, oauth, tools");
    assert_snapshot!(wrong("[server.a]\ncommand = 'x'\n"), @"tidegate.toml:1: there is no key `server` (did you mean `servers`?); valid keys: check, checker, servers, learn, limits, serve, tools, embeddings, roots, elicitation, policy, privacy, secrets, review, network, audit, ask, skills");
    assert_snapshot!(wrong("[servers.a]\nurl = 'https://h/'\n[servers.a.oauth]\nclientId = 'x'\n"), @"tidegate.toml:4: in [servers.a.oauth] there is no key `clientId` (did you mean `client-id`?); valid keys: client-id, client-secret, client-metadata-url, scopes, grant");
}

#[test]
fn a_wrong_value_is_named_with_its_line_and_what_was_expected() {
    assert_snapshot!(wrong("[servers.a]\ncommand = 'x'\nargs = 'y'\n"), @"tidegate.toml:3: `servers.a.args`: a list is wanted here, not text");
    assert_snapshot!(wrong("[servers.a]\ncommand = 'x'\nargs = ['y', 1]\n"), @"tidegate.toml:3: `servers.a.args`: text in quotes is wanted here, not a number");
    assert_snapshot!(wrong("[servers.a]\ncommand = 'x'\n\ntimeout = 'soon'\n"), @r#"tidegate.toml:4: `servers.a.timeout`: "soon" is not a duration: write a number and a unit, such as 500ms, 5s or 2m"#);
    assert_snapshot!(wrong("[servers.a]\ncommand = 'x'\ntimeout = true\n"), @r#"tidegate.toml:3: `servers.a.timeout`: a duration such as "30s" or "500ms", or a number of seconds is wanted here, not true or false"#);
    assert_snapshot!(wrong("[servers.a]\ncommand = 'x'\nenv = { PORT = 80 }\n"), @"tidegate.toml:3: `servers.a.env.PORT`: text in quotes is wanted here, not a number");
    assert_snapshot!(wrong("[servers.a]\nurl = 'https://h/'\ntransport = 'http'\n"), @"tidegate.toml:3: `servers.a.transport`: `http` is not possible here, only one of `auto`, `streamable-http`, `sse`");
    assert_snapshot!(wrong("[servers.a\n"), @"tidegate.toml:1: unclosed table, expected `]`");
    assert_snapshot!(wrong("[[servers.a.tools]]\nname = 'x'\n"), @"tidegate.toml:1: `servers.a.tools`: `url` is missing");
}

#[test]
fn keys_that_contradict_each_other_are_refused() {
    assert_snapshot!(wrong("\n[servers.a]\ndescription = 'x'\n"), @"tidegate.toml:2: server `a`: it has none of `command`, `url`, `openapi` and `tools`; add the one that says where the server is");
    assert_snapshot!(wrong("[servers.a]\ncommand = 'x'\nread-only = ['get', 'a*']\nwrites = ['a*']\n"), @r#"tidegate.toml:1: server `a`: "a*" is in `read-only` and in `writes`; leave it in one of them"#);
    assert_snapshot!(wrong("[servers.a]\ncommand = 'x'\nidempotent = ['']\n"), @"tidegate.toml:1: server `a`: `idempotent` has an empty pattern, which fits no tool; write a tool's name, with * for any letters");
    assert_snapshot!(wrong("[servers.a]\nwrites = ['x']\n[[servers.a.tools]]\nname = 'x'\nurl = 'https://h/'\n"), @"tidegate.toml:1: server `a`: `writes` is about tools of which a server says something, and this server's tools are described here; say `read-only` or `idempotent` in the table of the tool");
    assert_snapshot!(wrong("[servers.a]\ncommand = 'x'\nurl = 'https://h/'\n"), @"tidegate.toml:1: server `a`: it has both `command` and `url`; one server is one of them, so make it two");
    assert_snapshot!(wrong("[servers.a]\nurl = 'https://h/'\nargs = ['x']\n"), @"tidegate.toml:1: server `a`: `args` goes with `command`, and this server has `url`; remove it");
    assert_snapshot!(wrong("[servers.a]\nurl = 'ftp://h/'\n"), @"tidegate.toml:1: server `a`: `url`: this is not an address that begins with https:// or http://");
    assert_snapshot!(wrong("[servers.a]\nurl = 'https://h/'\nauth = 'none'\noauth = { client-id = 'x' }\n"), @r#"tidegate.toml:1: server `a`: `auth` is "none" and there is an `oauth` table; remove one of them"#);
    assert_snapshot!(wrong("[servers.a]\nurl = 'https://h/'\noauth = { grant = 'client-credentials' }\n"), @r#"tidegate.toml:1: server `a`: `oauth.grant` is "client-credentials", which needs `oauth.client-id` too"#);
    assert_snapshot!(wrong("[servers.a]\ncommand = 'x'\nargs = ['${TOKEN}']\n"), @"tidegate.toml:1: server `a`: `args[0]`: `${TOKEN}` is no reference; write ${env:TOKEN} for the environment variable");
    assert_snapshot!(wrong("[servers.a]\ncommand = 'x'\nconcurrency = 0\n"), @"tidegate.toml:1: server `a`: `concurrency` is 0, which would never call anything; use 1 or more");
    assert_snapshot!(wrong("[servers.'a b']\ncommand = 'x'\n"), @r#"tidegate.toml:1: server `a b`: "a b" cannot name a server: use 1 to 64 letters, digits, dots, underscores and hyphens, and neither a dot nor a hyphen first"#);
    assert_snapshot!(wrong("[servers.a]\nurl = 'https://h/'\nheaders = { 'X Y' = '1' }\n"), @r#"tidegate.toml:1: server `a`: `headers` has "X Y", which cannot be a name there"#);
}

fn wrong(text: &str) -> String {
    parse("tidegate.toml".as_ref(), text).unwrap_err().to_string()
}
