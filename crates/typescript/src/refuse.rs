//! What is TypeScript and has no meaning here, in words that say what to write.

use std::collections::HashSet;

use oxc::allocator::Allocator;
use oxc::ast::AstKind;
use oxc::ast::ast::{
    AccessorProperty, Decorator, ImportDeclaration, JSXElement, JSXFragment, Program, Statement,
    TSExportAssignment, TSImportEqualsDeclaration, TSNamespaceDeclaration,
    TSNamespaceDeclarationBody,
};
use oxc::ast_visit::{Visit, walk};
use oxc::parser::Parser;
use oxc::semantic::Semantic;
use oxc::span::{SourceType, Span};

use crate::place::Problem;
use crate::{bounds, rewrite, strip};

/// How many elements may stand in a text that is looked through for them.
const MOST_ELEMENTS: usize = 200;

/// Refuses what has a meaning in TypeScript that is not followed here.
pub(crate) fn constructs(program: &Program<'_>, text: &str) -> Result<(), Problem> {
    let mut refused = Refused::default();
    refused.visit_program(program);
    match refused.0 {
        None => Ok(()),
        Some(found) => Err(found.in_text(text)),
    }
}

/// For a text that cannot be read: what to say if it can be read with elements of pages in it. Without
/// them `<div>a</div>` is a regular expression that does not end.
pub(crate) fn elements(text: &str) -> Option<Problem> {
    // The parser calls itself for each, and `bounds` has not counted these, nor anything that is code only
    // beside them.
    if text.matches('<').count() > MOST_ELEMENTS || !bounds::is_small(text) {
        return None;
    }
    let allocator = Allocator::default();
    let source = SourceType::tsx().with_module(true);
    let parsed = Parser::new(&allocator, text, source).with_options(strip::options()).parse();
    if strip::first(&parsed.diagnostics, text).is_some() {
        return None;
    }
    let mut found = Elements::default();
    found.visit_program(&parsed.program);
    found.0.map(|found| found.in_text(text))
}

/// Refuses a name that another declaration of the same namespace exports: in JavaScript the parts of a
/// namespace are functions of their own, and the name would be unknown only once it runs.
pub(crate) fn parted_namespaces(
    program: &Program<'_>,
    semantic: &Semantic<'_>,
    text: &str,
) -> Result<(), Problem> {
    let mut exported = Exported::default();
    exported.visit_program(program);
    if exported.0.is_empty() {
        return Ok(());
    }
    let scoping = semantic.scoping();
    let mut first: Option<(Span, String, String)> = None;
    for (name, places) in scoping.root_unresolved_references() {
        for &place in places {
            let reference = scoping.get_reference(place);
            if !reference.is_value() {
                continue;
            }
            let mut spaces =
                semantic.nodes().ancestor_kinds(reference.node_id()).filter_map(namespace);
            let Some(space) = spaces.find(|space| exported.has(space, name.as_str())) else {
                continue;
            };
            let span = semantic.reference_span(reference);
            if first.as_ref().is_none_or(|(before, ..)| span.start < before.start) {
                first = Some((span, space.to_owned(), name.to_string()));
            }
        }
    }
    let Some((span, space, name)) = first else { return Ok(()) };
    let message = format!("`{name}` is in another declaration of the namespace `{space}`");
    let hint = format!("Write `{space}.{name}`, or put both into one `namespace`.");
    Err(Problem::at(text, span.start as usize, message).with_hint(hint))
}

fn namespace(kind: AstKind<'_>) -> Option<&str> {
    match kind {
        AstKind::TSNamespaceDeclaration(space) => Some(space.id.name.as_str()),
        _ => None,
    }
}

/// Where, what, and what to write.
struct Found(Span, &'static str, &'static str);

impl Found {
    fn in_text(self, text: &str) -> Problem {
        Problem::at(text, self.0.start as usize, self.1).with_hint(self.2)
    }
}

#[derive(Default)]
struct Refused(Option<Found>);

impl Refused {
    fn found(&mut self, span: Span, message: &'static str, hint: &'static str) {
        self.0.get_or_insert(Found(span, message, hint));
    }
}

impl<'a> Visit<'a> for Refused {
    fn visit_decorator(&mut self, it: &Decorator<'a>) {
        let hint = "Call the function yourself: `f = decorate(f)`.";
        self.found(it.span, "decorators are not supported", hint);
    }

    fn visit_accessor_property(&mut self, it: &AccessorProperty<'a>) {
        let hint = "Write a field, or a pair of `get` and `set`.";
        self.found(it.span, "fields with `accessor` are not supported", hint);
    }

    fn visit_ts_import_equals_declaration(&mut self, it: &TSImportEqualsDeclaration<'a>) {
        let hint = "Write `import * as x from \"servers/x\"`, or `const x = …`.";
        self.found(it.span, "`import x = …` is not supported", hint);
    }

    fn visit_ts_export_assignment(&mut self, it: &TSExportAssignment<'a>) {
        self.found(it.span, "`export =` is not supported", "Write `export default …`.");
    }

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        if it.phase.is_some() {
            let message = "`import defer` and `import source` are not supported";
            self.found(it.span, message, "Write a plain `import`.");
        }
    }
}

#[derive(Default)]
struct Elements(Option<Found>);

impl Elements {
    fn found(&mut self, span: Span) {
        let hint = "There is no page to show elements on; make text with `…${value}…`.";
        self.0.get_or_insert(Found(span, "JSX is not supported", hint));
    }
}

impl<'a> Visit<'a> for Elements {
    fn visit_jsx_element(&mut self, it: &JSXElement<'a>) {
        self.found(it.span);
    }

    fn visit_jsx_fragment(&mut self, it: &JSXFragment<'a>) {
        self.found(it.span);
    }
}

/// Names of namespaces, each with a name that a declaration of it exports.
#[derive(Default)]
struct Exported(HashSet<(String, String)>);

impl Exported {
    fn has(&self, space: &str, name: &str) -> bool {
        self.0.contains(&(space.to_owned(), name.to_owned()))
    }
}

impl<'a> Visit<'a> for Exported {
    fn visit_ts_namespace_declaration(&mut self, it: &TSNamespaceDeclaration<'a>) {
        if let TSNamespaceDeclarationBody::TSModuleBlock(block) = &it.body {
            for statement in &block.body {
                if let Statement::ExportDeclaration(export) = statement {
                    let names = rewrite::declared(&export.declaration);
                    self.0.extend(names.into_iter().map(|name| (it.id.name.to_string(), name)));
                }
            }
        }
        walk::walk_ts_namespace_declaration(self, it);
    }
}
