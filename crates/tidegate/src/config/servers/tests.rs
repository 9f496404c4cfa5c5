//! Servers are read from their file, and get their secrets one at a time.

use std::path::Path;

use upstream::{Auth, ServerSettings, Source, Startup, Timeouts, Wire};

use super::*;
use crate::config::secrets::{Entry, KeyringError, Lookup};

#[test]
fn a_server_gets_its_secrets_when_it_is_about_to_be_used() {
    let server = only(
        "[servers.a]\ncommand = './run'\nargs = ['--x=${env:TOKEN}']\nenv = { A = '${env:TOKEN}' }\n",
    );
    let settings = settings(&server).unwrap();
    let Source::Hiding(hiding) = &settings.source else { panic!("{settings:?}") };
    assert!(hiding.values.iter().all(|value| value.reveal() == "t0ken"));
    let Source::Stdio(stdio) = &*hiding.source else { panic!("{settings:?}") };
    assert_eq!(stdio.command, "/p/./run");
    assert_eq!(stdio.arguments, ["--x=t0ken"]);
    assert_eq!(stdio.environment["A"].reveal(), "t0ken");
}

#[test]
fn secrets_among_arguments_are_hidden_in_what_a_server_says() {
    let server = only(
        "[servers.a]\ncommand = 'run'\nargs = ['--api-key', 'abcdefgh1', \
         '--db=postgres://u:passw0rd@h/', '--token=ghp_0123456789abcdef', '--dir=/srv/anna']\n\
         env = { GH = 'ghp_fedcba9876543210', HOME = '/srv/anna' }\n",
    );
    let settings = settings(&server).unwrap();
    let Source::Hiding(hiding) = &settings.source else { panic!("{settings:?}") };
    let of = |all: &[upstream::Secret<String>]| -> std::collections::BTreeSet<String> {
        all.iter().map(|value| value.reveal().clone()).collect()
    };
    let sure = ["ghp_0123456789abcdef", "ghp_fedcba9876543210", "passw0rd"];
    assert_eq!(of(&hiding.values), sure.map(str::to_owned).into());
    assert_eq!(of(&hiding.perhaps), ["abcdefgh1".to_owned()].into());
}

#[test]
fn secrets_within_variables_and_headers_are_hidden() {
    let sure = |text: &str| -> std::collections::BTreeSet<String> {
        let settings = settings(&only(text)).unwrap();
        let Source::Hiding(hiding) = settings.source else { return [].into() };
        hiding.values.iter().map(|value| value.reveal().clone()).collect()
    };
    for (value, hidden) in [
        ("DATABASE_URL = 'postgres://u:dbpword77@h/db'", "dbpword77"),
        ("MONGO = 'mongodb://u:dbpword77@a:1,b:2/db'", "dbpword77"),
        ("DSN = 'anna:dsnpw9999@h/db'", "dsnpw9999"),
        ("CONN = 'Server=h;Password=connpw123;'", "connpw123"),
        ("DB_PASS = 'dbpass9999'", "dbpass9999"),
        ("PASSPHRASE = 'dbpass9999'", "dbpass9999"),
        ("MADE = 'postgres://u:dbpword77@${env:DB_HOST}/db'", "dbpword77"),
        ("MADE = 'postgres://u:${env:ACME_ENV}@h/db'", "t0ken-of-acme"),
        ("API_TOKEN = '${env:ACME_ENV}'", "t0ken-of-acme"),
        ("API_TOKEN = 'dollar$${abcdef}pw'", "dollar${abcdef}pw"),
        ("API_TOKEN = 'literalsecret99${env:DB_HOST}'", "literalsecret99db.example.com"),
    ] {
        let of = |table: &str| format!("{table} = {{ {value} }}\n");
        let stdio = format!("[servers.a]\ncommand = 'run'\n{}", of("env"));
        let http = format!("[servers.a]\nurl = 'https://h/'\n{}", of("headers"));
        for text in [stdio, http] {
            assert!(sure(&text).contains(hidden), "{text}: {:?}", sure(&text));
        }
    }
    for value in [
        "DATA_DIR = '/srv/anna/data'",
        "API = 'https://h/db'",
        "LEVEL = '${env:ACME_ENV}'",
        "DATABASE_URL = 'postgres://postgres:postgres@localhost/app'",
        "DATABASE_URL = 'postgres://anna:customers@localhost/app'",
        "POSTGRES_PASSWORD = 'postgres'",
        "Z_KEYCLOAK_ENV = '${env:APP_ENV}'",
        "Z_KEYCLOAK_REALM = 'customers'",
        "Z_OPTS = '-Dauth.mode=production'",
        "Z_OPTS = '-Dauth.mode=customers9'",
    ] {
        let text = format!("[servers.a]\ncommand = 'run'\nenv = {{ {value} }}\n");
        assert_eq!(sure(&text), [].into(), "{text}");
    }
}

#[test]
fn settings_never_show_what_variables_and_headers_hold() {
    let stdio = only("[servers.a]\ncommand = 'run'\nenv = { A = '${env:TOKEN}' }\n");
    let http = only("[servers.a]\nurl = 'https://h/'\nheaders = { A = 'Bearer ${env:TOKEN}' }\n");
    for server in [stdio, http] {
        let shown = format!("{:?}", settings(&server).unwrap());
        assert!(!shown.contains("t0ken"), "{shown}");
    }
}

#[test]
fn what_is_not_said_is_usual() {
    let settings = settings(&only("[servers.a]\nurl = 'https://h/mcp'\n")).unwrap();
    assert_eq!(settings.startup, Startup::Lazy);
    assert_eq!(settings.timeouts, Timeouts::default());
    assert_eq!((settings.concurrency, settings.answer_bytes), (32, 64 << 20));
    let Source::Http(http) = settings.source else { panic!("it is reached over HTTP") };
    assert_eq!((http.auth, http.wire), (Auth::default(), Wire::Auto));
}

#[test]
fn a_missing_secret_names_the_server_the_setting_and_the_variable() {
    let text =
        "[servers.a]\ncommand = 'x'\nenv = { KEY = '${env:NONE}' }\n[servers.b]\ncommand = 'x'\n";
    let servers = parse(Path::new("/p/tidegate.toml"), text).unwrap();
    let said = settings(&servers[0]).unwrap_err();
    insta::assert_snapshot!(said, @"server `a` cannot be used: setting `env.KEY`: the environment variable NONE is not set; set it and try again");
    assert!(settings(&servers[1]).is_ok());
}

#[test]
fn a_secret_that_would_become_another_header_is_refused() {
    let said =
        settings(&only("[servers.a]\nurl = 'https://h/'\nheaders = { A = '${env:LINES}' }\n"))
            .unwrap_err();
    assert!(said.contains("headers.A") && said.contains("line break"), "{said}");
}

#[test]
fn an_address_is_checked_again_when_it_is_whole() {
    let said = settings(&only("[servers.a]\nurl = '${env:TOKEN}'\n")).unwrap_err();
    assert!(said.contains("`url`") && said.contains("https://"), "{said}");
}

#[test]
fn machines_log_in_with_credentials() {
    let text = "[servers.a]\nurl = 'https://h/'\n[servers.a.oauth]\ngrant = 'client-credentials'\nclient-id = 'me'\n\
                client-secret = '${env:TOKEN}'\nscopes = ['read']\n";
    let settings = settings(&only(text)).unwrap();
    let Source::Http(http) = settings.source.clone().plain() else { panic!("{settings:?}") };
    let Auth::ClientCredentials(credentials) = &http.auth else { panic!("{http:?}") };
    assert_eq!(credentials.client_id, "me");
    assert_eq!(credentials.client_secret.reveal(), "t0ken");
    assert_eq!(credentials.scopes, ["read"]);
}

#[test]
fn the_projects_server_counts_more_than_the_users() {
    let folder = tempfile::tempdir().unwrap();
    let (own, project) = (folder.path().join("own/tidegate"), folder.path().join("project"));
    std::fs::create_dir_all(&own).unwrap();
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(
        own.join("tidegate.toml"),
        "servers.a.command = 'own'\nservers.b.command = 'own'\n",
    )
    .unwrap();
    std::fs::write(project.join("tidegate.toml"), "servers.a.command = 'project'\n").unwrap();
    let places = Places {
        config: Some(folder.path().join("own")),
        project: vec![project],
        ..Places::default()
    };
    let servers = load(&places).unwrap();
    let commands: Vec<_> =
        servers.iter().map(|server| server.section.command.as_deref().unwrap()).collect();
    assert_eq!(commands, ["project", "own"]);
}

fn only(text: &str) -> Server {
    parse(Path::new("/p/tidegate.toml"), text).unwrap().remove(0)
}

fn settings(server: &Server) -> Result<ServerSettings, String> {
    let environment = |name: &str| match name {
        "TOKEN" => Some("t0ken".into()),
        "ACME_ENV" => Some("t0ken-of-acme".into()),
        "APP_ENV" => Some("production".into()),
        "DB_HOST" => Some("db.example.com".into()),
        "LINES" => Some("a\r\nX-Evil: 1".into()),
        _ => None,
    };
    let keyring = |entry: &Entry| Err(KeyringError::NoEntry { entry: entry.clone() });
    let lookup =
        Lookup { folder: Path::new("/"), home: None, environment: &environment, keyring: &keyring };
    server.settings(&lookup).map_err(|error| error.to_string())
}
