# SPDX-License-Identifier: Apache-2.0
"""Shapes of a model's inputs: read from arguments and files, or drawn from the model's dims, where a few runs find out which of them
the model accepts."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import numpy as np

from ..arrays import Array, numpy_dtype
from ..errors import Error
from ..session import InferenceSession
from . import Failure

Shape = dict[str, list[int]]
MULTIPLES = (1, 2, 4, 8, 16, 32, 64)
_SIZES = (48, 32, 64, 80, 96, 112, 128, 160, 224, 256, 320, 384, 416, 512, 640)  # of images, as networks have them
_MOST_FREE = 6  # dims among which a sum of two others is looked for
_TRIALS = 4  # shapes that have to run before a multiple counts as right
_DIM = re.compile(r"(\d+)(?:\.\.(\d+)(?:/(\d+))?)?")


@dataclass
class Dim:
    """Numbers from `low` to `high` in steps from `low`."""

    low: int
    high: int
    step: int = 1

    def draw(self, numbers: random.Random) -> int:
        """One of its numbers."""
        return numbers.randrange(self.low, self.high + 1, self.step)


@dataclass
class Rule:
    """What shapes are drawn from: ranges of the dims of each input; ranges of dims with one name get one number."""

    count: int
    dims: dict[str, list[Dim]]
    names: dict[str, list[str]] = field(default_factory=dict)
    sums: dict[str, list[str]] = field(
        default_factory=dict
    )  # names of dims that are the sum of others, which are names or numbers

    def draw(self, numbers: random.Random) -> Shape:
        """One shape."""
        named = [
            (name, symbol, dim)
            for name, dims in self.dims.items()
            for symbol, dim in zip(self._symbols(name, dims), dims, strict=True)
        ]
        # What is no range stays as it is, also if the model refuses it, and says what ranges of that name are.
        values = {symbol: dim.low for _, symbol, dim in reversed(named) if dim.low == dim.high}
        for _, symbol, dim in named:
            values.setdefault(symbol, dim.draw(numbers))
        for symbol, parts in self.sums.items():
            values[symbol] = sum(int(part) if part.isdigit() else values[part] for part in parts)
        shape: Shape = {name: [] for name in self.dims}
        for name, symbol, dim in named:
            shape[name].append(dim.low if dim.low == dim.high else values[symbol])
        return shape

    def _symbols(self, name: str, dims: list[Dim]) -> list[str]:
        """The dims' names; one of its own for each where the rank is not the model's."""
        names = self.names.get(name, [])
        return names if len(names) == len(dims) else [f"{name}/{axis}" for axis in range(len(dims))]

    def stream(self, numbers: random.Random) -> list[Shape]:
        """Distinct shapes; fewer than `count` where there are not so many."""
        found: dict[str, Shape] = {}
        for _ in range(50 * self.count):
            if len(found) == self.count:
                break
            shape = self.draw(numbers)
            found.setdefault(text_of(shape), shape)
        return list(found.values())


def text_of(shape: Shape) -> str:
    """As on the command line: x:1,3,48,320 y:5."""
    return " ".join(f"{name}:{','.join(map(str, dims))}" for name, dims in shape.items())


def parse(text: str, count: int, where: str) -> Rule:
    """A rule from `x:1,3,48,48..960 y:5`, or with a number first: `24 x:...`."""
    words = text.split()
    ranged = False
    if words and words[0].isdigit():
        count, words, ranged = int(words[0]), words[1:], True
    dims: dict[str, list[Dim]] = {}
    for word in words:
        name, colon, numbers = word.rpartition(":")
        if not colon or not name:
            raise Failure(f"{where}: '{word}' is no shape of an input; expected NAME:DIMS, such as x:1,3,48,48..960")
        found = []
        for part in numbers.split(",") if numbers else []:
            match = _DIM.fullmatch(part)
            if match is None:
                raise Failure(f"{where}: '{part}' in '{word}' is no dim; expected a number, 48..960 or 320..736/32")
            low, high, step = int(match[1]), int(match[2] or match[1]), int(match[3] or 1)
            if high < low or step < 1:
                raise Failure(f"{where}: '{part}' in '{word}' is an empty range")
            ranged = ranged or high > low
            found.append(Dim(low, high, step))
        if name in dims:
            raise Failure(f"{where}: input '{name}' is there twice in '{text}'")
        dims[name] = found
    if not dims:
        raise Failure(f"{where}: '{text}' has no shape")
    return Rule(count if ranged else 1, dims)


def read(texts: list[str], model: str, count: int) -> tuple[list[Rule], Rule | None]:
    """The rules that hold for this model, from arguments and files, and the one for the warm-up, if a file has it."""
    rules: list[Rule] = []
    warm = None
    for text in texts:
        path = Path(text)
        if ":" in text and not path.is_file():
            rules.append(parse(text, count, "--shapes"))
            continue
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise Failure(f"--shapes: '{text}' is no shape and cannot be read as a file: {error}") from None
        mine = True
        for number, line in enumerate(lines, 1):
            line = line.partition("#")[0].strip()
            if line.startswith("["):
                mine = line[1:].rstrip("]").strip() == Path(model).name
            elif line.startswith("warm-up ") and mine:
                warm = parse(line.removeprefix("warm-up "), 1, f"{text} line {number}")
            elif line and mine:
                rules.append(parse(line, count, f"{text} line {number}"))
    if texts and not rules:
        raise Failure(f"--shapes has no shape for {Path(model).name}")
    return rules, warm


def check_names(rules: list[Rule], session: InferenceSession) -> None:
    """Every rule names every input; ranges of dims that the model gives one name are one."""
    names = [info.name for info in session.get_inputs()]
    dim_names = {info["name"]: list(info["dims"]) for info in session.describe()["inputs"]}
    for rule in rules:
        rule.names = dim_names
        for name in rule.dims:
            if name not in names:
                raise Failure(f"--shapes: the model has no input '{name}'; its inputs are {', '.join(names)}")
        for name in names:
            if name not in rule.dims:
                raise Failure(f"--shapes: the shape of input '{name}' is missing in '{next(iter(rule.dims))}:...'")


def values_of(shape: Shape, dtypes: dict[str, int], seed: int) -> dict[str, Array]:
    """Inputs of a shape: floats in [-1, 1), booleans, and 0 or 1 as integers, which are valid indices of almost any table. A mask of
    integers is all ones."""
    numbers = np.random.default_rng(seed)
    feeds: dict[str, Array] = {}
    for name, dims in shape.items():
        try:
            dtype = numpy_dtype(dtypes[name])
        except KeyError:
            raise Failure(f"input '{name}' has a dtype for which no values can be drawn") from None
        if dtype.kind in "iu" and "mask" in name.lower():
            feeds[name] = np.ones(dims, dtype)
        elif dtype.kind in "biu":
            feeds[name] = numbers.integers(0, 2, dims).astype(dtype)
        else:
            feeds[name] = numbers.uniform(-1.0, 1.0, dims).astype(dtype)
    return feeds


def _first_ranges(session: InferenceSession, multiple: int) -> Rule:
    """Usual sizes for each dim by its place: one row of a batch, images of moderate sides, sequences of moderate length."""
    dims: dict[str, list[Dim]] = {}
    names: dict[str, list[str]] = {}
    described = session.describe()["inputs"]
    dynamic = {
        text
        for info in described
        for text, (low, high) in zip(info["dims"], info["ranges"], strict=True)
        if low != high
    }
    leading = {info["dims"][0] for info in described if info["dims"] and info["dims"][0] in dynamic}
    others = dynamic - leading
    for info in described:
        rank = len(info["dims"])
        found = []
        for symbol, (low, high) in zip(info["dims"], info["ranges"], strict=True):
            if low == high:
                found.append(Dim(low, low))
                continue
            if symbol in leading and (others or len(dynamic) > 1):
                wanted = Dim(1, 1)
            elif symbol in leading:
                wanted = Dim(1, 12)
            elif rank >= 4 and sum(low != high for low, high in info["ranges"][1:]) > 1:
                wanted = Dim(64, 448)
            else:
                wanted = Dim(16, 256)
            if symbol not in leading:
                wanted = Dim(-(-wanted.low // multiple) * multiple, wanted.high // multiple * multiple, multiple)
            low, high = max(wanted.low, low), min(wanted.high, high)
            found.append(Dim(low, high, wanted.step) if low < high else Dim(min(low, high), min(low, high)))
        dims[info["name"]] = found
        names[info["name"]] = info["dims"]
    return Rule(0, dims, names)


def _parts(symbol: str, symbols: set[str]) -> list[str]:
    """Of "past_sequence_length + 1": its parts, where each is a number or the name of another dim."""
    parts = [part.strip() for part in symbol.split("+")]
    known = all(part.isdigit() or (part in symbols and part != symbol) for part in parts)
    return parts if len(parts) > 1 and known else []


def _caches_alike(rule: Rule) -> None:
    """Caches of the layers of a decoder, whose dims may have no names, have the same dims: inputs of one rank whose names
    differ in a number."""
    first: dict[tuple[str, int], list[str]] = {}
    for name, symbols in rule.names.items():
        if len(symbols) >= 3 and re.search(r"\d", name):
            kind = re.sub(r"\d+|key|value", "#", name), len(symbols)
            rule.names[name] = first.setdefault(kind, symbols)


def _decoder_rules(session: InferenceSession, multiple: int) -> Iterator[tuple[Rule, str]]:
    """Rules in which a dim is the sum of two others, as that of a decoder's mask is of what was read before and what is read now."""
    described = session.describe()["inputs"]
    for alike in (False, True):
        rule = _first_ranges(session, multiple)
        if alike:
            _caches_alike(rule)
        free = {
            symbol: None
            for name, dims in rule.dims.items()
            for symbol, dim in zip(rule.names[name], dims, strict=True)
            if dim.low < dim.high
        }
        said = {symbol: parts for symbol in free if (parts := _parts(symbol, set(free)))}
        if said and not alike:
            rule.sums = said
            yield rule, ", ".join(f"{symbol}" for symbol in said) + " as the model's file says"
        # Only what no input of a higher rank has can be a mask's.
        totals = {s for info in described if len(info["dims"]) <= 2 for s in rule.names[info["name"]][1:] if s in free}
        if len(free) > _MOST_FREE:
            continue
        for total in totals:
            for a, b in combinations([symbol for symbol in free if symbol != total], 2):
                rule.sums = {total: [a, b]}
                yield rule, f"{total} is {a} + {b}"


def _accepted(session: InferenceSession, rule: Rule, dtypes: dict[str, int], seed: int) -> str:
    """Empty if the model runs at shapes of the rule; else what it said."""
    numbers = random.Random(seed)
    fixed = all(dim.low == dim.high for dims in rule.dims.values() for dim in dims)
    try:
        for _ in range(1 if fixed else _TRIALS):
            session.run(None, values_of(rule.draw(numbers), dtypes, seed))
    except Error as error:
        return str(error)
    return ""


def drawn_rule(session: InferenceSession, count: int, seed: int) -> tuple[Rule, str]:
    """A rule for a model of which nothing is known but its file, and what trials found out about its dims, in words."""
    dtypes = {info["name"]: info["dtype"] for info in session._inputs}
    for multiple in MULTIPLES:
        rule = _first_ranges(session, multiple)
        rule.count = count
        refused = _accepted(session, rule, dtypes, seed)
        if not refused:
            return rule, "" if multiple == 1 else f"each dynamic dim but the batch is a multiple of {multiple}"
    for rule, words in _decoder_rules(session, 1):
        rule.count = count
        if not _accepted(session, rule, dtypes, seed):
            return rule, words
    # One of the dims may have to have its own size, such as the height of a line of text.
    for multiple in (1, 32):
        rule = _first_ranges(session, multiple)
        rule.count = count
        free = {
            s: None for n, dims in rule.dims.items() for s, d in zip(rule.names[n], dims, strict=True) if d.low < d.high
        }
        for symbol in free:
            for size in _SIZES:
                for name, dims in rule.dims.items():
                    tried = [Dim(size, size) if s == symbol else d for s, d in zip(rule.names[name], dims, strict=True)]
                    rule.dims[name] = tried
                if not _accepted(session, rule, dtypes, seed):
                    others = "" if multiple == 1 else f", other dynamic dims but the batch are multiples of {multiple}"
                    words = f"{symbol} is {size}{others}"
                    return rule, words
            rule = _first_ranges(session, multiple)
            rule.count = count
    raise Failure(
        f"no shape was found that the model accepts; give some, such as --shapes {example(session)}; the last one was refused: {refused}"
    )


def example(session: InferenceSession) -> str:
    """A shape argument for this model, with a range for each dynamic dim."""
    words = []
    for info in session.get_inputs():
        words.append(f"{info.name}:{','.join(str(d) if isinstance(d, int) else '32..256' for d in info.shape)}")
    return f"'{' '.join(words)}'" if len(words) > 1 else words[0]
