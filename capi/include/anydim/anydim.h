/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api.yaml and core/ops/described by capi/generator; do not edit. */
/*
 * Anydim 0.1.0.
 *
 * Deep-learning primitives and models whose dims are known when they run. A shape that was never seen before is
 * neither compiled for nor measured. Its first call may have to wait for memory, unless the context was made with
 * bounds.
 *
 * A model. Each call returns a status, which a program looks at:
 *     anydim_engine_t engine;
 *     anydim_model_t model;
 *     anydim_context_t run;
 *     static float pixels[1 * 3 * 48 * 192];
 *     anydim_view_t x = {.data = pixels, .dtype = ANYDIM_F32, .dims = {4, 0, {1, 3, 48, 192}}};
 *     anydim_view_t scores = {.dtype = ANYDIM_F32};
 *     anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &engine);
 *     anydim_model_load_file(engine, "cls.onnx", NULL, &model);
 *     anydim_context_create(model, NULL, NULL, NULL, 0, &run);
 *     anydim_context_run(run, &x, 1, &scores, 1);
 *     printf("%f\n", ((const float *)scores.data)[0]);
 *
 * A primitive: one operator, here relu over matrices of up to 64 rows.
 *     anydim_engine_t engine;
 *     anydim_stream_t stream;
 *     anydim_desc_t src;
 *     anydim_primitive_t relu;
 *     static float values[3 * 10], results[3 * 10];
 *     const anydim_dim_t promised[2] = {anydim_dim_dynamic(1, 64), anydim_dim_fixed(10)};
 *     anydim_view_t x = {.data = values, .dtype = ANYDIM_F32, .dims = {2, 0, {3, 10}}};
 *     anydim_view_t y = {.data = results, .dtype = ANYDIM_F32, .dims = {2, 0, {3, 10}}};
 *     anydim_unary_t op = ANYDIM_UNARY_INIT;
 *     op.function = ANYDIM_RELU;
 *     anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &engine);
 *     anydim_stream_create(engine, NULL, &stream);
 *     anydim_desc_create(ANYDIM_F32, 2, promised, ANYDIM_LAYOUT_STRIDED, &src);
 *     anydim_primitive_create(engine, &op.op, NULL, &src, 1, NULL, &relu);
 *     anydim_primitive_execute(relu, stream, &x, 1, &y, 1);
 *
 * Conventions
 * - A handle is a value, not an address: a slot and a generation. A null, stale, destroyed or foreign handle gives
 *   ANYDIM_STATUS_INVALID_HANDLE. Destroy accepts null; a second destroy does nothing. Children hold their parents,
 *   so the order of destruction is free.
 * - A handle type that points to const, such as anydim_model_t, may be used by many threads at once. One that does
 *   not, such as anydim_context_t, has one user at a time; a second gets ANYDIM_STATUS_BUSY.
 * - Every function returns a status unless its text says otherwise. On failure nothing that the caller passed was
 *   changed, and anydim_last_error() of the same thread says which argument, what was found and what was expected.
 *   Output buffers of a run are untouched too, unless the status is ANYDIM_STATUS_INVALID_DATA.
 * - Option structs begin with their own size; start from their _INIT value. Fields are added at the end only.
 * - What is computed on comes in views: plain structs that say where numbers lie and how. A view needs no
 *   destroying, and a call at a new shape makes no handle.
 * - Sizes, dims and strides are int64_t; strides count elements. Strings are UTF-8: those passed in end with a zero,
 *   those returned have a length and end with a zero too.
 * - Dims are logical, outermost first (N, C, H, W), whatever the memory order is; strides tell that.
 * - Any function may return ANYDIM_STATUS_OUT_OF_MEMORY, ANYDIM_STATUS_INTERNAL and, if it takes a handle,
 *   ANYDIM_STATUS_INVALID_HANDLE or ANYDIM_STATUS_FORKED; if it uses an engine, ANYDIM_STATUS_DEVICE_LOST. The last
 *   line of its text lists the others.
 */
#ifndef ANYDIM_ANYDIM_H
#define ANYDIM_ANYDIM_H

#include <stdint.h>

#define ANYDIM_VERSION_MAJOR 0
#define ANYDIM_VERSION_MINOR 1
#define ANYDIM_VERSION_PATCH 0

#if defined(__GNUC__)
#define ANYDIM_API __attribute__((visibility("default")))
#else
#define ANYDIM_API
#endif
#ifdef __cplusplus
#define ANYDIM_NOTHROW noexcept
extern "C" {
#else
#define ANYDIM_NOTHROW
#endif

/* Most dims that a tensor may have. */
#define ANYDIM_MAX_RANK 8

/* Most spatial dims of a convolution or pooling. */
#define ANYDIM_MAX_SPATIAL 3

/* A device with its kernels. Everything else is made from one. Many threads may use it at once. */
typedef const struct anydim_engine_s* anydim_engine_t;

/*
 * An order of execution on an engine, with the scratch memory that its primitives use. One user at a time. It keeps
 * its engine alive.
 */
typedef struct anydim_stream_s* anydim_stream_t;

/*
 * A tensor descriptor - dtype, dims (numbers or dynamic) and the layout that its tensors will have. Many threads may
 * use it at once.
 */
typedef const struct anydim_desc_s* anydim_desc_t;

/*
 * Memory that the library allocates and frees, with dtype and dims. Threads may share it for reading; writing its
 * memory is the caller's to order. Many threads may use it at once. It keeps its engine alive.
 */
typedef const struct anydim_tensor_s* anydim_tensor_t;

/*
 * Attributes of a primitive to come - reuse policy, math mode, post-ops, scratchpad mode, forced kernel. One user at
 * a time.
 */
typedef struct anydim_attr_s* anydim_attr_t;

/*
 * Constant weights, packed once for an operator and shared by all primitives, shapes and contexts. Many threads may
 * use it at once. It keeps its engine alive.
 */
typedef const struct anydim_weights_s* anydim_weights_t;

/*
 * An operator made for given descriptors and attributes, bound to one kernel, ready to execute. Many threads may use
 * it at once. It keeps its engine alive.
 */
typedef const struct anydim_primitive_s* anydim_primitive_t;

/* Promises about the dims of a model's inputs, by input name. One user at a time. */
typedef struct anydim_bounds_s* anydim_bounds_t;

/* A loaded graph. Immutable. Many threads may use it at once. It keeps its engine alive. */
typedef const struct anydim_model_s* anydim_model_t;

/*
 * What one running inference needs - its memory and the values of the dims. Make one per concurrent run. One user at
 * a time. It keeps its model alive.
 */
typedef struct anydim_context_s* anydim_context_t;

/*
 * A model with contexts for any number of threads. Runs that find none free wait for their turn, first come, first
 * served. Many threads may use it at once. It keeps its model alive.
 */
typedef const struct anydim_session_s* anydim_session_t;

/* What ends runs from outside. One may serve any number of contexts and runs. Many threads may use it at once. */
typedef const struct anydim_cancellation_s* anydim_cancellation_t;

/*
 * A text made for the caller (an explanation). Read it with anydim_text_data, free it with anydim_text_destroy. Many
 * threads may use it at once.
 */
typedef const struct anydim_text_s* anydim_text_t;

/* Memory orders asked for at a model's inputs and outputs, by name. One user at a time. */
typedef struct anydim_layouts_s* anydim_layouts_t;

/*
 * One execution as a verbose line tells it, read back - operator, tensors, attributes, kernel. Its strings live as
 * long as it. Many threads may use it at once.
 */
typedef const struct anydim_call_s* anydim_call_t;

/* What a call returns. Zero is success. */
typedef int32_t anydim_status_t;
enum {
  ANYDIM_STATUS_OK = 0, /* Success. */
  ANYDIM_STATUS_INVALID_ARGUMENT = 1, /* An argument is wrong by itself. */
  ANYDIM_STATUS_INVALID_HANDLE = 2, /* A null, stale, destroyed, foreign or wrong kind of handle. */
  ANYDIM_STATUS_UNIMPLEMENTED = 3, /* Meaningful, but not supported by this build. */
  ANYDIM_STATUS_OUT_OF_MEMORY = 4, /* Memory could not be had. */
  ANYDIM_STATUS_BUSY = 5, /* Another thread is using a one-user object. */
  ANYDIM_STATUS_CLOSED = 6, /* The object was destroyed while in use. */
  ANYDIM_STATUS_NOT_FOUND = 7, /* A name that does not exist (kernel, input, file). */
  ANYDIM_STATUS_IO_ERROR = 8, /* Reading or writing failed. */
  ANYDIM_STATUS_INVALID_MODEL = 9, /* A model that is damaged or breaks its format's rules. */
  ANYDIM_STATUS_OUT_OF_BOUNDS = 10, /* A dim outside what its descriptor or bounds promise. */
  ANYDIM_STATUS_INVALID_DATA = 11, /* Values found wrong while running; outputs may be partly written. */
  ANYDIM_STATUS_INTERNAL = 12, /* A defect of the library. */
  ANYDIM_STATUS_FORKED = 13, /* A handle of the parent process used in a forked child. */
  /* The run was ended from outside: by a cancellation, or by a signal while it waited. */
  ANYDIM_STATUS_CANCELLED = 14,
  /*
   * The engine's device is gone, with all that lay in its memory. Nothing more can be done with what was made from
   * it.
   */
  ANYDIM_STATUS_DEVICE_LOST = 15,
};

/* Kinds of engines. */
typedef int32_t anydim_engine_kind_t;
enum {
  ANYDIM_ENGINE_CPU = 1, /* The processor. Always there. */
  ANYDIM_ENGINE_OPENCL = 2, /* A device reached through OpenCL (not in this build). */
};

/* Element types. */
typedef int32_t anydim_dtype_t;
enum {
  ANYDIM_F32 = 1, /* IEEE binary32. */
  ANYDIM_F64 = 2, /* IEEE binary64. */
  ANYDIM_F16 = 3, /* IEEE binary16. */
  ANYDIM_BF16 = 4, /* bfloat16 - the upper half of a binary32. */
  ANYDIM_I8 = 5, /* Signed 8 bits. */
  ANYDIM_U8 = 6, /* Unsigned 8 bits. */
  ANYDIM_I16 = 7, /* Signed 16 bits. */
  ANYDIM_U16 = 8, /* Unsigned 16 bits. */
  ANYDIM_I32 = 9, /* Signed 32 bits. */
  ANYDIM_U32 = 10, /* Unsigned 32 bits. */
  ANYDIM_I64 = 11, /* Signed 64 bits. */
  ANYDIM_U64 = 12, /* Unsigned 64 bits. */
  ANYDIM_BOOL = 13, /* One byte, 0 or 1. */
};

/* How the elements of a tensor lie in memory. */
typedef int32_t anydim_layout_t;
enum {
  ANYDIM_LAYOUT_ROW_MAJOR = 0, /* Densely, the last dim innermost (N, C, H, W in memory). */
  ANYDIM_LAYOUT_CHANNELS_LAST = 1, /* Densely, dim 1 innermost (N, H, W, C in memory). Rank 3 and more. */
  /* By strides. A descriptor that says so promises nothing: tensors come with any strides. */
  ANYDIM_LAYOUT_STRIDED = 2,
};

/* What may be asked of the memory order of a model's input or output. It changes time, never results. */
typedef int32_t anydim_edge_layout_t;
enum {
  ANYDIM_EDGE_ORDER = 0, /* The order given as axes. */
  ANYDIM_EDGE_ROW_MAJOR = 1, /* The last dim is innermost. What an edge has that nothing is asked of. */
  ANYDIM_EDGE_CHANNELS_LAST = 2, /* Dim 1 is innermost (N, H, W, C in memory). Rank 3 and more. */
  ANYDIM_EDGE_FASTEST = 3, /* The order that its kernels read or write without a copy; the model chooses it. */
  /* Outputs only: the order of the largest input of the same rank; row-major if there is none. */
  ANYDIM_EDGE_FOLLOW = 4,
};

/*
 * The wish about reusable and specialised kernels. It changes time, never results. Set on a primitive or model, on a
 * context, for the process and for the build; the nearest that is not inherit wins. docs/reuse.md helps to choose.
 */
typedef int32_t anydim_reuse_t;
enum {
  /* Not set here: the context's, else the process's (ANYDIM_REUSE), else the build's, which is auto. The default. */
  ANYDIM_REUSE_INHERIT = 0,
  /* Reusable kernels with a plan from the cost model or from records; nothing is measured on the CPU engine. */
  ANYDIM_REUSE_AUTO = 1,
  ANYDIM_REUSE_REUSABLE = 2, /* Reusable kernels with the cost model's plan, and never anything else. */
  /*
   * Measures plans before creation returns: a primitive for its dims (hints or maxima of dynamic ones), a context
   * for its bounds. Shapes met later run reusable.
   */
  ANYDIM_REUSE_SPECIALISED = 3,
  /* As auto, and the background worker measures plans for the shapes that calls bring. */
  ANYDIM_REUSE_REUSABLE_FIRST = 4,
};

/*
 * Which rewritings a model's graph gets when it is loaded: a means of finding the cause of a result, not of speed.
 * Results with exact and with none have the same bits; all may differ from them by the roundings that
 * docs/numerics.md, section 8, tells.
 */
typedef int32_t anydim_passes_t;
enum {
  ANYDIM_PASSES_ALL = 0, /* All of them. The default. */
  /* Those that cannot change a bit; functions that a model spells out are computed step by step. */
  ANYDIM_PASSES_EXACT = 1,
  ANYDIM_PASSES_NONE = 2, /* None: each node of the file runs by itself, into memory of its own. */
};

/* What the background worker is told. */
typedef int32_t anydim_worker_action_t;
enum {
  ANYDIM_WORKER_PAUSE = 0, /* To rest after the request it is serving. */
  ANYDIM_WORKER_RESUME = 1, /* To go on. */
  /*
   * To stop at its next look, drop what is queued, and take nothing more in this process (as ANYDIM_WORKER=off does
   * from the start).
   */
  ANYDIM_WORKER_TURN_OFF = 2,
};

/* Math modes. */
typedef int32_t anydim_math_t;
enum {
  ANYDIM_MATH_STRICT = 0, /* The same bits from every kernel (docs/numerics.md). The default. */
  ANYDIM_MATH_FAST = 1, /* Documented algorithms with a larger error (not in this build). */
  ANYDIM_MATH_REDUCED = 2, /* bfloat16 and kin (not in this build). */
};

/* Whose memory a primitive computes in. */
typedef int32_t anydim_scratchpad_t;
enum {
  ANYDIM_SCRATCHPAD_STREAM = 0, /* The stream's; it grows when a primitive needs more than any before. The default. */
  ANYDIM_SCRATCHPAD_CALLER = 1, /* The caller's, passed to anydim_primitive_execute; nothing is allocated. */
};

/* Kinds of records in the persistent cache. */
typedef int32_t anydim_record_kind_t;
enum {
  ANYDIM_RECORD_ALL = 0, /* Every kind. */
  ANYDIM_RECORD_PLAN = 1, /* Tuned plans. */
  ANYDIM_RECORD_BINARY = 2, /* Compiled device programs. */
};

/* How a primitive was come by. */
typedef int32_t anydim_primitive_cache_hit_t;
enum {
  ANYDIM_PRIMITIVE_CACHE_NONE = 0, /* No cache was asked: it is off, or the primitive is a model's. */
  ANYDIM_PRIMITIVE_CACHE_MISS = 1, /* Created by the call. */
  ANYDIM_PRIMITIVE_CACHE_HIT = 2, /* Core and descriptors were in the cache. */
  ANYDIM_PRIMITIVE_CACHE_WAITED = 3, /* Another thread was creating the same and was waited for. */
  ANYDIM_PRIMITIVE_CACHE_CHURN = 4, /* Made over the one core of an operator whose shapes keep changing. */
};

/* What a tensor of a call is. */
typedef int32_t anydim_call_role_t;
enum {
  ANYDIM_CALL_INPUT = 0, /* An input that comes at execution. */
  ANYDIM_CALL_WEIGHTS = 1, /* A constant input that is packed before. */
  ANYDIM_CALL_POST_OP = 2, /* A tensor of a post-op; comes at execution, after the inputs. */
  ANYDIM_CALL_OUTPUT = 3, /* An output. */
};

/* Levels of log lines; a level includes those before it. */
typedef int32_t anydim_log_level_t;
enum {
  ANYDIM_LOG_NONE = 0, /* Nothing. */
  ANYDIM_LOG_ERROR = 1, /* Defects. */
  ANYDIM_LOG_WARNING = 2, /* What is probably a mistake, such as a second destroy. The default. */
  ANYDIM_LOG_INFO = 3, /* Loads, growth events. */
  ANYDIM_LOG_DEBUG = 4, /* Every call that failed. */
};

/* Operators; each has a struct of its attributes that begins with anydim_op_t. */
typedef int32_t anydim_op_kind_t;
enum {
  ANYDIM_OP_CONVOLUTION = 1, /* anydim_convolution_t */
  ANYDIM_OP_CONV_TRANSPOSE = 2, /* anydim_conv_transpose_t */
  ANYDIM_OP_MATMUL = 3, /* anydim_matmul_t */
  ANYDIM_OP_POOLING = 4, /* anydim_pooling_t */
  ANYDIM_OP_UNARY = 5, /* anydim_unary_t */
  ANYDIM_OP_BINARY = 6, /* anydim_binary_t */
  ANYDIM_OP_REDUCE = 7, /* anydim_reduce_t */
  ANYDIM_OP_SOFTMAX = 8, /* anydim_softmax_t */
  ANYDIM_OP_LAYER_NORM = 9, /* anydim_layer_norm_t */
  ANYDIM_OP_RESIZE = 10, /* anydim_resize_t */
  ANYDIM_OP_TRANSPOSE = 11, /* anydim_transpose_t */
  ANYDIM_OP_CAST = 12, /* anydim_cast_t */
  ANYDIM_OP_CONCAT = 13, /* anydim_concat_t */
  ANYDIM_OP_WHERE = 14, /* anydim_where_t */
  ANYDIM_OP_ARG_REDUCE = 15, /* anydim_arg_reduce_t */
  ANYDIM_OP_CUMSUM = 16, /* anydim_cumsum_t */
  ANYDIM_OP_RESHAPE = 17, /* anydim_reshape_t */
  ANYDIM_OP_EXPAND = 18, /* anydim_expand_t */
  ANYDIM_OP_SLICE = 19, /* anydim_slice_t */
  ANYDIM_OP_PAD = 20, /* anydim_pad_t */
  ANYDIM_OP_TILE = 21, /* anydim_tile_t */
  ANYDIM_OP_DEPTH_TO_SPACE = 22, /* anydim_depth_to_space_t */
  ANYDIM_OP_RANGE = 23, /* anydim_range_t */
  ANYDIM_OP_SHAPE_TENSOR = 24, /* anydim_shape_tensor_t */
  ANYDIM_OP_GATHER = 25, /* anydim_gather_t */
  ANYDIM_OP_GATHER_ELEMENTS = 26, /* anydim_gather_elements_t */
  ANYDIM_OP_GATHER_ND = 27, /* anydim_gather_nd_t */
  ANYDIM_OP_SCATTER_ELEMENTS = 28, /* anydim_scatter_elements_t */
  ANYDIM_OP_SCATTER_ND = 29, /* anydim_scatter_nd_t */
  ANYDIM_OP_TOPK = 30, /* anydim_topk_t */
  ANYDIM_OP_TRILU = 31, /* anydim_trilu_t */
  ANYDIM_OP_EYE_LIKE = 32, /* anydim_eye_like_t */
  ANYDIM_OP_ONE_HOT = 33, /* anydim_one_hot_t */
  ANYDIM_OP_GRID_SAMPLE = 34, /* anydim_grid_sample_t */
};

/* Functions of one element; alpha and beta are parameters where the text names them. docs/numerics.md has the bits. */
typedef int32_t anydim_unary_function_t;
enum {
  ANYDIM_IDENTITY = 0, /* x */
  ANYDIM_RELU = 1, /* x < 0 ? 0 : x */
  ANYDIM_LEAKY_RELU = 2, /* x < 0 ? alpha * x : x */
  ANYDIM_CLIP = 3, /* min(max(x, alpha), beta) */
  ANYDIM_HARD_SIGMOID = 4, /* clip(alpha * x + beta, 0, 1) */
  ANYDIM_HARD_SWISH = 5, /* x * clip(x / 6 + 1/2, 0, 1) */
  ANYDIM_SIGMOID = 6, /* 1 / (1 + exp(-x)) */
  ANYDIM_SILU = 7, /* x * sigmoid(x) */
  ANYDIM_TANH = 8, /* tanh(x) */
  ANYDIM_EXP = 9, /* exp(x) */
  ANYDIM_LOG = 10, /* natural log(x) */
  ANYDIM_SQRT = 11, /* sqrt(x) */
  ANYDIM_RECIPROCAL = 12, /* 1 / x */
  ANYDIM_ABS = 13, /* |x| */
  ANYDIM_NEG = 14, /* -x */
  ANYDIM_SQUARE = 15, /* x * x */
  ANYDIM_ERF = 16, /* erf(x) */
  ANYDIM_GELU_ERF = 17, /* x * (1 + erf(x / sqrt(2))) / 2 */
  ANYDIM_GELU_TANH = 18, /* GELU by its tanh approximation */
  ANYDIM_SOFTPLUS = 19, /* log(1 + exp(x)) */
  ANYDIM_SOFTSIGN = 20, /* x / (1 + |x|) */
  ANYDIM_MISH = 21, /* x * tanh(softplus(x)) */
  ANYDIM_ELU = 22, /* x < 0 ? alpha * (exp(x) - 1) : x */
  ANYDIM_SELU = 23, /* beta * (x < 0 ? alpha * (exp(x) - 1) : x) */
  ANYDIM_CELU = 24, /* max(0, x) + min(0, alpha * (exp(x / alpha) - 1)) */
  ANYDIM_THRESHOLDED_RELU = 25, /* x > alpha ? x : 0 */
  ANYDIM_SHRINK = 26, /* x < -alpha ? x + beta : x > alpha ? x - beta : 0 */
  ANYDIM_FLOOR = 27, /* largest integer not above x */
  ANYDIM_CEIL = 28, /* smallest integer not below x */
  ANYDIM_ROUND_EVEN = 29, /* nearest integer, ties to even */
  ANYDIM_SIGN = 30, /* -1, 0 or 1 */
  ANYDIM_SIN = 31, /* sin(x) */
  ANYDIM_COS = 32, /* cos(x) */
  ANYDIM_TAN = 33, /* tan(x) */
  ANYDIM_ASIN = 34, /* asin(x) */
  ANYDIM_ACOS = 35, /* acos(x) */
  ANYDIM_ATAN = 36, /* atan(x) */
  ANYDIM_SINH = 37, /* sinh(x) */
  ANYDIM_COSH = 38, /* cosh(x) */
  ANYDIM_ASINH = 39, /* asinh(x) */
  ANYDIM_ACOSH = 40, /* acosh(x) */
  ANYDIM_ATANH = 41, /* atanh(x) */
  ANYDIM_AFFINE = 42, /* alpha * x + beta, rounded once */
  ANYDIM_LOGICAL_NOT = 43, /* not x (bool) */
  ANYDIM_BITWISE_NOT = 44, /* all bits of x flipped (integers) */
  ANYDIM_IS_NAN = 45, /* x is NaN (to bool) */
  ANYDIM_IS_INF = 46, /* x is infinite (to bool); alpha != 0 finds +inf, beta != 0 finds -inf */
  ANYDIM_QUICK_GELU = 47, /* x * sigmoid(alpha * x) */
};

/* Functions of two elements; shapes broadcast as in NumPy. */
typedef int32_t anydim_binary_function_t;
enum {
  ANYDIM_ADD = 0, /* a + b */
  ANYDIM_SUB = 1, /* a - b */
  ANYDIM_MUL = 2, /* a * b */
  ANYDIM_DIV = 3, /* a / b */
  ANYDIM_MIN = 4, /* the smaller; NaN if either is */
  ANYDIM_MAX = 5, /* the larger; NaN if either is */
  ANYDIM_POW = 6, /* a to the power of b */
  ANYDIM_PRELU = 7, /* a < 0 ? b * a : a */
  ANYDIM_MOD_FLOOR = 8, /* remainder with the sign of b */
  ANYDIM_MOD_TRUNC = 9, /* remainder with the sign of a */
  ANYDIM_EQUAL = 10, /* a == b (to bool) */
  ANYDIM_LESS = 11, /* a < b (to bool) */
  ANYDIM_LESS_EQUAL = 12, /* a <= b (to bool) */
  ANYDIM_GREATER = 13, /* a > b (to bool) */
  ANYDIM_GREATER_EQUAL = 14, /* a >= b (to bool) */
  ANYDIM_LOGICAL_AND = 15, /* a and b (bool) */
  ANYDIM_LOGICAL_OR = 16, /* a or b (bool) */
  ANYDIM_LOGICAL_XOR = 17, /* a xor b (bool) */
  ANYDIM_BITWISE_AND = 18, /* a & b (integers) */
  ANYDIM_BITWISE_OR = 19, /* a | b (integers) */
  ANYDIM_BITWISE_XOR = 20, /* a ^ b (integers) */
  ANYDIM_SHIFT_LEFT = 21, /* a << b (unsigned integers) */
  ANYDIM_SHIFT_RIGHT = 22, /* a >> b (unsigned integers) */
};

/* How the padding of a window is told. */
typedef int32_t anydim_auto_pad_t;
enum {
  ANYDIM_AUTO_PAD_EXPLICIT = 0, /* By pads_begin and pads_end. */
  /*
   * As much as gives ceil(in / stride) positions (a transposed convolution: in * stride); an odd one goes to the
   * end.
   */
  ANYDIM_AUTO_PAD_SAME_UPPER = 1,
  ANYDIM_AUTO_PAD_SAME_LOWER = 2, /* As same_upper, but an odd one goes to the beginning. */
  ANYDIM_AUTO_PAD_VALID = 3, /* None. */
};

/* Kinds of pooling. */
typedef int32_t anydim_pooling_kind_t;
enum {
  ANYDIM_POOLING_MAX = 0, /* The largest element; NaN if any is. */
  ANYDIM_POOLING_AVERAGE = 1, /* The mean of the elements. */
};

/* Kinds of reduction. docs/numerics.md has the order of the sums. */
typedef int32_t anydim_reduce_kind_t;
enum {
  ANYDIM_REDUCE_SUM = 0, /* sum of x */
  ANYDIM_REDUCE_MEAN = 1, /* mean of x */
  ANYDIM_REDUCE_SUM_SQUARE = 2, /* sum of x * x */
  ANYDIM_REDUCE_L1 = 3, /* sum of |x| */
  ANYDIM_REDUCE_L2 = 4, /* square root of the sum of squares */
  ANYDIM_REDUCE_PROD = 5, /* product of x */
  ANYDIM_REDUCE_LOG_SUM = 6, /* log of the sum */
  ANYDIM_REDUCE_LOG_SUM_EXP = 7, /* log of the sum of exp(x) */
  ANYDIM_REDUCE_MAX = 8, /* largest x */
  ANYDIM_REDUCE_MIN = 9, /* smallest x */
};

/* Which element an index is asked of. */
typedef int32_t anydim_arg_reduce_kind_t;
enum {
  ANYDIM_ARG_REDUCE_MAX = 0, /* The largest; NaN counts as larger than any number. */
  ANYDIM_ARG_REDUCE_MIN = 1, /* The smallest; NaN counts as smaller than any number. */
};

/* Interpolations of resize. */
typedef int32_t anydim_resize_mode_t;
enum {
  ANYDIM_RESIZE_NEAREST = 0, /* The nearest element. */
  ANYDIM_RESIZE_LINEAR = 1, /* Linear in each axis. */
  ANYDIM_RESIZE_CUBIC = 2, /* Cubic in each axis, with coefficient cubic_coeff_a. */
};

/* How a position of resize's output maps to its input (ONNX's names). */
typedef int32_t anydim_resize_coordinates_t;
enum {
  ANYDIM_COORDINATES_HALF_PIXEL = 0, /* (x + 0.5) / scale - 0.5 */
  /* as half_pixel, about the centre of what the scale makes of the input */
  ANYDIM_COORDINATES_HALF_PIXEL_SYMMETRIC = 1,
  ANYDIM_COORDINATES_PYTORCH_HALF_PIXEL = 2, /* as half_pixel, and 0 where the output has one element */
  ANYDIM_COORDINATES_ALIGN_CORNERS = 3, /* x * (in - 1) / (out - 1) */
  ANYDIM_COORDINATES_ASYMMETRIC = 4, /* x / scale */
  ANYDIM_COORDINATES_TF_HALF_PIXEL_FOR_NN = 5, /* (x + 0.5) / scale */
  /* from the beginning to the end of the region roi, in parts of the input */
  ANYDIM_COORDINATES_TF_CROP_AND_RESIZE = 6,
};

/* Rounding of resize's nearest mode (ONNX's names). */
typedef int32_t anydim_resize_nearest_t;
enum {
  ANYDIM_NEAREST_ROUND_PREFER_FLOOR = 0, /* to nearest, half down */
  ANYDIM_NEAREST_ROUND_PREFER_CEIL = 1, /* to nearest, half up */
  ANYDIM_NEAREST_FLOOR = 2, /* down */
  ANYDIM_NEAREST_CEIL = 3, /* up */
};

/* What becomes of the ratio of sides where resize is given sizes. */
typedef int32_t anydim_resize_policy_t;
enum {
  ANYDIM_RESIZE_POLICY_STRETCH = 0, /* Each axis gets its size. */
  ANYDIM_RESIZE_POLICY_NOT_LARGER = 1, /* One scale for all axes, so that none is larger than its size. */
  ANYDIM_RESIZE_POLICY_NOT_SMALLER = 2, /* One scale for all axes, so that none is smaller than its size. */
};

/* What is put where elements are added. */
typedef int32_t anydim_pad_mode_t;
enum {
  ANYDIM_PAD_CONSTANT = 0, /* The pad value. */
  ANYDIM_PAD_REFLECT = 1, /* The elements mirrored about the edge element, which is not repeated. */
  ANYDIM_PAD_EDGE = 2, /* The edge element. */
  ANYDIM_PAD_WRAP = 3, /* The elements of the other end. */
};

/* What the channels of depth_to_space are made of. */
typedef int32_t anydim_depth_to_space_order_t;
enum {
  ANYDIM_DEPTH_TO_SPACE_DEPTH_FIRST = 0, /* Block row, block column, depth (ONNX: DCR). */
  ANYDIM_DEPTH_TO_SPACE_COLUMN_FIRST = 1, /* Depth, block row, block column (ONNX: CRD). */
};

/*
 * What an update does to the element that is there. Updates that meet at one element are applied in the order of
 * their logical index.
 */
typedef int32_t anydim_scatter_reduction_t;
enum {
  ANYDIM_SCATTER_NONE = 0, /* It replaces it. */
  ANYDIM_SCATTER_ADD = 1, /* It is added. */
  ANYDIM_SCATTER_MUL = 2, /* It is multiplied. */
  ANYDIM_SCATTER_MIN = 3, /* The smaller stays. */
  ANYDIM_SCATTER_MAX = 4, /* The larger stays. */
};

/* Interpolations of grid_sample. */
typedef int32_t anydim_grid_sample_mode_t;
enum {
  ANYDIM_GRID_SAMPLE_NEAREST = 0, /* The nearest element, ties to even positions. */
  ANYDIM_GRID_SAMPLE_LINEAR = 1, /* Linear in each axis. */
  ANYDIM_GRID_SAMPLE_CUBIC = 2, /* Cubic in each axis, with Keys' weights of -0.75. */
};

/* What is read outside the input of grid_sample. */
typedef int32_t anydim_grid_sample_padding_t;
enum {
  ANYDIM_GRID_SAMPLE_PADDING_ZEROS = 0, /* Zeros. */
  ANYDIM_GRID_SAMPLE_PADDING_BORDER = 1, /* The nearest element of the edge. */
  ANYDIM_GRID_SAMPLE_PADDING_REFLECTION = 2, /* The input mirrored at its edges. */
};

/*
 * Gets a log line.
 * Thread rule: Any thread, several at once. It must not call Anydim.
 * - user: The environment that was given with it.
 * - level: How serious it is.
 * - text: The line; it lives during the call only.
 */
typedef void (*anydim_log_callback_t)(void* user, anydim_log_level_t level, const char* text);

/*
 * Asked each time a signal came while a call waits: 1 ends the wait, 0 goes on waiting.
 * Thread rule: The thread that waits. It holds no lock of the library.
 * - user: The environment that was given with it.
 */
typedef int32_t (*anydim_interrupted_callback_t)(void* user);

/* The head of every operator struct. Filled in by the _INIT values. */
typedef struct anydim_op_t {
  uint32_t size; /* Size of the whole struct in bytes. */
  anydim_op_kind_t kind; /* Which operator it is. */
} anydim_op_t;

/* UTF-8 text that an object owns. It lives as long as the object that it was asked from. */
typedef struct anydim_string_t {
  const char* data; /* The bytes; a zero follows them. */
  int64_t length; /* Their number, without the zero. */
} anydim_string_t;

/* What a call failed with. Its strings are good until the next call of the thread that fails. */
typedef struct anydim_error_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  anydim_status_t status; /* The status that it returned; ok if no call of the thread has failed. */
  anydim_string_t message; /* What anydim_last_error gives. */
  anydim_string_t function; /* The function, such as anydim_context_run. */
  /*
   * The argument as the function's text calls it, with the field or index that is meant: options.threads, inputs[1].
   * Empty where the failure is of none.
   */
  anydim_string_t argument;
  anydim_string_t node; /* Name of the model's node at which it happened; empty where it was at none. */
} anydim_error_info_t;
#define ANYDIM_ERROR_INFO_INIT {sizeof(anydim_error_info_t), 0, {0, 0}, {0, 0}, {0, 0}, {0, 0}}

/*
 * A dim of a descriptor or of bounds. Make it with anydim_dim_fixed or anydim_dim_dynamic. Of a dim of bounds only
 * the number, or min and max, count.
 */
typedef struct anydim_dim_t {
  int64_t value; /* The number, or -1 for a dynamic dim. */
  int64_t min; /* Promise - never smaller (dynamic only). */
  int64_t max; /* Promise - never larger (dynamic only). */
  int64_t hint; /* A likely value, or -1 for none. Orders choices; changes neither results nor bounds. */
  int64_t multiple_of; /* Promise - always a multiple of this (1 = no promise). */
} anydim_dim_t;

/* A short list of numbers - dims, strides or axes - outermost first. */
typedef struct anydim_dims_t {
  int32_t rank; /* How many. */
  int32_t reserved; /* Zero. */
  int64_t values[8]; /* The numbers; those past rank are zero. */
} anydim_dims_t;

/*
 * A tensor as the caller sees it: where its elements lie, and how. Plain data; what it points to is the caller's,
 * and must stay for the call. What is not set is zero. Any strides are read: 0 repeats, negative ones walk
 * backwards. An output whose data is null is the library's to place: what the view asks for by its dtype comes back
 * in data, dims and strides. One that is zero throughout is not asked for.
 */
typedef struct anydim_view_t {
  void* data; /* The element at index 0... in memory; null where a text allows it. */
  anydim_dtype_t dtype; /* Element type. */
  anydim_layout_t layout; /* How the elements lie where no strides are given; zero is row-major. */
  anydim_dims_t dims; /* Its dims. */
  anydim_dims_t strides; /* Its strides, in elements; of rank 0 if it is dense, as layout says. */
  int64_t reserved[2]; /* Zero. It will say where an engine's memory is that has no address. */
} anydim_view_t;

/* A short list of real numbers. */
typedef struct anydim_reals_t {
  int32_t count; /* How many. */
  int32_t reserved; /* Zero. */
  float values[16]; /* The numbers; those past count are zero. */
} anydim_reals_t;

/* Options of an engine. */
typedef struct anydim_engine_options_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t threads; /* Most threads that its streams use; 0 = all cores this process may use. */
  int32_t reserved; /* Zero. */
} anydim_engine_options_t;
#define ANYDIM_ENGINE_OPTIONS_INIT {sizeof(anydim_engine_options_t), 0, 0}

/* What an engine is. */
typedef struct anydim_engine_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  anydim_engine_kind_t kind; /* Its kind. */
  int32_t threads; /* Most threads that its streams and contexts use by default. */
  int32_t kernels; /* Number of kernels in its registry. */
  anydim_string_t device; /* Name of the device. */
  anydim_string_t isa; /* Instruction set in use (ANYDIM_MAX_ISA lowers it). */
} anydim_engine_info_t;
#define ANYDIM_ENGINE_INFO_INIT {sizeof(anydim_engine_info_t), 0, 0, 0, {0, 0}, {0, 0}}

/* A kernel of the registry. */
typedef struct anydim_kernel_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t usable; /* 1 if this machine can run it. */
  anydim_string_t name; /* Its name, as anydim_attr_set_kernel takes it. */
  anydim_string_t op; /* The operator it computes. */
  anydim_string_t isa; /* The instruction set it was compiled for. */
  anydim_string_t layout; /* The memory order it works on without a copy. */
  anydim_dtype_t src; /* Element type of its first input. */
  anydim_dtype_t dst; /* Element type of its output. */
} anydim_kernel_info_t;
#define ANYDIM_KERNEL_INFO_INIT {sizeof(anydim_kernel_info_t), 0, {0, 0}, {0, 0}, {0, 0}, {0, 0}, 0, 0}

/* Options of a stream. */
typedef struct anydim_stream_options_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t threads; /* Most threads a primitive uses; 0 = the engine's. */
  int32_t reserved; /* Zero. */
} anydim_stream_options_t;
#define ANYDIM_STREAM_OPTIONS_INIT {sizeof(anydim_stream_options_t), 0, 0}

/* A kernel that was considered for a primitive. */
typedef struct anydim_candidate_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t chosen; /* 1 for the chosen one. */
  anydim_string_t name; /* The kernel's name. */
  anydim_string_t refusal; /* Why it was not chosen; empty for the chosen one. */
} anydim_candidate_t;
#define ANYDIM_CANDIDATE_INIT {sizeof(anydim_candidate_t), 0, {0, 0}, {0, 0}}

/* A counter of the process. */
typedef struct anydim_counter_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t level; /* 1 if it tells what is there now; 0 if it only grows. */
  anydim_string_t name; /* Its name. */
  anydim_string_t doc; /* What it counts. */
  int64_t value; /* Its value. */
} anydim_counter_t;
#define ANYDIM_COUNTER_INIT {sizeof(anydim_counter_t), 0, {0, 0}, {0, 0}, 0}

/* The primitive cache. */
typedef struct anydim_primitive_cache_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t churn_misses; /* Misses of one operator that differ in dims only after which its dims count as dynamic. */
  int64_t limit; /* Most bytes it holds; 0 is off. */
  int64_t bytes; /* Bytes it holds, keys included. */
  int64_t entries; /* Entries it holds. */
} anydim_primitive_cache_info_t;
#define ANYDIM_PRIMITIVE_CACHE_INFO_INIT {sizeof(anydim_primitive_cache_info_t), 0, 0, 0, 0}

/* How a primitive came to be. */
typedef struct anydim_primitive_creation_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  anydim_primitive_cache_hit_t hit; /* What the primitive cache did. */
  int64_t nanoseconds; /* Time that its creation took, the checks of handles aside. */
} anydim_primitive_creation_t;
#define ANYDIM_PRIMITIVE_CREATION_INIT {sizeof(anydim_primitive_creation_t), 0, 0}

/* What a verbose line tells, but for its tensors. docs/verbose.md has the fields. */
typedef struct anydim_call_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  /* Number of its tensors: inputs and weights in the operator's order, then those of post-ops, then outputs. */
  int32_t tensors;
  anydim_string_t name; /* The node's name; empty for a primitive of a program. */
  anydim_string_t op; /* The operator with its attributes. */
  anydim_string_t post_ops; /* The chain of post-ops; empty for none. */
  anydim_string_t kernel; /* The kernel that ran. */
  anydim_string_t tier; /* Its tier. */
  int64_t nanoseconds; /* The time it took. */
  /* Additions and multiplications of matmul and the convolutions, padding included; -1 for other operators. */
  int64_t flops;
  int32_t threads; /* Most threads it could use. */
  int32_t reserved; /* Zero. */
} anydim_call_info_t;
#define ANYDIM_CALL_INFO_INIT {sizeof(anydim_call_info_t), 0, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, 0, 0, 0, 0}

/* A tensor of a call. */
typedef struct anydim_call_tensor_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  anydim_call_role_t role; /* What it is. */
  anydim_dtype_t dtype; /* Its element type. */
  int32_t index; /* Which input, post-op tensor or output of the primitive it is, from 0. */
  anydim_dims_t dims; /* Its dims. */
  anydim_dims_t strides; /* Its strides, in elements. */
  int64_t low; /* Smallest integer that makes sense as its data (an index, a divisor). */
  int64_t high; /* The largest. */
} anydim_call_tensor_t;
#define ANYDIM_CALL_TENSOR_INIT {sizeof(anydim_call_tensor_t), 0, 0, 0, {0, 0, {0}}, {0, 0, {0}}, 0, 0}

/* Options of a model. */
typedef struct anydim_model_options_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  anydim_math_t math; /* Math mode of all its operators. */
  anydim_reuse_t reuse; /* Reuse policy of all its operators. */
  /* Layout, not strided, in which inputs of rank 3 and more come fastest. Other strides are read too. */
  anydim_layout_t input_layout;
  anydim_layout_t output_layout; /* Layout, not strided, of outputs of rank 3 and more that the context owns. */
  anydim_passes_t passes; /* Which rewritings the graph gets. */
  /* Memory orders asked for by name, before the two fields above; or null. What is made with them copies them. */
  anydim_layouts_t layouts;
  /* Path of a file that anydim_model_save_packed wrote; weights that it has are mapped, not packed. Or null. */
  const char* packed_weights;
} anydim_model_options_t;
#define ANYDIM_MODEL_OPTIONS_INIT {sizeof(anydim_model_options_t), 0, 0, 0, 0, 0, 0, 0}

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
} anydim_model_info_t;
#define ANYDIM_MODEL_INFO_INIT {sizeof(anydim_model_info_t), 0, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, 0, 0, 0, 0, 0, 0, 0, 0}

/* An input or output of a model. */
typedef struct anydim_value_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  anydim_dtype_t dtype; /* Element type. */
  anydim_string_t name; /* Its name. */
  anydim_dims_t dims; /* Its dims; -1 where dynamic. */
  anydim_dims_t min; /* Smallest value of each dim. */
  anydim_dims_t max; /* Largest value of each dim; 2^62 where there is no bound. */
  anydim_dims_t order; /* Memory order as axes, outermost first, that the context asks for or makes. */
  anydim_string_t symbols[8]; /* Each dim as text: a number, a symbol (height) or an expression of symbols. */
} anydim_value_info_t;
#define ANYDIM_VALUE_INFO_INIT {sizeof(anydim_value_info_t), 0, {0, 0}, {0, 0, {0}}, {0, 0, {0}}, {0, 0, {0}}, {0, 0, {0}}, {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}}

/* Options of a context. */
typedef struct anydim_context_options_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t threads; /* Most threads a run uses; 0 = the engine's. */
  int32_t profile; /* 1 to measure the time of each node in each run. */
  anydim_reuse_t reuse; /* Reuse policy of nodes that were not given one with the model. */
  /* With the policy specialised: most milliseconds of measuring before creation returns; 0 = 10,000. */
  int32_t tuning_ms;
} anydim_context_options_t;
#define ANYDIM_CONTEXT_OPTIONS_INIT {sizeof(anydim_context_options_t), 0, 0, 0, 0}

/* Options of a run in a session. */
typedef struct anydim_run_options_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  /* Most milliseconds to wait for a context; negative: without limit. A run that has begun is not ended. */
  int32_t timeout_ms;
  /* What ends the run, or null. While the run waits it is looked at when the turn comes. */
  anydim_cancellation_t cancellation;
  anydim_interrupted_callback_t interrupted; /* Whether a signal ends the wait; null: no signal does. */
  void* user; /* Handed to interrupted. */
} anydim_run_options_t;
#define ANYDIM_RUN_OPTIONS_INIT {sizeof(anydim_run_options_t), -1, 0, 0, 0}

/* A session's contexts. */
typedef struct anydim_session_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t contexts; /* Contexts that exist. */
  int32_t limit; /* Most that may exist. */
  int32_t in_use; /* Those in which something runs now. */
  int32_t waiting; /* Runs that wait for one now. */
  int32_t reserved; /* Zero. */
  int64_t growths; /* How often their memory grew, up to their last runs; always 0 with bounds. */
  int64_t arena_bytes; /* Bytes of their memory, after their last runs. */
} anydim_session_info_t;
#define ANYDIM_SESSION_INFO_INIT {sizeof(anydim_session_info_t), 0, 0, 0, 0, 0, 0, 0}

/* How a context's plans are measured. */
typedef struct anydim_tune_options_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t node_ms; /* Most milliseconds for one node; 0 = 200. */
  int32_t record; /* 1 to store what was found in the persistent cache, too. */
  /* 1 to measure nodes again that were measured at these shapes before, in this process or an earlier one. */
  int32_t again;
} anydim_tune_options_t;
#define ANYDIM_TUNE_OPTIONS_INIT {sizeof(anydim_tune_options_t), 0, 1, 0}

/* The background worker's counters. */
typedef struct anydim_worker_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t running; /* 1 if its thread was started. */
  int32_t paused; /* 1 if it is paused. */
  int32_t turned_off; /* 1 if it is off for the rest of the process. */
  int64_t queued; /* Requests that wait or are being served. */
  int64_t requested; /* Requests taken in. */
  int64_t dropped; /* Requests dropped because the queue was full or the time budget used up. */
  int64_t repeated; /* Requests for what had been served before. */
  int64_t served; /* Requests served. */
  int64_t failed; /* Requests that failed; nothing else is affected. */
  int64_t nanoseconds; /* Time at work. */
} anydim_worker_info_t;
#define ANYDIM_WORKER_INFO_INIT {sizeof(anydim_worker_info_t), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/* A context's counters. */
typedef struct anydim_context_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t bounded; /* 1 if it was made with bounds. */
  int64_t arena_bytes; /* Bytes of memory it holds. */
  int64_t growths; /* How often its memory grew; always 0 with bounds. */
  int64_t runs; /* Runs that completed. */
  int32_t threads; /* Most threads a run uses. */
  int32_t reserved; /* Zero. */
} anydim_context_info_t;
#define ANYDIM_CONTEXT_INFO_INIT {sizeof(anydim_context_info_t), 0, 0, 0, 0, 0, 0}

/* A node of a model as a context runs it. */
typedef struct anydim_node_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t reserved; /* Zero. */
  anydim_string_t name; /* The node's name, after fusion the name of its first part. */
  anydim_string_t op; /* Operator and attributes. */
  anydim_string_t kernel; /* Name of its kernel. */
  anydim_string_t tier; /* Tier of its kernel. */
  anydim_string_t post_ops; /* Post-ops fused into it. */
  int64_t scratch_bytes; /* Scratch of the last run. */
  int64_t output_bytes; /* Bytes of its outputs in the last run. */
  int64_t nanoseconds; /* Time in the last run; -1 unless the context measures. */
} anydim_node_info_t;
#define ANYDIM_NODE_INFO_INIT {sizeof(anydim_node_info_t), 0, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, 0, 0, 0}

/* The persistent cache as this process uses it. Numbers count from its start. */
typedef struct anydim_persistent_cache_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t enabled; /* 1, or 0 where it is off (anydim_persistent_cache_describe says why). */
  int64_t limit_bytes; /* Most bytes of the user's file. */
  int64_t entries; /* Records at hand in memory. */
  int64_t index_bytes; /* About what they take there. */
  int64_t hits; /* Look-ups that found one. */
  int64_t misses; /* Look-ups that did not. */
  int64_t stores; /* Records written to the file. */
  int64_t store_failures; /* Writes that failed (full or read-only disk, locked file); they harmed nothing. */
  int64_t evicted; /* Records that went because the file was at its limit. */
  int64_t damaged_records; /* Records whose checksum was wrong; they were not used. */
  int64_t damaged_files; /* Damaged files that were put aside, as *.damaged, and replaced. */
  int64_t load_failures; /* Files whose index could not be read. */
  int64_t load_nanoseconds; /* What reading the index took. */
} anydim_persistent_cache_info_t;
#define ANYDIM_PERSISTENT_CACHE_INFO_INIT {sizeof(anydim_persistent_cache_info_t), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/*
 * Convolution over 1 to 3 spatial dims. An output dim is (in + pads_begin + pads_end - dilation * (kernel - 1) - 1)
 * / stride + 1, the quotient rounded down. Padding contributes nothing. Per spatial dim means the first `spatial`
 * entries.
 *
 * Inputs: src [N, C, spatial...] (floats), weights [O, C / group, kernel...] (the dtype of src; may be packed), bias
 * [O] (the dtype of src; may be left out; may be packed).
 *
 * Output: [N, O, out...].
 */
typedef struct anydim_convolution_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int32_t spatial; /* Number of spatial dims, 1 to 3. */
  anydim_auto_pad_t auto_pad; /* How the padding is told. */
  int64_t strides[3]; /* Strides. */
  int64_t dilations[3]; /* Distances between taps. */
  int64_t pads_begin[3]; /* Padding before, per spatial dim. */
  int64_t pads_end[3]; /* Padding after, per spatial dim. */
  int64_t group; /* Number of groups. */
} anydim_convolution_t;
#define ANYDIM_CONVOLUTION_INIT {{sizeof(anydim_convolution_t), ANYDIM_OP_CONVOLUTION}, 2, 0, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, 1}

/*
 * Transposed convolution over 1 to 3 spatial dims. An output dim is (in - 1) * stride - pads_begin - pads_end +
 * dilation * (kernel - 1) + 1 + output_padding, or what output_shape says. Per spatial dim means the first `spatial`
 * entries.
 *
 * Inputs: src [N, C, spatial...] (floats), weights [C, O / group, kernel...] (the dtype of src; may be packed), bias
 * [O] (the dtype of src; may be left out; may be packed).
 *
 * Output: [N, O, out...].
 */
typedef struct anydim_conv_transpose_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int32_t spatial; /* Number of spatial dims, 1 to 3. */
  anydim_auto_pad_t auto_pad; /* How the padding is told. */
  int64_t strides[3]; /* Strides. */
  int64_t dilations[3]; /* Distances between taps. */
  int64_t pads_begin[3]; /* Cut off before, per spatial dim. */
  int64_t pads_end[3]; /* Cut off after, per spatial dim. */
  int64_t output_padding[3]; /* Added at the end, per spatial dim. */
  /* Output dims, one per spatial dim; the padding follows from them. None: as the formula says. */
  anydim_dims_t output_shape;
  int64_t group; /* Number of groups. */
} anydim_conv_transpose_t;
#define ANYDIM_CONV_TRANSPOSE_INIT {{sizeof(anydim_conv_transpose_t), ANYDIM_OP_CONV_TRANSPOSE}, 2, 0, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, {0}}, 1}

/*
 * Product of matrices: alpha * (a b) + beta * c. Leading dims broadcast; an operand of rank 1 is a row (a) or a
 * column (b), as in NumPy. An alpha other than 1, and c, are for floats only.
 *
 * Inputs: a [..., M, K] (numbers), b [..., K, N] (the dtype of a; may be packed), c, what broadcasts to the output
 * (the dtype of a; may be left out; may be packed).
 *
 * Output: [..., M, N].
 */
typedef struct anydim_matmul_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int32_t transpose_a; /* 1: a is given as [..., K, M]. */
  int32_t transpose_b; /* 1: b is given as [..., N, K]. */
  float alpha; /* Factor of the product. */
  float beta; /* Factor of c. */
} anydim_matmul_t;
#define ANYDIM_MATMUL_INIT {{sizeof(anydim_matmul_t), ANYDIM_OP_MATMUL}, 0, 0, 1.0f, 1.0f}

/*
 * The maximum or the average over windows of 1 to 3 spatial dims. An output dim is (in + pads_begin + pads_end -
 * dilation * (window - 1) - 1) / stride + 1, the quotient rounded down, or up with ceil_mode. Padding never wins a
 * maximum, and counts in an average with count_include_pad only. Per spatial dim means the first `spatial` entries.
 *
 * Input: src [N, C, spatial...] (f32, f64, f16, bf16, i8, u8; i8 and u8 for the maximum only).
 *
 * Outputs: [N, C, out...]; [N, C, out...], i64 (where each maximum stood), with indices.
 */
typedef struct anydim_pooling_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_pooling_kind_t kind; /* Which pooling. */
  int32_t spatial; /* Number of spatial dims, 1 to 3. */
  int32_t global; /* 1: the window is the whole plane; the fields of windows do not count. */
  anydim_auto_pad_t auto_pad; /* How the padding is told. */
  int64_t window[3]; /* Dims of the window. */
  int64_t strides[3]; /* Strides. */
  int64_t dilations[3]; /* Distances between taps. */
  int64_t pads_begin[3]; /* Padding before, per spatial dim. */
  int64_t pads_end[3]; /* Padding after, per spatial dim. */
  int32_t ceil_mode; /* 1: output dims round up. */
  int32_t count_include_pad; /* 1: an average counts padded positions. */
  int32_t indices; /* 1: of a maximum: the second output is made, the winners' positions in their plane. */
  int32_t column_major_indices; /* 1: positions are counted with the last dim outermost (ONNX: storage_order = 1). */
} anydim_pooling_t;
#define ANYDIM_POOLING_INIT {{sizeof(anydim_pooling_t), ANYDIM_OP_POOLING}, 0, 2, 0, 0, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, 0, 0, 0, 0}

/*
 * A function of each element. The output has x's dtype, or bool where the function says so.
 *
 * Input: x (any dtype; that the function is defined on).
 *
 * Output: x's.
 */
typedef struct anydim_unary_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_unary_function_t function; /* The function. */
  float alpha; /* Its first parameter, for functions whose text names alpha. */
  float beta; /* Its second parameter, for functions whose text names beta. */
  int32_t reserved; /* Zero. */
} anydim_unary_t;
#define ANYDIM_UNARY_INIT {{sizeof(anydim_unary_t), ANYDIM_OP_UNARY}, 0, 0.0f, 0.0f, 0}

/*
 * A function of two elements; dims broadcast as in NumPy. The output has the operands' dtype, or bool from a
 * comparison.
 *
 * Inputs: a (any dtype; that the function is defined on), b (the dtype of a; the exponent of pow may have another).
 *
 * Output: broadcast.
 */
typedef struct anydim_binary_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_binary_function_t function; /* The function. */
  int32_t reserved; /* Zero. */
} anydim_binary_t;
#define ANYDIM_BINARY_INIT {{sizeof(anydim_binary_t), ANYDIM_OP_BINARY}, 0, 0}

/*
 * x with some axes reduced.
 *
 * Input: x (any dtype; bool for the maximum and minimum only).
 *
 * Output: x's, the reduced ones 1 or gone.
 */
typedef struct anydim_reduce_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_reduce_kind_t kind; /* The reduction. */
  int32_t keepdims; /* 1: reduced axes stay as dims of 1. */
  anydim_dims_t axes; /* Axes, negative ones counted from the end. None: all of them. */
} anydim_reduce_t;
#define ANYDIM_REDUCE_INIT {{sizeof(anydim_reduce_t), ANYDIM_OP_REDUCE}, 0, 1, {0, 0, {0}}}

/*
 * exp(x - max) / sum over an axis, or its logarithm.
 *
 * Input: x (floats).
 *
 * Output: x's.
 */
typedef struct anydim_softmax_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t axis; /* The axis; negative counts from the end. */
  int32_t log; /* 1: log-softmax. */
  int32_t reserved; /* Zero. */
} anydim_softmax_t;
#define ANYDIM_SOFTMAX_INIT {{sizeof(anydim_softmax_t), ANYDIM_OP_SOFTMAX}, -1, 0, 0}

/*
 * (x - mean) / sqrt(variance + epsilon) * scale + bias, mean and variance over the axes from `axis` to the last.
 *
 * Inputs: x (floats), scale, x's from the axis on (the dtype of x; may be left out; may be packed), bias, x's from
 * the axis on (the dtype of x; may be left out; may be packed).
 *
 * Output: x's.
 */
typedef struct anydim_layer_norm_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t axis; /* First axis of those normalised together; negative counts from the end. */
  float epsilon; /* Added to the variance. */
  int32_t reserved; /* Zero. */
} anydim_layer_norm_t;
#define ANYDIM_LAYER_NORM_INIT {{sizeof(anydim_layer_norm_t), ANYDIM_OP_LAYER_NORM}, -1, 1e-05f, 0}

/*
 * Interpolation to other dims: those in sizes, or the input's times scales, rounded down. One of the two is given,
 * with one number per axis of `axes`. Axes that are not named are copied.
 *
 * Input: x (any dtype).
 *
 * Output: x's, resized.
 */
typedef struct anydim_resize_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_resize_mode_t mode; /* Interpolation. */
  anydim_resize_coordinates_t coordinates; /* How positions map. */
  anydim_resize_nearest_t nearest; /* Rounding of the nearest mode. */
  float cubic_coeff_a; /* Coefficient of the cubic mode. */
  anydim_resize_policy_t policy; /* What becomes of the ratio of sides, with sizes. */
  float extrapolation_value; /* Result outside the input, for tf_crop_and_resize. */
  int32_t exclude_outside; /* 1: taps outside the input get no weight. */
  int32_t reserved; /* Zero. */
  anydim_dims_t axes; /* The axes that scales, sizes and roi are about, from 0. None: all, in order. */
  anydim_dims_t sizes; /* Output dims. */
  anydim_reals_t scales; /* Output dims over input dims. */
  /* For tf_crop_and_resize: where the region begins in each axis, then where it ends, in parts of the axis. */
  anydim_reals_t roi;
} anydim_resize_t;
#define ANYDIM_RESIZE_INIT {{sizeof(anydim_resize_t), ANYDIM_OP_RESIZE}, 0, 0, 0, -0.75f, 0, 0.0f, 0, 0, {0, 0, {0}}, {0, 0, {0}}, {0, 0, {0}}, {0, 0, {0}}}

/*
 * The axes in another order; output axis i is input axis perm[i].
 *
 * Input: x (any dtype).
 *
 * Output: x's in the order of perm.
 */
typedef struct anydim_transpose_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_dims_t perm; /* The axes of x in the output's order, each once, from 0. */
} anydim_transpose_t;
#define ANYDIM_TRANSPOSE_INIT {{sizeof(anydim_transpose_t), ANYDIM_OP_TRANSPOSE}, {0, 0, {0}}}

/*
 * The same elements in another dtype. Floats become integers toward zero, saturated (NaN gives 0); to bool x != 0;
 * to a narrower float rounded to nearest even.
 *
 * Input: x (any dtype).
 *
 * Output: x's.
 */
typedef struct anydim_cast_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_dtype_t to; /* The dtype. */
  int32_t reserved; /* Zero. */
} anydim_cast_t;
#define ANYDIM_CAST_INIT {{sizeof(anydim_cast_t), ANYDIM_OP_CAST}, 1, 0}

/*
 * The inputs one after another along an axis.
 *
 * Input: inputs, equal but along the axis (any dtype; one dtype for all; one or more).
 *
 * Output: theirs, added up along the axis.
 */
typedef struct anydim_concat_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t axis; /* The axis, from 0. */
} anydim_concat_t;
#define ANYDIM_CONCAT_INIT {{sizeof(anydim_concat_t), ANYDIM_OP_CONCAT}, 0}

/*
 * condition ? a : b, element by element; dims broadcast as in NumPy.
 *
 * Inputs: condition (bool), a (any dtype), b (the dtype of condition).
 *
 * Output: broadcast.
 */
typedef struct anydim_where_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
} anydim_where_t;
#define ANYDIM_WHERE_INIT {{sizeof(anydim_where_t), ANYDIM_OP_WHERE}}

/*
 * The index of the largest or smallest element along an axis. +0 and -0 are equal.
 *
 * Input: x (any dtype).
 *
 * Output: x's, the axis 1 or gone, i64.
 */
typedef struct anydim_arg_reduce_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_arg_reduce_kind_t kind; /* The largest or the smallest. */
  int32_t keepdims; /* 1: the axis stays as a dim of 1. */
  int64_t axis; /* The axis; negative counts from the end. */
  int32_t select_last; /* 1: among equal elements the last is meant, else the first. */
  int32_t reserved; /* Zero. */
} anydim_arg_reduce_t;
#define ANYDIM_ARG_REDUCE_INIT {{sizeof(anydim_arg_reduce_t), ANYDIM_OP_ARG_REDUCE}, 0, 1, 0, 0, 0}

/*
 * Running sums along an axis, in the order of the index.
 *
 * Inputs: x (numbers), axis, one element (i32 or i64; The axis, whose value may come from the data.).
 *
 * Output: x's.
 */
typedef struct anydim_cumsum_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int32_t exclusive; /* 1: a sum leaves its own element out. */
  int32_t reverse; /* 1: sums begin at the end. */
} anydim_cumsum_t;
#define ANYDIM_CUMSUM_INIT {{sizeof(anydim_cumsum_t), ANYDIM_OP_CUMSUM}, 0, 0}

/*
 * The same elements, in logical row-major order, under other dims.
 *
 * Input: x (any dtype).
 *
 * Output: those given.
 */
typedef struct anydim_reshape_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_dims_t dims; /* The dims; as many elements as x has. */
} anydim_reshape_t;
#define ANYDIM_RESHAPE_INIT {{sizeof(anydim_reshape_t), ANYDIM_OP_RESHAPE}, {0, 0, {0}}}

/*
 * x repeated to the dims that it and those given broadcast to.
 *
 * Input: x (any dtype).
 *
 * Output: broadcast.
 */
typedef struct anydim_expand_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_dims_t dims; /* The dims to broadcast with. */
} anydim_expand_t;
#define ANYDIM_EXPAND_INIT {{sizeof(anydim_expand_t), ANYDIM_OP_EXPAND}, {0, 0, {0}}}

/*
 * Per axis of x a first index, a length and a step. Nothing is left to clamp: all that is taken lies inside.
 *
 * Input: x (any dtype).
 *
 * Output: the lengths.
 */
typedef struct anydim_slice_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_dims_t starts; /* First index, one per axis of x. */
  anydim_dims_t steps; /* Steps, not 0, one per axis of x. None: 1 everywhere. */
  anydim_dims_t lengths; /* How many elements are taken, one per axis of x. */
} anydim_slice_t;
#define ANYDIM_SLICE_INIT {{sizeof(anydim_slice_t), ANYDIM_OP_SLICE}, {0, 0, {0}}, {0, 0, {0}}, {0, 0, {0}}}

/*
 * Elements added, or with negative counts cut off, before and after each axis.
 *
 * Inputs: x (any dtype), value, one element (the dtype of x; What is put in mode constant; absent: zero.; may be
 * left out).
 *
 * Output: x's and what is added.
 */
typedef struct anydim_pad_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_pad_mode_t mode; /* What is put where elements are added. */
  int32_t reserved; /* Zero. */
  anydim_dims_t before; /* Counts before, one per axis of x. */
  anydim_dims_t after; /* Counts after, one per axis of x. */
} anydim_pad_t;
#define ANYDIM_PAD_INIT {{sizeof(anydim_pad_t), ANYDIM_OP_PAD}, 0, 0, {0, 0, {0}}, {0, 0, {0}}}

/*
 * Each axis of x repeated a number of times.
 *
 * Input: x (any dtype).
 *
 * Output: x's times the repeats.
 */
typedef struct anydim_tile_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_dims_t repeats; /* How often, one per axis of x. */
} anydim_tile_t;
#define ANYDIM_TILE_INIT {{sizeof(anydim_tile_t), ANYDIM_OP_TILE}, {0, 0, {0}}}

/*
 * Blocks of channels laid out as squares of pixels, or squares of pixels as blocks of channels.
 *
 * Input: x [N, C, H, W] (any dtype).
 *
 * Output: [N, C / block^2, H * block, W * block].
 */
typedef struct anydim_depth_to_space_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t block; /* Side of a square. */
  anydim_depth_to_space_order_t order; /* What the channels are made of. */
  int32_t inverse; /* 1: squares become channels (depth first only). */
} anydim_depth_to_space_t;
#define ANYDIM_DEPTH_TO_SPACE_INIT {{sizeof(anydim_depth_to_space_t), ANYDIM_OP_DEPTH_TO_SPACE}, 1, 0, 0}

/*
 * A vector of start, start + delta, ..., each element start + i * delta rounded in its dtype. Start and delta are
 * whole numbers, or reals with `real`.
 *
 * Inputs: none.
 *
 * Output: [count], of that dtype.
 */
typedef struct anydim_range_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_dtype_t dtype; /* The dtype: numbers, not f16 or bf16; with `real` f32 or f64. */
  int32_t real; /* 1: start and delta are real_start and real_delta. */
  int64_t start; /* The first element. */
  int64_t delta; /* From one element to the next. */
  int64_t count; /* How many elements. */
  double real_start; /* The first element. */
  double real_delta; /* From one element to the next. */
} anydim_range_t;
#define ANYDIM_RANGE_INIT {{sizeof(anydim_range_t), ANYDIM_OP_RANGE}, 11, 0, 0, 1, 0, 0.0, 0.0}

/*
 * A scalar or a vector of whole numbers, converted as a cast from i64 does.
 *
 * Inputs: none.
 *
 * Output: [values] or [], of that dtype.
 */
typedef struct anydim_shape_tensor_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_dtype_t dtype; /* The dtype. */
  int32_t scalar; /* 1: the one value is a scalar. */
  const int64_t* values; /* The elements. */
  int64_t values_count; /* Their number. */
} anydim_shape_tensor_t;
#define ANYDIM_SHAPE_TENSOR_INIT {{sizeof(anydim_shape_tensor_t), ANYDIM_OP_SHAPE_TENSOR}, 11, 0, 0, 0}

/*
 * Slices of the data along an axis, picked by the indices (negative ones from the end).
 *
 * Inputs: data (any dtype), indices (i32 or i64).
 *
 * Output: the data's, the axis replaced by the dims of the indices, the dtype of data.
 */
typedef struct anydim_gather_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t axis; /* The axis, from 0. */
} anydim_gather_t;
#define ANYDIM_GATHER_INIT {{sizeof(anydim_gather_t), ANYDIM_OP_GATHER}, 0}

/*
 * One element of the data for each index, which replaces its coordinate on an axis.
 *
 * Inputs: data (any dtype), indices, no larger than the data's but along the axis (i32 or i64).
 *
 * Output: the indices', the dtype of data.
 */
typedef struct anydim_gather_elements_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t axis; /* The axis, from 0. */
} anydim_gather_elements_t;
#define ANYDIM_GATHER_ELEMENTS_INIT {{sizeof(anydim_gather_elements_t), ANYDIM_OP_GATHER_ELEMENTS}, 0}

/*
 * Slices of the data at coordinates, which the last axis of the indices holds. The first batch_dims axes of both go
 * together.
 *
 * Inputs: data (any dtype), indices [..., coordinates] (i32 or i64).
 *
 * Output: the indices' but for the last, then the rest of the data's, the dtype of data.
 */
typedef struct anydim_gather_nd_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t batch_dims; /* How many axes go together. */
} anydim_gather_nd_t;
#define ANYDIM_GATHER_ND_INIT {{sizeof(anydim_gather_nd_t), ANYDIM_OP_GATHER_ND}, 0}

/*
 * A copy of the data in which updates are stored, or combined, at the indices along an axis.
 *
 * Inputs: data (any dtype), indices, no larger than the data's but along the axis (i32 or i64), updates, the
 * indices' (the dtype of data).
 *
 * Output: the data's, the dtype of data.
 */
typedef struct anydim_scatter_elements_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t axis; /* The axis, from 0. */
  anydim_scatter_reduction_t reduction; /* What an update does to what is there. */
  int32_t reserved; /* Zero. */
} anydim_scatter_elements_t;
#define ANYDIM_SCATTER_ELEMENTS_INIT {{sizeof(anydim_scatter_elements_t), ANYDIM_OP_SCATTER_ELEMENTS}, 0, 0, 0}

/*
 * A copy of the data in which slices of the updates are stored, or combined, at coordinates, which the last axis of
 * the indices holds.
 *
 * Inputs: data (any dtype), indices [..., coordinates] (i32 or i64), updates, the indices' but for the last, then
 * the rest of the data's (the dtype of data).
 *
 * Output: the data's, the dtype of data.
 */
typedef struct anydim_scatter_nd_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_scatter_reduction_t reduction; /* What an update does to what is there. */
  int32_t reserved; /* Zero. */
} anydim_scatter_nd_t;
#define ANYDIM_SCATTER_ND_INIT {{sizeof(anydim_scatter_nd_t), ANYDIM_OP_SCATTER_ND}, 0, 0}

/*
 * The k largest or smallest elements along an axis. Equal elements come in the order of their index; NaN counts as
 * larger than any number.
 *
 * Input: x (any dtype).
 *
 * Outputs: x's, the axis k; x's, the axis k, i64 (where each element stood).
 */
typedef struct anydim_topk_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t axis; /* The axis, from 0. */
  int64_t k; /* How many, at most the size of the axis. */
  int32_t largest; /* 1: the largest, else the smallest. */
  int32_t sorted; /* 1: they come sorted. Without it any order would do; they are sorted all the same. */
} anydim_topk_t;
#define ANYDIM_TOPK_INIT {{sizeof(anydim_topk_t), ANYDIM_OP_TOPK}, 0, 1, 1, 1}

/*
 * The upper or lower triangle of the last two axes, zero elsewhere.
 *
 * Input: x [..., M, N] (any dtype).
 *
 * Output: x's.
 */
typedef struct anydim_trilu_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int32_t upper; /* 1: the upper triangle, else the lower. */
  int32_t reserved; /* Zero. */
  int64_t k; /* Where the diagonal lies: above 0 it is moved up, below 0 down. */
} anydim_trilu_t;
#define ANYDIM_TRILU_INIT {{sizeof(anydim_trilu_t), ANYDIM_OP_TRILU}, 1, 0, 0}

/*
 * Ones on a diagonal of a matrix with x's dims, zeros elsewhere. The values of x are not read.
 *
 * Input: x [M, N] (any dtype).
 *
 * Output: x's, of that dtype.
 */
typedef struct anydim_eye_like_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_dtype_t dtype; /* The dtype; 0 is that of x. */
  int32_t reserved; /* Zero. */
  int64_t k; /* Which diagonal: above 0 upper ones, below 0 lower ones. */
} anydim_eye_like_t;
#define ANYDIM_EYE_LIKE_INIT {{sizeof(anydim_eye_like_t), ANYDIM_OP_EYE_LIKE}, 0, 0, 0}

/*
 * A new axis of `depth` elements: "on" where its position equals the index (negative ones from the end), "off"
 * elsewhere and for indices out of range.
 *
 * Inputs: indices (numbers), values [2] (any dtype; off and on).
 *
 * Output: the indices' and the new axis, the dtype of values.
 */
typedef struct anydim_one_hot_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t axis; /* Which axis of the output is new, from 0. */
  int64_t depth; /* Its size. */
} anydim_one_hot_t;
#define ANYDIM_ONE_HOT_INIT {{sizeof(anydim_one_hot_t), ANYDIM_OP_ONE_HOT}, 0, 0}

/*
 * The input read at positions that the grid gives for each element of the output, -1 to 1 from one end of an axis to
 * the other, and interpolated.
 *
 * Inputs: x [N, C, spatial...] (any dtype; floats, but for mode nearest), grid [N, out..., coordinates] (floats; one
 * coordinate per spatial dim, the last dim's first).
 *
 * Output: [N, C, out...].
 */
typedef struct anydim_grid_sample_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_grid_sample_mode_t mode; /* Interpolation. */
  anydim_grid_sample_padding_t padding; /* What is read outside the input. */
  int32_t align_corners; /* 1: -1 and 1 are the centres of the outermost elements, else their outer edges. */
  int32_t reserved; /* Zero. */
} anydim_grid_sample_t;
#define ANYDIM_GRID_SAMPLE_INIT {{sizeof(anydim_grid_sample_t), ANYDIM_OP_GRID_SAMPLE}, 1, 0, 0, 0}

/*
 * The library's version as text, such as "0.1.0". Never fails.
 *
 * Experimental; slot 1.
 */
ANYDIM_API const char* anydim_version(void) ANYDIM_NOTHROW;

/*
 * A status as text, such as "invalid argument"; "unknown" for a number that is none. Never fails.
 * - status: The status.
 *
 * Experimental; slot 2.
 */
ANYDIM_API const char* anydim_status_name(anydim_status_t status) ANYDIM_NOTHROW;

/*
 * The message of the last call of this thread that failed, or "" if none has. It names the function, the argument,
 * the value found and what was expected. Valid until the next call of this thread that fails. Never fails.
 *
 * Experimental; slot 3.
 */
ANYDIM_API const char* anydim_last_error(void) ANYDIM_NOTHROW;

/*
 * Tells what the last call of this thread that failed was about, part by part. It leaves the last error as it is.
 * Example:
 *     anydim_error_info_t failure = ANYDIM_ERROR_INFO_INIT;
 *     anydim_last_error_query(&failure);
 *     printf("%s is wrong: %s\n", failure.argument.data, failure.message.data);
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 5; fails with invalid_argument.
 */
ANYDIM_API anydim_status_t anydim_last_error_query(anydim_error_info_t* info) ANYDIM_NOTHROW;

/*
 * Sets which log lines are made and who gets them. The first level comes from the variable ANYDIM_LOG (none, error,
 * warning, info, debug; warning if it is not set).
 * Errors: invalid_argument for a level that is none.
 * - level: The level.
 * - callback (may be null): Gets each line; null writes to stderr.
 * - user (may be null): Handed to the callback.
 *
 * Experimental; slot 4; fails with invalid_argument.
 */
ANYDIM_API anydim_status_t anydim_log_set(anydim_log_level_t level, anydim_log_callback_t callback, void* user)
    ANYDIM_NOTHROW;

/*
 * Makes an engine. No thread is started before the first call that uses several. Errors: unimplemented for a kind
 * that is not in this build, invalid_argument for a kind or device that does not exist and for a number of threads
 * outside 0..256.
 * Thread rule: any thread.
 * Example:
 *     anydim_engine_t engine;
 *     anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &engine);
 * - kind: Kind of engine.
 * - device: Which device of that kind, from 0.
 * - options (may be null): Options, or null for the defaults.
 * - engine (out, the caller destroys it): The engine.
 *
 * Experimental; slot 10; fails with invalid_argument, unimplemented.
 */
ANYDIM_API anydim_status_t anydim_engine_create(anydim_engine_kind_t kind, int32_t device, const
    anydim_engine_options_t* options, anydim_engine_t* engine) ANYDIM_NOTHROW;

/*
 * Gives up an engine. What was made from it goes on working and keeps it alive.
 * - engine: The handle, or null.
 *
 * Experimental; slot 11.
 */
ANYDIM_API void anydim_engine_destroy(anydim_engine_t engine) ANYDIM_NOTHROW;

/*
 * Tells what an engine is. Its strings live as long as the process.
 * - engine: The engine.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 12; fails with invalid_argument.
 */
ANYDIM_API anydim_status_t anydim_engine_query(anydim_engine_t engine, anydim_engine_info_t* info) ANYDIM_NOTHROW;

/*
 * Tells about a kernel of the engine's registry, in order of preference within its operator. Errors: not_found past
 * the last. Its strings live as long as the process.
 * - engine: The engine.
 * - index: Which, from 0 to the engine's number of kernels less one.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 13; fails with invalid_argument, not_found.
 */
ANYDIM_API anydim_status_t anydim_engine_kernel(anydim_engine_t engine, int32_t index, anydim_kernel_info_t* info)
    ANYDIM_NOTHROW;

/*
 * Makes a stream of an engine: where primitives execute, one after the other. Make one per thread that executes
 * them; models need none, a context has its own.
 * Errors: invalid_argument for a number of threads outside 0..256.
 * Example:
 *     anydim_stream_options_t alone = ANYDIM_STREAM_OPTIONS_INIT;
 *     alone.threads = 1;
 *     anydim_stream_create(engine, &alone, &stream);
 * - engine: The engine.
 * - options (may be null): Options, or null for the defaults.
 * - stream (out, the caller destroys it): The stream.
 *
 * Experimental; slot 14; fails with invalid_argument.
 */
ANYDIM_API anydim_status_t anydim_stream_create(anydim_engine_t engine, const anydim_stream_options_t* options,
    anydim_stream_t* stream) ANYDIM_NOTHROW;

/*
 * Gives up a stream and its scratch memory; if an execution is running in it, when that ends.
 * - stream: The handle, or null.
 *
 * Experimental; slot 15.
 */
ANYDIM_API void anydim_stream_destroy(anydim_stream_t stream) ANYDIM_NOTHROW;

/*
 * Waits until everything given to the stream is done; late errors surface here. The CPU engine completes before
 * execute returns, so there it only checks. Tensors must stay alive until it returns.
 * - stream: The stream.
 *
 * Experimental; slot 16; may block; fails with busy, closed.
 */
ANYDIM_API anydim_status_t anydim_stream_wait(anydim_stream_t stream) ANYDIM_NOTHROW;

/*
 * A dim that is a number. Never fails; a negative number is found by what takes the dim.
 * - value: The number.
 *
 * Experimental; slot 20.
 */
ANYDIM_API anydim_dim_t anydim_dim_fixed(int64_t value) ANYDIM_NOTHROW;

/*
 * A dim whose number comes with the tensor. The two bounds are promises, checked at execution. Never fails; min >
 * max is found by what takes the dim. For no promise give 0 and INT64_MAX.
 * - min: Smallest number.
 * - max: Largest number.
 *
 * Experimental; slot 21.
 */
ANYDIM_API anydim_dim_t anydim_dim_dynamic(int64_t min, int64_t max) ANYDIM_NOTHROW;

/*
 * Says which number is likely. It orders choices and changes neither results nor bounds. Null does nothing.
 * - dim (in and out): The dim.
 * - hint: The likely number.
 *
 * Experimental; slot 22.
 */
ANYDIM_API void anydim_dim_set_hint(anydim_dim_t* dim, int64_t hint) ANYDIM_NOTHROW;

/*
 * Promises that a dynamic dim is a multiple of a number. Null does nothing.
 * - dim (in and out): The dim.
 * - multiple_of: The number, at least 1.
 *
 * Experimental; slot 23.
 */
ANYDIM_API void anydim_dim_set_multiple_of(anydim_dim_t* dim, int64_t multiple_of) ANYDIM_NOTHROW;

/*
 * Makes a tensor descriptor. Errors: invalid_argument for a dtype or layout that is none, a rank outside 0..8, a
 * negative number, min > max, or a multiple_of below 1.
 * Example:
 *     anydim_dim_t d[2] = {anydim_dim_dynamic(1, 64), anydim_dim_fixed(10)};
 *     anydim_desc_create(ANYDIM_F32, 2, d, ANYDIM_LAYOUT_STRIDED, &desc);
 * - dtype: Element type.
 * - rank: Number of dims.
 * - dims: The dims, outermost first.
 * - layout: The memory order that tensors will have.
 * - desc (out, the caller destroys it): The descriptor.
 *
 * Experimental; slot 24; fails with invalid_argument.
 */
ANYDIM_API anydim_status_t anydim_desc_create(anydim_dtype_t dtype, int32_t rank, const anydim_dim_t* dims,
    anydim_layout_t layout, anydim_desc_t* desc) ANYDIM_NOTHROW;

/*
 * Gives up a descriptor.
 * - desc: The handle, or null.
 *
 * Experimental; slot 25.
 */
ANYDIM_API void anydim_desc_destroy(anydim_desc_t desc) ANYDIM_NOTHROW;

/*
 * Makes a tensor with memory of its own, filled with zeros, freed with the tensor. anydim_tensor_view shows it to
 * calls.
 * Errors: invalid_argument for a dtype that is none, a rank outside 0..8, a negative dim, sizes beyond int64_t, the
 * layout strided, and channels last of a rank below 3.
 * Example:
 *     int64_t d[4] = {1, 3, 48, 192};
 *     anydim_tensor_allocate(engine, ANYDIM_F32, 4, d, ANYDIM_LAYOUT_ROW_MAJOR, &tensor);
 *     anydim_tensor_view(tensor, &x);
 * - engine: The engine.
 * - dtype: Element type.
 * - rank: Number of dims.
 * - dims: The dims, outermost first.
 * - layout: How its elements lie.
 * - tensor (out, the caller destroys it): The tensor.
 *
 * Experimental; slot 31; fails with invalid_argument.
 */
ANYDIM_API anydim_status_t anydim_tensor_allocate(anydim_engine_t engine, anydim_dtype_t dtype, int32_t rank, const
    int64_t* dims, anydim_layout_t layout, anydim_tensor_t* tensor) ANYDIM_NOTHROW;

/*
 * Gives up a tensor; its memory too if it was allocated with it.
 * - tensor: The handle, or null.
 *
 * Experimental; slot 32.
 */
ANYDIM_API void anydim_tensor_destroy(anydim_tensor_t tensor) ANYDIM_NOTHROW;

/*
 * Gives the view of a tensor. It is good as long as the tensor.
 * - tensor: The tensor.
 * - view (out): The view, with its strides.
 *
 * Experimental; slot 180.
 */
ANYDIM_API anydim_status_t anydim_tensor_view(anydim_tensor_t tensor, anydim_view_t* view) ANYDIM_NOTHROW;

/*
 * Makes attributes with all defaults. What is made with them copies them.
 * - attr (out, the caller destroys it): The attributes.
 *
 * Experimental; slot 40.
 */
ANYDIM_API anydim_status_t anydim_attr_create(anydim_attr_t* attr) ANYDIM_NOTHROW;

/*
 * Gives up attributes.
 * - attr: The handle, or null.
 *
 * Experimental; slot 41.
 */
ANYDIM_API void anydim_attr_destroy(anydim_attr_t attr) ANYDIM_NOTHROW;

/*
 * Sets the reuse policy of the primitives to come. With ANYDIM_REUSE_SPECIALISED their creation measures plans,
 * which takes seconds. Errors: invalid_argument for a policy that is none.
 * - attr: The attributes.
 * - policy: The policy.
 *
 * Experimental; slot 42; fails with invalid_argument, busy.
 */
ANYDIM_API anydim_status_t anydim_attr_set_reuse(anydim_attr_t attr, anydim_reuse_t policy) ANYDIM_NOTHROW;

/*
 * Sets the math mode. Errors: invalid_argument for a mode that is none, unimplemented for fast and reduced.
 * - attr: The attributes.
 * - mode: The mode.
 *
 * Experimental; slot 43; fails with invalid_argument, unimplemented, busy.
 */
ANYDIM_API anydim_status_t anydim_attr_set_math(anydim_attr_t attr, anydim_math_t mode) ANYDIM_NOTHROW;

/*
 * Appends a post-op that takes a function of each output element, after the operator's bias and the post-ops before.
 * Errors: invalid_argument for a function that is none, unimplemented for a thirteenth post-op.
 * Example:
 *     anydim_attr_append_eltwise(attr, ANYDIM_RELU, 0.f, 0.f);
 * - attr: The attributes.
 * - function: The function.
 * - alpha: Its first parameter, if it has one.
 * - beta: Its second parameter, if it has one.
 *
 * Experimental; slot 44; fails with invalid_argument, unimplemented, busy.
 */
ANYDIM_API anydim_status_t anydim_attr_append_eltwise(anydim_attr_t attr, anydim_unary_function_t function, float
    alpha, float beta) ANYDIM_NOTHROW;

/*
 * Appends a post-op y = function(y, t), with a tensor t that is given at execution after the operator's inputs and
 * broadcasts to the output. Errors: as anydim_attr_append_eltwise.
 * - attr: The attributes.
 * - function: The function.
 * - reversed: 1 for y = function(t, y), else 0.
 *
 * Experimental; slot 45; fails with invalid_argument, unimplemented, busy.
 */
ANYDIM_API anydim_status_t anydim_attr_append_binary(anydim_attr_t attr, anydim_binary_function_t function, int32_t
    reversed) ANYDIM_NOTHROW;

/*
 * Forces a kernel by its name, for tests and reports; "" takes it back. Whether it supports the problem shows at
 * creation of the primitive. Errors: not_found for a name that the registry lacks.
 * - attr: The attributes.
 * - kernel: The kernel's name.
 *
 * Experimental; slot 46; fails with invalid_argument, not_found, busy.
 */
ANYDIM_API anydim_status_t anydim_attr_set_kernel(anydim_attr_t attr, const char* kernel) ANYDIM_NOTHROW;

/*
 * Sets whose memory the primitive computes in. Errors: invalid_argument for a mode that is none.
 * - attr: The attributes.
 * - mode: The mode.
 *
 * Experimental; slot 47; fails with invalid_argument, busy.
 */
ANYDIM_API anydim_status_t anydim_attr_set_scratchpad(anydim_attr_t attr, anydim_scratchpad_t mode) ANYDIM_NOTHROW;

/*
 * Packs constant weights for an operator, once for all shapes, primitives and contexts; their memory may be freed
 * afterwards. They are the operator's inputs from the second on (weights and bias of a convolution, b and c of a
 * matmul, scale and shift of a layer norm). Attributes must be those of the primitives to come.
 * anydim_weights_update replaces the values later, anydim_weights_save keeps the packed form.
 * Errors: invalid_argument for what the operator does not accept, unimplemented if no kernel takes it.
 * Example:
 *     anydim_weights_create(engine, &conv.op, NULL, kernel_and_bias, 2, &weights);
 *     anydim_primitive_create(engine, &conv.op, NULL, &src, 1, weights, &primitive);
 * - engine: The engine.
 * - op: The operator, as &conv.op.
 * - attr (may be null): Attributes, or null for the defaults.
 * - constants: The operator's inputs from the second on.
 * - count: Their number, 1 or 2.
 * - weights (out, the caller destroys it): The packed weights.
 *
 * Experimental; slot 50; may block; fails with invalid_argument, unimplemented, busy.
 */
ANYDIM_API anydim_status_t anydim_weights_create(anydim_engine_t engine, const anydim_op_t* op, anydim_attr_t attr,
    const anydim_view_t* constants, int32_t count, anydim_weights_t* weights) ANYDIM_NOTHROW;

/*
 * Gives up weights; primitives that use them keep them alive.
 * - weights: The handle, or null.
 *
 * Experimental; slot 51.
 */
ANYDIM_API void anydim_weights_destroy(anydim_weights_t weights) ANYDIM_NOTHROW;

/*
 * Tells how many bytes the packed form takes.
 * - weights: The weights.
 * - bytes (out): Bytes.
 *
 * Experimental; slot 52.
 */
ANYDIM_API anydim_status_t anydim_weights_bytes(anydim_weights_t weights, int64_t* bytes) ANYDIM_NOTHROW;

/*
 * Replaces the values: packs these, once for all primitives over these weights, and makes them the next version.
 * Dtypes and dims are those the weights were created with. Executions that begin after this returns use the new
 * version; those that run meanwhile keep the one they began with, the whole call long. Both versions are in memory
 * until calls with the old one have ended: the call waits for that up to a second and then leaves the old one to the
 * next update or to the end of the weights. Thread rule: any thread, also while others execute; updates go one after
 * the other.
 * Errors: invalid_argument for other dtypes or dims, or another number of them.
 * - weights: The weights.
 * - constants: The operator's inputs from the second on, as many as there were.
 * - count: Their number.
 *
 * Experimental; slot 160; may block; fails with invalid_argument.
 */
ANYDIM_API anydim_status_t anydim_weights_update(anydim_weights_t weights, const anydim_view_t* constants, int32_t
    count) ANYDIM_NOTHROW;

/*
 * Tells how often the values were set: 1 after creation or loading, one more after each update.
 * - weights: The weights.
 * - version (out): The version.
 *
 * Experimental; slot 161.
 */
ANYDIM_API anydim_status_t anydim_weights_version(anydim_weights_t weights, int64_t* version) ANYDIM_NOTHROW;

/*
 * Writes the packed form to a file for anydim_weights_load: under another name first, flushed to the disk, then
 * renamed, so that the path always holds a whole file and processes that have an older one mapped keep it. The file
 * is made for the instruction set in use. Links are followed; a pipe or character device is written into. Errors:
 * invalid_argument for what is no file (a folder, a block device), io_error with the system's reason, unimplemented
 * for weights without elements.
 * - weights: The weights.
 * - path: Path of the file.
 *
 * Experimental; slot 162; may block; fails with invalid_argument, io_error, unimplemented.
 */
ANYDIM_API anydim_status_t anydim_weights_save(anydim_weights_t weights, const char* path) ANYDIM_NOTHROW;

/*
 * Maps weights that anydim_weights_save wrote: nothing is packed or copied, and processes that map one file share
 * its memory. The file is read once, for its checksum; nobody may change or cut it off in place while it is mapped.
 * Errors: not_found if there is no such file; io_error if it is damaged, cut off or of another kind;
 * invalid_argument if it was packed for another operator; unimplemented if the kernel that is chosen here reads
 * another packed form (another instruction set, an older library): pack again with anydim_weights_create.
 * - engine: The engine.
 * - op: The operator, as &conv.op.
 * - attr (may be null): Attributes of the primitives to come, or null for the defaults.
 * - path: Path of the file.
 * - weights (out, the caller destroys it): The weights.
 *
 * Experimental; slot 163; may block; fails with invalid_argument, not_found, io_error, unimplemented, busy.
 */
ANYDIM_API anydim_status_t anydim_weights_load(anydim_engine_t engine, const anydim_op_t* op, anydim_attr_t attr,
    const char* path, anydim_weights_t* weights) ANYDIM_NOTHROW;

/*
 * Makes a primitive, in microseconds (with the reuse policy specialised it measures first, which takes seconds).
 * Descriptors are those of the inputs that come at execution: all of the operator's, or the first only if the rest
 * are in `weights`. Tensors of post-ops need none: they have the output's dtype and any dims that broadcast to it. A
 * primitive with dynamic dims and one with numbers hold the same kernel.
 * Errors: invalid_argument for what the operator's shape rule refuses, unimplemented with every kernel's refusal.
 * Example:
 *     anydim_primitive_create(engine, &conv.op, NULL, &src, 1, weights, &primitive);
 * - engine: The engine.
 * - op: The operator, as &conv.op.
 * - attr (may be null): Attributes, or null for the defaults.
 * - inputs: Descriptors of the inputs.
 * - input_count: Their number.
 * - weights (may be null): Packed weights, or null.
 * - primitive (out, the caller destroys it): The primitive.
 *
 * Experimental; slot 53; fails with invalid_argument, unimplemented, busy.
 */
ANYDIM_API anydim_status_t anydim_primitive_create(anydim_engine_t engine, const anydim_op_t* op, anydim_attr_t attr,
    anydim_desc_t const* inputs, int32_t input_count, anydim_weights_t weights, anydim_primitive_t* primitive)
    ANYDIM_NOTHROW;

/*
 * Gives up a primitive; executions that run go on.
 * - primitive: The handle, or null.
 *
 * Experimental; slot 54.
 */
ANYDIM_API void anydim_primitive_destroy(anydim_primitive_t primitive) ANYDIM_NOTHROW;

/*
 * Executes a primitive: inputs in the operator's order without those in weights, then the tensors of post-ops in
 * their order. Outputs must have the dims that anydim_primitive_output_dims tells; one with a dtype and no data is
 * placed in memory that is the caller's until anydim_result_release. Any shape that the descriptors allow costs the
 * same per element. Errors: invalid_argument for dtype, rank, number of tensors or wrong dims, out_of_bounds for a
 * dim that breaks a promise, invalid_data for values found wrong on the way.
 * Thread rule: many threads may share the primitive, each with its own stream.
 * Example:
 *     anydim_view_t y = {.data = buffer, .dtype = ANYDIM_F32};
 *     anydim_primitive_output_dims(primitive, &x, 1, 0, &y.dims);
 *     anydim_primitive_execute(primitive, stream, &x, 1, &y, 1);
 * - primitive: The primitive.
 * - stream: The stream.
 * - inputs: Input tensors.
 * - input_count: Their number.
 * - outputs (in and out): Output tensors.
 * - output_count: Their number.
 *
 * Experimental; slot 55; may block; fails with invalid_argument, out_of_bounds, invalid_data, unimplemented, busy,
 * closed.
 */
ANYDIM_API anydim_status_t anydim_primitive_execute(anydim_primitive_t primitive, anydim_stream_t stream, const
    anydim_view_t* inputs, int32_t input_count, anydim_view_t* outputs, int32_t output_count) ANYDIM_NOTHROW;

/*
 * As anydim_primitive_execute, in scratch memory of the caller (scratchpad mode caller): nothing is allocated.
 * Errors: invalid_argument also for scratch that is too small or not aligned to 64.
 * - primitive: The primitive.
 * - stream: The stream.
 * - inputs: Input tensors.
 * - input_count: Their number.
 * - outputs: Output tensors.
 * - output_count: Their number.
 * - scratch (may be null): Memory aligned to 64 bytes.
 * - scratch_bytes: Its size.
 *
 * Experimental; slot 56; may block; fails with invalid_argument, out_of_bounds, invalid_data, unimplemented, busy,
 * closed.
 */
ANYDIM_API anydim_status_t anydim_primitive_execute_in(anydim_primitive_t primitive, anydim_stream_t stream, const
    anydim_view_t* inputs, int32_t input_count, const anydim_view_t* outputs, int32_t output_count, void* scratch,
    int64_t scratch_bytes) ANYDIM_NOTHROW;

/*
 * Tells the dims of an output for actual inputs, and checks these. Their dtype, dims and strides count, their data
 * does not. Errors: as anydim_primitive_execute; not_found past the last output.
 * - primitive: The primitive.
 * - inputs: Input tensors.
 * - input_count: Their number.
 * - index: Which output, from 0.
 * - dims (out): Its dims.
 *
 * Experimental; slot 57; fails with invalid_argument, out_of_bounds, not_found.
 */
ANYDIM_API anydim_status_t anydim_primitive_output_dims(anydim_primitive_t primitive, const anydim_view_t* inputs,
    int32_t input_count, int32_t index, anydim_dims_t* dims) ANYDIM_NOTHROW;

/*
 * Tells how many bytes of scratch an execution with these tensors needs: what anydim_primitive_execute_in is given.
 * Their data does not count. Errors: as anydim_primitive_execute.
 * - primitive: The primitive.
 * - stream: The stream it will run in.
 * - inputs: Input tensors.
 * - input_count: Their number.
 * - outputs: Output tensors.
 * - output_count: Their number.
 * - bytes (out): Bytes.
 *
 * Experimental; slot 58; fails with invalid_argument, out_of_bounds, busy, closed.
 */
ANYDIM_API anydim_status_t anydim_primitive_scratch_bytes(anydim_primitive_t primitive, anydim_stream_t stream, const
    anydim_view_t* inputs, int32_t input_count, const anydim_view_t* outputs, int32_t output_count, int64_t* bytes)
    ANYDIM_NOTHROW;

/*
 * Tells the memory order in which the primitive's kernel reads an input or writes an output without a copy, as axes,
 * outermost first ({0, 2, 3, 1} is channels last); rank 0: any.
 * - primitive: The primitive.
 * - output: 1 for an output, 0 for an input.
 * - index: Which, from 0.
 * - order (out): The order.
 *
 * Experimental; slot 59; fails with not_found.
 */
ANYDIM_API anydim_status_t anydim_primitive_order(anydim_primitive_t primitive, int32_t output, int32_t index,
    anydim_dims_t* order) ANYDIM_NOTHROW;

/*
 * Tells the primitive's kernel: its name, and a number that is equal for two primitives of a process exactly if they
 * hold the same kernel object.
 * - primitive: The primitive.
 * - name (out): The name.
 * - identity (out): The number.
 *
 * Experimental; slot 60.
 */
ANYDIM_API anydim_status_t anydim_primitive_kernel(anydim_primitive_t primitive, anydim_string_t* name, uint64_t*
    identity) ANYDIM_NOTHROW;

/*
 * Tells how many kernels were considered for the primitive.
 * - primitive: The primitive.
 * - count (out): Their number.
 *
 * Experimental; slot 61.
 */
ANYDIM_API anydim_status_t anydim_primitive_candidate_count(anydim_primitive_t primitive, int32_t* count)
    ANYDIM_NOTHROW;

/*
 * Tells about a considered kernel, in order of preference. Errors: not_found past the last.
 * - primitive: The primitive.
 * - index: Which, from 0.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 62; fails with invalid_argument, not_found.
 */
ANYDIM_API anydim_status_t anydim_primitive_candidate(anydim_primitive_t primitive, int32_t index, anydim_candidate_t*
    info) ANYDIM_NOTHROW;

/*
 * Explains a primitive as JSON: operator, descriptors, attributes, kernel, tier, reuse policy, preferred orders, and
 * why each other kernel was refused; with input tensors also output dims and scratch.
 * - primitive: The primitive.
 * - inputs: Input tensors, or none.
 * - input_count: Their number, or 0.
 * - text (out, the caller destroys it): The explanation.
 *
 * Experimental; slot 63; fails with invalid_argument, out_of_bounds.
 */
ANYDIM_API anydim_status_t anydim_primitive_explain(anydim_primitive_t primitive, const anydim_view_t* inputs, int32_t
    input_count, anydim_text_t* text) ANYDIM_NOTHROW;

/*
 * Tells the element type of an output. Errors: not_found past the last.
 * - primitive: The primitive.
 * - index: Which output, from 0.
 * - dtype (out): Its element type.
 *
 * Experimental; slot 66; fails with not_found.
 */
ANYDIM_API anydim_status_t anydim_primitive_output_dtype(anydim_primitive_t primitive, int32_t index, anydim_dtype_t*
    dtype) ANYDIM_NOTHROW;

/*
 * Gives the bytes of a text.
 * Example:
 *     anydim_string_t json;
 *     anydim_model_describe(model, &text);
 *     anydim_text_data(text, &json);
 *     printf("%s\n", json.data);
 *     anydim_text_destroy(text);
 * - text: The text.
 * - string (out): The bytes.
 *
 * Experimental; slot 64.
 */
ANYDIM_API anydim_status_t anydim_text_data(anydim_text_t text, anydim_string_t* string) ANYDIM_NOTHROW;

/*
 * Gives up a text.
 * - text: The handle, or null.
 *
 * Experimental; slot 65.
 */
ANYDIM_API void anydim_text_destroy(anydim_text_t text) ANYDIM_NOTHROW;

/*
 * Loads an ONNX model from a file (external data beside it too), optimises it and packs its weights. Errors:
 * not_found if there is no such file, io_error if it cannot be read, invalid_model for a damaged one, unimplemented
 * with the names of all operators that are missing. With options.packed_weights, of that file: not_found, io_error
 * if it is damaged or no such file, unimplemented if another version wrote its format; that it lacks weights of this
 * model is no error, they are packed.
 * Example:
 *     anydim_model_load_file(engine, "rec.onnx", NULL, &model);
 * - engine: The engine.
 * - path: Path of the file.
 * - options (may be null): Options, or null for the defaults.
 * - model (out, the caller destroys it): The model.
 *
 * Experimental; slot 70; may block; fails with invalid_argument, not_found, io_error, invalid_model, unimplemented.
 */
ANYDIM_API anydim_status_t anydim_model_load_file(anydim_engine_t engine, const char* path, const
    anydim_model_options_t* options, anydim_model_t* model) ANYDIM_NOTHROW;

/*
 * As anydim_model_load_file, from memory that may be freed afterwards. A model with external data gives
 * invalid_model: there is no folder to look in.
 * - engine: The engine.
 * - data: The file's bytes.
 * - size: Their number.
 * - options (may be null): Options, or null for the defaults.
 * - model (out, the caller destroys it): The model.
 *
 * Experimental; slot 71; may block; fails with invalid_argument, not_found, io_error, invalid_model, unimplemented.
 */
ANYDIM_API anydim_status_t anydim_model_load_memory(anydim_engine_t engine, const void* data, int64_t size, const
    anydim_model_options_t* options, anydim_model_t* model) ANYDIM_NOTHROW;

/*
 * Writes a model's packed weights to a file for options.packed_weights of later loads: under another name first,
 * flushed to the disk, then renamed, so that the path always holds a whole file. A load maps what was packed from
 * the same values, for the same operator and attributes, in the form that its machine's kernels read, and packs the
 * rest, so the file may be of another model, of an older state of it, or of another machine; processes that map one
 * file share its memory. Links are followed; a pipe or character device is written into. Thread rule: any thread.
 * Errors: invalid_argument for what is no file (an empty path, a folder, a block device), io_error with the system's
 * reason.
 * Example:
 *     anydim_model_save_packed(model, "rec.packed");
 *     options.packed_weights = "rec.packed";
 *     anydim_model_load_file(engine, "rec.onnx", &options, &other);
 * - model: The model.
 * - path: Path of the file.
 *
 * Experimental; slot 164; may block; fails with invalid_argument, io_error.
 */
ANYDIM_API anydim_status_t anydim_model_save_packed(anydim_model_t model, const char* path) ANYDIM_NOTHROW;

/*
 * Gives up a model; its contexts keep it alive.
 * - model: The handle, or null.
 *
 * Experimental; slot 72.
 */
ANYDIM_API void anydim_model_destroy(anydim_model_t model) ANYDIM_NOTHROW;

/*
 * Tells a model's facts. Its strings live as long as the model.
 * Example:
 *     anydim_model_info_t info = ANYDIM_MODEL_INFO_INIT;
 *     anydim_model_query(model, &info);
 * - model: The model.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 73; fails with invalid_argument.
 */
ANYDIM_API anydim_status_t anydim_model_query(anydim_model_t model, anydim_model_info_t* info) ANYDIM_NOTHROW;

/*
 * Tells an entry of the model's metadata. Errors: not_found past the last.
 * - model: The model.
 * - index: Which, from 0.
 * - key (out): Its key.
 * - value (out): Its value.
 *
 * Experimental; slot 74; fails with not_found.
 */
ANYDIM_API anydim_status_t anydim_model_metadata(anydim_model_t model, int32_t index, anydim_string_t* key,
    anydim_string_t* value) ANYDIM_NOTHROW;

/*
 * Tells how many inputs and outputs a model has.
 * - model: The model.
 * - inputs (out): Number of inputs.
 * - outputs (out): Number of outputs.
 *
 * Experimental; slot 75.
 */
ANYDIM_API anydim_status_t anydim_model_counts(anydim_model_t model, int32_t* inputs, int32_t* outputs)
    ANYDIM_NOTHROW;

/*
 * Tells about an input. Its strings live as long as the model. Errors: not_found past the last.
 * - model: The model.
 * - index: Which, from 0.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 76; fails with invalid_argument, not_found.
 */
ANYDIM_API anydim_status_t anydim_model_input(anydim_model_t model, int32_t index, anydim_value_info_t* info)
    ANYDIM_NOTHROW;

/*
 * Tells about an output. Its strings live as long as the model. Errors: not_found past the last.
 * - model: The model.
 * - index: Which, from 0.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 77; fails with invalid_argument, not_found.
 */
ANYDIM_API anydim_status_t anydim_model_output(anydim_model_t model, int32_t index, anydim_value_info_t* info)
    ANYDIM_NOTHROW;

/*
 * Finds an input by its name: its place among the inputs. Errors: not_found.
 * - model: The model.
 * - name: Its name.
 * - index (out): Which it is, from 0.
 *
 * Experimental; slot 181; fails with invalid_argument, not_found.
 */
ANYDIM_API anydim_status_t anydim_model_find_input(anydim_model_t model, const char* name, int32_t* index)
    ANYDIM_NOTHROW;

/*
 * Finds an output by its name: its place among the outputs. Errors: not_found.
 * Example:
 *     anydim_view_t outputs[3] = {{.dtype = 0}, {.dtype = 0}, {.dtype = 0}};
 *     anydim_model_find_output(model, "scores", &index);
 *     outputs[index].dtype = ANYDIM_F32;
 *     anydim_context_run(run, &x, 1, outputs, 3);
 * - model: The model.
 * - name: Its name.
 * - index (out): Which it is, from 0.
 *
 * Experimental; slot 182; fails with invalid_argument, not_found.
 */
ANYDIM_API anydim_status_t anydim_model_find_output(anydim_model_t model, const char* name, int32_t* index)
    ANYDIM_NOTHROW;

/*
 * Describes a model as JSON: facts, inputs, outputs, metadata, how often each operator occurs, weights, and the
 * nodes after all passes.
 * - model: The model.
 * - text (out, the caller destroys it): The description.
 *
 * Experimental; slot 78.
 */
ANYDIM_API anydim_status_t anydim_model_describe(anydim_model_t model, anydim_text_t* text) ANYDIM_NOTHROW;

/*
 * Bytes of memory that a context with these bounds and options needs for any shape within the bounds; -1 on failure,
 * with the message in anydim_last_error. Fails if a bound is missing or too wide for int64_t.
 * - model: The model.
 * - bounds: Bounds of all dynamic dims of its inputs.
 * - options (may be null): Options, or null for the defaults.
 *
 * Experimental; slot 79; fails with invalid_argument, out_of_bounds, not_found, busy.
 */
ANYDIM_API int64_t anydim_model_bytes_needed(anydim_model_t model, anydim_bounds_t bounds, const
    anydim_context_options_t* options) ANYDIM_NOTHROW;

/*
 * Makes empty bounds.
 * - bounds (out, the caller destroys it): The bounds.
 *
 * Experimental; slot 80.
 */
ANYDIM_API anydim_status_t anydim_bounds_create(anydim_bounds_t* bounds) ANYDIM_NOTHROW;

/*
 * Gives up bounds; what was made with them has copied them.
 * - bounds: The handle, or null.
 *
 * Experimental; slot 81.
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
 * Experimental; slot 82; fails with invalid_argument, busy.
 */
ANYDIM_API anydim_status_t anydim_bounds_set(anydim_bounds_t bounds, const char* input, int32_t rank, const
    anydim_dim_t* dims) ANYDIM_NOTHROW;

/*
 * Makes a context. With bounds it touches all memory it will ever need, here; a run then neither allocates nor
 * faults, and a shape outside the bounds is refused. Without bounds it grows by what a shape needs beyond any before
 * it, and counts that. With a buffer (of anydim_model_bytes_needed bytes, aligned to 64, alive as long as the
 * context) it allocates nothing for runs. Errors: invalid_argument for a buffer that is too small, not aligned, or
 * without bounds; not_found for bounds of an input that the model lacks.
 * Example:
 *     anydim_context_create(model, bounds, NULL, buffer, anydim_model_bytes_needed(model, bounds, NULL), &run);
 * - model: The model.
 * - bounds (may be null): Bounds, or null for none.
 * - options (may be null): Options, or null for the defaults.
 * - buffer (may be null): Memory for it, or null.
 * - buffer_bytes: Size of the buffer, 0 without one.
 * - context (out, the caller destroys it): The context.
 *
 * Experimental; slot 83; may block; fails with invalid_argument, out_of_bounds, not_found, busy.
 */
ANYDIM_API anydim_status_t anydim_context_create(anydim_model_t model, anydim_bounds_t bounds, const
    anydim_context_options_t* options, void* buffer, int64_t buffer_bytes, anydim_context_t* context) ANYDIM_NOTHROW;

/*
 * Gives up a context; if it is running, it is closed now and freed when the run ends.
 * - context: The handle, or null.
 *
 * Experimental; slot 84.
 */
ANYDIM_API void anydim_context_destroy(anydim_context_t context) ANYDIM_NOTHROW;

/*
 * Runs the model. Inputs and outputs are in the model's order; anydim_model_find_output finds one by its name. An
 * output whose data is not null is written there: it must have the dims that anydim_context_output_dims tells, with
 * any strides. One with a dtype only stays in the context's memory, where it is good until the context's next run,
 * explanation of inputs or tuning; its view is filled in. One that is zero throughout is not asked for, which saves
 * a copy.
 * Errors: invalid_argument for a wrong number, dtype, rank or dim (the message names the input or the node whose
 * guard failed), out_of_bounds for a dim outside the bounds, invalid_data for values found wrong while running.
 * Thread rule: one run at a time in a context; a second gives busy. A run on a context destroyed meanwhile gives
 * closed.
 * Example:
 *     anydim_view_t scores = {.dtype = ANYDIM_F32};
 *     anydim_context_run(run, &x, 1, &scores, 1);
 * - context: The context.
 * - inputs: Input tensors.
 * - input_count: Their number.
 * - outputs (in and out): Output tensors, as said above.
 * - output_count: Their number, or 0 to ask for none.
 *
 * Experimental; slot 85; may block; fails with invalid_argument, out_of_bounds, invalid_data, unimplemented, busy,
 * closed, cancelled.
 */
ANYDIM_API anydim_status_t anydim_context_run(anydim_context_t context, const anydim_view_t* inputs, int32_t
    input_count, anydim_view_t* outputs, int32_t output_count) ANYDIM_NOTHROW;

/*
 * Gives a context what ends its runs: while the cancellation is on, a run fails with cancelled before its next node,
 * the first one included; outputs may be partly written then. When it is off again the context runs as before.
 * Thread rule: between runs; during a run it gives busy.
 * Example:
 *     anydim_cancellation_t cancellation;
 *     anydim_cancellation_create(&cancellation);
 *     anydim_context_watch(run, cancellation);
 *     anydim_cancellation_set(cancellation, 1); // in another thread, or a signal handler
 * - context: The context.
 * - cancellation (may be null): The cancellation, which the context keeps; or null for none.
 *
 * Experimental; slot 183; fails with busy, closed.
 */
ANYDIM_API anydim_status_t anydim_context_watch(anydim_context_t context, anydim_cancellation_t cancellation)
    ANYDIM_NOTHROW;

/*
 * Makes a cancellation that is off.
 * - cancellation (out, the caller destroys it): The cancellation.
 *
 * Experimental; slot 184.
 */
ANYDIM_API anydim_status_t anydim_cancellation_create(anydim_cancellation_t* cancellation) ANYDIM_NOTHROW;

/*
 * Gives up a cancellation; what watches it does so still, and it stays as it is.
 * - cancellation: The handle, or null.
 *
 * Experimental; slot 185.
 */
ANYDIM_API void anydim_cancellation_destroy(anydim_cancellation_t cancellation) ANYDIM_NOTHROW;

/*
 * Turns a cancellation on, which ends the runs that it was given to and those to come, or off. No run misses it.
 * Thread rule: any thread, any time; a signal handler, too, as long as the handle is good.
 * - cancellation: The cancellation.
 * - cancelled: 1 for on, 0 for off.
 *
 * Experimental; slot 186.
 */
ANYDIM_API anydim_status_t anydim_cancellation_set(anydim_cancellation_t cancellation, int32_t cancelled)
    ANYDIM_NOTHROW;

/*
 * Tells the dims of an output for actual inputs, and checks these. Their dtype and dims count; their data does, too,
 * where it is integers that shapes follow from (the target of a Reshape). Errors: as anydim_context_run; not_found
 * past the last output; unimplemented for dims that only the run itself finds (leave that output to the context).
 * - context: The context.
 * - inputs: Input tensors.
 * - input_count: Their number.
 * - index: Which output, from 0.
 * - dims (out): Its dims.
 *
 * Experimental; slot 86; fails with invalid_argument, out_of_bounds, not_found, unimplemented, busy, closed.
 */
ANYDIM_API anydim_status_t anydim_context_output_dims(anydim_context_t context, const anydim_view_t* inputs, int32_t
    input_count, int32_t index, anydim_dims_t* dims) ANYDIM_NOTHROW;

/*
 * Tells a context's memory and counters.
 * Example:
 *     anydim_context_info_t info = ANYDIM_CONTEXT_INFO_INIT;
 *     anydim_context_query(run, &info);
 * - context: The context.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 88; fails with invalid_argument, busy, closed.
 */
ANYDIM_API anydim_status_t anydim_context_query(anydim_context_t context, anydim_context_info_t* info) ANYDIM_NOTHROW;

/*
 * Explains as JSON how the model runs at the shapes of these inputs: for each node its operator, kernel, tier,
 * layout, fused post-ops, dims, bytes, scratch, why other kernels were refused, and its time in the last run if the
 * context measures. With inputs the model is run once, on their data, as by anydim_context_run with no outputs: it
 * counts as a run and can fail like one. Without inputs: the last run.
 * Errors: as anydim_context_run; not_found without inputs before the first run.
 * - context: The context.
 * - inputs: Input tensors, or none.
 * - input_count: Their number, or 0.
 * - text (out, the caller destroys it): The explanation.
 *
 * Experimental; slot 89; may block; fails with invalid_argument, out_of_bounds, not_found, invalid_data,
 * unimplemented, busy, closed, cancelled.
 */
ANYDIM_API anydim_status_t anydim_context_explain(anydim_context_t context, const anydim_view_t* inputs, int32_t
    input_count, anydim_text_t* text) ANYDIM_NOTHROW;

/*
 * Measures the plans of every node at the shapes of these inputs, on the context's memory and threads, and keeps
 * those that are faster with confidence: for all contexts of the model that run these shapes with as many threads,
 * and with options.record in the persistent cache for later processes. Results never change. Takes seconds. The
 * model is run first, on the inputs' data, as by anydim_context_run with no outputs; outputs of the last run are
 * lost. The text is JSON: for each measured node its name, operator, kernel, number of candidates, microseconds of
 * the reusable plan, whether it was known already, whether it was replaced, and the ratio of the times with its 95 %
 * interval.
 * Errors: as anydim_context_run; and, with options.record, those of a persistent cache that cannot be written
 * (unimplemented where it is off): the plans are in use all the same, without a report.
 * Example:
 *     anydim_context_tune(run, &x, 1, NULL, &text);
 * - context: The context; nobody else may use it meanwhile.
 * - inputs: Input tensors.
 * - input_count: Their number.
 * - options (may be null): Options, or null for the defaults.
 * - text (out, the caller destroys it): The report.
 *
 * Experimental; slot 150; may block; fails with invalid_argument, out_of_bounds, invalid_data, io_error,
 * unimplemented, busy, closed, cancelled.
 */
ANYDIM_API anydim_status_t anydim_context_tune(anydim_context_t context, const anydim_view_t* inputs, int32_t
    input_count, const anydim_tune_options_t* options, anydim_text_t* text) ANYDIM_NOTHROW;

/*
 * Makes a session and its first context; further ones are made when runs need them at the same time. Bounds and
 * options are those of anydim_context_create and hold for each context. Errors: as anydim_context_create;
 * invalid_argument for a negative number of contexts.
 * Example:
 *     anydim_session_create(model, bounds, NULL, 4, &session);
 * - model: The model.
 * - bounds (may be null): Bounds, or null for none.
 * - options (may be null): Options of its contexts, or null for the defaults.
 * - contexts: Most contexts, and so most runs at the same time; 0 = the engine's threads, at most 8.
 * - session (out, the caller destroys it): The session.
 *
 * Experimental; slot 187; may block; fails with invalid_argument, out_of_bounds, not_found, busy.
 */
ANYDIM_API anydim_status_t anydim_session_create(anydim_model_t model, anydim_bounds_t bounds, const
    anydim_context_options_t* options, int32_t contexts, anydim_session_t* session) ANYDIM_NOTHROW;

/*
 * Gives up a session; runs that go on or wait end as they would.
 * - session: The handle, or null.
 *
 * Experimental; slot 188.
 */
ANYDIM_API void anydim_session_destroy(anydim_session_t session) ANYDIM_NOTHROW;

/*
 * Runs the model in a context of the session, on this thread or one of the session's own. Inputs and outputs are as
 * in anydim_context_run, but that an output with a dtype and no data is placed in memory that is the caller's until
 * anydim_result_release; it outlives the session.
 * Errors: as anydim_context_run; busy if no context came free in options.timeout_ms; cancelled.
 * Thread rule: any number of threads; who asked first is served first.
 * Example:
 *     anydim_view_t scores = {.dtype = ANYDIM_F32};
 *     anydim_session_run(session, &x, 1, &scores, 1, NULL);
 *     anydim_result_release(scores.data);
 * - session: The session.
 * - inputs: Input tensors.
 * - input_count: Their number.
 * - outputs (in and out): Output tensors, as said above.
 * - output_count: Their number, or 0 to ask for none.
 * - options (may be null): Options, or null for the defaults.
 *
 * Experimental; slot 189; may block; fails with invalid_argument, out_of_bounds, invalid_data, unimplemented, busy,
 * closed, cancelled.
 */
ANYDIM_API anydim_status_t anydim_session_run(anydim_session_t session, const anydim_view_t* inputs, int32_t
    input_count, anydim_view_t* outputs, int32_t output_count, const anydim_run_options_t* options) ANYDIM_NOTHROW;

/*
 * Tells a session's contexts, how many of them run, and how many runs wait. It waits for no run.
 * - session: The session.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 190; fails with invalid_argument.
 */
ANYDIM_API anydim_status_t anydim_session_query(anydim_session_t session, anydim_session_info_t* info) ANYDIM_NOTHROW;

/*
 * As anydim_context_explain, in a context of the session; without inputs the last run in the context that is free,
 * or comes free, first. Errors: as there.
 * - session: The session.
 * - inputs: Input tensors, or none.
 * - input_count: Their number, or 0.
 * - text (out, the caller destroys it): The explanation.
 *
 * Experimental; slot 191; may block; fails with invalid_argument, out_of_bounds, not_found, invalid_data,
 * unimplemented.
 */
ANYDIM_API anydim_status_t anydim_session_explain(anydim_session_t session, const anydim_view_t* inputs, int32_t
    input_count, anydim_text_t* text) ANYDIM_NOTHROW;

/*
 * Gives back memory that a call placed an output in: the view's data, once. It serves later results. Never fails;
 * null does nothing.
 * - data (may be null): The memory.
 *
 * Experimental; slot 192.
 */
ANYDIM_API void anydim_result_release(void* data) ANYDIM_NOTHROW;

/*
 * Tells the background worker to pause, to go on, or to end. It serves contexts and primitives with the policy
 * reusable_first, on one thread of the lowest priority; its limits are ANYDIM_WORKER_SECONDS (60 of work in a
 * process) and ANYDIM_WORKER_BYTES (256 MB for one request). Any thread may call.
 * - action: What to do.
 *
 * Experimental; slot 151; fails with invalid_argument.
 */
ANYDIM_API anydim_status_t anydim_worker_control(anydim_worker_action_t action) ANYDIM_NOTHROW;

/*
 * Waits until everything that was requested before is done. Errors: busy if that takes longer than the given time,
 * or never comes because the worker is paused or off.
 * - milliseconds: Most time to wait; negative: without limit.
 *
 * Experimental; slot 152; may block; fails with busy.
 */
ANYDIM_API anydim_status_t anydim_worker_drain(int64_t milliseconds) ANYDIM_NOTHROW;

/*
 * Tells the background worker's counters. Any thread may call.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 153; fails with invalid_argument.
 */
ANYDIM_API anydim_status_t anydim_worker_query(anydim_worker_info_t* info) ANYDIM_NOTHROW;

/*
 * Tells how many nodes a run goes through.
 * - context: The context.
 * - count (out): Their number.
 *
 * Experimental; slot 90; fails with busy, closed.
 */
ANYDIM_API anydim_status_t anydim_context_node_count(anydim_context_t context, int32_t* count) ANYDIM_NOTHROW;

/*
 * Tells about a node as it ran last. Its strings live until the context's next run. Errors: not_found past the last
 * node, before the first run, and after a run that failed or a tuning.
 * - context: The context.
 * - index: Which, from 0, in the order of execution.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 91; fails with invalid_argument, not_found, busy, closed.
 */
ANYDIM_API anydim_status_t anydim_context_node(anydim_context_t context, int32_t index, anydim_node_info_t* info)
    ANYDIM_NOTHROW;

/*
 * Makes layouts that ask for nothing. They go into anydim_model_options_t: a model is compiled for the memory orders
 * of its inputs and outputs, so that what comes and goes in them is neither copied nor reordered. Other strides are
 * accepted at every run all the same, with the same bits; an output in other strides costs a copy.
 * - layouts (out, the caller destroys it): The layouts.
 *
 * Experimental; slot 92.
 */
ANYDIM_API anydim_status_t anydim_layouts_create(anydim_layouts_t* layouts) ANYDIM_NOTHROW;

/*
 * Gives up layouts; what was made with them has copied them.
 * - layouts: The handle, or null.
 *
 * Experimental; slot 93.
 */
ANYDIM_API void anydim_layouts_destroy(anydim_layouts_t layouts) ANYDIM_NOTHROW;

/*
 * Asks for the memory order of one input or output by its name (of both, if an input is an output as it is); the
 * name is looked for when a model is loaded. What the model then has, anydim_value_info_t.order tells. Errors here:
 * invalid_argument for a rule that is none, a rank outside 0..8, axes that are no permutation, axes with another
 * rule than ANYDIM_EDGE_ORDER. Errors at load: not_found for a name that the model lacks, invalid_argument for axes
 * of another rank, channels last of a rank below 3, and an input that shall follow.
 * Example:
 *     anydim_layouts_set(layouts, "x", ANYDIM_EDGE_CHANNELS_LAST, 0, NULL);
 *     int64_t axes[3] = {1, 0, 2};
 *     anydim_layouts_set(layouts, "scores", ANYDIM_EDGE_ORDER, 3, axes);
 * - layouts: The layouts.
 * - name: Name of the input or output.
 * - rule: What is asked for.
 * - rank: Number of axes; 0 unless the rule is ANYDIM_EDGE_ORDER.
 * - axes: The axes, outermost in memory first; null if there are none.
 *
 * Experimental; slot 94; fails with invalid_argument, busy.
 */
ANYDIM_API anydim_status_t anydim_layouts_set(anydim_layouts_t layouts, const char* name, anydim_edge_layout_t rule,
    int32_t rank, const int64_t* axes) ANYDIM_NOTHROW;

/*
 * Tells how many counters there are. New ones come at the end.
 * - count (out): Their number.
 *
 * Experimental; slot 120; fails with invalid_argument.
 */
ANYDIM_API anydim_status_t anydim_counter_count(int32_t* count) ANYDIM_NOTHROW;

/*
 * Tells a counter of this process: what the library did since it was loaded. Counters are read one by one while
 * other threads go on counting. Errors: not_found past the last.
 * Example:
 *     anydim_counter_t counter = ANYDIM_COUNTER_INIT;
 *     for (int32_t i = 0; anydim_counter(i, &counter) == ANYDIM_STATUS_OK; ++i) puts(counter.name.data);
 * - index: Which, from 0.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 121; fails with invalid_argument, not_found.
 */
ANYDIM_API anydim_status_t anydim_counter(int32_t index, anydim_counter_t* info) ANYDIM_NOTHROW;

/*
 * Sets how many bytes the process's primitive cache may hold; what is too much is dropped at once. 0 turns it off.
 * The first limit comes from the variable ANYDIM_PRIMITIVE_CACHE_BYTES (4 MiB if it is not set). The cache holds
 * what was found out about operators and descriptors, never weights. Errors: invalid_argument for a negative number.
 * - bytes: Most bytes.
 *
 * Experimental; slot 122; fails with invalid_argument.
 */
ANYDIM_API anydim_status_t anydim_primitive_cache_set_limit(int64_t bytes) ANYDIM_NOTHROW;

/*
 * Drops all that the primitive cache holds. Primitives that exist go on as they are.
 *
 * Experimental; slot 123.
 */
ANYDIM_API anydim_status_t anydim_primitive_cache_clear(void) ANYDIM_NOTHROW;

/*
 * Tells the primitive cache's limit and what it holds. Hits and misses are among the counters.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 124; fails with invalid_argument.
 */
ANYDIM_API anydim_status_t anydim_primitive_cache_query(anydim_primitive_cache_info_t* info) ANYDIM_NOTHROW;

/*
 * Tells how a primitive came to be and how long that took.
 * - primitive: The primitive.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 130; fails with invalid_argument.
 */
ANYDIM_API anydim_status_t anydim_primitive_creation(anydim_primitive_t primitive, anydim_primitive_creation_t* info)
    ANYDIM_NOTHROW;

/*
 * Tells what the persistent cache of this process did so far. It keeps tuned plans and compiled device programs in a
 * file between processes; losing it costs time and nothing else. Where it is and how it is turned off:
 * docs/persistent-cache.md. Touches no file, but for reading the index if no engine was made yet. Thread-safe, as
 * all anydim_persistent_cache functions are.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 100; fails with invalid_argument.
 */
ANYDIM_API anydim_status_t anydim_persistent_cache_query(anydim_persistent_cache_info_t* info) ANYDIM_NOTHROW;

/*
 * Gives the path of the user's file, which need not exist. The variable ANYDIM_CACHE_DIR names its folder, else it
 * is $XDG_CACHE_HOME/anydim, else ~/.cache/anydim. Deleting it is always safe. Errors: unimplemented where the cache
 * is off.
 * - text (out, the caller destroys it): The path.
 *
 * Experimental; slot 101; fails with unimplemented.
 */
ANYDIM_API anydim_status_t anydim_persistent_cache_path(anydim_text_t* text) ANYDIM_NOTHROW;

/*
 * Describes the persistent cache as JSON: enabled (or off_because), path, system_path, file_bytes, limit_bytes, the
 * counters of anydim_persistent_cache_query, last_failure, and the records of both files: kind, key, bytes, origin
 * (who made it), created and used (seconds since 1970; used counts in hours), system (in the read-only file), good
 * (its checksum is right). Reads the files, waiting at most seconds for another process. Where the cache is off the
 * list is empty. Errors: busy for a file that stays locked, invalid_data for a damaged one, unimplemented for
 * another program's, io_error.
 * - text (out, the caller destroys it): The description.
 *
 * Experimental; slot 102; may block; fails with busy, invalid_data, unimplemented, io_error.
 */
ANYDIM_API anydim_status_t anydim_persistent_cache_describe(anydim_text_t* text) ANYDIM_NOTHROW;

/*
 * Checks every record of both files and the structure of the files, and tells the result as JSON: ok, records,
 * damaged (records with a wrong checksum), structure and system_structure ("ok", "no file", or what is wrong). A
 * damaged file is a result, not an error; nothing is changed. What is damaged is never used, and goes with the next
 * write.
 * Errors: unimplemented where the cache is off, busy for a file that stays locked.
 * - text (out, the caller destroys it): The result.
 *
 * Experimental; slot 103; may block; fails with unimplemented, busy.
 */
ANYDIM_API anydim_status_t anydim_persistent_cache_verify(anydim_text_t* text) ANYDIM_NOTHROW;

/*
 * Writes the sound records of the user's file into a new file, replacing what is at `path`. Other machines take it
 * in with anydim_persistent_cache_import; as cache-1.sqlite in /usr/share/anydim/cache (or ANYDIM_CACHE_SYSTEM_DIR)
 * it serves every user.
 * Example:
 *     anydim_persistent_cache_export("tuned.sqlite", &records);
 * Errors: not_found if there is nothing to export, invalid_argument if `path` is the cache itself or no file (a
 * folder, a device, a pipe), busy, invalid_data, io_error, unimplemented where the cache is off.
 * - path: Path of the file to write.
 * - records (out): How many records it has.
 *
 * Experimental; slot 104; may block; fails with invalid_argument, not_found, busy, invalid_data, io_error,
 * unimplemented.
 */
ANYDIM_API anydim_status_t anydim_persistent_cache_export(const char* path, int64_t* records) ANYDIM_NOTHROW;

/*
 * Takes the records of an exported file (or of a copied cache) into the user's file and into use; those of the same
 * key are replaced, damaged ones are left out and counted. Errors: not_found if there is no such file,
 * invalid_argument if it is the cache itself, invalid_data if it is damaged as a whole, busy, io_error,
 * unimplemented for a file of another kind and where the cache is off.
 * - path: Path of the file to read.
 * - records (out): How many records were taken.
 * - damaged (out): How many were left out.
 *
 * Experimental; slot 105; may block; fails with invalid_argument, not_found, busy, invalid_data, io_error,
 * unimplemented.
 */
ANYDIM_API anydim_status_t anydim_persistent_cache_import(const char* path, int64_t* records, int64_t* damaged)
    ANYDIM_NOTHROW;

/*
 * Removes records from the user's file and from memory. The system's file is left as it is. A damaged file is put
 * aside.
 * Errors: invalid_argument for a kind that is none, busy, io_error (read-only), unimplemented for another program's
 * file and where the cache is off.
 * - kind: Which; ANYDIM_RECORD_ALL for all.
 * - removed (out): How many records the file had of them.
 *
 * Experimental; slot 106; may block; fails with invalid_argument, busy, io_error, unimplemented.
 */
ANYDIM_API anydim_status_t anydim_persistent_cache_clear(anydim_record_kind_t kind, int64_t* removed) ANYDIM_NOTHROW;

/*
 * Sets which verbose lines are written (docs/verbose.md): 0 none, 1 one per execution of a primitive or node, 2 also
 * one per creation. The first level comes from the variable ANYDIM_VERBOSE, read when the first engine is made;
 * lines go to standard error or to the end of the file that ANYDIM_VERBOSE_FILE names. Errors: invalid_argument for
 * a level that is none.
 * Thread rule: any thread, any time; calls that run may still see the level before.
 * - level: The level.
 *
 * Experimental; slot 140; fails with invalid_argument.
 */
ANYDIM_API anydim_status_t anydim_verbose_set(int32_t level) ANYDIM_NOTHROW;

/*
 * Reads an execute line. Errors: invalid_argument or unimplemented for a line that is damaged or of another version
 * or event; the message names the field, the word and its place in the line.
 * - line: The line, with or without its end.
 * - call (out, the caller destroys it): The call.
 *
 * Experimental; slot 141; fails with invalid_argument, unimplemented.
 */
ANYDIM_API anydim_status_t anydim_call_parse(const char* line, anydim_call_t* call) ANYDIM_NOTHROW;

/*
 * Gives up a call.
 * - call: The handle, or null.
 *
 * Experimental; slot 142.
 */
ANYDIM_API void anydim_call_destroy(anydim_call_t call) ANYDIM_NOTHROW;

/*
 * Tells what a call is.
 * - call: The call.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 143; fails with invalid_argument.
 */
ANYDIM_API anydim_status_t anydim_call_query(anydim_call_t call, anydim_call_info_t* info) ANYDIM_NOTHROW;

/*
 * Tells about a tensor of a call. Errors: not_found past the last.
 * - call: The call.
 * - index: Which, from 0.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 144; fails with invalid_argument, not_found.
 */
ANYDIM_API anydim_status_t anydim_call_tensor(anydim_call_t call, int32_t index, anydim_call_tensor_t* info)
    ANYDIM_NOTHROW;

/*
 * Makes the primitive of a call: its operator, the descriptors it had (dynamic dims with their promises), post-ops,
 * math mode and reuse policy. Operators that have no struct here (gather, reshape, ...) can be made this way too.
 * Execute it with tensors of the call's dims, or of others that the descriptors allow.
 * Errors: not_found for a kernel that the registry lacks, unimplemented for one that refuses the problem,
 * invalid_argument for weights that do not fit the line.
 * Example:
 *     anydim_call_primitive(call, engine, "conv.reference", tensors, 2, &primitive);
 * - call: The call.
 * - engine: The engine.
 * - kernel: Kernel to force, such as the call's own; "" lets the library choose.
 * - weights: Data of the tensors whose role is weights, in order. They are packed (or copied) here.
 * - weights_count: Their number, or 0.
 * - primitive (out, the caller destroys it): The primitive.
 *
 * Experimental; slot 145; may block; fails with invalid_argument, not_found, unimplemented.
 */
ANYDIM_API anydim_status_t anydim_call_primitive(anydim_call_t call, anydim_engine_t engine, const char* kernel, const
    anydim_view_t* weights, int32_t weights_count, anydim_primitive_t* primitive) ANYDIM_NOTHROW;

/*
 * Lists as JSON, in the registry's order of preference, every kernel for the primitive's problem at these tensors:
 * kernel, chosen, refusal (of those that cannot), expected_nanoseconds (of a simple model; it orders choices and is
 * no promise) and scratch_bytes. With repeats above 0 each kernel that can is also run that often, all in turn, and
 * its median is measured_nanoseconds: this blocks for as long as that takes, which for a scalar reference can be
 * seconds, and writes the outputs. A kernel that reads weights in another packed form says so in not_measured.
 * Errors: as anydim_primitive_execute.
 * - primitive: The primitive.
 * - stream: The stream whose threads are used.
 * - inputs: Input tensors, as for anydim_primitive_execute.
 * - input_count: Their number.
 * - outputs: Output tensors.
 * - output_count: Their number.
 * - repeats: Measured runs of each kernel, 0 to 1000.
 * - text (out, the caller destroys it): The list.
 *
 * Experimental; slot 146; may block; fails with invalid_argument, out_of_bounds, invalid_data, busy, closed.
 */
ANYDIM_API anydim_status_t anydim_primitive_choices(anydim_primitive_t primitive, anydim_stream_t stream, const
    anydim_view_t* inputs, int32_t input_count, const anydim_view_t* outputs, int32_t output_count, int32_t repeats,
    anydim_text_t* text) ANYDIM_NOTHROW;

/*
 * Limits the scratch of a primitive to come: a kernel that could need more, at the largest dims that the descriptors
 * allow and with all of the engine's threads, is refused, and the next one in order of preference is taken. Creation
 * gives unimplemented with every refusal if none is left, and invalid_argument if weights are packed for a kernel
 * that is over the limit. A dim without a largest value makes most bounds infinite. Errors: invalid_argument for a
 * number below -1.
 * - attr: The attributes.
 * - bytes: Most bytes, or -1 for no limit (the default).
 *
 * Experimental; slot 147; fails with invalid_argument, busy.
 */
ANYDIM_API anydim_status_t anydim_attr_set_scratch_limit(anydim_attr_t attr, int64_t bytes) ANYDIM_NOTHROW;

/*
 * Writes the execute line that a run with these tensors would log, without running, for reports and for `anydim
 * replay`. Its time is 0; the tensors' data does not count.
 * Errors: as anydim_primitive_execute.
 * - primitive: The primitive.
 * - stream: The stream whose threads are told.
 * - inputs: Input tensors, as for anydim_primitive_execute.
 * - input_count: Their number.
 * - outputs: Output tensors.
 * - output_count: Their number.
 * - text (out, the caller destroys it): The line.
 *
 * Experimental; slot 148; fails with invalid_argument, out_of_bounds, busy, closed.
 */
ANYDIM_API anydim_status_t anydim_primitive_line(anydim_primitive_t primitive, anydim_stream_t stream, const
    anydim_view_t* inputs, int32_t input_count, const anydim_view_t* outputs, int32_t output_count, anydim_text_t*
    text) ANYDIM_NOTHROW;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ANYDIM_ANYDIM_H */
