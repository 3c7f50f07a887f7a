# SPDX-License-Identifier: Apache-2.0
"""The parts of onnxruntime's interface around a session: devices, providers, settings, inputs with values of their own, profiles; on
Anydim's stand-in and on onnxruntime itself, where that is installed. And what only a switched process shows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import anydim
import anydim.compat.onnxruntime as compat
import numpy as np
import pytest
from anydim.compat import warnings_once
from small_models import model, node, value
from test_compat_interface import PROVIDERS, X, Y, add, open_session, ours, relu


@pytest.fixture(params=["anydim", "onnxruntime"])
def ort(request: pytest.FixtureRequest) -> Any:
    if request.param == "anydim":
        return compat
    real = pytest.importorskip("onnxruntime")
    real.set_default_logger_severity(4)
    return real


# -- providers ----------------------------------------------------------------------------------------------------------


def test_a_provider_that_is_not_here_warns_and_the_processor_runs(ort: Any) -> None:
    for providers in (["CUDAExecutionProvider"], ["CUDAExecutionProvider", "CPUExecutionProvider"]):
        with pytest.warns(UserWarning, match="'CUDAExecutionProvider' is not in available provider names"):
            session = ort.InferenceSession(relu(), providers=providers)
        assert session.get_providers() == PROVIDERS and np.array_equal(session.run(None, {"x": X})[0], Y)


def test_what_is_no_provider_is_named_and_refused(ort: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.warns(UserWarning, match="'NoExecutionProvider' is not in available"):
        session = ort.InferenceSession(relu(), providers=["NoExecutionProvider"])
    assert "EP Error Unknown Provider Type: NoExecutionProvider" in capsys.readouterr().out
    assert np.array_equal(session.run(None, {"x": X})[0], Y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(RuntimeError, match="Unknown Provider Type: NoExecutionProvider"):
            session.set_providers(["NoExecutionProvider"])
    for providers, provider_options, words in (
        ([3], None, "values must be either strings or"),
        ([("CPUExecutionProvider", 3)], None, "values must be either strings or"),
        (PROVIDERS, [{}, {}], "should be the same length"),
        (PROVIDERS, [3], "values must be dicts"),
    ):
        ort.InferenceSession(relu(), providers=providers, provider_options=provider_options)
        assert words in capsys.readouterr().out


# -- devices ------------------------------------------------------------------------------------------------------------


def test_devices_and_memories_have_their_names(ort: Any) -> None:
    device = ort.OrtDevice.make("cpu", 0)
    assert device.device_id() == 0 and int(device.device_type()) == 0
    memory = ort.OrtMemoryInfo("Cpu", ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, ort.OrtMemType.DEFAULT)
    assert (memory.name, memory.device_id, memory.mem_type) == ("Cpu", 0, ort.OrtMemType.DEFAULT)
    assert memory.allocator_type == ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR


def test_other_devices_are_refused() -> None:
    with pytest.raises(anydim.UnimplementedError, match="'cuda'"):
        compat.OrtDevice.make("cuda", 0)
    with pytest.raises(anydim.UnimplementedError, match="Cuda"):
        compat.OrtMemoryInfo("Cuda", compat.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, compat.OrtMemType.DEFAULT)


# -- settings -----------------------------------------------------------------------------------------------------------


def test_a_setting_that_does_not_exist_is_refused_and_one_that_is_missing_reported(ort: Any) -> None:
    settings = ort.SessionOptions()
    with pytest.raises(AttributeError, match="nonsense"):
        settings.nonsense = 3
    with pytest.raises(RuntimeError, match="does not have configuration with key: a"):
        settings.get_session_config_entry("a")
    settings.add_session_config_entry("a", "b")
    assert settings.get_session_config_entry("a") == "b"


def test_an_ignored_setting_warns_once_and_a_default_never(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warnings_once, "_warned", set())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(2):
            settings = compat.SessionOptions()
            settings.enable_mem_pattern = True
            settings.intra_op_num_threads = 1
            settings.log_severity_level = 4
            settings.enable_mem_pattern = False
            settings.execution_mode = compat.ExecutionMode.ORT_PARALLEL
            settings.add_session_config_entry("session.x", "1")
    assert [str(w.message).split(" has no effect")[0] for w in told] == [
        "SessionOptions.enable_mem_pattern",
        "SessionOptions.execution_mode",
        "the session configuration entry 'session.x'",
    ]
    assert all(w.filename == __file__ for w in told), "it names the program's line"


def test_an_optimised_model_file_is_written_or_a_warning_says_that_none_is(ort: Any, tmp_path: Path) -> None:
    settings = ort.SessionOptions()
    path = tmp_path / "optimised.onnx"
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        settings.optimized_model_filepath = str(path)
    open_session(ort, None, settings)
    assert path.exists() != ours(ort)
    if ours(ort):  # a program that keeps the file as a cache finds none, and makes its session from the model again
        assert [str(w.message) for w in told] == [
            "SessionOptions.optimized_model_filepath has no effect on Anydim: no file is written, since what Anydim makes of a model is no "
            "ONNX file"
        ]


def test_a_profile_is_written_with_every_run_and_node(ort: Any, tmp_path: Path) -> None:
    settings = ort.SessionOptions()
    settings.enable_profiling = True
    settings.profile_file_prefix = str(tmp_path / "profile")
    session = open_session(ort, None, settings)
    for _ in range(3):
        assert np.array_equal(session.run(None, {"x": X})[0], Y)
    path = session.end_profiling()
    assert path.startswith(str(tmp_path / "profile_")) and path.endswith(".json")
    events = json.loads(Path(path).read_text())
    nodes = [e for e in events if e["cat"] == "Node" and e["name"].endswith("_kernel_time")]
    assert len(nodes) == 3 and {e["args"]["op_name"] for e in nodes} == {"Relu"}
    assert sum(e["name"] == "model_run" for e in events) == 3
    assert all(e["ph"] == "X" and e["dur"] >= 0 and e["pid"] == os.getpid() for e in nodes)
    assert session.end_profiling() == "" and open_session(ort).end_profiling() == ""


# -- initializers -------------------------------------------------------------------------------------------------------


def test_an_initializer_that_is_an_input_may_be_fed(ort: Any) -> None:
    session = open_session(ort, add(overridable=True))
    assert [i.name for i in session.get_inputs()] == ["x"]
    assert [(i.name, i.shape, i.type) for i in session.get_overridable_initializers()] == [("c", [3], "tensor(float)")]
    c = np.array([10, 20, 30], np.float32)
    for feed, expected in (({"x": X}, X), ({"x": X, "c": c}, X + c), ({"x": X}, X)):
        assert np.array_equal(session.run(None, feed)[0], expected)
    with pytest.raises(Exception, match="c"):
        session.run(None, {"x": X, "c": c[:2]})
    plain = open_session(ort, add())
    assert plain.get_overridable_initializers() == []
    with pytest.raises(Exception, match="c"):
        plain.run(None, {"x": X, "c": c})


def test_initializers_are_added_several_at_once(ort: Any) -> None:
    settings = ort.SessionOptions()
    added = ort.OrtValue.ortvalue_from_numpy(np.array([10, 20, 30], np.float32))
    with pytest.raises(RuntimeError, match="names"):
        settings.add_external_initializers(["c", "d"], [added])
    if ours(ort):  # onnxruntime wants a model whose initializer is in another file
        settings.add_external_initializers(["c"], [added])
        assert np.array_equal(open_session(ort, add(), settings).run(None, {"x": X})[0], X + added.numpy())


def test_a_wrong_index_is_an_invalid_argument() -> None:
    gather = model(
        [node("Gather", ["x", "i"], ["y"])],
        inputs=[value("x", 1, ("n", 3)), value("i", 7, ("k",))],
        outputs=[value("y", 1, ("k", 3))],
    )
    with pytest.raises(anydim.InvalidArgumentError, match="5") as caught:
        compat.InferenceSession(gather).run(None, {"x": X, "i": np.array([5], np.int64)})
    assert isinstance(caught.value, anydim.InvalidDataError) and caught.value.status == anydim.Status.INVALID_DATA


# -- a switched process -------------------------------------------------------------------------------------------------

SPAWNING = """
import multiprocessing, sys
import numpy as np
import onnxruntime

def answer(path):
    session = onnxruntime.InferenceSession(path)
    return onnxruntime.InferenceSession.__module__, session.run(None, {"x": np.array([[-1, 2, 3]], np.float32)})[0].tolist()

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(*pool.map(answer, [sys.argv[1]] * 2))
"""


def run(command: list[str], **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, env=os.environ | environment, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.skipif(
    not (Path(anydim.__file__).parent.parent / "anydim_as_onnxruntime.pth").exists(),
    reason="the package is not installed as a wheel, whose .pth file honours the variable",
)
def test_processes_that_the_launcher_s_program_spawns_run_on_anydim_too(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(SPAWNING)
    (tmp_path / "relu.onnx").write_bytes(relu())
    one = "('anydim.compat.session', [[0.0, 2.0, 3.0]])"
    assert (
        run(["-m", "anydim.compat.onnxruntime", str(tmp_path / "app.py"), str(tmp_path / "relu.onnx")])
        == f"{one} {one}"
    )


def test_modules_of_capi_are_there_and_parts_of_the_real_package_forwarded() -> None:
    code = (
        "import anydim.compat.onnxruntime as c; c.install()\n"
        "from onnxruntime.capi import _pybind_state as S\n"
        "from onnxruntime.capi._pybind_state import InvalidArgument, OrtDevice, SessionOptions\n"
        "assert S.InferenceSession is c.InferenceSession and S.OrtValue is c.OrtValue\n"
        "import onnxruntime.quantization, onnxruntime.tools, onnxruntime.transformers, onnxruntime.backend\n"
        "import onnxruntime.quantization.quant_utils as q\n"
        "assert 'site-packages' in q.__file__, q.__file__\n"
        "assert onnxruntime is c and onnxruntime.quantization.quantize.__name__\n"
        "for name in ('nowhere', 'training'):\n"
        "    try: __import__(f'onnxruntime.{name}')\n"
        "    except ModuleNotFoundError as e: print(e)\n"
    )
    pytest.importorskip("onnxruntime")
    said = "Anydim stands in for onnxruntime here (anydim.compat.onnxruntime) and has no such part"
    expected = [f"No module named 'onnxruntime.{name}': {said}" for name in ("nowhere", "training")]
    assert run(["-c", code]).split("\n") == expected


def test_parts_of_a_package_that_is_not_installed_are_a_clear_error() -> None:
    code = (
        "import sys, importlib.machinery as m\n"
        "find = m.PathFinder.find_spec\n"
        "m.PathFinder.find_spec = lambda name, *more: None if name.startswith('onnxruntime') else find(name, *more)\n"
        "import anydim.compat.onnxruntime as c; c.install()\n"
        "try: import onnxruntime.quantization\n"
        "except ImportError as e: print(type(e).__name__, e)\n"
    )
    assert run(["-c", code]) == (
        "ModuleNotFoundError No module named 'onnxruntime.quantization': it is a part of the package onnxruntime, which is not "
        "installed; Anydim stands in for what runs models"
    )
