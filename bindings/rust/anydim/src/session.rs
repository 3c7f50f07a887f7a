// SPDX-License-Identifier: Apache-2.0
//! Sessions: models that run for any number of threads.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anydim_sys as sys;

use crate::edge::calls;
use crate::edge::copies::Copied;
use crate::edge::handles::SessionHandle;
use crate::edge::models::{session_run, session_start_batching, session_submit};
use crate::edge::views::Slot;
use crate::error::{invalid, not_found, out_of_memory};
use crate::model::Inner;
use crate::run_async::AsyncRun;
use crate::{
    BatchingInfo, Bounds, Cancellation, Engine, Math, Model, ModelBuilder, Output, Outputs, Result, Reuse,
    RunOptions, SessionInfo, State, Streaming, TensorView, TensorViewMut, ValueInfo,
};

/// A model with contexts for any number of threads. Runs that find none free wait for their turn, first come, first served.
///
/// ```no_run
/// let session = anydim::Session::builder().threads(2).open("rec.onnx")?;
/// for width in [71, 320, 513] {
///     let pixels = vec![0.0f32; 3 * 48 * width];
///     let y = session.run([("x", anydim::TensorView::new(&pixels, &[1, 3, 48, width])?)])?;
///     println!("{:?}", y[0].dims());
/// }
/// # Ok::<(), anydim::Error>(())
/// ```
#[derive(Debug)]
pub struct Session {
    handle: Arc<SessionHandle>, // shared with runs that go on beside the program
    model: Model,
}

/// How a [`Session`] is made.
#[derive(Clone, Debug, Default)]
pub struct SessionBuilder {
    model: ModelBuilder,
    bounds: Option<Bounds>,
    threads: usize,
    contexts: usize,
    reuse: Reuse,
    profile: bool,
    tuning: Option<Duration>,
    batching: Option<Batching>,
}

/// How runs of many callers are joined along the batch axis: each gets its own rows, with the bits that it has alone. A caller who
/// is alone runs at once.
///
/// ```no_run
/// use std::time::Duration;
/// let batching = anydim::Batching::new().rows(16).wait(Duration::from_millis(2));
/// let session = anydim::Session::builder().batching(batching).open("cls.onnx")?;
/// std::thread::scope(|threads| {
///     for _ in 0..8 {
///         threads.spawn(|| {
///             let pixels = vec![0.0f32; 3 * 48 * 192];
///             session.run([("x", anydim::TensorView::new(&pixels, &[1, 3, 48, 192])?)])
///         });
///     }
/// });
/// println!("{} rows in {} batches", session.batching_info()?.rows, session.batching_info()?.batches);
/// # Ok::<(), anydim::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batching {
    rows: usize,
    wait: Duration,
    waiting: usize,
}

impl Default for Batching {
    fn default() -> Self {
        Self { rows: 8, wait: Duration::from_millis(1), waiting: 1024 }
    }
}

impl Batching {
    /// The defaults: at most 8 rows, a millisecond, and 1,024 requests that wait.
    pub fn new() -> Self {
        Self::default()
    }

    /// Most rows of a batch. A request with more runs by itself.
    #[must_use]
    pub fn rows(mut self, rows: usize) -> Self {
        self.rows = rows;
        self
    }

    /// Longest wait for requests that may be expected.
    #[must_use]
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// Most requests that wait; further ones fail with [`QueueFull`](crate::Error::QueueFull) at once.
    #[must_use]
    pub fn waiting(mut self, waiting: usize) -> Self {
        self.waiting = waiting;
        self
    }
}

/// Views by name in the model's order. All inputs are there, once.
pub(crate) fn in_order<'n, 'v>(
    infos: &[ValueInfo],
    named: impl IntoIterator<Item = (&'n str, TensorView<'v>)>,
) -> Result<Vec<TensorView<'v>>> {
    let mut views: Vec<Option<TensorView<'v>>> = vec![None; infos.len()];
    for (name, view) in named {
        let place = infos.iter().position(|w| w.name == name).ok_or_else(|| {
            let names: Vec<&str> = infos.iter().map(|w| w.name.as_str()).collect();
            not_found("inputs", format!("inputs has '{name}', which the model lacks; expected {names:?}"))
        })?;
        if views[place].replace(view).is_some() {
            return Err(invalid("inputs", format!("inputs has '{name}' twice; expected it once")));
        }
    }
    let missing = |place: usize| invalid("inputs", format!("inputs lacks '{}'", infos[place].name));
    views.into_iter().enumerate().map(|(i, view)| view.ok_or_else(|| missing(i))).collect()
}

/// Slots for the outputs that are asked for, and their places in the order that was asked for.
fn slots(model: &Inner, names: Option<&[String]>) -> Result<(Vec<Slot>, Option<Vec<usize>>)> {
    let names = match names {
        None => return Ok((model.outputs.iter().map(|o| Slot::placed(o.dtype)).collect(), None)),
        Some(names) => names,
    };
    let mut slots = vec![Slot::unasked(); model.outputs.len()];
    let mut places: Vec<usize> = Vec::with_capacity(names.len());
    for name in names {
        let place = model.output_names.iter().position(|n| n == name).ok_or_else(|| {
            not_found(
                "outputs",
                format!("outputs has '{name}', which the model lacks; expected {:?}", model.output_names),
            )
        })?;
        if places.contains(&place) {
            return Err(invalid("outputs", format!("outputs has '{name}' twice; expected it once")));
        }
        slots[place] = Slot::placed(model.outputs[place].dtype);
        places.push(place);
    }
    Ok((slots, Some(places)))
}

/// What a run placed, by the names that were asked for.
fn results(slots: Vec<Slot>, names: Arc<[String]>, places: Option<Vec<usize>>) -> Outputs {
    let values: Vec<Output> = match &places {
        None => slots.into_iter().map(Output::placed).collect(),
        Some(places) => places.iter().map(|&p| Output::placed(slots[p])).collect(),
    };
    Outputs { values, names, places }
}

impl Session {
    /// Begins a session.
    pub fn builder() -> SessionBuilder {
        SessionBuilder::default()
    }

    /// The model that it runs.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Runs the model on inputs by their names. The library places the results, which need the session no more. Any number of
    /// threads may call at the same time.
    ///
    /// Errors: [`NotFound`](crate::Error::NotFound) for a name that the model lacks,
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for an input that is missing or has another dtype, rank or dim than
    /// the model, [`OutOfBounds`](crate::Error::OutOfBounds), [`InvalidData`](crate::Error::InvalidData) for values found wrong
    /// while running, [`Closed`](crate::Error::Closed) after [`close`](Self::close).
    pub fn run<'n, 'v>(&self, inputs: impl IntoIterator<Item = (&'n str, TensorView<'v>)>) -> Result<Outputs> {
        self.run_with(inputs, &RunOptions::default())
    }

    /// As [`run`](Self::run), with options.
    ///
    /// Errors: also [`TimedOut`](crate::Error::TimedOut) if no context came free in time, [`Cancelled`](crate::Error::Cancelled).
    pub fn run_with<'n, 'v>(
        &self,
        inputs: impl IntoIterator<Item = (&'n str, TensorView<'v>)>,
        options: &RunOptions,
    ) -> Result<Outputs> {
        let model = &self.model.0;
        let views = in_order(&model.inputs, inputs)?;
        let (mut slots, places) = slots(model, options.asked())?;
        options.run(&self.handle, &views, &mut slots)?;
        let names = Arc::clone(&model.output_names);
        Ok(results(slots, names, places))
    }

    /// Begins a run and returns at once: the run is a future, which needs no particular executor. The inputs are copied before, so they
    /// need not live until the end.
    ///
    /// In a session with [batching](Self::start_batching) runs wait in its queue and occupy no thread of their own, however many there
    /// are. In another one each has a thread until it ends.
    ///
    /// ```no_run
    /// # async fn recognize(session: &anydim::Session) -> anydim::Result<()> {
    /// let pixels = vec![0.0f32; 3 * 48 * 320];
    /// let y = session.run_async([("x", anydim::TensorView::new(&pixels, &[1, 3, 48, 320])?)])?.await?;
    /// println!("{:?}", y[0].dims());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Errors: as [`run`](Self::run). What is wrong with the names of inputs is found at once, the rest comes from the future.
    pub fn run_async<'n, 'v>(&self, inputs: impl IntoIterator<Item = (&'n str, TensorView<'v>)>) -> Result<AsyncRun> {
        self.run_async_with(inputs, &RunOptions::default())
    }

    /// As [`run_async`](Self::run_async), with options. A cancellation among them is the run's own then: dropping the future turns it on.
    ///
    /// Errors: also [`QueueFull`](crate::Error::QueueFull) in a session with batching.
    pub fn run_async_with<'n, 'v>(
        &self,
        inputs: impl IntoIterator<Item = (&'n str, TensorView<'v>)>,
        options: &RunOptions,
    ) -> Result<AsyncRun> {
        let model = &self.model.0;
        let views = in_order(&model.inputs, inputs)?;
        let (mut slots, places) = slots(model, options.asked())?;
        let names = Arc::clone(&model.output_names);
        let stop = options.cancellation.clone().map_or_else(Cancellation::new, Ok)?;
        let (run, shared) = AsyncRun::new(stop.clone());
        let done = move |ended: Result<Vec<Slot>>| shared.end(ended.map(|slots| results(slots, names, places)));
        if self.batching_info()?.started {
            session_submit(&self.handle, &views, &mut slots, options.timeout_ms(), &stop.0, Box::new(done))?;
            return Ok(run);
        }
        let inputs = views.iter().map(Copied::of).collect::<Result<Vec<Copied>>>()?;
        let (session, mut options) = (Arc::clone(&self.handle), options.clone());
        options.cancellation = Some(stop);
        let work = move || {
            let views: Vec<TensorView<'_>> = inputs.iter().map(Copied::view).collect();
            done(options.run(&session, &views, &mut slots).map(|()| slots));
        };
        match std::thread::Builder::new().name("anydim run".into()).spawn(work) {
            Ok(_) => Ok(run),
            Err(why) => Err(out_of_memory(format!("the system starts no thread for the run: {why}"))),
        }
    }

    /// Runs the model into the caller's memory, without allocating: inputs and outputs are in the model's order, an output that
    /// is not asked for is [`TensorViewMut::unasked`].
    ///
    /// Errors: as [`run`](Self::run), and [`InvalidArgument`](crate::Error::InvalidArgument) for an output of other dims.
    #[inline]
    pub fn run_into(&self, inputs: &[TensorView<'_>], outputs: &mut [TensorViewMut<'_>]) -> Result<()> {
        session_run(&self.handle, inputs, TensorViewMut::as_slots(outputs), -1, None, None)
    }

    /// As [`run_into`](Self::run_into), with options; their list of outputs does not count.
    pub fn run_into_with(
        &self,
        inputs: &[TensorView<'_>],
        outputs: &mut [TensorViewMut<'_>],
        options: &RunOptions,
    ) -> Result<()> {
        options.run(&self.handle, inputs, TensorViewMut::as_slots(outputs))
    }

    /// Its contexts, how many of them run, and how many runs wait. It waits for no run.
    pub fn info(&self) -> Result<SessionInfo> {
        calls::session_query(&self.handle)
    }

    /// An explanation as JSON of how the model runs at the shapes of these inputs, on whose data it is run once; without inputs
    /// of the last run in a context that is free.
    pub fn explain<'n, 'v>(&self, inputs: impl IntoIterator<Item = (&'n str, TensorView<'v>)>) -> Result<String> {
        let mut inputs = inputs.into_iter().peekable();
        if inputs.peek().is_none() {
            return calls::session_explain(&self.handle, &[]);
        }
        calls::session_explain(&self.handle, &in_order(&self.model.0.inputs, inputs)?)
    }

    /// A state without parts: what one sequence of runs remembers. With a limit memory is taken for so many slices along growing axes;
    /// 0: what the bounds say, or memory that doubles.
    pub fn state(&self, limit: usize) -> Result<State> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        State::new(calls::state_create(&self.handle, limit)?, self.model.clone())
    }

    /// Begins a sequence that is computed chunk by chunk, of a model that was loaded with
    /// [`ModelBuilder::streaming`](crate::ModelBuilder::streaming).
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) for another model.
    pub fn streaming(&self) -> Result<Streaming> {
        Streaming::new(calls::streaming_create(&self.handle)?, self.model.clone())
    }

    /// From now on runs of several callers are joined along the batch axis. The caller promises that the model treats rows
    /// independently.
    ///
    /// Errors: [`Unimplemented`](crate::Error::Unimplemented) for a model without a free batch axis, or one that can be seen to mix
    /// rows, [`InvalidArgument`](crate::Error::InvalidArgument) for more rows than the bounds allow,
    /// [`Busy`](crate::Error::Busy) if it was started.
    pub fn start_batching(&self, batching: &Batching) -> Result<()> {
        let rows = i32::try_from(batching.rows).unwrap_or(i32::MAX);
        let wait_us = i64::try_from(batching.wait.as_micros()).unwrap_or(i64::MAX);
        let waiting = i32::try_from(batching.waiting).unwrap_or(i32::MAX);
        session_start_batching(&self.handle, rows, wait_us, waiting)
    }

    /// From now on each run is by itself. Requests that wait are run before this returns, or cancelled.
    pub fn stop_batching(&self, cancel: bool) -> Result<()> {
        calls::session_stop_batching(&self.handle, i32::from(cancel))
    }

    /// What batching did: requests, rows, batches, times.
    pub fn batching_info(&self) -> Result<BatchingInfo> {
        calls::session_query_batching(&self.handle)
    }

    /// Ends the session for all threads at once: calls that run or wait end as they would, later ones fail. A session that is
    /// dropped is closed, too.
    pub fn close(&self) {
        self.handle.close();
    }
}

impl SessionBuilder {
    /// The engine that it runs on; the processor if none is named.
    #[must_use]
    pub fn engine(mut self, engine: &Engine) -> Self {
        self.model = self.model.engine(engine);
        self
    }

    /// How the model is loaded; an engine that was named before is the model's own then.
    #[must_use]
    pub fn model(mut self, model: ModelBuilder) -> Self {
        self.model = model;
        self
    }

    /// Most threads of one run; 0, the default: as many as the engine.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Most runs at the same time; 0, the default: as many as the engine has threads, at most 8.
    #[must_use]
    pub fn contexts(mut self, contexts: usize) -> Self {
        self.contexts = contexts;
        self
    }

    /// Promises about the dims of inputs. All memory is taken when a context is made, and no run waits for more.
    #[must_use]
    pub fn bounds(mut self, bounds: Bounds) -> Self {
        self.bounds = Some(bounds);
        self
    }

    /// The reuse policy of nodes that were not given one with the model.
    #[must_use]
    pub fn reuse(mut self, policy: Reuse) -> Self {
        self.reuse = policy;
        self
    }

    /// The math mode of the model.
    #[must_use]
    pub fn math(mut self, mode: Math) -> Self {
        self.model = self.model.math(mode);
        self
    }

    /// Measures the time of each node in each run, for explanations.
    #[must_use]
    pub fn profile(mut self, profile: bool) -> Self {
        self.profile = profile;
        self
    }

    /// With [`Reuse::Specialised`]: most time of measuring before creation returns; ten seconds if it is not said.
    #[must_use]
    pub fn tuning(mut self, most: Duration) -> Self {
        self.tuning = Some(most);
        self
    }

    /// Joins runs of several callers from the beginning: see [`Session::start_batching`].
    #[must_use]
    pub fn batching(mut self, batching: Batching) -> Self {
        self.batching = Some(batching);
        self
    }

    /// A file of packed weights to map: see [`Model::save_packed_weights`].
    #[must_use]
    pub fn packed_weights(mut self, path: impl AsRef<Path>) -> Self {
        self.model = self.model.packed_weights(path);
        self
    }

    /// Loads a model from a file and makes a session of it.
    ///
    /// Errors: those of [`Model::load`] and of [`over`](Self::over).
    pub fn open(self, path: impl AsRef<Path>) -> Result<Session> {
        let model = self.model.clone().load(path)?;
        self.over(&model)
    }

    /// Loads a model from the bytes of a file and makes a session of it.
    ///
    /// Errors: those of [`ModelBuilder::load_bytes`] and of [`over`](Self::over).
    pub fn open_bytes(self, bytes: &[u8]) -> Result<Session> {
        let model = self.model.clone().load_bytes(bytes)?;
        self.over(&model)
    }

    /// Makes a session of a model that is loaded.
    ///
    /// Errors: [`NotFound`](crate::Error::NotFound) for bounds of an input that the model lacks,
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for bounds of which one is missing.
    pub fn over(self, model: &Model) -> Result<Session> {
        let mut options = sys::anydim_context_options_t::INIT;
        options.threads = i32::try_from(self.threads).unwrap_or(i32::MAX);
        options.profile = i32::from(self.profile);
        options.reuse = self.reuse as i32;
        options.tuning_ms = self.tuning.map_or(0, |t| i32::try_from(t.as_millis()).unwrap_or(i32::MAX).max(1));
        let bounds = self.bounds.as_ref().map(Bounds::handle).transpose()?;
        let contexts = i32::try_from(self.contexts).unwrap_or(i32::MAX);
        let handle = calls::session_create(&model.0.handle, bounds.as_ref(), &options, contexts)?;
        let session = Session { handle: Arc::new(handle), model: model.clone() };
        if let Some(batching) = &self.batching {
            session.start_batching(batching)?;
        }
        Ok(session)
    }
}
