// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! The enums of the API.

#[allow(unused_imports)] // for documentation
use crate::*;

macro_rules! display {
    ($name:ident) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

/// What a call returns. Zero is success.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum Status {
    /// Success.
    Ok = 0,
    /// An argument is wrong by itself.
    InvalidArgument = 1,
    /// A null, stale, destroyed, foreign or wrong kind of handle.
    InvalidHandle = 2,
    /// Meaningful, but not supported by this build.
    Unimplemented = 3,
    /// Memory could not be allocated.
    OutOfMemory = 4,
    /// Another thread is using a one-user object.
    Busy = 5,
    /// The object was destroyed while in use.
    Closed = 6,
    /// A name that does not exist (kernel, input, output).
    NotFound = 7,
    /// Reading or writing failed.
    IoError = 8,
    /// A model that is damaged or breaks its format's rules.
    InvalidModel = 9,
    /// A dim outside what its descriptor or bounds promise.
    OutOfBounds = 10,
    /// Values found wrong while running; outputs may be partly written.
    InvalidData = 11,
    /// A defect of the library.
    Internal = 12,
    /// In a forked child: another thread of the parent was using the object when it forked, or the object is of a
    /// device.
    Forked = 13,
    /// The run was ended from outside: by a cancellation, or by what [`RunOptions`].interrupted said.
    Cancelled = 14,
    /// The engine's device is gone, with all that lay in its memory. Nothing more can be done with what was made
    /// from it.
    DeviceLost = 15,
    /// What was waited for did not come within the time that the caller allowed: a context, a batch, the background
    /// worker.
    TimedOut = 16,
    /// As many requests wait for a batch as may wait.
    QueueFull = 17,
    /// A file or folder that does not exist.
    FileNotFound = 18,
}

impl Status {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Ok),
            1 => Some(Self::InvalidArgument),
            2 => Some(Self::InvalidHandle),
            3 => Some(Self::Unimplemented),
            4 => Some(Self::OutOfMemory),
            5 => Some(Self::Busy),
            6 => Some(Self::Closed),
            7 => Some(Self::NotFound),
            8 => Some(Self::IoError),
            9 => Some(Self::InvalidModel),
            10 => Some(Self::OutOfBounds),
            11 => Some(Self::InvalidData),
            12 => Some(Self::Internal),
            13 => Some(Self::Forked),
            14 => Some(Self::Cancelled),
            15 => Some(Self::DeviceLost),
            16 => Some(Self::TimedOut),
            17 => Some(Self::QueueFull),
            18 => Some(Self::FileNotFound),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::InvalidArgument => "invalid_argument",
            Self::InvalidHandle => "invalid_handle",
            Self::Unimplemented => "unimplemented",
            Self::OutOfMemory => "out_of_memory",
            Self::Busy => "busy",
            Self::Closed => "closed",
            Self::NotFound => "not_found",
            Self::IoError => "io_error",
            Self::InvalidModel => "invalid_model",
            Self::OutOfBounds => "out_of_bounds",
            Self::InvalidData => "invalid_data",
            Self::Internal => "internal",
            Self::Forked => "forked",
            Self::Cancelled => "cancelled",
            Self::DeviceLost => "device_lost",
            Self::TimedOut => "timed_out",
            Self::QueueFull => "queue_full",
            Self::FileNotFound => "file_not_found",
        }
    }
}

display!(Status);

/// Levels of log lines; a level includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum LogLevel {
    /// Nothing.
    None = 0,
    /// Defects.
    Error = 1,
    /// What is probably a mistake, such as a second destroy. The default.
    Warning = 2,
    /// Loads, growth events.
    Info = 3,
    /// Every call that failed.
    Debug = 4,
}

impl LogLevel {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::None),
            1 => Some(Self::Error),
            2 => Some(Self::Warning),
            3 => Some(Self::Info),
            4 => Some(Self::Debug),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
            Self::Debug => "debug",
        }
    }
}

display!(LogLevel);

/// Element types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum Dtype {
    /// IEEE binary32.
    F32 = 1,
    /// IEEE binary64.
    F64 = 2,
    /// IEEE binary16.
    F16 = 3,
    /// bfloat16 - the upper half of a binary32.
    Bf16 = 4,
    /// Signed 8 bits.
    I8 = 5,
    /// Unsigned 8 bits.
    U8 = 6,
    /// Signed 16 bits.
    I16 = 7,
    /// Unsigned 16 bits.
    U16 = 8,
    /// Signed 32 bits.
    I32 = 9,
    /// Unsigned 32 bits.
    U32 = 10,
    /// Signed 64 bits.
    I64 = 11,
    /// Unsigned 64 bits.
    U64 = 12,
    /// One byte, 0 or 1.
    Bool = 13,
    /// 8 bits - 4 of exponent, 3 of fraction; no infinities. Stored, moved and cast only, as all that follow.
    F8e4m3fn = 14,
    /// 8 bits - 4 of exponent, 3 of fraction; no infinities, no negative zero.
    F8e4m3fnuz = 15,
    /// 8 bits - 5 of exponent, 2 of fraction.
    F8e5m2 = 16,
    /// 8 bits - 5 of exponent, 2 of fraction; no infinities, no negative zero.
    F8e5m2fnuz = 17,
    /// 8 bits of exponent, a power of two.
    F8e8m0 = 18,
    /// 4 bits - 2 of exponent, 1 of fraction. One element per byte, in its low bits, as all that follow.
    F4e2m1 = 19,
    /// Signed 4 bits.
    I4 = 20,
    /// Unsigned 4 bits.
    U4 = 21,
    /// Signed 2 bits.
    I2 = 22,
    /// Unsigned 2 bits.
    U2 = 23,
}

impl Dtype {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            1 => Some(Self::F32),
            2 => Some(Self::F64),
            3 => Some(Self::F16),
            4 => Some(Self::Bf16),
            5 => Some(Self::I8),
            6 => Some(Self::U8),
            7 => Some(Self::I16),
            8 => Some(Self::U16),
            9 => Some(Self::I32),
            10 => Some(Self::U32),
            11 => Some(Self::I64),
            12 => Some(Self::U64),
            13 => Some(Self::Bool),
            14 => Some(Self::F8e4m3fn),
            15 => Some(Self::F8e4m3fnuz),
            16 => Some(Self::F8e5m2),
            17 => Some(Self::F8e5m2fnuz),
            18 => Some(Self::F8e8m0),
            19 => Some(Self::F4e2m1),
            20 => Some(Self::I4),
            21 => Some(Self::U4),
            22 => Some(Self::I2),
            23 => Some(Self::U2),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::I8 => "i8",
            Self::U8 => "u8",
            Self::I16 => "i16",
            Self::U16 => "u16",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::Bool => "bool",
            Self::F8e4m3fn => "f8e4m3fn",
            Self::F8e4m3fnuz => "f8e4m3fnuz",
            Self::F8e5m2 => "f8e5m2",
            Self::F8e5m2fnuz => "f8e5m2fnuz",
            Self::F8e8m0 => "f8e8m0",
            Self::F4e2m1 => "f4e2m1",
            Self::I4 => "i4",
            Self::U4 => "u4",
            Self::I2 => "i2",
            Self::U2 => "u2",
        }
    }
}

display!(Dtype);

/// How the elements of a tensor lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum Layout {
    /// Densely, the last dim innermost (N, C, H, W in memory).
    RowMajor = 0,
    /// Densely, dim 1 innermost (N, H, W, C in memory). Rank 3 and more.
    ChannelsLast = 1,
    /// By strides. Tensors of such a descriptor may have any strides.
    Strided = 2,
    /// As it costs no copy: the library chooses. Of a descriptor: as strided.
    Any = 3,
    /// Of outputs: row-major where the input that they follow is; else as any.
    Follow = 4,
}

impl Layout {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::RowMajor),
            1 => Some(Self::ChannelsLast),
            2 => Some(Self::Strided),
            3 => Some(Self::Any),
            4 => Some(Self::Follow),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::RowMajor => "row_major",
            Self::ChannelsLast => "channels_last",
            Self::Strided => "strided",
            Self::Any => "any",
            Self::Follow => "follow",
        }
    }
}

display!(Layout);

/// Kinds of engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum EngineKind {
    /// The processor. Always there.
    Cpu = 1,
    /// A device reached through OpenCL, where the machine has a driver (docs/opencl.md).
    Opencl = 2,
}

impl EngineKind {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            1 => Some(Self::Cpu),
            2 => Some(Self::Opencl),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Opencl => "opencl",
        }
    }
}

display!(EngineKind);

/// What the pieces of a string are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum StringRule {
    /// what lies between matches of the first automaton, each piece cut by the next one
    Separators = 0,
    /// the matches of the automaton
    Tokens = 1,
    /// what lies between runs of whitespace, of which those at the ends separate nothing
    Whitespace = 2,
    /// each character
    Characters = 3,
}

impl StringRule {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Separators),
            1 => Some(Self::Tokens),
            2 => Some(Self::Whitespace),
            3 => Some(Self::Characters),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Separators => "separators",
            Self::Tokens => "tokens",
            Self::Whitespace => "whitespace",
            Self::Characters => "characters",
        }
    }
}

display!(StringRule);

/// Functions of one element; alpha and beta are parameters where the text names them. docs/numerics.md has the bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum UnaryFunction {
    /// x
    Identity = 0,
    /// x \< 0 ? 0 : x
    Relu = 1,
    /// x \< 0 ? alpha \* x : x
    LeakyRelu = 2,
    /// min(max(x, alpha), beta)
    Clip = 3,
    /// clip(alpha \* x + beta, 0, 1)
    HardSigmoid = 4,
    /// x \* clip(x / 6 + 1/2, 0, 1)
    HardSwish = 5,
    /// 1 / (1 + exp(-x))
    Sigmoid = 6,
    /// x \* sigmoid(x)
    Silu = 7,
    /// tanh(x)
    Tanh = 8,
    /// exp(x)
    Exp = 9,
    /// natural log(x)
    Log = 10,
    /// sqrt(x)
    Sqrt = 11,
    /// 1 / x
    Reciprocal = 12,
    /// |x|
    Abs = 13,
    /// -x
    Neg = 14,
    /// x \* x
    Square = 15,
    /// erf(x)
    Erf = 16,
    /// x \* (1 + erf(x / sqrt(2))) / 2
    GeluErf = 17,
    /// GELU by its tanh approximation
    GeluTanh = 18,
    /// log(1 + exp(x))
    Softplus = 19,
    /// x / (1 + |x|)
    Softsign = 20,
    /// x \* tanh(softplus(x))
    Mish = 21,
    /// x \< 0 ? alpha \* (exp(x) - 1) : x
    Elu = 22,
    /// beta \* (x \< 0 ? alpha \* (exp(x) - 1) : x)
    Selu = 23,
    /// max(0, x) + min(0, alpha \* (exp(x / alpha) - 1))
    Celu = 24,
    /// x \> alpha ? x : 0
    ThresholdedRelu = 25,
    /// x \< -alpha ? x + beta : x \> alpha ? x - beta : 0
    Shrink = 26,
    /// largest integer not above x
    Floor = 27,
    /// smallest integer not below x
    Ceil = 28,
    /// nearest integer, ties to even
    RoundEven = 29,
    /// -1, 0 or 1
    Sign = 30,
    /// sin(x)
    Sin = 31,
    /// cos(x)
    Cos = 32,
    /// tan(x)
    Tan = 33,
    /// asin(x)
    Asin = 34,
    /// acos(x)
    Acos = 35,
    /// atan(x)
    Atan = 36,
    /// sinh(x)
    Sinh = 37,
    /// cosh(x)
    Cosh = 38,
    /// asinh(x)
    Asinh = 39,
    /// acosh(x)
    Acosh = 40,
    /// atanh(x)
    Atanh = 41,
    /// alpha \* x + beta, rounded once
    Affine = 42,
    /// not x (bool)
    LogicalNot = 43,
    /// all bits of x flipped (integers)
    BitwiseNot = 44,
    /// x is NaN (to bool)
    IsNan = 45,
    /// x is infinite (to bool); alpha != 0 finds +inf, beta != 0 finds -inf
    IsInf = 46,
    /// x \* sigmoid(alpha \* x)
    QuickGelu = 47,
    /// x rounded to the nearest float16, ties to even (no float64)
    RoundF16 = 48,
    /// x rounded to the nearest bfloat16, ties to even (no float64)
    RoundBf16 = 49,
    /// alpha \* tanh(beta \* x)
    ScaledTanh = 50,
}

impl UnaryFunction {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Identity),
            1 => Some(Self::Relu),
            2 => Some(Self::LeakyRelu),
            3 => Some(Self::Clip),
            4 => Some(Self::HardSigmoid),
            5 => Some(Self::HardSwish),
            6 => Some(Self::Sigmoid),
            7 => Some(Self::Silu),
            8 => Some(Self::Tanh),
            9 => Some(Self::Exp),
            10 => Some(Self::Log),
            11 => Some(Self::Sqrt),
            12 => Some(Self::Reciprocal),
            13 => Some(Self::Abs),
            14 => Some(Self::Neg),
            15 => Some(Self::Square),
            16 => Some(Self::Erf),
            17 => Some(Self::GeluErf),
            18 => Some(Self::GeluTanh),
            19 => Some(Self::Softplus),
            20 => Some(Self::Softsign),
            21 => Some(Self::Mish),
            22 => Some(Self::Elu),
            23 => Some(Self::Selu),
            24 => Some(Self::Celu),
            25 => Some(Self::ThresholdedRelu),
            26 => Some(Self::Shrink),
            27 => Some(Self::Floor),
            28 => Some(Self::Ceil),
            29 => Some(Self::RoundEven),
            30 => Some(Self::Sign),
            31 => Some(Self::Sin),
            32 => Some(Self::Cos),
            33 => Some(Self::Tan),
            34 => Some(Self::Asin),
            35 => Some(Self::Acos),
            36 => Some(Self::Atan),
            37 => Some(Self::Sinh),
            38 => Some(Self::Cosh),
            39 => Some(Self::Asinh),
            40 => Some(Self::Acosh),
            41 => Some(Self::Atanh),
            42 => Some(Self::Affine),
            43 => Some(Self::LogicalNot),
            44 => Some(Self::BitwiseNot),
            45 => Some(Self::IsNan),
            46 => Some(Self::IsInf),
            47 => Some(Self::QuickGelu),
            48 => Some(Self::RoundF16),
            49 => Some(Self::RoundBf16),
            50 => Some(Self::ScaledTanh),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Relu => "relu",
            Self::LeakyRelu => "leaky_relu",
            Self::Clip => "clip",
            Self::HardSigmoid => "hard_sigmoid",
            Self::HardSwish => "hard_swish",
            Self::Sigmoid => "sigmoid",
            Self::Silu => "silu",
            Self::Tanh => "tanh",
            Self::Exp => "exp",
            Self::Log => "log",
            Self::Sqrt => "sqrt",
            Self::Reciprocal => "reciprocal",
            Self::Abs => "abs",
            Self::Neg => "neg",
            Self::Square => "square",
            Self::Erf => "erf",
            Self::GeluErf => "gelu_erf",
            Self::GeluTanh => "gelu_tanh",
            Self::Softplus => "softplus",
            Self::Softsign => "softsign",
            Self::Mish => "mish",
            Self::Elu => "elu",
            Self::Selu => "selu",
            Self::Celu => "celu",
            Self::ThresholdedRelu => "thresholded_relu",
            Self::Shrink => "shrink",
            Self::Floor => "floor",
            Self::Ceil => "ceil",
            Self::RoundEven => "round_even",
            Self::Sign => "sign",
            Self::Sin => "sin",
            Self::Cos => "cos",
            Self::Tan => "tan",
            Self::Asin => "asin",
            Self::Acos => "acos",
            Self::Atan => "atan",
            Self::Sinh => "sinh",
            Self::Cosh => "cosh",
            Self::Asinh => "asinh",
            Self::Acosh => "acosh",
            Self::Atanh => "atanh",
            Self::Affine => "affine",
            Self::LogicalNot => "logical_not",
            Self::BitwiseNot => "bitwise_not",
            Self::IsNan => "is_nan",
            Self::IsInf => "is_inf",
            Self::QuickGelu => "quick_gelu",
            Self::RoundF16 => "round_f16",
            Self::RoundBf16 => "round_bf16",
            Self::ScaledTanh => "scaled_tanh",
        }
    }
}

display!(UnaryFunction);

/// Functions of two elements; shapes broadcast as in NumPy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum BinaryFunction {
    /// a + b
    Add = 0,
    /// a - b
    Sub = 1,
    /// a \* b
    Mul = 2,
    /// a / b
    Div = 3,
    /// the smaller; NaN if either is
    Min = 4,
    /// the larger; NaN if either is
    Max = 5,
    /// a to the power of b
    Pow = 6,
    /// a \< 0 ? b \* a : a
    Prelu = 7,
    /// remainder with the sign of b
    ModFloor = 8,
    /// remainder with the sign of a
    ModTrunc = 9,
    /// a == b (to bool)
    Equal = 10,
    /// a \< b (to bool)
    Less = 11,
    /// a \<= b (to bool)
    LessEqual = 12,
    /// a \> b (to bool)
    Greater = 13,
    /// a \>= b (to bool)
    GreaterEqual = 14,
    /// a and b (bool)
    LogicalAnd = 15,
    /// a or b (bool)
    LogicalOr = 16,
    /// a xor b (bool)
    LogicalXor = 17,
    /// a & b (integers)
    BitwiseAnd = 18,
    /// a | b (integers)
    BitwiseOr = 19,
    /// a ^ b (integers)
    BitwiseXor = 20,
    /// a \<\< b (unsigned integers)
    ShiftLeft = 21,
    /// a \>\> b (unsigned integers)
    ShiftRight = 22,
}

impl BinaryFunction {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Add),
            1 => Some(Self::Sub),
            2 => Some(Self::Mul),
            3 => Some(Self::Div),
            4 => Some(Self::Min),
            5 => Some(Self::Max),
            6 => Some(Self::Pow),
            7 => Some(Self::Prelu),
            8 => Some(Self::ModFloor),
            9 => Some(Self::ModTrunc),
            10 => Some(Self::Equal),
            11 => Some(Self::Less),
            12 => Some(Self::LessEqual),
            13 => Some(Self::Greater),
            14 => Some(Self::GreaterEqual),
            15 => Some(Self::LogicalAnd),
            16 => Some(Self::LogicalOr),
            17 => Some(Self::LogicalXor),
            18 => Some(Self::BitwiseAnd),
            19 => Some(Self::BitwiseOr),
            20 => Some(Self::BitwiseXor),
            21 => Some(Self::ShiftLeft),
            22 => Some(Self::ShiftRight),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Sub => "sub",
            Self::Mul => "mul",
            Self::Div => "div",
            Self::Min => "min",
            Self::Max => "max",
            Self::Pow => "pow",
            Self::Prelu => "prelu",
            Self::ModFloor => "mod_floor",
            Self::ModTrunc => "mod_trunc",
            Self::Equal => "equal",
            Self::Less => "less",
            Self::LessEqual => "less_equal",
            Self::Greater => "greater",
            Self::GreaterEqual => "greater_equal",
            Self::LogicalAnd => "logical_and",
            Self::LogicalOr => "logical_or",
            Self::LogicalXor => "logical_xor",
            Self::BitwiseAnd => "bitwise_and",
            Self::BitwiseOr => "bitwise_or",
            Self::BitwiseXor => "bitwise_xor",
            Self::ShiftLeft => "shift_left",
            Self::ShiftRight => "shift_right",
        }
    }
}

display!(BinaryFunction);

/// How the padding of a window is determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum AutoPad {
    /// By pads_begin and pads_end.
    Explicit = 0,
    /// As much as gives ceil(in / stride) positions (a transposed convolution: in \* stride); an odd one goes to the
    /// end.
    SameUpper = 1,
    /// As same_upper, but an odd one goes to the beginning.
    SameLower = 2,
    /// None.
    Valid = 3,
}

impl AutoPad {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Explicit),
            1 => Some(Self::SameUpper),
            2 => Some(Self::SameLower),
            3 => Some(Self::Valid),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::SameUpper => "same_upper",
            Self::SameLower => "same_lower",
            Self::Valid => "valid",
        }
    }
}

display!(AutoPad);

/// Kinds of pooling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum PoolingKind {
    /// The largest element; NaN if any is.
    Max = 0,
    /// The mean of the elements.
    Average = 1,
}

impl PoolingKind {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Max),
            1 => Some(Self::Average),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Max => "max",
            Self::Average => "average",
        }
    }
}

display!(PoolingKind);

/// Kinds of reduction. docs/numerics.md has the order of the sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum ReduceKind {
    /// sum of x
    Sum = 0,
    /// mean of x
    Mean = 1,
    /// sum of x \* x
    SumSquare = 2,
    /// sum of |x|
    L1 = 3,
    /// square root of the sum of squares
    L2 = 4,
    /// product of x
    Prod = 5,
    /// log of the sum
    LogSum = 6,
    /// log of the sum of exp(x)
    LogSumExp = 7,
    /// largest x
    Max = 8,
    /// smallest x
    Min = 9,
}

impl ReduceKind {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Sum),
            1 => Some(Self::Mean),
            2 => Some(Self::SumSquare),
            3 => Some(Self::L1),
            4 => Some(Self::L2),
            5 => Some(Self::Prod),
            6 => Some(Self::LogSum),
            7 => Some(Self::LogSumExp),
            8 => Some(Self::Max),
            9 => Some(Self::Min),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::SumSquare => "sum_square",
            Self::L1 => "l1",
            Self::L2 => "l2",
            Self::Prod => "prod",
            Self::LogSum => "log_sum",
            Self::LogSumExp => "log_sum_exp",
            Self::Max => "max",
            Self::Min => "min",
        }
    }
}

display!(ReduceKind);

/// Which element an index is asked of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum ArgReduceKind {
    /// The largest; NaN counts as larger than any number.
    Max = 0,
    /// The smallest; NaN counts as smaller than any number.
    Min = 1,
}

impl ArgReduceKind {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Max),
            1 => Some(Self::Min),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Max => "max",
            Self::Min => "min",
        }
    }
}

display!(ArgReduceKind);

/// Interpolations of resize.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum ResizeMode {
    /// The nearest element.
    Nearest = 0,
    /// Linear in each axis.
    Linear = 1,
    /// Cubic in each axis, with coefficient cubic_coeff_a.
    Cubic = 2,
}

impl ResizeMode {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Nearest),
            1 => Some(Self::Linear),
            2 => Some(Self::Cubic),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nearest => "nearest",
            Self::Linear => "linear",
            Self::Cubic => "cubic",
        }
    }
}

display!(ResizeMode);

/// How a position of resize's output maps to its input (ONNX's names).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum ResizeCoordinates {
    /// (x + 0.5) / scale - 0.5
    HalfPixel = 0,
    /// as half_pixel, about the centre of what the scale makes of the input
    HalfPixelSymmetric = 1,
    /// as half_pixel, and 0 where the output has one element
    PytorchHalfPixel = 2,
    /// x \* (in - 1) / (out - 1)
    AlignCorners = 3,
    /// x / scale
    Asymmetric = 4,
    /// (x + 0.5) / scale
    TfHalfPixelForNn = 5,
    /// from the beginning to the end of the region roi, in parts of the input
    TfCropAndResize = 6,
}

impl ResizeCoordinates {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::HalfPixel),
            1 => Some(Self::HalfPixelSymmetric),
            2 => Some(Self::PytorchHalfPixel),
            3 => Some(Self::AlignCorners),
            4 => Some(Self::Asymmetric),
            5 => Some(Self::TfHalfPixelForNn),
            6 => Some(Self::TfCropAndResize),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::HalfPixel => "half_pixel",
            Self::HalfPixelSymmetric => "half_pixel_symmetric",
            Self::PytorchHalfPixel => "pytorch_half_pixel",
            Self::AlignCorners => "align_corners",
            Self::Asymmetric => "asymmetric",
            Self::TfHalfPixelForNn => "tf_half_pixel_for_nn",
            Self::TfCropAndResize => "tf_crop_and_resize",
        }
    }
}

display!(ResizeCoordinates);

/// Rounding of resize's nearest mode (ONNX's names).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum ResizeNearest {
    /// to nearest, half down
    RoundPreferFloor = 0,
    /// to nearest, half up
    RoundPreferCeil = 1,
    /// down
    Floor = 2,
    /// up
    Ceil = 3,
}

impl ResizeNearest {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::RoundPreferFloor),
            1 => Some(Self::RoundPreferCeil),
            2 => Some(Self::Floor),
            3 => Some(Self::Ceil),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::RoundPreferFloor => "round_prefer_floor",
            Self::RoundPreferCeil => "round_prefer_ceil",
            Self::Floor => "floor",
            Self::Ceil => "ceil",
        }
    }
}

display!(ResizeNearest);

/// What becomes of the ratio of sides where resize is given sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum ResizePolicy {
    /// Each axis gets its size.
    Stretch = 0,
    /// One scale for all axes, so that none is larger than its size.
    NotLarger = 1,
    /// One scale for all axes, so that none is smaller than its size.
    NotSmaller = 2,
}

impl ResizePolicy {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Stretch),
            1 => Some(Self::NotLarger),
            2 => Some(Self::NotSmaller),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stretch => "stretch",
            Self::NotLarger => "not_larger",
            Self::NotSmaller => "not_smaller",
        }
    }
}

display!(ResizePolicy);

/// What a bin of a region becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum RoiMode {
    /// The average of its samples.
    Average = 0,
    /// The largest of its samples' four weighted elements.
    Maximum = 1,
    /// The largest element in it, with the region's ends rounded to elements.
    Cells = 2,
}

impl RoiMode {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Average),
            1 => Some(Self::Maximum),
            2 => Some(Self::Cells),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Average => "average",
            Self::Maximum => "maximum",
            Self::Cells => "cells",
        }
    }
}

display!(RoiMode);

/// Which power of two stands for a number between two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum PowerRounding {
    /// The larger one.
    Up = 0,
    /// The smaller one.
    Down = 1,
    /// The nearer one, from half way the larger one.
    Nearest = 2,
}

impl PowerRounding {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Up),
            1 => Some(Self::Down),
            2 => Some(Self::Nearest),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Nearest => "nearest",
        }
    }
}

display!(PowerRounding);

/// What is put where elements are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum PadMode {
    /// The pad value.
    Constant = 0,
    /// The elements mirrored about the edge element, which is not repeated.
    Reflect = 1,
    /// The edge element.
    Edge = 2,
    /// The elements of the other end.
    Wrap = 3,
}

impl PadMode {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Constant),
            1 => Some(Self::Reflect),
            2 => Some(Self::Edge),
            3 => Some(Self::Wrap),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Reflect => "reflect",
            Self::Edge => "edge",
            Self::Wrap => "wrap",
        }
    }
}

display!(PadMode);

/// What the channels of depth_to_space are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum DepthToSpaceOrder {
    /// Block row, block column, depth (ONNX: DCR).
    DepthFirst = 0,
    /// Depth, block row, block column (ONNX: CRD).
    ColumnFirst = 1,
}

impl DepthToSpaceOrder {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::DepthFirst),
            1 => Some(Self::ColumnFirst),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::DepthFirst => "depth_first",
            Self::ColumnFirst => "column_first",
        }
    }
}

display!(DepthToSpaceOrder);

/// What an update does to the element that is there. Updates that meet at one element are applied in the order of
/// their logical index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum ScatterReduction {
    /// It replaces it.
    None = 0,
    /// It is added.
    Add = 1,
    /// It is multiplied.
    Mul = 2,
    /// The smaller stays.
    Min = 3,
    /// The larger stays.
    Max = 4,
}

impl ScatterReduction {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::None),
            1 => Some(Self::Add),
            2 => Some(Self::Mul),
            3 => Some(Self::Min),
            4 => Some(Self::Max),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Add => "add",
            Self::Mul => "mul",
            Self::Min => "min",
            Self::Max => "max",
        }
    }
}

display!(ScatterReduction);

/// Interpolations of grid_sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum GridSampleMode {
    /// The nearest element, ties to even positions.
    Nearest = 0,
    /// Linear in each axis.
    Linear = 1,
    /// Cubic in each axis, with Keys' weights of -0.75.
    Cubic = 2,
}

impl GridSampleMode {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Nearest),
            1 => Some(Self::Linear),
            2 => Some(Self::Cubic),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nearest => "nearest",
            Self::Linear => "linear",
            Self::Cubic => "cubic",
        }
    }
}

display!(GridSampleMode);

/// What is read outside the input of grid_sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum GridSamplePadding {
    /// Zeros.
    Zeros = 0,
    /// The nearest element of the edge.
    Border = 1,
    /// The input mirrored at its edges.
    Reflection = 2,
}

impl GridSamplePadding {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Zeros),
            1 => Some(Self::Border),
            2 => Some(Self::Reflection),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Zeros => "zeros",
            Self::Border => "border",
            Self::Reflection => "reflection",
        }
    }
}

display!(GridSamplePadding);

/// Cells of recurrent layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum RecurrentCell {
    /// The plain cell: one function of a sum.
    Rnn = 0,
    /// Long short-term memory: three gates and a cell state.
    Lstm = 1,
    /// Gated recurrent unit: two gates.
    Gru = 2,
}

impl RecurrentCell {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Rnn),
            1 => Some(Self::Lstm),
            2 => Some(Self::Gru),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rnn => "rnn",
            Self::Lstm => "lstm",
            Self::Gru => "gru",
        }
    }
}

display!(RecurrentCell);

/// Which way a recurrent layer takes the steps of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum RecurrentDirection {
    /// From the first to the last.
    Forward = 0,
    /// From the last to the first.
    Reverse = 1,
    /// Both: two cells with weights and states of their own.
    Bidirectional = 2,
}

impl RecurrentDirection {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Forward),
            1 => Some(Self::Reverse),
            2 => Some(Self::Bidirectional),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Reverse => "reverse",
            Self::Bidirectional => "bidirectional",
        }
    }
}

display!(RecurrentDirection);

/// What the weights that trees give a target become.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum TreeAggregate {
    /// Their sum.
    Sum = 0,
    /// Their sum divided by the number of trees.
    Average = 1,
    /// The smallest; 0 where no tree has one.
    Minimum = 2,
    /// The largest; 0 where no tree has one.
    Maximum = 3,
}

impl TreeAggregate {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Sum),
            1 => Some(Self::Average),
            2 => Some(Self::Minimum),
            3 => Some(Self::Maximum),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Average => "average",
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
        }
    }
}

display!(TreeAggregate);

/// Whether kernels and plans are reusable or specialised. It changes time, never results. Set on a primitive or
/// model, on a context, for the process and for the build; the nearest that is not inherit wins. docs/reuse.md helps
/// to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[repr(i32)]
pub enum Reuse {
    /// Not set here: the context's, else the process's (ANYDIM_REUSE), else the build's, which is auto. The default.
    #[default]
    Inherit = 0,
    /// Reusable kernels with a plan from the cost model or from records; nothing is measured on the CPU engine.
    Auto = 1,
    /// Reusable kernels with the cost model's plan, and never anything else.
    Reusable = 2,
    /// Measures plans before creation returns: a primitive for its dims (hints or maxima of dynamic ones), a context
    /// for its bounds. Shapes met later run reusable.
    Specialised = 3,
    /// As auto, and the background worker measures plans for the shapes that calls bring.
    ReusableFirst = 4,
}

impl Reuse {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Inherit),
            1 => Some(Self::Auto),
            2 => Some(Self::Reusable),
            3 => Some(Self::Specialised),
            4 => Some(Self::ReusableFirst),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inherit => "inherit",
            Self::Auto => "auto",
            Self::Reusable => "reusable",
            Self::Specialised => "specialised",
            Self::ReusableFirst => "reusable_first",
        }
    }
}

display!(Reuse);

/// Math modes: how far arithmetic may be from the order that docs/numerics.md writes down. Set on a primitive, on a
/// layer of a model and on a model; the nearest that is not inherit wins. An operator without kernels of its own in
/// a mode computes in the mode before it: in this build everything is strict, and explanations name the mode of each
/// primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[repr(i32)]
pub enum Math {
    /// Not set here: a layer has its model's; strict where nothing is set. The default.
    #[default]
    Inherit = 0,
    /// The same bits from every kernel, on every engine.
    Strict = 1,
    /// Documented algorithms with a larger error too, where an operator has them. The same bits from every kernel.
    Fast = 2,
    /// Arithmetic in bfloat16 and other narrow types, too.
    Reduced = 3,
}

impl Math {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Inherit),
            1 => Some(Self::Strict),
            2 => Some(Self::Fast),
            3 => Some(Self::Reduced),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inherit => "inherit",
            Self::Strict => "strict",
            Self::Fast => "fast",
            Self::Reduced => "reduced",
        }
    }
}

display!(Math);

/// Whose memory a primitive computes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[repr(i32)]
pub enum Scratchpad {
    /// The stream's; it grows when a primitive needs more than any before. The default.
    #[default]
    Stream = 0,
    /// The caller's, passed to [`anydim_sys::anydim_primitive_execute`]; nothing is allocated.
    Caller = 1,
}

impl Scratchpad {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Stream),
            1 => Some(Self::Caller),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Caller => "caller",
        }
    }
}

display!(Scratchpad);

/// Which operand of a matmul, convolution or conv_transpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum Operand {
    /// Its first input.
    Input0 = 0,
    /// Its second input, the weights of a convolution.
    Input1 = 1,
    /// Its output.
    Result = 2,
}

impl Operand {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Input0),
            1 => Some(Self::Input1),
            2 => Some(Self::Result),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Input0 => "input_0",
            Self::Input1 => "input_1",
            Self::Result => "result",
        }
    }
}

display!(Operand);

/// What an attribute of a node is, and what its data points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum CustomAttributeType {
    /// One int64_t or a list of them, as many as count.
    Integers = 1,
    /// One float or a list of them.
    Reals = 2,
    /// One [`String`] or a list of them.
    Texts = 3,
    /// One tensor as a view, dense and row-major.
    Tensor = 4,
}

impl CustomAttributeType {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            1 => Some(Self::Integers),
            2 => Some(Self::Reals),
            3 => Some(Self::Texts),
            4 => Some(Self::Tensor),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Integers => "integers",
            Self::Reals => "reals",
            Self::Texts => "texts",
            Self::Tensor => "tensor",
        }
    }
}

display!(CustomAttributeType);

/// What may be asked of the memory order of a model's input or output. It changes time, never results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum EdgeLayout {
    /// The order given as axes.
    Order = 0,
    /// The last dim is innermost. What an edge has that nothing is asked of.
    RowMajor = 1,
    /// Dim 1 is innermost (N, H, W, C in memory). Rank 3 and more.
    ChannelsLast = 2,
    /// The order that its kernels read or write without a copy; the model chooses it.
    Fastest = 3,
    /// Outputs only: row-major if the input that the output follows is; else as fastest. docs/layouts.md says which
    /// input it follows.
    Follow = 4,
}

impl EdgeLayout {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Order),
            1 => Some(Self::RowMajor),
            2 => Some(Self::ChannelsLast),
            3 => Some(Self::Fastest),
            4 => Some(Self::Follow),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Order => "order",
            Self::RowMajor => "row_major",
            Self::ChannelsLast => "channels_last",
            Self::Fastest => "fastest",
            Self::Follow => "follow",
        }
    }
}

display!(EdgeLayout);

/// Which rewritings a model's graph gets when it is loaded: a means of finding the cause of a result, not of speed.
/// Results with exact and with none have the same bits; all may differ from them by the roundings that
/// docs/numerics.md, section 8, describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[repr(i32)]
pub enum Passes {
    /// All of them. The default.
    #[default]
    All = 0,
    /// Those that cannot change a bit; functions that a model spells out are computed step by step.
    Exact = 1,
    /// None: each node of the file runs by itself, into memory of its own.
    None = 2,
}

impl Passes {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::All),
            1 => Some(Self::Exact),
            2 => Some(Self::None),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Exact => "exact",
            Self::None => "none",
        }
    }
}

display!(Passes);

/// A command for the background worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum WorkerAction {
    /// To rest after the request it is serving.
    Pause = 0,
    /// To go on.
    Resume = 1,
    /// To stop at its next look, drop what is queued, and take nothing more in this process (as ANYDIM_WORKER=off
    /// does from the start).
    TurnOff = 2,
}

impl WorkerAction {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Pause),
            1 => Some(Self::Resume),
            2 => Some(Self::TurnOff),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::TurnOff => "turn_off",
        }
    }
}

display!(WorkerAction);

/// Kinds of records in the persistent cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum RecordKind {
    /// Every kind.
    All = 0,
    /// Tuned plans.
    Plan = 1,
    /// Compiled device programs.
    Binary = 2,
}

impl RecordKind {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::All),
            1 => Some(Self::Plan),
            2 => Some(Self::Binary),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Plan => "plan",
            Self::Binary => "binary",
        }
    }
}

display!(RecordKind);

/// How a primitive was come by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum PrimitiveCacheHit {
    /// No cache was asked: it is off, or the primitive is a model's.
    None = 0,
    /// Created by the call.
    Miss = 1,
    /// Core and descriptors were in the cache.
    Hit = 2,
    /// Another thread was creating the same and was waited for.
    Waited = 3,
    /// Made over the one core of an operator whose shapes keep changing.
    Churn = 4,
}

impl PrimitiveCacheHit {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::None),
            1 => Some(Self::Miss),
            2 => Some(Self::Hit),
            3 => Some(Self::Waited),
            4 => Some(Self::Churn),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Miss => "miss",
            Self::Hit => "hit",
            Self::Waited => "waited",
            Self::Churn => "churn",
        }
    }
}

display!(PrimitiveCacheHit);

/// What a tensor of a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum CallRole {
    /// An input that comes at execution.
    Input = 0,
    /// A constant input that is packed before.
    Weights = 1,
    /// A tensor of a post-op; comes at execution, after the inputs.
    PostOp = 2,
    /// An output.
    Output = 3,
}

impl CallRole {
    #[allow(dead_code)] // not each enum comes out of a call
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Input),
            1 => Some(Self::Weights),
            2 => Some(Self::PostOp),
            3 => Some(Self::Output),
            _ => None,
        }
    }

    /// Its name in texts, logs and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Weights => "weights",
            Self::PostOp => "post_op",
            Self::Output => "output",
        }
    }
}

display!(CallRole);
