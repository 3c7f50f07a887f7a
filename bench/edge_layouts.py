# SPDX-License-Identifier: Apache-2.0
"""What the memory order of a caller's images costs: twenty networks, and nvFuser's case, called with rows and with channels last, by
who never asked anything of layouts. Calls alternate in one process; a figure is the median of rounds. Each result is compared, bit for
bit. `edge bytes` are those that a run moved to bring inputs and outputs into another order.

  .venv/bin/python bench/edge_layouts.py [--only NAME...] [--rounds 15] [--output RESULT.json]
"""

from __future__ import annotations

import argparse
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    from edge_measures import measure_all  # needs what an environment has

    measure_all(options.only, options.rounds, options.threads, options.output)


if __name__ == "__main__":
    main()
