// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! Sessions, in which models run for any number of threads.

#[allow(unused_imports)] // documentation names types of other modules
use super::*;

/// What [`anydim_session_t`] names; it is never looked into.
#[repr(C)]
#[derive(Debug)]
pub struct anydim_session_s {
    _private: [u8; 0],
}
/// A model with contexts for any number of threads. Runs that find none free wait for their turn, first come, first
/// served. Many threads may use it at once. It keeps its model alive.
pub type anydim_session_t = *const anydim_session_s;

/// A session's contexts.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_session_info_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// Contexts that exist.
    pub contexts: i32,
    /// Most that may exist.
    pub limit: i32,
    /// Those in which something runs now.
    pub in_use: i32,
    /// Runs that wait for one now.
    pub waiting: i32,
    /// Zero.
    pub reserved: i32,
    /// How often their memory grew, up to their last runs; always 0 with bounds.
    pub growths: i64,
    /// Bytes of their memory, after their last runs.
    pub arena_bytes: i64,
}

impl anydim_session_info_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        contexts: 0,
        limit: 0,
        in_use: 0,
        waiting: 0,
        reserved: 0,
        growths: 0,
        arena_bytes: 0,
    };
}

impl Default for anydim_session_info_t {
    fn default() -> Self {
        Self::INIT
    }
}

extern "C" {
    /// Makes a session and its first context. A context is what one run needs: memory, and the values of the dims.
    /// Further ones are made when runs need them at the same time. Bounds and options hold for each context. With
    /// bounds it takes all memory that a run within them can need when it is made, and refuses shapes outside them
    /// with out_of_bounds. Without bounds its memory grows when a larger shape comes.
    ///
    /// Errors: invalid_argument for a negative number of contexts, for options.buffer, and for bounds that
    /// contradict the model's dims; not_found for bounds of an input that the model lacks.
    ///
    /// - `model`: The model.
    /// - `bounds` (may be null): Bounds, or null for none.
    /// - `options` (may be null): Options of its contexts, or null for the defaults.
    /// - `contexts`: Most contexts, and so most runs at the same time; 0 = the engine's threads, at most 8.
    /// - `session` (out, the caller destroys it): The session.
    ///
    /// Stable since 0.1; slot 187; may block; fails with `invalid_argument`, `out_of_bounds`, `not_found`, `busy`.
    pub fn anydim_session_create(
        model: anydim_model_t,
        bounds: anydim_bounds_t,
        options: *const anydim_context_options_t,
        contexts: i32,
        session: *mut anydim_session_t,
    ) -> anydim_status_t;
    /// Destroys a session; runs that are active or waiting finish.
    ///
    /// - `session`: The handle, or null.
    ///
    /// Stable since 0.1; slot 188.
    pub fn anydim_session_destroy(session: anydim_session_t);
    /// Runs the model in a context of the session, on this thread or on one of the session's own. Inputs and outputs
    /// are in the model's order; [`anydim_model_find_output`] finds one by its name. The caller says of each output
    /// where it goes:
    ///
    /// - With data, it is written there. It must have the dims that the model gives for these inputs, and may have
    ///   any strides.
    /// - With a dtype and no data, it gets memory of its own, and the call fills in data, dims and strides. It is
    ///   valid until [`anydim_result_release`], also after the session is destroyed.
    /// - With all members zero, the caller does not want it. That saves a copy.
    ///
    /// Errors: invalid_argument for a wrong number, dtype, rank or dim (the message names the input, and which sizes
    /// the model takes), out_of_bounds for a dim outside the bounds, invalid_data for values found wrong while
    /// running, timed_out if no context came free, or with batching no batch began, in options.timeout_ms,
    /// queue_full ([`anydim_session_start_batching`]), cancelled if options.cancellation is on or
    /// options.interrupted said so.
    ///
    /// Thread rule: any number of threads; who asked first is served first.
    ///
    /// - `session`: The session.
    /// - `inputs`: Input tensors.
    /// - `input_count`: Their number.
    /// - `outputs` (in and out): Output tensors, as said above.
    /// - `output_count`: Their number, or 0 to ask for none.
    /// - `options` (may be null): Options, or null for the defaults.
    ///
    /// Stable since 0.1; slot 189; may block; fails with `invalid_argument`, `out_of_bounds`, `invalid_data`,
    /// `unimplemented`, `timed_out`, `queue_full`, `closed`, `cancelled`.
    pub fn anydim_session_run(
        session: anydim_session_t,
        inputs: *const anydim_view_t,
        input_count: i32,
        outputs: *mut anydim_view_t,
        output_count: i32,
        options: *const anydim_run_options_t,
    ) -> anydim_status_t;
    /// Returns the numbers of a session's contexts, of running ones, and of waiting runs. It waits for no run.
    ///
    /// - `session`: The session.
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Stable since 0.1; slot 190; fails with `invalid_argument`.
    pub fn anydim_session_query(
        session: anydim_session_t,
        info: *mut anydim_session_info_t,
    ) -> anydim_status_t;
    /// Returns the model of a session, as a handle of the caller's: names, dtypes and dims of inputs and outputs
    /// need no second variable.
    ///
    /// - `session`: The session.
    /// - `model` (out, the caller destroys it): The model.
    ///
    /// Experimental; slot 305.
    pub fn anydim_session_acquire_model(
        session: anydim_session_t,
        model: *mut anydim_model_t,
    ) -> anydim_status_t;
    /// Explains how the model runs at the dims of these inputs, as JSON: kernels, layouts, memory, and why other
    /// kernels were refused ([`anydim_context_explain`] has the details). Without inputs it explains the last run of
    /// a context that is free.
    ///
    /// Errors: those of [`anydim_session_run`], not_found where nothing has run yet.
    ///
    /// - `session`: The session.
    /// - `inputs`: Input tensors, or none.
    /// - `input_count`: Their number, or 0.
    /// - `text` (out, the caller destroys it): The explanation.
    ///
    /// Experimental; slot 191; may block; fails with `invalid_argument`, `out_of_bounds`, `not_found`,
    /// `invalid_data`, `unimplemented`.
    pub fn anydim_session_explain(
        session: anydim_session_t,
        inputs: *const anydim_view_t,
        input_count: i32,
        text: *mut anydim_text_t,
    ) -> anydim_status_t;
}
