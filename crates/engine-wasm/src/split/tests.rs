//! Modules cut in two, and modules that cannot be.

use wasm_encoder::{
    CodeSection, ConstExpr, CustomSection, DataCountSection, DataSection, ExportKind,
    ExportSection, Function, FunctionSection, GlobalSection, GlobalType, MemorySection, MemoryType,
    Module, StartSection, TypeSection, ValType,
};

use super::{SplitError, split};

#[test]
fn the_image_holds_the_data_where_the_segments_say() {
    let image = split(&Guest::default().build()).unwrap().image;
    assert_eq!(image.len(), 2 * 65_536);
    assert_eq!(&image[8..13], b"hello");
    assert_eq!(&image[70_000..70_003], b"sea");
    assert_eq!(image.iter().filter(|byte| **byte != 0).count(), 8);
}

#[test]
fn later_segments_overwrite_earlier_ones() {
    let guest = Guest { segments: vec![(Some(0), b"aaaa"), (Some(1), b"bb")], ..Guest::default() };
    assert_eq!(&split(&guest.build()).unwrap().image[..4], b"abba");
}

#[test]
fn the_code_is_the_module_without_its_data_and_names() {
    let code = split(&Guest::default().build()).unwrap().code;
    wasmparser::validate(&code).unwrap();
    let sections = section_names(&code);
    assert_eq!(sections, ["type", "function", "memory", "global", "export", "code", "custom kept"]);
}

#[test]
fn the_stack_pointer_is_exported_beside_what_was() {
    let code = split(&Guest::default().build()).unwrap().code;
    assert_eq!(exports(&code), ["memory", "run", "__stack_pointer"]);
}

#[test]
fn splitting_is_repeatable_and_its_format_is_counted() {
    let code = split(&Guest::default().build()).unwrap().code;
    // When this changes, raise `FORMAT`: compiled code is keyed by it.
    assert_eq!(
        engine::Digest::of(&code).to_string(),
        "3edf22e3d9174e3f03d5aca458756f1cbf3f1178b6dbe7bd6fc09c98dd552e10"
    );
    assert_eq!(super::FORMAT, 4);
}

#[test]
fn a_module_with_state_outside_its_memory_is_refused() {
    let hidden = |guest: Guest| matches!(split(&guest.build()), Err(SplitError::HiddenState(_)));
    assert!(hidden(Guest { mutable_globals: 0, ..Guest::default() }));
    assert!(hidden(Guest { mutable_globals: 2, ..Guest::default() }));
    assert!(hidden(Guest { start: true, ..Guest::default() }));
}

#[test]
fn a_module_without_exactly_one_plain_memory_is_refused() {
    let refused = |guest: Guest| matches!(split(&guest.build()), Err(SplitError::Memory(_)));
    assert!(refused(Guest { memories: 0, segments: vec![], ..Guest::default() }));
    assert!(refused(Guest { memories: 2, ..Guest::default() }));
    assert!(refused(Guest { pages: 65_536, ..Guest::default() }));
}

#[test]
fn a_segment_that_no_image_can_hold_is_refused() {
    let problem = |offset, data| {
        let guest = Guest { segments: vec![(offset, data)], ..Guest::default() };
        split(&guest.build()).unwrap_err().to_string()
    };
    assert!(problem(None, b"x").contains("passive"));
    assert!(problem(Some(2 * 65_536 - 1), b"xx").contains("outside"));
    assert!(problem(Some(-1), b"x").contains("outside"));
}

#[test]
fn an_empty_passive_segment_holds_no_state_and_is_dropped() {
    let guest = Guest { segments: vec![(None, b""), (Some(0), b"x")], ..Guest::default() };
    assert_eq!(split(&guest.build()).unwrap().image[0], b'x');
}

#[test]
fn bytes_that_are_no_module_are_refused() {
    assert!(matches!(split(b"not wasm"), Err(SplitError::Malformed(_))));
    let whole = Guest::default().build();
    assert!(split(&whole[..whole.len() - 20]).is_err());
}

/// A small module in the shape of the real guest.
struct Guest {
    memories: u32,
    pages: u64,
    mutable_globals: u32,
    start: bool,
    segments: Vec<(Option<i32>, &'static [u8])>,
}

impl Default for Guest {
    fn default() -> Self {
        let segments: Vec<(Option<i32>, &[u8])> = vec![(Some(8), b"hello"), (Some(70_000), b"sea")];
        Self { memories: 1, pages: 2, mutable_globals: 1, start: false, segments }
    }
}

impl Guest {
    fn build(self) -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([], []);
        let mut functions = FunctionSection::new();
        functions.function(0);
        let mut memories = MemorySection::new();
        for _ in 0..self.memories {
            let (minimum, maximum) = (self.pages, None);
            memories.memory(MemoryType {
                minimum,
                maximum,
                memory64: false,
                shared: false,
                page_size_log2: None,
            });
        }
        let mut globals = GlobalSection::new();
        for index in 0..=self.mutable_globals {
            let mutable = index < self.mutable_globals;
            globals.global(
                GlobalType { val_type: ValType::I32, mutable, shared: false },
                &ConstExpr::i32_const(64),
            );
        }
        let mut exports = ExportSection::new();
        exports.export("memory", ExportKind::Memory, 0).export("run", ExportKind::Func, 0);
        let mut body = Function::new([]);
        body.instructions().end();
        let mut code = CodeSection::new();
        code.function(&body);
        let mut data = DataSection::new();
        for (offset, bytes) in &self.segments {
            match offset {
                Some(offset) => {
                    data.active(0, &ConstExpr::i32_const(*offset), bytes.iter().copied())
                }
                None => data.passive(bytes.iter().copied()),
            };
        }

        let mut module = Module::new();
        module
            .section(&types)
            .section(&functions)
            .section(&memories)
            .section(&globals)
            .section(&exports);
        if self.start {
            module.section(&StartSection { function_index: 0 });
        }
        module.section(&DataCountSection { count: data.len() }).section(&code).section(&data);
        for name in ["name", "kept", "producers"] {
            module.section(&CustomSection { name: name.into(), data: (&[]).into() });
        }
        module.finish()
    }
}

fn section_names(module: &[u8]) -> Vec<String> {
    let name = |payload| match payload {
        wasmparser::Payload::TypeSection(_) => Some("type".to_owned()),
        wasmparser::Payload::FunctionSection(_) => Some("function".to_owned()),
        wasmparser::Payload::MemorySection(_) => Some("memory".to_owned()),
        wasmparser::Payload::GlobalSection(_) => Some("global".to_owned()),
        wasmparser::Payload::ExportSection(_) => Some("export".to_owned()),
        wasmparser::Payload::CodeSectionStart { .. } => Some("code".to_owned()),
        wasmparser::Payload::DataSection(_) => Some("data".to_owned()),
        wasmparser::Payload::DataCountSection { .. } => Some("data count".to_owned()),
        wasmparser::Payload::CustomSection(custom) => Some(format!("custom {}", custom.name())),
        _ => None,
    };
    wasmparser::Parser::new(0)
        .parse_all(module)
        .filter_map(|payload| name(payload.unwrap()))
        .collect()
}

fn exports(module: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    for payload in wasmparser::Parser::new(0).parse_all(module) {
        if let wasmparser::Payload::ExportSection(section) = payload.unwrap() {
            names.extend(section.into_iter().map(|export| export.unwrap().name.to_owned()));
        }
    }
    names
}
