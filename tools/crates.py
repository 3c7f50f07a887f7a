# SPDX-License-Identifier: Apache-2.0
"""Makes dist/anydim-sys-*.crate and dist/anydim-*.crate, as `cargo publish` would send them: the crates of bindings/rust with
the library's source and the header-only libraries that it includes, with their licences (packaging/third_party.toml). These
are staged under build/crates and never in the repository. Afterwards build/crates/vendor is a folder of all crates that a
program with Anydim needs, so that it is built without a network.

  crates.py            make them
  crates.py --list     list what they carry
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import fetch_sqlite
from source_digest import ROOT
from toolchain import version

sys.path.insert(1, str(ROOT / "packaging"))
import licences

STAGE: Path = ROOT / "build" / "crates"
DIST: Path = ROOT / "dist"
LIMITS = {"anydim-sys": 5_000_000, "anydim": 500_000}  # bytes; the registry takes 10,000,000
SOURCE = ("CMakeLists.txt", "LICENSE", "cmake", "core", "onnx", "capi")
NOT_BUILT = re.compile(r"_(test|bench)\.cpp$|/testing/|^capi/(api|generator)/|^core/ops/described/")


def run(*command: str | Path, **options: object) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)  # type: ignore[call-overload]
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return str(done.stdout)


def tracked(*names: str) -> list[Path]:
    """The files of the repository, or of a folder that is none, under these names."""
    listed = subprocess.run(["git", "ls-files", *names], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        return [Path(line) for line in listed.stdout.splitlines() if (ROOT / line).is_file()]
    found = [p for name in names for p in ((ROOT / name).rglob("*") if (ROOT / name).is_dir() else [ROOT / name])]
    return sorted(p.relative_to(ROOT) for p in found if p.is_file())


def copy(files: list[Path], target: Path, base: Path = Path()) -> None:
    for file in files:
        to = target / file.relative_to(base)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / file, to)


def components() -> list[dict[str, object]]:
    with open(ROOT / "packaging" / "third_party.toml", "rb") as file:
        return list(tomllib.load(file)["component"])


def stage_third_party(folder: Path) -> None:
    """The headers and SQLite with their licences, and a page that lists them."""
    lines = [
        "# What others wrote",
        "",
        "What is compiled into the library. The licences are in `licences/`.",
        "",
    ]
    lines += ["| what | version | licence | for |", "|---|---|---|---|"]
    (folder / "licences").mkdir(parents=True)
    for c in components():
        package = str(c["package"])
        version = run("dpkg-query", "-W", "-f=${Version}", package)
        lines.append(f"| {c['name']} | {version} | {c['spdx']} | {c['what']} |")
        shutil.copyfile(f"/usr/share/doc/{package}/copyright", folder / "licences" / f"{c['name']}.txt")
        include = c["include"]
        assert isinstance(include, list)
        for name in include:
            source = Path("/usr/include") / name
            target = folder / "include" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target)
            else:
                shutil.copyfile(source, target)
    fetch_sqlite.fetch(ROOT / "build" / f"sqlite-{fetch_sqlite.SQLITE_VERSION}", ROOT / "build" / "downloads")
    shutil.copytree(ROOT / "build" / f"sqlite-{fetch_sqlite.SQLITE_VERSION}", folder / "sqlite")
    found, blessing = licences.of_sqlite(None)
    (folder / "licences" / "SQLite.txt").write_text(blessing + "\n", encoding="utf-8")
    lines += [f"| SQLite | {found} | public domain | keeps the persistent cache (feature `persistent-cache`) |", ""]
    (folder / "README.md").write_text("\n".join(lines), encoding="utf-8")
    bill = run(sys.executable, str(ROOT / "packaging" / "sbom.py"), "crate")
    (folder / "anydim.spdx.json").write_text(bill + "\n", encoding="utf-8")


def stage() -> Path:
    """A workspace of the two crates as they are packaged."""
    workspace = STAGE / "workspace"
    shutil.rmtree(workspace, ignore_errors=True)
    rust = Path("bindings/rust")
    copy(tracked(str(rust)), workspace, rust)
    for name in ("anydim", "anydim-sys"):
        shutil.copyfile(ROOT / "LICENSE", workspace / name / "LICENSE")
    source = workspace / "anydim-sys" / "source"
    copy([f for f in tracked(*SOURCE) if not NOT_BUILT.search(f.as_posix())], source)
    stage_third_party(source / "third_party")
    return workspace


def unpack(crate: Path, folder: Path) -> Path:
    """A crate as a folder of a directory source: with its checksum, and none for its files. Files that are right stay as they are, and
    others are new ones: cargo compiles what has another time than before, and those in a crate always have the same one."""
    made = folder / crate.stem
    digest = hashlib.sha256(crate.read_bytes()).hexdigest()
    files = {made / ".cargo-checksum.json": json.dumps({"files": {}, "package": digest}).encode()}
    with tarfile.open(crate, "r:gz") as archive:
        for member in archive:
            content = archive.extractfile(member)
            if content:
                files[folder / member.name] = content.read()
    for old in made.rglob("*"):
        if old.is_file() and old not in files:
            old.unlink()
    for path, data in files.items():
        if not path.is_file() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return made


def vendor(workspace: Path, crates: list[Path]) -> Path:
    """All crates that the two need, and the two."""
    folder, aside = STAGE / "vendor", STAGE / "aside"
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    for crate in crates:
        if (folder / crate.stem).is_dir():
            shutil.move(folder / crate.stem, aside)
    shutil.rmtree(folder, ignore_errors=True)
    run("cargo", "vendor", "--locked", "--versioned-dirs", "--quiet", folder, cwd=workspace)
    for crate in crates:
        if (aside / crate.stem).is_dir():
            shutil.move(aside / crate.stem, folder)
        unpack(crate, folder)
    return folder


def make() -> list[Path]:
    workspace = stage()
    environment = os.environ | {"CARGO_TARGET_DIR": str(STAGE / "target")}
    environment.pop("ANYDIM_LIB_DIR", None)
    # Debian's cargo (1.85) looks for anydim-sys in the registry, where it is not, unless its folder is given.
    here = f'patch.crates-io.anydim-sys.path="{workspace / "anydim-sys"}"'
    # Their build is a test of its own (tests/consumers/crates.py).
    package = ("package", "--workspace", "--allow-dirty", "--no-verify", "--quiet")
    run("cargo", "--config", here, *package, cwd=workspace, env=environment)
    DIST.mkdir(exist_ok=True)
    crates = []
    for name in ("anydim-sys", "anydim"):
        (made,) = (STAGE / "target" / "package").glob(f"{name}-[0-9]*.crate")
        size = made.stat().st_size
        if size > LIMITS[name]:
            sys.exit(f"{made.name} has {size} bytes; at most {LIMITS[name]} are allowed")
        crates.append(Path(shutil.copy(made, DIST)))
        print(f"crates: dist/{made.name} ({size / 1e6:.2f} MB)")
    vendor(workspace, crates)
    return crates


def carried() -> None:
    for crate in sorted(DIST.glob("anydim*.crate")):
        with tarfile.open(crate, "r:gz") as archive:
            names = [m.name for m in archive.getmembers()]
            page = next((n for n in names if n.endswith("third_party/README.md")), None)
            print(f"{crate.name}: {len(names)} files, {crate.stat().st_size} bytes")
            if page:
                member = archive.extractfile(page)
                assert member
                print(member.read().decode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="tell what the crates in dist/ carry")
    if parser.parse_args().list:
        carried()
        return
    version("cargo")
    for old in DIST.glob("anydim*.crate"):
        old.unlink()
    make()


if __name__ == "__main__":
    main()
