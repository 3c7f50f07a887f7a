// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! What the library did - counters, verbose lines, and lines read back.

use std::os::raw::c_char;

#[allow(unused_imports)] // documentation names types of other modules
use super::*;

/// What [`anydim_call_t`] names; it is never looked into.
#[repr(C)]
#[derive(Debug)]
pub struct anydim_call_s {
    _private: [u8; 0],
}
/// One execution, parsed from a verbose line - operator, tensors, attributes, kernel. Its strings live as long as
/// it. Many threads may use it at once.
pub type anydim_call_t = *const anydim_call_s;

/// What a tensor of a call is.
pub type anydim_call_role_t = i32;
/// An input that comes at execution.
pub const ANYDIM_CALL_INPUT: anydim_call_role_t = 0;
/// A constant input that is packed before.
pub const ANYDIM_CALL_WEIGHTS: anydim_call_role_t = 1;
/// A tensor of a post-op; comes at execution, after the inputs.
pub const ANYDIM_CALL_POST_OP: anydim_call_role_t = 2;
/// An output.
pub const ANYDIM_CALL_OUTPUT: anydim_call_role_t = 3;

/// A counter of the process.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_counter_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// 1 if it is a current level; 0 if it only grows.
    pub level: i32,
    /// Its name.
    pub name: anydim_string_t,
    /// What it counts.
    pub doc: anydim_string_t,
    /// Its value.
    pub value: i64,
}

impl anydim_counter_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        level: 0,
        name: anydim_string_t::INIT,
        doc: anydim_string_t::INIT,
        value: 0,
    };
}

impl Default for anydim_counter_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// The contents of a verbose line, except for its tensors. docs/verbose.md has the fields.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_call_info_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// Number of its tensors: inputs and weights in the operator's order, then those of post-ops, then outputs.
    pub tensors: i32,
    /// The node's name; empty for a primitive of a program.
    pub name: anydim_string_t,
    /// The operator with its attributes.
    pub op: anydim_string_t,
    /// The chain of post-ops; empty for none.
    pub post_ops: anydim_string_t,
    /// The kernel that ran.
    pub kernel: anydim_string_t,
    /// Its tier.
    pub tier: anydim_string_t,
    /// The time it took.
    pub time_ns: i64,
    /// Additions and multiplications of matmul and the convolutions, padding included; -1 for other operators.
    pub flops: i64,
    /// Most threads it could use.
    pub threads: i32,
    /// Zero.
    pub reserved: i32,
}

impl anydim_call_info_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        tensors: 0,
        name: anydim_string_t::INIT,
        op: anydim_string_t::INIT,
        post_ops: anydim_string_t::INIT,
        kernel: anydim_string_t::INIT,
        tier: anydim_string_t::INIT,
        time_ns: 0,
        flops: 0,
        threads: 0,
        reserved: 0,
    };
}

impl Default for anydim_call_info_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// A tensor of a call.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_call_tensor_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// What it is.
    pub role: anydim_call_role_t,
    /// Its element type.
    pub dtype: anydim_dtype_t,
    /// Which input, post-op tensor or output of the primitive it is, from 0.
    pub index: i32,
    /// Its dims.
    pub dims: anydim_dims_t,
    /// Its strides, in elements.
    pub strides: anydim_dims_t,
    /// Smallest integer that makes sense as its data (an index, a divisor).
    pub low: i64,
    /// The largest.
    pub high: i64,
}

impl anydim_call_tensor_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        role: 0,
        dtype: 0,
        index: 0,
        dims: anydim_dims_t::INIT,
        strides: anydim_dims_t::INIT,
        low: 0,
        high: 0,
    };
}

impl Default for anydim_call_tensor_t {
    fn default() -> Self {
        Self::INIT
    }
}

extern "C" {
    /// Returns how many counters there are. New ones come at the end.
    ///
    /// - `count` (out): Their number.
    ///
    /// Experimental; slot 120; fails with `invalid_argument`.
    pub fn anydim_counter_get_count(count: *mut i32) -> anydim_status_t;
    /// Returns a counter of this process, from the time when the library was loaded. Counters are read one by one
    /// while other threads go on counting. Errors: not_found past the last.
    ///
    /// - `index`: Which, from 0.
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Experimental; slot 121; fails with `invalid_argument`, `not_found`.
    pub fn anydim_counter_get(index: i32, info: *mut anydim_counter_t) -> anydim_status_t;
    /// Sets which verbose lines are written (docs/verbose.md): 0 none, 1 one per execution of a primitive or node, 2
    /// also one per creation. The first level comes from the variable ANYDIM_VERBOSE, read when the first engine is
    /// made; lines go to standard error or to the end of the file that ANYDIM_VERBOSE_FILE names. Errors:
    /// invalid_argument for a level that is none.
    ///
    /// Thread rule: any thread, any time; calls that run may still see the level before.
    ///
    /// - `level`: The level.
    ///
    /// Experimental; slot 140; fails with `invalid_argument`.
    pub fn anydim_verbose_set(level: i32) -> anydim_status_t;
    /// Reads an execute line. Errors: invalid_argument or unimplemented for a line that is damaged or of another
    /// version or event; the message names the field, the word and its place in the line.
    ///
    /// - `line`: The line, with or without its end.
    /// - `call` (out, the caller destroys it): The call.
    ///
    /// Experimental; slot 141; fails with `invalid_argument`, `unimplemented`.
    pub fn anydim_call_parse(line: *const c_char, call: *mut anydim_call_t) -> anydim_status_t;
    /// Destroys a call.
    ///
    /// - `call`: The handle, or null.
    ///
    /// Experimental; slot 142.
    pub fn anydim_call_destroy(call: anydim_call_t);
    /// Describes a call.
    ///
    /// - `call`: The call.
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Experimental; slot 143; fails with `invalid_argument`.
    pub fn anydim_call_query(call: anydim_call_t, info: *mut anydim_call_info_t) -> anydim_status_t;
    /// Describes a tensor of a call. Errors: not_found past the last.
    ///
    /// - `call`: The call.
    /// - `index`: Which, from 0.
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Experimental; slot 144; fails with `invalid_argument`, `not_found`.
    pub fn anydim_call_get_tensor(
        call: anydim_call_t,
        index: i32,
        info: *mut anydim_call_tensor_t,
    ) -> anydim_status_t;
    /// Makes the primitive of a call: its operator, the descriptors it had (dynamic dims with their promises),
    /// post-ops, math mode and reuse policy. Operators that have no struct here (gather, reshape, ...) can be made
    /// this way too. Execute it with tensors of the call's dims, or of others that the descriptors allow.
    ///
    /// Errors: not_found for a kernel that the registry lacks, unimplemented for one that refuses the problem,
    /// invalid_argument for weights that do not fit the line.
    ///
    /// - `call`: The call.
    /// - `engine`: The engine.
    /// - `kernel`: Kernel to force, such as the call's own; "" lets the library choose.
    /// - `weights`: Data of the tensors whose role is weights, in order. They are packed (or copied) here.
    /// - `weights_count`: Their number, or 0.
    /// - `primitive` (out, the caller destroys it): The primitive.
    ///
    /// Experimental; slot 145; may block; fails with `invalid_argument`, `not_found`, `unimplemented`.
    pub fn anydim_call_create_primitive(
        call: anydim_call_t,
        engine: anydim_engine_t,
        kernel: *const c_char,
        weights: *const anydim_view_t,
        weights_count: i32,
        primitive: *mut anydim_primitive_t,
    ) -> anydim_status_t;
}
