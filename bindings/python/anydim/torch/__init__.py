# SPDX-License-Identifier: Apache-2.0
"""PyTorch modules at any shape, compiled once:

    import anydim.torch, torch
    dims = ({0: torch.export.Dim("batch", max=64), 1: torch.export.Dim("length", max=512)},)
    fast = anydim.torch.compile(module.eval(), (tokens,), dynamic_shapes=dims)
    scores = fast(other_tokens)                             # any batch and length in range, no compilation

or behind torch's own function, with eager code for the graphs that Anydim lacks:

    fast = torch.compile(module.eval(), backend="anydim", dynamic=True)

For inference on the processor. It needs the packages torch (2.15 or newer) and onnxscript, which `import anydim` does not
(docs/torch.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..dims import Bounds
from ..errors import UnimplementedError

if TYPE_CHECKING:
    from .compiled import CompiledModule

__all__ = ["compile", "counters"]

_OLDEST = (2, 15)


def _check_packages() -> None:
    for name, _what in (("torch", "torch>=2.15"), ("onnxscript", "onnxscript")):
        try:
            __import__(name)
        except ImportError as missing:
            raise ImportError(
                f"anydim.torch needs the package {name}, which cannot be imported ({missing}): pip install 'torch>=2.15' onnxscript"
            ) from missing
    import torch

    if tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2]) < _OLDEST:
        raise UnimplementedError(f"torch is {torch.__version__}; expected 2.15 or newer")


def compile(
    module: Any,
    example_args: Sequence[Any],
    example_kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    bounds: Bounds | None = None,
    check: bool = True,
    threads: int | None = None,
    **options: Any,
) -> CompiledModule:
    """Exports a module once and makes a session of it; what it returns is called as the module.

    example_args, example_kwargs: what the module is called with. Their tensors' sizes are hints; whatever is no tensor stays as it is.
    dynamic_shapes: which dims are dynamic, as `torch.export.export` takes it, by the names of arguments or one entry for each; a text is
        a name, and dims of one name are equal. None: the dims that `torch._dynamo.mark_dynamic` marked, or else all of which the
        module allows it.
    bounds: as for `anydim.InferenceSession`. None: the ranges of the dynamic dims, if all have a largest size; `{}`: none.
    check: compare the results with the module's own on the example. It finds translations that are wrong.
    threads: None is what `torch.get_num_threads()` says.
    options: all others of `anydim.InferenceSession`.

    Errors: ImportError where torch or onnxscript is missing; `anydim.InvalidArgumentError` for a module in training mode, and for dims that
    the module does not allow; `anydim.UnimplementedError` for control flow that depends on data, tensors on other devices, modules that
    write to buffers, and operators that are not here, with a list of them."""
    _check_packages()
    from .compiled import compile as compile_here

    return compile_here(
        module,
        example_args,
        example_kwargs,
        dynamic_shapes=dynamic_shapes,
        bounds=bounds,
        check=check,
        threads=threads,
        **options,
    )


def counters() -> dict[str, int]:
    """What was done in this process: `exports` by torch, of `compile` and of the backend; of the backend `graphs` that Dynamo passed
    (each is a compilation of Dynamo's own), those of them `reused` for which there was an export already, `models` that were made, and
    `fallbacks`, graphs that run in eager mode."""
    from .counts import numbers

    return numbers()
