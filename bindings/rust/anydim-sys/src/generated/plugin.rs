// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! Engines from outside: a device with memory, a queue and kernels that a program or a shared object brings.

use std::os::raw::{c_char, c_void};

#[allow(unused_imports)] // documentation names types of other modules
use super::*;

/// The version of [`anydim_engine_definition_t`] that this header describes.
pub const ANYDIM_ENGINE_DEFINITION_VERSION: usize = 1;

/// Makes an engine. Null: there is no such device now, which makes [`anydim_engine_create`] return
/// [`ANYDIM_STATUS_NOT_FOUND`].
///
/// Thread rule: Any thread, several at once.
///
/// - `user`: The environment that was given with it.
pub type anydim_engine_open_callback_t = Option<unsafe extern "C" fn(user: *mut c_void) -> *mut c_void>;

/// Destroys an engine, a memory, a stream, an event or an executable.
///
/// Thread rule: Any thread, several at once with different objects.
///
/// - `user`: The environment that was given with it.
/// - `object`: The object, as a callback returned it.
pub type anydim_engine_object_callback_t = Option<unsafe extern "C" fn(user: *mut c_void, object: *mut c_void)>;

/// Allocates memory of the engine: [`ANYDIM_STATUS_OUT_OF_MEMORY`] if it returns null. The pointer need not be an
/// address that the host reads.
///
/// Thread rule: Any thread, several at once.
///
/// - `user`: The environment that was given with it.
/// - `engine`: The engine.
/// - `bytes`: How much, at least 1.
pub type anydim_engine_allocate_callback_t = Option<unsafe extern "C" fn(user: *mut c_void, engine: *mut c_void, bytes: i64) -> *mut c_void>;

/// Whether a kernel computes a problem at all dims that its unknown ones can become, with the bits that
/// docs/numerics.md prescribes. It returns null for yes, else a sentence (const char\*) that says why not, which
/// stays.
///
/// Thread rule: Any thread, several at once.
///
/// - `user`: The environment that was given with it.
/// - `problem`: The problem.
pub type anydim_engine_supports_callback_t = Option<unsafe extern "C" fn(user: *mut c_void, problem: *const anydim_engine_call_t) -> *mut c_void>;

/// Makes a kernel ready for a problem that it supports: all that has to be looked up or compiled. Null: the kernel
/// cannot be made ready ([`ANYDIM_STATUS_UNIMPLEMENTED`]).
///
/// Thread rule: Any thread, several at once.
///
/// - `user`: The environment that was given with it.
/// - `engine`: The engine.
/// - `problem`: The problem.
pub type anydim_engine_prepare_callback_t = Option<unsafe extern "C" fn(user: *mut c_void, engine: *mut c_void, problem: *const anydim_engine_call_t) -> *mut c_void>;

/// Says which nodes of a graph the engine takes, several as one part. Of nodes that are in one part, none outside
/// may read from one and be read by another. Constants of more than 4096 bytes have no data here. It returns a
/// status; another than 0 fails the load.
///
/// Thread rule: Any thread, several at once.
///
/// - `user`: The environment that was given with it.
/// - `engine`: The engine.
/// - `graph`: The graph, after the library has simplified it.
/// - `parts`: To be written: an array of int32_t, all 0: for each node the number of its part, from 1.
/// - `part_count`: Length of parts: the number of nodes.
pub type anydim_engine_claim_callback_t = Option<unsafe extern "C" fn(user: *mut c_void, engine: *mut c_void, graph: *const anydim_engine_graph_t, parts: *mut c_void, part_count: i64) -> i32>;

/// Compiles a part that the engine has claimed, for all dims that its unknown ones can become. Constants are given
/// here alone: what is needed of them is copied. Null: the engine does not take it after all, and its nodes run as
/// others do.
///
/// Thread rule: Any thread, several at once.
///
/// - `user`: The environment that was given with it.
/// - `engine`: The engine.
/// - `part`: The part.
pub type anydim_engine_compile_callback_t = Option<unsafe extern "C" fn(user: *mut c_void, engine: *mut c_void, part: *const anydim_engine_graph_t) -> *mut c_void>;

/// Makes a stream of an engine, or an event of a stream, which is not recorded again. Null: there is no memory.
///
/// Thread rule: Any thread, several at once; for an event one thread at a time for each stream.
///
/// - `user`: The environment that was given with it.
/// - `object`: The engine, or the stream.
pub type anydim_engine_stream_callback_t = Option<unsafe extern "C" fn(user: *mut c_void, object: *mut c_void) -> *mut c_void>;

/// Waits for a stream or an event. It returns a status.
///
/// Thread rule: Any thread; one at a time for each stream.
///
/// - `user`: The environment that was given with it.
/// - `object`: The stream, or the event.
pub type anydim_engine_wait_callback_t = Option<unsafe extern "C" fn(user: *mut c_void, object: *mut c_void) -> i32>;

/// Gives a copy to a stream; it may be done later, after what the stream has. A place of the host is a pointer and
/// offset 0. It returns a status.
///
/// Thread rule: One thread at a time for each stream.
///
/// - `user`: The environment that was given with it.
/// - `stream`: The stream.
/// - `to`: Memory of the engine or of the host.
/// - `to_offset`: Bytes into it.
/// - `from`: Memory of the engine or of the host.
/// - `from_offset`: Bytes into it.
/// - `bytes`: How much, at least 1.
pub type anydim_engine_copy_callback_t = Option<unsafe extern "C" fn(user: *mut c_void, stream: *mut c_void, to: *mut c_void, to_offset: i64, from: *mut c_void, from_offset: i64, bytes: i64) -> i32>;

/// Gives an execution of a kernel or of a part to a stream; it may be done later, after what the stream has. Of a
/// part, op is null, kernel -1, inputs and outputs are those of its graph, in their order. The call may end with the
/// callback, so what is needed later is copied; memories and the executable stay until the stream was waited for. It
/// compiles nothing. It returns a status.
///
/// Thread rule: One thread at a time for each stream.
///
/// - `user`: The environment that was given with it.
/// - `stream`: The stream.
/// - `executable`: What prepare or part_compile returned; null without it.
/// - `call`: The execution.
pub type anydim_engine_launch_callback_t = Option<unsafe extern "C" fn(user: *mut c_void, stream: *mut c_void, executable: *mut c_void, call: *const anydim_engine_call_t) -> i32>;

/// What is given to the stream from now on begins after the event. It returns a status.
///
/// Thread rule: One thread at a time for each stream.
///
/// - `user`: The environment that was given with it.
/// - `stream`: The stream.
/// - `event`: An event of any stream of the engine.
pub type anydim_engine_order_callback_t = Option<unsafe extern "C" fn(user: *mut c_void, stream: *mut c_void, event: *mut c_void) -> i32>;

/// Why the last callback of this thread failed: a text (const char\*), which is copied at once; or null.
///
/// Thread rule: Any thread, several at once: the one whose callback failed.
///
/// - `user`: The environment that was given with it.
pub type anydim_engine_error_callback_t = Option<unsafe extern "C" fn(user: *mut c_void) -> *mut c_void>;

/// A kernel of an engine from outside. Where two have the same operator, the first that supports a problem computes
/// it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_engine_kernel_t {
    /// Its name, for logs and [`anydim_attr_set_kernel`]; unique in the engine.
    pub name: *const c_char,
    /// The operator.
    pub op: anydim_op_kind_t,
    /// Zero.
    pub reserved: i32,
}

impl anydim_engine_kernel_t {
    /// All zero.
    pub const INIT: Self = Self {
        name: std::ptr::null(),
        op: 0,
        reserved: 0,
    };
}

impl Default for anydim_engine_kernel_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// A problem, or one execution of a kernel. In a problem a dim that is not known is -1, strides have rank 0 and data
/// is null. In an execution all dims and strides are numbers, data of each tensor is the engine's own memory, as its
/// callback allocate returned it, and offset is where the element at index 0... lies in it, in bytes. An input that
/// is absent has dtype 0. It stays as it is for the callback only.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_engine_call_t {
    /// To be read: the operator as an [`anydim_op_t`], which begins a struct of its attributes such as
    /// [`anydim_convolution_t`].
    pub op: *mut c_void,
    /// To be read: an array of [`anydim_view_t`], the operator's inputs.
    pub inputs: *mut c_void,
    /// To be read: an array of [`anydim_view_t`], its outputs.
    pub outputs: *mut c_void,
    /// Number of inputs.
    pub input_count: i32,
    /// Number of outputs.
    pub output_count: i32,
    /// Bit i is 1 if input i is a constant.
    pub constants: i64,
    /// Which kernel of the definition, from 0.
    pub kernel: i32,
    /// Zero.
    pub reserved: i32,
}

impl anydim_engine_call_t {
    /// All zero.
    pub const INIT: Self = Self {
        op: std::ptr::null_mut(),
        inputs: std::ptr::null_mut(),
        outputs: std::ptr::null_mut(),
        input_count: 0,
        output_count: 0,
        constants: 0,
        kernel: 0,
        reserved: 0,
    };
}

impl Default for anydim_engine_call_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// A node of an [`anydim_engine_graph_t`]. Values are numbers from 0; an input that is absent is -1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_engine_node_t {
    /// Its name in the model.
    pub name: *const c_char,
    /// To be read: the operator as an [`anydim_op_t`], as in [`anydim_engine_call_t`]; null: nothing is said of it.
    pub op: *mut c_void,
    /// To be read: an array of int32_t, the values that it reads.
    pub inputs: *mut c_void,
    /// To be read: an array of int32_t, the values that it makes.
    pub outputs: *mut c_void,
    /// Number of inputs.
    pub input_count: i32,
    /// Number of outputs.
    pub output_count: i32,
    /// 1: it may be claimed.
    pub offered: i32,
    /// Zero.
    pub reserved: i32,
}

impl anydim_engine_node_t {
    /// All zero.
    pub const INIT: Self = Self {
        name: std::ptr::null(),
        op: std::ptr::null_mut(),
        inputs: std::ptr::null_mut(),
        outputs: std::ptr::null_mut(),
        input_count: 0,
        output_count: 0,
        offered: 0,
        reserved: 0,
    };
}

impl Default for anydim_engine_node_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// A model's graph, or a part of it, for an engine that takes parts. A dim that only a run knows is a negative
/// number: the same number stands for the same dim. Strides have rank 0. Data of a constant are its elements, dense
/// and row-major, at any address of the host; data of all other values is null. It stays as it is for the callback
/// only.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_engine_graph_t {
    /// To be read: an array of [`anydim_view_t`], all values.
    pub values: *mut c_void,
    /// To be read: an array of int32_t, 1 for each value that is a constant, 0 for others.
    pub constants: *mut c_void,
    /// To be read: an array of [`anydim_engine_node_t`], each behind those whose results it reads.
    pub nodes: *mut c_void,
    /// To be read: an array of int32_t, the values that come from outside, without constants.
    pub inputs: *mut c_void,
    /// To be read: an array of int32_t, the values that are read outside.
    pub outputs: *mut c_void,
    /// Number of values.
    pub value_count: i64,
    /// Number of nodes.
    pub node_count: i64,
    /// Number of inputs.
    pub input_count: i64,
    /// Number of outputs.
    pub output_count: i64,
}

impl anydim_engine_graph_t {
    /// All zero.
    pub const INIT: Self = Self {
        values: std::ptr::null_mut(),
        constants: std::ptr::null_mut(),
        nodes: std::ptr::null_mut(),
        inputs: std::ptr::null_mut(),
        outputs: std::ptr::null_mut(),
        value_count: 0,
        node_count: 0,
        input_count: 0,
        output_count: 0,
    };
}

impl Default for anydim_engine_graph_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// An engine from outside. Every callback gets user first; those that return a pointer fail with null, those that
/// return a number return a status, 0 for success. Callbacks about one stream, its copies, launches and events, are
/// never called at the same time; others are, by any threads. None may call the library with objects of its engine,
/// and none may throw.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_engine_definition_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// The version of this struct that the author had in mind.
    pub version: i32,
    /// The kind's name: letters a to z, digits and _, unique among the kinds.
    pub name: *const c_char,
    /// The device's name; with driver it is the key of what is measured on it.
    pub device: *const c_char,
    /// Name and version of what drives it; it changes when results or speed may.
    pub driver: *const c_char,
    /// An array of [`anydim_engine_kernel_t`]; it is copied.
    pub kernels: *mut c_void,
    /// Their number.
    pub kernel_count: i64,
    /// Buffers begin at multiples of so many bytes in a memory: a power of two.
    pub base_alignment: i64,
    /// Most bytes of one allocation; 0 if there is no such limit.
    pub largest_allocation: i64,
    /// Makes an engine.
    pub create: anydim_engine_open_callback_t,
    /// Destroys an engine.
    pub destroy: anydim_engine_object_callback_t,
    /// Allocates memory, whose bytes may have any value.
    pub allocate: anydim_engine_allocate_callback_t,
    /// Frees memory; nothing uses it any more.
    pub free: anydim_engine_object_callback_t,
    /// Whether a kernel computes a problem.
    pub supports: anydim_engine_supports_callback_t,
    /// Makes a kernel ready for a problem; null: nothing has to be prepared.
    pub prepare: anydim_engine_prepare_callback_t,
    /// Destroys what prepare returned; required with it.
    pub release: anydim_engine_object_callback_t,
    /// Makes a stream.
    pub stream_create: anydim_engine_stream_callback_t,
    /// Destroys a stream; all of its work is done.
    pub stream_destroy: anydim_engine_object_callback_t,
    /// Waits until all work of a stream is done; returns the first error among it, once.
    pub stream_wait: anydim_engine_wait_callback_t,
    /// Copies from memory of the host, which stays until it is done, to the engine's.
    pub upload: anydim_engine_copy_callback_t,
    /// Copies from the engine's memory to the host's, which stays until it is done.
    pub download: anydim_engine_copy_callback_t,
    /// Copies within the engine's memory; the two parts may overlap.
    pub copy: anydim_engine_copy_callback_t,
    /// Gives an execution of a kernel to a stream.
    pub launch: anydim_engine_launch_callback_t,
    /// Records a point of a stream; null: the library waits for the stream instead.
    pub event_record: anydim_engine_stream_callback_t,
    /// Waits for an event; required with event_record.
    pub event_wait: anydim_engine_wait_callback_t,
    /// Makes a stream wait for an event of another one; required with event_record.
    pub event_order: anydim_engine_order_callback_t,
    /// Destroys an event, maybe after its stream; required with event_record.
    pub event_destroy: anydim_engine_object_callback_t,
    /// Why the last callback of this thread failed; or null.
    pub last_error: anydim_engine_error_callback_t,
    /// Passed to the callbacks.
    pub user: *mut c_void,
    /// Called once, when nothing of the kind is left; not if it is not registered. Or null.
    pub finalizer: anydim_finalizer_callback_t,
    /// Says which parts of a graph the engine takes as a whole; null: none.
    pub claim: anydim_engine_claim_callback_t,
    /// Compiles a part; required with claim.
    pub part_compile: anydim_engine_compile_callback_t,
    /// Destroys what part_compile returned; required with claim.
    pub part_release: anydim_engine_object_callback_t,
    /// Gives an execution of a part to a stream; required with claim.
    pub part_launch: anydim_engine_launch_callback_t,
}

impl anydim_engine_definition_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        version: 1,
        name: std::ptr::null(),
        device: std::ptr::null(),
        driver: std::ptr::null(),
        kernels: std::ptr::null_mut(),
        kernel_count: 0,
        base_alignment: 64,
        largest_allocation: 0,
        create: None,
        destroy: None,
        allocate: None,
        free: None,
        supports: None,
        prepare: None,
        release: None,
        stream_create: None,
        stream_destroy: None,
        stream_wait: None,
        upload: None,
        download: None,
        copy: None,
        launch: None,
        event_record: None,
        event_wait: None,
        event_order: None,
        event_destroy: None,
        last_error: None,
        user: std::ptr::null_mut(),
        finalizer: None,
        claim: None,
        part_compile: None,
        part_release: None,
        part_launch: None,
    };
}

impl Default for anydim_engine_definition_t {
    fn default() -> Self {
        Self::INIT
    }
}

extern "C" {
    /// Adds a kind of engine that the program brings. Engines of the kind are made by [`anydim_engine_create`],
    /// models are split over them and the others, and tensors are copied as for engines of the library. Post-ops,
    /// quantized problems and attributes that only a run knows are never given to its kernels.
    /// docs/engines-from-outside.md is a manual; `anydim engine-check` tests a shared object.
    ///
    /// Errors: invalid_argument for a callback that is missing, for names, versions and limits that cannot be, and
    /// for a name that a kind has.
    ///
    /// Thread rule: any thread.
    ///
    /// - `definition`: The engine; it is copied.
    /// - `kind` (out): Its number, for [`anydim_engine_create`]; no other kind of this process gets it.
    ///
    /// Experimental; slot 331; fails with `invalid_argument`.
    pub fn anydim_engine_register(
        definition: *const anydim_engine_definition_t,
        kind: *mut i32,
    ) -> anydim_status_t;
    /// Opens a shared object and registers the engine that its entry function returns (below): a pointer to an
    /// [`anydim_engine_definition_t`], which stays, or null if it has none here. The object is closed when nothing
    /// of the kind is left. It is code that runs in this process: load only what you trust.
    ///
    /// Errors: not_found for a file that is not there, io_error for one that cannot be opened or has no such
    /// function, unimplemented if it returns null, and those of [`anydim_engine_register`].
    ///
    /// Thread rule: any thread.
    ///
    /// - `path`: The file.
    /// - `kind` (out): Its number, for [`anydim_engine_create`].
    ///
    /// Experimental; slot 332; fails with `invalid_argument`, `not_found`, `unimplemented`, `io_error`.
    pub fn anydim_engine_load(path: *const c_char, kind: *mut i32) -> anydim_status_t;
    /// Removes a kind that was registered or loaded: no more engines of it are made. Those that there are continue;
    /// with the last of them and of what was made from them (the primitive cache has some:
    /// [`anydim_primitive_cache_clear`]) the finalizer is called and the shared object is closed.
    ///
    /// Errors: not_found for a number that no such kind has.
    ///
    /// Thread rule: any thread.
    ///
    /// - `kind`: Its number.
    ///
    /// Experimental; slot 333; fails with `not_found`.
    pub fn anydim_engine_unregister(kind: i32) -> anydim_status_t;
}
