// SPDX-License-Identifier: Apache-2.0
//! Attributes of primitives: what is neither their operator nor their tensors.

use crate::edge::handles::AttrHandle;
use crate::edge::{c_string, calls};
use crate::{BinaryFunction, Dtype, Math, Operand, Result, Reuse, Scratchpad, UnaryFunction};

/// Post-ops, policies, scales and zero points of a primitive to come.
///
/// ```
/// use anydim::{Attributes, BinaryFunction, Reuse, UnaryFunction};
/// let attributes = Attributes::new()
///     .eltwise(UnaryFunction::Relu, 0.0, 0.0)            // first of each element,
///     .binary(BinaryFunction::Add)                       // then plus a tensor that comes with each call
///     .reuse(Reuse::Reusable);
/// # let _ = attributes;
/// ```
#[derive(Clone, Debug, Default)]
pub struct Attributes {
    post_ops: Vec<PostOp>,
    quantities: Vec<Quantity>,
    reuse: Reuse,
    math: Math,
    dtype: Option<Dtype>,
    kernel: Option<String>,
    scratchpad: Scratchpad,
    scratch_limit: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
enum PostOp {
    Eltwise(UnaryFunction, f32, f32),
    Binary(BinaryFunction, bool),
}

#[derive(Clone, Debug)]
enum Quantity {
    Scales(Operand, Option<usize>, Vec<f32>),
    ZeroPoints(Operand, Option<usize>, Vec<i32>),
}

impl Attributes {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a post-op: a function of each output element, after the operator's bias and the post-ops before. `alpha` and
    /// `beta` are its parameters, for functions that have them.
    #[must_use]
    pub fn eltwise(mut self, function: UnaryFunction, alpha: f32, beta: f32) -> Self {
        self.post_ops.push(PostOp::Eltwise(function, alpha, beta));
        self
    }

    /// Appends the post-op max(x, 0).
    #[must_use]
    pub fn relu(self) -> Self {
        self.eltwise(UnaryFunction::Relu, 0.0, 0.0)
    }

    /// Appends the post-op min(max(x, low), high).
    #[must_use]
    pub fn clip(self, low: f32, high: f32) -> Self {
        self.eltwise(UnaryFunction::Clip, low, high)
    }

    /// Appends a post-op y = function(y, t), with a tensor t that comes with each execution behind the operator's inputs and
    /// broadcasts to the output.
    #[must_use]
    pub fn binary(mut self, function: BinaryFunction) -> Self {
        self.post_ops.push(PostOp::Binary(function, false));
        self
    }

    /// As [`binary`](Self::binary), but y = function(t, y).
    #[must_use]
    pub fn binary_reversed(mut self, function: BinaryFunction) -> Self {
        self.post_ops.push(PostOp::Binary(function, true));
        self
    }

    /// The reuse policy. With [`Reuse::Specialised`] creation measures plans, which takes seconds.
    #[must_use]
    pub fn reuse(mut self, policy: Reuse) -> Self {
        self.reuse = policy;
        self
    }

    /// The math mode.
    #[must_use]
    pub fn math(mut self, mode: Math) -> Self {
        self.math = mode;
        self
    }

    /// The dtype of the result of a matmul or convolution.
    #[must_use]
    pub fn result_dtype(mut self, dtype: Dtype) -> Self {
        self.dtype = Some(dtype);
        self
    }

    /// Which real numbers those of an 8-bit operand stand for: scale * (number - zero point). One scale for the whole operand,
    /// or with an axis one for each of its indices. Without values they come with each execution, behind the tensors of
    /// post-ops.
    #[must_use]
    pub fn scales(mut self, operand: Operand, axis: Option<usize>, values: &[f32]) -> Self {
        self.quantities.push(Quantity::Scales(operand, axis, values.to_vec()));
        self
    }

    /// The number of an 8-bit operand that stands for zero, set as [`scales`](Self::scales) are.
    #[must_use]
    pub fn zero_points(mut self, operand: Operand, axis: Option<usize>, values: &[i32]) -> Self {
        self.quantities.push(Quantity::ZeroPoints(operand, axis, values.to_vec()));
        self
    }

    /// Forces a kernel by its name, for tests and reports.
    #[must_use]
    pub fn kernel(mut self, name: &str) -> Self {
        self.kernel = Some(name.to_owned());
        self
    }

    /// Whose memory the primitive computes in: with [`Scratchpad::Caller`],
    /// [`Primitive::execute_in`](crate::Primitive::execute_in) is given it.
    #[must_use]
    pub fn scratchpad(mut self, mode: Scratchpad) -> Self {
        self.scratchpad = mode;
        self
    }

    /// The most bytes of scratch; kernels that could need more are refused.
    #[must_use]
    pub fn scratch_limit(mut self, bytes: usize) -> Self {
        self.scratch_limit = Some(bytes);
        self
    }

    pub(crate) fn handle(&self) -> Result<AttrHandle> {
        let attr = calls::attr_create()?;
        for step in &self.post_ops {
            match *step {
                PostOp::Eltwise(function, alpha, beta) => {
                    calls::attr_append_eltwise(&attr, function as i32, alpha, beta)?;
                }
                PostOp::Binary(function, reversed) => {
                    calls::attr_append_binary(&attr, function as i32, i32::from(reversed))?;
                }
            }
        }
        let number = |axis: &Option<usize>| axis.map_or(-1, |a| i32::try_from(a).unwrap_or(i32::MAX));
        for quantity in &self.quantities {
            match quantity {
                Quantity::Scales(operand, axis, values) => {
                    calls::attr_set_scales(&attr, *operand as i32, number(axis), values)?;
                }
                Quantity::ZeroPoints(operand, axis, values) => {
                    calls::attr_set_zero_points(&attr, *operand as i32, number(axis), values)?;
                }
            }
        }
        calls::attr_set_reuse(&attr, self.reuse as i32)?;
        calls::attr_set_math(&attr, self.math as i32)?;
        calls::attr_set_scratchpad(&attr, self.scratchpad as i32)?;
        if let Some(dtype) = self.dtype {
            calls::attr_set_dtype(&attr, dtype as i32)?;
        }
        if let Some(kernel) = &self.kernel {
            calls::attr_set_kernel(&attr, &c_string(kernel.as_bytes(), "kernel")?)?;
        }
        if let Some(bytes) = self.scratch_limit {
            calls::attr_set_scratch_limit(&attr, i64::try_from(bytes).unwrap_or(i64::MAX))?;
        }
        Ok(attr)
    }
}
