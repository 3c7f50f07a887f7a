# SPDX-License-Identifier: Apache-2.0
# Generated from capi/api.yaml by capi/generator; do not edit.
# ruff: noqa
"""The enums of the C API; their numbers are its numbers."""

from enum import IntEnum


class Status(IntEnum):
    """What a call returns. Zero is success."""

    OK = 0
    INVALID_ARGUMENT = 1
    INVALID_HANDLE = 2
    UNIMPLEMENTED = 3
    OUT_OF_MEMORY = 4
    BUSY = 5
    CLOSED = 6
    NOT_FOUND = 7
    IO_ERROR = 8
    INVALID_MODEL = 9
    OUT_OF_BOUNDS = 10
    INVALID_DATA = 11
    INTERNAL = 12
    FORKED = 13


class EngineKind(IntEnum):
    """Kinds of engines."""

    CPU = 1
    OPENCL = 2


class Dtype(IntEnum):
    """Element types."""

    F32 = 1
    F64 = 2
    F16 = 3
    BF16 = 4
    I8 = 5
    U8 = 6
    I16 = 7
    U16 = 8
    I32 = 9
    U32 = 10
    I64 = 11
    U64 = 12
    BOOL = 13


class Layout(IntEnum):
    """Memory orders that a descriptor can promise."""

    ANY = 0
    ROW_MAJOR = 1
    CHANNELS_LAST = 2


class EdgeLayout(IntEnum):
    """What may be asked of the memory order of a model's input or output. It changes time, never results."""

    ORDER = 0
    ROW_MAJOR = 1
    CHANNELS_LAST = 2
    ANY = 3
    FOLLOW = 4


class Reuse(IntEnum):
    """The wish about reusable and specialised kernels. It changes time, never results. Set on a primitive or model, on a
context, for the process and for the build; the nearest that is not inherit wins. docs/reuse.md helps to choose.
."""

    INHERIT = 0
    AUTO = 1
    REUSABLE = 2
    SPECIALISED = 3
    REUSABLE_FIRST = 4


class WorkerAction(IntEnum):
    """What the background worker is told."""

    PAUSE = 0
    RESUME = 1
    TURN_OFF = 2


class Math(IntEnum):
    """Math modes."""

    STRICT = 0
    FAST = 1
    REDUCED = 2


class Scratchpad(IntEnum):
    """Whose memory a primitive computes in."""

    STREAM = 0
    CALLER = 1


class OpKind(IntEnum):
    """Operators that can be made into primitives; each has a struct of its attributes that begins with anydim_op_t."""

    CONVOLUTION = 1
    CONV_TRANSPOSE = 2
    MATMUL = 3
    POOLING = 4
    UNARY = 5
    BINARY = 6
    REDUCE = 7
    SOFTMAX = 8
    LAYER_NORM = 9
    RESIZE = 10
    TRANSPOSE = 11
    CAST = 12
    CONCAT = 13


class RecordKind(IntEnum):
    """Kinds of records in the persistent cache."""

    ALL = 0
    PLAN = 1
    BINARY = 2


class UnaryFunction(IntEnum):
    """Functions of one element; alpha and beta are parameters where the text names them. docs/numerics.md has the bits."""

    IDENTITY = 0
    RELU = 1
    LEAKY_RELU = 2
    CLIP = 3
    HARD_SIGMOID = 4
    HARD_SWISH = 5
    SIGMOID = 6
    SILU = 7
    TANH = 8
    EXP = 9
    LOG = 10
    SQRT = 11
    RECIPROCAL = 12
    ABS = 13
    NEG = 14
    SQUARE = 15
    ERF = 16
    GELU_ERF = 17
    GELU_TANH = 18
    SOFTPLUS = 19
    SOFTSIGN = 20
    MISH = 21
    ELU = 22
    SELU = 23
    CELU = 24
    THRESHOLDED_RELU = 25
    SHRINK = 26
    FLOOR = 27
    CEIL = 28
    ROUND_EVEN = 29
    SIGN = 30
    SIN = 31
    COS = 32
    TAN = 33
    ASIN = 34
    ACOS = 35
    ATAN = 36
    SINH = 37
    COSH = 38
    ASINH = 39
    ACOSH = 40
    ATANH = 41
    AFFINE = 42
    LOGICAL_NOT = 43
    BITWISE_NOT = 44
    IS_NAN = 45
    IS_INF = 46
    QUICK_GELU = 47


class BinaryFunction(IntEnum):
    """Functions of two elements; shapes broadcast as in NumPy."""

    ADD = 0
    SUB = 1
    MUL = 2
    DIV = 3
    MIN = 4
    MAX = 5
    POW = 6
    PRELU = 7
    MOD_FLOOR = 8
    MOD_TRUNC = 9
    EQUAL = 10
    LESS = 11
    LESS_EQUAL = 12
    GREATER = 13
    GREATER_EQUAL = 14
    LOGICAL_AND = 15
    LOGICAL_OR = 16
    LOGICAL_XOR = 17
    BITWISE_AND = 18
    BITWISE_OR = 19
    BITWISE_XOR = 20
    SHIFT_LEFT = 21
    SHIFT_RIGHT = 22


class PoolingKind(IntEnum):
    """Kinds of pooling."""

    MAX = 0
    AVERAGE = 1


class Reduction(IntEnum):
    """Reductions."""

    SUM = 0
    MEAN = 1
    MAX = 2
    MIN = 3
    PROD = 4
    L1 = 5
    L2 = 6
    SUM_SQUARE = 7
    LOG_SUM = 8
    LOG_SUM_EXP = 9


class ResizeMode(IntEnum):
    """Interpolations of resize."""

    NEAREST = 0
    LINEAR = 1
    CUBIC = 2


class ResizeCoordinates(IntEnum):
    """How a position of resize's output maps to its input (ONNX's names)."""

    HALF_PIXEL = 0
    ASYMMETRIC = 1
    ALIGN_CORNERS = 2
    PYTORCH_HALF_PIXEL = 3


class ResizeNearest(IntEnum):
    """Rounding of resize's nearest mode (ONNX's names)."""

    ROUND_PREFER_FLOOR = 0
    ROUND_PREFER_CEIL = 1
    FLOOR = 2
    CEIL = 3


class CacheHit(IntEnum):
    """How a primitive was come by."""

    NONE = 0
    MISS = 1
    HIT = 2
    WAITED = 3
    CHURN = 4


class CallRole(IntEnum):
    """What a tensor of a call is."""

    INPUT = 0
    WEIGHTS = 1
    POST_OP = 2
    OUTPUT = 3


class LogLevel(IntEnum):
    """Levels of log lines; a level includes those before it."""

    NONE = 0
    ERROR = 1
    WARNING = 2
    INFO = 3
    DEBUG = 4
