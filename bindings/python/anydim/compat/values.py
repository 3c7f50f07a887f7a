# SPDX-License-Identifier: Apache-2.0
"""onnxruntime's values, on numpy arrays: OrtValue, rows of them, and the caller's memory at an address."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from .._capi import dtype_of
from .._enums import Dtype
from ..arrays import TENSOR_TYPES, as_array, new_array, numpy_dtype
from ..dims import whole_number

# ONNX's numbers of element types (TensorProto.DataType).
_ONNX_TYPES = {
    1: Dtype.F32,
    2: Dtype.U8,
    3: Dtype.I8,
    4: Dtype.U16,
    5: Dtype.I16,
    6: Dtype.I32,
    7: Dtype.I64,
    9: Dtype.BOOL,
    10: Dtype.F16,
    11: Dtype.F64,
    12: Dtype.U32,
    13: Dtype.U64,
    16: Dtype.BF16,
    17: Dtype.F8E4M3FN,
    18: Dtype.F8E4M3FNUZ,
    19: Dtype.F8E5M2,
    20: Dtype.F8E5M2FNUZ,
    21: Dtype.U4,
    22: Dtype.I4,
    23: Dtype.F4E2M1,
    24: Dtype.F8E8M0,
    25: Dtype.U2,
    26: Dtype.I2,
}


def _numpy_type(element_type: Any) -> np.dtype[Any]:
    """An element type as onnxruntime takes it: a numpy type, or ONNX's number of one."""
    if isinstance(element_type, int):
        if element_type not in _ONNX_TYPES:
            raise errors.UnimplementedError(f"element_type is {element_type}; expected one of {sorted(_ONNX_TYPES)}")
        return numpy_dtype(_ONNX_TYPES[element_type])
    try:
        dtype: np.dtype[Any] = np.dtype(element_type)
    except TypeError:
        raise errors.InvalidArgumentError(f"element_type is {element_type!r}; expected a numpy type") from None
    if dtype_of(np.empty(0, dtype)) == 0:
        raise errors.UnimplementedError(f"element_type is {element_type!r}; expected numbers or bool")
    return dtype


def array_at(pointer: Any, shape: Any, element_type: Any, what: str) -> np.ndarray[Any, Any]:
    """The caller's memory as an array, which is as valid as the pointer."""
    dtype = _numpy_type(element_type)
    dims = tuple(whole_number(d, f"shape[{i}] of {what}") for i, d in enumerate(shape))
    address = whole_number(pointer, f"buffer_ptr of {what}")
    if any(d < 0 for d in dims):
        raise errors.InvalidArgumentError(f"shape of {what} is {dims}; expected no negative dim")
    if address == 0:
        raise errors.InvalidArgumentError(f"buffer_ptr of {what} is 0; expected an address")
    if address % dtype.alignment != 0:
        raise errors.InvalidArgumentError(
            f"buffer_ptr of {what} is no multiple of the {dtype.alignment} bytes of {dtype}"
        )
    size = math.prod(dims) * dtype.itemsize
    if size == 0:
        return np.empty(dims, dtype)
    memory = memoryview((ctypes.c_byte * size).from_address(address))
    return np.frombuffer(memory, dtype).reshape(dims)


class OrtValue:
    """A numpy array in onnxruntime's clothes."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._array = array

    @staticmethod
    def ortvalue_from_numpy(
        numpy_obj: Any, device_type: str = "cpu", device_id: int = 0, vendor_id: int = -1
    ) -> OrtValue:
        check_device(device_type)
        return OrtValue(as_array(numpy_obj, "the array"))

    @staticmethod
    def ortvalue_from_numpy_with_onnx_type(data: Any, onnx_element_type: int) -> OrtValue:
        """The bytes of an array as elements of another type of the same size: uint16 as bfloat16."""
        wanted, array = _numpy_type(onnx_element_type), as_array(data, "the array")
        if array.dtype.itemsize != wanted.itemsize:
            raise errors.InvalidArgumentError(f"the array is of {array.dtype}; expected elements as large as {wanted}")
        return OrtValue(array.view(wanted))

    @staticmethod
    def ortvalue_from_shape_and_type(
        shape: Sequence[int],
        element_type: Any = np.float32,
        device_type: str = "cpu",
        device_id: int = 0,
        vendor_id: int = -1,
        memory_info: Any = None,
    ) -> OrtValue:
        check_device(device_type)
        return OrtValue(new_array(shape, _numpy_type(element_type), "the value"))

    @classmethod
    def ort_value_from_sparse_tensor(cls, sparse_tensor: Any) -> OrtValue:
        raise errors.UnimplementedError("sparse_tensor was given; Anydim has no sparse tensors; pass a dense array")

    def as_sparse_tensor(self) -> Any:
        raise errors.UnimplementedError("the value is dense; Anydim has no sparse tensors")

    @property
    def _ortvalue(self) -> OrtValue:
        """onnxruntime's own object behind this one, which programs reach through."""
        return self

    @classmethod
    def from_dlpack(cls, data: Any) -> OrtValue:
        """A value over the memory of anything that speaks DLPack, or of a capsule of it."""
        return cls(np.from_dlpack(data if hasattr(data, "__dlpack__") else _Capsule(data)))

    def __dlpack__(self, *, stream: Any = None, **options: Any) -> Any:
        return self._array.__dlpack__(stream=stream, **options)

    to_dlpack = __dlpack__

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, number = self._array.__dlpack_device__()
        return int(kind), number

    def numpy(self) -> np.ndarray[Any, Any]:
        return self._array

    def shape(self) -> list[int]:
        return list(self._array.shape)

    def data_type(self) -> str:
        return TENSOR_TYPES[Dtype(dtype_of(self._array))]

    def element_type(self) -> int:
        """ONNX's number of the type."""
        mine = dtype_of(self._array)
        return next(number for number, dtype in _ONNX_TYPES.items() if dtype == mine)

    def tensor_size_in_bytes(self) -> int:
        return self._array.nbytes

    def device_name(self) -> str:
        return "cpu"

    def data_ptr(self) -> int:
        address: int = self._array.__array_interface__["data"][0]
        return address

    def is_tensor(self) -> bool:
        return True

    def is_sparse_tensor(self) -> bool:
        return False

    def is_tensor_sequence(self) -> bool:
        return False

    def has_value(self) -> bool:
        return True

    def update_inplace(self, data: Any) -> None:
        array = data.numpy() if isinstance(data, OrtValue) else data
        if not isinstance(array, np.ndarray):
            raise TypeError(f"data is of type {type(data).__name__}; expected a numpy array or an OrtValue")
        if (array.dtype, array.shape) != (self._array.dtype, self._array.shape):
            raise errors.InvalidArgumentError(
                f"data is {array.dtype} of shape {array.shape}; expected {self._array.dtype} of {self._array.shape}"
            )
        self._array[...] = array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is None:
            return np.asarray(self._array, dtype=dtype)
        return np.array(self._array, dtype=dtype, copy=copy)


class _Capsule:
    """A DLPack capsule of the processor's memory as an object that gives it."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


class OrtValueVector(list[OrtValue]):
    """Values in a row, with the methods of onnxruntime's vector."""

    push_back = list.append

    def push_back_batch(
        self,
        tensors: Sequence[Any],
        data_ptrs: Sequence[int],
        element_types: Sequence[Any],
        shapes: Sequence[Sequence[int]],
        devices: Sequence[Any] = (),
    ) -> None:
        """Values over the memory of tensors; `tensors` are held for it, `devices` are the processor."""
        for tensor, pointer, element_type, shape in zip(tensors, data_ptrs, element_types, shapes, strict=True):
            value = OrtValue(array_at(pointer, shape, element_type, "a tensor"))
            value._owner = tensor  # type: ignore[attr-defined]
            self.append(value)

    def reserve(self, size: int) -> None:
        """Nothing to do."""

    def shrink_to_fit(self) -> None:
        """Nothing to do."""

    def element_type_at(self, index: int) -> int:
        return self[index].element_type()

    def bool_tensor_indices(self) -> list[int]:
        return [i for i, value in enumerate(self) if value.data_type() == "tensor(bool)"]

    def dlpack_at(self, index: int) -> Any:
        return self[index].__dlpack__()

    def to_dlpacks(self, to_tensor: Any = None) -> list[Any]:
        capsules = (value.__dlpack__() for value in self)
        return [capsule if to_tensor is None else to_tensor(capsule) for capsule in capsules]


def check_device(device_type: str) -> None:
    if device_type != "cpu":
        raise errors.UnimplementedError(f"device is {device_type!r}; expected 'cpu'")
