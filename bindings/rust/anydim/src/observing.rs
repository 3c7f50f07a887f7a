// SPDX-License-Identifier: Apache-2.0
//! What the library did and keeps: counters, verbose lines, the caches, the background worker.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::edge::{c_string, calls};
use crate::{Counter, PersistentCacheInfo, PrimitiveCacheInfo, RecordKind, Result, WorkerAction, WorkerInfo};

/// The counters of this process: what the library did since it was loaded.
pub fn counters() -> Result<Vec<Counter>> {
    (0..calls::counter_count()?).map(calls::counter).collect()
}

/// Sets which verbose lines are written: 0 none, 1 one per execution, 2 also one per creation.
pub fn set_verbose(level: i32) -> Result<()> {
    calls::verbose_set(level)
}

/// What the primitive cache holds.
pub fn primitive_cache() -> Result<PrimitiveCacheInfo> {
    calls::primitive_cache_query()
}

/// Sets how many bytes the primitive cache may hold; 0 turns it off.
pub fn set_primitive_cache_limit(bytes: usize) -> Result<()> {
    calls::primitive_cache_set_limit(i64::try_from(bytes).unwrap_or(i64::MAX))
}

/// Drops all that the primitive cache holds.
pub fn clear_primitive_cache() -> Result<()> {
    calls::primitive_cache_clear()
}

/// What the persistent cache of tuned plans did in this process so far.
pub fn persistent_cache() -> Result<PersistentCacheInfo> {
    calls::persistent_cache_query()
}

/// The path of the persistent cache's file, which need not exist.
///
/// Errors: [`Unimplemented`](crate::Error::Unimplemented) where the cache is off.
pub fn persistent_cache_path() -> Result<PathBuf> {
    calls::persistent_cache_path().map(PathBuf::from)
}

/// Writes the sound records of the persistent cache into a new file and tells how many.
pub fn export_persistent_cache(path: impl AsRef<Path>) -> Result<usize> {
    Ok(calls::persistent_cache_export(&c_string(path.as_ref().as_os_str().as_bytes(), "path")?)? as usize)
}

/// Takes the records of an exported file into use; tells how many were taken, and how many damaged ones left out.
pub fn import_persistent_cache(path: impl AsRef<Path>) -> Result<(usize, usize)> {
    let (taken, damaged) = calls::persistent_cache_import(&c_string(path.as_ref().as_os_str().as_bytes(), "path")?)?;
    Ok((taken as usize, damaged as usize))
}

/// Removes records from the persistent cache and tells how many.
pub fn clear_persistent_cache(kind: RecordKind) -> Result<usize> {
    Ok(calls::persistent_cache_clear(kind as i32)? as usize)
}

/// Tells the background worker, which measures plans with [`Reuse::ReusableFirst`](crate::Reuse::ReusableFirst), what to do.
pub fn control_worker(action: WorkerAction) -> Result<()> {
    calls::worker_control(action as i32)
}

/// Waits until everything that was requested of the background worker is done; none: without limit.
///
/// Errors: [`Busy`](crate::Error::Busy) if that takes longer or never comes.
pub fn drain_worker(most: Option<Duration>) -> Result<()> {
    calls::worker_drain(most.map_or(-1, |t| i64::try_from(t.as_millis()).unwrap_or(i64::MAX)))
}

/// The background worker's counters.
pub fn worker() -> Result<WorkerInfo> {
    calls::worker_query()
}
