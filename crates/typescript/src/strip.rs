//! Types away: TypeScript as plain JavaScript, with the way back.

use std::path::{Path, PathBuf};

use oxc::allocator::Allocator;
use oxc::ast::ast::{
    Decorator, ImportDeclaration, Program, TSExportAssignment, TSImportEqualsDeclaration,
};
use oxc::ast_visit::Visit;
use oxc::codegen::{Codegen, CodegenOptions, CommentOptions};
use oxc::diagnostics::{Diagnostics, OxcDiagnostic};
use oxc::parser::{ParseOptions, Parser};
use oxc::semantic::SemanticBuilder;
use oxc::span::{SourceType, Span};
use oxc::transformer::{TransformOptions, Transformer};

use crate::place::{Map, Problem};

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
        return Err(problem);
    }
    let mut program = parsed.program;
    refuse(&program, text)?;
    let checked = SemanticBuilder::new()
        .with_check_syntax_error(true)
        .with_enum_eval(true)
        .with_excess_capacity(1.0)
        .build(&program);
    if let Some(problem) = first(&checked.diagnostics, text) {
        return Err(problem);
    }
    let scoping = checked.semantic.into_scoping();
    let transformed =
        Transformer::new(&allocator, Path::new("program.ts"), &TransformOptions::default())
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

/// Refuses what has a meaning in TypeScript that is not followed here.
fn refuse(program: &Program<'_>, text: &str) -> Result<(), Problem> {
    let mut refused = Refused::default();
    refused.visit_program(program);
    match refused.0 {
        None => Ok(()),
        Some((span, message, hint)) => {
            Err(Problem::at(text, span.start as usize, message).with_hint(hint))
        }
    }
}

#[derive(Default)]
struct Refused(Option<(Span, &'static str, &'static str)>);

impl<'a> Visit<'a> for Refused {
    fn visit_decorator(&mut self, it: &Decorator<'a>) {
        self.0.get_or_insert((
            it.span,
            "decorators are not supported",
            "Call the function yourself: `f = decorate(f)`.",
        ));
    }

    fn visit_ts_import_equals_declaration(&mut self, it: &TSImportEqualsDeclaration<'a>) {
        self.0.get_or_insert((
            it.span,
            "`import x = …` is not supported",
            "Write `import * as x from \"servers/x\"`, or `const x = …`.",
        ));
    }

    fn visit_ts_export_assignment(&mut self, it: &TSExportAssignment<'a>) {
        self.0.get_or_insert((it.span, "`export =` is not supported", "Write `export default …`."));
    }

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        if it.phase.is_some() {
            self.0.get_or_insert((
                it.span,
                "`import defer` and `import source` are not supported",
                "Write a plain `import`.",
            ));
        }
    }
}
