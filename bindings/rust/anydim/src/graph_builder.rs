// SPDX-License-Identifier: Apache-2.0
//! Models that a program puts together from ONNX operators.

use crate::edge::elements::AnyBits;
use crate::edge::handles::ModelBuilderHandle;
use crate::edge::{c_string, calls, models};
use crate::{Dtype, Result};

/// A graph of ONNX operators, which a program puts together call by call: a model without a file. Values are their names.
/// [`ModelBuilder::load_graph`](crate::ModelBuilder::load_graph) makes models of it.
///
/// ```
/// use anydim::{Dtype, GraphBuilder, Model, Session, TensorView};
/// let mut graph = GraphBuilder::new()?;
/// graph.opset("", 17)?.input("x", Dtype::F32, &[-1, 3])?.symbol("x", 0, "batch")?;
/// graph.constant("w", vec![1f32, 2.0, 3.0], &[1, 3])?;
/// graph.node("Gemm", &["x", "w"], &["h"])?.integer("transB", 1)?;
/// graph.node("Relu", &["h"], &["y"])?;
/// graph.output("y")?;
/// let session = Session::builder().over(&Model::builder().load_graph(&graph)?)?;
/// let y = session.run([("x", TensorView::new(&[1f32, 1.0, 1.0, -1.0, 0.0, 0.0], &[2, 3])?)])?;
/// assert_eq!(y[0].to_vec::<f32>()?, [6.0, 0.0]);
/// # Ok::<(), anydim::Error>(())
/// ```
#[derive(Debug)]
pub struct GraphBuilder(pub(crate) ModelBuilderHandle);

/// The node that was added last, for its attributes.
#[derive(Debug)]
pub struct GraphNode<'a>(&'a mut GraphBuilder);

fn numbers(dims: &[usize]) -> Vec<i64> {
    dims.iter().map(|&d| i64::try_from(d).unwrap_or(i64::MAX)).collect()
}

impl GraphBuilder {
    /// An empty graph.
    pub fn new() -> Result<Self> {
        Ok(Self(calls::model_builder_create()?))
    }

    /// Says which version of a domain's operators the nodes mean, those in bodies too. ONNX's own domain is empty.
    pub fn opset(&mut self, domain: &str, version: i64) -> Result<&mut Self> {
        calls::model_builder_set_opset(&self.0, &c_string(domain.as_bytes(), "domain")?, version)?;
        Ok(self)
    }

    /// Adds an input. Its dims come outermost first; -1 is a dynamic one.
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) for a name that is taken, and for dims that cannot be.
    pub fn input(&mut self, name: &str, dtype: Dtype, dims: &[i64]) -> Result<&mut Self> {
        calls::model_builder_add_input(&self.0, &c_string(name.as_bytes(), "name")?, dtype as i32, dims)?;
        Ok(self)
    }

    /// Names a dynamic dim of an input: dims of one name are equal in every run.
    pub fn symbol(&mut self, input: &str, axis: usize, symbol: &str) -> Result<&mut Self> {
        let (input, symbol) = (c_string(input.as_bytes(), "input")?, c_string(symbol.as_bytes(), "symbol")?);
        calls::model_builder_set_symbol(&self.0, &input, i32::try_from(axis).unwrap_or(i32::MAX), &symbol)?;
        Ok(self)
    }

    /// Adds a constant, without a copy: what models do not pack they refer to, and the vector is freed when neither the graph nor a
    /// model uses it any more.
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) for another number of elements than the dims say.
    pub fn constant<T: AnyBits + Send + Sync>(
        &mut self,
        name: &str,
        values: Vec<T>,
        dims: &[usize],
    ) -> Result<&mut Self> {
        models::model_builder_add_constant(&self.0, &c_string(name.as_bytes(), "name")?, values, &numbers(dims))?;
        Ok(self)
    }

    /// Adds a node of ONNX's own domain. An empty input is absent, an empty output not wanted.
    pub fn node(&mut self, op_type: &str, inputs: &[&str], outputs: &[&str]) -> Result<GraphNode<'_>> {
        self.named_node(op_type, "", "", inputs, outputs)
    }

    /// As [`node`](Self::node), of any domain, and with a name, by which errors call it.
    pub fn named_node(
        &mut self,
        op_type: &str,
        domain: &str,
        name: &str,
        inputs: &[&str],
        outputs: &[&str],
    ) -> Result<GraphNode<'_>> {
        let (op_type, domain) = (c_string(op_type.as_bytes(), "op_type")?, c_string(domain.as_bytes(), "domain")?);
        calls::model_builder_add_node(&self.0, &op_type, &domain, &c_string(name.as_bytes(), "name")?)?;
        for value in inputs {
            calls::model_builder_add_node_input(&self.0, &c_string(value.as_bytes(), "inputs")?)?;
        }
        for value in outputs {
            calls::model_builder_add_node_output(&self.0, &c_string(value.as_bytes(), "outputs")?)?;
        }
        Ok(GraphNode(self))
    }

    /// Makes a value an output.
    pub fn output(&mut self, name: &str) -> Result<&mut Self> {
        calls::model_builder_add_output(&self.0, &c_string(name.as_bytes(), "name")?)?;
        Ok(self)
    }

    /// Says what a value between nodes is, for [`refusal`](Self::refusal).
    pub fn value_type(&mut self, name: &str, dtype: Dtype, dims: &[i64]) -> Result<&mut Self> {
        calls::model_builder_add_value_type(&self.0, &c_string(name.as_bytes(), "name")?, dtype as i32, dims)?;
        Ok(self)
    }

    /// Why a model cannot have a node, by its number from 0; `None` if it can. For programs that pass parts of a graph.
    pub fn refusal(&mut self, node: usize) -> Result<Option<String>> {
        let why = calls::model_builder_get_refusal(&self.0, i32::try_from(node).unwrap_or(i32::MAX))?;
        Ok(Some(why).filter(|text| !text.is_empty()))
    }
}

impl GraphNode<'_> {
    /// Sets an attribute to an integer.
    pub fn integer(self, attribute: &str, value: i64) -> Result<Self> {
        calls::model_builder_set_node_integer(&self.0 .0, &c_string(attribute.as_bytes(), "attribute")?, value)?;
        Ok(self)
    }

    /// Sets an attribute to a list of integers.
    pub fn integers(self, attribute: &str, values: &[i64]) -> Result<Self> {
        calls::model_builder_set_node_integers(&self.0 .0, &c_string(attribute.as_bytes(), "attribute")?, values)?;
        Ok(self)
    }

    /// Sets an attribute to a number.
    pub fn real(self, attribute: &str, value: f32) -> Result<Self> {
        calls::model_builder_set_node_real(&self.0 .0, &c_string(attribute.as_bytes(), "attribute")?, value)?;
        Ok(self)
    }

    /// Sets an attribute to a list of numbers.
    pub fn reals(self, attribute: &str, values: &[f32]) -> Result<Self> {
        calls::model_builder_set_node_reals(&self.0 .0, &c_string(attribute.as_bytes(), "attribute")?, values)?;
        Ok(self)
    }

    /// Sets an attribute to a text.
    pub fn text(self, attribute: &str, value: &str) -> Result<Self> {
        let value = c_string(value.as_bytes(), "value")?;
        calls::model_builder_set_node_text(&self.0 .0, &c_string(attribute.as_bytes(), "attribute")?, &value)?;
        Ok(self)
    }

    /// Sets an attribute to a list of texts, at least one.
    pub fn texts(self, attribute: &str, values: &[&str]) -> Result<Self> {
        let attribute = c_string(attribute.as_bytes(), "attribute")?;
        for value in values {
            calls::model_builder_append_node_text(&self.0 .0, &attribute, &c_string(value.as_bytes(), "values")?)?;
        }
        Ok(self)
    }

    /// Sets an attribute to a tensor, which is copied.
    pub fn tensor<T: AnyBits>(self, attribute: &str, values: &[T], dims: &[usize]) -> Result<Self> {
        let attribute = c_string(attribute.as_bytes(), "attribute")?;
        models::model_builder_node_tensor(&self.0 .0, &attribute, values, &numbers(dims))?;
        Ok(self)
    }

    /// Sets an attribute to a body as it is now: a branch of an If, what a Loop or Scan repeats.
    pub fn body(self, attribute: &str, body: &GraphBuilder) -> Result<Self> {
        calls::model_builder_set_node_body(&self.0 .0, &c_string(attribute.as_bytes(), "attribute")?, &body.0)?;
        Ok(self)
    }
}
