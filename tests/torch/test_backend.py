# SPDX-License-Identifier: Apache-2.0
"""`torch.compile(backend="anydim")`: exports by structure and not by size, eager code where it must be, which is reported once."""

from __future__ import annotations

import logging
import random
from collections.abc import Iterator
from typing import Any

import anydim
import anydim.torch
import pytest
import torch
from torch_modules import CASES, Mlp, made


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


class Count:
    """What the counters of anydim.torch gained since it was made."""

    def __init__(self) -> None:
        self._before = anydim.torch.counters()

    def __getattr__(self, name: str) -> int:
        return anydim.torch.counters()[name] - self._before[name]


def test_torch_finds_the_backend_by_its_name() -> None:
    assert "anydim" in torch._dynamo.list_backends()


@pytest.mark.parametrize("name", ["encoder", "convolutions", "mlp", "decoder", "recurrent", "detector"])
def test_modules_at_twenty_shapes(name: str) -> None:
    torch.manual_seed(1)
    count, draw = Count(), random.Random(5).randint
    module = made(name)
    fast = torch.compile(module, backend="anydim", dynamic=True)
    with torch.no_grad():
        for i in range(20):
            arguments = CASES[name].arguments((lambda low, high: low) if i == 3 else draw)
            got, expected = (torch.utils._pytree.tree_leaves(run(*arguments)) for run in (fast, module))
            for ours, other in zip(got, expected, strict=True):
                assert ours.dtype == other.dtype and ours.shape == other.shape
                if other.is_floating_point():
                    scale = max(1.0, float(other.abs().max()))
                    torch.testing.assert_close(ours, other, rtol=0, atol=1e-5 * scale)
                else:
                    assert torch.equal(ours, other)
    assert count.fallbacks == 0 or name == "recurrent", "Dynamo leaves LSTM to eager code itself"
    print(name, anydim.torch.counters())


def test_graphs_of_one_structure_have_one_export() -> None:
    count = Count()
    module = Mlp(width=40, layers=2).eval()  # which no other test has: exports are the process's
    fast = torch.compile(module, backend="anydim")  # fixed sizes first, dynamic ones later, and a batch of 1
    with torch.no_grad():
        for rows in (4, 7, 9, 1, 12):
            x = torch.randn(rows, 40)
            torch.testing.assert_close(fast(x), module(x), rtol=0, atol=1e-5)
    assert count.graphs >= 2, "Dynamo compiles again when a size changes for the first time"
    assert (count.exports, count.models, count.reused) == (1, 1, count.graphs - 1)


def test_layers_of_one_form_have_one_export_and_a_model_each() -> None:
    count = Count()
    layers = [torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.GELU()).eval() for _ in range(3)]
    x = torch.randn(5, 8)
    with torch.no_grad():
        for layer in layers:
            torch.testing.assert_close(
                torch.compile(layer, backend="anydim", dynamic=True)(x), layer(x), rtol=0, atol=1e-5
            )
    assert (count.exports, count.models) == (1, 3)


def test_parameters_that_change_are_seen() -> None:
    layer = torch.nn.Linear(4, 4).eval()
    fast = torch.compile(layer, backend="anydim")
    x = torch.randn(2, 4)
    with torch.no_grad():
        fast(x)
        layer.weight.mul_(2.0)
        torch.testing.assert_close(fast(x), layer(x), rtol=0, atol=1e-5)
        layer.load_state_dict(torch.nn.Linear(4, 4).state_dict())
        torch.testing.assert_close(fast(x), layer(x), rtol=0, atol=1e-5)


class Scaled(torch.nn.Module):
    def forward(self, x: torch.Tensor, times: int, by: float) -> torch.Tensor:
        return x.repeat(times, 1) * by


def test_numbers_that_are_no_sizes_make_variants() -> None:
    module = Scaled().eval()
    fast = torch.compile(module, backend="anydim", dynamic=True)
    x = torch.randn(3, 4)
    with torch.no_grad():
        for times, by in ((2, 0.5), (3, 0.5), (2, 1.5), (2, 0.5)):
            assert torch.equal(fast(x, times, by), module(x, times, by))


class Unknown(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.lgamma(x) + 1


def test_what_anydim_lacks_runs_in_eager_mode_and_is_reported_once(caplog: Any) -> None:
    count = Count()
    module = Unknown().eval()
    fast = torch.compile(module, backend="anydim", dynamic=True)
    with caplog.at_level(logging.WARNING, "anydim.torch"), torch.no_grad():
        for rows in (3, 4, 5):
            x = torch.rand(rows, 2) + 1
            assert torch.equal(fast(x), module(x))
    told = [record.getMessage() for record in caplog.records if record.name == "anydim.torch"]
    assert len(told) == 1 and "runs in eager mode" in told[0] and "lgamma" in told[0]
    assert count.fallbacks == 1


def test_gradients_make_a_graph_run_in_eager_mode(caplog: Any) -> None:
    layer = torch.nn.Linear(4, 4)
    with caplog.at_level(logging.WARNING, "anydim.torch"):
        torch.compile(layer, backend="anydim")(torch.randn(2, 4)).sum().backward()
    assert layer.weight.grad is not None
    assert "gradients are asked for" in caplog.text


def test_options_are_the_session_s() -> None:
    layer = torch.nn.Linear(4, 4).eval()
    with torch.no_grad():
        x = torch.randn(2, 4)
        fast = torch.compile(layer, backend="anydim", options={"threads": 1, "math": "strict"})
        torch.testing.assert_close(fast(x), layer(x), rtol=0, atol=1e-5)
