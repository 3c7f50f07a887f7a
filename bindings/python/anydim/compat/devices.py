# SPDX-License-Identifier: Apache-2.0
"""onnxruntime's names of devices and of memory. The processor is the one device."""

from __future__ import annotations

from enum import IntEnum

from .values import check_device


class OrtAllocatorType(IntEnum):
    INVALID = -1
    ORT_DEVICE_ALLOCATOR = 0
    ORT_ARENA_ALLOCATOR = 1


class OrtMemType(IntEnum):
    CPU_INPUT = -2
    CPU_OUTPUT = -1
    DEFAULT = 0


class OrtDeviceMemoryType(IntEnum):
    DEFAULT = 0
    HOST_ACCESSIBLE = 5


class OrtDevice:
    """Where something lies: `OrtDevice.make("cpu", 0)`, or by numbers, all 0."""

    _cpu, _default = 0, 0

    def __init__(self, device_type: int = 0, memory_type: int = 0, *numbers: int) -> None:
        if device_type != self._cpu:
            check_device(f"of type {device_type}")
        self._memory_type, self._id = memory_type, numbers[-1] if numbers else 0

    @classmethod
    def make(cls, ort_device_name: str, device_id: int, vendor_id: int = -1) -> OrtDevice:
        check_device(ort_device_name)
        return cls(0, 0, device_id)

    @staticmethod
    def cpu() -> int:
        return 0

    @staticmethod
    def default_memory() -> int:
        return 0

    def device_id(self) -> int:
        return self._id

    def device_type(self) -> int:
        return self._cpu

    def device_vendor_id(self) -> int:
        return 0

    vendor_id = device_vendor_id

    def device_mem_type(self) -> int:
        return self._memory_type

    mem_type = device_mem_type


class OrtMemoryInfo:
    """The name of a memory: `OrtMemoryInfo("Cpu", OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, OrtMemType.DEFAULT)`."""

    def __init__(self, name: str, allocator_type: OrtAllocatorType, device_id: int, mem_type: OrtMemType) -> None:
        if name.lower() != "cpu":
            check_device(name)
        self.name = name
        self.allocator_type = OrtAllocatorType(allocator_type)
        self.device_id = device_id
        self.mem_type = OrtMemType(mem_type)
        self.device_mem_type = OrtDeviceMemoryType.DEFAULT
        self.device_vendor_id = 0
