// SPDX-License-Identifier: Apache-2.0
//! Log lines of the library, and who gets them.

use crate::edge::calls;
use crate::edge::host::{log_level, log_set};
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

/// Sends log lines of this level and those before it to the crate [`log`](https://docs.rs/log), under the target `anydim`. What the
/// program's logger does with them is its own; `tracing` reads them with its feature `log` or the crate tracing-log.
///
/// ```
/// anydim::logging::to_log(anydim::LogLevel::Info)?;
/// # Ok::<(), anydim::Error>(())
/// ```
#[cfg(feature = "log")]
pub fn to_log(level: LogLevel) -> Result<()> {
    to(level, |level, line| {
        let level = match level {
            LogLevel::Error => log::Level::Error,
            LogLevel::Warning => log::Level::Warn,
            LogLevel::Info => log::Level::Info,
            _ => log::Level::Debug,
        };
        log::log!(target: "anydim", level, "{line}");
    })
}

/// Sets the level; who gets the lines stays.
///
/// ```
/// use anydim::{logging, LogLevel};
/// let before = logging::level()?;
/// logging::set_level(LogLevel::Info)?;
/// assert_eq!(logging::level()?, LogLevel::Info);
/// logging::set_level(before)?;
/// # Ok::<(), anydim::Error>(())
/// ```
pub fn set_level(level: LogLevel) -> Result<()> {
    calls::log_set_level(level as i32)
}

/// The level of the lines that are made.
pub fn level() -> Result<LogLevel> {
    log_level()
}
