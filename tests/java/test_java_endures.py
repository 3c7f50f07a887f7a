# SPDX-License-Identifier: Apache-2.0
"""The jar in programs that run for long, as people run them: sessions opened and closed, tensors that nobody closes, closing at random
moments under running calls, eight threads on one session. No test asserts a time. Small versions, in the quick stage, are JUnit
tests: ClosingTest and ThreadsTest."""

from __future__ import annotations

import os
import random
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests" / "java"
REC = ROOT / "build" / "models" / "rec.onnx"
LIBRARY = ROOT / "build" / "lib"

# The heap has its size and all its pages from the start, so what the resident set gains later is native. What is left then is the VM's own:
# compiled code, its compilers' memory, metadata of classes. Over a quarter of the calls it settles; after that it gained 6 MB.
HEAP = ("-Xmx64m", "-Xms64m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC")
# kB. A session of rec that is lost costs 1 MB and more, one of the model of one node some kB: 7,500 of 4 kB would be 30 MB.
SESSIONS_MAY_GAIN = 16 * 1024
# kB. Tensors that nobody closed wait for the collector, which is asked to run when 64 MB wait (docs/java.md); all of them would be 1.4 GB.
TENSORS_MAY_GAIN = 64 * 1024

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The class path: the jar, and the programs of this folder."""
    (jar,) = (
        p
        for p in (ROOT / "build" / "java" / "target").glob("anydim-*.jar")
        if not re.search("-(sources|javadoc)", p.name)
    )
    folder = tmp_path_factory.mktemp("programs")
    sources = [str(TESTS / f"{name}.java") for name in ("Residue", "Moments", "Turns")]
    subprocess.run(["javac", "-Xlint:all", "-Werror", "-cp", str(jar), "-d", str(folder), *sources], check=True)
    return f"{jar}:{folder}"


@pytest.fixture(scope="module")
def relu(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of one node over two dynamic dims."""
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", "m"]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "relu", [x], [y])
    path = tmp_path_factory.mktemp("model") / "relu.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))
    return path


def java(programs: str, options: Sequence[str], *arguments: str | Path) -> str:
    done = subprocess.run(["java", *options, "-cp", programs, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout + done.stderr


def gained(programs: str, what: str, calls: int, model: Path) -> int:
    """kB by which the resident set was larger at any look after the first quarter of the calls than at the most within it."""
    looks = [
        int(line) for line in java(programs, HEAP, "Residue", what, str(calls), model).splitlines() if line.isdigit()
    ]
    assert len(looks) == 20
    early, late = max(looks[:5]), max(looks[5:])
    print(f"FIGURES {what}, {calls}: {early // 1024} MB after a quarter, at most {late // 1024} MB later")
    return late - early


@pytest.mark.parametrize(("what", "model"), [("sessions", "rec"), ("opened", "relu")])
def test_ten_thousand_sessions_that_are_closed_leave_the_resident_set_flat(
    programs: str, relu: Path, what: str, model: str
) -> None:
    assert gained(programs, what, 10_000, REC if model == "rec" else relu) < SESSIONS_MAY_GAIN


def test_a_hundred_thousand_tensors_that_are_not_closed_leave_the_resident_set_flat(programs: str, relu: Path) -> None:
    assert gained(programs, "tensors", 100_000, relu) < TENSORS_MAY_GAIN


def test_what_is_kept_is_seen_in_the_resident_set(programs: str, relu: Path) -> None:
    """The control: with a fiftieth of the sessions and a fifth of the tensors."""
    assert gained(programs, "kept-sessions", 200, REC) > SESSIONS_MAY_GAIN
    assert gained(programs, "kept-tensors", 20_000, relu) > TENSORS_MAY_GAIN


def test_closing_at_a_thousand_random_moments_ends_runs_or_makes_them_say_closed(programs: str) -> None:
    seed = int(os.environ.get("ANYDIM_SEED", random.SystemRandom().randrange(2**31)))
    print(f"ANYDIM_SEED={seed}")
    told = java(programs, ("-Xcheck:jni", "-Xmx256m"), "Moments", "1000", str(seed), REC)
    assert not [line for line in told.splitlines() if "WARNING in native method" in line or "FATAL ERROR" in line]
    found = re.search(r"on-their-way (\d+) ended (\d+) closed (\d+)", told)
    assert found, told[-2000:]
    on_their_way, ended, closed = map(int, found.groups())
    print(f"FIGURES {found[0]}")
    assert on_their_way > 400, "hardly any session was closed during a run"
    assert ended > 1000 and closed > 1000


class Turns:
    """What eight threads got of one session."""

    THREADS, EACH = 8, 60

    def __init__(self, told: str) -> None:
        found = re.search(r"^standing ((?:\d+ )+)others (\d+) longest-ms (\d+)$", told, re.MULTILINE)
        assert found, told
        self.standing = [int(word) for word in found[1].split()]
        self.others = int(found[2])
        self.text = found[0]

    def fair(self) -> bool:
        """The rule of C's and Python's tests: when one has had all its turns each other has had more than half of them. And no run is
        asked for while the others end more than three each (bench/fairness.py allows a call three times the mean wait)."""
        return min(self.standing) > self.EACH / 2 and self.others <= 3 * self.THREADS


def test_eight_threads_on_one_session_have_their_turns_as_in_c(programs: str, tmp_path: Path) -> None:
    program = tmp_path / "turns"
    flags = ["-O2", "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/capi/include", f"-L{LIBRARY}"]
    linked = ["-lanydim", "-lpthread", f"-Wl,-rpath,{LIBRARY}", "-o", str(program)]
    subprocess.run(["cc", *flags, str(TESTS / "turns.c"), *linked], check=True)
    each = str(Turns.EACH)
    in_c = Turns(subprocess.run([str(program), each, str(REC)], capture_output=True, text=True, check=True).stdout)
    in_java = Turns(java(programs, (), "Turns", "fair", each, REC))
    print(f"FIGURES C     {in_c.text}\nFIGURES Java  {in_java.text}")
    assert in_c.fair(), in_c.text
    assert in_java.fair(), in_java.text


def test_a_session_that_each_thread_keeps_for_twenty_turns_is_seen_not_to_be_fair(programs: str) -> None:
    """The control: the same eight threads, with a lock in front of the session."""
    hogging = Turns(java(programs, (), "Turns", "hogging", str(Turns.EACH), REC))
    print(f"FIGURES Java, kept for twenty turns {hogging.text}")
    assert not hogging.fair()
