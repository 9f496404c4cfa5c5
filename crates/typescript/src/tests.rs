//! What becomes of programs, and that nothing becomes of this process.

use insta::assert_snapshot;
use oxc::allocator::Allocator;
use oxc::parser::Parser;
use oxc::span::SourceType;
use proptest::prelude::*;

use super::*;

fn code(text: &str) -> String {
    program(text).unwrap().code
}

fn refusal(text: &str) -> String {
    let problem = program(text).unwrap_err();
    let line = problem.source_line.clone().unwrap_or_default();
    let hint = problem.hint.clone().unwrap_or_default();
    format!("{problem}\n{line}\n{hint}")
}

/// Whether a guest would get as far as running it.
fn is_expression(code: &str) -> bool {
    let allocator = Allocator::default();
    Parser::new(&allocator, code, SourceType::cjs()).parse_expression().is_ok()
}

#[test]
fn types_go_and_variables_are_published() {
    assert_snapshot!(code("interface A { a: number }\nconst a: A = { a: 1 };\na.a as number"));
}

#[test]
fn imports_become_loads_in_their_line() {
    assert_snapshot!(code(
        "import { create_issue, type Issue } from \"servers/github\";\nimport * as gh from 'servers/github';\nimport d, * as all from \"x\";\nimport \"y\";\nawait create_issue({});\nall; d; gh.f()"
    ));
}

#[test]
fn exports_are_variables_and_the_default_is_a_value() {
    assert_snapshot!(code("export const a = 1;\nexport { a as b };\nexport default a + 1;"));
    assert_snapshot!(code("export default async function main() { return 1 }"));
    assert_snapshot!(code("export default class {}"));
}

#[test]
fn enums_namespaces_and_parameter_properties_are_transformed() {
    assert_snapshot!(code(
        "enum Color { Red, Green = 'g' }\nnamespace N { export const x = 1 }\nclass P { constructor(private a: number) {} }\nColor.Red"
    ));
}

#[test]
fn loops_that_await_may_stand_at_the_top_level() {
    let text = "async function* f() { yield 1 }\nfor await (const a of f()) { console.log(a) }";
    assert!(is_expression(&code(text)));
}

#[test]
fn a_text_alone_is_a_value() {
    assert_snapshot!(code("'hello'"));
}

#[test]
fn the_variable_result_counts_declared_or_not() {
    assert_snapshot!(code("let result = 1;\nif (x) { result = 2 }"));
    assert_snapshot!(code("for (const a of b) { result = a }"));
    assert_snapshot!(code("const rows = [1];\nconst total = rows.length"));
}

#[test]
fn a_result_of_a_functions_own_is_not_the_programs() {
    let text = "function f() { let result = 0; result = 1; return result }\nconst total = f()";
    assert!(code(text).contains("$tidegate.last(()=>total,false)"), "{}", code(text));
}

#[test]
fn what_only_types_leave_behind_does_not_hide_the_value() {
    let code = code("import type { A } from 'x';\n1 + 1;\ninterface B {}\n;");
    assert!(code.contains("return (1 + 1)"), "{code}");
}

#[test]
fn a_variable_may_have_any_name_but_the_one_that_programs_are_given() {
    assert!(code("let $ = 1").contains("$tidegate=>$=$tidegate"));
    assert!(refusal("let a = 1;\nlet $tidegate = 2").contains("(line 2, column 5)"));
}

#[test]
fn imports_inside_expressions_are_loads_too() {
    assert_snapshot!(code("const m = await import('servers/a'); import.meta.url"));
}

#[test]
fn modules_say_what_they_export_and_wait_only_if_they_must() {
    let plain = module("import { b } from './b.js';\nexport function a() { return b }\nexport { b as c } from './d.js';\nexport * from './e.js';").unwrap();
    assert!(!plain.is_async);
    assert_snapshot!(plain.code);
    assert!(module("export const a = await f()").unwrap().is_async);
}

#[test]
fn errors_have_line_column_source_line_and_advice() {
    assert_snapshot!(refusal("const a = 1;\nconst b = ;\n"), @r"
    Unexpected token (line 2, column 11)
    const b = ;
    ");
    assert!(refusal("const a = 1;\nlet a = 2;").contains("line "));
    assert_snapshot!(refusal("class A {\n  @log f() {}\n}"), @r"
    decorators are not supported (line 2, column 3)
      @log f() {}
    Call the function yourself: `f = decorate(f)`.
    ");
    assert_snapshot!(refusal("import x = require('x')"), @r#"
    `import x = …` is not supported (line 1, column 1)
    import x = require('x')
    Write `import * as x from "servers/x"`, or `const x = …`.
    "#);
    assert!(refusal("const a = /(/;").contains("line 1"));
}

#[test]
fn what_is_refused_says_what_to_write() {
    assert_snapshot!(refusal("class A {\n  accessor x = 1;\n}"), @r"
    fields with `accessor` are not supported (line 2, column 3)
      accessor x = 1;
    Write a field, or a pair of `get` and `set`.
    ");
    assert_snapshot!(refusal("const a = 1;\nconst b = <div>hi</div>;"), @r"
    JSX is not supported (line 2, column 11)
    const b = <div>hi</div>;
    There is no page to show elements on; make text with `…${value}…`.
    ");
    // A mistake of another kind stays what it is.
    assert!(refusal("const a = <div>hi</div>;\nconst = 1;").contains("Unterminated"));
}

#[test]
fn a_name_of_another_part_of_a_namespace_is_refused_and_its_whole_name_is_not() {
    let parted = |second: &str| {
        format!("namespace N {{ export const a = 1 }}\nnamespace N {{ export const b = {second} }}")
    };
    assert_snapshot!(refusal(&parted("a + 1")), @r"
    `a` is in another declaration of the namespace `N` (line 2, column 32)
    namespace N { export const b = a + 1 }
    Write `N.a`, or put both into one `namespace`.
    ");
    assert!(program(&parted("N.a + 1")).is_ok());
    // One of its own, one around it, and one that only types speak of.
    assert!(program(&parted("((a: number) => a)(2)")).is_ok());
    assert!(program(&format!("const a = 2;\n{}", parted("a"))).is_ok());
    assert!(program(&parted("2 as unknown as typeof N.a")).is_ok());
}

#[test]
fn a_class_that_is_made_and_then_made_one_of_keeps_its_parentheses() {
    assert!(code("new (new F(1))(2)").contains("return (new (new F(1))(2))"));
    assert!(code("new new F(1)(2)").contains("return (new (new F(1))(2))"));
    assert!(code("new (new F(1).x)(2)").contains("return (new (new F(1).x)(2))"));
    assert!(code("new F(new G(1))").contains("return (new F(new G(1)))"));
}

#[test]
fn places_lead_back_to_the_users_lines() {
    let text =
        "interface A {\n  a: number\n}\nenum B {\n  C\n}\n\nconst x: A = { a: 1 };\n  boom(x);\n";
    let prepared = program(text).unwrap();
    let line = prepared.code.lines().position(|line| line.contains("boom")).unwrap() + 1;
    let column = prepared.code.lines().nth(line - 1).unwrap().find("boom").unwrap() + 1;
    let place = prepared.place(place::number(line), place::number(column)).unwrap();
    assert_eq!(place.line, 9);
}

#[test]
fn what_looks_into_a_constant_has_a_line() {
    for (text, made) in [
        ("null.x", "0;return (null.x)"),
        ("const a = 1;\nundefined.x", "0;return (undefined.x)"),
        ("return null.x", "0;return null.x"),
        ("const x = `${null.x}`;\nx", "0;const x = "),
        ("const { a } = null", "0;const { a } = null"),
        ("if ('a'.b.c) f()", "0;if ("),
        ("for (const a of null) f()", "0;for ("),
    ] {
        assert!(code(text).contains(made), "{}", code(text));
    }
    for text in ["a.x", "const f = () => null.x;\nf()", "const a = null", "f(null).x"] {
        assert!(!code(text).contains("0;"), "{}", code(text));
    }
}

#[test]
fn what_takes_something_apart_has_a_line_wherever_it_stands() {
    for (text, places) in [
        ("const { a } = o.x", 1),
        ("export const [a] = o.x", 1),
        ("const f = () => {\n  const { a } = o.x;\n};", 1),
        ("function f() {\n  for (const { a } of o.x) a();\n}", 1),
        // The statement around it has one, too.
        ("switch (1) { case 1: const [a] = o.x }", 2),
    ] {
        assert_eq!(code(text).matches("0;").count(), places, "{}", code(text));
    }
}

#[test]
fn what_is_imported_and_not_used_stays_unless_it_is_a_type() {
    let loads = |text: &str| code(text).matches("$tidegate.load(").count();
    assert_eq!(loads("import { a } from 'x'; import * as b from 'y'; import c from 'z';"), 3);
    assert_eq!(loads("import { type A } from 'x'; import type { B } from 'y';"), 0);
    assert_eq!(loads("import { A } from 'x'; const a: A = 1;"), 0);
    assert_eq!(loads("import A from 'x'; import * as t from 'y'; const a: A = 1, b: t.B = 2;"), 0);
    assert_eq!(loads("import A, { b } from 'x'; const a: A = b;"), 1);
    let mixed = code("import { A, b } from 'x'; const a: A = 1;");
    assert!(mixed.contains("\"b\":b") && !mixed.contains("\"A\""), "{mixed}");
}

#[test]
fn an_import_that_is_used_further_up_comes_first() {
    let code = code("f();\nimport { f } from 'x';\nimport { g } from 'y';\ng()");
    let lines: Vec<&str> = code.lines().collect();
    assert!(lines[1].starts_with("const {\"f\":f}=await"), "{code}");
    assert!(lines[3].contains("\"g\":g"), "{code}");
}

#[test]
fn a_compiler_reads_what_is_returned_as_thrown() {
    let text = "```ts\nif (a) return;\n/// <reference path='/etc/x.ts' />\nconst f = () => { return 1 };\nfor (;;) { return f() }\nreturn\n```";
    let read = reading(text).unwrap();
    let made = read.as_module();
    let lines: Vec<&str> = made.lines().collect();
    assert_eq!(lines[1], "if (a) throw 0;");
    assert_eq!(lines[2], "//  <reference path='/etc/x.ts' />");
    assert_eq!(lines[3], "const f = () => { return 1 };");
    assert_eq!(lines[4], "for (;;) { throw  f() }");
    assert_eq!(lines[5], "throw 0");
}

#[test]
fn places_of_a_compiler_are_bytes() {
    let read = reading("const a = '😀ä';\nb;").unwrap();
    assert_eq!(read.byte_at(1, 1), Some(0));
    // Two units of UTF-16 and four bytes.
    assert_eq!((read.byte_at(1, 12), read.byte_at(1, 14)), (Some(11), Some(15)));
    assert_eq!(read.byte_at(2, 1), Some(20));
    assert_eq!((read.byte_at(3, 1), read.byte_at(1, 99), read.byte_at(0, 1)), (None, None, None));
}

#[test]
fn what_is_certain_is_on_the_main_line_or_called() {
    let text = "first();\nif (a) branch();\ntry { caught() } catch {}\nconst f = () => called();\nf();\nreturn 1;\nnever();";
    let read = reading(text).unwrap();
    let at = |word: &str| u32::try_from(text.find(word).unwrap()).unwrap();
    let told = ["first", "branch", "caught", "called", "f();", "never"]
        .map(|word| (read.is_certain_at(at(word)), read.is_on_main_line(at(word))));
    // Whoever catches anything may catch what a function throws.
    let (no, yes) = ((false, false), (true, true));
    assert_eq!(told, [yes, (true, false), no, no, yes, no]);
}

#[test]
fn a_fence_does_not_move_lines() {
    let problem = program("```ts\nconst a = ;\n```").unwrap_err();
    assert_eq!(problem.place, Some(Place { line: 2, column: 11 }));
}

/// What is just within the limits must fit in the stack that guests have.
#[test]
fn the_deepest_program_that_is_read_fits_in_a_guests_stack() {
    let deep = |one: &str, middle: &str, other: &str, times: usize| {
        format!("x = {}{middle}{}", one.repeat(times), other.repeat(times))
    };
    let (nested, chained) = (MOST_NESTED - 5, MOST_CHAINED - 50);
    let texts = [
        deep("(", "1", ")", nested),
        format!("x = /{}/", "(".repeat(nested) + &")".repeat(nested)),
        format!("x = /{}/", "(?=".repeat(nested) + &")".repeat(nested)),
        format!("x = /{}/v", "[".repeat(nested) + "a" + &"]".repeat(nested)),
        deep("[", "", "]", nested),
        deep("{a:", "1", "}", nested),
        deep("(a, ", "1", ")", nested),
        deep("((a) => (", "1", "))", nested / 2),
        deep("async () => {", "", "}", nested),
        deep("`${", "1", "}`", nested),
        deep("!", "1", "", chained),
        deep("a=>", "1", "", chained / 3),
        deep("a?b:", "1", "", chained / 4),
        deep("1+", "1", "", chained / 2),
        deep("a", "", ".b", chained / 3),
        deep("a", "", "()", chained / 3),
        deep("new ", "A", "", chained),
        format!("{}1", "if(a)".repeat(chained / 5)),
        format!("let x: {}", deep("A<", "B", ">", chained / 3).replacen("x = ", "", 1)),
        format!("type X = {}string", "keyof ".repeat(chained)),
    ];
    let read = std::thread::Builder::new().stack_size(8 << 20).spawn(move || {
        for text in texts {
            let _ = program(&text);
        }
    });
    read.unwrap().join().unwrap();
}

/// Texts of great depth, whatever nests in them: each is refused, and none uses up a stack of two
/// megabytes.
#[test]
fn no_kind_of_nesting_uses_up_the_stack() {
    let deep = |one: &str, middle: &str, other: &str| {
        format!("{}{middle}{}", one.repeat(60_000), other.repeat(60_000))
    };
    let texts = [
        format!("return /{}/", deep("(", "", ")")),
        format!("return /{}/", deep("(?=", "", ")")),
        format!("return /{}/v", deep("[", "a", "]")),
        format!("let a: {}", deep("Array<", "string", ">")),
        format!("let a: {}", deep("(", "string", ")")),
        format!("let a: {}", deep("[", "string", "]")),
        format!("let a: {}", deep("{ a: ", "string", "}")),
        format!("let a: {}", deep("A extends B ? C : ", "D", "")),
        format!("let a: {}", deep("() => ", "D", "")),
        format!("let a: {}", deep("`${", "D", "}`")),
        format!("type A = {}", deep("| [", "D", "]")),
        format!("let a = {}", deep("`${", "1", "}`")),
        format!("let a = {}", deep("f`${", "1", "}`")),
        format!("return {}", deep("<a>", "", "</a>")),
        format!("return {}", deep("<a b={", "1", "} />")),
        // In the text of an element a quote begins nothing.
        format!("return <a>'{{{}", deep("(", "", ")")),
        format!("return <a>\"{{{}", deep("!", "1", "")),
        format!("return <a>`{{{}", deep("a=>", "1", "")),
        format!("return <a>/* {{{}", deep("[", "", "]")),
        format!("return <a>// {{{}", deep("new ", "A", "")),
        format!("return <a>/'/{{{}", deep("{a:", "1", "}")),
        format!("let {}", deep("{ a: ", "b", "}")),
        format!("let {}", deep("[", "b", "]")),
        deep("class A { static { ", "", "} }"),
        deep("function f() { ", "", "}"),
        deep("namespace A { ", "", "}"),
        deep("switch (a) { case 1: ", "", "}"),
        deep("try { ", "", "} finally {}"),
        deep("a: ", "1", ""),
        deep("@a(", "", ") class B {}"),
    ];
    let read = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
        for text in texts {
            let begin: String = text.chars().take(20).collect();
            assert!(program(&text).is_err(), "{begin}");
            assert!(module(&text).is_err(), "{begin}");
            assert!(reading(&text).is_none(), "{begin}");
        }
    });
    read.unwrap().join().unwrap();
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,200}") {
        let _ = program(&text);
        let _ = module(&text);
    }

    #[test]
    fn no_soup_of_code_makes_it_panic(
        parts in proptest::collection::vec(proptest::sample::select(WORDS), 0..60)
    ) {
        let text = parts.join("");
        if let Ok(prepared) = program(&text) {
            prop_assert!(is_expression(&prepared.code), "{}", prepared.code);
        }
        if let Ok(prepared) = module(&text) {
            prop_assert!(is_expression(&prepared.code), "{}", prepared.code);
        }
    }
}

const WORDS: &[&str] = &[
    "const ",
    "let ",
    "var ",
    "a",
    "b",
    "result",
    " = ",
    "1",
    "'x'",
    "`",
    "${",
    "}",
    "{",
    "(",
    ")",
    "[",
    "]",
    ";",
    "\n",
    ",",
    ".",
    "?.",
    "?",
    ":",
    "=>",
    "async ",
    "await ",
    "function ",
    "class ",
    "extends ",
    "import ",
    "export ",
    "default ",
    "from ",
    "\"servers/a\"",
    "* as ",
    "type ",
    "interface ",
    "enum ",
    "namespace ",
    "<",
    ">",
    "as ",
    "!",
    "/",
    "/*",
    "*/",
    "//",
    "return ",
    "if (",
    "else ",
    "for (",
    "of ",
    "@d ",
    "#x",
    "...",
    "\\",
    "ä",
    "\u{2028}",
    "new ",
    "import.meta",
    "import(",
    "yield ",
    "=",
    "+",
    "-",
    "--",
    "0x",
    "1n",
    "/(/",
    "static ",
    "private ",
    "declare ",
];
