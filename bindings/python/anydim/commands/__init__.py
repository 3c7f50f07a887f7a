# SPDX-License-Identifier: Apache-2.0
"""The commands of the program `anydim` that need Python, because the engines to compare with are Python packages: bench and compare.

Their options are described in cli/python.cpp, which checks them and starts `start`; docs/command-line.md describes them.
"""

from __future__ import annotations

import json
import sys


class Failure(Exception):
    """What ends a command; its text goes to the standard error output, and the exit status is 1."""


def start(command: str, options: str) -> int:
    """Runs a command with its options as JSON; its exit status."""
    from ..errors import Error

    values = json.loads(options)
    try:
        if command == "bench":
            from . import bench

            return bench.main(values)
        from . import compare

        return compare.main(values)
    except (Failure, Error) as error:
        print(f"anydim: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("anydim: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 1
