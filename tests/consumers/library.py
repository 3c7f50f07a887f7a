# SPDX-License-Identifier: Apache-2.0
"""What the shared library is from outside: exports only anydim_*, exactly those of the description; needs only the C and C++
run-time libraries; carries its SONAME; is small when stripped; loads twice without starting a thread.

  library.py LIBANYDIM.SO EXPORTS.MAP
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NEEDED = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
LARGEST = 8_800_000  # two fifths of it are kernels for three instruction sets; a wheel or jar with it stays below 4 MB
LOADER = """
import ctypes, re, sys
first, second = (ctypes.CDLL(path) for path in sys.argv[1:3])
threads = int(re.search(r"Threads:\\s*(\\d+)", open("/proc/self/status").read())[1])
for library in (first, second):
    library.anydim_version.restype = ctypes.c_char_p
    engine = ctypes.c_uint64()
    assert library.anydim_engine_create(1, 0, None, ctypes.byref(engine)) == 0
    library.handle = engine
# A handle of one copy is foreign to the other.
info = ctypes.create_string_buffer(256)
info[0:4] = (64).to_bytes(4, "little")
assert first.anydim_engine_query(first.handle, info) == 0
assert second.anydim_engine_query(first.handle, info) == 2
print(threads, first.anydim_version().decode())
"""


def output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main() -> None:
    library, exports = Path(sys.argv[1]), Path(sys.argv[2])
    symbols = [line.split() for line in output("nm", "-D", "--defined-only", str(library)).splitlines()]
    # The version node is an absolute symbol of its own.
    exported = {fields[2].split("@")[0] for fields in symbols if fields[1] != "A"}
    described = set(re.findall(r"\b(anydim_\w+);", exports.read_text(encoding="utf-8")))
    assert exported == described, f"exported, not described: {exported - described}; missing: {described - exported}"
    assert not [fields for fields in symbols if fields[1] == "u"], "unique symbols would join two copies of the library"

    # A program may end while its threads are in the library: no destructor of a static object runs beside them (decision 135).
    caller, destroyed = "", set()
    for line in output("objdump", "-d", "-C", "--no-show-raw-insn", str(library)).splitlines():
        if line.endswith(">:"):
            caller = line[line.index("<") + 1 : -2]
        elif "<__cxa_atexit@plt>" in line and caller not in ("atexit", "__cxa_atexit@plt"):
            destroyed.add(caller)
    assert not destroyed, (
        f"static objects with destructors in {sorted(destroyed)}; they are made by new and never destroyed"
    )

    dynamic = output("readelf", "-d", str(library))
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
    assert needed <= NEEDED, f"needs {needed - NEEDED}"
    assert "[libanydim.so.0]" in dynamic, "no SONAME libanydim.so.0"
    assert "RPATH" not in dynamic and "RUNPATH" not in dynamic

    with tempfile.TemporaryDirectory() as folder:
        stripped = Path(folder) / "stripped.so"
        subprocess.run(["strip", "-o", str(stripped), str(library)], check=True)
        size = stripped.stat().st_size
        assert size < LARGEST, f"{size} bytes when stripped; at most {LARGEST}"
        other = Path(folder) / "other.so"
        shutil.copy(library, other)
        threads, version = output(sys.executable, "-c", LOADER, str(library), str(other)).split()
        assert threads == "1", f"{threads} threads after loading"
    print(
        f"libanydim {version}: {len(exported)} functions, {size / 1e6:.2f} MB stripped, needs {' '.join(sorted(needed))}"
    )


if __name__ == "__main__":
    main()
