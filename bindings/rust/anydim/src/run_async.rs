// SPDX-License-Identifier: Apache-2.0
//! Runs as futures, for any executor: this crate brings none.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Poll, Waker};

use crate::{Cancellation, Outputs, Result};

#[derive(Default)]
struct Ended {
    result: Option<Result<Outputs>>,
    waker: Option<Waker>,
}

/// Where a run puts its result, and its future finds it.
#[derive(Default)]
pub(crate) struct Shared {
    ended: Mutex<Ended>,
    changed: Condvar,
}

impl Shared {
    /// Puts the result there, on the thread that the run ended on, and wakes who waits.
    pub(crate) fn end(&self, result: Result<Outputs>) {
        let waker = {
            let mut ended = self.ended.lock().unwrap_or_else(|e| e.into_inner());
            ended.result = Some(result);
            ended.waker.take()
        };
        self.changed.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// A run that goes on beside the program: [`Session::run_async`](crate::Session::run_async) begins one. It is a future for any executor,
/// and [`wait`](Self::wait) is there for programs without one. Dropping it before its end ends the run before its next node.
#[must_use = "a run that is dropped is ended"]
pub struct AsyncRun {
    shared: Arc<Shared>,
    stop: Cancellation,
    is_done: bool,
}

impl AsyncRun {
    pub(crate) fn new(stop: Cancellation) -> (Self, Arc<Shared>) {
        let shared = Arc::new(Shared::default());
        (Self { shared: Arc::clone(&shared), stop, is_done: false }, shared)
    }

    /// Ends the run before its next node; the result is then [`Cancelled`](crate::Error::Cancelled), unless it has come already.
    pub fn cancel(&self) -> Result<()> {
        self.stop.cancel()
    }

    /// The result, for which this thread waits.
    pub fn wait(mut self) -> Result<Outputs> {
        self.is_done = true;
        let mut ended = self.shared.ended.lock().unwrap_or_else(|e| e.into_inner());
        loop {
            if let Some(result) = ended.result.take() {
                return result;
            }
            ended = self.shared.changed.wait(ended).unwrap_or_else(|e| e.into_inner());
        }
    }
}

impl Future for AsyncRun {
    type Output = Result<Outputs>;

    /// Panics if the result was returned before, as futures do.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        assert!(!self.is_done, "the run has ended, and its result was taken");
        let result = {
            let mut ended = self.shared.ended.lock().unwrap_or_else(|e| e.into_inner());
            if ended.result.is_none() {
                ended.waker = Some(context.waker().clone());
            }
            ended.result.take()
        };
        match result {
            Some(result) => {
                self.is_done = true;
                Poll::Ready(result)
            }
            None => Poll::Pending,
        }
    }
}

impl Drop for AsyncRun {
    fn drop(&mut self) {
        if !self.is_done {
            let _ = self.stop.cancel(); // a switch that is there can be turned
        }
    }
}

impl fmt::Debug for AsyncRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncRun").field("is_done", &self.is_done).finish()
    }
}
