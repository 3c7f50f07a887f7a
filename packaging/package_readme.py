# SPDX-License-Identifier: Apache-2.0
"""README.md as the page of a package: a registry shows it alone, so its links become absolute (packaging/project.toml says where to).
scikit-build-core calls dynamic_metadata() when it makes the wheel's metadata (pyproject.toml)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?<=\]\()(?![a-z]+:)([^)\s]+)(?=\))")
FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)


def files() -> str:
    """Where the repository's files are shown. Read without a TOML library, which Python 3.10 lacks."""
    text = (ROOT / "packaging" / "project.toml").read_text(encoding="utf-8")
    found = re.search(r'^files = "([^"]+)"$', text, re.MULTILINE)
    assert found, "packaging/project.toml has no `files`"
    return found[1]


def absolute(text: str) -> str:
    """The page with absolute links; a link within the page stays."""

    def link(found: re.Match[str]) -> str:
        return found[0] if found[0].startswith("#") else files() + found[0]

    return "".join(piece if piece.startswith("```") else LINK.sub(link, piece) for piece in FENCE.split(text))


def dynamic_metadata(
    field: str, settings: Mapping[str, Any] | None = None, project: Mapping[str, Any] | None = None
) -> dict[str, str]:
    """The field `readme`."""
    if field != "readme":
        raise ValueError(f"field is {field!r}; expected 'readme'")
    return {"content-type": "text/markdown", "text": absolute((ROOT / "README.md").read_text(encoding="utf-8"))}
