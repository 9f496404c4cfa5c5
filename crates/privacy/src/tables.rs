//! Tables in texts: lines of cells under a header that says what they hold.
//!
//! A header is a line of at least two labels, with commas, semicolons, tabs or bars between them, of which one says
//! something about people; the lines below it with as many cells are its rows. A cell is judged as
//! the field of a record would be: a column `name` holds people beside a column `email`, and
//! goods beside a column `price`.

use crate::fields::Fields;
use crate::words::Cue;
use crate::{Kind, names, records};

/// The longest label of a column.
const LONGEST_LABEL: usize = 40;
/// The most words of a label; more are a sentence.
const MOST_WORDS: usize = 5;
/// The most columns that are looked at.
const MOST_COLUMNS: usize = 200;
/// What stands between cells.
const BETWEEN: [char; 4] = [',', ';', '\t', '|'];

/// What is personal in the tables of a text, by column.
pub(crate) fn find(text: &str, fields: &Fields, mut each: impl FnMut(usize, usize, Kind)) {
    let mut header: Option<Header> = None;
    let mut at = 0;
    // How many cells the line before had between bars: a row in the midst of a table is no header.
    let mut barred = 0;
    for line in text.split_inclusive('\n') {
        let (start, row) = (at, line.trim_end_matches(['\n', '\r']));
        at += line.len();
        if is_rule(row) {
            continue;
        }
        if let Some(known) = &mut header {
            let cells = cells(row, known.between);
            if cells.len() == known.cues.len() {
                known.row(row, start, &cells, &mut each);
                continue;
            }
        }
        let before = std::mem::replace(&mut barred, bars(row));
        let is_within = barred > 0 && barred == before;
        header = if is_within { None } else { Header::read(row, fields) };
    }
}

/// Whether a line is only drawn: `|---|---|` and `+----+----+`.
fn is_rule(line: &str) -> bool {
    line.contains("--")
        && line.bytes().all(|one| matches!(one, b'-' | b'+' | b'|' | b'=' | b':' | b' '))
}

/// How many bars a line has that begins with one.
fn bars(line: &str) -> usize {
    if line.trim_start().starts_with('|') { line.matches('|').count() } else { 0 }
}

struct Header {
    between: char,
    cues: Vec<Cue>,
    /// Names of anything in it are people's.
    is_of_people: bool,
    /// There is a first or last name among them.
    has_name: bool,
}

impl Header {
    fn read(line: &str, fields: &Fields) -> Option<Self> {
        if line.len() > LONGEST_LABEL * MOST_COLUMNS {
            return None;
        }
        let between = *BETWEEN.iter().max_by_key(|one| line.matches(**one).count())?;
        // Behind a comma of a sentence there is a space.
        if line.contains(", ") || line.contains("; ") {
            return None;
        }
        let labels = cells(line, between);
        let is_label = |(from, to): &(usize, usize)| {
            let label = &line[*from..*to];
            let plain = |one: char| one.is_alphanumeric() || " _-./#()°ºª".contains(one);
            let words = label.split(' ').count();
            label.len() <= LONGEST_LABEL && words <= MOST_WORDS && label.chars().all(plain)
        };
        let is_open = labels.last().is_some_and(|(from, to)| from == to);
        if is_open || !(2..=MOST_COLUMNS).contains(&labels.len()) || !labels.iter().all(is_label) {
            return None;
        }
        let cues: Vec<Cue> =
            labels.iter().map(|(from, to)| fields.cue(&line[*from..*to])).collect();
        let says =
            cues.iter().filter(|cue| cue.is_personal() || cue.has(Cue::BARE_NAME | Cue::ROLE));
        if says.count() == 0 {
            return None;
        }
        let personal = cues.iter().filter(|cue| cue.is_personal()).count();
        let things = cues.iter().filter(|cue| cue.has(Cue::THING) && !cue.is_personal()).count();
        let has_name = cues.iter().any(|cue| cue.has(Cue::NAME));
        Some(Self { between, cues, is_of_people: personal > things, has_name })
    }

    fn row(
        &self,
        row: &str,
        start: usize,
        cells: &[(usize, usize)],
        each: &mut impl FnMut(usize, usize, Kind),
    ) {
        for ((from, to), cue) in cells.iter().zip(&self.cues) {
            let cell = &row[*from..*to];
            let kind = records::shapes(*cue).find(|(_, fits)| !cell.is_empty() && fits(cell, *cue));
            let is_name = || {
                cue.has(Cue::BARE_NAME)
                    && self.is_of_people
                    && (names::is_person(cell) || self.has_name && names::is_one_word(cell))
            };
            let kind = kind.map(|(kind, _)| kind).or_else(|| is_name().then_some(Kind::Name));
            if let Some(kind) = kind {
                each(start + from, start + to, kind);
            }
        }
    }
}

/// Where the cells of a line are, without quotes and spaces around them. The bars at both ends of a line
/// enclose no cells.
fn cells(line: &str, between: char) -> Vec<(usize, usize)> {
    let mut ends = Vec::new();
    let mut quoted = false;
    for (at, letter) in line.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            _ if letter == between && !quoted => ends.push(at),
            _ => {}
        }
    }
    ends.push(line.len());
    let mut from = 0;
    let mut cells: Vec<(usize, usize)> = Vec::with_capacity(ends.len());
    for end in ends {
        cells.push(trimmed(line, from, end));
        from = end + 1;
    }
    if between == '|' && cells.len() > 2 {
        let is_empty = |cell: &(usize, usize)| cell.0 == cell.1;
        if cells.first().is_some_and(is_empty) && cells.last().is_some_and(is_empty) {
            cells.pop();
            cells.remove(0);
        }
    }
    cells
}

fn trimmed(line: &str, from: usize, to: usize) -> (usize, usize) {
    let around = [' ', '"', '*', '`', '\u{a0}'];
    let cell = line.get(from..to).unwrap_or_default();
    let start = from + cell.len() - cell.trim_start_matches(around).len();
    (start, start + cell.trim_matches(around).len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        find(text, &Fields::default(), |start, end, _| found.push(&text[start..end]));
        found
    }

    #[test]
    fn people_are_found_in_columns_and_goods_are_not() {
        let people = "id;name;phone\n1;\"Petra Novak\";555-0172\n2;Emma Stone;n/a\n";
        assert_eq!(found(people), ["Petra Novak", "555-0172", "Emma Stone"]);
        assert!(found("id,name,price\n1,Emma Armchair,349.00\n").is_empty());
        let bars = "| Employee | Desk |\n|---|---|\n| Zadie Underwood | 4-112 |\n";
        assert_eq!(found(bars), ["Zadie Underwood"]);
        let drawn = "+----+-----------+\n| id | customer  |\n+----+-----------+\n|  1 | Jane Doe  |\n+----+-----------+\n";
        assert_eq!(found(drawn), ["Jane Doe"]);
        let ruled = " id | customer \n----+----------\n  1 | Jane Doe\n";
        assert_eq!(found(ruled), ["Jane Doe"]);
        let words = "| 1 | name of it |\n|---|---|\n| 2 | the customer |\n| 3 | Jane Doe |\n";
        assert!(found(words).is_empty());
        assert!(found("Dear customer, thank you\nJane Doe, yours").is_empty());
        assert!(found("Dear customer,\nJane Doe,").is_empty());
    }
}
