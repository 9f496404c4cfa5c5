//! `tidegate config reference`: what there is to set, as a page of the manual.

use std::fmt::Write as _;

use engine::{Level, Limits};

use super::explain::rows;
use crate::config::keys::{KEYS, OTHERS};
use crate::config::tables::TABLES;
use crate::settings::{SETTINGS, variable};

/// The page, as Markdown.
pub(super) fn page() -> String {
    let mut page = String::from(
        "# Configuration reference\n\n\
         Printed by `tidegate config reference`; a test compares this page with it. [The service](service.md) explains the settings of `serve` and `mcp`,\n\
         [Limits and levels](limits.md) those of programs. The other sections of `tidegate.toml` have pages of their own: `[servers.NAME]`\n\
         [Servers](servers.md), `[policy]` [Rules and approvals](policy.md), `[privacy]` and `[secrets]` [Personal data and secrets](privacy.md),\n\
         `[review]` [Review before a run](review.md), `[network]` [Network for programs](network.md), `[audit]` [The audit log](audit.md), `[ask]`\n\
         [Questions in words](ask.md), `[skills]` [Skills](skills.md). `tidegate config show` names every value, and the file, variable or flag that says it.\n\n\
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
        "\n## `[limits]`\n\nWhat each level gives; a value that is written here takes its place. Each is also a variable and a flag of every command:\n\
         `calls` is `TIDEGATE_LIMITS_CALLS` and `--set limits.calls=10`.\n\n\
         | setting | limit | development | production | hardened |\n| --- | --- | --- | --- | --- |\n",
    );
    let levels = [Level::Development, Level::Production, Level::Hardened];
    let [development, production, hardened] = levels.map(|level| rows(&Limits::of(level)));
    for ((most, usual), least) in development.into_iter().zip(production).zip(hardened) {
        let (limit, development, setting) = most;
        let _ =
            writeln!(page, "| `{setting}` | {limit} | {development} | {} | {} |", usual.1, least.1);
    }
    page.push_str(
        "\n## Other keys\n\n\
         Those before the first table of the file, and those of the other sections. Each is also a variable and, as `--set KEY=VALUE`, a flag of every command;\n\
         the flag counts more than the variable, and that more than files. Lists have commas between their parts there, and an empty one is a list of nothing.\n\
         `[tools] direct` is `direct` above.\n\n\
         | key | variable | otherwise | what |\n| --- | --- | --- | --- |\n",
    );
    for key in KEYS {
        let usual = if key.usual.is_empty() { String::new() } else { format!("`{}`", key.usual) };
        let (path, about) = (key.path, key.about);
        let _ = writeln!(page, "| `{path}` | `{}` | {usual} | {about} |", variable(path));
    }
    tables(&mut page);
    page.push_str("\n## Other variables\n\n| variable | otherwise | what |\n| --- | --- | --- |\n");
    for (name, usual, about) in OTHERS {
        let _ = writeln!(page, "| `{name}` | {usual} | {about} |");
    }
    page.truncate(page.trim_end().len());
    page
}

/// What only a file can say.
fn tables(page: &mut String) {
    page.push_str(
        "\n## Tables that are said in files only\n\n\
         Those with names of your own, and those of which there may be several. `NAME` is whatever you call a server.\n",
    );
    for table in TABLES {
        let (link, title) = table.page;
        let _ = write!(
            page,
            "\n### `{}`\n\n{}: see [{title}]({link}).\n\n| key | otherwise | what |\n| --- | --- | --- |\n",
            table.head, table.about
        );
        for (name, usual, about) in table.keys {
            let usual = if usual.is_empty() { String::new() } else { format!("`{usual}`") };
            let _ = writeln!(page, "| `{name}` | {usual} | {about} |");
        }
    }
}
