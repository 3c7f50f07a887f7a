# SPDX-License-Identifier: Apache-2.0
"""The examples are programs: those of examples/, of README.md and docs/, and of the C header, which is the manual of the C API.

What a page shows is run as its reader would run it: the Python of a page as one program, piece after piece; C and C++ with a `main` as
programs, other C as a function body that must compile; blocks marked `sh` in the models' folder. Java's is in tests/java, Rust's in
tests/rust/run.py, that of Spark and Ray in tests/scale_out. `text` marks what is no code of Anydim's.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import anydim
import numpy as np
import pytest
from conftest import ROOT

SERVER = ROOT / "examples" / "serving.py"  # which does not end
QUANTIZE = ROOT / "examples" / "quantize.py"  # which takes minutes: test_rapidocr.py runs it
EXAMPLES = sorted(set((ROOT / "examples").glob("*.py")) - {SERVER, QUANTIZE})
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
INCLUDE = ROOT / "capi" / "include"
HEADERS = "\n".join(h.read_text(encoding="utf-8") for h in sorted((INCLUDE / "anydim").glob("*.h")))
LIBRARY = ROOT / "build" / "lib"
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused-parameter", "-Wno-unused-variable")

# What the headers' examples assume: one of each handle, and what goes into them.
# Most of them are single calls, whose status they leave to the reader.
GIVEN = """
#define ANYDIM_NO_MUST_USE
#include <anydim/anydim.h>
#include <stdio.h>
#include <string.h>
void print_line(void* user, anydim_log_level_t level, const char* text);
int32_t one_after_the_other(void* user, int64_t parts, anydim_part_callback_t part, void* context);
void free_pixels(void* user);
int32_t twice_shapes(void* user, const anydim_custom_node_t* node, const anydim_view_t* inputs, int64_t input_count,
                     anydim_view_t* outputs, int64_t output_count);
int32_t twice_compute(void* user, const anydim_custom_node_t* node, const anydim_view_t* inputs, int64_t input_count,
                      anydim_view_t* outputs, int64_t output_count);
void on_scores(void* user, int32_t status, const anydim_view_t* outputs, int32_t output_count);
void example(anydim_engine_t engine, anydim_stream_t stream, anydim_desc_t desc, anydim_desc_t src, anydim_tensor_t tensor,
             anydim_view_t x, anydim_model_builder_t graph, anydim_model_builder_t branch,
             const anydim_view_t* kernel_and_bias, const anydim_view_t* tensors, anydim_attr_t attr,
             anydim_weights_t weights, anydim_primitive_t primitive, anydim_bounds_t bounds, anydim_model_t model, anydim_model_t other,
             anydim_desc_t small, anydim_desc_t large, anydim_primitive_t one, anydim_primitive_t another,
             anydim_context_t run, anydim_session_t session, anydim_text_t text, anydim_layouts_t layouts,
             anydim_call_t call, anydim_convolution_t conv, anydim_model_options_t options, anydim_memory_t memory,
             anydim_memory_t other_memory, anydim_layers_t layers, anydim_matmul_t product, anydim_view_t a, anydim_desc_t b,
             int64_t size, const anydim_custom_node_t* node,
             float scale, const float* channel_scales, int32_t channels, float* pixels, void* buffer,
             anydim_state_t state, anydim_streaming_t streaming, anydim_view_t chunk,
             anydim_view_t ids, anydim_view_t prompt, anydim_view_t token, anydim_view_t logits,
             void* cl_context, void* cl_device, void* cl_queue, void* cl_pixels, void* cl_results,
             void* data, int64_t records, int64_t bytes, int32_t index) {{
  {{
    {code}
  }}
}}
"""


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def of_a_cluster(code: str) -> bool:
    """Whether it is for packages that `make test-all` installs: Spark and Ray (tests/scale_out/test_pages.py runs it), torch."""
    return bool(re.search(r"anydim\.(ray|spark)\b|^import torch$", code, re.MULTILINE))


def snippets(language: str, *, programs: bool | None = None) -> list[tuple[str, str]]:
    """Of README.md and docs/: each with its page; with `programs` only those that have a `main`, or only the others."""
    return [
        (page.name, code)
        for page in PAGES
        for code in blocks(page, language)
        if not of_a_cluster(code) and programs in {None, " main(" in code}
    ]


def python_pages() -> dict[str, str]:
    """The Python of each page as one program."""
    pages: dict[str, str] = {}
    for page, code in snippets("python"):
        pages[page] = f"{pages.get(page, '')}{code}\n"
    return pages


def header_examples() -> dict[str, str]:
    """Code of the headers' comments (indented by four) by the name of the function or by what is said before it."""
    found: dict[str, str] = {}
    for comment, after in re.findall(r"^/\*\n(.*?)^ \*/\n(.*?)$", HEADERS, re.DOTALL | re.MULTILINE):
        for said, code in re.findall(r"^ \* (\S[^\n]*)\n((?: \*     [^\n]*\n)+)", comment, re.MULTILINE):
            function = re.search(r"\b(anydim_\w+)\(", after)
            found[function.group(1) if function else said] = re.sub(r"^ \*     ", "", code, flags=re.MULTILINE)
    return found


def compile_c(code: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    source = folder / "example.c"
    source.write_text(code, encoding="utf-8")
    compiler = shutil.which("cc")
    assert compiler is not None
    command = [compiler, "-std=c99", *WARNINGS, f"-I{INCLUDE}", str(source), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def run_c(code: str, folder: Path, models: Path) -> subprocess.CompletedProcess[str]:
    """Compiles a program, links it to the library and runs it where the models lie."""
    program = folder / "example"
    done = compile_c(code, folder, f"-L{LIBRARY}", "-lanydim", "-lm", f"-Wl,-rpath,{LIBRARY}", "-o", str(program))
    assert done.returncode == 0, done.stderr
    return subprocess.run([str(program)], capture_output=True, text=True, cwd=models)


def test_there_are_examples() -> None:
    assert EXAMPLES
    assert len(blocks(README, "python")) == 1
    assert len(header_examples()) > 20
    assert len(python_pages()) >= 8 and len(snippets("python")) >= 20
    assert snippets("c", programs=True) and snippets("c", programs=False)
    assert snippets("cpp", programs=True)
    assert {page for page, _ in snippets("cpp", programs=False)} == {"cpp.md"}
    assert {page for page, _ in snippets("sh")} >= {"export.md", "onnx.md", "quickstart-python.md", "tuning.md", "weights.md"}


def test_every_block_of_code_says_what_it_is() -> None:
    """So that none is left out by a language that no test knows. Without a word: commands, whose names tests/house checks."""
    known = {"", "c", "cpp", "java", "json", "python", "rust", "sh", "text", "toml", "xml"}
    found = {
        word
        for page in PAGES
        for word in re.findall(r"^```(\w*)\n.*?^```$", page.read_text(encoding="utf-8"), re.S | re.M)
    }
    assert found <= known, found - known


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs(path: Path, folder: Path) -> None:
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout and "same bits: False" not in done.stdout


def test_the_server_of_the_examples_answers_with_the_bits_of_a_run_alone() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    cls = ROOT / "build" / "models" / "cls.onnx"
    server = subprocess.Popen([sys.executable, str(SERVER), str(cls), str(port)], stderr=subprocess.DEVNULL)
    try:
        base = f"http://127.0.0.1:{port}/v2"
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"{base}/models/cls/ready") as ready:
                    assert ready.status == 200
                break
            except OSError:
                assert server.poll() is None, "it ended"
                time.sleep(0.1)
        x = np.random.default_rng(3).random((1, 3, 48, 96), np.float32)
        named = {"name": "x", "shape": x.shape, "datatype": "FP32", "data": x.ravel().tolist()}
        request = urllib.request.Request(f"{base}/models/cls/infer", json.dumps({"inputs": [named]}).encode())
        with urllib.request.urlopen(request) as given:
            (y,) = json.load(given)["outputs"]
        (expected,) = anydim.InferenceSession(str(cls)).run(None, {"x": x})
        assert np.array(y["data"], np.float32).reshape(y["shape"]).tobytes() == expected.tobytes()
        wrong = urllib.request.Request(f"{base}/models/cls/infer", b'{"inputs": [{"name": "x"}]}')
        with pytest.raises(urllib.error.HTTPError, match="400"):
            urllib.request.urlopen(wrong)
    finally:
        server.kill()
        server.wait()


@pytest.mark.parametrize(("page", "code"), snippets("c", programs=True))
def test_a_c_program_of_a_page_runs(page: str, code: str, folder: Path, tmp_path: Path) -> None:
    done = run_c(code, tmp_path, folder)
    assert done.returncode == 0, done.stdout + done.stderr
    if page == "quickstart-c.md":
        assert abs(sum(float(word) for word in done.stdout.split()) - 1) < 1e-5, "not the scores of two classes"


@pytest.mark.parametrize(("page", "code"), snippets("cpp", programs=True))
def test_a_cpp_program_of_a_page_runs(page: str, code: str, folder: Path, tmp_path: Path) -> None:
    compiler = shutil.which("c++")
    assert compiler is not None
    (tmp_path / "app.cpp").write_text(code, encoding="utf-8")
    linked = [f"-L{LIBRARY}", "-lanydim", "-lm", "-pthread", f"-Wl,-rpath,{LIBRARY}", "-o", str(tmp_path / "app")]
    command = [compiler, "-std=c++11", *WARNINGS, f"-I{INCLUDE}", str(tmp_path / "app.cpp"), *linked]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    done = subprocess.run([str(tmp_path / "app")], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    if page == "quickstart-cpp.md":
        assert done.stdout.split() == ["9", "letters", "at", "most", "40", "letters", "at", "most"], done.stdout


def test_the_pieces_of_the_cpp_guide_are_one_program(folder: Path, tmp_path: Path) -> None:
    pieces = "".join(code for _, code in snippets("cpp", programs=False))
    heads = "".join(f"#include <{name}>\n" for name in ("anydim/anydim.hpp", "iostream", "thread"))
    code = f"{heads}int main() {{\n{pieces}}}\n"
    test_a_cpp_program_of_a_page_runs("cpp.md", code, folder, tmp_path)
    shown = subprocess.run([str(tmp_path / "app")], capture_output=True, text=True, cwd=folder, check=True).stdout
    assert shown.startswith("40 columns, first score ") and "265000 numbers" in shown and "1 batch" in shown
    assert "cancelled" in shown and "input 'x' dim 2 is 32" in shown and "this model takes 33 to 80" in shown


@pytest.mark.parametrize(("page", "code"), snippets("sh"))
def test_the_commands_of_a_page_run(page: str, code: str, folder: Path) -> None:
    environment = {**os.environ, "PATH": f"{LIBRARY.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-ec", code], capture_output=True, text=True, cwd=folder, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout, "it shows nothing"


@pytest.mark.parametrize(("page", "code"), python_pages().items())
def test_the_python_of_a_page_runs(page: str, code: str, folder: Path) -> None:
    line = 'anydim,v1,execute,cpu,,"unary function=relu",in0=f32[2] out0=f32[2],,math=strict,unary.reference,reusable,1.5,scratch=0'
    command = [sys.executable, "-c", f"import anydim\n{code}"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, input=line)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize(("page", "code"), snippets("c", programs=False))
def test_the_c_of_a_page_compiles(page: str, code: str, tmp_path: Path) -> None:
    done = compile_c(GIVEN.format(code=f"{{ {code} }}"), tmp_path, "-fsyntax-only")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", header_examples())
def test_an_example_of_the_header_compiles(name: str, tmp_path: Path) -> None:
    done = compile_c(GIVEN.format(code=header_examples()[name]), tmp_path, "-fsyntax-only")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("which", ["A model", "A primitive"])
def test_the_programs_at_the_head_of_the_header_run(which: str, folder: Path, tmp_path: Path) -> None:
    """They check their calls, and free what they make."""
    code = next(code for name, code in header_examples().items() if name.startswith(which))
    assert code.count("_create(") + code.count("_load_file(") <= code.count("_destroy(")
    program = "#include <anydim/anydim.h>\n#include <stdio.h>\nint main(void) {\n" + code + "  return 0;\n}\n"
    done = run_c(program, tmp_path, folder)
    assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr
