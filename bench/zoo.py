# SPDX-License-Identifier: Apache-2.0
"""A zoo of networks that nobody here tuned for, beside ONNX Runtime and OpenVINO: architectures of all kinds that are exported here
with dynamic dims and random weights (bench/architectures), and models out of public packages (bench/public_models.py).

  bench/zoo.py                              all of them at 1 and 2 threads; then the nodes to blame for the worst lines
  bench/zoo.py --list                       what there is
  bench/zoo.py --loads                      only loads them, and says which are refused and why
  bench/zoo.py --only bert unet             those whose names hold one of these words
  bench/zoo.py --order shrinking            the largest shape first; or mixed
  bench/zoo.py --no-huge-pages              switched off in every process that is measured
  bench/zoo.py --resume FILE --minutes 5    lines are kept in FILE; the next call goes on after them, and the last writes the result
  bench/zoo.py --profile swin               where one model's time goes, beside ONNX Runtime's
  bench/zoo.py --page RESULT.json           docs/performance.md, again from a summary; what --only measured again may follow it

Each engine runs each model in a fresh process of its own, without bounds: two calls at a small shape, then several at each of
the others. `first` is the sum of the first calls at those shapes, memory growth included; `later` the sum of the medians of
the later ones. Of several rounds the medians count, shape by shape. A ratio is our time over the faster peer's: below
1 we are faster; the worst stand first.

`difference` is the largest one of our outputs from ONNX Runtime's (OpenVINO's where that refuses the model), relative to the
output's largest magnitude; of outputs that are integers or booleans it is the share that differs. A result that is off by more
than 0.01 is called wrong and its times do not count. What Anydim refuses is listed with its reason.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import machine
import pages
import summary
import zoo_figures
from architectures.catalogue import CATALOGUE
from engines import ENGINES
from public_models import PUBLIC, path_of
from stream_worker import Task, measure
from zoo_figures import WRONG

if TYPE_CHECKING:  # numpy comes with .venv; --help does without
    import numpy as np

ROOT = Path(__file__).resolve().parent.parent
DEBIAN_PYTHON = "/usr/bin/python3"  # the one that Debian's torch is for
LEAST_MS = 30.0  # that a shape's later calls take together, at least


ORDERS = ("growing", "shrinking", "mixed")


@dataclass(frozen=True)
class Item:
    name: str
    what: str
    kind: str
    stream: tuple[Any, ...]


ITEMS = [
    *(Item(a.name, a.what, a.module.replace("_", " "), a.stream) for a in CATALOGUE),
    *(Item(p.model.name, p.model.what, "public", p.stream) for p in PUBLIC),
]


def ordered(item: Item, order: str) -> list[Any]:
    """Its shapes; those of the catalogue grow."""
    stream = list(item.stream)
    if order == "shrinking":
        stream.reverse()
    elif order == "mixed":
        Random(item.name).shuffle(stream)
    return stream


def paths_of(items: list[Item], folder: Path) -> dict[str, Path]:
    """Where the models are; exports and fetches what is missing. Those that are not available are left out."""
    wanted = {item.name for item in items}
    paths: dict[str, Path] = {}
    made = [a.name for a in CATALOGUE if a.name in wanted]
    if made:
        exporter = ROOT / "bench" / "architectures" / "export.py"
        subprocess.run([DEBIAN_PYTHON, str(exporter), str(folder / "made"), *made], check=False)
        paths |= {name: folder / "made" / f"{name}.onnx" for name in made}
    for entry in PUBLIC:
        if entry.model.name in wanted:
            paths[entry.model.name] = path_of(entry, folder / "public")
    return {name: path for name, path in paths.items() if path.exists()}


def difference(ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray]) -> float:
    import numpy as np

    worst = 0.0
    for name, expected in theirs.items():
        found = ours.get(name)
        if found is None or found.shape != expected.shape:
            return float("inf")
        if not expected.size:
            continue
        if expected.dtype.kind in "biu":
            worst = max(worst, float(np.mean(found != expected)))
            continue
        a, b = found.astype(np.float64), expected.astype(np.float64)
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        finite = np.abs(b[np.isfinite(b)])
        largest = max(
            float(finite.max()) if finite.size else 0.0, 1e-3
        )  # a text detector's map of noise is next to nothing
        gap = float(np.where(same, 0.0, np.abs(a - b)).max())
        worst = max(worst, gap / largest if gap == gap else float("inf"))
    return worst


def reason(failure: Exception) -> str:
    """What an engine said when it refused, in a line."""
    lines = [line.strip() for line in str(failure).splitlines() if line.strip()]
    return re.sub(r"^[\w.]+Error: ", "", lines[-1])[:300] if lines else type(failure).__name__


def load_all(items: list[Item], paths: dict[str, Path]) -> int:
    """Loads each once and says what is refused, and how long saying so took; how many there are."""
    import anydim

    refused = 0
    for item in items:
        begin = time.perf_counter()
        if item.name not in paths:
            print(f"{item.name:24s}was not to be had")
            continue
        try:
            anydim.InferenceSession(paths[item.name], threads=1, contexts=1)
        except anydim.Error as failure:
            refused += 1
            print(f"{item.name:24s}{(time.perf_counter() - begin) * 1e3:8.1f} ms  {failure}", flush=True)
    print(f"zoo: {refused} of {len(paths)} networks are refused")
    return refused


def measure_model(item: Item, path: Path, threads: int, options: argparse.Namespace) -> dict[str, Any]:
    """A model's line: per engine its figures or why it refused; the difference of outputs; the samples."""
    import numpy as np

    runs: dict[str, list[dict[str, Any]]] = {engine: [] for engine in ENGINES}
    refused: dict[str, str] = {}
    found: dict[str, dict[str, np.ndarray]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(options.rounds):
            order = list(ENGINES)[turn % len(ENGINES) :] + list(ENGINES)[: turn % len(ENGINES)]
            for engine in order:
                if engine in refused or (engine != "anydim" and "anydim" in refused):
                    continue
                keep = "" if turn else f"{folder}/{engine}.npz"
                stream = ordered(item, options.order)
                task = Task(engine, item.name, str(path), threads, stream, LEAST_MS, keep, not options.no_huge_pages)
                try:
                    runs[engine].append(asdict(measure(task)))
                except RuntimeError as failure:
                    refused[engine] = reason(failure)
                    continue
                if keep:
                    with np.load(keep) as outputs:
                        found[engine] = dict(outputs)
    judge = next((engine for engine in ("onnxruntime", "openvino") if engine in found), None)
    return {
        "name": item.name,
        "kind": item.kind,
        "threads": threads,
        "shapes": max((len(r[0]["first_ms"]) for r in runs.values() if r), default=0),
        **{e: zoo_figures.of_engine(r) if r and e not in refused else {"refused": refused.get(e, "not asked")} for e, r in runs.items()},
        "difference": difference(found["anydim"], found[judge]) if judge and "anydim" in found else None,
        "runs": runs,
    }  # fmt: skip


def blame(item: Item, path: Path, threads: int, most: int) -> list[dict[str, Any]]:
    """The stretches of a model that cost us more than ONNX Runtime, at the largest of its shapes."""
    from node_times import compare

    def volume(element: Any) -> int:
        product = 1
        for dim in element.values() if isinstance(element, dict) else element:
            product *= dim
        return product

    found = compare(item.name, path, threads, max(item.stream, key=volume))
    return [asdict(s) for s in found[:most] if s.more_us > 0]


def settings(host: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    """What lines must share to stand in one result."""
    return {
        "commit": host["commit"],
        "cpu": host["cpu"]["model"],
        "rounds": options.rounds,
        "order": options.order,
        "huge_pages": not options.no_huge_pages,
    }


def kept_lines(path: Path | None, shared: dict[str, Any]) -> list[dict[str, Any]]:
    """The lines of an earlier call; a new file begins with the settings. A line that was cut off is measured again."""
    if path is None:
        return []
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(shared) + "\n", encoding="utf-8")
        return []
    complete, _, cut = path.read_text(encoding="utf-8").rpartition("\n")
    first, *rows = [json.loads(text) for text in complete.splitlines()] or [None]
    if first != shared:
        raise SystemExit(f"zoo: {path} has lines of {first}, and this run would be {shared}; name another file")
    if cut:
        path.write_text(complete + "\n", encoding="utf-8")
    return rows


def keep_line(path: Path | None, row: dict[str, Any]) -> None:
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def told(node: dict[str, Any]) -> str:
    more = node["anydim_us"] - node["onnxruntime_us"]
    return (
        f"{more:10.0f} us more ({node['anydim_us']:.0f} / {node['onnxruntime_us']:.0f})  {node['node']}: "
        f"{node['anydim']} / {node['onnxruntime']}"
    )


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    parser.add_argument("--rounds", type=int, default=1, help="fresh processes per engine and model (default 1)")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--order", choices=ORDERS, default="growing", help="of each network's shapes (default growing)")
    parser.add_argument("--no-huge-pages", action="store_true", help="switched off in the processes that are measured")
    parser.add_argument(
        "--resume", type=Path, metavar="FILE", help="of lines: those in it are not measured again, new ones are added"
    )
    parser.add_argument("--minutes", type=float, default=float("inf"), help="with --resume: begins no line after these")
    parser.add_argument("--worst", type=int, default=10, help="lines whose nodes are named (default 10)")
    parser.add_argument("--loads", action="store_true", help="loads them and measures nothing")
    parser.add_argument("--list", action="store_true", help="the models, without running them")
    parser.add_argument("--profile", metavar="MODEL", help="its nodes beside ONNX Runtime's")
    parser.add_argument(
        "--page",
        type=Path,
        nargs="+",
        metavar="RESULT",
        help="write docs/performance.md from this summary; lines of further ones, of networks that were measured again, replace its own",
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "zoo", help="of the models")
    parser.add_argument("--out", type=Path, help="result file; default: a new one in bench/results/")
    options = parser.parse_args()
    if options.minutes != float("inf") and options.resume is None:
        parser.error("--minutes needs --resume")
    return options


def main() -> int:
    options = parse()
    if options.page:
        page = ROOT / "docs" / "performance.md"
        documents = [json.loads(result.read_text(encoding="utf-8")) for result in options.page]
        page.write_text(
            zoo_figures.page(documents, [result.resolve().name for result in options.page]), encoding="utf-8"
        )
        print(f"zoo: written to {page}")
        return 0
    words = [options.profile] if options.profile else options.only
    chosen = [item for item in ITEMS if not words or any(word in item.name for word in words)]
    if options.list:
        for item in chosen:
            print(f"{item.name:24s}{item.kind:22s}{len(item.stream)} shapes  {item.what}")
        return 0
    paths = paths_of(chosen, options.folder)
    if options.loads:
        return 1 if load_all(chosen, paths) else 0
    if options.profile:
        chosen = [item for item in chosen if item.name == options.profile] or chosen
        for item in chosen[:1]:
            for threads in options.threads:
                print(f"{item.name}, {threads} thread(s): microseconds a run, Anydim's / ONNX Runtime's")
                for node in blame(item, paths[item.name], threads, 40):
                    print(told(node))
        return 0

    begin = time.monotonic()
    host = machine.describe()
    print(f"zoo: {len(chosen)} models, {host['cpu']['model']}, {host['cpu']['cores']} cores, commit {host['commit']}")
    if not options.only:
        machine.touch_memory()
    memory = pages.measured(not options.no_huge_pages)
    print(f"zoo: {pages.told(memory)}")
    wanted = [(threads, item) for threads in options.threads for item in chosen if item.name in paths]
    keys = {(item.name, threads) for threads, item in wanted}
    rows = [row for row in kept_lines(options.resume, settings(host, options)) if (row["name"], row["threads"]) in keys]
    left = [
        (threads, item)
        for threads, item in wanted
        if (item.name, threads) not in {(r["name"], r["threads"]) for r in rows}
    ]
    try:
        for count, (threads, item) in enumerate(left):
            if time.monotonic() - begin > 60 * options.minutes:
                print(
                    f"zoo: {len(left) - count} of {len(wanted)} lines are left; call it again with --resume {options.resume}"
                )
                return 0
            rows.append(measure_model(item, paths[item.name], threads, options))
            keep_line(options.resume, rows[-1])
            print(zoo_figures.line(rows[-1]), flush=True)
    except KeyboardInterrupt:
        print("zoo: stopped; what follows is of what was measured until now")
    rows.sort(key=zoo_figures.badness)
    print(f"\nzoo: the worst first\n{zoo_figures.HEADER}")
    for row in rows:
        print(zoo_figures.line(row))
    blamed = []
    by_name = {item.name: item for item in chosen}
    for row in [row for row in rows if zoo_figures.counts(row)][: options.worst]:
        if zoo_figures.ratio(row, "later_ms") <= 1 or "later_ms" not in row["onnxruntime"]:
            continue
        nodes = blame(by_name[row["name"]], paths[row["name"]], row["threads"], 4)
        blamed.append({"name": row["name"], "threads": row["threads"], "nodes": nodes})
        print(
            f"\n{row['name']}, {row['threads']} thread(s): {zoo_figures.ratio(row, 'later_ms'):.2f} of the faster peer's time"
        )
        for node in nodes:
            print(told(node))
    means = zoo_figures.means(rows)
    print()
    for text in zoo_figures.mean_lines(means) + zoo_figures.growth_lines(rows):
        print(f"zoo: {text}")
    document = {
        "kind": "zoo",
        "machine": host,
        "memory": memory,
        "order": options.order,
        "versions": {e: next((r["runs"][e][0]["version"] for r in rows if r["runs"][e]), "") for e in ENGINES},
        "rounds": options.rounds,
        "threads": options.threads,
        "lacking": sorted(item.name for item in chosen if item.name not in paths),
        "means": means,
        "models": rows,
        "blamed": blamed,
    }
    out = summary.write(document, f"zoo-{host['when'].replace(':', '')}-{host['commit']}", options.out)
    wrong = [row for row in rows if row["difference"] is not None and row["difference"] > WRONG]
    print(f"zoo: {time.monotonic() - begin:.0f} s; written to {out}; {len(wrong)} wrong results")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
