// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! States, which runs of a session hand on to the next: caches of keys and values, recurrent states.

use std::os::raw::c_char;

#[allow(unused_imports)] // documentation names types of other modules
use super::*;

/// What [`anydim_state_t`] names; it is never looked into.
#[repr(C)]
#[derive(Debug)]
pub struct anydim_state_s {
    _private: [u8; 0],
}
/// What one sequence of a session's runs remembers. Make one per conversation; any number of them share the
/// session's contexts. One user at a time. It keeps its session alive.
pub type anydim_state_t = *mut anydim_state_s;

/// A state's sizes and counters.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_state_info_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// Its parts: pairs of an input and an output.
    pub parts: i32,
    /// How many of them steps append to, or write, where they lie. The others are written beside the old ones.
    pub in_place: i32,
    /// Zero.
    pub reserved: i32,
    /// Slices along the growing axis of its first part that grows; 0 if none does.
    pub length: i64,
    /// Most slices of a growing axis; 0 = without limit.
    pub limit: i64,
    /// Steps that completed since it was made or reset.
    pub steps: i64,
    /// Bytes of memory that it holds.
    pub bytes: i64,
    /// Bytes that steps wrote of new slices and of parts that do not grow.
    pub appended_bytes: i64,
    /// Bytes that steps copied of old slices: 0 for parts in place, but for growths.
    pub copied_bytes: i64,
    /// How often memory of its parts was made again; with a limit never after the first step.
    pub growths: i64,
    /// Slices of a page of the first part that lies in pages; 0 if none does.
    pub page: i64,
    /// Pages that it has, of all parts.
    pub pages: i64,
    /// Those of them that other states have, too.
    pub shared_pages: i64,
    /// Bytes of the pages of this state and of all that were forked from it or it from, each page once.
    pub pool_bytes: i64,
    /// Most bytes of these pages; 0 = without limit.
    pub pool_limit: i64,
}

impl anydim_state_info_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        parts: 0,
        in_place: 0,
        reserved: 0,
        length: 0,
        limit: 0,
        steps: 0,
        bytes: 0,
        appended_bytes: 0,
        copied_bytes: 0,
        growths: 0,
        page: 0,
        pages: 0,
        shared_pages: 0,
        pool_bytes: 0,
        pool_limit: 0,
    };
}

impl Default for anydim_state_info_t {
    fn default() -> Self {
        Self::INIT
    }
}

extern "C" {
    /// Makes a state without parts. [`anydim_state_add`] says what it consists of, before its first step. With a
    /// limit the memory of parts that grow is allocated and touched for so many slices when their other dims are
    /// known, at the first step at the latest, and a step beyond it is refused; without one memory is doubled when
    /// it is used up. Bounds of the session set the limit where the caller does not. Errors: invalid_argument for a
    /// negative limit.
    ///
    /// - `session`: The session.
    /// - `limit`: Most slices along growing axes; 0 = the bounds' or without limit.
    /// - `state` (out, the caller destroys it): The state.
    ///
    /// Experimental; slot 281; fails with `invalid_argument`.
    pub fn anydim_state_create(
        session: anydim_session_t,
        limit: i64,
        state: *mut anydim_state_t,
    ) -> anydim_status_t;
    /// Destroys a state and its memory.
    ///
    /// - `state`: The handle, or null.
    ///
    /// Experimental; slot 282.
    pub fn anydim_state_destroy(state: anydim_state_t);
    /// Adds a part: what a step writes to an output is what the next one reads in an input. A part that grows is
    /// empty at first, and a step's output is longer than its input along the axis by what is new; one that does not
    /// is zero at first. Dims other than the growing one follow from those of a step's inputs, or from
    /// [`anydim_state_write`]. Where the model appends to the input (attention with a cache, Concat of the input and
    /// something new, TensorScatter), steps write what is new behind what is old, in the part's own memory;
    /// [`anydim_state_info_t`].in_place counts such parts.
    ///
    /// Errors: not_found for names that the model lacks; invalid_argument for a dtype, rank or dim in which the two
    /// differ, for an axis that they lack, for one that cannot grow, and for an input or output that has a part
    /// already; busy after the first step.
    ///
    /// - `state`: The state.
    /// - `input`: The input's name.
    /// - `output`: The output's name.
    /// - `axis`: The axis that grows, from 0; -1 = none: the part is replaced.
    ///
    /// Experimental; slot 283; fails with `not_found`, `invalid_argument`, `busy`, `closed`.
    pub fn anydim_state_add(
        state: anydim_state_t,
        input: *const c_char,
        output: *const c_char,
        axis: i32,
    ) -> anydim_status_t;
    /// Keeps parts that grow where they lie in pages, from the first step on. A part grows without a copy, even
    /// beyond the room that it had, and without a limit of its own. A fork has the same pages: who writes to a page
    /// that others have, too, copies it first, which is the last one of each part. All forks of a state together
    /// have `pool_limit` bytes of pages at most, and a step that needs more is out_of_memory and changes nothing: a
    /// server makes one state and forks it for each conversation. Results have the same bits.
    ///
    /// Errors: invalid_argument for numbers that are out of range; busy after the first step; unimplemented where
    /// the session's memory comes from the program's functions, for models on devices, and where the system has no
    /// files of memory. In a child of a process that forks, calls with such a state are refused (closed).
    ///
    /// - `state`: The state.
    /// - `page`: Slices (tokens) of a page, from 1; rounded up to what fills pages of the processor.
    /// - `pool_limit`: Most bytes of pages of this state and its forks; 0 = without limit.
    ///
    /// Experimental; slot 372; fails with `invalid_argument`, `busy`, `unimplemented`, `closed`.
    pub fn anydim_state_use_pages(
        state: anydim_state_t,
        page: i64,
        pool_limit: i64,
    ) -> anydim_status_t;
    /// Runs the model on the state and on inputs, and keeps what the next step reads. Inputs and outputs are those
    /// that belong to no part, in the model's order, as in [`anydim_session_run`]. A step that fails leaves the
    /// state as it was.
    ///
    /// Errors: as [`anydim_session_run`]; out_of_bounds for a step that would make a part longer than the limit;
    /// invalid_argument for a part whose dims follow from nothing, or whose dims the step would change.
    ///
    /// Thread rule: one step of a state at a time, a second returns busy; steps of several states may run at the
    /// same time.
    ///
    /// - `state`: The state.
    /// - `inputs`: Input tensors that belong to no part.
    /// - `input_count`: Their number.
    /// - `outputs` (in and out): Output tensors that belong to no part, as in [`anydim_session_run`].
    /// - `output_count`: Their number, or 0 to ask for none.
    /// - `options` (may be null): Options, or null for the defaults.
    ///
    /// Experimental; slot 284; may block; fails with `invalid_argument`, `out_of_bounds`, `invalid_data`,
    /// `unimplemented`, `busy`, `timed_out`, `closed`, `cancelled`.
    pub fn anydim_state_step(
        state: anydim_state_t,
        inputs: *const anydim_view_t,
        input_count: i32,
        outputs: *mut anydim_view_t,
        output_count: i32,
        options: *const anydim_run_options_t,
    ) -> anydim_status_t;
    /// Begins a new sequence, with the memory and the parts that there are. Parts that grow are empty, the others
    /// zero.
    ///
    /// Errors: busy while another call uses the state; closed if it is destroyed meanwhile.
    ///
    /// - `state`: The state.
    ///
    /// Experimental; slot 285; fails with `busy`, `closed`.
    pub fn anydim_state_reset(state: anydim_state_t) -> anydim_status_t;
    /// Forgets what parts that grow hold behind their first slices: a sequence goes on from an earlier token.
    /// Errors: invalid_argument for a length that is negative or more than there is; unimplemented where a part does
    /// not grow, since what it held is gone.
    ///
    /// - `state`: The state.
    /// - `length`: Slices that stay.
    ///
    /// Experimental; slot 286; fails with `invalid_argument`, `unimplemented`, `busy`, `closed`.
    pub fn anydim_state_truncate(state: anydim_state_t, length: i64) -> anydim_status_t;
    /// Makes another state of the same session that has the same parts, with a copy of what they hold, or with the
    /// same pages ([`anydim_state_use_pages`]): a sequence goes on in two ways. Of a state that has made no step it
    /// is what the next conversation begins with.
    ///
    /// Errors: busy while another call uses the state; closed if it is destroyed meanwhile.
    ///
    /// - `state`: The state.
    /// - `copy` (out, the caller destroys it): The copy.
    ///
    /// Experimental; slot 287; may block; fails with `busy`, `closed`.
    pub fn anydim_state_fork(state: anydim_state_t, copy: *mut anydim_state_t) -> anydim_status_t;
    /// Shows what the next step reads of a part: a view into the state's memory, with strides, good until the state
    /// is used for anything else. Errors: not_found past the last part; invalid_argument for a part whose dims are
    /// not known yet.
    ///
    /// - `state`: The state.
    /// - `part`: Which part, from 0, in the order in which they were added.
    /// - `view` (out): The view.
    ///
    /// Experimental; slot 288; fails with `not_found`, `invalid_argument`, `busy`, `closed`.
    pub fn anydim_state_read(
        state: anydim_state_t,
        part: i32,
        view: *mut anydim_view_t,
    ) -> anydim_status_t;
    /// Copies tensors into the parts, in place of what they held: a prefix that was computed before, a recurrent
    /// state. Errors: invalid_argument for a wrong number, dtype, rank or dim; out_of_bounds for more slices than
    /// the limit. Then nothing is changed.
    ///
    /// - `state`: The state.
    /// - `values`: A tensor for each part, in the order in which they were added.
    /// - `count`: Their number.
    ///
    /// Experimental; slot 289; may block; fails with `invalid_argument`, `out_of_bounds`, `busy`, `closed`.
    pub fn anydim_state_write(
        state: anydim_state_t,
        values: *const anydim_view_t,
        count: i32,
    ) -> anydim_status_t;
    /// Returns a state's sizes and counters.
    ///
    /// - `state`: The state.
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Experimental; slot 290; fails with `invalid_argument`, `busy`, `closed`.
    pub fn anydim_state_query(
        state: anydim_state_t,
        info: *mut anydim_state_info_t,
    ) -> anydim_status_t;
}
