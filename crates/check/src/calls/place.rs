//! Which argument is for which parameter, as the guest would put them.

use bindings::Signature;
use ruff_python_ast::{AnyNodeRef, Expr, ExprCall, ExprDict};
use ruff_text_size::{Ranged as _, TextRange};

use crate::names::Names;
use crate::tree::Tree;

/// Keywords of a call by name that say what its result is to be made into.
const TYPE_WORDS: &[&str] = &["result_type", "return_type"];

/// An argument under the name of its parameter.
#[derive(Debug, Clone)]
pub(super) struct Given<'a> {
    pub(super) name: String,
    pub(super) value: &'a Expr,
    /// Where the name stands, or the value where it has none.
    pub(super) at: TextRange,
}

/// All arguments of a call.
#[derive(Debug, Default)]
pub(super) struct Placed<'a> {
    pub(super) given: Vec<Given<'a>>,
    /// There may be others, which only running would tell.
    pub(super) open: bool,
    /// The one positional argument, which may be a dict with all of them.
    pub(super) maybe_whole: Option<&'a Expr>,
}

/// A call that fits no way of calling.
#[derive(Debug)]
pub(super) struct Misplaced {
    pub(super) range: TextRange,
    pub(super) message: String,
}

/// Finds the literal that a variable holds.
pub(super) type Constants<'f, 'a> = &'f dyn Fn(&Expr) -> Option<&'a Expr>;

/// The dict that a variable holds.
fn dict<'a>(constants: Constants<'_, 'a>, expression: &Expr) -> Option<&'a ExprDict> {
    match constants(expression)? {
        Expr::Dict(dict) => Some(dict),
        _ => None,
    }
}

/// Puts the arguments of a call of a tool's function in place. With `no_dict`, a lone argument of
/// which nothing is known is no dict.
pub(super) fn place<'a>(
    call: &'a ExprCall,
    signature: &Signature,
    no_dict: bool,
    constants: Constants<'_, 'a>,
) -> Result<Placed<'a>, Misplaced> {
    let mut placed = Placed::default();
    for keyword in &call.arguments.keywords {
        match (&keyword.arg, &keyword.value) {
            (Some(name), value) => {
                placed.given.push(Given { name: name.as_str().to_owned(), value, at: name.range });
            }
            (None, Expr::Dict(dict)) => placed.spread(dict),
            (None, other) => match dict(constants, other) {
                Some(dict) => placed.spread(dict),
                None => placed.open = true,
            },
        }
    }
    let arguments = &call.arguments.args;
    if arguments.iter().any(Expr::is_starred_expr) {
        // How many there are nobody knows, so neither is known which names they take.
        placed.open = true;
        return Ok(placed);
    }
    if let [only] = &arguments[..] {
        match whole(only, signature, &placed, constants) {
            Whole::Yes(dict) => {
                placed.spread(dict);
                return Ok(placed);
            }
            Whole::Maybe if !no_dict => {
                // A dict with all arguments, or the first of them: both would do.
                placed.open = true;
                placed.maybe_whole = Some(only);
                return Ok(placed);
            }
            Whole::Maybe | Whole::No => {}
        }
    }
    let positional: Vec<&str> = signature
        .parameters
        .iter()
        .filter(|one| one.required)
        .map(|one| one.name.as_str())
        .collect();
    if let Some(first) = arguments.get(positional.len()) {
        let most = positional.len();
        let rest: Vec<&str> = signature
            .parameters
            .iter()
            .filter(|one| !one.required)
            .map(|one| one.name.as_str())
            .take(5)
            .collect();
        let by_name = if rest.is_empty() {
            String::new()
        } else {
            format!("; give {} by name", rest.join(", "))
        };
        return Err(Misplaced {
            range: first.range(),
            message: format!(
                "it takes at most {most} positional argument{}, {} given{by_name}",
                if most == 1 { "" } else { "s" },
                arguments.len(),
            ),
        });
    }
    for (name, value) in positional.into_iter().zip(arguments) {
        if let Some(twice) = placed.given.iter().find(|given| given.name == name) {
            return Err(Misplaced {
                range: twice.at,
                message: format!("'{name}' is given twice, by position and by name"),
            });
        }
        placed.given.push(Given { name: name.to_owned(), value, at: value.range() });
    }
    Ok(placed)
}

impl<'a> Placed<'a> {
    /// Takes the entries of a dict as arguments.
    fn spread(&mut self, dict: &'a ExprDict) {
        for item in &dict.items {
            match &item.key {
                Some(Expr::StringLiteral(key)) => {
                    self.given.push(Given {
                        name: key.value.to_str().to_owned(),
                        value: &item.value,
                        at: key.range,
                    });
                }
                _ => self.open = true,
            }
        }
    }
}

/// Whether one positional argument holds all of them.
enum Whole<'a> {
    Yes(&'a ExprDict),
    No,
    Maybe,
}

fn whole<'a>(
    only: &'a Expr,
    signature: &Signature,
    placed: &Placed<'_>,
    constants: Constants<'_, 'a>,
) -> Whole<'a> {
    let dict = match only {
        Expr::Dict(dict) => dict,
        // These are no dicts, whatever happens.
        Expr::StringLiteral(_)
        | Expr::FString(_)
        | Expr::NumberLiteral(_)
        | Expr::BooleanLiteral(_)
        | Expr::NoneLiteral(_)
        | Expr::BytesLiteral(_)
        | Expr::List(_)
        | Expr::Tuple(_)
        | Expr::ListComp(_) => return Whole::No,
        other => match dict(constants, other) {
            Some(dict) => dict,
            None => return Whole::Maybe,
        },
    };
    let known =
        |name: &str| signature.parameters.iter().find(|one| one.name == name || one.key == name);
    let mut names = Vec::new();
    for item in &dict.items {
        let Some(Expr::StringLiteral(key)) = &item.key else { return Whole::Maybe };
        names.push(key.value.to_str());
    }
    let fits = signature.extra || names.iter().all(|name| known(name).is_some());
    if !fits || names.iter().any(|name| placed.given.iter().any(|given| given.name == *name)) {
        return misspelt(&names, signature).map_or(Whole::No, |()| Whole::Yes(dict));
    }
    let given = |name: &str| {
        let by_dict =
            names.iter().any(|one| known(one).is_some_and(|parameter| parameter.name == name));
        by_dict || placed.given.iter().any(|given| given.name == name)
    };
    let required: Vec<&str> = signature
        .parameters
        .iter()
        .filter(|one| one.required)
        .map(|one| one.name.as_str())
        .collect();
    if required.iter().all(|name| given(name)) {
        return Whole::Yes(dict);
    }
    let alone = required.first().is_some_and(|first| {
        required
            .iter()
            .all(|name| name == first || placed.given.iter().any(|given| given.name == *name))
    });
    if alone || names.is_empty() { Whole::No } else { Whole::Yes(dict) }
}

/// Whether a dict whose keys do not all fit was still meant as all arguments: most of them do, and
/// the first parameter alone would not be enough. The guest takes it for the first argument then,
/// and complains about the others; saying which key is wrong helps more.
fn misspelt(names: &[&str], signature: &Signature) -> Option<()> {
    let fitting = names.iter().filter(|name| {
        signature.parameters.iter().any(|one| one.name == **name || one.key == **name)
    });
    let required = signature.parameters.iter().filter(|one| one.required).count();
    (required > 1 && fitting.count() * 2 >= names.len()).then_some(())
}

/// A call by name.
#[derive(Debug)]
pub(super) struct Named<'a> {
    pub(super) server: Option<(String, TextRange)>,
    pub(super) tool: (String, TextRange),
    pub(super) arguments: Arguments<'a>,
}

/// The arguments of a call by name.
#[derive(Debug)]
pub(super) enum Arguments<'a> {
    None,
    Dict(&'a ExprDict),
    Named(Vec<Given<'a>>),
    Unknown,
}

/// Reads a call of `call_mcp_tool`; `None` when its names are not known.
pub(super) fn named<'a>(call: &'a ExprCall, constants: Constants<'_, 'a>) -> Option<Named<'a>> {
    let mut rest: Vec<&Expr> = call.arguments.args.iter().collect();
    let mut keywords: Vec<Given<'_>> = Vec::new();
    let mut open = rest.iter().any(|one| one.is_starred_expr());
    for keyword in &call.arguments.keywords {
        match &keyword.arg {
            Some(name) => keywords.push(Given {
                name: name.as_str().to_owned(),
                value: &keyword.value,
                at: name.range,
            }),
            None => open = true,
        }
    }
    let mut names: Vec<(String, TextRange)> = Vec::new();
    while let Some(text) = rest.first().and_then(|first| text(first, constants)) {
        if names.len() == 2 {
            break;
        }
        names.push((text, rest.remove(0).range()));
    }
    let is_dict =
        |expression: &Expr| expression.is_dict_expr() || dict(constants, expression).is_some();
    if open
        || rest.first().is_some_and(|first| {
            names.len() < 2 && !is_dict(first) && !first.is_none_literal_expr()
        })
    {
        // The next one may be a name, too.
        return None;
    }
    if names.is_empty() {
        for words in [&["server", "server_name"][..], &["tool", "tool_name", "name"][..]] {
            let at = keywords.iter().position(|one| words.contains(&one.name.as_str()));
            if let Some(at) = at {
                let Expr::StringLiteral(text) = keywords[at].value else { return None };
                names.push((text.value.to_str().to_owned(), text.range));
                keywords.remove(at);
            }
        }
    }
    let tool = names.pop()?;
    let server = names.pop();
    let arguments = match (rest.first(), &keywords[..]) {
        (Some(Expr::Dict(dict)), []) => Arguments::Dict(dict),
        (Some(first), []) if is_dict(first) => {
            dict(constants, first).map_or(Arguments::Unknown, Arguments::Dict)
        }
        (Some(first), _) if !first.is_none_literal_expr() => Arguments::Unknown,
        (_, []) => Arguments::None,
        (None, [only]) if ["arguments", "args"].contains(&only.name.as_str()) => match only.value {
            Expr::Dict(dict) => Arguments::Dict(dict),
            other => dict(constants, other).map_or(Arguments::Unknown, Arguments::Dict),
        },
        (_, given)
            if given.iter().any(|one| {
                ["result_type", "return_type", "arguments", "args"].contains(&one.name.as_str())
            }) =>
        {
            Arguments::Unknown
        }
        _ => Arguments::Named(keywords),
    };
    Some(Named { server, tool, arguments })
}

/// The text that an expression is, or that a variable always holds.
fn text(expression: &Expr, constants: Constants<'_, '_>) -> Option<String> {
    match expression {
        Expr::StringLiteral(text) => Some(text.value.to_str().to_owned()),
        Expr::Name(_) => match constants(expression)? {
            Expr::StringLiteral(text) => Some(text.value.to_str().to_owned()),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a call by name may say what its result is to be made into: `call_mcp_tool("time",
/// "now", {}, str)`. Only a dict is certainly none.
pub(super) fn may_convert<'a>(call: &'a ExprCall, names: &Names<'a, '_>, tree: &Tree<'a>) -> bool {
    let is_dict = |expression: &Expr| match expression {
        Expr::Dict(_) | Expr::DictComp(_) | Expr::NoneLiteral(_) => true,
        Expr::Name(name) => {
            let places = names.stores.get(name.id.as_str()).map(Vec::as_slice).unwrap_or_default();
            let made = places.iter().map(|place| tree.parent(*place).map(|one| tree.node(one)));
            let is_made = |one| matches!(one, Some(AnyNodeRef::StmtAssign(assign)) if assign.value.is_dict_expr() || assign.value.is_dict_comp_expr());
            !places.is_empty() && made.into_iter().all(is_made)
        }
        _ => false,
    };
    let mut rest = call.arguments.args.iter().filter(|one| !one.is_string_literal_expr());
    let is_plain = rest.next().is_none_or(is_dict) && rest.next().is_none();
    let converts = |one: &ruff_python_ast::Keyword| match &one.arg {
        Some(name) => TYPE_WORDS.contains(&name.as_str()),
        None => true,
    };
    !is_plain || call.arguments.keywords.iter().any(converts)
}

impl Named<'_> {
    /// Where the arguments stand, or the name of the tool.
    pub(super) fn around(&self) -> TextRange {
        match &self.arguments {
            Arguments::Dict(dict) => dict.range,
            _ => self.tool.1,
        }
    }

    /// The arguments that are written out.
    pub(super) fn values(&self) -> Vec<(&str, &Expr)> {
        match &self.arguments {
            Arguments::Dict(dict) => {
                let items = dict.items.iter().filter_map(|item| match &item.key {
                    Some(Expr::StringLiteral(key)) => Some((key.value.to_str(), &item.value)),
                    _ => None,
                });
                items.collect()
            }
            Arguments::Named(given) => {
                given.iter().map(|one| (one.name.as_str(), one.value)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Where the argument at a path stands.
    pub(super) fn place(&self, path: &str) -> Option<TextRange> {
        let first = path.split(['.', '[']).next().filter(|first| !first.is_empty())?;
        let value = self.values().into_iter().find(|(name, _)| *name == first)?.1;
        Some(super::within(value, &path[first.len()..]))
    }
}
