// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! Models that a program builds call by call, from ONNX operators, instead of loading a file.

use std::os::raw::{c_char, c_void};

#[allow(unused_imports)] // documentation names types of other modules
use super::*;

/// What [`anydim_model_builder_t`] names; it is never looked into.
#[repr(C)]
#[derive(Debug)]
pub struct anydim_model_builder_s {
    _private: [u8; 0],
}
/// A graph of ONNX operators while a program puts it together. Models are made from it, or it becomes the body of a
/// branch or loop. One user at a time.
pub type anydim_model_builder_t = *mut anydim_model_builder_s;

extern "C" {
    /// Makes an empty graph. Operators mean what the ONNX standard says of their names; docs/onnx.md lists those
    /// that are here. Strings are copied. Order counts for inputs, outputs and what belongs to a node, not for
    /// nodes.
    ///
    /// - `builder` (out, the caller destroys it): The graph.
    ///
    /// Experimental; slot 260.
    pub fn anydim_model_builder_create(builder: *mut anydim_model_builder_t) -> anydim_status_t;
    /// Destroys a graph. Models that were made from it, and graphs that have it as a body, stay as they are.
    ///
    /// - `model_builder`: The handle, or null.
    ///
    /// Experimental; slot 261.
    pub fn anydim_model_builder_destroy(model_builder: anydim_model_builder_t);
    /// Says which version of a domain's operators the nodes mean, those in bodies too; a second call changes it.
    /// Errors: invalid_argument for a version below 1. A version that is not here is refused when the model is made.
    ///
    /// - `builder`: The graph.
    /// - `domain`: The domain; empty for ONNX's own.
    /// - `version`: The version.
    ///
    /// Experimental; slot 262; fails with `invalid_argument`, `busy`.
    pub fn anydim_model_builder_set_opset(
        builder: anydim_model_builder_t,
        domain: *const c_char,
        version: i64,
    ) -> anydim_status_t;
    /// Adds an input. In a body these are the inputs that the branch or loop passes. Errors: invalid_argument for an
    /// empty name, one that is taken, a dtype that is none, a rank outside 0..8, and a dim below -1.
    ///
    /// - `builder`: The graph.
    /// - `name`: Its name.
    /// - `dtype`: Element type.
    /// - `rank`: Number of dims.
    /// - `dims`: The dims, outermost first; -1 where dynamic.
    ///
    /// Experimental; slot 263; fails with `invalid_argument`, `busy`.
    pub fn anydim_model_builder_add_input(
        builder: anydim_model_builder_t,
        name: *const c_char,
        dtype: anydim_dtype_t,
        rank: i32,
        dims: *const i64,
    ) -> anydim_status_t;
    /// Names a dynamic dim of an input: dims of one name are equal in every run, which is checked. A dim without a
    /// name has a value of its own. Errors: not_found for an input that is not there, invalid_argument for an axis
    /// outside of its rank and for a dim that is a number.
    ///
    /// - `builder`: The graph.
    /// - `input`: The input's name.
    /// - `axis`: Which dim, from 0.
    /// - `symbol`: The dim's name.
    ///
    /// Experimental; slot 264; fails with `invalid_argument`, `not_found`, `busy`.
    pub fn anydim_model_builder_set_symbol(
        builder: anydim_model_builder_t,
        input: *const c_char,
        axis: i32,
        symbol: *const c_char,
    ) -> anydim_status_t;
    /// Makes a value an output; of which node it comes, or that it is an input or constant, is looked for when the
    /// model is made. Errors: invalid_argument for an empty name and for an output that is one already.
    ///
    /// - `builder`: The graph.
    /// - `name`: The value's name, which the output has too.
    ///
    /// Experimental; slot 265; fails with `invalid_argument`, `busy`.
    pub fn anydim_model_builder_add_output(
        builder: anydim_model_builder_t,
        name: *const c_char,
    ) -> anydim_status_t;
    /// Adds a constant, whose elements are read where they lie: row-major and dense, at any address. They must stay,
    /// with the same values, until the graph is destroyed. What a model packs it packs from there, and what it keeps
    /// as it is it copies, so that weights are in memory once when the caller frees his own. With a finalizer they
    /// stay longer: models refer to what they do not pack, without a copy, and the finalizer is called when neither
    /// the graph nor a model uses them any more; on any thread. It is not called if this function fails.
    ///
    /// Errors: invalid_argument for an empty name, one that is taken, a dtype that is none, a rank outside 0..8, a
    /// negative dim, sizes beyond int64_t, and for null where there are elements.
    ///
    /// - `builder`: The graph.
    /// - `name`: Its name.
    /// - `dtype`: Element type.
    /// - `rank`: Number of dims.
    /// - `dims`: The dims, outermost first.
    /// - `data` (may be null): The first element; null is accepted where there is none.
    /// - `finalizer` (may be null): Called when nothing uses the elements any more; or null, see above.
    /// - `user` (may be null): Passed to the finalizer.
    ///
    /// Experimental; slot 266; fails with `invalid_argument`, `busy`.
    pub fn anydim_model_builder_add_constant(
        builder: anydim_model_builder_t,
        name: *const c_char,
        dtype: anydim_dtype_t,
        rank: i32,
        dims: *const i64,
        data: *mut c_void,
        finalizer: anydim_finalizer_callback_t,
        user: *mut c_void,
    ) -> anydim_status_t;
    /// Adds a node, to which the functions model_builder_node_... add until the next one. Errors: invalid_argument
    /// for an empty operator. Whether it is an operator that is here is asked when the model is made.
    ///
    /// - `builder`: The graph.
    /// - `op_type`: The operator, as ONNX calls it.
    /// - `domain`: Its domain; empty for ONNX's own.
    /// - `name`: The node's name, by which errors and explanations call it; empty: that of its first output.
    ///
    /// Experimental; slot 267; fails with `invalid_argument`, `busy`.
    pub fn anydim_model_builder_add_node(
        builder: anydim_model_builder_t,
        op_type: *const c_char,
        domain: *const c_char,
        name: *const c_char,
    ) -> anydim_status_t;
    /// Adds an input to the node: the name of a graph's input, of a constant, of an output of a node that is there
    /// or comes later, or, in a body, of a value around it. Errors: invalid_argument before the first node.
    ///
    /// - `builder`: The graph.
    /// - `value`: The value's name; empty: an optional input that is absent.
    ///
    /// Experimental; slot 268; fails with `invalid_argument`, `busy`.
    pub fn anydim_model_builder_add_node_input(
        builder: anydim_model_builder_t,
        value: *const c_char,
    ) -> anydim_status_t;
    /// Adds an output to the node. Errors: invalid_argument before the first node, and for a name that is taken.
    ///
    /// - `builder`: The graph.
    /// - `value`: Its name; empty: an output that no node reads.
    ///
    /// Experimental; slot 269; fails with `invalid_argument`, `busy`.
    pub fn anydim_model_builder_add_node_output(
        builder: anydim_model_builder_t,
        value: *const c_char,
    ) -> anydim_status_t;
    /// Sets an attribute of the node to an integer. This and the functions for the other types return
    /// invalid_argument before the first node, for an empty name, and for an attribute that the node has already.
    ///
    /// - `builder`: The graph.
    /// - `attribute`: Its name.
    /// - `value`: The value.
    ///
    /// Experimental; slot 270; fails with `invalid_argument`, `busy`.
    pub fn anydim_model_builder_set_node_integer(
        builder: anydim_model_builder_t,
        attribute: *const c_char,
        value: i64,
    ) -> anydim_status_t;
    /// Sets an attribute of the node to a list of integers.
    ///
    /// - `builder`: The graph.
    /// - `attribute`: Its name.
    /// - `values`: The values.
    /// - `count`: Their number.
    ///
    /// Experimental; slot 271; fails with `invalid_argument`, `busy`.
    pub fn anydim_model_builder_set_node_integers(
        builder: anydim_model_builder_t,
        attribute: *const c_char,
        values: *const i64,
        count: i64,
    ) -> anydim_status_t;
    /// Sets an attribute of the node to a number of binary32.
    ///
    /// - `builder`: The graph.
    /// - `attribute`: Its name.
    /// - `value`: The value.
    ///
    /// Experimental; slot 272; fails with `invalid_argument`, `busy`.
    pub fn anydim_model_builder_set_node_real(
        builder: anydim_model_builder_t,
        attribute: *const c_char,
        value: f32,
    ) -> anydim_status_t;
    /// Sets an attribute of the node to a list of numbers of binary32.
    ///
    /// - `builder`: The graph.
    /// - `attribute`: Its name.
    /// - `values`: The values.
    /// - `count`: Their number.
    ///
    /// Experimental; slot 273; fails with `invalid_argument`, `busy`.
    pub fn anydim_model_builder_set_node_reals(
        builder: anydim_model_builder_t,
        attribute: *const c_char,
        values: *const f32,
        count: i64,
    ) -> anydim_status_t;
    /// Sets an attribute of the node to a text.
    ///
    /// - `builder`: The graph.
    /// - `attribute`: Its name.
    /// - `value`: The text.
    ///
    /// Experimental; slot 274; fails with `invalid_argument`, `busy`.
    pub fn anydim_model_builder_set_node_text(
        builder: anydim_model_builder_t,
        attribute: *const c_char,
        value: *const c_char,
    ) -> anydim_status_t;
    /// Adds a text to an attribute that is a list of texts; the first call makes the list. Errors: as for the
    /// others, and invalid_argument for an attribute of another type.
    ///
    /// - `builder`: The graph.
    /// - `attribute`: Its name.
    /// - `value`: The text.
    ///
    /// Experimental; slot 275; fails with `invalid_argument`, `busy`.
    pub fn anydim_model_builder_append_node_text(
        builder: anydim_model_builder_t,
        attribute: *const c_char,
        value: *const c_char,
    ) -> anydim_status_t;
    /// Sets an attribute of the node to a tensor, row-major and dense, whose elements are copied. Large ones are
    /// better constants, [`anydim_model_builder_add_constant`]. Errors: as for the other types and as there.
    ///
    /// - `builder`: The graph.
    /// - `attribute`: Its name.
    /// - `dtype`: Element type.
    /// - `rank`: Number of dims.
    /// - `dims`: The dims, outermost first.
    /// - `data` (may be null): The first element; null is accepted where there is none.
    ///
    /// Experimental; slot 276; fails with `invalid_argument`, `busy`.
    pub fn anydim_model_builder_set_node_tensor(
        builder: anydim_model_builder_t,
        attribute: *const c_char,
        dtype: anydim_dtype_t,
        rank: i32,
        dims: *const i64,
        data: *mut c_void,
    ) -> anydim_status_t;
    /// Sets an attribute of the node to a graph as it is now: a branch of an If, the body of a Loop or Scan. It may
    /// be changed or destroyed afterwards; its constants must stay until this graph is destroyed, too, unless they
    /// have a finalizer. Errors: as for the other types; busy for the graph itself.
    ///
    /// - `builder`: The graph.
    /// - `attribute`: Its name.
    /// - `body`: The body.
    ///
    /// Experimental; slot 277; fails with `invalid_argument`, `busy`.
    pub fn anydim_model_builder_set_node_body(
        builder: anydim_model_builder_t,
        attribute: *const c_char,
        body: anydim_model_builder_t,
    ) -> anydim_status_t;
    /// Says what a value between nodes is, for [`anydim_model_builder_get_refusal`] alone, which goes on with it
    /// behind a node that is refused. Errors: as [`anydim_model_builder_add_input`].
    ///
    /// - `builder`: The graph.
    /// - `name`: The value's name.
    /// - `dtype`: Element type.
    /// - `rank`: Number of dims.
    /// - `dims`: The dims, outermost first; -1 where dynamic.
    ///
    /// Experimental; slot 278; fails with `invalid_argument`, `busy`.
    pub fn anydim_model_builder_add_value_type(
        builder: anydim_model_builder_t,
        name: *const c_char,
        dtype: anydim_dtype_t,
        rank: i32,
        dims: *const i64,
    ) -> anydim_status_t;
    /// Asks whether a model can have a node, and why not: for programs that pass parts of a graph. All nodes are
    /// imported once, in their order; the result of a refused one counts as an input where
    /// [`anydim_model_builder_add_value_type`] declares its type. The text lives until the graph is changed or
    /// destroyed. A model of all nodes that are not refused can still be refused where kernels are missing. Errors:
    /// not_found past the last node; what is wrong with inputs and constants.
    ///
    /// - `builder`: The graph.
    /// - `node`: Which, from 0, in the order in which nodes were added.
    /// - `why` (out): Why it is refused; empty if it is not.
    ///
    /// Experimental; slot 279; may block; fails with `invalid_argument`, `not_found`, `invalid_model`,
    /// `unimplemented`, `busy`.
    pub fn anydim_model_builder_get_refusal(
        builder: anydim_model_builder_t,
        node: i32,
        why: *mut anydim_string_t,
    ) -> anydim_status_t;
    /// Makes a model of the graph: as [`anydim_model_load_file`] does of a file, from the same point on. The graph
    /// stays, and further models may be made from it. Errors: as there; invalid_model names the node and what is
    /// wrong with it, unimplemented the operators that are missing.
    ///
    /// - `builder`: The graph.
    /// - `engine`: The engine.
    /// - `options` (may be null): Options, or null for the defaults.
    /// - `model` (out, the caller destroys it): The model.
    ///
    /// Experimental; slot 280; may block; fails with `invalid_argument`, `not_found`, `file_not_found`, `io_error`,
    /// `invalid_model`, `unimplemented`, `busy`.
    pub fn anydim_model_builder_create_model(
        builder: anydim_model_builder_t,
        engine: anydim_engine_t,
        options: *const anydim_model_options_t,
        model: *mut anydim_model_t,
    ) -> anydim_status_t;
}
