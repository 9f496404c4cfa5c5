//! Texts that are filled with fewer values than they have places: `"{} of {}".format(3)`, `"%s: %s" % (a,)`.

use ruff_python_ast::{Expr, ExprBinOp, ExprCall, Operator};
use ruff_text_size::Ranged as _;

use super::Judge;
use crate::finding::{Mistake, raises};

/// What a text for `format` asks for.
#[derive(Debug, Default, PartialEq)]
struct Places {
    /// How many values by position,
    count: usize,
    /// and how many of them without a number of their own so far.
    unnumbered: usize,
    names: Vec<String>,
}

impl<'a> Judge<'_, 'a, '_> {
    /// `"{} {}".format(one)`.
    pub(super) fn misfilled(&self, call: &'a ExprCall) -> Option<Mistake> {
        let Expr::Attribute(method) = &*call.func else { return None };
        let (Expr::StringLiteral(text), "format") = (&*method.value, method.attr.as_str()) else {
            return None;
        };
        let arguments = &call.arguments;
        let is_spread = arguments.args.iter().any(Expr::is_starred_expr)
            || arguments.keywords.iter().any(|one| one.arg.is_none());
        let mut places = Places::default();
        if is_spread || !places.read(text.value.to_str(), 0) {
            return None;
        }
        let given = arguments.args.len();
        if places.count > given {
            let message =
                format!("the text has {} places, and format() is given {given}", places.count);
            return Some(self.apart(self.crash(call.range(), message, raises::INDEX), true));
        }
        let missing = places.names.iter().find(|name| arguments.find_keyword(name).is_none())?;
        let message = format!("the text has a place '{missing}', which format() is not given");
        Some(self.apart(self.crash(call.range(), message, raises::KEY), true))
    }

    /// `"%s %s" % (one,)`.
    pub(super) fn misfilled_by_percent(&self, operation: &'a ExprBinOp) -> Option<Mistake> {
        let (Operator::Mod, Expr::StringLiteral(text)) = (operation.op, &*operation.left) else {
            return None;
        };
        let places = percents(text.value.to_str())?;
        let given = match &*operation.right {
            Expr::Tuple(tuple) if !tuple.elts.iter().any(Expr::is_starred_expr) => tuple.elts.len(),
            Expr::NumberLiteral(_) | Expr::StringLiteral(_) | Expr::FString(_) => 1,
            _ => return None,
        };
        (places != given).then(|| {
            let message = format!("the text has {places} places for values, and is given {given}");
            self.apart(self.crash(operation.range(), message, raises::TYPE), true)
        })
    }
}

impl Places {
    /// Takes up the places of a text; `false` where it is no such text.
    fn read(&mut self, text: &str, depth: usize) -> bool {
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (sign, after) = (rest[at..].chars().next(), &rest[at + 1..]);
            if after.chars().next() == sign {
                rest = &after[1..];
                continue;
            }
            // A bracket that closes nothing, or one inside of a place of a place.
            if sign == Some('}') || depth > 1 {
                return false;
            }
            let Some(end) = closing(after) else { return false };
            if !self.take(&after[..end], depth) {
                return false;
            }
            rest = &after[end + 1..];
        }
        true
    }

    /// Takes up one place, without its brackets: `0.name!r:>{width}`.
    fn take(&mut self, place: &str, depth: usize) -> bool {
        // What has brackets of its own may have a colon in them.
        if place.contains('[') {
            return false;
        }
        let (field, spec) = place.split_once(':').unwrap_or((place, ""));
        let field = field.split('!').next().unwrap_or_default();
        let root = field.split('.').next().unwrap_or_default();
        if root.is_empty() {
            self.unnumbered += 1;
            self.count = self.count.max(self.unnumbered);
        } else if let Ok(number) = root.parse::<usize>() {
            self.count = self.count.max(number.saturating_add(1));
        } else {
            self.names.push(root.to_owned());
        }
        self.read(spec, depth + 1)
    }
}

/// Where the bracket is closed that was opened before a text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// How many values a text with `%` takes; `None` where it takes them by name.
fn percents(text: &str) -> Option<usize> {
    let mut count = 0;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            continue;
        }
        loop {
            match letters.next()? {
                '*' => count += 1,
                '%' => break,
                '#' | '0'..='9' | '-' | ' ' | '+' | '.' | 'h' | 'l' | 'L' => {}
                'd' | 'i' | 'o' | 'u' | 'x' | 'X' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'c'
                | 'r' | 's' | 'a' => {
                    count += 1;
                    break;
                }
                // With `(`, it takes them by name.
                _ => return None,
            }
        }
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<(usize, String)> {
        let mut places = Places::default();
        places.read(text, 0).then(|| (places.count, places.names.join(" ")))
    }

    #[test]
    fn places_are_counted_and_named() {
        assert_eq!(of("{} {}"), Some((2, String::new())));
        assert_eq!(of("{{}} {0} {2}"), Some((3, String::new())));
        assert_eq!(of("{name!r:>{width}} {:.2f}"), Some((1, "name width".to_owned())));
        assert_eq!(of("{0.name} é {1}"), Some((2, String::new())));
        assert_eq!(of("{rows[a:b]}"), None);
        assert_eq!(of("{"), None);
        assert_eq!(of("} {}"), None);
    }

    #[test]
    fn places_with_percents_are_counted() {
        assert_eq!(percents("%s is %5.2f%%"), Some(2));
        assert_eq!(percents("%*d"), Some(2));
        assert_eq!(percents("100 % sure"), Some(1));
        assert_eq!(percents("100%"), None);
        assert_eq!(percents("%(name)s"), None);
        assert_eq!(percents("100 %, % y"), None);
    }
}
