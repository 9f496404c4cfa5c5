//! The two streams: the only module that writes to standard output and standard error.
//!
//! Results go to standard output, everything about them to standard error. A reader
//! that has gone away (`| head`) is no error. What a program wrote is somebody else's
//! text: on a terminal its control characters are shown, not obeyed, because they
//! could retitle, recolour or type into it; into a file or pipe it goes unchanged.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anstyle::{AnsiColor, Style};
use engine::{Host, Stream};

/// For what went wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// For what went well.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// For what to try next.
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default();
/// For headings.
pub(crate) const TITLE: Style = Style::new().bold();
/// For what is seldom read.
pub(crate) const DIM: Style = Style::new().dimmed();

/// Writes a line of ours to standard output.
pub(crate) fn line(text: impl Display) -> io::Result<()> {
    whoever_listens(writeln!(anstream::stdout().lock(), "{text}"))
}

/// Writes a line of somebody else's to standard output.
pub(crate) fn foreign_line(text: &str) -> io::Result<()> {
    let mut stream = io::stdout().lock();
    let text = if stream.is_terminal() { clean(text) } else { Cow::Borrowed(text) };
    whoever_listens(writeln!(stream, "{text}").and_then(|()| stream.flush()))
}

/// Whether whoever reads standard error wants an object of each line.
static OBJECTS: AtomicBool = AtomicBool::new(false);

/// From now on every line of ours on standard error is an object.
pub(crate) fn tell_objects() {
    OBJECTS.store(true, Ordering::Relaxed);
}

/// Writes a line of ours to standard error. There is nobody to tell if that fails.
pub(crate) fn tell(text: impl Display) {
    if OBJECTS.load(Ordering::Relaxed) {
        let text = anstream::adapter::strip_str(&text.to_string()).to_string();
        crate::log::object("INFO", "tidegate", &text);
        return;
    }
    tell_raw(text);
}

/// The same, whatever the line is.
pub(crate) fn tell_raw(text: impl Display) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Asks on standard error, on the line that the answer is typed on.
pub(crate) fn prompt(text: impl Display) {
    let mut stream = anstream::stderr().lock();
    let _ = write!(stream, "{text}").and_then(|()| stream.flush());
}

/// Says what went wrong, and what was behind it.
pub(crate) fn problem(error: &anyhow::Error) {
    tell(format_args!("{BAD}error:{BAD:#} {}", clean(&error.to_string())));
    for cause in error.chain().skip(1) {
        tell(format_args!("  because: {}", clean(&cause.to_string())));
    }
}

/// Warns of something that was done otherwise than asked.
pub(crate) fn warn(text: impl Display) {
    tell(format_args!("{HINT}warning:{HINT:#} {text}"));
}

fn whoever_listens(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// The text with its control characters made visible; lines and tabs stay.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    let stays = |c: char| matches!(c, '\n' | '\t') || !(c.is_control() || reorders(c));
    if text.chars().all(stays) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if stays(c) { c } else { visible(c) }).collect())
}

/// Whether a character changes the direction of those after it.
fn reorders(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn visible(c: char) -> char {
    match u32::from(c) {
        code @ 0..=0x1f => char::from_u32(0x2400 + code).unwrap_or('\u{fffd}'),
        0x7f => '\u{2421}',
        _ => '\u{fffd}',
    }
}

/// Passes on what a program writes, while it writes it.
#[derive(Debug, Default)]
pub(crate) struct Live {
    state: Mutex<LiveState>,
}

#[derive(Debug, Default)]
struct LiveState {
    sieves: [Sieve; 2],
    mid_line: [bool; 2],
    failed: Option<io::Error>,
}

impl Live {
    /// Ends a line the program left unfinished, and says whether anything was lost.
    pub(crate) fn finish(&self) -> io::Result<()> {
        let mut state = self.state();
        let mid_line = std::mem::take(&mut state.mid_line);
        state.sieves = Default::default();
        if let Some(error) = state.failed.take() {
            return Err(error);
        }
        if mid_line[1] {
            tell("");
        }
        if mid_line[0] { line("") } else { Ok(()) }
    }

    fn state(&self) -> MutexGuard<'_, LiveState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Host for Live {
    fn wrote(&self, stream: Stream, bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        let mut state = self.state();
        let index = usize::from(stream == Stream::Stderr);
        state.mid_line[index] = *last != b'\n';
        let sieve = &mut state.sieves[index];
        let written = match stream {
            Stream::Stdout => pass(&mut io::stdout().lock(), sieve, bytes),
            Stream::Stderr => pass(&mut io::stderr().lock(), sieve, bytes),
        };
        if let Err(error) = whoever_listens(written) {
            state.failed.get_or_insert(error);
        }
    }
}

fn pass(to: &mut (impl Write + io::IsTerminal), sieve: &mut Sieve, bytes: &[u8]) -> io::Result<()> {
    if to.is_terminal() {
        to.write_all(&sieve.sift(bytes))?;
    } else {
        to.write_all(bytes)?;
    }
    to.flush()
}

/// Makes control characters visible in bytes that come in pieces.
#[derive(Debug, Default)]
struct Sieve {
    /// The last byte was 0xC2, which begins the control characters above ASCII.
    lead: bool,
}

impl Sieve {
    fn sift(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut sifted = Vec::with_capacity(bytes.len() + 16);
        for &byte in bytes {
            let led = std::mem::take(&mut self.lead);
            match byte {
                0x80..=0x9f if led => sifted.extend_from_slice("\u{fffd}".as_bytes()),
                _ => {
                    if led {
                        sifted.push(0xc2);
                    }
                    self.add(byte, &mut sifted);
                }
            }
        }
        sifted
    }

    fn add(&mut self, byte: u8, sifted: &mut Vec<u8>) {
        match byte {
            0xc2 => self.lead = true,
            // Progress bars of programs need the carriage return.
            b'\n' | b'\t' | b'\r' | 0x20..=0x7e | 0x80.. => sifted.push(byte),
            _ => {
                sifted.extend_from_slice(
                    visible(char::from(byte)).encode_utf8(&mut [0; 4]).as_bytes(),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_shown_and_not_obeyed() {
        assert_eq!(clean("\u{1b}[2Jhi\u{9b}\u{202e}\n"), "␛[2Jhi\u{fffd}\u{fffd}\n");
        assert!(matches!(clean("plain ü\ttext\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_control_character_split_over_two_writes_is_noticed() {
        let mut sieve = Sieve::default();
        let mut sifted = sieve.sift(b"a\x1b\xc2");
        sifted.extend(sieve.sift(b"\x9b\xc2\xb5\n"));
        assert_eq!(String::from_utf8(sifted).unwrap(), "a␛\u{fffd}µ\n");
    }
}
