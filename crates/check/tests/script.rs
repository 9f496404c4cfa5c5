//! Programs in TypeScript: what is certain is found before they run, and what is not lets them run.

mod fixture;

use std::time::Duration;

use check::review::{Risk, Rule, ToolRisk};
use check::{Checker, Program, Report, Review, Rules};

fn checker() -> Checker {
    Checker::new(fixture::catalog()).with_patience(Duration::from_secs(300))
}

fn checked(source: &str) -> Report {
    checker().check(&Program { source, is_typescript: true, ..Program::default() })
}

fn reviewed(source: &str, rules: &Rules) -> Review {
    let rules = Some(rules);
    checker().review(&Program { source, rules, is_typescript: true, ..Program::default() })
}

/// The codes of what blocks a program, with their lines.
fn blocked(source: &str) -> Vec<(&'static str, u32)> {
    let report = checked(source);
    report.blocking().map(|finding| (finding.code.name(), finding.line)).collect()
}

#[test]
fn imports_of_what_is_not_there_block() {
    for (source, code) in [
        ("import { create_issue } from \"servers/forg\";", "unknown-server"),
        ("import { create_isue } from \"servers/forge\";", "unknown-tool"),
        ("import * as gone from 'servers/nowhere/index.ts'", "unknown-server"),
        ("import { create_issue } from \"servers/forge/create_isue.ts\";", "unknown-tool"),
        ("import { forge, wherehouse } from \"servers\";", "unknown-server"),
        ("const { create_issue } = await import(\"servers/forg\");", "unknown-server"),
    ] {
        assert_eq!(blocked(source), [(code, 1)], "{source}");
    }
    let report = checked("import { create_isue } from \"servers/forge\";");
    let told = report.for_model();
    assert!(told.contains("did you mean: create_issue"), "{told}");
    assert!(told.contains("async function createIssue(input: CreateIssueInput)"), "{told}");
}

#[test]
fn every_spelling_of_what_is_there_runs() {
    for source in [
        "import { create_issue, createIssue, listCommits, list_commits } from \"servers/forge\";",
        "import { create_issue as make } from \"servers/forge/create_issue\";",
        "import * as home from \"servers/smart-home\"; import * as same from 'servers/smart_home'",
        "import forge from \"servers/forge\";\nawait forge.get_user({ login: \"ann\" })",
        "import { forge } from \"servers\";\nawait forge.get_user({ login: \"ann\" })",
        "import type { Anything } from \"servers/nowhere\";",
        "import { rows } from \"./rows.ts\"; import { twice } from \"skills/twice\";",
        "import { callMCPTool } from \"servers/client\";",
    ] {
        assert_eq!(blocked(source), [], "{source}");
    }
}

#[test]
fn calls_that_the_gateway_would_refuse_block() {
    let forge = "import { create_issue, list_issues } from \"servers/forge\";\nimport * as all from \"servers/forge\";\n";
    for (call, code) in [
        ("await create_issue({ owner: \"a\", repo: \"b\" })", "missing-argument"),
        (
            "await create_issue({ owner: \"a\", repo: \"b\", tittle: \"c\", title: \"d\" })",
            "unknown-argument",
        ),
        ("await create_issue({ owner: \"a\", repo: \"b\", title: 3 })", "wrong-type"),
        (
            "await create_issue({ owner: \"a\", repo: \"b\", title: \"c\", labels: \"bug\" })",
            "wrong-type",
        ),
        ("await list_issues({ owner: \"a\", repo: \"b\", state: \"opened\" })", "wrong-value"),
        ("await list_issues({ owner: \"a\", repo: \"b\", per_page: 500 })", "wrong-value"),
        ("await create_issue(\"a\", \"b\", \"c\")", "wrong-type"),
        ("await create_issue()", "missing-argument"),
        ("const title = 5; await create_issue({ owner: \"a\", repo: \"b\", title })", "wrong-type"),
        ("await all.create_issue({ owner: \"a\", repo: \"b\", title: null })", "wrong-type"),
        ("await all.create_isue({})", "unknown-tool"),
        ("await callMCPTool(\"forge\", \"create_isue\", {})", "unknown-tool"),
        ("await callMCPTool(\"forg\", \"create_issue\", {})", "unknown-server"),
        (
            "await callMCPTool(\"forge\", \"create_issue\", { owner: \"a\", repo: \"b\" })",
            "missing-argument",
        ),
        ("const one = async () => create_issue({}); await one()", "missing-argument"),
        (
            "await Promise.all([1, 2].map((n) => create_issue({ owner: \"a\", repo: \"b\", title: 1 })))",
            "wrong-type",
        ),
    ] {
        let found = blocked(&format!("{forge}{call}"));
        assert!(
            !found.is_empty() && found.iter().all(|one| *one == (code, 3)),
            "{call}: {found:?}"
        );
    }
}

#[test]
fn what_only_running_would_tell_lets_a_program_run() {
    let forge = "import { create_issue, list_issues } from \"servers/forge\";\n";
    for call in [
        "await create_issue({ owner, repo, title: `${name}` })",
        "await create_issue({ ...rest, title: \"c\" })",
        "await create_issue(given)",
        "await create_issue(...all)",
        "await create_issue({ owner: \"a\", repo: \"b\", [key]: 1 })",
        "await create_issue({ owner: \"a\", repo: \"b\", title: \"c\", labels: [one, two] })",
        "await create_issue({ owner: \"a\", repo: \"b\", title: \"c\", body: undefined })",
        "let title: any = 5; title = \"c\"; await create_issue({ owner: \"a\", repo: \"b\", title })",
        "try { await create_issue({}) } catch (error) { console.log(error.message) }",
        "await create_issue({}).catch(() => null)",
        "const all = await Promise.allSettled([create_issue({})]); all.length",
        "const made = create_issue({}); await made.catch(() => null)",
        "const never = async () => create_issue({}); 1",
        "if (false) await create_issue({})",
        "return 1; await create_issue({})",
        "async function f() { return create_issue({}) }\ntry { await f() } catch {}",
        "const create = (create_issue: any) => create_issue({}); create(() => 1)",
        "await callMCPTool(server, \"create_isue\", {})",
        "await callMCPTool(name)",
    ] {
        assert_eq!(blocked(&format!("{forge}{call}")), [], "{call}");
    }
}

#[test]
fn a_slip_of_the_pen_in_a_field_blocks_where_it_is_certain() {
    let forge = "import { get_repository, list_issues } from \"servers/forge\";\nconst asked = { owner: \"a\", repo: \"b\" };\n";
    for read in [
        "const found = await get_repository(asked); found.star",
        "(await get_repository(asked)).full_nmae",
        "const { full_nam } = await get_repository(asked); full_nam",
        "const [one] = await Promise.all([get_repository(asked)]); one.archivd",
        "const found = await list_issues(asked); for (const one of found.issues) console.log(one.titel)",
        "const found = await list_issues(asked); found.issues.map((one) => one.titel)",
        "const found = await list_issues(asked); found.issues[0].autor.login",
        "get_repository(asked).then((one) => console.log(one.satrs))",
        "const found = await list_issues(asked); found.issues.filter((one) => one.title).map((one) => one.titel)",
        "const open = (await list_issues(asked)).issues.slice(0, 3); open.map((one) => one.titel)",
        "const found = await list_issues(asked); [...found.issues].sort().map((one) => one.titel)",
        "const found = await list_issues(asked); found.issues.reduce((all, one) => all + one.titel, \"\")",
        "const first = (await list_issues(asked)).issues.at(0); first!.titel",
        "const found = await list_issues(asked); [...found.issues].sort((a, b) => a.title.localeCompare(b.titel))",
    ] {
        assert_eq!(blocked(&format!("{forge}{read}")), [("unknown-field", 3)], "{read}");
    }
    for read in [
        "const found = await get_repository(asked); found.stars.toFixed(1)",
        "const found = await list_issues(asked); found.issues.length + found.issues.filter((one) => one.title).length",
        "const found: any = await get_repository(asked); if (found.star) console.log(1)",
        "const found = await get_repository(asked); found?.star",
        "const found = await get_repository(asked); const n = found.star ?? 0",
        "const found = await get_repository(asked); found.star = 1; found.star",
        "const found = await get_repository(asked); Object.assign(found, { star: 1 }); found.star",
        "let found = await get_repository(asked); found = { star: 1 } as any; found.star",
        "const { star = 0 } = await get_repository(asked); star",
        "const found = await get_repository(asked); found.toString()",
        "const found: any = await get_repository(asked); if (found.eror) throw new Error(found.eror.message); found.stars",
        "const found: any = await get_repository(asked); if (!found.star) throw new Error(\"none\"); found.star.toFixed(1)",
        "const found: any = await get_repository(asked); found.star ? found.star.toFixed(1) : \"none\"",
        "const found: any = await get_repository(asked); found.star && found.star.toFixed(1)",
        "const found = await get_repository(asked); found.full_name.slice(1).length + found.full_name.at(0)!.length",
        "const found = await list_issues(asked); found.issues.reduce((all, one) => all.concat(one.title), []).titel",
        "const found = await list_issues(asked); found.issues.map((one) => ({ titel: one.title })).filter((one) => one.titel)",
    ] {
        assert_eq!(blocked(&format!("{forge}{read}")), [], "{read}");
    }
    let told =
        checked(&format!("{forge}const found = await get_repository(asked); found.full_nmae"))
            .for_model();
    assert!(told.contains("did you mean: full_name"), "{told}");
}

#[test]
fn a_field_of_a_call_that_nobody_awaits_blocks() {
    let forge = "import { get_repository, list_issues } from \"servers/forge\";\nconst asked = { owner: \"a\", repo: \"b\" };\n";
    for read in [
        "const found = get_repository(asked); found.stars + 1",
        "const total = () => list_issues(asked).issues; total()",
    ] {
        assert_eq!(blocked(&format!("{forge}{read}")), [("missing-await", 3)], "{read}");
    }
    for read in [
        "const found = get_repository(asked); (await found).stars",
        "const found = get_repository(asked); const all = await Promise.all([found]); all[0].stars",
        "get_repository(asked).then((one) => one.stars).catch(() => 0)",
        "const found: any = get_repository(asked); found.label = 1; found.label",
        "const found: any = get_repository(asked); if (found.stars) console.log(1)",
        "let found: any = get_repository(asked); found = await found; found.stars",
    ] {
        assert_eq!(blocked(&format!("{forge}{read}")), [], "{read}");
    }
    let told = checked(&format!("{forge}get_repository(asked).stars")).for_model();
    assert!(told.contains("write `await get_repository(asked)`"), "{told}");
}

#[test]
fn what_is_no_typescript_is_said_with_its_place() {
    let report = checked("const x = 1;\nconst y = ;\n");
    let finding = &report.findings[0];
    assert_eq!((finding.code.name(), finding.line), ("syntax", 2));
    assert!(finding.message.starts_with("this is no valid TypeScript"), "{}", finding.message);
    assert_eq!(blocked("```ts\nconst x = 1;\nx\n```"), []);
}

#[test]
fn servers_that_said_nothing_are_not_judged() {
    let checker = checker();
    let unlisted = ["chat".to_owned()];
    let source = "import { send } from \"servers/chat\";\nawait send(1);\nawait callMCPTool(\"chat\", \"sned\")";
    let program =
        Program { source, unlisted: &unlisted, is_typescript: true, ..Program::default() };
    assert!(!checker.check(&program).blocks());
    let source = "import { x } from \"servers/nobody\";";
    let program = Program { source, partial: true, is_typescript: true, ..Program::default() };
    assert!(!checker.check(&program).blocks());
}

#[test]
fn a_review_tells_what_is_called_and_what_runs_text() {
    let source = "import { get_user, create_issue } from \"servers/forge\";\nfor (const login of logins) await get_user({ login });\nawait create_issue({ owner, repo, title });\neval(text);\nawait import(name);\nnew Function(text);\nawait callMCPTool(name, {});";
    let rules = Rules { trusted: vec!["forge".to_owned()], ..Rules::default() };
    let review = reviewed(source, &rules);
    let tools: Vec<_> =
        review.tools.iter().map(|one| (one.tool.as_str(), one.calls, one.unbounded)).collect();
    assert_eq!(tools, [("create_issue", 1, false), ("get_user", 1, true)]);
    let read = review.tools.iter().find(|one| one.tool == "get_user").unwrap();
    assert!(matches!(read.risk, ToolRisk::ReadOnly | ToolRisk::OpenWorld), "{read:?}");
    let rules: Vec<Rule> = review.violations.iter().map(|one| one.rule).collect();
    for rule in [Rule::DynamicExecution, Rule::DynamicImport, Rule::AnyTool] {
        assert!(rules.contains(&rule), "{rule} is not among {rules:?}");
    }
    assert_eq!((review.risk, review.estimates.loops), (Risk::High, 1));
    let asked = reviewed(
        "import { askModel as think, post } from \"tidegate\";\nfor (const row of rows) await think(row);\nawait post(\"done\", 1);\nawait receive(\"work\");\nMath.max(1, 2);",
        &Rules::default(),
    );
    let tools: Vec<_> =
        asked.tools.iter().map(|one| (one.tool.as_str(), one.calls, one.unbounded)).collect();
    assert_eq!(tools, [("ask_model", 1, true), ("post", 1, false), ("receive", 1, false)]);
    let found: Vec<Rule> = asked.violations.iter().map(|one| one.rule).collect();
    assert_eq!(found, [Rule::OpenWorldTool, Rule::ModelInLoop]);
    assert_eq!((asked.estimates.call_sites, asked.estimates.calls), (3, 3));
    let own = reviewed("const post = (x) => x;\npost(1);", &Rules::default());
    assert!(own.tools.is_empty(), "{own:?}");
    let plain = reviewed("[1, 2].map((n) => n * 2)", &Rules::default());
    assert!(plain.is_safe && plain.violations.is_empty(), "{plain:?}");
}

#[test]
fn where_a_level_lists_imports_files_of_the_workspace_are_none_of_them() {
    let rules = Rules { imports: Some(vec!["json".to_owned()]), ..Rules::default() };
    let source = "import { a } from \"./a.ts\";\nimport { get_user } from \"servers/forge\";\nimport { sleep } from \"tidegate\";";
    let review = reviewed(source, &rules);
    let found: Vec<_> = review.violations.iter().map(|one| (one.rule, one.line)).collect();
    assert_eq!(found, [(Rule::ImportNotAllowed, 1)]);
}
