//! Words that say what stands beside them: "Tel.", "order no.", "Kunde", "version".
//!
//! One vocabulary serves field names and running text. Words are compared folded: lower case,
//! without accents, ß as ss. What a word says is a set of [`Cue`]s.

use std::collections::HashMap;
use std::ops::{BitOr, BitOrAssign};
use std::sync::LazyLock;

use crate::lists;

/// What a word, a label or a field name says about the value beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Cue(u32);

impl Cue {
    pub(crate) const NONE: Self = Self(0);
    /// A telephone number follows.
    pub(crate) const PHONE: Self = Self(1);
    /// A payment card follows.
    pub(crate) const CARD: Self = Self(1 << 1);
    /// A national number follows.
    pub(crate) const NATIONAL: Self = Self(1 << 2);
    /// An IP address follows.
    pub(crate) const IP: Self = Self(1 << 3);
    /// A bank account follows.
    pub(crate) const IBAN: Self = Self(1 << 4);
    /// A number of some other kind follows: an order, an article, an amount.
    pub(crate) const ID: Self = Self(1 << 5);
    /// A version or a section follows.
    pub(crate) const VERSION: Self = Self(1 << 6);
    /// An e-mail address follows.
    pub(crate) const EMAIL: Self = Self(1 << 7);
    /// A postal address follows.
    pub(crate) const ADDRESS: Self = Self(1 << 8);
    /// A street follows, with or without its number.
    pub(crate) const STREET: Self = Self(1 << 9);
    /// A person's name follows, whatever it looks like.
    pub(crate) const NAME: Self = Self(1 << 10);
    /// Somebody or something in a role that people have: customer, author, owner.
    pub(crate) const ROLE: Self = Self(1 << 11);
    /// A name of anything: what it is, the fields beside it say.
    pub(crate) const BARE_NAME: Self = Self(1 << 12);
    /// A field that people have: date of birth, gender.
    pub(crate) const PERSON: Self = Self(1 << 13);
    /// A field that things have: price, size.
    pub(crate) const THING: Self = Self(1 << 14);
    /// A company, a place, a product: what is named inside is no person.
    pub(crate) const GROUP: Self = Self(1 << 15);

    /// Somebody calls or is called: in a sentence, a telephone number follows.
    pub(crate) const CALL: Self = Self(1 << 16);

    /// What decides how a number is read.
    const DECISIVE: Self = Self(0b0111_1111);

    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Those of these that say how a number is to be read.
    pub(crate) fn about_numbers(self) -> Self {
        Self(self.0 & Self::DECISIVE.0)
    }

    /// Whether a name of anything beside such a field is a person's.
    pub(crate) fn is_personal(self) -> bool {
        self.has(
            Self::PERSON
                | Self::PHONE
                | Self::EMAIL
                | Self::NATIONAL
                | Self::ADDRESS
                | Self::STREET
                | Self::NAME
                | Self::IBAN,
        )
    }
}

impl BitOr for Cue {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Cue {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

static VOCABULARY: LazyLock<HashMap<&'static str, Cue>> = LazyLock::new(|| {
    let mut words = HashMap::new();
    for (list, cue) in [
        (lists::PHONE, Cue::PHONE),
        (lists::CALL, Cue::CALL),
        (lists::CARD, Cue::CARD),
        (lists::NATIONAL, Cue::NATIONAL),
        (lists::IP, Cue::IP),
        (lists::IBAN, Cue::IBAN),
        (lists::ID, Cue::ID),
        (lists::VERSION, Cue::VERSION),
        (lists::EMAIL, Cue::EMAIL),
        (lists::ADDRESS, Cue::ADDRESS),
        (lists::STREET, Cue::STREET),
        (lists::NAME, Cue::NAME),
        (lists::ROLE, Cue::ROLE),
        (lists::BARE_NAME, Cue::BARE_NAME),
        (lists::PERSON, Cue::PERSON),
        (lists::THING, Cue::THING),
        (lists::GROUP, Cue::GROUP),
    ] {
        for word in list.split_whitespace() {
            *words.entry(word).or_insert(Cue::NONE) |= cue;
        }
    }
    words
});

static NOT_PEOPLE: LazyLock<std::collections::HashSet<&'static str>> =
    LazyLock::new(|| lists::NOT_PEOPLE.split_whitespace().collect());

/// How far before a number words are looked for, in bytes.
const LEAD: usize = 48;

/// What the words before `start` say about the number there, or else the field it stands in.
///
/// Words are read back to the last digit or `@`: beyond it they speak of something else. What
/// refuses a number ("order") must stand close before it; what promises one may stand further off.
pub(crate) fn cue_before(text: &str, start: usize, field: Cue) -> Cue {
    let from = text.floor_char_boundary(start.saturating_sub(LEAD));
    let head = &text[from..start];
    let lead = head
        .rfind(|one: char| one.is_ascii_digit() || one == '@')
        .map_or(head, |stop| &head[stop + 1..]);
    // "call() took 4123456789 ns" speaks of a function.
    let lead = lead.rfind("()").map_or(lead, |stop| &lead[stop + 2..]);
    let promises = Cue::PHONE | Cue::CARD | Cue::NATIONAL | Cue::IBAN;
    let mut found = Cue::NONE;
    let words: Vec<String> = words_from_end(lead).take(8).collect();
    for (distance, word) in words.iter().enumerate() {
        // "Steuer-ID", "Tax ID": two words that say something else than the last alone.
        let pair =
            words.get(distance + 1).map_or(Cue::NONE, |before| known(&format!("{before}{word}")));
        let mut cue = if pair == Cue::NONE { cue(word) } else { pair };
        if cue.has(Cue::CALL) {
            cue |= Cue::PHONE;
        }
        let cue = cue.about_numbers();
        if cue.has(Cue::VERSION) && found.has(Cue::IP) {
            continue;
        }
        if cue.has(Cue::ID | Cue::VERSION) && !cue.has(promises) {
            if distance < 3 && !found.has(promises) {
                return cue;
            }
        } else if distance < 4 || cue.has(Cue::PHONE) {
            found |= cue;
        }
    }
    if found.has(promises) { found } else { found | field.about_numbers() }
}

/// What one folded word says.
pub(crate) fn cue(word: &str) -> Cue {
    let cue = known(word);
    if cue != Cue::NONE {
        return cue;
    }
    if ["empfanger", "empfaenger", "inhaber", "inhaberin", "kunde", "kundin"]
        .iter()
        .any(|end| word.ends_with(end))
    {
        return Cue::ROLE;
    }
    // German, Dutch and Swedish write "Bestellnummer" as one word.
    if ["nummer", "numero", "nr"]
        .iter()
        .any(|end| word.len() > end.len() + 2 && word.ends_with(end))
    {
        return Cue::ID;
    }
    if word.is_ascii() {
        return Cue::NONE;
    }
    // Scripts without spaces: the word stands inside a longer one.
    lists::INSIDE
        .iter()
        .find(|(stems, _)| stems.split_whitespace().any(|stem| word.contains(stem)))
        .map_or(Cue::NONE, |(_, cue)| *cue)
}

fn known(word: &str) -> Cue {
    VOCABULARY.get(word).copied().unwrap_or_default()
}

/// Whether a folded word is found in names of companies, products and programs, not of people.
pub(crate) fn is_not_people(word: &str) -> bool {
    NOT_PEOPLE.contains(word)
}

/// Appends `letter` folded: lower case, Latin letters without their accents.
pub(crate) fn fold(letter: char, into: &mut String) {
    if letter.is_ascii() {
        into.push(letter.to_ascii_lowercase());
        return;
    }
    for letter in letter.to_lowercase() {
        match letter {
            'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ą' | 'ă' => into.push('a'),
            'ç' | 'ć' | 'č' => into.push('c'),
            'è' | 'é' | 'ê' | 'ë' | 'ę' | 'ě' => into.push('e'),
            'ì' | 'í' | 'î' | 'ï' | 'ı' => into.push('i'),
            'ł' => into.push('l'),
            'ñ' | 'ń' | 'ň' => into.push('n'),
            'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ő' => into.push('o'),
            'ù' | 'ú' | 'û' | 'ü' | 'ů' | 'ű' => into.push('u'),
            'ś' | 'š' | 'ş' => into.push('s'),
            'ž' | 'ź' | 'ż' => into.push('z'),
            'ý' => into.push('y'),
            'ř' => into.push('r'),
            'ß' => into.push_str("ss"),
            'æ' => into.push_str("ae"),
            'œ' => into.push_str("oe"),
            other => into.push(other),
        }
    }
}

/// The folded words of a text, nearest to its end first.
pub(crate) fn words_from_end(text: &str) -> impl Iterator<Item = String> {
    text.rsplit(|letter: char| !is_word(letter)).filter(|word| !word.is_empty()).map(folded)
}

/// A whole text, folded.
pub(crate) fn folded(text: &str) -> String {
    let mut word = String::with_capacity(text.len());
    for letter in text.chars() {
        fold(letter, &mut word);
    }
    word
}

/// Letters, and the marks that Indian scripts hang on them.
fn is_word(letter: char) -> bool {
    letter.is_alphabetic() || ('\u{900}'..='\u{dff}').contains(&letter)
}
