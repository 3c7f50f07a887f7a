# SPDX-License-Identifier: Apache-2.0
"""The Debian packages of dist/deb as a user meets them: lintian has no error or warning; in an empty Debian system (debootstrap) apt installs
them from a local repository, the program runs, a C program is compiled with pkg-config and runs; purged, they leave nothing. A second `make
deb` writes the same bytes. Takes minutes, the network and root, for make test-all.

  debian_packages.py BUILD SOURCE MODELS
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from empty_system import files_of, inside, release_and_mirror, run

NAMES = ("libanydim0", "libanydim-dev", "anydim")


def sums(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.deb")}


def main() -> None:
    build, source, models = (Path(word).resolve() for word in sys.argv[1:4])
    lacking = [name for name in ("debootstrap", "lintian", "dpkg-scanpackages", "chroot") if shutil.which(name) is None]
    if lacking or os.geteuid() != 0:
        sys.exit(
            f"this needs root and {', '.join(lacking or ['a Debian system'])} (apt-get install debootstrap lintian dpkg-dev)"
        )
    made = source / "dist" / "deb"
    run(sys.executable, source / "tools" / "deb.py", "--build", build)
    first = sums(made)
    assert sorted(name.partition("_")[0] for name in first) == sorted(NAMES), first
    run(sys.executable, source / "tools" / "deb.py", "--build", build)
    assert sums(made) == first, "the packages have other bytes the second time"
    print("-- the same bytes twice")
    passed = 1
    found = subprocess.run(
        ["lintian", "--fail-on", "error,warning", "--no-tag-display-limit", *map(str, sorted(made.glob("*.deb")))],
        capture_output=True,
        text=True,
    )
    print(f"-- lintian\n{found.stdout}{found.stderr}", end="", flush=True)
    assert found.returncode == 0, "lintian has errors or warnings"
    passed += 1
    codename, mirror = release_and_mirror()
    with tempfile.TemporaryDirectory() as folder:
        system = Path(folder) / "system"
        run("debootstrap", "--variant=minbase", "--include=gcc,libc6-dev,pkg-config", codename, system, mirror)
        repository = system / "srv" / "packages"
        repository.mkdir(parents=True)
        for path in made.glob("*.deb"):
            shutil.copy(path, repository)
        listed = subprocess.run(
            ["dpkg-scanpackages", "--multiversion", "."], cwd=repository, capture_output=True, text=True, check=True
        )
        (repository / "Packages").write_text(listed.stdout)
        (system / "etc" / "apt" / "sources.list.d" / "own.list").write_text("deb [trusted=yes] file:/srv/packages ./\n")
        (system / "root" / "recognize.c").write_bytes((source / "examples" / "recognize.c").read_bytes())
        shutil.copy(models / "rec.onnx", system / "root")
        # The mirror's lists are there from debootstrap; only our own are read, so that no network is needed here.
        inside(system, source, "apt-get -o Dir::Etc::sourcelist=/dev/null update -qq")
        before = files_of(system / "usr") | files_of(system / "etc")
        install = "DEBIAN_FRONTEND=noninteractive apt-get -o Dir::Etc::sourcelist=/dev/null install -y -qq --no-install-recommends"
        inside(system, source, f"{install} anydim libanydim-dev >/dev/null 2>&1")
        passed += 1
        shown = inside(
            system,
            source,
            "cd && anydim run rec.onnx --random x:1,3,48,71 && anydim man | head -1 && ldconfig -p | grep libanydim",
        )
        assert "1,9,6625" in shown and "ANYDIM" in shown, shown
        shown = inside(
            system,
            source,
            "cd && cc -std=c99 recognize.c $(pkg-config --cflags --libs anydim) -o program && ./program rec.onnx",
        )
        assert "width 71: 1 9 " in shown and "width 320: 1 40 " in shown, shown
        shown = inside(system, source, "ls /usr/lib/*/pkgconfig/anydim.pc /usr/lib/*/libanydim.so")
        assert len(shown.split()) == 2 and shown.count("-linux-gnu/") == 2, (
            "they lie in the folder of their architecture"
        )
        for name in NAMES:
            shown = inside(
                system, source, f"cat /usr/share/doc/{name}/copyright && ls /usr/share/doc/{name}/anydim.spdx.json"
            )
            assert "Apache-2.0" in shown
        passed += 1
        inside(
            system,
            source,
            "rm -f /root/program && DEBIAN_FRONTEND=noninteractive apt-get purge -y -qq anydim libanydim-dev libanydim0 >/dev/null",
        )
        after = files_of(system / "usr") | files_of(system / "etc")
        # The loader's list of libraries is written again, under its own name.
        assert after - {"ld.so.cache"} == before - {"ld.so.cache"}, sorted(after ^ before)[:20]
        passed += 1
    print(f"{passed} passed, 0 failed")


if __name__ == "__main__":
    main()
