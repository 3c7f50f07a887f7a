# SPDX-License-Identifier: Apache-2.0
"""Fetches SQLite's source, one C file and its header, for the persistent cache.

It is inside a crate of the registry crates.io at a fixed version (docs/decisions/005-sqlite-from-a-crate.md); the crate is
checked against its SHA-256 before anything is taken out of it, and kept in a folder of downloads. Files that are already there
and right are left alone, so a second call touches no network. CMake calls this when it configures, with folders of its build;
nothing is ever written into the sources. It needs nothing but Python's standard library.

Beside the two files lies anydim_sqlite.h, which gives every public name of SQLite a prefix of our own: a program that links
libanydim.a and its own SQLite has two of them without a conflict.
"""

from __future__ import annotations

import argparse
import configparser
import hashlib
import os
import re
import ssl
import tarfile
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

CRATE = "libsqlite3-sys-0.39.1"
URL = f"https://static.crates.io/crates/libsqlite3-sys/{CRATE}.crate"
CRATE_SHA256 = "14a5f01b87b92705d07b433c06f96cbc764637d81a0bffb5734ce17cf0f9a2b3"
SQLITE_VERSION = "3.54.1"
FILES = {
    "sqlite3.c": "0c657666d819f261cc4007526ad57e1669de9949df7a8ea847aa284a2bf0ee52",
    "sqlite3.h": "d6c84557261893439b341d2e6c35187ae3ea24fbfd843ad94616f72d89242b8c",
}
NAMES = "anydim_sqlite.h"
ATTEMPTS = 4


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def certificates() -> str | None:
    """The file of trusted certificates that this machine gives to pip; None for the system's own."""
    settings = configparser.ConfigParser()
    settings.read(["/etc/pip.conf", Path.home() / ".config" / "pip" / "pip.conf"])
    for name in (
        os.environ.get("SSL_CERT_FILE"),
        os.environ.get("PIP_CERT"),
        settings.get("global", "cert", fallback=None),
    ):
        if name and Path(name).is_file():
            return name
    return None


def download(target: Path) -> bytes:
    trust = ssl.create_default_context(cafile=certificates())
    for attempt in range(1, ATTEMPTS + 1):
        print(f"fetch_sqlite: downloading {URL}", flush=True)
        try:
            with urllib.request.urlopen(URL, timeout=60, context=trust) as answer:
                data: bytes = answer.read()
            break
        except (urllib.error.URLError, TimeoutError, ConnectionError) as reason:
            if attempt == ATTEMPTS:
                raise SystemExit(
                    f"fetch_sqlite: {URL}: {reason}\nPut that file at {target} and try again, or configure with"
                    " -DANYDIM_SYSTEM_SQLITE=ON (Debian: libsqlite3-dev) or -DANYDIM_PERSISTENT_CACHE=OFF"
                ) from None
            time.sleep(2**attempt)
    if sha256(data) != CRATE_SHA256:
        raise SystemExit(f"fetch_sqlite: {URL} has SHA-256 {sha256(data)}, expected {CRATE_SHA256}")
    replace(target, data)
    return data


def replace(target: Path, data: bytes) -> None:
    partial = target.with_name(f"{target.name}.{os.getpid()}")
    partial.write_bytes(data)
    os.replace(partial, target)


def names_header(header: str) -> str:
    # Functions and data; compile options that SQLite itself replaces by macros keep their names.
    names = set(re.findall(r"^SQLITE_API[^;]*?\b(sqlite3_\w+)\s*(?=[(\[;])", header, re.MULTILINE))
    lines = [f"#define {name} anydim_{name}\n" for name in sorted(names) if "compileoption" not in name]
    return (
        "// Made by tools/fetch_sqlite.py: SQLite's public names under a prefix of our own.\n#pragma once\n"
        + "".join(lines)
    )


def fetch(folder: Path, downloads: Path) -> None:
    wanted = [folder / name for name in FILES]
    if (folder / NAMES).exists() and all(p.exists() and sha256(p.read_bytes()) == FILES[p.name] for p in wanted):
        return
    folder.mkdir(parents=True, exist_ok=True)
    downloads.mkdir(parents=True, exist_ok=True)
    crate = downloads / f"{CRATE}.crate"
    if not crate.exists() or sha256(crate.read_bytes()) != CRATE_SHA256:
        download(crate)
    with tarfile.open(crate, "r:gz") as archive:
        for path in wanted:
            member = archive.extractfile(f"{CRATE}/sqlite3/{path.name}")
            assert member
            data = member.read()
            if sha256(data) != FILES[path.name]:
                raise SystemExit(f"fetch_sqlite: {path.name} has SHA-256 {sha256(data)}, expected {FILES[path.name]}")
            replace(path, data)
            if path.name == "sqlite3.h":
                replace(folder / NAMES, names_header(data.decode()).encode())
    print(f"fetch_sqlite: SQLite {SQLITE_VERSION} is in {folder}, checksums right", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    build = ROOT / "build"
    parser.add_argument("--folder", type=Path, default=build / f"sqlite-{SQLITE_VERSION}", help="for the source files")
    parser.add_argument(
        "--downloads", type=Path, default=build / "downloads", help="keeps the crate; default: build/downloads"
    )
    options = parser.parse_args()
    fetch(options.folder, options.downloads)


if __name__ == "__main__":
    main()
