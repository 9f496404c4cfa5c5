//! Data frames and series as small tables: the first rows, and how many there are.

use comfy_table::CellAlignment;

use super::json::Node;

/// Rows shown unless more are asked for; the value itself has them all.
pub(super) const ROWS: usize = 20;
/// Characters of one cell shown.
const CELL: usize = 48;

/// The table a data frame or series is shown as, with so many rows; `None` for other values.
pub(super) fn table(node: &Node<'_>, most: usize) -> Option<String> {
    match node.get("$type")?.text()?.as_str() {
        "dataframe" => frame(node, most),
        "series" => series(node, most),
        _ => None,
    }
}

fn frame(node: &Node<'_>, most: usize) -> Option<String> {
    let labels: Vec<String> = node.get("columns")?.list()?.iter().map(cell).collect();
    let rows: Vec<Vec<&Node<'_>>> = match node.get("records") {
        Some(records) => records.list()?.iter().take(most).map(values_of).collect(),
        None => node.get("rows")?.list()?.iter().take(most).map(values_of).collect(),
    };
    let [count, width] = [0, 1].map(|at| {
        node.get("shape").and_then(Node::list).and_then(|shape| shape.get(at)).map(Node::flat)
    });
    let (count, width) = (count?, width?);
    let text = laid_out(node, &labels, &rows);
    Some(format!("{text}\n{}[{count} rows x {width} columns]", more(&count, rows.len())))
}

fn series(node: &Node<'_>, most: usize) -> Option<String> {
    let values = node.get("values")?.list()?;
    let name = node
        .get("name")
        .filter(|name| **name != Node::Leaf("null"))
        .map_or_else(|| "value".to_owned(), cell);
    let rows: Vec<Vec<&Node<'_>>> = values.iter().take(most).map(|value| vec![value]).collect();
    let dtype = node.get("dtype").and_then(Node::text).unwrap_or_default();
    let (text, count) = (laid_out(node, &[name], &rows), values.len().to_string());
    Some(format!("{text}\n{}[{count} values, {dtype}]", more(&count, rows.len())))
}

fn more(count: &str, shown: usize) -> String {
    match count.parse::<usize>().ok().and_then(|count| count.checked_sub(shown)) {
        None | Some(0) => String::new(),
        Some(left) => format!("... {left} more rows\n"),
    }
}

fn values_of<'n, 'a>(row: &'n Node<'a>) -> Vec<&'n Node<'a>> {
    match row {
        Node::Map(entries) => entries.iter().map(|(_, value)| value).collect(),
        Node::List(elements) => elements.iter().collect(),
        Node::Leaf(_) => vec![row],
    }
}

fn laid_out(node: &Node<'_>, labels: &[String], rows: &[Vec<&Node<'_>>]) -> String {
    let index = node.get("index").and_then(Node::list);
    let index_name = node.get("index_name").map(cell).unwrap_or_default();
    let mut table = super::table(std::iter::once(&index_name).chain(labels));
    for (number, row) in rows.iter().enumerate() {
        let label = match index.and_then(|index| index.get(number)) {
            Some(label) => cell(label),
            None => number.to_string(),
        };
        table.add_row(std::iter::once(label).chain(row.iter().map(|node| cell(node))));
    }
    // Numbers end under each other, everything else begins under each other.
    for at in 0..labels.len() {
        let is_number = rows.iter().all(|row| row.get(at).is_some_and(|node| counts(node)));
        if let Some(column) = table.column_mut(at + 1).filter(|_| is_number) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt()
}

/// Whether a cell is a number, or missing among numbers.
fn counts(node: &Node<'_>) -> bool {
    let begins = |c: char| c.is_ascii_digit() || c == '-';
    matches!(node, Node::Leaf(text) if text.starts_with(begins) || *text == "null")
}

fn cell(node: &Node<'_>) -> String {
    let text = node.text().unwrap_or_else(|| node.flat());
    let one_line: String = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    if one_line.chars().count() <= CELL {
        return crate::out::clean(&one_line).into_owned();
    }
    let start: String = one_line.chars().take(CELL - 1).collect();
    format!("{}…", crate::out::clean(&start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_becomes_a_table_with_its_shape() {
        let raw = r#"{"$type":"dataframe","shape":[2,2],"columns":["city","n"],
            "dtypes":{"city":"object","n":"int64"},"index_name":"id","index":["a","b"],
            "records":[{"city":"Kiel","n":4},{"city":null,"n":12}]}"#;
        insta::assert_snapshot!(table(&Node::parse(raw), ROWS).unwrap(), @"
        id  city   n
        a   Kiel   4
        b   null  12
        [2 rows x 2 columns]
        ");
    }

    #[test]
    fn a_long_series_shows_its_first_rows_and_says_how_many_are_left() {
        let values: Vec<String> = (0..25).map(|n| n.to_string()).collect();
        let raw = format!(
            r#"{{"$type":"series","name":"n","dtype":"int64","shape":[25],"values":[{}]}}"#,
            values.join(",")
        );
        let text = table(&Node::parse(&raw), ROWS).unwrap();
        assert!(text.ends_with("... 5 more rows\n[25 values, int64]"), "{text}");
    }

    #[test]
    fn other_values_are_no_tables() {
        assert_eq!(table(&Node::parse(r#"{"$type":"complex","real":1}"#), 20), None);
        assert_eq!(table(&Node::parse(r#"{"$type":"dataframe","columns":7}"#), 20), None);
    }
}
