# SPDX-License-Identifier: Apache-2.0
"""The program from outside: its commands on a real model, its JSON, its files, and that wrong arguments are named.

commands.py PROGRAM MODELS
"""

from __future__ import annotations

import json
import os
import re
import resource
import stat
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

PROGRAM, MODELS = sys.argv[1], Path(sys.argv[2])


def run(*words: str | Path, status: int = 0, memory: int | None = None) -> subprocess.CompletedProcess[str]:
    """`memory`: bytes of address space that the program may have."""

    def limit() -> None:
        if memory is not None:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, preexec_fn=limit)
    command = f"anydim {' '.join(map(str, words))}"
    assert done.returncode == status, f"{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def refused(words: Sequence[str | Path], *parts: str, status: int = 1, memory: int | None = None) -> None:
    text = run(*words, status=status, memory=memory)
    shown = text.stderr + text.stdout
    for part in parts:
        assert part in shown, f"no {part!r} in the answer to {words}: {shown}"
    assert "unexpected" not in shown, shown


def read_npy(path: Path) -> tuple[str, list[float]]:
    data = path.read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00" and (10 + struct.unpack("<H", data[8:10])[0]) % 64 == 0
    end = 10 + struct.unpack("<H", data[8:10])[0]
    return data[10:end].decode(), list(struct.unpack(f"<{(len(data) - end) // 4}f", data[end:]))


def write_npy(path: Path, dims: tuple[int, ...], value: float) -> None:
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {dims}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    count = 1
    for d in dims:
        count *= d
    path.write_bytes(
        b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack("<f", value) * count
    )


def check_destinations(folder: Path, model: Path, expected: bytes) -> None:
    """Files that are written: links, pipes and devices stay what they are. The device is made here, never the machine's own."""
    target, link, pipe, null = (folder / name for name in ("target", "link", "pipe", "null"))
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to("target")
    run("pack", model, "-o", link)
    assert link.is_symlink() and target.read_bytes() == expected and target.stat().st_mode & 0o777 == 0o640
    run("stats", model, "--shapes", "x:1,3,48,192", "--node-ms", "1", "--output", link)
    assert link.is_symlink() and "shapes" in json.loads(target.read_text())
    os.mkfifo(pipe)
    refused(["pack", model, "-o", pipe], "without a reader")
    copy = folder / "copy"
    with copy.open("wb") as to, subprocess.Popen(["cat", str(pipe)], stdout=to):
        while subprocess.run([PROGRAM, "pack", str(model), "-o", str(pipe)], capture_output=True).returncode != 0:
            time.sleep(0.01)  # until `cat` has opened it
    assert copy.read_bytes() == expected
    assert pipe.is_fifo()
    refused(["cache", "export", pipe], status=1)
    assert pipe.is_fifo()
    for made in (target, link, pipe, copy):
        made.unlink()
    piped = subprocess.run([PROGRAM, "pack", str(model), "-o", "/dev/stdout"], capture_output=True)
    assert piped.returncode == 0 and piped.stdout == expected and b"packed weights" in piped.stderr
    try:
        os.mknod(null, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        null.write_bytes(b"")
    except OSError:
        print("no device may be made here: pipes and links only")
        return
    run("pack", model, "-o", null)
    assert null.is_char_device()
    null.unlink()


def check_quotes(model: Path, folder: Path) -> None:
    """A message quotes a part of what is long, and is UTF-8 whatever it quotes."""
    long = "x" * 100_000
    cases: list[list[str | Path]] = [["replay", long], ["replay", f"anydim,v1,execute,{long}"], [long], ["info", long]]
    cases += [
        ["run", model, "--random", f"x:{long}"],
        ["run", model, "--random", f"{long}:1"],
        ["run", model, f"--{long}"],
    ]
    cases += [["run", model, "--bounds", f"x:{long}", "--random", "x:1,3,48,192"], ["tune", model, "--shapes", long]]
    for words in cases:
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)
        assert done.returncode != 0 and 0 < len(done.stderr) < 5000, (words[0], len(done.stderr), done.stderr[:300])
    odd = os.fsencode(folder) + b"/none/\xff\xfe.onnx"
    file = os.fsencode(model)
    for command in ([b"info", odd], [b"replay", odd], [b"pack", file, b"-o", odd], [b"info", file, b"--packed", odd],
                    [b"cache", b"export", odd], [b"cache", b"import", odd], [b"run", file, b"--input", b"x=" + odd],
                    [b"stats", file, b"--shapes", odd]):  # fmt: skip
        told = subprocess.run([PROGRAM.encode(), *command], capture_output=True)
        text = told.stderr.decode()  # fails if it is not UTF-8
        assert told.returncode != 0 and text and "unexpected" not in text, (command, text)
    lines = folder / "lines"
    lines.write_bytes(b"anydim,v1,execute,cpu,\0,relu\n")
    refused(["replay", lines], "zero byte")


def chunk(field: int, data: bytes) -> bytes:
    """A field of a protobuf message, of fewer than 128 bytes."""
    return bytes([field << 3 | 2, len(data)]) + data


def check_stages(folder: Path) -> None:
    """Where sizes follow from data, explain prints which are read, before which node, and from what."""
    dims = chunk(2, chunk(1, chunk(2, b"n")))
    node = chunk(1, b"x") + chunk(2, b"found") + chunk(3, b"where") + chunk(4, b"NonZero")
    graph = chunk(1, node) + chunk(2, b"g") + chunk(11, chunk(1, b"x") + chunk(2, chunk(1, b"\x08\x01" + dims)))
    path = folder / "found.onnx"
    path.write_bytes(b"\x08\x08" + chunk(7, graph + chunk(12, chunk(1, b"found"))) + chunk(8, b"\x10\x11"))
    shown = run("explain", path, "--shape", "x:7").stdout
    assert "before node 1 a run reads the count of where = 0 (at most 7): element 0 of the count of where\n" in shown, (
        shown
    )
    first, second = json.loads(run("explain", path, "--shape", "x:7", "--json").stdout)["stages"]
    assert first == {"depth": 0, "first": 0, "last": 1, "reads": []} and second["first"] == 1 and second["last"] == 2
    named = "the count of where"
    assert second["reads"] == [{"size": named, "tensor": named, "element": 0, "value": 0, "most": 7}]


def check_math(model: Path) -> None:
    """Math modes of a model and of one layer: fast comes down to strict where no kernel is 3x3, with the same bits; reduced has products of
    its own; explain says what each layer has, and why."""
    random: list[str | Path] = ["run", model, "--random", "x:2,3,48,192"]
    shape: list[str | Path] = ["explain", model, "--shape", "x:2,3,48,192", "--json"]
    layer = next(n["name"] for n in json.loads(run(*shape).stdout)["nodes"] if "conv" in n["kernel"])
    seen: list[bytes] = []
    with tempfile.TemporaryDirectory() as folder:
        for words in (
            [],
            ["--math", "strict"],
            ["--math", "fast"],
            ["--math", "reduced"],
            ["--layer-math", f"{layer}=fast"],
        ):
            run(*random, "--output", folder, *words)
            (path,) = Path(folder).glob("*.npy")
            seen.append(path.read_bytes())
            path.unlink()
        strict, reduced = seen[0], seen[3]
        assert strict == seen[1] == seen[2] == seen[4] != reduced
        run("pack", model, "-o", Path(folder) / "packed", "--math", "fast")
    nodes = json.loads(run(*shape, "--math", "reduced", "--layer-math", f"{layer}=strict").stdout)["nodes"]
    for n in nodes:
        assert n["math_requested"] == ("strict" if n["name"] == layer else "reduced")
        assert (n["math"] == "reduced") == ("bf16" in n["kernel"])
        assert bool(n.get("math_because")) == (n["math"] != n["math_requested"])
    assert {n["math"] for n in nodes} == {"strict", "reduced"}
    shown = run(*shape[:-1], "--layer-math", f"{layer}=fast").stdout
    place = next(i for i, n in enumerate(nodes) if n["name"] == layer)
    because = re.search(rf"math mode strict for fast: conv\.winograd\.\w+: (.+) \(nodes {place}\)\n", shown)
    assert because and because[1] in ("the kernel is not 3x3", "a stride or dilation is not 1"), shown
    assert all(word in run("run", "--help").stdout for word in ("--math", "{strict,fast,reduced}", "--layer-math"))
    refused([*random, "--math", "quick"], "--math", "'quick'", "strict, fast or reduced", status=2)
    refused([*random, "--passes", "some"], "--passes", "'some'", "all, exact or none", status=2)
    refused([*random, "--layer-math", "nowhere=fast"], "no layer 'nowhere'")
    refused([*random, "--layer-math", f"{layer}=quick"], "--layer-math", "'quick'", "strict, fast or reduced")
    refused([*random, "--layer-math", layer], "--layer-math", "NAME=MODE")


def check_reuse(model: Path) -> None:
    """Policies change no bit, and what they did is seen."""
    shape = "x:1,3,48,192"
    seen = set()
    with tempfile.TemporaryDirectory() as folder:
        measured: list[str | Path] = ["--reuse", "specialised", "--tuning-ms", "200", "--bounds", shape]
        policies: list[list[str | Path]] = [[], ["--reuse", "auto"], ["--reuse", "reusable"], measured]
        for words in policies:
            run("run", model, "--random", shape, "--output", folder, *words)
            (path,) = Path(folder).glob("*.npy")
            seen.add(path.read_bytes())
            path.unlink()
    assert len(seen) == 1
    explained = json.loads(run("explain", model, "--shape", shape, "--reuse", "reusable", "--json").stdout)
    assert explained["reuse"] == "reusable" and all(n["tier"] == "reusable" for n in explained["nodes"])
    refused(["run", model, "--random", shape, "--reuse", "often"], "--reuse", "'often'", "or reusable_first", status=2)
    refused(["run", model, "--random", shape, "--tuning-ms", "-1"], "--tuning-ms", status=2)


def check_program_files(cls: Path) -> None:
    """A saved program is taken in the model's place, with its bits; what it was saved for is said where that is not there."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "cls.anydim"
        said = run("pack", cls, "--program", "--to", program).stdout
        assert "a program of" in said and "packed weights" in said, said
        results = []
        for model in (cls, program):
            run("run", model, "--random", "x:2,3,48,192", "--output", folder)
            (path,) = Path(folder).glob("*.npy")
            results.append(path.read_bytes())
            path.unlink()
        assert results[0] == results[1]
        told = [json.loads(run("info", model, "--json").stdout) for model in (cls, program)]
        assert told[0]["inputs"] == told[1]["inputs"] and told[0]["file_operators"] == told[1]["file_operators"]
        refused(["run", program, "--random", "x:1,3,48,192", "--math", "fast"], "options.math", "load the model itself")
        refused(["export", program, "--to", Path(folder) / "c"], "program file", "expected the model")
        with open(program, "r+b") as file:
            file.seek(300_000)
            file.write(b"damage")
        refused(["info", program], "the checksum", "it is damaged")
        # A file for any processor runs everywhere, one for vectors only where there are some.
        run("pack", cls, "--program", "-o", program)
        os.environ["ANYDIM_MAX_ISA"] = "portable"
        try:
            kernels = run("kernels", "convolution").stdout
            if ".avx2" in kernels:
                refused(["info", program], "ANYDIM_MAX_ISA excludes", "it was saved on a CPU with", "save it on this CPU")
            run("pack", cls, "--program", "-o", program)
        finally:
            del os.environ["ANYDIM_MAX_ISA"]
        run("run", program, "--random", "x:2,3,48,192", "--output", folder)
        (path,) = Path(folder).glob("*.npy")
        assert path.read_bytes() == results[0]


def check_help() -> None:
    help_text = run("--help").stdout
    assert all(word in help_text for word in ("info", "run", "explain", "--random", "ANYDIM_LOG"))
    assert run("--version").stdout.startswith("anydim 0.")
    for command in ("info", "run", "explain"):
        assert "MODEL" in run(command, "--help").stdout


def check_full_disk(cls: Path) -> None:
    """A full disk behind standard output or a file is reported."""
    explaining: list[str | Path] = ["explain", cls, "--shape", "x:1,3,48,192", "--json"]
    for words in (["info", cls], explaining, ["--help"], ["run", "--help"], ["--version"]):
        with open("/dev/full", "w") as full:
            told = subprocess.run([PROGRAM, *map(str, words)], stdout=full, stderr=subprocess.PIPE, text=True)
        assert told.returncode == 1 and "standard output: No space left" in told.stderr, (words, told)


def check_tuning(cls: Path) -> None:
    """Measured once, known the second time; bad shapes name their line."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ANYDIM_CACHE_DIR"] = folder
        shapes = Path(folder) / "shapes.txt"
        shapes.write_text("# widths\nx:1,3,48,192\n\n", encoding="utf-8")
        first = json.loads(run("tune", cls, "--shapes", shapes, "--threads", "1", "--node-ms", "1000", "--json").stdout)
        nodes = first["shapes"][0]["nodes"]
        assert first["complete"] and len(nodes) > 10 and not any(n["known"] for n in nodes)
        again = json.loads(run("tune", cls, "--shapes", "x:1,3,48,192", "--threads", "1", "--json").stdout)
        assert sum(n["known"] for n in again["shapes"][0]["nodes"]) > len(nodes) * 0.8, "little was on record"
        assert "plans measured" in run("tune", cls, "--shapes", shapes, "--threads", "1").stdout
        shapes.write_text("x:1,3,48,192\nx:1;2\n", encoding="utf-8")
        refused(["tune", cls, "--shapes", shapes], "line 2")
        chosen = json.loads(
            run(
                "tune",
                cls,
                "--math",
                "reduced",
                "--error",
                "0.5",
                "--shapes",
                "x:1,3,48,96",
                "--threads",
                "1",
                "--json",
            ).stdout
        )
        taken = {layer["name"]: "reduced" for layer in chosen["layers"] if layer["taken"]}
        assert chosen["proposed"] == taken and chosen["error"] <= 0.5
        none = run("tune", cls, "--math", "reduced", "--error", "1e-9", "--shapes", "x:1,3,48,96", "--threads", "1")
        assert "layers={}" in none.stdout
        refused(["tune", cls, "--error", "0.1", "--shapes", "x:1,3,48,96"], "--math")
        refused(["tune", cls, "--math", "reduced"], "--shapes", status=2)
        report = json.loads(run("stats", cls, "--shapes", "x:2,3,48,192", "--threads", "1", "--json").stdout)
        assert sum(k["nodes"] for k in report["kernels"]) >= len(nodes)
        assert report["shapes"][0]["first_ms"] > 0 and "reusable_loses_more_than_10_percent" in report
        del os.environ["ANYDIM_CACHE_DIR"]


def check_info(cls: Path, rec: Path) -> None:
    shown = run("info", rec).stdout
    assert all(word in shown for word in ("p2o.DynamicDimension.1", "inputs", "operators", "weights", "character"))
    assert "channels last" not in shown and "channels last" in run("info", rec, "--layout", "x:channels_last").stdout
    # A size that no file names: skips over strides want a multiple. Recognisers take any width.
    wanted = run("info", cls.with_name("yolo.onnx")).stdout
    assert wanted.count("multiples of 32 and others") == 2 and "multiple" not in shown, wanted
    assert all(text in shown for text in ("x.2: 33 to 80", "DynamicDimension.1: 5 or more", "0: any size")), shown
    described = json.loads(run("info", cls, "--json").stdout)
    assert described["file_operators"]["Conv"] == 53 and described["inputs"][0]["dims"][1] == "3"


def check_run(cls: Path) -> None:
    shown = run("run", cls, "--random", "x:2,3,48,192", "--repeat", "3").stdout
    assert all(word in shown for word in ("first call", "repeated", "median of 2", "2,2"))
    result = json.loads(run("run", cls, "--random", "x:2,3,48,192", "--repeat", "3", "--json", "--threads", "1").stdout)
    assert result["repeats"] == 2 and result["threads"] == 1 and result["outputs"][0]["dims"] == [2, 2]
    bounded = json.loads(run("run", cls, "--bounds", "x:1..4,3,48,192", "--random", "x:3,3,48,192", "--json").stdout)
    assert bounded["growths"] == 0
    assert "conv.tiles" in run("run", cls, "--random", "x:1,3,48,192", "--profile").stdout
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "image.npy"
        write_npy(image, (3, 3, 48, 192), 0.25)
        run("run", cls, "--input", f"x={image}", "--output", folder)
        (output,) = (path for path in Path(folder).glob("*.npy") if path != image)
        header, scores = read_npy(output)
        assert "(3,2,)" in header and len(scores) == 6 and abs(sum(scores) - 3) < 1e-5
        assert scores[:2] == scores[2:4] == scores[4:], "equal images have equal scores, bit for bit"
        image.write_bytes(image.read_bytes()[:-4])
        refused(["run", cls, "--input", f"x={image}"], "--input", "cut")
        image.write_bytes(b"no array")
        refused(["run", cls, "--input", f"x={image}"], "--input", ".npy")


def check_layouts(rec: Path) -> None:
    """The memory order of an edge changes no bit of a file, which is in logical order."""
    with tempfile.TemporaryDirectory() as folder:
        (name,) = (output["name"] for output in json.loads(run("info", rec, "--json").stdout)["outputs"])
        seen = set()
        for layouts in (
            [],
            ["x:channels_last"],
            ["x:0,3,1,2", f"{name}:2,0,1"],
            ["x:fastest", f"{name}:fastest"],
            [f"{name}:follow"],
        ):
            asked = [word for layout in layouts for word in ("--layout", layout)]
            run("run", rec, "--random", "x:2,3,48,71", "--output", folder, *asked)
            (path,) = Path(folder).glob("*.npy")
            seen.add(path.read_bytes())
            path.unlink()
        assert len(seen) == 1, "layouts change the output"


def check_packed(cls: Path, rec: Path) -> None:
    """Written, seen by info, mapped by run with the same output; another model's do no harm, a damaged file does."""
    with tempfile.TemporaryDirectory() as folder:
        packed, outputs = Path(folder) / "cls.packed", []
        assert "packed weights" in run("pack", cls, "-o", packed).stdout
        described = json.loads(run("info", cls, "--packed", packed, "--json").stdout)["packed_weights"]
        assert described["mapped"] == described["count"] > 20
        assert f"{described['count']} of {described['count']}" in run("info", cls, "--packed", packed).stdout
        assert " 0 of " in run("info", rec, "--packed", packed).stdout
        cases: list[tuple[list[str | Path], str | None]]
        cases = [([], None), (["--packed", packed], None), (["--packed", packed], "portable")]
        for words, isa in cases:
            if isa is not None:
                os.environ["ANYDIM_MAX_ISA"] = isa
            run("run", cls, "--random", "x:2,3,48,192", "--output", folder, *words)
            os.environ.pop("ANYDIM_MAX_ISA", None)
            (path,) = Path(folder).glob("*.npy")
            outputs.append(path.read_bytes())
            path.unlink()
        assert len(set(outputs)) == 1, "mapped weights, or those of another instruction set, change the output"
        copy = Path(folder) / "copy.onnx"
        copy.write_bytes(cls.read_bytes())
        run("pack", copy)
        assert (Path(folder) / "copy.packed").read_bytes() == packed.read_bytes(), "the bytes follow from the weights"
        check_destinations(Path(folder), cls, packed.read_bytes())
        refused(["pack", copy, "-o", copy], "the model itself")
        assert copy.read_bytes() == cls.read_bytes()
        assert "conv.tiles" in run("explain", cls, "--shape", "x:2,3,48,192", "--packed", packed).stdout
        packed.write_bytes(packed.read_bytes()[:-4096])
        for command, option in (
            ("run", "--random"),
            ("explain", "--shape"),
            ("tune", "--shapes"),
            ("stats", "--shapes"),
        ):
            refused([command, cls, option, "x:2,3,48,192", "--packed", packed], "damaged", "cls.packed")
        refused(["info", cls, "--packed", Path(folder) / "nothing"], "cannot open", "nothing")


def check_explain(rec: Path) -> None:
    shown = run("explain", rec, "--shape", "x:1,3,48,320", "--against", "x:1,3,48,71", "--why").stdout
    assert all(
        word in shown
        for word in ("kernel", "plan", "estimated", "channels last", "against", "why not another kernel", "hard_swish")
    )
    for limit, lacking in (
        ("avx2", ", avx512bw, avx512dq and avx512vl"),
        ("portable", "avx2"),
        ("avx2+avx512f", "avx512bw, avx512dq"),
    ):
        os.environ["ANYDIM_MAX_ISA"] = limit
        shown = run("explain", rec, "--shape", "x:1,3,48,71", "--why").stdout
        os.environ.pop("ANYDIM_MAX_ISA")
        assert any(lacking in line and ("excludes" in line or "this CPU lacks" in line) for line in shown.splitlines())
    explained = json.loads(run("explain", rec, "--shape", "x:1,3,48,320", "--json").stdout)
    node = explained["nodes"][0]
    assert node["tier"] == "reusable" and node["nanoseconds"] > 0 and any("because" in c for c in node["candidates"])


def check_refusals(cls: Path) -> None:
    """Wrong words, dims, bounds and layouts are named."""
    refused(["run", cls], "input 'x'", "missing", "--random x:DIMS")
    refused(["run", cls, "--random", "y:1,3"], "--random y:1,3", "no input 'y'", "x")
    refused(["run", cls, "--random", "x:1,3,48,a"], "--random", "'a'")
    refused(["run", cls, "--random", "x"], "--random", "NAME:DIMS")
    refused(["run", cls, "--random", "x:1.5,3,48,192"], "'1.5'", "whole number")
    refused(["run", cls, "--bounds", "x:1..2.5,3,48,192", "--random", "x:1,3,48,192"], "'2.5'", "whole number")
    refused(["run", cls, "--random", "x:1,3,48"], "x", "rank")
    refused(["run", cls, "--random", "x:1,4,48,192"], "x", "4")
    refused(["run", cls, "--random", "x:1,3,48,192", "--random", "x:1,3,48,192"], "twice")
    for command, option in (("run", "--random"), ("explain", "--shape")):  # 121 GB, of which 8 may be used
        message = f"{option} x:1100000,3,48,192: 121651200008 bytes"
        refused([command, cls, option, "x:1100000,3,48,192"], message, memory=8 << 30)
    refused(["run", cls, "--bounds", "x:1..2,3,48,192", "--random", "x:3,3,48,192"], "x", "3")
    refused(["run", cls, "--bounds", "x:2..1,3,48,192", "--random", "x:3,3,48,192"], "--bounds", "2..1")
    refused(["run", cls, "--layout", "x:0,1,2", "--random", "x:1,3,48,192"], "'x'", "3 axes", "4")
    refused(["run", cls, "--layout", "x:0,1,1,2", "--random", "x:1,3,48,192"], "--layout", "axes[2] is 1")
    refused(["run", cls, "--layout", "x:follow", "--random", "x:1,3,48,192"], "'x'", "follow")
    refused(["run", cls, "--layout", "y:fastest", "--random", "x:1,3,48,192"], "'y'", "neither")
    refused(["run", cls, "--layout", "x:sideways", "--random", "x:1,3,48,192"], "--layout", "sideways")
    refused(["explain", cls, "--shape", "x:1,99999999999999999999,1,1"], "--shape", "99999999999999999999")
    refused(["info", "/nowhere/model.onnx"], "/nowhere/model.onnx")
    refused(["run", cls, "--random", "x:1,3,48,192", "--repeat", "0"], "--repeat", status=2)
    refused(["dance"], "dance", status=2)
    refused(["explain", cls], "--shape", status=2)


def main() -> None:
    cls, rec = MODELS / "cls.onnx", MODELS / "rec.onnx"
    assert cls.exists(), f"{cls} is not there: make models"
    check_help()
    check_full_disk(cls)
    check_tuning(cls)
    check_info(cls, rec)
    check_run(cls)
    check_layouts(rec)
    check_packed(cls, rec)
    check_explain(rec)
    with tempfile.TemporaryDirectory() as folder:
        check_stages(Path(folder))
    check_math(cls)
    check_reuse(cls)
    check_program_files(cls)
    check_refusals(cls)
    with tempfile.TemporaryDirectory() as folder:
        check_quotes(cls, Path(folder))
    print("the program's commands, files and refusals")


if __name__ == "__main__":
    main()
