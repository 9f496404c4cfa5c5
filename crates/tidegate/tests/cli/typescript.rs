//! Programs in TypeScript on the command line.

use serde_json::json;

use crate::tide::User;

#[test]
fn the_name_of_a_file_says_what_it_is_written_in() {
    let user = User::new();
    let source = "const twice = (n: number): number => n * 2;\nconsole.log(`given ${given}`);\ntwice(given)\n";
    for name in ["program.ts", "program.js"] {
        let source = if name == "program.js" { "given * 2" } else { source };
        let file = user.file(name, source);
        let said = user.ok(&["run", file.to_str().unwrap(), "--context", r#"{"given": 21}"#]);
        assert!(said.ends_with("42\n"), "{said}");
    }
    assert_eq!(
        user.value(&["--language", "typescript", "-c", "[1, 2].map((n) => n + 1)"]),
        json!([2, 3])
    );
    let broken = user.file("broken.ts", "const x = 1;\nconst y = ;\n");
    let said = user.tidegate(&["run", broken.to_str().unwrap()]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.stderr.contains("TypeScript") && said.stderr.contains("const y = ;"), "{said:?}");
}

#[test]
fn a_session_on_disk_keeps_its_language() {
    let user = User::new();
    let file = user.file("first.ts", "const kept = { n: 1 };\nkept.n");
    let file = file.to_str().unwrap();
    assert_eq!(user.value(&["--session", "s", file]), json!(1));
    // Nobody says it again.
    assert_eq!(user.value(&["--session", "s", "-c", "kept.n += 1"]), json!(2));
    let said = user.tidegate(&["run", "--session", "s", "--language", "python", "-c", "1"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.stderr.contains("has TypeScript"), "{said:?}");
    assert_eq!(user.value(&["--session", "p", "-c", "x = 1\nx"]), json!(1));
    let said = user.tidegate(&["run", "--session", "p", file]);
    assert!(said.stderr.contains("has Python"), "{said:?}");
}

#[test]
fn lines_are_programs_that_share_their_variables() {
    let input = "let x: number = 20\nx + 1\nfunction f(n) {\n  return `${n}!`\n}\nf(2)\nx = 5\n";
    let said = User::new().tidegate_reading(&["repl", "--language", "typescript"], input);
    assert_eq!(said.stdout, "21\n\"2!\"\n5\n", "{said:?}");
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
}

#[test]
fn the_runtime_is_there_once_a_program_has_run_and_the_doctor_tries_it() {
    let user = User::new();
    assert_eq!(user.value(&["--language", "typescript", "-c", "6 * 7"]), json!(42));
    assert!(user.ok(&["runtime", "install", "typescript"]).contains("complete"));
    assert!(user.ok(&["runtime", "status", "typescript"]).starts_with("complete"));
    let said = user.tidegate(&["doctor", "--json"]);
    let doctor: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let findings = doctor["findings"].as_array().unwrap();
    let found = findings.iter().find(|one| one["name"] == "typescript").unwrap();
    assert!(found["detail"].as_str().unwrap().starts_with("fresh interpreter"), "{found}");
    let said = user.tidegate(&["run", "--language", "ruby", "-c", "1"]);
    assert!(said.code == Some(2) && said.stderr.contains("\"typescript\""), "{said:?}");
}
