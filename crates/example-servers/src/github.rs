//! The server `github`: five tools of a forge, on real repositories in a folder.
//!
//! Files and branches are git's. Issues and pull requests, which git does not know, lie in a database
//! beside the repositories.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::repositories::{MAIN, Repositories};
use crate::served::{self, Tools};
use crate::store::{Store, Table};

const ADD: &str = "INSERT INTO notes
    SELECT ?1, ?2, count(*) + 1, ?3, ?4, ?5 FROM notes WHERE repository = ?1
    RETURNING json_object('number', number)";

/// What there is at the beginning.
const BEGINNING: [(&str, &str, &str, &str); 3] = [
    ("harbour", "lights", "README.md", "# Lights\n\nWhen the lamps of the pier are on.\n"),
    ("harbour", "tides", "README.md", "# Tides\n\nHigh water of the year.\n"),
    (
        "harbour",
        "tides",
        "data/high.csv",
        "day,metres\n2026-07-01,3.1\n2026-07-02,3.3\n2026-07-03,3.9\n",
    ),
];

/// The server.
pub(crate) struct Forge {
    repositories: Repositories,
    store: Store,
}

#[derive(Deserialize)]
struct Query {
    query: String,
}

#[derive(Deserialize)]
struct FileAt {
    owner: String,
    repo: String,
    path: String,
    branch: Option<String>,
}

#[derive(Deserialize)]
struct Push {
    owner: String,
    repo: String,
    branch: String,
    message: String,
    files: Vec<Written>,
}

#[derive(Deserialize)]
struct Written {
    path: String,
    content: String,
}

#[derive(Deserialize)]
struct Pull {
    owner: String,
    repo: String,
    title: String,
    head: String,
    base: String,
    body: Option<String>,
}

#[derive(Deserialize)]
struct Issue {
    owner: String,
    repo: String,
    title: String,
    body: Option<String>,
}

impl Forge {
    /// One whose repositories are in this folder.
    pub(crate) async fn new(folder: Option<&Path>, seed: u64) -> Result<Self, String> {
        let folder = folder.ok_or("say with --store in which folder the repositories are")?;
        let what = |error: std::io::Error| format!("{}: {error}; check --store", folder.display());
        std::fs::create_dir_all(folder).map_err(what)?;
        let table = Table::new::<()>(
            "notes",
            "repository TEXT, kind TEXT, number INTEGER, title TEXT, body TEXT, branch TEXT",
            &[],
        );
        let store = Store::open(Some(&folder.join("forge.db")), seed, &[table]).await?;
        let repositories = Repositories::at(folder);
        for name in ["lights", "tides"] {
            let of = BEGINNING.iter().filter(|one| one.1 == name);
            let files: Vec<_> = of.map(|one| (one.2.to_owned(), one.3.to_owned())).collect();
            repositories.make("harbour", name, &files).await?;
        }
        Ok(Self { repositories, store })
    }

    async fn search(&self, asked: &Query) -> Result<Value, String> {
        let mut items = Vec::new();
        for (owner, name) in self.repositories.all() {
            let repository = self.repositories.find(&owner, &name)?;
            let full = format!("{owner}/{name}");
            let mut fits = true;
            for word in asked.query.split_whitespace() {
                fits &= full.contains(&word.to_lowercase()) || repository.mentions(word).await;
            }
            if fits {
                items.push(json!({ "full_name": full, "default_branch": MAIN }));
            }
        }
        Ok(json!({ "items": items }))
    }

    async fn read(&self, of: &FileAt) -> Result<Value, String> {
        let repository = self.repositories.find(&of.owner, &of.repo)?;
        let branch = of.branch.as_deref().unwrap_or(MAIN);
        let (content, sha) = repository.read(branch, &of.path).await?;
        Ok(json!({ "path": of.path, "content": content, "sha": sha }))
    }

    async fn push(&self, push: Push) -> Result<Value, String> {
        let repository = self.repositories.find(&push.owner, &push.repo)?;
        let files: Vec<_> = push.files.into_iter().map(|one| (one.path, one.content)).collect();
        let commit = repository.commit(&push.branch, &push.message, &files).await?;
        Ok(json!({ "branch": push.branch, "commit": commit }))
    }

    async fn pull(&self, pull: &Pull) -> Result<Value, String> {
        let repository = self.repositories.find(&pull.owner, &pull.repo)?;
        let (commits, files) = repository.compare(&pull.base, &pull.head).await?;
        if commits == 0 {
            return Err(format!("{} has nothing that {} lacks", pull.head, pull.base));
        }
        let full = format!("{}/{}", pull.owner, pull.repo);
        let given = ["pull", &pull.title, pull.body.as_deref().unwrap_or_default(), &pull.head];
        let noted = self.note(&full, given).await?;
        Ok(json!({ "number": noted["number"], "commits": commits, "files": files }))
    }

    async fn issue(&self, issue: &Issue) -> Result<Value, String> {
        self.repositories.find(&issue.owner, &issue.repo)?;
        let full = format!("{}/{}", issue.owner, issue.repo);
        let body = issue.body.as_deref().unwrap_or_default();
        self.note(&full, ["issue", &issue.title, body, ""]).await
    }

    async fn note(&self, full: &str, given: [&str; 4]) -> Result<Value, String> {
        let [kind, title, body, branch] = given.map(Some);
        self.store.json(ADD, &[Some(full), kind, title, body, branch]).await
    }
}

impl Tools for Forge {
    const NAME: &str = "tidegate-github";
    const ABOUT: &str = "Repositories, branches, issues and pull requests.";
    const DEFINITIONS: &str = include_str!("github.tools.json");

    async fn answer(&self, tool: &str, arguments: Map<String, Value>) -> Result<Value, String> {
        match tool {
            "search_repositories" => self.search(&served::read(tool, arguments)?).await,
            "get_file_contents" => self.read(&served::read(tool, arguments)?).await,
            "push_files" => self.push(served::read(tool, arguments)?).await,
            "create_pull_request" => self.pull(&served::read(tool, arguments)?).await,
            "create_issue" => self.issue(&served::read(tool, arguments)?).await,
            _ => Err(served::unknown(tool)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn asked(forge: &Forge, tool: &str, arguments: Value) -> Result<Value, String> {
        let mut arguments = arguments.as_object().unwrap().clone();
        if tool != "search_repositories" {
            arguments.insert("owner".to_owned(), json!("harbour"));
            arguments.insert("repo".to_owned(), json!("tides"));
        }
        forge.answer(tool, arguments).await
    }

    #[tokio::test]
    async fn what_is_pushed_is_on_its_branch_until_somebody_merges_it() {
        let folder = tempfile::tempdir().unwrap();
        let forge = Forge::new(Some(folder.path()), 1).await.unwrap();
        let found = asked(&forge, "search_repositories", json!({ "query": "high water" })).await;
        assert_eq!(found.unwrap()["items"][0]["full_name"], "harbour/tides");
        let pushed = json!({ "branch": "mend", "message": "Mend", "files": [{ "path": "data/high.csv", "content": "none\n" }] });
        asked(&forge, "push_files", pushed).await.unwrap();
        let read = async |branch: Option<&str>| {
            let arguments = json!({ "path": "data/high.csv", "branch": branch });
            asked(&forge, "get_file_contents", arguments).await.unwrap()["content"].clone()
        };
        assert_eq!(read(Some("mend")).await, "none\n");
        assert_ne!(read(None).await, "none\n");
        let pull = json!({ "title": "Mend", "head": "mend", "base": "main" });
        let pull = asked(&forge, "create_pull_request", pull).await.unwrap();
        assert_eq!(pull, json!({ "number": 1, "commits": 1, "files": ["data/high.csv"] }));
        let issue = asked(&forge, "create_issue", json!({ "title": "Wrong" })).await.unwrap();
        assert_eq!(issue["number"], 2);
        // All of it is still there for the next process.
        drop(forge);
        let forge = Forge::new(Some(folder.path()), 1).await.unwrap();
        let again = json!({ "title": "Mend", "head": "mend", "base": "main" });
        let again = asked(&forge, "create_pull_request", again).await.unwrap();
        assert_eq!(again["number"], 3);
    }

    #[tokio::test]
    async fn what_is_not_there_is_said_so() {
        let folder = tempfile::tempdir().unwrap();
        let forge = Forge::new(Some(folder.path()), 1).await.unwrap();
        let path = json!({ "path": "../forge.db" });
        let reason = asked(&forge, "get_file_contents", path).await.unwrap_err();
        assert_eq!(reason, "\"../forge.db\" is no path within a repository");
        let pull = json!({ "title": "None", "head": "none", "base": "main" });
        let reason = asked(&forge, "create_pull_request", pull).await.unwrap_err();
        assert!(reason.contains("\"none\""), "{reason}");
    }
}
