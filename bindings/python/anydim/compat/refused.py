# SPDX-License-Identifier: Apache-2.0
"""Names of onnxruntime that are here to say why they do nothing: classes that cannot be made, functions that cannot be called. The page
docs/onnxruntime-names.md has the same reasons."""

from __future__ import annotations

from typing import Any

from .. import errors

_SPARSE = "Anydim has no sparse tensors; pass a dense array"
_ADAPTER = "Anydim loads no adapters of LoRA; add them to the model's weights, or make them inputs"
_COMPILED = "Anydim has no compiled models; anydim.InferenceSession.save_packed_weights stores what takes time to make"
_STREAM = "the processor has no streams; runs end before they return"
_PROVIDER = (
    "Anydim replaces onnxruntime here and is its one provider; the real onnxruntime loads libraries of providers"
)
_ASSIGNED = "the one provider has all nodes; session.describe() of Anydim lists them"

# class -> why, and the methods that a program may name.
CLASSES: dict[str, tuple[str, tuple[str, ...]]] = {
    "AdapterFormat": (
        _ADAPTER,
        (
            "adapter_version", "export_adapter", "format_version", "get_adapter_version", "get_format_version",
            "get_model_version", "get_parameters",
            "model_version", "parameters", "read_adapter", "set_adapter_version", "set_model_version", "set_parameters",
        ),
    ),
    "LoraAdapter": (_ADAPTER, ("Load",)),
    "ModelCompiler": (
        _COMPILED,
        (
            "clear_ep_context_data_write_func", "compile_to_bytes", "compile_to_file", "compile_to_stream",
            "set_ep_context_data_write_func",
        ),
    ),
    "OrtEpAssignedNode": (_ASSIGNED, ("domain", "name", "op_type")),
    "OrtEpAssignedSubgraph": (_ASSIGNED, ("ep_name", "get_nodes")),
    "OrtEpContextData": (_COMPILED, ("read", "size")),
    "OrtEpContextDataBuffer": (_COMPILED, ("allocate", "is_allocated", "max_size", "size", "write")),
    "OrtExternalInitializerInfo": (_COMPILED, ("byte_size", "file_offset", "filepath")),
    "OrtSyncStream": (_STREAM, ("get_handle",)),
    "SessionObjectInitializer": ("anydim.InferenceSession is made from a path or bytes", ()),
    "SparseBlockSparseView": (_SPARSE, ("indices",)),
    "SparseCooView": (_SPARSE, ("indices",)),
    "SparseCsrView": (_SPARSE, ("inner", "outer")),
    "SparseTensor": (
        _SPARSE,
        (
            "as_blocksparse_view", "as_coo_view", "as_csrc_view", "blocksparse_from_numpy", "data_type", "dense_shape",
            "device_name", "format", "get_blocksparse_data", "get_coo_data", "get_csrc_data",
            "sparse_coo_from_numpy", "sparse_csr_from_numpy", "to_cuda", "values",
        ),
    ),
}  # fmt: skip

FUNCTIONS: dict[str, str] = {
    "get_compatibility_info_from_model": _COMPILED,
    "get_compatibility_info_from_model_bytes": _COMPILED,
    "get_hardware_device_ep_incompatibility_details": _PROVIDER,
    "get_model_compatibility_for_ep_devices": _COMPILED,
    "get_registered_ep_kernel_defs": _PROVIDER,
    "get_session_initializer": "anydim.InferenceSession is made from a path or bytes",
    "register_execution_provider_library": _PROVIDER,
    "unregister_execution_provider_library": _PROVIDER,
}


def _refusing(name: str, why: str) -> Any:
    def refuse(*_: Any, **__: Any) -> Any:
        raise errors.UnimplementedError(f"{name}: {why}")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Refused: {why}."
    return refuse


def refusing_class(name: str) -> type:
    why, methods = CLASSES[name]
    members: dict[str, Any] = {method: staticmethod(_refusing(f"{name}.{method}", why)) for method in methods}
    return type(name, (), {"__init__": _refusing(name, why), "__doc__": f"Refused: {why}.", **members})


NAMES: dict[str, Any] = {name: refusing_class(name) for name in CLASSES} | {
    name: _refusing(name, why) for name, why in FUNCTIONS.items()
}
