// SPDX-License-Identifier: Apache-2.0
//! Operators of the program's own, for nodes of models that it loads.

use std::sync::Arc;

use crate::edge::custom::{CustomFailure, CustomInput, CustomNode, CustomOperatorsHandle, CustomOutput};
use crate::{Dtype, Result};

/// An operator of the program's: a rule of shapes and a kernel. One value serves all nodes of its domain and name, on any thread, several
/// at once.
///
/// ```
/// use anydim::{CustomFailure, CustomInput, CustomNode, CustomOperator, CustomOperators, CustomOutput, Dtype};
///
/// struct Power;
///
/// impl CustomOperator for Power {
///     fn shapes(&self, _: &CustomNode<'_>, x: &[CustomInput<'_>]) -> Result<Vec<(Dtype, Vec<i64>)>, CustomFailure> {
///         Ok(vec![(Dtype::F32, x[0].dims().to_vec())])                   // as many elements as there were
///     }
///     fn compute(&self, node: &CustomNode<'_>, x: &[CustomInput<'_>], y: &mut [CustomOutput<'_>]) -> Result<(), CustomFailure> {
///         let exponent = node.integers("exponent").map_or(2, |e| e[0]);
///         for (to, from) in y[0].as_mut_slice::<f32>()?.iter_mut().zip(x[0].as_slice::<f32>()?) {
///             *to = from.powi(exponent as i32);
///         }
///         Ok(())
///     }
/// }
///
/// let operators = CustomOperators::new()?;
/// operators.add("my.domain", "Power", Power)?;
/// let builder = anydim::Model::builder().operators(&operators);           // and load a model with it
/// # let _ = builder;
/// # Ok::<(), anydim::Error>(())
/// ```
pub trait CustomOperator: Send + Sync + 'static {
    /// The dtype and dims of each output. It is called when a model is loaded, with a negative number for each dim that is not known then;
    /// an output that has this dim has the number, too. -1 as a dim says that only a run finds it: then this is called in each run, too,
    /// with all dims and elements, and answers with numbers.
    ///
    /// Errors: why there is no such node.
    fn shapes(
        &self,
        node: &CustomNode<'_>,
        inputs: &[CustomInput<'_>],
    ) -> std::result::Result<Vec<(Dtype, Vec<i64>)>, CustomFailure>;

    /// The kernel: writes the elements of all outputs. It may use this crate, but not the session that runs it.
    ///
    /// Errors: why it cannot; the run fails with it.
    fn compute(
        &self,
        node: &CustomNode<'_>,
        inputs: &[CustomInput<'_>],
        outputs: &mut [CustomOutput<'_>],
    ) -> std::result::Result<(), CustomFailure>;
}

/// A set of operators of the program's own, for [`ModelBuilder::operators`](crate::ModelBuilder::operators). Clones are the same set.
#[derive(Clone, Debug)]
pub struct CustomOperators(pub(crate) Arc<CustomOperatorsHandle>);

impl CustomOperators {
    /// A set without any.
    pub fn new() -> Result<Self> {
        Ok(Self(Arc::new(CustomOperatorsHandle::create()?)))
    }

    /// Adds an operator. Models that are loaded with the set compute their nodes of this domain and name with it, before a function of
    /// the model's or an operator of the library's; ONNX's own domain is empty. They keep it: the set may go.
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) for an operator that the set has already.
    pub fn add(&self, domain: &str, op_type: &str, operator: impl CustomOperator) -> Result<()> {
        self.0.add(domain, op_type, Box::new(operator))
    }
}
