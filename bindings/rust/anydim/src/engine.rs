// SPDX-License-Identifier: Apache-2.0
//! Engines, from which everything else is made, and streams, in which primitives execute.

use std::alloc::GlobalAlloc;
use std::fmt;
use std::sync::Arc;

use anydim_sys as sys;

use crate::edge::calls;
use crate::edge::handles::{EngineHandle, StreamHandle};
use crate::edge::host::{engine_create, Loop, Parts};
use crate::{DeviceInfo, EngineInfo, EngineKind, EngineKindInfo, Error, KernelInfo, Memory, Result};

/// A device with its kernels. Clones are the same engine, and what is made from it keeps it alive.
#[derive(Clone, Debug)]
pub struct Engine {
    pub(crate) handle: Arc<EngineHandle>,
    pub(crate) kind: EngineKind,
}

/// Options of an [`Engine`].
pub struct EngineBuilder {
    kind: EngineKind,
    device: usize,
    threads: usize,
    flushed_denormals: bool,
    run: Option<Loop>,
    allocator: Option<Box<dyn GlobalAlloc + Send + Sync>>,
}

impl Default for EngineBuilder {
    fn default() -> Self {
        Self { kind: EngineKind::Cpu, device: 0, threads: 0, flushed_denormals: false, run: None, allocator: None }
    }
}

impl Engine {
    /// The processor, with all cores that this process may use. No thread is started before the first call that uses several.
    pub fn cpu() -> Result<Self> {
        Self::builder().build()
    }

    /// An engine with options.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// The kinds of engines that the library can make, by their names.
    pub fn kinds() -> Result<Vec<EngineKindInfo>> {
        let mut all = Vec::new();
        loop {
            match calls::engine_get_kind(i32::try_from(all.len()).unwrap_or(i32::MAX)) {
                Ok(kind) => all.push(kind),
                Err(Error::NotFound(_)) => return Ok(all),
                Err(other) => return Err(other),
            }
        }
    }

    /// The devices that an engine of this kind can be made for, by the numbers that [`EngineBuilder::device`] takes; none where there is
    /// no driver.
    pub fn devices(kind: EngineKind) -> Result<Vec<DeviceInfo>> {
        let mut all = Vec::new();
        loop {
            match calls::engine_get_device(kind as i32, i32::try_from(all.len()).unwrap_or(i32::MAX)) {
                Ok(device) => all.push(device),
                Err(Error::NotFound(_)) => return Ok(all),
                Err(other) => return Err(other),
            }
        }
    }

    /// What it is: device, instruction set, threads, kernels.
    pub fn info(&self) -> Result<EngineInfo> {
        calls::engine_query(&self.handle)
    }

    /// The kernels of its registry, in order of preference within an operator.
    pub fn kernels(&self) -> Result<Vec<KernelInfo>> {
        (0..self.info()?.kernels).map(|i| calls::engine_get_kernel(&self.handle, i)).collect()
    }

    /// A stream: where primitives execute, one after the other. Make one for each thread that executes them.
    pub fn stream(&self) -> Result<Stream> {
        self.stream_of(0)
    }

    /// As [`stream`](Self::stream), with at most so many threads; 0: as many as the engine.
    pub fn stream_of(&self, threads: usize) -> Result<Stream> {
        let mut options = sys::anydim_stream_options_t::INIT;
        options.threads = i32::try_from(threads).unwrap_or(i32::MAX);
        Ok(Stream { handle: calls::stream_create(&self.handle, &options)?, at_once: self.kind == EngineKind::Cpu })
    }
}

impl EngineBuilder {
    /// The kind of engine; the processor if none is named.
    #[must_use]
    pub fn kind(mut self, kind: EngineKind) -> Self {
        self.kind = kind;
        self
    }

    /// Which device of that kind, from 0, the default.
    #[must_use]
    pub fn device(mut self, device: usize) -> Self {
        self.device = device;
        self
    }

    /// Most threads that it uses; 0, the default: all cores that this process may use.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Whether an OpenCL device that takes denormals for zeros is accepted, too; false by default.
    #[must_use]
    pub fn flushed_denormals(mut self, flushed_denormals: bool) -> Self {
        self.flushed_denormals = flushed_denormals;
        self
    }

    /// The program's own loop in place of the library's threads. It takes parts and runs them, on any threads, and returns when
    /// they are done. What it leaves out, the thread that called the library does; so results do not depend on it. It may be
    /// called by several threads at once, also from within a part. A panic counts as leaving out.
    ///
    /// ```
    /// let engine = anydim::Engine::builder()
    ///     .threads(4)
    ///     .parallel_for(|parts| {
    ///         std::thread::scope(|scope| {
    ///             for _ in 1..parts.len() {
    ///                 scope.spawn(|| while let Some(part) = parts.take() { part.run() });
    ///             }
    ///             while let Some(part) = parts.take() { part.run() }
    ///         })
    ///     })
    ///     .build()?;
    /// # let _ = engine;
    /// # Ok::<(), anydim::Error>(())
    /// ```
    #[must_use]
    pub fn parallel_for(mut self, run: impl Fn(&Parts<'_>) + Send + Sync + 'static) -> Self {
        self.run = Some(Box::new(run));
        self
    }

    /// Where large memory comes from: working memory, packed weights and other constants, tensors, results. It may be called by
    /// several threads at once, until nothing of the engine is left, and must not call this crate.
    #[must_use]
    pub fn allocator(mut self, allocator: impl GlobalAlloc + Send + Sync + 'static) -> Self {
        self.allocator = Some(Box::new(allocator));
        self
    }

    /// Makes the engine.
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) for more than 256 threads and for a device that is not there,
    /// [`NotFound`](crate::Error::NotFound) where there is no OpenCL driver or device,
    /// [`Unimplemented`](crate::Error::Unimplemented) for a device whose results are not strict.
    pub fn build(self) -> Result<Engine> {
        let threads = i32::try_from(self.threads).unwrap_or(i32::MAX);
        let device = i32::try_from(self.device).unwrap_or(i32::MAX);
        let handle = engine_create(self.kind, device, (threads, self.flushed_denormals), self.run, self.allocator)?;
        Ok(Engine { handle: Arc::new(handle), kind: self.kind })
    }
}

impl fmt::Debug for EngineBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineBuilder")
            .field("kind", &self.kind)
            .field("device", &self.device)
            .field("threads", &self.threads)
            .field("flushed_denormals", &self.flushed_denormals)
            .field("parallel_for", &self.run.is_some())
            .field("allocator", &self.allocator.is_some())
            .finish()
    }
}

/// An order of execution on an engine, with the scratch memory that its primitives use. It has one user at a time, which is
/// why executions borrow it for writing.
#[derive(Debug)]
pub struct Stream {
    pub(crate) handle: StreamHandle,
    at_once: bool,
}

impl Stream {
    /// Copies bytes from one memory to another of the stream's engine, after what the stream was given before.
    ///
    /// ```
    /// use anydim::{Engine, Memory};
    /// let cpu = Engine::cpu()?;
    /// let (source, mut target) = (Memory::import(&cpu, vec![1u8, 2, 3, 4])?, Memory::allocate(&cpu, 64)?);
    /// cpu.stream()?.copy(&source, 1, &mut target, 62, 2)?;
    /// assert_eq!(target.map(62, 2)?[..], [2, 3]);
    /// # Ok::<(), anydim::Error>(())
    /// ```
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) for bytes outside of a memory.
    pub fn copy(
        &mut self,
        source: &Memory,
        source_offset: usize,
        target: &mut Memory,
        target_offset: usize,
        bytes: usize,
    ) -> Result<()> {
        let number = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        let (to, from) = (number(target_offset), number(source_offset));
        calls::memory_copy(&self.handle, &target.0, to, &source.0, from, number(bytes))?;
        self.finish()
    }

    /// Waits until what was given to it is done: what is borrowed for a call must be free when the call returns.
    pub(crate) fn finish(&self) -> Result<()> {
        if self.at_once {
            return Ok(()); // the CPU engine has done it when a call returns
        }
        calls::stream_wait(&self.handle)
    }
}
