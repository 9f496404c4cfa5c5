//! Types away: TypeScript as plain JavaScript, with the way back.

use std::path::{Path, PathBuf};

use oxc::allocator::Allocator;
use oxc::ast::ast::{
    BindingIdentifier, ImportDeclarationSpecifier, ImportOrExportKind, Program, Statement,
};
use oxc::codegen::{Codegen, CodegenOptions, CommentOptions};
use oxc::diagnostics::{Diagnostics, OxcDiagnostic};
use oxc::parser::{ParseOptions, Parser};
use oxc::semantic::{Scoping, SemanticBuilder};
use oxc::span::SourceType;
use oxc::transformer::{TransformOptions, Transformer, TypeScriptOptions};

use crate::place::{Map, Problem};
use crate::refuse;

/// JavaScript that says the same.
#[derive(Debug)]
pub(crate) struct Stripped {
    pub(crate) code: String,
    pub(crate) map: Map,
}

/// Reads `text` and takes its types away.
pub(crate) fn strip(text: &str) -> Result<Stripped, Problem> {
    let allocator = Allocator::default();
    // A module: elsewhere `for await` is no statement of the top level.
    let source = SourceType::ts().with_module(true);
    let parsed = Parser::new(&allocator, text, source).with_options(options()).parse();
    if let Some(problem) = first(&parsed.diagnostics, text) {
        return Err(refuse::elements(text).unwrap_or(problem));
    }
    let mut program = parsed.program;
    refuse::constructs(&program, text)?;
    let checked = SemanticBuilder::new()
        .with_check_syntax_error(true)
        .with_enum_eval(true)
        // Only parts of namespaces are looked for in the tree.
        .with_build_nodes(text.contains("namespace") || text.contains("module"))
        .with_excess_capacity(1.0)
        .build(&program);
    if let Some(problem) = first(&checked.diagnostics, text) {
        return Err(problem);
    }
    refuse::parted_namespaces(&program, &checked.semantic, text)?;
    let scoping = checked.semantic.into_scoping();
    mark_types(&mut program, &scoping);
    // What is imported and not used here is used by the next program, or only to see whether it is there.
    let typescript =
        TypeScriptOptions { only_remove_type_imports: true, ..TypeScriptOptions::default() };
    let options = TransformOptions { typescript, ..TransformOptions::default() };
    let transformed = Transformer::new(&allocator, Path::new("program.ts"), &options)
        .build_with_scoping(scoping, &mut program);
    if let Some(problem) = first(&transformed.diagnostics, text) {
        return Err(problem);
    }
    let printed = Codegen::new()
        .with_options(CodegenOptions {
            comments: CommentOptions::disabled(),
            source_map_path: Some(PathBuf::from("program.ts")),
            ..CodegenOptions::default()
        })
        .with_source_text(text)
        .build(&program);
    let one = |number: u32| number.saturating_add(1);
    let tokens = printed.map.as_ref().map(|map| {
        let places = map.get_tokens().map(|token| {
            [
                one(token.get_dst_line()),
                one(token.get_dst_col()),
                one(token.get_src_line()),
                one(token.get_src_col()),
            ]
        });
        places.collect()
    });
    Ok(Stripped { map: Map::new(tokens.unwrap_or_default()), code: printed.code })
}

/// Says of each import of a name that stands only where types do that it is one of a type.
fn mark_types(program: &mut Program<'_>, scoping: &Scoping) {
    let is_a_type = |local: &BindingIdentifier<'_>| {
        let symbol = local.symbol_id.get().into_iter();
        let mut uses = symbol.flat_map(|one| scoping.get_resolved_references(one)).peekable();
        uses.peek().is_some() && uses.all(|one| !one.is_value())
    };
    for statement in &mut program.body {
        let Statement::ImportDeclaration(import) = statement else { continue };
        let Some(specifiers) = &mut import.specifiers else { continue };
        for specifier in specifiers.iter_mut() {
            if let ImportDeclarationSpecifier::ImportSpecifier(one) = specifier
                && is_a_type(&one.local)
            {
                one.import_kind = ImportOrExportKind::Type;
            }
        }
        let is_of_type = |one: &ImportDeclarationSpecifier<'_>| match one {
            ImportDeclarationSpecifier::ImportSpecifier(one) => one.import_kind.is_type(),
            ImportDeclarationSpecifier::ImportDefaultSpecifier(one) => is_a_type(&one.local),
            ImportDeclarationSpecifier::ImportNamespaceSpecifier(one) => is_a_type(&one.local),
        };
        if !specifiers.is_empty() && specifiers.iter().all(is_of_type) {
            import.import_kind = ImportOrExportKind::Type;
        } else {
            specifiers.retain(|one| !is_of_type(one));
        }
    }
}

/// How programs are read, both times.
pub(crate) fn options() -> ParseOptions {
    ParseOptions {
        allow_return_outside_function: true,
        parse_regular_expression: true,
        ..ParseOptions::default()
    }
}

/// The first thing that is wrong, if anything is.
pub(crate) fn first(found: &Diagnostics, text: &str) -> Option<Problem> {
    found.errors().next().map(|error| problem(error, text))
}

fn problem(error: &OxcDiagnostic, text: &str) -> Problem {
    let at = error.labels.first().map_or(0, |label| label.offset() as usize);
    let problem = Problem::at(text, at, error.message.to_string());
    match &error.help {
        Some(help) => problem.with_hint(help.to_string()),
        None => problem,
    }
}
