//! Repositories on disk, through the `git` of this machine.
//!
//! Each is a bare repository at `OWNER/NAME.git` below one folder. Commits are written without a working
//! tree. Names come from programs: each is looked at before `git` sees it, and none can be an option.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

/// Who writes commits, and when the first was written: the same everywhere.
const WHO: [(&str, &str); 6] = [
    ("GIT_AUTHOR_NAME", "tidegate"),
    ("GIT_AUTHOR_EMAIL", "tidegate@example.com"),
    ("GIT_COMMITTER_NAME", "tidegate"),
    ("GIT_COMMITTER_EMAIL", "tidegate@example.com"),
    ("GIT_AUTHOR_DATE", "2026-07-01T00:00:00Z"),
    ("GIT_COMMITTER_DATE", "2026-07-01T00:00:00Z"),
];

/// The branch that everything comes from.
pub(crate) const MAIN: &str = "main";

/// All repositories.
pub(crate) struct Repositories {
    folder: PathBuf,
}

/// One of them.
pub(crate) struct Repository {
    folder: PathBuf,
}

impl Repositories {
    pub(crate) fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// One that is there.
    pub(crate) fn find(&self, owner: &str, name: &str) -> Result<Repository, String> {
        let known = || Some(self.folder.join(plain(owner)?).join(format!("{}.git", plain(name)?)));
        known().filter(|folder| folder.is_dir()).map(|folder| Repository { folder }).ok_or_else(
            || format!("there is no repository {owner}/{name}; search_repositories finds them"),
        )
    }

    /// Makes one with these files, unless it is there.
    pub(crate) async fn make(
        &self,
        owner: &str,
        name: &str,
        files: &[(String, String)],
    ) -> Result<(), String> {
        let folder = self.folder.join(owner).join(format!("{name}.git"));
        if folder.join("HEAD").is_file() {
            return Ok(());
        }
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let made = Repository { folder };
        made.git(&["init", "--quiet", "--bare", "--initial-branch", MAIN], "").await?;
        made.commit(MAIN, "Begin", files).await.map(drop)
    }

    /// Owner and name of each.
    pub(crate) fn all(&self) -> Vec<(String, String)> {
        let below = |folder: &Path| -> Vec<String> {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
        };
        let mut all = Vec::new();
        for owner in below(&self.folder) {
            let names = below(&self.folder.join(&owner)).into_iter();
            let names = names.filter_map(|name| Some(name.strip_suffix(".git")?.to_owned()));
            all.extend(names.map(|name| (owner.clone(), name)));
        }
        all.sort();
        all
    }
}

impl Repository {
    /// The content of a file, and the id of that content.
    pub(crate) async fn read(&self, branch: &str, path: &str) -> Result<(String, String), String> {
        let place = format!("{}:{}", reference(branch)?, inside(path)?);
        let sha = self.git(&["rev-parse", "--verify", "--quiet", &place], "").await;
        let sha = sha.map_err(|_| format!("there is no file {path:?} on the branch {branch:?}"))?;
        Ok((self.git(&["cat-file", "blob", sha.trim()], "").await?, sha.trim().to_owned()))
    }

    /// Whether a word stands in one of the files.
    pub(crate) async fn mentions(&self, word: &str) -> bool {
        self.git(&["grep", "-q", "-i", "-F", "-e", word, MAIN], "").await.is_ok()
    }

    /// Writes files in one commit at the end of a branch; gives the commit.
    pub(crate) async fn commit(
        &self,
        branch: &str,
        message: &str,
        files: &[(String, String)],
    ) -> Result<String, String> {
        let head = reference(branch)?;
        let tip = async |name: &str| {
            let found = self.git(&["rev-parse", "--verify", "--quiet", name], "").await;
            found.ok().map(|tip| tip.trim().to_owned())
        };
        let own = tip(&head).await;
        let parent = match &own {
            Some(_) => own.clone(),
            None => tip(&reference(MAIN)?).await,
        };
        // One commit at a time: each has its own list of files.
        let index = tempfile_in(&self.folder)?;
        let with = |arguments: &[&str], input: &str| {
            let arguments: Vec<String> = arguments.iter().map(|one| (*one).to_owned()).collect();
            let (index, input) = (index.clone(), input.to_owned());
            async move { self.run(&arguments, &input, Some(&index)).await }
        };
        if let Some(parent) = &parent {
            with(&["read-tree", parent], "").await?;
        }
        for (path, content) in files {
            let path = inside(path)?;
            let blob = self.git(&["hash-object", "-w", "--stdin"], content).await?;
            let entry = format!("100644,{},{path}", blob.trim());
            with(&["update-index", "--add", "--cacheinfo", &entry], "").await?;
        }
        let tree = with(&["write-tree"], "").await;
        // Whatever came of it, the list is of no more use.
        let _ = std::fs::remove_file(&index);
        let tree = tree?;
        let mut arguments = vec!["commit-tree", tree.trim()];
        if let Some(parent) = &parent {
            arguments.extend(["-p", parent]);
        }
        let made = self.git(&arguments, message).await?.trim().to_owned();
        // Somebody who wrote to the branch meanwhile is not overwritten.
        let before = own.unwrap_or_else(|| "0".repeat(40));
        self.git(&["update-ref", &head, &made, &before], "").await?;
        Ok(made)
    }

    /// How many commits a branch has more than another, and which files differ.
    pub(crate) async fn compare(
        &self,
        base: &str,
        head: &str,
    ) -> Result<(u64, Vec<String>), String> {
        let range = format!("{}..{}", reference(base)?, reference(head)?);
        let missing = |_| format!("there is no branch {base:?} or {head:?}; push_files makes one");
        let commits = self.git(&["rev-list", "--count", &range], "").await.map_err(missing)?;
        let files = self.git(&["diff", "--name-only", &range], "").await?;
        let count = commits.trim().parse().map_err(|_| "git counted oddly".to_owned())?;
        Ok((count, files.lines().map(str::to_owned).collect()))
    }

    /// The last commits of a branch, the newest first: what each is called, and the first line of what it says.
    pub(crate) async fn log(
        &self,
        branch: &str,
        most: u32,
    ) -> Result<Vec<(String, String)>, String> {
        let (most, head) = (format!("--max-count={most}"), reference(branch)?);
        let log = self.git(&["log", "--format=%H %s", &most, &head, "--"], "").await;
        let log =
            log.map_err(|_| format!("there is no branch {branch:?}; push_files makes one"))?;
        let commits = log.lines().filter_map(|line| line.split_once(' '));
        Ok(commits.map(|(sha, message)| (sha.to_owned(), message.to_owned())).collect())
    }

    async fn git(&self, arguments: &[&str], input: &str) -> Result<String, String> {
        let arguments: Vec<String> = arguments.iter().map(|one| (*one).to_owned()).collect();
        self.run(&arguments, input, None).await
    }

    async fn run(
        &self,
        arguments: &[String],
        input: &str,
        index: Option<&Path>,
    ) -> Result<String, String> {
        let mut command = Command::new("git");
        command
            .arg("--git-dir")
            .arg(&self.folder)
            .args(arguments)
            .envs(WHO)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(index) = index {
            command.env("GIT_INDEX_FILE", index);
        }
        let told = |error: std::io::Error| format!("git could not be started: {error}; install it");
        let mut child = command.spawn().map_err(told)?;
        if let Some(mut stdin) = child.stdin.take() {
            // A git that reads nothing closes it early, which is no error.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
        let output = child.wait_with_output().await.map_err(told)?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("git {}: {}", arguments[0], said.trim()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// A name that is neither a folder's way out nor an option.
fn plain(name: &str) -> Option<&str> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let first = name.chars().next()?;
    (first.is_ascii_alphanumeric() && name.chars().all(fits)).then_some(name)
}

/// A branch as git's own name for it.
fn reference(branch: &str) -> Result<String, String> {
    let parts_fit = branch.split('/').all(|part| plain(part).is_some() && !part.contains(".."));
    if parts_fit && branch.strip_suffix(".lock").is_none() {
        return Ok(format!("refs/heads/{branch}"));
    }
    Err(format!("{branch:?} is no name for a branch"))
}

/// A path within a repository.
fn inside(path: &str) -> Result<&str, String> {
    let fits = |part: &str| {
        !part.is_empty() && part != "." && part != ".." && !part.eq_ignore_ascii_case(".git")
    };
    let is_inside = path.split('/').all(fits) && !path.contains(['\0', '\n', ':', '\\']);
    is_inside.then_some(path).ok_or_else(|| format!("{path:?} is no path within a repository"))
}

/// A name nobody uses.
fn tempfile_in(folder: &Path) -> Result<PathBuf, String> {
    use std::sync::atomic::{AtomicU32, Ordering};
    static LAST: AtomicU32 = AtomicU32::new(0);
    let number = LAST.fetch_add(1, Ordering::Relaxed);
    std::path::absolute(folder.join(format!("index-{}-{number}", std::process::id())))
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere_else() {
        assert!(reference("feature/one.two").is_ok() && inside("docs/a b.md").is_ok());
        for wrong in ["", "-x", "a..b", "a/../b", "a b", "/a", "a/", ".git", "a.lock"] {
            assert!(reference(wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "/etc/passwd", "../x", "a//b", ".git/config", "a:b", "a\nb"] {
            assert!(inside(wrong).is_err(), "{wrong}");
        }
    }
}
