// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! Primitives - one operator, made for given descriptors - with their attributes and weights.

use std::os::raw::{c_char, c_void};

#[allow(unused_imports)] // documentation names types of other modules
use super::*;

/// What [`anydim_attr_t`] names; it is never looked into.
#[repr(C)]
#[derive(Debug)]
pub struct anydim_attr_s {
    _private: [u8; 0],
}
/// Attributes of primitives to come - reuse policy, math mode, post-ops, scales, zero points, scratchpad mode,
/// forced kernel. What is made with them sees all of a change by another thread, or nothing of it. Many threads may
/// use it at once.
pub type anydim_attr_t = *const anydim_attr_s;

/// What [`anydim_weights_t`] names; it is never looked into.
#[repr(C)]
#[derive(Debug)]
pub struct anydim_weights_s {
    _private: [u8; 0],
}
/// Constant inputs of an operator, packed once and shared by all primitives, shapes and contexts. Many threads may
/// use it at once. It keeps its engine alive.
pub type anydim_weights_t = *const anydim_weights_s;

/// What [`anydim_primitive_t`] names; it is never looked into.
#[repr(C)]
#[derive(Debug)]
pub struct anydim_primitive_s {
    _private: [u8; 0],
}
/// An operator made for given descriptors and attributes, bound to one kernel, ready to execute. Many threads may
/// use it at once. It keeps its engine alive.
pub type anydim_primitive_t = *const anydim_primitive_s;

/// Whose memory a primitive computes in.
pub type anydim_scratchpad_t = i32;
/// The stream's; it grows when a primitive needs more than any before. The default.
pub const ANYDIM_SCRATCHPAD_STREAM: anydim_scratchpad_t = 0;
/// The caller's, passed to [`anydim_primitive_execute`]; nothing is allocated.
pub const ANYDIM_SCRATCHPAD_CALLER: anydim_scratchpad_t = 1;

/// Which operand of a matmul, convolution or conv_transpose.
pub type anydim_operand_t = i32;
/// Its first input.
pub const ANYDIM_OPERAND_INPUT_0: anydim_operand_t = 0;
/// Its second input, the weights of a convolution.
pub const ANYDIM_OPERAND_INPUT_1: anydim_operand_t = 1;
/// Its output.
pub const ANYDIM_OPERAND_RESULT: anydim_operand_t = 2;

/// How a file of packed weights is written.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_save_options_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// 1: the file is on the disk when the call returns; 0: the call does not wait for that, and a crash of the
    /// machine may lose the file.
    pub sync: i32,
}

impl anydim_save_options_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        sync: 1,
    };
}

impl Default for anydim_save_options_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// A kernel that was considered for a primitive.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_candidate_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// 1 for the chosen one.
    pub chosen: i32,
    /// The kernel's name.
    pub name: anydim_string_t,
    /// Why it was not chosen; empty for the chosen one.
    pub refusal: anydim_string_t,
}

impl anydim_candidate_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        chosen: 0,
        name: anydim_string_t::INIT,
        refusal: anydim_string_t::INIT,
    };
}

impl Default for anydim_candidate_t {
    fn default() -> Self {
        Self::INIT
    }
}

extern "C" {
    /// Makes attributes with all defaults. What is made with them copies them.
    ///
    /// - `attr` (out, the caller destroys it): The attributes.
    ///
    /// Stable since 0.1; slot 40.
    pub fn anydim_attr_create(attr: *mut anydim_attr_t) -> anydim_status_t;
    /// Destroys attributes.
    ///
    /// - `attr`: The handle, or null.
    ///
    /// Stable since 0.1; slot 41.
    pub fn anydim_attr_destroy(attr: anydim_attr_t);
    /// Sets the reuse policy of the primitives to come. With [`ANYDIM_REUSE_SPECIALISED`] their creation measures
    /// plans, which takes seconds. Errors: invalid_argument for a policy that is none.
    ///
    /// - `attr`: The attributes.
    /// - `policy`: The policy.
    ///
    /// Experimental; slot 42; fails with `invalid_argument`.
    pub fn anydim_attr_set_reuse(attr: anydim_attr_t, policy: anydim_reuse_t) -> anydim_status_t;
    /// Sets the math mode. An operator without kernels of its own in that mode computes in the one before it, which
    /// [`anydim_primitive_explain`] shows. Errors: invalid_argument for a mode that is none.
    ///
    /// - `attr`: The attributes.
    /// - `mode`: The mode.
    ///
    /// Experimental; slot 43; fails with `invalid_argument`.
    pub fn anydim_attr_set_math(attr: anydim_attr_t, mode: anydim_math_t) -> anydim_status_t;
    /// Appends a post-op that takes a function of each output element, after the operator's bias and the post-ops
    /// before.
    ///
    /// Errors: invalid_argument for a function that is none, unimplemented for a thirteenth post-op.
    ///
    /// - `attr`: The attributes.
    /// - `function`: The function.
    /// - `alpha`: Its first parameter, if it has one.
    /// - `beta`: Its second parameter, if it has one.
    ///
    /// Experimental; slot 44; fails with `invalid_argument`, `unimplemented`.
    pub fn anydim_attr_append_eltwise(
        attr: anydim_attr_t,
        function: anydim_unary_function_t,
        alpha: f32,
        beta: f32,
    ) -> anydim_status_t;
    /// Appends a post-op y = function(y, t), with a tensor t that is given at execution after the operator's inputs
    /// and broadcasts to the output. Errors: as [`anydim_attr_append_eltwise`].
    ///
    /// - `attr`: The attributes.
    /// - `function`: The function.
    /// - `reversed`: 1 for y = function(t, y), else 0.
    ///
    /// Experimental; slot 45; fails with `invalid_argument`, `unimplemented`.
    pub fn anydim_attr_append_binary(
        attr: anydim_attr_t,
        function: anydim_binary_function_t,
        reversed: i32,
    ) -> anydim_status_t;
    /// Sets the dtype of the result of a matmul, convolution or conv_transpose: f32, f16, bf16, i8, u8 or i32. What
    /// comes before it is computed as usual, post-ops in binary32, and converted once, when it is stored. Their
    /// tensors are f32 then. 0 removes it: then the result of floats has their dtype, that of 8-bit inputs is i32,
    /// or f32 if an input has scales or a bias of f32. Errors: invalid_argument for a dtype that is none; for what
    /// an operator does not accept, unimplemented when the primitive is made.
    ///
    /// - `attr`: The attributes.
    /// - `dtype`: The dtype.
    ///
    /// Experimental; slot 170; fails with `invalid_argument`.
    pub fn anydim_attr_set_dtype(attr: anydim_attr_t, dtype: anydim_dtype_t) -> anydim_status_t;
    /// Says which real numbers those of an 8-bit operand (i8, u8) stand for: scale \* (number - zero point). One
    /// scale for the whole operand, or one for each index of an axis: of rows of input 0 and columns of input 1 of a
    /// matmul, batch items of input 0 and output channels of the weights of a convolution, and any axis of the
    /// result. With values they are attributes; without, they come with each execution, as a tensor of f32, a scalar
    /// or as long as the axis. Such tensors are inputs behind those of the post-ops: of input 0, input 1 and the
    /// result, the scale before the zero point. Products of 8-bit inputs are summed exactly; docs/numerics.md,
    /// section 1, says how the sum is scaled and stored.
    ///
    /// Errors: invalid_argument for an operand that is none and an axis outside -1..7; when the primitive is made
    /// invalid_argument for a scale that is no finite number above 0, another number of them than the axis is long,
    /// and an operand that is not of 8 bits, unimplemented for other operators and axes.
    ///
    /// - `attr`: The attributes.
    /// - `operand`: The operand.
    /// - `axis`: Axis of the operand along which they differ; -1: one for all of it.
    /// - `values`: The scales, or null.
    /// - `count`: Their number; 0: they come with each execution.
    ///
    /// Experimental; slot 171; fails with `invalid_argument`.
    pub fn anydim_attr_set_scales(
        attr: anydim_attr_t,
        operand: anydim_operand_t,
        axis: i32,
        values: *const f32,
        count: i32,
    ) -> anydim_status_t;
    /// Sets the number of an 8-bit operand that stands for zero, as [`anydim_attr_set_scales`] does scales. A tensor
    /// of them has the operand's dtype. Errors: as [`anydim_attr_set_scales`]; invalid_argument for a value outside
    /// the operand's dtype.
    ///
    /// - `attr`: The attributes.
    /// - `operand`: The operand.
    /// - `axis`: Axis of the operand along which they differ; -1: one for all of it.
    /// - `values`: The zero points, or null.
    /// - `count`: Their number; 0: they come with each execution.
    ///
    /// Experimental; slot 172; fails with `invalid_argument`.
    pub fn anydim_attr_set_zero_points(
        attr: anydim_attr_t,
        operand: anydim_operand_t,
        axis: i32,
        values: *const i32,
        count: i32,
    ) -> anydim_status_t;
    /// Forces a kernel by its name, for tests and reports; "" lets the library choose again. Whether it supports the
    /// problem shows at creation of the primitive. Errors: not_found for a name that the registry lacks.
    ///
    /// - `attr`: The attributes.
    /// - `kernel`: The kernel's name.
    ///
    /// Experimental; slot 46; fails with `invalid_argument`, `not_found`.
    pub fn anydim_attr_set_kernel(attr: anydim_attr_t, kernel: *const c_char) -> anydim_status_t;
    /// Sets whose memory the primitive computes in. Errors: invalid_argument for a mode that is none.
    ///
    /// - `attr`: The attributes.
    /// - `mode`: The mode.
    ///
    /// Experimental; slot 47; fails with `invalid_argument`.
    pub fn anydim_attr_set_scratchpad(
        attr: anydim_attr_t,
        mode: anydim_scratchpad_t,
    ) -> anydim_status_t;
    /// Packs constant inputs of an operator, once for all shapes, primitives and contexts; their memory may be freed
    /// afterwards. Any inputs may be constant: constants\[i\] is the operator's input operands\[i\]. What the kernel
    /// packs nothing of is kept as it is. Attributes must be those of the primitives to come.
    /// [`anydim_weights_update`] replaces the values later, [`anydim_weights_save`] keeps the packed form. `inputs`
    /// describes the others, in the operator's order. It may be empty where only input 0 is not constant; that is
    /// then taken to have the dtype of the first constant. An optional input before a constant is left out by giving
    /// no descriptor for it: the descriptors are those of the first inputs that are not constant, and each input
    /// that is left over, up to the last constant, must be optional. So layer_norm with the constant operands\[0\] =
    /// 2 and one descriptor has a bias and no scale. Primitives over the weights are made and executed without that
    /// input too. An optional input before one that comes with each call cannot be left out.
    ///
    /// Errors: invalid_argument for what the operator does not accept, unimplemented if no kernel supports it.
    ///
    /// - `engine`: The engine.
    /// - `op`: The operator, as &conv.op.
    /// - `attr` (may be null): Attributes, or null for the defaults.
    /// - `inputs`: Descriptors of the inputs that come with each call.
    /// - `input_count`: Their number, or 0.
    /// - `constants`: The constants.
    /// - `operands` (may be null): Which inputs they are, from 0, in rising order. Null: those from the second on.
    /// - `count`: Their number, 1 or more.
    /// - `weights` (out, the caller destroys it): The packed weights.
    ///
    /// Experimental; slot 50; may block; fails with `invalid_argument`, `unimplemented`.
    pub fn anydim_weights_create(
        engine: anydim_engine_t,
        op: *const anydim_op_t,
        attr: anydim_attr_t,
        inputs: *const anydim_desc_t,
        input_count: i32,
        constants: *const anydim_view_t,
        operands: *const i32,
        count: i32,
        weights: *mut anydim_weights_t,
    ) -> anydim_status_t;
    /// Destroys weights; primitives that use them keep them alive.
    ///
    /// - `weights`: The handle, or null.
    ///
    /// Experimental; slot 51.
    pub fn anydim_weights_destroy(weights: anydim_weights_t);
    /// Returns how many bytes the packed form takes.
    ///
    /// - `weights`: The weights.
    /// - `bytes` (out): Bytes.
    ///
    /// Experimental; slot 52.
    pub fn anydim_weights_get_bytes(weights: anydim_weights_t, bytes: *mut i64) -> anydim_status_t;
    /// Replaces the values: packs these, once for all primitives over these weights, and makes them the next
    /// version. Dtypes and dims are those the weights were created with. Executions that begin after this returns
    /// use the new version; those that run meanwhile keep the one they began with, the whole call long. Both
    /// versions are in memory until calls with the old one have ended: the call waits for that up to a second and
    /// then leaves the old one to the next update or to the end of the weights. Thread rule: any thread, also while
    /// others execute; updates go one after the other.
    ///
    /// Errors: invalid_argument for other dtypes or dims, or another number of them.
    ///
    /// - `weights`: The weights.
    /// - `constants`: The constants, as many and in the same order as there were.
    /// - `count`: Their number.
    ///
    /// Experimental; slot 160; may block; fails with `invalid_argument`.
    pub fn anydim_weights_update(
        weights: anydim_weights_t,
        constants: *const anydim_view_t,
        count: i32,
    ) -> anydim_status_t;
    /// Returns how often the values were set: 1 after creation or loading, one more after each update.
    ///
    /// - `weights`: The weights.
    /// - `version` (out): The version.
    ///
    /// Experimental; slot 161.
    pub fn anydim_weights_get_version(
        weights: anydim_weights_t,
        version: *mut i64,
    ) -> anydim_status_t;
    /// Writes the packed form to a file for [`anydim_weights_load`]: under another name first, flushed to the disk,
    /// then renamed, so that the path always holds a whole file and processes that have an older one mapped keep it.
    /// The file is made for the instruction set in use. Links are followed; a pipe or character device is written
    /// into. Errors: invalid_argument for what is no file (a folder, a block device), io_error with the system's
    /// reason, unimplemented for weights without elements.
    ///
    /// - `weights`: The weights.
    /// - `path`: Path of the file.
    /// - `options` (may be null): Options, or null for the defaults.
    ///
    /// Experimental; slot 162; may block; fails with `invalid_argument`, `io_error`, `unimplemented`.
    pub fn anydim_weights_save(
        weights: anydim_weights_t,
        path: *const c_char,
        options: *const anydim_save_options_t,
    ) -> anydim_status_t;
    /// Maps weights that [`anydim_weights_save`] wrote: nothing is packed or copied, and processes that map one file
    /// share its memory. The file is read once, for its checksum; it must not be changed or truncated in place while
    /// it is mapped.
    ///
    /// Errors: file_not_found if there is no such file; io_error if it is damaged, cut off or of another kind;
    /// invalid_argument if it was packed for another operator; unimplemented if the kernel that is chosen here reads
    /// another packed form (another instruction set, or attributes that the form depends on), or another version
    /// wrote its format: pack again with [`anydim_weights_create`]. Scales and zero points are the attributes' or
    /// come with calls: they are not in the file.
    ///
    /// - `engine`: The engine.
    /// - `op`: The operator, as &conv.op.
    /// - `attr` (may be null): Attributes of the primitives to come, or null for the defaults.
    /// - `inputs`: Descriptors of the inputs that come with each call, as for [`anydim_weights_create`].
    /// - `input_count`: Their number, or 0.
    /// - `path`: Path of the file.
    /// - `weights` (out, the caller destroys it): The weights.
    ///
    /// Experimental; slot 163; may block; fails with `invalid_argument`, `file_not_found`, `io_error`,
    /// `unimplemented`.
    pub fn anydim_weights_load(
        engine: anydim_engine_t,
        op: *const anydim_op_t,
        attr: anydim_attr_t,
        inputs: *const anydim_desc_t,
        input_count: i32,
        path: *const c_char,
        weights: *mut anydim_weights_t,
    ) -> anydim_status_t;
    /// Makes a primitive, in microseconds (with the reuse policy specialised it measures first, which takes
    /// seconds). Descriptors are those of the inputs that come at execution: all of the operator's but those in
    /// `weights`, in its order, and but those that the weights were packed without ([`anydim_weights_create`]).
    /// Optional inputs at the end need none. Tensors of post-ops need none: they have the output's dtype and any
    /// dims that broadcast to it. A primitive with dynamic dims and one with numbers hold the same kernel.
    ///
    /// Errors: invalid_argument for what the operator's shape rule refuses, unimplemented with every kernel's
    /// refusal.
    ///
    /// - `engine`: The engine.
    /// - `op`: The operator, as &conv.op.
    /// - `attr` (may be null): Attributes, or null for the defaults.
    /// - `inputs`: Descriptors of the inputs.
    /// - `input_count`: Their number.
    /// - `weights` (may be null): Packed weights, or null.
    /// - `primitive` (out, the caller destroys it): The primitive.
    ///
    /// Stable since 0.1; slot 53; fails with `invalid_argument`, `unimplemented`.
    pub fn anydim_primitive_create(
        engine: anydim_engine_t,
        op: *const anydim_op_t,
        attr: anydim_attr_t,
        inputs: *const anydim_desc_t,
        input_count: i32,
        weights: anydim_weights_t,
        primitive: *mut anydim_primitive_t,
    ) -> anydim_status_t;
    /// Makes a primitive and packs its constants: [`anydim_weights_create`] and [`anydim_primitive_create`] in one.
    /// constants\[i\] is the operator's input operands\[i\], and `inputs` describes all others, in its order;
    /// optional ones at the end and before a constant may be left out ([`anydim_weights_create`]).
    /// [`anydim_primitive_acquire_weights`] returns the packed constants, for other primitives, to update and to
    /// save.
    ///
    /// Errors: as [`anydim_weights_create`] and [`anydim_primitive_create`].
    ///
    /// - `engine`: The engine.
    /// - `op`: The operator, as &conv.op.
    /// - `attr` (may be null): Attributes, or null for the defaults.
    /// - `inputs`: Descriptors of the inputs that come with each call.
    /// - `input_count`: Their number.
    /// - `constants`: The constants.
    /// - `operands` (may be null): Which inputs they are, from 0, in rising order. Null: those from the second on.
    /// - `count`: Their number, 1 or more.
    /// - `primitive` (out, the caller destroys it): The primitive.
    ///
    /// Experimental; slot 220; may block; fails with `invalid_argument`, `unimplemented`.
    pub fn anydim_primitive_create_with_constants(
        engine: anydim_engine_t,
        op: *const anydim_op_t,
        attr: anydim_attr_t,
        inputs: *const anydim_desc_t,
        input_count: i32,
        constants: *const anydim_view_t,
        operands: *const i32,
        count: i32,
        primitive: *mut anydim_primitive_t,
    ) -> anydim_status_t;
    /// Returns the weights that a primitive holds. Errors: not_found if it has none.
    ///
    /// - `primitive`: The primitive.
    /// - `weights` (out, the caller destroys it): The weights, the primitive's own: an update of them is seen by it.
    ///
    /// Experimental; slot 221; fails with `not_found`.
    pub fn anydim_primitive_acquire_weights(
        primitive: anydim_primitive_t,
        weights: *mut anydim_weights_t,
    ) -> anydim_status_t;
    /// Destroys a primitive; running executions finish.
    ///
    /// - `primitive`: The handle, or null.
    ///
    /// Stable since 0.1; slot 54.
    pub fn anydim_primitive_destroy(primitive: anydim_primitive_t);
    /// Executes a primitive: inputs in the operator's order without those in weights, then the tensors of post-ops
    /// in their order. Outputs must have the dims that [`anydim_primitive_get_output_dims`] returns; one with a
    /// dtype and no data is placed in memory that is the caller's until [`anydim_result_release`]. Any shape that
    /// the descriptors allow costs the same per element. Errors: invalid_argument for dtype, rank, number of tensors
    /// or wrong dims, out_of_bounds for a dim that breaks a promise, invalid_data for values found wrong on the way.
    ///
    /// Thread rule: many threads may share the primitive, each with its own stream.
    ///
    /// - `primitive`: The primitive.
    /// - `stream`: The stream.
    /// - `inputs`: Input tensors.
    /// - `input_count`: Their number.
    /// - `outputs` (in and out): Output tensors.
    /// - `output_count`: Their number.
    ///
    /// Stable since 0.1; slot 55; may block; fails with `invalid_argument`, `out_of_bounds`, `invalid_data`,
    /// `unimplemented`, `busy`, `closed`.
    pub fn anydim_primitive_execute(
        primitive: anydim_primitive_t,
        stream: anydim_stream_t,
        inputs: *const anydim_view_t,
        input_count: i32,
        outputs: *mut anydim_view_t,
        output_count: i32,
    ) -> anydim_status_t;
    /// As [`anydim_primitive_execute`], in scratch memory of the caller (scratchpad mode caller): nothing is
    /// allocated.
    ///
    /// Errors: invalid_argument also for scratch that is too small or not aligned to 64.
    ///
    /// - `primitive`: The primitive.
    /// - `stream`: The stream.
    /// - `inputs`: Input tensors.
    /// - `input_count`: Their number.
    /// - `outputs`: Output tensors.
    /// - `output_count`: Their number.
    /// - `scratch` (may be null): Memory aligned to 64 bytes.
    /// - `scratch_bytes`: Its size.
    ///
    /// Experimental; slot 56; may block; fails with `invalid_argument`, `out_of_bounds`, `invalid_data`,
    /// `unimplemented`, `busy`, `closed`.
    pub fn anydim_primitive_execute_in(
        primitive: anydim_primitive_t,
        stream: anydim_stream_t,
        inputs: *const anydim_view_t,
        input_count: i32,
        outputs: *const anydim_view_t,
        output_count: i32,
        scratch: *mut c_void,
        scratch_bytes: i64,
    ) -> anydim_status_t;
    /// Returns the dims of an output for actual inputs, and checks these. Their dtype, dims and strides count, their
    /// data does not. Errors: as [`anydim_primitive_execute`]; not_found past the last output.
    ///
    /// - `primitive`: The primitive.
    /// - `inputs`: Input tensors.
    /// - `input_count`: Their number.
    /// - `index`: Which output, from 0.
    /// - `dims` (out): Its dims.
    ///
    /// Experimental; slot 57; fails with `invalid_argument`, `out_of_bounds`, `not_found`.
    pub fn anydim_primitive_get_output_dims(
        primitive: anydim_primitive_t,
        inputs: *const anydim_view_t,
        input_count: i32,
        index: i32,
        dims: *mut anydim_dims_t,
    ) -> anydim_status_t;
    /// Returns how many bytes of scratch an execution with these tensors needs: what [`anydim_primitive_execute_in`]
    /// is given. Their data does not count. Errors: as [`anydim_primitive_execute`].
    ///
    /// - `primitive`: The primitive.
    /// - `stream`: The stream it will run in.
    /// - `inputs`: Input tensors.
    /// - `input_count`: Their number.
    /// - `outputs`: Output tensors.
    /// - `output_count`: Their number.
    /// - `bytes` (out): Bytes.
    ///
    /// Experimental; slot 58; fails with `invalid_argument`, `out_of_bounds`, `busy`, `closed`.
    pub fn anydim_primitive_get_scratch_bytes(
        primitive: anydim_primitive_t,
        stream: anydim_stream_t,
        inputs: *const anydim_view_t,
        input_count: i32,
        outputs: *const anydim_view_t,
        output_count: i32,
        bytes: *mut i64,
    ) -> anydim_status_t;
    /// Returns the memory order in which the primitive's kernel reads an input or writes an output without a copy,
    /// as axes, outermost first ({0, 2, 3, 1} is channels last); rank 0: any.
    ///
    /// - `primitive`: The primitive.
    /// - `output`: 1 for an output, 0 for an input.
    /// - `index`: Which, from 0.
    /// - `order` (out): The order.
    ///
    /// Experimental; slot 59; fails with `not_found`.
    pub fn anydim_primitive_get_order(
        primitive: anydim_primitive_t,
        output: i32,
        index: i32,
        order: *mut anydim_dims_t,
    ) -> anydim_status_t;
    /// Returns the primitive's kernel: its name, and a number that is equal for two primitives of a process exactly
    /// if they hold the same kernel object.
    ///
    /// - `primitive`: The primitive.
    /// - `name` (out): The name.
    /// - `identity` (out): The number.
    ///
    /// Experimental; slot 60.
    pub fn anydim_primitive_get_kernel(
        primitive: anydim_primitive_t,
        name: *mut anydim_string_t,
        identity: *mut u64,
    ) -> anydim_status_t;
    /// Returns how many kernels were considered for the primitive.
    ///
    /// - `primitive`: The primitive.
    /// - `count` (out): Their number.
    ///
    /// Experimental; slot 61.
    pub fn anydim_primitive_get_candidate_count(
        primitive: anydim_primitive_t,
        count: *mut i32,
    ) -> anydim_status_t;
    /// Describes a considered kernel, in order of preference. Errors: not_found past the last.
    ///
    /// - `primitive`: The primitive.
    /// - `index`: Which, from 0.
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Experimental; slot 62; fails with `invalid_argument`, `not_found`.
    pub fn anydim_primitive_get_candidate(
        primitive: anydim_primitive_t,
        index: i32,
        info: *mut anydim_candidate_t,
    ) -> anydim_status_t;
    /// Explains a primitive as JSON: operator, descriptors, attributes, kernel, tier, reuse policy, preferred
    /// orders, and why each other kernel was refused; with input tensors also output dims and scratch.
    ///
    /// Errors: as [`anydim_primitive_execute`], of the input tensors.
    ///
    /// - `primitive`: The primitive.
    /// - `inputs`: Input tensors, or none.
    /// - `input_count`: Their number, or 0.
    /// - `text` (out, the caller destroys it): The explanation.
    ///
    /// Experimental; slot 63; fails with `invalid_argument`, `out_of_bounds`.
    pub fn anydim_primitive_explain(
        primitive: anydim_primitive_t,
        inputs: *const anydim_view_t,
        input_count: i32,
        text: *mut anydim_text_t,
    ) -> anydim_status_t;
    /// Returns the element type of an output. Errors: not_found past the last.
    ///
    /// - `primitive`: The primitive.
    /// - `index`: Which output, from 0.
    /// - `dtype` (out): Its element type.
    ///
    /// Experimental; slot 66; fails with `not_found`.
    pub fn anydim_primitive_get_output_dtype(
        primitive: anydim_primitive_t,
        index: i32,
        dtype: *mut anydim_dtype_t,
    ) -> anydim_status_t;
    /// Lists as JSON, in the registry's order of preference, every kernel for the primitive's problem at these
    /// tensors: kernel, chosen, refusal (of those that cannot), expected_nanoseconds (of a simple model; it orders
    /// choices and is no promise) and scratch_bytes. With repeats above 0 each kernel that can is also run that
    /// often, alternately with the others, and its median is measured_nanoseconds: this blocks for as long as that
    /// takes, which for a scalar reference can be seconds, and writes the outputs. A kernel that reads weights in
    /// another packed form is reported in not_measured.
    ///
    /// Errors: as [`anydim_primitive_execute`].
    ///
    /// - `primitive`: The primitive.
    /// - `stream`: The stream whose threads are used.
    /// - `inputs`: Input tensors, as for [`anydim_primitive_execute`].
    /// - `input_count`: Their number.
    /// - `outputs`: Output tensors.
    /// - `output_count`: Their number.
    /// - `repeats`: Measured runs of each kernel, 0 to 1000.
    /// - `text` (out, the caller destroys it): The list.
    ///
    /// Experimental; slot 146; may block; fails with `invalid_argument`, `out_of_bounds`, `invalid_data`, `busy`,
    /// `closed`.
    pub fn anydim_primitive_compare_kernels(
        primitive: anydim_primitive_t,
        stream: anydim_stream_t,
        inputs: *const anydim_view_t,
        input_count: i32,
        outputs: *const anydim_view_t,
        output_count: i32,
        repeats: i32,
        text: *mut anydim_text_t,
    ) -> anydim_status_t;
    /// Limits the scratch of a primitive to come: a kernel that could need more, at the largest dims that the
    /// descriptors allow and with all of the engine's threads, is refused, and the next one in order of preference
    /// is taken. Creation returns unimplemented with every refusal if none is left, and invalid_argument if weights
    /// are packed for a kernel that is over the limit. A dim without a largest value makes most bounds infinite.
    /// Errors: invalid_argument for a number below -1.
    ///
    /// - `attr`: The attributes.
    /// - `bytes`: Most bytes, or -1 for no limit (the default).
    ///
    /// Experimental; slot 147; fails with `invalid_argument`.
    pub fn anydim_attr_set_scratch_limit(attr: anydim_attr_t, bytes: i64) -> anydim_status_t;
    /// Writes the execute line that a run with these tensors would log, without running, for reports and for `anydim
    /// replay`. Its time is 0; the tensors' data does not count.
    ///
    /// Errors: as [`anydim_primitive_execute`].
    ///
    /// - `primitive`: The primitive.
    /// - `stream`: The stream, whose number of threads is used.
    /// - `inputs`: Input tensors, as for [`anydim_primitive_execute`].
    /// - `input_count`: Their number.
    /// - `outputs`: Output tensors.
    /// - `output_count`: Their number.
    /// - `text` (out, the caller destroys it): The line.
    ///
    /// Experimental; slot 148; fails with `invalid_argument`, `out_of_bounds`, `busy`, `closed`.
    pub fn anydim_primitive_format_line(
        primitive: anydim_primitive_t,
        stream: anydim_stream_t,
        inputs: *const anydim_view_t,
        input_count: i32,
        outputs: *const anydim_view_t,
        output_count: i32,
        text: *mut anydim_text_t,
    ) -> anydim_status_t;
}
