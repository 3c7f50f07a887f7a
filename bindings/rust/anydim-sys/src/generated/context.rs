// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! Contexts, in which models run one call at a time; how runs are bounded, ended, explained and tuned.

use std::os::raw::c_void;

#[allow(unused_imports)] // documentation names types of other modules
use super::*;

/// What [`anydim_context_t`] names; it is never looked into.
#[repr(C)]
#[derive(Debug)]
pub struct anydim_context_s {
    _private: [u8; 0],
}
/// What one running inference needs - its memory and the values of the dims. Make one per concurrent run. One user
/// at a time. It keeps its model alive.
pub type anydim_context_t = *mut anydim_context_s;

/// What [`anydim_cancellation_t`] names; it is never looked into.
#[repr(C)]
#[derive(Debug)]
pub struct anydim_cancellation_s {
    _private: [u8; 0],
}
/// What ends runs from outside. One may serve any number of contexts and runs. Many threads may use it at once.
pub type anydim_cancellation_t = *const anydim_cancellation_s;

/// Asked each time a signal came while a call waits, and every ten milliseconds or more between the nodes of its
/// run: 1 ends the call, 0 goes on.
///
/// Thread rule: The thread that called. It holds no lock of the library.
///
/// - `user`: The environment that was given with it.
pub type anydim_interrupted_callback_t = Option<unsafe extern "C" fn(user: *mut c_void) -> i32>;

/// Called with the progress of a tuning, before each node and at the end: 0 continues, another number ends it with
/// cancelled.
///
/// Thread rule: The thread that called. It must not use the context.
///
/// - `user`: The environment that was given with it.
/// - `done`: Nodes measured.
/// - `nodes`: Nodes to measure in all.
pub type anydim_progress_callback_t = Option<unsafe extern "C" fn(user: *mut c_void, done: i64, nodes: i64) -> i32>;

/// Options of a context.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_context_options_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// Most threads a run uses; 0 = the engine's.
    pub threads: i32,
    /// 1 to measure the time of each node in each run.
    pub profile: i32,
    /// Reuse policy of nodes that were not given one with the model.
    pub reuse: anydim_reuse_t,
    /// With the policy specialised: most milliseconds of measuring before creation returns; 0 = 10,000.
    pub tuning_ms: i32,
    /// Zero.
    pub reserved: i32,
    /// Memory for a context, aligned to 64 bytes, of [`anydim_model_get_bytes_needed`] bytes, alive as long as the
    /// context; or null. With bounds, and not for sessions.
    pub buffer: *mut c_void,
    /// Size of the buffer; 0 without one.
    pub buffer_bytes: i64,
}

impl anydim_context_options_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        threads: 0,
        profile: 0,
        reuse: 0,
        tuning_ms: 0,
        reserved: 0,
        buffer: std::ptr::null_mut(),
        buffer_bytes: 0,
    };
}

impl Default for anydim_context_options_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// An input of a run that its caller has in parts, which lie side by side along one axis. The view of the input
/// itself is the first part. All have its dtype and, but for that axis, its dims. Parts that lie in memory as one
/// tensor would are read where they are; others are copied into one once, which an explanation of the run states
/// (gathered_bytes).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_input_parts_t {
    /// To be read: an array of [`anydim_view_t`], the parts behind the first one, in memory of the host.
    pub views: *mut c_void,
    /// Their number.
    pub count: i64,
    /// Which input, from 0.
    pub input: i32,
    /// Along which axis, from 0.
    pub axis: i32,
}

impl anydim_input_parts_t {
    /// All zero.
    pub const INIT: Self = Self {
        views: std::ptr::null_mut(),
        count: 0,
        input: 0,
        axis: 0,
    };
}

impl Default for anydim_input_parts_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Options of a run, in a context or a session.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_run_options_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// Of a session: most milliseconds to wait for a context; negative: without limit. A run that has begun is not
    /// ended.
    pub timeout_ms: i32,
    /// What ends the run before its next node, or null. While the run waits it is looked at when the turn comes.
    pub cancellation: anydim_cancellation_t,
    /// Whether a signal ends the call; null: no signal does.
    pub interrupted: anydim_interrupted_callback_t,
    /// Passed to interrupted.
    pub user: *mut c_void,
    /// To be written: an array of int32_t, one for each output, of [`anydim_context_run`] and
    /// [`anydim_session_run`]; or null. Where it is there, an output that the library places and that is a view of
    /// an input (a reshape, transpose, slice of it, or it itself) may lie in that input's memory: the array gets the
    /// input's number, and -1 for outputs that do not. Such an output is good as long as the input's memory, changes
    /// with it, and is not given to [`anydim_result_release`].
    pub aliases: *mut c_void,
    /// Length of aliases: the number of the model's outputs; 0 without it.
    pub alias_count: i32,
    /// Length of parts; 0 without it.
    pub part_count: i32,
    /// An array of [`anydim_input_parts_t`], of [`anydim_context_run`], [`anydim_context_explain`] and
    /// [`anydim_session_run`]: inputs that come in parts; or null.
    pub parts: *mut c_void,
}

impl anydim_run_options_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        timeout_ms: -1,
        cancellation: std::ptr::null(),
        interrupted: None,
        user: std::ptr::null_mut(),
        aliases: std::ptr::null_mut(),
        alias_count: 0,
        part_count: 0,
        parts: std::ptr::null_mut(),
    };
}

impl Default for anydim_run_options_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// How a context's plans are measured.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_tune_options_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// Most milliseconds for one node; 0 = 200.
    pub node_ms: i32,
    /// 1 to store what was found in the persistent cache, too.
    pub record: i32,
    /// 1 to measure nodes again that were measured at these shapes before, in this process or an earlier one.
    pub again: i32,
    /// Called with the progress, or null.
    pub progress: anydim_progress_callback_t,
    /// Passed to progress.
    pub user: *mut c_void,
    /// What ends the measuring, between two samples; or null.
    pub cancellation: anydim_cancellation_t,
}

impl anydim_tune_options_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        node_ms: 0,
        record: 1,
        again: 0,
        progress: None,
        user: std::ptr::null_mut(),
        cancellation: std::ptr::null(),
    };
}

impl Default for anydim_tune_options_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// A context's counters.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_context_info_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// 1 if it was made with bounds.
    pub bounded: i32,
    /// Bytes of memory it holds.
    pub arena_bytes: i64,
    /// How often its memory grew; always 0 with bounds.
    pub growths: i64,
    /// Runs that completed.
    pub runs: i64,
    /// Most threads a run uses.
    pub threads: i32,
    /// Zero.
    pub reserved: i32,
}

impl anydim_context_info_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        bounded: 0,
        arena_bytes: 0,
        growths: 0,
        runs: 0,
        threads: 0,
        reserved: 0,
    };
}

impl Default for anydim_context_info_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// A node of a model as a context runs it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_node_info_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// Zero.
    pub reserved: i32,
    /// The node's name, after fusion the name of its first part.
    pub name: anydim_string_t,
    /// Operator and attributes.
    pub op: anydim_string_t,
    /// Name of its kernel.
    pub kernel: anydim_string_t,
    /// Tier of its kernel.
    pub tier: anydim_string_t,
    /// Post-ops fused into it.
    pub post_ops: anydim_string_t,
    /// Scratch of the last run.
    pub scratch_bytes: i64,
    /// Bytes of its outputs in the last run.
    pub output_bytes: i64,
    /// Time in the last run; -1 unless the context measures.
    pub time_ns: i64,
}

impl anydim_node_info_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        reserved: 0,
        name: anydim_string_t::INIT,
        op: anydim_string_t::INIT,
        kernel: anydim_string_t::INIT,
        tier: anydim_string_t::INIT,
        post_ops: anydim_string_t::INIT,
        scratch_bytes: 0,
        output_bytes: 0,
        time_ns: 0,
    };
}

impl Default for anydim_node_info_t {
    fn default() -> Self {
        Self::INIT
    }
}

extern "C" {
    /// Returns how many bytes of an engine's memory a context with these bounds and options needs for any shape
    /// within the bounds. Errors: invalid_argument if a bound is missing or too wide to be counted, not_found past
    /// the model's last engine.
    ///
    /// - `model`: The model.
    /// - `bounds`: Bounds of all dynamic dims of its inputs.
    /// - `options` (may be null): Options, or null for the defaults.
    /// - `engine`: Which of the engines that the model runs on, from 0; 0 is the one that it was loaded for.
    /// - `bytes` (out): Bytes.
    ///
    /// Experimental; slot 79; fails with `invalid_argument`, `out_of_bounds`, `not_found`, `busy`.
    pub fn anydim_model_get_bytes_needed(
        model: anydim_model_t,
        bounds: anydim_bounds_t,
        options: *const anydim_context_options_t,
        engine: i32,
        bytes: *mut i64,
    ) -> anydim_status_t;
    /// Makes a context. With bounds it touches all memory it will ever need, here; a run then neither allocates nor
    /// faults, and a shape outside the bounds is refused. Without bounds it grows by what a shape needs beyond any
    /// before it, and counts that. With options.buffer it allocates nothing for runs. Errors: invalid_argument for a
    /// buffer that is too small, not aligned, or without bounds; not_found for bounds of an input that the model
    /// lacks.
    ///
    /// - `model`: The model.
    /// - `bounds` (may be null): Bounds, or null for none.
    /// - `options` (may be null): Options, or null for the defaults.
    /// - `context` (out, the caller destroys it): The context.
    ///
    /// Experimental; slot 83; may block; fails with `invalid_argument`, `out_of_bounds`, `not_found`, `busy`.
    pub fn anydim_context_create(
        model: anydim_model_t,
        bounds: anydim_bounds_t,
        options: *const anydim_context_options_t,
        context: *mut anydim_context_t,
    ) -> anydim_status_t;
    /// Destroys a context; if it is running, it is closed now and freed when the run ends.
    ///
    /// - `context`: The handle, or null.
    ///
    /// Experimental; slot 84.
    pub fn anydim_context_destroy(context: anydim_context_t);
    /// Runs the model. Inputs and outputs are in the model's order; [`anydim_model_find_output`] finds one by its
    /// name. The caller says of each output where it goes:
    ///
    /// - With data, it is written there. It must have the dims that [`anydim_context_get_output_dims`] returns, and
    ///   may have any strides.
    /// - With a dtype and no data, it stays in the context's memory, and the call fills in data, dims and strides.
    ///   It is valid until the context's next run, explanation with inputs, or tuning.
    /// - With all members zero, the caller does not want it. That saves a copy.
    ///
    /// Errors: invalid_argument for a wrong number, dtype, rank or dim (the message names the input or the node
    /// whose guard failed), out_of_bounds for a dim outside the bounds, invalid_data for values found wrong while
    /// running.
    ///
    /// Thread rule: one run at a time in a context; a second returns busy. A run on a context that is destroyed
    /// meanwhile returns closed.
    ///
    /// - `context`: The context.
    /// - `inputs`: Input tensors.
    /// - `input_count`: Their number.
    /// - `outputs` (in and out): Output tensors, as said above.
    /// - `output_count`: Their number, or 0 to ask for none.
    /// - `options` (may be null): Options, or null for the defaults.
    ///
    /// Experimental; slot 85; may block; fails with `invalid_argument`, `out_of_bounds`, `invalid_data`,
    /// `unimplemented`, `busy`, `closed`, `cancelled`.
    pub fn anydim_context_run(
        context: anydim_context_t,
        inputs: *const anydim_view_t,
        input_count: i32,
        outputs: *mut anydim_view_t,
        output_count: i32,
        options: *const anydim_run_options_t,
    ) -> anydim_status_t;
    /// As [`anydim_context_run`], in a stream of the model's engine: after what was submitted to the stream before,
    /// and before what is submitted next. It may return before the run is done; then tensors must stay, and errors
    /// that are found later surface at [`anydim_stream_wait`]. The CPU engine has done all of it when the call
    /// returns. Threads and memory are the context's.
    ///
    /// Errors: as [`anydim_context_run`]; invalid_argument for a stream of another device (all engines of the CPU
    /// are of one).
    ///
    /// - `context`: The context.
    /// - `stream`: The stream.
    /// - `inputs`: Input tensors.
    /// - `input_count`: Their number.
    /// - `outputs` (in and out): Output tensors, as in [`anydim_context_run`].
    /// - `output_count`: Their number, or 0 to ask for none.
    /// - `options` (may be null): Options, or null for the defaults.
    ///
    /// Experimental; slot 207; may block; fails with `invalid_argument`, `out_of_bounds`, `invalid_data`,
    /// `unimplemented`, `busy`, `closed`, `cancelled`.
    pub fn anydim_context_submit(
        context: anydim_context_t,
        stream: anydim_stream_t,
        inputs: *const anydim_view_t,
        input_count: i32,
        outputs: *mut anydim_view_t,
        output_count: i32,
        options: *const anydim_run_options_t,
    ) -> anydim_status_t;
    /// Makes a cancellation that is off. It goes into the options of runs, steps and tunings
    /// ([`anydim_run_options_t`].cancellation): while it is on, they fail with cancelled before their next node, the
    /// first one included.
    ///
    /// - `cancellation` (out, the caller destroys it): The cancellation.
    ///
    /// Stable since 0.1; slot 184.
    pub fn anydim_cancellation_create(cancellation: *mut anydim_cancellation_t) -> anydim_status_t;
    /// Destroys a cancellation; runs that have it end as they would have.
    ///
    /// - `cancellation`: The handle, or null.
    ///
    /// Stable since 0.1; slot 185.
    pub fn anydim_cancellation_destroy(cancellation: anydim_cancellation_t);
    /// Turns a cancellation on, which ends the runs that have it in their options and those to come, or off. No run
    /// misses it.
    ///
    /// Thread rule: any thread, any time; a signal handler, too, as long as the handle is good.
    ///
    /// - `cancellation`: The cancellation.
    /// - `cancelled`: 1 for on, 0 for off.
    ///
    /// Stable since 0.1; slot 186.
    pub fn anydim_cancellation_set(
        cancellation: anydim_cancellation_t,
        cancelled: i32,
    ) -> anydim_status_t;
    /// Returns the dims of an output for actual inputs, and checks these. Their dtype and dims count; their data
    /// does, too, where it is integers that shapes follow from (the target of a Reshape). Errors: as
    /// [`anydim_context_run`]; not_found past the last output; unimplemented for dims that only the run itself finds
    /// (leave that output to the context).
    ///
    /// - `context`: The context.
    /// - `inputs`: Input tensors.
    /// - `input_count`: Their number.
    /// - `index`: Which output, from 0.
    /// - `dims` (out): Its dims.
    ///
    /// Experimental; slot 86; fails with `invalid_argument`, `out_of_bounds`, `not_found`, `unimplemented`, `busy`,
    /// `closed`.
    pub fn anydim_context_get_output_dims(
        context: anydim_context_t,
        inputs: *const anydim_view_t,
        input_count: i32,
        index: i32,
        dims: *mut anydim_dims_t,
    ) -> anydim_status_t;
    /// Returns a context's memory and counters.
    ///
    /// - `context`: The context.
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Experimental; slot 88; fails with `invalid_argument`, `busy`, `closed`.
    pub fn anydim_context_query(
        context: anydim_context_t,
        info: *mut anydim_context_info_t,
    ) -> anydim_status_t;
    /// Explains as JSON how the model runs at the shapes of these inputs: for each node its operator, kernel, tier,
    /// layout, fused post-ops, dims, bytes, scratch, why other kernels were refused, and its time in the last run if
    /// the context measures. With inputs the model is run once, on their data, as by [`anydim_context_run`] with no
    /// outputs: it counts as a run and can fail like one. Without inputs: the last run.
    ///
    /// Errors: as [`anydim_context_run`]; not_found without inputs before the first run.
    ///
    /// - `context`: The context.
    /// - `inputs`: Input tensors, or none.
    /// - `input_count`: Their number, or 0.
    /// - `options` (may be null): Options of the run, or null for the defaults.
    /// - `text` (out, the caller destroys it): The explanation.
    ///
    /// Experimental; slot 89; may block; fails with `invalid_argument`, `out_of_bounds`, `not_found`,
    /// `invalid_data`, `unimplemented`, `busy`, `closed`, `cancelled`.
    pub fn anydim_context_explain(
        context: anydim_context_t,
        inputs: *const anydim_view_t,
        input_count: i32,
        options: *const anydim_run_options_t,
        text: *mut anydim_text_t,
    ) -> anydim_status_t;
    /// Measures the plans of every node at the shapes of these inputs, on the context's memory and threads, and
    /// keeps those that are faster with confidence: for all contexts of the model that run these shapes with as many
    /// threads, and with options.record in the persistent cache for later processes. Results never change. Takes
    /// seconds. The model is run first, on the inputs' data, as by [`anydim_context_run`] with no outputs; outputs
    /// of the last run are lost. The text is JSON: for each measured node its name, operator, kernel, number of
    /// candidates, microseconds of the reusable plan, whether it was known already, whether it was replaced, and the
    /// ratio of the times with its 95 % interval. options.cancellation ends the measuring between two samples; so
    /// does options.progress. Plans that were found before stay in use.
    ///
    /// Errors: as [`anydim_context_run`]; unimplemented for a model that lies wholly on engines without programs for
    /// single calls; and, with options.record, those of a persistent cache that cannot be written (unimplemented
    /// where it is off): the plans are in use all the same, without a report.
    ///
    /// - `context`: The context; no other thread may use it meanwhile.
    /// - `inputs`: Input tensors.
    /// - `input_count`: Their number.
    /// - `options` (may be null): Options, or null for the defaults.
    /// - `text` (out, the caller destroys it): The report.
    ///
    /// Experimental; slot 150; may block; fails with `invalid_argument`, `out_of_bounds`, `invalid_data`,
    /// `io_error`, `unimplemented`, `busy`, `closed`, `cancelled`.
    pub fn anydim_context_tune(
        context: anydim_context_t,
        inputs: *const anydim_view_t,
        input_count: i32,
        options: *const anydim_tune_options_t,
        text: *mut anydim_text_t,
    ) -> anydim_status_t;
    /// Returns how many nodes a run goes through.
    ///
    /// Errors: busy while another call uses the context; closed if it is destroyed meanwhile.
    ///
    /// - `context`: The context.
    /// - `count` (out): Their number.
    ///
    /// Experimental; slot 90; fails with `busy`, `closed`.
    pub fn anydim_context_get_node_count(
        context: anydim_context_t,
        count: *mut i32,
    ) -> anydim_status_t;
    /// Describes a node as it ran last. Its strings live until the context's next run. Errors: not_found past the
    /// last node, before the first run, and after a run that failed or a tuning.
    ///
    /// - `context`: The context.
    /// - `index`: Which, from 0, in the order of execution.
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Experimental; slot 91; fails with `invalid_argument`, `not_found`, `busy`, `closed`.
    pub fn anydim_context_get_node(
        context: anydim_context_t,
        index: i32,
        info: *mut anydim_node_info_t,
    ) -> anydim_status_t;
}
