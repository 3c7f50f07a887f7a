// SPDX-License-Identifier: Apache-2.0
//! What a caller asks of one run, of whatever is run.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::edge::handles::{SessionHandle, StateHandle, StreamingHandle};
use crate::edge::models::{session_run, state_step, streaming_push, Interrupted};
use crate::edge::views::Slot;
use crate::{Cancellation, Result, TensorView};

/// What is asked of one run.
#[derive(Clone, Default)]
pub struct RunOptions {
    timeout: Option<Duration>,
    pub(crate) cancellation: Option<Cancellation>,
    interrupted: Option<Arc<Interrupted>>,
    outputs: Option<Vec<String>>,
}

impl RunOptions {
    /// The defaults: it waits for a context without limit, and all outputs are made.
    pub fn new() -> Self {
        Self::default()
    }

    /// Most time to wait for a context; then the run fails with [`TimedOut`](crate::Error::TimedOut). A run that has begun is not ended.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// What ends the run from outside.
    #[must_use]
    pub fn cancellation(mut self, cancellation: &Cancellation) -> Self {
        self.cancellation = Some(cancellation.clone());
        self
    }

    /// Asked on the thread that called, each time a signal came while the run waits for a context, and every ten milliseconds or
    /// more between the nodes of the run: true ends it, and it fails with [`Cancelled`](crate::Error::Cancelled). Without it no
    /// signal ends a run. A panic ends it, too.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicBool, Ordering};
    /// static STOPPED: AtomicBool = AtomicBool::new(false);               // a signal handler sets it
    /// let options = anydim::RunOptions::new().interrupted(|| STOPPED.load(Ordering::Relaxed));
    /// # let _ = options;
    /// ```
    #[must_use]
    pub fn interrupted(mut self, question: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.interrupted = Some(Arc::new(question));
        self
    }

    /// The outputs that are asked for, by their names, in the order in which they come back. [`Session::run_into_with`](crate::Session::run_into_with) takes
    /// views for all outputs instead.
    #[must_use]
    pub fn outputs<'n>(mut self, names: impl IntoIterator<Item = &'n str>) -> Self {
        self.outputs = Some(names.into_iter().map(str::to_owned).collect());
        self
    }

    pub(crate) fn asked(&self) -> Option<&[String]> {
        self.outputs.as_deref()
    }

    pub(crate) fn timeout_ms(&self) -> i32 {
        self.timeout.map_or(-1, |t| i32::try_from(t.as_millis()).unwrap_or(i32::MAX))
    }

    pub(crate) fn run(&self, session: &SessionHandle, inputs: &[TensorView<'_>], outputs: &mut [Slot]) -> Result<()> {
        let cancellation = self.cancellation.as_ref().map(|c| &*c.0);
        session_run(session, inputs, outputs, self.timeout_ms(), cancellation, self.interrupted.as_deref())
    }

    pub(crate) fn step(&self, state: &StateHandle, inputs: &[TensorView<'_>], outputs: &mut [Slot]) -> Result<()> {
        let cancellation = self.cancellation.as_ref().map(|c| &*c.0);
        state_step(state, inputs, outputs, self.timeout_ms(), cancellation, self.interrupted.as_deref())
    }

    pub(crate) fn push(
        &self,
        streaming: &StreamingHandle,
        inputs: &[TensorView<'_>],
        last: bool,
        outputs: &mut [Slot],
    ) -> Result<()> {
        let cancellation = self.cancellation.as_ref().map(|c| &*c.0);
        streaming_push(streaming, inputs, last, outputs, self.timeout_ms(), cancellation, self.interrupted.as_deref())
    }
}

impl fmt::Debug for RunOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunOptions")
            .field("timeout", &self.timeout)
            .field("cancellation", &self.cancellation)
            .field("interrupted", &self.interrupted.is_some())
            .field("outputs", &self.outputs)
            .finish()
    }
}
