// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! What can be asked of the choice of kernels and of their arithmetic.

#[allow(unused_imports)] // documentation names types of other modules
use super::*;

/// Whether kernels and plans are reusable or specialised. It changes time, never results. Set on a primitive or
/// model, on a context, for the process and for the build; the nearest that is not inherit wins. docs/reuse.md helps
/// to choose.
pub type anydim_reuse_t = i32;
/// Not set here: the context's, else the process's (ANYDIM_REUSE), else the build's, which is auto. The default.
pub const ANYDIM_REUSE_INHERIT: anydim_reuse_t = 0;
/// Reusable kernels with a plan from the cost model or from records; nothing is measured on the CPU engine.
pub const ANYDIM_REUSE_AUTO: anydim_reuse_t = 1;
/// Reusable kernels with the cost model's plan, and never anything else.
pub const ANYDIM_REUSE_REUSABLE: anydim_reuse_t = 2;
/// Measures plans before creation returns: a primitive for its dims (hints or maxima of dynamic ones), a context for
/// its bounds. Shapes met later run reusable.
pub const ANYDIM_REUSE_SPECIALISED: anydim_reuse_t = 3;
/// As auto, and the background worker measures plans for the shapes that calls bring.
pub const ANYDIM_REUSE_REUSABLE_FIRST: anydim_reuse_t = 4;

/// Math modes: how far arithmetic may be from the order that docs/numerics.md writes down. Set on a primitive, on a
/// layer of a model and on a model; the nearest that is not inherit wins. An operator without kernels of its own in
/// a mode computes in the mode before it: in this build everything is strict, and explanations name the mode of each
/// primitive.
pub type anydim_math_t = i32;
/// Not set here: a layer has its model's; strict where nothing is set. The default.
pub const ANYDIM_MATH_INHERIT: anydim_math_t = 0;
/// The same bits from every kernel, on every engine.
pub const ANYDIM_MATH_STRICT: anydim_math_t = 1;
/// Documented algorithms with a larger error too, where an operator has them. The same bits from every kernel.
pub const ANYDIM_MATH_FAST: anydim_math_t = 2;
/// Arithmetic in bfloat16 and other narrow types, too.
pub const ANYDIM_MATH_REDUCED: anydim_math_t = 3;
