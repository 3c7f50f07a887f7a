// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! Dynamic batching: runs of many callers in one session are joined along the batch axis.

use std::os::raw::c_void;

#[allow(unused_imports)] // documentation names types of other modules
use super::*;

/// Called once how a submitted request ended. Outputs that the library placed are the receiver's until
/// [`anydim_result_release`]; if the status is not [`ANYDIM_STATUS_OK`] there are none, and [`anydim_last_error`] of
/// this thread has more.
///
/// Thread rule: A thread of the session's, or the one that stops its batching. It should return soon, and must not
/// stop the batching or destroy the session.
///
/// - `user`: The environment that was given with it.
/// - `status`: How it ended: a number of the statuses.
/// - `outputs`: Its outputs, as many as the model has; those that were not asked for have no data.
/// - `output_count`: Their number; 0 if it failed.
pub type anydim_done_callback_t = Option<unsafe extern "C" fn(user: *mut c_void, status: i32, outputs: *const anydim_view_t, output_count: i32)>;

/// Options of the batching of a session.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_batching_options_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// Most rows of a batch. A request with more runs by itself.
    pub rows: i32,
    /// Longest wait, in microseconds, for requests that may be expected; 0: none.
    pub wait_us: i64,
    /// Most requests that wait; further ones get queue_full at once.
    pub waiting: i32,
    /// Zero.
    pub reserved: i32,
}

impl anydim_batching_options_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        rows: 8,
        wait_us: 1000,
        waiting: 1024,
        reserved: 0,
    };
}

impl Default for anydim_batching_options_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// What the batching of a session did and does. Counters begin when it is started first.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_batching_info_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// 1 if runs are joined now.
    pub started: i32,
    /// Requests that wait now.
    pub waiting: i64,
    /// Batches that run now.
    pub running: i64,
    /// Requests that ended well.
    pub requests: i64,
    /// Their rows.
    pub rows: i64,
    /// Batches that they ran in; a request that ran by itself is one.
    pub batches: i64,
    /// Rows of the largest.
    pub largest_batch: i64,
    /// Requests that failed in a run, each with a status of its own.
    pub failed: i64,
    /// Requests that were cancelled.
    pub cancelled: i64,
    /// Requests whose time was over before their batch began.
    pub late: i64,
    /// Requests that found too many waiting.
    pub refused: i64,
    /// Nanoseconds from a request's call to its end: half of the last 4,096 took no longer.
    pub p50_ns: i64,
    /// The same of 99 in 100.
    pub p99_ns: i64,
    /// Rows a second, from the beginning of the same requests to now.
    pub rows_per_second: i64,
}

impl anydim_batching_info_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        started: 0,
        waiting: 0,
        running: 0,
        requests: 0,
        rows: 0,
        batches: 0,
        largest_batch: 0,
        failed: 0,
        cancelled: 0,
        late: 0,
        refused: 0,
        p50_ns: 0,
        p99_ns: 0,
        rows_per_second: 0,
    };
}

impl Default for anydim_batching_info_t {
    fn default() -> Self {
        Self::INIT
    }
}

extern "C" {
    /// From now on runs of the session are joined: those whose inputs agree in all dims but the rows become one
    /// batch, and each gets the rows of the result that are its own, with the same bits as alone. The caller
    /// promises that the model treats rows independently. A caller who is alone runs at once, without a copy; when
    /// others came at the same time before, a batch waits for as many, at most options.wait_us. A batch that fails
    /// is run again request by request, so that others' faults harm no other request. A row of 16 KiB and more of an
    /// output that the library places is a part of its batch's memory, which is released with the last of them. A
    /// run waits for its turn as long as its own timeout_ms says; its cancellation is looked at when its batch
    /// begins, and its signals only while it waits.
    ///
    /// Errors: unimplemented for a model in which no first dim of an input is free, of which an output does not
    /// carry that axis, whose sizes follow from data, or in which a node can be seen to mix rows (the message names
    /// it); invalid_argument for options out of range, or for more rows than the session's bounds allow; busy if
    /// batching was started.
    ///
    /// Thread rule: any thread.
    ///
    /// - `session`: The session.
    /// - `options` (may be null): Options, or null for the defaults.
    ///
    /// Experimental; slot 291; fails with `invalid_argument`, `unimplemented`, `busy`.
    pub fn anydim_session_start_batching(
        session: anydim_session_t,
        options: *const anydim_batching_options_t,
    ) -> anydim_status_t;
    /// From now on runs of the session are not joined. Returns when no request is left: those that wait are run
    /// before, or get cancelled. It does nothing where batching was not started. A session that is destroyed
    /// cancels.
    ///
    /// Thread rule: any thread, but not within a function that a request calls when it ends.
    ///
    /// - `session`: The session.
    /// - `cancel`: 1: requests that wait are cancelled; 0: they are run.
    ///
    /// Experimental; slot 292; may block.
    pub fn anydim_session_stop_batching(session: anydim_session_t, cancel: i32) -> anydim_status_t;
    /// Describes what the batching of a session did. It waits for no run.
    ///
    /// - `session`: The session.
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Experimental; slot 293; fails with `invalid_argument`.
    pub fn anydim_session_query_batching(
        session: anydim_session_t,
        info: *mut anydim_batching_info_t,
    ) -> anydim_status_t;
    /// As [`anydim_session_run`] in a session whose batching was started, but that it does not wait: done is called
    /// when the request has ended. Inputs are copied before it returns. The caller's memory for outputs must stay
    /// valid until then. options.interrupted does not count. Errors: invalid_argument for inputs that are no rows
    /// for a batch; queue_full if too many requests wait; closed if batching is not started. After an error done is
    /// not called.
    ///
    /// Thread rule: any number of threads.
    ///
    /// - `session`: The session.
    /// - `inputs`: Input tensors.
    /// - `input_count`: Their number.
    /// - `outputs` (in and out): What is wanted of the outputs, as in [`anydim_session_run`].
    /// - `output_count`: Their number.
    /// - `options` (may be null): Options, or null for the defaults.
    /// - `done`: Called when it has ended.
    /// - `user` (may be null): Passed to done.
    ///
    /// Experimental; slot 294; fails with `invalid_argument`, `queue_full`, `closed`, `cancelled`.
    pub fn anydim_session_submit(
        session: anydim_session_t,
        inputs: *const anydim_view_t,
        input_count: i32,
        outputs: *mut anydim_view_t,
        output_count: i32,
        options: *const anydim_run_options_t,
        done: anydim_done_callback_t,
        user: *mut c_void,
    ) -> anydim_status_t;
}
