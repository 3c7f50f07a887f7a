# SPDX-License-Identifier: Apache-2.0
"""Runs the test vectors (README.md) through the Python package, and prints a line for each case:

NAME DIGEST           it ran, and its outputs have the expected bits; the digest is FNV-1a of them
NAME status           it failed as expected, with this status and message
NAME cannot WHY       nobody can write such a thing in Python
NAME WRONG WHY        and the exit status is 1

  runner.py [FOLDER]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anydim
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
FOLDER = Path(__file__).resolve().parent
DTYPES = {
    "f32": np.float32, "f64": np.float64, "f16": np.float16, "i8": np.int8, "u8": np.uint8, "i16": np.int16,
    "u16": np.uint16, "i32": np.int32, "u32": np.uint32, "i64": np.int64, "u64": np.uint64, "bool": np.bool_,
}  # fmt: skip


class CannotBeWritten(Exception):
    """What a case asks for has no words in Python."""


class Failed(Exception):
    """A step failed."""

    def __init__(self, step: str, error: anydim.Error) -> None:
        super().__init__(str(error))
        self.step, self.status, self.message = step, error.status.name.lower(), str(error)


@dataclass
class Tensor:
    name: str
    dtype: str
    dims: tuple[int, ...]
    data: bytes | None  # None: none is given

    def array(self) -> Array:
        if self.data is None:
            raise CannotBeWritten("an array has its data")
        return np.frombuffer(self.data, DTYPES[self.dtype]).reshape(self.dims)


@dataclass
class Case:
    name: str
    model: str = ""
    first_bytes: int | None = None
    operator: str = ""
    descs: list[tuple[str, str]] = field(default_factory=list)
    bounds: list[tuple[str, str]] = field(default_factory=list)
    sequences: dict[str, list[int] | None] = field(default_factory=dict)
    destroy: list[str] = field(default_factory=list)
    inputs: list[Tensor] = field(default_factory=list)
    outputs: list[Tensor] = field(default_factory=list)
    ask: str = ""
    step: str = ""  # at which it fails; empty: it runs
    statuses: list[str] = field(default_factory=list)
    says: list[str] = field(default_factory=list)


def tensor(name: str, dtype: str, dims: str, data: str) -> Tensor:
    held = None if data == "none" else b"" if data == "-" else bytes.fromhex(data)
    return Tensor(name, dtype, () if dims == "scalar" else tuple(map(int, dims.split(","))), held)


def read_cases(path: Path) -> list[Case]:
    cases: list[Case] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        word, _, rest = line.partition(" ")
        if not word or word == "#":
            continue
        parts = rest.split(" ")
        if word == "case":
            cases.append(Case(rest))
            continue
        case = cases[-1]
        if word == "model":
            case.model = parts[0]
            case.first_bytes = int(parts[1]) if len(parts) > 1 else None
        elif word == "operator":
            case.operator = rest
        elif word == "desc":
            case.descs.append((parts[0], parts[1]))
        elif word == "bounds":
            case.bounds.append((parts[0], parts[1]))
        elif word == "sequences":
            for item in rest.split(";"):
                name, _, ranks = item.rpartition("=")
                case.sequences[name] = None if ranks == "-" else [int(rank) for rank in ranks.split(",") if rank]
        elif word == "destroy":
            case.destroy.append(rest)
        elif word == "input":
            case.inputs.append(tensor(*parts))
        elif word == "output":
            case.outputs.append(tensor(*parts))
        elif word == "ask":
            case.ask = rest
        elif word == "fails":
            case.step, *case.statuses = parts
        elif word == "says":
            case.says.append(rest)
        else:
            raise SystemExit(f"{path}: what is {word!r}?")
    return cases


def at(step: str, call: Callable[[], Any]) -> Any:
    try:
        return call()
    except anydim.Error as error:
        raise Failed(step, error) from None


def promised(dims: str) -> list[int | tuple[int, int]]:
    out: list[int | tuple[int, int]] = []
    for dim in dims.split(","):
        low, dots, high = dim.partition("..")
        out.append((int(low), int(high)) if dots else int(low))
    return out


def run_model(case: Case, folder: Path) -> list[Array]:
    path = folder / "models" / case.model
    source: Any = path if case.first_bytes is None else path.read_bytes()[: case.first_bytes]
    bounds = {name: tuple(promised(dims)) for name, dims in case.bounds} or None
    if "session" in case.destroy:
        raise CannotBeWritten("a session goes when nobody can use it")
    # The engine is the process's, and a session holds its model.
    session = at(
        "create" if case.step == "create" else "load",
        lambda: anydim.InferenceSession(source, bounds=bounds, sequences=case.sequences),
    )
    feeds = {t.name: t.array() for t in case.inputs}
    names = [case.ask] if case.ask else None
    results = at("find" if case.step == "find" else "run", lambda: session.run(names, lists_of(feeds, session)))
    assert isinstance(results, list)
    asked = names or [arg.name for arg in session.get_outputs()]
    return tensors_of(dict(zip(asked, results, strict=True)), [t.name for t in case.outputs])


def lists_of(feeds: dict[str, Array], session: anydim.InferenceSession) -> dict[str, Any]:
    """Tensors that are a sequence's elements, or their slices, as Python's lists."""
    made: dict[str, Any] = dict(feeds)
    for arg in session.get_inputs():
        if arg.type.startswith("seq(") and arg.name in feeds:
            made[arg.name] = list(feeds[arg.name])
        elif arg.type.startswith("seq("):
            names = [name for name in feeds if name.startswith(f"{arg.name}[")]
            made[arg.name] = [made.pop(name) for name in sorted(names)]
    return made


def tensors_of(results: dict[str, Any], names: list[str]) -> list[Array]:
    """And the way back: the tensors of these names."""
    tensors: list[Array] = []
    for name, result in results.items():
        if not isinstance(result, list):
            tensors += [] if result is None else [result]
        else:
            tensors += [np.stack(result)] if name in names else result
    return tensors


def run_operator(case: Case) -> list[Array]:
    engine = anydim.Engine("cpu")

    def desc(dtype: str, dims: str) -> Any:
        return getattr(anydim, dtype)(*(anydim.dim(*d) if isinstance(d, tuple) else d for d in promised(dims)))

    def create() -> Any:
        descs = [desc(*d) for d in case.descs]
        if case.operator == "relu":
            (src,) = descs
            return engine.unary(src, function="relu")
        if len(descs) != 2:
            raise CannotBeWritten("the function has two arguments")
        return engine.matmul(*descs)

    primitive = at("create", create)
    arrays = [t.array() for t in case.inputs]
    return [at("run", lambda: primitive(*arrays))]


def fnv(digest: int, data: bytes) -> int:
    for byte in data:
        digest = (digest ^ byte) * 0x100000001B3 % 2**64
    return digest


def outcome(case: Case, folder: Path) -> str:
    try:
        results = run_operator(case) if case.operator else run_model(case, folder)
    except CannotBeWritten as why:
        return f"cannot {why}"
    except Failed as failed:
        wanted = f"{case.step or 'no'} failure {' '.join(case.statuses)}"
        if failed.step != case.step or failed.status not in case.statuses:
            return f"WRONG expected {wanted}; {failed.step} failed with {failed.status}: {failed.message}"
        if missing := [text for text in case.says if text not in failed.message]:
            return f"WRONG the message does not say {missing[0]!r}: {failed.message}"
        return failed.status
    if case.step:
        return f"WRONG it ran; expected the failure {case.step} {' '.join(case.statuses)}"
    if len(results) != len(case.outputs):
        return f"WRONG {len(results)} outputs; expected {len(case.outputs)}"
    digest = 0xCBF29CE484222325
    for result, want in zip(results, case.outputs, strict=True):
        if result.dtype != DTYPES[want.dtype] or result.shape != want.dims:
            return f"WRONG output {want.name} is {result.dtype}{result.shape}; expected {want.dtype}{want.dims}"
        if result.tobytes() != want.data:
            return f"WRONG output {want.name} has other bits: {result.tobytes().hex()}"
        digest = fnv(digest, result.tobytes())
    return f"{digest:016x}"


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    wrong = False
    for case in read_cases(folder / "cases.txt"):
        result = outcome(case, folder)
        wrong = wrong or result.startswith("WRONG")
        print(case.name, result, flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
