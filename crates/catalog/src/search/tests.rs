//! What a search finds, in what order, and that nothing breaks it.

use std::collections::HashSet;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::{Index, Query, sentence};
use crate::{Annotations, Catalog, Listing, ServerName, Tool, ToolName};

#[test]
fn a_word_in_the_name_counts_more_than_one_in_a_description() {
    let index = index(&[(
        "a",
        "",
        &[("list_things", "Lists what an invoice has."), ("create_invoice", "Makes one.")],
    )]);
    insta::assert_snapshot!(found(&index, "invoice"), @"a.create_invoice a.list_things");
}

#[test]
fn a_tool_is_found_first_by_its_name_in_any_spelling() {
    let index = catalog();
    for spelling in [
        "create_issue",
        "createIssue",
        "CREATE-ISSUE",
        "create issue",
        "github.create_issue",
        "github/createIssue",
        "mcp__github__create_issue",
        "servers.github.create_issue",
        "create issue in github",
        "create a new issue in GitHub",
        "Create GitHub issue",
        "github issue create",
        "<tool_assistant>\nserver: github\ntool: create_issue\n</tool_assistant>",
    ] {
        assert!(found(&index, spelling).starts_with("github.create_issue"), "{spelling}");
    }
}

#[test]
fn synonyms_and_mistyped_words_find_what_was_meant() {
    let index = catalog();
    insta::assert_snapshot!(first(&index, "erase a folder"), @"files.delete_directory");
    insta::assert_snapshot!(first(&index, "make an isssue"), @"github.create_issue");
    insta::assert_snapshot!(first(&index, "directroy"), @"files.delete_directory");
    insta::assert_snapshot!(first(&index, "forecastin"), @"weather.get_forecast");
}

#[test]
fn mistyped_words_find_what_the_right_words_find() {
    let index = index(&[
        (
            "trading",
            "Trades.",
            &[("get_trades", "Lists trades of a bot."), ("box_order", "A box.")],
        ),
        (
            "travel",
            "Trips.",
            &[("get_bookings", "Lists bookings."), ("make_booking", "Books a room.")],
        ),
        (
            "mail",
            "Mail.",
            &[("receive_messages", "Receives messages."), ("send_message", "Sends one.")],
        ),
    ]);
    for (mistyped, right) in [
        ("boking", "booking"),
        ("bookin", "booking"),
        ("bokking", "booking"),
        ("recieve mesage", "receive message"),
        ("recieving mesages", "receiving messages"),
    ] {
        assert_eq!(found(&index, mistyped), found(&index, right), "{mistyped}");
    }
}

#[test]
fn each_step_of_a_long_task_finds_its_tool() {
    let index = catalog();
    let task = "Look up how warm it will be in Oslo next week. Write the forecast to \
        /data/reports/oslo.md, and then open an issue in https://github.com/acme/trip with a summary.";
    let hits = found(&index, task);
    for tool in ["weather.get_forecast", "files.write_file", "github.create_issue"] {
        assert!(hits.contains(tool), "{tool} is not among {hits}");
    }
}

#[test]
fn text_without_spaces_is_found_by_parts_of_it() {
    let index = index(&[(
        "bing",
        "",
        &[("bing_search", "使用必应搜索指定的关键词"), ("fetch", "获取网页内容")],
    )]);
    insta::assert_snapshot!(found(&index, "搜索关键词"), @"bing.bing_search");
    insta::assert_snapshot!(found(&index, "网页"), @"bing.fetch");
}

#[test]
fn an_empty_query_lists_everything_in_the_order_of_the_catalog() {
    let index = catalog();
    insta::assert_snapshot!(found(&index, "  "), @"github.create_issue github.list_issues files.write_file files.delete_directory weather.get_forecast");
    insta::assert_snapshot!(found(&index, "what is it"), @"github.create_issue github.list_issues files.write_file files.delete_directory weather.get_forecast");
    let found = index.search(&Query { limit: 2, ..Query::default() }).unwrap();
    assert_eq!((found.hits.len(), found.matching, found.total), (2, 5, 5));
}

#[test]
fn a_query_that_is_too_long_for_a_word_finds_nothing() {
    let index = catalog();
    let text = "x".repeat(60);
    let found = index.search(&Query { text: &text, limit: 10, ..Query::default() }).unwrap();
    assert_eq!((found.hits.len(), found.matching, found.total), (0, 0, 5));
}

#[test]
fn a_search_can_be_limited_to_one_server_in_any_spelling() {
    let index = catalog();
    let query = Query { text: "issue file", server: Some("GitHub"), limit: 10, meaning: None };
    let found = index.search(&query).unwrap();
    assert_eq!((found.hits.len(), found.matching, found.total), (2, 2, 2));
    assert!(found.hits.iter().all(|hit| hit.server.0 == "github"));

    let unknown = Query { server: Some("gitlab"), ..query };
    insta::assert_snapshot!(
        index.search(&unknown).unwrap_err(),
        @r#"there is no server "gitlab"; the servers are files, github, weather; did you mean "github"?"#
    );
}

#[test]
fn equally_good_tools_stay_in_the_order_of_the_catalog() {
    let index = index(&[("b", "", &[("ping", "Pings.")]), ("a", "", &[("ping", "Pings.")])]);
    insta::assert_snapshot!(found(&index, "ping"), @"b.ping a.ping");
}

#[test]
fn a_refreshed_index_finds_the_same_as_a_new_one() {
    let first = Catalog::new(vec![listing("a", "", &[("send_mail", "Sends mail.")])]);
    let kept = Arc::clone(first.servers().next().unwrap().listing());
    let index = Index::default().refreshed(&first);
    let added = listing("b", "", &[("read_mail", "Reads mail.")]);

    let both = Catalog::new(vec![added, kept]);
    let refreshed = index.refreshed(&both);
    let new = Index::default().refreshed(&both);
    let query = Query { text: "mail", limit: 10, ..Query::default() };
    assert_eq!(refreshed.search(&query), new.search(&query));
    assert!(Arc::ptr_eq(&refreshed.inner.parts[1], &index.inner.parts[0]), "it was made again");
}

#[test]
fn meaning_finds_what_shares_no_word() {
    let index = catalog();
    let texts = index.texts_without_vector();
    assert_eq!(texts.len(), 8, "five tools and three servers");
    let vectors = texts.iter().map(|text| {
        let direction = if text.text.contains("forecast") { [1.0, 0.0] } else { [0.0, 1.0] };
        (text.digest, Arc::from(direction))
    });
    let index = index.with_vectors(vectors);
    assert!(index.texts_without_vector().is_empty());

    let query =
        Query { text: "umbrella", limit: 3, meaning: Some(&[1.0, 0.0]), ..Query::default() };
    let found = index.search(&query).unwrap();
    assert_eq!(shown(&found.hits), "weather.get_forecast");
    assert_eq!(found.matching, 1);
}

#[test]
fn vectors_survive_a_refresh_and_broken_ones_are_left_out() {
    let index = catalog();
    let texts = index.texts_without_vector();
    let mut vectors: Vec<([u8; 32], Arc<[f32]>)> =
        texts.iter().map(|text| (text.digest, Arc::from([1.0, 0.0]))).collect();
    vectors[0].1 = Arc::from([f32::NAN, 0.0]);
    vectors.push(([7; 32], Arc::from([1.0, 0.0])));
    let index = index.with_vectors(vectors);
    assert_eq!(index.texts_without_vector().len(), 1);
    assert_eq!(index.refreshed(&index.inner.catalog).texts_without_vector().len(), 1);
    assert_eq!(index.vectors.len(), 7, "a vector of no text was kept");
}

#[test]
fn what_is_embedded_has_no_tags_and_no_paths() {
    insta::assert_snapshot!(
        sentence("<x>\nserver: files\ntool: write /tmp/a/b.md\n</x>"),
        @"files: write markdown file"
    );
}

/// The set measures whether meaning is found without words, so there must be none in common.
#[test]
fn paraphrases_share_no_word_with_their_tool() {
    let set = include_str!("../../search-data/paraphrases.tsv");
    let stems = |text: &str| -> HashSet<String> {
        let words = super::words::words(text, 100).into_iter();
        words.flat_map(|word| word.pieces.into_iter().chain([word.whole])).collect()
    };
    let mut count = 0;
    for line in set.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let tool = stems(&columns[..3].join(" "));
        let shared: Vec<String> = stems(columns[3]).intersection(&tool).cloned().collect();
        assert!(shared.is_empty(), "{line}: {shared:?}");
        count += 1;
    }
    assert!(count >= 30);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_query_over_any_catalog_is_answered_within_its_limit(
        tools in prop::collection::vec(("\\PC{0,20}", "\\PC{0,80}"), 0..12),
        servers in prop::collection::vec("\\PC{0,10}", 1..4),
        text in "\\PC{0,200}",
        limit in 0_usize..20,
        meaning in prop::collection::vec(any::<f32>(), 0..4),
    ) {
        let listings = servers.iter().map(|server| {
            let tools: Vec<(&str, &str)> =
                tools.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
            listing(server, &text, &tools)
        });
        let index = Index::default().refreshed(&Catalog::new(listings.collect()));
        let vectors: Vec<_> = index
            .texts_without_vector()
            .into_iter()
            .map(|text| (text.digest, Arc::from(meaning.as_slice())))
            .collect();
        let index = index.with_vectors(vectors);
        for meaning in [None, Some(meaning.as_slice())] {
            let found = index.search(&Query { text: &text, server: None, limit, meaning }).unwrap();
            prop_assert!(found.hits.len() <= limit.min(found.matching));
            prop_assert!(found.matching <= found.total);
            let mut unique: Vec<_> = found.hits.iter().map(|hit| (&hit.server, &hit.tool)).collect();
            unique.sort();
            unique.dedup();
            prop_assert_eq!(unique.len(), found.hits.len());
            prop_assert!(found.hits.is_sorted_by(|one, next| one.score >= next.score));
        }
    }

    #[test]
    fn the_name_of_any_tool_finds_it_first(
        names in prop::collection::hash_set("[a-z]{2,8}([_-]?[A-Z]?[a-z0-9]{1,6}){0,3}", 1..10),
        pick in any::<prop::sample::Index>(),
    ) {
        let names: Vec<String> = names.into_iter().collect();
        let tools: Vec<(&str, &str)> =
            names.iter().map(|name| (name.as_str(), "Does it with every other tool.")).collect();
        let index = index(&[("server", "", &tools)]);
        let wanted = &names[pick.index(names.len())];
        let found = index.search(&Query { text: wanted, limit: 1, ..Query::default() }).unwrap();
        // Names that differ only in case and punctuation are one spelling of each other.
        prop_assert_eq!(crate::names::fold(&found.hits[0].tool.0), crate::names::fold(wanted));
    }
}

type Described<'a> = &'a [(&'a str, &'a str)];

fn catalog() -> Index {
    index(&[
        (
            "github",
            "Repositories and issues.",
            &[("create_issue", "Opens a bug report."), ("list_issues", "Lists what is open.")],
        ),
        (
            "files",
            "The local file system.",
            &[("write_file", "Writes text to a path."), ("delete_directory", "Removes it.")],
        ),
        ("weather", "", &[("get_forecast", "Temperature and rain of the coming days.")]),
    ])
}

fn index(servers: &[(&str, &str, Described<'_>)]) -> Index {
    let listings = servers.iter().map(|(name, text, tools)| listing(name, text, tools)).collect();
    Index::default().refreshed(&Catalog::new(listings))
}

fn listing(server: &str, description: &str, tools: Described<'_>) -> Arc<Listing> {
    let tools = tools.iter().map(|(name, text)| Tool {
        name: ToolName((*name).to_owned()),
        title: None,
        description: Some((*text).to_owned()),
        input_schema: json!({"type": "object", "properties": {}}),
        output_schema: None,
        annotations: Annotations::default(),
    });
    Arc::new(Listing {
        server: ServerName(server.to_owned()),
        title: None,
        version: None,
        description: Some(description.to_owned()),
        tools: tools.collect(),
    })
}

fn found(index: &Index, text: &str) -> String {
    shown(&index.search(&Query { text, limit: 10, ..Query::default() }).unwrap().hits)
}

fn first(index: &Index, text: &str) -> String {
    found(index, text).split(' ').next().unwrap_or_default().to_owned()
}

fn shown(hits: &[super::Hit]) -> String {
    let hits: Vec<String> = hits.iter().map(|hit| format!("{}.{}", hit.server, hit.tool)).collect();
    hits.join(" ")
}
