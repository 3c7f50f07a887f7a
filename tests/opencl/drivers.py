# SPDX-License-Identifier: Apache-2.0
"""The OpenCL drivers of this machine, each with the variables that choose it for a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CHILD = Path(__file__).parent / "child.py"
SYSTEM = Path("/etc/OpenCL/vendors")
INTEL = ROOT / "build" / "opencl" / "intel"  # by tools/setup opencl


@dataclass(frozen=True)
class Driver:
    name: str
    folder: Path  # of the driver's own files
    variables: dict[str, str]
    flags: tuple[str, ...] = ()
    gpu_like: bool = False
    cache: Path | None = None  # our persistent one; None: in the folder

    def with_folder(self, folder: Path) -> Driver:
        """With the same cache of Anydim's, and nothing that the driver kept."""
        return replace(self, folder=folder, cache=self.cache or self.folder / "anydim")

    def with_cache(self, cache: Path) -> Driver:
        return replace(self, cache=cache)

    def environment(self, **more: str) -> dict[str, str]:
        rest = {k: v for k, v in os.environ.items() if not k.startswith(("ANYDIM_CACHE", "OCL_", "POCL_", "RUSTICL"))}
        return (
            rest
            | {
                "ANYDIM_CACHE_DIR": str(self.cache or self.folder / "anydim"),
                "ANYDIM_CACHE_SYSTEM_DIR": "",
                "POCL_CACHE_DIR": str(self.folder / "pocl"),
            }
            | self.variables
            | more
        )

    def run(self, *words: str | Path, **more: str) -> dict[str, Any]:
        done = subprocess.run(
            [sys.executable, CHILD, *words, *self.flags],
            env=self.environment(**more),
            capture_output=True,
            text=True,
            timeout=1500,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


_HOW_THEY_END: dict[str, str] = {}


def aborts(driver: Driver) -> str:
    """What a driver says that ends a process which asks it for its devices (PoCL, where /sys is not mounted); empty for others."""
    if driver.name not in _HOW_THEY_END:
        ask = [sys.executable, "-c", "import anydim\ntry:\n    anydim.Engine('opencl')\nexcept anydim.Error:\n    pass"]
        asked = subprocess.run(ask, env=driver.environment(), capture_output=True, text=True, timeout=300)
        said = asked.stderr.strip().splitlines() or [f"exit status {asked.returncode}"]
        _HOW_THEY_END[driver.name] = said[-1] if asked.returncode < 0 else ""
    return _HOW_THEY_END[driver.name]


def vendors(folder: Path, library: str | Path) -> dict[str, str]:
    """Variables with which the loader knows one driver only."""
    place = folder / "vendors"
    place.mkdir(parents=True, exist_ok=True)
    (place / "one.icd").write_text(f"{library}\n")
    return {"OCL_ICD_VENDORS": str(place), "ANYDIM_OPENCL_DRIVERS": "all"}


def pocl(folder: Path) -> Driver | None:
    icd = SYSTEM / "pocl.icd"
    return Driver("pocl", folder, vendors(folder, icd.read_text().strip())) if icd.exists() else None


def intel(folder: Path) -> Driver | None:
    found = sorted(INTEL.glob("**/libintelocl.so"))
    if not found:
        return None
    folders = {
        str(path.parent)
        for name in ("libintelocl.so", "libimf.so", "libtbb.so.12")
        for path in INTEL.glob(f"**/{name}")
    }
    return Driver("intel", folder, vendors(folder, found[0]) | {"LD_LIBRARY_PATH": ":".join(sorted(folders))})


def llvmpipe(folder: Path) -> Driver | None:
    icds = [icd for icd in SYSTEM.glob("*.icd") if "usticl" in icd.name]
    if not icds:
        return None
    variables = vendors(folder, icds[0].read_text().strip()) | {"RUSTICL_ENABLE": "llvmpipe"}
    return Driver("llvmpipe", folder, variables, ("--flushed",), gpu_like=True)


DRIVERS: dict[str, Callable[[Path], Driver | None]] = {"pocl": pocl, "intel": intel, "llvmpipe": llvmpipe}
