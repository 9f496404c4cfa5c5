//! What another process kept in a folder of its own, taken into ours when that process is no more.

use std::io;
use std::path::Path;

use sqlx::Connection as _;

use super::store::{Store, StoreError};

/// Tables whose rows are taken over.
const TABLES: [&str; 10] = [
    "sessions",
    "session_names",
    "runs",
    "labels",
    "grants",
    "approvals",
    "approval_notes",
    "approval_grounds",
    "rule_counts",
    "deeds",
];

/// Folders whose files are. Those of runs that are over come first, because there may be such a folder here.
const FOLDERS: [&str; 6] = ["sessions", "runs", "moved", "damaged", "kept/over", "kept"];

impl Store {
    /// Takes over everything that lies in `folder`, which nobody else may use meanwhile. What is there
    /// already stays as it is, so that one who was stopped half-way does it again.
    pub async fn adopt(&self, folder: &Path) -> Result<(), StoreError> {
        let file = |source| StoreError::File { path: folder.to_owned(), source };
        // Its tables are as ours are once it was opened.
        drop(Self::open(folder).await?);
        for name in FOLDERS {
            moved(&folder.join(name), &self.folder().join(name)).map_err(file)?;
        }
        let database = folder.join("tidegate.db");
        let mut connection = self.pool.acquire().await?.detach();
        sqlx::query("ATTACH DATABASE ? AS other")
            .bind(database.to_string_lossy().into_owned())
            .execute(&mut connection)
            .await?;
        for table in TABLES {
            let copy = format!("INSERT OR IGNORE INTO main.{table} SELECT * FROM other.{table}");
            sqlx::query(sqlx::AssertSqlSafe(copy)).execute(&mut connection).await?;
        }
        super::mailboxes::take_over(&mut connection).await?;
        super::totals::take_over(&mut connection).await?;
        connection.close().await?;
        std::fs::remove_dir_all(folder).map_err(file)
    }
}

/// Moves every file of one folder into another.
fn moved(from: &Path, to: &Path) -> io::Result<()> {
    let entries = match std::fs::read_dir(from) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    std::fs::create_dir_all(to)?;
    for entry in entries {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if !place.exists() {
            std::fs::rename(entry.path(), place)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_was_kept_of_runs_that_are_over_comes_too_where_there_is_some_already() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
        for (place, files) in
            [(&one, &["kept/over/r_1"][..]), (&two, &["kept/over/r_2", "moved/r_3/ledger"])]
        {
            for file in files {
                let path = place.join(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, "ledger").unwrap();
            }
        }
        let other = Store::open(&two).await.unwrap();
        let ask = "INSERT INTO approval_grounds VALUES ('a_1', '[]')";
        sqlx::query(ask).execute(other.pool()).await.unwrap();
        drop(other);
        let store = Store::open(&one).await.unwrap();
        store.adopt(&two).await.unwrap();
        for file in ["kept/over/r_1", "kept/over/r_2", "moved/r_3/ledger"] {
            assert!(one.join(file).is_file(), "{file}");
        }
        let grounds = sqlx::query_scalar::<_, i64>("SELECT COUNT(*) FROM approval_grounds");
        assert_eq!(grounds.fetch_one(store.pool()).await.unwrap(), 1);
        assert!(!two.exists());
    }
}
