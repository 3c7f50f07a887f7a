# SPDX-License-Identifier: Apache-2.0
"""Runs the node cases of the `onnx` package on Anydim and counts them as passed, unimplemented or wrong.

  passed          outputs have the expected number, dims, dtypes, and values within the case's own tolerances
  unimplemented   the library said so itself (anydim.UnimplementedError), at load or at run
  wrong           anything else: other values, another exception, a crash, a hang

A case that passes runs once more with every declared dim made dynamic (but for vectors of integers, which may be
shapes). That form may be unimplemented, but it may not be wrong either.

Making all cases takes longer than running them, so one process makes them and forks the workers. A worker that dies is blamed on
the case that it was running and replaced. Use as a program to see
the table per operator and to look at single cases:

  python tests/conformance/node_cases.py                    all, with the table; JSON in build/onnx-node-cases.json
  python tests/conformance/node_cases.py test_conv          the cases whose name contains this, each with its message
  python tests/conformance/node_cases.py --renew            writes those that pass into passing.txt, which the test compares
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import select
import signal
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
RESULT = ROOT / "build" / "onnx-node-cases.json"
PASSING = Path(__file__).resolve().parent / "passing.txt"
PASSED, UNIMPLEMENTED, WRONG = "passed", "unimplemented", "wrong"
HANG_SECONDS = 120  # a case takes milliseconds; collecting all of them a few seconds

# Their expected outputs come from one particular random generator, which the operators' definitions do not fix.
NON_DETERMINISTIC = frozenset({
    "test_bernoulli", "test_bernoulli_double", "test_bernoulli_seed",
    "test_bernoulli_expanded", "test_bernoulli_double_expanded", "test_bernoulli_seed_expanded",
    "test_training_dropout", "test_training_dropout_default", "test_training_dropout_default_mask",
    "test_training_dropout_mask",
})  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    case: str
    operator: str
    verdict: str
    message: str = ""
    dynamic: str = ""  # the verdict with every dim dynamic, if the case passed
    digest: str = ""  # of the outputs' bits, if the case passed


def collect() -> list[Any]:
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the generators divide by zero on purpose
        cases = collect_testcases(None)
    return sorted((c for c in cases if c.name not in NON_DETERMINISTIC), key=lambda case: case.name)


def operator(case: Any) -> str:
    """The operator that a case is about; cases with the operator's definition written out count apart."""
    nodes = [node.op_type for node in case.model.graph.node]
    return nodes[0] if len(nodes) == 1 else "(several)"


def to_numpy(value: Any) -> Any:
    import numpy as np
    import onnx

    if isinstance(value, onnx.TensorProto):
        return onnx.numpy_helper.to_array(value)
    if value is None or isinstance(value, (list, tuple)):
        return value
    return np.asarray(value)


# Attention written out as float16 operators, each of which rounds. The answer is that of one operator, and the tolerance of 1e-3
# a single step of float16: two of 192 numbers are two steps away, whatever passes run.
TWO_ROUNDINGS = {"test_attention_4d_causal_fp16_expanded"}


# Sums that are 0, of which a float32 transform leaves a rounding of 1.9e-7 in the expected answer; ours is 0.
ROUNDING_FOR_ZERO = {"test_dft_inverse", "test_dft_inverse_opset19"}


def difference(expected: Any, got: Any, case: Any) -> str:
    """Empty when the outputs agree under the onnx package's own rules, otherwise what is different."""
    import numpy as np
    from onnx.backend.test.runner import Runner

    try:
        rtol = 2 * case.rtol if case.name in TWO_ROUNDINGS else case.rtol
        atol = 2e-7 if case.name in ROUNDING_FOR_ZERO else case.atol
        Runner.assert_similar_outputs(expected, got, rtol=rtol, atol=atol)
    except (AssertionError, TypeError, AttributeError) as failure:
        dims = [np.shape(value) for value in got]
        return " ".join(f"{failure}".split())[:400] + f" (dims {dims})"
    return ""


def with_dynamic_dims(case: Any) -> bytes:
    """The case's model with no declared dims, but for those of integer vectors."""
    import onnx

    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    for value in model.graph.input:
        tensor = value.type.tensor_type
        if tensor.elem_type in (onnx.TensorProto.INT32, onnx.TensorProto.INT64) and len(tensor.shape.dim) <= 1:
            continue
        for dim in tensor.shape.dim:
            dim.Clear()
    serialised: bytes = model.SerializeToString()
    return serialised


def bits_of(value: Any) -> bytes:
    """Dtype, dims and bits of an output; every NaN counts as the same one."""
    import numpy as np

    if value is None or isinstance(value, list):
        return f"{type(value).__name__} {len(value or ())} ".encode() + b"".join(map(bits_of, value or ()))

    array = np.array(value)
    if array.dtype.kind == "f":
        array[np.isnan(array)] = np.nan
    # Of strings the array has addresses.
    data = repr(array.tolist()).encode() if array.dtype == object else array.tobytes()
    return f"{array.dtype} {array.shape} ".encode() + data


def sequences_of(case: Any) -> dict[str, list[int] | None]:
    """What a case's inputs are made of that are sequences or optionals: the ranks of the elements, None for an absent optional."""
    made: dict[str, list[int] | None] = {}
    first = case.data_sets[0][0] if case.data_sets else []  # some model files come without data
    for info, given in zip(case.model.graph.input, first, strict=False):
        if not info.type.HasField("tensor_type"):
            found = to_numpy(given)
            made[info.name] = (
                None if found is None else [x.ndim for x in (found if isinstance(found, list) else [found])]
            )
    return made


def verdict_of(case: Any, model: bytes) -> tuple[str, str]:
    """The verdict on one form of a case, with a message, or with the digest of its outputs if it passed."""
    import anydim

    digest = hashlib.sha256()
    try:
        session = anydim.InferenceSession(model, sequences=sequences_of(case))
        for inputs, outputs in case.data_sets:
            names = [value.name for value in case.model.graph.input]
            feeds = {n: to_numpy(v) for n, v in zip(names, inputs, strict=False) if v is not None}
            got = session.run(None, feeds)
            for value in got:
                digest.update(bits_of(value))
            if problem := difference([to_numpy(value) for value in outputs], got, case):
                return WRONG, problem
    except anydim.UnimplementedError as failure:
        return UNIMPLEMENTED, str(failure)[:400]
    except Exception as failure:
        return WRONG, f"{type(failure).__name__}: {failure}"[:400]
    return PASSED, digest.hexdigest()[:16]


def run_case(case: Any) -> Outcome:
    name = operator(case)
    verdict, message = verdict_of(case, case.model.SerializeToString())
    if verdict != PASSED:
        return Outcome(case.name, name, verdict, message)
    digest = message
    dynamic, message = verdict_of(case, with_dynamic_dims(case))
    if dynamic == WRONG:
        return Outcome(case.name, name, WRONG, f"with every dim dynamic: {message}", dynamic)
    return Outcome(case.name, name, PASSED, "", dynamic, digest)


# -- worker processes: one line "begin CASE" before a case, one JSON line after it -----------------------------------
# A server makes the cases and forks supervisors, which fork workers. None of the first two has threads or the library.


def work(cases: list[Any], pipe: int) -> None:
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silence, stream)
    with os.fdopen(pipe, "w", encoding="utf-8") as to:
        for case in cases:
            print(f"begin {case.name}", file=to, flush=True)
            print(json.dumps(asdict(run_case(case))), file=to, flush=True)


def lines_of(pipe: int) -> Iterator[str | None]:
    """What comes through the pipe, line by line; None where nothing came for too long."""
    rest = b""
    while True:
        if not select.select([pipe], [], [], HANG_SECONDS)[0]:
            yield None
            return
        if not (more := os.read(pipe, 1 << 16)):
            return
        *lines, rest = (rest + more).split(b"\n")
        yield from (line.decode() for line in lines)


def supervise(cases: list[Any]) -> list[Outcome]:
    """Runs the cases in worker processes, a new one whenever one dies."""
    outcomes: list[Outcome] = []
    pending = {case.name: case for case in cases}
    while pending:
        reading, writing = os.pipe()
        worker = os.fork()
        if worker == 0:
            os.close(reading)
            work(list(pending.values()), writing)
            os._exit(0)
        os.close(writing)
        current, hangs = next(iter(pending)), False
        for line in lines_of(reading):
            if line is None:
                hangs = True
                os.kill(worker, signal.SIGKILL)
            elif line.startswith("begin "):
                current = line.removeprefix("begin ")
            else:
                outcomes.append(Outcome(**json.loads(line)))
                del pending[outcomes[-1].case]
        os.close(reading)
        status = os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])
        if pending:
            case = pending.pop(current)
            why = f"hangs: no answer in {HANG_SECONDS} s" if hangs else f"crash, status {status}"
            outcomes.append(Outcome(case.name, operator(case), WRONG, why))
    return outcomes


def in_supervisor(cases: list[Any], environment: dict[str, str], result: Path) -> None:
    os.environ.update(environment)  # the library reads it once, in the worker
    result.write_text(json.dumps([asdict(outcome) for outcome in supervise(cases)]), encoding="utf-8")


def serve(part: str, processes: int, environments: list[dict[str, str]]) -> Iterator[list[Outcome]]:
    """By environment the outcomes of all cases whose name contains this."""
    from onnx.backend.test.runner import Runner  # noqa: F401  (once, not in each worker)

    cases = [case for case in collect() if part in case.name]
    for environment in environments:
        with tempfile.TemporaryDirectory() as folder:
            results = [Path(folder) / str(i) for i in range(processes)]
            forking = multiprocessing.get_context("fork")
            supervisors = [
                forking.Process(target=in_supervisor, args=(cases[i::processes], environment, result))
                for i, result in enumerate(results)
            ]
            for supervisor in supervisors:
                supervisor.start()
            for supervisor in supervisors:
                supervisor.join()
            outcomes = [Outcome(**o) for result in results for o in json.loads(result.read_text(encoding="utf-8"))]
        assert sorted(o.case for o in outcomes) == [case.name for case in cases]
        yield sorted(outcomes, key=lambda outcome: outcome.case)


def run_all(part: str, processes: int, environments: Sequence[dict[str, str]] = ({},)) -> list[list[Outcome]]:
    """As serve(), for a process that has threads, or the library."""
    done = subprocess.run(
        [sys.executable, __file__, "--server"],
        input=json.dumps([part, processes, list(environments)]),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [[Outcome(**outcome) for outcome in json.loads(line)] for line in done.stdout.splitlines()]


# -- the committed list of cases that pass ---------------------------------------------------------------------------

HEAD = """\
# Node cases of the onnx package that pass, each with its verdict when every dim is dynamic: a case is never lost in silence.
# test_node_cases.py compares. Written by: python tests/conformance/node_cases.py --renew
"""


def passing(outcomes: list[Outcome]) -> dict[str, str]:
    """Of each case that passes the verdict with every dim dynamic."""
    return {outcome.case: outcome.dynamic for outcome in outcomes if outcome.verdict == PASSED}


def read_passing() -> dict[str, str]:
    lines = (line.split() for line in PASSING.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return {case: verdict for case, verdict in lines}


def write_passing(outcomes: list[Outcome]) -> None:
    lines = [f"{case} {verdict}\n" for case, verdict in sorted(passing(outcomes).items())]
    PASSING.write_text(HEAD + "".join(lines), encoding="utf-8")


def lost_and_gained(expected: dict[str, str], found: dict[str, str]) -> tuple[list[str], list[str]]:
    """What passed and does not any more, and what passes and is not in the list, each as a line."""
    lost = [
        f"{case}: {'does not pass any more' if case not in found else f'with dynamic dims {verdict}, now {found[case]}'}"
        for case, verdict in sorted(expected.items())
        if case not in found or (verdict == PASSED and found[case] != PASSED)
    ]
    gained = [
        case
        for case, verdict in sorted(found.items())
        if case not in expected or (verdict == PASSED and expected[case] != PASSED)
    ]
    return lost, gained


# -- reading the result ----------------------------------------------------------------------------------------------


def table(outcomes: list[Outcome]) -> str:
    """Per operator how many cases passed, are unimplemented, are wrong."""
    counts: dict[str, Counter[str]] = {}
    for outcome in outcomes:
        counts.setdefault(outcome.operator, Counter())[outcome.verdict] += 1
    lines = [f"{'operator':<28}{PASSED:>8}{UNIMPLEMENTED:>15}{WRONG:>7}"]
    for name in sorted(counts):
        count = counts[name]
        lines.append(f"{name:<28}{count[PASSED]:>8}{count[UNIMPLEMENTED]:>15}{count[WRONG]:>7}")
    return "\n".join(lines)


def summary(outcomes: list[Outcome]) -> str:
    count = Counter(outcome.verdict for outcome in outcomes)
    dynamic = sum(outcome.dynamic == PASSED for outcome in outcomes)
    return (
        f"ONNX node cases: {count[PASSED]} passed, {count[UNIMPLEMENTED]} unimplemented, {count[WRONG]} wrong; "
        f"{dynamic} of those that passed also do with every dim dynamic; "
        f"{len(NON_DETERMINISTIC)} non-deterministic ones are left out by name"
    )


def write(outcomes: list[Outcome]) -> None:
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps([asdict(outcome) for outcome in outcomes], indent=1), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", default="", help="only cases whose name contains this")
    parser.add_argument("--renew", action="store_true", help=f"write {PASSING.name} from what passes now")
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--server", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.renew and options.part:
        parser.error("--renew runs all cases; leave the name out")
    if options.server:
        for outcomes in serve(*json.load(sys.stdin)):
            print(json.dumps([asdict(outcome) for outcome in outcomes]), flush=True)
        return 0
    (outcomes,) = run_all(options.part, options.processes)
    for outcome in outcomes:
        if outcome.verdict == WRONG or options.part:
            print(f"{outcome.verdict:<14} {outcome.case}: {outcome.message}")
    if not options.part:
        write(outcomes)
        print(table(outcomes))
        if options.renew:
            for case in lost_and_gained(read_passing() if PASSING.exists() else {}, passing(outcomes))[0]:
                print(f"leaves the list: {case}")
            write_passing(outcomes)
    print(summary(outcomes))
    return 1 if any(outcome.verdict == WRONG for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
