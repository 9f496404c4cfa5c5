//! Imports: which of them are servers and tools, and which cannot work.

use ruff_python_ast::{Alias, StmtImport, StmtImportFrom};

use super::{Meaning, Names, usage};
use crate::finding::{Code, Mistake, Weight, raises};
use crate::modules;
use crate::nearest::nearest;
use crate::servers::{self, BY_NAME};

impl<'c> Names<'_, 'c> {
    pub(super) fn read_import(&mut self, import: &StmtImport, mistakes: &mut Vec<Mistake>) {
        for alias in &import.names {
            let full = alias.name.as_str();
            let mut parts: Vec<&str> = full.split('.').collect();
            let first = parts[0];
            let bare = first != "servers";
            if bare && !self.servers.is_free(first) {
                self.read_module(alias, first, mistakes);
                continue;
            }
            if bare {
                parts.insert(0, "servers");
            }
            let meaning = self.imported_meaning(&parts, alias, mistakes);
            match (&alias.asname, bare) {
                (Some(name), _) => {
                    if let Some(meaning) = meaning {
                        self.learn(name.as_str(), meaning);
                    }
                }
                (None, false) => self.learn("servers", Meaning::Root),
                (None, true) => {
                    if let Some(meaning) =
                        self.imported_meaning(&parts[..2], alias, &mut Vec::new())
                    {
                        self.learn(first, meaning);
                    }
                }
            }
        }
    }

    /// What `servers`, `servers.x` or `servers.x.y` is.
    fn imported_meaning(
        &self,
        parts: &[&str],
        alias: &Alias,
        mistakes: &mut Vec<Mistake>,
    ) -> Option<Meaning<'c>> {
        let all = self.servers;
        let [_, server, rest @ ..] = parts else { return Some(Meaning::Root) };
        let Some(found) = all.server(server) else {
            if all.is_opaque(server) {
                return Some(Meaning::Opaque);
            }
            mistakes.push(self.no_server(server, alias.name.range, raises::IMPORT));
            return None;
        };
        let [tool, ..] = rest else { return Some(Meaning::Server(found)) };
        let is_module =
            |tool: &&catalog::CatalogTool| tool.python() == rest[0] || tool.name().0 == rest[0];
        let module = servers::tool(found, tool).filter(is_module);
        if module.is_none() {
            mistakes.push(self.no_tool(found, tool, alias.name.range, raises::IMPORT));
        }
        module.map(Meaning::Tool)
    }

    fn read_module(&mut self, alias: &Alias, first: &str, mistakes: &mut Vec<Mistake>) {
        let name = alias.asname.as_ref().map_or(first, |name| name.as_str());
        self.modules.insert(name.to_owned(), first.to_owned());
        mistakes.extend(self.missing_module(first, alias.name.range));
    }

    pub(super) fn read_from(&mut self, import: &StmtImportFrom, mistakes: &mut Vec<Mistake>) {
        let Some(module) = import.module.as_ref().filter(|_| import.level == 0) else {
            self.unknown_star |= import.names.iter().any(|alias| alias.name.as_str() == "*");
            return;
        };
        let mut parts: Vec<&str> = module.as_str().split('.').collect();
        let first = parts[0];
        if first != "servers" {
            if !self.servers.is_free(first) {
                self.read_members(import, first);
                let missing = self.missing_module(first, module.range);
                mistakes.extend(missing.map(|missing| self.meant_of_server(missing, import)));
                return;
            }
            parts.insert(0, "servers");
        }
        match parts[1..] {
            [] => self.read_from_root(import, mistakes),
            [server] => self.read_from_server(import, server, mistakes),
            [server, tool, ..] => {
                let Some(found) = self.servers.server(server) else {
                    self.missing_server(server, module.range, mistakes);
                    return;
                };
                let Some(tool) = servers::tool(found, tool) else {
                    mistakes.push(self.no_tool(found, tool, module.range, raises::IMPORT));
                    return;
                };
                for alias in &import.names {
                    if alias.name.as_str() == tool.python() || alias.name.as_str() == tool.name().0
                    {
                        self.learn(bound(alias), Meaning::Tool(tool));
                    }
                }
            }
        }
    }

    fn missing_server(
        &mut self,
        server: &str,
        range: ruff_text_size::TextRange,
        mistakes: &mut Vec<Mistake>,
    ) {
        if !self.servers.is_opaque(server) {
            mistakes.push(self.no_server(server, range, raises::IMPORT));
        }
    }

    fn read_from_root(&mut self, import: &StmtImportFrom, mistakes: &mut Vec<Mistake>) {
        for alias in &import.names {
            let name = alias.name.as_str();
            if let Some(known) = BY_NAME.iter().find(|known| **known == name) {
                self.learn(bound(alias), Meaning::ByName(known));
            } else if let Some(server) = self.servers.server(name) {
                self.learn(bound(alias), Meaning::Server(server));
            } else if self.servers.is_opaque(name) {
                self.learn(bound(alias), Meaning::Opaque);
            } else if name != "*" && !servers::is_public(name) {
                let mut mistake = self.no_server(name, alias.name.range, raises::IMPORT);
                if let [tool, ..] = self.servers.having(name)[..] {
                    let server = tool.server_python();
                    mistake.code = Code::UnknownTool;
                    mistake.message = format!(
                        "'{name}' is a tool of the server '{server}'; write `from servers.{server} import {name}`"
                    );
                    mistake.nearest = Some(format!("servers.{server}.{name}"));
                }
                mistakes.push(mistake);
            }
        }
    }

    fn read_from_server(
        &mut self,
        import: &StmtImportFrom,
        server: &str,
        mistakes: &mut Vec<Mistake>,
    ) {
        let Some(found) = self.servers.server(server) else {
            if self.servers.is_opaque(server) {
                for alias in &import.names {
                    self.learn(bound(alias), Meaning::Opaque);
                }
            } else {
                self.read_from_none(import, server, mistakes);
            }
            return;
        };
        for alias in &import.names {
            let name = alias.name.as_str();
            if name == "*" {
                for tool in found.tools() {
                    for spelling in [tool.typescript(), &tool.name().0, tool.python()] {
                        self.learn(spelling, Meaning::Tool(tool));
                    }
                }
            } else if let Some(tool) = servers::tool(found, name) {
                self.learn(bound(alias), Meaning::Tool(tool));
            } else if !name.starts_with("__") {
                let mut mistake = self.no_tool(found, name, alias.name.range, raises::IMPORT);
                if mistake.nearest.is_none() && mistake.code == Code::UnknownTool {
                    // One of the same server that looks like it.
                    let near =
                        nearest(name, found.tools().iter().map(catalog::CatalogTool::python));
                    mistake.nearest = near.map(str::to_owned);
                }
                let others = self.servers.having(name);
                if let ([other], None, Code::UnknownTool) =
                    (&others[..], &mistake.nearest, mistake.code)
                {
                    mistake.nearest =
                        Some(format!("servers.{}.{}", other.server_python(), other.python()));
                }
                mistakes.push(mistake);
            }
        }
    }

    /// Tools of a server that is not there. Where it is clear which were meant, the rest of the program
    /// is read as if they had been imported: all its mistakes are told at once.
    fn read_from_none(
        &mut self,
        import: &StmtImportFrom,
        server: &str,
        mistakes: &mut Vec<Mistake>,
    ) {
        let range = import.module.as_ref().map_or(import.range, |module| module.range);
        self.missing_server(server, range, mistakes);
        let near = self.near_server(server).and_then(|near| self.servers.server(near));
        let mut meant = Vec::new();
        for alias in &import.names {
            let name = alias.name.as_str();
            let others = self.servers.having(name);
            let tool = near.and_then(|near| servers::tool(near, name));
            let tool = tool.or(match &others[..] {
                [only] => Some(*only),
                _ => None,
            });
            if let Some(tool) = tool {
                self.learn(bound(alias), Meaning::Tool(tool));
                meant.push(tool);
            }
        }
        let shared = near.is_none().then(|| self.shared_by_several(import)).flatten();
        let mut likely = meant.clone();
        if meant.is_empty() && shared.is_none() {
            // Another server may have something of the kind.
            for alias in &import.names {
                let name = alias.name.as_str();
                let all: Vec<&catalog::CatalogTool> = self.servers.catalog.tools().collect();
                let found = crate::meant::by(name, self.given_to(name), all.iter().copied());
                likely.extend(found.nearest.into_iter().chain(found.likely).take(2));
            }
        }
        let Some(mistake) = mistakes.last_mut().filter(|one| one.code == Code::UnknownServer)
        else {
            return;
        };
        if let Some(tools) = shared {
            // Which one was meant, only whoever wrote it knows.
            let owners: Vec<String> =
                tools.iter().map(|tool| format!("servers.{}", tool.server_python())).collect();
            let (owners, name) = (owners.join(" and "), tools[0].python());
            mistake.message = format!(
                "there is no server '{server}'; {owners} have '{name}': choose the one that is meant"
            );
            mistake.nearest = None;
            likely = tools;
        } else if let [tool, ..] = likely[..] {
            mistake.nearest = Some(format!("servers.{}", tool.server_python()));
        }
        likely.dedup_by_key(|tool| (tool.server(), tool.python()));
        mistake.usage = usage(likely.into_iter().take(3));
    }

    /// The tools that an import may mean where more than one server has a tool of that name.
    fn shared_by_several(&self, import: &StmtImportFrom) -> Option<Vec<&'c catalog::CatalogTool>> {
        let having = import.names.iter().map(|alias| self.servers.having(alias.name.as_str()));
        having.into_iter().find(|tools| tools.len() > 1)
    }

    fn read_members(&mut self, import: &StmtImportFrom, module: &str) {
        for alias in &import.names {
            if alias.name.as_str() == "*" {
                self.unknown_star |= !modules::is_usual(module);
            } else {
                self.imported.insert(bound(alias).to_owned(), module.to_owned());
            }
        }
    }

    /// A module that is not there, of which somebody wants a tool: `from tools import get_devices`.
    fn meant_of_server(&self, missing: Mistake, import: &StmtImportFrom) -> Mistake {
        let having = import.names.iter().map(|alias| self.servers.having(alias.name.as_str()));
        let Some(tools) = having.into_iter().find(|tools| !tools.is_empty()) else {
            return missing;
        };
        let line = |tool: &&catalog::CatalogTool| {
            format!("from servers.{} import {}", tool.server_python(), tool.python())
        };
        let lines: Vec<String> = tools.iter().map(line).collect();
        let message =
            format!("there is no such module; tools are imported so: `{}`", lines.join("` or `"));
        let nearest = lines.first().filter(|_| lines.len() == 1).cloned();
        Mistake { message, nearest, ..missing }
    }

    /// A module that the sandbox does not have. An image may have been given it, or it is a file
    /// of the program's own; so this is certain only where a server was meant, or nothing ran before.
    fn missing_module(&self, name: &str, range: ruff_text_size::TextRange) -> Option<Mistake> {
        // What begins with an underscore is nobody's promise, and may well be there.
        if name.starts_with('_') || modules::is_there(name) || self.servers.is_opaque(name) {
            return None;
        }
        let meant = nearest(name, self.servers.names())
            .filter(|near| strsim::osa_distance(near, name) <= 2 && name.len() > 3);
        if let (Some(server), false) = (meant, self.servers.partial) {
            return Some(Mistake {
                range,
                code: Code::UnknownServer,
                weight: Weight::WhenReached,
                message: format!("there is no module '{name}'; the server is called '{server}'"),
                nearest: Some(format!("servers.{server}")),
                valid: self.servers.names().map(|name| format!("servers.{name}")).collect(),
                raises: raises::IMPORT,
                usage: None,
            });
        }
        let message = if modules::is_client(name) {
            format!(
                "the sandbox has no '{name}', and needs none: the servers are connected already, and their tools are functions: \
                 `from servers.NAME import TOOL`, then `await TOOL(argument=value)`; search_tools('what you need') finds one"
            )
        } else if modules::is_network(name) {
            format!(
                "the sandbox has no '{name}' and no network; call a tool of a server instead: \
                 search_tools('what you need') finds one"
            )
        } else {
            format!(
                "'{name}' is not part of the sandbox, and nothing can be installed there; there are numpy, pandas, \
                 scipy, sklearn, statsmodels, matplotlib, sympy, lxml, bs4, yaml, openpyxl, sqlite3 and the standard library"
            )
        };
        let near = nearest(name, modules::usual());
        Some(Mistake {
            range,
            code: Code::UnknownModule,
            weight: Weight::Advice,
            message,
            nearest: near.map(str::to_owned),
            valid: Vec::new(),
            raises: raises::IMPORT,
            usage: None,
        })
    }
}

/// What an import binds.
fn bound(alias: &Alias) -> &str {
    alias.asname.as_ref().unwrap_or(&alias.name).as_str()
}
