//! `tidegate run --explain`: what a program would be allowed, without running one.

use std::io;

use engine::{LimitKind, Limits};
use serde_json::{Value, json};

use crate::limits::Resolved;
use crate::{out, show, units};

/// Prints the limits as a table.
pub(super) fn print(resolved: &Resolved) -> io::Result<()> {
    let mut table = show::table(["limit", "value", "setting"]);
    for (name, value, setting) in rows(&resolved.limits) {
        table.add_row([name, &value, setting]);
    }
    out::line(format_args!("level {}", resolved.level.name()))?;
    out::line(table.trim_fmt())?;
    if let Some(imports) = &resolved.limits.imports {
        out::line(format_args!("imports: {}", imports.join(", ")))?;
    }
    Ok(())
}

/// Prints the limits as one JSON object.
pub(super) fn print_json(resolved: &Resolved) -> io::Result<()> {
    let object = json!({ "level": resolved.level.name(), "limits": limits_json(&resolved.limits) });
    out::line(object)
}

pub(super) fn rows(limits: &Limits) -> Vec<(&'static str, String, &'static str)> {
    let count = |number: u64| number.to_string();
    let bytes = units::exact_bytes;
    let imports = limits.imports.as_ref();
    let workspace = if limits.workspace_writable { "read and write" } else { "read only" };
    vec![
        ("wall time of a run", units::duration(limits.wall), LimitKind::Wall.setting()),
        ("CPU time of a run", units::duration(limits.cpu_time), LimitKind::Cpu.setting()),
        ("rest between two steps", units::duration(limits.rest), LimitKind::Rest.setting()),
        ("share of a core", limits.cpu_share.to_string(), "cpu-share"),
        ("memory", bytes(limits.memory_bytes), LimitKind::Memory.setting()),
        ("output, each stream", bytes(limits.output_bytes), LimitKind::Output.setting()),
        ("return value", bytes(limits.value_bytes), LimitKind::Value.setting()),
        ("host calls", count(limits.calls), LimitKind::Calls.setting()),
        ("host calls in flight", count(limits.calls_in_flight), LimitKind::CallsInFlight.setting()),
        ("call arguments", bytes(limits.call_arguments_bytes), LimitKind::CallArguments.setting()),
        ("call result", bytes(limits.call_result_bytes), LimitKind::CallResult.setting()),
        ("/workspace", workspace.to_owned(), "workspace-writable"),
        ("files together", bytes(limits.workspace_bytes), "workspace-bytes"),
        ("one file", bytes(limits.file_bytes), "file-bytes"),
        ("files and folders", count(limits.files), "files"),
        ("open files", count(limits.open_files), "open-files"),
        ("tokens of models", count(limits.model_tokens), "model-tokens"),
        ("recursion", count(limits.recursion), "recursion"),
        (
            "imports",
            imports.map_or("all".into(), |some| format!("{} modules", some.len())),
            "imports",
        ),
    ]
}

fn limits_json(limits: &Limits) -> Value {
    json!({
        "wall_ms": units::millis(limits.wall),
        "cpu_time_ms": units::millis(limits.cpu_time),
        "rest_ms": units::millis(limits.rest),
        "cpu_share": limits.cpu_share,
        "memory_bytes": limits.memory_bytes,
        "output_bytes": limits.output_bytes,
        "value_bytes": limits.value_bytes,
        "calls": limits.calls,
        "calls_in_flight": limits.calls_in_flight,
        "call_arguments_bytes": limits.call_arguments_bytes,
        "call_result_bytes": limits.call_result_bytes,
        "workspace_writable": limits.workspace_writable,
        "workspace_bytes": limits.workspace_bytes,
        "file_bytes": limits.file_bytes,
        "files": limits.files,
        "open_files": limits.open_files,
        "model_tokens": limits.model_tokens,
        "recursion": limits.recursion,
        "imports": limits.imports,
    })
}
