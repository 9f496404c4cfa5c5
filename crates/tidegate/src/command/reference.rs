//! `tidegate config reference`: what there is to set, as a page of the manual.

use std::fmt::Write as _;

use engine::{Level, Limits};

use super::explain::rows;
use crate::settings::{SETTINGS, variable};

/// The page, as Markdown.
pub(super) fn page() -> String {
    let mut page = String::from(
        "# Configuration reference\n\n\
         Printed by `tidegate config reference`; a test compares this page with it. [The service](service.md) explains the settings of `serve` and `mcp`,\n\
         [Limits and levels](limits.md) those of programs. The other sections of `tidegate.toml` have pages of their own: `[servers.NAME]`\n\
         [Servers](servers.md), `[policy]` [Rules and approvals](policy.md), `[privacy]` and `[secrets]` [Personal data and secrets](privacy.md),\n\
         `[review]` [Review before a run](review.md), `[network]` [Network for programs](network.md), `[audit]` [The audit log](audit.md), `[ask]`\n\
         [Questions in words](ask.md).\n\n\
         ## `[serve]`\n\n\
         Each is also a flag of `serve` and `mcp`, and a variable.\n\n\
         | setting | flag | variable | otherwise | what |\n| --- | --- | --- | --- | --- |\n",
    );
    for setting in SETTINGS {
        let name = setting.name;
        let usual =
            if setting.usual.is_empty() { String::new() } else { format!("`{}`", setting.usual) };
        let (value, about) = (setting.value, setting.about);
        let variable = variable(name);
        // Writing to a text cannot fail.
        let _ =
            writeln!(page, "| `{name}` | `--{name} {value}` | `{variable}` | {usual} | {about} |");
    }
    page.push_str(
        "\n## `[limits]`\n\nWhat each level gives; a value that is written here takes its place.\n\n\
         | setting | limit | development | production | hardened |\n| --- | --- | --- | --- | --- |\n",
    );
    let levels = [Level::Development, Level::Production, Level::Hardened];
    let [development, production, hardened] = levels.map(|level| rows(&Limits::of(level)));
    for ((most, usual), least) in development.into_iter().zip(production).zip(hardened) {
        let (limit, development, setting) = most;
        let _ =
            writeln!(page, "| `{setting}` | {limit} | {development} | {} | {} |", usual.1, least.1);
    }
    page.truncate(page.trim_end().len());
    page
}
