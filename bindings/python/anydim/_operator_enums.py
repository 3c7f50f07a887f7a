# SPDX-License-Identifier: Apache-2.0
# Generated from capi/api and core/ops/described by capi/generator; do not edit.
# ruff: noqa
"""The enums of the operators' attributes and post-ops; their numbers are the C API's."""

from enum import IntEnum


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
    #: Recurrent
    RECURRENT = 38
    #: Fold
    FOLD = 39
    #: DeformColumns
    DEFORM_COLUMNS = 40
    #: RoiAlign
    ROI_ALIGN = 41
    #: NonMaxSuppression
    NON_MAX_SUPPRESSION = 42
    #: Dft
    DFT = 43
    #: Det
    DET = 44
    #: RandomUniform
    RANDOM_UNIFORM = 45
    #: BitCast
    BIT_CAST = 46
    #: Attention
    ATTENTION = 47
    #: CompressedMatmul
    COMPRESSED_MATMUL = 48
    #: Append
    APPEND = 49
    #: TreeEnsemble
    TREE_ENSEMBLE = 50
    #: CouplePairs
    COUPLE_PAIRS = 51
    #: QuantizationRange
    QUANTIZATION_RANGE = 52
    #: StringLookup
    STRING_LOOKUP = 53
    #: StringEqual
    STRING_EQUAL = 54
    #: StringConcat
    STRING_CONCAT = 55
    #: StringCase
    STRING_CASE = 56
    #: StringMatch
    STRING_MATCH = 57
    #: CountStringPieces
    COUNT_STRING_PIECES = 58
    #: StringSplit
    STRING_SPLIT = 59
    #: NgramCounts
    NGRAM_COUNTS = 60
    #: StringParse
    STRING_PARSE = 61
    #: StringFormat
    STRING_FORMAT = 62


class StringRule(IntEnum):
    """What the pieces of a string are."""

    #: what lies between matches of the first automaton, each piece cut by the next one
    SEPARATORS = 0
    #: the matches of the automaton
    TOKENS = 1
    #: what lies between runs of whitespace, of which those at the ends separate nothing
    WHITESPACE = 2
    #: each character
    CHARACTERS = 3


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
    #: x rounded to the nearest float16, ties to even (no float64)
    ROUND_F16 = 48
    #: x rounded to the nearest bfloat16, ties to even (no float64)
    ROUND_BF16 = 49
    #: alpha * tanh(beta * x)
    SCALED_TANH = 50


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
    """How the padding of a window is determined."""

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


class RoiMode(IntEnum):
    """What a bin of a region becomes."""

    #: The average of its samples.
    AVERAGE = 0
    #: The largest of its samples' four weighted elements.
    MAXIMUM = 1
    #: The largest element in it, with the region's ends rounded to elements.
    CELLS = 2


class PowerRounding(IntEnum):
    """Which power of two stands for a number between two."""

    #: The larger one.
    UP = 0
    #: The smaller one.
    DOWN = 1
    #: The nearer one, from half way the larger one.
    NEAREST = 2


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


class RecurrentCell(IntEnum):
    """Cells of recurrent layers."""

    #: The plain cell: one function of a sum.
    RNN = 0
    #: Long short-term memory: three gates and a cell state.
    LSTM = 1
    #: Gated recurrent unit: two gates.
    GRU = 2


class RecurrentDirection(IntEnum):
    """Which way a recurrent layer takes the steps of a sequence."""

    #: From the first to the last.
    FORWARD = 0
    #: From the last to the first.
    REVERSE = 1
    #: Both: two cells with weights and states of their own.
    BIDIRECTIONAL = 2


class TreeAggregate(IntEnum):
    """What the weights that trees give a target become."""

    #: Their sum.
    SUM = 0
    #: Their sum divided by the number of trees.
    AVERAGE = 1
    #: The smallest; 0 where no tree has one.
    MINIMUM = 2
    #: The largest; 0 where no tree has one.
    MAXIMUM = 3
