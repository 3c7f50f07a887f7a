# SPDX-License-Identifier: Apache-2.0
"""tools/wheel.py shares dist/ with others: it takes away its own earlier wheels and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import wheel  # noqa: E402

OLD = ("anydim-0.0.9-cp311-cp311-linux_x86_64.whl", "anydim-0.1.0-cp310-cp310-linux_x86_64.whl")
OF_OTHERS = (
    "anydim-0.1.0.crate",
    "anydim-sys-0.1.0.crate",
    "anydim-0.1.0-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
    "anydim-0.1.0-cp311-cp311-musllinux_1_2_x86_64.whl",
    "numpy-2.0.0-cp311-cp311-linux_x86_64.whl",
)
NEW = "anydim-0.1.0-cp311-cp311-linux_x86_64.whl"


def test_a_new_wheel_takes_the_place_of_old_ones_and_of_nothing_else(tmp_path: Path) -> None:
    made, dist = tmp_path / "made", tmp_path / "dist"
    for folder, names in ((made, (NEW,)), (dist, (*OLD, *OF_OTHERS))):
        folder.mkdir()
        for name in names:
            (folder / name).write_text(f"{folder.name}/{name}", encoding="utf-8")
    assert wheel.replace_own(made / NEW, dist) == dist / NEW
    assert {p.name for p in dist.iterdir()} == {NEW, *OF_OTHERS}
    assert (dist / NEW).read_text(encoding="utf-8") == f"made/{NEW}"
    assert wheel.own(dist) == [dist / NEW]


def test_a_first_wheel_makes_the_folder(tmp_path: Path) -> None:
    (tmp_path / NEW).touch()
    assert wheel.replace_own(tmp_path / NEW, tmp_path / "dist").is_file()
