# SPDX-License-Identifier: Apache-2.0
"""What a load holds at its highest point (VmHWM of a fresh process, above what it had before): the weights once, in the form in
which they stay, and little more. Neither the file, nor the constants, nor the packed forms are held beside it."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

MEGABYTE = 1 << 20
TABLE, WIDTH, LAYERS = 12000, 768, 16
WEIGHTS = 4 * WIDTH * WIDTH * LAYERS  # packed
ROWS = 4 * TABLE * WIDTH  # read as they are

LOAD = """
import hashlib, json, sys
from pathlib import Path
import numpy as np
import anydim

def peak():
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) * 1024

path, how = sys.argv[1:3]
anydim.InferenceSession(sys.argv[3]).run(None, {"x": np.ones((2, 2), np.float32)})  # code and tables are paged in
source = Path(path).read_bytes() if how == "bytes" else path
bounds = {"ids": ((1, 8),)} if how == "bounds" else None
before = peak()
session = anydim.InferenceSession(source, bounds=bounds)
loaded = peak()
y = session.run(None, {"ids": np.array([3, 11999, 500])})[0]
print(json.dumps({"loaded": loaded - before, "run": peak() - before, "bits": hashlib.sha256(y.tobytes()).hexdigest()}))
"""


def save(path: Path, *, external: bool, tied: bool = False) -> None:
    random = np.random.default_rng(1)
    table = random.standard_normal((TABLE, WIDTH), np.float32)
    constants = [numpy_helper.from_array(table, "table")]
    nodes = [helper.make_node("Gather", ["table", "ids"], ["x0"])]
    for i in range(LAYERS):
        # Names of several lengths: the bytes in the file lie at any address.
        name = "w" * (i + 1)
        weights = random.standard_normal((WIDTH, WIDTH), np.float32) * np.float32(WIDTH**-0.5)
        constants.append(numpy_helper.from_array(weights, name))
        kind = helper.make_node("Gemm", [f"x{i}", name], [f"x{i + 1}"], transB=i % 2)
        nodes.append(kind)
    last = f"x{LAYERS}"
    if tied:
        nodes.append(helper.make_node("Transpose", ["table"], ["turned"], perm=[1, 0]))
        nodes.append(helper.make_node("MatMul", [last, "turned"], ["y"]))
        last = "y"
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["n"])
    out = helper.make_tensor_value_info(last, TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "load", [ids], [out], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path, save_as_external_data=external, location=path.stem + ".data")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("load")
    made = {name: folder / f"{name}.onnx" for name in ("inside", "external", "tied", "small")}
    save(made["inside"], external=False)
    save(made["external"], external=True)
    save(made["tied"], external=False, tied=True)
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 2])
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "small",
        [x],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.ones((2, 2), np.float32), "w")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), made["small"])
    return made


def load(models: dict[str, Path], name: str, how: str = "path") -> dict[str, int | str]:
    command = [sys.executable, "-c", LOAD, str(models[name]), how, str(models["small"])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    seen: dict[str, int | str] = json.loads(done.stdout)
    print(name, how, seen)
    return seen


@pytest.mark.parametrize("how", ["path", "bytes"])
def test_a_load_holds_each_weight_once(models: dict[str, Path], how: str) -> None:
    seen = load(models, "inside", how)
    assert int(seen["run"]) < 1.35 * (WEIGHTS + ROWS) + 16 * MEGABYTE
    assert int(seen["run"]) > WEIGHTS + ROWS, "the measurement does not see the weights"


def test_a_table_that_is_also_packed_is_held_in_these_two_forms_and_no_third(models: dict[str, Path]) -> None:
    assert int(load(models, "tied")["run"]) < 1.35 * (WEIGHTS + 2 * ROWS) + 16 * MEGABYTE


def test_rows_of_external_data_take_memory_when_they_are_read(models: dict[str, Path]) -> None:
    assert int(load(models, "external")["run"]) < 1.35 * WEIGHTS + 16 * MEGABYTE
    with_bounds = int(load(models, "external", "bounds")["loaded"])
    assert WEIGHTS + ROWS < with_bounds < 1.35 * (WEIGHTS + ROWS) + 16 * MEGABYTE, "bounds mean that memory is there"


def test_bits_do_not_depend_on_where_weights_come_from(models: dict[str, Path]) -> None:
    bits = {
        load(models, name, how)["bits"] for name, how in [("inside", "path"), ("inside", "bytes"), ("external", "path")]
    }
    assert len(bits) == 1


def test_a_model_file_may_be_replaced_in_place_once_it_is_loaded(models: dict[str, Path], tmp_path: Path) -> None:
    import anydim

    path = tmp_path / "model.onnx"
    path.write_bytes(models["inside"].read_bytes())
    session = anydim.InferenceSession(path)
    path.write_bytes(b"")
    y = session.run(None, {"ids": np.array([3, 11999, 500])})[0]
    assert hashlib.sha256(y.tobytes()).hexdigest() == load(models, "inside")["bits"]


GROWS = """
import sys
from pathlib import Path
import anydim

def peak():
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) * 1024

anydim.InferenceSession(sys.argv[2])
before = peak()
try:
    anydim.InferenceSession(sys.argv[1])
except anydim.Error as error:
    print(type(error).__name__, peak() - before)
else:
    print("loaded", peak() - before)
"""


def test_a_small_model_does_not_become_large_constants(tmp_path: Path, models: dict[str, Path]) -> None:
    """A constant that is joined with itself thirty times, each time as large again, of which a run needs one element."""
    nodes = [helper.make_node("Concat", [f"c{i}", f"c{i}"], [f"c{i + 1}"], axis=0) for i in range(30)]
    graph = helper.make_graph(
        [*nodes, helper.make_node("Gather", ["c30", "i"], ["y"])],
        "grows",
        [helper.make_tensor_value_info("i", TensorProto.INT64, [1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.ones(2048, np.float32), "c0")],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(made, tmp_path / "grows.onnx")
    command = [sys.executable, "-c", GROWS, str(tmp_path / "grows.onnx"), str(models["small"])]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    how, held = done.stdout.split()
    assert how == "loaded" and int(held) < 192 * MEGABYTE


def test_sparse_tensors_of_a_model_have_one_limit(tmp_path: Path, models: dict[str, Path]) -> None:
    count = 40 * MEGABYTE  # floats: 160 MiB
    sparse = [
        helper.make_sparse_tensor(
            helper.make_tensor(name, TensorProto.FLOAT, [1], [1.0]),
            helper.make_tensor(f"{name}_at", TensorProto.INT64, [1], [0]),
            [count],
        )
        for name in ("a", "b", "c")
    ]
    graph = helper.make_graph(
        [helper.make_node("Sum", ["x", "a", "b", "c"], ["y"])],
        "sparse",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        sparse_initializer=sparse,
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(made, tmp_path / "sparse.onnx")
    command = [sys.executable, "-c", GROWS, str(tmp_path / "sparse.onnx"), str(models["small"])]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    how, held = done.stdout.split()
    assert how == "UnimplementedError" and int(held) < 384 * MEGABYTE
