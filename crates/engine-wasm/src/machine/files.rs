//! A session's files, from outside.

use std::time::{SystemTime, UNIX_EPOCH};

use engine::{FileAnswer, FileEntry, FileError, FileTask, Workspace};

use super::Machine;
use crate::files::{Errno, Files, SharedTree};

impl Machine {
    /// Does what `task` says. Nothing runs meanwhile, so the guest finds it done.
    pub(crate) fn file_task(&mut self, task: FileTask) -> Result<FileAnswer, FileError> {
        let files = self.store.data_mut().wasi.files();
        match task {
            FileTask::List => {
                let listed = files.list_workspace().into_iter();
                let entry = |(path, bytes)| FileEntry { path, bytes };
                Ok(FileAnswer::Files(listed.map(entry).collect()))
            }
            FileTask::Read(path) => match files.read_workspace(&path) {
                Some(content) => Ok(FileAnswer::Content(content.to_vec())),
                None => Err(FileError::Missing { path }),
            },
            FileTask::Write(path, bytes) => {
                files.take_refusal();
                let written = files.write_workspace(&path, &bytes, now());
                written.map(|()| FileAnswer::Done).map_err(|errno| refused(files, path, errno))
            }
            FileTask::Remove(path) => match files.remove_workspace(&path, now()) {
                Some(Ok(())) => Ok(FileAnswer::Done),
                Some(Err(errno)) => Err(refused(files, path, errno)),
                None => Err(FileError::Missing { path }),
            },
            FileTask::Copy => Ok(FileAnswer::Workspace(Workspace::new(files.share_workspace()))),
            FileTask::Replace(workspace) => {
                let Some(shared) = workspace.get::<SharedTree>() else {
                    let reason = "its files are those of another kind of engine".to_owned();
                    return Err(FileError::Refused { path: ".".to_owned(), reason });
                };
                files.take_workspace(shared);
                Ok(FileAnswer::Done)
            }
        }
    }
}

fn refused(files: &mut Files, path: String, errno: Errno) -> FileError {
    let reason = match (files.take_refusal(), errno) {
        (Some(refusal), _) => refusal.to_string(),
        (None, Errno::NotCapable) => "the path leads out of the workspace".to_owned(),
        (None, Errno::IsFolder) => "it is a folder".to_owned(),
        (None, Errno::NotFolder) => "a part of the path is a file, not a folder".to_owned(),
        (None, Errno::NameTooLong) => "a name in the path is too long".to_owned(),
        (None, Errno::Invalid | Errno::IllegalBytes) => {
            "this cannot be a file's name; it may be empty, or have a zero byte".to_owned()
        }
        (None, Errno::ReadOnly | Errno::NotPermitted) => "it cannot be written".to_owned(),
        (None, errno) => errno.to_string(),
    };
    FileError::Refused { path, reason }
}

fn now() -> u64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
}
