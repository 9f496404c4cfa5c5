//! A module becomes a function: what imports, exports, variables and the last line mean.
//!
//! Engines know two kinds of text, scripts and modules, and a program is neither: it returns, its
//! last expression is its value, and its variables are there for the next program. So it becomes
//!
//! ```text
//! (async function ($tidegate) {"use strict";$tidegate.names({"a":[()=>a,$tidegate=>a=$tidegate]});
//! const {"f": f} = await $tidegate.load("servers/x", ["f"]);
//! let a = await f();
//! return (a.length)
//! })
//! ```
//!
//! Variables stay what they are, so a `const` stays one and closures keep their speed; the next
//! program reaches them through the pair of functions. Lines stay where they are.

use std::collections::HashMap;
use std::fmt::Write as _;

use oxc::allocator::{Allocator, Vec as ArenaVec};
use oxc::ast::ast::{
    ArrowFunctionExpression, AwaitExpression, BindingPattern, Declaration,
    ExportDefaultDeclaration, ExportDefaultDeclarationKind, ExportSpecifier, Expression,
    ForOfStatement, Function, IdentifierReference, ImportDeclaration, ImportDeclarationSpecifier,
    ImportExpression, ImportMeta, NewExpression, Program, Statement,
};
use oxc::ast_visit::{Visit, walk};
use oxc::parser::Parser;
use oxc::semantic::{Scoping, SemanticBuilder};
use oxc::span::{GetSpan as _, SourceType, Span};
use oxc::syntax::reference::ReferenceId;
use oxc::syntax::scope::ScopeFlags;

use crate::Prepared;
use crate::edits::Edits;
use crate::place::Problem;
use crate::strip::{self, Stripped};
use crate::unplaced::{PLACE, is_unplaced};

/// The variable by which a program that declares no other says what its value is.
const RESULT: &str = "result";

/// What the function is given. It also names what else must not be called like a variable.
const GIVEN: &str = "$tidegate";

/// What a text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Runs in a session and has a value.
    Program,
    /// Is imported and has exports.
    Module,
}

/// Makes a function of `stripped`. `text` is what the user wrote.
pub(crate) fn rewrite(stripped: &Stripped, kind: Kind, text: &str) -> Result<Prepared, Problem> {
    let allocator = Allocator::default();
    let source = SourceType::mjs();
    let parsed =
        Parser::new(&allocator, &stripped.code, source).with_options(strip::options()).parse();
    if let Some(problem) = strip::first(&parsed.diagnostics, &stripped.code) {
        return Err(in_users_words(problem, stripped, text));
    }
    let scoping = SemanticBuilder::new().build(&parsed.program).semantic.into_scoping();
    let assigns_result = scoping
        .root_unresolved_references()
        .get(RESULT)
        .is_some_and(|places| places.iter().any(|&place| scoping.get_reference(place).is_write()));
    let mut inside = Inside::default();
    inside.visit_program(&parsed.program);
    let mut maker = Maker {
        scoping: &scoping,
        first: first_place(&parsed.program),
        end: parsed.program.span.end,
        places: &inside.places,
        kind,
        is_async: kind == Kind::Program || inside.awaits,
        edits: std::mem::take(&mut inside.edits),
        names: Vec::new(),
        exports: Vec::new(),
    };
    maker.program(&parsed.program);
    if let Some(symbol) = scoping.get_root_binding(GIVEN.into()) {
        let at = scoping.symbol_span(symbol).start as usize;
        let problem = Problem::at(&stripped.code, at, format!("`{GIVEN}` is taken"))
            .with_hint("Give the variable another name.");
        return Err(in_users_words(problem, stripped, text));
    }
    let prologue = maker.prologue(&parsed.program, assigns_result);
    let word = if maker.is_async { "async function" } else { "function" };
    let body = maker.edits.apply(&stripped.code);
    Ok(Prepared {
        code: format!("({word} ($tidegate) {{\"use strict\";{prologue}\n{body}\n}})"),
        is_async: maker.is_async,
        map: stripped.map.clone().lowered(1),
    })
}

/// What was found in the JavaScript, at its place in the TypeScript.
fn in_users_words(problem: Problem, stripped: &Stripped, text: &str) -> Problem {
    let place = problem.place.and_then(|place| stripped.map.place(place.line, place.column));
    let line = place.and_then(|place| text.lines().nth(place.line as usize - 1));
    Problem { place, source_line: line.map(str::to_owned), ..problem }
}

struct Maker<'s> {
    scoping: &'s Scoping,
    /// Where the first statement begins that imports nothing.
    first: u32,
    /// Where the text ends.
    end: u32,
    /// Where names stand.
    places: &'s HashMap<ReferenceId, u32>,
    kind: Kind,
    is_async: bool,
    edits: Edits,
    /// Variables of the top level.
    names: Vec<String>,
    /// Exported name and what it stands for.
    exports: Vec<(String, String)>,
}

impl Maker<'_> {
    fn program(&mut self, program: &Program<'_>) {
        if let Some(hashbang) = &program.hashbang {
            self.edits.replace(hashbang.span.start, hashbang.span.end, "");
        }
        for statement in &program.body {
            self.statement(statement);
        }
        if self.kind == Kind::Module {
            return;
        }
        match (last(program), program.directives.last()) {
            (Some(last @ Statement::ExpressionStatement(statement)), _) => {
                let span = statement.expression.span();
                let place = if is_unplaced(last) { PLACE } else { "" };
                self.edits.insert(span.start, format!("{place}return ("));
                self.edits.insert(span.end, ")");
            }
            // A text alone is an expression to whoever wrote it.
            (None, Some(text)) => self.edits.insert(text.span.start, "return "),
            _ => {}
        }
    }

    fn statement(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::ImportDeclaration(import) => self.import(import),
            Statement::ExportDeclaration(export) => {
                if is_unplaced(statement) {
                    self.edits.insert(export.span.start, PLACE);
                }
                self.edits.replace(export.span.start, export.declaration.span().start, "");
                for name in declared(&export.declaration) {
                    self.exports.push((name.clone(), name.clone()));
                    self.names.push(name);
                }
            }
            Statement::ExportNamedDeclaration(export) => {
                self.edits.replace(export.span.start, export.span.end, ";");
                if self.kind == Kind::Program {
                    let is_default =
                        |one: &&ExportSpecifier<'_>| &*one.exported.name() == "default";
                    if let Some(one) = export.specifiers.iter().find(is_default) {
                        // What it stands for may be set further down.
                        let value = format!(";$tidegate.value({});", one.local.name());
                        self.edits.insert(self.end, value);
                    }
                }
                let pair = |one: &ExportSpecifier<'_>| {
                    (one.exported.name().to_string(), one.local.name().to_string())
                };
                self.exports.extend(export.specifiers.iter().map(pair));
            }
            Statement::ExportFromDeclaration(export) => {
                let mut names = String::new();
                for one in &export.specifiers {
                    let (exported, local) = (one.exported.name(), one.local.name());
                    let _ = write!(names, "{}:{},", quoted(&exported), quoted(&local));
                }
                let source = quoted(&export.source.value);
                self.edits.replace(
                    export.span.start,
                    export.span.end,
                    format!("$tidegate.lazy({source},{{{names}}});"),
                );
            }
            Statement::ExportAllDeclaration(export) => {
                let name = export.exported.as_ref().map(|name| quoted(&name.name()));
                let (source, name) = (quoted(&export.source.value), name.unwrap_or("null".into()));
                let call = format!("$tidegate.all({source},{name});");
                self.edits.replace(export.span.start, export.span.end, call);
            }
            Statement::ExportDefaultDeclaration(export) => self.default(export),
            // The engine knows their lines.
            Statement::ExpressionStatement(_) => {}
            statement => {
                if is_unplaced(statement) {
                    self.edits.insert(statement.span().start, PLACE);
                }
                if let Some(declaration) = statement.as_declaration() {
                    self.names.extend(declared(declaration));
                }
            }
        }
    }

    fn import(&mut self, import: &ImportDeclaration<'_>) {
        let source = quoted(&import.source.value);
        let load = |names: &str| {
            if self.is_async {
                format!("await $tidegate.load({source}{names})")
            } else {
                format!("$tidegate.need({source}{names})")
            }
        };
        let (mut whole, mut parts, mut wanted) = (None, Vec::new(), Vec::new());
        for specifier in import.specifiers.iter().flatten() {
            let (imported, local) = match specifier {
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(one) => {
                    whole = Some(one.local.name.to_string());
                    continue;
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(one) => {
                    (quoted("default"), one.local.name.to_string())
                }
                ImportDeclarationSpecifier::ImportSpecifier(one) => {
                    (quoted(&one.imported.name()), one.local.name.to_string())
                }
            };
            parts.push(format!("{imported}:{local}"));
            wanted.push(imported);
            self.names.push(local);
        }
        let checked = format!(",[{}]", wanted.join(","));
        let parts = parts.join(",");
        let text = match &whole {
            Some(whole) if parts.is_empty() => format!("const {whole}={};", load("")),
            Some(whole) => format!("const {whole}={},{{{parts}}}={whole};", load(&checked)),
            None if parts.is_empty() => format!("{};", load("")),
            None => format!("const {{{parts}}}={};", load(&checked)),
        };
        self.names.extend(whole);
        if self.is_used_before(import) {
            self.edits.replace(import.span.start, import.span.end, ";");
            self.edits.insert(self.first, text);
        } else {
            self.edits.replace(import.span.start, import.span.end, text);
        }
    }

    /// Whether something that is imported is used further up: imports come first, wherever they stand.
    fn is_used_before(&self, import: &ImportDeclaration<'_>) -> bool {
        if import.span.start < self.first {
            return false;
        }
        import.specifiers.iter().flatten().any(|specifier| {
            let symbol = specifier.local().symbol_id.get();
            let mut uses =
                symbol.into_iter().flat_map(|one| self.scoping.get_resolved_reference_ids(one));
            uses.any(|one| self.places.get(one).is_some_and(|&at| at < import.span.start))
        })
    }

    fn default(&mut self, export: &ExportDefaultDeclaration<'_>) {
        let Span { start, end, .. } = export.span;
        let inner = export.declaration.span();
        let named = match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => function.id.as_ref(),
            ExportDefaultDeclarationKind::ClassDeclaration(class) => class.id.as_ref(),
            _ => None,
        };
        if let Some(name) = named {
            let name = name.name.to_string();
            self.edits.replace(start, inner.start, "");
            self.edits.insert(end, format!(";$tidegate.value({name});"));
            self.names.push(name);
        } else {
            self.edits.replace(start, inner.start, "$tidegate.value(");
            self.edits.replace(inner.end, end, ");");
        }
    }

    /// What the function does first: it says which variables there will be.
    fn prologue(&self, program: &Program<'_>, assigns_result: bool) -> String {
        let mut out = String::new();
        if self.kind == Kind::Module {
            out.push_str("$tidegate.exports({");
            for (exported, local) in &self.exports {
                let _ = write!(out, "{}:()=>{local},", quoted(exported));
            }
            out.push_str("});");
            return out;
        }
        let mut names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        let declares_result = names.binary_search(&RESULT).is_ok();
        if !names.is_empty() {
            out.push_str("$tidegate.names({");
            for name in names {
                let _ = write!(out, "{}:[()=>{name},{GIVEN}=>{name}={GIVEN}],", quoted(name));
            }
            out.push_str("});");
        }
        let fallback = if declares_result || assigns_result {
            Some(RESULT.to_owned())
        } else {
            last(program).and_then(assigned)
        };
        if let Some(name) = fallback {
            let free = assigns_result && !declares_result;
            let _ = write!(out, "$tidegate.last(()=>{name},{free});");
        }
        out
    }
}

/// Where the first statement begins that imports nothing; where the text ends, if none does.
fn first_place(program: &Program<'_>) -> u32 {
    let mut others =
        program.body.iter().filter(|one| !matches!(one, Statement::ImportDeclaration(_)));
    others.next().map_or(program.span.end, |one| one.span().start)
}

/// The last statement that says something. Where types were, an empty one may be left.
fn last<'p, 'a>(program: &'p Program<'a>) -> Option<&'p Statement<'a>> {
    program.body.iter().rev().find(|statement| match statement {
        Statement::EmptyStatement(_) => false,
        Statement::ExportNamedDeclaration(export) => !export.specifiers.is_empty(),
        _ => true,
    })
}

/// The variable that a program ends with setting.
fn assigned(last: &Statement<'_>) -> Option<String> {
    let Statement::VariableDeclaration(last) = last else { return None };
    match &last.declarations.last()?.id {
        BindingPattern::BindingIdentifier(name) => Some(name.name.to_string()),
        _ => None,
    }
}

/// The names that a declaration declares.
pub(crate) fn declared(declaration: &Declaration<'_>) -> Vec<String> {
    match declaration {
        Declaration::VariableDeclaration(variables) => {
            let names =
                variables.declarations.iter().flat_map(|one| one.id.get_binding_identifiers());
            names.map(|name| name.name.to_string()).collect()
        }
        Declaration::FunctionDeclaration(function) => {
            function.id.iter().map(|name| name.name.to_string()).collect()
        }
        Declaration::ClassDeclaration(class) => {
            class.id.iter().map(|name| name.name.to_string()).collect()
        }
        _ => Vec::new(),
    }
}

/// A string literal. Nothing that goes in can end it.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(letter));
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

/// Whether the first word of an expression is `new`.
fn begins_with_new(mut expression: &Expression<'_>) -> bool {
    loop {
        expression = match expression {
            Expression::NewExpression(_) => return true,
            Expression::StaticMemberExpression(member) => &member.object,
            Expression::ComputedMemberExpression(member) => &member.object,
            Expression::PrivateFieldExpression(member) => &member.object,
            Expression::TaggedTemplateExpression(template) => &template.tag,
            _ => return false,
        }
    }
}

/// What a look into every expression brings.
#[derive(Default)]
struct Inside {
    edits: Edits,
    /// Something is awaited outside every function.
    awaits: bool,
    functions: usize,
    /// Lists of statements around.
    depth: usize,
    /// Where names stand.
    places: HashMap<ReferenceId, u32>,
}

impl<'a> Visit<'a> for Inside {
    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        if let Some(reference) = it.reference_id.get() {
            self.places.insert(reference, it.span.start);
        }
    }

    fn visit_statements(&mut self, it: &ArenaVec<'a, Statement<'a>>) {
        // Those of the top level are given their lines where they are made a function of.
        for statement in it.iter().filter(|_| self.depth > 0) {
            // The engine knows the lines of expressions.
            if !matches!(statement, Statement::ExpressionStatement(_)) && is_unplaced(statement) {
                self.edits.insert(statement.span().start, PLACE);
            }
        }
        self.depth += 1;
        walk::walk_statements(self, it);
        self.depth -= 1;
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        self.edits.replace(it.span.start, it.span.start + 6, "$tidegate.dynamic");
        walk::walk_import_expression(self, it);
    }

    /// QuickJS takes `new new F(a)(b)` for `new (new F(a)(b))`, and printing leaves no parentheses.
    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        if begins_with_new(&it.callee) {
            let Span { start, end, .. } = it.callee.span();
            self.edits.insert(start, "(");
            self.edits.insert(end, ")");
        }
        walk::walk_new_expression(self, it);
    }

    fn visit_import_meta(&mut self, it: &ImportMeta) {
        self.edits.replace(it.span.start, it.span.end, "$tidegate.meta");
    }

    fn visit_await_expression(&mut self, it: &AwaitExpression<'a>) {
        self.awaits |= self.functions == 0;
        walk::walk_await_expression(self, it);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        self.awaits |= it.r#await && self.functions == 0;
        walk::walk_for_of_statement(self, it);
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        self.functions += 1;
        walk::walk_function(self, it, flags);
        self.functions -= 1;
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.functions += 1;
        walk::walk_arrow_function_expression(self, it);
        self.functions -= 1;
    }
}
