//! ASCII text in the pieces that the o200k vocabulary is applied to, without its regular expression.
//!
//! Results of tools are JSON of mostly ASCII, and counting them must not cost what running a program
//! costs. Whatever is not ASCII is left to the library; a property test compares the two.

/// What a byte is to the pieces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    /// A carriage return or a line feed.
    Newline,
    /// Any other white space.
    Blank,
    Other,
}

fn class(byte: u8) -> Class {
    match byte {
        b'A'..=b'Z' => Class::Upper,
        b'a'..=b'z' => Class::Lower,
        b'0'..=b'9' => Class::Digit,
        b'\r' | b'\n' => Class::Newline,
        b' ' | b'\t' | 0x0b | 0x0c => Class::Blank,
        _ => Class::Other,
    }
}

/// The pieces of ASCII text, in order.
pub(super) struct Pieces<'t> {
    text: &'t [u8],
}

impl<'t> Pieces<'t> {
    pub(super) fn of(text: &'t [u8]) -> Self {
        Self { text }
    }

    /// What is not cut yet.
    pub(super) fn rest(&self) -> &'t [u8] {
        self.text
    }

    fn at(&self, at: usize) -> Option<Class> {
        self.text.get(at).map(|byte| class(*byte))
    }

    /// How long the run of bytes is that `is` holds for.
    fn run(&self, from: usize, is: impl Fn(Class) -> bool) -> usize {
        self.text[from..].iter().take_while(|byte| is(class(**byte))).count()
    }

    /// The end of a word that begins at `from`, if one does: capitals, then small letters, then `'s`
    /// and the like.
    fn word(&self, from: usize) -> Option<usize> {
        let capitals = from + self.run(from, |class| class == Class::Upper);
        let end = capitals + self.run(capitals, |class| class == Class::Lower);
        (end > from).then(|| end + self.contraction(end))
    }

    fn contraction(&self, at: usize) -> usize {
        let Some((b'\'', rest)) = self.text[at..].split_first() else { return 0 };
        let letter = |at: usize| rest.get(at).map(u8::to_ascii_lowercase);
        match (letter(0), letter(1)) {
            (Some(b's' | b't' | b'm' | b'd'), _) => 2,
            (Some(b'r' | b'v'), Some(b'e')) | (Some(b'l'), Some(b'l')) => 3,
            _ => 0,
        }
    }

    /// The end of a run of signs that begins at `from`, with the line ends and slashes behind it.
    fn signs(&self, from: usize) -> Option<usize> {
        let end = from + self.run(from, |class| class == Class::Other);
        let behind =
            self.text[end..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n' | b'/'));
        (end > from).then(|| end + behind.count())
    }

    /// The end of white space: up to its last line end, else all but its last blank, which belongs to
    /// what follows.
    fn white(&self) -> usize {
        let run = self.run(0, |class| matches!(class, Class::Newline | Class::Blank));
        let last = self.text[..run].iter().rposition(|byte| matches!(byte, b'\r' | b'\n'));
        match last {
            Some(last) => last + 1,
            None if run == self.text.len() || run == 1 => run,
            None => run - 1,
        }
    }

    fn next_end(&self) -> Option<usize> {
        let end = match self.at(0)? {
            Class::Upper | Class::Lower => self.word(0),
            Class::Digit => {
                // No further than three: what follows is looked at for the next piece.
                let digits = self.text.iter().take(3);
                Some(digits.take_while(|byte| class(**byte) == Class::Digit).count())
            }
            Class::Newline => Some(self.white()),
            Class::Blank => {
                let word = self.word(1);
                let is_space = self.text[0] == b' ';
                let signs = || is_space.then(|| self.signs(1)).flatten();
                Some(word.or_else(signs).unwrap_or_else(|| self.white()))
            }
            Class::Other => self.word(1).or_else(|| self.signs(0)),
        };
        // There is no such byte, and no piece is ever empty.
        Some(end.unwrap_or(1).max(1))
    }
}

impl<'t> Iterator for Pieces<'t> {
    type Item = &'t [u8];

    fn next(&mut self) -> Option<&'t [u8]> {
        let end = self.next_end()?;
        let (piece, rest) = self.text.split_at(end);
        self.text = rest;
        Some(piece)
    }
}

/// Whether a text can be cut here without cutting a piece: a letter or digit stands before it, and an
/// ASCII sign or blank after it that cannot belong to that word.
pub(super) fn is_cut(text: &[u8], at: usize) -> bool {
    let (Some(before), Some(after)) = (at.checked_sub(1).and_then(|at| text.get(at)), text.get(at))
    else {
        return false;
    };
    before.is_ascii_alphanumeric()
        && after.is_ascii()
        && !after.is_ascii_alphanumeric()
        && *after != b'\''
}
