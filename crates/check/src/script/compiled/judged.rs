//! Which complaints of a compiler are certain, in our words.
//!
//! Those about the arguments of a tool's call, about exports of servers, about fields of results and about promises
//! that nobody waited for block as ours do, and so do a few that certainly crash. All others are advice.

use std::collections::BTreeSet;

use catalog::{Catalog, CatalogTool};
use serde_json::{Value, json};
use typescript::{Call, Range, Reading, Target};

use super::said::Said;
use crate::calls::{code_of, without_question};
use crate::finding::{Code, Mistake, Severity, Weight, raises};
use crate::nearest::nearest;
use crate::script::values::Given;
use crate::script::{Called, Place, range};

/// The longest type that is repeated, in letters.
const LONGEST_TYPE: usize = 80;

/// A program, and what its calls are of.
pub(super) struct Judged<'a, 'c> {
    pub(super) reading: &'a Reading,
    pub(super) catalog: &'c Catalog,
    pub(super) called: &'a [Called<'c>],
    /// No earlier program can have left names.
    pub(super) knows_names: bool,
}

/// What is wrong, and whether that is certain.
type Verdict = Option<(Severity, Mistake)>;

/// A call of a tool that is around a place.
#[derive(Clone, Copy)]
struct Around<'a, 'c> {
    call: &'a Call,
    tool: &'c CatalogTool,
    /// What the program calls it.
    name: &'a str,
}

impl<'a, 'c> Judged<'a, 'c> {
    /// What a complaint says; `None` where it says nothing, or nothing that is not said better elsewhere.
    pub(super) fn judge(&self, said: &Said) -> Verdict {
        let at = self.reading.byte_at(said.line, said.column)?;
        let judged = match said.code {
            // No TypeScript, which our own parser says; modules, whose files it was not given; its settings;
            // types that are missing.
            1000..=1999 | 2307 | 2792 | 5000..=7999 | 17000..=17999 => return None,
            2304 | 2552 | 18004 if !self.knows_names => return None,
            2322 | 2820 => self.value(at, &said.message),
            2345 => self.argument(at, said),
            2353 | 2561 => self.unknown(at, &said.message),
            2739..=2741 => self.missing(at, &said.message),
            2554 | 2555 => self.count(at, &said.message),
            2339 | 2551 => self.property(at, &said.message),
            2305 | 2724 => return self.export(at, &said.message),
            2588 | 2448 => self.constant(at, said.code),
            _ => None,
        };
        judged.or_else(|| Some(self.advice(at, said)))
    }

    /// What is worth knowing, in the compiler's own words.
    fn advice(&self, at: u32, said: &Said) -> (Severity, Mistake) {
        let message = format!("TS{}: {}", said.code, said.message);
        (Severity::Advice, mistake(self.word(at), Code::Compiler, message))
    }

    /// The word that begins at a byte, or one letter.
    fn word(&self, at: u32) -> Range {
        let rest = self.reading.text.get(at as usize..).unwrap_or_default();
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
        let length = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        let length = length.max(rest.chars().next().map_or(0, char::len_utf8));
        Range { start: at, end: at.saturating_add(u32::try_from(length).unwrap_or_default()) }
    }

    /// The innermost call of a tool around a place.
    fn around(&self, at: u32) -> Option<Around<'a, 'c>> {
        let calls = self.reading.calls.iter().zip(self.called);
        let around = calls.filter(|(call, _)| call.whole.holds(at));
        let (call, called) = around.min_by_key(|(call, _)| call.whole.end - call.whole.start)?;
        match (&call.target, called) {
            (Target::Member { .. }, Called::Tool(tool)) => {
                let written =
                    self.reading.text.get(call.range.start as usize..call.range.end as usize)?;
                let name = written.rsplit('.').next().unwrap_or(written);
                Some(Around { call, tool, name })
            }
            _ => None,
        }
    }

    /// The call whose argument has a part that begins at a place, the path of that, and where its value is.
    fn part(&self, at: u32) -> Option<(Around<'a, 'c>, String, Range)> {
        let around = self.around(at)?;
        let argument = around.call.arguments.as_ref()?.first()?;
        if argument.range.start == at {
            return Some((around, String::new(), argument.range));
        }
        let given = Given::of(Some(argument)).ok()?;
        let (path, value) = given.part_at(at)?;
        Some((around, path.to_owned(), value))
    }

    /// `Type 'A' is not assignable to type 'B'.`
    fn value(&self, at: u32, message: &str) -> Verdict {
        let (around, path, place) = self.part(at)?;
        if path.is_empty() {
            return None;
        }
        self.assigned(around, &path, place, message)
    }

    fn assigned(&self, around: Around<'_, '_>, path: &str, place: Range, message: &str) -> Verdict {
        let (given, wanted) = not_assignable(message)?;
        let name = around.name;
        let (code, said) = if is_promise(given) {
            let said = format!("{name}(): \"{path}\" is a promise; put `await` before it");
            (Code::MissingAwait, said)
        } else {
            let own = own_types(around.tool, &self.reading.text);
            let code = differ(given, wanted, &own)?;
            let (given, wanted) = (short(given), short(wanted));
            (code, format!("{name}(): \"{path}\" should be {wanted}, not {given}"))
        };
        Some(self.of_call(around, place, code, said, asked(message)))
    }

    /// `Argument of type 'A' is not assignable to parameter of type 'B'.`
    fn argument(&self, at: u32, said: &Said) -> Verdict {
        let (around, path, place) = self.part(at)?;
        if !path.is_empty() {
            return None;
        }
        let more = |number: usize| said.more.get(number).map_or("", String::as_str);
        if more(0).starts_with("Property '") || more(0).contains("is missing the following") {
            return self.missing(at, more(0));
        }
        if let Some(field) = between(more(0), "Types of property '", "' are incompatible") {
            // Compilers believe what something was when it was made.
            if self.reading.may_set(field) {
                return None;
            }
            return self.assigned(around, field, place, more(1));
        }
        let given = between(&said.message, "Argument of type '", "' is not assignable")?;
        let name = around.name;
        let (code, said) = if is_promise(given) {
            let said = format!("{name}() is given a promise; put `await` before it");
            (Code::MissingAwait, said)
        } else {
            let kinds = kinds(given, &BTreeSet::new())?;
            if kinds.contains(&Kind::Object) {
                return None;
            }
            let given = short(given);
            let said = format!(
                "{name}() takes one object with its arguments by name, not {given}: {name}({{ … }})"
            );
            (Code::WrongType, said)
        };
        Some(self.of_call(around, place, code, said, None))
    }

    /// `…, and 'tittle' does not exist in type 'CreateIssueInput'.`
    fn unknown(&self, at: u32, message: &str) -> Verdict {
        let (around, path, _) = self.part(at)?;
        // What is inside of an argument may be open where its type does not say so.
        if path.contains(['.', '[']) || path.is_empty() {
            return None;
        }
        let problem = around.tool.check(&json!({ path.as_str(): Value::Null })).err()?;
        let own = problem.problems().iter().find(|one| one.path == path)?;
        if code_of(&own.message) != Code::UnknownArgument {
            return None;
        }
        let (said, near) = without_question(&own.message);
        let said = format!("{}(): {said}", around.name);
        let near = near.or_else(|| asked(message));
        Some(self.of_call(around, self.word(at), Code::UnknownArgument, said, near))
    }

    /// `Property 'title' is missing in type …`, or several
    fn missing(&self, at: u32, message: &str) -> Verdict {
        let (around, path, place) = self.part(at)?;
        if !path.is_empty() {
            return None;
        }
        let one = between(message, "Property '", "' is missing in type");
        let names: Vec<&str> = if let Some(name) = one {
            vec![name]
        } else {
            let (_, listed) = message.rsplit_once("': ")?;
            listed.split(',').map(|name| name.trim().trim_end_matches('.')).collect()
        };
        let parameters = bindings::python_parameters(around.tool).parameters;
        // What something lacked when it was made may have been put there since.
        let is_required = |name: &&str| {
            let known = parameters.iter().any(|one| one.required && one.key == **name);
            known && !self.reading.mentions(name) && !self.reading.may_set(name)
        };
        let lacks: Vec<String> = names
            .into_iter()
            .filter(is_required)
            .map(|name| format!("\"{name}\" is missing"))
            .collect();
        if lacks.is_empty() {
            return None;
        }
        let said = format!("{}(): {}", around.name, lacks.join("; "));
        Some(self.of_call(around, place, Code::MissingArgument, said, None))
    }

    /// `Expected 1 arguments, but got 0.` One too many changes nothing.
    fn count(&self, at: u32, message: &str) -> Verdict {
        let around = self.around(at).filter(|around| around.call.range.holds(at))?;
        if !message.ends_with("but got 0.") {
            return None;
        }
        let name = around.name;
        let said = format!("{name}() needs one object with its arguments by name: {name}({{ … }})");
        Some(self.of_call(around, around.call.range, Code::MissingArgument, said, None))
    }

    /// `Property 'titel' does not exist on type 'GetIssueResult'. Did you mean 'title'?`
    fn property(&self, at: u32, message: &str) -> Verdict {
        let place = self.word(at);
        let name = between(message, "Property '", "' does not exist on type '")?;
        let (_, rest) = message.split_once("' does not exist on type '")?;
        let of = rest.split_once("'.").map_or(rest, |(of, _)| of);
        let text = &self.reading.text;
        let before = text.get(..at as usize)?.trim_end();
        let after = text.get(place.end as usize..)?.trim_start();
        let is_set = after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=>");
        if before.ends_with("?.") || is_set || self.reading.mentions(name) {
            return None;
        }
        let severity = |is_so: bool| if is_so { Severity::Blocks } else { Severity::Advice };
        let is_certain = self.reading.is_certain_at(at);
        if is_promise(of) {
            let said = format!(
                "this is a promise, and what it brings has '{name}'; put `await` before the call"
            );
            return Some((severity(is_certain), mistake(place, Code::MissingAwait, said)));
        }
        let near = asked(message);
        if let Some((tool, valid)) = self.result(of) {
            let said = format!("what {}() gives has no field '{name}' here", tool.typescript());
            let wrong = Mistake {
                valid,
                nearest: near.clone(),
                ..mistake(place, Code::UnknownField, said)
            };
            return Some((severity(is_certain && near.is_some()), wrong));
        }
        let is_plain =
            kinds(of, &BTreeSet::new()).is_some_and(|kinds| !kinds.contains(&Kind::Object));
        if !is_plain || near.is_none() || !after.starts_with('(') {
            return None;
        }
        let said = format!("{} has no method '{name}'", short(of));
        let wrong = Mistake { nearest: near, ..mistake(place, Code::CertainCrash, said) };
        Some((severity(self.reading.is_on_main_line(at)), wrong))
    }

    /// The tool whose result has a type of this name, and the fields of that.
    fn result(&self, of: &str) -> Option<(&'c CatalogTool, Vec<String>)> {
        let tools = self.called.iter().filter_map(|called| match called {
            Called::Tool(tool) => Some(*tool),
            _ => None,
        });
        let mut typed = tools.filter(|tool| tool.output().is_some());
        typed.find_map(|tool| {
            if !own_types(tool, &self.reading.text).contains(of) {
                return None;
            }
            let signature = bindings::typescript_signature(tool);
            let (_, body) = signature.split_once(&format!("interface {of} {{\n"))?;
            let fields = body.lines().take_while(|line| !line.starts_with('}'));
            let fields = fields.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
            let fields = fields.filter_map(|line| {
                let (name, _) = line.trim().split_once(':')?;
                let name = name.trim_end_matches('?').trim_matches('"');
                (!name.starts_with(['*', '/', '['])).then(|| name.to_owned())
            });
            Some((tool, fields.collect()))
        })
    }

    /// An export that a server has under other names only: imports take the name as it is written.
    fn export(&self, at: u32, message: &str) -> Verdict {
        let import = self.reading.imports.iter().find_map(|import| {
            let name = import.names.iter().find(|name| name.range.start == at)?;
            Some((import.specifier.name.as_str(), name))
        });
        let (specifier, name) = import?;
        let Place::Server(server) = Place::of(specifier) else { return None };
        // Where there is none of any spelling, that was said already.
        let tool = self.catalog.resolve(Some(server), &name.name).ok()?;
        let said = format!(
            "\"{specifier}\" has no export '{}'; the tool's function is called {}",
            name.name,
            tool.typescript()
        );
        let near = asked(message).unwrap_or_else(|| tool.typescript().to_owned());
        let wrong = Mistake { nearest: Some(near), ..mistake(name.range, Code::UnknownTool, said) };
        Some((Severity::Blocks, wrong))
    }

    /// A constant that is set again, or used before it is there.
    fn constant(&self, at: u32, code: u32) -> Verdict {
        let place = self.word(at);
        let name = self.reading.text.get(place.start as usize..place.end as usize)?;
        let said = if code == 2588 {
            format!("'{name}' is a constant, and cannot be given another value")
        } else {
            format!("'{name}' is used before it is declared")
        };
        let is_so = self.reading.is_on_main_line(at);
        let severity = if is_so { Severity::Blocks } else { Severity::Advice };
        Some((severity, mistake(place, Code::CertainCrash, said)))
    }

    /// Something about a call of a tool, with what that takes.
    fn of_call(
        &self,
        Around { call, tool, .. }: Around<'_, '_>,
        place: Range,
        code: Code,
        message: String,
        near: Option<String>,
    ) -> (Severity, Mistake) {
        let parameters = bindings::python_parameters(tool).parameters;
        let near = near.or_else(|| match code {
            Code::UnknownArgument => {
                let word = self.reading.text.get(place.start as usize..place.end as usize)?;
                let names = parameters.iter().map(|one| one.key.as_str());
                nearest(word, names).map(str::to_owned)
            }
            _ => None,
        });
        let valid = parameters.iter().map(|one| {
            let mark = if one.required { " (required)" } else { "" };
            format!("{}: {}{mark}", one.key, catalog::shape_in_words(&one.shape))
        });
        let wrong = Mistake {
            valid: valid.collect(),
            nearest: near,
            raises: raises::ARGUMENT,
            ..mistake(place, code, message)
        };
        let severity = if call.is_certain { Severity::Blocks } else { Severity::Advice };
        (severity, wrong)
    }
}

fn mistake(place: Range, code: Code, message: String) -> Mistake {
    Mistake {
        range: range(place),
        code,
        weight: Weight::Call,
        message,
        valid: Vec::new(),
        nearest: None,
        usage: None,
        raises: raises::NOTHING,
    }
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(found, _)| found)
}

/// What was most likely meant: `Did you mean to write 'title'?`, `Did you mean '"open"'?`
fn asked(message: &str) -> Option<String> {
    let (_, asked) = message.rsplit_once("Did you mean ")?;
    between(asked, "'", "'?").map(|name| name.trim_matches('"').to_owned())
}

fn not_assignable(message: &str) -> Option<(&str, &str)> {
    let (given, rest) =
        message.strip_prefix("Type '")?.split_once("' is not assignable to type '")?;
    Some((given, rest.split_once("'.").map_or(rest, |(wanted, _)| wanted)))
}

fn is_promise(of: &str) -> bool {
    of.starts_with("Promise<") && of.ends_with('>')
}

fn short(of: &str) -> String {
    match of.char_indices().nth(LONGEST_TYPE) {
        Some((at, _)) => format!("{}…", &of[..at]),
        None => of.to_owned(),
    }
}

/// The interfaces of a tool's own, but for those that the program declares itself.
fn own_types(tool: &CatalogTool, text: &str) -> BTreeSet<String> {
    let signature = bindings::typescript_signature(tool);
    let named = signature.lines().filter_map(|line| {
        let rest = line.strip_prefix("interface ")?;
        rest.split_whitespace().next().map(str::to_owned)
    });
    let is_own = |name: &String| {
        !["interface", "type", "class"].iter().any(|word| text.contains(&format!("{word} {name}")))
    };
    named.filter(is_own).collect()
}

/// What a type is, as JSON has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Text,
    Number,
    Boolean,
    Array,
    Object,
}

/// The kind of mistake that it is to give one type for another; `None` where a value may still fit.
fn differ(given: &str, wanted: &str, own: &BTreeSet<String>) -> Option<Code> {
    let (has, takes) = (kinds(given, own)?, kinds(wanted, own)?);
    if has.is_disjoint(&takes) {
        return Some(Code::WrongType);
    }
    let is_written = |of: &str| parts(of).is_some_and(|all| all.iter().all(|one| is_literal(one)));
    (is_written(given) && is_written(wanted)).then_some(Code::WrongValue)
}

/// What a type may be; `None` where that is not certain.
fn kinds(of: &str, own: &BTreeSet<String>) -> Option<BTreeSet<Kind>> {
    let kind = |one: &str| match one {
        "string" => Some(Kind::Text),
        "number" => Some(Kind::Number),
        "boolean" | "true" | "false" => Some(Kind::Boolean),
        _ if is_literal(one) && one.starts_with('"') => Some(Kind::Text),
        _ if is_literal(one) => Some(Kind::Number),
        _ if one.ends_with("[]") || one.starts_with('[') && one.ends_with(']') => Some(Kind::Array),
        _ if one.starts_with('{') && one.ends_with('}') => Some(Kind::Object),
        _ if own.contains(one) => Some(Kind::Object),
        _ => None,
    };
    parts(of)?.into_iter().map(kind).collect()
}

fn is_literal(one: &str) -> bool {
    let is_text = one.len() > 1 && one.starts_with('"') && one.ends_with('"');
    is_text || one.parse::<f64>().is_ok_and(f64::is_finite)
}

/// The parts of a union; `None` where it cannot be taken apart.
fn parts(of: &str) -> Option<Vec<&str>> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0_u32, 0);
    let (mut in_text, mut escaped) = (false, false);
    for (at, letter) in of.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if in_text => escaped = true,
            '"' => in_text = !in_text,
            _ if in_text => {}
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth = depth.checked_sub(1)?,
            '|' if depth == 0 => {
                found.push(of.get(start..at)?.trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(of.get(start..)?.trim());
    let is_whole = depth == 0 && !in_text && !of.contains(['…', '&']) && !of.contains("...");
    is_whole.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_differ_only_where_no_value_is_of_both() {
        let own = BTreeSet::from(["Filter".to_owned()]);
        for (given, wanted, code) in [
            ("string", "number", Some(Code::WrongType)),
            ("string", "number | boolean", Some(Code::WrongType)),
            ("string[]", "string", Some(Code::WrongType)),
            ("{ a: string | number; }", "string", Some(Code::WrongType)),
            ("string", "Filter", Some(Code::WrongType)),
            ("\"opn\"", "\"open\" | \"closed\"", Some(Code::WrongValue)),
            ("\"a | b\"", "\"open\"", Some(Code::WrongValue)),
            ("3", "1 | 2", Some(Code::WrongValue)),
            // It may be one of them.
            ("string", "\"open\" | \"closed\"", None),
            ("number", "1 | 2", None),
            ("string | number", "number", None),
            // Nobody knows what that is.
            ("Mine", "string", None),
            ("T", "number", None),
            ("string & Brand", "number", None),
            ("() => string", "string", None),
            ("{ a: ...", "string", None),
        ] {
            assert_eq!(differ(given, wanted, &own), code, "{given} for {wanted}");
        }
    }

    #[test]
    fn what_was_meant_is_read_from_the_question() {
        for (message, name) in [
            ("x. Did you mean to write 'title'?", Some("title")),
            ("x. Did you mean '\"open\"'?", Some("open")),
            ("no question", None),
        ] {
            assert_eq!(asked(message).as_deref(), name);
        }
    }
}
