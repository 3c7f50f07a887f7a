# SPDX-License-Identifier: Apache-2.0
"""What a library or a program asks of the system that loads it, by readelf."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path


def nobodys(path: Path) -> set[str]:
    """Symbols that it needs and that no version of a system library has: they would be found, if at all, by luck. auditwheel does not
    see them."""
    told = subprocess.run(["readelf", "--wide", "--dyn-syms", path], check=True, capture_output=True, text=True).stdout
    needed = re.findall(r" GLOBAL +DEFAULT +UND (\S+)", told)
    assert needed, f"{path} needs nothing: readelf prints something else"
    return {name for name in needed if "@" not in name}
