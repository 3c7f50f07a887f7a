# SPDX-License-Identifier: Apache-2.0
"""Makes the Debian packages of what is built (make deb), in dist/deb:

  libanydim0      the shared library
  libanydim-dev   headers, the static library, pkg-config and CMake files
  anydim          the program with its manual page and completion, and the execution provider for ONNX Runtime

Files are those of `make install`, below /usr; libraries, pkg-config and CMake files lie in the folder of their architecture
(/usr/lib/x86_64-linux-gnu), so that packages of several architectures can be installed together. The same build gives the same
bytes: times are SOURCE_DATE_EPOCH, else the commit's.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "packaging"))
import licences  # noqa: E402
import sbom  # noqa: E402

OUT = ROOT / "dist" / "deb"
REVISION = 1
SHORT = "ONNX models and deep-learning operators at any input shape"
LONG = """\
 Anydim runs ONNX models on CPUs whose input sizes change from call to call.
 A new input shape is never compiled and never measured, and results have the
 same bits for every thread count, batch size and instruction set."""


@dataclass(frozen=True)
class Package:
    """A package: which files it has (a regular expression over paths below /usr), and what it says of itself."""

    name: str
    files: str
    section: str
    what: str
    needs: tuple[str, ...] = ()  # packages of Anydim, of the same version
    together: bool = False  # packages of several architectures may be installed together


PACKAGES = (
    Package("libanydim0", r"lib/[^/]+/libanydim\.so\.\d.*", "libs", "shared library", together=True),
    Package(
        "libanydim-dev",
        r"include/.*|lib/[^/]+/(libanydim\.(so|a)|pkgconfig/.*|cmake/.*)|share/anydim/.*",
        "libdevel",
        "development files",
        ("libanydim0",),
        together=True,
    ),
    Package(
        "anydim",
        r"bin/anydim|share/man/.*|share/bash-completion/.*|lib/anydim/.*",
        "science",
        "program",
        ("libanydim0",),
    ),
)


def run(*command: str | Path, cwd: Path | None = None, **variables: str) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, cwd=cwd, env={**os.environ, **variables})
    if done.returncode != 0:
        raise SystemExit(f"deb: {' '.join(words)} failed:\n{done.stdout}{done.stderr}".rstrip())
    return done.stdout


def compressed(path: Path, text: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data, 9, mtime=0))


def install(build: Path, tree: Path) -> None:
    """What make install puts below /usr, as Debian wants it: stripped, without a path to look for libraries in, with pages."""
    run("cmake", "--install", build, "--prefix", "/usr", "--strip", DESTDIR=str(tree))
    usr = tree / "usr"
    program = usr / "bin" / "anydim"
    script = f'file(RPATH_REMOVE FILE "{program}")'
    with tempfile.NamedTemporaryFile("w", suffix=".cmake") as file:
        file.write(script)
        file.flush()
        run("cmake", "-P", file.name)
    if (plugin := usr / "lib" / "libanydim_ort_ep.so").exists():
        (usr / "lib" / "anydim").mkdir()
        plugin.rename(usr / "lib" / "anydim" / plugin.name)
    to_architecture(usr / "lib")
    (libraries_folder,) = usr.glob("lib/*-linux-gnu*")
    run(
        "strip",
        "--strip-unneeded",
        "--remove-section=.comment",
        *libraries_folder.glob("libanydim.so.*.*"),
        *usr.glob("lib/anydim/*.so"),
    )
    run("strip", "--strip-debug", "--enable-deterministic-archives", *libraries_folder.glob("*.a"))
    libraries: dict[str, Any] = {"LD_LIBRARY_PATH": str(libraries_folder)}
    manual = usr / "share" / "man" / "man1" / "anydim.1"
    compressed(manual.with_suffix(".1.gz"), manual.read_bytes())
    manual.unlink()
    completion = usr / "share" / "bash-completion" / "completions" / "anydim"
    completion.parent.mkdir(parents=True)
    completion.write_text(run(program, "completion", "bash", **libraries), encoding="utf-8")


def to_architecture(lib: Path) -> None:
    """Moves what belongs to one architecture into its folder, and corrects the files that say where things are."""
    name = run("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip()
    folder = lib / name
    folder.mkdir()
    for path in [*lib.glob("libanydim.*"), lib / "cmake", lib / "pkgconfig"]:
        path.rename(folder / path.name)
    up = 'get_filename_component(_IMPORT_PREFIX "${_IMPORT_PREFIX}" PATH)\n'
    changes = {
        "*.pc": (("${pcfiledir}/../..", "${pcfiledir}/../../.."), ("${prefix}/lib\n", f"${{prefix}}/lib/{name}\n")),
        "*.cmake": ((up, up + up), ("${_IMPORT_PREFIX}/lib/", f"${{_IMPORT_PREFIX}}/lib/{name}/")),
    }
    for pattern, pairs in changes.items():
        for path in folder.glob(f"**/{pattern}"):
            text = path.read_text(encoding="utf-8")
            for old, new in pairs:
                # Once: the line that goes up stands there several times.
                text = text.replace(old, new, 1) if old == up else text.replace(old, new)
            path.write_text(text, encoding="utf-8")


def copyright_page() -> str:
    """In the format that machines read: our own licence, and those of what is compiled in."""
    about = sbom.project()
    apache = (
        " Licensed under the Apache License, Version 2.0.\n .\n On Debian systems the full text is in\n"
        " /usr/share/common-licenses/Apache-2.0."
    )
    lines = [
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/",
        "Upstream-Name: anydim", f"Source: {about['home']}", "",
        "Files: *", f"Copyright: 2026 {about['authors']}", "License: Apache-2.0", apache, "",
    ]  # fmt: skip
    comment = ["Comment: Compiled into the library and the program are:"]
    for part in licences.parts("program"):
        version, _ = licences.version_and_text(part, None, ROOT / "build")
        comment.append(f" {part['name']} {version} ({part['spdx']}), {part['what']}.")
    comment.append(" Their licences are in /usr/share/doc/libanydim0/THIRD_PARTY.txt.gz.")
    return "\n".join([*lines[:3], *comment, *lines[3:]])


def changelog(version: str) -> str:
    about = sbom.project()
    date = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(sbom.moment()))
    return f"anydim ({version}) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- {maintainer(about)}  {date}\n"


def maintainer(about: dict[str, str]) -> str:
    host = about["home"].removeprefix("https://")
    return f"{about['authors']} <packages@{host}>"


def needed(tree: Path, binaries: list[Path]) -> str:
    """What dpkg says that the programs and libraries need of Debian."""
    if not binaries:
        return ""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        (work / "debian").mkdir()
        (work / "debian" / "control").write_text(
            "Source: anydim\n\nPackage: anydim\nArchitecture: any\n", encoding="utf-8"
        )
        (work / "debian" / "shlibs.local").write_text("libanydim 0 libanydim0\n", encoding="utf-8")
        shown = run(
            "dpkg-shlibdeps",
            "-O",
            *(f"-l{folder}" for folder in tree.glob("usr/lib/*-linux-gnu*")),
            "-xlibanydim0",
            *(f"-e{b}" for b in binaries),
            cwd=work,
        )
    return shown.strip().removeprefix("shlibs:Depends=")


def make(package: Package, tree: Path, version: str, architecture: str) -> Path:
    """One package from the whole tree."""
    about = sbom.project()
    with tempfile.TemporaryDirectory(prefix="anydim-deb-") as name:
        root = Path(name) / "root"
        wanted = re.compile(package.files)
        binaries = []
        for path in sorted((tree / "usr").rglob("*")):
            below = path.relative_to(tree / "usr")
            if (path.is_dir() and not path.is_symlink()) or not wanted.fullmatch(str(below)):
                continue
            target = root / "usr" / below
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target, follow_symlinks=False)
            if not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF":
                binaries.append(target)
        doc = root / "usr" / "share" / "doc" / package.name
        doc.mkdir(parents=True)
        (doc / "copyright").write_text(copyright_page(), encoding="utf-8")
        compressed(doc / "changelog.Debian.gz", changelog(version))
        compressed(doc / "changelog.gz", (ROOT / "CHANGELOG.md").read_bytes())
        if package.name == "libanydim0":
            compressed(doc / "THIRD_PARTY.txt.gz", licences.page("program", None, ROOT / "build"))
        (doc / "anydim.spdx.json").write_text(sbom.text("program", None, ROOT / "build"), encoding="utf-8")
        overrides = root / "usr" / "share" / "lintian" / "overrides" / package.name
        overrides.parent.mkdir(parents=True)
        overrides.write_text(
            f"# No upload to Debian, where a bug would ask for it.\n{package.name}: initial-upload-closes-no-bugs\n",
            encoding="utf-8",
        )
        depends = [f"{other} (= {version})" for other in package.needs]
        depends += [d for d in needed(tree, binaries).split(", ") if d]
        for path in (root, *root.rglob("*")):
            if not path.is_symlink():
                executable = path.is_dir() or path.parent.name == "bin"
                path.chmod(0o755 if executable else 0o644)
        size = sum(-(-path.lstat().st_size // 1024) for path in root.rglob("*") if path.is_symlink() or path.is_file())
        control = root / "DEBIAN"
        control.mkdir(mode=0o755)
        fields = {
            "Package": package.name, "Source": "anydim", "Version": version, "Architecture": architecture,
            "Maintainer": maintainer(about), "Installed-Size": str(size), "Depends": ", ".join(depends), "Section": package.section,
            "Priority": "optional", "Homepage": about["home"], "Description": f"{SHORT} - {package.what}\n{LONG}",
        }  # fmt: skip
        if package.together:
            fields["Multi-Arch"] = "same"
        if package.name == "anydim":
            fields["Suggests"] = "python3"  # for bench and compare
        order = [key for key in fields if key != "Description"]
        text = "".join(f"{key}: {fields[key]}\n" for key in [*order, "Description"] if fields[key])
        (control / "control").write_text(text, encoding="utf-8")
        if package.name == "libanydim0":
            (control / "shlibs").write_text(f"libanydim 0 libanydim0 (>= {version.split('-')[0]})\n", encoding="utf-8")
            (control / "triggers").write_text("activate-noawait ldconfig\n", encoding="utf-8")
        sums = [
            f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root)}\n"
            for path in sorted((root / "usr").rglob("*"))
            if path.is_file() and not path.is_symlink()
        ]
        (control / "md5sums").write_text("".join(sums), encoding="utf-8")
        for path in control.iterdir():
            path.chmod(0o644)
        for path in (root, *root.rglob("*")):  # also of headers, which are as old as their checkout
            os.utime(path, (sbom.moment(), sbom.moment()), follow_symlinks=False)
        made = OUT / f"{package.name}_{version}_{architecture}.deb"
        run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, made, SOURCE_DATE_EPOCH=str(sbom.moment()))
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build folder; default: build")
    arguments = parser.parse_args()
    for program in ("dpkg-deb", "dpkg-shlibdeps"):
        if shutil.which(program) is None:
            raise SystemExit(f"deb: {program} is not installed (Debian: apt-get install dpkg-dev)")
    version = f"{sbom.version()}-{REVISION}"
    architecture = run("dpkg", "--print-architecture").strip()
    OUT.mkdir(parents=True, exist_ok=True)
    for old in OUT.glob("*.deb"):
        old.unlink()
    with tempfile.TemporaryDirectory(prefix="anydim-deb-") as name:
        tree = Path(name)
        install(arguments.build, tree)
        for package in PACKAGES:
            made = make(package, tree, version, architecture)
            print(f"deb: {made.relative_to(ROOT)} ({made.stat().st_size / 2**20:.1f} MB)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
