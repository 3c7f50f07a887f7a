# SPDX-License-Identifier: Apache-2.0
"""Builds the site of the documentation into build/site (make docs): README.md, the pages beside it, and docs/, by mkdocs-material. Pages
keep their places, so that a link on a page leads to the same thing on the site. Source files that a page links to are copied as text.
docs/index.md is the table of contents. Every warning is an error: a link that leads nowhere, a page that the table lacks.

  tools/docs.py [--serve]      --serve: shows the site at http://127.0.0.1:8000, as it was when the command began
"""

from __future__ import annotations

import argparse
import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
AT_THE_ROOT = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
INDEX = Path("docs/index.md")
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]+)((?:#[^)\s]*)?)(?=\))")
FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)


def pages() -> list[Path]:
    """The site's pages, relative to the root."""
    return [Path(name) for name in AT_THE_ROOT] + sorted(p.relative_to(ROOT) for p in (ROOT / "docs").rglob("*.md"))


def title(page: Path) -> str:
    """The first heading of a page."""
    found = re.search(r"^# (.+)$", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
    if not found:
        raise SystemExit(f"docs: {page} has no title")
    return found[1].replace("`", "")


def target(page: Path, link: str) -> Path | None:
    """What a link of a page leads to, relative to the root; None: out of the repository."""
    path = (ROOT / page).parent.joinpath(link).resolve()
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else None


def placed(page: Path, text: str, linked: set[Path]) -> str:
    """The text of a page on the site. Files that it links to are added to `linked`; links to folders lead to a page."""

    def link(found: re.Match[str]) -> str:
        to = target(page, found[1])
        if to is None:
            return found[0]
        if (ROOT / to).is_file():
            linked.add(to)
            return found[0]
        if (ROOT / to / "README.md").is_file():
            linked.add(to / "README.md")
            return f"{found[1].rstrip('/')}/README.md{found[2]}"
        return found[0]  # an error of mkdocs

    return "".join(piece if piece.startswith("```") else LINK.sub(link, piece) for piece in FENCE.split(text))


def gather(folder: Path) -> list[Path]:
    """Writes the pages, and what they link to, into a folder; returns the pages that were only linked to."""
    shutil.rmtree(folder, ignore_errors=True)
    linked: set[Path] = set()
    todo, done = pages(), set[Path]()
    while todo:
        for page in todo:
            out = folder / page
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_text(placed(page, (ROOT / page).read_text(encoding="utf-8"), linked), encoding="utf-8")
            done.add(page)
        todo = sorted(path for path in linked if path.suffix == ".md" and path not in done)
    for path in sorted(linked - done):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, folder / path)
    return sorted(done - set(pages()))


def contents(only_linked: list[Path]) -> list[Any]:
    """The site's table of contents: the sections of docs/index.md, each with its links in their order, then pages that were only linked
    to."""
    listed: list[Any] = [{"Introduction": "README.md"}, {"All pages": str(INDEX)}]
    seen = {Path("README.md"), INDEX}
    text = (ROOT / INDEX).read_text(encoding="utf-8")
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        entries: list[Any] = []
        for link, _ in LINK.findall(section):
            page = target(INDEX, link)
            if page is None or page in seen:
                continue
            seen.add(page)
            if page.name != "README.md":
                entries.append({title(page): str(page)})
                continue
            inside = [p for p in pages() if p.parent == page.parent and p not in seen]
            seen.update(inside)
            entries.append({title(page): [str(page), *({title(p): str(p)} for p in inside)]})
        listed.append({section.split("\n", 1)[0].strip(): entries})
    lacking = [str(page) for page in pages() if page not in seen]
    if lacking:
        raise SystemExit(f"docs: {INDEX} does not list {', '.join(lacking)}")
    return [*listed, {"In the sources": [{title(p): str(p)} for p in only_linked]}] if only_linked else listed


def render(work: Path, nav: list[Any]) -> bool:
    """Makes `site` of the pages in `site-pages`; whether there was no warning."""
    config = {"INHERIT": str(ROOT / "mkdocs.yml"), "docs_dir": "site-pages", "site_dir": "site", "nav": nav}
    (work / "site.yml").write_text(json.dumps(config, indent=1), encoding="utf-8")  # JSON is YAML
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(work / "site.yml")]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}  # docs/decisions/081 knows what it says
    return subprocess.run(command, env=environment).returncode == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--serve", action="store_true", help="show the site afterwards")
    options = parser.parse_args()
    work = ROOT / "build"
    if not render(work, contents(gather(work / "site-pages"))):
        raise SystemExit("docs: the site has warnings, which are errors")
    print(f"docs: done: build/site/index.html, {sum(1 for _ in (work / 'site').rglob('*.html'))} pages")
    if options.serve:
        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(work / "site"))
        print("docs: http://127.0.0.1:8000, until Ctrl-C")
        http.server.ThreadingHTTPServer(("127.0.0.1", 8000), handler).serve_forever()


if __name__ == "__main__":
    main()
