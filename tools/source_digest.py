# SPDX-License-Identifier: Apache-2.0
"""A digest of the sources as they are on disk (committed or not), for stamps: what was built or proven from them need
not be done again. Files that git ignores do not count.
"""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def digest(*paths: str) -> str:
    """16 hex digits over names and contents of all files under `paths` (everything, without any)."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout.split(b"\0")
    total = hashlib.sha256()
    for name in sorted(set(names) - {b""}):
        file = ROOT / name.decode()
        if file.is_file():
            total.update(name + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()[:16]


if __name__ == "__main__":
    print(digest())
