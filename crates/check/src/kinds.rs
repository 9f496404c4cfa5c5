//! Types as the type checker writes them, sorted into what a program can do with them.

/// What a value certainly is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// Text; which one, where that is known.
    Str(Option<String>),
    Int(Option<i64>),
    Float,
    Bool,
    None,
    Bytes,
    List,
    Dict,
    /// A dict whose keys are known.
    Typed(String),
    Tuple,
    Set,
    /// What an async function of the program gives before it is awaited.
    Coroutine,
    /// A task, or what `gather` gives, before it is awaited.
    Future,
    Function,
    Module,
    /// A class of the standard library about which the stubs tell everything.
    Known(String),
    /// Such a class itself.
    Class(String),
    /// Something else, or nobody knows.
    Other,
}

/// Classes whose attributes are all in the stubs, and that nobody extends in passing. A table also has
/// its columns. `Texts`, `Moments` and `Rolling` are those of our own stub of pandas.
const KNOWN: &[&str] = &[
    "ArgumentParser",
    "Barrier",
    "BoundedSemaphore",
    "BufferedReader",
    "BufferedWriter",
    "BytesIO",
    "ChainMap",
    "Condition",
    "Connection",
    "Counter",
    "Cursor",
    "DataFrame",
    "DataFrameGroupBy",
    "Decimal",
    "DictReader",
    "DictWriter",
    "Element",
    "ElementTree",
    "Event",
    "Fraction",
    "Generator",
    "GeneratorType",
    "HASH",
    "IPv4Address",
    "IPv4Network",
    "LifoQueue",
    "Lock",
    "Logger",
    "Match",
    "Moments",
    "NormalDist",
    "OrderedDict",
    "Path",
    "Pattern",
    "PosixPath",
    "PriorityQueue",
    "PurePosixPath",
    "Queue",
    "RLock",
    "Reader",
    "Rolling",
    "Semaphore",
    "Series",
    "SeriesGroupBy",
    "SimpleQueue",
    "StringIO",
    "Struct",
    "TaskGroup",
    "Template",
    "TemporaryDirectory",
    "TextIOWrapper",
    "TextWrapper",
    "Texts",
    "Thread",
    "ThreadPoolExecutor",
    "UUID",
    "Writer",
    "ZipFile",
    "ZipInfo",
    "ZoneInfo",
    "chain",
    "combinations",
    "count",
    "cycle",
    "date",
    "datetime",
    "defaultdict",
    "deque",
    "dict_items",
    "dict_keys",
    "dict_values",
    "enumerate",
    "filter",
    "groupby",
    "islice",
    "lock",
    "map",
    "ndarray",
    "permutations",
    "product",
    "range",
    "struct_time",
    "time",
    "timedelta",
    "timezone",
    "zip",
];

/// Classes whose objects are gone over once, from first to last: they have neither a length nor items.
const ITERATORS: &[&str] = &[
    "GeneratorType",
    "chain",
    "combinations",
    "count",
    "cycle",
    "enumerate",
    "filter",
    "groupby",
    "islice",
    "map",
    "permutations",
    "product",
    "zip",
];

/// Whether objects of a class are gone over, and no more than that.
pub(crate) fn is_iterator(class: &str) -> bool {
    ITERATORS.contains(&class)
}

/// The kinds of the members of a type. `typed` are the names of known dicts.
pub(crate) fn kinds(text: &str, typed: impl Fn(&str) -> bool + Copy) -> Vec<Kind> {
    let mut kinds = Vec::new();
    for member in split(text, '|') {
        let member = member.trim();
        match member.strip_prefix("Literal[").and_then(|rest| rest.strip_suffix(']')) {
            Some(values) => kinds.extend(split(values, ',').map(|value| literal(value.trim()))),
            None => kinds.push(kind(member, typed)),
        }
    }
    kinds
}

/// The one kind that a type is.
pub(crate) fn only(text: &str, typed: impl Fn(&str) -> bool + Copy) -> Option<Kind> {
    let kinds = kinds(text, typed);
    let first = kinds.first()?.clone();
    let same = |kind: &Kind| std::mem::discriminant(kind) == std::mem::discriminant(&first);
    (first != Kind::Other && kinds.iter().all(same)).then_some(first)
}

fn kind(member: &str, typed: impl Fn(&str) -> bool) -> Kind {
    let name = member.split('[').next().unwrap_or_default();
    if member.contains(" & ") || member.contains('~') {
        return Kind::Other;
    }
    match name {
        "str" | "LiteralString" => Kind::Str(None),
        "int" => Kind::Int(None),
        "float" => Kind::Float,
        "bool" => Kind::Bool,
        "None" => Kind::None,
        "bytes" | "bytearray" => Kind::Bytes,
        "list" => Kind::List,
        "dict" => Kind::Dict,
        "tuple" => Kind::Tuple,
        "set" | "frozenset" => Kind::Set,
        "CoroutineType" => Kind::Coroutine,
        "Future" | "Task" => Kind::Future,
        // A server may have a result of the same name.
        name if KNOWN.contains(&name) && typed(name) => Kind::Other,
        name if KNOWN.contains(&name) => Kind::Known(name.to_owned()),
        name if typed(name) => Kind::Typed(name.to_owned()),
        _ if member.starts_with("<module ") => Kind::Module,
        _ if member.starts_with("<class '") => {
            let class = member.trim_start_matches("<class '").trim_end_matches("'>");
            if KNOWN.contains(&class) { Kind::Class(class.to_owned()) } else { Kind::Other }
        }
        _ if member.starts_with("def ") || member.starts_with("bound method") => Kind::Function,
        _ => Kind::Other,
    }
}

fn literal(value: &str) -> Kind {
    if let Some(inner) = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        // What is escaped or cut could be anything.
        return Kind::Str(
            (!inner.contains('\\') && !inner.contains('…')).then(|| inner.to_owned()),
        );
    }
    match value {
        "True" | "False" => Kind::Bool,
        value if value.starts_with("b\"") => Kind::Bytes,
        value => value.parse().map_or(Kind::Other, |number| Kind::Int(Some(number))),
    }
}

/// Cuts at a separator that is outside brackets and quotes.
fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut parts = Vec::new();
    let (mut depth, mut quoted, mut escaped, mut from) = (0_i32, false, false, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '[' | '(' | '<' | '{' => depth += 1,
            ']' | ')' | '}' => depth -= 1,
            '>' if !text[..at].ends_with('-') => depth -= 1,
            letter if letter == separator && depth == 0 => {
                parts.push(&text[from..at]);
                from = at + letter.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<Kind> {
        kinds(text, |name| name == "Row")
    }

    #[test]
    fn unions_and_literals_are_taken_apart() {
        assert_eq!(of("int | None"), [Kind::Int(None), Kind::None]);
        assert_eq!(
            of(r#"Literal["a | b", "c"]"#),
            [Kind::Str(Some("a | b".into())), Kind::Str(Some("c".into()))]
        );
        assert_eq!(of("list[int | str]"), [Kind::List]);
        assert_eq!(of("dict[str, list[Row]] | Row"), [Kind::Dict, Kind::Typed("Row".into())]);
        assert_eq!(of("Unknown"), [Kind::Other]);
        assert_eq!(of("int & ~AlwaysFalsy"), [Kind::Other]);
    }

    #[test]
    fn only_a_type_of_one_kind_is_certain() {
        assert_eq!(only("Literal[1, 2]", |_| false), Some(Kind::Int(Some(1))));
        assert_eq!(only("int | None", |_| false), None);
        assert_eq!(only("Foo", |_| false), None);
    }
}
