/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api and core/ops/described by capi/generator; do not edit. */
/* Models, and what is promised and asked of their inputs and outputs. */
#ifndef ANYDIM_MODEL_H
#define ANYDIM_MODEL_H

#include "anydim/base.h"
#include "anydim/tensor.h"
#include "anydim/engine.h"
#include "anydim/modes.h"
#include "anydim/primitive.h"
#include "anydim/custom.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Promises about the dims of a model's inputs, by input name. One user at a time. */
typedef struct anydim_bounds_s* anydim_bounds_t;

/* A loaded graph. Immutable. Many threads may use it at once. It keeps its engine alive. */
typedef const struct anydim_model_s* anydim_model_t;

/* What is asked of single layers of a model, by the names of its nodes. One user at a time. */
typedef struct anydim_layers_s* anydim_layers_t;

/* Memory orders asked for at a model's inputs and outputs, by name. One user at a time. */
typedef struct anydim_layouts_s* anydim_layouts_t;

/* What may be asked of the memory order of a model's input or output. It changes time, never results. */
typedef int32_t anydim_edge_layout_t;
enum {
  ANYDIM_EDGE_LAYOUT_ORDER = 0, /* The order given as axes. */
  ANYDIM_EDGE_LAYOUT_ROW_MAJOR = 1, /* The last dim is innermost. What an edge has that nothing is asked of. */
  ANYDIM_EDGE_LAYOUT_CHANNELS_LAST = 2, /* Dim 1 is innermost (N, H, W, C in memory). Rank 3 and more. */
  ANYDIM_EDGE_LAYOUT_FASTEST = 3, /* The order that its kernels read or write without a copy; the model chooses it. */
  /*
   * Outputs only: row-major if the input that the output follows is; else as fastest. docs/layouts.md says which
   * input it follows.
   */
  ANYDIM_EDGE_LAYOUT_FOLLOW = 4
};

/*
 * Which rewritings a model's graph gets when it is loaded: a means of finding the cause of a result, not of speed.
 * Results with exact and with none have the same bits; all may differ from them by the roundings that
 * docs/numerics.md, section 8, describes.
 */
typedef int32_t anydim_passes_t;
enum {
  ANYDIM_PASSES_ALL = 0, /* All of them. The default. */
  /* Those that cannot change a bit; functions that a model spells out are computed step by step. */
  ANYDIM_PASSES_EXACT = 1,
  ANYDIM_PASSES_NONE = 2 /* None: each node of the file runs by itself, into memory of its own. */
};

/* Options of a model. */
typedef struct anydim_model_options_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  anydim_math_t math; /* Math mode of its layers that have none of their own. Inherit means strict. */
  anydim_reuse_t reuse; /* Reuse policy of all its operators. */
  /*
   * Layout, not strided and not follow, in which inputs come fastest; channels last of those of rank 3 and more.
   * Other strides are read too.
   */
  anydim_layout_t input_layout;
  /*
   * Layout, not strided, of outputs that the library places; channels last of those of rank 3 and more. Views say
   * the strides.
   */
  anydim_layout_t output_layout;
  anydim_passes_t passes; /* Which rewritings the graph gets. */
  /* Memory orders asked for by name, before the two fields above; or null. What is made with them copies them. */
  anydim_layouts_t layouts;
  /* Path of a file that anydim_model_save_packed wrote; weights that it has are mapped, not packed. Or null. */
  const char* packed_weights;
  /* Engines that the model may run on, the preferred first; or null. See anydim_model_load_file. */
  anydim_engine_t const* engines;
  int32_t engine_count; /* Their number. */
  int32_t reserved; /* Zero. */
  anydim_layers_t layers; /* What is asked of single layers; or null. What is made with them copies them. */
  /* Folder in which a model that is loaded from memory has its external data; or null. A file's is its own. */
  const char* external_data_folder;
  /* What inputs that are sequences or optionals are made of, as anydim_model_load_file says it; or null. */
  const char* sequences;
  /* Operators of the program's own (anydim_custom_operators_add); or null. What is made with them keeps them. */
  anydim_custom_operators_t operators;
  /* Inputs that may come in chunks, each with its axis: "audio=2;mask=1"; or null. See anydim_streaming_create. */
  const char* streaming;
  int64_t streaming_chunk; /* Most elements of such a chunk; 0 = any number, and memory without a bound. */
} anydim_model_options_t;
#define ANYDIM_MODEL_OPTIONS_INIT {sizeof(anydim_model_options_t), 0, 0, 0, 0, 0, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, 0, 0, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, 0}

/* A model's facts and metadata. */
typedef struct anydim_model_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t metadata; /* Number of metadata entries. */
  anydim_string_t producer_name; /* Who wrote the file. */
  anydim_string_t producer_version; /* Its version. */
  anydim_string_t graph_name; /* Name of the graph. */
  anydim_string_t domain; /* The model's domain. */
  anydim_string_t description; /* The model's own text. */
  int64_t version; /* The model's own version. */
  int64_t opset; /* Version of the default operator set. */
  int32_t nodes; /* Nodes after all passes. */
  int32_t file_nodes; /* Nodes in the file. */
  int64_t weight_bytes; /* Bytes of packed weights and constants held by the model, mapped ones included. */
  int32_t packed_weights; /* Number of its packed weights, each counted once however many nodes read it. */
  int32_t mapped_weights; /* How many of them are mapped from the file in options.packed_weights. */
  int64_t mapped_bytes; /* Their bytes. */
  int32_t engines; /* Number of engines that it runs on. */
  int32_t reserved; /* Zero. */
} anydim_model_info_t;
#define ANYDIM_MODEL_INFO_INIT {sizeof(anydim_model_info_t), 0, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/* An input or output of a model. */
typedef struct anydim_value_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  anydim_dtype_t dtype; /* Element type. */
  anydim_string_t name; /* Its name. */
  anydim_dims_t dims; /* Its dims; -1 where dynamic. */
  anydim_dims_t min; /* Smallest value of each dim. */
  anydim_dims_t max; /* Largest value of each dim; 2^62 where there is no bound. */
  /*
   * Memory order as axes, outermost first, that the context asks for or makes. An output that follows has another
   * one in runs whose inputs have.
   */
  anydim_dims_t order;
  anydim_string_t symbols[8]; /* Each dim as text: a number, a symbol (height) or an expression of symbols. */
} anydim_value_info_t;
#define ANYDIM_VALUE_INFO_INIT {sizeof(anydim_value_info_t), 0, {ANYDIM_NULL, 0}, {0, 0, {0}}, {0, 0, {0}}, {0, 0, {0}}, {0, 0, {0}}, {{ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}}}

/*
 * Loads an ONNX model from a file (external data beside it too), optimises it and packs its weights. Errors:
 * file_not_found if there is no such file, io_error if it cannot be read, invalid_model for a damaged one,
 * unimplemented with the names of all operators that are missing. With options.packed_weights, of that file:
 * file_not_found, io_error if it is damaged or no such file, unimplemented if another version wrote its format; that
 * it lacks weights of this model is no error, they are packed. The engine is a CPU engine: where inputs and outputs
 * lie, and what runs if no other engine is named. With options.engines each node runs on the first of these that has
 * a kernel for it, or on the engine itself, whose own place in the list, if it has one, counts as the others do;
 * engines without a node are left out (anydim_model_get_engine describes the others). Results do not depend on it.
 * Errors: invalid_argument for a list without its number, unimplemented where none of the engines has a kernel for a
 * node. An input or output that is a sequence of tensors is tensors here (docs/onnx.md): one of its name, whose
 * first axis counts the elements, where only a run knows how many there are; else one for each element, NAME[0],
 * NAME[1] and so on. Inputs are the first unless options.sequences sets the ranks of the elements:
 * "boxes=2,2,2;mask=-" says that boxes has three elements of rank 2, and that mask, an optional, is absent. Errors:
 * invalid_argument for what is no such text, not_found for a name that is no such input. A program file
 * (anydim_model_save_program) is recognised by its first bytes and mapped. Options that say how a program is made
 * are refused for one, all but options.reuse. Errors: unimplemented for another version's or a CPU that lacks what
 * the file's has, invalid_model if it is damaged.
 * Example:
 *     anydim_model_load_file(engine, "rec.onnx", NULL, &model);
 * - engine: The engine.
 * - path: Path of the file.
 * - options (may be null): Options, or null for the defaults.
 * - model (out, the caller destroys it): The model.
 *
 * Stable since 0.1; slot 70; may block; fails with invalid_argument, not_found, file_not_found, io_error,
 * invalid_model, unimplemented.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_model_load_file(anydim_engine_t engine, const char* path, const
    anydim_model_options_t* options, anydim_model_t* model) ANYDIM_NOTHROW;

/*
 * As anydim_model_load_file, from memory that may be freed afterwards. External data is looked for in
 * options.external_data_folder; without it, loading a model that has some returns invalid_model.
 * Example:
 *     anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
 *     options.external_data_folder = "models";
 *     anydim_model_load_memory(engine, data, size, &options, &model);
 * - engine: The engine.
 * - data: The file's bytes.
 * - size: Their number.
 * - options (may be null): Options, or null for the defaults.
 * - model (out, the caller destroys it): The model.
 *
 * Stable since 0.1; slot 71; may block; fails with invalid_argument, not_found, file_not_found, io_error,
 * invalid_model, unimplemented.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_model_load_memory(anydim_engine_t engine, const void* data, int64_t
    size, const anydim_model_options_t* options, anydim_model_t* model) ANYDIM_NOTHROW;

/*
 * Writes a model's packed weights to a file for options.packed_weights of later loads: under another name first,
 * flushed to the disk, then renamed, so that the path always holds a whole file. A load maps what was packed from
 * the same values, for the same operator and attributes, in the form that its machine's kernels read, and packs the
 * rest, so the file may be of another model, of an older state of it, or of another machine; processes that map one
 * file share its memory. Links are followed; a pipe or character device is written into. Thread rule: any thread.
 * Errors: invalid_argument for what is no file (an empty path, a folder, a block device), io_error with the system's
 * reason.
 * Example:
 *     anydim_model_save_packed(model, "rec.packed", NULL);
 *     options.packed_weights = "rec.packed";
 *     anydim_model_load_file(engine, "rec.onnx", &options, &other);
 * - model: The model.
 * - path: Path of the file.
 * - options (may be null): Options, or null for the defaults.
 *
 * Experimental; slot 164; may block; fails with invalid_argument, io_error.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_model_save_packed(anydim_model_t model, const char* path, const
    anydim_save_options_t* options) ANYDIM_NOTHROW;

/*
 * Writes a model as a program file: its steps, as compiled for this machine's kind of processor, with its packed
 * weights. The functions that load models take such a file in a model's place, by its first bytes: nothing is read
 * of ONNX, rewritten or packed then, and processes that map one file share its memory. Results have the same bits.
 * The file is good for this version of the library and for processors that have what this one has; elsewhere a load
 * fails with a sentence (docs/programs.md). It is written under another name first, flushed to the disk, then
 * renamed, so that the path always holds a whole file.
 * Thread rule: any thread. Errors: unimplemented with all that cannot be saved (engines other than the processor,
 * operators of the program's own, streams), invalid_argument for what is no file, io_error with the system's reason.
 * Example:
 *     anydim_model_save_program(model, "rec.anydim", NULL);
 *     anydim_model_load_file(engine, "rec.anydim", NULL, &other);
 * - model: The model.
 * - path: Path of the file.
 * - options (may be null): Options, or null for the defaults.
 *
 * Experimental; slot 367; may block; fails with invalid_argument, io_error, unimplemented.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_model_save_program(anydim_model_t model, const char* path, const
    anydim_save_options_t* options) ANYDIM_NOTHROW;

/*
 * Loads a model and writes its program, the steps, sizes and memory plan that a run would follow, to a file for
 * translators: a line, JSON, and the constants as they are, none of them packed. `anydim export` makes C of it;
 * docs/export.md describes the format, which may change. Engines in the options and packed weights count as in a
 * load.
 * Errors: as of anydim_model_load_file; out_of_bounds for bounds that the model does not allow, io_error with the
 * system's reason.
 * Example:
 *     anydim_model_write_program(engine, "rec.onnx", NULL, bounds, "rec.program");
 * - engine: The engine.
 * - path: Path of the model.
 * - options (may be null): Options, or null for the defaults.
 * - bounds (may be null): Bounds that sizes and the order of buffers are for, or null for what the model says.
 * - output: Path of the file that is written.
 *
 * Experimental; slot 348; may block; fails with invalid_argument, not_found, file_not_found, io_error,
 * invalid_model, out_of_bounds, unimplemented.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_model_write_program(anydim_engine_t engine, const char* path, const
    anydim_model_options_t* options, anydim_bounds_t bounds, const char* output) ANYDIM_NOTHROW;

/*
 * Destroys a model; its contexts keep it alive.
 * - model: The handle, or null.
 *
 * Stable since 0.1; slot 72.
 */
ANYDIM_API void anydim_model_destroy(anydim_model_t model) ANYDIM_NOTHROW;

/*
 * Describes a model. Its strings live as long as the model.
 * Example:
 *     anydim_model_info_t info = ANYDIM_MODEL_INFO_INIT;
 *     anydim_model_query(model, &info);
 * - model: The model.
 * - info (out): Filled in; set its size before.
 *
 * Stable since 0.1; slot 73; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_model_query(anydim_model_t model, anydim_model_info_t* info)
    ANYDIM_NOTHROW;

/*
 * Describes an engine that the model runs on: 0 is the one that it was loaded for, then come those of
 * options.engines that got nodes. Its strings live as long as the model. Errors: not_found past the last.
 * Example:
 *     anydim_engine_info_t device = ANYDIM_ENGINE_INFO_INIT;
 *     anydim_model_get_engine(model, 1, &device);
 * - model: The model.
 * - index: Which, from 0 to the model's number of engines less one.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 208; fails with invalid_argument, not_found.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_model_get_engine(anydim_model_t model, int32_t index,
    anydim_engine_info_t* info) ANYDIM_NOTHROW;

/*
 * Returns an entry of the model's metadata. Errors: not_found past the last.
 * Example:
 *     anydim_string_t key, value;
 *     for (int32_t i = 0; anydim_model_get_metadata(model, i, &key, &value) == ANYDIM_STATUS_OK; ++i)
 *         printf("%s=%s\n", key.data, value.data);
 * - model: The model.
 * - index: Which, from 0.
 * - key (out): Its key.
 * - value (out): Its value.
 *
 * Experimental; slot 74; fails with not_found.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_model_get_metadata(anydim_model_t model, int32_t index,
    anydim_string_t* key, anydim_string_t* value) ANYDIM_NOTHROW;

/*
 * Returns how many inputs and outputs a model has.
 * - model: The model.
 * - inputs (out): Number of inputs.
 * - outputs (out): Number of outputs.
 *
 * Stable since 0.1; slot 299.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_model_get_counts(anydim_model_t model, int32_t* inputs, int32_t*
    outputs) ANYDIM_NOTHROW;

/*
 * Describes an input. Its strings live as long as the model. Errors: not_found past the last.
 * Example:
 *     anydim_value_info_t info = ANYDIM_VALUE_INFO_INIT;
 *     anydim_model_get_input(model, 0, &info);
 *     printf("%s of rank %d\n", info.name.data, (int)info.dims.rank);
 * - model: The model.
 * - index: Which, from 0.
 * - info (out): Filled in; set its size before.
 *
 * Stable since 0.1; slot 300; fails with invalid_argument, not_found.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_model_get_input(anydim_model_t model, int32_t index,
    anydim_value_info_t* info) ANYDIM_NOTHROW;

/*
 * Describes an output. Its strings live as long as the model. Errors: not_found past the last.
 * - model: The model.
 * - index: Which, from 0.
 * - info (out): Filled in; set its size before.
 *
 * Stable since 0.1; slot 301; fails with invalid_argument, not_found.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_model_get_output(anydim_model_t model, int32_t index,
    anydim_value_info_t* info) ANYDIM_NOTHROW;

/*
 * Finds an input by its name: its place among the inputs. Errors: not_found.
 * Example:
 *     anydim_model_find_input(model, "attention_mask", &index);
 * - model: The model.
 * - name: Its name.
 * - index (out): Which it is, from 0.
 *
 * Stable since 0.1; slot 181; fails with invalid_argument, not_found.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_model_find_input(anydim_model_t model, const char* name, int32_t*
    index) ANYDIM_NOTHROW;

/*
 * Finds an output by its name: its place among the outputs. Errors: not_found.
 * Example:
 *     anydim_view_t outputs[3] = {{.dtype = 0}, {.dtype = 0}, {.dtype = 0}};
 *     anydim_model_find_output(model, "scores", &index);
 *     outputs[index].dtype = ANYDIM_F32;
 *     anydim_context_run(run, &x, 1, outputs, 3, NULL);
 * - model: The model.
 * - name: Its name.
 * - index (out): Which it is, from 0.
 *
 * Stable since 0.1; slot 182; fails with invalid_argument, not_found.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_model_find_output(anydim_model_t model, const char* name, int32_t*
    index) ANYDIM_NOTHROW;

/*
 * Describes a model as JSON: facts, inputs, outputs, metadata, how often each operator occurs, weights, and the
 * nodes after all passes.
 * Example:
 *     anydim_model_describe(model, &text);
 *     anydim_string_t json;
 *     anydim_text_get_data(text, &json);
 *     puts(json.data);
 *     anydim_text_destroy(text);
 * - model: The model.
 * - text (out, the caller destroys it): The description.
 *
 * Experimental; slot 78.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_model_describe(anydim_model_t model, anydim_text_t* text)
    ANYDIM_NOTHROW;

/*
 * Makes empty bounds.
 * - bounds (out, the caller destroys it): The bounds.
 *
 * Stable since 0.1; slot 80.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_bounds_create(anydim_bounds_t* bounds) ANYDIM_NOTHROW;

/*
 * Destroys bounds; what was made with them has copied them.
 * - bounds: The handle, or null.
 *
 * Stable since 0.1; slot 81.
 */
ANYDIM_API void anydim_bounds_destroy(anydim_bounds_t bounds) ANYDIM_NOTHROW;

/*
 * Sets the bounds of one input by its name; the input is looked for when the bounds are used. An input without
 * bounds keeps what the model says of its dims. Errors: invalid_argument for a rank outside 0..8, a negative number,
 * min > max, or a multiple_of below 1.
 * Example:
 *     anydim_dim_t d[4] = {anydim_dim_fixed(1), anydim_dim_fixed(3), anydim_dim_fixed(48), anydim_dim_dynamic(32, 1200)};
 *     anydim_bounds_set(bounds, "x", 4, d);
 * - bounds: The bounds.
 * - input: The input's name.
 * - rank: Number of dims.
 * - dims: The dims, outermost first.
 *
 * Stable since 0.1; slot 82; fails with invalid_argument, busy.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_bounds_set(anydim_bounds_t bounds, const char* input, int32_t rank,
    const anydim_dim_t* dims) ANYDIM_NOTHROW;

/*
 * Makes layouts that ask for nothing. They go into anydim_model_options_t: a model is compiled for the memory orders
 * of its inputs and outputs, so that what comes and goes in them is neither copied nor reordered. Other strides are
 * accepted at every run all the same, with the same bits; an output in other strides costs a copy.
 * - layouts (out, the caller destroys it): The layouts.
 *
 * Experimental; slot 92.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_layouts_create(anydim_layouts_t* layouts) ANYDIM_NOTHROW;

/*
 * Destroys layouts; what was made with them has copied them.
 * - layouts: The handle, or null.
 *
 * Experimental; slot 93.
 */
ANYDIM_API void anydim_layouts_destroy(anydim_layouts_t layouts) ANYDIM_NOTHROW;

/*
 * Asks for the memory order of one input or output by its name (of both, if an input is an output as it is); the
 * name is looked for when a model is loaded. anydim_value_info_t.order is what the model then has. Errors here:
 * invalid_argument for a rule that is none, a rank outside 0..8, axes that are no permutation, axes with another
 * rule than ANYDIM_EDGE_LAYOUT_ORDER. Errors at load: not_found for a name that the model lacks, invalid_argument
 * for axes of another rank, channels last of a rank below 3, and an input with the order follow.
 * Example:
 *     anydim_layouts_set(layouts, "x", ANYDIM_EDGE_LAYOUT_CHANNELS_LAST, 0, NULL);
 *     int64_t axes[3] = {1, 0, 2};
 *     anydim_layouts_set(layouts, "scores", ANYDIM_EDGE_LAYOUT_ORDER, 3, axes);
 * - layouts: The layouts.
 * - name: Name of the input or output.
 * - rule: What is asked for.
 * - rank: Number of axes; 0 unless the rule is ANYDIM_EDGE_LAYOUT_ORDER.
 * - axes: The axes, outermost in memory first; null if there are none.
 *
 * Experimental; slot 94; fails with invalid_argument, busy.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_layouts_set(anydim_layouts_t layouts, const char* name,
    anydim_edge_layout_t rule, int32_t rank, const int64_t* axes) ANYDIM_NOTHROW;

/*
 * Makes layers of which nothing is asked. They go into anydim_model_options_t.
 * - layers (out, the caller destroys it): The layers.
 *
 * Experimental; slot 173.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_layers_create(anydim_layers_t* layers) ANYDIM_NOTHROW;

/*
 * Destroys layers; what was made with them has copied them.
 * - layers: The handle, or null.
 *
 * Experimental; slot 174.
 */
ANYDIM_API void anydim_layers_destroy(anydim_layers_t layers) ANYDIM_NOTHROW;

/*
 * Sets the math mode of one layer, before the model's own: of a node of the model's file by its name, or of all
 * nodes inside a branch or loop by the branch's or loop's, and of one of them by both ("loop_2/conv_3"). The name is
 * looked for when a model is loaded. anydim_context_explain names the mode that each node has in the end. Errors
 * here: invalid_argument for an empty name and for a mode that is none. Errors at load: not_found for a name that no
 * node which computes something has.
 * Example:
 *     anydim_layers_set_math(layers, "conv_3", ANYDIM_MATH_FAST);
 * - layers: The layers.
 * - layer: Name of the node.
 * - mode: The mode.
 *
 * Experimental; slot 175; fails with invalid_argument, busy.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_layers_set_math(anydim_layers_t layers, const char* layer,
    anydim_math_t mode) ANYDIM_NOTHROW;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ANYDIM_MODEL_H */
