//! What the type checker says. The only module that knows `ty`; everything lives in memory.

mod database;
mod fields;
mod stubs;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use catalog::{Catalog, CatalogServer, CatalogTool, LearnedTools, Listing};
use ruff_db::diagnostic::{Diagnostic, DiagnosticId};
use ruff_db::parsed::parsed_module;
use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprCall, Stmt};
use ruff_text_size::{Ranged as _, TextRange};
use ty_python_semantic::types::ide_support::{CallSignatureParameter, call_signature_details};
use ty_python_semantic::{
    Completion, Db as _, HasType as _, NameKind, SemanticModel, check_file_unwrap,
};

use crate::rewrite::Rewritten;
use database::Database;
pub(crate) use fields::Fields;

/// One thing that the type checker does not like, in its words and at our places.
#[derive(Debug)]
pub(crate) struct Complaint {
    /// The rule's name; `invalid-syntax` for what is no Python.
    pub(crate) rule: &'static str,
    pub(crate) range: TextRange,
    pub(crate) message: String,
}

impl Complaint {
    /// Something does not have what was sought in it.
    fn is_of_a_member(&self) -> bool {
        matches!(self.rule, "unresolved-attribute" | "unresolved-import")
    }

    /// A call does not give what a function takes.
    fn is_of_a_call(&self) -> bool {
        matches!(self.rule, "missing-argument" | "no-matching-overload" | "unknown-argument")
    }
}

/// What was found out about a program.
#[derive(Debug, Default)]
pub(crate) struct Typed {
    pub(crate) complaints: Vec<Complaint>,
    /// The types of the expressions that were asked about, as Python writes them.
    pub(crate) types: HashMap<TextRange, String>,
    /// What there is where something was sought that is not there: the names that an attribute or
    /// an import with a complaint could have had, by its place.
    pub(crate) members: HashMap<TextRange, Vec<String>>,
    /// What functions take, by the place of a call with a complaint: all overloads together.
    pub(crate) parameters: HashMap<TextRange, Vec<String>>,
    /// The ways of calling something that a call with a complaint could have followed, by its place.
    pub(crate) ways: HashMap<TextRange, Vec<Way>>,
}

/// One way in which something can be called.
#[derive(Debug)]
pub(crate) struct Way {
    /// What it takes by name; `None` where that is anything.
    pub(crate) named: Option<Vec<String>>,
    /// How many values it takes by position; `None` where that is any number.
    pub(crate) most: Option<usize>,
    /// What it cannot do without, and whether that can be given by its name.
    pub(crate) needed: Vec<(String, bool)>,
}

/// A type checker that has read the stubs of some servers.
pub(crate) struct TypeChecker {
    database: Database,
    catalog: Arc<Catalog>,
    /// Packages whose stubs are written.
    written: HashMap<String, (Arc<Listing>, Option<Arc<LearnedTools>>)>,
    fields: Fields,
    /// How tools are called that programs have used, as long as their stubs are true.
    usages: RefCell<HashMap<(String, String), Option<String>>>,
}

impl TypeChecker {
    pub(crate) fn new(catalog: Arc<Catalog>) -> Self {
        let mut database = Database::new();
        for (path, text) in stubs::GIVEN {
            database.write(path, text);
        }
        Self {
            database,
            catalog,
            written: HashMap::new(),
            fields: Fields::default(),
            usages: RefCell::default(),
        }
    }

    /// How a tool is called and what it returns. Writing that takes longer than most checks, and
    /// programs use the same tools again and again.
    pub(crate) fn usage(&self, tool: &CatalogTool) -> Option<String> {
        let key = (tool.server_python().to_owned(), tool.python().to_owned());
        if let Some(known) = self.usages.borrow().get(&key) {
            return known.clone();
        }
        let usage = crate::names::usage(std::iter::once(tool));
        self.usages.borrow_mut().insert(key, usage.clone());
        usage
    }

    /// What programs can call.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog)
    }

    /// The fields of the results that programs have used.
    pub(crate) fn fields(&self) -> &Fields {
        &self.fields
    }

    /// From now on, programs can call what is in `catalog`.
    pub(crate) fn refresh(&mut self, catalog: Arc<Catalog>) {
        self.catalog = catalog;
    }

    /// Something to stop a check with, from another thread.
    pub(crate) fn stop(&self) -> salsa::CancellationToken {
        salsa::Database::cancellation_token(&self.database)
    }

    /// Checks a program that may use `servers`.
    pub(crate) fn check(
        &mut self,
        program: &Rewritten,
        servers: &[&str],
        asked: &HashSet<TextRange>,
    ) -> Typed {
        self.write_stubs(servers);
        self.database.write(stubs::PROGRAM, &program.text);
        let Some(file) = self.database.file(stubs::PROGRAM) else { return Typed::default() };
        let db = &self.database;
        let file = db.program_file(file);
        let found = check_file_unwrap(db, file);
        let complaints: Vec<Complaint> =
            found.iter().filter_map(|one| complaint(one, program)).collect();
        let places = complaints.iter().map(|one| one.range).collect();
        let model = SemanticModel::new(db, file);
        let module = parsed_module(db, file.python_file(db)).load(db);
        let sought = complaints.iter().filter(|one| one.is_of_a_member()).map(|one| one.range);
        let sought = sought.collect();
        let miscalled = complaints.iter().filter(|one| one.is_of_a_call()).map(|one| one.range);
        let miscalled = miscalled.collect();
        let mut asking = Asking {
            model: &model,
            program,
            asked,
            places,
            sought,
            miscalled,
            types: HashMap::new(),
            members: HashMap::new(),
            parameters: HashMap::new(),
            ways: HashMap::new(),
        };
        for statement in module.suite() {
            asking.visit_stmt(statement);
        }
        let Asking { types, members, parameters, ways, .. } = asking;
        Typed { complaints, types, members, parameters, ways }
    }

    /// Whether the stubs of a server are written, and still true.
    fn has(&self, server: &CatalogServer) -> bool {
        let is_same = |known: &Option<Arc<LearnedTools>>| match (known, server.learned()) {
            (Some(known), Some(now)) => Arc::ptr_eq(known, now),
            (known, now) => known.is_none() && now.is_none(),
        };
        self.written.get(server.python()).is_some_and(|(listing, learned)| {
            Arc::ptr_eq(listing, server.listing()) && is_same(learned)
        })
    }

    /// The stubs of servers that no program has used yet.
    fn write_stubs(&mut self, servers: &[&str]) {
        let catalog = Arc::clone(&self.catalog);
        let new: Vec<&CatalogServer> = catalog
            .servers()
            .filter(|server| servers.contains(&server.python()) && !self.has(server))
            .collect();
        if new.is_empty() {
            return;
        }
        for server in new {
            let name = server.python();
            self.usages.get_mut().retain(|(known, _), _| known != name);
            let of = (Arc::clone(server.listing()), server.learned().cloned());
            self.written.insert(server.python().to_owned(), of);
            for file in bindings::python_stubs(server) {
                self.fields.read(&file.text);
                self.database.write(&format!("/servers/{}", file.path), &file.text);
            }
            let name = server.python();
            if !crate::modules::is_there(name) {
                self.database.write(&format!("/{name}/__init__.pyi"), &stubs::alias(server));
            }
        }
        let mut names: Vec<&str> = self.written.keys().map(String::as_str).collect();
        names.sort_unstable();
        self.database.write(stubs::ROOT, &stubs::root(&names));
    }
}

fn complaint(diagnostic: &Diagnostic, program: &Rewritten) -> Option<Complaint> {
    let rule = match diagnostic.id() {
        DiagnosticId::Lint(name) => name.as_str(),
        DiagnosticId::InvalidSyntax => "invalid-syntax",
        _ => return None,
    };
    // What was put in is none of the program's mistakes.
    let range = diagnostic.range().filter(|range| !program.is_put_in(*range))?;
    let range = program.original(range);
    Some(Complaint { rule, range, message: diagnostic.concise_message().to_string() })
}

/// What a signature takes. What is only taken by name is counted as if it were taken by position, too:
/// signatures do not tell.
fn way(parameters: &[CallSignatureParameter<'_>]) -> Way {
    let named = parameters.iter().filter(|one| !one.is_positional_only && !one.is_variadic);
    let takes_any = parameters.iter().any(|one| one.is_keyword_variadic);
    // A default is shown behind the name.
    let is_needed = |one: &&CallSignatureParameter<'_>| {
        !one.is_variadic && !one.is_keyword_variadic && !one.label.contains('=')
    };
    let needed = parameters.iter().filter(is_needed);
    Way {
        needed: needed.map(|one| (one.name.clone(), !one.is_positional_only)).collect(),
        named: (!takes_any).then(|| named.map(|one| one.name.clone()).collect()),
        most: parameters.iter().all(|one| !one.is_variadic).then_some(parameters.len()),
    }
}

/// Notes the types of the expressions that were asked about.
struct Asking<'m, 'db> {
    model: &'m SemanticModel<'db>,
    program: &'m Rewritten,
    asked: &'m HashSet<TextRange>,
    /// Where there are complaints; the types of their parts say what to think of them.
    places: Vec<TextRange>,
    /// Where something is sought that is not there.
    sought: Vec<TextRange>,
    /// Where calls do not fit.
    miscalled: Vec<TextRange>,
    types: HashMap<TextRange, String>,
    members: HashMap<TextRange, Vec<String>>,
    parameters: HashMap<TextRange, Vec<String>>,
    ways: HashMap<TextRange, Vec<Way>>,
}

impl<'db> Asking<'_, 'db> {
    fn note(&mut self, expression: &Expr) {
        let range = self.program.original(expression.range());
        if let Some(found) = expression.inferred_type(self.model) {
            let environment = self.model.program_environment();
            self.types
                .entry(range)
                .or_insert_with(|| found.display(self.model.db(), &environment).to_string());
        }
    }

    /// Notes what there is at a place where something is sought that is not there.
    fn note_members(&mut self, place: TextRange, there: impl FnOnce() -> Vec<Completion<'db>>) {
        let place = self.program.original(place);
        if !self.sought.iter().any(|sought| place.contains_range(*sought)) {
            return;
        }
        let mut names: Vec<String> = there()
            .into_iter()
            .filter(|one| {
                !one.is_type_check_only && NameKind::classify(&one.name) == NameKind::Normal
            })
            .map(|one| one.name.to_string())
            .collect();
        names.sort_unstable();
        names.dedup();
        self.members.insert(place, names);
    }

    /// Notes what a function takes that is called in another way.
    fn note_parameters(&mut self, call: &ExprCall) {
        let place = self.program.original(call.range());
        if !self.miscalled.iter().any(|miscalled| place.contains_range(*miscalled)) {
            return;
        }
        let mut names: Vec<String> = Vec::new();
        let mut ways = Vec::new();
        for signature in call_signature_details(self.model, call) {
            ways.push(way(&signature.parameters));
            for one in signature.parameters {
                // A name that stands for any is none of them, and one by position has no name.
                let is_named =
                    !one.is_positional_only && !one.is_variadic && !one.is_keyword_variadic;
                if is_named && !names.contains(&one.name) {
                    names.push(one.name);
                }
            }
        }
        self.parameters.insert(place, names);
        self.ways.insert(place, ways);
    }

    fn wants(&self, range: TextRange) -> bool {
        !self.types.contains_key(&range)
            && (self.asked.contains(&range)
                || self.places.iter().any(|place| place.contains_range(range)))
    }
}

impl<'a> SourceOrderVisitor<'a> for Asking<'_, '_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::ImportFrom(import) = statement {
            let model = self.model;
            self.note_members(import.range, || model.from_import_completions(import));
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        let range = self.program.original(expression.range());
        if let Expr::Subscript(subscript) = expression
            && self.places.iter().any(|place| range.contains_range(*place))
        {
            self.note(&subscript.value);
        }
        // What a method is called on says whether a complaint about one of the arguments counts.
        if let Expr::Call(call) = expression
            && let Expr::Attribute(method) = &*call.func
            && self.places.iter().any(|place| range.contains_range(*place))
        {
            self.note(&method.value);
        }
        if let Expr::Attribute(attribute) = expression {
            let model = self.model;
            self.note_members(attribute.range, || model.attribute_completions(attribute));
        }
        if let Expr::Call(call) = expression {
            self.note_parameters(call);
        }
        // The outermost counts: an `await` that was put in stands where its call does.
        if self.wants(range) {
            self.note(expression);
        }
        walk_expr(self, expression);
    }
}
