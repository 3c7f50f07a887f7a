# SPDX-License-Identifier: Apache-2.0
# Generated from capi/api and core/ops/described by capi/generator; do not edit.
# ruff: noqa
"""The structs of the C API as dicts, for type checkers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from ._capi import Cancellation, CustomOperators, Engine, Layers, Layouts


class ErrorInfo(TypedDict):
    status: int
    message: str
    function: str
    argument: str
    node: str


class BuildInfo(TypedDict):
    major: int
    minor: int
    patch: int
    persistent_cache: int
    opencl: int
    architecture: str
    kernel_isas: str


class EngineOptions(TypedDict, total=False):
    threads: int
    flushed_denormals: int


class EngineInfo(TypedDict):
    kind: int
    threads: int
    kernels: int
    device: str
    isa: str


class EngineKindInfo(TypedDict):
    kind: int
    name: str


class DeviceInfo(TypedDict):
    platform: int
    device: int
    usable: int
    units: int
    like_gpu: int
    memory_bytes: int
    largest_allocation_bytes: int
    name: str
    driver: str
    platform_name: str


class KernelInfo(TypedDict):
    usable: int
    name: str
    op: str
    isa: str
    layout: str
    src: int
    dst: int


class StreamOptions(TypedDict, total=False):
    threads: int


class MemoryInfo(TypedDict):
    imported: int
    bytes: int
    data: int


class SaveOptions(TypedDict, total=False):
    sync: int


class Candidate(TypedDict):
    chosen: int
    name: str
    refusal: str


class EngineDefinition(TypedDict, total=False):
    version: int
    name: str | bytes
    device: str | bytes
    driver: str | bytes
    kernel_count: int
    base_alignment: int
    largest_allocation: int


class ModelOptions(TypedDict, total=False):
    math: int
    reuse: int
    input_layout: int
    output_layout: int
    passes: int
    layouts: Layouts
    packed_weights: str | bytes
    engines: Sequence[Engine]
    layers: Layers
    external_data_folder: str | bytes
    sequences: str | bytes
    operators: CustomOperators
    streaming: str | bytes
    streaming_chunk: int


class ModelInfo(TypedDict):
    metadata: int
    producer_name: str
    producer_version: str
    graph_name: str
    domain: str
    description: str
    version: int
    opset: int
    nodes: int
    file_nodes: int
    weight_bytes: int
    packed_weights: int
    mapped_weights: int
    mapped_bytes: int
    engines: int


class ValueInfo(TypedDict):
    dtype: int
    name: str
    dims: list[int]
    min: list[int]
    max: list[int]
    order: list[int]
    symbols: list[str]


class ContextOptions(TypedDict, total=False):
    threads: int
    profile: int
    reuse: int
    tuning_ms: int
    buffer_bytes: int


class RunOptions(TypedDict, total=False):
    timeout_ms: int
    cancellation: Cancellation
    alias_count: int
    part_count: int


class TuneOptions(TypedDict, total=False):
    node_ms: int
    record: int
    again: int
    cancellation: Cancellation


class ContextInfo(TypedDict):
    bounded: int
    arena_bytes: int
    growths: int
    runs: int
    threads: int


class NodeInfo(TypedDict):
    name: str
    op: str
    kernel: str
    tier: str
    post_ops: str
    scratch_bytes: int
    output_bytes: int
    time_ns: int


class SessionInfo(TypedDict):
    contexts: int
    limit: int
    in_use: int
    waiting: int
    growths: int
    arena_bytes: int


class StateInfo(TypedDict):
    parts: int
    in_place: int
    length: int
    limit: int
    steps: int
    bytes: int
    appended_bytes: int
    copied_bytes: int
    growths: int
    page: int
    pages: int
    shared_pages: int
    pool_bytes: int
    pool_limit: int


class StreamingInfo(TypedDict):
    first_after: int
    received: int
    chunks: int
    bytes: int
    most_chunk: int


class BatchingOptions(TypedDict, total=False):
    rows: int
    wait_us: int
    waiting: int


class BatchingInfo(TypedDict):
    started: int
    waiting: int
    running: int
    requests: int
    rows: int
    batches: int
    largest_batch: int
    failed: int
    cancelled: int
    late: int
    refused: int
    p50_ns: int
    p99_ns: int
    rows_per_second: int


class WorkerInfo(TypedDict):
    running: int
    paused: int
    turned_off: int
    queued: int
    requested: int
    dropped: int
    repeated: int
    served: int
    failed: int
    busy_ns: int


class PrimitiveCacheInfo(TypedDict):
    churn_misses: int
    limit_bytes: int
    bytes: int
    entries: int


class PrimitiveCreation(TypedDict):
    hit: int
    time_ns: int


class PersistentCacheInfo(TypedDict):
    enabled: int
    limit_bytes: int
    entries: int
    index_bytes: int
    hits: int
    misses: int
    stores: int
    store_failures: int
    evicted: int
    damaged_records: int
    damaged_files: int
    load_failures: int
    load_ns: int


class Counter(TypedDict):
    level: int
    name: str
    doc: str
    value: int


class CallInfo(TypedDict):
    tensors: int
    name: str
    op: str
    post_ops: str
    kernel: str
    tier: str
    time_ns: int
    flops: int
    threads: int


class CallTensor(TypedDict):
    role: int
    dtype: int
    index: int
    dims: list[int]
    strides: list[int]
    low: int
    high: int
