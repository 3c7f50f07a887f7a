# SPDX-License-Identifier: Apache-2.0
"""What callers pass as arrays, made viewable by the library: a copy only where memory cannot be read as it lies."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _capi
from ._enums import Dtype
from .dims import whole_number
from .errors import InvalidArgumentError, OutOfMemoryError

Array = NDArray[Any]

# ONNX's names of element types, as onnxruntime's users know them.
TENSOR_TYPES = {
    Dtype.F32: "tensor(float)",
    Dtype.F64: "tensor(double)",
    Dtype.F16: "tensor(float16)",
    Dtype.BF16: "tensor(bfloat16)",
    Dtype.I8: "tensor(int8)",
    Dtype.U8: "tensor(uint8)",
    Dtype.I16: "tensor(int16)",
    Dtype.U16: "tensor(uint16)",
    Dtype.I32: "tensor(int32)",
    Dtype.U32: "tensor(uint32)",
    Dtype.I64: "tensor(int64)",
    Dtype.U64: "tensor(uint64)",
    Dtype.BOOL: "tensor(bool)",
    Dtype.F8E4M3FN: "tensor(float8e4m3fn)",
    Dtype.F8E4M3FNUZ: "tensor(float8e4m3fnuz)",
    Dtype.F8E5M2: "tensor(float8e5m2)",
    Dtype.F8E5M2FNUZ: "tensor(float8e5m2fnuz)",
    Dtype.F8E8M0: "tensor(float8e8m0)",
    Dtype.F4E2M1: "tensor(float4e2m1)",
    Dtype.I4: "tensor(int4)",
    Dtype.U4: "tensor(uint4)",
    Dtype.I2: "tensor(int2)",
    Dtype.U2: "tensor(uint2)",
}
_NUMPY_NAMES = {
    Dtype.F32: "float32",
    Dtype.F64: "float64",
    Dtype.F16: "float16",
    Dtype.I8: "int8",
    Dtype.U8: "uint8",
    Dtype.I16: "int16",
    Dtype.U16: "uint16",
    Dtype.I32: "int32",
    Dtype.U32: "uint32",
    Dtype.I64: "int64",
    Dtype.U64: "uint64",
    Dtype.BOOL: "bool",
}
# Those that come from the package ml_dtypes.
_ML_DTYPES = {
    Dtype.BF16: "bfloat16",
    Dtype.F8E4M3FN: "float8_e4m3fn",
    Dtype.F8E4M3FNUZ: "float8_e4m3fnuz",
    Dtype.F8E5M2: "float8_e5m2",
    Dtype.F8E5M2FNUZ: "float8_e5m2fnuz",
    Dtype.F8E8M0: "float8_e8m0fnu",
    Dtype.F4E2M1: "float4_e2m1fn",
    Dtype.I4: "int4",
    Dtype.U4: "uint4",
    Dtype.I2: "int2",
    Dtype.U2: "uint2",
}


# Bool, whole numbers, real ones (V: those of ml_dtypes): what goes into what without a change of kind.
_KIND_ORDER = {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2}


def view(array: Array) -> _capi.View:
    """An array as the library sees it; the caller keeps it alive."""
    strides = [step // array.itemsize for step in array.strides]
    return (_capi.dtype_of(array), array.shape, strides, array.__array_interface__["data"][0])


def numpy_dtype(dtype: int) -> np.dtype[Any]:
    """The numpy dtype of one of Anydim's; those that numpy lacks come from the package ml_dtypes."""
    name = _ML_DTYPES.get(Dtype(dtype))
    if name is not None:
        import ml_dtypes  # type: ignore[import-not-found, unused-ignore]

        found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
        return found
    return np.dtype(_NUMPY_NAMES[Dtype(dtype)])


def as_array(value: Any, what: str, dtype: int | None = None) -> Array:
    """An array over the value's memory: numpy's own, anything that speaks DLPack, or whatever numpy can convert. Python's own
    numbers and lists have no dtype: they get the one given, unless that would change them (1.5 is no int)."""
    if _capi.is_viewable(value):  # first, for speed
        viewable: Array = value
        return viewable
    if isinstance(value, np.ndarray):
        array = value
    elif value is None:
        raise InvalidArgumentError(f"{what} is None; expected an array")
    elif hasattr(value, "__dlpack__"):
        array = _shared(value, what)
    else:
        array = _converted(value, what)
        if dtype is not None and isinstance(value, (bool, int, float, list, tuple)):
            wanted = numpy_dtype(dtype)
            if array.size > 0 and _KIND_ORDER.get(array.dtype.kind, 9) > _KIND_ORDER[wanted.kind]:
                raise InvalidArgumentError(f"{what} has {array.dtype} values; expected {wanted}")
            cast = array.astype(wanted)
            if array.dtype.kind in "iu" and wanted.kind in "iu" and not np.array_equal(cast, array):
                raise InvalidArgumentError(f"{what} has values that {wanted} does not hold")
            array = cast
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if _capi.dtype_of(array) == 0:
        raise InvalidArgumentError(f"{what} has dtype {array.dtype}; expected numbers or bool")
    # Strides count elements, and elements lie at multiples of their size.
    if not array.flags.aligned or any(stride % array.itemsize for stride in array.strides):
        array = array.copy()
    return array


def _converted(value: Any, what: str) -> Array:
    try:
        return np.asarray(value)
    except (TypeError, ValueError) as error:  # rows of different lengths, say
        raise InvalidArgumentError(f"{what} cannot be made an array: {error}") from None


def _shared(value: Any, what: str) -> Array:
    try:
        return np.from_dlpack(value)
    except Exception as error:  # whatever its owner raises: it is on another device, say
        raise InvalidArgumentError(f"{what} cannot be read through DLPack: {error}") from error


def new_array(shape: Iterable[Any], dtype: np.dtype[Any], what: str) -> Array:
    """An array of zeros, or an error of Anydim that says why there is none."""
    dims = [whole_number(d, f"dim {i} of {what}") for i, d in enumerate(shape)]
    if any(d < 0 for d in dims):
        raise InvalidArgumentError(f"dims of {what} are {dims}; expected no negative one")
    try:
        return np.zeros(dims, dtype)
    except (MemoryError, ValueError):  # ValueError: more than an address space has, or too many dims
        size = math.prod(dims) * dtype.itemsize
        raise OutOfMemoryError(f"{what} of dims {dims} needs {size} bytes, which could not be allocated") from None


def as_output(value: Any, what: str) -> Array:
    """An array that can be written in place."""
    if not isinstance(value, np.ndarray) and not hasattr(value, "__dlpack__"):
        raise InvalidArgumentError(f"{what} is of type {type(value).__name__}; expected an array that can be written")
    array: Array = value if isinstance(value, np.ndarray) else _shared(value, what)
    if _capi.dtype_of(array) == 0:
        raise InvalidArgumentError(f"{what} has dtype {array.dtype}; expected numbers or bool")
    if not array.flags.aligned or not array.dtype.isnative or any(stride % array.itemsize for stride in array.strides):
        raise InvalidArgumentError(f"{what} is not aligned, or not in this machine's byte order")
    return array
