# SPDX-License-Identifier: Apache-2.0
"""The persistent cache among processes: killed writers, flipped bytes, full and read-only disks, locked files, libraries
of different age, and the tools. `build/bin/records` writes records whose keys determine their values, so every reader can judge.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ANYDIM_BUILD", ROOT / "build"))
RECORDS, PROGRAM, LIBRARY = BUILD / "bin" / "records", BUILD / "bin" / "anydim", BUILD / "lib" / "libanydim.so"
FILE = "cache-1.sqlite"
NOBODY = 65534
# What any call needs of the cache is that engines are made; prints how long that took and how the index was read.
MAKE_ENGINE = """
import ctypes, json, sys, time
library = ctypes.CDLL(sys.argv[1])
engine, begin = ctypes.c_uint64(), time.monotonic()
assert library.anydim_engine_create(1, 0, None, ctypes.byref(engine)) == 0
print(time.monotonic() - begin)
"""


def environment(folder: Path, **more: str) -> dict[str, str]:
    rest = {name: value for name, value in os.environ.items() if not name.startswith("ANYDIM_CACHE")}
    return rest | {"ANYDIM_CACHE_DIR": str(folder), "ANYDIM_CACHE_SYSTEM_DIR": ""} | more


def records(
    folder: Path, *words: str, program: Path = RECORDS, text: str = "", **options: Any
) -> subprocess.CompletedProcess[str]:
    done: subprocess.CompletedProcess[str] = subprocess.run(
        [program, *words], env=environment(folder), input=text, capture_output=True, text=True, timeout=600, **options
    )
    return done


def check(folder: Path, keys: list[str], program: Path = RECORDS) -> str:
    done = records(folder, "check", program=program, text="\n".join(keys) + "\n" if keys else "")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def anydim(folder: Path, *words: str | Path, status: int = 0) -> str:
    done = subprocess.run(
        [PROGRAM, "cache", *words], env=environment(folder), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == status, f"{words}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def an_engine_is_made(folder: Path) -> float:
    command = [sys.executable, "-c", MAKE_ENGINE, str(LIBRARY)]
    done = subprocess.run(command, env=environment(folder), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that other users may look into, which pytest's own are not."""
    with tempfile.TemporaryDirectory(prefix="anydim-cache-") as name:
        os.chmod(name, 0o755)
        yield Path(name)


@pytest.fixture
def seed() -> int:
    value = int(os.environ.get("ANYDIM_SEED", random.SystemRandom().randrange(2**31)))
    print(f"ANYDIM_SEED={value}")
    return value


def kill_writers(folder: Path, seed: int, processes: int, at_once: int) -> None:
    draw = random.Random(seed)
    returned: list[str] = []
    failures: list[str] = []
    for first in range(0, processes, at_once):
        running = [
            subprocess.Popen(
                [RECORDS, "write", f"w{i}", "0", "100000"], env=environment(folder), stdout=subprocess.PIPE, bufsize=0
            )
            for i in range(first, min(first + at_once, processes))
        ]
        heads = []
        for process in running:
            assert process.stdout
            # One in four may die while it opens or makes the file, the others after a store or more.
            heads.append(b"" if draw.random() < 0.25 else process.stdout.readline())
            time.sleep(draw.uniform(0, 0.03))
            process.send_signal(signal.SIGKILL)
        for process, head in zip(running, heads, strict=True):
            assert process.stdout
            lines = (head + process.stdout.read()).decode().splitlines()
            assert process.wait() == -signal.SIGKILL
            returned += [line for line in lines if not line.startswith("!")]
            failures += [line for line in lines if line.startswith("!")]
        # In the middle of it all: what the killed ones left is rolled back, nothing that returned is lost.
        check(folder, returned)
    assert not failures, failures[:3]
    assert len(returned) > processes / 2, f"only {len(returned)} stores returned before the kills"
    print(f"{processes} writers killed, {len(returned)} stores had returned; {check(folder, returned)}", end="")


def test_every_store_that_returned_survives_200_killed_writers(folder: Path, seed: int) -> None:
    kill_writers(folder / "cache", seed, 200, 10)


@pytest.mark.long
def test_every_store_that_returned_survives_2000_killed_writers(folder: Path, seed: int) -> None:
    kill_writers(folder / "cache", seed, 2000, 10)


def flip(seed: int, step: int) -> None:
    # In memory where there is such a folder: thousands of files are written.
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as name:
        where = Path(name)
        assert records(where, "write", "f", "0", "9").returncode == 0
        small = where / "small.sqlite"
        shutil.copy(where / FILE, small)
        done = records(where, "flips", str(small), str(random.Random(seed).randrange(step)), str(step))
        print(done.stdout, end="")
        assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout[-4000:]}{done.stderr}"
        assert " wrong 0;" in done.stdout


def test_a_flipped_byte_gives_a_miss_or_the_right_value(seed: int) -> None:
    flip(seed, 17)


@pytest.mark.long
def test_each_flipped_byte_is_a_miss_or_the_right_value(seed: int) -> None:
    flip(seed, 1)


def patched(program: Path, target: Path, old: bytes, new: bytes) -> Path:
    code = program.read_bytes()
    assert old in code and len(old) == len(new)
    target.write_bytes(code.replace(old, new))
    target.chmod(0o755)
    return target


def test_libraries_of_two_revisions_write_side_by_side(folder: Path) -> None:
    cache = folder / "cache"
    # One that is younger only, and one whose records have another form and so another file.
    younger = patched(RECORDS, folder / "younger", b"anydim 0.", b"anydim 9.")
    other = patched(RECORDS, folder / "other", FILE.encode(), b"cache-2.sqlite")
    programs = {"ours": RECORDS, "younger": younger, "other": other}
    running = {
        name: subprocess.Popen([p, "write", name, "0", "25"], env=environment(cache), stdout=subprocess.PIPE)
        for name, p in programs.items()
    }
    for name, process in running.items():
        assert process.wait(300) == 0, name
    keys = {name: [f"{name}/{i}" for i in range(25)] for name in programs}
    assert "records 50 " in check(cache, keys["ours"] + keys["younger"], RECORDS)
    assert "records 50 " in check(cache, keys["ours"] + keys["younger"], younger)
    assert "records 25 " in check(cache, keys["other"], other)
    assert sorted(path.name for path in cache.glob("*.sqlite")) == [FILE, "cache-2.sqlite"]
    origins = {record["origin"][:8] for record in json.loads(anydim(cache, "ls", "--json"))["records"]}
    assert origins == {"anydim 0", "anydim 9"}


def fill(cache: Path, **options: Any) -> list[str]:
    """Writes until stores fail, which each says; returns the keys whose store returned."""
    done = records(cache, "write", "full", "0", "400", **options)
    lines = done.stdout.splitlines()
    failures = [line for line in lines if line.startswith("!")]
    assert done.returncode == 1 and failures, f"exit status {done.returncode}; the disk never was full\n{done.stderr}"
    print(f"{len(lines) - len(failures)} stores returned, {len(failures)} failed, as: {failures[0]}")
    return [line for line in lines if not line.startswith("!")]


def test_a_file_that_may_not_grow_fails_the_store_and_keeps_the_rest(folder: Path) -> None:
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))

    keys = fill(folder / "cache", preexec_fn=limit)
    assert len(keys) > 10
    check(folder / "cache", keys)
    an_engine_is_made(folder / "cache")


@contextlib.contextmanager
def mounted(place: Path, *options: str) -> Iterator[None]:
    place.mkdir(exist_ok=True)
    done = subprocess.run(["mount", *options, str(place)], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"this user may not mount: {done.stderr.strip()}; the test with RLIMIT_FSIZE stands for it")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_fails_the_store_and_keeps_the_rest(folder: Path) -> None:
    with mounted(folder / "small", "-t", "tmpfs", "-o", "size=200k,mode=755", "none"):
        keys = fill(folder / "small")
        assert len(keys) > 10
        check(folder / "small", keys)
        an_engine_is_made(folder / "small")


def test_a_read_only_folder_is_read_and_refuses_stores(folder: Path) -> None:
    cache = folder / "cache"
    assert records(cache, "write", "k", "0", "8").returncode == 0
    keys = [f"k/{i}" for i in range(8)]
    program = Path(shutil.copy(RECORDS, folder / "records"))
    os.chmod(cache, 0o555)
    os.chmod(cache / FILE, 0o444)
    # The modes mean nothing to root.
    user: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    try:
        done = records(cache, "write", "more", "0", "2", program=program, **user)
        assert done.returncode == 1 and "read-only" in done.stdout, done.stdout + done.stderr
        done = records(cache, "check", program=program, text="\n".join(keys), **user)
        assert done.returncode == 0, done.stdout + done.stderr
        done = records(folder / "cache" / "deeper" / "still", "write", "more", "0", "1", program=program, **user)
        assert done.returncode == 1 and "cannot be made" in done.stdout, done.stdout + done.stderr
    finally:
        os.chmod(cache, 0o755)


def test_a_locked_file_is_a_miss_and_blocks_no_call(folder: Path) -> None:
    cache = folder / "cache"
    assert records(cache, "write", "k", "0", "8").returncode == 0
    free = min(an_engine_is_made(cache) for _ in range(3))
    holder = sqlite3.connect(cache / FILE, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    locked = min(an_engine_is_made(cache) for _ in range(3))
    # Not a measurement: the wait is bounded by design, and a lock that is waited for would be seconds.
    assert locked < free + 2, f"{locked:.3f} s to make an engine, {free:.3f} s without the lock"
    assert "locked" in anydim(cache, "ls", status=1)
    # A writer waits in its own time and gets through.
    writer = subprocess.Popen([RECORDS, "write", "late", "0", "3"], env=environment(cache), stdout=subprocess.PIPE)
    time.sleep(0.3)
    assert writer.poll() is None
    holder.execute("ROLLBACK")
    assert writer.wait(60) == 0
    check(cache, ["k/1", "late/2"])


@pytest.mark.parametrize("what", ["garbage", "folder", "file in place of the folder", "no such place", "pipe"])
def test_whatever_lies_there_engines_are_made(folder: Path, what: str) -> None:
    cache = folder / "cache"
    if what == "file in place of the folder":
        cache.write_bytes(b"x")
    elif what == "no such place":
        cache = Path("/proc/none/at/all")
    else:
        cache.mkdir()
        if what == "garbage":
            (cache / FILE).write_bytes(os.urandom(20000))
        elif what == "pipe":
            os.mkfifo(cache / FILE)
        else:
            (cache / FILE).mkdir()
    before = sorted(str(path) for path in folder.rglob("*"))
    an_engine_is_made(cache)
    assert sorted(str(path) for path in folder.rglob("*")) == before, "an engine creates nothing"


def test_the_tools_list_verify_export_import_and_clear(folder: Path) -> None:
    cache, other = folder / "cache", folder / "other"
    assert anydim(cache, "path").strip() == str(cache / FILE)
    assert "no records" in anydim(cache, "ls")
    assert records(cache, "write", "k", "0", "8").returncode == 0
    assert "k/3" in anydim(cache, "ls")
    assert "k/3" not in anydim(cache, "ls", "--kind", "binary")
    assert json.loads(anydim(cache, "verify", "--json")) == {
        "ok": True, "records": 8, "damaged": 0, "structure": "ok", "system_structure": "no file"}  # fmt: skip
    exported = folder / "out.sqlite"
    assert "8 records" in anydim(cache, "export", exported)
    assert json.loads(anydim(other, "import", exported, "--json"))["records"] == 8
    check(other, [f"k/{i}" for i in range(8)])
    assert "1 records" in anydim(other, "clear", "--kind", "binary")
    assert json.loads(anydim(other, "clear", "--json")) == {"records": 7}
    assert "no records" in anydim(other, "ls")
    # An exported file in the system's folder serves everybody.
    (folder / "system").mkdir()
    shutil.copy(exported, folder / "system" / FILE)
    shipped = environment(folder / "new", ANYDIM_CACHE_SYSTEM_DIR=str(folder / "system"))
    done = subprocess.run([PROGRAM, "cache", "ls", "--json"], env=shipped, capture_output=True, text=True, check=True)
    assert [record["system"] for record in json.loads(done.stdout)["records"]] == [True] * 8
    assert not (folder / "new").exists()
    # Damage is reported, and nothing of it is served.
    data = bytearray((cache / FILE).read_bytes())
    data[data.rindex(b"k/3") + 10] ^= 1
    (cache / FILE).write_bytes(data)
    assert "damage found" in anydim(cache, "verify", status=1)
    off = subprocess.run(
        [PROGRAM, "cache", "path"], env=environment(cache, ANYDIM_CACHE="off"), capture_output=True, text=True
    )
    assert off.returncode == 1 and "ANYDIM_CACHE is off" in off.stderr
    anydim(cache, "import", folder / "none", status=1)
    assert "export" in anydim(cache, "--help")


def test_the_struct_of_the_counters_is_filled_from_c(folder: Path) -> None:
    # By position, as a program built against the header reads it: size, enabled, then 64-bit counters.
    assert records(folder, "write", "k", "0", "3").returncode == 0
    code = (
        "import ctypes, sys\n"
        "library = ctypes.CDLL(sys.argv[1])\n"
        "info = (ctypes.c_int64 * 13)()\n"
        "ctypes.cast(info, ctypes.POINTER(ctypes.c_int32))[0] = ctypes.sizeof(info)\n"
        "assert library.anydim_persistent_cache_query(info) == 0\n"
        "print(ctypes.cast(info, ctypes.POINTER(ctypes.c_int32))[1], *list(info)[1:3])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(LIBRARY)], env=environment(folder), capture_output=True, text=True
    )
    assert done.stdout.split() == ["1", str(256 << 20), "3"], done.stdout + done.stderr
