//! `README.md` beside the servers: how tools are called, and which servers there are.

use std::fmt::Write as _;

use catalog::{Catalog, CatalogServer};

use crate::text;

/// How many servers are listed one by one.
const MOST_SERVERS: usize = 200;
/// How long the line about a server may be, in characters.
const LONGEST_LINE: usize = 160;

/// The whole file.
pub(crate) fn readme(catalog: &Catalog) -> String {
    let tools: usize = catalog.servers().map(|server| server.tools().len()).sum();
    let servers = catalog.servers().len();
    let mut out = format!(
        "# Tools\n\nServers: {servers}. Tools: {tools}. Each server is a folder and a package, each \
         tool a file and a function.\n"
    );
    how(catalog, &mut out);
    out.push_str("\n## Servers\n\n");
    for server in catalog.servers().take(MOST_SERVERS) {
        line(server, &mut out);
    }
    if servers > MOST_SERVERS {
        let _ = writeln!(out, "- and {} more: list this folder.", servers - MOST_SERVERS);
    }
    out
}

/// How a tool is found and called, with one that is really there.
fn how(catalog: &Catalog, out: &mut String) {
    let Some(tool) = catalog.tools().next() else { return };
    let (package, function) = (tool.server_python(), tool.python());
    let _ = write!(
        out,
        "
```python
import asyncio
from servers.{package} import {function}

result = await {function}(...)
several = await asyncio.gather({function}(...), {function}(...))
```

- Read `/servers/{package}/{function}.py` for the parameters, the result and an example.
- List `/servers/{package}` for all tools of a server; `.server.json` there says what it is for.
- Results are parsed: objects are `dict`, lists are `list`. Calls in one `gather` run at the same time.
- A tool that fails raises `ToolError` with the server's words.
- `await call_mcp_tool(\"{package}\", \"{function}\", {{...}})` calls a tool by name.
"
    );
}

fn line(server: &CatalogServer, out: &mut String) {
    let listing = server.listing();
    let count = server.tools().len();
    let tools = if count == 1 { "tool" } else { "tools" };
    let _ = write!(out, "- `servers.{}` ({count} {tools})", server.python());
    let said = [&listing.description, &listing.title].into_iter().flatten();
    let mut said = said.map(|text| text::first_sentence(text, LONGEST_LINE));
    if let Some(said) = said.find(|said| !said.is_empty()) {
        let _ = write!(out, ": {said}");
    }
    out.push('\n');
}
