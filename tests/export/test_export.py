# SPDX-License-Identifier: Apache-2.0
"""Exported models: C99 whose results have the library's bits, at any dims within the bounds, whatever the compiler's options, in the memory
that was said, without a library. The quick part compiles each network once; `-m long` tries every compiler and many more dims."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import all_shapes
import anydim
import numpy as np
import pytest
from emulated_c import ARM64, BOARD, CORTEX_M7, Emulated
from exported_c import ROOT, WARNINGS, Compiled, Refused, export, sources
from exported_models import ALLOWED, FMA, MODELS, PADDLE, X86, Model, compare, usable_sets
from small_networks import NETWORKS


@pytest.mark.parametrize("name", ["cls", "rec", *(n for n in NETWORKS if n != "residual")])
def test_results_have_the_bits_of_the_library_at_drawn_dims(name: str, folder: Path) -> None:
    model = Model(name, folder)
    assert compare(model, Compiled(model.folder, ("-O2", *FMA)), 12) > 3


@pytest.mark.parametrize("compiler", [("gcc", "-std=c99"), ("g++", "-std=c++17", "-x", "c++")], ids=["c99", "c++17"])
@pytest.mark.parametrize("name", ["mobilenet", "two_rates", "decoder"])
def test_the_files_compile_without_a_warning(name: str, compiler: tuple[str, ...], folder: Path) -> None:
    model = Model(name, folder)
    for source in (*sources(model.folder), model.folder / "main.c", model.folder / "test.c"):
        if source.suffix == ".c":
            command = [*compiler, *WARNINGS, "-O2", *FMA, "-c", str(source), "-o", "/dev/null"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["mobilenet", "two_rates", "decoder"])
def test_an_archive_needs_nothing_but_a_few_functions_of_c(name: str, folder: Path) -> None:
    model = Model(name, folder)
    subprocess.run(
        ["make", "-s", "-C", str(model.folder), "libnet.a", f"CFLAGS=-O2 -fno-pie {' '.join(FMA)}"], check=True
    )
    listed = subprocess.run(["nm", str(model.folder / "libnet.a")], capture_output=True, text=True, check=True).stdout
    undefined = set(re.findall(r"^\s+U (\S+)$", listed, re.MULTILINE))
    defined = set(re.findall(r"^\S+ [A-Z] (\S+)$", listed, re.MULTILINE))
    assert undefined - defined <= ALLOWED
    assert all(s.startswith("net_") for s in defined), "names of others could clash"
    assert not re.findall(r"^\S+ [bBdDcC] (\S+)$", listed, re.MULTILINE), "memory that is written and is not the arena"


def test_its_own_test_knows_the_bits(folder: Path) -> None:
    model = Model("voice_activity", folder)
    subprocess.run(["make", "-s", "-C", str(model.folder), f"CFLAGS=-O2 {' '.join(FMA)}"], check=True)
    assert (
        "all results have the library's bits"
        in subprocess.run([str(model.folder / "test")], capture_output=True, text=True, check=True).stdout
    )
    assert (
        "bytes of the arena"
        in subprocess.run([str(model.folder / "main")], capture_output=True, text=True, check=True).stdout
    )
    text = (model.folder / "test.c").read_text(encoding="utf-8")
    hash_of = re.search(r"UINT64_C\(0x([0-9a-f]{16})\)", text)
    assert hash_of
    (model.folder / "test.c").write_text(text.replace(hash_of[1], f"{int(hash_of[1], 16) ^ 1:016x}"), encoding="utf-8")
    subprocess.run(["make", "-s", "-C", str(model.folder), f"CFLAGS=-O2 {' '.join(FMA)}"], check=True)
    assert subprocess.run([str(model.folder / "test")], capture_output=True, check=False).returncode == 1


@pytest.mark.parametrize("kernels", ["c", *usable_sets()])
def test_the_arena_is_no_larger_than_the_library_s(kernels: str, folder: Path) -> None:
    for name in ("cls", "rec", "mobilenet", "bert", "two_rates", "decoder"):
        model = Model(name, folder, kernels)
        promised: dict[str, list[int | tuple[int, int]]] = {}
        for text in model.bounds:
            tensor, dims = text.split(":")
            limits = [list(map(int, d.split(".."))) for d in dims.split(",")]
            promised[tensor] = [(d[0], d[-1]) if len(d) > 1 else d[0] for d in limits]
        found = re.search(r"_ARENA_BYTES (\d+)u", (model.folder / "net.h").read_text(encoding="utf-8"))
        assert found
        assert (
            int(found[1])
            <= anydim.InferenceSession(str(model.path), bounds=promised, contexts=1, threads=1).bytes_needed
        ), name


def test_dims_outside_the_bounds_are_refused_with_a_sentence(folder: Path) -> None:
    model = Model("mobilenet", folder)
    compiled = Compiled(model.folder, ("-O1", *FMA))
    for shape in ((4, 3, 32, 32), (1, 3, 15, 32), (1, 3, 32, 81), (0, 3, 32, 32)):
        status, _ = compiled.run({"x": np.zeros(shape, np.float32)})
        assert status > 3
        assert b"out of bounds; expected" in compiled.status_text(status)
    dims = compiled.dims_type(*compiled.dims({"x": np.zeros((1, 3, 32, 32), np.float32)}))
    assert b"arena" in compiled.status_text(compiled.run_function(ctypes.byref(dims), None, None, None))


def test_an_index_out_of_range_is_reported(folder: Path) -> None:
    model = Model("bert", folder)
    compiled = Compiled(model.folder, ("-O1", *FMA))
    status, _ = compiled.run({"ids": np.full((1, 4), 500, np.int64), "mask": np.ones((1, 4), np.int64)})
    assert b"out of range" in compiled.status_text(status)


def test_all_that_cannot_be_exported_is_said_at_once(tmp_path: Path) -> None:
    import onnx
    from onnx import TensorProto, helper

    nodes = [
        helper.make_node("Sin", ["x"], ["a"], name="first"),
        helper.make_node("CumSum", ["a", "axis"], ["b"], name="second"),
        helper.make_node("Relu", ["b"], ["y"], name="third"),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 3])],
        [helper.make_tensor("axis", TensorProto.INT64, [], [1])],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), str(tmp_path / "m.onnx"))
    with pytest.raises(Refused, match=r"(?s)first \(Sin\): the function sin.*second \(CumSum\): the operator cumsum"):
        export(tmp_path / "m.onnx", tmp_path / "c", ("x:1..4,3",))
    with pytest.raises(Refused, match=r"input 'x': dim 0 \(n\) has no bound; give one with --bounds"):
        export(tmp_path / "m.onnx", tmp_path / "c")
    with pytest.raises(Refused, match="--name is 'a-b'"):
        export(tmp_path / "m.onnx", tmp_path / "c", name="a-b")
    assert not list(tmp_path.glob("c/*")), "a refused export leaves no file"


def test_weights_as_text_and_as_bytes_are_the_same(folder: Path, tmp_path: Path) -> None:
    model = Model("rows", folder)
    export(model.path, tmp_path / "bytes", model.bounds, weights="bin")
    assert (tmp_path / "bytes" / "net_weights.bin").exists()
    assert compare(model, Compiled(tmp_path / "bytes", ("-O1", *FMA)), 4) > 0


# --- the library's kernels as an archive ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kernels", usable_sets())
@pytest.mark.parametrize("name", ["cls", "rec", "mobilenet", "voice_activity", "bert", "segmentation"])
def test_the_library_s_kernels_as_an_archive_have_its_bits(name: str, kernels: str, folder: Path) -> None:
    model = Model(name, folder, kernels)
    assert compare(model, Compiled(model.folder, ("-O2", *FMA)), 12) > 3


@pytest.mark.parametrize("kernels", usable_sets())
def test_a_program_with_an_archive_needs_no_c_plus_plus(kernels: str, folder: Path) -> None:
    model = Model("mobilenet", folder, kernels)
    archive = model.folder / f"libanydim_kernels_{kernels}.a"
    listed = subprocess.run(["nm", str(archive)], capture_output=True, text=True, check=True).stdout
    assert set(re.findall(r"^\s+U (\S+)$", listed, re.MULTILINE)) <= ALLOWED
    entries = set(re.findall(r"^\S+ [A-Z] (\S+)$", listed, re.MULTILINE))
    assert {"adk_convolution", "adk_depthwise", "adk_product"} < entries
    assert all(e.startswith("adk_") for e in entries), "names of others could clash"
    subprocess.run(["make", "-s", "-C", str(model.folder), f"CFLAGS=-O2 {' '.join(FMA)}"], check=True)
    done = subprocess.run([str(model.folder / "test")], capture_output=True, text=True, check=True)
    assert "all results have the library's bits" in done.stdout
    needed = subprocess.run(
        ["readelf", "-d", str(model.folder / "test")], capture_output=True, text=True, check=True
    ).stdout
    assert set(re.findall(r"NEEDED.*\[(lib\w+)", needed)) <= {"libc", "libm"}


def test_weights_of_another_instruction_set_do_not_link(folder: Path, tmp_path: Path) -> None:
    if len(usable_sets()) < 2:
        pytest.skip("this processor runs one set of the archives")
    model = Model("mobilenet", folder, "avx2")
    other = Model("mobilenet", folder, "avx512")
    command = ["gcc", "-std=c99", *map(str, sources(model.folder)), str(model.folder / "main.c")]
    done = subprocess.run(
        [*command, str(other.folder / "libanydim_kernels_avx512.a"), "-lm", "-o", str(tmp_path / "main")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "adk_panels_8_8" in done.stderr


def test_functions_have_the_library_s_numbers() -> None:
    """Steps behind a result go to the archive as numbers."""
    listed = (ROOT / "core" / "ops" / "generated" / "enums.h").read_text(encoding="utf-8")
    ours = (
        (ROOT / "cli" / "export" / "kernels" / "kernels.h").read_text(encoding="utf-8").split("ANYDIM_identity", 1)[1]
    )
    number, found = 0, {"identity": 0}
    for name, value in re.findall(
        r"^  ANYDIM_(\w+)(?: = (\d+))?,?$", "  ANYDIM_identity" + ours.split("};")[0], re.MULTILINE
    ):
        number = int(value) if value else number + (name != "identity")
        found[name] = number
    for name, value in found.items():
        kind, wanted = ("Unary", value) if value < 64 else ("Binary", value - 64)
        body = listed.split(f"enum class {kind}Function", 1)[1].split("};")[0]
        assert re.search(rf"^  {name} = {wanted},", body, re.MULTILINE), name


def test_an_instruction_set_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="--kernels is 'mmx'; expected one of c"):
        export(MODELS / "cls.onnx", tmp_path, PADDLE["cls"], kernels="mmx")


# --- every compiler ---------------------------------------------------------------------------------------------------

WAYS = {
    "O3": ("-O3", *FMA),
    "Os": ("-Os", *FMA),
    "gnu": ("-O3", "-std=gnu11", *FMA),
    "baseline": ("-O2", "-DANYDIM_SLOW_FMA_IS_ACCEPTED"),
    "scalars": ("-O2", "-DNET_LANES=1", *FMA),
    "native": ("-O3", "-march=native"),
    "sanitizers": ("-O1", "-g", "-fsanitize=undefined", "-fno-sanitize-recover=all", *FMA),
}


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", [*PADDLE, *NETWORKS])
def test_every_way_to_compile_gives_the_same_bits(name: str, way: str, folder: Path) -> None:
    model = Model(name, folder)
    assert compare(model, Compiled(model.folder, WAYS[way]), 100 if way == "O3" else 20) > 5


@pytest.mark.long
@pytest.mark.parametrize("name", [*PADDLE, *NETWORKS])
def test_address_sanitizer_finds_nothing(name: str, folder: Path) -> None:
    model = Model(name, folder)
    flags = "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all " + " ".join(FMA)
    subprocess.run(["make", "-s", "-C", str(model.folder), "clean"], check=True)
    subprocess.run(["make", "-s", "-C", str(model.folder), f"CFLAGS={flags}"], check=True)
    for program in ("test", "main"):
        done = subprocess.run([str(model.folder / program)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
def test_address_sanitizer_would_notice_an_overrun(folder: Path) -> None:
    model = Model("mobilenet", folder)
    text = (model.folder / "main.c").read_text(encoding="utf-8")
    planted = text.replace(
        "static unsigned char memory[NET_ARENA_BYTES + NET_ALIGNMENT]",
        "static unsigned char memory[NET_ARENA_BYTES / 2]",
    )
    assert planted != text
    (model.folder / "main.c").write_text(planted, encoding="utf-8")
    flags = "-O1 -g -fsanitize=address " + " ".join(FMA)
    subprocess.run(["make", "-s", "-C", str(model.folder), "clean"], check=True)
    subprocess.run(["make", "-s", "-C", str(model.folder), "main", f"CFLAGS={flags}"], check=True)
    done = subprocess.run([str(model.folder / "main")], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "AddressSanitizer" in done.stderr


@pytest.mark.long
@pytest.mark.parametrize("name", ["cls", "rec", *NETWORKS])
def test_64_bit_arm_has_the_same_bits(name: str, folder: Path) -> None:
    if missing := ARM64.missing():
        pytest.skip(missing)
    model = Model(name, folder)
    assert compare(model, Emulated(model.folder, ARM64), 8 if name == "rec" else 20) > 3


@pytest.mark.long
@pytest.mark.parametrize("way", ["gcc -O2", "clang -O3", "avx2"] if X86 else ["gcc -O2"])
@pytest.mark.parametrize("name", all_shapes.ALL)
def test_many_networks_have_the_bits_of_the_library(name: str, way: str, tmp_path: Path) -> None:
    if gone := all_shapes.missing(way):
        pytest.skip(gone)
    path, bounds = all_shapes.network(name, tmp_path)
    export(path, tmp_path / "c", bounds, kernels=all_shapes.WAYS[way].kernels)
    found = all_shapes.judge(name, way, tmp_path / "c", path, bounds, all_shapes.cases(path, name, bounds, 10))
    assert not found["wrong"]
    assert found["ran"] > 3


# --- microcontrollers ---------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("name", NETWORKS)
def test_a_cortex_m7_has_the_same_bits(name: str, folder: Path) -> None:
    if missing := CORTEX_M7.missing():
        pytest.skip(missing)
    model = Model(name, folder)
    assert compare(model, Emulated(model.folder, CORTEX_M7), 20) > 3


@pytest.mark.long
def test_the_example_of_a_microcontroller_hears_words(folder: Path, tmp_path: Path) -> None:
    if missing := CORTEX_M7.missing():
        pytest.skip(missing)
    model = Model("key_words", folder)
    export(model.path, tmp_path / "words", ("x:1,1,8..50,40",), name="words")
    command = ["make", "-s", "-f", str(BOARD / "Makefile"), f"WORDS={tmp_path / 'words'}", f"OUT={tmp_path}", "run"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^(\d+) rows: word \d+, \d+ %, \d+ bytes$", done.stdout + done.stderr, re.MULTILINE) == [
        *("8", "23", "50")
    ]
    assert "warning" not in done.stderr


COMPILERS = {"x86-64": ("gcc",), "Cortex-M7": (CORTEX_M7.compiler[0], "-mcpu=cortex-m7", "-mthumb", "-mfloat-abi=hard")}


@pytest.mark.long
@pytest.mark.parametrize("processor", COMPILERS)
def test_the_control_code_of_rec_is_small(processor: str, folder: Path) -> None:
    """Everything but kernels and weights."""
    compiler = COMPILERS[processor]
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"{compiler[0]} is not installed")
    model = Model("rec", folder)
    source, made = model.folder / "net.c", folder / f"{processor}.o"
    subprocess.run([*compiler, "-std=c99", "-Os", "-c", str(source), "-o", str(made)], check=True)
    listed = subprocess.run(["size", "-A", str(made)], capture_output=True, text=True, check=True).stdout
    text = sum(int(n) for n in re.findall(r"^\.text\S*\s+(\d+)", listed, re.MULTILINE))
    assert 0 < text <= 10_000
