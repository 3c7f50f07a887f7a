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
    #: Memory could not be allocated.
    OUT_OF_MEMORY = 4
    #: Another thread is using a one-user object.
    BUSY = 5
    #: The object was destroyed while in use.
    CLOSED = 6
    #: A name that does not exist (kernel, input, output).
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
    #: In a forked child: another thread of the parent was using the object when it forked, or the object is of a
    #: device.
    FORKED = 13
    #: The run was ended from outside: by a cancellation, or by what RunOptions.interrupted said.
    CANCELLED = 14
    #: The engine's device is gone, with all that lay in its memory. Nothing more can be done with what was made from
    #: it.
    DEVICE_LOST = 15
    #: What was waited for did not come within the time that the caller allowed: a context, a batch, the background
    #: worker.
    TIMED_OUT = 16
    #: As many requests wait for a batch as may wait.
    QUEUE_FULL = 17
    #: A file or folder that does not exist.
    FILE_NOT_FOUND = 18


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
    #: 8 bits - 4 of exponent, 3 of fraction; no infinities. Stored, moved and cast only, as all that follow.
    F8E4M3FN = 14
    #: 8 bits - 4 of exponent, 3 of fraction; no infinities, no negative zero.
    F8E4M3FNUZ = 15
    #: 8 bits - 5 of exponent, 2 of fraction.
    F8E5M2 = 16
    #: 8 bits - 5 of exponent, 2 of fraction; no infinities, no negative zero.
    F8E5M2FNUZ = 17
    #: 8 bits of exponent, a power of two.
    F8E8M0 = 18
    #: 4 bits - 2 of exponent, 1 of fraction. One element per byte, in its low bits, as all that follow.
    F4E2M1 = 19
    #: Signed 4 bits.
    I4 = 20
    #: Unsigned 4 bits.
    U4 = 21
    #: Signed 2 bits.
    I2 = 22
    #: Unsigned 2 bits.
    U2 = 23


class Layout(IntEnum):
    """How the elements of a tensor lie in memory."""

    #: Densely, the last dim innermost (N, C, H, W in memory).
    ROW_MAJOR = 0
    #: Densely, dim 1 innermost (N, H, W, C in memory). Rank 3 and more.
    CHANNELS_LAST = 1
    #: By strides. Tensors of such a descriptor may have any strides.
    STRIDED = 2
    #: As it costs no copy: the library chooses. Of a descriptor: as strided.
    ANY = 3
    #: Of outputs: row-major where the input that they follow is; else as any.
    FOLLOW = 4


class EngineKind(IntEnum):
    """Kinds of engines."""

    #: The processor. Always there.
    CPU = 1
    #: A device reached through OpenCL, where the machine has a driver (docs/opencl.md).
    OPENCL = 2


class Reuse(IntEnum):
    """Whether kernels and plans are reusable or specialised. It changes time, never results. Set on a primitive or
    model, on a context, for the process and for the build; the nearest that is not inherit wins. docs/reuse.md helps
    to choose.
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
    """Math modes: how far arithmetic may be from the order that docs/numerics.md writes down. Set on a primitive, on
    a layer of a model and on a model; the nearest that is not inherit wins. An operator without kernels of its own in
    a mode computes in the mode before it: in this build everything is strict, and explanations name the mode of each
    primitive.
    """

    #: Not set here: a layer has its model's; strict where nothing is set. The default.
    INHERIT = 0
    #: The same bits from every kernel, on every engine.
    STRICT = 1
    #: Documented algorithms with a larger error too, where an operator has them. The same bits from every kernel.
    FAST = 2
    #: Arithmetic in bfloat16 and other narrow types, too.
    REDUCED = 3


class Scratchpad(IntEnum):
    """Whose memory a primitive computes in."""

    #: The stream's; it grows when a primitive needs more than any before. The default.
    STREAM = 0
    #: The caller's, passed to primitive_execute; nothing is allocated.
    CALLER = 1


class Operand(IntEnum):
    """Which operand of a matmul, convolution or conv_transpose."""

    #: Its first input.
    INPUT_0 = 0
    #: Its second input, the weights of a convolution.
    INPUT_1 = 1
    #: Its output.
    RESULT = 2


class CustomAttributeType(IntEnum):
    """What an attribute of a node is, and what its data points to."""

    #: One int64_t or a list of them, as many as count.
    INTEGERS = 1
    #: One float or a list of them.
    REALS = 2
    #: One String or a list of them.
    TEXTS = 3
    #: One tensor as a view, dense and row-major.
    TENSOR = 4


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
    #: Outputs only: row-major if the input that the output follows is; else as fastest. docs/layouts.md says which
    #: input it follows.
    FOLLOW = 4


class Passes(IntEnum):
    """Which rewritings a model's graph gets when it is loaded: a means of finding the cause of a result, not of
    speed. Results with exact and with none have the same bits; all may differ from them by the roundings that
    docs/numerics.md, section 8, describes.
    """

    #: All of them. The default.
    ALL = 0
    #: Those that cannot change a bit; functions that a model spells out are computed step by step.
    EXACT = 1
    #: None: each node of the file runs by itself, into memory of its own.
    NONE = 2


class WorkerAction(IntEnum):
    """A command for the background worker."""

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
