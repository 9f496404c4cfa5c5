//! Findings as text: for a model that is to mend its program, and for people.

use std::fmt::{self, Write as _};

use crate::finding::{Finding, Report, Severity};

/// How many things that would be right are listed for one finding.
const LISTED: usize = 30;

impl Report {
    /// Everything that must be mended, in words that are enough to do it in one try.
    ///
    /// Empty when nothing blocks.
    #[must_use]
    pub fn for_model(&self) -> String {
        let findings: Vec<&Finding> = self.blocking().collect();
        let mut out = match findings.len() + self.more_blocking {
            0 => return String::new(),
            1 => "the program was not run: 1 mistake was found before anything happened".to_owned(),
            count => format!(
                "the program was not run: {count} mistakes were found before anything happened"
            ),
        };
        for finding in findings {
            let _ = write!(out, "\n\n{finding}");
        }
        if self.more_blocking > 0 {
            let _ = write!(
                out,
                "\n\nand {} more, which are told once these are mended",
                self.more_blocking
            );
        }
        let tools =
            [("tools that may do it", &self.suggested), ("the tools it names", &self.usage)];
        for (about, usage) in tools {
            let Some(usage) = usage else { continue };
            let _ = write!(out, "\n\n{about}:");
            for line in usage.lines().filter(|line| !line.trim().is_empty()) {
                let _ = write!(out, "\n    {line}");
            }
        }
        out
    }
}

/// A finding as a compiler shows it, without colours:
///
/// ```text
/// line 3, column 22: unknown-argument: create_issue() has no parameter 'tittle'
///     await create_issue(tittle="x")
///                        ^^^^^^
///     did you mean: title
///     valid: owner, repo, title
/// ```
impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let advice = if self.severity == Severity::Advice { "advice: " } else { "" };
        write!(
            formatter,
            "line {}, column {}: {advice}{}: {}",
            self.line, self.column, self.code, self.message
        )?;
        if !self.source.trim().is_empty() {
            let (source, caret) = self.pointed();
            write!(formatter, "\n    {source}\n    {caret}")?;
        }
        if let Some(nearest) = &self.nearest {
            write!(formatter, "\n    did you mean: {nearest}")?;
        }
        if let Some(valid) = self.listed() {
            write!(formatter, "\n    valid: {valid}")?;
        }
        if let Some(usage) = &self.usage {
            write!(formatter, "\n    called so:")?;
            let mut lines = usage.lines().filter(|line| !line.trim().is_empty());
            lines.try_for_each(|line| write!(formatter, "\n      {line}"))?;
        }
        Ok(())
    }
}

impl Finding {
    /// The source line without its indentation, and a line that points at the mistake.
    #[must_use]
    pub fn pointed(&self) -> (String, String) {
        let indent = self.source.chars().take_while(|letter| letter.is_whitespace()).count();
        let source: String = self.source.chars().skip(indent).collect();
        let start = (self.column as usize).saturating_sub(1 + indent);
        let length = source.chars().count();
        let end = if self.end_line == self.line { self.end_column as usize } else { usize::MAX };
        let end = end.saturating_sub(1 + indent).min(length);
        // Tabs stay, so that the caret stands where the mistake does.
        let before: String = source
            .chars()
            .take(start)
            .map(|letter| if letter == '\t' { '\t' } else { ' ' })
            .collect();
        (source, format!("{before}{}", "^".repeat(end.saturating_sub(start).max(1))))
    }

    /// What would be right, in one line; `None` when that is not known.
    #[must_use]
    pub fn listed(&self) -> Option<String> {
        if self.valid.is_empty() {
            return None;
        }
        let mut listed =
            self.valid.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
        if self.valid.len() > LISTED {
            let _ = write!(listed, " and {} more", self.valid.len() - LISTED);
        }
        Some(listed)
    }
}
