# SPDX-License-Identifier: Apache-2.0
"""Writes the test vectors, cases.txt and models/, from vector_cases.py and vector_models.py. Results come from this build of
Anydim, and are refused unless the onnx package's reference evaluator agrees: what it cannot know is the order of sums.

  make.py            writes them: after a change of the cases, or of docs/numerics.md
  make.py --check    writes nothing, and fails where a file differs
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import runner
from onnx import ModelProto
from onnx.reference import ReferenceEvaluator
from vector_cases import Case, every
from vector_models import GOOD, HOSTILE, Array

FOLDER = Path(__file__).resolve().parent
HEAD = """\
# The test vectors: what every language must make of the models beside this file. README.md says what the lines mean; make.py
# wrote them.
"""
NAMES = {np.dtype(kind): name for name, kind in runner.DTYPES.items()}


def dims_text(dims: tuple[int, ...]) -> str:
    return ",".join(map(str, dims)) or "scalar"


def tensor_line(word: str, name: str, array: Array) -> str:
    return f"{word} {name} {NAMES[array.dtype]} {dims_text(array.shape)} {array.tobytes().hex() or '-'}"


def lines(case: Case) -> list[str]:
    out = [f"case {case.name}"]
    if case.model:
        out.append(f"model {case.model}.onnx" + ("" if case.first_bytes is None else f" {case.first_bytes}"))
    if case.operator:
        out.append(f"operator {case.operator}")
    out += [f"desc {dtype} {dims}" for dtype, dims in case.descs]
    out += [f"bounds {name} {dims}" for name, dims in case.bounds]
    out += [f"sequences {case.sequences}"] if case.sequences else []
    out += [f"destroy {handle}" for handle in case.destroy]
    for name, array, dtype, dims in case.inputs:
        out.append(
            f"input {name} {dtype} {dims_text(dims)} none" if array is None else tensor_line("input", name, array)
        )
    if case.ask:
        out.append(f"ask {case.ask}")
    if case.fails:
        return [*out, f"fails {case.fails}", *(f"says {text}" for text in case.says)]
    return [*out, *results(case, out)]


def parsed(text: list[str], folder: Path) -> runner.Case:
    draft = folder / "draft.txt"
    draft.write_text("\n".join(text), encoding="utf-8")
    (case,) = runner.read_cases(draft)
    draft.unlink()
    return case


def as_declared(model: ModelProto, arrays: dict[str, Array]) -> dict[str, Any]:
    """The model's inputs, of the tensors that a case has for them."""
    feeds: dict[str, Any] = {}
    for info in model.graph.input:
        elements = [arrays[name] for name in sorted(arrays) if name.startswith(f"{info.name}[")]
        if info.type.HasField("sequence_type"):
            feeds[info.name] = elements or list(arrays[info.name])
        else:
            feeds[info.name] = arrays.get(info.name)
    return feeds


def tensor_of(found: dict[str, Any], name: str) -> Array:
    """An output's tensor by its name: an element of a sequence, all of its elements, or the output itself."""
    of, _, place = name.partition("[")
    value = found[of][int(place[:-1])] if place else found[of]
    return np.stack(value) if isinstance(value, list) else np.asarray(value)


def results(case: Case, text: list[str]) -> list[str]:
    """The lines of the outputs."""
    draft = parsed(text, FOLDER)
    draft.outputs = [runner.Tensor(name, "", (), None) for name in case.tensors]
    made = runner.run_operator(draft) if case.operator else runner.run_model(draft, FOLDER)
    arrays = {name: array for name, array, *_ in case.inputs if array is not None}
    if case.peer:
        names, others = ["dst"], list(case.peer(*arrays.values()))
    else:
        model = GOOD[case.model]()
        evaluator = ReferenceEvaluator(model)
        names = [case.ask.partition("[")[0]] if case.ask else list(evaluator.output_names)
        found = dict(zip(names, evaluator.run(names, as_declared(model, arrays)), strict=True))
        names = list(case.tensors) or names
        others = [tensor_of(found, name) for name in names]
    for name, ours, theirs in zip(names, made, others, strict=True):
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, (
            f"{case.name}: {name} is {theirs.dtype}{theirs.shape}"
        )
        near = 2e-3 if ours.dtype == np.float16 else 1e-5
        assert np.allclose(ours, theirs, rtol=near, atol=near), (
            f"{case.name}: {name} is {ours}; the reference says {theirs}"
        )
    return [tensor_line("output", name, array) for name, array in zip(names, made, strict=True)]


def main() -> int:
    check = "--check" in sys.argv
    files: dict[Path, bytes] = {}
    for name, make in [*GOOD.items(), *HOSTILE.items()]:
        made = make()
        assert isinstance(made, ModelProto | bytes)
        data = made if isinstance(made, bytes) else made.SerializeToString(deterministic=True)
        files[FOLDER / "models" / f"{name}.onnx"] = data
        if not check:
            (FOLDER / "models" / f"{name}.onnx").write_bytes(data)
    cases = every()
    assert len({case.name for case in cases}) == len(cases), "two cases have one name"
    text = HEAD + "".join("\n" + "\n".join(lines(case)) + "\n" for case in cases)
    files[FOLDER / "cases.txt"] = text.encode()
    stale = {path for path in (FOLDER / "models").glob("*")} - set(files)
    differ = [path for path, data in files.items() if not path.exists() or path.read_bytes() != data]
    if check:
        print(
            "\n".join(f"differs: {path.relative_to(FOLDER)}" for path in [*differ, *stale])
            or "the vectors are what make.py gives"
        )
        return 1 if differ or stale else 0
    for path in differ:
        path.write_bytes(files[path])
    for path in stale:
        path.unlink()
    print(f"{len(cases)} cases, {len(files) - 1} models, {sum(map(len, files.values())) // 1000} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
