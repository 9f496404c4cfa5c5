//! Texts that are not the same and may be taken for each other: by a database that knows no case, by a
//! file system that composes letters, by a person.
//!
//! This does not say that two texts mean the same, only that nobody should rely on their being
//! different. So it may take too many texts for alike, and costs a rule that allows its effect.

use unicode_normalization::UnicodeNormalization as _;

/// A text as somebody might read it: without case, accents, invisible letters and spaces around it,
/// with the Latin letter in the place of one that looks like it.
pub(crate) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return trimmed(text).to_lowercase();
    }
    unaccented(&caseless(text)).to_lowercase()
}

/// The same with its case.
pub(crate) fn unaccented(text: &str) -> String {
    let text = trimmed(text);
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut plain = String::with_capacity(text.len());
    for letter in text.nfkd().filter(|letter| !is_invisible(*letter)) {
        push(letter, &mut plain);
    }
    // What is left of a letter and its signs is one letter again: Korean syllables, Japanese ones.
    plain.nfc().collect()
}

/// A text in the one way in which its letters can be put together.
pub(crate) fn composed(text: &str) -> String {
    text.nfkc().collect()
}

/// Whether two texts may be taken for each other.
pub(crate) fn alike(one: &str, other: &str) -> bool {
    if one == other || folded(one) == folded(other) {
        return true;
    }
    if one.is_ascii() && other.is_ascii() {
        return false;
    }
    // A small letter may look like nothing, and its capital like a Latin one: a text is compared as it is
    // written, too, and in capitals.
    let written = |text: &str| unaccented(text).to_lowercase();
    let capitals = |text: &str| unaccented(&caseless(text).to_uppercase()).to_lowercase();
    written(one) == written(other) || capitals(one) == capitals(other)
}

fn trimmed(text: &str) -> &str {
    text.trim_matches(|letter: char| letter.is_whitespace() || is_invisible(letter))
}

/// A text whose letters have one case. Some have two small letters to a capital, or two capitals to a small
/// one: ς and σ, ß.
fn caseless(text: &str) -> String {
    text.nfkc().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

/// Letters that are not seen, or only change the one before them.
fn is_invisible(letter: char) -> bool {
    letter.is_control() && !letter.is_whitespace()
        || matches!(
            letter,
            '\u{ad}'
                | '\u{300}'..='\u{36f}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{180b}'..='\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{20d0}'..='\u{20ff}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{fe20}'..='\u{fe2f}'
                | '\u{feff}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Letters of other alphabets, and signs, with what they look like.
const LOOK: [(&str, &str); 58] = [
    ("аɑα", "a"),
    ("АΑ", "A"),
    ("ВΒ", "B"),
    ("сϲ", "c"),
    ("СϹ", "C"),
    ("ԁ", "d"),
    ("еҽ", "e"),
    ("ЕΕ", "E"),
    ("ɡ", "g"),
    ("һ", "h"),
    ("НΗ", "H"),
    ("іιıɩ", "i"),
    ("ІΙӀ", "I"),
    ("ј", "j"),
    ("Ј", "J"),
    ("κк", "k"),
    ("КΚ", "K"),
    ("ⅼ", "l"),
    ("МΜ", "M"),
    ("Ν", "N"),
    ("оοօ", "o"),
    ("ОΟՕ", "O"),
    ("рρ", "p"),
    ("РΡ", "P"),
    ("ԛ", "q"),
    ("ѕ", "s"),
    ("Ѕ", "S"),
    ("тτ", "t"),
    ("ТΤ", "T"),
    ("υս", "u"),
    ("ν", "v"),
    ("ѵ", "v"),
    ("ԝ", "w"),
    ("хχ", "x"),
    ("ХΧ", "X"),
    ("у", "y"),
    ("УΥ", "Y"),
    ("Ζ", "Z"),
    ("∕⁄⧸╱", "/"),
    ("∖⧵╲", "\\"),
    ("․。｡·", "."),
    ("‥", ".."),
    ("…", "..."),
    ("‐‑‒–—−", "-"),
    ("‘’‚ʼ′", "'"),
    ("“”„″", "\""),
    ("∶꞉", ":"),
    ("ß", "ss"),
    ("æ", "ae"),
    ("Æ", "AE"),
    ("œ", "oe"),
    ("Œ", "OE"),
    ("øð", "o"),
    ("Ø", "O"),
    ("ł", "l"),
    ("Ł", "L"),
    ("þ", "p"),
    ("ﬁ", "fi"),
];

/// Letters with accents, with those that they are made from.
const ACCENTS: [(&str, char); 36] = [
    ("àáâãäåāăą", 'a'),
    ("ÀÁÂÃÄÅĀĂĄ", 'A'),
    ("çćĉċč", 'c'),
    ("ÇĆĈĊČ", 'C'),
    ("ďđ", 'd'),
    ("ĎĐÐ", 'D'),
    ("èéêëēĕėęě", 'e'),
    ("ÈÉÊËĒĔĖĘĚ", 'E'),
    ("ĝğġģ", 'g'),
    ("ĜĞĠĢ", 'G'),
    ("ĥħ", 'h'),
    ("ĤĦ", 'H'),
    ("ìíîïĩīĭį", 'i'),
    ("ÌÍÎÏĨĪĬĮİ", 'I'),
    ("ķ", 'k'),
    ("Ķ", 'K'),
    ("ĺļľ", 'l'),
    ("ĹĻĽ", 'L'),
    ("ñńņň", 'n'),
    ("ÑŃŅŇ", 'N'),
    ("òóôõöōŏő", 'o'),
    ("ÒÓÔÕÖŌŎŐ", 'O'),
    ("ŕŗř", 'r'),
    ("ŔŖŘ", 'R'),
    ("śŝşšſ", 's'),
    ("ŚŜŞŠ", 'S'),
    ("ţťŧ", 't'),
    ("ŢŤŦ", 'T'),
    ("ùúûüũūŭůűų", 'u'),
    ("ÙÚÛÜŨŪŬŮŰŲ", 'U'),
    ("ŵ", 'w'),
    ("Ŵ", 'W'),
    ("ýÿŷ", 'y'),
    ("ÝŶŸ", 'Y'),
    ("źżž", 'z'),
    ("ŹŻŽ", 'Z'),
];

fn push(letter: char, plain: &mut String) {
    // Most of what is not Latin looks like nothing that is.
    let is_apart = matches!(letter, '\u{3003}'..='\u{a788}' | '\u{a78a}'..='\u{faff}');
    if letter.is_ascii() || is_apart {
        plain.push(letter);
    } else if let Some((_, looks)) = LOOK.iter().find(|(letters, _)| letters.contains(letter)) {
        plain.push_str(looks);
    } else if let Some((_, base)) = ACCENTS.iter().find(|(letters, _)| letters.contains(letter)) {
        plain.push(*base);
    } else if letter.is_whitespace() {
        plain.push(' ');
    } else {
        plain.push(of_a_block(letter).unwrap_or(letter));
    }
}

/// The ASCII letter of one that is set in another way: full width, bold, in a circle.
fn of_a_block(letter: char) -> Option<char> {
    let code = u32::from(letter);
    let from = |first: u32, to: char, many: u32| {
        let at = code.checked_sub(first).filter(|at| *at < many)?;
        char::from_u32(u32::from(to) + at)
    };
    let mathematical = || {
        let at = code.checked_sub(0x1d400).filter(|at| *at < 13 * 52)? % 52;
        let first = if at < 26 { u32::from('A') } else { u32::from('a') - 26 };
        char::from_u32(first + at)
    };
    let digit = || {
        let at = code.checked_sub(0x1d7ce).filter(|at| *at < 50)? % 10;
        char::from_u32(u32::from('0') + at)
    };
    from(0xff01, '!', 94)
        .or_else(|| from(0x24b6, 'A', 26))
        .or_else(|| from(0x24d0, 'a', 26))
        .or_else(mathematical)
        .or_else(digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_taken_for_each_other_is_alike() {
        for text in [
            "PROD",
            " prod\n",
            "pr\u{43e}d",
            "p\u{200b}rod",
            "\u{ff50}\u{ff52}\u{ff4f}\u{ff44}",
            "\u{1d429}\u{1d42b}\u{1d428}\u{1d41d}",
            "pro\u{301}d",
            "pr\u{f3}d",
            "prod\0",
        ] {
            assert!(alike(text, "prod"), "{text:?}");
        }
        assert!(alike("M\u{fc}ller", "Mu\u{308}ller"));
        for (one, other) in [
            ("Москва", "МОСКВА"),
            ("Αθήνα", "ΑΘΉΝΑ"),
            ("Αθήνα", "ΑΘΗΝΑ"),
            ("Ελλάδα", "ελλάδα"),
            ("Οδός", "ΟΔΌΣ"),
            ("Nguy\u{1ec5}n", "Nguye\u{302}\u{303}n"),
            ("Nguy\u{1ec5}n", "nguyen"),
            ("Андре\u{439}", "Андре\u{438}\u{306}"),
            ("\u{c790}\u{b8cc}", "\u{110c}\u{1161}\u{1105}\u{116d}"),
            ("\u{30ac}\u{30b9}", "\u{30ab}\u{3099}\u{30b9}"),
            ("\u{fb06}uff", "stuff"),
            ("stu\u{fb00}", "STUFF"),
            ("Stra\u{df}e", "STRASSE"),
            ("\u{41d}ELLO", "hello"),
            ("\u{3bd}ault", "VAULT"),
        ] {
            assert!(alike(one, other) && alike(other, one), "{one} {other}");
        }
        for (one, other) in
            [("Москва", "Моква"), ("ガス", "カス"), ("क\u{93f}", "क\u{93e}"), ("生产", "生産")]
        {
            assert!(!alike(one, other), "{one} {other}");
        }
        for text in ["prods", "pro", "p rod", "生产", ""] {
            assert!(!alike(text, "prod"), "{text:?}");
        }
    }

    #[test]
    fn what_is_ascii_keeps_everything_but_its_case() {
        assert_eq!(unaccented("A-b/C.d"), "A-b/C.d");
        assert_eq!(folded("A-b/C.d"), "a-b/c.d");
        assert_eq!(unaccented("\u{ff0e}\u{ff0e}\u{ff0f}x"), "../x");
    }
}
