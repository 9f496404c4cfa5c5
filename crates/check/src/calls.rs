//! Calls of tools: whether the tool is there, and whether it takes these arguments.
//!
//! A call is judged as the guest would judge it (`binding.py`), and then as the gateway would
//! (`CatalogTool::check`); what only running would tell is left out of the judgement.

mod place;
mod wrappers;

pub(crate) use wrappers::argument;

use bindings::{Parameter, Signature};
use catalog::schema::Shape;
use catalog::{CatalogTool, ResolveError, shape_in_words};
use ruff_python_ast::{AnyNodeRef, Expr, ExprCall};
use ruff_text_size::{Ranged as _, TextRange};
use serde_json::{Map, Value};

use crate::finding::{Code, Mistake, Weight, raises};
use crate::literal::Known;
use crate::names::{Meaning, Names};
use crate::tree::Tree;
use place::{Constants, Given, Placed};

/// An argument whose type is for the type checker to tell.
#[derive(Debug)]
pub(crate) struct Question {
    /// The expression.
    pub(crate) range: TextRange,
    /// The function, for words.
    pub(crate) function: String,
    pub(crate) parameter: Parameter,
}

/// What was found in the calls of a program.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    pub(crate) mistakes: Vec<Mistake>,
    pub(crate) questions: Vec<Question>,
    /// Lone arguments that may be a dict with all of them.
    pub(crate) lone: Vec<Lone>,
}

/// A lone argument of which nothing is written: a dict with all arguments, or the first of them.
#[derive(Debug)]
pub(crate) struct Lone {
    /// The expression.
    pub(crate) range: TextRange,
    /// The keys that a dict with all arguments may have; `None` where it may have any.
    pub(crate) keys: Option<Vec<String>>,
    /// What holds if it turns out to be the first of them.
    pub(crate) if_first: Judged,
}

/// Judges every call of a tool.
pub(crate) fn judge<'a>(tree: &Tree<'a>, names: &Names<'a, '_>) -> Judged {
    let mut judged = Judged::default();
    let constants = |expression: &Expr| names.constant(tree, expression);
    let wrappers = wrappers::find(tree, names);
    for (_, node) in tree.all() {
        let AnyNodeRef::ExprCall(call) = node else { continue };
        match names.meaning(&call.func) {
            Some(Meaning::Tool(tool)) => judged.bound(call, tool, false, &constants),
            Some(Meaning::ByName("call_mcp_tool" | "callMCPTool")) => {
                judged.by_name(call, names, &constants);
            }
            _ => {
                if let Some(tool) = names.taken(tree, &call.func) {
                    judged.bound(call, tool, false, &constants);
                }
                judged.partial(call, tree, names);
                judged.wrapped(call, &wrappers, names, &constants);
            }
        }
    }
    judged
}

/// The tool that a call by name is of, if what it gives is what the tool's function would give: a
/// call can also say what the result is to be made into.
pub(crate) fn tool_by_name<'a, 'c>(
    call: &'a ExprCall,
    tree: &Tree<'a>,
    names: &Names<'a, 'c>,
) -> Option<&'c CatalogTool> {
    let constants = |expression: &Expr| names.constant(tree, expression);
    let named = place::named(call, &constants)?;
    let server = named.server.as_ref().map(|(name, _)| name.as_str());
    let is_known = !names.servers.partial
        && server.is_none_or(|server| !names.servers.could_be_opaque(server))
        && (server.is_some() || names.servers.opaque.is_empty());
    if !is_known || place::may_convert(call, names, tree) {
        return None;
    }
    names.servers.catalog.resolve(server, &named.tool.0).ok()
}

/// What a call by name is of.
pub(crate) enum Named<'c> {
    /// This tool.
    Tool(&'c CatalogTool),
    /// One of a server whose tools are not known.
    Unlisted,
    /// Only running would tell, or there is no such tool.
    Unknown,
}

/// The tool that a call by name is of, whatever becomes of its result.
pub(crate) fn named_tool<'a, 'c>(
    call: &'a ExprCall,
    tree: &Tree<'a>,
    names: &Names<'a, 'c>,
) -> Named<'c> {
    let constants = |expression: &Expr| names.constant(tree, expression);
    let Some(named) = place::named(call, &constants) else { return Named::Unknown };
    let server = named.server.as_ref().map(|(name, _)| name.as_str());
    match names.servers.catalog.resolve(server, &named.tool.0) {
        Ok(tool) => Named::Tool(tool),
        Err(_) if names.servers.may_be_unlisted(server, &named.tool.0) => Named::Unlisted,
        Err(_) => Named::Unknown,
    }
}

impl Judged {
    /// A call of a tool's function.
    fn bound<'a>(
        &mut self,
        call: &'a ExprCall,
        tool: &CatalogTool,
        no_dict: bool,
        constants: Constants<'_, 'a>,
    ) {
        let signature = bindings::python_parameters(tool);
        let about = About { tool, signature: &signature, call };
        let placed = match place::place(call, &signature, no_dict, constants) {
            Ok(placed) => placed,
            Err(wrong) => {
                self.mistakes.push(about.mistake(
                    wrong.range,
                    Code::UnknownArgument,
                    wrong.message,
                    None,
                ));
                return;
            }
        };
        if let Some(only) = placed.maybe_whole {
            let mut judged = Self::default();
            judged.bound(call, tool, true, constants);
            let keys = signature.parameters.iter().flat_map(|one| [&one.name, &one.key]);
            let keys = (!signature.extra).then(|| keys.cloned().collect());
            self.lone.push(Lone { range: only.range(), keys, if_first: judged });
        }
        self.names(&about, &placed);
        self.values(&about, &placed, constants);
        for given in &placed.given {
            if let Some(parameter) = about.parameter(&given.name) {
                self.questions.push(Question {
                    range: given.value.range(),
                    function: tool.python().to_owned(),
                    parameter: parameter.clone(),
                });
            }
        }
    }

    /// `functools.partial(tool, name=value)`, and calls of what it gives: others may give more, and
    /// other values, but never take a name back.
    fn partial<'a>(&mut self, call: &'a ExprCall, tree: &Tree<'a>, names: &Names<'a, '_>) {
        let made = names.partial(tree, call);
        let tool = made.and_then(|made| names.meaning(made.arguments.args.first()?));
        let Some(Meaning::Tool(tool)) = tool else { return };
        let signature = bindings::python_parameters(tool);
        let about = About { tool, signature: &signature, call };
        let given = call.arguments.keywords.iter().filter_map(|keyword| {
            let name = keyword.arg.as_ref()?;
            Some(Given { name: name.to_string(), value: &keyword.value, at: name.range })
        });
        let placed = Placed { given: given.collect(), open: true, maybe_whole: None };
        self.names(&about, &placed);
    }

    /// Arguments that the function does not take, and those that it needs.
    fn names(&mut self, about: &About<'_>, placed: &Placed<'_>) {
        let signature = about.signature;
        let mut misspelt = Vec::new();
        for given in &placed.given {
            if signature.extra || about.parameter(&given.name).is_some() {
                continue;
            }
            let absent = signature.parameters.iter().filter(|one| !placed.has(one));
            let near = crate::nearest::nearest(&given.name, absent.map(|one| one.name.as_str()));
            misspelt.extend(near);
            let message = format!("{}() has no parameter '{}'", about.tool.python(), given.name);
            self.mistakes.push(about.mistake(
                given.at,
                Code::UnknownArgument,
                message,
                near.map(str::to_owned),
            ));
        }
        if placed.open {
            return;
        }
        let missing: Vec<&str> = signature
            .parameters
            .iter()
            .filter(|one| {
                one.required && !placed.has(one) && !misspelt.contains(&one.name.as_str())
            })
            .map(|one| one.name.as_str())
            .collect();
        self.mistakes.extend(about.missing(about.call.func.range(), &missing));
    }

    /// Values that are known and that the tool does not take.
    fn values(&mut self, about: &About<'_>, placed: &Placed<'_>, constants: Constants<'_, '_>) {
        let mut known = Known::new(constants);
        let mut arguments = Map::new();
        for given in &placed.given {
            let Some(parameter) = about.parameter(&given.name) else { continue };
            let Some(value) = known.value(given.value, &parameter.key) else { continue };
            if !(value.is_null() && parameter.none_is_absent) {
                arguments.insert(parameter.key.clone(), value);
            }
        }
        // What is missing or unknown was told already.
        let absent =
            about.signature.parameters.iter().filter(|one| !arguments.contains_key(&one.key));
        known.holes.extend(absent.map(|one| one.key.clone()));
        self.fitting(about, &Value::Object(arguments), &known, |path| {
            let first = path.split(['.', '[']).next().unwrap_or_default();
            let given = placed
                .given
                .iter()
                .find(|given| about.parameter(&given.name).is_some_and(|one| one.key == first));
            given.map_or(about.call.func.range(), |given| within(given.value, &path[first.len()..]))
        });
    }

    /// What the gateway would say of arguments.
    fn fitting(
        &mut self,
        about: &About<'_>,
        arguments: &Value,
        known: &Known<'_, '_>,
        place: impl Fn(&str) -> TextRange,
    ) {
        let Err(mistake) = about.tool.check(arguments) else { return };
        let mut found: Vec<Mistake> = Vec::new();
        for problem in mistake.problems() {
            if known.is_open(&problem.path) && !about.is_of_a_key(problem, known) {
                continue;
            }
            let code = code_of(&problem.message);
            let (message, near) = without_question(&problem.message);
            let range = place(&problem.path);
            // Findings are one for each place and kind.
            if let Some(same) = found.iter_mut().find(|one| one.range == range && one.code == code)
            {
                same.message = format!("{}; {message}", same.message);
                continue;
            }
            let message = format!("{}(): {message}", about.tool.python());
            found.push(about.mistake(range, code, message, near));
        }
        self.mistakes.append(&mut found);
    }

    /// `call_mcp_tool("server", "tool", {...})`.
    fn by_name<'a>(
        &mut self,
        call: &'a ExprCall,
        names: &Names<'_, '_>,
        constants: Constants<'_, 'a>,
    ) {
        let Some(named) = place::named(call, constants) else { return };
        let server = named.server.as_ref().map(|(name, _)| name.as_str());
        if names.servers.partial || names.servers.may_be_unlisted(server, &named.tool.0) {
            return;
        }
        let tool = match names.servers.catalog.resolve(server, &named.tool.0) {
            Ok(tool) => tool,
            Err(error) => {
                let mut mistake = unresolved_in(&error, &named);
                // What looks like it is written `tool`, or `server.tool` where no server was named.
                let meant =
                    mistake.nearest.as_deref().filter(|_| mistake.code == Code::UnknownTool);
                let meant = meant.and_then(|near| names.servers.catalog.resolve(server, near).ok());
                mistake.usage = crate::names::usage(meant.into_iter());
                self.mistakes.push(mistake);
                return;
            }
        };
        let signature = Signature { parameters: Vec::new(), extra: true };
        let about = About { tool, signature: &signature, call };
        let mut known = Known::new(constants);
        let arguments = match &named.arguments {
            place::Arguments::None => Value::Object(Map::new()),
            place::Arguments::Dict(dict) => match known.dict(dict) {
                Some(value) => value,
                None => return,
            },
            place::Arguments::Named(given) => {
                let mut arguments = Map::new();
                for one in given {
                    if let Some(value) = known.value(one.value, &one.name) {
                        arguments.insert(one.name.clone(), value);
                    }
                }
                Value::Object(arguments)
            }
            place::Arguments::Unknown => return,
        };
        let around = named.around();
        let parameters = bindings::python_parameters(tool);
        let about = About { signature: &parameters, ..about };
        let missing = about.missing_keys(&arguments, &known);
        self.mistakes.extend(about.missing(around, &missing));
        known.holes.extend(missing.into_iter().map(str::to_owned));
        self.fitting(&about, &arguments, &known, |path| named.place(path).unwrap_or(around));
        for (key, value) in named.values() {
            if let Some(parameter) = parameters.parameters.iter().find(|one| one.key == key) {
                self.questions.push(Question {
                    range: value.range(),
                    function: tool.python().to_owned(),
                    parameter: parameter.clone(),
                });
            }
        }
    }
}

/// A call and what is known about its tool.
#[derive(Clone, Copy)]
struct About<'a> {
    tool: &'a CatalogTool,
    signature: &'a Signature,
    call: &'a ExprCall,
}

impl<'a> About<'a> {
    /// The parameter that a name means: its Python name, or what the server calls it.
    fn parameter(&self, name: &str) -> Option<&'a Parameter> {
        let parameters = &self.signature.parameters;
        parameters
            .iter()
            .find(|one| one.name == name)
            .or_else(|| parameters.iter().find(|one| one.key == name))
    }

    /// Whether a problem is that an object has no such key, whatever it would hold: where nothing else
    /// could be meant than this object, and all its keys are written out.
    fn is_of_a_key(&self, problem: &catalog::Problem, known: &Known<'_, '_>) -> bool {
        let Some((outer, _)) = problem.path.rsplit_once('.') else { return false };
        let is_object = |one: &Parameter| one.key == outer && matches!(one.shape, Shape::Object(_));
        problem.message.contains(" has no key ")
            && self.signature.parameters.iter().any(is_object)
            && !known.has_open_keys(outer)
    }

    /// What a call by name needs and does not give. A key that is nearly the one that is missing
    /// was meant as that.
    fn missing_keys(&self, arguments: &Value, known: &Known<'_, '_>) -> Vec<&'a str> {
        let Value::Object(given) = arguments else { return Vec::new() };
        let parameters = &self.signature.parameters;
        let mut missing: Vec<&str> = parameters
            .iter()
            .filter(|one| one.required && !given.contains_key(&one.key) && !known.is_open(&one.key))
            .map(|one| one.key.as_str())
            .collect();
        let is_known = |key: &str| parameters.iter().any(|one| one.key == key);
        for key in given.keys().filter(|key| !is_known(key)) {
            let meant = crate::nearest::nearest(key, missing.iter().copied());
            missing.retain(|name| Some(*name) != meant);
        }
        missing
    }

    /// That a call lacks `names`; `None` when it lacks nothing.
    fn missing(&self, range: TextRange, names: &[&str]) -> Option<Mistake> {
        let listed: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
        let are = match names {
            [] => return None,
            [_] => "is",
            _ => "are",
        };
        let function = self.tool.python();
        let message = format!("{function}() needs {}, which {are} missing", listed.join(" and "));
        Some(self.mistake(range, Code::MissingArgument, message, None))
    }

    fn mistake(
        &self,
        range: TextRange,
        code: Code,
        message: String,
        nearest: Option<String>,
    ) -> Mistake {
        let valid = self.signature.parameters.iter().map(|one| {
            let mark = if one.required { " (required)" } else { "" };
            format!("{}: {}{mark}", one.name, shape_in_words(&one.shape))
        });
        Mistake {
            range,
            code,
            weight: Weight::Call,
            message,
            valid: valid.collect(),
            nearest,
            raises: raises::ARGUMENT,
            usage: None,
        }
    }
}

fn unresolved_in(error: &ResolveError, named: &place::Named<'_>) -> Mistake {
    let Unresolved { code, message, nearest, valid } = unresolved(error);
    let server = named.server.as_ref().filter(|_| code == Code::UnknownServer);
    Mistake {
        range: server.map_or(named.tool.1, |(_, range)| *range),
        code,
        weight: Weight::Call,
        message,
        valid,
        nearest,
        raises: raises::UNKNOWN_TOOL,
        usage: None,
    }
}

/// What is said about a name that leads to no tool.
pub(crate) struct Unresolved {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) nearest: Option<String>,
    pub(crate) valid: Vec<String>,
}

/// The same, wherever the name stands.
pub(crate) fn unresolved(error: &ResolveError) -> Unresolved {
    let (code, nearest) = match error {
        ResolveError::UnknownServer { nearest, .. } => {
            (Code::UnknownServer, nearest.first().cloned())
        }
        ResolveError::UnknownTool { nearest, .. } | ResolveError::NoSuchTool { nearest, .. } => {
            (Code::UnknownTool, nearest.first().cloned())
        }
        ResolveError::Withheld(_) => (Code::WithheldTool, None),
        _ => (Code::UnknownTool, None),
    };
    let valid = match error {
        ResolveError::UnknownServer { servers: names, .. }
        | ResolveError::UnknownTool { tools: names, .. }
        | ResolveError::NotATool { tools: names, .. }
        | ResolveError::NoSuchTool { nearest: names, .. }
        | ResolveError::Ambiguous { candidates: names, .. } => names.clone(),
        _ => Vec::new(),
    };
    let message = error.to_string();
    // What follows lists names, which stand in `valid`.
    let message = match error {
        ResolveError::Withheld(_) => message,
        _ => message.split(';').next().unwrap_or_default().to_owned(),
    };
    Unresolved { code, message, nearest, valid }
}

/// What kind of mistake the catalog describes.
pub(crate) fn code_of(message: &str) -> Code {
    if message.contains("is not a parameter") || message.contains("has no key") {
        Code::UnknownArgument
    } else if message.ends_with("is missing") {
        Code::MissingArgument
    } else if message.contains("should be one of")
        || message.contains(" at least ")
        || message.contains(" at most ")
        || message.contains(" more than ")
        || message.contains(" less than ")
        || message.contains(" above ")
        || message.contains(" below ")
    {
        Code::WrongValue
    } else if message.contains("should be ") && !message.contains("should be a multiple") {
        Code::WrongType
    } else {
        Code::WrongValue
    }
}

/// A sentence without its question, and what was asked for.
pub(crate) fn without_question(message: &str) -> (String, Option<String>) {
    match message.split_once("; did you mean ") {
        Some((said, asked)) => {
            (said.to_owned(), Some(asked.trim_end_matches('?').trim_matches('"').to_owned()))
        }
        None => (message.to_owned(), None),
    }
}

/// The part of a literal that a path leads to, as far as it can be followed.
fn within(expression: &Expr, path: &str) -> TextRange {
    let part = match expression {
        Expr::Dict(dict) => path.strip_prefix('.').and_then(|rest| {
            dict.items.iter().find_map(|item| match &item.key {
                Some(Expr::StringLiteral(key)) => {
                    let after = rest.strip_prefix(key.value.to_str())?;
                    let is_whole = after.is_empty() || after.starts_with(['.', '[']);
                    is_whole.then_some((&item.value, after))
                }
                _ => None,
            })
        }),
        Expr::List(list) => {
            numbered(path).and_then(|(at, after)| Some((list.elts.get(at)?, after)))
        }
        Expr::ListComp(list) => numbered(path).map(|(_, after)| (&*list.elt, after)),
        _ => None,
    };
    part.map_or(expression.range(), |(part, after)| within(part, after))
}

/// The number at the beginning of `[0].name`, and what follows it.
fn numbered(path: &str) -> Option<(usize, &str)> {
    let (at, after) = path.strip_prefix('[')?.split_once(']')?;
    Some((at.parse().ok()?, after))
}

/// What a call gives under a name, and where.
impl Given<'_> {
    fn is(&self, parameter: &Parameter) -> bool {
        self.name == parameter.name || self.name == parameter.key
    }
}

impl Placed<'_> {
    fn has(&self, parameter: &Parameter) -> bool {
        self.given.iter().any(|given| given.is(parameter))
    }
}
