//! Cuts a guest module into its code and its first memory image.
//!
//! ```text
//! module ──► code:  every section but the data, compiled once per machine
//!        └─► image: the memory as the data segments would have left it, a file
//! ```
//!
//! The guest's whole state must be its memory, or freezing a guest would lose
//! something. So a module is refused when state could hide elsewhere: passive
//! segments with content (which remember that they were dropped), a second memory,
//! a start function, more than one mutable global. The one global allowed, the stack
//! pointer, is exported, so that tests can assert that it never moves between steps.

use std::ops::Range;

use wasm_encoder::{
    BlockType, CodeSection, Encode as _, ExportKind, ExportSection, Instruction, MemArg, RawSection,
};
use wasmparser::{
    BinaryReaderError, Data, DataKind, DataSectionReader, ExportSectionReader, ExternalKind,
    FunctionBody, KnownCustom, MemoryType, Name, NameSectionReader, Operator, Parser, Payload,
    TypeRef, ValType,
};

/// Counts the changes of what [`split`] makes of the same module. It is part of
/// the key of compiled code: raise it with every change, or the cache will keep
/// serving what the previous version made.
pub const FORMAT: u32 = 4;

/// The name under which the code exports its stack pointer.
pub const STACK_POINTER: &str = "__stack_pointer";

/// Where in its memory a guest looks to see whether it should look up. The first kilobyte
/// is the far end of its stack.
pub const FLAG: u32 = 16;

/// The system call a guest makes to look up. Nothing is added to the imports, since that
/// would number every function anew.
pub const LOOK_UP: &str = "sched_yield";

/// The same for QuickJS, which imports a function for this, and no [`LOOK_UP`].
pub const INTERRUPT: &str = "host_interrupt";

/// A function of CPython that the code exports besides: it calls a Python object
/// without arguments. The module's own way in, `turn`, parses and compiles source
/// each time, which took a third of a small run.
pub const CALL: &str = "PyObject_CallNoArgs";

/// The guest's own allocator, exported so that the host can zero what was freed without
/// running anything of the program.
pub const ALLOCATOR: [&str; 2] = ["calloc", "free"];

const WASM_PAGE: u64 = 65_536;

// An honest guest starts with 40 MB. The limit keeps a nonsensical module from
// taking 4 GB of the host before anything has been checked.
const MAX_IMAGE: u64 = 1 << 30;

/// A module in two parts.
#[derive(Debug)]
pub struct Split {
    /// The module without its data.
    pub code: Vec<u8>,
    /// The memory at its minimum size with the data in place.
    pub image: Vec<u8>,
}

/// Why a module cannot be a guest. All of these are the module's fault.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SplitError {
    /// These bytes are not a WebAssembly module.
    #[error("the guest is not a WebAssembly module")]
    Malformed(#[from] BinaryReaderError),
    /// The module could have state that its memory does not show.
    #[error("the guest module cannot be frozen: {0}")]
    HiddenState(&'static str),
    /// The memory is not one that an image file can stand for.
    #[error("the guest module's memory cannot be an image: {0}")]
    Memory(&'static str),
    /// A data segment does not lie where an image can hold it.
    #[error("data segment {index} of the guest module {problem}")]
    Segment {
        /// Which segment, counted from 0.
        index: u32,
        /// What is wrong with it.
        problem: &'static str,
    },
}

/// Cuts `module` in two.
pub fn split(module: &[u8]) -> Result<Split, SplitError> {
    let survey = survey(module)?;
    let mut image = empty_image(survey.memory)?;
    if let Some(data) = survey.data {
        for (index, segment) in (0..).zip(data) {
            write_segment(&mut image, index, &segment?)?;
        }
    }

    let mut code = wasm_encoder::Module::new();
    for (id, range) in survey.kept {
        match survey.look_up {
            Some(function) if id == wasm_encoder::SectionId::Code as u8 => {
                code.section(&interruptible(module, &survey.bodies, function)?);
            }
            _ => {
                code.section(&RawSection { id, data: &module[range] });
            }
        }
        if id == wasm_encoder::SectionId::Global as u8 {
            code.section(&exports(survey.exports.clone(), survey.stack_pointer, &survey.extra)?);
        }
    }
    Ok(Split { code: code.finish(), image })
}

/// What one pass over the sections tells.
struct Survey<'a> {
    /// The sections copied as they are; exports follow the globals.
    kept: Vec<(u8, Range<usize>)>,
    memory: MemoryType,
    stack_pointer: u32,
    /// Functions to export besides, by name.
    extra: Vec<(&'static str, u32)>,
    /// The imported function that a guest calls when it is asked to look up.
    look_up: Option<u32>,
    bodies: Vec<FunctionBody<'a>>,
    exports: Option<ExportSectionReader<'a>>,
    data: Option<DataSectionReader<'a>>,
}

fn survey(module: &[u8]) -> Result<Survey<'_>, SplitError> {
    let (mut kept, mut memories, mut globals) = (Vec::new(), Vec::new(), Vec::new());
    let (mut exports, mut data, mut extra) = (None, None, Vec::new());
    let (mut look_up, mut bodies) = (None, Vec::new());

    for payload in Parser::new(0).parse_all(module) {
        let payload = payload?;
        match &payload {
            Payload::ImportSection(imports) => {
                let mut functions = 0;
                for import in imports.clone().into_imports() {
                    let import = import?;
                    match import.ty {
                        TypeRef::Memory(_) => return Err(SplitError::Memory("it is imported")),
                        TypeRef::Global(global) => globals.push(global),
                        TypeRef::Func(_) | TypeRef::FuncExact(_) => {
                            if import.name == LOOK_UP || import.name == INTERRUPT {
                                look_up = Some(functions);
                            }
                            functions += 1;
                        }
                        _ => {}
                    }
                }
            }
            Payload::MemorySection(section) => {
                memories = section.clone().into_iter().collect::<Result<_, _>>()?;
            }
            Payload::GlobalSection(section) => {
                for global in section.clone() {
                    globals.push(global?.ty);
                }
            }
            Payload::StartSection { .. } => {
                return Err(SplitError::HiddenState("it has a start function"));
            }
            Payload::ExportSection(section) => exports = Some(section.clone()),
            Payload::DataSection(section) => data = Some(section.clone()),
            Payload::CodeSectionEntry(body) => bodies.push(body.clone()),
            Payload::CustomSection(custom) => {
                if let KnownCustom::Name(names) = custom.as_known() {
                    extra = functions_named(names, [CALL, ALLOCATOR[0], ALLOCATOR[1]]);
                }
            }
            _ => {}
        }
        if let Some(section) = payload.as_section().filter(|_| is_kept(&payload)) {
            kept.push(section);
        }
    }

    let mut mutable = (0..).zip(&globals).filter(|(_, global)| global.mutable);
    let (Some((stack_pointer, global)), None) = (mutable.next(), mutable.next()) else {
        return Err(SplitError::HiddenState(
            "it must have exactly one mutable global, the stack pointer",
        ));
    };
    if global.content_type != ValType::I32 {
        return Err(SplitError::HiddenState("its mutable global is not an i32 stack pointer"));
    }
    let [memory] = memories[..] else {
        return Err(SplitError::Memory("there must be exactly one"));
    };
    Ok(Survey { kept, memory, stack_pointer, extra, look_up, bodies, exports, data })
}

/// The functions, each loop of which begins with a look at [`FLAG`].
///
/// A program can only run long by looping, so this is where it can be stopped. Wasmtime's
/// own way to interrupt a guest also looks whenever a function is entered; CPython calls so
/// many small ones that programs took a third longer.
fn interruptible(
    module: &[u8],
    bodies: &[FunctionBody<'_>],
    look_up: u32,
) -> Result<CodeSection, SplitError> {
    let mut check = Vec::new();
    for instruction in [
        Instruction::I32Const(0),
        Instruction::I32Load(MemArg { offset: u64::from(FLAG), align: 2, memory_index: 0 }),
        Instruction::If(BlockType::Empty),
        Instruction::Call(look_up),
        Instruction::Drop,
        Instruction::End,
    ] {
        instruction.encode(&mut check);
    }
    let mut section = CodeSection::new();
    let mut body = Vec::new();
    for function in bodies {
        body.clear();
        let mut copied = function.range().start;
        let mut operators = function.get_operators_reader()?;
        while !operators.eof() {
            if matches!(operators.read()?, Operator::Loop { .. }) {
                let after = operators.original_position();
                body.extend_from_slice(&module[copied..after]);
                body.extend_from_slice(&check);
                copied = after;
            }
        }
        body.extend_from_slice(&module[copied..function.range().end]);
        section.raw(&body);
    }
    Ok(section)
}

/// The indices of functions, if the module says what its functions are called.
fn functions_named(
    names: NameSectionReader<'_>,
    wanted: [&'static str; 3],
) -> Vec<(&'static str, u32)> {
    let functions = names.into_iter().find_map(|name| match name {
        Ok(Name::Function(functions)) => Some(functions),
        _ => None,
    });
    let named = functions.into_iter().flatten().flatten();
    named
        .filter_map(|naming| {
            let name = wanted.into_iter().find(|name| *name == naming.name)?;
            Some((name, naming.index))
        })
        .collect()
}

/// Whether a section goes into the code unchanged.
fn is_kept(payload: &Payload<'_>) -> bool {
    match payload {
        Payload::DataSection(_) | Payload::DataCountSection { .. } | Payload::ExportSection(_) => {
            false
        }
        Payload::CustomSection(custom) => !matches!(custom.name(), "name" | "producers"),
        _ => true,
    }
}

fn empty_image(memory: MemoryType) -> Result<Vec<u8>, SplitError> {
    if memory.memory64 || memory.shared || memory.page_size_log2.is_some() {
        return Err(SplitError::Memory("it is 64-bit, shared or has pages of its own size"));
    }
    let bytes = memory.initial.saturating_mul(WASM_PAGE);
    match usize::try_from(bytes) {
        Ok(bytes) if bytes as u64 <= MAX_IMAGE => Ok(vec![0; bytes]),
        _ => Err(SplitError::Memory("it starts with more than 1 GiB")),
    }
}

fn write_segment(image: &mut [u8], index: u32, segment: &Data<'_>) -> Result<(), SplitError> {
    let problem = |problem| SplitError::Segment { index, problem };

    // An empty passive segment is the same dropped or not. Wizer, which made
    // the guest's snapshot, leaves two of them where it has moved the data out.
    if matches!(segment.kind, DataKind::Passive) && segment.data.is_empty() {
        return Ok(());
    }
    let DataKind::Active { memory_index: 0, offset_expr } = &segment.kind else {
        return Err(problem("is passive, so that the memory would not be the whole state"));
    };
    let mut offset = offset_expr.get_operators_reader();
    let (Operator::I32Const { value }, Operator::End) = (offset.read()?, offset.read()?) else {
        return Err(problem("has an address that is not a constant"));
    };

    let outside = || problem("lies outside the memory's minimum size");
    let start = usize::try_from(value.cast_unsigned()).map_err(|_| outside())?;
    let end = start.checked_add(segment.data.len()).ok_or_else(outside)?;
    image.get_mut(start..end).ok_or_else(outside)?.copy_from_slice(segment.data);
    Ok(())
}

/// The module's own exports, the stack pointer, and what the host calls besides.
fn exports(
    own: Option<ExportSectionReader<'_>>,
    stack_pointer: u32,
    extra: &[(&str, u32)],
) -> Result<ExportSection, SplitError> {
    let mut section = ExportSection::new();
    for export in own.into_iter().flatten() {
        let export = export?;
        let kind = match export.kind {
            ExternalKind::Func | ExternalKind::FuncExact => ExportKind::Func,
            ExternalKind::Table => ExportKind::Table,
            ExternalKind::Memory => ExportKind::Memory,
            ExternalKind::Global => ExportKind::Global,
            ExternalKind::Tag => ExportKind::Tag,
        };
        if export.name != STACK_POINTER {
            section.export(export.name, kind, export.index);
        }
    }
    section.export(STACK_POINTER, ExportKind::Global, stack_pointer);
    for (name, function) in extra {
        section.export(name, ExportKind::Func, *function);
    }
    Ok(section)
}

#[cfg(test)]
mod tests;
