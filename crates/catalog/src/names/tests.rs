//! Identifiers: valid, unique, and the same every time.

use std::collections::{BTreeSet, HashMap};

use proptest::prelude::*;

use super::*;
use crate::schema::{Field, Shape};

fn one(identifiers: fn(Kind, &[&str]) -> Vec<String>, name: &str) -> String {
    identifiers(Kind::Tool, &[name]).remove(0)
}

#[test]
fn names_become_what_a_programmer_would_write() {
    for (name, expected_python, expected_typescript) in [
        ("createIssue", "create_issue", "createIssue"),
        ("create-issue", "create_issue", "createIssue"),
        ("Create Issue", "create_issue", "createIssue"),
        ("create_issue", "create_issue", "createIssue"),
        ("foo__bar", "foo__bar", "fooBar"),
        ("HTTPServer", "http_server", "httpServer"),
        ("getHTTPStatus", "get_http_status", "getHTTPStatus"),
        ("getDocument2", "get_document2", "getDocument2"),
        ("S3Bucket", "s3_bucket", "s3Bucket"),
        ("listURLs", "list_urls", "listURLs"),
        ("v2/users.get", "v2_users_get", "v2UsersGet"),
        ("3d model", "tool_3d_model", "tool3dModel"),
        ("delete", "delete", "delete_"),
        ("import", "import_", "import_"),
        ("type", "type_", "type"),
        ("None", "none", "none"),
        ("match", "match_", "match"),
        ("index", "index", "index_"),
        ("list", "list_", "list"),
        ("then", "then", "then_"),
        ("Then", "then", "then_"),
        ("__init__", "init", "init"),
        ("_", "tool_", "tool"),
        ("", "tool_", "tool"),
        ("日本語 検索", "日本語_検索", "日本語検索"),
        ("Größe", "größe", "größe"),
        ("ﬁle", "file", "file"),
        ("a\u{202e}b", "a_b", "aB"),
    ] {
        assert_eq!(one(python, name), expected_python, "{name:?} in Python");
        assert_eq!(one(typescript, name), expected_typescript, "{name:?} in TypeScript");
    }
}

#[test]
fn a_server_is_not_called_like_a_part_of_the_package() {
    assert_eq!(
        python(Kind::Server, &["tool", "get_prompt", "github"]),
        ["tool_", "get_prompt_", "github"]
    );
    assert_eq!(python(Kind::Server, &["1password"]), ["server_1password"]);
}

#[test]
fn the_name_that_is_an_identifier_already_keeps_it() {
    let names = python(Kind::Tool, &["createIssue", "create_issue", "create-issue"]);
    assert_eq!(names[1], "create_issue");
    assert_eq!(names[0].len(), "create_issue_123456".len());
    assert_ne!(names[0], names[2]);
}

#[test]
fn of_names_that_differ_in_punctuation_none_takes_the_identifier() {
    let names = typescript(Kind::Tool, &["a.b", "a/b"]);
    assert!(names.iter().all(|name| name.starts_with("aB_")), "{names:?}");
    assert_ne!(names[0], names[1]);
    // The suffix comes from the name alone.
    assert_eq!(typescript(Kind::Tool, &["a-b", "a.b"])[1], names[0]);
}

#[test]
fn identifiers_differ_by_more_than_case() {
    let names = typescript(Kind::Tool, &["getUrl", "getURL"]);
    assert_ne!(names[0].to_lowercase(), names[1].to_lowercase());
}

#[test]
fn a_suffix_that_somebody_has_already_grows() {
    let taken = python(Kind::Tool, &["a.b", "a/b"]).remove(0);
    let names = python(Kind::Tool, &["a.b", "a/b", &taken]);
    assert_eq!(names[2], taken);
    assert!(names[0].len() > taken.len() && names[0].starts_with(&taken), "{names:?}");
}

#[test]
fn a_long_name_is_cut_and_stays_apart_from_its_like() {
    let (one, other) = (format!("{}a", "long".repeat(50)), format!("{}b", "long".repeat(50)));
    for names in [python(Kind::Tool, &[&one, &other]), typescript(Kind::Tool, &[&one, &other])] {
        assert_ne!(names[0], names[1]);
        assert!(names.iter().all(|name| name.chars().count() <= LONGEST), "{names:?}");
    }
}

#[test]
fn type_names_begin_with_a_capital() {
    assert_eq!(pascal("create-issue"), "CreateIssue");
    assert_eq!(pascal("3d"), "The3d");
    assert_eq!(pascal("…"), "The");
}

#[test]
fn parameters_keep_their_spelling_where_they_can() {
    let names = [
        "owner",
        "pageSize",
        "class",
        "type",
        "self",
        "If-Match",
        "$eq",
        "(default)",
        "@odata.type",
        "odata_type",
        "2fa",
        "",
        "None",
        "a b",
        "a-b",
        "__debug__",
        "_",
        "größe",
    ];
    assert_eq!(
        parameter_names(&names),
        [
            "owner",
            "pageSize",
            "class_",
            "type",
            "self",
            "If_Match",
            "eq",
            "default",
            "odata_type_2",
            "odata_type",
            "_2fa",
            "parameter",
            "None_",
            "a_b",
            "a_b_2",
            "debug",
            "_",
            "größe",
        ]
    );
}

fn parameter_names(names: &[&str]) -> Vec<String> {
    let fields: Vec<Field> = names
        .iter()
        .map(|name| Field {
            name: (*name).to_owned(),
            shape: Shape::Any,
            required: false,
            description: None,
            default: None,
            examples: Vec::new(),
            rules: Vec::new(),
        })
        .collect();
    parameters(&fields)
}

/// Names as servers have them, and names as only somebody hostile would have them.
fn any_names() -> impl Strategy<Value = BTreeSet<String>> {
    let name = prop_oneof![
        "[a-cA-C_./ -]{0,4}",
        "[a-zA-Z0-9_-]{0,250}",
        any::<String>(),
        prop::sample::select(vec![
            "class", "class_", "Class", "tool", "delete", "ŉ", "ß", "SS", "İ"
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::btree_set(name, 0..12)
}

fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first == '_' || unicode_ident::is_xid_start(first))
        && characters.all(unicode_ident::is_xid_continue)
        && unicode_normalization::is_nfkc(name)
        && name.chars().count() <= LONGEST
}

proptest! {
    #[test]
    fn any_names_become_valid_and_unique_identifiers(names in any_names()) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for (identifiers, reserved) in [
            (python as fn(Kind, &[&str]) -> Vec<String>, reserved::in_python as fn(Kind, &str) -> bool),
            (typescript, reserved::in_typescript),
        ] {
            let made = identifiers(Kind::Tool, &names);
            for identifier in &made {
                prop_assert!(is_identifier(identifier), "{identifier:?}");
                prop_assert!(!reserved(Kind::Tool, identifier), "{identifier:?}");
                prop_assert!(!identifier.starts_with('_'));
            }
            let unique: BTreeSet<String> =
                made.iter().map(|made| made.to_uppercase().to_lowercase()).collect();
            prop_assert_eq!(unique.len(), names.len(), "{:?}", made);

            let backwards: Vec<&str> = names.iter().rev().copied().collect();
            let again: HashMap<&str, String> =
                backwards.iter().copied().zip(identifiers(Kind::Tool, &backwards)).collect();
            prop_assert!(names.iter().zip(&made).all(|(name, made)| again[name] == *made));
        }
    }

    #[test]
    fn any_keys_become_valid_and_unique_parameters(names in any_names()) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let made = parameter_names(&names);
        prop_assert!(made.iter().all(|name| is_identifier(name) && !reserved::is_python_keyword(name)), "{:?}", made);
        prop_assert_eq!(made.iter().collect::<BTreeSet<_>>().len(), names.len());
    }
}
