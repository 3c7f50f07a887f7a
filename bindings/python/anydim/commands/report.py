# SPDX-License-Identifier: Apache-2.0
"""What `anydim bench` shows: tables of text, and a page of HTML with plots as SVG, which needs no script and no network."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from .engines import TITLES

COLOURS = {"anydim": "#c8602b", "onnxruntime": "#33658a", "openvino": "#5b8c3a"}


def table(rows: list[list[str]]) -> str:
    """Columns as wide as their widest cell; all but the first to the right."""
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def ms(value: float) -> str:
    """Milliseconds with three digits that mean something."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def heading(whole: dict[str, Any]) -> str:
    """The circumstances, in one or two lines."""
    host = whole["machine"]
    threads = f"{whole['threads']} threads" if whole["threads"] else "threads: all cores"
    text = (
        f"{host['cpu']}, {host['cores']} cores; {threads}, {whole['callers']} caller{'s' if whole['callers'] > 1 else ''}, "
        f"{whole['rounds']} rounds of fresh processes; seed {whole['seed']}"
    )
    if host["load"] > 0.5 * host["cores"]:
        text += f"\nnote: the machine is busy (load {host['load']}); compare figures of one line only"
    return text


def what_stream(result: dict[str, Any]) -> str:
    """How many shapes, and which, in a few words."""
    listed = result["shapes"]
    text = f"{len(listed)} shape{'s' if len(listed) > 1 else ''}, {listed[0]}" + (
        f" to {listed[-1]}" if len(listed) > 1 else ""
    )
    if "found_by_trial" in result:
        text += "; drawn" + (f": {result['found_by_trial']} (found by trial)" if result["found_by_trial"] else "")
    return text


def model_text(result: dict[str, Any], callers: int, rounds: int) -> str:
    """The table of one model."""
    rows = [
        ["engine", "version", "load ms", "first ms", "later ms", "+-", "first/later", "p50", "p90", "p99", "calls/s"]
    ]
    for engine, f in result["engines"].items():
        percentiles = f["percentiles_ms"]
        rows.append([
            TITLES[engine], f["version"], ms(f["load_ms"]), ms(f["first_sum_ms"]), ms(f["later_sum_ms"]),
            f"{100 * f['later_spread']:.0f} %" if rounds > 1 else "-",
            f"{f['first_over_later']:.2f}", ms(percentiles["50"]), ms(percentiles["90"]), ms(percentiles["99"]),
            f"{f['calls_per_second']:.1f}",
        ])  # fmt: skip
    what = "first and later are sums over the stream"
    if result["first_call_of_process"]:
        what = "one shape: its first call is the first of its process"
    if callers > 1:
        what += f"; later calls, percentiles and calls/s with {callers} callers"
    return f"\n{result['model']}: {what_stream(result)}\n{table(rows)}\n({what})"


def summary_text(whole: dict[str, Any]) -> str:
    """One line per model: the sums of first and of later calls of each engine."""
    engines = list(whole["models"][0]["engines"])
    rows = [["first / later, ms", *(f"{TITLES[e]} {whole['models'][0]['engines'][e]['version']}" for e in engines)]]
    for result in whole["models"]:
        cells = [f"{ms(f['first_sum_ms'])} / {ms(f['later_sum_ms'])}" for f in result["engines"].values()]
        rows.append([f"{Path(result['model']).stem}, {len(result['shapes'])} shapes", *cells])
    return "\n" + table(rows)


# -- the page -------------------------------------------------------------------------------------------------------------------------

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 860, 300, 64, 14, 34


def _steps(most: float) -> list[float]:
    """Round numbers for an axis from 0."""
    step = 10.0 ** len(str(int(most))) / 100 if most >= 1 else 0.01
    for factor in (1, 2, 5, 10, 20, 50, 100, 200, 500):
        if most / (step * factor) <= 6:
            step *= factor
            break
    return [step * i for i in range(int(most / step) + 2)]


def plot(result: dict[str, Any]) -> str:
    """Times of first (points) and later calls (lines) at each shape, from the smallest to the largest."""
    engines = result["engines"]
    order = sorted(range(len(result["shapes"])), key=lambda i: next(iter(engines.values()))["later_ms"][i])
    top: float = max(max(f["first_ms"] + f["later_ms"]) for f in engines.values()) * 1.04
    width = _WIDTH - _LEFT - 16

    def x(place: int) -> float:
        return _LEFT + width * (place + 0.5) / len(order)

    def y(value: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - value / top)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" role="img">']
    parts.append(f"<title>{escape(Path(result['model']).name)}: first and later calls by shape</title>")
    for value in _steps(top):
        if value > top:
            break
        at = y(value)
        parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH - 16}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{value:g}</text>')
    parts.append(
        f'<text x="{_LEFT}" y="{_HEIGHT - 8}">shapes by size; milliseconds; circles: first calls, lines: later calls</text>'
    )
    for engine, f in engines.items():
        colour = COLOURS[engine]
        points = " ".join(f"{x(place):.1f},{y(f['later_ms'][i]):.1f}" for place, i in enumerate(order))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
        for place, i in enumerate(order):
            words = f"{TITLES[engine]}, {result['shapes'][i]}: first {ms(f['first_ms'][i])} ms, later {ms(f['later_ms'][i])} ms"
            parts.append(
                f'<circle cx="{x(place):.1f}" cy="{y(f["first_ms"][i]):.1f}" r="3.6" fill="{colour}" fill-opacity=".75">'
                f"<title>{escape(words)}</title></circle>"
            )
            parts.append(f'<circle cx="{x(place):.1f}" cy="{y(f["later_ms"][i]):.1f}" r="1.8" fill="{colour}"/>')
    return "\n".join([*parts, "</svg>"])


def _html_table(rows: list[list[str]]) -> str:
    head, *body = rows
    lines = ["<table><tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in body]
    return "\n".join([*lines, "</table>"])


def page(whole: dict[str, Any]) -> str:
    """The report as one file."""
    parts = []
    for result in whole["models"]:
        rows = [["", "load ms", "first ms", "later ms", "first / later", "p50", "p90", "p95", "p99", "calls/s"]]
        for engine, f in result["engines"].items():
            p = f["percentiles_ms"]
            rows.append([
                f"{TITLES[engine]} {f['version']}", ms(f["load_ms"]), ms(f["first_sum_ms"]), ms(f["later_sum_ms"]),
                f"{f['first_over_later']:.2f}", ms(p["50"]), ms(p["90"]), ms(p["95"]), ms(p["99"]), f"{f['calls_per_second']:.1f}",
            ])  # fmt: skip
        legend = " ".join(f'<span style="color:{COLOURS[e]}">&#9632; {TITLES[e]}</span>' for e in result["engines"])
        shown = [["shape", *(f"{TITLES[e]}, first / later ms" for e in result["engines"])]]
        for i, shape in enumerate(result["shapes"]):
            shown.append(
                [shape, *(f"{ms(f['first_ms'][i])} / {ms(f['later_ms'][i])}" for f in result["engines"].values())]
            )
        parts.append(
            f"<h2>{escape(result['model'])}</h2>\n<p>{escape(what_stream(result))}</p>\n{_html_table(rows)}\n<p>{legend}</p>\n"
            f"{plot(result)}\n<details><summary>every shape</summary>\n{_html_table(shown)}\n</details>"
        )
    body = "\n".join(parts)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>anydim bench</title>
<style>
body{{font:15px sans-serif;margin:32px;color:#222;max-width:900px}}
svg{{max-width:100%;height:auto}} svg text{{font:11px sans-serif;fill:#555}}
table{{border-collapse:collapse;margin:12px 0}} td,th{{padding:3px 10px;border-bottom:1px solid #ddd;text-align:right}}
td:first-child,th:first-child{{text-align:left}}
</style></head><body>
<h1>anydim bench</h1>
<p>{escape(heading(whole))}. Times are medians over rounds; first and later are sums over the shapes of a stream.</p>
{body}
</body></html>
"""
