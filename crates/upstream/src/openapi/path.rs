//! Path templates: `/pets/{petId}/photos`.
//!
//! Values are put in so that they cannot change the structure of the path: everything that could
//! is percent-encoded, and the two segments that cannot be encoded away, `.` and `..`, are refused.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// What may not stand in a path as it is. A percent sign may: the document has encoded already.
const LITERAL: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// Why a path could not be filled in.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum PathProblem {
    #[error("the parameter `{0}` stands in the path and must not be empty")]
    Empty(String),
    #[error(
        "the path would contain the segment `{0}`, which leads elsewhere; give another value for {1}"
    )]
    Dots(String, String),
}

/// A path with placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template {
    pieces: Vec<Piece>,
    /// Some documents write a fixed query into the path.
    query: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Placeholder(String),
}

impl Template {
    /// Reads a key of `paths`. `None` if it contains segments that lead elsewhere.
    pub(super) fn parse(path: &str) -> Option<Self> {
        let path = path.split('#').next().unwrap_or_default();
        let (path, query) = match path.split_once('?') {
            Some((path, query)) => (path, Some(query.to_owned())),
            None => (path, None),
        };
        let mut pieces = Vec::new();
        if !path.starts_with('/') {
            pieces.push(Piece::Literal("/".to_owned()));
        }
        let mut rest = path;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else { break };
            pieces.push(literal(before));
            pieces.push(Piece::Placeholder(name.to_owned()));
            rest = after;
        }
        pieces.push(literal(rest));
        pieces.retain(|piece| *piece != Piece::Literal(String::new()));
        let template = Self { pieces, query };
        let sample = template.joined(|_| "x".to_owned());
        let leads_elsewhere = sample.split('/').any(is_dots);
        (!leads_elsewhere).then_some(template)
    }

    /// The names of its placeholders, each once.
    pub(super) fn placeholders(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for piece in &self.pieces {
            if let Piece::Placeholder(name) = piece
                && !names.contains(&name.as_str())
            {
                names.push(name);
            }
        }
        names
    }

    /// The query that the document wrote into the path.
    pub(super) fn query(&self) -> Option<&str> {
        self.query.as_deref()
    }

    /// The path with encoded values in their places.
    pub(super) fn fill(&self, value: impl Fn(&str) -> String) -> Result<String, PathProblem> {
        for name in self.placeholders() {
            if value(name).is_empty() {
                return Err(PathProblem::Empty(name.to_owned()));
            }
        }
        let path = self.joined(value);
        match path.split('/').find(|segment| is_dots(segment)) {
            Some(dots) => {
                let names: Vec<String> =
                    self.placeholders().iter().map(|name| format!("`{name}`")).collect();
                Err(PathProblem::Dots(dots.to_owned(), names.join(" or ")))
            }
            None => Ok(path),
        }
    }

    fn joined(&self, value: impl Fn(&str) -> String) -> String {
        let text = |piece: &Piece| match piece {
            Piece::Literal(text) => text.clone(),
            Piece::Placeholder(name) => value(name),
        };
        self.pieces.iter().map(text).collect()
    }
}

fn literal(text: &str) -> Piece {
    Piece::Literal(utf8_percent_encode(text, LITERAL).to_string())
}

/// `.` and `..`, also encoded: an address means the same with `%2e`.
fn is_dots(segment: &str) -> bool {
    let plain = segment.replace("%2e", ".").replace("%2E", ".");
    plain == "." || plain == ".."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_where_the_template_says() {
        let template = Template::parse("/a b/{x}.{y}/{x}?fixed=1#part").unwrap();
        assert_eq!(template.placeholders(), ["x", "y"]);
        assert_eq!(template.query(), Some("fixed=1"));
        assert_eq!(template.fill(str::to_uppercase).unwrap(), "/a%20b/X.Y/X");
    }

    #[test]
    fn a_path_always_begins_at_the_root() {
        let fill = |path| Template::parse(path).unwrap().fill(|_| "v".to_owned()).unwrap();
        assert_eq!(fill("@other.example/{x}"), "/@other.example/v");
        assert_eq!(fill("{x}"), "/v");
        assert_eq!(fill(""), "/");
        assert_eq!(fill("/open{brace"), "/open%7Bbrace");
    }

    #[test]
    fn segments_that_lead_elsewhere_are_refused() {
        for path in ["/../admin", "/a/./b", "/a/%2e%2E", "/.%2e/{x}"] {
            assert_eq!(Template::parse(path), None, "{path}");
        }
        let fill = |path, value: &str| Template::parse(path).unwrap().fill(|_| value.to_owned());
        assert!(matches!(fill("/a/{x}", ".."), Err(PathProblem::Dots(..))));
        assert!(matches!(fill("/a/.{x}/b", "."), Err(PathProblem::Dots(..))));
        assert!(matches!(fill("/a/{x}", ""), Err(PathProblem::Empty(_))));
        assert_eq!(fill("/a/{x}", "...").unwrap(), "/a/...");
    }
}
