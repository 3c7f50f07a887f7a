# SPDX-License-Identifier: Apache-2.0
"""From the samples of bench/zoo.py to its figures, lines and page (docs/performance.md). Pure functions; nothing is measured here."""

from __future__ import annotations

import math
from statistics import median, stdev
from typing import Any

PEERS = ("onnxruntime", "openvino")
NAMES = {"anydim": "Anydim", "onnxruntime": "ONNX Runtime", "openvino": "OpenVINO"}
WRONG = 0.01  # of outputs; float32 in another order of sums differs by a hundredth of it
SMALL_MS = 1.0  # a shape's later call below this is a small network's, whose first calls are a matter of microseconds
TARGET = 0.8  # of the faster peer's speed: lines below are bad ones


def of_engine(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Sums over shapes of the medians over rounds, in ms."""
    shapes = range(len(runs[0]["first_ms"]))
    first = [median(run["first_ms"][i] for run in runs) for i in shapes]
    later = [median(run["later_ms"][i] for run in runs) for i in shapes]
    return {
        "first_ms": sum(first),
        "later_ms": sum(later),
        "growth": geometric_mean([median(run["first_ms"][i] / run["later_ms"][i] for run in runs) for i in shapes]),
        "load_ms": median(run["load_ms"] for run in runs),
        "peak_mib": median(run["peak"] for run in runs) / 2**20,
    }


def geometric_mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def counts(row: dict[str, Any]) -> bool:
    """Whether a line's times count: a result, and a right one, beside a peer's."""
    if "refused" in row["anydim"] or row["difference"] is None:
        return False
    return bool(row["difference"] <= WRONG)


def ratio(row: dict[str, Any], figure: str) -> float:
    """Ours over the faster peer's."""
    return float(row["anydim"][figure] / min(row[peer][figure] for peer in PEERS if figure in row[peer]))


def badness(row: dict[str, Any]) -> tuple[int, float]:
    """Sorts lines: wrong results, what is refused, then the slowest beside the faster peer."""
    if "refused" in row["anydim"]:
        return 1, 0.0
    if not counts(row):
        return 0, 0.0
    return 2, -ratio(row, "later_ms")


def small(row: dict[str, Any]) -> bool:
    later = min(row[engine]["later_ms"] for engine in NAMES if "later_ms" in row[engine])
    return bool(later / row["shapes"] < SMALL_MS)


def means(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Per number of threads and size of network: geometric means over models."""
    found = []
    for threads in sorted({row["threads"] for row in rows}):
        for size in ("large", "small"):
            group = [r for r in rows if r["threads"] == threads and counts(r) and small(r) == (size == "small")]
            if not group:
                continue
            mean: dict[str, Any] = {
                "threads": threads,
                "size": size,
                "models": len(group),
                "later": geometric_mean([ratio(row, "later_ms") for row in group]),
                "first": geometric_mean([ratio(row, "first_ms") for row in group]),
                "load": geometric_mean([ratio(row, "load_ms") for row in group]),
                "peak": geometric_mean([ratio(row, "peak_mib") for row in group]),
                "bad": sum(ratio(row, "later_ms") > 1 / TARGET for row in group),
            }
            for peer in PEERS:
                both = [row for row in group if "later_ms" in row[peer]]
                mean[peer] = geometric_mean([row["anydim"]["later_ms"] / row[peer]["later_ms"] for row in both])
            for engine in NAMES:
                mean[f"growth_{engine}"] = geometric_mean([r[engine]["growth"] for r in group if "growth" in r[engine]])
            found.append(mean)
    return found


def with_interval(values: list[float]) -> str:
    """Geometric mean and its 95 % interval, from the logarithms' standard error."""
    logs = [math.log(value) for value in values]
    half = 1.96 * stdev(logs) / math.sqrt(len(logs)) if len(logs) > 1 else 0.0
    mean = sum(logs) / len(logs)
    return f"{math.exp(mean):.3f} ({math.exp(mean - half):.3f} to {math.exp(mean + half):.3f})"


def growth_lines(rows: list[dict[str, Any]]) -> list[str]:
    """Per number of threads: first / later beside ONNX Runtime's, and our first calls beside the faster peer's later ones."""
    lines = []
    for threads in sorted({row["threads"] for row in rows}):
        group = [r for r in rows if r["threads"] == threads and counts(r) and "growth" in r["onnxruntime"]]
        if not group:
            continue
        ours = with_interval([row["anydim"]["growth"] / row["onnxruntime"]["growth"] for row in group])
        steady = with_interval(
            [
                min(row[p]["later_ms"] for p in PEERS if "later_ms" in row[p]) / row["anydim"]["first_ms"]
                for row in group
            ]
        )
        worst = max(group, key=lambda row: row["anydim"]["peak_mib"] / row["onnxruntime"]["peak_mib"])
        lines.append(
            f"{len(group)} networks, {threads} thread(s): first/later over ONNX Runtime's {ours}; speed of first calls over the "
            f"faster peer's later ones {steady}; peak over ONNX Runtime's at most "
            f"{worst['anydim']['peak_mib'] / worst['onnxruntime']['peak_mib']:.2f} ({worst['name']})"
        )
    return lines


def size_of(mean: dict[str, Any]) -> str:
    return f"{SMALL_MS:g} ms and more" if mean["size"] == "large" else f"below {SMALL_MS:g} ms"


def mean_lines(found: list[dict[str, Any]]) -> list[str]:
    return [
        f"{m['models']} networks of {size_of(m)}, {m['threads']} thread(s): later calls {m['later']:.2f} of the faster peer's time "
        f"({m['onnxruntime']:.2f} of ONNX Runtime's, {m['openvino']:.2f} of OpenVINO's), first calls {m['first']:.2f}, "
        f"load {m['load']:.2f}, memory {m['peak']:.2f}; first/later {m['growth_anydim']:.2f} "
        f"(ONNX Runtime {m['growth_onnxruntime']:.2f}, OpenVINO {m['growth_openvino']:.2f}); {m['bad']} below {TARGET:g} of its speed"
        for m in found
    ]


HEADER = (
    f"{'model':<24}{'thr':>3} {'/best':>6} {'first':>6}  {'Anydim later, first':>21} {'ONNX Runtime':>21} {'OpenVINO':>21}"
    f" {'load, ms':>17} {'peak, MiB':>14} {'difference':>10}"
)


def line(row: dict[str, Any]) -> str:
    start = f"{row['name']:<24}{row['threads']:>3}"
    if "refused" in row["anydim"]:
        return f"{start} refused: {row['anydim']['refused']}"
    cells = []
    for engine in NAMES:
        f = row[engine]
        cells.append(f"{f['later_ms']:10.2f} {f['first_ms']:10.2f}" if "later_ms" in f else f"{'refused':>21}")
    loads = "/".join(f"{row[e]['load_ms']:.0f}" if "load_ms" in row[e] else "-" for e in NAMES)
    peaks = "/".join(f"{row[e]['peak_mib']:.0f}" if "peak_mib" in row[e] else "-" for e in NAMES)
    if row["difference"] is None:
        ratios, off = f"{'':>13}", "unknown"
    else:
        ratios = f"{ratio(row, 'later_ms'):6.2f} {ratio(row, 'first_ms'):6.2f}"
        off = f"{row['difference']:.1e}" + (" WRONG" if row["difference"] > WRONG else "")
    return f"{start} {ratios}  {' '.join(cells)} {loads:>17} {peaks:>14} {off:>10}"


# -- the page ---------------------------------------------------------------------------------------------------------


def table(rows: list[dict[str, Any]]) -> list[str]:
    lines = [
        "| network | later / faster peer | first / faster peer | Anydim later, ms | ONNX Runtime | OpenVINO "
        "| first | ONNX Runtime | OpenVINO | load, ms | peak, MiB |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = [row["name"], f"{ratio(row, 'later_ms'):.2f}", f"{ratio(row, 'first_ms'):.2f}"]
        for figure in ("later_ms", "first_ms"):
            cells += [f"{row[e][figure]:.2f}" if figure in row[e] else "-" for e in NAMES]
        for figure in ("load_ms", "peak_mib"):
            cells.append(" / ".join(f"{row[e][figure]:.0f}" if figure in row[e] else "-" for e in NAMES))
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def wrapped(text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(text, 118, break_long_words=False, break_on_hyphens=False)


def joined(documents: list[dict[str, Any]]) -> dict[str, Any]:
    """A summary of all networks, and then of some of them that were measured again: the last lines of each count."""
    lines: dict[tuple[str, int], dict[str, Any]] = {}
    blamed: dict[tuple[str, int], dict[str, Any]] = {}
    for document in documents:
        for row in document["models"]:
            lines[row["name"], row["threads"]] = row
            blamed.pop((row["name"], row["threads"]), None)
        blamed |= {(item["name"], item["threads"]): item for item in document["blamed"]}
    rows = list(lines.values())
    worst = sorted(blamed, key=lambda key: badness(lines[key]))[:10]
    return documents[0] | {"models": rows, "means": means(rows), "blamed": [blamed[key] for key in worst]}


def refusals(document: dict[str, Any]) -> dict[tuple[str, int], bool]:
    """By name and threads: whether Anydim refused the network."""
    return {(row["name"], row["threads"]): "refused" in row["anydim"] for row in document["models"]}


def how_often(documents: list[dict[str, Any]], names: list[str]) -> str:
    """How many processes reported it, and where it is written."""
    first, *again = zip(documents, names, strict=True)
    text = f"{first[0]['rounds']} process(es) per engine and network. The result is `bench/results/{first[1]}`."
    before = refusals(first[0])
    for document, name in again:
        found = refusals(document)
        groups: dict[str, set[str]] = {"slow": set(), "refused": set(), "new": set()}
        for key, refused in found.items():
            group = "new" if key not in before else "refused" if before[key] and not refused else "slow"
            groups[group].add(key[0])
        before |= found
        here = document.get("machine", first[0]["machine"])["commit"]
        at = "" if here == first[0]["machine"]["commit"] else f"at commit {here[:7]} "
        words = {
            "slow": "with lines that looked slow",
            "refused": f"that were refused before ({', '.join(sorted(groups['refused']))})",
            "new": "that came later",
        }
        parts = [f"{len(groups[group])} networks {words[group]}" for group in words if groups[group]]
        verb = "were measured again" if not groups["refused"] | groups["new"] else "were measured"
        text += f" {', '.join(parts)} {verb} {at}with {document['rounds']} processes (`{name}`)."
    return text


def page(documents: list[dict[str, Any]], names: list[str]) -> str:
    """docs/performance.md, from a summary and those of networks that were measured again."""
    document = joined(documents)
    rows = sorted(document["models"], key=badness)
    right = [row for row in rows if counts(row)]
    refused = {row["name"]: row["anydim"]["refused"].split("Error: ")[-1] for row in rows if "refused" in row["anydim"]}
    wrong = sorted({row["name"] for row in rows if not counts(row) and "refused" not in row["anydim"]})
    host, versions = document["machine"], document["versions"]
    lines = ["# Speed of more than a hundred networks", ""]
    lines += ["<!-- Written by bench/zoo.py --page; it says what its result says. -->", ""]
    lines += wrapped(
        "Look for a network that is like yours, and compare the first calls if your shapes change. [Tuning for speed](tuning.md) says how "
        "to measure your own model; [Speed](speed.md) has the summary of this page and four models in detail."
    )
    lines.append("")
    lines += wrapped(
        f"`make zoo` runs {len({row['name'] for row in rows})} networks that Anydim was not tuned for: architectures exported by "
        "`bench/architectures/export.py` with dynamic dims and random weights, and models from public packages. Each engine runs each "
        "network in a fresh process, without bounds, at a stream of 2 to 5 shapes, a small one first. *First* is the sum of the first "
        "calls at the others, memory growth included; *later* is the sum of the medians of the later calls there. Ratios are Anydim's time "
        "over that of the faster peer: below 1 Anydim is faster."
    )
    lines.append("")
    lines += wrapped(
        f"Measured on {host['when'][:10]} at commit {host['commit'][:7]} on {host['cpu']['model']}, {host['cpu']['cores']} cores, with ONNX "
        f"Runtime {versions['onnxruntime']} and OpenVINO {versions['openvino']} (f32 hint), {how_often(documents, names)}"
    )
    lines += ["", "## Means", ""]
    for text in mean_lines(document["means"]):
        wrapped_text = wrapped(text)
        lines += [f"- {wrapped_text[0]}", *(f"  {more}" for more in wrapped_text[1:])]
    if wrong:
        lines += [
            "",
            *wrapped("Networks whose outputs differ too much; their times are not counted: " + ", ".join(wrong) + "."),
        ]
    for threads in document["threads"]:
        lines += ["", f"## {threads} thread{'s' if threads > 1 else ''}, the slowest first", ""]
        lines += table([row for row in right if row["threads"] == threads])
    if document["blamed"]:
        lines += ["", "## Where the slowest lines lose time", ""]
        lines += wrapped(
            "At the largest shape, in microseconds per run: parts of the network that take longer in Anydim than in ONNX Runtime, from each "
            "engine's own profile. A part is named by its first node."
        )
        lines += ["", "| network | threads | node | Anydim | ONNX Runtime | ran in Anydim | ran in ONNX Runtime |"]
        lines += ["|---|---|---|---|---|---|---|"]
        for item in document["blamed"]:
            for node in item["nodes"][:3]:
                cells = [item["name"], str(item["threads"]), node["node"], f"{node['anydim_us']:.0f}", f"{node['onnxruntime_us']:.0f}",
                         node["anydim"] or "nothing", node["onnxruntime"] or "nothing"]  # fmt: skip
                lines.append(f"| {' | '.join(cells)} |")
    if refused:
        lines += ["", "## Unsupported networks", ""]
        lines += wrapped("At the commit above; `bench/zoo.py --loads` prints what the library on your machine refuses.")
        lines += ["", "| network | message |", "|---|---|"]
        lines += [f"| {model} | {why} |" for model, why in sorted(refused.items())]
    return "\n".join(lines) + "\n"
