# SPDX-License-Identifier: Apache-2.0
"""onnxruntime's names of devices, of memory and of allocators. The processor is the one device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import anydim

from .. import errors
from .enums import (
    OrtAllocatorType,
    OrtDeviceMemoryType,
    OrtDeviceVendorId,
    OrtHardwareDeviceType,
    OrtMemoryInfoDeviceType,
    OrtMemType,
)
from .values import OrtValue, check_device
from .warnings_once import warn_once

CPU = "CPUExecutionProvider"


class OrtDevice:
    """Where something lies: `OrtDevice.make("cpu", 0)`, or by numbers, all 0."""

    _cpu, _default = 0, 0

    def __init__(self, device_type: int = 0, memory_type: int = 0, *numbers: int) -> None:
        if device_type != self._cpu:
            check_device(f"of type {device_type}")
        self._memory_type, self._id = memory_type, numbers[-1] if numbers else 0

    @staticmethod
    def make(ort_device_name: str, device_id: int, vendor_id: int = -1) -> OrtDevice:
        check_device(ort_device_name)
        return OrtDevice(0, 0, device_id)

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


# Numbers of other devices, for programs that compare a device's type with them.
for _name, _number in {"cann": 3, "cuda": 1, "dml": 4, "fpga": 2, "gpu": 1, "npu": 3, "webgpu": 1}.items():
    setattr(OrtDevice, _name, staticmethod(lambda number=_number: number))


class OrtMemoryInfo:
    """The name of a memory: `OrtMemoryInfo("Cpu", OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, OrtMemType.DEFAULT)`."""

    name = property(lambda self: self._name)
    allocator_type = property(lambda self: self._allocator_type)
    device_id = property(lambda self: self._device_id)
    mem_type = property(lambda self: self._mem_type)
    device_mem_type = property(lambda self: OrtDeviceMemoryType.DEFAULT)
    device_vendor_id = property(lambda self: 0)

    def __init__(self, name: str, allocator_type: OrtAllocatorType, device_id: int, mem_type: OrtMemType) -> None:
        if name.lower() != "cpu":
            check_device(name)
        self._name = name
        self._allocator_type = OrtAllocatorType(allocator_type)
        self._device_id = device_id
        self._mem_type = OrtMemType(mem_type)

    @staticmethod
    def create_v2(
        name: str,
        device_type: OrtMemoryInfoDeviceType,
        vendor_id: int,
        device_id: int,
        device_mem_type: OrtDeviceMemoryType,
        alignment: int,
        allocator_type: OrtAllocatorType,
    ) -> OrtMemoryInfo:
        if device_type != OrtMemoryInfoDeviceType.CPU:
            check_device(OrtMemoryInfoDeviceType(device_type).name.lower())
        return OrtMemoryInfo("Cpu", allocator_type, device_id, OrtMemType.DEFAULT)


class OrtArenaCfg:
    """How onnxruntime's arena grows: four numbers, or a dict. Kept, without effect."""

    max_mem = 0
    arena_extend_strategy = -1
    initial_chunk_size_bytes = -1
    max_dead_bytes_per_chunk = -1
    initial_growth_chunk_size_bytes = -1
    max_power_of_two_extend_bytes = -1

    def __init__(self, *settings: Any) -> None:
        names = ("max_mem", "arena_extend_strategy", "initial_chunk_size_bytes", "max_dead_bytes_per_chunk")
        given = settings[0] if len(settings) == 1 else dict(zip(names, settings, strict=True))
        for name, number in given.items():
            if name.startswith("_") or not hasattr(type(self), name):
                raise errors.InvalidArgumentError(f"{name!r} is no setting of OrtArenaCfg")
            setattr(self, name, int(number))


def create_and_register_allocator(mem_info: OrtMemoryInfo, arena_cfg: OrtArenaCfg | None = None) -> None:
    """Accepted, without effect: each context has its own memory."""
    warn_once("create_and_register_allocator", "each context has its own memory")


def create_and_register_allocator_v2(
    provider_type: str, mem_info: OrtMemoryInfo, options: Mapping[str, str], arena_cfg: OrtArenaCfg | None = None
) -> None:
    """Accepted, without effect: each context has its own memory."""
    warn_once("create_and_register_allocator_v2", "each context has its own memory")


class OrtHardwareDevice:
    """The processor."""

    type = OrtHardwareDeviceType.CPU
    vendor = ""
    vendor_id = int(OrtDeviceVendorId.NONE)
    device_id = 0
    metadata: Mapping[str, str] = {}


class OrtEpDevice:
    """The processor's provider on the processor, as `get_ep_devices()` lists it."""

    ep_name = CPU
    ep_vendor = "Anydim"
    ep_metadata: Mapping[str, str] = {"version": anydim.__version__}
    ep_options: Mapping[str, str] = {}
    device = OrtHardwareDevice()

    def memory_info(self, memory_type: OrtDeviceMemoryType) -> OrtMemoryInfo:
        return cpu_memory()

    def create_sync_stream(self) -> None:
        raise errors.UnimplementedError("create_sync_stream: the processor has no streams; runs end before they return")


DEVICE = OrtEpDevice()


def cpu_memory() -> OrtMemoryInfo:
    return OrtMemoryInfo("Cpu", OrtAllocatorType.ORT_DEVICE_ALLOCATOR, 0, OrtMemType.DEFAULT)


def get_ep_devices() -> list[OrtEpDevice]:
    return [DEVICE]


def get_hardware_devices() -> list[OrtHardwareDevice]:
    return [DEVICE.device]


def copy_tensors(src: Sequence[OrtValue], dst: Sequence[OrtValue], stream: Any = None) -> None:
    """Copies the elements of each value of `src` into that of `dst`."""
    if len(src) != len(dst):
        raise errors.InvalidArgumentError(f"src has {len(src)} values and dst {len(dst)}; expected as many")
    for source, target in zip(src, dst, strict=True):
        target.update_inplace(source)
