# SPDX-License-Identifier: Apache-2.0
# Generated from capi/api and core/ops/described by capi/generator; do not edit.
# ruff: noqa
"""The enums of the C API; their numbers are its numbers."""

from enum import IntEnum


class Status(IntEnum):
    """What a call returns. Zero is success."""

    #: Success.
    OK = 0
    #: An argument is wrong by itself.
    INVALID_ARGUMENT = 1
    #: A null, stale, destroyed, foreign or wrong kind of handle.
    INVALID_HANDLE = 2
    #: Meaningful, but not supported by this build.
    UNIMPLEMENTED = 3
    #: Memory could not be had.
    OUT_OF_MEMORY = 4
    #: Another thread is using a one-user object.
    BUSY = 5
    #: The object was destroyed while in use.
    CLOSED = 6
    #: A name that does not exist (kernel, input, file).
    NOT_FOUND = 7
    #: Reading or writing failed.
    IO_ERROR = 8
    #: A model that is damaged or breaks its format's rules.
    INVALID_MODEL = 9
    #: A dim outside what its descriptor or bounds promise.
    OUT_OF_BOUNDS = 10
    #: Values found wrong while running; outputs may be partly written.
    INVALID_DATA = 11
    #: A defect of the library.
    INTERNAL = 12
    #: A handle of the parent process used in a forked child.
    FORKED = 13
    #: The run was ended from outside: by a cancellation, or by a signal while it waited.
    CANCELLED = 14
    #: The engine's device is gone, with all that lay in its memory. Nothing more can be done with what was made from
    #: it.
    DEVICE_LOST = 15


class LogLevel(IntEnum):
    """Levels of log lines; a level includes those before it."""

    #: Nothing.
    NONE = 0
    #: Defects.
    ERROR = 1
    #: What is probably a mistake, such as a second destroy. The default.
    WARNING = 2
    #: Loads, growth events.
    INFO = 3
    #: Every call that failed.
    DEBUG = 4


class Dtype(IntEnum):
    """Element types."""

    #: IEEE binary32.
    F32 = 1
    #: IEEE binary64.
    F64 = 2
    #: IEEE binary16.
    F16 = 3
    #: bfloat16 - the upper half of a binary32.
    BF16 = 4
    #: Signed 8 bits.
    I8 = 5
    #: Unsigned 8 bits.
    U8 = 6
    #: Signed 16 bits.
    I16 = 7
    #: Unsigned 16 bits.
    U16 = 8
    #: Signed 32 bits.
    I32 = 9
    #: Unsigned 32 bits.
    U32 = 10
    #: Signed 64 bits.
    I64 = 11
    #: Unsigned 64 bits.
    U64 = 12
    #: One byte, 0 or 1.
    BOOL = 13


class Layout(IntEnum):
    """How the elements of a tensor lie in memory."""

    #: Densely, the last dim innermost (N, C, H, W in memory).
    ROW_MAJOR = 0
    #: Densely, dim 1 innermost (N, H, W, C in memory). Rank 3 and more.
    CHANNELS_LAST = 1
    #: By strides. A descriptor that says so promises nothing: tensors come with any strides.
    STRIDED = 2


class EngineKind(IntEnum):
    """Kinds of engines."""

    #: The processor. Always there.
    CPU = 1
    #: A device reached through OpenCL (not in this build).
    OPENCL = 2


class OpKind(IntEnum):
    """Operators; each has a struct of its attributes that begins with Op."""

    #: Convolution
    CONVOLUTION = 1
    #: ConvTranspose
    CONV_TRANSPOSE = 2
    #: Matmul
    MATMUL = 3
    #: Pooling
    POOLING = 4
    #: Unary
    UNARY = 5
    #: Binary
    BINARY = 6
    #: Reduce
    REDUCE = 7
    #: Softmax
    SOFTMAX = 8
    #: LayerNorm
    LAYER_NORM = 9
    #: Resize
    RESIZE = 10
    #: Transpose
    TRANSPOSE = 11
    #: Cast
    CAST = 12
    #: Concat
    CONCAT = 13
    #: Where
    WHERE = 14
    #: ArgReduce
    ARG_REDUCE = 15
    #: Cumsum
    CUMSUM = 16
    #: Reshape
    RESHAPE = 17
    #: Expand
    EXPAND = 18
    #: Slice
    SLICE = 19
    #: Pad
    PAD = 20
    #: Tile
    TILE = 21
    #: DepthToSpace
    DEPTH_TO_SPACE = 22
    #: Range
    RANGE = 23
    #: ShapeTensor
    SHAPE_TENSOR = 24
    #: Gather
    GATHER = 25
    #: GatherElements
    GATHER_ELEMENTS = 26
    #: GatherNd
    GATHER_ND = 27
    #: ScatterElements
    SCATTER_ELEMENTS = 28
    #: ScatterNd
    SCATTER_ND = 29
    #: Topk
    TOPK = 30
    #: Trilu
    TRILU = 31
    #: EyeLike
    EYE_LIKE = 32
    #: OneHot
    ONE_HOT = 33
    #: GridSample
    GRID_SAMPLE = 34
    #: CountNonZero
    COUNT_NON_ZERO = 35
    #: NonZero
    NON_ZERO = 36
    #: Unique
    UNIQUE = 37


class UnaryFunction(IntEnum):
    """Functions of one element; alpha and beta are parameters where the text names them. docs/numerics.md has the
    bits.
    """

    #: x
    IDENTITY = 0
    #: x < 0 ? 0 : x
    RELU = 1
    #: x < 0 ? alpha * x : x
    LEAKY_RELU = 2
    #: min(max(x, alpha), beta)
    CLIP = 3
    #: clip(alpha * x + beta, 0, 1)
    HARD_SIGMOID = 4
    #: x * clip(x / 6 + 1/2, 0, 1)
    HARD_SWISH = 5
    #: 1 / (1 + exp(-x))
    SIGMOID = 6
    #: x * sigmoid(x)
    SILU = 7
    #: tanh(x)
    TANH = 8
    #: exp(x)
    EXP = 9
    #: natural log(x)
    LOG = 10
    #: sqrt(x)
    SQRT = 11
    #: 1 / x
    RECIPROCAL = 12
    #: |x|
    ABS = 13
    #: -x
    NEG = 14
    #: x * x
    SQUARE = 15
    #: erf(x)
    ERF = 16
    #: x * (1 + erf(x / sqrt(2))) / 2
    GELU_ERF = 17
    #: GELU by its tanh approximation
    GELU_TANH = 18
    #: log(1 + exp(x))
    SOFTPLUS = 19
    #: x / (1 + |x|)
    SOFTSIGN = 20
    #: x * tanh(softplus(x))
    MISH = 21
    #: x < 0 ? alpha * (exp(x) - 1) : x
    ELU = 22
    #: beta * (x < 0 ? alpha * (exp(x) - 1) : x)
    SELU = 23
    #: max(0, x) + min(0, alpha * (exp(x / alpha) - 1))
    CELU = 24
    #: x > alpha ? x : 0
    THRESHOLDED_RELU = 25
    #: x < -alpha ? x + beta : x > alpha ? x - beta : 0
    SHRINK = 26
    #: largest integer not above x
    FLOOR = 27
    #: smallest integer not below x
    CEIL = 28
    #: nearest integer, ties to even
    ROUND_EVEN = 29
    #: -1, 0 or 1
    SIGN = 30
    #: sin(x)
    SIN = 31
    #: cos(x)
    COS = 32
    #: tan(x)
    TAN = 33
    #: asin(x)
    ASIN = 34
    #: acos(x)
    ACOS = 35
    #: atan(x)
    ATAN = 36
    #: sinh(x)
    SINH = 37
    #: cosh(x)
    COSH = 38
    #: asinh(x)
    ASINH = 39
    #: acosh(x)
    ACOSH = 40
    #: atanh(x)
    ATANH = 41
    #: alpha * x + beta, rounded once
    AFFINE = 42
    #: not x (bool)
    LOGICAL_NOT = 43
    #: all bits of x flipped (integers)
    BITWISE_NOT = 44
    #: x is NaN (to bool)
    IS_NAN = 45
    #: x is infinite (to bool); alpha != 0 finds +inf, beta != 0 finds -inf
    IS_INF = 46
    #: x * sigmoid(alpha * x)
    QUICK_GELU = 47


class BinaryFunction(IntEnum):
    """Functions of two elements; shapes broadcast as in NumPy."""

    #: a + b
    ADD = 0
    #: a - b
    SUB = 1
    #: a * b
    MUL = 2
    #: a / b
    DIV = 3
    #: the smaller; NaN if either is
    MIN = 4
    #: the larger; NaN if either is
    MAX = 5
    #: a to the power of b
    POW = 6
    #: a < 0 ? b * a : a
    PRELU = 7
    #: remainder with the sign of b
    MOD_FLOOR = 8
    #: remainder with the sign of a
    MOD_TRUNC = 9
    #: a == b (to bool)
    EQUAL = 10
    #: a < b (to bool)
    LESS = 11
    #: a <= b (to bool)
    LESS_EQUAL = 12
    #: a > b (to bool)
    GREATER = 13
    #: a >= b (to bool)
    GREATER_EQUAL = 14
    #: a and b (bool)
    LOGICAL_AND = 15
    #: a or b (bool)
    LOGICAL_OR = 16
    #: a xor b (bool)
    LOGICAL_XOR = 17
    #: a & b (integers)
    BITWISE_AND = 18
    #: a | b (integers)
    BITWISE_OR = 19
    #: a ^ b (integers)
    BITWISE_XOR = 20
    #: a << b (unsigned integers)
    SHIFT_LEFT = 21
    #: a >> b (unsigned integers)
    SHIFT_RIGHT = 22


class AutoPad(IntEnum):
    """How the padding of a window is told."""

    #: By pads_begin and pads_end.
    EXPLICIT = 0
    #: As much as gives ceil(in / stride) positions (a transposed convolution: in * stride); an odd one goes to the
    #: end.
    SAME_UPPER = 1
    #: As same_upper, but an odd one goes to the beginning.
    SAME_LOWER = 2
    #: None.
    VALID = 3


class PoolingKind(IntEnum):
    """Kinds of pooling."""

    #: The largest element; NaN if any is.
    MAX = 0
    #: The mean of the elements.
    AVERAGE = 1


class ReduceKind(IntEnum):
    """Kinds of reduction. docs/numerics.md has the order of the sums."""

    #: sum of x
    SUM = 0
    #: mean of x
    MEAN = 1
    #: sum of x * x
    SUM_SQUARE = 2
    #: sum of |x|
    L1 = 3
    #: square root of the sum of squares
    L2 = 4
    #: product of x
    PROD = 5
    #: log of the sum
    LOG_SUM = 6
    #: log of the sum of exp(x)
    LOG_SUM_EXP = 7
    #: largest x
    MAX = 8
    #: smallest x
    MIN = 9


class ArgReduceKind(IntEnum):
    """Which element an index is asked of."""

    #: The largest; NaN counts as larger than any number.
    MAX = 0
    #: The smallest; NaN counts as smaller than any number.
    MIN = 1


class ResizeMode(IntEnum):
    """Interpolations of resize."""

    #: The nearest element.
    NEAREST = 0
    #: Linear in each axis.
    LINEAR = 1
    #: Cubic in each axis, with coefficient cubic_coeff_a.
    CUBIC = 2


class ResizeCoordinates(IntEnum):
    """How a position of resize's output maps to its input (ONNX's names)."""

    #: (x + 0.5) / scale - 0.5
    HALF_PIXEL = 0
    #: as half_pixel, about the centre of what the scale makes of the input
    HALF_PIXEL_SYMMETRIC = 1
    #: as half_pixel, and 0 where the output has one element
    PYTORCH_HALF_PIXEL = 2
    #: x * (in - 1) / (out - 1)
    ALIGN_CORNERS = 3
    #: x / scale
    ASYMMETRIC = 4
    #: (x + 0.5) / scale
    TF_HALF_PIXEL_FOR_NN = 5
    #: from the beginning to the end of the region roi, in parts of the input
    TF_CROP_AND_RESIZE = 6


class ResizeNearest(IntEnum):
    """Rounding of resize's nearest mode (ONNX's names)."""

    #: to nearest, half down
    ROUND_PREFER_FLOOR = 0
    #: to nearest, half up
    ROUND_PREFER_CEIL = 1
    #: down
    FLOOR = 2
    #: up
    CEIL = 3


class ResizePolicy(IntEnum):
    """What becomes of the ratio of sides where resize is given sizes."""

    #: Each axis gets its size.
    STRETCH = 0
    #: One scale for all axes, so that none is larger than its size.
    NOT_LARGER = 1
    #: One scale for all axes, so that none is smaller than its size.
    NOT_SMALLER = 2


class PadMode(IntEnum):
    """What is put where elements are added."""

    #: The pad value.
    CONSTANT = 0
    #: The elements mirrored about the edge element, which is not repeated.
    REFLECT = 1
    #: The edge element.
    EDGE = 2
    #: The elements of the other end.
    WRAP = 3


class DepthToSpaceOrder(IntEnum):
    """What the channels of depth_to_space are made of."""

    #: Block row, block column, depth (ONNX: DCR).
    DEPTH_FIRST = 0
    #: Depth, block row, block column (ONNX: CRD).
    COLUMN_FIRST = 1


class ScatterReduction(IntEnum):
    """What an update does to the element that is there. Updates that meet at one element are applied in the order of
    their logical index.
    """

    #: It replaces it.
    NONE = 0
    #: It is added.
    ADD = 1
    #: It is multiplied.
    MUL = 2
    #: The smaller stays.
    MIN = 3
    #: The larger stays.
    MAX = 4


class GridSampleMode(IntEnum):
    """Interpolations of grid_sample."""

    #: The nearest element, ties to even positions.
    NEAREST = 0
    #: Linear in each axis.
    LINEAR = 1
    #: Cubic in each axis, with Keys' weights of -0.75.
    CUBIC = 2


class GridSamplePadding(IntEnum):
    """What is read outside the input of grid_sample."""

    #: Zeros.
    ZEROS = 0
    #: The nearest element of the edge.
    BORDER = 1
    #: The input mirrored at its edges.
    REFLECTION = 2


class Reuse(IntEnum):
    """The wish about reusable and specialised kernels. It changes time, never results. Set on a primitive or model,
    on a context, for the process and for the build; the nearest that is not inherit wins. docs/reuse.md helps to
    choose.
    """

    #: Not set here: the context's, else the process's (ANYDIM_REUSE), else the build's, which is auto. The default.
    INHERIT = 0
    #: Reusable kernels with a plan from the cost model or from records; nothing is measured on the CPU engine.
    AUTO = 1
    #: Reusable kernels with the cost model's plan, and never anything else.
    REUSABLE = 2
    #: Measures plans before creation returns: a primitive for its dims (hints or maxima of dynamic ones), a context
    #: for its bounds. Shapes met later run reusable.
    SPECIALISED = 3
    #: As auto, and the background worker measures plans for the shapes that calls bring.
    REUSABLE_FIRST = 4


class Math(IntEnum):
    """Math modes."""

    #: The same bits from every kernel (docs/numerics.md). The default.
    STRICT = 0
    #: Documented algorithms with a larger error (not in this build).
    FAST = 1
    #: bfloat16 and kin (not in this build).
    REDUCED = 2


class Scratchpad(IntEnum):
    """Whose memory a primitive computes in."""

    #: The stream's; it grows when a primitive needs more than any before. The default.
    STREAM = 0
    #: The caller's, passed to primitive_execute; nothing is allocated.
    CALLER = 1


class EdgeLayout(IntEnum):
    """What may be asked of the memory order of a model's input or output. It changes time, never results."""

    #: The order given as axes.
    ORDER = 0
    #: The last dim is innermost. What an edge has that nothing is asked of.
    ROW_MAJOR = 1
    #: Dim 1 is innermost (N, H, W, C in memory). Rank 3 and more.
    CHANNELS_LAST = 2
    #: The order that its kernels read or write without a copy; the model chooses it.
    FASTEST = 3
    #: Outputs only: the order of the largest input of the same rank; row-major if there is none.
    FOLLOW = 4


class Passes(IntEnum):
    """Which rewritings a model's graph gets when it is loaded: a means of finding the cause of a result, not of
    speed. Results with exact and with none have the same bits; all may differ from them by the roundings that
    docs/numerics.md, section 8, tells.
    """

    #: All of them. The default.
    ALL = 0
    #: Those that cannot change a bit; functions that a model spells out are computed step by step.
    EXACT = 1
    #: None: each node of the file runs by itself, into memory of its own.
    NONE = 2


class WorkerAction(IntEnum):
    """What the background worker is told."""

    #: To rest after the request it is serving.
    PAUSE = 0
    #: To go on.
    RESUME = 1
    #: To stop at its next look, drop what is queued, and take nothing more in this process (as ANYDIM_WORKER=off does
    #: from the start).
    TURN_OFF = 2


class RecordKind(IntEnum):
    """Kinds of records in the persistent cache."""

    #: Every kind.
    ALL = 0
    #: Tuned plans.
    PLAN = 1
    #: Compiled device programs.
    BINARY = 2


class PrimitiveCacheHit(IntEnum):
    """How a primitive was come by."""

    #: No cache was asked: it is off, or the primitive is a model's.
    NONE = 0
    #: Created by the call.
    MISS = 1
    #: Core and descriptors were in the cache.
    HIT = 2
    #: Another thread was creating the same and was waited for.
    WAITED = 3
    #: Made over the one core of an operator whose shapes keep changing.
    CHURN = 4


class CallRole(IntEnum):
    """What a tensor of a call is."""

    #: An input that comes at execution.
    INPUT = 0
    #: A constant input that is packed before.
    WEIGHTS = 1
    #: A tensor of a post-op; comes at execution, after the inputs.
    POST_OP = 2
    #: An output.
    OUTPUT = 3
