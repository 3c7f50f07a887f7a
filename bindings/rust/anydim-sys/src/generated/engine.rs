// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! Engines, the kernels that they have, and streams in which they execute.

use std::os::raw::c_void;

#[allow(unused_imports)] // documentation names types of other modules
use super::*;

/// What [`anydim_engine_t`] names; it is never looked into.
#[repr(C)]
#[derive(Debug)]
pub struct anydim_engine_s {
    _private: [u8; 0],
}
/// A device with its kernels. Everything else is made from one. Many threads may use it at once.
pub type anydim_engine_t = *const anydim_engine_s;

/// What [`anydim_stream_t`] names; it is never looked into.
#[repr(C)]
#[derive(Debug)]
pub struct anydim_stream_s {
    _private: [u8; 0],
}
/// An order of execution on an engine, with the scratch memory that its primitives use. One user at a time. It keeps
/// its engine alive.
pub type anydim_stream_t = *mut anydim_stream_s;

/// Kinds of engines.
pub type anydim_engine_kind_t = i32;
/// The processor. Always there.
pub const ANYDIM_ENGINE_CPU: anydim_engine_kind_t = 1;
/// A device reached through OpenCL, where the machine has a driver (docs/opencl.md).
pub const ANYDIM_ENGINE_OPENCL: anydim_engine_kind_t = 2;

/// A part of a loop, given to a host's own loop: call it with each index once.
///
/// Thread rule: Any thread, several at once with different indices.
///
/// - `user`: The environment that was given with it.
/// - `index`: Which part, from 0.
pub type anydim_part_callback_t = Option<unsafe extern "C" fn(user: *mut c_void, index: i64)>;

/// The host program's own loop, in place of the library's threads: calls part(context, index) for each index below
/// parts, on any threads, at the same time or one after the other, and returns when those calls have returned. Parts
/// never wait for one another. What it leaves out, the thread that called it does, so it may also do less, or
/// nothing: results do not depend on it. It returns 0, or another number to say that it failed, which is noted in
/// the log.
///
/// Thread rule: Any thread, several at once; from within a part, too, where the host calls the library in loops of
/// its own.
///
/// - `user`: The environment that was given with it.
/// - `parts`: Number of parts: at most the threads that the call may use.
/// - `part`: One part.
/// - `context`: The environment of part.
pub type anydim_parallel_for_callback_t = Option<unsafe extern "C" fn(user: *mut c_void, parts: i64, part: anydim_part_callback_t, context: *mut c_void) -> i32>;

/// Allocates memory, whose bytes may have any value. Returns null if there is none.
///
/// Thread rule: Any thread, several at once. It must not call Anydim.
///
/// - `user`: The environment that was given with it.
/// - `bytes`: How much, at least 1.
/// - `alignment`: Its address is a multiple of this, a power of two.
pub type anydim_allocate_callback_t = Option<unsafe extern "C" fn(user: *mut c_void, bytes: i64, alignment: i64) -> *mut c_void>;

/// Frees what allocate returned.
///
/// Thread rule: Any thread, several at once; after the engine was destroyed, too, while something uses the memory.
/// It must not call Anydim.
///
/// - `user`: The environment that was given with it.
/// - `memory`: The memory.
/// - `bytes`: How much was asked for.
pub type anydim_release_callback_t = Option<unsafe extern "C" fn(user: *mut c_void, memory: *mut c_void, bytes: i64)>;

/// Options of an engine. What is made from an engine with a loop of the host's (streams, contexts, sessions,
/// measurements) runs in that loop and uses no thread of the library's. What is made from one with memory of the
/// host's takes its large memory there: working memory, packed weights and other constants, tensors, results. Small
/// objects, and what the background worker measures in, come from the system. Finalizers are called once, when
/// nothing of the engine is left; not if its creation fails.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_engine_options_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// Most threads that its streams use; 0 = all cores this process may use.
    pub threads: i32,
    /// The host's own loop; null: the library's threads.
    pub parallel_for: anydim_parallel_for_callback_t,
    /// Passed to parallel_for and parallel_finalizer.
    pub parallel_user: *mut c_void,
    /// Called when parallel_for is not called any more; or null.
    pub parallel_finalizer: anydim_finalizer_callback_t,
    /// Allocates large memory; null: the system does.
    pub allocate: anydim_allocate_callback_t,
    /// Frees it; required with allocate.
    pub release: anydim_release_callback_t,
    /// Passed to allocate, release and memory_finalizer.
    pub memory_user: *mut c_void,
    /// Called when neither is called any more; or null.
    pub memory_finalizer: anydim_finalizer_callback_t,
    /// Of opencl: 1 = a device that treats denormals as zeros is accepted, too.
    pub flushed_denormals: i32,
    /// Zero.
    pub reserved: i32,
}

impl anydim_engine_options_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        threads: 0,
        parallel_for: None,
        parallel_user: std::ptr::null_mut(),
        parallel_finalizer: None,
        allocate: None,
        release: None,
        memory_user: std::ptr::null_mut(),
        memory_finalizer: None,
        flushed_denormals: 0,
        reserved: 0,
    };
}

impl Default for anydim_engine_options_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// What an engine is.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_engine_info_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// Its kind.
    pub kind: anydim_engine_kind_t,
    /// Most threads that its streams and contexts use by default.
    pub threads: i32,
    /// Number of kernels in its registry.
    pub kernels: i32,
    /// Name of the device.
    pub device: anydim_string_t,
    /// Instruction set in use (ANYDIM_MAX_ISA lowers it).
    pub isa: anydim_string_t,
}

impl anydim_engine_info_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        kind: 0,
        threads: 0,
        kernels: 0,
        device: anydim_string_t::INIT,
        isa: anydim_string_t::INIT,
    };
}

impl Default for anydim_engine_info_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// A kind of engine.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_engine_kind_info_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// Its number, as [`anydim_engine_create`] takes it.
    pub kind: anydim_engine_kind_t,
    /// Its name, such as cpu or opencl, as logs and texts of engines have it.
    pub name: anydim_string_t,
}

impl anydim_engine_kind_info_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        kind: 0,
        name: anydim_string_t::INIT,
    };
}

impl Default for anydim_engine_kind_info_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// A device that an engine can be made for.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_device_info_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// Number of its platform, from 0; 0 for the processor.
    pub platform: i32,
    /// Its number on the platform, from 0.
    pub device: i32,
    /// 1 if an engine may be made for it: it is available and has a compiler.
    pub usable: i32,
    /// Cores, or what the device calls its compute units.
    pub units: i32,
    /// 1 if it gets the kernels for GPUs, 0 if those for processors.
    pub like_gpu: i32,
    /// Bytes; 0 if unknown.
    pub memory_bytes: i64,
    /// Bytes of one allocation at most; 0 if unknown.
    pub largest_allocation_bytes: i64,
    /// Name of the device.
    pub name: anydim_string_t,
    /// Version of its driver; empty for the processor.
    pub driver: anydim_string_t,
    /// Name of its platform; empty for the processor.
    pub platform_name: anydim_string_t,
}

impl anydim_device_info_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        platform: 0,
        device: 0,
        usable: 0,
        units: 0,
        like_gpu: 0,
        memory_bytes: 0,
        largest_allocation_bytes: 0,
        name: anydim_string_t::INIT,
        driver: anydim_string_t::INIT,
        platform_name: anydim_string_t::INIT,
    };
}

impl Default for anydim_device_info_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// A kernel of the registry.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_kernel_info_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// 1 if this machine can run it.
    pub usable: i32,
    /// Its name, as [`anydim_attr_set_kernel`] takes it.
    pub name: anydim_string_t,
    /// The operator it computes.
    pub op: anydim_string_t,
    /// The instruction set it was compiled for.
    pub isa: anydim_string_t,
    /// The memory order it works on without a copy.
    pub layout: anydim_string_t,
    /// Element type of its first input.
    pub src: anydim_dtype_t,
    /// Element type of its output.
    pub dst: anydim_dtype_t,
}

impl anydim_kernel_info_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        usable: 0,
        name: anydim_string_t::INIT,
        op: anydim_string_t::INIT,
        isa: anydim_string_t::INIT,
        layout: anydim_string_t::INIT,
        src: 0,
        dst: 0,
    };
}

impl Default for anydim_kernel_info_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Options of a stream.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_stream_options_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// Most threads a primitive uses; 0 = the engine's.
    pub threads: i32,
    /// Zero.
    pub reserved: i32,
}

impl anydim_stream_options_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        threads: 0,
        reserved: 0,
    };
}

impl Default for anydim_stream_options_t {
    fn default() -> Self {
        Self::INIT
    }
}

extern "C" {
    /// Makes an engine. No thread is started before the first call that uses several. An engine of opencl has its
    /// device's arithmetic probed and may take as long as a program of the device takes to compile; those of one
    /// device share all that they have. It uses no callbacks of the host's. Errors: not_found where there is no
    /// OpenCL driver or device, unimplemented for a device whose results are not strict, invalid_argument for a kind
    /// or device that does not exist, for a number of threads outside 0..256, and for callbacks of which one is
    /// missing or that the kind does not use.
    ///
    /// Thread rule: any thread.
    ///
    /// - `kind`: Kind of engine.
    /// - `device`: Which device of that kind, from 0.
    /// - `options` (may be null): Options, or null for the defaults.
    /// - `engine` (out, the caller destroys it): The engine.
    ///
    /// Stable since 0.1; slot 10; fails with `invalid_argument`, `not_found`, `unimplemented`.
    pub fn anydim_engine_create(
        kind: anydim_engine_kind_t,
        device: i32,
        options: *const anydim_engine_options_t,
        engine: *mut anydim_engine_t,
    ) -> anydim_status_t;
    /// Makes an engine of opencl inside of the program's own OpenCL context, so that both use the same buffers and
    /// queues ([`anydim_memory_import_opencl`], [`anydim_stream_create_in_opencl`]). The context is retained until
    /// nothing of the engine is left. Engines of one context and device share all that they have.
    ///
    /// Errors: invalid_argument for null, for a device that is none of this machine's, and for a context of another
    /// device; else those of [`anydim_engine_create`]. A pointer that is no OpenCL object is undefined, as in
    /// OpenCL.
    ///
    /// Thread rule: any thread.
    ///
    /// - `cl_context`: The program's cl_context.
    /// - `cl_device`: A cl_device_id of that context.
    /// - `options` (may be null): Options, or null for the defaults.
    /// - `engine` (out, the caller destroys it): The engine.
    ///
    /// Experimental; slot 320; fails with `invalid_argument`, `not_found`, `unimplemented`.
    pub fn anydim_engine_create_in_opencl(
        cl_context: *mut c_void,
        cl_device: *mut c_void,
        options: *const anydim_engine_options_t,
        engine: *mut anydim_engine_t,
    ) -> anydim_status_t;
    /// Describes a kind of engine that this library can make, by an index. Errors: not_found past the last. Its
    /// strings live as long as the process.
    ///
    /// - `index`: Which kind, from 0.
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Experimental; slot 330; fails with `invalid_argument`, `not_found`.
    pub fn anydim_engine_get_kind(
        index: i32,
        info: *mut anydim_engine_kind_info_t,
    ) -> anydim_status_t;
    /// Describes a device that an engine of the kind can be made for, by the number that is passed to
    /// [`anydim_engine_create`]. Errors: not_found past the last, and for any opencl device where there is no OpenCL
    /// driver. Its strings live as long as the process.
    ///
    /// - `kind`: Kind of engine.
    /// - `index`: Which device, from 0.
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Experimental; slot 240; fails with `invalid_argument`, `not_found`.
    pub fn anydim_engine_get_device(
        kind: anydim_engine_kind_t,
        index: i32,
        info: *mut anydim_device_info_t,
    ) -> anydim_status_t;
    /// Destroys an engine. Objects that were made from it continue to work and keep it alive.
    ///
    /// - `engine`: The handle, or null.
    ///
    /// Stable since 0.1; slot 11.
    pub fn anydim_engine_destroy(engine: anydim_engine_t);
    /// Describes an engine. Its strings live as long as the process.
    ///
    /// - `engine`: The engine.
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Stable since 0.1; slot 12; fails with `invalid_argument`.
    pub fn anydim_engine_query(
        engine: anydim_engine_t,
        info: *mut anydim_engine_info_t,
    ) -> anydim_status_t;
    /// Describes a kernel of the engine's registry, in order of preference within its operator. Errors: not_found
    /// past the last. Its strings live as long as the process.
    ///
    /// - `engine`: The engine.
    /// - `index`: Which, from 0 to the engine's number of kernels less one.
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Experimental; slot 13; fails with `invalid_argument`, `not_found`.
    pub fn anydim_engine_get_kernel(
        engine: anydim_engine_t,
        index: i32,
        info: *mut anydim_kernel_info_t,
    ) -> anydim_status_t;
    /// Makes a stream of an engine: where primitives execute, one after the other. Make one per thread that executes
    /// them; models need none, a context has its own.
    ///
    /// Errors: invalid_argument for a number of threads outside 0..256.
    ///
    /// - `engine`: The engine.
    /// - `options` (may be null): Options, or null for the defaults.
    /// - `stream` (out, the caller destroys it): The stream.
    ///
    /// Stable since 0.1; slot 14; fails with `invalid_argument`.
    pub fn anydim_stream_create(
        engine: anydim_engine_t,
        options: *const anydim_stream_options_t,
        stream: *mut anydim_stream_t,
    ) -> anydim_status_t;
    /// Makes a stream over a command queue of the program's. What the program enqueues there and what executes in
    /// the stream run in the order of the calls, so that neither waits for the other. The queue is retained as long
    /// as the stream.
    ///
    /// Errors: invalid_argument for an engine of another kind, and for a queue of another context or device than the
    /// engine's or one that runs commands out of order.
    ///
    /// Thread rule: as other streams; only one thread at a time may also enqueue to the queue.
    ///
    /// - `engine`: An engine of opencl.
    /// - `cl_queue`: The program's cl_command_queue.
    /// - `stream` (out, the caller destroys it): The stream.
    ///
    /// Experimental; slot 321; fails with `invalid_argument`.
    pub fn anydim_stream_create_in_opencl(
        engine: anydim_engine_t,
        cl_queue: *mut c_void,
        stream: *mut anydim_stream_t,
    ) -> anydim_status_t;
    /// Destroys a stream and its scratch memory; if an execution is running in it, when that ends.
    ///
    /// - `stream`: The handle, or null.
    ///
    /// Stable since 0.1; slot 15.
    pub fn anydim_stream_destroy(stream: anydim_stream_t);
    /// Waits until everything given to the stream is done; late errors surface here. The CPU engine completes before
    /// execute returns, so there it only checks. Tensors must stay alive until it returns.
    ///
    /// Errors: busy while another call uses the stream; closed if it is destroyed meanwhile; those of the calls that
    /// it waited for.
    ///
    /// - `stream`: The stream.
    ///
    /// Stable since 0.1; slot 16; may block; fails with `busy`, `closed`.
    pub fn anydim_stream_wait(stream: anydim_stream_t) -> anydim_status_t;
}
