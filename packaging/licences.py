# SPDX-License-Identifier: Apache-2.0
"""Writes the page of what an artifact carries of others (third_party.toml), with their versions and the texts of their licences.
Versions and texts are taken from the packages on this machine, which are those that the artifact was built from.

  licences.py ARTIFACT [--zig PROGRAM] [--build FOLDER] [--output FILE]      library, program, wheel or jar; crates carry the library
"""

from __future__ import annotations

import argparse
import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):  # noqa: UP036
    import tomllib
else:  # wheels for Python 3.10 are built with it; pip brings the same reader
    from pip._vendor import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
LISTED = ROOT / "packaging" / "third_party.toml"
KINDS = {
    "library": ("component", "source"),
    "program": ("component", "source", "program"),
    "wheel": ("component", "source", "program", "wheel"),
    "jar": ("component", "source", "jar"),
}
RULE = "-" * 100


class Unknown(Exception):
    """A package that is listed is not on this machine."""


def parts(artifact: str, zig: bool = False) -> list[dict[str, Any]]:
    with open(LISTED, "rb") as file:
        listed = tomllib.load(file)
    kinds = KINDS[artifact]
    if zig:  # it brings a C++ runtime of its own
        kinds = (*(kind for kind in kinds if kind != "jar"), "zig")
    return [part for kind in kinds for part in listed[kind]]


def of_debian(package: str) -> tuple[str, str]:
    """Version and licence text of a Debian package."""
    try:
        done = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], capture_output=True, text=True)
        page = Path(f"/usr/share/doc/{package}/copyright").read_text(encoding="utf-8")
    except OSError as error:
        raise Unknown(f"{package}: {error}") from None
    if done.returncode != 0:
        raise Unknown(done.stderr.strip())
    return done.stdout, page


def of_pip(package: str) -> tuple[str, str]:
    try:
        found = importlib.metadata.distribution(package)
    except importlib.metadata.PackageNotFoundError as error:
        raise Unknown(f"{package}: {error}") from None
    pages = [file for file in found.files or [] if re.search(r"LICEN[CS]E", file.name)]
    if not pages:
        raise Unknown(f"{package} has no licence among its files")
    return found.version, "\n".join(file.read_text() for file in pages)


def of_sqlite(build: Path | None) -> tuple[str, str]:
    """The version that tools/fetch_sqlite.py has fetched, and what its author says at the head of the source."""
    folders = [build] if build else [ROOT / "build", *sorted((ROOT / "build" / "cross").glob("*"))]
    headers = [header for folder in folders for header in sorted(folder.glob("sqlite-*/sqlite3.h"))]
    if not headers:
        raise Unknown(f"SQLite's source is not in {build or 'build/'}: tools/fetch_sqlite.py puts it there")
    text = headers[-1].read_text(encoding="utf-8")
    version = re.search(r'#define SQLITE_VERSION\s+"([\d.]+)"', text)
    blessing = re.search(r"\*\* The author disclaims copyright.*?(?=\n\*{10})", text, re.DOTALL)
    assert version and blessing, "sqlite3.h begins in another way"
    return version[1], re.sub(r"^\*\* ?", "", blessing[0], flags=re.MULTILINE)


def of_zig(pages: list[str], program: Path) -> tuple[str, str]:
    """zig's version, and pages that lie beside the program."""
    try:
        version = subprocess.run([str(program), "version"], check=True, capture_output=True, text=True).stdout.strip()
        text = "\n".join(dict.fromkeys((program.parent / page).read_text(encoding="utf-8") for page in pages))
    except (OSError, subprocess.CalledProcessError) as error:
        raise Unknown(f"{program}: {error}") from None
    return f"of zig {version}", text


def version_and_text(part: dict[str, Any], zig: Path | None = None, build: Path | None = None) -> tuple[str, str]:
    if "zig" in part:
        assert zig
        return of_zig(part["zig"], zig)
    if "package" in part:
        return of_debian(part["package"])
    return of_pip(part["pip"]) if "pip" in part else of_sqlite(build)


def page(artifact: str, zig: Path | None = None, build: Path | None = None) -> str:
    found = [(part, *version_and_text(part, zig, build)) for part in parts(artifact, zig is not None)]
    lines = ["Anydim is under the Apache License 2.0. Compiled into it are these works of others:", ""]
    lines += [f"- {part['name']} {version} ({part['spdx']}): {part['what']}" for part, version, _ in found]
    for part, version, text in found:
        lines += ["", RULE, f"{part['name']} {version}", RULE, "", text.strip()]
    return "\n".join([*lines, ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("artifact", choices=KINDS)
    parser.add_argument("--zig", type=Path, metavar="PROGRAM", help="the zig that builds the artifact, if one does")
    parser.add_argument("--build", type=Path, metavar="FOLDER", help="CMake's build folder, which has SQLite's source")
    parser.add_argument("--output", type=Path, help="the file; default: standard output")
    arguments = parser.parse_args()
    try:
        text = page(arguments.artifact, arguments.zig, arguments.build)
    except Unknown as why:
        print(f"licences: {why}", file=sys.stderr)
        return 1
    if arguments.output:
        arguments.output.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
