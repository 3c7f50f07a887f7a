// SPDX-License-Identifier: Apache-2.0
//! Log lines of the library, and who gets them.

use crate::edge::host::log_set;
use crate::{LogLevel, Result};

/// Sends log lines of this level and those before it to a closure, in place of standard error. Several threads may call it at
/// once; it must not call this crate. It is dropped when another call of this module took its place and no line is on its way.
///
/// ```
/// use anydim::LogLevel;
/// anydim::logging::to(LogLevel::Info, |level, line| println!("[{level}] {line}"))?;
/// anydim::logging::to_stderr(LogLevel::Warning)?;
/// # Ok::<(), anydim::Error>(())
/// ```
pub fn to(level: LogLevel, logger: impl Fn(LogLevel, &str) + Send + Sync + 'static) -> Result<()> {
    log_set(level, Some(Box::new(logger)))
}

/// Sends log lines of this level and those before it to standard error. That is the state at first, with the level of the
/// variable `ANYDIM_LOG`, or `warning`.
pub fn to_stderr(level: LogLevel) -> Result<()> {
    log_set(level, None)
}
