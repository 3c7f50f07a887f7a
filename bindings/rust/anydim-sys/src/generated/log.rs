// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! Log lines, and who gets them.

use std::os::raw::{c_char, c_void};

#[allow(unused_imports)] // documentation names types of other modules
use super::*;

/// Levels of log lines; a level includes those before it.
pub type anydim_log_level_t = i32;
/// Nothing.
pub const ANYDIM_LOG_NONE: anydim_log_level_t = 0;
/// Defects.
pub const ANYDIM_LOG_ERROR: anydim_log_level_t = 1;
/// What is probably a mistake, such as a second destroy. The default.
pub const ANYDIM_LOG_WARNING: anydim_log_level_t = 2;
/// Loads, growth events.
pub const ANYDIM_LOG_INFO: anydim_log_level_t = 3;
/// Every call that failed.
pub const ANYDIM_LOG_DEBUG: anydim_log_level_t = 4;

/// Gets a log line.
///
/// Thread rule: Any thread, several at once. It must not call Anydim.
///
/// - `user`: The environment that was given with it.
/// - `level`: How serious it is.
/// - `text`: The line; it lives during the call only.
pub type anydim_log_callback_t = Option<unsafe extern "C" fn(user: *mut c_void, level: anydim_log_level_t, text: *const c_char)>;

extern "C" {
    /// Sets which log lines are made and who gets them. The first level comes from the variable ANYDIM_LOG (none,
    /// error, warning, info, debug; warning if it is not set).
    ///
    /// Errors: invalid_argument for a level that is none; then the finalizer is not called.
    ///
    /// - `level`: The level.
    /// - `callback` (may be null): Gets each line; null writes to stderr.
    /// - `user` (may be null): Handed to the callback.
    /// - `finalizer` (may be null): Called when another call of this function replaced the callback and no line is
    ///   being written any more; or null.
    ///
    /// Stable since 0.1; slot 4; fails with `invalid_argument`.
    pub fn anydim_log_set(
        level: anydim_log_level_t,
        callback: anydim_log_callback_t,
        user: *mut c_void,
        finalizer: anydim_finalizer_callback_t,
    ) -> anydim_status_t;
}
