//! What the names of a program mean, as far as servers and tools go.
//!
//! A name counts as a tool only when nothing in the program binds it to anything else. The rules
//! are those of the guest's `awaits.py`, so both see the same calls.

mod imports;

use std::collections::HashMap;

use catalog::{CatalogServer, CatalogTool};
use ruff_python_ast::{
    AnyNodeRef, Expr, ExprAttribute, ExprCall, ExprContext, Identifier, PySourceType, Stmt,
};
use ruff_python_parser::parse_unchecked_source;

use crate::finding::{Code, Mistake, Weight, raises};
use crate::modules;
use crate::nearest::nearest;
use crate::servers::{self, BY_NAME, Servers};
use crate::tree::{Id, Tree};

/// The most tools whose use is shown in place of the one that is not there.
const MOST_USAGES: usize = 3;
/// The most bytes of it.
const LONGEST_USAGE: usize = 1500;

/// What a name or an attribute stands for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Meaning<'c> {
    /// The package `servers`.
    Root,
    /// A server's package.
    Server(&'c CatalogServer),
    /// A tool's function.
    Tool(&'c CatalogTool),
    /// A function that takes the names of a server and a tool.
    ByName(&'static str),
    /// Something of a server whose tools are not known; it may be a tool.
    Opaque,
}

/// The names of a program.
pub(crate) struct Names<'a, 'c> {
    pub(crate) servers: Servers<'c>,
    meanings: HashMap<String, Meaning<'c>>,
    /// Where each name is bound other than by an import.
    pub(crate) stores: HashMap<&'a str, Vec<Id>>,
    pub(crate) loads: HashMap<&'a str, Vec<Id>>,
    /// Names of the arguments that functions are called with, by name of the function.
    given: HashMap<&'a str, Vec<&'a str>>,
    /// Names declared `global` or `nonlocal`, by the function that says so.
    pub(crate) outer: HashMap<Id, Vec<&'a str>>,
    /// Names of modules, by what they are called here.
    pub(crate) modules: HashMap<String, String>,
    /// Names imported from modules, and from which.
    pub(crate) imported: HashMap<String, String>,
    /// The program puts something else in the place of a server's tools.
    pub(crate) patched: bool,
    /// A module was imported with `*` and nobody knows what is in it.
    pub(crate) unknown_star: bool,
}

impl<'a, 'c> Names<'a, 'c> {
    /// Names that stand for servers and tools, and for what calls them by name.
    pub(crate) fn meant(&self) -> impl Iterator<Item = &str> {
        self.meanings.keys().map(String::as_str)
    }

    /// Reads the program, and finds what is wrong with its imports.
    pub(crate) fn read(tree: &Tree<'a>, servers: Servers<'c>) -> (Self, Vec<Mistake>) {
        let mut names = Self {
            servers,
            meanings: HashMap::new(),
            stores: HashMap::new(),
            loads: HashMap::new(),
            given: HashMap::new(),
            outer: HashMap::new(),
            modules: HashMap::new(),
            imported: HashMap::new(),
            patched: false,
            unknown_star: false,
        };
        for (id, node) in tree.all() {
            names.note(tree, id, node);
        }
        for name in BY_NAME {
            names.learn(name, Meaning::ByName(name));
        }
        names.learn("servers", Meaning::Root);
        let mut mistakes = Vec::new();
        for (_, node) in tree.all() {
            match node {
                AnyNodeRef::StmtImport(import) => names.read_import(import, &mut mistakes),
                AnyNodeRef::StmtImportFrom(import) => names.read_from(import, &mut mistakes),
                _ => {}
            }
        }
        names.read_aliases(tree);
        names.patched = tree.all().any(|(_, node)| names.patches(node));
        (names, mistakes)
    }

    /// Reads imports of earlier programs that this one relies on: what they say is known to work.
    pub(crate) fn bring(&mut self, tree: &Tree<'a>, imports: &str, others: &[String]) {
        if imports.is_empty() {
            return;
        }
        // Also what every program has is now whatever an earlier one made of it.
        for name in others {
            self.meanings.remove(name);
        }
        let parsed = parse_unchecked_source(imports, PySourceType::Python);
        for statement in parsed.suite() {
            match statement {
                Stmt::Import(import) => self.read_import(import, &mut Vec::new()),
                Stmt::ImportFrom(import) => self.read_from(import, &mut Vec::new()),
                _ => {}
            }
        }
        self.read_aliases(tree);
        self.patched = tree.all().any(|(_, node)| self.patches(node));
    }

    /// Whether a node changes what a server's module has, or gives the module to somebody who may.
    fn patches(&self, node: AnyNodeRef<'a>) -> bool {
        let is_module = |expression: &Expr| {
            matches!(self.meaning(expression), Some(Meaning::Root | Meaning::Server(_)))
        };
        match node {
            AnyNodeRef::ExprAttribute(attribute) => {
                attribute.attr.as_str() == "patch"
                    || !matches!(attribute.ctx, ExprContext::Load) && is_module(&attribute.value)
            }
            AnyNodeRef::ExprName(name) => name.id.as_str() == "patch",
            AnyNodeRef::ExprCall(call) => {
                let given = call.arguments.keywords.iter().map(|keyword| &keyword.value);
                !self.only_asks(call) && call.arguments.args.iter().chain(given).any(is_module)
            }
            _ => false,
        }
    }

    /// `getattr(module, "name")`, which changes nothing.
    fn only_asks(&self, call: &ExprCall) -> bool {
        matches!(&*call.func, Expr::Name(name)
            if ["dir", "getattr", "hasattr"].contains(&name.id.as_str())
                && !self.stores.contains_key(name.id.as_str()))
    }

    fn note(&mut self, tree: &Tree<'a>, id: Id, node: AnyNodeRef<'a>) {
        let stored = match node {
            AnyNodeRef::ExprName(name) if matches!(name.ctx, ExprContext::Load) => {
                self.loads.entry(name.id.as_str()).or_default().push(id);
                None
            }
            AnyNodeRef::ExprName(name) => Some(name.id.as_str()),
            AnyNodeRef::Parameter(parameter) => Some(parameter.name.as_str()),
            AnyNodeRef::StmtFunctionDef(function) => Some(function.name.as_str()),
            AnyNodeRef::StmtClassDef(class) => Some(class.name.as_str()),
            AnyNodeRef::ExceptHandlerExceptHandler(handler) => {
                handler.name.as_ref().map(Identifier::as_str)
            }
            AnyNodeRef::PatternMatchAs(pattern) => pattern.name.as_ref().map(Identifier::as_str),
            AnyNodeRef::PatternMatchStar(pattern) => pattern.name.as_ref().map(Identifier::as_str),
            AnyNodeRef::PatternMatchMapping(pattern) => {
                pattern.rest.as_ref().map(Identifier::as_str)
            }
            AnyNodeRef::ExprCall(call) => {
                let name = match &*call.func {
                    Expr::Name(name) => name.id.as_str(),
                    Expr::Attribute(attribute) => attribute.attr.as_str(),
                    _ => return,
                };
                let given = call.arguments.keywords.iter();
                let given = given.filter_map(|one| one.arg.as_ref()).map(Identifier::as_str);
                self.given.entry(name).or_default().extend(given);
                None
            }
            AnyNodeRef::StmtGlobal(statement) => {
                self.note_outer(tree, id, &statement.names);
                None
            }
            AnyNodeRef::StmtNonlocal(statement) => {
                self.note_outer(tree, id, &statement.names);
                None
            }
            _ => None,
        };
        if let Some(name) = stored {
            self.stores.entry(name).or_default().push(id);
        }
    }

    fn note_outer(&mut self, tree: &Tree<'a>, id: Id, names: &'a [Identifier]) {
        if let Some(function) = tree.function(id) {
            self.outer.entry(function).or_default().extend(names.iter().map(Identifier::as_str));
        }
    }

    /// Gives a name its meaning, unless the program uses it for something else.
    fn learn(&mut self, name: &str, meaning: Meaning<'c>) {
        if !self.stores.contains_key(name) {
            self.meanings.insert(name.to_owned(), meaning);
        }
    }

    /// `search = gh.search_code` makes another name for a tool.
    fn read_aliases(&mut self, tree: &Tree<'a>) {
        let mut found = Vec::new();
        for (name, places) in &self.stores {
            let [place] = places[..] else { continue };
            let Some(parent) = tree.parent(place) else { continue };
            if let AnyNodeRef::StmtAssign(assign) = tree.node(parent)
                && let Some(meaning) = self.meaning(&assign.value)
            {
                found.push(((*name).to_owned(), meaning));
            }
        }
        self.meanings.extend(found);
    }

    /// What an expression stands for. What comes from a module that the program changes may be anything.
    pub(crate) fn meaning(&self, expression: &Expr) -> Option<Meaning<'c>> {
        match expression {
            Expr::Name(name) => self.named(name.id.as_str()),
            Expr::Attribute(attribute) => self.member(attribute),
            _ => None,
        }
    }

    /// What a name stands for.
    pub(crate) fn named(&self, name: &str) -> Option<Meaning<'c>> {
        let meaning = self.meanings.get(name).copied();
        let is_changed =
            |meaning: &Meaning<'_>| self.patched && matches!(meaning, Meaning::Server(_));
        meaning.map(|meaning| if is_changed(&meaning) { Meaning::Opaque } else { meaning })
    }

    /// What an attribute stands for.
    pub(crate) fn member(&self, attribute: &ExprAttribute) -> Option<Meaning<'c>> {
        match self.plain_member(attribute)? {
            Meaning::Server(_) | Meaning::Tool(_) if self.patched => Some(Meaning::Opaque),
            meaning => Some(meaning),
        }
    }

    fn plain_meaning(&self, expression: &Expr) -> Option<Meaning<'c>> {
        match expression {
            Expr::Name(name) => self.meanings.get(name.id.as_str()).copied(),
            Expr::Attribute(attribute) => self.plain_member(attribute),
            _ => None,
        }
    }

    fn plain_member(&self, attribute: &ExprAttribute) -> Option<Meaning<'c>> {
        let name = attribute.attr.as_str();
        match self.plain_meaning(&attribute.value)? {
            Meaning::Root if BY_NAME.contains(&name) => {
                BY_NAME.iter().find(|known| **known == name).map(|known| Meaning::ByName(known))
            }
            Meaning::Root => match self.servers.server(name) {
                Some(server) => Some(Meaning::Server(server)),
                None => (self.servers.is_opaque(name)).then_some(Meaning::Opaque),
            },
            Meaning::Server(server) => servers::tool(server, name).map(Meaning::Tool),
            // A tool's module, which has its function.
            Meaning::Tool(tool) => {
                (tool.python() == name || tool.name().0 == name).then_some(Meaning::Tool(tool))
            }
            Meaning::Opaque => (!name.starts_with('_')).then_some(Meaning::Opaque),
            Meaning::ByName(_) => None,
        }
    }

    /// The packages of servers that imports and aliases mention.
    pub(crate) fn packages(&self) -> impl Iterator<Item = String> + '_ {
        self.meanings.values().filter_map(|meaning| match meaning {
            Meaning::Server(server) => Some(server.python().to_owned()),
            Meaning::Tool(tool) => Some(tool.server_python().to_owned()),
            _ => None,
        })
    }

    /// Whether an expression is a function that calls a tool.
    pub(crate) fn is_tool(&self, expression: &Expr) -> bool {
        matches!(
            self.meaning(expression),
            Some(Meaning::Tool(_) | Meaning::ByName(_) | Meaning::Opaque)
        )
    }

    /// The module of the standard library that a function is from, and its name there.
    pub(crate) fn standard<'e>(&'e self, function: &'e Expr) -> Option<(&'e str, &'e str)> {
        match function {
            Expr::Name(name) if !self.stores.contains_key(name.id.as_str()) => {
                let name = name.id.as_str();
                self.imported.get(name).map(|module| (module.as_str(), name))
            }
            Expr::Attribute(attribute) => {
                let Expr::Name(root) = &*attribute.value else { return None };
                let root = root.id.as_str();
                let module = self.modules.get(root).filter(|_| !self.stores.contains_key(root))?;
                Some((module.as_str(), attribute.attr.as_str()))
            }
            _ => None,
        }
    }

    /// Where the function or class is defined that a call is of, if its name means nothing else.
    pub(crate) fn function(&self, call: &ExprCall) -> Option<Id> {
        let Expr::Name(name) = &*call.func else { return None };
        let [only] = self.stores.get(name.id.as_str())?[..] else { return None };
        (!self.is_imported(name.id.as_str())).then_some(only)
    }

    /// The call of `partial` that keeps arguments for a later one: this one, or the one that made
    /// what is called here.
    pub(crate) fn partial<'e>(&self, tree: &Tree<'e>, call: &'e ExprCall) -> Option<&'e ExprCall> {
        let is_partial =
            |call: &ExprCall| matches!(self.standard(&call.func), Some(("functools", "partial")));
        if is_partial(call) {
            return Some(call);
        }
        let AnyNodeRef::StmtAssign(assign) = tree.node(tree.parent(self.function(call)?)?) else {
            return None;
        };
        assign.value.as_call_expr().filter(|made| is_partial(made))
    }

    /// Whether an import binds a name.
    pub(crate) fn is_imported(&self, name: &str) -> bool {
        self.imported.contains_key(name) || self.modules.contains_key(name)
    }

    /// Whether a name comes from a module of which nothing is known.
    pub(crate) fn is_from_nowhere(&self, name: &str) -> bool {
        let module = self.imported.get(name).or_else(|| self.modules.get(name));
        module.is_some_and(|module| !modules::is_there(module))
    }

    /// The literal that a variable holds wherever it is read: it is set once, and nothing is done to
    /// it but reading and giving it to tools.
    pub(crate) fn constant(&self, tree: &Tree<'a>, expression: &Expr) -> Option<&'a Expr> {
        let Expr::Name(name) = expression else { return None };
        let [place] = self.stores.get(name.id.as_str())?[..] else { return None };
        let parent = tree.parent(place)?;
        let AnyNodeRef::StmtAssign(assign) = tree.node(parent) else { return None };
        if let [Expr::Name(_)] = &assign.targets[..]
            && is_scalar(&assign.value)
        {
            // Nothing is inside that could be changed.
            let is_of_class =
                matches!(tree.node(tree.parent(parent)?), AnyNodeRef::StmtClassDef(_));
            let (set, read) = (tree.function(place), tree.function(tree.of(expression)?));
            return (!is_of_class && (set.is_none() || set == read)).then_some(&*assign.value);
        }
        let (Expr::Dict(_) | Expr::List(_) | Expr::Tuple(_) | Expr::ListComp(_), [Expr::Name(_)]) =
            (&*assign.value, &assign.targets[..])
        else {
            return None;
        };
        let is_of_tool = |arguments: Id| match tree.parent(arguments).map(|call| tree.node(call)) {
            Some(AnyNodeRef::ExprCall(call)) => self.is_tool(&call.func),
            _ => false,
        };
        let is_harmless = |load: &Id| {
            let Some(parent) = tree.parent(*load) else { return false };
            match tree.node(parent) {
                // What is inside could be changed through it.
                AnyNodeRef::ExprSubscript(subscript) => {
                    subscript.ctx.is_load() && is_flat(&assign.value)
                }
                AnyNodeRef::Keyword(keyword) => {
                    keyword.arg.is_none() || tree.parent(parent).is_some_and(is_of_tool)
                }
                AnyNodeRef::Arguments(_) => match tree.parent(parent).map(|call| tree.node(call)) {
                    Some(AnyNodeRef::ExprCall(call)) => {
                        self.is_tool(&call.func)
                            || matches!(&*call.func, Expr::Name(name) if ["print", "len"].contains(&name.id.as_str()))
                    }
                    _ => false,
                },
                _ => false,
            }
        };
        let same_scope = |load: &Id| tree.function(*load) == tree.function(place);
        let loads = self.loads.get(name.id.as_str())?;
        loads.iter().all(|load| same_scope(load) && is_harmless(load)).then_some(&*assign.value)
    }

    /// Attributes of servers that are not there.
    pub(crate) fn check_attributes(&self, tree: &Tree<'a>) -> Vec<Mistake> {
        let mut mistakes = Vec::new();
        for (_, node) in tree.all() {
            let (value, name, range) = match node {
                AnyNodeRef::ExprAttribute(one) if matches!(one.ctx, ExprContext::Load) => {
                    (&*one.value, one.attr.as_str(), one.attr.range)
                }
                AnyNodeRef::ExprCall(call) => match self.asked_by_name(call) {
                    Some(asked) => asked,
                    None => continue,
                },
                _ => continue,
            };
            match self.meaning(value) {
                Some(Meaning::Root)
                    if !servers::is_public(name)
                        && self.servers.server(name).is_none()
                        && !self.servers.is_opaque(name) =>
                {
                    mistakes.push(self.no_server(name, range, raises::ATTRIBUTE));
                }
                Some(Meaning::Server(server))
                    if !name.starts_with("__") && servers::tool(server, name).is_none() =>
                {
                    mistakes.push(self.no_tool(server, name, range, raises::ATTRIBUTE));
                }
                _ => {}
            }
        }
        mistakes
    }

    /// `getattr(module, "name")` without a default: of what, which name, and where that stands.
    fn asked_by_name<'e>(
        &self,
        call: &'e ExprCall,
    ) -> Option<(&'e Expr, &'e str, ruff_text_size::TextRange)> {
        let is_getattr = matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "getattr");
        match &call.arguments.args[..] {
            [of, Expr::StringLiteral(name)] if is_getattr && self.only_asks(call) => {
                Some((of, name.value.to_str(), name.range))
            }
            _ => None,
        }
    }

    /// The tool that is called where its function was taken out of a dict, or asked for by name.
    pub(crate) fn taken(&self, tree: &Tree<'a>, function: &Expr) -> Option<&'c CatalogTool> {
        let meaning = match function {
            Expr::Call(call) => {
                let (of, name, _) = self.asked_by_name(call)?;
                match self.meaning(of)? {
                    Meaning::Server(server) => servers::tool(server, name).map(Meaning::Tool),
                    _ => None,
                }
            }
            Expr::Subscript(one) => {
                let (Expr::Name(name), Expr::StringLiteral(key)) = (&*one.value, &*one.slice)
                else {
                    return None;
                };
                let dict = self.kept_as_it_is(tree, name.id.as_str())?;
                let of_key = |key: &str| {
                    let is_it = |one: &&ruff_python_ast::DictItem| matches!(&one.key, Some(Expr::StringLiteral(text)) if text.value.to_str() == key);
                    dict.items.iter().rev().find(is_it)
                };
                let all_known = dict.items.iter().all(|one| one.key.is_some());
                all_known.then(|| self.meaning(&of_key(key.value.to_str())?.value))?
            }
            _ => None,
        };
        match meaning {
            Some(Meaning::Tool(tool)) if !self.patched => Some(tool),
            _ => None,
        }
    }

    /// The dict that a name is set to once and that is only read.
    fn kept_as_it_is(&self, tree: &Tree<'a>, name: &str) -> Option<&'a ruff_python_ast::ExprDict> {
        let [place] = self.stores.get(name)?[..] else { return None };
        let AnyNodeRef::StmtAssign(assign) = tree.node(tree.parent(place)?) else { return None };
        let (Expr::Dict(dict), [Expr::Name(_)]) = (&*assign.value, &assign.targets[..]) else {
            return None;
        };
        let only_reads = |load: &Id| match tree.parent(*load).map(|parent| tree.node(parent)) {
            Some(AnyNodeRef::ExprSubscript(one)) => one.ctx.is_load(),
            Some(AnyNodeRef::ExprAttribute(one)) => {
                ["get", "items", "keys", "values"].contains(&one.attr.as_str())
            }
            Some(
                AnyNodeRef::ExprCompare(_) | AnyNodeRef::StmtFor(_) | AnyNodeRef::Comprehension(_),
            ) => true,
            _ => false,
        };
        self.loads.get(name)?.iter().all(only_reads).then_some(dict)
    }

    fn no_server(
        &self,
        name: &str,
        range: ruff_text_size::TextRange,
        raises: &'static [&'static str],
    ) -> Mistake {
        let known: Vec<&str> = self.servers.names().collect();
        let near = self.near_server(name);
        let message = if known.is_empty() {
            format!("there is no server '{name}': no servers are connected")
        } else {
            format!("there is no server '{name}'; import one of the servers that are connected")
        };
        Mistake {
            range,
            code: Code::UnknownServer,
            weight: if self.servers.partial { Weight::Advice } else { Weight::Call },
            message,
            nearest: near.map(|name| format!("servers.{name}")),
            valid: known.iter().map(|name| format!("servers.{name}")).collect(),
            raises,
            usage: None,
        }
    }

    /// The names of the arguments that a function is called with somewhere.
    fn given_to(&self, name: &str) -> &[&'a str] {
        self.given.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// The server that was most likely meant.
    fn near_server(&self, name: &str) -> Option<&'c str> {
        nearest(name, self.servers.names())
            .or_else(|| self.servers.names().find(|server| is_abbreviation(name, server)))
    }

    /// A name that a server does not have, or does not give away.
    fn no_tool(
        &self,
        server: &CatalogServer,
        name: &str,
        range: ruff_text_size::TextRange,
        raises: &'static [&'static str],
    ) -> Mistake {
        let mistake = Mistake {
            range,
            code: Code::UnknownTool,
            weight: Weight::Call,
            message: format!("servers.{} has no tool '{name}'", server.python()),
            nearest: None,
            valid: Vec::new(),
            raises,
            usage: None,
        };
        if let Some(withheld) = self.servers.catalog.withheld_tool(server.name(), name) {
            let message = withheld.to_string();
            return Mistake { code: Code::WithheldTool, message, ..mistake };
        }
        let meant = crate::meant::by(name, self.given_to(name), server.tools().iter());
        let valid = sorted_by_likeness(name, server.tools().iter().map(CatalogTool::python));
        let nearest = meant.nearest.map(|tool| tool.python().to_owned());
        let usage = match (meant.nearest, &meant.likely[..]) {
            (Some(tool), _) => usage(std::iter::once(tool)),
            (None, []) => usage(server.tools().iter()),
            (None, likely) => usage(likely.iter().copied()),
        };
        Mistake { valid, nearest, usage, ..mistake }
    }
}

/// Texts, numbers and the like.
fn is_scalar(value: &Expr) -> bool {
    match value {
        Expr::UnaryOp(one) => one.operand.is_number_literal_expr(),
        value => value.is_literal_expr(),
    }
}

/// Whether a literal has nothing inside that could be changed.
fn is_flat(literal: &Expr) -> bool {
    let is_fixed = |one: &Expr| one.is_literal_expr() || one.is_f_string_expr();
    match literal {
        Expr::Dict(dict) => {
            dict.items.iter().all(|item| item.key.is_some() && is_fixed(&item.value))
        }
        Expr::List(list) => list.elts.iter().all(is_fixed),
        Expr::Tuple(tuple) => tuple.elts.iter().all(is_fixed),
        _ => false,
    }
}

/// `fs` for `filesystem`: its letters in their order, the first one first.
fn is_abbreviation(short: &str, name: &str) -> bool {
    let mut letters = name.chars();
    short.len() >= 2
        && name.chars().next() == short.chars().next()
        && short.chars().all(|wanted| letters.any(|letter| letter == wanted))
}

/// How the tools are called that may have been meant, if they are few enough to say.
pub(crate) fn usage<'t>(tools: impl Iterator<Item = &'t CatalogTool>) -> Option<String> {
    let tools: Vec<&CatalogTool> = tools.take(MOST_USAGES + 1).collect();
    if tools.is_empty() || tools.len() > MOST_USAGES {
        return None;
    }
    let shown: Vec<String> = tools.iter().map(|tool| signature(tool)).collect();
    let shown = shown.join("\n");
    (shown.len() <= LONGEST_USAGE)
        .then_some(shown)
        .or_else(|| {
            Some(tools.iter().map(|tool| bindings::signature(tool)).collect::<Vec<_>>().join("\n"))
        })
        .filter(|shown| shown.len() <= LONGEST_USAGE)
}

/// How a tool is called, and what it returns.
fn signature(tool: &CatalogTool) -> String {
    let mut shown = bindings::typed_signature(tool);
    if shown.trim_end().ends_with("-> Any") {
        shown.truncate(shown.trim_end().len());
        shown.push_str("  # not declared, may be text: look at one before using fields of it");
    }
    shown
}

/// All names, those with a word of `wanted` first, so that a list that is cut has the useful ones.
fn sorted_by_likeness<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let words: Vec<String> =
        wanted.split('_').filter(|word| word.len() > 2).map(str::to_lowercase).collect();
    let mut names: Vec<&str> = names.collect();
    names.sort_by_key(|name| {
        let name = name.to_lowercase();
        std::cmp::Reverse(words.iter().filter(|word| name.contains(word.as_str())).count())
    });
    names.into_iter().map(str::to_owned).collect()
}
