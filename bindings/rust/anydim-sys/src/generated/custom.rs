// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! Operators that a program brings itself, for nodes of models that it loads.

use std::os::raw::{c_char, c_void};

#[allow(unused_imports)] // documentation names types of other modules
use super::*;

/// What [`anydim_custom_operators_t`] names; it is never looked into.
#[repr(C)]
#[derive(Debug)]
pub struct anydim_custom_operators_s {
    _private: [u8; 0],
}
/// Operators of the program's own, by domain and name. They go into [`anydim_model_options_t`]. One user at a time.
pub type anydim_custom_operators_t = *mut anydim_custom_operators_s;

/// What an attribute of a node is, and what its data points to.
pub type anydim_custom_attribute_type_t = i32;
/// One int64_t or a list of them, as many as count.
pub const ANYDIM_CUSTOM_ATTRIBUTE_INTEGERS: anydim_custom_attribute_type_t = 1;
/// One float or a list of them.
pub const ANYDIM_CUSTOM_ATTRIBUTE_REALS: anydim_custom_attribute_type_t = 2;
/// One [`anydim_string_t`] or a list of them.
pub const ANYDIM_CUSTOM_ATTRIBUTE_TEXTS: anydim_custom_attribute_type_t = 3;
/// One tensor as a view, dense and row-major.
pub const ANYDIM_CUSTOM_ATTRIBUTE_TENSOR: anydim_custom_attribute_type_t = 4;

/// The rule of shapes of an operator: writes dtype and dims of each output. It returns a status, 0 for success;
/// [`anydim_custom_operator_fail`] says why it is another. It is called when a model is loaded, with a negative
/// number for each dim that is not known then: the same number stands for the same dim, and an output that has this
/// dim has the number, too. -1 as a dim of an output says that only a run finds it. Then the rule is called in each
/// run, too, with all dims and all data, and answers with numbers; and with bounds once when a context is made, with
/// the largest inputs, whose answer no run may exceed. Data of an input is null where it is not known. Inputs are
/// dense and row-major; one that is absent has dtype 0.
///
/// Thread rule: Any thread, several at once: the one that loads the model, makes a context, or runs.
///
/// - `user`: The environment that was given with it.
/// - `node`: The node.
/// - `inputs`: Its inputs.
/// - `input_count`: Their number.
/// - `outputs`: Its outputs: dtype and dims are written.
/// - `output_count`: Their number.
pub type anydim_custom_shapes_callback_t = Option<unsafe extern "C" fn(user: *mut c_void, node: *const anydim_custom_node_t, inputs: *const anydim_view_t, input_count: i64, outputs: *mut anydim_view_t, output_count: i64) -> i32>;

/// The kernel of an operator: writes the elements of all outputs, whose memory is there, dense and row-major as that
/// of the inputs. It returns a status, 0 for success; [`anydim_custom_operator_fail`] says why it is another, and
/// the run fails with it. It may use the library, but not the context or session that runs it.
///
/// Thread rule: Any thread, several at once: the one that runs the model, a thread of the library's for runs that
/// were submitted.
///
/// - `user`: The environment that was given with it.
/// - `node`: The node.
/// - `inputs`: Its inputs.
/// - `input_count`: Their number.
/// - `outputs`: Its outputs: data is where the elements are written.
/// - `output_count`: Their number.
pub type anydim_custom_compute_callback_t = Option<unsafe extern "C" fn(user: *mut c_void, node: *const anydim_custom_node_t, inputs: *const anydim_view_t, input_count: i64, outputs: *mut anydim_view_t, output_count: i64) -> i32>;

/// A node of a model whose operator is the program's. It stays as it is as long as the model.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_custom_node_t {
    /// Its name in the model.
    pub name: anydim_string_t,
    /// The domain of its operator.
    pub domain: anydim_string_t,
    /// The operator's name.
    pub op_type: anydim_string_t,
    /// Version of the domain that the model imports.
    pub version: i64,
    /// Number of its attributes ([`anydim_custom_node_get_attribute`]).
    pub attributes: i64,
    /// The library's own.
    pub facts: *mut c_void,
}

impl anydim_custom_node_t {
    /// All zero.
    pub const INIT: Self = Self {
        name: anydim_string_t::INIT,
        domain: anydim_string_t::INIT,
        op_type: anydim_string_t::INIT,
        version: 0,
        attributes: 0,
        facts: std::ptr::null_mut(),
    };
}

impl Default for anydim_custom_node_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// An attribute of a node.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_custom_attribute_t {
    /// Its name.
    pub name: anydim_string_t,
    /// What it is.
    pub r#type: anydim_custom_attribute_type_t,
    /// 1 if the model has a list, which may have one entry.
    pub is_list: i32,
    /// Number of entries.
    pub count: i64,
    /// The entries, to be read; as the type says.
    pub data: *mut c_void,
}

impl anydim_custom_attribute_t {
    /// All zero.
    pub const INIT: Self = Self {
        name: anydim_string_t::INIT,
        r#type: 0,
        is_list: 0,
        count: 0,
        data: std::ptr::null_mut(),
    };
}

impl Default for anydim_custom_attribute_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// An operator of the program's. One operator serves all nodes of its domain and name, and all models that are
/// loaded with it. The finalizer is called once, when neither models nor [`anydim_custom_operators_t`] use it any
/// more; not if [`anydim_custom_operators_add`] fails.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_custom_operator_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// Zero.
    pub reserved: i32,
    /// Its rule of shapes.
    pub shapes: anydim_custom_shapes_callback_t,
    /// Its kernel.
    pub compute: anydim_custom_compute_callback_t,
    /// Passed to the callbacks.
    pub user: *mut c_void,
    /// Called when neither is called any more; or null.
    pub finalizer: anydim_finalizer_callback_t,
}

impl anydim_custom_operator_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        reserved: 0,
        shapes: None,
        compute: None,
        user: std::ptr::null_mut(),
        finalizer: None,
    };
}

impl Default for anydim_custom_operator_t {
    fn default() -> Self {
        Self::INIT
    }
}

extern "C" {
    /// Makes a set of operators of the program's, without any.
    ///
    /// - `operators` (out, the caller destroys it): The set.
    ///
    /// Experimental; slot 306.
    pub fn anydim_custom_operators_create(
        operators: *mut anydim_custom_operators_t,
    ) -> anydim_status_t;
    /// Destroys a set; models that were loaded with it keep its operators.
    ///
    /// - `custom_operators`: The handle, or null.
    ///
    /// Experimental; slot 307.
    pub fn anydim_custom_operators_destroy(custom_operators: anydim_custom_operators_t);
    /// Adds an operator. Models that are loaded with the set have their nodes of this domain and name computed by
    /// it, before a function of the model's or an operator of the library's; on the CPU, as they are: nothing is
    /// fused with them. Errors: invalid_argument for a callback that is missing, for an operator that the set has
    /// already, and for If, Loop, Scan and SequenceMap of ONNX.
    ///
    /// - `operators`: The set.
    /// - `domain`: The operator's domain, as the model has it; empty for ONNX's own.
    /// - `op_type`: The operator's name.
    /// - `definition`: The operator.
    ///
    /// Experimental; slot 308; fails with `invalid_argument`, `busy`.
    pub fn anydim_custom_operators_add(
        operators: anydim_custom_operators_t,
        domain: *const c_char,
        op_type: *const c_char,
        definition: *const anydim_custom_operator_t,
    ) -> anydim_status_t;
    /// For a callback of an operator: says why it fails. The text stands behind the node's name in the message of
    /// the call that fails, and holds for the failure that this thread's callback returns next.
    ///
    /// - `message`: The reason; it is copied.
    ///
    /// Experimental; slot 309.
    pub fn anydim_custom_operator_fail(message: *const c_char);
    /// Returns an attribute of a node. Errors: not_found past the last.
    ///
    /// - `node`: The node.
    /// - `index`: Which, from 0.
    /// - `attribute` (out): The attribute.
    ///
    /// Experimental; slot 310; fails with `invalid_argument`, `not_found`.
    pub fn anydim_custom_node_get_attribute(
        node: *const anydim_custom_node_t,
        index: i64,
        attribute: *mut anydim_custom_attribute_t,
    ) -> anydim_status_t;
    /// Finds an attribute of a node by its name. Errors: not_found for one that the model does not set: use the
    /// operator's default.
    ///
    /// - `node`: The node.
    /// - `name`: Its name.
    /// - `attribute` (out): The attribute.
    ///
    /// Experimental; slot 311; fails with `invalid_argument`, `not_found`.
    pub fn anydim_custom_node_find_attribute(
        node: *const anydim_custom_node_t,
        name: *const c_char,
        attribute: *mut anydim_custom_attribute_t,
    ) -> anydim_status_t;
}
