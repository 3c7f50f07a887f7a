# SPDX-License-Identifier: Apache-2.0
"""Compiled programs in the persistent cache that are damaged, of another device or of another driver: 200 processes find some. The file
says that they are whole (its own checksums are computed again), so what refuses them is the engine, before the driver sees them. No process
dies: each compiles the programs and counts what it refused."""

from __future__ import annotations

import ctypes
import ctypes.util
import json
import os
import random
import shutil
import sqlite3
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest
from drivers import ROOT, Driver
from onnx import TensorProto, helper, save

PROGRAM = Path(os.environ.get("ANYDIM_BUILD", ROOT / "build")) / "bin" / "anydim"
HEADER = struct.Struct("<8sII16s16sQ")  # core/engines/opencl/binary.cpp
CHILDREN = 200


class Hash(ctypes.Structure):
    _fields_ = (("low", ctypes.c_uint64), ("high", ctypes.c_uint64))


def xxh128(data: bytes) -> Hash:
    found = ctypes.util.find_library("xxhash")
    if found is None:
        pytest.skip("no libxxhash")
    function = ctypes.CDLL(found).XXH3_128bits
    function.restype, function.argtypes = Hash, (ctypes.c_char_p, ctypes.c_size_t)
    return function(data, len(data))  # type: ignore[no-any-return]


def checksum(kind: int, key: str, value: bytes, origin: str, created: int) -> bytes:
    """Of a record of the file: core/dispatch/caches/record.cpp."""
    data = struct.pack("<qq", 1, kind)
    for text in (key.encode(), value, origin.encode()):
        data += struct.pack("<q", len(text)) + text
    made = xxh128(data + struct.pack("<q", created))
    return struct.pack(">QQ", made.high, made.low)


def whole(value: bytes, key: bytes | None = None) -> bytes:
    """With checksums that are right, whatever the rest is; `key`: of another device, driver or source."""
    magic, form, unused, old, _, _ = HEADER.unpack_from(value)
    rest = value[HEADER.size :]
    of = xxh128(rest)
    if key is not None:
        made = xxh128(key)
        old = struct.pack("<QQ", made.low, made.high)
    return HEADER.pack(magic, form, unused, old, struct.pack("<QQ", of.low, of.high), len(rest)) + rest


def damage(value: bytes, key: str, draw: random.Random) -> tuple[str, bytes]:
    kind = draw.choice(
        ["cut", "cut in the header", "flipped", "overwritten", "longer", "device", "driver", "format", "entries"]
    )
    at = draw.randrange(len(value))
    changed = bytearray(value)
    if kind == "cut":
        return kind, value[: draw.randrange(HEADER.size, len(value))]
    if kind == "cut in the header":
        return kind, value[: draw.randrange(1, HEADER.size)]
    if kind == "flipped":
        at = draw.randrange(HEADER.size) if draw.random() < 0.5 else at
        changed[at] ^= 1 << draw.randrange(8)
    elif kind == "overwritten":
        changed[at : at + 64] = draw.randbytes(len(changed[at : at + 64]))
    elif kind == "longer":
        changed += draw.randbytes(draw.randrange(1, 1000))
    elif kind == "device":
        return kind, whole(value, key.replace("device=", "device=other ").encode())
    elif kind == "driver":
        return kind, whole(value, key.replace("driver=", "driver=9.").encode())
    elif kind == "format":
        struct.pack_into("<I", changed, 8, draw.choice([1, 2, draw.randrange(4, 1 << 32)]))
    else:  # a number of entries that its bytes do not have, with checksums that are right
        struct.pack_into(
            "<I", changed, HEADER.size, draw.choice([0, draw.randrange(2, 64), draw.randrange(65, 1 << 32)])
        )
        # One entry and the driver's bytes, read as more of them, may by chance be some: a size that is none makes sure.
        changed[HEADER.size + 4 : HEADER.size + 8] = b"\xff\xff\xff\x7f"
        return kind, whole(bytes(changed))
    return kind, bytes(changed)


def warm(driver: Driver, model: Path) -> dict[str, Any]:
    done = subprocess.run(
        [PROGRAM, "opencl", "warm", "--json", model],
        env=driver.environment(),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


@pytest.mark.long
def test_no_process_dies_of_a_damaged_program(driver: Driver, tmp_path: Path) -> None:
    seed = int(os.environ.get("ANYDIM_SEED", random.randrange(1 << 31)))
    print(f"ANYDIM_SEED={seed}")
    draw = random.Random(seed)
    model = tmp_path / "relu.onnx"
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "relu", [x], [y])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(model))
    programs = warm(driver, model)["compiled"]  # the model's, and the one that looks at the device's arithmetic
    assert programs > 0
    (good,) = (path for path in driver.folder.rglob("cache-*.sqlite") if path.parent.name == "anydim")
    kept = good.with_suffix(".kept")
    shutil.copy(good, kept)
    told = warm(driver, model)
    assert (told["loaded"], told["compiled"], told["refused"]) == (programs, 0, 0), told
    for number in range(CHILDREN):
        shutil.copy(kept, good)
        with sqlite3.connect(good) as file:
            rows = file.execute(
                "SELECT id, kind, key, value, origin, created, checksum FROM records WHERE kind = 2"
            ).fetchall()
            assert len(rows) == programs
            kinds = []
            for record, kind, key, value, origin, created, old in rows:
                assert checksum(kind, key, value, origin, created) == old  # this test knows how the file is made
                assert whole(value) == value
                how, bad = damage(value, key, draw)
                kinds.append(how)
                new = checksum(kind, key, bad, origin, created)
                file.execute("UPDATE records SET value = ?, checksum = ? WHERE id = ?", (bad, new, record))
        file.close()
        told = warm(driver, model)
        assert (told["loaded"], told["compiled"], told["refused"]) == (0, programs, programs), (number, kinds, told)
