//! What is in the log can be found, exported and summed up.

use std::path::Path;

use crate::common::{call, open, segments, written};
use audit::{Entry, Filter, Format, Kind, Order, Outcome, Source, export, report, search};
use serde_json::json;

fn found(folder: &Path, filter: &Filter) -> Vec<u64> {
    search(folder, filter).unwrap().map(|hit| hit.unwrap().seq).collect()
}

#[test]
fn entries_are_found_newest_first_across_segments() {
    let folder = written(30);
    assert!(segments(folder.path()).len() > 3);
    let all = found(folder.path(), &Filter::default());
    assert_eq!(all, (1..=30).rev().collect::<Vec<_>>());
    let oldest = Filter { order: Order::OldestFirst, limit: Some(4), ..Filter::default() };
    assert_eq!(found(folder.path(), &oldest), [1, 2, 3, 4]);
}

#[test]
fn every_part_of_a_filter_narrows() {
    let folder = written(30);
    let log = open(folder.path());
    let time = 1_000_000;
    let entry = Entry { time, owner: "ann".into(), ..Entry::new(Kind::Login) };
    let entry = Entry { outcome: Some(Outcome::Failed), ..entry };
    let seq = log.append(entry).unwrap();
    log.sync().unwrap();
    let default = Filter::default;
    for filter in [
        Filter { kinds: vec![Kind::Login, Kind::Stopped], ..default() },
        Filter { owner: Some("ann".into()), ..default() },
        Filter { outcome: Some(Outcome::Failed), ..default() },
        Filter { since: Some(time), until: Some(time + 1), ..default() },
        Filter { text: Some("ANN".into()), ..default() },
    ] {
        assert_eq!(found(folder.path(), &filter), [seq], "{filter:?}");
    }
    let one = Filter { run: Some("run-7".into()), ..default() };
    assert_eq!(found(folder.path(), &one), [8]);
    let in_session = Filter { session: Some("session-6".into()), ..default() };
    assert_eq!(found(folder.path(), &in_session), [28, 21, 14, 7]);
    let mails = Filter { subject: Some("mail.*".into()), limit: Some(2), ..default() };
    assert_eq!(found(folder.path(), &mails), [30, 27]);
}

#[test]
fn a_line_that_cannot_be_read_does_not_end_a_search() {
    let folder = written(10);
    let path = &segments(folder.path())[0];
    let text = std::fs::read_to_string(path).unwrap();
    std::fs::write(path, text.replacen("{\"seq\":2", "{\"sEq\":2", 1)).unwrap();
    let hits: Vec<_> = search(folder.path(), &Filter::default()).unwrap().collect();
    assert_eq!(hits.iter().filter(|hit| hit.is_err()).count(), 1);
    assert_eq!(hits.iter().filter(|hit| hit.is_ok()).count(), 9);
}

fn exported(folder: &Path, format: Format) -> String {
    let mut out = Vec::new();
    let filter = Filter { order: Order::OldestFirst, ..Filter::default() };
    export(folder, &filter, format, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn exported_json_lines_are_the_lines_of_the_log() {
    let folder = written(10);
    let whole: String =
        segments(folder.path()).iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    assert_eq!(exported(folder.path(), Format::JsonLines), whole);
}

#[test]
fn an_exported_table_has_a_row_for_each_line_and_no_formulas() {
    let folder = written(2);
    let log = open(folder.path());
    let entry = Entry {
        time: 0,
        owner: "=HYPERLINK(\"http://evil\")".into(),
        details: json!("a, b"),
        source: Some(Source::Text("x = 1\ny = 2".into())),
        ..Entry::new(Kind::RunStarted)
    };
    log.append(entry).unwrap();
    log.redact([1], "ann", "a \"name\"").unwrap();
    drop(log);
    let text = exported(folder.path(), Format::Csv);
    let rows: Vec<&str> = text.split("\r\n").collect();
    assert_eq!(rows.len(), 6, "{text}");
    assert!(rows[0].starts_with("\"seq\",\"time\",\"kind\""));
    assert!(rows[1].starts_with("\"1\",\"\",") && rows[1].contains("by ann: a \"\"name\"\""));
    assert_eq!(
        rows[3],
        "\"3\",\"1970-01-01T00:00:00.000Z\",\"run_started\",\"'=HYPERLINK(\"\"http://evil\"\")\",\
         \"\",\"\",\"\",\"\",\"\"\"a, b\"\"\",\"x = 1\ny = 2\",\"\""
    );
}

#[test]
fn a_report_counts_what_was_refused() {
    let folder = written(5);
    let log = open(folder.path());
    let hour = 3_600_000;
    let at = |time, owner: &str, entry: Entry| Entry {
        time,
        owner: owner.into(),
        session: format!("of-{owner}"),
        ..entry
    };
    let deny = |time, owner| {
        at(time, owner, Entry::decision("crm.delete", Outcome::Deny, "no-deletes", "writes"))
    };
    let allow = Entry::decision("crm.search", Outcome::Allow, "reads", "reads");
    for entry in [
        deny(hour, "ann"),
        deny(hour + 1, "ann"),
        deny(3 * hour, "bob"),
        at(hour, "ann", allow),
        at(3 * hour, "bob", Entry::approval("mail.send", Outcome::Refused, "cleo")),
        at(3 * hour, "bob", Entry::approval("mail.send", Outcome::Given, "cleo")),
        at(4 * hour, "bob", Entry { subject: "memory".into(), ..Entry::new(Kind::LimitHit) }),
        at(99 * hour, "bob", Entry::new(Kind::AccessRefused)),
    ] {
        log.append(entry).unwrap();
    }
    let report = report(folder.path(), 0, 10 * hour).unwrap();
    let named = |counts: &[audit::Count]| {
        counts.iter().map(|one| format!("{} {}", one.name, one.count)).collect::<Vec<_>>()
    };
    assert_eq!((report.entries, report.violations, report.calls), (7, 5, 0));
    assert_eq!(named(&report.by_type), ["denied 3", "approval_refused 1", "limit_hit 1"]);
    assert_eq!(named(&report.by_owner), ["bob 3", "ann 2"]);
    assert_eq!(named(&report.by_session), ["of-bob 3", "of-ann 2"]);
    assert_eq!(named(&report.by_subject), ["crm.delete 3", "mail.send 1", "memory 1"]);
    assert_eq!(named(&report.by_rule), ["no-deletes 3"]);
    let slots: Vec<_> =
        report.by_time.iter().map(|slot| (slot.begins.as_str(), slot.count)).collect();
    assert_eq!(
        slots,
        [
            ("1970-01-01T01:00:00.000Z", 2),
            ("1970-01-01T03:00:00.000Z", 2),
            ("1970-01-01T04:00:00.000Z", 1),
        ]
    );
    let value = serde_json::to_value(&report).unwrap();
    assert_eq!(value["by_time"][0]["by_type"][0]["name"], "denied");
    let all = audit::report(folder.path(), 0, u64::MAX).unwrap();
    assert_eq!((all.violations, all.calls), (6, 5));
}

#[test]
fn a_run_is_read_back_with_its_program_or_only_its_hash() {
    let folder = written(0);
    let log = open(folder.path());
    let source = Some(Source::hashed("print(1)"));
    log.append(Entry { source: source.clone(), ..call(1) }).unwrap();
    let hit = search(folder.path(), &Filter::default()).unwrap().next().unwrap().unwrap();
    assert_eq!(hit.entry().unwrap().source, source);
    let text = audit::Hash::of(b"print(1)").to_string();
    let filter = Filter { text: Some(text), ..Filter::default() };
    assert_eq!(found(folder.path(), &filter), [1]);
}
