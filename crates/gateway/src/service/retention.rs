//! What is removed of runs that are over, by age and by size. What has not ended is never touched.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::Row as _;

use super::record::Moment;
use super::store::{Store, StoreError};

/// What was removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Collected {
    /// Runs.
    pub runs: usize,
    /// Bytes of them, in the database and beside it.
    pub bytes: u64,
}

impl Store {
    /// Removes runs that ended longer ago than `keep`, and then the oldest of the others until no
    /// more than `most` bytes of them are left.
    pub async fn collect(&self, keep: Duration, most: u64) -> Result<Collected, StoreError> {
        let rows = sqlx::query(
            "SELECT id, coalesce(finished_at, created_at) AS ended_at,
                    length(program) + coalesce(length(ended), 0) + length(calls) AS bytes
             FROM runs WHERE status NOT IN ('queued', 'running', 'waiting')
             ORDER BY ended_at DESC, created_at DESC",
        )
        .fetch_all(self.pool())
        .await?;
        let folders = self.of_runs();
        let beside = tokio::task::spawn_blocking(move || sizes(&folders)).await;
        let mut beside =
            beside.map_err(std::io::Error::other).map_err(|source| self.lost(source))?;
        let oldest =
            Moment::now().0.saturating_sub(i64::try_from(keep.as_millis()).unwrap_or(i64::MAX));
        let (mut kept, mut is_full, mut gone) = (0_u64, false, Collected::default());
        let (mut ids, mut paths) = (Vec::new(), Vec::new());
        for row in rows {
            let id: String = row.get("id");
            let files = beside.remove(&id).unwrap_or_default();
            let bytes = row.get::<i64, _>("bytes").unsigned_abs() + files.bytes;
            // None goes before those that are older, however large it is: whoever takes over from a run has to
            // find what those did that took over from it before.
            is_full |= kept.saturating_add(bytes) > most;
            if row.get::<i64, _>("ended_at") >= oldest && !is_full {
                kept += bytes;
                continue;
            }
            gone.runs += 1;
            gone.bytes += bytes;
            paths.extend(files.paths);
            ids.push(id);
        }
        // What belongs to no stored run is a run that has not ended, or one that nobody knows.
        for files in beside.into_values().filter(|files| files.age.is_some_and(|age| age > keep)) {
            gone.bytes += files.bytes;
            paths.extend(files.paths);
        }
        for some in ids.chunks(500) {
            let some = serde_json::to_string(some).unwrap_or_default();
            // What they cost and saved stays known.
            let mut transaction = self.pool().begin_with("BEGIN IMMEDIATE").await?;
            super::totals::add(&mut transaction, &some).await?;
            sqlx::query("DELETE FROM runs WHERE id IN (SELECT value FROM json_each(?))")
                .bind(some)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
        }
        if gone.runs > 0 {
            sqlx::query("PRAGMA incremental_vacuum").execute(self.pool()).await?;
        }
        let removing =
            tokio::task::spawn_blocking(move || paths.iter().for_each(|path| remove(path)));
        removing.await.map_err(std::io::Error::other).map_err(|source| self.lost(source))?;
        Ok(gone)
    }

    fn lost(&self, source: std::io::Error) -> StoreError {
        let [path, ..] = self.of_runs();
        StoreError::File { path, source }
    }
}

/// The files of one run.
#[derive(Default)]
struct Files {
    paths: Vec<PathBuf>,
    bytes: u64,
    /// How long ago the last of them was changed.
    age: Option<Duration>,
}

/// What lies beside the database, by run.
fn sizes(folders: &[PathBuf]) -> HashMap<String, Files> {
    let mut all: HashMap<String, Files> = HashMap::new();
    for entry in folders.iter().flat_map(std::fs::read_dir).flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let Ok(about) = entry.metadata() else { continue };
        let inside = std::fs::read_dir(&path).into_iter().flatten().flatten();
        let inside: u64 = inside.filter_map(|file| Some(file.metadata().ok()?.len())).sum();
        let age = about.modified().ok().and_then(|changed| changed.elapsed().ok());
        let files = all.entry(name).or_default();
        files.bytes += inside + if about.is_file() { about.len() } else { 0 };
        files.age = match (files.age, age) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        files.paths.push(path);
    }
    all
}

/// Removes a file or folder. What cannot be removed is tried again later.
fn remove(path: &Path) {
    let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
}
