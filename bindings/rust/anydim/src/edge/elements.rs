// SPDX-License-Identifier: Apache-2.0
//! The types of elements that views have, and their dtypes.

use crate::Dtype;

/// IEEE binary16 as its bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct F16(pub u16);

/// bfloat16 as its bits: the upper half of a binary32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Bf16(pub u16);

/// A type of elements.
///
/// # Safety
/// The type has the size, the alignment and the meaning of the dtype. This crate implements it for all dtypes.
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// Its dtype.
    const DTYPE: Dtype;
}

/// An element for which any bits are a value, so that the library may write it in place. All but `bool`.
///
/// # Safety
/// Any bits are a value of the type.
pub unsafe trait AnyBits: Element {}

macro_rules! elements {
    ($($type:ty => $dtype:ident),*) => {
        $(unsafe impl Element for $type { const DTYPE: Dtype = Dtype::$dtype; }
          unsafe impl AnyBits for $type {})*
    };
}
elements!(f32 => F32, f64 => F64, F16 => F16, Bf16 => Bf16, i8 => I8, u8 => U8, i16 => I16, u16 => U16, i32 => I32, u32 => U32,
          i64 => I64, u64 => U64);
// Types with the bits that F16 and Bf16 have.
#[cfg(feature = "half")]
elements!(half::f16 => F16, half::bf16 => Bf16);
unsafe impl Element for bool {
    const DTYPE: Dtype = Dtype::Bool;
}
