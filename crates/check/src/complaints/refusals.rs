//! What functions of modules certainly refuse: a text where they take bytes, a fraction where they count.

use ruff_python_ast::{Expr, ExprCall, Number, Operator, UnaryOp};
use ruff_text_size::Ranged as _;

use super::Judge;
use super::crashes::{described, is_container, is_number};
use crate::finding::{Mistake, raises};
use crate::kinds::Kind;

/// Functions that take bytes.
const OF_BYTES: &[&str] = &[
    "base64.b32encode",
    "base64.b64encode",
    "base64.standard_b64encode",
    "base64.urlsafe_b64encode",
    "binascii.hexlify",
    "hashlib.blake2b",
    "hashlib.md5",
    "hashlib.sha1",
    "hashlib.sha224",
    "hashlib.sha256",
    "hashlib.sha384",
    "hashlib.sha512",
    "zlib.compress",
    "zlib.crc32",
];
/// Functions that take one number.
const OF_A_NUMBER: &[&str] = &[
    "asyncio.sleep",
    "math.ceil",
    "math.exp",
    "math.floor",
    "math.log",
    "math.log10",
    "math.log2",
    "math.sqrt",
    "math.trunc",
    "time.sleep",
];
/// Functions that take numbers, all together.
const OF_NUMBERS: &[&str] = &[
    "math.fsum",
    "math.prod",
    "statistics.fmean",
    "statistics.mean",
    "statistics.median",
    "statistics.mode",
    "statistics.pstdev",
    "statistics.stdev",
    "statistics.variance",
];

impl<'a> Judge<'_, 'a, '_> {
    /// A function of a module whose first argument is of a kind that it refuses.
    pub(super) fn refused_by_module(
        &self,
        function: &str,
        first: &'a Expr,
        kind: &Kind,
    ) -> Option<Mistake> {
        let is_text = matches!(kind, Kind::Str(_));
        let (is_refused, hint) = match function {
            "json.load" => (is_text || *kind == Kind::Bytes, "; of a text, json.loads() reads it"),
            name if OF_BYTES.contains(&name) => (
                is_text || is_number(kind) || is_container(kind),
                if is_text { "; write .encode() behind it" } else { "" },
            ),
            name if OF_A_NUMBER.contains(&name) => (is_text || is_container(kind), ""),
            name if OF_NUMBERS.contains(&name) => (is_number(kind), "; it takes a list of numbers"),
            "random.choice" | "random.shuffle" | "random.sample" => {
                (*kind == Kind::Set || is_number(kind), "; write list(...) around it")
            }
            _ => return None,
        };
        if matches!(kind, Kind::Coroutine | Kind::Future) {
            return Some(self.unawaited(first, kind));
        }
        if !is_refused {
            return None;
        }
        let shown = self.type_of(first)?;
        let message = format!("{function}() does not take {}{hint}", described(kind, shown));
        let raised = if function == "json.load" { raises::ATTRIBUTE } else { raises::TYPE };
        Some(self.crash(first.range(), message, raised))
    }

    /// `range(0, 1, 0.1)`, `range(len(rows) / 2)`.
    pub(super) fn cut_in_fractions(&self, call: &'a ExprCall) -> Option<Mistake> {
        let name = self.own_of_python(&call.func).filter(|name| self.is_its_own(name))?;
        if name != "range" {
            return None;
        }
        let fraction = call.arguments.args.iter().find(|one| self.is_fraction(one))?;
        let message = "range() counts in whole numbers; write int(...), or // in place of /";
        let crash = self.crash(fraction.range(), message.to_owned(), raises::TYPE);
        Some(self.apart(crash, true))
    }

    /// Whether a number certainly is no whole one for Python, whatever its value.
    pub(super) fn is_fraction(&self, number: &'a Expr) -> bool {
        match number {
            Expr::NumberLiteral(one) => matches!(one.value, Number::Float(_)),
            Expr::UnaryOp(one) => one.op == UnaryOp::USub && self.is_fraction(&one.operand),
            Expr::BinOp(one) if one.op == Operator::Div => {
                self.is_count(&one.left) && self.is_count(&one.right)
            }
            _ => false,
        }
    }

    /// Whether something is certainly a plain number: a literal, a length.
    fn is_count(&self, value: &'a Expr) -> bool {
        match value {
            Expr::NumberLiteral(_) => true,
            Expr::Call(call) => self.own_of_python(&call.func).is_some_and(|name| {
                self.is_its_own(name) && ["int", "float", "len"].contains(&name)
            }),
            Expr::BinOp(one) => self.is_count(&one.left) && self.is_count(&one.right),
            _ => false,
        }
    }
}
