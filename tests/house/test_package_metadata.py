# SPDX-License-Identifier: Apache-2.0
"""The packages say the same about the project (packaging/project.toml), and what a registry needs to show a page: addresses, authors, the
licence, a readme whose links work outside of the repository."""

from __future__ import annotations

import re
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging"))
import package_readme  # noqa: E402

POM = {"m": "http://maven.apache.org/POM/4.0.0"}


def toml(path: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / path).read_text(encoding="utf-8"))


PROJECT = toml("packaging/project.toml")
VERSION = re.search(r"project\(anydim VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]  # type: ignore[index]


def test_the_wheel_says_what_the_project_is() -> None:
    said = toml("pyproject.toml")["project"]
    assert said["urls"] == {
        "Homepage": PROJECT["home"],
        "Documentation": PROJECT["documentation"],
        "Repository": PROJECT["repository"],
        "Issues": PROJECT["issues"],
        "Changelog": PROJECT["changes"],
    }
    assert said["authors"] == [{"name": PROJECT["authors"]}]
    assert said["license"] == PROJECT["licence"]
    assert {"version", "readme"} <= set(said["dynamic"])


def test_the_extras_are_what_the_modules_need() -> None:
    extras = toml("pyproject.toml")["project"]["optional-dependencies"]
    pinned = (ROOT / "tools" / "requirements-scale.txt").read_text(encoding="utf-8")
    for extra, needed in extras.items():
        assert (ROOT / "bindings" / "python" / "anydim" / f"{extra}.py").is_file(), f"there is no module {extra}"
        for requirement in needed:
            name = re.match(r"[\w-]+", requirement)[0]  # type: ignore[index]
            assert re.search(rf"^{name}==", pinned, re.MULTILINE), f"no test runs with {name}"
    assert set(extras) == {"ray", "spark"}


def test_the_jar_says_what_the_project_is() -> None:
    pom = ElementTree.parse(ROOT / "bindings" / "java" / "pom.xml").getroot()

    def of(path: str) -> str | None:
        return pom.findtext("/".join(f"m:{part}" for part in path.split("/")), namespaces=POM)

    assert of("url") == PROJECT["home"]
    assert of("version") == VERSION
    assert of("licenses/license/name") == PROJECT["licence"]
    assert of("developers/developer/name") == PROJECT["authors"]
    assert of("scm/connection") == of("scm/developerConnection") == f"scm:git:{PROJECT['repository']}"
    assert of("scm/url") == PROJECT["files"]
    assert of("issueManagement/url") == PROJECT["issues"]


@pytest.mark.parametrize("crate", ["anydim", "anydim-sys"])
def test_the_crates_say_what_the_project_is(crate: str) -> None:
    said = toml(f"bindings/rust/{crate}/Cargo.toml")["package"]
    assert said["homepage"] == PROJECT["home"]
    assert said["repository"] == PROJECT["repository"]
    assert said["documentation"].startswith(PROJECT["documentation"])
    assert said["authors"] == [PROJECT["authors"]]
    assert said["license"] == PROJECT["licence"]
    assert said["version"] == VERSION
    readme = (ROOT / "bindings" / "rust" / crate / said["readme"]).read_text(encoding="utf-8")
    assert not package_readme.LINK.findall(readme), "a link that does not work outside of the repository"


def test_the_wheels_page_has_absolute_links() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    page = package_readme.dynamic_metadata("readme")["text"]
    assert len(package_readme.LINK.findall(text)) > 20
    assert not [link for link in package_readme.LINK.findall(page) if not link.startswith("#")]
    assert f"({PROJECT['files']}docs/quickstart-java.md)" in page
    assert f"({PROJECT['files']}docs/images/first_call.png)" in page


def test_code_and_links_within_the_page_stay() -> None:
    text = "[a](b.md) [c](#d) [e](https://f)\n```\n[g](h.md)\n```\n![i](j.png)\n"
    files = PROJECT["files"]
    expected = f"[a]({files}b.md) [c](#d) [e](https://f)\n```\n[g](h.md)\n```\n![i]({files}j.png)\n"
    assert package_readme.absolute(text) == expected
