//! What benchmarks of a whole service share.

mod http;
mod service;

pub(crate) use self::http::Connection;
pub(crate) use self::service::{Service, manifest};

pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Puts a section of figures where the last ones of its name were.
pub(crate) fn write_section(name: &str, text: &str) -> Result<(), Failure> {
    let file = manifest().join("../../docs/benchmarks.md");
    let (begin, end) = (format!("<!-- {name}:begin -->"), format!("<!-- {name}:end -->"));
    let old = std::fs::read_to_string(&file)?;
    let (before, after) = match old.split_once(&begin) {
        Some((before, rest)) => (before, rest.split_once(&end).map_or("", |(_, after)| after)),
        None => (old.as_str(), "\n"),
    };
    let before = before.trim_end();
    std::fs::write(file, format!("{before}\n\n{begin}\n{text}\n{end}{after}"))?;
    Ok(())
}
