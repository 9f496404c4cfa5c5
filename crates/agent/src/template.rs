//! Documents by template: the form is the template's, a model fills in values only.
//!
//! `{{ name }}` is a place to fill. In YAML and JSON the scalar that it stands in is written as a whole, quoted and
//! escaped as JSON, and what the filled document says is held against what the template says with those values, so
//! that no value changes the form of the document around it.

mod slots;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::str::FromStr;

use serde_json::{Map, Value, json};

use self::slots::{Kind, Marked, Slot, read};

/// Bytes that a template may have.
const MOST_BYTES: usize = 64 << 10;
/// Places that it may have.
const MOST_PLACES: usize = 200;

/// What a document is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TemplateFormat {
    /// Anything: values stand as they are.
    #[default]
    Text,
    /// YAML.
    Yaml,
    /// JSON.
    Json,
}

impl TemplateFormat {
    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Yaml => "YAML",
            Self::Json => "JSON",
        }
    }
}

impl FromStr for TemplateFormat {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        match given {
            "text" => Ok(Self::Text),
            "yaml" | "yml" => Ok(Self::Yaml),
            "json" => Ok(Self::Json),
            _ => Err(format!("there is no format {given:?}; there are text, yaml and json")),
        }
    }
}

/// Why a template cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// It is too large.
    #[error("the template has {0} bytes; at most {MOST_BYTES} can be used")]
    Large(usize),
    /// There is nothing to fill.
    #[error("the template has no place to fill; write one as {{{{ name }}}}")]
    Empty,
    /// There is too much to fill.
    #[error("the template has more than {MOST_PLACES} places to fill")]
    Many,
    /// A place is not as it must be.
    #[error("{0:?} is no place to fill; write one as {{{{ name }}}}, with letters, digits and _")]
    Place(String),
    /// It is not in its format, whatever fills it.
    #[error("the template cannot be read as {}, also with a word in each place: {problem}", format.name())]
    Unreadable {
        /// Which one.
        format: TemplateFormat,
        /// Why not.
        problem: String,
    },
}

/// A document with places to fill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
    format: TemplateFormat,
    /// The same with a word in each place; nothing for plain text.
    marked: Option<Marked>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Place(String),
}

impl Template {
    /// Reads a template.
    pub fn new(text: &str, format: TemplateFormat) -> Result<Self, TemplateError> {
        if text.len() > MOST_BYTES {
            return Err(TemplateError::Large(text.len()));
        }
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some((before, after)) = rest.split_once("{{") {
            let wrong = |inside: &str| TemplateError::Place(inside.chars().take(40).collect());
            let (inside, next) = after.split_once("}}").ok_or_else(|| wrong(after))?;
            let name = inside.trim();
            if !engine::is_variable(name) {
                return Err(wrong(inside));
            }
            parts.push(Part::Text(before.to_owned()));
            parts.push(Part::Place(name.to_owned()));
            rest = next;
        }
        parts.push(Part::Text(rest.to_owned()));
        match parts.len() / 2 {
            0 => Err(TemplateError::Empty),
            many if many > MOST_PLACES => Err(TemplateError::Many),
            _ => {
                let marked = marked(&parts, format)
                    .map_err(|problem| TemplateError::Unreadable { format, problem })?;
                Ok(Self { parts, format, marked })
            }
        }
    }

    /// The schema of what fills it.
    #[must_use]
    pub fn schema(&self) -> Value {
        let names: BTreeSet<&str> = self
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Place(name) => Some(name.as_str()),
                Part::Text(_) => None,
            })
            .collect();
        let properties: Map<String, Value> =
            names.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
        json!({ "type": "object", "properties": properties, "required": names,
            "additionalProperties": false })
    }

    /// As a model reads it.
    #[must_use]
    pub fn text(&self) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Place(name) => format!("{{{{ {name} }}}}"),
        };
        self.parts.iter().map(part).collect()
    }

    /// The document with these values, or what is wrong with it.
    pub fn fill(&self, values: &Value) -> Result<String, String> {
        let names = self.parts.iter().filter_map(|part| match part {
            Part::Place(name) => Some(name.as_str()),
            Part::Text(_) => None,
        });
        let values: Vec<&Value> = names.map(|name| &values[name]).collect();
        let Some(marked) = &self.marked else { return Ok(self.plainly(&values)) };
        let filling = Filling { marked, format: self.format, values };
        let wanted = filling.wanted()?;
        // Not every text can be in lines of its own.
        let mut wrong = String::new();
        for keeps_blocks in [true, false] {
            let document = filling.document(keeps_blocks);
            match read(&document, self.format) {
                Ok(said) if said == wanted => return Ok(document),
                Ok(_) => "a value would change its form".clone_into(&mut wrong),
                Err(error) => wrong = format!("it cannot be read: {error}"),
            }
        }
        Err(format!("the filled document is not what the template says: {wrong}"))
    }

    /// The document as plain text, where values stand as they are.
    fn plainly(&self, values: &[&Value]) -> String {
        let mut values = values.iter();
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Place(_) => values.next().map(|value| plain(value)).unwrap_or_default(),
        };
        self.parts.iter().map(part).collect()
    }
}

fn marked(parts: &[Part], format: TemplateFormat) -> Result<Option<Marked>, String> {
    if format == TemplateFormat::Text {
        return Ok(None);
    }
    let texts = parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.as_str()),
        Part::Place(_) => None,
    });
    Marked::new(&texts.collect::<Vec<_>>(), format).map(Some)
}

/// A template and what fills it.
struct Filling<'a> {
    marked: &'a Marked,
    format: TemplateFormat,
    /// The value of each place.
    values: Vec<&'a Value>,
}

impl Filling<'_> {
    /// What the document is to say.
    fn wanted(&self) -> Result<Vec<Value>, String> {
        self.marked.says.iter().map(|said| self.wanted_of(said)).collect()
    }

    fn wanted_of(&self, said: &Value) -> Result<Value, String> {
        Ok(match said {
            Value::String(text) => {
                let place = self.marked.words.iter().position(|word| word == text);
                match place.filter(|place| self.marked.is_whole(*place)) {
                    // As its format reads it alone: not every number is the same in all of them.
                    Some(place) => alone(self.values[place], self.format)?,
                    None => Value::String(self.filled(text)),
                }
            }
            Value::Array(items) => {
                items.iter().map(|item| self.wanted_of(item)).collect::<Result<_, _>>()?
            }
            Value::Object(fields) => {
                let mut all = Map::new();
                for (key, value) in fields {
                    let key = self.filled(key);
                    if all.contains_key(&key) {
                        return Err(format!("the key {key:?} would be there twice"));
                    }
                    all.insert(key, self.wanted_of(value)?);
                }
                Value::Object(all)
            }
            other => other.clone(),
        })
    }

    /// The document, with texts in lines of their own where the template has them so.
    fn document(&self, keeps_blocks: bool) -> String {
        let (text, mut document, mut at) = (&self.marked.text, String::new(), 0);
        for slot in &self.marked.slots {
            document.push_str(&self.beside(&text[at..slot.range.start]));
            document.push_str(&self.written(slot, keeps_blocks));
            at = slot.range.end;
        }
        document.push_str(&self.beside(&text[at..]));
        document
    }

    fn written(&self, slot: &Slot, keeps_blocks: bool) -> String {
        let raw = &self.marked.text[slot.range.clone()];
        match slot.kind {
            Kind::Whole(place) => as_json(self.values[place]),
            Kind::Block if keeps_blocks => self.in_lines(raw),
            Kind::Block | Kind::Quoted => {
                let end = if raw.ends_with('\n') { "\n" } else { "" };
                format!("{}{end}", as_json(&Value::String(self.filled(&slot.says))))
            }
        }
    }

    /// A text in lines of its own, whose new lines stand below the others.
    fn in_lines(&self, raw: &str) -> String {
        let lines = raw.lines().skip(1).filter(|line| !line.trim().is_empty());
        let indent = lines.map(|line| line.len() - line.trim_start_matches(' ').len()).min();
        let line = format!("\n{}", " ".repeat(indent.unwrap_or_default()));
        self.replaced(raw, |value| plain(value).replace('\n', &line))
    }

    /// A text that says what the values say.
    fn filled(&self, text: &str) -> String {
        self.replaced(text, plain)
    }

    /// What is in no scalar, such as a comment: it stays on its line.
    fn beside(&self, text: &str) -> String {
        self.replaced(text, as_json)
    }

    fn replaced(&self, text: &str, with: impl Fn(&Value) -> String) -> String {
        let (mut done, mut rest) = (String::new(), text);
        let words = || self.marked.words.iter().zip(&self.values);
        // Values are not looked at again: one may have a word of the template in it.
        while let Some((at, word, value)) = words()
            .filter_map(|(word, value)| Some((rest.find(word.as_str())?, word, value)))
            .min_by_key(|(at, ..)| *at)
        {
            done.push_str(&rest[..at]);
            done.push_str(&with(value));
            rest = &rest[at + word.len()..];
        }
        done.push_str(rest);
        done
    }
}

/// A value as its format reads it where nothing is around it.
fn alone(value: &Value, format: TemplateFormat) -> Result<Value, String> {
    let said = read(&as_json(value), format)?;
    Ok(said.into_iter().next().unwrap_or_default())
}

/// A value as JSON on one line, also for readers to whom lines end with more than we know.
fn as_json(value: &Value) -> String {
    let mut text = String::new();
    for letter in value.to_string().chars() {
        match letter {
            '\u{7f}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                // Writing to a string does not fail.
                let _ = write!(text, "\\u{:04x}", u32::from(letter));
            }
            letter => text.push(letter),
        }
    }
    text
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_never_change_the_form_of_a_document() {
        let text =
            "title: {{ title }}\nby: \"{{ who }}\"\nnote: \"for {{ who }}\"\nrows: {{ rows }}\n";
        let template = Template::new(text, TemplateFormat::Yaml).unwrap();
        let hostile = "x\"\nadmin: true # ";
        let values = json!({"title": hostile, "who": hostile, "rows": [1, {"a": "b: c"}]});
        let document = template.fill(&values).unwrap();
        let read: Value = serde_saphyr::from_str(&document).unwrap();
        let wanted = json!({"title": hostile, "by": hostile, "note": format!("for {hostile}"),
            "rows": [1, {"a": "b: c"}]});
        assert_eq!(read, wanted, "{document}");
    }

    const HOSTILE: [&str; 9] = [
        "x",
        "5\" pipe",
        "1, admin: true",
        "x', admin: true, z: '",
        "line1\nadmin: true\n",
        "  - a: |\n\tb\r\n",
        "{{ a }} place0x1end \\ \\\" %7f \u{7f}\u{85}\u{2028}\u{feff}",
        "# no\n---\n...\n\u{0}",
        "",
    ];

    /// What a template says with these values, in a form that any value is to leave as it is.
    fn said(text: &str, format: TemplateFormat, values: &Value) -> Vec<Value> {
        let template = Template::new(text, format).unwrap();
        let document = template.fill(values).unwrap_or_else(|wrong| panic!("{text}: {wrong}"));
        read(&document, format).unwrap()
    }

    #[test]
    fn no_value_leaves_the_scalar_that_it_stands_in() {
        for (a, b) in HOSTILE.iter().flat_map(|a| HOSTILE.iter().map(move |b| (*a, *b))) {
            let values = json!({"a": a, "b": b});
            for (text, wanted) in [
                ("{a: {{ a }}, b: {{ b }}}", json!({"a": a, "b": b})),
                ("{note: '{{ a }}', b: 1}", json!({"note": a, "b": 1})),
                (
                    "{title: Report for {{ a }}, b: 1}",
                    json!({"title": format!("Report for {a}"), "b": 1}),
                ),
                ("x: \"{{ a }} and {{ b }}\"", json!({"x": format!("{a} and {b}")})),
                ("note: '{{ a }}''s'\nb: [{{ b }}]", json!({"note": format!("{a}'s"), "b": [b]})),
                (
                    "title: Report for {{ a }}\n  of {{ b }}\n",
                    json!({"title": format!("Report for {a} of {b}")}),
                ),
                (
                    "a: |\n  First\n  {{ a }}\n\nb: {{ b }}\n",
                    json!({"a": format!("First\n{a}\n"), "b": b}),
                ),
                ("a: >-\n  {{ a }}\nb: 1", json!({"a": a, "b": 1})),
                (
                    "k {{ a }}: 1\nlist:\n- {{ b }}\n- x: {{ a }} # {{ b }}",
                    json!({format!("k {a}"): 1, "list": [b, {"x": a}]}),
                ),
                ("a: &one {{ a }}\nb: *one\n", json!({"a": a, "b": a})),
            ] {
                assert_eq!(said(text, TemplateFormat::Yaml, &values), [wanted], "{text} {values}");
            }
            let text =
                r#"{"a": {{ a }}, "b": "{{ b }}", "c \" {{ a }}": ["{{ a }}\\{{ b }}", "\""]}"#;
            let wanted = json!({"a": a, "b": b, format!("c \" {a}"): [format!("{a}\\{b}"), "\""]});
            assert_eq!(said(text, TemplateFormat::Json, &values), [wanted]);
            let text = "a: {{ a }}\n---\nb: {{ b }}\n";
            assert_eq!(
                said(text, TemplateFormat::Yaml, &values),
                [json!({"a": a}), json!({"b": b})]
            );
        }
    }

    #[test]
    fn a_document_looks_like_its_template() {
        let filled = |text: &str, values: &Value| {
            Template::new(text, TemplateFormat::Yaml).unwrap().fill(values).unwrap()
        };
        let text = "# For {{ a }}\na: |\n  Dear\n    {{ a }},\n  bye\nb: {{ b }} # last\n";
        let values = json!({"a": "Ann\nand Bob", "b": [1, 2.5, {"c": null}]});
        assert_eq!(
            filled(text, &values),
            "# For \"Ann\\nand Bob\"\na: |\n  Dear\n    Ann\n  and Bob,\n  bye\nb: [1,2.5,{\"c\":null}] # last\n"
        );
        // What cannot be in lines of its own is quoted.
        assert_eq!(
            filled("a: |\n  {{ a }}\nb: 1\n", &json!({"a": " x\r"})),
            "a: \" x\\r\\n\"\nb: 1\n"
        );
        assert_eq!(filled("{{ a }}: {{ a }}", &json!({"a": 5})), "\"5\": 5");
    }

    #[test]
    fn no_value_becomes_a_key_that_is_there() {
        let template =
            Template::new(r#"{"{{ a }}": 1, "admin": false}"#, TemplateFormat::Json).unwrap();
        assert!(template.fill(&json!({"a": "admin"})).unwrap_err().contains("twice"));
        assert_eq!(template.fill(&json!({"a": "b"})).unwrap(), r#"{"b": 1, "admin": false}"#);
    }

    #[test]
    fn what_is_in_no_format_is_refused_before_anybody_is_asked() {
        for (text, format) in [
            ("a: {{ a }}: {{ b }}", TemplateFormat::Yaml),
            ("{\"a\": {{ a }}", TemplateFormat::Json),
            ("{\"a\": 1{{ a }}}", TemplateFormat::Json),
        ] {
            let error = Template::new(text, format).unwrap_err();
            assert!(matches!(error, TemplateError::Unreadable { .. }), "{text}: {error}");
        }
    }

    #[test]
    fn plain_text_has_values_as_they_are() {
        let template =
            Template::new("Dear {{ name }},\n{{n}} left.", TemplateFormat::Text).unwrap();
        assert_eq!(template.fill(&json!({"name": "Ann", "n": 3})).unwrap(), "Dear Ann,\n3 left.");
        assert_eq!(template.schema()["required"], json!(["n", "name"]));
    }

    #[test]
    fn what_is_no_template_is_refused() {
        let of = |text: &str| Template::new(text, TemplateFormat::Yaml).unwrap_err();
        assert_eq!(of("a: b"), TemplateError::Empty);
        assert!(matches!(of("a: {{ b.c }}"), TemplateError::Place(_)));
        assert!(matches!(of("a: {{ b"), TemplateError::Place(_)));
        assert_eq!(of(&"{{ a }}".repeat(201)), TemplateError::Many);
    }
}
