//! Where runs lie beside the database: those that have not ended, and what is left of the others.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::durable::own::{LeftBehind, Own};
use super::ids::RunId;
use super::record::Record;
use super::store::{Store, StoreError};

impl Store {
    /// Where runs lie that have not ended.
    pub(super) fn kept(&self) -> &Own {
        &self.kept
    }

    /// The same, to be held on to.
    pub(super) fn own(&self) -> Arc<Own> {
        Arc::clone(&self.kept)
    }

    /// Runs that an earlier process left, but for those whose end was stored.
    pub(super) async fn find_kept(&self) -> Result<LeftBehind, StoreError> {
        let kept = Arc::clone(&self.kept);
        let found = tokio::task::spawn_blocking(move || kept.take_over()).await;
        let found = found.map_err(std::io::Error::other).and_then(|found| found);
        let path = || self.kept.all.clone();
        let LeftBehind { found, unread, remains } =
            found.map_err(|source| StoreError::File { path: path(), source })?;
        self.settle_remains(remains).await?;
        let ids = found.iter().map(|one| one.begun.run.as_str());
        let over = self.over_of(&ids.collect::<Vec<_>>()).await?;
        let mut going = Vec::new();
        for one in found {
            if over.iter().any(|id| id == one.begun.run.as_str()) {
                let asked_for = !one.begun.is_plain;
                let _ = Arc::new(one.keeper).over(false, asked_for).await;
            } else {
                going.push(one);
            }
        }
        Ok(LeftBehind { found: going, unread, remains: Vec::new() })
    }

    /// Those of these runs whose end was stored.
    async fn over_of(&self, ids: &[&str]) -> Result<Vec<String>, StoreError> {
        let over = sqlx::query_scalar(
            "SELECT id FROM runs WHERE id IN (SELECT value FROM json_each(?))
             AND status NOT IN ('queued', 'running', 'waiting')",
        );
        let ids = serde_json::to_string(ids).unwrap_or_default();
        Ok(over.bind(ids).fetch_all(&self.pool).await?)
    }

    /// Runs that an earlier process left and this one does not go on with, as they rest on disk.
    pub(super) async fn paused(&self) -> Result<HashMap<RunId, Record>, StoreError> {
        let kept = Arc::clone(&self.kept);
        let found = tokio::task::spawn_blocking(move || kept.look()).await;
        let found = found.map_err(std::io::Error::other).and_then(|found| found);
        let found =
            found.map_err(|source| StoreError::File { path: self.kept.all.clone(), source })?;
        let ids: Vec<&str> = found.iter().map(|one| one.id.as_str()).collect();
        let over = self.over_of(&ids).await?;
        let rests = found.into_iter().filter(|one| !over.iter().any(|id| id == one.id.as_str()));
        Ok(rests.map(|one| (one.id.clone(), one)).collect())
    }

    /// Whether this process has anything of a run on disk.
    pub(super) fn is_kept(&self, run: &RunId) -> bool {
        self.kept.folder_of(run).is_dir()
    }

    /// Runs that processes left which are no more.
    pub(super) fn left_behind(&self) -> Vec<String> {
        let folders = |path: &Path| std::fs::read_dir(path).into_iter().flatten().flatten();
        // What lies under `over` has ended, and waits for nobody.
        let processes = folders(&self.kept.all).filter(|one| one.file_name() != "over");
        let runs = processes.flat_map(|one| folders(&one.path()).collect::<Vec<_>>());
        let names = runs.filter_map(|run| run.file_name().into_string().ok());
        names.filter(|name| name.parse::<RunId>().is_ok()).collect()
    }

    /// Folders with files of runs that are over, or have left.
    pub(super) fn of_runs(&self) -> [PathBuf; 4] {
        let [runs, moved, damaged] = ["runs", "moved", "damaged"].map(|one| self.folder.join(one));
        [runs, self.kept.all.join("over"), moved, damaged]
    }

    /// Where a run lies that is to go on elsewhere.
    pub(super) fn moved(&self, run: &RunId) -> PathBuf {
        self.folder.join("moved").join(run.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_runs_that_have_not_ended_wait_for_another_gateway() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let (ended, going) = (RunId::fresh(), RunId::fresh());
        for place in [format!("kept/over/{ended}"), format!("kept/earlier/{going}")] {
            std::fs::create_dir_all(folder.path().join(place)).unwrap();
        }
        assert_eq!(store.left_behind(), [going.to_string()]);
    }
}
