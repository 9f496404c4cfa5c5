//! What the type checker does not like, sorted by what is certain.
//!
//! Most of what it says is about types that a program never keeps to, and is dropped. What is
//! left is what raises an exception whenever it is reached, in our own words.

mod contexts;
mod crashes;
mod definitions;
mod doubt;
mod forgotten;
mod formats;
mod futures;
mod json;
mod lookups;
mod overloads;
mod own;
mod pairs;
mod patterns;
mod refusals;
mod tables;
mod templates;
mod written;

pub(crate) use crashes::loop_of;
pub(crate) use formats::formatted;
pub(crate) use json::asked_in_json;
pub(crate) use written::asked_for;

use std::cell::Cell;

use ruff_python_ast::{AnyNodeRef, CmpOp, Expr};
use ruff_text_size::{Ranged as _, TextRange};

use crate::finding::{Code, Mistake, Weight, raises};
use crate::kinds::{self, Kind};
use crate::names::Names;
use crate::nearest::{is_slip, nearest};
use crate::reach::Reach;
use crate::run::BUILTINS;
use crate::tree::{Id, Tree};
use crate::trust::Trust;
use crate::typed::{Complaint, Fields, Typed};

/// What every program finds without importing it, besides what calls tools by name.
const OURS: &[&str] = &[
    "search_tools",
    "list_directory",
    "read_file",
    "summarize",
    "wait_until",
    "http_get",
    "http_request",
    "spawn",
    "spawn_map",
    "ask_model",
    "post",
    "receive",
    "save_skill",
    "search_skills",
];

/// `length` is what others call `len`.
fn is_length(name: &str, builtin: &str) -> bool {
    builtin == "len" && name.starts_with("len")
}

/// What is needed to judge complaints.
pub(crate) struct Judge<'t, 'a, 'c> {
    pub(crate) tree: &'t Tree<'a>,
    pub(crate) names: &'t Names<'a, 'c>,
    pub(crate) reach: &'t Reach<'t, 'a, 'c>,
    pub(crate) typed: &'t Typed,
    pub(crate) fields: &'t Fields,
    /// The names that are given; `None` when there may be any.
    pub(crate) given: Option<&'t [String]>,
    /// The names that earlier programs of its session left.
    pub(crate) left: &'t [String],
    /// Nothing ran before in its session.
    pub(crate) is_first: bool,
    pub(crate) trust: &'t Trust<'t, 'a, 'c>,
    /// Nothing is put into a result under a key that is not known.
    pub(crate) settled: bool,
    /// How many attributes of the program's own classes were looked for in all of it.
    pub(crate) looked: Cell<usize>,
}

impl<'a> Judge<'_, 'a, '_> {
    /// What a complaint means for the program, if anything.
    pub(crate) fn mistake(&self, complaint: &Complaint) -> Option<Mistake> {
        match complaint.rule {
            "invalid-syntax" => self.syntax(complaint),
            "unresolved-reference" => self.undefined(complaint),
            "invalid-key" => self.unknown_key(complaint),
            "unresolved-import" => self.unknown_member(complaint),
            "unresolved-attribute" => self.unknown_attribute(complaint),
            "call-non-callable" => self.not_callable(complaint),
            "not-subscriptable" => self.not_subscriptable(complaint),
            "not-iterable" => self.not_iterable(complaint),
            "unsupported-operator" => self.unsupported(complaint),
            "invalid-await" => self.not_awaitable(complaint),
            "missing-argument"
            | "too-many-positional-arguments"
            | "unknown-argument"
            | "parameter-already-assigned"
            | "positional-only-parameter-as-kwarg" => self.wrong_call(complaint),
            "no-matching-overload" => {
                self.wrong_argument(complaint).or_else(|| self.no_way(complaint))
            }
            "invalid-argument-type" => self.wrong_argument(complaint),
            "index-out-of-bounds" => self.out_of_bounds(complaint),
            "invalid-assignment" => self.unpacked(complaint),
            "division-by-zero" => self.divides_by_zero(complaint),
            "unused-awaitable" => self.unused(complaint),
            "invalid-context-manager" => self.no_context(complaint),
            _ => None,
        }
    }

    /// What certainly crashes at a node, though the type checker does not mind.
    pub(crate) fn crash_at(&self, id: Id, node: AnyNodeRef<'a>) -> Option<Mistake> {
        let forgotten = || self.forgotten_at(node);
        let crash = match node {
            AnyNodeRef::ExprSubscript(subscript) => {
                self.missing_in_literal(subscript).or_else(|| self.set_in_fixed(subscript))
            }
            AnyNodeRef::ExprAttribute(attribute) => {
                self.missing_in_own(id, attribute).or_else(|| self.set_in_frozen(id, attribute))
            }
            AnyNodeRef::ExprBinOp(operation) => self.misfilled_by_percent(operation),
            AnyNodeRef::StmtClassDef(class) => self.misdefined(class),
            AnyNodeRef::InterpolatedElement(element) => self.misformatted(element),
            AnyNodeRef::ExprCall(call) => self
                .sorted_by_position(call)
                .or_else(|| self.no_number(call))
                .or_else(|| self.of_no_use(call))
                .or_else(|| self.unreadable(call))
                .or_else(|| self.unknown_keyword(call))
                .or_else(|| self.unknown_item(call))
                .or_else(|| self.misfilled(call))
                .or_else(|| self.no_json(call))
                .or_else(|| self.made_abstract(call))
                .or_else(|| self.cut_in_fractions(call))
                .or_else(|| self.misused_generator(node))
                .or_else(|| self.looped_future(id, node)),
            AnyNodeRef::StmtRaise(raise) => self.raised(raise),
            AnyNodeRef::StmtAugAssign(assign) => self.unset(assign),
            AnyNodeRef::StmtAssign(assign) => self
                .unpacked_result(assign)
                .or_else(|| self.gathered(assign))
                .or_else(|| self.looped_future(id, node)),
            node => self
                .misused_generator(node)
                .or_else(|| self.keys_unpacked(id, node))
                .or_else(|| self.looped_future(id, node)),
        };
        crash.or_else(forgotten)
    }

    /// The type checker knows what a value may be, and complains if one of them does not fit. It is
    /// certain where the value stands there.
    fn out_of_bounds(&self, complaint: &Complaint) -> Option<Mistake> {
        let subscript = self.subscript(complaint.range)?;
        let crash = self.crash(complaint.range, plain(&complaint.message), raises::INDEX);
        let is_written = match &*subscript.value {
            Expr::Name(name) => self
                .reach
                .stands_for(name.id.as_str())
                .is_some_and(|value| matches!(value, Expr::Tuple(_) | Expr::List(_))),
            value => matches!(value, Expr::Tuple(_) | Expr::List(_)) || value.is_literal_expr(),
        };
        Some(if is_written { crash } else { Mistake { weight: Weight::Advice, ..crash } })
    }

    /// `a, b = (1, 2, 3)`, `for at, name, size in enumerate(rows)`.
    fn unpacked(&self, complaint: &Complaint) -> Option<Mistake> {
        let is_count = complaint.message.contains("values to unpack");
        let id = self.tree.around(complaint.range);
        let is_written =
            std::iter::once(id).chain(self.tree.above(id)).take(3).any(|id| {
                match self.tree.node(id) {
                    AnyNodeRef::StmtAssign(assign) => {
                        assign.value.is_tuple_expr() || assign.value.is_list_expr()
                    }
                    node => loop_of(node).is_some_and(|(target, items)| {
                        target.range() == complaint.range && self.gives_tuples(items)
                    }),
                }
            });
        let words = || plain(&complaint.message);
        (is_count && is_written).then(|| self.crash(complaint.range, words(), raises::VALUE))
    }

    /// Whether all items of something are tuples of one length: `enumerate(...)`, `zip(a, b)`.
    fn gives_tuples(&self, items: &'a Expr) -> bool {
        let Expr::Call(call) = items else { return false };
        let is_spread = call.arguments.args.iter().any(Expr::is_starred_expr);
        let name = self.own_of_python(&call.func).filter(|name| self.is_its_own(name));
        !is_spread && name.is_some_and(|name| ["enumerate", "zip"].contains(&name))
    }

    fn divides_by_zero(&self, complaint: &Complaint) -> Option<Mistake> {
        let id = self.tree.around(complaint.range);
        let divisor = std::iter::once(id).chain(self.tree.above(id)).take(3).find_map(|id| {
            match self.tree.node(id) {
                AnyNodeRef::ExprBinOp(operation) => Some(&*operation.right),
                AnyNodeRef::StmtAugAssign(assign) => Some(&*assign.value),
                _ => None,
            }
        })?;
        let is_written = match divisor {
            Expr::Name(name) => {
                self.reach.constant(name.id.as_str()).is_some_and(Expr::is_number_literal_expr)
            }
            divisor => divisor.is_number_literal_expr(),
        };
        let crash = self.crash(complaint.range, "this divides by zero".to_owned(), raises::ZERO);
        Some(if is_written { crash } else { Mistake { weight: Weight::Advice, ..crash } })
    }

    fn crash(&self, range: TextRange, message: String, raises: &'static [&'static str]) -> Mistake {
        let certain = self.settled && !self.reach.is_dynamic();
        Mistake {
            range,
            code: Code::CertainCrash,
            weight: if certain { Weight::WhenReached } else { Weight::Advice },
            message,
            valid: Vec::new(),
            nearest: None,
            raises,
            usage: None,
        }
    }

    /// The same mistake with its full weight where it is about values that have nothing to do with results:
    /// what the program puts into those is all the same then.
    fn apart(&self, mistake: Mistake, is_apart: bool) -> Mistake {
        let is_certain = is_apart && mistake.weight == Weight::Advice && !self.reach.is_dynamic();
        Mistake { weight: if is_certain { Weight::WhenReached } else { mistake.weight }, ..mistake }
    }

    /// At top level `await` and `return` are fine; what else is no Python is none here either.
    fn syntax(&self, complaint: &Complaint) -> Option<Mistake> {
        let message = &complaint.message;
        let about_async = ["await", "async", "return"].iter().any(|word| message.contains(word));
        if about_async && self.reach.is_top_level_at(complaint.range) {
            return None;
        }
        let advice = match message.contains("await") {
            true if self.is_in_lambda(complaint.range) => {
                "; a lambda cannot wait, nor can the key of a sort: await the values first, \
                 `[await f(x) for x in rows]`, and use those"
            }
            true => "; make the function async: `async def`",
            false => "",
        };
        Some(Mistake {
            weight: Weight::Always,
            code: Code::Syntax,
            ..self.crash(
                complaint.range,
                format!("this is no valid Python: {}{advice}", plain(message)),
                raises::NOTHING,
            )
        })
    }

    fn is_in_lambda(&self, range: TextRange) -> bool {
        let id = self.tree.around(range);
        std::iter::once(id)
            .chain(self.tree.above(id))
            .any(|id| matches!(self.tree.node(id), AnyNodeRef::ExprLambda(_)))
    }

    /// Whether this is in a text, which is read as a type where it stands behind a class: `filter['a']`.
    fn is_in_text(&self, range: TextRange) -> bool {
        let id = self.tree.around(range);
        std::iter::once(id).chain(self.tree.above(id).take(1)).any(|id| {
            matches!(
                self.tree.node(id),
                AnyNodeRef::ExprStringLiteral(_) | AnyNodeRef::StringLiteral(_)
            )
        })
    }

    fn undefined(&self, complaint: &Complaint) -> Option<Mistake> {
        let given = self.given?;
        let name = quoted(&complaint.message)?;
        if given.iter().any(|one| one == name) || self.is_in_text(complaint.range) {
            return None;
        }
        let mut message = format!("the name '{name}' is not defined");
        let mut near = None;
        let imports = self.imports_of(name);
        if !imports.is_empty() {
            message = format!("the name '{name}' is not defined; add {}", one_of(&imports));
            near = imports.first().filter(|_| imports.len() == 1).cloned();
        } else if let Some((tool, import)) = self.called_as_by_clients(name) {
            message =
                format!("{message}; tools are functions: `{import}`, then `await {tool}(...)`");
            near = Some(import);
        } else if let Some(import) = usual_import(name) {
            message = format!("the name '{name}' is not defined; add `{import}`");
        } else if self.names.stores.contains_key(name) {
            message = format!("the name '{name}' has no value here yet");
        } else {
            let known = self.names.stores.keys().copied().chain(given.iter().map(String::as_str));
            let imported =
                self.names.imported.keys().chain(self.names.modules.keys()).map(String::as_str);
            let known = known.chain(imported).chain(self.names.meant()).chain(OURS.iter().copied());
            let known = known.chain(self.left.iter().map(String::as_str));
            let known = known.filter(|one| *one != name);
            // The program's own names before Python's.
            near = nearest(name, known).map(str::to_owned);
            // What others call a client looks like names of ours that do something else.
            let on_nothing = self.tool_on_nothing(complaint.range);
            let is_foreign = on_nothing.is_some() || foreign(name).is_some();
            near = near.filter(|near| !is_foreign || self.is_of_program(near, given));
            // `sum_` is `sum`, before anything of ours that has it inside.
            let bare = name.trim_matches('_');
            if let Some(exact) = BUILTINS.iter().find(|one| **one == bare)
                && near.as_deref().is_none_or(|near| !self.is_of_program(near, given))
            {
                near = Some((*exact).to_owned());
            }
            if near.is_none() {
                if let Some((tool, imports)) = &on_nothing {
                    let lines = one_of(imports);
                    message = format!(
                        "{message}; tools are functions: {lines}, then `await {tool}(...)`"
                    );
                    near = imports.first().filter(|_| imports.len() == 1).cloned();
                } else if let Some(words) = foreign(name) {
                    message = format!("{message}; {words}");
                } else {
                    // `orders` is no `ord`.
                    let builtin = nearest(name, BUILTINS.iter().copied());
                    let is_meant = |one: &&str| is_slip(name, one) || is_length(name, one);
                    near = builtin.filter(is_meant).map(str::to_owned);
                }
            }
            if near.is_none() && given.is_empty() && self.is_first && !is_foreign {
                message.push_str(
                    "; what an earlier program left is there only if `session` names its session",
                );
            }
        }
        let weight = self.weight_of_name(name, complaint.range, !imports.is_empty());
        Some(Mistake {
            code: Code::UndefinedName,
            weight,
            nearest: near,
            valid: if imports.len() > 1 { imports } else { Vec::new() },
            ..self.crash(complaint.range, message, raises::NAME)
        })
    }

    /// What a name without a value weighs. One that nothing defines is a mistake in the body of a loop and
    /// in a branch, too.
    fn weight_of_name(&self, name: &str, range: TextRange, is_tool: bool) -> Weight {
        // Nobody looks at what annotations say.
        if self.reach.is_dynamic() || self.reach.is_annotation_at(range) {
            return Weight::Advice;
        }
        let is_nowhere = || {
            !self.names.stores.contains_key(name)
                && !self.names.is_imported(name)
                && !self.is_in_doubt(range)
                && !self.reach.may_never_run_at(range)
        };
        if is_tool || is_nowhere() { Weight::Call } else { Weight::WhenReached }
    }

    /// Whether a name is one that the program made, imported or found.
    fn is_of_program(&self, name: &str, given: &[String]) -> bool {
        let Names { stores, imported, modules, .. } = self.names;
        let mut found = given.iter().chain(self.left);
        stores.contains_key(name)
            || imported.contains_key(name)
            || modules.contains_key(name)
            || found.any(|one| one == name)
    }

    /// The tool in `data.get_devices()` where `data` is nothing, and the lines that import it.
    fn tool_on_nothing(&self, range: TextRange) -> Option<(&'a str, Vec<String>)> {
        let members =
            self.tree.above(self.tree.around(range)).map_while(|id| match self.tree.node(id) {
                AnyNodeRef::ExprAttribute(attribute) => Some(attribute.attr.as_str()),
                _ => None,
            });
        let tools = members.map(|tool| (tool, self.imports_of(tool)));
        tools.into_iter().find(|(_, imports)| !imports.is_empty())
    }

    /// The lines that import a tool of this name, one for each server that has it.
    fn imports_of(&self, name: &str) -> Vec<String> {
        let tools = self.names.servers.having(name);
        let line = |server: &str| format!("from servers.{server} import {name}");
        tools.iter().map(|tool| line(tool.server_python())).collect()
    }

    /// The tool that clients call by such a name, `mcp__server__tool` or `server__tool`, and the line that
    /// imports it.
    fn called_as_by_clients(&self, name: &str) -> Option<(String, String)> {
        let named = name.strip_prefix("mcp__").unwrap_or(name);
        named.match_indices("__").find_map(|(at, between)| {
            let (server, tool) = (&named[..at], &named[at + between.len()..]);
            let found = self.names.servers.having(tool);
            let tool = found.into_iter().find(|tool| tool.server_python() == server)?.python();
            Some((tool.to_owned(), format!("from servers.{server} import {tool}")))
        })
    }

    /// A key that a result does not have.
    fn unknown_key(&self, complaint: &Complaint) -> Option<Mistake> {
        if let Some(rest) = complaint.message.strip_prefix("TypedDict `") {
            return self.no_list(rest.split('`').next()?, complaint.range);
        }
        let rest = complaint.message.strip_prefix("Unknown key \"")?;
        let (key, rest) = rest.split_once("\" for TypedDict `")?;
        let class = rest.split('`').next()?;
        let fields = self.fields.of(class)?;
        let subscript = self.subscript(complaint.range)?;
        // What was learned may be anything else the next time, so its type is never that alone.
        let is_learned = bindings::is_learned(class);
        let shown = self.type_of(&subscript.value);
        let may_be_none = shown.is_some_and(|shown| shown.split(" | ").any(|one| one == "None"));
        let classes = match shown {
            Some(shown) if shown != class => self.all_without(shown, key),
            shown => shown.map(|class| vec![class]),
        };
        let classes = classes.or_else(|| is_learned.then(|| vec![class]))?;
        let may_be_there = self.sets_key(key) || self.reach.is_guarded_at(complaint.range, key);
        if may_be_there {
            return None;
        }
        // Schemas that do not close their objects allow further fields, so only a slip of the pen is
        // certain to be meant as one of those declared; and only where the key stands in the
        // program as it is, and nobody else asks for it.
        let near = nearest(key, fields.iter().map(String::as_str));
        let is_wrong =
            classes.iter().all(|class| self.fields.is_closed(class) || self.slips(key, class));
        let is_plain = subscript.slice.is_string_literal_expr()
            && !self.is_put_off(complaint.range)
            && !self.is_asked_for(key);
        let is_clear =
            near.is_some_and(|field| is_slip(key, field)) || !self.is_in_doubt(complaint.range);
        let certain = is_wrong && is_plain && is_clear && self.settled && !self.names.patched;
        let weight = if is_learned || !certain { Weight::Advice } else { Weight::Call };
        Some(Mistake {
            code: Code::UnknownField,
            weight,
            nearest: near.map(|name| format!("\"{name}\"")),
            valid: self.shown_of(&classes),
            ..self.crash(
                subscript.slice.range(),
                match (is_learned, classes.iter().all(|class| self.fields.is_closed(class))) {
                    (true, _) => format!("no result seen so far had a field \"{key}\""),
                    (false, true) => format!("the result has no field \"{key}\""),
                    (false, false) => format!(
                        "the server declares no field \"{key}\" of the result; if it sends one all \
                         the same, ask with `.get(\"{key}\")`"
                    ),
                },
                if may_be_none { raises::LOOKUP } else { raises::KEY },
            )
        })
    }

    /// The classes of which a value is one, `A | B`, if all are results of tools that do not have a key.
    fn all_without<'s>(&self, shown: &'s str, key: &str) -> Option<Vec<&'s str>> {
        // What nothing has, None has not either.
        let lacks = |class: &&str| {
            let fields = self.fields.of(class);
            !bindings::is_learned(class)
                && fields.is_some_and(|fields| fields.iter().all(|field| field != key))
        };
        let classes: Vec<&str> = shown.split(" | ").filter(|class| *class != "None").collect();
        (!classes.is_empty() && classes.iter().all(lacks)).then_some(classes)
    }

    /// Whether a key is a field of a class with a slip of the pen.
    fn slips(&self, key: &str, class: &str) -> bool {
        let fields = self.fields.of(class).unwrap_or_default();
        nearest(key, fields.iter().map(String::as_str)).is_some_and(|field| is_slip(key, field))
    }

    /// The fields of all of some classes, each once.
    fn shown_of(&self, classes: &[&str]) -> Vec<String> {
        let mut shown: Vec<String> = Vec::new();
        for field in classes.iter().flat_map(|class| self.fields.shown(class)) {
            if !shown.contains(&field) {
                shown.push(field);
            }
        }
        shown
    }

    /// `devices[0]`, where `devices` is an object that has the list.
    fn no_list(&self, class: &str, range: TextRange) -> Option<Mistake> {
        let subscript = self.subscript(range)?;
        let number = match &*subscript.slice {
            Expr::UnaryOp(unary) => &unary.operand,
            slice => slice,
        };
        let is_index = number.is_number_literal_expr() || number.is_slice_expr();
        let is_certain =
            !bindings::is_learned(class) && self.type_of(&subscript.value) == Some(class);
        (is_index && is_certain).then(|| Mistake {
            code: Code::UnknownField,
            valid: self.fields.shown(class),
            ..self.crash(
                subscript.slice.range(),
                "the result is a dict, not a list".to_owned(),
                raises::KEY,
            )
        })
    }

    /// Whether a place is in a lambda without parameters, which somebody calls who may catch what it
    /// raises.
    fn is_put_off(&self, range: TextRange) -> bool {
        let id = self.tree.around(range);
        std::iter::once(id).chain(self.tree.above(id)).any(|id| {
            matches!(self.tree.node(id), AnyNodeRef::ExprLambda(lambda) if lambda.parameters.is_none())
        })
    }

    /// Whether the program asks somewhere if a key is there: in a test, or in a call that is given it.
    fn is_asked_for(&self, key: &str) -> bool {
        let is_key = |expression: &Expr| matches!(expression, Expr::StringLiteral(text) if text.value.to_str() == key);
        self.tree.all().any(|(_, node)| match node {
            AnyNodeRef::ExprCall(call) => call.arguments.args.iter().any(is_key),
            AnyNodeRef::ExprCompare(compare) => {
                matches!(&compare.ops[..], [CmpOp::In | CmpOp::NotIn]) && is_key(&compare.left)
            }
            _ => false,
        })
    }

    /// The reading subscript that a range belongs to.
    fn subscript(&self, range: TextRange) -> Option<&'a ruff_python_ast::ExprSubscript> {
        let id = self.tree.around(range);
        std::iter::once(id).chain(self.tree.above(id)).take(3).find_map(|id| {
            match self.tree.node(id) {
                AnyNodeRef::ExprSubscript(subscript) if subscript.ctx.is_load() => Some(subscript),
                _ => None,
            }
        })
    }

    /// Whether the program itself puts this key into something: by setting it, or in a dict that is
    /// put among results.
    fn sets_key(&self, key: &str) -> bool {
        let is_key = |expression: &Expr| matches!(expression, Expr::StringLiteral(text) if text.value.to_str() == key);
        self.tree.all().any(|(id, node)| match node {
            AnyNodeRef::ExprSubscript(subscript) => {
                !subscript.ctx.is_load() && is_key(&subscript.slice)
            }
            AnyNodeRef::ExprDict(dict) => {
                dict.items.iter().any(|item| item.key.as_ref().is_some_and(is_key))
                    && self.is_put_in(id)
            }
            // `result |= {"key": 1}`, or something else that has it.
            AnyNodeRef::StmtAugAssign(assign) => {
                assign.op == ruff_python_ast::Operator::BitOr
                    && match &*assign.value {
                        Expr::Dict(dict) => {
                            dict.items.iter().any(|item| item.key.as_ref().is_none_or(is_key))
                        }
                        _ => true,
                    }
            }
            AnyNodeRef::ExprCall(call) => match &*call.func {
                Expr::Attribute(method) if method.attr.as_str() == "setdefault" => {
                    call.arguments.args.first().is_some_and(is_key)
                }
                Expr::Attribute(method) if method.attr.as_str() == "update" => {
                    call.arguments.keywords.iter().any(|keyword| {
                        keyword.arg.as_ref().is_some_and(|name| name.as_str() == key)
                    })
                }
                _ => false,
            },
            _ => false,
        })
    }

    /// Whether a dict is given to a method of something that came from a result.
    fn is_put_in(&self, dict: Id) -> bool {
        self.tree.above(dict).any(|above| match self.tree.node(above) {
            AnyNodeRef::ExprCall(call) => matches!(&*call.func, Expr::Attribute(method) if ["append", "extend", "insert", "update"].contains(&method.attr.as_str()) && self.is_of_a_result(&method.value)),
            _ => false,
        })
    }

    /// Whether an expression may be a part of a result: it is no container of the program's own.
    fn is_of_a_result(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Name(name) => {
                let places =
                    self.names.stores.get(name.id.as_str()).map(Vec::as_slice).unwrap_or_default();
                !places.iter().all(|place| {
                    let parent = self.tree.parent(*place).map(|parent| self.tree.node(parent));
                    matches!(parent, Some(AnyNodeRef::StmtAssign(assign)) if matches!(&*assign.value, Expr::List(_) | Expr::Dict(_) | Expr::ListComp(_) | Expr::DictComp(_)))
                })
            }
            _ => true,
        }
    }

    /// `from json import dumsp`.
    fn unknown_member(&self, complaint: &Complaint) -> Option<Mistake> {
        let mut words = complaint.message.split('`').skip(1).step_by(2);
        let (module, name) = (words.next()?, words.next()?);
        let is_there = crate::modules::has_unlisted(module, name);
        if !crate::modules::is_known(module) || name.starts_with('_') || is_there {
            return None;
        }
        let mut mistake = self.crash(
            complaint.range,
            format!("the module '{module}' has no '{name}'"),
            raises::IMPORT,
        );
        let imports = self.imports_of(name);
        if !imports.is_empty() {
            mistake.message =
                format!("the module '{module}' has no '{name}'; add {}", one_of(&imports));
        }
        mistake.code = Code::UnknownModule;
        mistake.valid = self.members_at(complaint.range);
        mistake.nearest = crashes::member_meant(module, name, &mistake.valid);
        mistake.weight = Weight::WhenReached;
        Some(mistake)
    }

    /// What there is at the place of an attribute or an import, of which something was sought in vain.
    fn members_at(&self, place: TextRange) -> Vec<String> {
        let around = self.typed.members.iter().filter(|(range, _)| range.contains_range(place));
        around
            .min_by_key(|(range, _)| range.len())
            .map_or_else(Vec::new, |(_, names)| names.clone())
    }

    /// A coroutine of the program's own that nobody awaits.
    fn unused(&self, complaint: &Complaint) -> Option<Mistake> {
        // Alone on a line, where it could be awaited, the guest awaits it.
        let is_awaited = self.reach.is_awaitable_at(complaint.range);
        (complaint.message.contains("CoroutineType") && !is_awaited).then(|| Mistake {
            code: Code::MissingAwait,
            weight: Weight::Advice,
            ..self.crash(
                complaint.range,
                "this coroutine is never awaited, so nothing of it runs; write `await` before it"
                    .to_owned(),
                raises::NOTHING,
            )
        })
    }

    // --- types ------------------------------------------------------------------------

    /// The type of an expression, as the type checker writes it.
    fn type_of(&self, expression: &Expr) -> Option<&str> {
        self.typed.types.get(&expression.range()).map(String::as_str)
    }

    /// The one kind of thing that an expression certainly is.
    fn kind(&self, expression: &Expr) -> Option<Kind> {
        let kind = kinds::only(self.type_of(expression)?, |name| self.fields.of(name).is_some())?;
        // What a future gives may be anything; that it is one is written where it is made.
        let is_sure = match &kind {
            Kind::Future => self.trust.is_future(expression),
            // The program may have a class of the same name.
            Kind::Known(class) | Kind::Class(class) if self.is_own_class(class) => false,
            Kind::Known(_) => self.trust.is_sure(expression) || self.is_of_a_table(expression),
            Kind::Coroutine => self.trust.is_sure(expression) || self.is_made_to_wait(expression),
            _ => self.trust.is_sure(expression),
        };
        is_sure.then_some(kind)
    }

    /// Whether a call gives a coroutine whatever is in what it is called on: `queue.get()`, and what
    /// `asyncio` itself gives.
    fn is_made_to_wait(&self, expression: &Expr) -> bool {
        let Expr::Call(call) = expression else { return false };
        let Expr::Attribute(method) = &*call.func else { return false };
        let is_module = matches!(self.names.standard(&call.func), Some(("asyncio", _)));
        !self.trust.sets_attribute(method.attr.as_str())
            && (is_module || matches!(self.kind(&method.value), Some(Kind::Known(_))))
    }

    /// Whether the program has a class of this name.
    fn is_own_class(&self, name: &str) -> bool {
        let places = self.names.stores.get(name).map(Vec::as_slice).unwrap_or_default();
        places.iter().any(|place| matches!(self.tree.node(*place), AnyNodeRef::StmtClassDef(_)))
    }

    fn node(&self, range: TextRange) -> Id {
        self.tree.around(range)
    }

    /// A use of a coroutine of the program's own, or of a future, as if it were its result.
    fn unawaited(&self, expression: &Expr, kind: &Kind) -> Mistake {
        let what = match kind {
            Kind::Future => "future",
            _ => "coroutine",
        };
        let message = format!(
            "this is a {what}, not its result; write `await` before the call that makes it"
        );
        let crash = self.crash(expression.range(), message, raises::TYPE);
        let is_own = *kind == Kind::Coroutine && self.trust.is_apart(expression);
        let crash = self.apart(crash, is_own);
        Mistake { code: Code::MissingAwait, ..crash }
    }
}

/// The first thing in backquotes.
fn quoted(message: &str) -> Option<&str> {
    message.split('`').nth(1)
}

/// A message without the marks of the type checker.
fn plain(message: &str) -> String {
    let mut letters = message.replace('`', "'");
    if let Some(first) = letters.get(..1).map(str::to_lowercase)
        && letters.chars().nth(1).is_some_and(char::is_lowercase)
    {
        letters.replace_range(..1, &first);
    }
    letters
}

/// Lines to choose from, in words.
fn one_of(lines: &[String]) -> String {
    lines.iter().map(|line| format!("`{line}`")).collect::<Vec<_>>().join(" or ")
}

/// What to write for names that belong to other languages, or to other ways to call tools.
fn foreign(name: &str) -> Option<&'static str> {
    Some(match name {
        "null" | "undefined" | "nil" => "Python writes None",
        "true" => "Python writes True",
        "false" => "Python writes False",
        "mcp" | "mcp_client" | "client" | "tools" | "server" | "use_mcp_tool" | "call_tool"
        | "mcp_call" => {
            "tools are functions: `from servers.NAME import TOOL`, then `await TOOL(...)`; search_tools(\"...\") finds them"
        }
        _ => return None,
    })
}

/// How names that everybody knows are imported.
fn usual_import(name: &str) -> Option<&'static str> {
    Some(match name {
        "numpy" => "import numpy",
        "pandas" => "import pandas",
        "scipy" => "import scipy",
        "sklearn" => "import sklearn",
        "matplotlib" => "import matplotlib",
        "base64" => "import base64",
        "functools" => "import functools",
        "hashlib" => "import hashlib",
        "io" => "import io",
        "operator" => "import operator",
        "string" => "import string",
        "textwrap" => "import textwrap",
        "uuid" => "import uuid",
        "np" => "import numpy as np",
        "pd" => "import pandas as pd",
        "plt" => "import matplotlib.pyplot as plt",
        "json" => "import json",
        "asyncio" => "import asyncio",
        "re" => "import re",
        "math" => "import math",
        "os" => "import os",
        "sys" => "import sys",
        "time" => "import time",
        "random" => "import random",
        "statistics" => "import statistics",
        "itertools" => "import itertools",
        "collections" => "import collections",
        "csv" => "import csv",
        "datetime" => "from datetime import datetime",
        "timedelta" => "from datetime import timedelta",
        "timezone" => "from datetime import timezone",
        "date" => "from datetime import date",
        "Counter" => "from collections import Counter",
        "defaultdict" => "from collections import defaultdict",
        "Path" => "from pathlib import Path",
        "Decimal" => "from decimal import Decimal",
        "dataclass" => "from dataclasses import dataclass",
        _ => return None,
    })
}
