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

/// Which log lines are made, and who gets them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_log_info_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// The level.
    pub level: anydim_log_level_t,
    /// Gets each line; null: they go to stderr.
    pub callback: anydim_log_callback_t,
    /// What the callback is called with.
    pub user: *mut c_void,
}

impl anydim_log_info_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        level: 0,
        callback: None,
        user: std::ptr::null_mut(),
    };
}

impl Default for anydim_log_info_t {
    fn default() -> Self {
        Self::INIT
    }
}

extern "C" {
    /// Sets which log lines are made. Who gets them stays. The first level comes from the variable ANYDIM_LOG (none,
    /// error, warning, info, debug; warning if it is not set). Errors: invalid_argument for a level that is none.
    /// Thread rule: any thread.
    ///
    /// - `level`: The level.
    ///
    /// Experimental; slot 302; fails with `invalid_argument`.
    pub fn anydim_log_set_level(level: anydim_log_level_t) -> anydim_status_t;
    /// Sets who gets log lines. Their level stays. Thread rule: any thread; lines of other threads may still go to
    /// the sink before.
    ///
    /// - `callback` (may be null): Gets each line; null writes to stderr.
    /// - `user` (may be null): Passed to the callback.
    /// - `finalizer` (may be null): Called when another sink replaced this one and no line is being written any
    ///   more; or null.
    ///
    /// Experimental; slot 303.
    pub fn anydim_log_set_sink(
        callback: anydim_log_callback_t,
        user: *mut c_void,
        finalizer: anydim_finalizer_callback_t,
    ) -> anydim_status_t;
    /// Returns the level and the sink of log lines. A sink with a finalizer may be replaced, and finalized, by
    /// another thread at any time.
    ///
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Experimental; slot 304; fails with `invalid_argument`.
    pub fn anydim_log_query(info: *mut anydim_log_info_t) -> anydim_status_t;
    /// Sets which log lines are made and who gets them: [`anydim_log_set_level`] and [`anydim_log_set_sink`] in one.
    ///
    /// Errors: invalid_argument for a level that is none; then the finalizer is not called.
    ///
    /// - `level`: The level.
    /// - `callback` (may be null): Gets each line; null writes to stderr.
    /// - `user` (may be null): Passed to the callback.
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
