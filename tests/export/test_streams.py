# SPDX-License-Identifier: Apache-2.0
"""Streams in C: the bits of the whole whatever the chunks are, in the memory that was said."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
import wave
from pathlib import Path

import anydim
import drawn_streams
import numpy as np
import pytest
from emulated_c import ARM64
from exported_c import ROOT, WARNINGS, CompiledStream, Refused, export, same_bits, sources
from exported_models import FMA, SEED, Model
from small_networks import Network


def detector() -> tuple[bytes, tuple[str, ...], tuple[str, ...]]:
    """A strided convolution, a sum of branches that are differently far, an LSTM, an input that is no chunk, outputs along time and at the
    end: the model, its bounds, its streamed axes."""
    n = Network(31)
    x, who = n.input("x", ["b", "t", 40]), n.input("who", ["b", 8])
    t = n.add("Transpose", x, perm=[0, 2, 1])
    t = n.add("Relu", n.add("Conv", t, n.weights(32, 40, 5), n.weights(32), strides=[2], pads=[2, 2]))
    t = n.add("Add", t, n.add("Conv", t, n.weights(32, 32, 3), n.weights(32), pads=[1, 1]))
    t = n.add("Add", t, n.add("Unsqueeze", n.linear(who, 8, 32), n.constant(np.array([2], np.int64))))
    t = n.add("Transpose", t, perm=[2, 0, 1])
    y, h, _ = n.add("LSTM", t, n.weights(1, 96, 32), n.weights(1, 96, 24), n.weights(1, 192), outputs=3, hidden_size=24)
    y = n.add("Sigmoid", n.linear(n.add("Squeeze", y, n.constant(np.array([1], np.int64))), 24, 1))
    return n.model((y, ["u", "b", 1]), (h, [1, "b", 24])), ("x:1..2,0..1000,40", "who:1..2,8"), ("x:1",)


@pytest.fixture(scope="module")
def stream_folder(folder: Path) -> Path:
    model, bounds, axes = detector()
    (folder / "detector.onnx").write_bytes(model)
    export(folder / "detector.onnx", folder / "detector", bounds, stream=axes, chunk=31)
    return folder / "detector"


def test_chunks_have_the_bits_of_the_whole_whatever_they_are(stream_folder: Path) -> None:
    session = anydim.InferenceSession(str(stream_folder.parent / "detector.onnx"))
    stream = CompiledStream(stream_folder, ("-O2", *FMA))
    random = np.random.default_rng(SEED)
    for way in range(60):
        length = int(random.integers(0, 200))
        counts = []
        while sum(counts) < length:
            n = [1, 7, 31, int(random.integers(0, 32)), 0 if counts[-1:] != [0] else 13, 29][way % 6]
            counts.append(min(n, length - sum(counts)))
        batch = int(random.integers(1, 3))
        x, who = random.standard_normal((batch, length, 40)), random.standard_normal((batch, 8))
        feeds = {"x": x.astype(np.float32), "who": who.astype(np.float32)}
        try:
            wanted = session.run(None, feeds)
        except anydim.Error:
            continue
        status, got = stream.run(feeds, {"x": 1}, counts, [w.shape for w in wanted])
        assert status == 0, f"{stream.status_text(status)!r}, {length} by {counts} (ANYDIM_SEED={SEED})"
        for (name, _), a, b in zip(stream.outputs, got, wanted, strict=True):
            assert same_bits(a, b), f"{name} of {length} by {counts} (ANYDIM_SEED={SEED})"


def test_a_stream_takes_no_more_memory_than_the_library_s(stream_folder: Path) -> None:
    session = anydim.InferenceSession(
        str(stream_folder.parent / "detector.onnx"),
        streaming={"x": 1},
        streaming_chunk=31,
        bounds={"x": [(1, 2), (0, 31), 40], "who": [(1, 2), 8]},
        threads=1,
    )
    assert CompiledStream(stream_folder, ("-O1", *FMA)).most_bytes <= session.streaming().bytes_needed + 4096


def test_a_stream_that_ended_or_a_chunk_too_long_is_refused_and_changes_nothing(stream_folder: Path) -> None:
    stream = CompiledStream(stream_folder, ("-O1", *FMA))
    x, who = np.ones((1, 40, 40), np.float32), np.ones((1, 8), np.float32)
    status, memory, at = stream.begin({"x": x, "who": who})
    assert status == 0
    place, made = ctypes.c_void_p(memory.ctypes.data + at), (ctypes.c_int64 * 2)()
    outputs = [np.zeros(4096, np.float32) for _ in range(2)]
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in (x, who, *outputs)]
    before = memory.copy()
    for count in (32, -1):
        status = stream.step(place, ctypes.c_int64(count), *pointers, made)
        assert b"count" in stream.status_text(status)
        assert (memory == before).all()
    assert stream.step(place, ctypes.c_int64(9), *pointers, made) == 0
    assert made[0] > 0
    assert stream.flush(place, *pointers[1:], made) == 0
    assert b"has ended" in stream.status_text(stream.step(place, ctypes.c_int64(1), *pointers, made))
    first = outputs[1][:24].copy()
    assert stream.reset(place) == 0
    assert stream.step(place, ctypes.c_int64(9), *pointers, made) == 0
    assert stream.flush(place, *pointers[1:], made) == 0
    assert same_bits(outputs[1][:24], first), "another sequence begins as the first did"
    assert stream.open(ctypes.byref(stream.dims_type(3)), place) != 0


def test_a_stream_compiles_without_a_warning_and_knows_its_bits(stream_folder: Path) -> None:
    for compiler in (("gcc", "-std=c99"), ("g++", "-std=c++17", "-x", "c++")):
        for source in (*sources(stream_folder), stream_folder / "main.c", stream_folder / "test.c"):
            command = [*compiler, *WARNINGS, "-O2", *FMA, "-c", str(source), "-o", "/dev/null"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
    flags = "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all " + " ".join(FMA)
    subprocess.run(["make", "-s", "-C", str(stream_folder), f"CFLAGS={flags}"], check=True)
    done = subprocess.run([str(stream_folder / "test")], capture_output=True, text=True, check=False)
    assert "all results have the library's bits" in done.stdout, done.stderr
    assert subprocess.run([str(stream_folder / "main")], capture_output=True, check=False).returncode == 0
    listed = subprocess.run(["nm", str(stream_folder / "net.o")], capture_output=True, text=True, check=True).stdout
    assert not re.findall(r" (?:U|[bBdDC]) (malloc|free|printf|pthread\w*)$", listed, re.MULTILINE)


def test_what_cannot_be_streamed_is_said(folder: Path, tmp_path: Path) -> None:
    model = Model("mobilenet", folder)
    with pytest.raises(Refused, match="pools over the whole axis"):
        export(model.path, tmp_path / "c", model.bounds, stream=("x:2",), chunk=8)
    with pytest.raises(Refused, match="--stream and --chunk go together"):
        export(model.path, tmp_path / "c", model.bounds, stream=("x:2",))
    with pytest.raises(Refused, match="--stream is 'x'; expected an input and its axis"):
        export(model.path, tmp_path / "c", model.bounds, stream=("x",), chunk=8)


def test_drawn_networks_have_the_same_bits_by_chunks(tmp_path: Path) -> None:
    verdicts = [drawn_streams.judge(seed, tmp_path / str(seed)) for seed in range(1, 13)]
    assert verdicts.count("ok") > 6, verdicts


@pytest.mark.parametrize("machine", ["here", "64-bit ARM"])
def test_the_example_of_a_small_linux_system_hears_speech(machine: str, tmp_path: Path) -> None:
    here = machine == "here"
    run = [] if here else [*ARM64.emulator]
    if not here and (missing := ARM64.missing()):
        pytest.skip(missing)
    example = ROOT / "examples" / "embedded_linux"
    subprocess.run([sys.executable, str(example / "network.py"), str(tmp_path / "speech.onnx")], check=True)
    export(tmp_path / "speech.onnx", tmp_path / "speech", name="speech", stream=("samples:2",), chunk=320)
    words = ["make", "-s", "-f", str(example / "Makefile"), f"SPEECH={tmp_path / 'speech'}", f"OUT={tmp_path}"]
    words += ["CROSS=" if here else "CROSS=aarch64-linux-gnu-", "CFLAGS=-O2 " + (" ".join(FMA) if here else "")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    t = np.arange(3 * 16000) / 16000
    voice = sum(np.sin(2 * np.pi * 140 * k * t) / k for k in range(1, 25)) * (1 + 0.5 * np.sin(2 * np.pi * 5 * t))
    sound = 0.08 * voice * ((t > 0.8) & (t < 2.1)) + 0.0004 * np.random.default_rng(0).standard_normal(len(t))
    with wave.open(str(tmp_path / "example.wav"), "wb") as out:
        out.setparams((1, 2, 16000, 0, "NONE", ""))
        out.writeframes((sound * 32767).clip(-32768, 32767).astype("<i2").tobytes())
    done = subprocess.run(
        [*run, str(tmp_path / "voice"), str(tmp_path / "example.wav")], capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[0] == "speech from 0.81 to 2.14 s", done.stdout + done.stderr
    assert re.search(r"^301 frames in \d+ bytes of memory$", done.stdout, re.MULTILINE)
