// SPDX-License-Identifier: Apache-2.0
//! What the library did and keeps: counters, verbose lines and the calls that they describe, the caches, the background worker.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::edge::handles::CallHandle;
use crate::edge::{c_string, calls};
use crate::{
    CallInfo, CallRole, CallTensor, Counter, Engine, PersistentCacheInfo, Primitive, PrimitiveCacheInfo, RecordKind,
    Result, TensorView, WorkerAction, WorkerInfo,
};

/// The counters of this process: what the library did since it was loaded.
pub fn counters() -> Result<Vec<Counter>> {
    (0..calls::counter_get_count()?).map(calls::counter_get).collect()
}

/// Sets which verbose lines are written: 0 none, 1 one per execution, 2 also one per creation.
pub fn set_verbose(level: i32) -> Result<()> {
    calls::verbose_set(level)
}

/// One execution, read back from its verbose line: operator, tensors, attributes, kernel.
///
/// ```
/// use anydim::observing::Call;
/// use anydim::operators::Matmul;
/// use anydim::{Desc, Dim, Engine, Primitive, TensorView, TensorViewMut};
///
/// let cpu = Engine::cpu()?;
/// let operands = [Desc::f32([Dim::dynamic(..), 2.into()]), Desc::f32([2, 1])];
/// let [a, b] = operands;
/// let product = Primitive::builder(&cpu, Matmul::new()).input(a).input(b).build()?;
/// let (x, w, mut y) = ([1.0f32, 2.0, 3.0, 4.0], [10.0f32, 1.0], [0.0f32; 2]);
/// let inputs = [TensorView::new(&x, &[2, 2])?, TensorView::new(&w, &[2, 1])?];
/// let mut stream = cpu.stream()?;
/// let line = product.line(&mut stream, &inputs, &mut [TensorViewMut::new(&mut y, &[2, 1])?])?;
///
/// let call = Call::parse(&line)?;                                       // perhaps in another process
/// assert_eq!(call.info()?.kernel, product.kernel()?);
/// assert_eq!(call.tensors()?[0].dims, [2, 2]);
/// let again = call.primitive(&cpu, &call.info()?.kernel, &[])?;
/// assert_eq!(again.execute(&mut stream, &inputs)?[0].as_slice::<f32>()?, [12.0, 34.0]);
/// # Ok::<(), anydim::Error>(())
/// ```
#[derive(Debug)]
pub struct Call(CallHandle);

impl Call {
    /// Reads an execute line, with or without its end.
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) or [`Unimplemented`](crate::Error::Unimplemented) for a line that
    /// is damaged or of another version or event; the message names the field, the word and its place.
    pub fn parse(line: &str) -> Result<Self> {
        Ok(Self(calls::call_parse(&c_string(line.as_bytes(), "line")?)?))
    }

    /// What the line says, but for its tensors.
    pub fn info(&self) -> Result<CallInfo> {
        calls::call_query(&self.0)
    }

    /// Its tensors: inputs and weights in the operator's order, those of post-ops, outputs.
    pub fn tensors(&self) -> Result<Vec<CallTensor>> {
        (0..self.info()?.tensors).map(|i| calls::call_get_tensor(&self.0, i)).collect()
    }

    /// Makes its primitive: operator, descriptors, post-ops, math mode and reuse policy are the line's. `kernel` names one to
    /// force; "" lets the library choose. `weights` are the values of its tensors that are [`CallRole::Weights`], in order.
    ///
    /// Errors: [`NotFound`](crate::Error::NotFound) for a kernel that the registry lacks,
    /// [`Unimplemented`](crate::Error::Unimplemented) for one that refuses the problem,
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for weights that do not fit the line.
    pub fn primitive(&self, engine: &Engine, kernel: &str, weights: &[TensorView<'_>]) -> Result<Primitive> {
        let kernel = c_string(kernel.as_bytes(), "kernel")?;
        let handle = calls::call_create_primitive(&self.0, &engine.handle, &kernel, weights)?;
        let outputs = self.tensors()?.iter().filter(|t| t.role == CallRole::Output).count();
        Primitive::of(handle, outputs)
    }
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
    calls::persistent_cache_get_path().map(PathBuf::from)
}

/// What the persistent cache holds, as JSON: files, records, sizes. It waits at most seconds for another process.
///
/// Errors: [`Busy`](crate::Error::Busy) for a file that stays locked, [`InvalidData`](crate::Error::InvalidData) for a damaged
/// one, [`Unimplemented`](crate::Error::Unimplemented) for another program's.
pub fn describe_persistent_cache() -> Result<String> {
    calls::persistent_cache_describe()
}

/// Checks every record of the persistent cache and the structure of its files, and reports the result as JSON. Nothing is changed.
///
/// Errors: [`Unimplemented`](crate::Error::Unimplemented) where the cache is off, [`Busy`](crate::Error::Busy) for a file that
/// stays locked.
pub fn verify_persistent_cache() -> Result<String> {
    calls::persistent_cache_verify()
}

/// Writes the sound records of the persistent cache into a new file and reports how many.
pub fn export_persistent_cache(path: impl AsRef<Path>) -> Result<usize> {
    Ok(calls::persistent_cache_export(&c_string(path.as_ref().as_os_str().as_bytes(), "path")?)? as usize)
}

/// Takes the records of an exported file into use; reports how many were taken, and how many damaged ones left out.
pub fn import_persistent_cache(path: impl AsRef<Path>) -> Result<(usize, usize)> {
    let (taken, damaged) = calls::persistent_cache_import(&c_string(path.as_ref().as_os_str().as_bytes(), "path")?)?;
    Ok((taken as usize, damaged as usize))
}

/// Removes records from the persistent cache and reports how many.
pub fn clear_persistent_cache(kind: RecordKind) -> Result<usize> {
    Ok(calls::persistent_cache_clear(kind as i32)? as usize)
}

/// Instructs the background worker, which measures plans with [`Reuse::ReusableFirst`](crate::Reuse::ReusableFirst), what to do.
pub fn control_worker(action: WorkerAction) -> Result<()> {
    calls::worker_control(action as i32)
}

/// Waits until everything that was requested of the background worker is done; none: without limit.
///
/// Errors: [`TimedOut`](crate::Error::TimedOut) if that takes longer or never comes.
pub fn drain_worker(most: Option<Duration>) -> Result<()> {
    calls::worker_drain(most.map_or(-1, |t| i64::try_from(t.as_millis()).unwrap_or(i64::MAX)))
}

/// The background worker's counters.
pub fn worker() -> Result<WorkerInfo> {
    calls::worker_query()
}
