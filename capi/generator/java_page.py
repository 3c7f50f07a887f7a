# SPDX-License-Identifier: Apache-2.0
"""Emits docs/reference/java.md: what each function of the C API is in Java, or why Java does not have it. A function that is missing here
is an error of the description, so none is left out in silence; tests/house/test_java_page.py looks whether the methods are there and
call it."""

from __future__ import annotations

from .c_header import GENERATED
from .description import Api, DescriptionError

# Class.method for each; several, with a blank between them, where C has one and Java several.
METHODS = {
    "version": "Engine.version",
    "status_name": "Status.toString",
    "log_set": "Log.set",
    "dim_fixed": "Dim.of",
    "dim_dynamic": "Dim.dynamic",
    "dim_set_hint": "Dim.hint",
    "dim_set_multiple_of": "Dim.multipleOf",
    "desc_create": "TensorDesc.of",
    "engine_create": "Engine.cpu",
    "engine_destroy": "Engine.close",
    "engine_query": "Engine.device Engine.isa Engine.threads",
    "engine_get_kernel": "Engine.kernels",
    "stream_create": "Stream.of",
    "stream_destroy": "Stream.close",
    "stream_wait": "Stream.waitFor",
    "result_release": "Outputs.close",
    "attr_set_reuse": "OperatorBuilder.reuse",
    "attr_set_math": "OperatorBuilder.math",
    "attr_append_eltwise": "OperatorBuilder.postOps",
    "attr_append_binary": "OperatorBuilder.postOps",
    "attr_set_dtype": "QuantizingBuilder.resultType",
    "attr_set_scales": "QuantizingBuilder.scales",
    "attr_set_zero_points": "QuantizingBuilder.zeroPoints",
    "attr_set_kernel": "OperatorBuilder.forceKernel",
    "attr_set_scratch_limit": "OperatorBuilder.scratchLimit",
    "weights_destroy": "Weights.close",
    "weights_get_bytes": "Weights.bytes",
    "weights_update": "Weights.update",
    "weights_get_version": "Weights.version",
    "weights_save": "Weights.save",
    "weights_load": "OperatorBuilder.weightsFrom",
    "primitive_create": "OperatorBuilder.create",
    "primitive_create_with_constants": "OperatorBuilder.create",
    "primitive_acquire_weights": "Primitive.weights",
    "primitive_destroy": "Primitive.close",
    "primitive_execute": "Primitive.execute Primitive.executeInto",
    "primitive_get_output_dims": "Primitive.outputDims",
    "primitive_get_kernel": "Primitive.kernel",
    "primitive_explain": "Primitive.explain",
    "primitive_get_output_dtype": "Primitive.execute",
    "model_load_file": "Model.load",
    "model_load_memory": "Model.load",
    "model_save_packed": "Model.savePacked Model.savePackedOnce",
    "model_destroy": "Model.close",
    "model_query": "Model.weightBytes",
    "model_get_metadata": "Model.metadata",
    "model_get_counts": "Model.inputs Model.outputs",
    "model_get_input": "Model.inputs",
    "model_get_output": "Model.outputs",
    "model_describe": "Model.describe",
    "model_builder_create": "ModelBuilder.of",
    "model_builder_destroy": "ModelBuilder.close",
    "model_builder_set_opset": "ModelBuilder.opset",
    "model_builder_add_input": "ModelBuilder.input",
    "model_builder_set_symbol": "ModelBuilder.input",
    "model_builder_add_output": "ModelBuilder.output",
    "model_builder_add_constant": "ModelBuilder.constant",
    "model_builder_add_node": "ModelBuilder.node",
    "model_builder_add_node_input": "ModelBuilder.node",
    "model_builder_add_node_output": "ModelBuilder.node",
    "model_builder_set_node_integer": "ModelBuilder.Node.set",
    "model_builder_set_node_integers": "ModelBuilder.Node.set",
    "model_builder_set_node_real": "ModelBuilder.Node.set",
    "model_builder_set_node_reals": "ModelBuilder.Node.set",
    "model_builder_set_node_text": "ModelBuilder.Node.set",
    "model_builder_append_node_text": "ModelBuilder.Node.set",
    "model_builder_set_node_tensor": "ModelBuilder.Node.set",
    "model_builder_set_node_body": "ModelBuilder.Node.set",
    "model_builder_create_model": "ModelBuilder.load",
    "bounds_set": "Bounds.of",
    "layouts_set": "Model.Options.layout",
    "layers_set_math": "Model.Options.math",
    "custom_operators_create": "Model.Options.operator",
    "custom_operators_destroy": "Model.Options.operator",
    "custom_operators_add": "Model.Options.operator",
    "custom_node_get_attribute": "CustomNode.attributes",
    "custom_node_find_attribute": "CustomNode.integers CustomNode.reals CustomNode.texts CustomNode.tensor",
    "model_get_bytes_needed": "Model.bytesNeeded",
    "context_create": "Context.of",
    "context_destroy": "Context.close",
    "context_run": "Context.run Context.runInto",
    "context_submit": "Context.submit",
    "cancellation_create": "Cancellation.new",
    "cancellation_destroy": "Cancellation.close",
    "cancellation_set": "Cancellation.cancel Cancellation.reset",
    "context_get_output_dims": "Context.outputDims",
    "context_query": "Context.info",
    "context_explain": "Context.explain",
    "context_tune": "Context.tune",
    "context_get_node_count": "Context.nodes",
    "context_get_node": "Context.nodes",
    "session_create": "Session.of Session.open",
    "session_destroy": "Session.close",
    "session_run": "Session.run Session.runInto",
    "session_query": "Session.info",
    "session_explain": "Session.explain",
    "state_create": "State.of",
    "state_destroy": "State.close",
    "state_add": "State.add",
    "state_step": "State.step State.stepInto",
    "state_reset": "State.reset",
    "state_truncate": "State.truncate",
    "state_fork": "State.fork",
    "state_read": "State.read",
    "state_write": "State.write",
    "state_query": "State.info",
    "session_start_batching": "Session.startBatching",
    "session_stop_batching": "Session.stopBatching",
    "session_query_batching": "Session.batchingInfo",
    "worker_control": "BackgroundWorker.pause BackgroundWorker.resume BackgroundWorker.turnOff",
    "worker_drain": "BackgroundWorker.drain",
    "worker_query": "BackgroundWorker.queued BackgroundWorker.served BackgroundWorker.paused",
    "primitive_cache_set_limit": "PrimitiveCache.limit",
    "primitive_cache_clear": "PrimitiveCache.clear",
    "primitive_cache_query": "PrimitiveCache.limit PrimitiveCache.bytes PrimitiveCache.entries",
    "persistent_cache_query": "PersistentCache.enabled",
    "persistent_cache_get_path": "PersistentCache.path",
    "persistent_cache_describe": "PersistentCache.describe",
    "persistent_cache_verify": "PersistentCache.verify",
    "persistent_cache_export": "PersistentCache.exportTo",
    "persistent_cache_import": "PersistentCache.importFrom",
    "persistent_cache_clear": "PersistentCache.clear",
    "counter_get_count": "Counters.read",
    "counter_get": "Counters.read",
    "verbose_set": "Log.verbose",
    "log_set_level": "Log.level",
    "session_acquire_model": "Session.model",
}
# Of these Java's method is not made of the C function: it is plain data, or another one of the C API's.
BY_ITSELF = ("status_name", "dim_fixed", "dim_dynamic", "dim_set_hint", "dim_set_multiple_of",
             "custom_node_get_attribute", "custom_node_find_attribute")  # fmt: skip

ERRORS = "a failure is an `AnydimException` with status, function, argument and node"
TEXTS = "texts come as a `String`"
DATA = "plain data in Java: nothing to create or to destroy"
TENSORS = "a `Tensor` has memory of Java's, or of a direct buffer"
DEVICES = "for engines with memory of their own, and Java has the processor only"
NAMES = "inputs and outputs are found by name in `Session.run`"
SCRATCH = "a `Stream` keeps the scratch memory of its primitives"
REPORTS = "for reports: of the tests, and of `anydim replay`"
PARTS = "for programs that pass parts of another program's graph"
CHUNKS = "sequences that come in chunks are computed in C, C++, Python and Rust"
REASONS = {
    "custom_operator_fail": "what a `CustomOperator` throws is the reason",
    "dtype_name": "`DType` is an enum, with names",
    "dtype_get_size": "a `Tensor` knows its bytes",
    "log_set_sink": "`Log.set` sets sink and level",
    "log_query": "`Log` has one sink, which the program sets",
    "build_query": "the jar carries the library that its classes were made for",
    "last_error": ERRORS,
    "last_error_query": ERRORS,
    "text_get_data": TEXTS,
    "text_destroy": TEXTS,
    "desc_destroy": DATA,
    "attr_create": DATA,
    "attr_destroy": DATA,
    "bounds_create": DATA,
    "bounds_destroy": DATA,
    "layouts_create": DATA,
    "layouts_destroy": DATA,
    "layers_create": DATA,
    "layers_destroy": DATA,
    "memory_allocate": DEVICES,
    "memory_import": DEVICES,
    "memory_import_opencl": DEVICES,
    "engine_create_in_opencl": DEVICES,
    "stream_create_in_opencl": DEVICES,
    "memory_destroy": DEVICES,
    "memory_query": DEVICES,
    "memory_map": DEVICES,
    "memory_unmap": DEVICES,
    "memory_copy": DEVICES,
    "tensor_allocate": TENSORS,
    "tensor_destroy": TENSORS,
    "tensor_get_view": TENSORS,
    "attr_set_scratchpad": SCRATCH,
    "primitive_execute_in": SCRATCH,
    "primitive_get_scratch_bytes": SCRATCH,
    "weights_create": "a primitive packs its constants, and `Primitive.weights` gives them to others",
    "primitive_get_order": REPORTS,
    "primitive_get_candidate_count": REPORTS,
    "primitive_get_candidate": REPORTS,
    "primitive_compare_kernels": REPORTS,
    "primitive_format_line": REPORTS,
    "primitive_query_creation": REPORTS,
    "call_parse": REPORTS,
    "call_destroy": REPORTS,
    "call_query": REPORTS,
    "call_get_tensor": REPORTS,
    "call_create_primitive": REPORTS,
    "model_get_engine": DEVICES,
    "model_builder_add_value_type": PARTS,
    "model_builder_get_refusal": PARTS,
    "engine_get_device": DEVICES,
    "engine_get_kind": DEVICES,
    "engine_register": DEVICES,
    "engine_load": DEVICES,
    "engine_unregister": DEVICES,
    "session_submit": "a thread of the program's waits in `Session.run`",
    "model_find_input": NAMES,
    "model_find_output": NAMES,
    "streaming_create": CHUNKS,
    "streaming_destroy": CHUNKS,
    "streaming_push": CHUNKS,
    "streaming_reset": CHUNKS,
    "streaming_query": CHUNKS,
    "streaming_get_axis": CHUNKS,
    "streaming_get_bytes_needed": CHUNKS,
    "model_write_program": "`anydim export` calls it",
}


def emit(api: Api) -> str:
    known = METHODS.keys() | REASONS.keys()
    names = {f.name for f in api.functions if not f.deprecated}
    if names != known or METHODS.keys() & REASONS.keys():
        wrong = sorted((names ^ known) | (METHODS.keys() & REASONS.keys()))
        raise DescriptionError(f"java_page.py says not once what is in Java: {', '.join(wrong)}")
    out = [
        f"<!-- {GENERATED} -->",
        "# The C API in Java",
        "",
        "What each function of the C API is in the package `org.anydim`, or why Java does not have it. [Java](../java.md) is",
        "the page to begin with.",
        "",
    ]
    for module in api.modules:
        if not module.functions:
            continue
        out += [f"## {module.name}", "", "| C | Java |", "|---|---|"]
        for f in module.functions:
            if f.deprecated:
                continue
            java = ", ".join(f"`{name}`" for name in METHODS.get(f.name, "").split()) or f"no: {REASONS[f.name]}"
            out.append(f"| [anydim_{f.name}]({module.name}.md#anydim_{f.name}) | {java} |")
        out.append("")
    return "\n".join(out)
