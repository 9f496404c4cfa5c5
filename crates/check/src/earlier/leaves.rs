//! What a program leaves for the next one.

use std::sync::Arc;

use catalog::CatalogTool;
use ruff_python_ast::{Alias, AnyNodeRef, Expr, StmtImportFrom};

use super::{Bound, Left, used_later};
use crate::names::Names;
use crate::reach::Reach;
use crate::run::BUILTINS;
use crate::scopes::Scopes;
use crate::tree::{Id, Tree};

/// Names of a session that are kept,
const MOST_NAMES: usize = 1_000;
/// and how many bytes they and their imports may have.
const MOST_BYTES: usize = 64 << 10;

/// Names with which a program may do to others what is not to be seen.
const HIDDEN: &[&str] = &["eval", "compile", "import_module", "reload", "__main__", "settrace"];
/// Words of programs that bring modules of their own, in place of others perhaps.
const BRINGS: &[&str] = &[".py", "sys.path", "meta_path", "path_hooks"];

impl Left {
    /// What there is after a program, or a part of it, ran where this was.
    pub(crate) fn after<'a>(
        &self,
        given: &[String],
        source: &str,
        tree: &Tree<'a>,
        names: &Names<'a, '_>,
        reach: &Reach<'_, 'a, '_>,
    ) -> Self {
        let leaving = Leaving { tree, names, scopes: Scopes::new(tree, names) };
        let brings = BRINGS.iter().any(|word| source.contains(word));
        let Some(before) = self.0.as_deref().filter(|_| !brings && !leaving.is_hidden(reach))
        else {
            return Self(None);
        };
        let mut bound = before.clone();
        for name in given.iter().map(String::as_str).chain(leaving.others()) {
            bound.imports.remove(name);
            bound.others.insert(name.to_owned());
        }
        let Some(lines) = leaving.imports() else { return Self(None) };
        for (name, line) in lines {
            bound.add_import(name, line);
        }
        bound.used.extend(used_later(tree, names, &leaving.scopes).into_iter().map(str::to_owned));
        if bound.is_too_large() { Self(None) } else { Self(Some(Arc::new(bound))) }
    }
}

impl Bound {
    /// A name that may stand for more than one thing may be anything.
    fn add_import(&mut self, name: String, line: String) {
        if self.others.contains(&name) {
            return;
        }
        // `import xml.etree` and `import xml.dom` bind the same module.
        let is_same = |known: &String| {
            let plain = |line: &String| line.starts_with("import ") && !line.contains(" as ");
            plain(known) && plain(&line)
        };
        match self.imports.get(&name) {
            Some(known) if known.lines().any(|one| one == line) => {}
            Some(known) if is_same(known) => {
                let both = format!("{known}\n{line}");
                self.imports.insert(name, both);
            }
            Some(_) => {
                self.imports.remove(&name);
                self.others.insert(name);
            }
            None if BUILTINS.contains(&name.as_str()) => drop(self.others.insert(name)),
            None => drop(self.imports.insert(name, line)),
        }
    }

    pub(super) fn is_too_large(&self) -> bool {
        let lines = self.imports.iter().map(|(name, line)| name.len() + line.len());
        let names = self.others.iter().chain(&self.used).map(String::len);
        self.imports.len() + self.others.len() + self.used.len() > MOST_NAMES
            || lines.chain(names).sum::<usize>() > MOST_BYTES
    }
}

/// A program, read for what it leaves.
struct Leaving<'t, 'a, 'c> {
    tree: &'t Tree<'a>,
    names: &'t Names<'a, 'c>,
    scopes: Scopes<'t, 'a, 'c>,
}

impl<'a, 'c> Leaving<'_, 'a, 'c> {
    /// Names at top level that are bound by anything but an import.
    fn others(&self) -> impl Iterator<Item = &'a str> {
        let stores = self.names.stores.iter().filter(|(name, places)| {
            places.iter().any(|id| self.scopes.of(*id, name).is_none() && !self.is_of_class(*id))
        });
        let outer = self.names.outer.values().flatten().copied();
        stores.map(|(name, _)| *name).chain(outer)
    }

    /// Whether a place is in the body of a class, whose names are its own.
    fn is_of_class(&self, id: Id) -> bool {
        self.tree.function(id).is_none()
            && self
                .tree
                .above(id)
                .any(|above| matches!(self.tree.node(above), AnyNodeRef::StmtClassDef(_)))
    }

    /// The imports at top level, as lines by the names they bind; `None` where one binds what is not known.
    fn imports(&self) -> Option<Vec<(String, String)>> {
        let mut lines = Vec::new();
        let mut add = |name: &str, line: String| lines.push((name.to_owned(), line));
        for (id, node) in self.tree.all() {
            if self.tree.function(id).is_some() || self.is_of_class(id) {
                continue;
            }
            match node {
                AnyNodeRef::StmtImport(import) => {
                    for Alias { name, asname, .. } in &import.names {
                        if let Some(new) = asname {
                            add(new, format!("import {name} as {new}"));
                        } else {
                            let first = name.split('.').next().unwrap_or(name);
                            add(first, format!("import {name}"));
                        }
                    }
                }
                AnyNodeRef::StmtImportFrom(import) => {
                    let module = import.module.as_ref().filter(|_| import.level == 0)?;
                    for Alias { name, asname, .. } in &import.names {
                        if name.as_str() == "*" {
                            for tool in self.tools_of(import)? {
                                add(tool, format!("from {module} import {tool}"));
                            }
                            continue;
                        }
                        let new = asname.as_ref().unwrap_or(name);
                        add(new, format!("from {module} import {name} as {new}"));
                    }
                }
                _ => {}
            }
        }
        Some(lines)
    }

    /// What `from servers.github import *` binds; `None` for other modules.
    fn tools_of(&self, import: &StmtImportFrom) -> Option<Vec<&'c str>> {
        let module = import.module.as_ref()?.as_str();
        let server =
            self.names.servers.server(module.strip_prefix("servers.").unwrap_or(module))?;
        let spellings = |tool: &'c CatalogTool| {
            let own = tool.name().0.as_str();
            // What is no identifier cannot be bound.
            let is_name = own.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
            [Some(tool.typescript()), Some(tool.python()), is_name.then_some(own)]
        };
        let mut names: Vec<&str> = server.tools().iter().flat_map(spellings).flatten().collect();
        names.sort_unstable();
        names.dedup();
        Some(names)
    }

    /// Whether a program may do to names, or to what others share, what nobody sees.
    fn is_hidden(&self, reach: &Reach<'_, 'a, '_>) -> bool {
        let is_named = |name: &str| {
            self.names.loads.contains_key(name)
                || self.names.modules.contains_key(name)
                || self.names.imported.contains_key(name)
        };
        reach.is_dynamic()
            || self.names.patched
            || HIDDEN.iter().any(|name| is_named(name))
            || ["builtins", "__main__"].iter().any(|one| {
                let mut of = self.names.modules.values().chain(self.names.imported.values());
                of.any(|module| module == one)
            })
            || self.tree.all().any(|(_, node)| self.changes_others(node))
    }

    /// Whether a node changes an attribute of what may not be the program's own, or registers something.
    fn changes_others(&self, node: AnyNodeRef<'a>) -> bool {
        match node {
            AnyNodeRef::ExprName(name) => name.id.contains("register"),
            AnyNodeRef::ExprAttribute(one) => {
                let attribute = one.attr.as_str();
                attribute.contains("register")
                    || HIDDEN[2..].contains(&attribute)
                    || !one.ctx.is_load() && !self.is_own(&one.value)
            }
            _ => false,
        }
    }

    /// Whether what an attribute is set of was made by the program.
    fn is_own(&self, object: &Expr) -> bool {
        let root = match object {
            Expr::Name(name) => name.id.as_str(),
            Expr::Attribute(one) => return self.is_own(&one.value),
            Expr::Subscript(one) => return self.is_own(&one.value),
            _ => return false,
        };
        if root == "self" {
            return true;
        }
        let Some(places) = self.names.stores.get(root).filter(|_| !self.names.is_imported(root))
        else {
            return false;
        };
        places.iter().all(|place| match self.tree.node(*place) {
            AnyNodeRef::StmtClassDef(_) | AnyNodeRef::StmtFunctionDef(_) => true,
            _ => match self.tree.parent(*place).map(|parent| self.tree.node(parent)) {
                Some(AnyNodeRef::StmtAssign(assign)) => is_made(&assign.value),
                _ => false,
            },
        })
    }
}

/// Whether a value is a new one, and no module or class.
fn is_made(value: &Expr) -> bool {
    match value {
        Expr::Await(_) => true,
        Expr::Call(call) => match &*call.func {
            Expr::Name(name) => !["type", "getattr", "next", "iter"].contains(&name.id.as_str()),
            Expr::Attribute(_) => true,
            _ => false,
        },
        other => other.is_literal_expr(),
    }
}
