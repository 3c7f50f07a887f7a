# SPDX-License-Identifier: Apache-2.0
"""Programs that know onnxruntime, on Anydim: each of the three ways of switching, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import anydim
import numpy as np
import pytest
from anydim.compat import onnxruntime as compat
from small_models import model, node, value

PROGRAM = """
import sys
import numpy as np
import onnxruntime as ort
from onnxruntime import GraphOptimizationLevel, InferenceSession, SessionOptions, get_available_providers, get_device

options = SessionOptions()
options.intra_op_num_threads = 1
options.log_severity_level = 4
options.enable_cpu_mem_arena = False
options.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
options.add_session_config_entry("session.set_denormal_as_zero", "0")
ort.set_default_logger_severity(3)
session = InferenceSession(sys.argv[1], sess_options=options,
                           providers=[("CPUExecutionProvider", {"arena_extend_strategy": "kSameAsRequested"})])
assert session.get_providers() == ["CPUExecutionProvider"] == get_available_providers() and get_device() == "CPU"
name = session.get_inputs()[0].name
y = session.run([session.get_outputs()[0].name], {name: np.array([-1, 2], np.float32)})[0]
print(InferenceSession.__module__, y.tolist(), sys.argv[2:], __name__)
"""
EXPECTED = "anydim.compat.session [0.0, 2.0] ['--flag', 'word'] __main__"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("compat")
    relu = model([node("Relu", ["x"], ["y"])], inputs=[value("x", 1, ("n",))], outputs=[value("y", 1, ("n",))])
    (folder / "relu.onnx").write_bytes(relu)
    (folder / "app.py").write_text(PROGRAM)
    return folder / "app.py", folder / "relu.onnx"


def run(command: list[str], **environment: str) -> str:
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, env=os.environ | environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_by_module(files: tuple[Path, Path]) -> None:
    app, relu = map(str, files)
    assert run(["-m", "anydim.compat.onnxruntime", app, relu, "--flag", "word"]) == EXPECTED


def test_by_module_of_a_module(files: tuple[Path, Path]) -> None:
    app, relu = files
    command = ["-m", "anydim.compat.onnxruntime", "-m", "app", str(relu), "--flag", "word"]
    assert run(command, PYTHONPATH=os.pathsep.join([str(app.parent), os.environ.get("PYTHONPATH", "")])) == EXPECTED


def test_by_a_line_of_the_program(files: tuple[Path, Path]) -> None:
    app, relu = map(str, files)
    code = (
        f"import runpy, sys; sys.argv = ['app', {relu!r}, '--flag', 'word']\n"
        f"import anydim.compat.onnxruntime; anydim.compat.onnxruntime.install()\n"
        f"runpy.run_path({app!r}, run_name='__main__')\n"
    )
    assert run(["-c", code]) == EXPECTED


@pytest.mark.skipif(
    not (Path(anydim.__file__).parent.parent / "anydim_as_onnxruntime.pth").exists(),
    reason="the package is not installed as a wheel, whose .pth file honours the variable",
)
def test_by_environment(files: tuple[Path, Path]) -> None:
    app, relu = map(str, files)
    assert run([app, relu, "--flag", "word"], ANYDIM_AS_ONNXRUNTIME="1") == EXPECTED
    code = "import sys; print('onnxruntime' in sys.modules, 'anydim' in sys.modules)"
    assert run(["-c", code], ANYDIM_AS_ONNXRUNTIME="0") == "False False", "it costs nothing when it is not asked for"


def test_ort_values_and_bindings(files: tuple[Path, Path]) -> None:
    session = compat.InferenceSession(str(files[1]))
    x = compat.OrtValue.ortvalue_from_numpy(np.array([-3, 4], np.float32))
    assert session.run(None, {"x": x})[0].tolist() == [0, 4]
    assert session.run_with_ort_values(None, {"x": x})[0].numpy().tolist() == [0, 4]
    assert x.data_type() == "tensor(float)" and x.shape() == [2]
    binding = session.io_binding()
    binding.bind_cpu_input("x", np.array([5, -6], np.float32))
    binding.bind_output("y")
    session.run_with_iobinding(binding)
    assert binding.copy_outputs_to_cpu()[0].tolist() == [5, 0]
    assert binding.get_outputs()[0].numpy().tolist() == [5, 0]
    with pytest.raises(anydim.UnimplementedError, match="cuda"):
        compat.OrtValue.ortvalue_from_numpy(np.zeros(1), "cuda", 0)


def test_exceptions_have_onnxruntimes_names(files: tuple[Path, Path]) -> None:
    code = (
        "import anydim.compat.onnxruntime as c; c.install()\n"
        "from onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument, NoSuchFile\n"
        "import onnxruntime, sys\n"
        "try: onnxruntime.InferenceSession('/nowhere.onnx')\n"
        "except NoSuchFile as e: print('no such file')\n"
        "try: onnxruntime.InferenceSession(sys.argv[1]).run(None, {})\n"
        "except InvalidArgument as e: print('invalid')\n"
    )
    assert run(["-c", code, str(files[1])]).split("\n") == ["no such file", "invalid"]
