//! Operations that a value certainly does not have.

use std::fmt::Write as _;

use ruff_python_ast::{AnyNodeRef, Expr, ExprCall};
use ruff_text_size::{Ranged as _, TextRange};

use super::{Judge, plain};
use crate::finding::{Code, Mistake, Weight, raises};
use crate::kinds::{self, Kind};
use crate::members;
use crate::nearest::nearest;
use crate::tree::Id;
use crate::typed::Complaint;

/// What a loop or a comprehension gives names to, and what it goes over.
pub(crate) fn loop_of(node: AnyNodeRef<'_>) -> Option<(&Expr, &Expr)> {
    match node {
        AnyNodeRef::StmtFor(one) => Some((&one.target, &one.iter)),
        AnyNodeRef::Comprehension(one) => Some((&one.target, &one.iter)),
        _ => None,
    }
}

/// What objects have though the stubs do not say so.
const UNLISTED: &[(&str, &str)] = &[("Pattern", "scanner"), ("ZipFile", "metadata_encoding")];

impl<'a> Judge<'_, 'a, '_> {
    pub(super) fn unknown_attribute(&self, complaint: &Complaint) -> Option<Mistake> {
        let AnyNodeRef::ExprAttribute(attribute) =
            self.enclosing(complaint.range, |node| matches!(node, AnyNodeRef::ExprAttribute(_)))?
        else {
            return None;
        };
        let name = attribute.attr.as_str();
        if !attribute.ctx.is_load()
            || name.starts_with('_')
            || self.names.meaning(&attribute.value).is_some()
        {
            return None;
        }
        let kind = match self.kind(&attribute.value) {
            Some(kind) => kind,
            None => self.known_or_none(&attribute.value, complaint)?,
        };
        let range = attribute.attr.range;
        let crash = |message: String| {
            let crash = self.crash(range, message, raises::ATTRIBUTE);
            self.apart(crash, self.trust.is_apart(&attribute.value))
        };
        if let Kind::Known(class) | Kind::Class(class) = &kind
            && (self.may_have_more(class, attribute) || UNLISTED.contains(&(class, name)))
        {
            return None;
        }
        match kind {
            Kind::Coroutine | Kind::Future => Some(Mistake {
                raises: raises::ATTRIBUTE,
                ..self.unawaited(&attribute.value, &kind)
            }),
            Kind::Typed(class) => {
                let fields = self.fields.of(&class)?;
                // Pictures and files that came with a result.
                if name == "content" || members::of_kind(&Kind::Dict).any(|one| one == name) {
                    return None;
                }
                let near = fields.iter().find(|field| *field == name).map(String::as_str);
                let near = near.or_else(|| nearest(name, fields.iter().map(String::as_str)));
                let mut message = format!("a result is a dict, which has no attribute '{name}'");
                if let Some(field) = near {
                    let _ = write!(message, "; write [\"{field}\"] instead of .{name}");
                }
                Some(Mistake {
                    code: Code::UnknownField,
                    nearest: near.map(|field| format!("[\"{field}\"]")),
                    valid: fields.iter().map(|field| format!("[\"{field}\"]")).collect(),
                    ..crash(message)
                })
            }
            Kind::Dict => {
                let near = nearest(name, members::of_kind(&Kind::Dict)).map(str::to_owned);
                let is_of_lists = members::of_kind(&Kind::List).any(|one| one == name);
                let mut message = format!("a dict has no attribute '{name}'");
                if near.is_none() && !is_of_lists {
                    let _ = write!(message, "; write [\"{name}\"] instead of .{name}");
                }
                let valid = members::of_kind(&Kind::Dict).map(str::to_owned).collect();
                Some(Mistake { nearest: near, valid, ..crash(message) })
            }
            // What is declared as a float may be a whole number.
            Kind::Float if members::of_kind(&Kind::Int(None)).any(|one| one == name) => None,
            Kind::List if name == "content" => None,
            Kind::Other | Kind::Function => None,
            Kind::Module => self.unknown_in_module(attribute, name),
            _ => {
                let shown = self.type_of(&attribute.value).unwrap_or_default();
                let usual = usual_name(&kind, name).map(str::to_owned);
                let valid = self.members_at(attribute.range);
                let near = usual
                    .or_else(|| nearest(name, valid.iter().map(String::as_str)).map(str::to_owned));
                let message = format!("{} has no attribute '{name}'", described(&kind, shown));
                Some(Mistake { nearest: near, valid, ..crash(message) })
            }
        }
    }

    /// The class of the standard library that a value is of if it is not None: `re.match(...)`. What neither
    /// of them has raises all the same.
    fn known_or_none(&self, value: &Expr, complaint: &Complaint) -> Option<Kind> {
        let is_of_both = complaint.message.starts_with("Object of type `");
        let shown = self.type_of(value)?.strip_suffix(" | None")?;
        let kind = kinds::only(shown, |name| self.fields.of(name).is_some())?;
        let is_known = matches!(kind, Kind::Known(_) | Kind::Str(_));
        (is_of_both && is_known && self.trust.is_sure(value)).then_some(kind)
    }

    /// Whether the program gives something an attribute of this name.
    fn is_set_somewhere(&self, name: &str) -> bool {
        self.tree.all().any(|(_, node)| {
            matches!(node, AnyNodeRef::ExprAttribute(one) if one.ctx.is_store() && one.attr.as_str() == name)
        })
    }

    /// Whether a class may have attributes that its stub does not have: it is one of the program's own,
    /// or was given more, or is a table, which has its columns. Those cannot be called.
    fn may_have_more(&self, class: &str, attribute: &ruff_python_ast::ExprAttribute) -> bool {
        let places = self.names.stores.get(class).map(Vec::as_slice).unwrap_or_default();
        let is_class = |place: &Id| matches!(self.tree.node(*place), AnyNodeRef::StmtClassDef(_));
        let is_own = places.iter().any(is_class);
        let is_table = super::tables::TABLES.contains(&class);
        let is_called = || {
            self.tree.all().any(|(_, node)| {
                matches!(node, AnyNodeRef::ExprCall(call) if call.func.range() == attribute.range)
            })
        };
        let registers = || {
            self.tree.all().any(|(_, node)| match node {
                AnyNodeRef::ExprAttribute(one) => one.attr.starts_with("register_"),
                AnyNodeRef::Alias(one) => one.name.starts_with("register_"),
                _ => false,
            })
        };
        is_own
            || self.is_set_somewhere(attribute.attr.as_str())
            || is_table && (!is_called() || registers())
    }

    fn unknown_in_module(
        &self,
        attribute: &ruff_python_ast::ExprAttribute,
        name: &str,
    ) -> Option<Mistake> {
        let module =
            self.type_of(&attribute.value)?.strip_prefix("<module '")?.trim_end_matches("'>");
        if !crate::modules::is_known(module) || crate::modules::has_unlisted(module, name) {
            return None;
        }
        // Modules have the modules that they import, which no stub says, and what programs give them.
        let is_module = name == "sys" || crate::modules::usual().any(|module| module == name);
        if is_module || self.is_set_somewhere(name) {
            return None;
        }
        let hint = match (module, name) {
            (
                "datetime",
                "now" | "today" | "strptime" | "fromisoformat" | "utcnow" | "fromtimestamp",
            ) => {
                format!("; write datetime.datetime.{name}, or `from datetime import datetime`")
            }
            _ => String::new(),
        };
        let valid = self.members_at(attribute.range);
        let near = member_meant(module, name, &valid);
        let message = format!("the module '{module}' has no '{name}'{hint}");
        let crash = self.crash(attribute.attr.range, message, raises::ATTRIBUTE);
        let crash = self.apart(crash, self.trust.is_apart(&attribute.value));
        Some(Mistake { nearest: near.filter(|_| hint.is_empty()), valid, ..crash })
    }

    pub(super) fn not_callable(&self, complaint: &Complaint) -> Option<Mistake> {
        let call = self.call(complaint.range)?;
        if self.names.is_tool(&call.func) {
            return None;
        }
        let kind = self.kind(&call.func)?;
        let shown = self.type_of(&call.func)?;
        match kind {
            Kind::Coroutine | Kind::Future => Some(self.unawaited(&call.func, &kind)),
            Kind::Other | Kind::Known(_) | Kind::Class(_) | Kind::Function => None,
            Kind::Module => {
                let module = shown.trim_start_matches("<module '").trim_end_matches("'>");
                // A tool's module can be called like its function.
                if module.starts_with("servers") {
                    return None;
                }
                let hint = if module == "datetime" {
                    "; write `from datetime import datetime`"
                } else {
                    ""
                };
                Some(self.crash(
                    call.func.range(),
                    format!("the module '{module}' cannot be called{hint}"),
                    raises::TYPE,
                ))
            }
            kind => Some(self.crash(
                call.func.range(),
                format!("{} cannot be called", described(&kind, shown)),
                raises::TYPE,
            )),
        }
    }

    pub(super) fn not_subscriptable(&self, complaint: &Complaint) -> Option<Mistake> {
        let subscript = self.subscript(complaint.range)?;
        let kind = self.kind(&subscript.value)?;
        match kind {
            Kind::Coroutine | Kind::Future => Some(self.unawaited(&subscript.value, &kind)),
            Kind::Int(_)
            | Kind::Float
            | Kind::Bool
            | Kind::None
            | Kind::Set
            | Kind::Known(_)
            | Kind::Function
            | Kind::Module => {
                let shown = self.type_of(&subscript.value)?;
                let is_series = matches!(&kind, Kind::Known(class)
                    if kinds::is_iterator(class) || class.starts_with("dict_"));
                let hint = if is_series { "; write list(...) around it" } else { "" };
                let message = format!(
                    "{} has no items, so [...] cannot be applied to it{hint}",
                    described(&kind, shown)
                );
                let crash = self.crash(subscript.range, message, raises::TYPE);
                Some(self.apart(crash, self.trust.is_apart(&subscript.value)))
            }
            _ => None,
        }
    }

    pub(super) fn not_iterable(&self, complaint: &Complaint) -> Option<Mistake> {
        let expression = self.expression(complaint.range)?;
        let kind = self.kind(expression)?;
        match kind {
            Kind::Coroutine | Kind::Future => Some(self.unawaited(expression, &kind)),
            Kind::Int(_)
            | Kind::Float
            | Kind::Bool
            | Kind::None
            | Kind::Known(_)
            | Kind::Function
            | Kind::Module => {
                let shown = self.type_of(expression)?;
                Some(self.crash(
                    expression.range(),
                    format!("{} cannot be iterated over", described(&kind, shown)),
                    raises::TYPE,
                ))
            }
            _ => None,
        }
    }

    pub(super) fn not_awaitable(&self, complaint: &Complaint) -> Option<Mistake> {
        let AnyNodeRef::ExprAwait(awaited) =
            self.enclosing(complaint.range, |node| matches!(node, AnyNodeRef::ExprAwait(_)))?
        else {
            return None;
        };
        let kind = self.kind(&awaited.value)?;
        if matches!(
            kind,
            Kind::Other
                | Kind::Class(_)
                | Kind::Function
                | Kind::Coroutine
                | Kind::Future
                | Kind::Module
        ) {
            return None;
        }
        let shown = self.type_of(&awaited.value)?;
        Some(self.crash(
            awaited.range,
            format!("{} cannot be awaited; leave out `await`", described(&kind, shown)),
            raises::TYPE,
        ))
    }

    pub(super) fn unsupported(&self, complaint: &Complaint) -> Option<Mistake> {
        let node = self.enclosing(complaint.range, |node| {
            matches!(
                node,
                AnyNodeRef::ExprBinOp(_)
                    | AnyNodeRef::ExprCompare(_)
                    | AnyNodeRef::StmtAugAssign(_)
            )
        })?;
        let (left, right) = match node {
            AnyNodeRef::ExprBinOp(operation) => (&*operation.left, &*operation.right),
            AnyNodeRef::ExprCompare(compare) => match &compare.comparators[..] {
                [right] => (&*compare.left, right),
                _ => return None,
            },
            _ => return None,
        };
        let (left_kind, right_kind) = (self.kind(left)?, self.kind(right)?);
        for (kind, expression) in [(&left_kind, left), (&right_kind, right)] {
            match kind {
                Kind::Coroutine | Kind::Future => return Some(self.unawaited(expression, kind)),
                Kind::Other | Kind::Class(_) | Kind::Function | Kind::Module => return None,
                _ => {}
            }
        }
        let operator = complaint.message.split('`').nth(1).unwrap_or("this operator");
        // What is declared as a float may be a whole number, and these take one.
        let has_float = [&left_kind, &right_kind].contains(&&Kind::Float);
        if has_float && ["*", "&", "|", "^", "<<", ">>"].contains(&operator) {
            return None;
        }
        let is_apart = self.trust.is_apart(left) && self.trust.is_apart(right);
        let (left, right) = (self.type_of(left)?, self.type_of(right)?);
        let mut message = format!(
            "'{operator}' does not work between {} and {}",
            described(&left_kind, left),
            described(&right_kind, right),
        );
        if operator == "+"
            && (matches!(left_kind, Kind::Str(_)) || matches!(right_kind, Kind::Str(_)))
        {
            message.push_str("; write an f-string, or str(...) around the other value");
        }
        Some(self.apart(self.crash(complaint.range, message, raises::TYPE), is_apart))
    }

    /// A call of a function of the program, or of the standard library, that it does not take.
    pub(super) fn wrong_call(&self, complaint: &Complaint) -> Option<Mistake> {
        let call = self.call(complaint.range)?;
        if self.may_take_more(call) {
            return None;
        }
        let mut message = plain(&complaint.message);
        let valid = self.typed.parameters.get(&call.range()).cloned().unwrap_or_default();
        if let Expr::Name(name) = &*call.func
            && let Some([definition]) = self.names.stores.get(name.id.as_str()).map(Vec::as_slice)
            && let AnyNodeRef::StmtFunctionDef(function) = self.tree.node(*definition)
        {
            let names: Vec<&str> =
                function.parameters.iter().map(|one| one.name().as_str()).collect();
            message = format!("{message}; {}() takes ({})", name.id, names.join(", "));
        }
        let given = call.arguments.keywords.iter().filter_map(|one| one.arg.as_ref());
        let given: Vec<&str> = given.map(ruff_python_ast::Identifier::as_str).collect();
        let unknown = super::quoted(&complaint.message).filter(|name| given.contains(name));
        let absent = valid.iter().map(String::as_str).filter(|name| !given.contains(name));
        let near = unknown.and_then(|name| nearest(name, absent)).map(str::to_owned);
        let is_apart = self.trust.is_callee_apart(&call.func);
        let crash = self.apart(self.crash(complaint.range, message, raises::TYPE), is_apart);
        Some(Mistake { nearest: near, valid, ..crash })
    }

    /// Whether a call may give more, or what is called take more, than can be seen.
    pub(super) fn may_take_more(&self, call: &'a ExprCall) -> bool {
        let spread = call.arguments.args.iter().any(Expr::is_starred_expr)
            || call.arguments.keywords.iter().any(|keyword| keyword.arg.is_none());
        // What begins with an underscore is nobody's promise, and stubs may be behind.
        let private =
            matches!(&*call.func, Expr::Attribute(attribute) if attribute.attr.starts_with('_'));
        // A result is a dict like any other, though stubs of one with known keys say less.
        let of_a_result = matches!(&*call.func, Expr::Attribute(attribute)
            if matches!(self.kind(&attribute.value), None | Some(Kind::Typed(_)))
                && !self.is_own_method(attribute));
        // A name that every program has may have been given another meaning.
        let given = matches!(&*call.func, Expr::Name(name)
            if self.given.is_none_or(|given| given.iter().any(|one| *one == name.id.as_str())));
        spread
            || given
            || (private || of_a_result) && !self.makes_its_parent(call)
            || self.names.is_tool(&call.func)
            || self.is_odd(&call.func)
    }

    /// Whether a method is one of a class of the program's own, as it is written there.
    fn is_own_method(&self, attribute: &ruff_python_ast::ExprAttribute) -> bool {
        let name = attribute.attr.as_str();
        let method = self
            .reach
            .class_of(&attribute.value)
            .and_then(|class| self.reach.method(class, name))
            .map(|method| self.tree.node(method));
        matches!(method, Some(AnyNodeRef::StmtFunctionDef(one)) if one.decorator_list.is_empty())
            && !self.is_set_somewhere(name)
    }

    /// Something of the program's own that may be called in ways of its own: a metaclass says how, or
    /// it was made by a call, as `namedtuple(...)`, or somebody changes how it is called.
    fn is_odd(&self, function: &Expr) -> bool {
        if self.trust.changes_signatures() {
            return true;
        }
        let Expr::Name(name) = function else { return false };
        let places = self.names.stores.get(name.id.as_str()).map(Vec::as_slice);
        let places = places.unwrap_or_default();
        // Of several, the one that is called may be another than the one complained of.
        let is_one_of_several = places.len() > 1
            || !places.is_empty() && self.names.imported.contains_key(name.id.as_str());
        is_one_of_several
            || places.iter().any(|place| match self.tree.node(*place) {
                AnyNodeRef::StmtFunctionDef(_) => false,
                AnyNodeRef::ExprName(_) => !self.is_written_function(*place),
                AnyNodeRef::StmtClassDef(class) => {
                    let has_unknown_base = |base: &Expr| match base {
                        Expr::Name(base) => self.names.is_from_nowhere(base.id.as_str()),
                        _ => false,
                    };
                    class.arguments.as_ref().is_some_and(|given| {
                        !given.keywords.is_empty() || given.args.iter().any(has_unknown_base)
                    })
                }
                _ => true,
            })
    }

    /// Functions that everybody uses, with something that they certainly refuse.
    pub(super) fn wrong_argument(&self, complaint: &Complaint) -> Option<Mistake> {
        if complaint.message.contains("__getitem__") {
            return self.wrong_index(complaint);
        }
        let call = self.call(complaint.range)?;
        let first = call.arguments.args.first()?;
        if first.is_starred_expr() {
            return None;
        }
        if let Expr::Attribute(method) = &*call.func
            && method.attr.as_str() == "sort"
            && self.kind(&method.value) == Some(Kind::List)
        {
            let message = "sort() takes its key by name; write key=...".to_owned();
            return Some(self.crash(first.range(), message, raises::TYPE));
        }
        let kind = self.kind(first)?;
        let function = self.function_name(&call.func)?;
        if let Some(mistake) = self.refused_by_module(&function, first, &kind) {
            return Some(mistake);
        }
        if !refuses(&function, &kind, self.type_of(first)?, call.arguments.args.len()) {
            return None;
        }
        if matches!(kind, Kind::Coroutine | Kind::Future) {
            return Some(self.unawaited(first, &kind));
        }
        let shown = self.type_of(first)?;
        let mut message = format!("{function}() does not take {}", described(&kind, shown));
        if function == "json.loads" {
            let text = match &kind {
                Kind::Typed(class) => self.only_text(class),
                _ => None,
            };
            match text {
                Some(field) => {
                    let _ = write!(message, "; the text is in [\"{field}\"]");
                }
                None => message
                    .push_str("; results of tools are parsed already, so leave json.loads out"),
            }
        } else if function == "asyncio.gather" {
            message = format!(
                "{function}() takes the calls themselves, not a list of them; write {function}(*calls)"
            );
        } else if function == "next" {
            message.push_str("; write next(iter(...)), or give it a generator");
        } else if function == "join" {
            message = format!("join() wants texts, not {shown}; write str(...) around each");
        }
        Some(self.crash(first.range(), message, raises::TYPE))
    }

    /// The one field of an object, if that is a text.
    fn only_text(&self, class: &str) -> Option<&str> {
        let [field] = self.fields.of(class)? else { return None };
        (self.fields.annotation(class, field)? == "str").then_some(field.as_str())
    }

    /// `issues["title"]`, where `issues` is a list.
    fn wrong_index(&self, complaint: &Complaint) -> Option<Mistake> {
        let subscript = self.tree.all().find_map(|(_, node)| match node {
            AnyNodeRef::ExprSubscript(subscript)
                if subscript.ctx.is_load() && subscript.value.range() == complaint.range =>
            {
                Some(subscript)
            }
            _ => None,
        })?;
        let kind = self.kind(&subscript.value)?;
        if self.is_fraction(&subscript.slice)
            && matches!(kind, Kind::List | Kind::Tuple | Kind::Str(_))
        {
            let message = "items are counted in whole numbers; write // in place of /".to_owned();
            return Some(self.crash(subscript.slice.range(), message, raises::TYPE));
        }
        let Expr::StringLiteral(key) = &*subscript.slice else { return None };
        let key = key.value.to_str();
        let hint = match kind {
            Kind::List | Kind::Tuple => {
                format!("loop over it, or take one item first: [0][\"{key}\"]")
            }
            Kind::Str(_) => {
                self.looped(&subscript.value).unwrap_or_else(|| "it has no fields".to_owned())
            }
            _ => return None,
        };
        let shown = self.type_of(&subscript.value)?;
        let message = format!("{} has no field \"{key}\"; {hint}", described(&kind, shown));
        let crash = self.crash(subscript.slice.range(), message, raises::TYPE);
        // A part of a result that is read as what it is not is a mistake about a tool, like a field
        // that is not there.
        let is_of_a_result = self.trust.is_result((&*subscript.value).into())
            && crash.weight == Weight::WhenReached
            && !self.is_in_doubt(complaint.range);
        Some(if is_of_a_result { Mistake { weight: Weight::Call, ..crash } } else { crash })
    }

    /// What to say of a text that is a key, because the program loops over a dict.
    fn looped(&self, value: &Expr) -> Option<String> {
        let Expr::Name(name) = value else { return None };
        let source = self.tree.all().find_map(|(_, node)| {
            let (target, iter) = loop_of(node)?;
            matches!(target, Expr::Name(target) if target.id == name.id).then_some(iter)
        })?;
        let Kind::Typed(class) = self.kind(source)? else { return None };
        let fields: Vec<String> =
            self.fields.of(&class)?.iter().map(|field| format!("\"{field}\"")).collect();
        Some(format!(
            "the loop is over a dict, which gives its keys; it has {}: loop over what is under one of them",
            fields.join(", ")
        ))
    }

    /// `len`, `json.loads`, or the `join` of a text.
    fn function_name(&self, function: &Expr) -> Option<String> {
        match function {
            Expr::Name(name) => {
                let name = name.id.as_str();
                match self.names.imported.get(name) {
                    Some(module) => Some(format!("{module}.{name}")),
                    None => (!self.names.stores.contains_key(name)).then(|| name.to_owned()),
                }
            }
            Expr::Attribute(attribute) => {
                let method = attribute.attr.as_str();
                if let Expr::Name(root) = &*attribute.value
                    && let Some(module) = self.names.modules.get(root.id.as_str())
                    && !self.names.stores.contains_key(root.id.as_str())
                {
                    return Some(format!("{module}.{method}"));
                }
                (method == "join" && attribute.value.is_string_literal_expr())
                    .then(|| method.to_owned())
            }
            _ => None,
        }
    }

    /// The innermost node around a place that is of some kind, not too far out.
    fn enclosing(
        &self,
        range: TextRange,
        wanted: impl Fn(AnyNodeRef<'a>) -> bool,
    ) -> Option<AnyNodeRef<'a>> {
        let id = self.node(range);
        std::iter::once(id)
            .chain(self.tree.above(id))
            .take(4)
            .map(|id| self.tree.node(id))
            .find(|node| wanted(*node))
    }

    pub(super) fn call(&self, range: TextRange) -> Option<&'a ExprCall> {
        match self.enclosing(range, |node| matches!(node, AnyNodeRef::ExprCall(_)))? {
            AnyNodeRef::ExprCall(call) => Some(call),
            _ => None,
        }
    }

    /// The expression that has exactly this range.
    fn expression(&self, range: TextRange) -> Option<&'a Expr> {
        self.tree.all().find_map(|(_, node)| {
            let of = |expression: &'a Expr| (expression.range() == range).then_some(expression);
            match node {
                AnyNodeRef::StmtFor(statement) => of(&statement.iter),
                AnyNodeRef::Comprehension(comprehension) => of(&comprehension.iter),
                AnyNodeRef::StmtAssign(assign) => of(&assign.value),
                AnyNodeRef::ExprStarred(starred) => of(&starred.value),
                _ => None,
            }
        })
    }
}

/// What other languages call by this name.
fn usual_name(kind: &Kind, name: &str) -> Option<&'static str> {
    match (kind, name) {
        (Kind::List, "push" | "add") => Some("append"),
        (Kind::List, "push_all" | "addAll" | "concat") => Some("extend"),
        (Kind::Str(_) | Kind::List | Kind::Tuple | Kind::Set, "length" | "size" | "len") => {
            Some("len(...)")
        }
        (Kind::List, "join") => Some("\", \".join(...)"),
        (Kind::Str(_), "contains" | "includes") => Some("in"),
        (Kind::Str(_), "trim") => Some("strip"),
        (Kind::Str(_), "toLowerCase" | "to_lower") => Some("lower"),
        (Kind::Str(_), "toUpperCase" | "to_upper") => Some("upper"),
        _ => None,
    }
}

/// What was meant by a name that a module does not have: what other languages call so, or the
/// nearest of what it has.
pub(super) fn member_meant(module: &str, name: &str, valid: &[String]) -> Option<String> {
    let usual = match (module, name) {
        ("json", "parse" | "decode" | "read") => Some("loads"),
        ("json", "stringify" | "encode" | "write") => Some("dumps"),
        ("math", "round" | "abs" | "max" | "min") => return Some(name.to_owned()),
        ("statistics", "average" | "avg") => Some("mean"),
        ("asyncio", "all") => Some("gather"),
        _ => None,
    };
    let usual = usual.or_else(|| nearest(name, valid.iter().map(String::as_str)));
    usual.map(str::to_owned)
}

pub(super) fn is_number(kind: &Kind) -> bool {
    matches!(kind, Kind::Int(_) | Kind::Float | Kind::Bool)
}

pub(super) fn is_nothing(kind: &Kind) -> bool {
    matches!(kind, Kind::None | Kind::Coroutine | Kind::Future)
}

pub(super) fn is_container(kind: &Kind) -> bool {
    matches!(kind, Kind::List | Kind::Dict | Kind::Typed(_) | Kind::Tuple | Kind::Set)
}

/// Whether a function certainly raises when its first argument is of this kind.
fn refuses(function: &str, kind: &Kind, shown: &str, count: usize) -> bool {
    let number = is_number(kind);
    let nothing = is_nothing(kind);
    let container = is_container(kind);
    let iterator = matches!(kind, Kind::Known(class) if kinds::is_iterator(class));
    match function {
        "len" | "reversed" => number || nothing || iterator,
        "sorted" | "list" | "set" | "frozenset" | "tuple" | "enumerate" | "any" | "all"
        | "iter" | "sum" => number || nothing,
        "min" | "max" => count == 1 && (number || nothing),
        "int" | "float" => nothing || container,
        "abs" | "round" => nothing || container || matches!(kind, Kind::Str(_)),
        "next" => nothing || container || number || matches!(kind, Kind::Str(_)),
        // What is declared as a float may be a whole number.
        "range" => count == 1 && (nothing || container || matches!(kind, Kind::Str(_))),
        "json.loads" => nothing || container || matches!(kind, Kind::Int(_) | Kind::Float),
        "asyncio.gather" => container,
        "join" => ["list[int]", "list[float]", "list[int | float]", "set[int]"].contains(&shown),
        _ => false,
    }
}

/// A value in words, with its type.
pub(super) fn described(kind: &Kind, shown: &str) -> String {
    let shown = match shown.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown.to_owned(),
    };
    match kind {
        Kind::None => "None".to_owned(),
        Kind::Str(_) => "a str".to_owned(),
        Kind::Int(_) => "an int".to_owned(),
        Kind::Float => "a float".to_owned(),
        Kind::Bool => "a bool".to_owned(),
        Kind::Bytes => "bytes".to_owned(),
        Kind::List => "a list".to_owned(),
        Kind::Dict | Kind::Typed(_) => "a dict".to_owned(),
        Kind::Tuple => "a tuple".to_owned(),
        Kind::Set => "a set".to_owned(),
        Kind::Coroutine => "a coroutine".to_owned(),
        Kind::Future => "a future".to_owned(),
        Kind::Function => "a function".to_owned(),
        Kind::Module => "a module".to_owned(),
        Kind::Known(name) if name.starts_with(['A', 'E', 'I', 'O', 'U', 'e', 'i', 'o']) => {
            format!("an {name}")
        }
        Kind::Known(name) => format!("a {name}"),
        Kind::Class(name) => format!("the class {name}"),
        Kind::Other => shown,
    }
}
