//! Kinds of personal data, and what their tokens begin with.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

/// What sort of personal data something is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// An e-mail address.
    Email,
    /// A telephone or fax number.
    Phone,
    /// A person's name.
    Name,
    /// A postal address, or the part of one that names a street and a number.
    Address,
    /// The number of a payment card.
    Card,
    /// An international bank account number.
    Iban,
    /// What a state numbers its people by: social security, tax, identity card, passport.
    NationalNumber,
    /// An address of a machine on the internet.
    Ip,
    /// What one of the operator's own patterns matches, by the pattern's name.
    Own(Arc<str>),
}

impl Kind {
    /// All that are built in.
    pub const BUILT_IN: [Self; 8] = [
        Self::Email,
        Self::Phone,
        Self::Name,
        Self::Address,
        Self::Card,
        Self::Iban,
        Self::NationalNumber,
        Self::Ip,
    ];

    /// As it is written in settings and counts.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Email => "email",
            Self::Phone => "phone",
            Self::Name => "name",
            Self::Address => "address",
            Self::Card => "card",
            Self::Iban => "iban",
            Self::NationalNumber => "national_number",
            Self::Ip => "ip",
            Self::Own(name) => name,
        }
    }

    /// What its tokens begin with: capitals and digits, without the underscore.
    #[must_use]
    pub fn prefix(&self) -> String {
        match self {
            Self::NationalNumber => "NATIONAL".to_owned(),
            other => other
                .name()
                .chars()
                .filter(char::is_ascii_alphanumeric)
                .map(|letter| letter.to_ascii_uppercase())
                .collect(),
        }
    }

    /// Which of two that overlap stays: the one with the lower rank.
    ///
    /// What the operator wrote comes first, then what has a check digit or an unmistakable shape.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Self::Own(_) => 0,
            Self::Email => 1,
            Self::Iban => 2,
            Self::Card => 3,
            Self::NationalNumber => 4,
            Self::Ip => 5,
            Self::Address => 6,
            Self::Phone => 7,
            Self::Name => 8,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.name())
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}
