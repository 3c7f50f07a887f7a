# SPDX-License-Identifier: Apache-2.0
"""The Java artifact as people get it: its own tests under -Xcheck:jni, what the jar carries, how it finds and loads its native
library, and the journey of a user with the jar alone (and, in the long run, with an empty Maven repository)."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import anydim
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "consumers"))
from declared_models import declared_models

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "build" / "java" / "target"
REC = ROOT / "build" / "models" / "rec.onnx"
EXAMPLE = ROOT / "examples" / "java"
WIDTHS = ("71", "320")
MEGABYTE = 2**20


def run(*command: str | Path, **more: object) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)  # type: ignore[call-overload]
    assert done.returncode == 0, f"{command}:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def tested() -> str:
    """What Maven printed while it ran the binding's tests and made the jar."""
    told = run(sys.executable, ROOT / "tools" / "java.py", "test", "--", "-Dmaven.javadoc.skip=true").stdout
    print(*(line for line in told.splitlines() if " calls: " in line or "runs of each thread" in line), sep="\n")
    return told


@pytest.fixture(scope="module")
def jar(tested: str) -> Path:
    (found,) = (p for p in TARGET.glob("anydim-*.jar") if not re.search(r"-(sources|javadoc)", p.name))
    return found


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """One whose user has an empty home."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("ANYDIM_", "XDG_"))}
    return kept | {"HOME": str(tmp_path / "home"), "JAVA_TOOL_OPTIONS": f"-Duser.home={tmp_path / 'home'}"}


def bits(jar: Path, environment: dict[str, str], *options: str | Path) -> subprocess.CompletedProcess[str]:
    command = [
        "java",
        *map(str, options),
        "-cp",
        str(jar),
        str(ROOT / "tests" / "java" / "Bits.java"),
        str(REC),
        *WIDTHS,
    ]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def expected_bits() -> list[str]:
    session = anydim.InferenceSession(REC)
    found = []
    for width in WIDTHS:
        count = 3 * 48 * int(width)
        values = ((np.arange(count) * 37 % 255).astype(np.float32) / np.float32(255) - np.float32(0.5)).astype(
            np.float32
        )
        (y,) = session.run(None, {"x": values.reshape(1, 3, 48, int(width))})
        found.append(hashlib.sha256(np.ascontiguousarray(y).tobytes()).hexdigest())
    return found


def library_in(home: Path) -> Path:
    (found,) = (home / ".cache" / "anydim").glob("java-*/libanydim_jni.so")
    return found


def test_the_bindings_tests_pass_and_jni_is_used_as_it_should_be(tested: str) -> None:
    summary = re.findall(r"Tests run: (\d+), Failures: 0, Errors: 0, Skipped: (\d+)$", tested, re.MULTILINE)
    assert summary, tested[-3000:]
    tests, skipped = map(int, summary[-1])
    assert tests >= 195 and skipped == 0, summary[-1]
    wrong = [
        line for line in tested.splitlines() if "WARNING in native method" in line or "FATAL ERROR in native" in line
    ]
    assert not wrong, wrong


def test_checking_jni_finds_what_is_wrong(tmp_path: Path) -> None:
    """The control: a native that leaves an exception unlooked at is reported."""
    (tmp_path / "Planted.java").write_text(
        "final class Planted { static native void twice(Object[] none); public static void main(String[] a) {"
        " System.load(a[0]); twice(new Object[0]); } }"
    )
    (tmp_path / "planted.c").write_text(
        "#include <jni.h>\nJNIEXPORT void JNICALL Java_Planted_twice(JNIEnv* env, jclass c, jobjectArray none) {\n"
        "  (void)c; jobject x = (*env)->NewByteArray(env, 1); (*env)->SetObjectArrayElement(env, none, 3, x);\n"
        "  (*env)->SetObjectArrayElement(env, none, 4, x); }\n"
    )
    home = Path(shutil.which("javac") or "").resolve().parents[1]
    library = tmp_path / "libplanted.so"
    run("cc", "-shared", "-fPIC", f"-I{home}/include", f"-I{home}/include/linux", tmp_path / "planted.c", "-o", library)
    run("javac", "-d", tmp_path, tmp_path / "Planted.java")
    told = subprocess.run(
        ["java", "-Xcheck:jni", "-cp", str(tmp_path), "Planted", str(library)], capture_output=True, text=True
    )
    assert "WARNING in native method" in told.stdout + told.stderr


def test_the_jar_is_small_and_lists_what_it_carries(jar: Path) -> None:
    assert jar.stat().st_size < 8 * MEGABYTE
    with zipfile.ZipFile(jar) as archive:
        names = archive.namelist()
        listed = archive.read("META-INF/THIRD-PARTY.txt").decode()
        library = archive.read("org/anydim/natives/linux-x86_64/libanydim_jni.so")
        told = archive.read("org/anydim/natives/linux-x86_64/libanydim_jni.so.sha256").decode().strip()
    assert "META-INF/LICENSE" in names and "module-info.class" in names
    for part in ("fmt", "nlohmann-json", "protozero", "xxHash", "libstdc++", "SQLite"):
        assert part in listed
    assert hashlib.sha256(library).hexdigest() == told


def test_the_native_library_exports_its_natives_and_nothing_else(jar: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(jar) as archive:
        library = Path(archive.extract("org/anydim/natives/linux-x86_64/libanydim_jni.so", tmp_path))
    names = {line.split()[-1] for line in run("nm", "-D", "--defined-only", library).stdout.splitlines()}
    assert names and all(name.startswith("Java_org_anydim_") or name == "JNI_OnLoad" for name in names)
    assert not run("nm", library).stdout, "it is stripped"
    needed = re.findall(r"NEEDED.*\[(.+)\]", run("readelf", "-d", library).stdout)
    assert set(needed) <= {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}, needed


def shapes(*widths: str) -> list[str]:
    """What the programs print."""
    session = anydim.InferenceSession(REC)
    found = [session.run(None, {"x": np.zeros((1, 3, 48, int(w)), np.float32)})[0].shape for w in widths]
    return [str(list(shape)) for shape in found]


def program_of_the_page() -> str:
    page = ROOT / "docs" / "quickstart-java.md"
    (code,) = re.findall(r"^```java\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return str(code)


def test_a_user_with_the_jar_alone_runs_the_program_of_the_page_and_gets_the_bits_of_python(
    jar: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "Widths.java").write_text(program_of_the_page(), encoding="utf-8")
    (tmp_path / "rec.onnx").symlink_to(REC)
    told = run("java", "-cp", jar, "Widths.java", env=environment, cwd=tmp_path).stdout
    assert told.splitlines() == shapes("71", "320", "513")
    assert bits(jar, environment).stdout.split() == expected_bits()


def test_the_code_of_the_guide_runs(jar: Path, environment: dict[str, str], tmp_path: Path) -> None:
    page = ROOT / "docs" / "java.md"
    pieces = re.findall(r"^```java\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert len(pieces) >= 10
    used = ("nio", "nio.file", "time", "util", "util.concurrent")
    head = "".join(f"import java.{package}.*;\n" for package in used) + "import org.anydim.*;\n"
    members = [code for code in pieces if code.startswith("static ")]  # of a program that has what they take
    pieces = [code for code in pieces if code not in members]
    methods = "".join(f"  static void piece{i}() throws Exception {{\n{code}  }}\n" for i, code in enumerate(pieces))
    methods += "".join(members)
    calls = "".join(f"    piece{i}();\n" for i in range(len(pieces)))
    main = f"  public static void main(String[] arguments) throws Exception {{\n{calls}  }}\n"
    (tmp_path / "Guide.java").write_text(f"{head}class Guide {{\n{methods}{main}}}\n", encoding="utf-8")
    for name in ("cls.onnx", "rec.onnx"):
        (tmp_path / name).symlink_to(REC.with_name(name))
    told = run("java", "-cp", jar, "Guide.java", env=environment, cwd=tmp_path).stdout
    for line in ("[1.0, 2.7182817", "1.5 3290", "is 1600", "\nended\n", "\n7.0\nF32[1] steps 3", "no such file.onnx"):
        assert line in told, f"{line!r} is not in\n{told}"
    assert re.search(r"^32 requests in \d+ batches$", told, re.MULTILINE), told


def test_the_program_of_the_page_about_operators_of_ones_own_runs(
    jar: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    page = ROOT / "docs" / "custom-operators.md"
    (code,) = re.findall(r"^```java\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    (tmp_path / "OwnSoftmax.java").write_text(code, encoding="utf-8")
    (tmp_path / "cls.onnx").symlink_to(REC.with_name("cls.onnx"))
    assert run("java", "-cp", jar, "OwnSoftmax.java", env=environment, cwd=tmp_path).stdout == "1.000\n"


def test_strings_maps_and_sequences_come_and_go_as_the_file_declares_them(
    jar: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    declared_models(tmp_path)
    source = ROOT / "tests" / "java" / "Declared.java"
    told = run("java", "-Dfile.encoding=UTF-8", "-cp", jar, source, tmp_path, env=environment).stdout.splitlines()
    y = anydim.InferenceSession(tmp_path / "joined.onnx").run(None, {"a": ["ab", "é", ""], "b": ["x", "雪", "z"]})
    assert told == [
        "labels country: STRING[3][Norway, Peru, ?]",
        "labels INVALID_ARGUMENT: the value is TENSOR; expected STRINGS",
        f"joined y: STRING[3][{', '.join(y[0])}]",
        "maps p: {no=0.25, yes=0.75}{no=1.0, yes=0.0}",
        "maps row: F32[1, 3] [float[][], 2.5]",
        "sequences y: F32[4] [float[], 10.0]",
        "sequences t: F32[2] [float[], 3.0]; F32[2] [float[], 7.0]; ",
        "sequences INVALID_ARGUMENT: input 's' has elements of dims [2] and [1]; a model that is loaded with"
        ' Model.options().sequence("s", ranks of its elements) takes such',
        "sequences y: F32[3] [float[], 6.0]",
        "sequences t: F32[2] [float[], 3.0]; F32[1] [float[], 3.0]; ",
    ], "\n".join(told)


def test_a_native_image_keeps_what_c_calls(jar: Path) -> None:
    """The list in the jar is that of the C++ sources: classes and methods that are looked up by name."""
    source = (ROOT / "bindings" / "java" / "native" / "java_vm.cpp").read_text(encoding="utf-8")
    classes = re.findall(r'"(org/anydim/\w+)"', source)
    header = (ROOT / "bindings" / "java" / "native" / "java_vm.h").read_text(encoding="utf-8")
    kinds = re.search(r"enum class JavaClass \{ (.*), count_ \}", header)[1].split(", ")  # type: ignore[index]
    of = dict(zip(kinds, classes, strict=True))
    types = {"I": "int", "J": "long", "[B": "byte[]", "[J": "long[]", "Ljava/lang/Object;": "java.lang.Object"}
    wanted = {
        (of[kind].replace("/", "."), name, tuple(types[t] for t in re.findall(r"\[?[IJB]|L[\w/]+;", signature)))
        for kind, name, signature in re.findall(r'\{JavaClass::(\w+), "(\w+)", "\((.*?)\)', source)
    }
    with zipfile.ZipFile(jar) as archive:
        folder = "META-INF/native-image/org.anydim/anydim"
        listed = json.loads(archive.read(f"{folder}/jni-config.json"))
        patterns = json.loads(archive.read(f"{folder}/resource-config.json"))["resources"]["includes"]
        natives = [name for name in archive.namelist() if "natives/" in name and not name.endswith("/")]
        assert "--initialize-at-run-time=org.anydim" in archive.read(f"{folder}/native-image.properties").decode()
    found = {(c["name"], m["name"], tuple(m["parameterTypes"])) for c in listed for m in c["methods"]}
    assert found == wanted and len(wanted) == 8
    plain = [re.sub(r"\\Q(.*?)\\E", lambda m: re.escape(m[1]), p["pattern"]) for p in patterns]
    assert all(any(re.fullmatch(p, name) for p in plain) for name in natives), (natives, plain)


def test_a_host_program_provides_its_threads_its_memory_and_its_log(jar: Path, environment: dict[str, str]) -> None:
    cls = REC.with_name("cls.onnx")
    told = run("java", "-cp", jar, EXAMPLE / "src" / "main" / "java" / "Host.java", cls, env=environment).stdout
    assert re.search(r"^\[DEBUG\] .*rank", told, re.MULTILINE), told
    assert re.search(r"^\[0\.\d+, 0\.\d+, ", told, re.MULTILINE), told
    held = re.search(r"^(\d+) bytes of the program's are in use$", told, re.MULTILINE)
    assert held and int(held[1]) > MEGABYTE, told
    assert told.endswith("\n0 bytes are left\n"), told


def test_the_library_is_written_for_its_user_alone_and_repaired_when_it_is_damaged(
    jar: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    assert bits(jar, environment).returncode == 0
    library = library_in(tmp_path / "home")
    assert library.parent.stat().st_mode & 0o77 == 0
    whole = library.read_bytes()
    library.write_bytes(whole[:-1000] + bytes(1000))
    assert bits(jar, environment).stdout.split() == expected_bits()
    assert library.read_bytes() == whole
    assert [p.name for p in library.parent.iterdir()] == [library.name]


def test_a_folder_that_others_may_write_is_not_used(jar: Path, environment: dict[str, str], tmp_path: Path) -> None:
    assert bits(jar, environment).returncode == 0
    library = library_in(tmp_path / "home")
    library.write_bytes(b"not ours")
    library.parent.chmod(0o777)
    (tmp_path / "tmp").mkdir()
    done = bits(jar, environment, f"-Djava.io.tmpdir={tmp_path / 'tmp'}")
    assert done.returncode == 0, done.stderr
    assert library.read_bytes() == b"not ours"
    assert list((tmp_path / "tmp").glob("anydim-*/java-*/libanydim_jni.so"))


def test_processes_that_begin_at_once_all_find_it(jar: Path, environment: dict[str, str]) -> None:
    command = ["java", "-cp", str(jar), str(ROOT / "tests" / "java" / "Bits.java"), str(REC), WIDTHS[0]]
    started = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert {p.communicate()[0].strip() for p in started} == {expected_bits()[0]}


def test_a_program_may_name_the_library_itself(jar: Path, environment: dict[str, str], tmp_path: Path) -> None:
    native = ROOT / "build" / "java" / "native"
    for named in (native, native / "libanydim_jni.so"):
        assert bits(jar, environment, f"-Danydim.library.path={named}").stdout.split() == expected_bits()
    assert not (tmp_path / "home" / ".cache" / "anydim").exists() or not list((tmp_path / "home").rglob("*.so"))
    refused = bits(jar, environment, f"-Danydim.library.path={tmp_path}")
    assert refused.returncode != 0 and "anydim.library.path is" in refused.stderr


def test_class_loaders_beside_each_other_each_get_one(jar: Path, environment: dict[str, str]) -> None:
    source = ROOT / "tests" / "java" / "Bits.java"
    told = run("java", "-cp", jar, source, "loaders", jar, env=environment).stdout.split()
    assert len(told) == 3 and len(set(told)) == 1


@pytest.fixture
def no_programs(tmp_path: Path) -> Iterator[Path]:
    """A folder in which no program may run."""
    folder = tmp_path / "noexec"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "noexec", "none", str(folder)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("mounting needs root")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_folder_without_programs_is_passed_by(
    jar: Path, environment: dict[str, str], tmp_path: Path, no_programs: Path
) -> None:
    (tmp_path / "home").mkdir(exist_ok=True)
    environment["XDG_CACHE_HOME"] = str(no_programs)
    assert bits(jar, environment).stdout.split() == expected_bits()
    assert list((tmp_path / "home").rglob("libanydim_jni.so"))
    nowhere = bits(jar, environment, f"-Duser.home={no_programs}", f"-Djava.io.tmpdir={no_programs}")
    assert nowhere.returncode != 0
    assert "could be loaded from none of the folders" in nowhere.stderr and "anydim.library.path" in nowhere.stderr


def test_the_manual_has_no_gap() -> None:
    """Javadoc of everything public, as strict as the tool can be."""
    sources = list((ROOT / "bindings" / "java" / "src" / "main" / "java").rglob("*.java"))
    folder = TARGET / "strict-manual"
    done = run("javadoc", "-quiet", "-Xdoclint:all", "-Werror", "--release", "11", "-d", folder, *sources)
    assert "warning" not in done.stderr


@pytest.mark.long
def test_a_user_installs_it_from_an_empty_maven_repository(environment: dict[str, str], tmp_path: Path) -> None:
    repository = f"-Dmaven.repo.local={tmp_path / 'repository'}"
    run(sys.executable, ROOT / "tools" / "java.py", "install", "--", repository)
    installed = tmp_path / "repository" / "org" / "anydim" / "anydim"
    assert sorted(p.suffix for p in installed.rglob("anydim-*") if p.is_file()) == [".jar"] * 3 + [".pom"]
    project = tmp_path / "project"
    shutil.copytree(EXAMPLE, project)

    def made(arguments: str) -> list[str]:
        """What Maven prints that compiles the project and runs it."""
        told = run(
            "mvn", "-B", "-q", "-ntp", repository, "compile", "exec:exec", arguments, cwd=project, env=environment
        )  # fmt: skip
        return re.findall(r"\[1, \d+, \d+\]", told.stdout)

    assert made(f"-Danydim.arguments={REC} {' '.join(WIDTHS)}") == shapes(*WIDTHS)
    # The same with the program of the page in place of the example's.
    (project / "src" / "main" / "java" / "Widths.java").write_text(program_of_the_page(), encoding="utf-8")
    (project / "rec.onnx").symlink_to(REC)
    assert made("-Danydim.arguments=") == shapes("71", "320", "513")


def test_a_program_exits_while_its_daemon_threads_run(jar: Path, tmp_path: Path) -> None:
    """In runs with workers, batches and the program's own loops, and while sessions are made and log lines come."""
    run("javac", "-Xlint:all", "-Werror", "-cp", jar, "-d", tmp_path, ROOT / "tests" / "java" / "Ending.java")
    for runs in range(1, 30, 3):
        command = ["java", "-Xmx256m", "-cp", f"{jar}:{tmp_path}", "Ending", str(runs), str(REC)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode == 3, (
            f"{runs} runs: exit status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
