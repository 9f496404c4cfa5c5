//! Types away: TypeScript as plain JavaScript, with the way back.

use std::path::{Path, PathBuf};

use oxc::allocator::Allocator;
use oxc::codegen::{Codegen, CodegenOptions, CommentOptions};
use oxc::diagnostics::{Diagnostics, OxcDiagnostic};
use oxc::parser::{ParseOptions, Parser};
use oxc::semantic::SemanticBuilder;
use oxc::span::SourceType;
use oxc::transformer::{TransformOptions, Transformer};

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
