//! Classes of the program's own that cannot be made as they are written, or not be used so: a list as a
//! dataclass's default, a frozen object that is changed, an abstract class that is called.

use ruff_python_ast::{
    AnyNodeRef, Expr, ExprAttribute, ExprCall, Stmt, StmtAnnAssign, StmtClassDef, StmtFunctionDef,
};
use ruff_text_size::Ranged as _;

use super::Judge;
use crate::finding::{Mistake, raises};
use crate::tree::Id;

/// Functions that make what can be changed.
const MAKERS: &[&str] = &["dict", "list", "set"];
/// Annotations of what is no field, or one of another kind.
const MARKS: &[&str] = &["ClassVar", "InitVar", "KW_ONLY"];

impl<'a> Judge<'_, 'a, '_> {
    /// `rows: list = []` in a dataclass, and a field without a default behind one that has it.
    pub(super) fn misdefined(&self, class: &'a StmtClassDef) -> Option<Mistake> {
        self.dataclass(class)?;
        let fields: Vec<&StmtAnnAssign> =
            class.body.iter().filter_map(Stmt::as_ann_assign_stmt).collect();
        if let Some(one) = fields.iter().find_map(|field| self.shared_default(field)) {
            let message = "a dataclass takes no list, dict or set as a default; write \
                           field(default_factory=list)";
            let crash = self.crash(one.range(), message.to_owned(), raises::VALUE);
            return Some(self.apart(crash, true));
        }
        let has_parents = class.arguments.as_ref().is_some_and(|given| !given.is_empty());
        let is_marked = fields.iter().any(|field| is_marked(field));
        let has_calls = fields
            .iter()
            .any(|field| field.value.as_ref().is_some_and(|value| value.is_call_expr()));
        if has_parents || is_marked || has_calls || self.is_made_otherwise(class) {
            return None;
        }
        let first = fields.iter().position(|field| field.value.is_some())?;
        let bare = fields[first..].iter().find(|field| field.value.is_none())?;
        let message =
            "a field without a default cannot follow one that has a default; put it first";
        let crash = self.crash(bare.range, message.to_owned(), raises::TYPE);
        Some(self.apart(crash, true))
    }

    /// The decorator that makes a class a dataclass, if it has no other.
    fn dataclass(&self, class: &'a StmtClassDef) -> Option<&'a Expr> {
        let [only] = &class.decorator_list[..] else { return None };
        let function = match &only.expression {
            Expr::Call(call) => &*call.func,
            other => other,
        };
        let is_one = self.names.standard(function) == Some(("dataclasses", "dataclass"));
        is_one.then_some(&only.expression)
    }

    /// Whether a dataclass says how it is made: by names alone, or in a way of its own.
    fn is_made_otherwise(&self, class: &'a StmtClassDef) -> bool {
        matches!(self.dataclass(class), Some(Expr::Call(call))
            if ["init", "kw_only"].iter().any(|name| call.arguments.find_keyword(name).is_some()))
    }

    /// A default that all objects would share.
    fn shared_default(&self, field: &'a StmtAnnAssign) -> Option<&'a Expr> {
        let value = field.value.as_deref()?;
        let is_shared = match value {
            Expr::Call(call) => self
                .own_of_python(&call.func)
                .is_some_and(|name| MAKERS.contains(&name) && self.is_its_own(name)),
            Expr::List(_) | Expr::Dict(_) | Expr::Set(_) | Expr::ListComp(_) => true,
            other => matches!(other, Expr::DictComp(_) | Expr::SetComp(_)),
        };
        (is_shared && !is_marked(field)).then_some(value)
    }

    /// `point.x = 3`, where a point is frozen or a named tuple.
    pub(super) fn set_in_frozen(&self, id: Id, attribute: &'a ExprAttribute) -> Option<Mistake> {
        if !attribute.ctx.is_store() {
            return None;
        }
        let name = attribute.attr.as_str();
        let class = self.class_of_value(id, &attribute.value)?;
        let AnyNodeRef::StmtClassDef(class) = self.tree.node(class) else { return None };
        let sets_itself = functions(class).any(|one| one.name.as_str() == "__setattr__");
        let mut fields = class.body.iter().filter_map(Stmt::as_ann_assign_stmt);
        let is_field = fields
            .any(|one| one.target.as_name_expr().is_some_and(|target| target.id.as_str() == name));
        let is_frozen = matches!(self.dataclass(class), Some(Expr::Call(call))
            if call.arguments.find_keyword("frozen").is_some_and(|one| is_true(&one.value)));
        if sets_itself || !is_field || !is_frozen && !self.is_named_tuple(class) {
            return None;
        }
        let way = if is_frozen { "dataclasses.replace(...)" } else { "._replace(...)" };
        let message = format!(
            "the fields of {} cannot be changed; make a new one: {way}",
            class.name.as_str()
        );
        let crash = self.crash(attribute.attr.range, message, raises::FROZEN);
        let is_apart = self.trust.is_apart(&attribute.value);
        Some(self.apart(crash, is_apart))
    }

    fn is_named_tuple(&self, class: &'a StmtClassDef) -> bool {
        let Some(given) = &class.arguments else { return false };
        let [base] = &given.args[..] else { return false };
        self.names.standard(base) == Some(("typing", "NamedTuple"))
    }

    /// `Shape()`, where a method of the class is still to be written.
    pub(super) fn made_abstract(&self, call: &'a ExprCall) -> Option<Mistake> {
        let class = self.class_named(&call.func)?;
        let AnyNodeRef::StmtClassDef(class) = self.tree.node(class) else { return None };
        let given = class.arguments.as_ref()?;
        let is_abstract = given
            .args
            .iter()
            .chain(given.find_keyword("metaclass").map(|one| &one.value))
            .any(|one| matches!(self.names.standard(one), Some(("abc", "ABC" | "ABCMeta"))));
        let is_open = |one: &&StmtFunctionDef| {
            one.decorator_list.iter().any(|decorator| {
                self.names.standard(&decorator.expression) == Some(("abc", "abstractmethod"))
            })
        };
        let open = functions(class).find(is_open).filter(|_| is_abstract)?;
        if !class.decorator_list.is_empty() || self.trust.sets_attribute("__abstractmethods__") {
            return None;
        }
        let message = format!(
            "the class {} is abstract: a class made from it has to have {}()",
            class.name.as_str(),
            open.name.as_str()
        );
        Some(self.apart(self.crash(call.range(), message, raises::TYPE), true))
    }

    /// `super().__init__(...)` in a class with one parent, which is one of the program's own and says
    /// itself how it is made.
    pub(super) fn makes_its_parent(&self, call: &'a ExprCall) -> bool {
        let Expr::Attribute(method) = &*call.func else { return false };
        let Expr::Call(of) = &*method.value else { return false };
        let is_super = of.arguments.is_empty() && self.own_of_python(&of.func) == Some("super");
        if !is_super || method.attr.as_str() != "__init__" {
            return false;
        }
        let Some(id) = self.tree.of(&method.value) else { return false };
        let class = self.tree.above(id).find_map(|above| match self.tree.node(above) {
            AnyNodeRef::StmtClassDef(class) => Some(class),
            _ => None,
        });
        let Some([base]) =
            class.and_then(|one| one.arguments.as_ref()).map(|given| &given.args[..])
        else {
            return false;
        };
        let made = self.class_named(base).and_then(|parent| self.reach.method(parent, "__init__"));
        let is_plain = made.is_some_and(|made| {
            matches!(self.tree.node(made), AnyNodeRef::StmtFunctionDef(one) if one.decorator_list.is_empty())
        });
        // With more than one class above, another may come first.
        is_plain && class.is_some_and(|class| self.has_no_heirs(class))
    }

    /// Whether a name is set to what says itself how it is called: a lambda, or a plain named tuple.
    pub(super) fn is_written_function(&self, place: Id) -> bool {
        let parent = self.tree.parent(place).map(|parent| self.tree.node(parent));
        let Some(AnyNodeRef::StmtAssign(assign)) = parent else { return false };
        let [Expr::Name(_)] = &assign.targets[..] else { return false };
        match &*assign.value {
            Expr::Lambda(_) => true,
            Expr::Call(call) => {
                let is_tuple =
                    self.names.standard(&call.func) == Some(("collections", "namedtuple"));
                let is_written = match &call.arguments.args[..] {
                    [_, Expr::List(list)] => list.elts.iter().all(Expr::is_string_literal_expr),
                    [_, names] => names.is_string_literal_expr(),
                    _ => false,
                };
                is_tuple && is_written && call.arguments.keywords.is_empty()
            }
            _ => false,
        }
    }
}

/// The functions in the body of a class.
fn functions(class: &StmtClassDef) -> impl Iterator<Item = &StmtFunctionDef> {
    class.body.iter().filter_map(Stmt::as_function_def_stmt)
}

fn is_true(value: &Expr) -> bool {
    matches!(value, Expr::BooleanLiteral(one) if one.value)
}

/// Whether the annotation says that this is no field like the others.
fn is_marked(field: &StmtAnnAssign) -> bool {
    let names = |one: &Expr| match one {
        Expr::Name(name) => MARKS.contains(&name.id.as_str()),
        Expr::Attribute(one) => MARKS.contains(&one.attr.as_str()),
        // What is quoted could say it, too.
        other => !matches!(other, Expr::Subscript(_) | Expr::BinOp(_) | Expr::NoneLiteral(_)),
    };
    match &*field.annotation {
        Expr::Subscript(one) => names(&one.value),
        other => names(other),
    }
}
