//! The server `github`: tools of a forge, on real repositories in a folder.
//!
//! Files, branches and commits are git's. Issues, pull requests and what is said to them, which git does not
//! know, lie in a database beside the repositories.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::repositories::{MAIN, Repositories};
use crate::served::{self, Tools};
use crate::store::{Store, Table};

const ADD: &str = "INSERT INTO notes
    SELECT ?1, ?2, count(*) + 1, ?3, ?4, ?5 FROM notes WHERE repository = ?1
    RETURNING json_object('number', number)";

const ISSUES: &str = "SELECT json_group_array(json_object('number', number, 'title', title, 'body', body,
        'comments', json((SELECT json_group_array(body) FROM
            (SELECT body FROM comments WHERE repository = ?1 AND number = notes.number ORDER BY rowid)))))
    FROM (SELECT * FROM notes WHERE repository = ?1 AND kind = 'issue' ORDER BY number) AS notes";

const PULLS: &str =
    "SELECT json_group_array(json_object('number', number, 'title', title, 'body', body,
        'head', branch))
    FROM (SELECT * FROM notes WHERE repository = ?1 AND kind = 'pull' ORDER BY number)";

/// Whether there is an issue or a pull request of that number, and how many comments it has.
const KNOWN: &str = "SELECT json_array(count(*), (SELECT count(*) FROM comments
        WHERE repository = ?1 AND number = CAST(?2 AS INTEGER)))
    FROM notes WHERE repository = ?1 AND number = CAST(?2 AS INTEGER)";

const COMMENT: &str = "INSERT INTO comments VALUES (?1, CAST(?2 AS INTEGER), ?3)
    RETURNING json_object('number', number)";

/// Commits that are listed unless somebody wants more or fewer.
const COMMITS: u32 = 30;

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

#[derive(Deserialize)]
struct Of {
    owner: String,
    repo: String,
}

#[derive(Deserialize)]
struct Comment {
    owner: String,
    repo: String,
    issue_number: u32,
    body: String,
}

#[derive(Deserialize)]
struct Log {
    owner: String,
    repo: String,
    branch: Option<String>,
    limit: Option<u32>,
}

impl Forge {
    /// One whose repositories are in this folder.
    pub(crate) async fn new(folder: Option<&Path>, seed: u64) -> Result<Self, String> {
        let folder = folder.ok_or("say with --store in which folder the repositories are")?;
        let what = |error: std::io::Error| format!("{}: {error}; check --store", folder.display());
        std::fs::create_dir_all(folder).map_err(what)?;
        let tables = [
            Table::new::<()>(
                "notes",
                "repository TEXT, kind TEXT, number INTEGER, title TEXT, body TEXT, branch TEXT",
                &[],
            ),
            Table::new::<()>("comments", "repository TEXT, number INTEGER, body TEXT", &[]),
        ];
        let store = Store::open(Some(&folder.join("forge.db")), seed, &tables).await?;
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

    async fn list(&self, of: &Of, query: &'static str) -> Result<Value, String> {
        self.repositories.find(&of.owner, &of.repo)?;
        self.store.json(query, &[Some(&format!("{}/{}", of.owner, of.repo))]).await
    }

    async fn comment(&self, comment: &Comment) -> Result<Value, String> {
        self.repositories.find(&comment.owner, &comment.repo)?;
        let full = format!("{}/{}", comment.owner, comment.repo);
        let number = comment.issue_number.to_string();
        let known = self.store.json(KNOWN, &[Some(&full), Some(&number)]).await?;
        if known[0] == 0 {
            return Err(format!(
                "{full} has nothing of the number {number}; list_issues and list_pull_requests say what it has"
            ));
        }
        self.store.json(COMMENT, &[Some(&full), Some(&number), Some(&comment.body)]).await?;
        let before = known[1].as_u64().unwrap_or(0);
        Ok(json!({ "number": comment.issue_number, "comments": before + 1 }))
    }

    async fn log(&self, log: &Log) -> Result<Value, String> {
        let repository = self.repositories.find(&log.owner, &log.repo)?;
        let branch = log.branch.as_deref().unwrap_or(MAIN);
        let commits = repository.log(branch, log.limit.unwrap_or(COMMITS)).await?;
        let shown = |(sha, message): (String, String)| json!({ "sha": sha, "message": message });
        Ok(json!({ "commits": commits.into_iter().map(shown).collect::<Vec<_>>() }))
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
            "list_issues" => {
                let issues = self.list(&served::read(tool, arguments)?, ISSUES).await?;
                Ok(json!({ "issues": issues }))
            }
            "add_issue_comment" => self.comment(&served::read(tool, arguments)?).await,
            "list_pull_requests" => {
                let pulls = self.list(&served::read(tool, arguments)?, PULLS).await?;
                Ok(json!({ "pull_requests": pulls }))
            }
            "list_commits" => self.log(&served::read(tool, arguments)?).await,
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
    async fn what_was_said_to_an_issue_is_listed_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let forge = Forge::new(Some(folder.path()), 1).await.unwrap();
        asked(&forge, "create_issue", json!({ "title": "Wrong", "body": "See below." }))
            .await
            .unwrap();
        let pushed = json!({ "branch": "mend", "message": "Mend", "files": [{ "path": "a.md", "content": "a\n" }] });
        asked(&forge, "push_files", pushed).await.unwrap();
        let pull = json!({ "title": "Mend", "head": "mend", "base": "main" });
        asked(&forge, "create_pull_request", pull).await.unwrap();
        for (body, count) in [("First", 1), ("then'; --", 2)] {
            let comment = json!({ "issue_number": 1, "body": body });
            let told = asked(&forge, "add_issue_comment", comment).await.unwrap();
            assert_eq!(told, json!({ "number": 1, "comments": count }));
        }
        let issues = asked(&forge, "list_issues", json!({})).await.unwrap();
        let issue = json!({ "number": 1, "title": "Wrong", "body": "See below.", "comments": ["First", "then'; --"] });
        assert_eq!(issues, json!({ "issues": [issue] }));
        let pulls = asked(&forge, "list_pull_requests", json!({})).await.unwrap();
        let pull = json!({ "number": 2, "title": "Mend", "body": "", "head": "mend" });
        assert_eq!(pulls, json!({ "pull_requests": [pull] }));
        let log = asked(&forge, "list_commits", json!({ "branch": "mend" })).await.unwrap();
        let messages: Vec<_> =
            log["commits"].as_array().unwrap().iter().map(|one| &one["message"]).collect();
        assert_eq!(messages, ["Mend", "Begin"]);
        let last = asked(&forge, "list_commits", json!({ "limit": 1 })).await.unwrap();
        assert_eq!(last["commits"][0]["message"], "Begin");
        let nothing = json!({ "issue_number": 9, "body": "?" });
        let reason = asked(&forge, "add_issue_comment", nothing).await.unwrap_err();
        assert!(reason.contains("nothing of the number 9"), "{reason}");
    }

    #[tokio::test]
    async fn every_tool_that_is_described_is_answered() {
        let folder = tempfile::tempdir().unwrap();
        let forge = Forge::new(Some(folder.path()), 1).await.unwrap();
        let tools: Value = serde_json::from_str(Forge::DEFINITIONS).unwrap();
        for tool in tools.as_array().unwrap() {
            let name = tool["name"].as_str().unwrap();
            let told = forge.answer(name, Map::new()).await;
            assert_ne!(told, Err(served::unknown(name)));
        }
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
