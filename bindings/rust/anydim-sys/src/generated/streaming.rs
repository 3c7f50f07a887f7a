// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! Models that are computed chunk by chunk along one axis, with the bits of the whole.

#[allow(unused_imports)] // documentation names types of other modules
use super::*;

/// What [`anydim_streaming_t`] names; it is never looked into.
#[repr(C)]
#[derive(Debug)]
pub struct anydim_streaming_s {
    _private: [u8; 0],
}
/// One sequence that comes in chunks. Make one per sequence; any number of them share contexts. One user at a time.
/// It keeps its session alive.
pub type anydim_streaming_t = *mut anydim_streaming_s;

/// What a sequence of chunks has come to, and what is known of any.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_streaming_info_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// So many elements of the axis have come when all outputs along it have begun; -1: more than 2^31.
    pub first_after: i32,
    /// Elements of the axis that have come.
    pub received: i64,
    /// Chunks that were computed since it was made or reset.
    pub chunks: i64,
    /// Bytes that it holds of its own, of what later chunks read again.
    pub bytes: i64,
    /// Most elements of a chunk; 0 = any number.
    pub most_chunk: i64,
}

impl anydim_streaming_info_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        first_after: 0,
        received: 0,
        chunks: 0,
        bytes: 0,
        most_chunk: 0,
    };
}

impl Default for anydim_streaming_info_t {
    fn default() -> Self {
        Self::INIT
    }
}

extern "C" {
    /// Begins a sequence that comes in chunks. The session is of a model that was loaded with options.streaming, the
    /// inputs and the axes along which they are streamed. Its contexts for chunks are made with the first sequence,
    /// as many as the session may have for runs, with its options; its bounds count for the other dims. With
    /// options.streaming_chunk and bounds of all other dims they never grow.
    ///
    /// Errors: invalid_argument for a model that was loaded without options.streaming.
    ///
    /// - `session`: The session.
    /// - `streaming` (out, the caller destroys it): The sequence.
    ///
    /// Experimental; slot 360; may block; fails with `invalid_argument`, `closed`.
    pub fn anydim_streaming_create(
        session: anydim_session_t,
        streaming: *mut anydim_streaming_t,
    ) -> anydim_status_t;
    /// Ends a sequence, wherever it is, and frees its memory.
    ///
    /// - `streaming`: The handle, or null.
    ///
    /// Experimental; slot 361.
    pub fn anydim_streaming_destroy(streaming: anydim_streaming_t);
    /// Computes what a chunk makes computable. Inputs and outputs are the model's, in its order, as in
    /// [`anydim_session_run`]: of an input that is streamed the next elements along its axis, 0 or more, as many of
    /// each; the others as they are, and alike with each chunk. An output along the axis has the elements that are
    /// new, maybe none; all outputs together, one chunk after the other, have the bits of the whole. One that has no
    /// such axis (the last state of a recurrent layer) comes with the last chunk; before it its view stays as it is.
    /// A call that fails or is cancelled leaves the sequence as it was.
    ///
    /// Errors: as [`anydim_session_run`]; out_of_bounds for a chunk of more than options.streaming_chunk elements;
    /// invalid_argument after the last chunk, for chunks of different lengths, and at the end for a length at which
    /// tensors that the model joins do not meet.
    ///
    /// Thread rule: one call of a sequence at a time, a second returns busy; calls of several sequences may run at
    /// the same time.
    ///
    /// - `streaming`: The sequence.
    /// - `inputs`: Input tensors.
    /// - `input_count`: Their number.
    /// - `last`: Not 0: this chunk, which may be empty, is the last.
    /// - `outputs` (in and out): Output tensors, as in [`anydim_session_run`].
    /// - `output_count`: Their number, or 0 to ask for none.
    /// - `options` (may be null): Options, or null for the defaults.
    ///
    /// Experimental; slot 362; may block; fails with `invalid_argument`, `out_of_bounds`, `invalid_data`,
    /// `unimplemented`, `busy`, `timed_out`, `closed`, `cancelled`.
    pub fn anydim_streaming_push(
        streaming: anydim_streaming_t,
        inputs: *const anydim_view_t,
        input_count: i32,
        last: i32,
        outputs: *mut anydim_view_t,
        output_count: i32,
        options: *const anydim_run_options_t,
    ) -> anydim_status_t;
    /// Begins a new sequence, with the memory that there is. Errors: busy while another call uses the sequence;
    /// closed if it is destroyed meanwhile.
    ///
    /// - `streaming`: The sequence.
    ///
    /// Experimental; slot 363; fails with `busy`, `closed`.
    pub fn anydim_streaming_reset(streaming: anydim_streaming_t) -> anydim_status_t;
    /// Returns counters of a sequence, and what is known of any.
    ///
    /// - `streaming`: The sequence.
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Experimental; slot 364; fails with `invalid_argument`, `busy`, `closed`.
    pub fn anydim_streaming_query(
        streaming: anydim_streaming_t,
        info: *mut anydim_streaming_info_t,
    ) -> anydim_status_t;
    /// Returns the axis along which an output comes, chunk by chunk. Errors: not_found past the last output.
    ///
    /// - `streaming`: The sequence.
    /// - `output`: Which output of the model, from 0.
    /// - `axis` (out): The axis, from 0; -1 = none: it comes with the last chunk.
    ///
    /// Experimental; slot 365; fails with `not_found`, `busy`, `closed`.
    pub fn anydim_streaming_get_axis(
        streaming: anydim_streaming_t,
        output: i32,
        axis: *mut i32,
    ) -> anydim_status_t;
    /// Returns how many bytes one sequence and the contexts that compute one chunk need at most, whatever comes
    /// within options.streaming_chunk and the bounds. Errors: invalid_argument where one of the two is missing.
    ///
    /// - `streaming`: The sequence.
    /// - `bytes` (out): The bytes.
    ///
    /// Experimental; slot 366; fails with `invalid_argument`, `out_of_bounds`, `busy`, `closed`.
    pub fn anydim_streaming_get_bytes_needed(
        streaming: anydim_streaming_t,
        bytes: *mut i64,
    ) -> anydim_status_t;
}
