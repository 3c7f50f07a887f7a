# SPDX-License-Identifier: Apache-2.0
"""`python -m anydim COMMAND`: the program `anydim` of this package, with this Python for the commands that need one."""

from __future__ import annotations

import os
import shutil
import sys
from importlib import metadata
from pathlib import Path


def program() -> str | None:
    """The program that was installed with this package; in a build tree the one of the build; else the first on the PATH."""
    package = Path(__file__).parent
    try:
        listed = metadata.distribution("anydim").files or []
    except metadata.PackageNotFoundError:
        listed = []
    found = [
        Path(str(file.locate())) for file in listed if file.name == "anydim" and file.parent.name in ("bin", "scripts")
    ]
    # build/python/anydim is this folder as a build sees it, and build/bin has the program
    for path in (package.parent.parent / "bin" / "anydim", *found):
        if os.access(path, os.X_OK) and path.is_file():
            return str(path.resolve())
    return shutil.which("anydim")


def main() -> None:
    """Replaces this process by the program."""
    path = program()
    if path is None:
        sys.exit("anydim: the program anydim is neither beside this package nor on the PATH; install the package again")
    os.execve(path, ["anydim", *sys.argv[1:]], {**os.environ, "ANYDIM_PYTHON": sys.executable})


if __name__ == "__main__":
    main()
