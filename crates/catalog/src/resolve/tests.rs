//! Every spelling of a tool leads to it, and to no other.

use std::sync::Arc;

use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;
use crate::{Annotations, Listing, Tool, ToolName};

fn catalog(servers: &[(&str, &[&str])]) -> Catalog {
    let listing = |(server, tools): &(&str, &[&str])| Listing {
        server: ServerName((*server).to_owned()),
        title: None,
        version: None,
        description: None,
        tools: tools
            .iter()
            .map(|name| Tool {
                name: ToolName((*name).to_owned()),
                title: None,
                description: None,
                input_schema: serde_json::Value::Null,
                output_schema: None,
                annotations: Annotations::default(),
            })
            .collect(),
    };
    Catalog::new(servers.iter().map(listing).map(Arc::new).collect())
}

fn usual() -> Catalog {
    catalog(&[
        ("github", &["create_issue", "search_repositories", "getFile"]),
        ("google-drive", &["getDocument", "search.files"]),
        ("gitlab", &["create_issue", "list_issues"]),
    ])
}

fn found(catalog: &Catalog, server: Option<&str>, tool: &str) -> String {
    match catalog.resolve(server, tool) {
        Ok(tool) => qualified(tool),
        Err(error) => error.to_string(),
    }
}

#[test]
fn every_way_to_write_a_tool_leads_to_it() {
    let catalog = usual();
    for name in [
        "getDocument",
        "get_document",
        "GETDOCUMENT",
        "get-document",
        "google-drive.getDocument",
        "google_drive.get_document",
        "googleDrive/getDocument",
        "servers.google_drive.get_document",
        "servers/google-drive/getDocument",
        "mcp__google-drive__getDocument",
        "mcp__google_drive__get_document",
        "Google Drive: Get Document",
    ] {
        assert_eq!(found(&catalog, None, name), "google-drive.getDocument", "{name}");
    }
    assert_eq!(found(&catalog, None, "search.files"), "google-drive.search.files");
    for (server, tool) in [
        ("github", "create_issue"),
        ("GitHub", "createIssue"),
        ("git-hub", "Create-Issue"),
        ("github", "github.create_issue"),
        ("github", "mcp__github__create_issue"),
    ] {
        assert_eq!(found(&catalog, Some(server), tool), "github.create_issue", "{server} {tool}");
    }
}

#[test]
fn a_bare_name_that_several_servers_have_lists_them() {
    assert_snapshot!(found(&usual(), None, "createIssue"), @r#""createIssue" could be any of "github.create_issue", "gitlab.create_issue"; write one of these instead"#);
}

#[test]
fn errors_say_what_would_have_worked() {
    let catalog = usual();
    assert_snapshot!(found(&catalog, Some("githib"), "create_issue"), @r#"there is no server "githib"; the servers are github, gitlab, google-drive; did you mean "github" or "gitlab"?"#);
    assert_snapshot!(found(&catalog, Some("github"), "creat_isue"), @r#"the server "github" has no tool "creat_isue"; its tools are create_issue, search_repositories, getFile; did you mean "create_issue"?"#);
    assert_snapshot!(found(&catalog, None, "github.issue_create"), @r#"the server "github" has no tool "issue_create"; its tools are create_issue, search_repositories, getFile; did you mean "create_issue"?"#);
    assert_snapshot!(found(&catalog, None, "mcp__slack__post"), @r#"there is no server "slack"; the servers are github, gitlab, google-drive"#);
    assert_snapshot!(found(&catalog, None, "serch_repositories"), @r#"none of the 3 servers has a tool "serch_repositories"; a tool is written server.tool; did you mean "github.search_repositories"?"#);
    assert_snapshot!(found(&catalog, None, "gitlab"), @r#""gitlab" is a server, not a tool; its tools are gitlab.create_issue, gitlab.list_issues"#);
    assert_snapshot!(found(&Catalog::default(), Some("x"), "y"), @r#"there is no server "x"; no servers are configured"#);
}

#[test]
fn no_server_can_pass_a_tool_off_as_that_of_another() {
    let catalog = catalog(&[
        ("evil", &["github.create_issue", "mcp__github__create_issue", "github/createIssue"]),
        ("github", &["create_issue"]),
    ]);
    for name in ["github.create_issue", "mcp__github__create_issue", "github/createIssue"] {
        assert_eq!(found(&catalog, None, name), "github.create_issue");
        assert_eq!(found(&catalog, Some("evil"), name), format!("evil.{name}"));
    }
}

#[test]
fn the_better_fit_wins() {
    let catalog = catalog(&[("a", &["get_x", "getX", "GET-X"]), ("A", &["y"])]);
    assert_eq!(found(&catalog, Some("a"), "getX"), "a.getX");
    assert_eq!(found(&catalog, Some("a"), "get_x"), "a.get_x");
    assert_eq!(found(&catalog, Some("A"), "y"), "A.y");
    assert!(found(&catalog, Some("a"), "Get.X").contains("could be any of"));
}

#[test]
fn a_catalog_made_again_shares_what_stayed_the_same() {
    let before = usual();
    let mut listings: Vec<Arc<Listing>> =
        before.servers().map(|server| Arc::clone(server.listing())).collect();
    listings.remove(0);
    let after = before.refreshed(listings);
    let server = ServerName("gitlab".to_owned());
    assert!(std::ptr::eq(before.server(&server).unwrap(), after.server(&server).unwrap()));
    assert_eq!(after.servers().len(), 2);
}

#[test]
fn of_tools_with_the_same_name_the_first_counts() {
    let catalog = catalog(&[("a", &["x", "x", "y"])]);
    assert_eq!(catalog.tools().count(), 2);
}

proptest! {
    #[test]
    fn any_tool_is_found_by_its_own_name_and_its_identifiers(
        names in prop::collection::btree_set(prop_oneof!["[aA._-]{0,4}", any::<String>()], 1..8),
    ) {
        let tools: Vec<&str> = names.iter().map(String::as_str).collect();
        let catalog = catalog(&[("server", &tools), ("other", &[])]);
        for tool in catalog.tools() {
            let same = |name: &str| catalog.resolve(Some("server"), name).is_ok_and(|found| std::ptr::eq(found, tool));
            prop_assert!(same(&tool.name().0));
            prop_assert!(same(tool.python()));
            prop_assert!(same(tool.typescript()));
        }
    }

    #[test]
    fn any_text_is_answered(server in proptest::option::of(any::<String>()), tool in any::<String>()) {
        let catalog = usual();
        if let Err(error) = catalog.resolve(server.as_deref(), &tool) {
            prop_assert!(error.to_string().len() < 2_000);
        }
    }
}
