# SPDX-License-Identifier: Apache-2.0
"""tools/install.py, which is make install and make uninstall: it removes what it put there and nothing else, and says how programs
find the shared library. Installs the build of this folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
sys.path.insert(0, str(ROOT / "tools"))
import install  # noqa: E402


def run(*words: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / "install.py"), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | variables)


def tree(folder: Path) -> dict[str, bytes]:
    """All that is below the folder, with the contents of files."""
    return {
        str(path.relative_to(folder)): b"" if path.is_symlink() or path.is_dir() else path.read_bytes()
        for path in folder.rglob("*")
    }


def test_uninstall_removes_what_was_installed_and_nothing_else(tmp_path: Path) -> None:
    prefix = tmp_path / "a prefix"
    for name in ("lib/other.so", "include/other/other.h"):
        (prefix / name).parent.mkdir(parents=True)
        (prefix / name).write_text("of others", encoding="utf-8")
    (prefix / "share").mkdir()  # was there and was empty, and stays
    before = tree(prefix)
    for _ in range(2):  # the second one finds its own files and folders
        done = run("install", BUILD, prefix)
        assert done.returncode == 0, done.stderr
    for name in (
        "lib/libanydim.a",
        "lib/libanydim.so",
        "lib/pkgconfig/anydim.pc",
        "include/anydim/anydim.h",
        "bin/anydim",
    ):
        assert (prefix / name).exists(), name
    done = run("uninstall", prefix)
    assert done.returncode == 0 and "files are removed" in done.stdout, done
    assert tree(prefix) == before


def test_uninstall_leaves_what_others_put_into_its_folders_and_says_so(tmp_path: Path) -> None:
    prefix = tmp_path / "prefix"
    assert run("install", BUILD, prefix).returncode == 0
    (prefix / "lib" / "cmake" / "anydim" / "mine").touch()
    done = run("uninstall", prefix)
    assert "lib/cmake/anydim" in done.stdout, done
    assert set(tree(prefix)) == {"lib", "lib/cmake", "lib/cmake/anydim", "lib/cmake/anydim/mine"}


def test_uninstall_removes_the_prefix_that_install_made(tmp_path: Path) -> None:
    assert run("install", BUILD, tmp_path / "new").returncode == 0
    assert run("uninstall", tmp_path / "new").returncode == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("line", ["/etc/passwd", "../precious", "out/precious"])
def test_a_list_that_names_files_elsewhere_removes_nothing(tmp_path: Path, line: str) -> None:
    prefix, precious = tmp_path / "prefix", tmp_path / "precious"
    precious.write_text("it stays", encoding="utf-8")
    install.write_list(prefix, {Path("own"), Path(line)}, set())
    (prefix / "out").symlink_to(tmp_path)
    (prefix / "own").touch()
    done = run("uninstall", prefix)
    assert done.returncode == 1 and line in done.stderr and "nothing is removed" in done.stderr, done
    assert precious.exists() and (prefix / "own").exists()


def test_what_was_never_installed_is_an_error(tmp_path: Path) -> None:
    done = run("uninstall", tmp_path)
    assert done.returncode == 1 and "is not there" in done.stderr and "Traceback" not in done.stderr


def test_a_packager_gets_the_files_below_destdir_and_no_list(tmp_path: Path) -> None:
    done = run("install", BUILD, "/usr", DESTDIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    names = set(tree(tmp_path))
    assert "usr/lib/libanydim.a" in names and not any(name.endswith("installed.txt") for name in names)


def test_a_prefix_that_the_loader_does_not_know_is_said(tmp_path: Path) -> None:
    done = run("install", BUILD, tmp_path / "prefix")
    assert f"LD_LIBRARY_PATH={tmp_path / 'prefix' / 'lib'}" in done.stdout, done.stdout
    assert f"PKG_CONFIG_PATH={tmp_path / 'prefix' / 'lib' / 'pkgconfig'}" in done.stdout, done.stdout


def test_the_loader_and_pkg_config_know_debians_folders() -> None:
    assert install.loader_knows(Path("/usr/local/lib")) and not install.loader_knows(Path("/opt/nothing"))
    assert install.pkg_config_knows(Path("/usr/local/lib/pkgconfig"))
