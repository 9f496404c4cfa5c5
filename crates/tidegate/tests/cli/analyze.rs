//! `tidegate analyze`: rows of a file as a table or JSON.

use super::tide::User;

fn orders(rows: usize) -> String {
    let line = |at: usize| format!("{at},{},{}\n", ["Ulm", "Bonn"][at % 2], at * 10);
    let lines: String = (0..rows).map(line).collect();
    format!("id,city,total\n{lines}")
}

#[test]
fn rows_are_a_table_with_as_many_as_were_asked_for() {
    let user = User::new();
    let file = user.file("orders.csv", &orders(60));
    let file = file.to_str().unwrap();
    let shown = user.ok(&["analyze", file, "--filter", "total >= 100", "--sort", "-total"]);
    assert!(shown.contains("[50 rows x 3 columns]") && shown.contains("30 more rows"), "{shown}");
    let all = user.ok(&["analyze", file, "--sort", "-total", "--limit", "45"]);
    assert!(all.contains("[45 rows x 3 columns]") && !all.contains("more rows"), "{all}");
    assert!(all.lines().any(|line| line.contains("150")), "{all}");
    let groups = ["--group-by", "city", "--aggregate", "count,sum:total", "--json"];
    let groups = user.ok(&[&["analyze", file][..], &groups].concat());
    let groups: serde_json::Value = serde_json::from_str(&groups).unwrap();
    assert_eq!(groups["result"][0]["total_sum"], 9000, "{groups}");
}

#[test]
fn a_description_is_a_table_with_a_row_for_each_column() {
    let user = User::new();
    let file = user.file("orders.csv", &orders(60));
    let shown = user.ok(&["analyze", file.to_str().unwrap(), "--describe"]);
    let line = |start: &str| shown.lines().find(|line| line.contains(start)).unwrap_or_default();
    assert!(line("field").contains("median"), "{shown}");
    assert!(line("total").contains("295"), "{shown}");
    assert!(line("city").contains("Ulm (30)"), "{shown}");
}

#[test]
fn every_option_is_listed_once() {
    let help = User::new().ok(&["analyze", "--help"]);
    let count = |option: &str| help.lines().filter(|line| line.trim().starts_with(option)).count();
    for option in ["--limit ", "--level ", "--timeout ", "--memory ", "--filter ", "--json"] {
        assert_eq!(count(option), 1, "{option}: {help}");
    }
}

#[test]
fn wrong_input_is_answered_with_what_is_right() {
    let user = User::new();
    let file = user.file("orders.csv", &orders(3));
    let file = file.to_str().unwrap();
    for (arguments, hint) in [
        (&["--filter", "totl > 1"][..], "Did you mean 'total'?"),
        (&["--filter", "total => 1"], "there is no operator =>"),
        (&["--group-by", "town"], "The columns: id, city, total"),
        (&["--aggregate", "summ:total"], "Did you mean 'sum'?"),
        (&["--limit", "calls=3"], "invalid value"),
    ] {
        let said = user.tidegate(&[&["analyze", file], arguments].concat());
        assert!(said.code != Some(0) && said.stderr.contains(hint), "{arguments:?}: {said:?}");
    }
}
