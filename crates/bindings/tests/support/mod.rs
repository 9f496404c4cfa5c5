//! Generated files on disk, and the compilers that judge them.

mod tsc;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use bindings::SourceFile;
use catalog::schema::Shape;
use catalog::{Catalog, names};
use serde_json::{Value, json};
use tempfile::TempDir;
use tsc::tsc;

/// Writes `files` below `folder`.
fn write(folder: &Path, files: impl IntoIterator<Item = SourceFile>) {
    for file in files {
        let path = folder.join(&file.path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, file.text.as_bytes()).expect("a file");
    }
}

/// What a native Python says about all modules of `catalog`: parsed, imported, every annotation
/// evaluated, and each function declared with its tool's own names. Empty when all is well.
pub(crate) fn python_complaints(catalog: &Catalog) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let servers = folder.path().join("servers");
    fs::create_dir(&servers).expect("a folder");
    let mut expected = BTreeMap::new();
    for server in catalog.servers() {
        write(&servers, bindings::python_server(server));
        for tool in server.tools() {
            expected.insert(format!("{}/{}", server.python(), tool.python()), declared(tool));
        }
    }
    let expected = serde_json::to_vec(&expected).expect("JSON");
    fs::write(folder.path().join("expected.json"), expected).expect("a file");
    let crate_folder = std::env::var_os("CARGO_MANIFEST_DIR").expect("tests are run by cargo");
    let script = Path::new(&crate_folder).join("tests/support/check.py");
    let python =
        Command::new("python3").args(["-B", "-X", "utf8"]).arg(script).arg(folder.path()).output();
    let python = python.expect("python3 is installed");
    let said = String::from_utf8_lossy(&python.stderr);
    assert!(python.status.success() && said.starts_with("checked"), "{said}");
    String::from_utf8_lossy(&python.stdout).into_owned()
}

/// What the decorator of a tool's function must have been given. Which keys are spelled
/// differently is only known where there is one list of them.
fn declared(tool: &catalog::CatalogTool) -> Value {
    let Shape::Object(root) = tool.input().root else {
        return json!([tool.server(), tool.name(), null]);
    };
    let fields = &tool.input().definitions[root].fields;
    let renamed: BTreeMap<String, &str> = names::parameters(fields)
        .into_iter()
        .zip(fields.iter().map(|field| field.name.as_str()))
        .filter(|(name, key)| name != key)
        .collect();
    json!([tool.server(), tool.name(), renamed])
}

/// What `tsc --strict` says about all files of `catalog`. Empty when all is well.
pub(crate) fn typescript_complaints(catalog: &Catalog) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), catalog.servers().flat_map(bindings::typescript_server));
    write(folder.path(), [bindings::typescript_client()]);
    compile(&folder)
}

fn compile(folder: &TempDir) -> String {
    let project = json!({
        "compilerOptions": {
            "strict": true, "noEmit": true, "noUnusedLocals": true, "noUnusedParameters": true,
            "module": "nodenext", "target": "es2022", "lib": ["es2022"], "types": [],
        },
        "include": ["**/*.ts"],
    });
    fs::write(folder.path().join("tsconfig.json"), project.to_string()).expect("a file");
    fs::write(folder.path().join("package.json"), r#"{"type": "module"}"#).expect("a file");
    let output = Command::new(tsc()).args(["--pretty", "false", "-p"]).arg(folder.path()).output();
    let output = output.expect("tsc runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() || !said.is_empty(), "{output:?}");
    said
}
