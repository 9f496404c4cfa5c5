//! Reads a program: its imports, its calls, and what it reads of their results.

use std::collections::{HashMap, HashSet};

use oxc::allocator::Allocator;
use oxc::ast::AstKind;
use oxc::ast::ast::{
    ArrayExpressionElement, ArrowFunctionExpression, AssignmentExpression, AwaitExpression,
    BinaryExpression, BinaryOperator, BindingPattern, CallExpression, ChainExpression,
    ComputedMemberExpression, ConditionalExpression, DoWhileStatement, ExportDefaultDeclaration,
    Expression, ForInStatement, ForOfStatement, ForStatement, ForStatementLeft, Function,
    IfStatement, ImportDeclaration, ImportDeclarationSpecifier, ImportExpression,
    LogicalExpression, NewExpression, ObjectProperty, Program, ReturnStatement, Statement,
    StaticMemberExpression, StringLiteral, SwitchStatement, TryStatement, UnaryExpression,
    UnaryOperator, VariableDeclarator, WhileStatement,
};
use oxc::ast_visit::{Visit, walk};
use oxc::parser::Parser;
use oxc::semantic::{Scoping, SemanticBuilder};
use oxc::span::{GetSpan as _, SourceType, Span};
use oxc::syntax::scope::ScopeFlags;
use oxc::syntax::symbol::SymbolId;

use crate::reading::{
    Call, Construct, Import, Named, Range, Read, Reading, Step, Target, Unawaited,
};
use crate::strip;
use crate::written::{self, Constants, range};

/// Methods whose function is given the items one by one.
const EACH: [&str; 9] =
    ["map", "filter", "forEach", "find", "findLast", "some", "every", "flatMap", "findIndex"];
/// Methods that give an array of the same items, or of some of them,
const SAME: [&str; 6] = ["filter", "slice", "sort", "toSorted", "reverse", "toReversed"];
/// and those that give one of them.
const ONE: [&str; 5] = ["find", "findLast", "at", "pop", "shift"];
/// Methods of promises behind which a failure may be taken care of.
const CATCHING: [&str; 4] = ["catch", "allSettled", "any", "race"];
/// What promises have.
const OF_PROMISES: [&str; 7] =
    ["then", "catch", "finally", "constructor", "toString", "valueOf", "hasOwnProperty"];
/// The function that calls tools by name.
const BY_NAME: [&str; 2] = ["callMCPTool", "call_mcp_tool"];
/// Functions that ask models and reach other programs, which every program has without importing them.
const OWN: [&str; 3] = ["askModel", "post", "receive"];
/// Where they come from for whoever imports them.
const OURS: &str = "tidegate";

/// Reads a text that parses; `None` for one that does not, which the guest says more about.
pub(crate) fn read(text: &str) -> Option<Reading> {
    let allocator = Allocator::default();
    let source = SourceType::ts().with_module(true);
    let parsed = Parser::new(&allocator, text, source).with_options(strip::options()).parse();
    if strip::first(&parsed.diagnostics, text).is_some() {
        return None;
    }
    let scoping = SemanticBuilder::new().build(&parsed.program).semantic.into_scoping();
    let mut reader = Reader {
        scoping: &scoping,
        reading: Reading { text: text.to_owned(), ..Reading::default() },
        origins: HashMap::new(),
        constants: Constants::new(),
        calls: HashMap::new(),
        sites: Vec::new(),
        asked: HashMap::new(),
        inside: Vec::new(),
        site: Site::default(),
        is_called: false,
        is_awaited: false,
        catches: false,
        promises_caught: false,
        has_left: false,
    };
    reader.visit_program(&parsed.program);
    Some(reader.finish())
}

/// What an expression is of.
#[derive(Debug, Clone)]
enum Origin {
    /// A module, or a member of one.
    Module { specifier: String, path: Vec<Named> },
    /// What a call gives, not yet waited for.
    Promise(usize),
    /// A part of what a call gave.
    Value(usize, Vec<Step>),
}

/// What is around a place.
#[derive(Debug, Clone, Copy, Default)]
struct Site {
    /// Something around it may catch, or asks first.
    caught: u32,
    /// Loops around it, and functions that are called again and again.
    repeated: u32,
    /// Functions around it,
    functions: u32,
    /// and those that nobody is seen to call.
    uncalled: u32,
    /// What it is in only asks whether something is there.
    asked: u32,
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "each says something of its own about where the reader is"
)]
struct Reader<'s> {
    scoping: &'s Scoping,
    reading: Reading,
    origins: HashMap<SymbolId, Origin>,
    constants: Constants,
    /// The calls by where they stand.
    calls: HashMap<(u32, u32), usize>,
    /// Of each call and each read: in a function, and awaited where it is made.
    sites: Vec<(bool, bool)>,
    /// What the program has asked for so far, whether it is there, by the call that gave it.
    asked: HashMap<usize, HashSet<Vec<Step>>>,
    /// Functions.
    inside: Vec<Range>,
    site: Site,
    /// The function that comes next is called.
    is_called: bool,
    /// The call that comes next is awaited.
    is_awaited: bool,
    /// The program catches something anywhere,
    catches: bool,
    /// or does something about promises that fail.
    promises_caught: bool,
    /// The top level has returned.
    has_left: bool,
}

impl Reader<'_> {
    /// What only the whole program tells.
    fn finish(mut self) -> Reading {
        let (catches, promises) = (self.catches || self.promises_caught, self.promises_caught);
        for (call, (in_function, is_awaited)) in self.reading.calls.iter_mut().zip(&self.sites) {
            call.is_certain &= !(*in_function && catches) && (*is_awaited || !promises);
        }
        let mentioned = std::mem::take(&mut self.reading.mentioned);
        for read in &mut self.reading.reads {
            let is_own = match read.steps.last() {
                Some(Step::Field(name)) => mentioned.contains(name),
                _ => true,
            };
            read.is_certain &= !is_own && !catches;
        }
        for read in &mut self.reading.unawaited {
            // A field that the program gives something is one that it may well have given the promise.
            read.is_certain &= !mentioned.contains(&read.field.name) && !catches;
        }
        self.reading.mentioned = mentioned;
        if catches {
            self.reading.uncertain.append(&mut self.inside);
        }
        self.reading.returns.sort_unstable();
        self.reading
    }

    fn is_certain(&self) -> bool {
        self.site.caught == 0 && self.site.uncalled == 0 && !self.has_left
    }

    fn symbol(&self, expression: &Expression<'_>) -> Option<SymbolId> {
        let Expression::Identifier(name) = expression else { return None };
        self.scoping.get_reference(name.reference_id.get()?).symbol_id()
    }

    /// Whether an expression is a variable of the language's own, by its name.
    fn is_global(&self, expression: &Expression<'_>, names: &[&str]) -> bool {
        let Expression::Identifier(name) = expression else { return false };
        names.contains(&name.name.as_str()) && self.symbol(expression).is_none()
    }

    fn origin(&self, expression: &Expression<'_>) -> Option<Origin> {
        match expression {
            Expression::ParenthesizedExpression(inner) => self.origin(&inner.expression),
            Expression::TSNonNullExpression(inner) => self.origin(&inner.expression),
            Expression::Identifier(_) => self.origins.get(&self.symbol(expression)?).cloned(),
            Expression::CallExpression(call) => {
                let at = (call.span.start, call.span.end);
                let known = self.calls.get(&at).copied().map(Origin::Promise);
                known.or_else(|| self.picked(call))
            }
            // `[...issues]`
            Expression::ArrayExpression(array) => match &array.elements[..] {
                [ArrayExpressionElement::SpreadElement(spread)] => {
                    self.origin(&spread.argument).filter(|one| matches!(one, Origin::Value(..)))
                }
                _ => None,
            },
            Expression::AwaitExpression(awaited) => match &awaited.argument {
                Expression::ImportExpression(import) => module(import),
                inner => self.origin(inner).map(waited_for),
            },
            Expression::StaticMemberExpression(member) if !member.optional => {
                let name = member.property.name.to_string();
                match self.origin(&member.object)? {
                    Origin::Module { specifier, mut path } => {
                        path.push(Named { name, range: range(member.property.span) });
                        Some(Origin::Module { specifier, path })
                    }
                    Origin::Value(call, mut steps) => {
                        steps.push(Step::Field(name));
                        Some(Origin::Value(call, steps))
                    }
                    Origin::Promise(_) => None,
                }
            }
            Expression::ComputedMemberExpression(member) if !member.optional => {
                let Origin::Value(call, mut steps) = self.origin(&member.object)? else {
                    return None;
                };
                steps.push(match &member.expression {
                    Expression::NumericLiteral(_) => Step::Item,
                    Expression::StringLiteral(name) => Step::Field(name.value.to_string()),
                    _ => return None,
                });
                Some(Origin::Value(call, steps))
            }
            _ => None,
        }
    }

    /// What a method gives of an array: `issues.filter(…)`, `issues.find(…)`.
    fn picked(&self, call: &CallExpression<'_>) -> Option<Origin> {
        let Expression::StaticMemberExpression(member) = &call.callee else { return None };
        let method = member.property.name.as_str();
        if member.optional || !SAME.contains(&method) && !ONE.contains(&method) {
            return None;
        }
        let Origin::Value(call, mut steps) = self.origin(&member.object)? else { return None };
        if ONE.contains(&method) {
            steps.push(Step::Item);
        }
        Some(Origin::Value(call, steps))
    }

    /// Remembers what the variables of a pattern are.
    fn bind(&mut self, pattern: &BindingPattern<'_>, origin: &Origin) {
        match pattern {
            BindingPattern::BindingIdentifier(name) => {
                let symbol = name.symbol_id.get();
                if let Some(symbol) = symbol.filter(|one| !self.scoping.symbol_is_mutated(*one)) {
                    self.origins.insert(symbol, origin.clone());
                }
            }
            BindingPattern::ObjectPattern(object) => {
                for property in &object.properties {
                    let Some(name) = property.key.static_name() else { continue };
                    let named = Named { name: name.to_string(), range: range(property.key.span()) };
                    let has_default =
                        matches!(property.value, BindingPattern::AssignmentPattern(_));
                    let inner = match origin {
                        Origin::Module { specifier, path } => {
                            let path = path.iter().cloned().chain([named]).collect();
                            Origin::Module { specifier: specifier.clone(), path }
                        }
                        Origin::Value(call, steps) => {
                            let mut steps = steps.clone();
                            steps.push(Step::Field(named.name));
                            self.reads(*call, &steps, property.key.span(), !has_default);
                            Origin::Value(*call, steps)
                        }
                        Origin::Promise(_) => continue,
                    };
                    if !has_default {
                        self.bind(&property.value, &inner);
                    }
                }
            }
            BindingPattern::ArrayPattern(array) => {
                let Origin::Value(call, steps) = origin else { return };
                let item = steps.iter().cloned().chain([Step::Item]).collect();
                let item = Origin::Value(*call, item);
                for element in array.elements.iter().flatten() {
                    self.bind(element, &item);
                }
            }
            BindingPattern::AssignmentPattern(_) => {}
        }
    }

    /// Notes a read. Whoever asked whether something is there may read it, and what is in it, from there on: behind
    /// the question it is there, or the program has gone another way.
    fn reads(&mut self, call: usize, steps: &[Step], span: Span, is_plain: bool) {
        let asks = self.site.asked > 0;
        let asked = self.asked.get(&call).is_some_and(|asked| {
            (1..=steps.len()).any(|count| steps.get(..count).is_some_and(|way| asked.contains(way)))
        });
        if asks {
            self.asked.entry(call).or_default().insert(steps.to_vec());
        }
        let is_certain = is_plain && self.is_certain() && !asks && !asked;
        let steps = steps.to_vec();
        self.reading.reads.push(Read { call, steps, range: range(span), is_certain });
    }

    /// Notes a field that is read of what nobody has waited for.
    fn reads_unawaited(&mut self, call: usize, name: &str, span: Span) {
        if OF_PROMISES.contains(&name) {
            return;
        }
        let is_certain = self.is_certain() && self.site.asked == 0;
        let field = Named { name: name.to_owned(), range: range(span) };
        self.reading.unawaited.push(Unawaited { call, field, is_certain });
    }

    /// Notes a call of what may be a tool.
    fn note_call(&mut self, call: &CallExpression<'_>, is_awaited: bool) {
        let target = match self.origin(&call.callee) {
            Some(Origin::Module { specifier, path }) if is_by_name(&specifier, &path) => {
                Target::ByName
            }
            Some(Origin::Module { specifier, path }) => Target::Member { specifier, path },
            _ if self.is_global(&call.callee, &BY_NAME) => Target::ByName,
            _ if self.is_global(&call.callee, &OWN) => {
                let Expression::Identifier(name) = &call.callee else { return };
                let named = Named { name: name.name.to_string(), range: range(name.span) };
                Target::Member { specifier: OURS.to_owned(), path: vec![named] }
            }
            _ => return,
        };
        let arguments = written::arguments(&call.arguments, self.scoping, &self.constants);
        self.calls.insert((call.span.start, call.span.end), self.reading.calls.len());
        self.sites.push((self.site.functions > 0, is_awaited));
        self.reading.calls.push(Call {
            target,
            range: range(call.callee.span()),
            whole: range(call.span),
            arguments,
            is_certain: self.is_certain(),
            is_repeated: self.site.repeated > 0,
        });
    }

    /// Visits what is around with a change to the site.
    fn within(&mut self, change: impl FnOnce(&mut Site), visit: impl FnOnce(&mut Self)) {
        let before = self.site;
        change(&mut self.site);
        visit(self);
        self.site = before;
    }

    fn asking(&mut self, visit: impl FnOnce(&mut Self)) {
        self.within(|site| site.asked += 1, visit);
    }

    /// Something that is not reached whatever happens.
    fn aside(&mut self, span: Span) {
        self.reading.aside.push(range(span));
    }

    fn repeating(&mut self, visit: impl FnOnce(&mut Self)) {
        self.reading.loops += 1;
        self.within(|site| site.repeated += 1, visit);
    }

    /// A function's inside: whether it is called, and as often as only running would tell.
    fn function(&mut self, span: Span, is_called: bool, visit: impl FnOnce(&mut Self)) {
        self.reading.functions += 1;
        self.aside(span);
        self.inside.push(range(span));
        if !is_called {
            self.reading.uncertain.push(range(span));
        }
        let change = |site: &mut Site| {
            site.functions += 1;
            site.repeated += 1;
            site.uncalled += u32::from(!is_called);
            site.asked = 0;
        };
        self.within(change, visit);
    }

    fn is_referred_to(&self, symbol: Option<SymbolId>) -> bool {
        symbol.is_some_and(|symbol| !self.scoping.get_resolved_reference_ids(symbol).is_empty())
    }

    /// `Promise.all([a(), b()])`, whose results come in order.
    fn together<'e, 'a>(
        &self,
        init: &'e Expression<'a>,
    ) -> Option<&'e [ArrayExpressionElement<'a>]> {
        let Expression::AwaitExpression(awaited) = init else { return None };
        let Expression::CallExpression(call) = &awaited.argument else { return None };
        let Expression::StaticMemberExpression(member) = &call.callee else { return None };
        let is_all =
            member.property.name.as_str() == "all" && self.is_global(&member.object, &["Promise"]);
        match call.arguments.first()?.as_expression()? {
            Expression::ArrayExpression(array) if is_all => Some(&array.elements),
            _ => None,
        }
    }
}

/// What is there once a promise has been waited for.
fn waited_for(origin: Origin) -> Origin {
    match origin {
        Origin::Promise(call) => Origin::Value(call, Vec::new()),
        other => other,
    }
}

/// `import("servers/github")`
fn module(import: &ImportExpression<'_>) -> Option<Origin> {
    let Expression::StringLiteral(specifier) = &import.source else { return None };
    Some(Origin::Module { specifier: specifier.value.to_string(), path: Vec::new() })
}

fn is_function(expression: &Expression<'_>) -> bool {
    matches!(expression, Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_))
}

fn is_by_name(specifier: &str, path: &[Named]) -> bool {
    specifier == OURS && matches!(path, [only] if BY_NAME.contains(&only.name.as_str()))
}

impl<'a> Visit<'a> for Reader<'_> {
    fn enter_node(&mut self, _: AstKind<'a>) {
        self.reading.nodes += 1;
    }

    fn visit_program(&mut self, it: &Program<'a>) {
        for statement in &it.body {
            self.visit_statement(statement);
            let leaves =
                matches!(statement, Statement::ReturnStatement(_) | Statement::ThrowStatement(_));
            if leaves && !self.has_left {
                let rest = Span::new(statement.span().end, it.span.end);
                self.reading.uncertain.push(range(rest));
            }
            self.has_left |= leaves;
        }
    }

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        if it.import_kind.is_type() {
            return;
        }
        let text = it.source.value.to_string();
        let mut names = Vec::new();
        for specifier in it.specifiers.iter().flatten() {
            let (local, path) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(one) if one.import_kind.is_type() => {
                    continue;
                }
                ImportDeclarationSpecifier::ImportSpecifier(one) => {
                    let name = one.imported.name().to_string();
                    let named = Named { name, range: range(one.imported.span()) };
                    names.push(named.clone());
                    (&one.local, vec![named])
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(one) => {
                    let name = "default".to_owned();
                    (&one.local, vec![Named { name, range: range(one.span) }])
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(one) => (&one.local, vec![]),
            };
            if let Some(symbol) = local.symbol_id.get() {
                let specifier = text.clone();
                self.origins.insert(symbol, Origin::Module { specifier, path });
            }
        }
        let specifier = Named { name: text, range: range(it.source.span) };
        self.reading.imports.push(Import { specifier, names });
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        if let Expression::StringLiteral(source) = &it.source {
            let name = source.value.to_string();
            // What is missing there may be caught, and is said when it is reached.
            if self.is_certain() && !self.catches && self.site.functions == 0 {
                let specifier = Named { name, range: range(source.span) };
                self.reading.imports.push(Import { specifier, names: Vec::new() });
            }
        } else {
            self.reading.constructs.push((Construct::DynamicImport, range(it.span)));
        }
        walk::walk_import_expression(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if let Some(init) = &it.init {
            self.is_called = match &it.id {
                BindingPattern::BindingIdentifier(name) if is_function(init) => {
                    self.is_referred_to(name.symbol_id.get())
                }
                _ => false,
            };
            self.visit_expression(init);
            self.is_called = false;
            written::remember(it, self.scoping, &mut self.constants);
            if let (Some(parts), BindingPattern::ArrayPattern(array)) =
                (self.together(init), &it.id)
            {
                for (part, element) in parts.iter().zip(&array.elements) {
                    let origin = part.as_expression().and_then(|one| self.origin(one));
                    if let (Some(origin), Some(element)) = (origin.map(waited_for), element) {
                        self.bind(element, &origin);
                    }
                }
            } else if let Some(origin) = self.origin(init) {
                self.bind(&it.id, &origin);
            }
        }
        self.visit_binding_pattern(&it.id);
    }

    fn visit_await_expression(&mut self, it: &AwaitExpression<'a>) {
        self.is_awaited = matches!(it.argument, Expression::CallExpression(_));
        walk::walk_await_expression(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        let is_awaited = std::mem::take(&mut self.is_awaited);
        if let Expression::StaticMemberExpression(member) = &it.callee
            && self.is_global(&member.object, &["Object", "Reflect"])
        {
            let name = member.property.name.as_str();
            let sets = ["assign", "defineProperty", "defineProperties", "set"].contains(&name);
            self.reading.sets_any |= sets;
        }
        if self.is_global(&it.callee, &["eval", "Function"]) {
            self.reading.constructs.push((Construct::DynamicExecution, range(it.span)));
        }
        let member = match &it.callee {
            Expression::StaticMemberExpression(member) => Some(member),
            _ => None,
        };
        let method = member.map_or("", |member| member.property.name.as_str());
        let catches = CATCHING.contains(&method) || method == "then" && it.arguments.len() > 1;
        self.promises_caught |= catches;
        let inside = |reader: &mut Self| {
            reader.visit_expression(&it.callee);
            let object = member.and_then(|member| reader.origin(&member.object));
            let given = match object {
                Some(Origin::Value(call, mut steps))
                    if EACH.contains(&method)
                        || ["reduce", "sort", "toSorted"].contains(&method) =>
                {
                    steps.push(Step::Item);
                    Some(Origin::Value(call, steps))
                }
                Some(Origin::Promise(call)) if method == "then" => {
                    Some(Origin::Value(call, Vec::new()))
                }
                _ => None,
            };
            if let (Some(origin), Some(first)) = (given, it.arguments.first()) {
                let parameters = match first.as_expression() {
                    Some(Expression::ArrowFunctionExpression(arrow)) => Some(&arrow.params),
                    Some(Expression::FunctionExpression(function)) => Some(&function.params),
                    _ => None,
                };
                let places = match method {
                    // What has been made so far comes before the item.
                    "reduce" => 1..2,
                    // Two of them are compared.
                    "sort" | "toSorted" => 0..2,
                    _ => 0..1,
                };
                for place in places {
                    if let Some(parameter) = parameters.and_then(|all| all.items.get(place)) {
                        reader.bind(&parameter.pattern, &origin);
                    }
                }
            }
            for argument in &it.arguments {
                reader.is_called = argument.as_expression().is_some_and(is_function);
                reader.visit_argument(argument);
                reader.is_called = false;
            }
        };
        if catches {
            self.reading.uncertain.push(range(it.span));
            self.within(|site| site.caught += 1, inside);
        } else {
            inside(self);
        }
        self.note_call(it, is_awaited);
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        if self.is_global(&it.callee, &["Function"]) {
            self.reading.constructs.push((Construct::DynamicExecution, range(it.span)));
        }
        walk::walk_new_expression(self, it);
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        walk::walk_static_member_expression(self, it);
        let (name, span) = (it.property.name.as_str(), it.property.span);
        match self.origin(&it.object) {
            Some(Origin::Value(call, mut steps)) => {
                steps.push(Step::Field(name.to_owned()));
                self.reads(call, &steps, span, !it.optional);
            }
            Some(Origin::Promise(call)) => self.reads_unawaited(call, name, span),
            _ => {}
        }
    }

    fn visit_computed_member_expression(&mut self, it: &ComputedMemberExpression<'a>) {
        walk::walk_computed_member_expression(self, it);
        if let (Some(Origin::Promise(call)), Expression::StringLiteral(name)) =
            (self.origin(&it.object), &it.expression)
        {
            self.reads_unawaited(call, name.value.as_str(), name.span);
        }
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        if let Some(member) = it.left.as_member_expression() {
            match member.static_property_name() {
                Some(name) => {
                    self.reading.mentioned.insert(name.to_string());
                    self.reading.set.insert(name.to_string());
                }
                None => self.reading.sets_any = true,
            }
        }
        walk::walk_assignment_expression(self, it);
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        if let Some(name) = it.key.static_name() {
            self.reading.mentioned.insert(name.to_string());
        }
        walk::walk_object_property(self, it);
    }

    fn visit_string_literal(&mut self, it: &StringLiteral<'a>) {
        self.reading.mentioned.insert(it.value.to_string());
    }

    fn visit_chain_expression(&mut self, it: &ChainExpression<'a>) {
        self.aside(it.span);
        self.asking(|reader| walk::walk_chain_expression(reader, it));
    }

    fn visit_logical_expression(&mut self, it: &LogicalExpression<'a>) {
        self.asking(|reader| reader.visit_expression(&it.left));
        self.aside(it.right.span());
        self.visit_expression(&it.right);
    }

    fn visit_conditional_expression(&mut self, it: &ConditionalExpression<'a>) {
        self.asking(|reader| reader.visit_expression(&it.test));
        self.aside(it.consequent.span());
        self.aside(it.alternate.span());
        self.visit_expression(&it.consequent);
        self.visit_expression(&it.alternate);
    }

    fn visit_if_statement(&mut self, it: &IfStatement<'a>) {
        self.asking(|reader| reader.visit_expression(&it.test));
        let is_dead = matches!(&it.test, Expression::BooleanLiteral(test) if !test.value);
        self.aside(it.consequent.span());
        if is_dead {
            self.reading.uncertain.push(range(it.consequent.span()));
        }
        self.within(
            |site| site.caught += u32::from(is_dead),
            |reader| reader.visit_statement(&it.consequent),
        );
        if let Some(alternate) = &it.alternate {
            self.aside(alternate.span());
            self.visit_statement(alternate);
        }
    }

    fn visit_unary_expression(&mut self, it: &UnaryExpression<'a>) {
        if matches!(it.operator, UnaryOperator::Typeof | UnaryOperator::LogicalNot) {
            self.asking(|reader| walk::walk_unary_expression(reader, it));
        } else {
            walk::walk_unary_expression(self, it);
        }
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        let asks = matches!(
            it.operator,
            BinaryOperator::Equality
                | BinaryOperator::Inequality
                | BinaryOperator::StrictEquality
                | BinaryOperator::StrictInequality
                | BinaryOperator::In
        );
        if asks {
            self.asking(|reader| walk::walk_binary_expression(reader, it));
        } else {
            walk::walk_binary_expression(self, it);
        }
    }

    fn visit_try_statement(&mut self, it: &TryStatement<'a>) {
        self.catches |= it.handler.is_some();
        let caught = u32::from(it.handler.is_some() || it.finalizer.is_some());
        self.reading.uncertain.push(range(it.span));
        self.within(|site| site.caught += caught, |reader| walk::walk_try_statement(reader, it));
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        self.visit_expression(&it.right);
        if let (ForStatementLeft::VariableDeclaration(left), Some(Origin::Value(call, mut steps))) =
            (&it.left, self.origin(&it.right))
            && let Some(one) = left.declarations.first()
        {
            steps.push(Step::Item);
            self.bind(&one.id, &Origin::Value(call, steps));
        }
        self.aside(it.body.span());
        self.repeating(|reader| {
            reader.visit_for_statement_left(&it.left);
            reader.visit_statement(&it.body);
        });
    }

    fn visit_for_statement(&mut self, it: &ForStatement<'a>) {
        self.aside(it.body.span());
        self.repeating(|reader| walk::walk_for_statement(reader, it));
    }

    fn visit_for_in_statement(&mut self, it: &ForInStatement<'a>) {
        self.aside(it.body.span());
        self.repeating(|reader| walk::walk_for_in_statement(reader, it));
    }

    fn visit_while_statement(&mut self, it: &WhileStatement<'a>) {
        self.aside(it.body.span());
        self.repeating(|reader| walk::walk_while_statement(reader, it));
    }

    fn visit_do_while_statement(&mut self, it: &DoWhileStatement<'a>) {
        self.repeating(|reader| walk::walk_do_while_statement(reader, it));
    }

    fn visit_switch_statement(&mut self, it: &SwitchStatement<'a>) {
        self.aside(it.span);
        walk::walk_switch_statement(self, it);
    }

    fn visit_return_statement(&mut self, it: &ReturnStatement<'a>) {
        if self.site.functions == 0 {
            self.reading.returns.push((it.span.start, it.argument.is_some()));
        }
        walk::walk_return_statement(self, it);
    }

    fn visit_export_default_declaration(&mut self, it: &ExportDefaultDeclaration<'a>) {
        self.is_called = true;
        walk::walk_export_default_declaration(self, it);
        self.is_called = false;
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        let named = it.id.as_ref().and_then(|name| name.symbol_id.get());
        let is_called = std::mem::take(&mut self.is_called) || self.is_referred_to(named);
        self.function(it.span, is_called, |reader| walk::walk_function(reader, it, flags));
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        let is_called = std::mem::take(&mut self.is_called);
        self.function(it.span, is_called, |reader| {
            walk::walk_arrow_function_expression(reader, it);
        });
    }
}
