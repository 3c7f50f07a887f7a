# SPDX-License-Identifier: Apache-2.0
"""What `import anydim` loads, and what it leaves for later."""

from __future__ import annotations

import subprocess
import sys

import anydim
import pytest


def modules_after(code: str) -> set[str]:
    """The modules of anydim that a fresh process has loaded after this."""
    listing = f"{code}\nimport sys\nprint(*(m for m in sys.modules if m.startswith('anydim')))"
    return set(
        subprocess.run([sys.executable, "-c", listing], check=True, capture_output=True, text=True).stdout.split()
    )


def test_a_program_that_runs_models_does_not_load_primitives() -> None:
    loaded = modules_after("import anydim\nanydim.InferenceSession")
    assert "anydim.session" in loaded
    assert not loaded & {"anydim.primitives", "anydim._operators", "anydim._operator_enums", "anydim.cache"}


def test_each_public_name_is_there_when_asked_for_first() -> None:
    asked = "for name in anydim.__all__:\n    assert getattr(anydim, name) is not None and name in dir(anydim)"
    assert "anydim.primitives" in modules_after(f"import anydim\n{asked}")


def test_names_can_be_imported_from_the_package() -> None:
    loaded = modules_after("from anydim import Engine, cache, relu\nassert cache.path and relu() and Engine")
    assert {"anydim.primitives", "anydim.cache", "anydim.post_ops"} <= loaded


def test_modules_for_spark_and_ray_load_neither() -> None:
    listing = "import anydim.spark, anydim.ray, sys\nprint({'pyspark', 'ray', 'pandas', 'pyarrow'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", listing], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "set()"


def test_the_module_for_torch_does_not_load_it_and_says_what_to_install() -> None:
    code = (
        "import sys\nsys.modules['torch'] = None\nimport anydim\n"  # as where there is none
        "try: anydim.torch.compile(None, ())\nexcept ImportError as error: print(error)\n"
        "print('onnx_ir' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    said, loaded = done.stdout.splitlines()
    assert said.startswith("anydim.torch needs the package torch") and "pip install 'torch>=2.15' onnxscript" in said
    assert loaded == "False"


def test_an_unknown_name_is_an_attribute_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match="'anydim' has no attribute 'tensorflow'"):
        anydim.tensorflow  # noqa: B018


def test_a_subinterpreter_gets_an_error_of_one_sentence() -> None:
    code = (
        "import importlib\n"
        "try: interpreters = importlib.import_module('_interpreters')\n"
        "except ImportError: interpreters = importlib.import_module('_xxsubinterpreters')\n"
        "inside = '''\ntry:\n    import anydim\nexcept ImportError as error:\n    print(error, flush=True)\n'''\n"
        "interpreters.run_string(interpreters.create(), inside)\n"
        "import anydim\ninterpreters.run_string(interpreters.create(), inside)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    told = "anydim cannot be imported in a subinterpreter; import it in the main interpreter, or use processes\n"
    # Newer Pythons refuse it before the module is asked.
    of_python = "module anydim._capi does not support loading in subinterpreters\n"
    assert done.returncode == 0 and done.stdout in {told * 2, of_python * 2}, done.stdout + done.stderr
