// SPDX-License-Identifier: Apache-2.0
//! Primitives: single operators, ready to execute at any dims that their descriptors allow.

use std::sync::Arc;

use crate::dims::handles;
use crate::edge::handles::PrimitiveHandle;
use crate::edge::views::Slot;
use crate::edge::{calls, known, models};
use crate::error::{invalid, unimplemented};
use crate::{
    Attributes, CacheLine, Candidate, Desc, Dtype, Engine, Operator, Output, PrimitiveCreation, Result, Stream,
    TensorView, TensorViewMut, Weights,
};

/// An operator made for given descriptors and attributes, bound to one kernel. Threads may share it, each with its own
/// stream; clones are the same primitive.
///
/// ```
/// use anydim::operators::Matmul;
/// use anydim::{Attributes, Desc, Dim, Engine, Primitive, TensorView};
///
/// let cpu = Engine::cpu()?;
/// let ones = vec![1.0f32; 3 * 2];
/// let product = Primitive::builder(&cpu, Matmul::new())
///     .input(Desc::f32([Dim::dynamic(1..=64), 3.into()]))     // any number of rows up to 64
///     .constant(TensorView::new(&ones, &[3, 2])?)            // packed here, once
///     .attributes(Attributes::new().relu())
///     .build()?;
///
/// let mut stream = cpu.stream()?;
/// for rows in [1, 7, 64] {
///     let a = vec![0.5f32; rows * 3];
///     let y = product.execute(&mut stream, &[TensorView::new(&a, &[rows, 3])?])?;
///     assert_eq!(y[0].dims(), [rows, 2]);
///     assert_eq!(y[0].as_slice::<f32>()?[0], 1.5);
/// }
/// # Ok::<(), anydim::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Primitive {
    handle: Arc<PrimitiveHandle>,
    dtypes: Vec<Dtype>,
}

/// What a [`Primitive`] is made of: its operands, in the operator's order, and attributes.
#[derive(Clone, Debug)]
pub struct PrimitiveBuilder<'a, O> {
    engine: Engine,
    operator: O,
    inputs: Vec<Desc>,
    constants: Vec<(i32, TensorView<'a>)>,
    operands: i32,
    omitted: Option<i32>,
    // Of those left out, one before an input: what C has no words for.
    misplaced: Option<i32>,
    attributes: Attributes,
    weights: Option<Weights>,
}

impl Primitive {
    /// Begins a primitive of an operator.
    pub fn builder<'a, O: Operator>(engine: &Engine, operator: O) -> PrimitiveBuilder<'a, O> {
        PrimitiveBuilder {
            engine: engine.clone(),
            operator,
            inputs: Vec::new(),
            constants: Vec::new(),
            operands: 0,
            omitted: None,
            misplaced: None,
            attributes: Attributes::new(),
            weights: None,
        }
    }

    /// With so many outputs.
    pub(crate) fn of(handle: PrimitiveHandle, outputs: usize) -> Result<Self> {
        let dtypes = (0..outputs)
            .map(|i| known("dtype", calls::primitive_get_output_dtype(&handle, place(i))?, Dtype::from_number))
            .collect::<Result<_>>()?;
        Ok(Self { handle: Arc::new(handle), dtypes })
    }

    /// Executes it on inputs in the operator's order, without constants, then the tensors of post-ops. The library places the
    /// results.
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) for a dtype, rank, dim or number of tensors,
    /// [`OutOfBounds`](crate::Error::OutOfBounds) for a dim that breaks a promise,
    /// [`InvalidData`](crate::Error::InvalidData) for values found wrong on the way.
    pub fn execute(&self, stream: &mut Stream, inputs: &[TensorView<'_>]) -> Result<Vec<Output>> {
        let mut slots: Vec<Slot> = self.dtypes.iter().map(|&d| Slot::placed(d)).collect();
        calls::primitive_execute(&self.handle, &stream.handle, inputs, &mut slots)?;
        let outputs = slots.into_iter().map(Output::placed).collect();
        stream.finish()?;
        Ok(outputs)
    }

    /// As [`execute`](Self::execute), into the caller's memory, whose views have the dims that
    /// [`output_dims`](Self::output_dims) reports. Nothing is allocated, but that the stream's scratch memory grows when a
    /// primitive needs more than any before.
    pub fn execute_into(
        &self,
        stream: &mut Stream,
        inputs: &[TensorView<'_>],
        outputs: &mut [TensorViewMut<'_>],
    ) -> Result<()> {
        calls::primitive_execute(&self.handle, &stream.handle, inputs, TensorViewMut::as_slots(outputs))?;
        stream.finish()
    }

    /// As [`execute_into`](Self::execute_into), in scratch memory of the caller, for attributes with
    /// [`Scratchpad::Caller`](crate::Scratchpad::Caller). Nothing is allocated.
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) also for less scratch than
    /// [`scratch_bytes`](Self::scratch_bytes) reports.
    pub fn execute_in(
        &self,
        stream: &mut Stream,
        inputs: &[TensorView<'_>],
        outputs: &mut [TensorViewMut<'_>],
        scratch: &mut [CacheLine],
    ) -> Result<()> {
        models::primitive_execute_in(&self.handle, &stream.handle, inputs, outputs, scratch)?;
        stream.finish()
    }

    /// The dims of an output for these inputs, which it checks; their data does not count.
    pub fn output_dims(&self, inputs: &[TensorView<'_>], index: usize) -> Result<Vec<usize>> {
        let dims = calls::primitive_get_output_dims(&self.handle, inputs, place(index))?;
        Ok(dims.values.iter().take(dims.rank as usize).map(|&d| d as usize).collect())
    }

    /// The element types of the outputs.
    pub fn output_dtypes(&self) -> &[Dtype] {
        &self.dtypes
    }

    /// How many bytes of scratch an execution with these tensors needs.
    pub fn scratch_bytes(
        &self,
        stream: &mut Stream,
        inputs: &[TensorView<'_>],
        outputs: &mut [TensorViewMut<'_>],
    ) -> Result<usize> {
        Ok(calls::primitive_get_scratch_bytes(&self.handle, &stream.handle, inputs, outputs)? as usize)
    }

    /// The memory order in which the kernel reads an input without a copy, as axes, outermost first; empty: any.
    pub fn input_order(&self, index: usize) -> Result<Vec<usize>> {
        self.order(0, index)
    }

    /// The memory order in which the kernel writes an output without a copy, as axes, outermost first; empty: any.
    pub fn output_order(&self, index: usize) -> Result<Vec<usize>> {
        self.order(1, index)
    }

    fn order(&self, output: i32, index: usize) -> Result<Vec<usize>> {
        let order = calls::primitive_get_order(&self.handle, output, place(index))?;
        Ok(order.values.iter().take(order.rank as usize).map(|&a| a as usize).collect())
    }

    /// The name of its kernel.
    pub fn kernel(&self) -> Result<String> {
        Ok(calls::primitive_get_kernel(&self.handle)?.0)
    }

    /// A number that is equal for two primitives of a process exactly if they hold the same kernel object.
    pub fn kernel_identity(&self) -> Result<u64> {
        Ok(calls::primitive_get_kernel(&self.handle)?.1)
    }

    /// The kernels that were considered, in order of preference, and why others were refused.
    pub fn candidates(&self) -> Result<Vec<Candidate>> {
        let count = calls::primitive_get_candidate_count(&self.handle)?;
        (0..count).map(|i| calls::primitive_get_candidate(&self.handle, i)).collect()
    }

    /// How it came to be and how long that took.
    pub fn creation(&self) -> Result<PrimitiveCreation> {
        calls::primitive_query_creation(&self.handle)
    }

    /// The packed constants that it holds.
    ///
    /// Errors: [`NotFound`](crate::Error::NotFound) if it has none.
    pub fn weights(&self) -> Result<Weights> {
        Ok(Weights::of(calls::primitive_acquire_weights(&self.handle)?))
    }

    /// An explanation as JSON: kernel, tier, attributes, why the other kernels were refused; with inputs also output dims.
    pub fn explain(&self, inputs: &[TensorView<'_>]) -> Result<String> {
        calls::primitive_explain(&self.handle, inputs)
    }

    /// The line that an execution with these tensors would log, for `anydim replay`; nothing is run.
    pub fn line(
        &self,
        stream: &mut Stream,
        inputs: &[TensorView<'_>],
        outputs: &mut [TensorViewMut<'_>],
    ) -> Result<String> {
        calls::primitive_format_line(&self.handle, &stream.handle, inputs, outputs)
    }

    /// Every kernel for these tensors as JSON, in order of preference; with `repeats` each is also run that often and its median
    /// reported, which takes as long as that takes and writes the outputs.
    pub fn choices(
        &self,
        stream: &mut Stream,
        inputs: &[TensorView<'_>],
        outputs: &mut [TensorViewMut<'_>],
        repeats: usize,
    ) -> Result<String> {
        calls::primitive_compare_kernels(&self.handle, &stream.handle, inputs, outputs, place(repeats))
    }
}

fn place(index: usize) -> i32 {
    i32::try_from(index).unwrap_or(i32::MAX)
}

impl<'a, O: Operator> PrimitiveBuilder<'a, O> {
    /// The next operand comes with each call and will be as described.
    #[must_use]
    pub fn input(mut self, desc: Desc) -> Self {
        self.misplaced = self.misplaced.or(self.omitted);
        self.inputs.push(desc);
        self.operands += 1;
        self
    }

    /// The next operand is constant: its values are packed when the primitive is made. Any operand may be.
    #[must_use]
    pub fn constant(mut self, values: impl Into<TensorView<'a>>) -> Self {
        self.constants.push((self.operands, values.into()));
        self.operands += 1;
        self
    }

    /// The next operand, an optional one, is left out; what is given after it is constant. Operands behind the last one that is
    /// given need no word.
    ///
    /// ```
    /// use anydim::operators::LayerNorm;
    /// use anydim::{Desc, Dim, Engine, Primitive, TensorView};
    ///
    /// let cpu = Engine::cpu()?;
    /// let norm = Primitive::builder(&cpu, LayerNorm::new())
    ///     .input(Desc::f32([Dim::dynamic(1..=64), 2.into()]))
    ///     .omit()                                            // without a scale
    ///     .constant(TensorView::new(&[0.5f32, 4.0], &[2])?)
    ///     .build()?;
    /// let y = norm.execute(&mut cpu.stream()?, &[TensorView::new(&[3.0f32, 3.0], &[1, 2])?])?;
    /// assert_eq!(y[0].as_slice::<f32>()?, [0.5, 4.0]);
    /// # Ok::<(), anydim::Error>(())
    /// ```
    #[must_use]
    pub fn omit(mut self) -> Self {
        self.omitted = self.omitted.or(Some(self.operands));
        self.operands += 1;
        self
    }

    /// All operands that are not described as inputs are in these weights.
    #[must_use]
    pub fn weights(mut self, weights: &Weights) -> Self {
        self.weights = Some(weights.clone());
        self
    }

    /// Post-ops, policies, scales.
    #[must_use]
    pub fn attributes(mut self, attributes: Attributes) -> Self {
        self.attributes = attributes;
        self
    }

    /// Makes the primitive: in microseconds, but for packing constants, and for measuring where the reuse policy asks for it.
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) for what the operator's shape rule refuses,
    /// [`Unimplemented`](crate::Error::Unimplemented) with every kernel's refusal, and for an operand that is left out before an
    /// input.
    pub fn build(self) -> Result<Primitive> {
        if self.weights.is_some() && !self.constants.is_empty() {
            return Err(invalid(
                "weights",
                "weights were given beside constants; they hold the operator's constants",
            ));
        }
        if let Some(operand) = self.misplaced {
            return Err(unimplemented(format!(
                "operand {operand} of {} is left out and a later one comes with each call; expected a constant",
                O::KIND
            )));
        }
        let (descs, attr, engine) = (handles(&self.inputs)?, self.attributes.handle()?, &self.engine.handle);
        let (operands, views): (Vec<i32>, Vec<TensorView<'_>>) = self.constants.iter().copied().unzip();
        let handle = self.operator.with_head(|op| {
            if views.is_empty() {
                let weights = self.weights.as_ref().map(|w| &*w.handle);
                return calls::primitive_create(engine, op, Some(&attr), &descs, weights);
            }
            calls::primitive_create_with_constants(engine, op, Some(&attr), &descs, &views, Some(&operands))
        })?;
        Primitive::of(handle, self.operator.outputs())
    }
}
