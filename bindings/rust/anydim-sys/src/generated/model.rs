// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! Models, and what is promised and asked of their inputs and outputs.

use std::os::raw::{c_char, c_void};

#[allow(unused_imports)] // documentation names types of other modules
use super::*;

/// What [`anydim_bounds_t`] names; it is never looked into.
#[repr(C)]
#[derive(Debug)]
pub struct anydim_bounds_s {
    _private: [u8; 0],
}
/// Promises about the dims of a model's inputs, by input name. One user at a time.
pub type anydim_bounds_t = *mut anydim_bounds_s;

/// What [`anydim_model_t`] names; it is never looked into.
#[repr(C)]
#[derive(Debug)]
pub struct anydim_model_s {
    _private: [u8; 0],
}
/// A loaded graph. Immutable. Many threads may use it at once. It keeps its engine alive.
pub type anydim_model_t = *const anydim_model_s;

/// What [`anydim_layers_t`] names; it is never looked into.
#[repr(C)]
#[derive(Debug)]
pub struct anydim_layers_s {
    _private: [u8; 0],
}
/// What is asked of single layers of a model, by the names of its nodes. One user at a time.
pub type anydim_layers_t = *mut anydim_layers_s;

/// What [`anydim_layouts_t`] names; it is never looked into.
#[repr(C)]
#[derive(Debug)]
pub struct anydim_layouts_s {
    _private: [u8; 0],
}
/// Memory orders asked for at a model's inputs and outputs, by name. One user at a time.
pub type anydim_layouts_t = *mut anydim_layouts_s;

/// What may be asked of the memory order of a model's input or output. It changes time, never results.
pub type anydim_edge_layout_t = i32;
/// The order given as axes.
pub const ANYDIM_EDGE_LAYOUT_ORDER: anydim_edge_layout_t = 0;
/// The last dim is innermost. What an edge has that nothing is asked of.
pub const ANYDIM_EDGE_LAYOUT_ROW_MAJOR: anydim_edge_layout_t = 1;
/// Dim 1 is innermost (N, H, W, C in memory). Rank 3 and more.
pub const ANYDIM_EDGE_LAYOUT_CHANNELS_LAST: anydim_edge_layout_t = 2;
/// The order that its kernels read or write without a copy; the model chooses it.
pub const ANYDIM_EDGE_LAYOUT_FASTEST: anydim_edge_layout_t = 3;
/// Outputs only: row-major if the input that the output follows is; else as fastest. docs/layouts.md says which
/// input it follows.
pub const ANYDIM_EDGE_LAYOUT_FOLLOW: anydim_edge_layout_t = 4;

/// Which rewritings a model's graph gets when it is loaded: a means of finding the cause of a result, not of speed.
/// Results with exact and with none have the same bits; all may differ from them by the roundings that
/// docs/numerics.md, section 8, describes.
pub type anydim_passes_t = i32;
/// All of them. The default.
pub const ANYDIM_PASSES_ALL: anydim_passes_t = 0;
/// Those that cannot change a bit; functions that a model spells out are computed step by step.
pub const ANYDIM_PASSES_EXACT: anydim_passes_t = 1;
/// None: each node of the file runs by itself, into memory of its own.
pub const ANYDIM_PASSES_NONE: anydim_passes_t = 2;

/// Options of a model.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_model_options_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// Math mode of its layers that have none of their own. Inherit means strict.
    pub math: anydim_math_t,
    /// Reuse policy of all its operators.
    pub reuse: anydim_reuse_t,
    /// Layout, not strided and not follow, in which inputs come fastest; channels last of those of rank 3 and more.
    /// Other strides are read too.
    pub input_layout: anydim_layout_t,
    /// Layout, not strided, of outputs that the library places; channels last of those of rank 3 and more. Views say
    /// the strides.
    pub output_layout: anydim_layout_t,
    /// Which rewritings the graph gets.
    pub passes: anydim_passes_t,
    /// Memory orders asked for by name, before the two fields above; or null. What is made with them copies them.
    pub layouts: anydim_layouts_t,
    /// Path of a file that [`anydim_model_save_packed`] wrote; weights that it has are mapped, not packed. Or null.
    pub packed_weights: *const c_char,
    /// Engines that the model may run on, the preferred first; or null. See [`anydim_model_load_file`].
    pub engines: *const anydim_engine_t,
    /// Their number.
    pub engine_count: i32,
    /// Zero.
    pub reserved: i32,
    /// What is asked of single layers; or null. What is made with them copies them.
    pub layers: anydim_layers_t,
    /// Folder in which a model that is loaded from memory has its external data; or null. A file's is its own.
    pub external_data_folder: *const c_char,
    /// What inputs that are sequences or optionals are made of, as [`anydim_model_load_file`] says it; or null.
    pub sequences: *const c_char,
    /// Operators of the program's own ([`anydim_custom_operators_add`]); or null. What is made with them keeps them.
    pub operators: anydim_custom_operators_t,
    /// Inputs that may come in chunks, each with its axis: "audio=2;mask=1"; or null. See
    /// [`anydim_streaming_create`].
    pub streaming: *const c_char,
    /// Most elements of such a chunk; 0 = any number, and memory without a bound.
    pub streaming_chunk: i64,
}

impl anydim_model_options_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        math: 0,
        reuse: 0,
        input_layout: 0,
        output_layout: 0,
        passes: 0,
        layouts: std::ptr::null_mut(),
        packed_weights: std::ptr::null(),
        engines: std::ptr::null(),
        engine_count: 0,
        reserved: 0,
        layers: std::ptr::null_mut(),
        external_data_folder: std::ptr::null(),
        sequences: std::ptr::null(),
        operators: std::ptr::null_mut(),
        streaming: std::ptr::null(),
        streaming_chunk: 0,
    };
}

impl Default for anydim_model_options_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// A model's facts and metadata.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_model_info_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// Number of metadata entries.
    pub metadata: i32,
    /// Who wrote the file.
    pub producer_name: anydim_string_t,
    /// Its version.
    pub producer_version: anydim_string_t,
    /// Name of the graph.
    pub graph_name: anydim_string_t,
    /// The model's domain.
    pub domain: anydim_string_t,
    /// The model's own text.
    pub description: anydim_string_t,
    /// The model's own version.
    pub version: i64,
    /// Version of the default operator set.
    pub opset: i64,
    /// Nodes after all passes.
    pub nodes: i32,
    /// Nodes in the file.
    pub file_nodes: i32,
    /// Bytes of packed weights and constants held by the model, mapped ones included.
    pub weight_bytes: i64,
    /// Number of its packed weights, each counted once however many nodes read it.
    pub packed_weights: i32,
    /// How many of them are mapped from the file in options.packed_weights.
    pub mapped_weights: i32,
    /// Their bytes.
    pub mapped_bytes: i64,
    /// Number of engines that it runs on.
    pub engines: i32,
    /// Zero.
    pub reserved: i32,
}

impl anydim_model_info_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        metadata: 0,
        producer_name: anydim_string_t::INIT,
        producer_version: anydim_string_t::INIT,
        graph_name: anydim_string_t::INIT,
        domain: anydim_string_t::INIT,
        description: anydim_string_t::INIT,
        version: 0,
        opset: 0,
        nodes: 0,
        file_nodes: 0,
        weight_bytes: 0,
        packed_weights: 0,
        mapped_weights: 0,
        mapped_bytes: 0,
        engines: 0,
        reserved: 0,
    };
}

impl Default for anydim_model_info_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// An input or output of a model.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_value_info_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// Element type.
    pub dtype: anydim_dtype_t,
    /// Its name.
    pub name: anydim_string_t,
    /// Its dims; -1 where dynamic.
    pub dims: anydim_dims_t,
    /// Smallest value of each dim.
    pub min: anydim_dims_t,
    /// Largest value of each dim; 2^62 where there is no bound.
    pub max: anydim_dims_t,
    /// Memory order as axes, outermost first, that the context asks for or makes. An output that follows has another
    /// one in runs whose inputs have.
    pub order: anydim_dims_t,
    /// Each dim as text: a number, a symbol (height) or an expression of symbols.
    pub symbols: [anydim_string_t; 8],
}

impl anydim_value_info_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        dtype: 0,
        name: anydim_string_t::INIT,
        dims: anydim_dims_t::INIT,
        min: anydim_dims_t::INIT,
        max: anydim_dims_t::INIT,
        order: anydim_dims_t::INIT,
        symbols: [anydim_string_t::INIT; 8],
    };
}

impl Default for anydim_value_info_t {
    fn default() -> Self {
        Self::INIT
    }
}

extern "C" {
    /// Loads an ONNX model from a file (external data beside it too), optimises it and packs its weights. Errors:
    /// file_not_found if there is no such file, io_error if it cannot be read, invalid_model for a damaged one,
    /// unimplemented with the names of all operators that are missing. With options.packed_weights, of that file:
    /// file_not_found, io_error if it is damaged or no such file, unimplemented if another version wrote its format;
    /// that it lacks weights of this model is no error, they are packed. The engine is a CPU engine: where inputs
    /// and outputs lie, and what runs if no other engine is named. With options.engines each node runs on the first
    /// of these that has a kernel for it, or on the engine itself, whose own place in the list, if it has one,
    /// counts as the others do; engines without a node are left out ([`anydim_model_get_engine`] describes the
    /// others). Results do not depend on it.
    ///
    /// Errors: invalid_argument for a list without its number, unimplemented where none of the engines has a kernel
    /// for a node. An input or output that is a sequence of tensors is tensors here (docs/onnx.md): one of its name,
    /// whose first axis counts the elements, where only a run knows how many there are; else one for each element,
    /// NAME\[0\], NAME\[1\] and so on. Inputs are the first unless options.sequences sets the ranks of the elements:
    /// "boxes=2,2,2;mask=-" says that boxes has three elements of rank 2, and that mask, an optional, is absent.
    /// Errors: invalid_argument for what is no such text, not_found for a name that is no such input. A program file
    /// ([`anydim_model_save_program`]) is recognised by its first bytes and mapped. Options that say how a program
    /// is made are refused for one, all but options.reuse. Errors: unimplemented for another version's or a CPU that
    /// lacks what the file's has, invalid_model if it is damaged.
    ///
    /// - `engine`: The engine.
    /// - `path`: Path of the file.
    /// - `options` (may be null): Options, or null for the defaults.
    /// - `model` (out, the caller destroys it): The model.
    ///
    /// Stable since 0.1; slot 70; may block; fails with `invalid_argument`, `not_found`, `file_not_found`,
    /// `io_error`, `invalid_model`, `unimplemented`.
    pub fn anydim_model_load_file(
        engine: anydim_engine_t,
        path: *const c_char,
        options: *const anydim_model_options_t,
        model: *mut anydim_model_t,
    ) -> anydim_status_t;
    /// As [`anydim_model_load_file`], from memory that may be freed afterwards. External data is looked for in
    /// options.external_data_folder; without it, loading a model that has some returns invalid_model.
    ///
    /// - `engine`: The engine.
    /// - `data`: The file's bytes.
    /// - `size`: Their number.
    /// - `options` (may be null): Options, or null for the defaults.
    /// - `model` (out, the caller destroys it): The model.
    ///
    /// Stable since 0.1; slot 71; may block; fails with `invalid_argument`, `not_found`, `file_not_found`,
    /// `io_error`, `invalid_model`, `unimplemented`.
    pub fn anydim_model_load_memory(
        engine: anydim_engine_t,
        data: *const c_void,
        size: i64,
        options: *const anydim_model_options_t,
        model: *mut anydim_model_t,
    ) -> anydim_status_t;
    /// Writes a model's packed weights to a file for options.packed_weights of later loads: under another name
    /// first, flushed to the disk, then renamed, so that the path always holds a whole file. A load maps what was
    /// packed from the same values, for the same operator and attributes, in the form that its machine's kernels
    /// read, and packs the rest, so the file may be of another model, of an older state of it, or of another
    /// machine; processes that map one file share its memory. Links are followed; a pipe or character device is
    /// written into. Thread rule: any thread. Errors: invalid_argument for what is no file (an empty path, a folder,
    /// a block device), io_error with the system's reason.
    ///
    /// - `model`: The model.
    /// - `path`: Path of the file.
    /// - `options` (may be null): Options, or null for the defaults.
    ///
    /// Experimental; slot 164; may block; fails with `invalid_argument`, `io_error`.
    pub fn anydim_model_save_packed(
        model: anydim_model_t,
        path: *const c_char,
        options: *const anydim_save_options_t,
    ) -> anydim_status_t;
    /// Writes a model as a program file: its steps, as compiled for this machine's kind of processor, with its
    /// packed weights. The functions that load models take such a file in a model's place, by its first bytes:
    /// nothing is read of ONNX, rewritten or packed then, and processes that map one file share its memory. Results
    /// have the same bits. The file is good for this version of the library and for processors that have what this
    /// one has; elsewhere a load fails with a sentence (docs/programs.md). It is written under another name first,
    /// flushed to the disk, then renamed, so that the path always holds a whole file.
    ///
    /// Thread rule: any thread. Errors: unimplemented with all that cannot be saved (engines other than the
    /// processor, operators of the program's own, streams), invalid_argument for what is no file, io_error with the
    /// system's reason.
    ///
    /// - `model`: The model.
    /// - `path`: Path of the file.
    /// - `options` (may be null): Options, or null for the defaults.
    ///
    /// Experimental; slot 367; may block; fails with `invalid_argument`, `io_error`, `unimplemented`.
    pub fn anydim_model_save_program(
        model: anydim_model_t,
        path: *const c_char,
        options: *const anydim_save_options_t,
    ) -> anydim_status_t;
    /// Loads a model and writes its program, the steps, sizes and memory plan that a run would follow, to a file for
    /// translators: a line, JSON, and the constants as they are, none of them packed. `anydim export` makes C of it;
    /// docs/export.md describes the format, which may change. Engines in the options and packed weights count as in
    /// a load.
    ///
    /// Errors: as of [`anydim_model_load_file`]; out_of_bounds for bounds that the model does not allow, io_error
    /// with the system's reason.
    ///
    /// - `engine`: The engine.
    /// - `path`: Path of the model.
    /// - `options` (may be null): Options, or null for the defaults.
    /// - `bounds` (may be null): Bounds that sizes and the order of buffers are for, or null for what the model
    ///   says.
    /// - `output`: Path of the file that is written.
    ///
    /// Experimental; slot 348; may block; fails with `invalid_argument`, `not_found`, `file_not_found`, `io_error`,
    /// `invalid_model`, `out_of_bounds`, `unimplemented`.
    pub fn anydim_model_write_program(
        engine: anydim_engine_t,
        path: *const c_char,
        options: *const anydim_model_options_t,
        bounds: anydim_bounds_t,
        output: *const c_char,
    ) -> anydim_status_t;
    /// Destroys a model; its contexts keep it alive.
    ///
    /// - `model`: The handle, or null.
    ///
    /// Stable since 0.1; slot 72.
    pub fn anydim_model_destroy(model: anydim_model_t);
    /// Describes a model. Its strings live as long as the model.
    ///
    /// - `model`: The model.
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Stable since 0.1; slot 73; fails with `invalid_argument`.
    pub fn anydim_model_query(
        model: anydim_model_t,
        info: *mut anydim_model_info_t,
    ) -> anydim_status_t;
    /// Describes an engine that the model runs on: 0 is the one that it was loaded for, then come those of
    /// options.engines that got nodes. Its strings live as long as the model. Errors: not_found past the last.
    ///
    /// - `model`: The model.
    /// - `index`: Which, from 0 to the model's number of engines less one.
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Experimental; slot 208; fails with `invalid_argument`, `not_found`.
    pub fn anydim_model_get_engine(
        model: anydim_model_t,
        index: i32,
        info: *mut anydim_engine_info_t,
    ) -> anydim_status_t;
    /// Returns an entry of the model's metadata. Errors: not_found past the last.
    ///
    /// - `model`: The model.
    /// - `index`: Which, from 0.
    /// - `key` (out): Its key.
    /// - `value` (out): Its value.
    ///
    /// Experimental; slot 74; fails with `not_found`.
    pub fn anydim_model_get_metadata(
        model: anydim_model_t,
        index: i32,
        key: *mut anydim_string_t,
        value: *mut anydim_string_t,
    ) -> anydim_status_t;
    /// Returns how many inputs and outputs a model has.
    ///
    /// - `model`: The model.
    /// - `inputs` (out): Number of inputs.
    /// - `outputs` (out): Number of outputs.
    ///
    /// Stable since 0.1; slot 299.
    pub fn anydim_model_get_counts(
        model: anydim_model_t,
        inputs: *mut i32,
        outputs: *mut i32,
    ) -> anydim_status_t;
    /// Describes an input. Its strings live as long as the model. Errors: not_found past the last.
    ///
    /// - `model`: The model.
    /// - `index`: Which, from 0.
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Stable since 0.1; slot 300; fails with `invalid_argument`, `not_found`.
    pub fn anydim_model_get_input(
        model: anydim_model_t,
        index: i32,
        info: *mut anydim_value_info_t,
    ) -> anydim_status_t;
    /// Describes an output. Its strings live as long as the model. Errors: not_found past the last.
    ///
    /// - `model`: The model.
    /// - `index`: Which, from 0.
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Stable since 0.1; slot 301; fails with `invalid_argument`, `not_found`.
    pub fn anydim_model_get_output(
        model: anydim_model_t,
        index: i32,
        info: *mut anydim_value_info_t,
    ) -> anydim_status_t;
    /// Finds an input by its name: its place among the inputs. Errors: not_found.
    ///
    /// - `model`: The model.
    /// - `name`: Its name.
    /// - `index` (out): Which it is, from 0.
    ///
    /// Stable since 0.1; slot 181; fails with `invalid_argument`, `not_found`.
    pub fn anydim_model_find_input(
        model: anydim_model_t,
        name: *const c_char,
        index: *mut i32,
    ) -> anydim_status_t;
    /// Finds an output by its name: its place among the outputs. Errors: not_found.
    ///
    /// - `model`: The model.
    /// - `name`: Its name.
    /// - `index` (out): Which it is, from 0.
    ///
    /// Stable since 0.1; slot 182; fails with `invalid_argument`, `not_found`.
    pub fn anydim_model_find_output(
        model: anydim_model_t,
        name: *const c_char,
        index: *mut i32,
    ) -> anydim_status_t;
    /// Describes a model as JSON: facts, inputs, outputs, metadata, how often each operator occurs, weights, and the
    /// nodes after all passes.
    ///
    /// - `model`: The model.
    /// - `text` (out, the caller destroys it): The description.
    ///
    /// Experimental; slot 78.
    pub fn anydim_model_describe(
        model: anydim_model_t,
        text: *mut anydim_text_t,
    ) -> anydim_status_t;
    /// Makes empty bounds.
    ///
    /// - `bounds` (out, the caller destroys it): The bounds.
    ///
    /// Stable since 0.1; slot 80.
    pub fn anydim_bounds_create(bounds: *mut anydim_bounds_t) -> anydim_status_t;
    /// Destroys bounds; what was made with them has copied them.
    ///
    /// - `bounds`: The handle, or null.
    ///
    /// Stable since 0.1; slot 81.
    pub fn anydim_bounds_destroy(bounds: anydim_bounds_t);
    /// Sets the bounds of one input by its name; the input is looked for when the bounds are used. An input without
    /// bounds keeps what the model says of its dims. Errors: invalid_argument for a rank outside 0..8, a negative
    /// number, min \> max, or a multiple_of below 1.
    ///
    /// - `bounds`: The bounds.
    /// - `input`: The input's name.
    /// - `rank`: Number of dims.
    /// - `dims`: The dims, outermost first.
    ///
    /// Stable since 0.1; slot 82; fails with `invalid_argument`, `busy`.
    pub fn anydim_bounds_set(
        bounds: anydim_bounds_t,
        input: *const c_char,
        rank: i32,
        dims: *const anydim_dim_t,
    ) -> anydim_status_t;
    /// Makes layouts that ask for nothing. They go into [`anydim_model_options_t`]: a model is compiled for the
    /// memory orders of its inputs and outputs, so that what comes and goes in them is neither copied nor reordered.
    /// Other strides are accepted at every run all the same, with the same bits; an output in other strides costs a
    /// copy.
    ///
    /// - `layouts` (out, the caller destroys it): The layouts.
    ///
    /// Experimental; slot 92.
    pub fn anydim_layouts_create(layouts: *mut anydim_layouts_t) -> anydim_status_t;
    /// Destroys layouts; what was made with them has copied them.
    ///
    /// - `layouts`: The handle, or null.
    ///
    /// Experimental; slot 93.
    pub fn anydim_layouts_destroy(layouts: anydim_layouts_t);
    /// Asks for the memory order of one input or output by its name (of both, if an input is an output as it is);
    /// the name is looked for when a model is loaded. [`anydim_value_info_t`].order is what the model then has.
    /// Errors here: invalid_argument for a rule that is none, a rank outside 0..8, axes that are no permutation,
    /// axes with another rule than [`ANYDIM_EDGE_LAYOUT_ORDER`]. Errors at load: not_found for a name that the model
    /// lacks, invalid_argument for axes of another rank, channels last of a rank below 3, and an input with the
    /// order follow.
    ///
    /// - `layouts`: The layouts.
    /// - `name`: Name of the input or output.
    /// - `rule`: What is asked for.
    /// - `rank`: Number of axes; 0 unless the rule is [`ANYDIM_EDGE_LAYOUT_ORDER`].
    /// - `axes`: The axes, outermost in memory first; null if there are none.
    ///
    /// Experimental; slot 94; fails with `invalid_argument`, `busy`.
    pub fn anydim_layouts_set(
        layouts: anydim_layouts_t,
        name: *const c_char,
        rule: anydim_edge_layout_t,
        rank: i32,
        axes: *const i64,
    ) -> anydim_status_t;
    /// Makes layers of which nothing is asked. They go into [`anydim_model_options_t`].
    ///
    /// - `layers` (out, the caller destroys it): The layers.
    ///
    /// Experimental; slot 173.
    pub fn anydim_layers_create(layers: *mut anydim_layers_t) -> anydim_status_t;
    /// Destroys layers; what was made with them has copied them.
    ///
    /// - `layers`: The handle, or null.
    ///
    /// Experimental; slot 174.
    pub fn anydim_layers_destroy(layers: anydim_layers_t);
    /// Sets the math mode of one layer, before the model's own: of a node of the model's file by its name, or of all
    /// nodes inside a branch or loop by the branch's or loop's, and of one of them by both ("loop_2/conv_3"). The
    /// name is looked for when a model is loaded. [`anydim_context_explain`] names the mode that each node has in
    /// the end. Errors here: invalid_argument for an empty name and for a mode that is none. Errors at load:
    /// not_found for a name that no node which computes something has.
    ///
    /// - `layers`: The layers.
    /// - `layer`: Name of the node.
    /// - `mode`: The mode.
    ///
    /// Experimental; slot 175; fails with `invalid_argument`, `busy`.
    pub fn anydim_layers_set_math(
        layers: anydim_layers_t,
        layer: *const c_char,
        mode: anydim_math_t,
    ) -> anydim_status_t;
}
