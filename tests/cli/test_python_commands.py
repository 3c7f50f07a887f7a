# SPDX-License-Identifier: Apache-2.0
"""`anydim bench`, `compare` and `python -m anydim`: streams of shapes, tables, JSON and pages; where two models part; a planted wrong kernel
is found by its name. The program is the build's, with this Python."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "bin" / "anydim"
MODELS = ROOT / "build" / "models"


def run(*words: str | Path, status: int = 0, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [str(PROGRAM), *map(str, words)]
    variables = {**os.environ, "ANYDIM_PYTHON": sys.executable, **environment}
    done = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=300)
    assert done.returncode == status, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def refused(*words: str | Path, parts: tuple[str, ...], status: int = 1) -> None:
    done = run(*words, status=status)
    for part in parts:
        assert part in done.stderr, f"no {part!r} in {done.stderr!r}"
    assert "Traceback" not in done.stderr


QUICK = ("--rounds", "1", "--duration", "0.01", "--threads", "1")


def small(path: Path, scale: float = 1.0, multiple: int = 1) -> Path:
    """Conv, Relu, MaxPool, and an Add that only sides of some multiple permit."""
    weights = np.linspace(-1, 1, 4 * 3 * 9, dtype=np.float32).reshape(4, 3, 3, 3)
    second = np.linspace(-0.5, 0.7, 4 * 4 * 9, dtype=np.float32).reshape(4, 4, 3, 3)
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], name="first", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["a"], ["b"], name="relu"),
        helper.make_node("MaxPool", ["b"], ["c"], name="pool", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        helper.make_node("Conv", ["c", "v"], ["d"], name="second", pads=[1, 1, 1, 1]),
    ]
    if multiple > 1:  # a window of `multiple`, and its inverse: equal sides only where it divides them
        nodes += [
            helper.make_node("MaxPool", ["d"], ["e"], name="down", kernel_shape=[multiple] * 2, strides=[multiple] * 2),
            helper.make_node("Resize", ["e", "", "s"], ["f"], name="up", mode="nearest"),
            helper.make_node("Add", ["d", "f"], ["y"], name="sum"),
        ]
    else:
        nodes.append(helper.make_node("Sigmoid", ["d"], ["y"], name="last"))
    constants = {"w": weights, "v": second * scale, "s": np.array([1, 1, multiple, multiple], np.float32)}
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3, "h", "w"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )  # fmt: skip
    onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), path)
    return path


# -- bench ----------------------------------------------------------------------------------------------------------------------------


def decoder(path: Path, total: str, past: tuple[str, str]) -> Path:
    """Two layers of attention over what was read before (`past`: names of that dim) and now, and a mask over both (`total`)."""
    w = [numpy_helper.from_array(np.linspace(-1, 1, 50 * 8, dtype=np.float32).reshape(50, 8), "w")]
    w += [
        numpy_helper.from_array(np.array(n, np.int64), name)
        for name, n in (("at", [1]), ("heads", [0, 0, 2, 4]), ("flat", [0, 0, 8]))
    ]
    nodes = [helper.make_node("Gather", ["w", "input_ids"], ["h0"])]
    nodes += [
        helper.make_node("Cast", ["attention_mask"], ["m"], to=1),
        helper.make_node("Unsqueeze", ["m", "axes"], ["mask"]),
    ]
    w.append(numpy_helper.from_array(np.array([1, 2], np.int64), "axes"))
    inputs = [
        helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "sequence"]),
        helper.make_tensor_value_info("attention_mask", TensorProto.INT64, ["batch", total]),
    ]
    outputs = [helper.make_tensor_value_info("h2", 1, None)]
    for i in range(2):
        inputs.append(helper.make_tensor_value_info(f"past.{i}.key", 1, ["batch", 2, past[i], 4]))
        outputs.append(helper.make_tensor_value_info(f"present.{i}.key", 1, None))
        nodes += [
            helper.make_node("Reshape", [f"h{i}", "heads"], [f"r{i}"]),
            helper.make_node("Transpose", [f"r{i}"], [f"q{i}"], perm=[0, 2, 1, 3]),
            helper.make_node("Concat", [f"past.{i}.key", f"q{i}"], [f"present.{i}.key"], axis=2),
            helper.make_node("Transpose", [f"present.{i}.key"], [f"t{i}"], perm=[0, 1, 3, 2]),
            helper.make_node("MatMul", [f"q{i}", f"t{i}"], [f"s{i}"]),
            helper.make_node("Mul", [f"s{i}", "mask"], [f"n{i}"]),
            helper.make_node("Softmax", [f"n{i}"], [f"p{i}"], axis=-1),
            helper.make_node("MatMul", [f"p{i}", f"present.{i}.key"], [f"a{i}"]),
            helper.make_node("Transpose", [f"a{i}"], [f"b{i}"], perm=[0, 2, 1, 3]),
            helper.make_node("Reshape", [f"b{i}", "flat"], [f"h{i + 1}"]),
        ]
    graph = helper.make_graph(nodes, "decoder", inputs, outputs, w)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


@pytest.mark.parametrize(
    ("total", "past"),
    [("total", ("past", "past")), ("past + sequence", ("past", "past")), ("", ("", ""))],
    ids=["named", "written as a sum", "without names"],
)
def test_the_inputs_of_a_decoder_are_found(total: str, past: tuple[str, str], tmp_path: Path) -> None:
    model = decoder(tmp_path / "decoder.onnx", total, past)
    result = json.loads(run("bench", model, "--count", "2", *QUICK, "--json").stdout)
    (found,) = result["models"] if "models" in result else [result]
    for text in found["shapes"]:
        dims = {name: list(map(int, d.split(","))) for name, d in (word.rsplit(":", 1) for word in text.split())}
        assert dims["attention_mask"][1] == dims["input_ids"][1] + dims["past.0.key"][2]
        assert dims["past.0.key"] == dims["past.1.key"]
    assert "agree" in run("compare", model).stdout


def test_bench_needs_the_model_alone_and_finds_what_its_dims_must_be(tmp_path: Path) -> None:
    model = small(tmp_path / "m.onnx", multiple=16)
    found = json.loads(run("bench", model, "--count", "3", "--seed", "5", *QUICK, "--json").stdout)
    (result,) = found["models"]
    assert found["seed"] == 5 and "multiple of 16" in result["found_by_trial"] and len(result["shapes"]) == 3
    for shape in result["shapes"]:
        n, c, h, w = map(int, shape.removeprefix("x:").split(","))
        assert (n, c) == (1, 3) and h % 16 == 0 and w % 16 == 0
    figures = result["engines"]["anydim"]
    assert figures["first_sum_ms"] == pytest.approx(sum(figures["first_ms"])) and min(figures["later_ms"]) > 0
    assert figures["calls"] >= 6 and figures["percentiles_ms"]["50"] <= figures["percentiles_ms"]["99"]
    again = json.loads(run("bench", model, "--count", "3", "--seed", "5", *QUICK, "--json").stdout)
    assert again["models"][0]["shapes"] == result["shapes"]


def test_ranges_of_dims_with_one_name_get_one_number(tmp_path: Path) -> None:
    graph = helper.make_graph(
        [helper.make_node("Add", ["a", "b"], ["y"])], "g",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, "n"]) for name in "ab"],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    )  # fmt: skip
    path = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), path)
    for given, wanted in (("a:1,2..400 b:1,2..400", None), ("a:1,2..400 b:1,37", "37")):
        found = json.loads(run("bench", path, "--shapes", given, "--count", "3", *QUICK, "--json").stdout)
        for shape in found["models"][0]["shapes"]:
            a, b = (word.rpartition(",")[2] for word in shape.split())
            assert a == b and wanted in (None, a), shape
    refused("bench", path, "--shapes", "a:1,2 b:1,3", *QUICK, parts=("'b'", "dim 1 (n) is 3"))


def test_bench_beside_another_engine_prints_a_line_per_model_and_writes_a_page(tmp_path: Path) -> None:
    model, other = small(tmp_path / "m.onnx"), small(tmp_path / "other.onnx", multiple=8)
    stream = tmp_path / "stream"
    stream.write_text("# two models\n[m.onnx]\nx:1,3,20,30\n3 x:1,3,16..64/16,24\n[other.onnx]\n2 x:1..2,3,64,64\n")
    page = tmp_path / "report.html"
    text = run(
        "bench", model, other, "--shapes", stream, "--against", "onnxruntime", *QUICK, "--html", page, "--callers", "2"
    ).stdout
    assert re.search(r"^first / later, ms +Anydim \S+ +ONNX Runtime \S+$", text, re.MULTILINE), text
    assert re.search(r"^m, 4 shapes +\S+ / \S+ +\S+ / \S+$", text, re.MULTILINE), text
    assert re.search(r"^other, [12] shapes? +\S+ / \S+ +\S+ / \S+$", text, re.MULTILINE), text
    html = page.read_text()
    pictures = [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", html, re.DOTALL)]
    circles = [len([e for e in picture if e.tag.endswith("circle")]) for picture in pictures]
    assert len(pictures) == 2 and circles[0] == 2 * 2 * 4  # first and later, of two engines, at four shapes
    assert "http" not in re.sub(r'xmlns="[^"]*"', "", html) and "<script" not in html


def test_bench_names_what_is_wrong(tmp_path: Path) -> None:
    model = small(tmp_path / "m.onnx")
    refused("bench", tmp_path / "none.onnx", parts=("none.onnx: no such file",))
    refused("bench", model, "--shapes", "z:1,3,8,8", *QUICK, parts=("no input 'z'", "its inputs are x"))
    refused("bench", model, "--shapes", "x:1,3,8..4,8", *QUICK, parts=("empty range",))
    refused("bench", model, "--shapes", "x:1,3,a,8", *QUICK, parts=("'a' in 'x:1,3,a,8' is no dim",))
    refused("bench", model, "--shapes", tmp_path / "nothing", *QUICK, parts=("cannot be read as a file",))
    refused("bench", model, "--against", "torch", parts=("'torch' is no engine",), status=2)
    refused("bench", model, "--html", tmp_path / "no" / "r.html", *QUICK, parts=("there is no folder",))
    refused("bench", model, "--shapes", "x:1,4,8,8", *QUICK, parts=("anydim on", "m.onnx", "x"))
    done = run("bench", model, status=1, ANYDIM_PYTHON="/nowhere/python")
    assert "cannot start '/nowhere/python'" in done.stderr
    bare = Path(sys.base_prefix) / "bin" / "python3"  # outside the virtual environment, which has the package
    done = run("bench", model, status=1, ANYDIM_PYTHON=str(bare), PYTHONPATH="", PYTHONNOUSERSITE="1")
    assert "needs the Python package anydim" in done.stderr, done.stderr


def test_python_dash_m_is_the_same_program() -> None:
    done = subprocess.run([sys.executable, "-m", "anydim", "--version"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.startswith("anydim "), done.stderr


def test_integers_and_inputs_with_common_dims_are_drawn_together(tmp_path: Path) -> None:
    table = np.arange(40, dtype=np.float32).reshape(10, 4)
    nodes = [helper.make_node("Gather", ["t", "ids"], ["e"]), helper.make_node("Mul", ["e", "mask"], ["y"])]
    graph = helper.make_graph(
        nodes, "g",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, ["n", "length"]),
         helper.make_tensor_value_info("mask", TensorProto.FLOAT, ["n", "length", 1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], [numpy_helper.from_array(table, "t")],
    )  # fmt: skip
    path = tmp_path / "ids.onnx"
    onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), path)
    (result,) = json.loads(run("bench", path, "--count", "4", *QUICK, "--json").stdout)["models"]
    for shape in result["shapes"]:
        ids, mask = (word.partition(":")[2].split(",") for word in shape.split())
        assert mask == [*ids, "1"], shape
    run("compare", path, "--seed", "3")


# -- compare --------------------------------------------------------------------------------------------------------------------------


def test_compare_agrees_with_the_same_model_and_with_saved_outputs(tmp_path: Path) -> None:
    model = small(tmp_path / "m.onnx")
    assert "all outputs agree" in run("compare", model).stdout
    found = json.loads(run("compare", model, "--random", "x:2,3,20,31", "--seed", "1", "--nodes", "--json").stdout)
    assert found["agree"] and found["shape"] == "x:2,3,20,31"
    assert [n["name"] for n in found["nodes"]] == ["first", "relu", "pool", "second", "last"]
    assert all(n["relative"] < 1e-5 and n["kernel"] for n in found["nodes"])
    x = np.random.default_rng(1).standard_normal((1, 3, 16, 16), np.float32)
    np.save(tmp_path / "x.npy", x)
    results = tmp_path / "results"
    results.mkdir()
    run("run", model, "--input", f"x={tmp_path / 'x.npy'}", "--output", results)
    run("compare", model, "--input", f"x={tmp_path / 'x.npy'}", "--saved", results)
    y = np.load(results / "y.npy")
    y[0, 1, 2, 3] += 1
    np.save(results / "y.npy", y)
    text = run("compare", model, "--input", f"x={tmp_path / 'x.npy'}", "--saved", results, status=1).stdout
    assert "first at [0, 1, 2, 3]" in text and "the outputs part" in text


def test_compare_finds_the_node_at_which_two_models_part(tmp_path: Path) -> None:
    model, other = small(tmp_path / "m.onnx"), small(tmp_path / "other.onnx", scale=1.5)
    found = json.loads(run("compare", model, "--reference", other, "--json", status=1).stdout)
    assert found["first"]["name"] == "second" and found["first"]["inputs"] < 1e-5
    assert found["first"]["alone"] > 0.1
    text = run("compare", model, "--reference", other, status=1).stdout
    assert (
        "first node that parts: second (Conv), tensor d" in text
        and "alone, on the reference's inputs, it differs by" in text
    )
    run("compare", model, "--reference", other, "--relative", "10")


def test_compare_names_what_is_wrong(tmp_path: Path) -> None:
    model = small(tmp_path / "m.onnx")
    refused("compare", tmp_path / "none.onnx", parts=("none.onnx: No such file or directory",))
    refused("compare", model, "--random", "z:1", parts=("no input 'z'",))
    refused("compare", model, "--input", "x=/none.npy", parts=("--input x=/none.npy",))
    refused("compare", model, "--saved", tmp_path / "none", parts=("--saved",), status=2)
    empty = tmp_path / "empty"
    empty.mkdir()
    refused("compare", model, "--saved", empty, parts=("has no output 'y'",))


@pytest.mark.long
def test_compare_finds_a_planted_wrong_kernel_by_its_name(tmp_path: Path) -> None:
    subprocess.run(["cmake", "--build", ROOT / "build", "--target", "capi_planted"], check=True, capture_output=True)
    package = tmp_path / "anydim"
    package.mkdir()
    for path in (ROOT / "bindings" / "python" / "anydim").iterdir():
        if path.name != "__pycache__":
            (package / path.name).symlink_to(path)
    (planted,) = (ROOT / "build" / "planted" / "anydim").glob("_capi*.so")
    (package / f"_capi{'.so'}").symlink_to(planted)
    wrong = {"PYTHONPATH": str(tmp_path), "ANYDIM_MAX_ISA": "avx2"}
    found = json.loads(run("compare", small(tmp_path / "m.onnx"), "--json", status=1, **wrong).stdout)
    assert found["first"]["name"] == "pool" and found["first"]["kernel"].startswith("pool.channels.avx2"), found[
        "first"
    ]
    assert found["first"]["alone"] > 0.01
    assert found["first"]["words"].startswith("first at [0, 0, 0, 0]")
    run("compare", small(tmp_path / "m.onnx"), ANYDIM_MAX_ISA="avx2")  # without the planted one


# -- the page -------------------------------------------------------------------------------------------------------------------------


def test_every_command_of_the_page_runs(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    for name in ("det", "rec", "cls", "yolo"):
        (tmp_path / f"{name}.onnx").symlink_to(MODELS / f"{name}.onnx")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "cls.onnx").symlink_to(MODELS / "cls.onnx")
    (tmp_path / "results").mkdir()
    (tmp_path / "readme.shapes").write_text(
        re.sub(r"^(16|24|12) ", "2 ", (ROOT / "bench" / "readme.shapes").read_text(), flags=re.MULTILINE)
    )
    np.save(tmp_path / "image.npy", np.zeros((1, 3, 48, 320), np.float32))
    commands = [
        line for block in re.findall(r"^```\n(.*?)^```", page, re.MULTILINE | re.DOTALL) for line in block.splitlines()
    ]
    commands = [line for line in commands if line.startswith("anydim ") and "|" not in line]
    assert len(commands) >= 9
    variables = {**os.environ, "ANYDIM_PYTHON": sys.executable, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"}
    for line in commands:
        done = subprocess.run(
            line, shell=True, cwd=tmp_path, capture_output=True, text=True, env=variables, timeout=300
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    picture = (tmp_path / "graph.html").read_text()
    assert picture.count("<rect") > 60 and "conv." in picture and "channels last" in picture
    listed = set(re.findall(r"^  ([a-z]+) +\S", run("--help").stdout.partition("Subcommands:")[2], re.MULTILINE))
    rows = page.partition("| command |")[2].partition("\n\n")[0]
    assert {name for name in listed if not re.search(rf"`{name}\b", rows)} == set()
