# SPDX-License-Identifier: Apache-2.0
"""The site of the documentation (make docs): every page is in its table of contents, it builds without a warning, its search knows the
pages, and a link that leads nowhere stops it."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
docs: Any = importlib.import_module("docs")  # tools/docs.py; to mypy the folder docs has the name


def test_the_index_lists_every_page() -> None:
    assert len(docs.pages()) > 80
    assert docs.contents([])


def test_a_page_that_the_index_lacks_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    found = docs.pages()
    monkeypatch.setattr(docs, "pages", lambda: [*found, Path("docs/forgotten.md")])
    with pytest.raises(SystemExit, match=r"docs/forgotten\.md"):
        docs.contents([])


def test_links_lead_to_the_same_on_the_site() -> None:
    linked: set[Path] = set()
    page = Path("docs/some.md")
    text = "[a](index.md#models) [b](decisions/) [c](../bench/results/) [d](../examples/host.c) [e](https://f)\n"
    expected = "[a](index.md#models) [b](decisions/README.md) [c](../bench/results/README.md) [d](../examples/host.c) [e](https://f)\n"
    assert docs.placed(page, text, linked) == expected
    assert linked == {
        Path("docs/index.md"),
        Path("docs/decisions/README.md"),
        Path("bench/results/README.md"),
        Path("examples/host.c"),
    }
    code = "```\n[b](decisions/)\n```\n"
    assert docs.placed(page, code, linked) == code


@pytest.mark.long
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    nav = docs.contents(docs.gather(tmp_path / "site-pages"))
    assert docs.render(tmp_path, nav)
    home = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "docs/quickstart-java.html" in home
    search = json.loads((tmp_path / "site" / "search" / "search_index.json").read_text(encoding="utf-8"))
    found = {entry["location"].split("#")[0] for entry in search["docs"] if "anydim_session_run" in entry["text"]}
    assert "docs/reference/session.html" in found


@pytest.mark.long
@pytest.mark.parametrize("planted", ["[x](nowhere.md)", "[x](index.md#nowhere)"])
def test_a_link_that_leads_nowhere_stops_it(planted: str, tmp_path: Path) -> None:
    nav = docs.contents(docs.gather(tmp_path / "site-pages"))
    page = tmp_path / "site-pages" / "docs" / "glossary.md"
    page.write_text(f"{page.read_text(encoding='utf-8')}\n{planted}\n", encoding="utf-8")
    assert not docs.render(tmp_path, nav)
