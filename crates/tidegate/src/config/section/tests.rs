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
}

#[test]
fn a_wrong_key_is_named_with_its_line_and_the_right_ones() {
    assert_snapshot!(
        wrong("[servers.a]\ncomand = 'x'\n"),
        @""
    );
    assert_snapshot!(wrong("[servers.a]\nurl = 'https://h/'\nconnect_timeout = 3\n"), @"");
    assert_snapshot!(wrong("[server.a]\ncommand = 'x'\n"), @"");
    assert_snapshot!(wrong("[servers.a]\nurl = 'https://h/'\n[servers.a.oauth]\nclientId = 'x'\n"), @"");
}

#[test]
fn a_wrong_value_is_named_with_its_line_and_what_was_expected() {
    assert_snapshot!(wrong("[servers.a]\ncommand = 'x'\nargs = 'y'\n"), @"");
    assert_snapshot!(wrong("[servers.a]\ncommand = 'x'\nargs = ['y', 1]\n"), @"");
    assert_snapshot!(wrong("[servers.a]\ncommand = 'x'\n\ntimeout = 'soon'\n"), @"");
    assert_snapshot!(wrong("[servers.a]\ncommand = 'x'\ntimeout = true\n"), @"");
    assert_snapshot!(wrong("[servers.a]\ncommand = 'x'\nenv = { PORT = 80 }\n"), @"");
    assert_snapshot!(wrong("[servers.a]\nurl = 'https://h/'\ntransport = 'http'\n"), @"");
    assert_snapshot!(wrong("[servers.a\n"), @"");
    assert_snapshot!(wrong("[[servers.a.tools]]\nname = 'x'\n"), @"");
}

#[test]
fn keys_that_contradict_each_other_are_refused() {
    assert_snapshot!(wrong("\n[servers.a]\ndescription = 'x'\n"), @"");
    assert_snapshot!(wrong("[servers.a]\ncommand = 'x'\nurl = 'https://h/'\n"), @"");
    assert_snapshot!(wrong("[servers.a]\nurl = 'https://h/'\nargs = ['x']\n"), @"");
    assert_snapshot!(wrong("[servers.a]\nurl = 'ftp://h/'\n"), @"");
    assert_snapshot!(wrong("[servers.a]\nurl = 'https://h/'\nauth = 'none'\noauth = { client-id = 'x' }\n"), @"");
    assert_snapshot!(wrong("[servers.a]\nurl = 'https://h/'\noauth = { grant = 'client-credentials' }\n"), @"");
    assert_snapshot!(wrong("[servers.a]\ncommand = 'x'\nargs = ['${TOKEN}']\n"), @"");
    assert_snapshot!(wrong("[servers.a]\ncommand = 'x'\nconcurrency = 0\n"), @"");
    assert_snapshot!(wrong("[servers.'a b']\ncommand = 'x'\n"), @"");
    assert_snapshot!(wrong("[servers.a]\nurl = 'https://h/'\nheaders = { 'X Y' = '1' }\n"), @"");
}

fn wrong(text: &str) -> String {
    parse("tidegate.toml".as_ref(), text).unwrap_err().to_string()
}
