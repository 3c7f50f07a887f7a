// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! Memory of engines, tensors with memory of their own, and results that a call placed.

use std::os::raw::c_void;

#[allow(unused_imports)] // documentation names types of other modules
use super::*;

/// What [`anydim_tensor_t`] names; it is never looked into.
#[repr(C)]
#[derive(Debug)]
pub struct anydim_tensor_s {
    _private: [u8; 0],
}
/// Memory that the library allocates and frees, with dtype and dims. Threads may share it for reading; writing its
/// memory is the caller's to order. Many threads may use it at once. It keeps its engine alive.
pub type anydim_tensor_t = *const anydim_tensor_s;

/// What a memory is.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_memory_info_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// 1 if it is the caller's; 0 if the engine allocated it.
    pub imported: i32,
    /// Its size.
    pub bytes: i64,
    /// Its address; null where the engine's memory has none.
    pub data: *mut c_void,
}

impl anydim_memory_info_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        imported: 0,
        bytes: 0,
        data: std::ptr::null_mut(),
    };
}

impl Default for anydim_memory_info_t {
    fn default() -> Self {
        Self::INIT
    }
}

extern "C" {
    /// Allocates bytes of an engine, filled with zeros and aligned to 64. Views name places in them, for calls on
    /// the same engine.
    ///
    /// Errors: invalid_argument for a negative number of bytes.
    ///
    /// - `engine`: The engine.
    /// - `bytes`: How many, 0 or more.
    /// - `memory` (out, the caller destroys it): The memory.
    ///
    /// Experimental; slot 200; fails with `invalid_argument`.
    pub fn anydim_memory_allocate(
        engine: anydim_engine_t,
        bytes: i64,
        memory: *mut anydim_memory_t,
    ) -> anydim_status_t;
    /// Makes a memory of bytes of the caller's, without a copy. They must be there until the finalizer is called:
    /// once, when the memory was destroyed, the calls that use it have returned, and streams have done what they
    /// were given; on any thread. It is not called if this function fails. Errors: invalid_argument for a negative
    /// number of bytes and for null; unimplemented where an engine's device cannot reach memory of the host.
    ///
    /// - `engine`: The engine.
    /// - `data`: The first byte.
    /// - `bytes`: How many, 0 or more.
    /// - `finalizer` (may be null): Called when nothing uses the bytes any more; or null.
    /// - `user` (may be null): Passed to the finalizer.
    /// - `memory` (out, the caller destroys it): The memory.
    ///
    /// Experimental; slot 201; fails with `invalid_argument`, `unimplemented`.
    pub fn anydim_memory_import(
        engine: anydim_engine_t,
        data: *mut c_void,
        bytes: i64,
        finalizer: anydim_finalizer_callback_t,
        user: *mut c_void,
        memory: *mut anydim_memory_t,
    ) -> anydim_status_t;
    /// Makes a memory of a buffer of the program's, without a copy: all of its bytes, which calls then read and
    /// write. The buffer is retained as long as the memory. Commands in the program's own queues are not waited for,
    /// except in the queue of [`anydim_stream_create_in_opencl`].
    ///
    /// Errors: invalid_argument for an engine of another kind, for what is no buffer (an image), for a buffer of
    /// another context, and for one that is read-only or write-only.
    ///
    /// - `engine`: An engine of opencl.
    /// - `cl_buffer`: The program's cl_mem.
    /// - `memory` (out, the caller destroys it): The memory.
    ///
    /// Experimental; slot 322; fails with `invalid_argument`.
    pub fn anydim_memory_import_opencl(
        engine: anydim_engine_t,
        cl_buffer: *mut c_void,
        memory: *mut anydim_memory_t,
    ) -> anydim_status_t;
    /// Destroys a memory; work of an engine that still uses it finishes first.
    ///
    /// - `memory`: The handle, or null.
    ///
    /// Experimental; slot 202.
    pub fn anydim_memory_destroy(memory: anydim_memory_t);
    /// Describes a memory.
    ///
    /// - `memory`: The memory.
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Experimental; slot 203; fails with `invalid_argument`.
    pub fn anydim_memory_query(
        memory: anydim_memory_t,
        info: *mut anydim_memory_info_t,
    ) -> anydim_status_t;
    /// Returns an address at which the program reads and writes bytes of a memory, until [`anydim_memory_unmap`]. It
    /// waits until what was given to the engine's streams before is done with them. No call may use the bytes while
    /// they are mapped.
    ///
    /// Errors: invalid_argument for bytes outside of the memory.
    ///
    /// - `memory`: The memory.
    /// - `offset`: The first byte, from 0.
    /// - `bytes`: How many.
    /// - `data` (out): Where the first one is.
    ///
    /// Experimental; slot 204; may block; fails with `invalid_argument`.
    pub fn anydim_memory_map(
        memory: anydim_memory_t,
        offset: i64,
        bytes: i64,
        data: *mut *mut c_void,
    ) -> anydim_status_t;
    /// Ends a mapping: calls see what was written. The bytes are those of the mapping. Errors: invalid_argument for
    /// bytes that are not mapped.
    ///
    /// - `memory`: The memory.
    /// - `offset`: The first byte, from 0.
    /// - `bytes`: How many.
    ///
    /// Experimental; slot 205; may block; fails with `invalid_argument`.
    pub fn anydim_memory_unmap(memory: anydim_memory_t, offset: i64, bytes: i64) -> anydim_status_t;
    /// Copies bytes from one memory to another, or within one, where the two places may overlap. The stream does it
    /// after what it was given before; the CPU engine has done it when the call returns, others at the latest when
    /// [`anydim_stream_wait`] does. One of the memories is of the stream's engine, the other of the same or of the
    /// CPU engine.
    ///
    /// Errors: invalid_argument for bytes outside of a memory, and for a memory of another engine.
    ///
    /// - `stream`: The stream.
    /// - `target`: Where to.
    /// - `target_offset`: The first byte there, from 0.
    /// - `source`: Where from.
    /// - `source_offset`: The first byte there, from 0.
    /// - `bytes`: How many.
    ///
    /// Experimental; slot 206; may block; fails with `invalid_argument`, `busy`, `closed`.
    pub fn anydim_memory_copy(
        stream: anydim_stream_t,
        target: anydim_memory_t,
        target_offset: i64,
        source: anydim_memory_t,
        source_offset: i64,
        bytes: i64,
    ) -> anydim_status_t;
    /// Makes a tensor with memory of its own, filled with zeros, freed with the tensor. [`anydim_tensor_get_view`]
    /// shows it to calls.
    ///
    /// Errors: invalid_argument for a dtype that is none, a rank outside 0..8, a negative dim, sizes beyond int64_t,
    /// the layout strided, and channels last of a rank below 3.
    ///
    /// - `engine`: The engine.
    /// - `dtype`: Element type.
    /// - `rank`: Number of dims.
    /// - `dims`: The dims, outermost first.
    /// - `layout`: How its elements lie.
    /// - `tensor` (out, the caller destroys it): The tensor.
    ///
    /// Stable since 0.1; slot 31; fails with `invalid_argument`.
    pub fn anydim_tensor_allocate(
        engine: anydim_engine_t,
        dtype: anydim_dtype_t,
        rank: i32,
        dims: *const i64,
        layout: anydim_layout_t,
        tensor: *mut anydim_tensor_t,
    ) -> anydim_status_t;
    /// Destroys a tensor, and its memory if that was allocated with it.
    ///
    /// - `tensor`: The handle, or null.
    ///
    /// Stable since 0.1; slot 32.
    pub fn anydim_tensor_destroy(tensor: anydim_tensor_t);
    /// Returns the view of a tensor. It is good as long as the tensor.
    ///
    /// - `tensor`: The tensor.
    /// - `view` (out): The view, with its strides.
    ///
    /// Stable since 0.1; slot 298.
    pub fn anydim_tensor_get_view(
        tensor: anydim_tensor_t,
        view: *mut anydim_view_t,
    ) -> anydim_status_t;
    /// Releases memory that a call allocated for an output: the view's data, once. Later results reuse it. Never
    /// fails; null does nothing.
    ///
    /// - `data` (may be null): The memory.
    ///
    /// Stable since 0.1; slot 192.
    pub fn anydim_result_release(data: *mut c_void);
}
