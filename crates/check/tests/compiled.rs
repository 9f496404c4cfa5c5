//! Programs in TypeScript against the real compiler: what it adds, what of that blocks, and what it must not tell.

mod fixture;
#[path = "../../bindings/tests/support/tsc.rs"]
mod tsc;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use check::{Checker, Given, Program, Report, Unchecked, compiled};
use tsc::tsc;

const FORGE: &str =
    "import { create_issue, list_issues, get_repository } from \"servers/forge\";\n";

/// What the compiler says of a program in a folder.
fn said(folder: &Path, program: &Program<'_>) -> String {
    let project = compiled::project(&fixture::catalog(), program).expect("a program");
    for (name, text) in &project.files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    let output = Command::new(tsc())
        .args(["--pretty", "false", "--project", "."])
        .current_dir(folder)
        .output()
        .expect("tsc runs");
    String::from_utf8(output.stdout).expect("text")
}

/// A program, checked by us and by the compiler.
fn checked_with(source: &str, names: Given<'_>) -> Report {
    let catalog = fixture::catalog();
    let checker = Checker::new(catalog.clone()).with_patience(Duration::from_secs(300));
    let program = Program { source, names, is_typescript: true, ..Program::default() };
    let mut report = checker.check(&program);
    let folder = tempfile::tempdir().expect("a folder");
    compiled::judge(&mut report, &catalog, &program, &said(folder.path(), &program));
    assert_eq!(report.unchecked, None, "{source}");
    report
}

fn checked(source: &str) -> Report {
    checked_with(source, Given::default())
}

/// The codes of what blocks a program, with their lines.
fn blocked(source: &str) -> Vec<(&'static str, u32)> {
    let report = checked(source);
    report.blocking().map(|finding| (finding.code.name(), finding.line)).collect()
}

#[test]
fn what_only_types_tell_blocks_in_calls_of_tools() {
    for (code, line, rest) in [
        (
            "wrong-type",
            3,
            "const n: number = Math.random();\nawait create_issue({ owner: \"a\", repo: \"b\", title: n })",
        ),
        (
            "missing-argument",
            3,
            "const input = { owner: \"a\", repo: \"b\" };\nawait create_issue(input)",
        ),
        (
            "wrong-type",
            3,
            "const input = { owner: \"a\", repo: 5, title: \"c\" };\nawait create_issue(input)",
        ),
        (
            "wrong-value",
            3,
            "function pick() { return \"opened\" as const }\nawait list_issues({ owner: \"a\", repo: \"b\", state: pick() })",
        ),
        (
            "missing-await",
            3,
            "async function title() { return \"x\" }\nawait create_issue({ owner: \"a\", repo: \"b\", title: title() })",
        ),
        (
            "missing-await",
            3,
            "const found = get_repository({ owner: \"a\", repo: \"b\" });\nfound.stars",
        ),
        ("wrong-type", 3, "const given = \"text\".trim();\nawait create_issue(given)"),
        (
            "unknown-field",
            4,
            "async function load() { return await get_repository({ owner: \"a\", repo: \"b\" }) }\nconst found = await load();\nfound.full_nmae",
        ),
        (
            "wrong-type",
            2,
            "const made = await Promise.all([1, 2].map((title) => create_issue({ owner: \"a\", repo: \"b\", title })));\nmade.length",
        ),
        (
            "wrong-type",
            2,
            "return await create_issue({ owner: \"a\", repo: \"b\", title: Math.random() })",
        ),
        ("certain-crash", 3, "const limit = 5;\nlimit = 6;"),
        ("certain-crash", 2, "\"abc\".toUppercase()"),
    ] {
        assert_eq!(blocked(&format!("{FORGE}{rest}")), [(code, line)], "{rest}");
    }
}

#[test]
fn what_may_be_right_when_it_runs_does_not_block() {
    for rest in [
        // It may be one of those that are allowed.
        "const state = [\"open\"][0];\nawait list_issues({ owner: \"a\", repo: \"b\", state } as any)",
        "const state = [\"open\"][0];\nawait list_issues({ owner: \"a\", repo: \"b\", state })",
        "const given = JSON.parse(\"{}\");\nawait create_issue(given)",
        "const input: any = {};\nawait create_issue(input)",
        // What is put there later is there.
        "const input = { owner: \"a\", repo: \"b\" };\ninput.title = \"c\";\nawait create_issue(input)",
        "const input = { owner: \"a\", repo: 5, title: \"c\" };\ninput.repo = \"b\";\nawait create_issue(input)",
        "const input = { owner: \"a\", repo: 5, title: \"c\" };\nObject.assign(input, rows[0]);\nawait create_issue(input)",
        // Somebody may catch it, or nobody calls it.
        "try { await create_issue({ owner: \"a\", repo: \"b\", title: Math.random() }) } catch {}",
        "const f = async () => create_issue({ owner: \"a\", repo: \"b\", title: Math.random() });\n1",
        "return 1;\nawait create_issue({ owner: \"a\", repo: \"b\", title: Math.random() })",
        // About nothing that a tool does.
        "const n: number = \"text\";\nn",
        "function f(a: string) { return a }\nf(5)",
        "nobody.knows(this_name)",
        "const rows = [{ a: 1 }];\nrows[0].b",
        "if (rows.length > 3) \"abc\".toUppercase()",
        "const found = (await get_repository({ owner: \"a\", repo: \"b\" })) as any;\nfound.anything",
        "interface GetRepositoryResult { name: string }\nconst mine: GetRepositoryResult = JSON.parse(\"{}\");\nmine.nmae",
        "let where;\nwhere = await get_repository({ owner: \"a\", repo: \"b\" });\nif (!where) return \"none\";\nreturn where.name",
    ] {
        assert_eq!(blocked(&format!("{FORGE}{rest}")), [], "{rest}");
    }
}

#[test]
fn other_complaints_are_advice_in_the_compilers_words() {
    let report = checked("const n: number = \"text\";\nn");
    let told: Vec<_> =
        report.findings.iter().map(|one| (one.code.name(), one.line, one.column)).collect();
    assert_eq!(told, [("compiler", 1, 7)]);
    assert!(report.findings[0].message.starts_with("TS2322: Type 'string'"), "{report:?}");
    assert!(!report.blocks());
}

#[test]
fn a_finding_is_told_as_ours_are() {
    let source = format!(
        "{FORGE}const n: number = Math.random();\nawait create_issue({{ owner: \"😀\", repo: \"b\", title: n }})"
    );
    let told = checked(&source).for_model();
    assert!(
        told.contains(
            "line 3, column 52: wrong-type: create_issue(): \"title\" should be string, not number\n"
        ),
        "{told}"
    );
    assert!(told.contains("valid: owner: str (required)"), "{told}");
    assert!(told.contains("async function createIssue(input: CreateIssueInput)"), "{told}");
}

#[test]
fn what_we_say_is_not_said_again() {
    let source = format!("{FORGE}await create_issue({{ owner: \"a\", repo: \"b\", title: 5 }})");
    let report = checked(&source);
    assert_eq!(report.findings.len(), 1, "{report:?}");
}

#[test]
fn variables_that_a_program_is_given_are_known() {
    let names = ["rows".to_owned()];
    let report = checked_with("rows.length + nobody", Given::Names(&names));
    let told: Vec<&str> = report.findings.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(told, ["TS2304: Cannot find name 'nobody'."]);
    // Earlier programs may have left any.
    assert_eq!(checked_with("rows.length", Given::Unknown).findings, []);
}

#[test]
fn all_of_a_server_can_be_imported_in_every_way() {
    for source in [
        "import * as forge from \"servers/forge\";\nreturn await forge.getRepository({ owner: \"a\", repo: \"b\" })",
        "import { forge } from \"servers\";\nreturn await forge.get_repository({ owner: \"a\", repo: \"b\" })",
        "import { create_issue } from \"servers/forge/create_issue\";\nawait create_issue({ owner: \"a\", repo: \"b\", title: \"c\" })",
        "const { get_repository } = await import(\"servers/forge\");\nawait get_repository({ owner: \"a\", repo: \"b\" })",
        "import { sleep, callMCPTool } from \"tidegate\";\nawait sleep(1); await callMCPTool(\"create_issue\", { owner: \"a\", repo: \"b\", title: \"c\" })",
        "import { twice } from \"skills/twice\";\nimport { rows } from \"./rows.ts\";\ntwice(rows)",
    ] {
        assert_eq!(blocked(source), [], "{source}");
    }
}

#[test]
fn no_file_of_the_machine_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let secret = folder.path().join("secret.ts");
    fs::write(
        &secret,
        "export const KEY = \"sk-12345\" as const;\ndeclare global { var leaked: \"sk-12345\" }\n",
    )
    .expect("a file");
    let path = folder.path().join("secret");
    let path = path.to_str().expect("text");
    let program = folder.path().join("program");
    fs::create_dir(&program).expect("a folder");
    for source in [
        format!("import {{ KEY }} from \"{path}\";\nconst n: number = KEY;"),
        "import { KEY } from \"../secret\";\nconst n: number = KEY;".to_owned(),
        format!("type Key = typeof import(\"{path}\").KEY;\nconst n: Key = 5;"),
        format!("/// <reference path=\"{path}.ts\" />\nconst n: number = leaked;"),
        format!("   /// <reference path=\"{path}.ts\" />\nconst n: number = leaked;"),
        format!("const m = await import(\"{path}\");\nconst n: number = m.KEY;"),
    ] {
        let program_of = Program { source: &source, is_typescript: true, ..Program::default() };
        let told = said(&program, &program_of);
        assert!(!told.contains("12345"), "{source}: {told}");
    }
}

#[test]
fn nonsense_is_no_finding() {
    let (catalog, source) = (fixture::catalog(), "const a = 1;\na");
    let program = Program { source, is_typescript: true, ..Program::default() };
    for output in [
        "program.ts(99,1): error TS2322: Type 'a' is not assignable to type 'b'.",
        "program.ts(1,99): error TS2588: Cannot assign to 'a' because it is a constant.",
        "program.ts(4294967295,4294967295): error TS2345: x",
        "program.ts(1,1): error TS2551: Property '",
        "program.ts(1,1): error TS2551: Property 'a' does not exist on type '",
        "program.ts(1,7): error TS2305: Module",
        "\u{0}\u{1b}[31mprogram.ts",
    ] {
        let mut report = Report::default();
        compiled::judge(&mut report, &catalog, &program, output);
        assert!(!report.blocks(), "{output}: {report:?}");
    }
    let mut report = Report::default();
    compiled::judge(&mut report, &catalog, &program, "error TS5023: Unknown compiler option 'x'.");
    assert_eq!(report.unchecked, Some(Unchecked::Compiler));
}
