//! Calls that no way of calling something takes: `deque(max_len=5)`, `"-".join("a", "b")`, `{}.get()`.
//!
//! The type checker only says that none fits, which may be about a type. Certain is a name that none of them
//! has, more values than the longest of them takes, and fewer than the shortest of them needs.

use ruff_python_ast::{Expr, ExprCall, Identifier};
use ruff_text_size::Ranged as _;

use super::Judge;
use crate::finding::{Mistake, raises};
use crate::kinds::Kind;
use crate::nearest::nearest;
use crate::typed::{Complaint, Way};

impl<'a> Judge<'_, 'a, '_> {
    pub(super) fn no_way(&self, complaint: &Complaint) -> Option<Mistake> {
        let call = self.call(complaint.range)?;
        let ways = self.typed.ways.get(&call.range()).filter(|ways| !ways.is_empty())?;
        // One that shows nothing may take anything.
        let is_open = |way: &Way| way.most == Some(0);
        let is_unclear = ways.iter().any(is_open) || self.may_take_more(call);
        // Of some functions it is told in other words.
        if is_unclear || !self.is_of_python(&call.func) || self.unknown_keyword(call).is_some() {
            return None;
        }
        let shown = match &*call.func {
            Expr::Name(name) => name.id.as_str(),
            Expr::Attribute(method) => method.attr.as_str(),
            _ => return None,
        };
        let (range, message, near) = if let Some(name) = unknown_name(call, ways) {
            let known = ways.iter().filter_map(|way| way.named.as_ref()).flatten();
            let near = nearest(name.as_str(), known.map(String::as_str)).map(str::to_owned);
            (name.range, format!("{shown}() has no parameter '{name}'"), near)
        } else if let Some((most, beyond)) = beyond(call, ways) {
            let count = call.arguments.args.len();
            let values = if most == 1 { "value" } else { "values" };
            let message = format!("{shown}() takes {most} {values} at most, not {count}");
            (beyond.range(), message, None)
        } else {
            let lacking = lacking(call, ways)?;
            let message = format!("{shown}() needs a value for {lacking}");
            (call.range(), message, None)
        };
        let crash = self.crash(range, message, raises::TYPE);
        let crash = self.apart(crash, self.trust.is_callee_apart(&call.func));
        let valid = self.typed.parameters.get(&call.range()).cloned().unwrap_or_default();
        Some(Mistake { nearest: near, valid, ..crash })
    }

    /// Whether it is known what is called: a function or a class of the standard library, or a method of
    /// something whose kind is certain.
    fn is_of_python(&self, function: &'a Expr) -> bool {
        match function {
            Expr::Name(name) => {
                let name = name.id.as_str();
                let module = self.names.imported.get(name);
                self.is_standard_name(name)
                    && module.is_none_or(|module| crate::modules::is_known(module))
            }
            Expr::Attribute(method) => match self.kind(&method.value) {
                Some(Kind::Module) => self
                    .type_of(&method.value)
                    .and_then(|shown| shown.strip_prefix("<module '"))
                    .is_some_and(|shown| crate::modules::is_known(shown.trim_end_matches("'>"))),
                Some(
                    Kind::Str(_) | Kind::Bytes | Kind::List | Kind::Dict | Kind::Tuple | Kind::Set,
                ) => true,
                Some(Kind::Known(class) | Kind::Class(class)) => {
                    !self.names.stores.contains_key(class.as_str())
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a name is given no value by the program or by what ran before it.
    fn is_standard_name(&self, name: &str) -> bool {
        let is_given = self.given.is_none_or(|given| given.iter().any(|one| one == name));
        !is_given && !self.names.stores.contains_key(name)
    }
}

/// The first argument by a name that no way has.
fn unknown_name<'a>(call: &'a ExprCall, ways: &[Way]) -> Option<&'a Identifier> {
    let named: Vec<&Vec<String>> =
        ways.iter().map(|way| way.named.as_ref()).collect::<Option<Vec<_>>>()?;
    let is_known =
        |name: &Identifier| named.iter().any(|names| names.iter().any(|one| one == name.as_str()));
    call.arguments.keywords.iter().filter_map(|one| one.arg.as_ref()).find(|name| !is_known(name))
}

/// The first value by position that no way takes, and how many the longest does.
fn beyond<'a>(call: &'a ExprCall, ways: &[Way]) -> Option<(usize, &'a Expr)> {
    let most = ways.iter().map(|way| way.most).collect::<Option<Vec<_>>>()?;
    let most = most.into_iter().max()?;
    Some((most, call.arguments.args.get(most)?))
}

/// What the way that needs least still lacks, in words.
fn lacking(call: &ExprCall, ways: &[Way]) -> Option<String> {
    let count = call.arguments.args.len();
    let lacks = |way: &Way| -> Option<Vec<String>> {
        let is_given = |(name, by_name): &&(String, bool)| {
            *by_name && call.arguments.find_keyword(name).is_some()
        };
        let open: Vec<_> = way.needed.iter().filter(|one| !is_given(one)).collect();
        // Those that come first are given by position.
        let lacking = open.get(count..).filter(|rest| !rest.is_empty())?;
        Some(lacking.iter().map(|(name, _)| format!("'{}'", name.trim_matches('_'))).collect())
    };
    let lacking: Option<Vec<Vec<String>>> = ways.iter().map(lacks).collect();
    lacking?.into_iter().min_by_key(Vec::len).map(|names| names.join(", "))
}
