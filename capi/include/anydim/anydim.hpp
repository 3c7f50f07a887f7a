// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
// Anydim 0.1.0 for C++11 and later: the functions of anydim.h, whose texts are the manual, as classes and methods. What fails
// throws anydim::Error. A handle's class owns it, is moved and not copied, and converts to the handle, so that both APIs mix:
//
//     anydim::Engine engine = anydim::Engine::create(ANYDIM_ENGINE_CPU, 0);
//     anydim::Model model = anydim::Model::load_file(engine, "rec.onnx");
//     anydim::Session session = anydim::Session::create(model);
//     std::vector<float> pixels(3 * 48 * 320);
//     std::vector<anydim::Result> results = anydim::run(session, model, anydim::view(pixels, {1, 3, 48, 320}));
//
// Without exceptions there are the owners alone: support.hpp says how they are used.
#ifndef ANYDIM_HPP
#define ANYDIM_HPP

#include <tuple>

#include "anydim/support.hpp"

namespace anydim {
// Its own symbols: the static library has classes of the same names.
inline namespace handles {

// -- structs, which begin as C's _INIT values say; operators go where an operator is taken

// UTF-8 text that an object owns.
typedef anydim_string_t String;

// What a call failed with.
struct ErrorInfo : anydim_error_info_t {
  ErrorInfo() noexcept : anydim_error_info_t ANYDIM_ERROR_INFO_INIT {}
};

// What this build of the library is and has.
struct BuildInfo : anydim_build_info_t {
  BuildInfo() noexcept : anydim_build_info_t ANYDIM_BUILD_INFO_INIT {}
};

// Which log lines are made, and who gets them.
struct LogInfo : anydim_log_info_t {
  LogInfo() noexcept : anydim_log_info_t ANYDIM_LOG_INFO_INIT {}
};

// A dim of a descriptor or of bounds.
typedef anydim_dim_t Dim;

// A short list of numbers - dims, strides or axes - outermost first.
typedef anydim_dims_t Dims;

// A tensor as the caller sees it: where its elements are, and in which order.
typedef anydim_view_t View;

// A short list of real numbers.
typedef anydim_reals_t Reals;

// Options of an engine.
struct EngineOptions : anydim_engine_options_t {
  EngineOptions() noexcept : anydim_engine_options_t ANYDIM_ENGINE_OPTIONS_INIT {}
};

// What an engine is.
struct EngineInfo : anydim_engine_info_t {
  EngineInfo() noexcept : anydim_engine_info_t ANYDIM_ENGINE_INFO_INIT {}
};

// A kind of engine.
struct EngineKindInfo : anydim_engine_kind_info_t {
  EngineKindInfo() noexcept : anydim_engine_kind_info_t ANYDIM_ENGINE_KIND_INFO_INIT {}
};

// A device that an engine can be made for.
struct DeviceInfo : anydim_device_info_t {
  DeviceInfo() noexcept : anydim_device_info_t ANYDIM_DEVICE_INFO_INIT {}
};

// A kernel of the registry.
struct KernelInfo : anydim_kernel_info_t {
  KernelInfo() noexcept : anydim_kernel_info_t ANYDIM_KERNEL_INFO_INIT {}
};

// Options of a stream.
struct StreamOptions : anydim_stream_options_t {
  StreamOptions() noexcept : anydim_stream_options_t ANYDIM_STREAM_OPTIONS_INIT {}
};

// What a memory is.
struct MemoryInfo : anydim_memory_info_t {
  MemoryInfo() noexcept : anydim_memory_info_t ANYDIM_MEMORY_INFO_INIT {}
};

// The head of every operator struct.
typedef anydim_op_t Op;

// Convolution over 1 to 3 spatial dims.
struct Convolution : anydim_convolution_t {
  Convolution() noexcept : anydim_convolution_t ANYDIM_CONVOLUTION_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Transposed convolution over 1 to 3 spatial dims.
struct ConvTranspose : anydim_conv_transpose_t {
  ConvTranspose() noexcept : anydim_conv_transpose_t ANYDIM_CONV_TRANSPOSE_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Product of matrices: alpha * (a b) + beta * c.
struct Matmul : anydim_matmul_t {
  Matmul() noexcept : anydim_matmul_t ANYDIM_MATMUL_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// The maximum or the average over windows of 1 to 3 spatial dims.
struct Pooling : anydim_pooling_t {
  Pooling() noexcept : anydim_pooling_t ANYDIM_POOLING_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// A function of each element.
struct Unary : anydim_unary_t {
  Unary() noexcept : anydim_unary_t ANYDIM_UNARY_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// A function of two elements; dims broadcast as in NumPy.
struct Binary : anydim_binary_t {
  Binary() noexcept : anydim_binary_t ANYDIM_BINARY_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// x with some axes reduced.
struct Reduce : anydim_reduce_t {
  Reduce() noexcept : anydim_reduce_t ANYDIM_REDUCE_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// exp(x - max) / sum over an axis, or its logarithm.
struct Softmax : anydim_softmax_t {
  Softmax() noexcept : anydim_softmax_t ANYDIM_SOFTMAX_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// (x - mean) / sqrt(variance + epsilon) * scale + bias, mean and variance over the axes from `axis` to the last.
struct LayerNorm : anydim_layer_norm_t {
  LayerNorm() noexcept : anydim_layer_norm_t ANYDIM_LAYER_NORM_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Interpolation to other dims: those in sizes, or the input's times scales, rounded down.
struct Resize : anydim_resize_t {
  Resize() noexcept : anydim_resize_t ANYDIM_RESIZE_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// The axes in another order; output axis i is input axis perm[i].
struct Transpose : anydim_transpose_t {
  Transpose() noexcept : anydim_transpose_t ANYDIM_TRANSPOSE_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// The same elements in another dtype.
struct Cast : anydim_cast_t {
  Cast() noexcept : anydim_cast_t ANYDIM_CAST_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// The inputs one after another along an axis.
struct Concat : anydim_concat_t {
  Concat() noexcept : anydim_concat_t ANYDIM_CONCAT_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// condition ? a : b, element by element; dims broadcast as in NumPy.
struct Where : anydim_where_t {
  Where() noexcept : anydim_where_t ANYDIM_WHERE_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// The index of the largest or smallest element along an axis. +0 and -0 are equal.
struct ArgReduce : anydim_arg_reduce_t {
  ArgReduce() noexcept : anydim_arg_reduce_t ANYDIM_ARG_REDUCE_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Running sums or products along an axis, in the order of the index.
struct Cumsum : anydim_cumsum_t {
  Cumsum() noexcept : anydim_cumsum_t ANYDIM_CUMSUM_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// The same elements, in logical row-major order, under other dims.
struct Reshape : anydim_reshape_t {
  Reshape() noexcept : anydim_reshape_t ANYDIM_RESHAPE_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// x repeated to the dims that it and those given broadcast to.
struct Expand : anydim_expand_t {
  Expand() noexcept : anydim_expand_t ANYDIM_EXPAND_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Per axis of x a first index, a length and a step.
struct Slice : anydim_slice_t {
  Slice() noexcept : anydim_slice_t ANYDIM_SLICE_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Elements added, or with negative counts cut off, before and after each axis.
struct Pad : anydim_pad_t {
  Pad() noexcept : anydim_pad_t ANYDIM_PAD_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Each axis of x repeated a number of times.
struct Tile : anydim_tile_t {
  Tile() noexcept : anydim_tile_t ANYDIM_TILE_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Blocks of channels laid out as squares of pixels, or squares of pixels as blocks of channels.
struct DepthToSpace : anydim_depth_to_space_t {
  DepthToSpace() noexcept : anydim_depth_to_space_t ANYDIM_DEPTH_TO_SPACE_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// A vector of start, start + delta, ..., each element start + i * delta rounded in its dtype.
struct Range : anydim_range_t {
  Range() noexcept : anydim_range_t ANYDIM_RANGE_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// A scalar or a vector of whole numbers, converted as a cast from i64 does.
struct ShapeTensor : anydim_shape_tensor_t {
  ShapeTensor() noexcept : anydim_shape_tensor_t ANYDIM_SHAPE_TENSOR_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Slices of the data along an axis, picked by the indices (negative ones from the end).
struct Gather : anydim_gather_t {
  Gather() noexcept : anydim_gather_t ANYDIM_GATHER_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// One element of the data for each index, which replaces its coordinate on an axis.
struct GatherElements : anydim_gather_elements_t {
  GatherElements() noexcept : anydim_gather_elements_t ANYDIM_GATHER_ELEMENTS_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Slices of the data at coordinates, which the last axis of the indices holds.
struct GatherNd : anydim_gather_nd_t {
  GatherNd() noexcept : anydim_gather_nd_t ANYDIM_GATHER_ND_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// A copy of the data in which updates are stored, or combined, at the indices along an axis.
struct ScatterElements : anydim_scatter_elements_t {
  ScatterElements() noexcept : anydim_scatter_elements_t ANYDIM_SCATTER_ELEMENTS_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// A copy of the data in which slices of the updates are stored, or combined, at coordinates, which the last axis of
// the indices holds.
struct ScatterNd : anydim_scatter_nd_t {
  ScatterNd() noexcept : anydim_scatter_nd_t ANYDIM_SCATTER_ND_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// The k largest or smallest elements along an axis.
struct Topk : anydim_topk_t {
  Topk() noexcept : anydim_topk_t ANYDIM_TOPK_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// The upper or lower triangle of the last two axes, zero elsewhere.
struct Trilu : anydim_trilu_t {
  Trilu() noexcept : anydim_trilu_t ANYDIM_TRILU_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Ones on a diagonal of a matrix with x's dims, zeros elsewhere.
struct EyeLike : anydim_eye_like_t {
  EyeLike() noexcept : anydim_eye_like_t ANYDIM_EYE_LIKE_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// A new axis of `depth` elements: "on" where its position equals the index (negative ones from the end), "off"
// elsewhere and for indices out of range.
struct OneHot : anydim_one_hot_t {
  OneHot() noexcept : anydim_one_hot_t ANYDIM_ONE_HOT_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// The input read at positions that the grid gives for each element of the output, -1 to 1 from one end of an axis to
// the other, and interpolated.
struct GridSample : anydim_grid_sample_t {
  GridSample() noexcept : anydim_grid_sample_t ANYDIM_GRID_SAMPLE_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// How many elements are not zero.
struct CountNonZero : anydim_count_non_zero_t {
  CountNonZero() noexcept : anydim_count_non_zero_t ANYDIM_COUNT_NON_ZERO_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// The coordinates of the first `count` elements that are not zero, in row-major order; coordinate i of element j is
// at [i, j].
struct NonZero : anydim_non_zero_t {
  NonZero() noexcept : anydim_non_zero_t ANYDIM_NON_ZERO_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Which slices of x along an axis are equal: -0 and 0 are, and all NaN, which come after all numbers.
struct Unique : anydim_unique_t {
  Unique() noexcept : anydim_unique_t ANYDIM_UNIQUE_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// A recurrent layer: a cell that is applied to one step of a sequence after the other and carries a state.
// docs/numerics.md, section 9, has the formulas.
struct Recurrent : anydim_recurrent_t {
  Recurrent() noexcept : anydim_recurrent_t ANYDIM_RECURRENT_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// The sum of columns at the windows that they were taken from (ONNX Col2Im).
struct Fold : anydim_fold_t {
  Fold() noexcept : anydim_fold_t ANYDIM_FOLD_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// The columns of a deformable convolution in two dims: for each output position and each tap the input at the tap's
// place plus an offset, by linear interpolation, 0 outside, times the mask.
struct DeformColumns : anydim_deform_columns_t {
  DeformColumns() noexcept : anydim_deform_columns_t ANYDIM_DEFORM_COLUMNS_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Each region of a list, cut into bins of which each becomes one number: the average or the maximum of samples by
// linear interpolation, or the maximum of the elements in it.
struct RoiAlign : anydim_roi_align_t {
  RoiAlign() noexcept : anydim_roi_align_t ANYDIM_ROI_ALIGN_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// For each batch and class the boxes with the highest scores, without those that overlap a better one.
struct NonMaxSuppression : anydim_non_max_suppression_t {
  NonMaxSuppression() noexcept : anydim_non_max_suppression_t ANYDIM_NON_MAX_SUPPRESSION_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// The discrete Fourier transform along an axis: sums of x[j] * exp(-2 pi i j k / length), with `inverse` of exp(+2 pi
// i j k / length), divided by length.
struct Dft : anydim_dft_t {
  Dft() noexcept : anydim_dft_t ANYDIM_DFT_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Determinants of the matrices in the last two axes.
struct Det : anydim_det_t {
  Det() noexcept : anydim_det_t ANYDIM_DET_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Random numbers from 0 (included) to 1 (not included), by a counter (Philox 4x32-10): which numbers follows from
// seed and stream alone. docs/numerics.md, section 10.
struct RandomUniform : anydim_random_uniform_t {
  RandomUniform() noexcept : anydim_random_uniform_t ANYDIM_RANDOM_UNIFORM_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// The same bits as elements of another dtype of the same size.
struct BitCast : anydim_bit_cast_t {
  BitCast() noexcept : anydim_bit_cast_t ANYDIM_BIT_CAST_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// softmax(q k^T * scale + bias) v for each head, without the scores ever lying in memory at once; docs/numerics.md,
// section 11, has the order.
struct Attention : anydim_attention_t {
  Attention() noexcept : anydim_attention_t ANYDIM_ATTENTION_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Product of a matrix and one that is held as numbers of few bits: of i8, u8, i4 or u4, which stand for scale *
// (number - zero point) with one scale for a block of adjacent elements along K, or of f16 or bf16.
struct CompressedMatmul : anydim_compressed_matmul_t {
  CompressedMatmul() noexcept : anydim_compressed_matmul_t ANYDIM_COMPRESSED_MATMUL_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// The cache, in which the update is stored along an axis, from position starts[b] (or first) on in example b, which
// the first axis counts.
struct Append : anydim_append_t {
  Append() noexcept : anydim_append_t ANYDIM_APPEND_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Decision trees over the features of each row.
struct TreeEnsemble : anydim_tree_ensemble_t {
  TreeEnsemble() noexcept : anydim_tree_ensemble_t ANYDIM_TREE_ENSEMBLE_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Probabilities of classes from those of each class against each other: the second way of Wu, Lin and Weng (2004),
// iterated until no error is above 0.005 / classes, as support vector machines have it.
struct CouplePairs : anydim_couple_pairs_t {
  CouplePairs() noexcept : anydim_couple_pairs_t ANYDIM_COUPLE_PAIRS_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// The scale and the zero point with which u8 numbers cover all elements of x and 0: what ONNX's DynamicQuantizeLinear
// quantizes with. docs/numerics.md, section 1, has the bits.
struct QuantizationRange : anydim_quantization_range_t {
  QuantizationRange() noexcept : anydim_quantization_range_t ANYDIM_QUANTIZATION_RANGE_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Where each string stands in a sorted table; -1 if it is not in it.
struct StringLookup : anydim_string_lookup_t {
  StringLookup() noexcept : anydim_string_lookup_t ANYDIM_STRING_LOOKUP_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Whether two strings have the same bytes; dims broadcast as in NumPy.
struct StringEqual : anydim_string_equal_t {
  StringEqual() noexcept : anydim_string_equal_t ANYDIM_STRING_EQUAL_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// The bytes of one string and then those of another; dims broadcast as in NumPy.
struct StringConcat : anydim_string_concat_t {
  StringConcat() noexcept : anydim_string_concat_t ANYDIM_STRING_CONCAT_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Strings with each character in lower or upper case, where one character becomes one (Unicode 14, independent of
// language).
struct StringCase : anydim_string_case_t {
  StringCase() noexcept : anydim_string_case_t ANYDIM_STRING_CASE_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Whether an automaton accepts the whole string.
struct StringMatch : anydim_string_match_t {
  StringMatch() noexcept : anydim_string_match_t ANYDIM_STRING_MATCH_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// How many pieces string_split cuts each string into.
struct CountStringPieces : anydim_count_string_pieces_t {
  CountStringPieces() noexcept : anydim_count_string_pieces_t ANYDIM_COUNT_STRING_PIECES_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Strings cut into pieces, which lie where the strings lie: views into the same heap.
struct StringSplit : anydim_string_split_t {
  StringSplit() noexcept : anydim_string_split_t ANYDIM_STRING_SPLIT_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// How often each n-gram of a pool occurs in a row: items that follow each other, or whose places are 1 + s apart for
// each skip s up to max_skip.
struct NgramCounts : anydim_ngram_counts_t {
  NgramCounts() noexcept : anydim_ngram_counts_t ANYDIM_NGRAM_COUNTS_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// The numbers that strings spell: decimals, in plain or scientific form, with blanks around them; of an integer
// without an exponent, and a fraction is cut off; of bool a whole number that is not 0.
struct StringParse : anydim_string_parse_t {
  StringParse() noexcept : anydim_string_parse_t ANYDIM_STRING_PARSE_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// Numbers as strings: integers with all digits, floats with eight significant ones and without zeros at the end, in
// scientific form where the exponent is below -4 or above 7; INF, -INF, NaN.
struct StringFormat : anydim_string_format_t {
  StringFormat() noexcept : anydim_string_format_t ANYDIM_STRING_FORMAT_INIT {}
  operator const anydim_op_t&() const noexcept { return op; }
};

// How a file of packed weights is written.
struct SaveOptions : anydim_save_options_t {
  SaveOptions() noexcept : anydim_save_options_t ANYDIM_SAVE_OPTIONS_INIT {}
};

// A kernel that was considered for a primitive.
struct Candidate : anydim_candidate_t {
  Candidate() noexcept : anydim_candidate_t ANYDIM_CANDIDATE_INIT {}
};

// A node of a model whose operator is the program's.
typedef anydim_custom_node_t CustomNode;

// An attribute of a node.
typedef anydim_custom_attribute_t CustomAttribute;

// An operator of the program's.
struct CustomOperator : anydim_custom_operator_t {
  CustomOperator() noexcept : anydim_custom_operator_t ANYDIM_CUSTOM_OPERATOR_INIT {}
};

// A kernel of an engine from outside.
typedef anydim_engine_kernel_t EngineKernel;

// A problem, or one execution of a kernel.
typedef anydim_engine_call_t EngineCall;

// A node of an EngineGraph.
typedef anydim_engine_node_t EngineNode;

// A model's graph, or a part of it, for an engine that takes parts.
typedef anydim_engine_graph_t EngineGraph;

// An engine from outside.
struct EngineDefinition : anydim_engine_definition_t {
  EngineDefinition() noexcept : anydim_engine_definition_t ANYDIM_ENGINE_DEFINITION_INIT {}
};

// Options of a model.
struct ModelOptions : anydim_model_options_t {
  ModelOptions() noexcept : anydim_model_options_t ANYDIM_MODEL_OPTIONS_INIT {}
};

// A model's facts and metadata.
struct ModelInfo : anydim_model_info_t {
  ModelInfo() noexcept : anydim_model_info_t ANYDIM_MODEL_INFO_INIT {}
};

// An input or output of a model.
struct ValueInfo : anydim_value_info_t {
  ValueInfo() noexcept : anydim_value_info_t ANYDIM_VALUE_INFO_INIT {}
};

// Options of a context.
struct ContextOptions : anydim_context_options_t {
  ContextOptions() noexcept : anydim_context_options_t ANYDIM_CONTEXT_OPTIONS_INIT {}
};

// An input of a run that its caller has in parts, which lie side by side along one axis.
typedef anydim_input_parts_t InputParts;

// Options of a run, in a context or a session.
struct RunOptions : anydim_run_options_t {
  RunOptions() noexcept : anydim_run_options_t ANYDIM_RUN_OPTIONS_INIT {}
};

// How a context's plans are measured.
struct TuneOptions : anydim_tune_options_t {
  TuneOptions() noexcept : anydim_tune_options_t ANYDIM_TUNE_OPTIONS_INIT {}
};

// A context's counters.
struct ContextInfo : anydim_context_info_t {
  ContextInfo() noexcept : anydim_context_info_t ANYDIM_CONTEXT_INFO_INIT {}
};

// A node of a model as a context runs it.
struct NodeInfo : anydim_node_info_t {
  NodeInfo() noexcept : anydim_node_info_t ANYDIM_NODE_INFO_INIT {}
};

// A session's contexts.
struct SessionInfo : anydim_session_info_t {
  SessionInfo() noexcept : anydim_session_info_t ANYDIM_SESSION_INFO_INIT {}
};

// A state's sizes and counters.
struct StateInfo : anydim_state_info_t {
  StateInfo() noexcept : anydim_state_info_t ANYDIM_STATE_INFO_INIT {}
};

// What a sequence of chunks has come to, and what is known of any.
struct StreamingInfo : anydim_streaming_info_t {
  StreamingInfo() noexcept : anydim_streaming_info_t ANYDIM_STREAMING_INFO_INIT {}
};

// Options of the batching of a session.
struct BatchingOptions : anydim_batching_options_t {
  BatchingOptions() noexcept : anydim_batching_options_t ANYDIM_BATCHING_OPTIONS_INIT {}
};

// What the batching of a session did and does.
struct BatchingInfo : anydim_batching_info_t {
  BatchingInfo() noexcept : anydim_batching_info_t ANYDIM_BATCHING_INFO_INIT {}
};

// The background worker's counters.
struct WorkerInfo : anydim_worker_info_t {
  WorkerInfo() noexcept : anydim_worker_info_t ANYDIM_WORKER_INFO_INIT {}
};

// The primitive cache.
struct PrimitiveCacheInfo : anydim_primitive_cache_info_t {
  PrimitiveCacheInfo() noexcept : anydim_primitive_cache_info_t ANYDIM_PRIMITIVE_CACHE_INFO_INIT {}
};

// How a primitive came to be.
struct PrimitiveCreation : anydim_primitive_creation_t {
  PrimitiveCreation() noexcept : anydim_primitive_creation_t ANYDIM_PRIMITIVE_CREATION_INIT {}
};

// The persistent cache as this process uses it.
struct PersistentCacheInfo : anydim_persistent_cache_info_t {
  PersistentCacheInfo() noexcept : anydim_persistent_cache_info_t ANYDIM_PERSISTENT_CACHE_INFO_INIT {}
};

// A counter of the process.
struct Counter : anydim_counter_t {
  Counter() noexcept : anydim_counter_t ANYDIM_COUNTER_INIT {}
};

// The contents of a verbose line, except for its tensors. docs/verbose.md has the fields.
struct CallInfo : anydim_call_info_t {
  CallInfo() noexcept : anydim_call_info_t ANYDIM_CALL_INFO_INIT {}
};

// A tensor of a call.
struct CallTensor : anydim_call_tensor_t {
  CallTensor() noexcept : anydim_call_tensor_t ANYDIM_CALL_TENSOR_INIT {}
};

// -- handles

// A text made for the caller (an explanation). Read it with Text::data, free it with ~Text. Many threads may use it
// at once.
class Text : public Owner<anydim_text_t, anydim_text_destroy> {
 public:
  using Owner::Owner;
  Text() = default;

#ifdef ANYDIM_HPP_CALLS
  // Returns the bytes of a text.
  std::string data() const {
    anydim_string_t string_ = anydim_string_t();
    check(anydim_text_get_data(get(), &string_));
    return detail::text(string_);
  }
#endif
};

// Bytes of an engine, allocated by it or imported. Threads may share it for reading; writing its bytes is the
// caller's to order. Many threads may use it at once.
class Memory : public Owner<anydim_memory_t, anydim_memory_destroy> {
 public:
  using Owner::Owner;
  Memory() = default;

#ifdef ANYDIM_HPP_CALLS
  // Allocates bytes of an engine, filled with zeros and aligned to 64.
  static Memory allocate(anydim_engine_t engine, int64_t bytes) {
    Memory memory_;
    check(anydim_memory_allocate(engine, bytes, memory_.put()));
    return memory_;
  }

  // Makes a memory of bytes of the caller's, without a copy.
  static Memory import_(anydim_engine_t engine, void* data, int64_t bytes,
      anydim_finalizer_callback_t finalizer = nullptr, void* user = nullptr) {
    Memory memory_;
    check(anydim_memory_import(engine, data, bytes, finalizer, user, memory_.put()));
    return memory_;
  }

  // Makes a memory of a buffer of the program's, without a copy: all of its bytes, which calls then read and write.
  static Memory import_opencl(anydim_engine_t engine, void* cl_buffer) {
    Memory memory_;
    check(anydim_memory_import_opencl(engine, cl_buffer, memory_.put()));
    return memory_;
  }

  // Describes a memory.
  MemoryInfo query() const {
    MemoryInfo info_;
    check(anydim_memory_query(get(), &info_));
    return info_;
  }

  // Returns an address at which the program reads and writes bytes of a memory, until Memory::unmap.
  void* map(int64_t offset, int64_t bytes) const {
    void* data_ = nullptr;
    check(anydim_memory_map(get(), offset, bytes, &data_));
    return data_;
  }

  // Ends a mapping: calls see what was written.
  void unmap(int64_t offset, int64_t bytes) const {
    check(anydim_memory_unmap(get(), offset, bytes));
  }
#endif
};

// A tensor descriptor - dtype, dims (numbers or dynamic) and the layout that its tensors will have. Many threads may
// use it at once.
class Desc : public Owner<anydim_desc_t, anydim_desc_destroy> {
 public:
  using Owner::Owner;
  Desc() = default;

#ifdef ANYDIM_HPP_CALLS
  // Makes a tensor descriptor.
  static Desc create(anydim_dtype_t dtype, Span<const anydim_dim_t> dims, anydim_layout_t layout) {
    Desc desc_;
    check(anydim_desc_create(dtype, detail::length(dims.size()), dims.data(), layout, desc_.put()));
    return desc_;
  }
#endif
};

// A device with its kernels. Everything else is made from one. Many threads may use it at once.
class Engine : public Owner<anydim_engine_t, anydim_engine_destroy> {
 public:
  using Owner::Owner;
  Engine() = default;

#ifdef ANYDIM_HPP_CALLS
  // Makes an engine.
  static Engine create(anydim_engine_kind_t kind, int32_t device = 0,
      const anydim_engine_options_t& options = EngineOptions()) {
    Engine engine_;
    check(anydim_engine_create(kind, device, &options, engine_.put()));
    return engine_;
  }

  // Makes an engine of opencl inside of the program's own OpenCL context, so that both use the same buffers and queues
  // (Memory::import_opencl, Stream::create_in_opencl).
  static Engine create_in_opencl(void* cl_context, void* cl_device,
      const anydim_engine_options_t& options = EngineOptions()) {
    Engine engine_;
    check(anydim_engine_create_in_opencl(cl_context, cl_device, &options, engine_.put()));
    return engine_;
  }

  // Describes an engine.
  EngineInfo query() const {
    EngineInfo info_;
    check(anydim_engine_query(get(), &info_));
    return info_;
  }

  // Describes a kernel of the engine's registry, in order of preference within its operator.
  KernelInfo kernel(int32_t index) const {
    KernelInfo info_;
    check(anydim_engine_get_kernel(get(), index, &info_));
    return info_;
  }
#endif
};

// An order of execution on an engine, with the scratch memory that its primitives use. One user at a time.
class Stream : public Owner<anydim_stream_t, anydim_stream_destroy> {
 public:
  using Owner::Owner;
  Stream() = default;

#ifdef ANYDIM_HPP_CALLS
  // Makes a stream of an engine: where primitives execute, one after the other.
  static Stream create(anydim_engine_t engine, const anydim_stream_options_t& options = StreamOptions()) {
    Stream stream_;
    check(anydim_stream_create(engine, &options, stream_.put()));
    return stream_;
  }

  // Makes a stream over a command queue of the program's.
  static Stream create_in_opencl(anydim_engine_t engine, void* cl_queue) {
    Stream stream_;
    check(anydim_stream_create_in_opencl(engine, cl_queue, stream_.put()));
    return stream_;
  }

  // Waits until everything given to the stream is done; late errors surface here.
  void wait() {
    check(anydim_stream_wait(get()));
  }
#endif
};

// Memory that the library allocates and frees, with dtype and dims. Threads may share it for reading; writing its
// memory is the caller's to order. Many threads may use it at once.
class Tensor : public Owner<anydim_tensor_t, anydim_tensor_destroy> {
 public:
  using Owner::Owner;
  Tensor() = default;

#ifdef ANYDIM_HPP_CALLS
  // Makes a tensor with memory of its own, filled with zeros, freed with the tensor.
  static Tensor allocate(anydim_engine_t engine, anydim_dtype_t dtype, Span<const int64_t> dims,
      anydim_layout_t layout) {
    Tensor tensor_;
    check(anydim_tensor_allocate(engine, dtype, detail::length(dims.size()), dims.data(), layout, tensor_.put()));
    return tensor_;
  }

  // Returns the view of a tensor.
  anydim_view_t view() const {
    anydim_view_t view_ = anydim_view_t();
    check(anydim_tensor_get_view(get(), &view_));
    return view_;
  }
#endif
};

// Attributes of primitives to come - reuse policy, math mode, post-ops, scales, zero points, scratchpad mode, forced
// kernel. What is made with them sees all of a change by another thread, or nothing of it. Many threads may use it at
// once.
class Attr : public Owner<anydim_attr_t, anydim_attr_destroy> {
 public:
  using Owner::Owner;
  Attr() = default;

#ifdef ANYDIM_HPP_CALLS
  // Makes attributes with all defaults.
  static Attr create() {
    Attr attr_;
    check(anydim_attr_create(attr_.put()));
    return attr_;
  }

  // Sets the reuse policy of the primitives to come.
  void set_reuse(anydim_reuse_t policy) const {
    check(anydim_attr_set_reuse(get(), policy));
  }

  // Sets the math mode.
  void set_math(anydim_math_t mode) const {
    check(anydim_attr_set_math(get(), mode));
  }

  // Appends a post-op that takes a function of each output element, after the operator's bias and the post-ops before.
  void append_eltwise(anydim_unary_function_t function, float alpha, float beta) const {
    check(anydim_attr_append_eltwise(get(), function, alpha, beta));
  }

  // Appends a post-op y = function(y, t), with a tensor t that is given at execution after the operator's inputs and
  // broadcasts to the output.
  void append_binary(anydim_binary_function_t function, int32_t reversed) const {
    check(anydim_attr_append_binary(get(), function, reversed));
  }

  // Sets the dtype of the result of a matmul, convolution or conv_transpose: f32, f16, bf16, i8, u8 or i32.
  void set_dtype(anydim_dtype_t dtype) const {
    check(anydim_attr_set_dtype(get(), dtype));
  }

  // Says which real numbers those of an 8-bit operand (i8, u8) stand for: scale * (number - zero point).
  void set_scales(anydim_operand_t operand, int32_t axis, Span<const float> values) const {
    check(anydim_attr_set_scales(get(), operand, axis, values.data(), detail::length(values.size())));
  }

  // Sets the number of an 8-bit operand that stands for zero, as Attr::set_scales does scales.
  void set_zero_points(anydim_operand_t operand, int32_t axis, Span<const int32_t> values) const {
    check(anydim_attr_set_zero_points(get(), operand, axis, values.data(), detail::length(values.size())));
  }

  // Forces a kernel by its name, for tests and reports; "" lets the library choose again.
  void set_kernel(const StringView& kernel) const {
    check(anydim_attr_set_kernel(get(), detail::text(kernel, "kernel")));
  }

  // Sets whose memory the primitive computes in.
  void set_scratchpad(anydim_scratchpad_t mode) const {
    check(anydim_attr_set_scratchpad(get(), mode));
  }

  // Limits the scratch of a primitive to come: a kernel that could need more, at the largest dims that the descriptors
  // allow and with all of the engine's threads, is refused, and the next one in order of preference is taken.
  void set_scratch_limit(int64_t bytes) const {
    check(anydim_attr_set_scratch_limit(get(), bytes));
  }
#endif
};

// Constant inputs of an operator, packed once and shared by all primitives, shapes and contexts. Many threads may use
// it at once.
class Weights : public Owner<anydim_weights_t, anydim_weights_destroy> {
 public:
  using Owner::Owner;
  Weights() = default;

#ifdef ANYDIM_HPP_CALLS
  // Packs constant inputs of an operator, once for all shapes, primitives and contexts; their memory may be freed
  // afterwards.
  static Weights create(anydim_engine_t engine, const anydim_op_t& op, anydim_attr_t attr,
      Span<const anydim_desc_t> inputs, Span<const anydim_view_t> constants,
      Span<const int32_t> operands = Span<const int32_t>()) {
    if (operands.data() != nullptr) detail::same_length(operands.size(), constants.size(), "operands");
    Weights weights_;
    check(anydim_weights_create(engine, &op, attr, inputs.data(), detail::length(inputs.size()), constants.data(),
        operands.data(), detail::length(constants.size()), weights_.put()));
    return weights_;
  }

  // Returns how many bytes the packed form takes.
  int64_t bytes() const {
    int64_t bytes_ = 0;
    check(anydim_weights_get_bytes(get(), &bytes_));
    return bytes_;
  }

  // Replaces the values: packs these, once for all primitives over these weights, and makes them the next version.
  void update(Span<const anydim_view_t> constants) const {
    check(anydim_weights_update(get(), constants.data(), detail::length(constants.size())));
  }

  // Returns how often the values were set: 1 after creation or loading, one more after each update.
  int64_t version() const {
    int64_t version_ = 0;
    check(anydim_weights_get_version(get(), &version_));
    return version_;
  }

  // Writes the packed form to a file for Weights::load: under another name first, flushed to the disk, then renamed, so
  // that the path always holds a whole file and processes that have an older one mapped keep it.
  void save(const StringView& path, const anydim_save_options_t& options = SaveOptions()) const {
    check(anydim_weights_save(get(), detail::text(path, "path"), &options));
  }

  // Maps weights that Weights::save wrote: nothing is packed or copied, and processes that map one file share its
  // memory.
  static Weights load(anydim_engine_t engine, const anydim_op_t& op, anydim_attr_t attr,
      Span<const anydim_desc_t> inputs, const StringView& path) {
    Weights weights_;
    check(anydim_weights_load(engine, &op, attr, inputs.data(), detail::length(inputs.size()), detail::text(path,
        "path"), weights_.put()));
    return weights_;
  }
#endif
};

// An operator made for given descriptors and attributes, bound to one kernel, ready to execute. Many threads may use
// it at once.
class Primitive : public Owner<anydim_primitive_t, anydim_primitive_destroy> {
 public:
  using Owner::Owner;
  Primitive() = default;

#ifdef ANYDIM_HPP_CALLS
  // Makes a primitive, in microseconds (with the reuse policy specialised it measures first, which takes seconds).
  static Primitive create(anydim_engine_t engine, const anydim_op_t& op, anydim_attr_t attr,
      Span<const anydim_desc_t> inputs, anydim_weights_t weights = nullptr) {
    Primitive primitive_;
    check(anydim_primitive_create(engine, &op, attr, inputs.data(), detail::length(inputs.size()), weights,
        primitive_.put()));
    return primitive_;
  }

  // Makes a primitive and packs its constants: Weights::create and Primitive::create in one. constants[i] is the
  // operator's input operands[i], and `inputs` describes all others, in its order; optional ones at the end and before
  // a constant may be left out (Weights::create).
  static Primitive create_with_constants(anydim_engine_t engine, const anydim_op_t& op, anydim_attr_t attr,
      Span<const anydim_desc_t> inputs, Span<const anydim_view_t> constants,
      Span<const int32_t> operands = Span<const int32_t>()) {
    if (operands.data() != nullptr) detail::same_length(operands.size(), constants.size(), "operands");
    Primitive primitive_;
    check(anydim_primitive_create_with_constants(engine, &op, attr, inputs.data(), detail::length(inputs.size()),
        constants.data(), operands.data(), detail::length(constants.size()), primitive_.put()));
    return primitive_;
  }

  // Returns the weights that a primitive holds.
  Weights weights() const {
    Weights weights_;
    check(anydim_primitive_acquire_weights(get(), weights_.put()));
    return weights_;
  }

  // Executes a primitive: inputs in the operator's order without those in weights, then the tensors of post-ops in
  // their order.
  void execute(anydim_stream_t stream, Span<const anydim_view_t> inputs, Span<anydim_view_t> outputs) const {
    check(anydim_primitive_execute(get(), stream, inputs.data(), detail::length(inputs.size()), outputs.data(),
        detail::length(outputs.size())));
  }

  // As Primitive::execute, in scratch memory of the caller (scratchpad mode caller): nothing is allocated.
  void execute_in(anydim_stream_t stream, Span<const anydim_view_t> inputs, Span<const anydim_view_t> outputs,
      void* scratch, int64_t scratch_bytes) const {
    check(anydim_primitive_execute_in(get(), stream, inputs.data(), detail::length(inputs.size()), outputs.data(),
        detail::length(outputs.size()), scratch, scratch_bytes));
  }

  // Returns the dims of an output for actual inputs, and checks these.
  anydim_dims_t output_dims(Span<const anydim_view_t> inputs, int32_t index) const {
    anydim_dims_t dims_ = anydim_dims_t();
    check(anydim_primitive_get_output_dims(get(), inputs.data(), detail::length(inputs.size()), index, &dims_));
    return dims_;
  }

  // Returns how many bytes of scratch an execution with these tensors needs: what Primitive::execute_in is given.
  int64_t scratch_bytes(anydim_stream_t stream, Span<const anydim_view_t> inputs,
      Span<const anydim_view_t> outputs) const {
    int64_t bytes_ = 0;
    check(anydim_primitive_get_scratch_bytes(get(), stream, inputs.data(), detail::length(inputs.size()),
        outputs.data(), detail::length(outputs.size()), &bytes_));
    return bytes_;
  }

  // Returns the memory order in which the primitive's kernel reads an input or writes an output without a copy, as
  // axes, outermost first ({0, 2, 3, 1} is channels last); rank 0: any.
  anydim_dims_t order(int32_t output, int32_t index) const {
    anydim_dims_t order_ = anydim_dims_t();
    check(anydim_primitive_get_order(get(), output, index, &order_));
    return order_;
  }

  // Returns the primitive's kernel: its name, and a number that is equal for two primitives of a process exactly if
  // they hold the same kernel object.
  std::tuple<std::string, uint64_t> kernel() const {
    anydim_string_t name_ = anydim_string_t();
    uint64_t identity_ = 0;
    check(anydim_primitive_get_kernel(get(), &name_, &identity_));
    return std::tuple<std::string, uint64_t>(detail::text(name_), identity_);
  }

  // Returns how many kernels were considered for the primitive.
  int32_t candidate_count() const {
    int32_t count_ = 0;
    check(anydim_primitive_get_candidate_count(get(), &count_));
    return count_;
  }

  // Describes a considered kernel, in order of preference.
  Candidate candidate(int32_t index) const {
    Candidate info_;
    check(anydim_primitive_get_candidate(get(), index, &info_));
    return info_;
  }

  // Explains a primitive as JSON: operator, descriptors, attributes, kernel, tier, reuse policy, preferred orders, and
  // why each other kernel was refused; with input tensors also output dims and scratch.
  Text explain(Span<const anydim_view_t> inputs) const {
    Text text_;
    check(anydim_primitive_explain(get(), inputs.data(), detail::length(inputs.size()), text_.put()));
    return text_;
  }

  // Returns the element type of an output.
  anydim_dtype_t output_dtype(int32_t index) const {
    anydim_dtype_t dtype_ = 0;
    check(anydim_primitive_get_output_dtype(get(), index, &dtype_));
    return dtype_;
  }

  // Lists as JSON, in the registry's order of preference, every kernel for the primitive's problem at these tensors:
  // kernel, chosen, refusal (of those that cannot), expected_nanoseconds (of a simple model; it orders choices and is
  // no promise) and scratch_bytes.
  Text compare_kernels(anydim_stream_t stream, Span<const anydim_view_t> inputs, Span<const anydim_view_t> outputs,
      int32_t repeats) const {
    Text text_;
    check(anydim_primitive_compare_kernels(get(), stream, inputs.data(), detail::length(inputs.size()), outputs.data(),
        detail::length(outputs.size()), repeats, text_.put()));
    return text_;
  }

  // Writes the execute line that a run with these tensors would log, without running, for reports and for `anydim
  // replay`.
  Text format_line(anydim_stream_t stream, Span<const anydim_view_t> inputs,
      Span<const anydim_view_t> outputs) const {
    Text text_;
    check(anydim_primitive_format_line(get(), stream, inputs.data(), detail::length(inputs.size()), outputs.data(),
        detail::length(outputs.size()), text_.put()));
    return text_;
  }

  // Returns how a primitive was created and how long that took.
  PrimitiveCreation query_creation() const {
    PrimitiveCreation info_;
    check(anydim_primitive_query_creation(get(), &info_));
    return info_;
  }
#endif
};

// Operators of the program's own, by domain and name. They go into ModelOptions. One user at a time.
class CustomOperators : public Owner<anydim_custom_operators_t, anydim_custom_operators_destroy> {
 public:
  using Owner::Owner;
  CustomOperators() = default;

#ifdef ANYDIM_HPP_CALLS
  // Makes a set of operators of the program's, without any.
  static CustomOperators create() {
    CustomOperators operators_;
    check(anydim_custom_operators_create(operators_.put()));
    return operators_;
  }
#endif
};

// Promises about the dims of a model's inputs, by input name. One user at a time.
class Bounds : public Owner<anydim_bounds_t, anydim_bounds_destroy> {
 public:
  using Owner::Owner;
  Bounds() = default;

#ifdef ANYDIM_HPP_CALLS
  // Makes empty bounds.
  static Bounds create() {
    Bounds bounds_;
    check(anydim_bounds_create(bounds_.put()));
    return bounds_;
  }

  // Sets the bounds of one input by its name; the input is looked for when the bounds are used.
  void set(const StringView& input, Span<const anydim_dim_t> dims) {
    check(anydim_bounds_set(get(), detail::text(input, "input"), detail::length(dims.size()), dims.data()));
  }
#endif
};

// A loaded graph. Immutable. Many threads may use it at once.
class Model : public Owner<anydim_model_t, anydim_model_destroy> {
 public:
  using Owner::Owner;
  Model() = default;

#ifdef ANYDIM_HPP_CALLS
  // Loads an ONNX model from a file (external data beside it too), optimises it and packs its weights.
  static Model load_file(anydim_engine_t engine, const StringView& path,
      const anydim_model_options_t& options = ModelOptions()) {
    Model model_;
    check(anydim_model_load_file(engine, detail::text(path, "path"), &options, model_.put()));
    return model_;
  }

  // As Model::load_file, from memory that may be freed afterwards.
  static Model load_memory(anydim_engine_t engine, const void* data, int64_t size,
      const anydim_model_options_t& options = ModelOptions()) {
    Model model_;
    check(anydim_model_load_memory(engine, data, size, &options, model_.put()));
    return model_;
  }

  // Writes a model's packed weights to a file for options.packed_weights of later loads: under another name first,
  // flushed to the disk, then renamed, so that the path always holds a whole file.
  void save_packed(const StringView& path, const anydim_save_options_t& options = SaveOptions()) const {
    check(anydim_model_save_packed(get(), detail::text(path, "path"), &options));
  }

  // Writes a model as a program file: its steps, as compiled for this machine's kind of processor, with its packed
  // weights.
  void save_program(const StringView& path, const anydim_save_options_t& options = SaveOptions()) const {
    check(anydim_model_save_program(get(), detail::text(path, "path"), &options));
  }

  // Describes a model.
  ModelInfo query() const {
    ModelInfo info_;
    check(anydim_model_query(get(), &info_));
    return info_;
  }

  // Describes an engine that the model runs on: 0 is the one that it was loaded for, then come those of options.engines
  // that got nodes.
  EngineInfo engine(int32_t index) const {
    EngineInfo info_;
    check(anydim_model_get_engine(get(), index, &info_));
    return info_;
  }

  // Returns an entry of the model's metadata.
  std::tuple<std::string, std::string> metadata(int32_t index) const {
    anydim_string_t key_ = anydim_string_t();
    anydim_string_t value_ = anydim_string_t();
    check(anydim_model_get_metadata(get(), index, &key_, &value_));
    return std::tuple<std::string, std::string>(detail::text(key_), detail::text(value_));
  }

  // Returns how many inputs and outputs a model has.
  std::tuple<int32_t, int32_t> counts() const {
    int32_t inputs_ = 0;
    int32_t outputs_ = 0;
    check(anydim_model_get_counts(get(), &inputs_, &outputs_));
    return std::tuple<int32_t, int32_t>(inputs_, outputs_);
  }

  // Describes an input.
  ValueInfo input(int32_t index) const {
    ValueInfo info_;
    check(anydim_model_get_input(get(), index, &info_));
    return info_;
  }

  // Describes an output.
  ValueInfo output(int32_t index) const {
    ValueInfo info_;
    check(anydim_model_get_output(get(), index, &info_));
    return info_;
  }

  // Finds an input by its name: its place among the inputs.
  int32_t find_input(const StringView& name) const {
    int32_t index_ = 0;
    check(anydim_model_find_input(get(), detail::text(name, "name"), &index_));
    return index_;
  }

  // Finds an output by its name: its place among the outputs.
  int32_t find_output(const StringView& name) const {
    int32_t index_ = 0;
    check(anydim_model_find_output(get(), detail::text(name, "name"), &index_));
    return index_;
  }

  // Describes a model as JSON: facts, inputs, outputs, metadata, how often each operator occurs, weights, and the nodes
  // after all passes.
  Text describe() const {
    Text text_;
    check(anydim_model_describe(get(), text_.put()));
    return text_;
  }

  // Returns how many bytes of an engine's memory a context with these bounds and options needs for any shape within the
  // bounds.
  int64_t bytes_needed(anydim_bounds_t bounds, const anydim_context_options_t& options = ContextOptions(),
      int32_t engine = 0) const {
    int64_t bytes_ = 0;
    check(anydim_model_get_bytes_needed(get(), bounds, &options, engine, &bytes_));
    return bytes_;
  }
#endif
};

// What is asked of single layers of a model, by the names of its nodes. One user at a time.
class Layers : public Owner<anydim_layers_t, anydim_layers_destroy> {
 public:
  using Owner::Owner;
  Layers() = default;

#ifdef ANYDIM_HPP_CALLS
  // Makes layers of which nothing is asked.
  static Layers create() {
    Layers layers_;
    check(anydim_layers_create(layers_.put()));
    return layers_;
  }

  // Sets the math mode of one layer, before the model's own: of a node of the model's file by its name, or of all nodes
  // inside a branch or loop by the branch's or loop's, and of one of them by both ("loop_2/conv_3").
  void set_math(const StringView& layer, anydim_math_t mode) {
    check(anydim_layers_set_math(get(), detail::text(layer, "layer"), mode));
  }
#endif
};

// Memory orders asked for at a model's inputs and outputs, by name. One user at a time.
class Layouts : public Owner<anydim_layouts_t, anydim_layouts_destroy> {
 public:
  using Owner::Owner;
  Layouts() = default;

#ifdef ANYDIM_HPP_CALLS
  // Makes layouts that ask for nothing.
  static Layouts create() {
    Layouts layouts_;
    check(anydim_layouts_create(layouts_.put()));
    return layouts_;
  }

  // Asks for the memory order of one input or output by its name (of both, if an input is an output as it is); the name
  // is looked for when a model is loaded.
  void set(const StringView& name, anydim_edge_layout_t rule, Span<const int64_t> axes) {
    check(anydim_layouts_set(get(), detail::text(name, "name"), rule, detail::length(axes.size()), axes.data()));
  }
#endif
};

// A graph of ONNX operators while a program puts it together. Models are made from it, or it becomes the body of a
// branch or loop. One user at a time.
class ModelBuilder : public Owner<anydim_model_builder_t, anydim_model_builder_destroy> {
 public:
  using Owner::Owner;
  ModelBuilder() = default;

#ifdef ANYDIM_HPP_CALLS
  // Makes an empty graph.
  static ModelBuilder create() {
    ModelBuilder builder_;
    check(anydim_model_builder_create(builder_.put()));
    return builder_;
  }

  // Says which version of a domain's operators the nodes mean, those in bodies too; a second call changes it.
  void set_opset(const StringView& domain, int64_t version) {
    check(anydim_model_builder_set_opset(get(), detail::text(domain, "domain"), version));
  }

  // Adds an input.
  void add_input(const StringView& name, anydim_dtype_t dtype, Span<const int64_t> dims) {
    check(anydim_model_builder_add_input(get(), detail::text(name, "name"), dtype, detail::length(dims.size()),
        dims.data()));
  }

  // Names a dynamic dim of an input: dims of one name are equal in every run, which is checked.
  void set_symbol(const StringView& input, int32_t axis, const StringView& symbol) {
    check(anydim_model_builder_set_symbol(get(), detail::text(input, "input"), axis, detail::text(symbol, "symbol")));
  }

  // Makes a value an output; of which node it comes, or that it is an input or constant, is looked for when the model
  // is made.
  void add_output(const StringView& name) {
    check(anydim_model_builder_add_output(get(), detail::text(name, "name")));
  }

  // Adds a constant, whose elements are read where they lie: row-major and dense, at any address.
  void add_constant(const StringView& name, anydim_dtype_t dtype, Span<const int64_t> dims, void* data = nullptr,
      anydim_finalizer_callback_t finalizer = nullptr, void* user = nullptr) {
    check(anydim_model_builder_add_constant(get(), detail::text(name, "name"), dtype, detail::length(dims.size()),
        dims.data(), data, finalizer, user));
  }

  // Adds a node, to which the functions model_builder_node_... add until the next one.
  void add_node(const StringView& op_type, const StringView& domain, const StringView& name) {
    check(anydim_model_builder_add_node(get(), detail::text(op_type, "op_type"), detail::text(domain, "domain"),
        detail::text(name, "name")));
  }

  // Adds an input to the node: the name of a graph's input, of a constant, of an output of a node that is there or
  // comes later, or, in a body, of a value around it.
  void add_node_input(const StringView& value) {
    check(anydim_model_builder_add_node_input(get(), detail::text(value, "value")));
  }

  // Adds an output to the node.
  void add_node_output(const StringView& value) {
    check(anydim_model_builder_add_node_output(get(), detail::text(value, "value")));
  }

  // Sets an attribute of the node to an integer.
  void set_node_integer(const StringView& attribute, int64_t value) {
    check(anydim_model_builder_set_node_integer(get(), detail::text(attribute, "attribute"), value));
  }

  // Sets an attribute of the node to a list of integers.
  void set_node_integers(const StringView& attribute, Span<const int64_t> values) {
    check(anydim_model_builder_set_node_integers(get(), detail::text(attribute, "attribute"), values.data(),
        detail::length(values.size())));
  }

  // Sets an attribute of the node to a number of binary32.
  void set_node_real(const StringView& attribute, float value) {
    check(anydim_model_builder_set_node_real(get(), detail::text(attribute, "attribute"), value));
  }

  // Sets an attribute of the node to a list of numbers of binary32.
  void set_node_reals(const StringView& attribute, Span<const float> values) {
    check(anydim_model_builder_set_node_reals(get(), detail::text(attribute, "attribute"), values.data(),
        detail::length(values.size())));
  }

  // Sets an attribute of the node to a text.
  void set_node_text(const StringView& attribute, const StringView& value) {
    check(anydim_model_builder_set_node_text(get(), detail::text(attribute, "attribute"), detail::text(value,
        "value")));
  }

  // Adds a text to an attribute that is a list of texts; the first call makes the list.
  void append_node_text(const StringView& attribute, const StringView& value) {
    check(anydim_model_builder_append_node_text(get(), detail::text(attribute, "attribute"), detail::text(value,
        "value")));
  }

  // Sets an attribute of the node to a tensor, row-major and dense, whose elements are copied.
  void set_node_tensor(const StringView& attribute, anydim_dtype_t dtype, Span<const int64_t> dims,
      void* data = nullptr) {
    check(anydim_model_builder_set_node_tensor(get(), detail::text(attribute, "attribute"), dtype,
        detail::length(dims.size()), dims.data(), data));
  }

  // Sets an attribute of the node to a graph as it is now: a branch of an If, the body of a Loop or Scan.
  void set_node_body(const StringView& attribute, anydim_model_builder_t body) {
    check(anydim_model_builder_set_node_body(get(), detail::text(attribute, "attribute"), body));
  }

  // Says what a value between nodes is, for ModelBuilder::refusal alone, which goes on with it behind a node that is
  // refused.
  void add_value_type(const StringView& name, anydim_dtype_t dtype, Span<const int64_t> dims) {
    check(anydim_model_builder_add_value_type(get(), detail::text(name, "name"), dtype, detail::length(dims.size()),
        dims.data()));
  }

  // Asks whether a model can have a node, and why not: for programs that pass parts of a graph.
  std::string refusal(int32_t node) {
    anydim_string_t why_ = anydim_string_t();
    check(anydim_model_builder_get_refusal(get(), node, &why_));
    return detail::text(why_);
  }

  // Makes a model of the graph: as Model::load_file does of a file, from the same point on.
  Model create_model(anydim_engine_t engine, const anydim_model_options_t& options = ModelOptions()) {
    Model model_;
    check(anydim_model_builder_create_model(get(), engine, &options, model_.put()));
    return model_;
  }
#endif
};

// What one running inference needs - its memory and the values of the dims. Make one per concurrent run. One user at
// a time.
class Context : public Owner<anydim_context_t, anydim_context_destroy> {
 public:
  using Owner::Owner;
  Context() = default;

#ifdef ANYDIM_HPP_CALLS
  // Makes a context.
  static Context create(anydim_model_t model, anydim_bounds_t bounds = nullptr,
      const anydim_context_options_t& options = ContextOptions()) {
    Context context_;
    check(anydim_context_create(model, bounds, &options, context_.put()));
    return context_;
  }

  // Runs the model.
  void run(Span<const anydim_view_t> inputs, Span<anydim_view_t> outputs,
      const anydim_run_options_t& options = RunOptions()) {
    check(anydim_context_run(get(), inputs.data(), detail::length(inputs.size()), outputs.data(),
        detail::length(outputs.size()), &options));
  }

  // As Context::run, in a stream of the model's engine: after what was submitted to the stream before, and before what
  // is submitted next.
  void submit(anydim_stream_t stream, Span<const anydim_view_t> inputs, Span<anydim_view_t> outputs,
      const anydim_run_options_t& options = RunOptions()) {
    check(anydim_context_submit(get(), stream, inputs.data(), detail::length(inputs.size()), outputs.data(),
        detail::length(outputs.size()), &options));
  }

  // Returns the dims of an output for actual inputs, and checks these.
  anydim_dims_t output_dims(Span<const anydim_view_t> inputs, int32_t index) {
    anydim_dims_t dims_ = anydim_dims_t();
    check(anydim_context_get_output_dims(get(), inputs.data(), detail::length(inputs.size()), index, &dims_));
    return dims_;
  }

  // Returns a context's memory and counters.
  ContextInfo query() {
    ContextInfo info_;
    check(anydim_context_query(get(), &info_));
    return info_;
  }

  // Explains as JSON how the model runs at the shapes of these inputs: for each node its operator, kernel, tier,
  // layout, fused post-ops, dims, bytes, scratch, why other kernels were refused, and its time in the last run if the
  // context measures.
  Text explain(Span<const anydim_view_t> inputs, const anydim_run_options_t& options = RunOptions()) {
    Text text_;
    check(anydim_context_explain(get(), inputs.data(), detail::length(inputs.size()), &options, text_.put()));
    return text_;
  }

  // Measures the plans of every node at the shapes of these inputs, on the context's memory and threads, and keeps
  // those that are faster with confidence: for all contexts of the model that run these shapes with as many threads,
  // and with options.record in the persistent cache for later processes.
  Text tune(Span<const anydim_view_t> inputs, const anydim_tune_options_t& options = TuneOptions()) {
    Text text_;
    check(anydim_context_tune(get(), inputs.data(), detail::length(inputs.size()), &options, text_.put()));
    return text_;
  }

  // Returns how many nodes a run goes through.
  int32_t node_count() {
    int32_t count_ = 0;
    check(anydim_context_get_node_count(get(), &count_));
    return count_;
  }

  // Describes a node as it ran last.
  NodeInfo node(int32_t index) {
    NodeInfo info_;
    check(anydim_context_get_node(get(), index, &info_));
    return info_;
  }
#endif
};

// What ends runs from outside. One may serve any number of contexts and runs. Many threads may use it at once.
class Cancellation : public Owner<anydim_cancellation_t, anydim_cancellation_destroy> {
 public:
  using Owner::Owner;
  Cancellation() = default;

#ifdef ANYDIM_HPP_CALLS
  // Makes a cancellation that is off.
  static Cancellation create() {
    Cancellation cancellation_;
    check(anydim_cancellation_create(cancellation_.put()));
    return cancellation_;
  }

  // Turns a cancellation on, which ends the runs that have it in their options and those to come, or off.
  void set(int32_t cancelled) const {
    check(anydim_cancellation_set(get(), cancelled));
  }
#endif
};

// A model with contexts for any number of threads. Runs that find none free wait for their turn, first come, first
// served. Many threads may use it at once.
class Session : public Owner<anydim_session_t, anydim_session_destroy> {
 public:
  using Owner::Owner;
  Session() = default;

#ifdef ANYDIM_HPP_CALLS
  // Makes a session and its first context.
  static Session create(anydim_model_t model, anydim_bounds_t bounds = nullptr,
      const anydim_context_options_t& options = ContextOptions(), int32_t contexts = 0) {
    Session session_;
    check(anydim_session_create(model, bounds, &options, contexts, session_.put()));
    return session_;
  }

  // Runs the model in a context of the session, on this thread or on one of the session's own.
  void run(Span<const anydim_view_t> inputs, Span<anydim_view_t> outputs,
      const anydim_run_options_t& options = RunOptions()) const {
    check(anydim_session_run(get(), inputs.data(), detail::length(inputs.size()), outputs.data(),
        detail::length(outputs.size()), &options));
  }

  // Returns the numbers of a session's contexts, of running ones, and of waiting runs.
  SessionInfo query() const {
    SessionInfo info_;
    check(anydim_session_query(get(), &info_));
    return info_;
  }

  // Returns the model of a session, as a handle of the caller's: names, dtypes and dims of inputs and outputs need no
  // second variable.
  Model model() const {
    Model model_;
    check(anydim_session_acquire_model(get(), model_.put()));
    return model_;
  }

  // Explains how the model runs at the dims of these inputs, as JSON: kernels, layouts, memory, and why other kernels
  // were refused (Context::explain has the details).
  Text explain(Span<const anydim_view_t> inputs) const {
    Text text_;
    check(anydim_session_explain(get(), inputs.data(), detail::length(inputs.size()), text_.put()));
    return text_;
  }

  // From now on runs of the session are joined: those whose inputs agree in all dims but the rows become one batch, and
  // each gets the rows of the result that are its own, with the same bits as alone.
  void start_batching(const anydim_batching_options_t& options = BatchingOptions()) const {
    check(anydim_session_start_batching(get(), &options));
  }

  // From now on runs of the session are not joined.
  void stop_batching(int32_t cancel = 0) const {
    check(anydim_session_stop_batching(get(), cancel));
  }

  // Describes what the batching of a session did.
  BatchingInfo query_batching() const {
    BatchingInfo info_;
    check(anydim_session_query_batching(get(), &info_));
    return info_;
  }

  // As Session::run in a session whose batching was started, but that it does not wait: done is called when the request
  // has ended.
  void submit(Span<const anydim_view_t> inputs, Span<anydim_view_t> outputs, const anydim_run_options_t& options,
      anydim_done_callback_t done, void* user = nullptr) const {
    check(anydim_session_submit(get(), inputs.data(), detail::length(inputs.size()), outputs.data(),
        detail::length(outputs.size()), &options, done, user));
  }
#endif
};

// What one sequence of a session's runs remembers. Make one per conversation; any number of them share the session's
// contexts. One user at a time.
class State : public Owner<anydim_state_t, anydim_state_destroy> {
 public:
  using Owner::Owner;
  State() = default;

#ifdef ANYDIM_HPP_CALLS
  // Makes a state without parts.
  static State create(anydim_session_t session, int64_t limit = 0) {
    State state_;
    check(anydim_state_create(session, limit, state_.put()));
    return state_;
  }

  // Adds a part: what a step writes to an output is what the next one reads in an input.
  void add(const StringView& input, const StringView& output, int32_t axis = -1) {
    check(anydim_state_add(get(), detail::text(input, "input"), detail::text(output, "output"), axis));
  }

  // Keeps parts that grow where they lie in pages, from the first step on.
  void use_pages(int64_t page, int64_t pool_limit = 0) {
    check(anydim_state_use_pages(get(), page, pool_limit));
  }

  // Runs the model on the state and on inputs, and keeps what the next step reads.
  void step(Span<const anydim_view_t> inputs, Span<anydim_view_t> outputs,
      const anydim_run_options_t& options = RunOptions()) {
    check(anydim_state_step(get(), inputs.data(), detail::length(inputs.size()), outputs.data(),
        detail::length(outputs.size()), &options));
  }

  // Begins a new sequence, with the memory and the parts that there are.
  void reset() {
    check(anydim_state_reset(get()));
  }

  // Forgets what parts that grow hold behind their first slices: a sequence goes on from an earlier token.
  void truncate(int64_t length) {
    check(anydim_state_truncate(get(), length));
  }

  // Makes another state of the same session that has the same parts, with a copy of what they hold, or with the same
  // pages (State::use_pages): a sequence goes on in two ways.
  State fork() {
    State copy_;
    check(anydim_state_fork(get(), copy_.put()));
    return copy_;
  }

  // Shows what the next step reads of a part: a view into the state's memory, with strides, good until the state is
  // used for anything else.
  anydim_view_t read(int32_t part) {
    anydim_view_t view_ = anydim_view_t();
    check(anydim_state_read(get(), part, &view_));
    return view_;
  }

  // Copies tensors into the parts, in place of what they held: a prefix that was computed before, a recurrent state.
  void write(Span<const anydim_view_t> values) {
    check(anydim_state_write(get(), values.data(), detail::length(values.size())));
  }

  // Returns a state's sizes and counters.
  StateInfo query() {
    StateInfo info_;
    check(anydim_state_query(get(), &info_));
    return info_;
  }
#endif
};

// One sequence that comes in chunks. Make one per sequence; any number of them share contexts. One user at a time.
class Streaming : public Owner<anydim_streaming_t, anydim_streaming_destroy> {
 public:
  using Owner::Owner;
  Streaming() = default;

#ifdef ANYDIM_HPP_CALLS
  // Begins a sequence that comes in chunks.
  static Streaming create(anydim_session_t session) {
    Streaming streaming_;
    check(anydim_streaming_create(session, streaming_.put()));
    return streaming_;
  }

  // Computes what a chunk makes computable.
  void push(Span<const anydim_view_t> inputs, int32_t last, Span<anydim_view_t> outputs,
      const anydim_run_options_t& options = RunOptions()) {
    check(anydim_streaming_push(get(), inputs.data(), detail::length(inputs.size()), last, outputs.data(),
        detail::length(outputs.size()), &options));
  }

  // Begins a new sequence, with the memory that there is.
  void reset() {
    check(anydim_streaming_reset(get()));
  }

  // Returns counters of a sequence, and what is known of any.
  StreamingInfo query() {
    StreamingInfo info_;
    check(anydim_streaming_query(get(), &info_));
    return info_;
  }

  // Returns the axis along which an output comes, chunk by chunk.
  int32_t axis(int32_t output) {
    int32_t axis_ = 0;
    check(anydim_streaming_get_axis(get(), output, &axis_));
    return axis_;
  }

  // Returns how many bytes one sequence and the contexts that compute one chunk need at most, whatever comes within
  // options.streaming_chunk and the bounds.
  int64_t bytes_needed() {
    int64_t bytes_ = 0;
    check(anydim_streaming_get_bytes_needed(get(), &bytes_));
    return bytes_;
  }
#endif
};

// One execution, parsed from a verbose line - operator, tensors, attributes, kernel. Its strings live as long as it.
// Many threads may use it at once.
class Call : public Owner<anydim_call_t, anydim_call_destroy> {
 public:
  using Owner::Owner;
  Call() = default;

#ifdef ANYDIM_HPP_CALLS
  // Reads an execute line.
  static Call parse(const StringView& line) {
    Call call_;
    check(anydim_call_parse(detail::text(line, "line"), call_.put()));
    return call_;
  }

  // Describes a call.
  CallInfo query() const {
    CallInfo info_;
    check(anydim_call_query(get(), &info_));
    return info_;
  }

  // Describes a tensor of a call.
  CallTensor tensor(int32_t index) const {
    CallTensor info_;
    check(anydim_call_get_tensor(get(), index, &info_));
    return info_;
  }

  // Makes the primitive of a call: its operator, the descriptors it had (dynamic dims with their promises), post-ops,
  // math mode and reuse policy.
  Primitive create_primitive(anydim_engine_t engine, const StringView& kernel,
      Span<const anydim_view_t> weights) const {
    Primitive primitive_;
    check(anydim_call_create_primitive(get(), engine, detail::text(kernel, "kernel"), weights.data(),
        detail::length(weights.size()), primitive_.put()));
    return primitive_;
  }
#endif
};

// -- functions of no handle

#ifdef ANYDIM_HPP_CALLS

// The library's version as text, such as "0.1.0".
inline const char* version() {
  return anydim_version();
}

// Describes this build of the library, which may have less or more than the header that a program was compiled with.
inline BuildInfo build_query() {
  BuildInfo info_;
  check(anydim_build_query(&info_));
  return info_;
}

// A status as text, such as "invalid argument"; "unknown" for a number that is none.
inline const char* status_name(anydim_status_t status) {
  return anydim_status_name(status);
}

// The message of the last call of this thread that failed, or "" if none has.
inline const char* last_error() {
  return anydim_last_error();
}

// Returns the last failure of this thread, part by part.
inline ErrorInfo last_error_query() {
  ErrorInfo info_;
  check(anydim_last_error_query(&info_));
  return info_;
}

// Sets which log lines are made.
inline void log_set_level(anydim_log_level_t level) {
  check(anydim_log_set_level(level));
}

// Sets who gets log lines.
inline void log_set_sink(anydim_log_callback_t callback = nullptr, void* user = nullptr,
    anydim_finalizer_callback_t finalizer = nullptr) {
  check(anydim_log_set_sink(callback, user, finalizer));
}

// Returns the level and the sink of log lines.
inline LogInfo log_query() {
  LogInfo info_;
  check(anydim_log_query(&info_));
  return info_;
}

// Sets which log lines are made and who gets them: anydim::log_set_level and anydim::log_set_sink in one.
inline void log_set(anydim_log_level_t level, anydim_log_callback_t callback = nullptr, void* user = nullptr,
    anydim_finalizer_callback_t finalizer = nullptr) {
  check(anydim_log_set(level, callback, user, finalizer));
}

// A dtype as text, such as "f32"; "unknown" for a number that is none.
inline const char* dtype_name(anydim_dtype_t dtype) {
  return anydim_dtype_name(dtype);
}

// Bytes of one element in memory.
inline int64_t dtype_get_size(anydim_dtype_t dtype) {
  int64_t bytes_ = 0;
  check(anydim_dtype_get_size(dtype, &bytes_));
  return bytes_;
}

// A dim that is a number.
inline anydim_dim_t dim_fixed(int64_t value) {
  return anydim_dim_fixed(value);
}

// A dim whose number comes with the tensor.
inline anydim_dim_t dim_dynamic(int64_t min, int64_t max) {
  return anydim_dim_dynamic(min, max);
}

// Says which number is likely.
inline void dim_set_hint(anydim_dim_t& dim, int64_t hint) {
  anydim_dim_set_hint(&dim, hint);
}

// Promises that a dynamic dim is a multiple of a number.
inline void dim_set_multiple_of(anydim_dim_t& dim, int64_t multiple_of) {
  anydim_dim_set_multiple_of(&dim, multiple_of);
}

// Describes a kind of engine that this library can make, by an index.
inline EngineKindInfo engine_get_kind(int32_t index) {
  EngineKindInfo info_;
  check(anydim_engine_get_kind(index, &info_));
  return info_;
}

// Describes a device that an engine of the kind can be made for, by the number that is passed to Engine::create.
inline DeviceInfo engine_get_device(anydim_engine_kind_t kind, int32_t index) {
  DeviceInfo info_;
  check(anydim_engine_get_device(kind, index, &info_));
  return info_;
}

// Copies bytes from one memory to another, or within one, where the two places may overlap.
inline void memory_copy(anydim_stream_t stream, anydim_memory_t target, int64_t target_offset,
    anydim_memory_t source, int64_t source_offset, int64_t bytes) {
  check(anydim_memory_copy(stream, target, target_offset, source, source_offset, bytes));
}

// Releases memory that a call allocated for an output: the view's data, once.
inline void result_release(void* data = nullptr) {
  anydim_result_release(data);
}

// Loads a model and writes its program, the steps, sizes and memory plan that a run would follow, to a file for
// translators: a line, JSON, and the constants as they are, none of them packed. `anydim export` makes C of it;
// docs/export.md describes the format, which may change.
inline void model_write_program(anydim_engine_t engine, const StringView& path,
    const anydim_model_options_t& options, anydim_bounds_t bounds, const StringView& output) {
  check(anydim_model_write_program(engine, detail::text(path, "path"), &options, bounds, detail::text(output,
      "output")));
}

// Commands the background worker to pause, to go on, or to end.
inline void worker_control(anydim_worker_action_t action) {
  check(anydim_worker_control(action));
}

// Waits until everything that was requested before is done.
inline void worker_drain(int64_t timeout_ms) {
  check(anydim_worker_drain(timeout_ms));
}

// Returns the background worker's counters.
inline WorkerInfo worker_query() {
  WorkerInfo info_;
  check(anydim_worker_query(&info_));
  return info_;
}

// Sets how many bytes the process's primitive cache may hold; what is too much is dropped at once. 0 turns it off.
inline void primitive_cache_set_limit(int64_t bytes) {
  check(anydim_primitive_cache_set_limit(bytes));
}

// Drops all that the primitive cache holds.
inline void primitive_cache_clear() {
  check(anydim_primitive_cache_clear());
}

// Returns the primitive cache's limit and contents.
inline PrimitiveCacheInfo primitive_cache_query() {
  PrimitiveCacheInfo info_;
  check(anydim_primitive_cache_query(&info_));
  return info_;
}

// Returns the counters of this process's persistent cache.
inline PersistentCacheInfo persistent_cache_query() {
  PersistentCacheInfo info_;
  check(anydim_persistent_cache_query(&info_));
  return info_;
}

// Returns the path of the user's file, which need not exist.
inline Text persistent_cache_get_path() {
  Text text_;
  check(anydim_persistent_cache_get_path(text_.put()));
  return text_;
}

// Describes the persistent cache as JSON: enabled (or off_because), path, system_path, file_bytes, limit_bytes, the
// counters of anydim::persistent_cache_query, last_failure, and the records of both files: kind, key, bytes, origin
// (who made it), created and used (seconds since 1970; used counts in hours), system (in the read-only file), good
// (its checksum is right).
inline Text persistent_cache_describe() {
  Text text_;
  check(anydim_persistent_cache_describe(text_.put()));
  return text_;
}

// Checks every record of both files and the structure of the files, and returns the result as JSON: ok, records,
// damaged (records with a wrong checksum), structure and system_structure ("ok", "no file", or what is wrong).
inline Text persistent_cache_verify() {
  Text text_;
  check(anydim_persistent_cache_verify(text_.put()));
  return text_;
}

// Writes the sound records of the user's file into a new file, replacing what is at `path`.
inline int64_t persistent_cache_export(const StringView& path) {
  int64_t records_ = 0;
  check(anydim_persistent_cache_export(detail::text(path, "path"), &records_));
  return records_;
}

// Adds the records of an exported file (or of a copied cache) to the user's file and uses them; those of the same key
// are replaced, damaged ones are left out and counted.
inline std::tuple<int64_t, int64_t> persistent_cache_import(const StringView& path) {
  int64_t records_ = 0;
  int64_t damaged_ = 0;
  check(anydim_persistent_cache_import(detail::text(path, "path"), &records_, &damaged_));
  return std::tuple<int64_t, int64_t>(records_, damaged_);
}

// Removes records from the user's file and from memory.
inline int64_t persistent_cache_clear(anydim_record_kind_t kind) {
  int64_t removed_ = 0;
  check(anydim_persistent_cache_clear(kind, &removed_));
  return removed_;
}

// Returns how many counters there are.
inline int32_t counter_get_count() {
  int32_t count_ = 0;
  check(anydim_counter_get_count(&count_));
  return count_;
}

// Returns a counter of this process, from the time when the library was loaded.
inline Counter counter_get(int32_t index) {
  Counter info_;
  check(anydim_counter_get(index, &info_));
  return info_;
}

// Sets which verbose lines are written (docs/verbose.md): 0 none, 1 one per execution of a primitive or node, 2 also
// one per creation.
inline void verbose_set(int32_t level) {
  check(anydim_verbose_set(level));
}

#endif  // ANYDIM_HPP_CALLS

}  // namespace handles
}  // namespace anydim

#endif  // ANYDIM_HPP
