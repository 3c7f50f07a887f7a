// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! The background worker, which measures plans while others compute.

#[allow(unused_imports)] // documentation names types of other modules
use super::*;

/// A command for the background worker.
pub type anydim_worker_action_t = i32;
/// To rest after the request it is serving.
pub const ANYDIM_WORKER_PAUSE: anydim_worker_action_t = 0;
/// To go on.
pub const ANYDIM_WORKER_RESUME: anydim_worker_action_t = 1;
/// To stop at its next look, drop what is queued, and take nothing more in this process (as ANYDIM_WORKER=off does
/// from the start).
pub const ANYDIM_WORKER_TURN_OFF: anydim_worker_action_t = 2;

/// The background worker's counters.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_worker_info_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// 1 if its thread was started.
    pub running: i32,
    /// 1 if it is paused.
    pub paused: i32,
    /// 1 if it is off for the rest of the process.
    pub turned_off: i32,
    /// Requests that wait or are being served.
    pub queued: i64,
    /// Requests accepted.
    pub requested: i64,
    /// Requests dropped because the queue was full or the time budget used up.
    pub dropped: i64,
    /// Requests for what had been served before.
    pub repeated: i64,
    /// Requests served.
    pub served: i64,
    /// Requests that failed; nothing else is affected.
    pub failed: i64,
    /// Time at work.
    pub busy_ns: i64,
}

impl anydim_worker_info_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        running: 0,
        paused: 0,
        turned_off: 0,
        queued: 0,
        requested: 0,
        dropped: 0,
        repeated: 0,
        served: 0,
        failed: 0,
        busy_ns: 0,
    };
}

impl Default for anydim_worker_info_t {
    fn default() -> Self {
        Self::INIT
    }
}

extern "C" {
    /// Commands the background worker to pause, to go on, or to end. It serves contexts and primitives with the
    /// policy reusable_first, on one thread of the lowest priority; its limits are ANYDIM_WORKER_SECONDS (60 of work
    /// in a process) and ANYDIM_WORKER_BYTES (256 MB for one request). Any thread may call.
    ///
    /// Errors: invalid_argument for an action that is none.
    ///
    /// - `action`: What to do.
    ///
    /// Experimental; slot 151; fails with `invalid_argument`.
    pub fn anydim_worker_control(action: anydim_worker_action_t) -> anydim_status_t;
    /// Waits until everything that was requested before is done. Errors: timed_out if that takes longer than the
    /// given time, or never comes because the worker is paused or off.
    ///
    /// - `timeout_ms`: Most time to wait; negative: without limit.
    ///
    /// Experimental; slot 152; may block; fails with `timed_out`.
    pub fn anydim_worker_drain(timeout_ms: i64) -> anydim_status_t;
    /// Returns the background worker's counters. Any thread may call.
    ///
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Experimental; slot 153; fails with `invalid_argument`.
    pub fn anydim_worker_query(info: *mut anydim_worker_info_t) -> anydim_status_t;
}
