//! One check, from text to report.

use std::cell::Cell;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;

use catalog::{Catalog, CatalogTool};
use ruff_python_ast::{AnyNodeRef, Expr, PySourceType};
use ruff_python_parser::parse_unchecked_source;
use ruff_text_size::{Ranged, TextRange};

use crate::calls::{self, Judged, Lone, Question};
use crate::checker::{Job, Known};
use crate::complaints::{Judge, asked_for, asked_in_json, formatted, loop_of};
use crate::earlier::{Found, Left};
use crate::finding::{Code, Finding, Mistake, Report, Severity, Unchecked, Weight};
use crate::names::{Meaning, Names};
use crate::place::Lines;
use crate::reach::Reach;
use crate::results::Spelt;
use crate::review::{self, Review};
use crate::rewrite::{Rewritten, has_endless};
use crate::servers::Servers;
use crate::text::Text;
use crate::tree::Tree;
use crate::trust::Trust;
use crate::typed::{Fields, TypeChecker, Typed};
use crate::{awaits, bounds, fits, kinds, mixed, results, unparsed};

/// How many complaints of the type checker are looked at: each is held against the whole program.
const MOST_COMPLAINTS: usize = 300;
/// How many mistakes are told at once.
const MOST_FINDINGS: usize = 30;

/// Names that Python gives a meaning, and a program's context or an earlier program another.
pub(crate) const BUILTINS: &[&str] = &[
    "abs",
    "aiter",
    "all",
    "anext",
    "any",
    "ascii",
    "bin",
    "bool",
    "breakpoint",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "classmethod",
    "compile",
    "complex",
    "copyright",
    "credits",
    "delattr",
    "dict",
    "dir",
    "divmod",
    "enumerate",
    "eval",
    "exec",
    "exit",
    "filter",
    "float",
    "format",
    "frozenset",
    "getattr",
    "globals",
    "hasattr",
    "hash",
    "help",
    "hex",
    "id",
    "input",
    "int",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "license",
    "list",
    "locals",
    "map",
    "max",
    "memoryview",
    "min",
    "next",
    "object",
    "oct",
    "open",
    "ord",
    "pow",
    "print",
    "property",
    "quit",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "setattr",
    "slice",
    "sorted",
    "staticmethod",
    "str",
    "sum",
    "super",
    "tuple",
    "type",
    "vars",
    "zip",
];

/// The most tools whose use is shown with a program that may not run,
const MOST_NAMED: usize = 4;
/// the most others of their servers that are named,
const MOST_OTHERS: usize = 12;
/// and the most bytes of it.
const LONGEST_NAMED: usize = 2_500;

/// Reviews a program, and looks for no mistakes.
pub(crate) fn review_only(catalog: &Catalog, job: &Job) -> Review {
    if let Some(unchecked) = bounds::refused(&job.source) {
        return Review::unreviewed(unchecked);
    }
    let text = Text::of(&job.source);
    let lines = Lines::new(&text);
    let parsed = parse_unchecked_source(&text.code, PySourceType::Python);
    if !parsed.has_valid_syntax() {
        return Review::unparsed(lines.count());
    }
    let tree = Tree::new(parsed.syntax());
    let servers = Servers { catalog, opaque: &job.unlisted, partial: job.partial };
    let (names, _) = Names::read(&tree, servers);
    review::review(&tree, &names, &lines, &job.rules)
}

/// Checks a program; what it could do is told first, which does not depend on types.
pub(crate) fn run(checker: &mut TypeChecker, job: &Job, told: &dyn Fn(Review)) -> Report {
    if let Some(unchecked) = bounds::refused(&job.source) {
        told(Review::unreviewed(unchecked));
        return Report { unchecked: Some(unchecked), ..Report::default() };
    }
    let text = Text::of(&job.source);
    let lines = Lines::new(&text);
    let parsed = parse_unchecked_source(&text.code, PySourceType::Python);
    if !parsed.has_valid_syntax() {
        told(Review::unparsed(lines.count()));
        return unparsed::report(checker, &parsed, &text.code, &lines);
    }
    let tree = Tree::new(parsed.syntax());
    let catalog = checker.catalog();
    let servers = Servers { catalog: &catalog, opaque: &job.unlisted, partial: job.partial };
    let (mut names, mut mistakes) = Names::read(&tree, servers);
    told(review::review(&tree, &names, &lines, &job.rules));
    if tree.len() > bounds::MOST_NODES {
        return Report { unchecked: Some(Unchecked::TooLong), ..Report::default() };
    }
    if has_endless(&tree) {
        return Report { unchecked: Some(Unchecked::TooDeep), ..Report::default() };
    }
    let found = Found::by(&job.names, &tree, &names);
    names.bring(&tree, &found.imports, &found.others);
    mistakes.extend(names.check_attributes(&tree));
    let mut judged = calls::judge(&tree, &names);
    let forgotten = awaits::forgotten(&tree, &names);
    mistakes.extend(awaits::advice(&forgotten, &text.code));
    let mut reach = Reach::new(&tree, &names);

    let changed = changed(&tree, &names);
    let mut asked = asked(&judged);
    asked.extend(changed.iter().copied());
    asked.extend(asked_for_crashes(&tree));
    let spelt = if reach.is_dynamic() {
        Spelt::default()
    } else {
        results::spelt(&tree, &names, &forgotten, found.is_alone)
    };
    let rewritten =
        Rewritten::of(&text.code, &tree, &names, &forgotten, &spelt).after(&found.imports);
    let mut used = used(&tree, &names);
    used.extend(spelt.packages.iter().cloned());
    let used: Vec<&str> = used.iter().map(String::as_str).collect();
    let typed = checker.check(&rewritten, &used, &asked);

    let trust = Trust::new(&tree, &names, &spelt.sure);
    answer(&mut judged, &typed, &trust, checker, removes(&tree));
    mistakes.append(&mut judged.mistakes);
    let given = found.given.as_deref();
    let fields = checker.fields();
    let settled = is_settled(&changed, &typed, fields) && !mixed::mixes(&tree, &names);
    reach.note_items(with_items(&tree, &typed, &trust, fields), brought(&tree, &trust));
    let judge = Judge {
        tree: &tree,
        names: &names,
        reach: &reach,
        typed: &typed,
        fields,
        given,
        is_first: found.is_first,
        left: &found.left,
        settled,
        trust: &trust,
        looked: Cell::new(0),
    };
    let complaints = typed.complaints.iter().take(MOST_COMPLAINTS);
    mistakes.extend(complaints.filter_map(|complaint| judge.mistake(complaint)));
    mistakes.extend(tree.all().filter_map(|(id, node)| judge.crash_at(id, node)));
    weigh(&mut mistakes, &found, &text.code);
    let mut report = Report { findings: findings(mistakes, &reach, &lines), ..Report::default() };
    shorten(&mut report);
    report.left = left_by(job, &text.code, &tree, &names, &reach);
    report.usage = usage_of_named(checker, &tree, &names, &report.findings);
    report
}

/// What there is for the next program if this one runs.
fn left_by<'a>(
    job: &Job,
    source: &str,
    tree: &Tree<'a>,
    names: &Names<'a, '_>,
    reach: &Reach<'_, 'a, '_>,
) -> Left {
    match &job.names {
        Known::Any => Left::default(),
        Known::These(given) => Left::nothing().after(given, source, tree, names, reach),
        Known::After(given, left) => left.after(given, source, tree, names, reach),
    }
}

/// Whether nothing is put into a result under a key that is not known: it could be any field.
fn is_settled(changed: &[TextRange], typed: &Typed, fields: &Fields) -> bool {
    changed.iter().all(|range| {
        let is_own =
            |kind: kinds::Kind| !matches!(kind, kinds::Kind::Typed(_) | kinds::Kind::Future);
        typed
            .types
            .get(range)
            .and_then(|shown| kinds::only(shown, |name| fields.of(name).is_some()))
            .is_some_and(is_own)
    })
}

/// Gives mistakes the weight that they have where the program runs.
fn weigh(mistakes: &mut [Mistake], found: &Found, source: &str) {
    let given = found.given.as_deref();
    // Where nothing ran before, only the program itself could have brought a module.
    if found.is_first && !brings_modules(source) {
        let missing = |one: &&mut Mistake| one.code == Code::UnknownModule;
        for mistake in mistakes.iter_mut().filter(missing) {
            mistake.weight = Weight::WhenReached;
        }
    }
    // A name of Python's own may be something else by now, and so may anything made with it.
    if given.is_none_or(|given| given.iter().any(|name| BUILTINS.contains(&name.as_str()))) {
        for mistake in mistakes.iter_mut().filter(|one| one.weight == Weight::WhenReached) {
            mistake.weight = Weight::Advice;
        }
    }
}

/// How the tools are called that a program calls, but for those that a finding shows already.
fn usage_of_named(
    checker: &TypeChecker,
    tree: &Tree<'_>,
    names: &Names<'_, '_>,
    findings: &[Finding],
) -> Option<String> {
    let mut seen = HashSet::new();
    let mut shown = String::new();
    let mut servers: Vec<&CatalogTool> = Vec::new();
    for (_, node) in tree.all() {
        let AnyNodeRef::ExprCall(call) = node else { continue };
        let Some(Meaning::Tool(tool)) = names.meaning(&call.func) else { continue };
        if !seen.insert((tool.server(), tool.python())) || seen.len() > MOST_NAMED {
            continue;
        }
        if servers.iter().all(|one| one.server() != tool.server()) {
            servers.push(tool);
        }
        let Some(usage) = checker.usage(tool) else { continue };
        let is_shown =
            |finding: &Finding| finding.usage.as_ref().is_some_and(|other| other.contains(&usage));
        if !findings.iter().any(is_shown) && shown.len() + usage.len() <= LONGEST_NAMED {
            shown.push_str(&usage);
            shown.push('\n');
        }
    }
    for one in servers {
        let others = names.servers.server(one.server_python());
        let others: Vec<&str> = others
            .iter()
            .flat_map(|server| server.tools())
            .map(CatalogTool::python)
            .filter(|name| {
                !seen.iter().any(|(server, tool)| *server == one.server() && tool == name)
            })
            .take(MOST_OTHERS)
            .collect();
        if !others.is_empty() {
            let (server, others) = (one.server_python(), others.join(", "));
            let _ = writeln!(shown, "servers.{server} has also: {others}");
        }
    }
    (!shown.is_empty()).then_some(shown)
}

/// Whether a program may write modules, or change where they are looked for.
fn brings_modules(source: &str) -> bool {
    [".py", "sys.path", "sys.modules", "import_module", "__import__", "meta_path", "/workspace"]
        .iter()
        .any(|word| source.contains(word))
}

/// The expressions whose types are wanted.
fn asked(judged: &Judged) -> HashSet<TextRange> {
    let mut asked: HashSet<TextRange> =
        judged.questions.iter().map(|question| question.range).collect();
    for lone in &judged.lone {
        asked.insert(lone.range);
        asked.extend(lone.if_first.questions.iter().map(|question| question.range));
    }
    asked
}

/// The same for what may crash though the type checker does not mind.
fn asked_for_crashes(tree: &Tree<'_>) -> HashSet<TextRange> {
    let loops = tree.all().filter_map(|(_, node)| Some(loop_of(node)?.1.range()));
    let formats = tree.all().filter_map(|(_, node)| formatted(node)).map(Ranged::range);
    let written = tree.all().flat_map(|(_, node)| asked_in_json(node));
    loops.chain(formats).chain(written).chain(tree.all().filter_map(asked_for)).collect()
}

/// What is changed under a key that only running would tell: `row[key] = value`.
fn changed(tree: &Tree<'_>, names: &Names<'_, '_>) -> Vec<TextRange> {
    let is_own = |one: &Expr| matches!(one, Expr::Attribute(one) if mixed::is_own_attribute(tree, names, one));
    let of = |(_, node)| match node {
        AnyNodeRef::ExprSubscript(subscript)
            if !subscript.ctx.is_load()
                && !subscript.slice.is_literal_expr()
                && !is_own(&subscript.value) =>
        {
            Some(subscript.value.range())
        }
        _ => None,
    };
    tree.all().filter_map(of).collect()
}

/// What loops go over that certainly has items: a result that is an object has its fields.
fn with_items(
    tree: &Tree<'_>,
    typed: &Typed,
    trust: &Trust<'_, '_, '_>,
    fields: &Fields,
) -> HashSet<TextRange> {
    let has_fields = |items: &Expr| {
        let shown = typed.types.get(&items.range())?;
        let kind = kinds::only(shown, |name| fields.of(name).is_some())?;
        let kinds::Kind::Typed(class) = kind else { return None };
        let is_certain = !bindings::is_learned(&class) && fields.needs_one(&class);
        (is_certain && trust.is_sure(items)).then_some(items.range())
    };
    tree.all().filter_map(|(_, node)| has_fields(loop_of(node)?.1)).collect()
}

/// What loops go over that tools gave.
fn brought(tree: &Tree<'_>, trust: &Trust<'_, '_, '_>) -> HashSet<TextRange> {
    let items = tree.all().filter_map(|(_, node)| Some(loop_of(node)?.1));
    items.filter(|items| trust.is_brought(items)).map(Ranged::range).collect()
}

/// Answers what the calls left open.
fn answer(
    judged: &mut Judged,
    typed: &Typed,
    trust: &Trust<'_, '_, '_>,
    checker: &TypeChecker,
    removes: bool,
) {
    let fields = checker.fields();
    let of = |range: &TextRange| {
        let shown = typed.types.get(range).filter(|_| trust.is_sure_at(*range))?;
        Some((kinds::kinds(shown, |name| fields.of(name).is_some()), shown))
    };
    let wrong = |question: &Question| {
        let (kinds, shown) = of(&question.range)?;
        fits::wrong(question, &kinds, shown)
    };
    let mut found: Vec<Mistake> = judged.questions.iter().filter_map(wrong).collect();
    for Lone { range, keys, if_first } in std::mem::take(&mut judged.lone) {
        let Some((kinds, _)) = of(&range) else { continue };
        // What a result always has may have been taken out of it.
        let keys = keys.as_deref().filter(|_| !removes);
        if kinds.iter().all(|kind| is_first_argument(kind, keys, fields)) {
            found.extend(if_first.questions.iter().filter_map(wrong));
            found.extend(if_first.mistakes);
        }
    }
    // Where the value was known, it has been judged by its value.
    found.retain(|one| !judged.mistakes.iter().any(|known| known.range == one.range));
    judged.mistakes.extend(found);
}

/// Whether a program takes anything out of a container by its key.
fn removes(tree: &Tree<'_>) -> bool {
    tree.all().any(|(_, node)| match node {
        AnyNodeRef::ExprSubscript(subscript) => subscript.ctx.is_del(),
        AnyNodeRef::ExprAttribute(one) => {
            ["clear", "pop", "popitem", "__delitem__"].contains(&one.attr.as_str())
        }
        AnyNodeRef::ExprName(name) => name.id.as_str() == "delitem",
        _ => false,
    })
}

/// Whether a lone argument of this kind is certainly the first one, and no dict with all of them: it is no
/// dict, or a result that always has a field which is no parameter.
fn is_first_argument(kind: &kinds::Kind, keys: Option<&[String]>, fields: &Fields) -> bool {
    match kind {
        kinds::Kind::Typed(class) => {
            let is_foreign =
                |field: &str| keys.is_some_and(|keys| keys.iter().all(|key| key != field));
            !bindings::is_learned(class) && fields.needed(class).any(is_foreign)
        }
        kinds::Kind::Dict
        | kinds::Kind::Other
        | kinds::Kind::Future
        | kinds::Kind::Known(_)
        | kinds::Kind::Class(_) => false,
        _ => true,
    }
}

/// The packages of the servers that a program mentions.
fn used(tree: &Tree<'_>, names: &Names<'_, '_>) -> BTreeSet<String> {
    let mut used: BTreeSet<String> = names.packages().collect();
    for (_, node) in tree.all() {
        if let AnyNodeRef::ExprAttribute(attribute) = node
            && let Some(Meaning::Root) = names.meaning(&attribute.value)
            && let Some(server) = names.servers.server(attribute.attr.as_str())
        {
            used.insert(server.python().to_owned());
        }
    }
    used
}

/// Mistakes in the order of the program, each once, with what they do.
fn findings(
    mut mistakes: Vec<Mistake>,
    reach: &Reach<'_, '_, '_>,
    lines: &Lines<'_>,
) -> Vec<Finding> {
    mistakes.sort_by_key(|one| (one.range.start(), one.range.end(), one.code));
    mistakes.dedup_by(|one, other| one.range == other.range && one.code == other.code);
    mistakes.into_iter().map(|mistake| lines.finding(severity(&mistake, reach), mistake)).collect()
}

/// Leaves so many findings as are told at once, those that block before others.
fn shorten(report: &mut Report) {
    let findings = &mut report.findings;
    if findings.len() <= MOST_FINDINGS {
        return;
    }
    findings.sort_by_key(|finding| finding.severity);
    let rest = findings.split_off(MOST_FINDINGS);
    findings.sort_by_key(|finding| (finding.line, finding.column));
    report.more = rest.len();
    report.more_blocking =
        rest.iter().filter(|finding| finding.severity == Severity::Blocks).count();
}

fn severity(mistake: &Mistake, reach: &Reach<'_, '_, '_>) -> Severity {
    let blocks = match mistake.weight {
        Weight::Always => true,
        Weight::Advice => false,
        Weight::Call => {
            !reach.is_dead_at(mistake.range)
                && !reach.is_caught_at(mistake.range, mistake.raises)
                && !reach.is_handed_on_at(mistake.range)
                && !reach.is_asked_about_at(mistake.range)
        }
        Weight::WhenReached => {
            reach.is_reached_at(mistake.range) && !reach.is_caught_at(mistake.range, mistake.raises)
        }
    };
    if blocks { Severity::Blocks } else { Severity::Advice }
}
