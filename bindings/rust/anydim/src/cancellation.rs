// SPDX-License-Identifier: Apache-2.0
//! Ending runs from outside.

use std::sync::Arc;

use crate::edge::calls;
use crate::edge::handles::CancellationHandle;
use crate::Result;

/// A switch that ends the runs that were given it, and those to come, with [`Cancelled`](crate::Error::Cancelled), before their
/// next node. Clones are the same switch; any thread may turn it at any time.
///
/// ```
/// let stop = anydim::Cancellation::new()?;
/// let for_another_thread = stop.clone();
/// for_another_thread.cancel()?;
/// stop.reset()?;
/// # Ok::<(), anydim::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cancellation(pub(crate) Arc<CancellationHandle>);

impl Cancellation {
    /// One that is off.
    pub fn new() -> Result<Self> {
        Ok(Self(Arc::new(calls::cancellation_create()?)))
    }

    /// Turns it on.
    pub fn cancel(&self) -> Result<()> {
        calls::cancellation_set(&self.0, 1)
    }

    /// Turns it off.
    pub fn reset(&self) -> Result<()> {
        calls::cancellation_set(&self.0, 0)
    }
}
