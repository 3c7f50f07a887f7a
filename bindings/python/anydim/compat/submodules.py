# SPDX-License-Identifier: Apache-2.0
"""Parts of the package onnxruntime that have nothing of Anydim's in their place (quantization, tools): the real package's, where it is
installed. They import onnxruntime themselves and get Anydim's."""

from __future__ import annotations

import importlib.machinery
import sys
import types
from collections.abc import Sequence

_PARTS = ("backend", "datasets", "quantization", "tools", "transformers")


def real_folders() -> list[str]:
    """Where the real package lies; nothing of it is executed."""
    spec = importlib.machinery.PathFinder.find_spec("onnxruntime")
    return list(spec.submodule_search_locations or ()) if spec is not None else []


class _Parts:
    """Finds the parts in the real package, and says of everything else that it is not there."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        package, _, rest = name.partition(".")
        if package != "onnxruntime" or not rest:
            return None
        part = rest.partition(".")[0]
        if part not in _PARTS:
            raise ModuleNotFoundError(
                f"No module named {name!r}: Anydim stands in for onnxruntime here (anydim.compat.onnxruntime) and has no such part",
                name=name,
            )
        if rest != part:
            return None  # within a part everything is as in the real package
        spec = importlib.machinery.PathFinder.find_spec(name, real_folders())
        if spec is None:
            raise ModuleNotFoundError(
                f"No module named {name!r}: it is a part of the package onnxruntime, which is not installed; "
                "Anydim stands in for what runs models",
                name=name,
            )
        return spec


def forward(module: types.ModuleType) -> None:
    """From now on `import onnxruntime.quantization` and the like work over the module that stands in."""
    module.__path__ = []
    if _Parts not in sys.meta_path:
        sys.meta_path.insert(0, _Parts)
