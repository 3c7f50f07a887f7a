// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! Tensors as the caller sees them - element types, dims, views - and descriptors of tensors to come.

use std::os::raw::{c_char, c_void};

#[allow(unused_imports)] // documentation names types of other modules
use super::*;

/// Most dims that a tensor may have.
pub const ANYDIM_MAX_RANK: usize = 8;

/// What [`anydim_memory_t`] names; it is never looked into.
#[repr(C)]
#[derive(Debug)]
pub struct anydim_memory_s {
    _private: [u8; 0],
}
/// Bytes of an engine, allocated by it or imported. Threads may share it for reading; writing its bytes is the
/// caller's to order. Many threads may use it at once. It keeps its engine alive.
pub type anydim_memory_t = *const anydim_memory_s;

/// What [`anydim_desc_t`] names; it is never looked into.
#[repr(C)]
#[derive(Debug)]
pub struct anydim_desc_s {
    _private: [u8; 0],
}
/// A tensor descriptor - dtype, dims (numbers or dynamic) and the layout that its tensors will have. Many threads
/// may use it at once.
pub type anydim_desc_t = *const anydim_desc_s;

/// Element types.
pub type anydim_dtype_t = i32;
/// IEEE binary32.
pub const ANYDIM_F32: anydim_dtype_t = 1;
/// IEEE binary64.
pub const ANYDIM_F64: anydim_dtype_t = 2;
/// IEEE binary16.
pub const ANYDIM_F16: anydim_dtype_t = 3;
/// bfloat16 - the upper half of a binary32.
pub const ANYDIM_BF16: anydim_dtype_t = 4;
/// Signed 8 bits.
pub const ANYDIM_I8: anydim_dtype_t = 5;
/// Unsigned 8 bits.
pub const ANYDIM_U8: anydim_dtype_t = 6;
/// Signed 16 bits.
pub const ANYDIM_I16: anydim_dtype_t = 7;
/// Unsigned 16 bits.
pub const ANYDIM_U16: anydim_dtype_t = 8;
/// Signed 32 bits.
pub const ANYDIM_I32: anydim_dtype_t = 9;
/// Unsigned 32 bits.
pub const ANYDIM_U32: anydim_dtype_t = 10;
/// Signed 64 bits.
pub const ANYDIM_I64: anydim_dtype_t = 11;
/// Unsigned 64 bits.
pub const ANYDIM_U64: anydim_dtype_t = 12;
/// One byte, 0 or 1.
pub const ANYDIM_BOOL: anydim_dtype_t = 13;
/// 8 bits - 4 of exponent, 3 of fraction; no infinities. Stored, moved and cast only, as all that follow.
pub const ANYDIM_F8E4M3FN: anydim_dtype_t = 14;
/// 8 bits - 4 of exponent, 3 of fraction; no infinities, no negative zero.
pub const ANYDIM_F8E4M3FNUZ: anydim_dtype_t = 15;
/// 8 bits - 5 of exponent, 2 of fraction.
pub const ANYDIM_F8E5M2: anydim_dtype_t = 16;
/// 8 bits - 5 of exponent, 2 of fraction; no infinities, no negative zero.
pub const ANYDIM_F8E5M2FNUZ: anydim_dtype_t = 17;
/// 8 bits of exponent, a power of two.
pub const ANYDIM_F8E8M0: anydim_dtype_t = 18;
/// 4 bits - 2 of exponent, 1 of fraction. One element per byte, in its low bits, as all that follow.
pub const ANYDIM_F4E2M1: anydim_dtype_t = 19;
/// Signed 4 bits.
pub const ANYDIM_I4: anydim_dtype_t = 20;
/// Unsigned 4 bits.
pub const ANYDIM_U4: anydim_dtype_t = 21;
/// Signed 2 bits.
pub const ANYDIM_I2: anydim_dtype_t = 22;
/// Unsigned 2 bits.
pub const ANYDIM_U2: anydim_dtype_t = 23;

/// How the elements of a tensor lie in memory.
pub type anydim_layout_t = i32;
/// Densely, the last dim innermost (N, C, H, W in memory).
pub const ANYDIM_LAYOUT_ROW_MAJOR: anydim_layout_t = 0;
/// Densely, dim 1 innermost (N, H, W, C in memory). Rank 3 and more.
pub const ANYDIM_LAYOUT_CHANNELS_LAST: anydim_layout_t = 1;
/// By strides. Tensors of such a descriptor may have any strides.
pub const ANYDIM_LAYOUT_STRIDED: anydim_layout_t = 2;
/// As it costs no copy: the library chooses. Of a descriptor: as strided.
pub const ANYDIM_LAYOUT_ANY: anydim_layout_t = 3;
/// Of outputs: row-major where the input that they follow is; else as any.
pub const ANYDIM_LAYOUT_FOLLOW: anydim_layout_t = 4;

/// A dim of a descriptor or of bounds. Make it with [`anydim_dim_fixed`] or [`anydim_dim_dynamic`]. Of a dim of
/// bounds only the number, or min and max, count.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_dim_t {
    /// The number, or -1 for a dynamic dim.
    pub value: i64,
    /// Promise - never smaller (dynamic only).
    pub min: i64,
    /// Promise - never larger (dynamic only).
    pub max: i64,
    /// A likely value, or -1 for none. Orders choices; changes neither results nor bounds.
    pub hint: i64,
    /// Promise - always a multiple of this (1 = no promise).
    pub multiple_of: i64,
}

impl anydim_dim_t {
    /// All zero.
    pub const INIT: Self = Self {
        value: 0,
        min: 0,
        max: 0,
        hint: 0,
        multiple_of: 0,
    };
}

impl Default for anydim_dim_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// A short list of numbers - dims, strides or axes - outermost first.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_dims_t {
    /// How many.
    pub rank: i32,
    /// Zero.
    pub reserved: i32,
    /// The numbers; those past rank are zero.
    pub values: [i64; 8],
}

impl anydim_dims_t {
    /// All zero.
    pub const INIT: Self = Self {
        rank: 0,
        reserved: 0,
        values: [0; 8],
    };
}

impl Default for anydim_dims_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// A tensor as the caller sees it: where its elements are, and in which order. It is plain data. The elements belong
/// to the caller, and must stay where they are during the call. Members that are not used are zero.
///
/// - The elements are at data; or in a memory, from byte offset, and data is null.
/// - With strides of rank 0 they are dense, in the order that layout names. Else any strides are read: a stride of 0
///   repeats elements, a negative one goes backwards.
/// - An output with data or a memory is written there. An output with a dtype alone gets memory from the library:
///   the call fills in data, dims and strides. That of a primitive lies as layout says: row-major, channels last, as
///   its kernel writes it (any), or as its largest input lies (follow); that of a model as the model's options say.
///   An output whose members are all zero is one that the caller does not want.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_view_t {
    /// Address of the element whose indices are all 0; null with a memory, and for an output that gets memory from
    /// the library.
    pub data: *mut c_void,
    /// Element type.
    pub dtype: anydim_dtype_t,
    /// How the elements lie where no strides are given; zero is row-major.
    pub layout: anydim_layout_t,
    /// Its dims.
    pub dims: anydim_dims_t,
    /// Its strides, in elements; of rank 0 if it is dense, as layout says.
    pub strides: anydim_dims_t,
    /// The memory in which the elements are; null: they are at data.
    pub memory: anydim_memory_t,
    /// Bytes from the begin of the memory to the element whose indices are all 0; zero without a memory.
    pub offset: i64,
}

impl anydim_view_t {
    /// All zero.
    pub const INIT: Self = Self {
        data: std::ptr::null_mut(),
        dtype: 0,
        layout: 0,
        dims: anydim_dims_t::INIT,
        strides: anydim_dims_t::INIT,
        memory: std::ptr::null(),
        offset: 0,
    };
}

impl Default for anydim_view_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// A short list of real numbers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_reals_t {
    /// How many.
    pub count: i32,
    /// Zero.
    pub reserved: i32,
    /// The numbers; those past count are zero.
    pub values: [f32; 16],
}

impl anydim_reals_t {
    /// All zero.
    pub const INIT: Self = Self {
        count: 0,
        reserved: 0,
        values: [0.0; 16],
    };
}

impl Default for anydim_reals_t {
    fn default() -> Self {
        Self::INIT
    }
}

extern "C" {
    /// A dtype as text, such as "f32"; "unknown" for a number that is none. Never fails.
    ///
    /// - `dtype`: The dtype.
    ///
    /// Experimental; slot 295.
    pub fn anydim_dtype_name(dtype: anydim_dtype_t) -> *const c_char;
    /// Bytes of one element in memory. A dtype of less than 8 bits has one byte for each element.
    ///
    /// Errors: invalid_argument for a number that is no dtype.
    ///
    /// - `dtype`: The dtype.
    /// - `bytes` (out): Bytes of an element.
    ///
    /// Experimental; slot 296; fails with `invalid_argument`.
    pub fn anydim_dtype_get_size(dtype: anydim_dtype_t, bytes: *mut i64) -> anydim_status_t;
    /// A dim that is a number. Never fails; a negative number is refused where the dim is used.
    ///
    /// - `value`: The number.
    ///
    /// Stable since 0.1; slot 20.
    pub fn anydim_dim_fixed(value: i64) -> anydim_dim_t;
    /// A dim whose number comes with the tensor. The two bounds are promises, checked at execution. Never fails; min
    /// \> max is refused where the dim is used. For no promise pass 0 and INT64_MAX.
    ///
    /// - `min`: Smallest number.
    /// - `max`: Largest number.
    ///
    /// Stable since 0.1; slot 21.
    pub fn anydim_dim_dynamic(min: i64, max: i64) -> anydim_dim_t;
    /// Says which number is likely. It orders choices and changes neither results nor bounds. Null does nothing.
    ///
    /// - `dim` (in and out): The dim.
    /// - `hint`: The likely number.
    ///
    /// Stable since 0.1; slot 22.
    pub fn anydim_dim_set_hint(dim: *mut anydim_dim_t, hint: i64);
    /// Promises that a dynamic dim is a multiple of a number. Null does nothing.
    ///
    /// - `dim` (in and out): The dim.
    /// - `multiple_of`: The number, at least 1.
    ///
    /// Stable since 0.1; slot 23.
    pub fn anydim_dim_set_multiple_of(dim: *mut anydim_dim_t, multiple_of: i64);
    /// Makes a tensor descriptor. Errors: invalid_argument for a dtype or layout that is none, a rank outside 0..8,
    /// a negative number, min \> max, or a multiple_of below 1.
    ///
    /// - `dtype`: Element type.
    /// - `rank`: Number of dims.
    /// - `dims`: The dims, outermost first.
    /// - `layout`: The memory order that tensors will have.
    /// - `desc` (out, the caller destroys it): The descriptor.
    ///
    /// Stable since 0.1; slot 24; fails with `invalid_argument`.
    pub fn anydim_desc_create(
        dtype: anydim_dtype_t,
        rank: i32,
        dims: *const anydim_dim_t,
        layout: anydim_layout_t,
        desc: *mut anydim_desc_t,
    ) -> anydim_status_t;
    /// Destroys a descriptor.
    ///
    /// - `desc`: The handle, or null.
    ///
    /// Stable since 0.1; slot 25.
    pub fn anydim_desc_destroy(desc: anydim_desc_t);
}
