// SPDX-License-Identifier: Apache-2.0
//! Contexts: a model's memory and threads for one call at a time, for programs that manage their own.

use std::marker::PhantomData;
use std::time::Duration;

use anydim_sys as sys;

use crate::edge::handles::{CancellationHandle, ContextHandle};
use crate::edge::views::Slot;
use crate::edge::{calls, models};
use crate::session::in_order;
use crate::{Bounds, Cancellation, ContextInfo, Model, NodeInfo, Result, Reuse, Stream, TensorView, TensorViewMut};

/// 64 bytes at an address that is a multiple of 64: what buffers and scratch memory of the caller are made of.
///
/// ```
/// let buffer = vec![anydim::CacheLine::ZERO; anydim::CacheLine::for_bytes(1000)];
/// assert_eq!(buffer.len(), 16);
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct CacheLine(pub [u8; 64]);

impl CacheLine {
    /// Of zeros.
    pub const ZERO: Self = Self([0; 64]);

    /// How many take so many bytes.
    pub fn for_bytes(bytes: usize) -> usize {
        bytes / 64 + usize::from(bytes % 64 != 0)
    }
}

/// What one running inference needs: memory, and the values of dims. It has one user at a time. With a buffer, which it borrows
/// for `'buffer`, it allocates nothing for runs.
///
/// ```no_run
/// use anydim::{Bounds, CacheLine, Dim, Engine, Model, TensorView};
/// let model = Model::load(&Engine::cpu()?, "rec.onnx")?;
/// let bounds = Bounds::new().input("x", [Dim::fixed(1), 3.into(), 48.into(), Dim::dynamic(32..=1200)]);
/// let mut buffer = vec![CacheLine::ZERO; CacheLine::for_bytes(model.bytes_needed(&bounds)?)];
/// let mut context = model.context().bounds(&bounds).buffer(&mut buffer).build()?;   // the last allocation
/// let pixels = vec![0.0f32; 3 * 48 * 320];
/// let scores = context.run([("x", TensorView::new(&pixels, &[1, 3, 48, 320])?)])?;
/// println!("{:?}", scores[0].dims());
/// # Ok::<(), anydim::Error>(())
/// ```
///
/// Results lie in the context's memory, so they must be gone before its next run:
///
/// ```compile_fail,E0499
/// fn twice(context: &mut anydim::Context<'_>) -> anydim::Result<()> {
///     let first = context.run([])?;
///     let second = context.run([])?;
///     println!("{:?} {:?}", first, second);
///     Ok(())
/// }
/// ```
#[derive(Debug)]
pub struct Context<'buffer> {
    handle: ContextHandle,
    model: Model,
    watched: Option<Cancellation>,
    buffer: PhantomData<&'buffer mut [CacheLine]>,
}

/// How a [`Context`] is made.
#[derive(Debug)]
pub struct ContextBuilder<'buffer> {
    model: Model,
    bounds: Option<Bounds>,
    options: sys::anydim_context_options_t,
    buffer: Option<&'buffer mut [CacheLine]>,
}

/// How plans are measured.
#[derive(Clone, Debug)]
pub struct TuneOptions {
    node: Option<Duration>,
    record: bool,
    again: bool,
}

impl Default for TuneOptions {
    fn default() -> Self {
        Self { node: None, record: true, again: false }
    }
}

impl TuneOptions {
    /// Most time for one node; 200 ms if it is not said.
    #[must_use]
    pub fn node(mut self, most: Duration) -> Self {
        self.node = Some(most);
        self
    }

    /// Whether what was found is stored in the persistent cache, too; it is unless this says no.
    #[must_use]
    pub fn record(mut self, record: bool) -> Self {
        self.record = record;
        self
    }

    /// Whether nodes are measured again that were measured at these shapes before.
    #[must_use]
    pub fn again(mut self, again: bool) -> Self {
        self.again = again;
        self
    }
}

impl<'buffer> ContextBuilder<'buffer> {
    pub(crate) fn new(model: &Model) -> Self {
        Self { model: model.clone(), bounds: None, options: sys::anydim_context_options_t::INIT, buffer: None }
    }

    /// Promises about the dims of inputs: all memory is taken now, and shapes outside are refused.
    #[must_use]
    pub fn bounds(mut self, bounds: &Bounds) -> Self {
        self.bounds = Some(bounds.clone());
        self
    }

    /// Memory for all that it will need within its bounds, [`Model::bytes_needed`] reports how much.
    #[must_use]
    pub fn buffer(mut self, buffer: &'buffer mut [CacheLine]) -> Self {
        self.buffer = Some(buffer);
        self
    }

    /// Most threads of a run; 0, the default: as many as the engine.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.options.threads = i32::try_from(threads).unwrap_or(i32::MAX);
        self
    }

    /// The reuse policy of nodes that were not given one with the model.
    #[must_use]
    pub fn reuse(mut self, policy: Reuse) -> Self {
        self.options.reuse = policy as i32;
        self
    }

    /// Measures the time of each node in each run.
    #[must_use]
    pub fn profile(mut self, profile: bool) -> Self {
        self.options.profile = i32::from(profile);
        self
    }

    /// Makes the context.
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) for a buffer that is too small or without bounds,
    /// [`NotFound`](crate::Error::NotFound) for bounds of an input that the model lacks.
    pub fn build(self) -> Result<Context<'buffer>> {
        let bounds = self.bounds.as_ref().map(Bounds::handle).transpose()?;
        let handle = models::context_create(&self.model.0.handle, bounds.as_ref(), &self.options, self.buffer)?;
        Ok(Context { handle, model: self.model, watched: None, buffer: PhantomData })
    }
}

impl Context<'_> {
    /// Runs the model on inputs by their names. Results, in the model's order, lie in the context's memory until its next run.
    ///
    /// Errors: as [`Session::run`](crate::Session::run).
    pub fn run<'n, 'v>(
        &mut self,
        inputs: impl IntoIterator<Item = (&'n str, TensorView<'v>)>,
    ) -> Result<Vec<TensorView<'_>>> {
        let model = &self.model.0;
        let views = in_order(&model.inputs, inputs)?;
        let mut slots: Vec<Slot> = model.outputs.iter().map(|o| Slot::placed(o.dtype)).collect();
        models::context_run(&self.handle, &views, &mut slots, self.end())?;
        Ok(slots.iter().map(|slot| slot.borrowed(&self.handle)).collect())
    }

    /// Runs the model into the caller's memory: inputs and outputs are in the model's order. With bounds it allocates nothing.
    ///
    /// Errors: as [`Session::run_into`](crate::Session::run_into).
    #[inline]
    pub fn run_into(&mut self, inputs: &[TensorView<'_>], outputs: &mut [TensorViewMut<'_>]) -> Result<()> {
        models::context_run(&self.handle, inputs, TensorViewMut::as_slots(outputs), self.end())
    }

    /// As [`run_into`](Self::run_into), in a stream of the model's engine: after what the stream was given before. It is done when
    /// this returns. Threads and memory are the context's.
    ///
    /// Errors: as [`run_into`](Self::run_into); [`InvalidArgument`](crate::Error::InvalidArgument) for a stream of another engine.
    pub fn run_in(
        &mut self,
        stream: &mut Stream,
        inputs: &[TensorView<'_>],
        outputs: &mut [TensorViewMut<'_>],
    ) -> Result<()> {
        models::context_submit(&self.handle, &stream.handle, inputs, TensorViewMut::as_slots(outputs), self.end())?;
        stream.finish()
    }

    /// The dims of an output for inputs in the model's order, which it checks.
    ///
    /// Errors: as [`run`](Self::run); [`Unimplemented`](crate::Error::Unimplemented) for dims that only the run itself finds.
    pub fn output_dims(&mut self, inputs: &[TensorView<'_>], index: usize) -> Result<Vec<usize>> {
        let dims = calls::context_get_output_dims(&self.handle, inputs, i32::try_from(index).unwrap_or(i32::MAX))?;
        Ok(dims.values.iter().take(dims.rank as usize).map(|&d| d as usize).collect())
    }

    /// Its memory and counters.
    pub fn info(&self) -> Result<ContextInfo> {
        calls::context_query(&self.handle)
    }

    /// The nodes as they ran last, in the order of execution.
    ///
    /// Errors: [`NotFound`](crate::Error::NotFound) before the first run.
    pub fn nodes(&mut self) -> Result<Vec<NodeInfo>> {
        let count = calls::context_get_node_count(&self.handle)?;
        (0..count).map(|i| calls::context_get_node(&self.handle, i)).collect()
    }

    /// What ends its runs and tunings from outside; none: nothing does.
    pub fn watch(&mut self, cancellation: Option<&Cancellation>) {
        self.watched = cancellation.cloned();
    }

    fn end(&self) -> Option<&CancellationHandle> {
        self.watched.as_ref().map(|c| &*c.0)
    }

    /// An explanation as JSON of how the model runs at the shapes of these inputs, in the model's order, on whose data it is run
    /// once; without inputs of the last run.
    pub fn explain(&mut self, inputs: &[TensorView<'_>]) -> Result<String> {
        models::context_explain(&self.handle, inputs, self.end())
    }

    /// Measures the plans of every node at the shapes of these inputs, in the model's order, and keeps those that are faster. It
    /// takes seconds and never changes a result. `progress` gets the number of nodes that are done and of all, and says whether to go
    /// on. The report is JSON.
    pub fn tune(
        &mut self,
        inputs: &[TensorView<'_>],
        options: &TuneOptions,
        mut progress: impl FnMut(usize, usize) -> bool,
    ) -> Result<String> {
        let node_ms = options.node.map_or(0, |t| i32::try_from(t.as_millis()).unwrap_or(i32::MAX).max(1));
        models::context_tune(
            &self.handle,
            inputs,
            node_ms,
            options.record,
            options.again,
            self.end(),
            Some(&mut progress),
        )
    }
}
