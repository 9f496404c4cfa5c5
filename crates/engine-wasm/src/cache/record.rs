//! What is remembered of a cached file: its digest, and how to recognise it without hashing.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;

use engine::Digest;
use serde::{Deserialize, Serialize};

/// The content of `<file>.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    /// The digest of the content.
    pub(super) sha256: Digest,
    /// What `stat` said when the digest was true.
    pub(super) identity: Identity,
}

/// What changes when a file is replaced or written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
    pub(super) bytes: u64,
    modified_ns: i64,
    changed_ns: i64,
}

impl Identity {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            bytes: metadata.size(),
            modified_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

fn nanoseconds(seconds: i64, rest: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}
