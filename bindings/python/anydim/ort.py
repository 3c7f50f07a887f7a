# SPDX-License-Identifier: Apache-2.0
"""Anydim as an execution provider of ONNX Runtime, for programs that stay with that:

    import anydim.ort, onnxruntime
    anydim.ort.register()
    session = onnxruntime.InferenceSession("rec.onnx", providers=["AnydimExecutionProvider", "CPUExecutionProvider"])

Programs that choose their providers themselves run unchanged as `python -m anydim.ort app.py --its --own --flags`, or after `install()`.
The launcher sets ANYDIM_AS_PROVIDER, so that Python processes which the program starts have the provider, too.
Nodes that Anydim lacks run in ONNX Runtime, as without it (docs/onnxruntime-plugin.md)."""

from __future__ import annotations

import functools
import importlib.abc
import importlib.machinery
import os
import sys
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from . import _capi
from .errors import UnimplementedError

_NAME = "AnydimExecutionProvider"
_CPU = "CPUExecutionProvider"
_OLDEST = (1, 23)
_OLDEST_WITH_NAMES = (1, 31)  # before, registered providers are known by their devices only
_registered: str | None = None
_replaced: Callable[..., None] | None = None  # ONNX Runtime's own InferenceSession.__init__


def get_ep_name() -> str:
    """The provider's name, as ONNX Runtime and its users write it."""
    return _NAME


def get_library_path() -> str:
    """The library to register: this package's extension module, which is one. In other languages it is `libanydim_ort_ep.so`,
    which lies beside `libanydim.so`."""
    return str(_capi.__file__)


def _onnxruntime(oldest: tuple[int, int] = _OLDEST) -> Any:
    expected = f"{oldest[0]}.{oldest[1]} or newer"
    try:
        import onnxruntime  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError as missing:
        raise ImportError(f"anydim.ort needs the package onnxruntime, {expected}") from missing
    version = tuple(int(part) for part in onnxruntime.__version__.split(".")[:2])
    if version < oldest or not hasattr(onnxruntime, "register_execution_provider_library"):
        raise UnimplementedError(f"onnxruntime is {onnxruntime.__version__}; expected {expected}")
    return onnxruntime


def register(name: str = "anydim") -> list[Any]:
    """Makes the provider known to ONNX Runtime in this process, once, and returns its devices, for
    `SessionOptions.add_provider_for_devices(devices, options)`. `name` is what ONNX Runtime calls the library. Where ONNX Runtime is a
    module of Anydim's own (`anydim.compat.onnxruntime`) there is nothing to register with."""
    global _registered
    onnxruntime = _onnxruntime()
    if _registered is None:
        onnxruntime.register_execution_provider_library(name, get_library_path())
        _registered = name
    return [device for device in onnxruntime.get_ep_devices() if device.ep_name == _NAME]


def _with_provider(
    providers: list[Any] | None, provider_options: list[dict[Any, Any]] | None, options: dict[str, str]
) -> tuple[list[Any], list[dict[Any, Any]] | None]:
    """The providers that a session names, with this one before the processor's own."""
    names = [_CPU] if providers is None else list(providers)
    plain = [each[0] if isinstance(each, tuple) else each for each in names]
    at = plain.index(_CPU) if _CPU in plain else len(plain)
    if _NAME in plain[:at]:
        return names, provider_options
    if providers is not None and provider_options is not None:
        return [*names[:at], _NAME, *names[at:]], [*provider_options[:at], options, *provider_options[at:]]
    return [*names[:at], (_NAME, options), *names[at:]], None


def install(options: Mapping[str, str] | None = None) -> None:
    """Registers the provider, and gives it to every session that Python code makes from now on, before the processor's own provider. Other
    providers that a program names stay before it. Sessions whose options have devices (`add_provider_for_devices`) stay as they are.
    `options` are those of the provider. It needs ONNX Runtime 1.31; `unregister()` ends it."""
    global _replaced
    onnxruntime = _onnxruntime(_OLDEST_WITH_NAMES)
    register()
    session = onnxruntime.InferenceSession
    own = session.__init__ if _replaced is None else _replaced
    texts = {str(key): str(value) for key, value in (options or {}).items()}

    @functools.wraps(own)
    def init(
        self: Any,
        path_or_bytes: Any,
        sess_options: Any = None,
        providers: Any = None,
        provider_options: Any = None,
        **more: Any,
    ) -> None:
        if providers or sess_options is None or not sess_options.has_providers():
            providers, provider_options = _with_provider(providers, provider_options, texts)
        own(self, path_or_bytes, sess_options, providers, provider_options, **more)

    session.__init__ = init
    _replaced = own


def unregister() -> None:
    """Takes the provider away from ONNX Runtime, and ends `install()`. Sessions that use it run on until they are released. Again, or
    before `register`, does nothing."""
    global _registered, _replaced
    if _registered is not None:
        onnxruntime = _onnxruntime()
        if _replaced is not None:
            onnxruntime.InferenceSession.__init__ = _replaced
            _replaced = None
        onnxruntime.unregister_execution_provider_library(_registered)
        _registered = None


class _WhenImported(importlib.abc.MetaPathFinder):
    """Calls `install()` once `onnxruntime` has been imported."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name != "onnxruntime":
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module: types.ModuleType) -> None:
                load(module)
                install()

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def install_when_imported() -> None:
    """As `install()`, in a process that may never import onnxruntime. For ANYDIM_AS_PROVIDER, which a line of a .pth file honours."""
    if "onnxruntime" in sys.modules:
        install()
    elif not any(isinstance(finder, _WhenImported) for finder in sys.meta_path):
        sys.meta_path.insert(0, _WhenImported())


def main() -> None:
    """Runs a program whose sessions get the provider."""
    import runpy

    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(
            "usage: python -m anydim.ort [-m MODULE | PROGRAM.py] ARGUMENTS...\n\n"
            "Runs a program on ONNX Runtime, unchanged, with Anydim as its execution provider."
        )
        sys.exit(0 if arguments else 2)
    import anydim.ort as module  # the importable one: this one is __main__

    module.install()
    # Processes that the program starts (multiprocessing's spawn, workers of a server) are Pythons that know nothing of this one.
    os.environ["ANYDIM_AS_PROVIDER"] = "1"
    if arguments[0] == "-m":
        if len(arguments) < 2:
            sys.exit("python -m anydim.ort: -m needs the name of a module")
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        sys.path.insert(0, str(Path(arguments[0]).resolve().parent))
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main()
