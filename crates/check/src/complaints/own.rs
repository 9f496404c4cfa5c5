//! Attributes that classes of the program's own certainly do not have: `person.nmae`, `Color.REDD`.
//!
//! Only classes count whose whole making stands in the program: nothing is generated, inherited from
//! somewhere else, or answered by `__getattr__`, and no place of the program sets an attribute of this name.

use ruff_python_ast::{AnyNodeRef, Expr, ExprAttribute, Stmt, StmtClassDef};

use super::Judge;
use crate::finding::{Mistake, raises};
use crate::nearest::nearest;
use crate::tree::Id;

/// How many classes may be above one another.
const DEEPEST: usize = 8;

/// How many attributes that a class does not bind itself are looked for in the whole program.
const MOST_LOOKED: usize = 300;

/// What a class may define to answer for any name, or to be made into something else.
const OPENING: &[&str] =
    &["__getattr__", "__getattribute__", "__new__", "__setattr__", "__set_name__"];

/// Decorators that add nothing with a name of its own.
const PLAIN: &[(&str, &str)] = &[
    ("dataclasses", "dataclass"),
    ("enum", "unique"),
    ("functools", "total_ordering"),
    ("typing", "final"),
];

/// Classes that make an enumeration.
const ENUMERATIONS: &[&str] = &["Enum", "Flag", "IntEnum", "IntFlag", "StrEnum"];

const OF_MEMBER: &str = "name value boundary";
const OF_EXCEPTION: &str = "add_note args with_traceback";
const OF_INT: &str = "as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag \
                      is_integer numerator real to_bytes";
const OF_STR: &str = "capitalize casefold center count encode endswith expandtabs find format \
                      format_map index isalnum isalpha isascii isdecimal isdigit isidentifier islower \
                      isnumeric isprintable isspace istitle isupper join ljust lower lstrip maketrans \
                      partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit \
                      rstrip split splitlines startswith strip swapcase title translate upper zfill";

impl<'a> Judge<'_, 'a, '_> {
    /// An attribute that what it is read of does not have.
    pub(super) fn missing_in_own(&self, id: Id, attribute: &'a ExprAttribute) -> Option<Mistake> {
        let name = attribute.attr.as_str();
        if !attribute.ctx.is_load() || name.starts_with('_') || self.trust.sets_attribute(name) {
            return None;
        }
        let (class, is_class) = match self.class_named(&attribute.value) {
            Some(class) => (class, true),
            None => (self.class_of_value(id, &attribute.value)?, false),
        };
        let AnyNodeRef::StmtClassDef(definition) = self.tree.node(class) else { return None };
        let is_bound = bound_in(definition)?.contains(&name);
        // What follows goes through the whole program.
        let looked = self.looked.get();
        if is_bound || looked >= MOST_LOOKED {
            return None;
        }
        self.looked.set(looked + 1);
        let (mut there, more) = self.attributes(definition, 0)?;
        let is_there = there.contains(&name) || more.contains(&name);
        // What classes have of themselves.
        let is_of_classes = is_class && ["mro", "register"].contains(&name);
        if is_there || is_of_classes || self.is_opened_from_outside() {
            return None;
        }
        let message = match (is_class, self.is_enumeration(definition)) {
            (true, true) => format!("the enumeration {} has no member '{name}'", definition.name),
            (true, false) => format!("the class {} has no attribute '{name}'", definition.name),
            (false, _) => format!("an object of {} has no attribute '{name}'", definition.name),
        };
        there.retain(|one| !one.starts_with('_'));
        let near = nearest(name, there.iter().chain(&more).copied()).map(str::to_owned);
        let valid = there.into_iter().map(str::to_owned).collect();
        let crash = self.crash(attribute.attr.range, message, raises::ATTRIBUTE);
        let crash = self.apart(crash, is_class || self.trust.is_apart(&attribute.value));
        Some(Mistake { nearest: near, valid, ..crash })
    }

    /// Whether the program gives an answer for any name to a class, or makes an object one of another.
    fn is_opened_from_outside(&self) -> bool {
        self.tree.all().any(|(_, node)| match node {
            AnyNodeRef::ExprAttribute(one) => {
                let name = one.attr.as_str();
                OPENING.contains(&name)
                    || one.ctx.is_store() && ["__bases__", "__class__"].contains(&name)
            }
            _ => false,
        })
    }

    /// The class of the program's own that an expression names, and nothing else.
    pub(super) fn class_named(&self, expression: &Expr) -> Option<Id> {
        let name = expression.as_name_expr()?.id.as_str();
        let [only] = self.names.stores.get(name)?[..] else { return None };
        let is_class = matches!(self.tree.node(only), AnyNodeRef::StmtClassDef(_));
        (is_class && self.is_its_own(name)).then_some(only)
    }

    /// The class of the program's own that a value is certainly an object of.
    pub(super) fn class_of_value(&self, id: Id, value: &'a Expr) -> Option<Id> {
        if let Some(class) = self.reach.class_of(value) {
            let of_name =
                |one: &Expr| one.as_name_expr().is_none_or(|one| self.is_its_own(one.id.as_str()));
            let AnyNodeRef::StmtClassDef(definition) = self.tree.node(class) else { return None };
            return (of_name(value) && self.is_its_own(definition.name.as_str())).then_some(class);
        }
        if let Expr::Attribute(member) = value {
            let class = self.class_named(&member.value)?;
            let AnyNodeRef::StmtClassDef(definition) = self.tree.node(class) else { return None };
            let is_member = self.is_enumeration(definition)
                && members(definition).any(|one| one == member.attr.as_str());
            return is_member.then_some(class);
        }
        // Of these two it is known what they are, but not that they are no more than that.
        let class = self.class_of_self(id, value).or_else(|| self.class_by_type(value))?;
        let AnyNodeRef::StmtClassDef(definition) = self.tree.node(class) else { return None };
        self.has_no_heirs(definition).then_some(class)
    }

    /// The class in whose method `self` is read.
    fn class_of_self(&self, id: Id, value: &Expr) -> Option<Id> {
        let name = value.as_name_expr()?.id.as_str();
        let method = self.tree.function(id)?;
        let AnyNodeRef::StmtFunctionDef(function) = self.tree.node(method) else { return None };
        let parameters = &function.parameters;
        let first = parameters.posonlyargs.iter().chain(&parameters.args).next()?;
        let class = self.tree.parent(method)?;
        let AnyNodeRef::StmtClassDef(definition) = self.tree.node(class) else { return None };
        let places = self.names.stores.get(name).map(Vec::as_slice).unwrap_or_default();
        let is_kept = places.iter().all(|place| self.tree.function(*place) != Some(method));
        (first.name().as_str() == name
            && is_kept
            && function.decorator_list.is_empty()
            && self.is_its_own(definition.name.as_str()))
        .then_some(class)
    }

    /// The class that the type checker knows a value to be of.
    fn class_by_type(&self, value: &'a Expr) -> Option<Id> {
        let shown = self.type_of(value).filter(|_| self.trust.is_sure(value))?;
        let [only] = self.names.stores.get(shown)?[..] else { return None };
        // A module may have a class of the same name.
        let is_named =
            |node| matches!(node, AnyNodeRef::ExprAttribute(one) if one.attr.as_str() == shown);
        if self.tree.all().any(|(_, node)| is_named(node)) {
            return None;
        }
        let is_class = matches!(self.tree.node(only), AnyNodeRef::StmtClassDef(_));
        (is_class && self.is_its_own(shown)).then_some(only)
    }

    /// Whether no class of the program is made from this one.
    pub(super) fn has_no_heirs(&self, class: &StmtClassDef) -> bool {
        let is_heir = |node| {
            matches!(node, AnyNodeRef::StmtClassDef(one) if one.arguments.as_ref().is_some_and(|given| {
                given.args.iter().any(|base| matches!(base, Expr::Name(name) if name.id == class.name.id))
            }))
        };
        !self.tree.all().any(|(_, node)| is_heir(node))
    }

    fn is_enumeration(&self, class: &StmtClassDef) -> bool {
        class.arguments.as_ref().is_some_and(|given| {
            let is_one = |base: &Expr| matches!(self.names.standard(base), Some(("enum", name)) if ENUMERATIONS.contains(&name));
            given.args.iter().any(is_one)
        })
    }

    /// All names that objects of a class, or the class itself, have: those of the program, and those
    /// that come with Python's classes. `None` where there may be more.
    fn attributes(
        &self,
        class: &'a StmtClassDef,
        depth: usize,
    ) -> Option<(Vec<&'a str>, Vec<&'static str>)> {
        let adds_nothing = |one: &ruff_python_ast::Decorator| {
            let decorator = match &one.expression {
                Expr::Call(call) => &*call.func,
                other => other,
            };
            self.names.standard(decorator).is_some_and(|found| PLAIN.contains(&found))
        };
        if depth > DEEPEST || !class.decorator_list.iter().all(adds_nothing) {
            return None;
        }
        let mut there = bound_in(class)?;
        // One that has nothing of its own is there to be given something, by anybody.
        let is_bare = there.is_empty() && class.arguments.is_none();
        if is_bare || there.iter().any(|name| OPENING.contains(name)) {
            return None;
        }
        // What methods set is valid, too.
        there.extend(self.tree.all().filter_map(|(_, node)| match node {
            AnyNodeRef::ExprAttribute(one)
                if one.ctx.is_store() && class.range.contains_range(one.range) =>
            {
                Some(one.attr.as_str())
            }
            _ => None,
        }));
        let mut more = Vec::new();
        if let Some(given) = &class.arguments {
            if !given.keywords.is_empty() {
                return None;
            }
            for base in &given.args {
                if let Some(known) = self.of_base(base) {
                    more.extend(known.iter().flat_map(|names| names.split_whitespace()));
                    continue;
                }
                let above = self.class_named(base)?;
                let AnyNodeRef::StmtClassDef(above) = self.tree.node(above) else { return None };
                let (inherited, known) = self.attributes(above, depth + 1)?;
                there.extend(inherited);
                more.extend(known);
            }
        }
        there.sort_unstable();
        there.dedup();
        Some((there, more))
    }

    /// What a class of Python's own brings, where that is known.
    fn of_base(&self, base: &'a Expr) -> Option<[&'static str; 2]> {
        if let Some(standard) = self.names.standard(base) {
            return Some(match standard {
                ("abc", "ABC") | ("typing", "Protocol") => [""; 2],
                ("enum", "Enum") => [OF_MEMBER, ""],
                ("enum", "IntEnum" | "IntFlag" | "Flag") => [OF_MEMBER, OF_INT],
                ("enum", "StrEnum") => [OF_MEMBER, OF_STR],
                ("typing", "NamedTuple") => ["count index", ""],
                _ => return None,
            });
        }
        let name = self.own_of_python(base).filter(|name| self.is_its_own(name))?;
        Some(match name {
            "object" => [""; 2],
            "int" => [OF_INT, ""],
            "str" => [OF_STR, ""],
            "Exception" | "KeyError" | "LookupError" | "RuntimeError" | "TypeError"
            | "ValueError" => [OF_EXCEPTION, ""],
            _ => return None,
        })
    }
}

/// The names that the body of a class binds; `None` where a statement of it may bind any.
fn bound_in(class: &StmtClassDef) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    for statement in &class.body {
        match statement {
            Stmt::FunctionDef(one) => names.push(one.name.as_str()),
            Stmt::ClassDef(one) => names.push(one.name.as_str()),
            Stmt::AnnAssign(one) => names.push(one.target.as_name_expr()?.id.as_str()),
            Stmt::Assign(one) => {
                for target in &one.targets {
                    names.push(target.as_name_expr()?.id.as_str());
                }
            }
            Stmt::Pass(_) => {}
            Stmt::Expr(one) if one.value.is_string_literal_expr() => {}
            Stmt::Expr(one) if one.value.is_ellipsis_literal_expr() => {}
            _ => return None,
        }
    }
    Some(names)
}

/// The members of an enumeration.
fn members(class: &StmtClassDef) -> impl Iterator<Item = &str> {
    let assigned = class.body.iter().filter_map(Stmt::as_assign_stmt);
    let names = assigned.flat_map(|one| &one.targets).filter_map(Expr::as_name_expr);
    names.map(|name| name.id.as_str()).filter(|name| !name.starts_with('_'))
}
