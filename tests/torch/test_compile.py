# SPDX-License-Identifier: Apache-2.0
"""`anydim.torch.compile`: modules of six kinds at any shape with one export, and what it refuses."""

from __future__ import annotations

import os
import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anydim
import anydim.torch
import numpy as np
import pytest
import torch
from torch.utils import _pytree as pytree
from torch_modules import CASES, made

SEED = int(os.environ.get("ANYDIM_SEED", random.SystemRandom().randrange(2**31)))


def compiled(name: str, **options: Any) -> tuple[torch.nn.Module, Any]:
    module, case = made(name), CASES[name]
    example = case.arguments(random.Random(3).randint)
    return module, anydim.torch.compile(module, example, dynamic_shapes=case.dynamic_shapes, **options)


def close(got: Any, expected: Any) -> None:
    """Equal structures, dtypes and shapes; values within 1e-5 of the largest."""
    mine, theirs = pytree.tree_flatten(got), pytree.tree_flatten(expected)
    assert mine[1] == theirs[1]
    for ours, other in zip(mine[0], theirs[0], strict=True):
        assert ours.dtype == other.dtype and ours.shape == other.shape and not ours.requires_grad
        scale = max(1.0, float(other.abs().max())) if other.is_floating_point() and other.numel() else 1.0
        torch.testing.assert_close(ours, other, rtol=0, atol=1e-5 * scale if other.is_floating_point() else 0)


@pytest.mark.parametrize("name", CASES)
def test_a_hundred_shapes_with_one_export(name: str) -> None:
    print(f"ANYDIM_SEED={SEED}")
    torch.manual_seed(SEED % 1000)
    draw = random.Random(SEED).randint
    before = anydim.torch.counters()["exports"]
    module, fast = compiled(name)
    shapes = set()
    with torch.no_grad():
        for i in range(100):
            # The smallest sizes come first: a batch of 1, a length of 1.
            arguments = CASES[name].arguments((lambda low, high: low) if i == 0 else draw)
            shapes.add(tuple(tensor.shape for tensor in pytree.tree_leaves(arguments)))
            close(fast(*arguments), module(*arguments))
    assert len(shapes) > 40
    assert anydim.torch.counters()["exports"] == before + 1


def test_results_are_the_session_s_memory_and_inputs_are_read_in_place() -> None:
    module, fast = compiled("mlp")
    rows = torch.randn(64, 9).T  # strides that are not row-major
    with torch.no_grad():
        close(fast(rows), module(rows))
    result = fast(torch.randn(2, 64))
    array = torch.utils.dlpack.from_dlpack(result).numpy()
    array[0, 0] = 5.0
    assert float(result[0, 0]) == 5.0


def test_marks_and_ranges_become_bounds_and_examples_become_hints() -> None:
    x = torch.randn(4, 64)
    torch._dynamo.mark_dynamic(x, 0, min=1, max=32)
    fast = anydim.torch.compile(made("mlp"), (x,))
    assert fast.dims == {"rows": (anydim.dim(1, 32, 4), 64)}
    assert fast.session.bytes_needed > 0
    for rows in (32, 1, 17):
        fast(torch.randn(rows, 64))
    assert fast.session.growths == 0
    with pytest.raises(anydim.InvalidArgumentError, match=r"sizes are rows \(33, 64\).*<= 32"):
        fast(torch.randn(33, 64))
    ranged = anydim.torch.compile(
        made("mlp"), (x,), dynamic_shapes={"rows": {0: torch.export.Dim("n", min=2, max=8)}}, bounds={}
    )
    with pytest.raises(anydim.InvalidArgumentError, match="has no bounds"):
        _ = ranged.session.bytes_needed


def test_without_a_word_all_dims_are_dynamic_that_the_module_allows() -> None:
    fast = anydim.torch.compile(made("convolutions"), (torch.randn(2, 3, 32, 40),))
    dynamic = [isinstance(dim, anydim.Dim) for dim in fast.dims["image"]]
    assert dynamic == [True, False, True, True]


class Squeezed(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.squeeze(0) + 1


class OtherAtOne(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x[0] if x.shape[0] == 1 else x + 1


class Halved(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x[:, ::2] if x.shape[1] % 2 == 0 else x


def test_sizes_for_which_the_module_is_another_one_are_refused() -> None:
    with pytest.raises(anydim.UnimplementedError, match=r"does not run on the example: .*squeeze"):
        anydim.torch.compile(Squeezed().eval(), (torch.randn(3, 4),), dynamic_shapes=({0: "n"},))
    fast = anydim.torch.compile(OtherAtOne().eval(), (torch.randn(3, 4),), dynamic_shapes=({0: "n"},))
    close(fast(torch.ones(5, 4)), torch.full((5, 4), 2.0))
    with pytest.raises(anydim.InvalidArgumentError, match="more than 1"):
        fast(torch.ones(1, 4))
    fast = anydim.torch.compile(Halved().eval(), (torch.randn(3, 4),), dynamic_shapes=({1: "n"},))
    close(fast(torch.ones(3, 8)), torch.ones(3, 4))
    with pytest.raises(anydim.InvalidArgumentError, match=r"sizes with .*x\.size\(\)\[1\] % 2"):
        fast(torch.ones(3, 5))


class Mixed(torch.nn.Module):
    def forward(
        self, x: torch.Tensor, scale: float = 2.0, *, both: bool = True, more: dict[str, torch.Tensor] | None = None
    ) -> Any:
        y = x * scale if more is None else x * scale + more["shift"]
        return {"y": y, "rows": x.shape[0], "none": None, "both": both}


def test_arguments_by_name_numbers_and_results_that_are_no_tensors() -> None:
    x, shift = torch.randn(2, 3), torch.randn(2, 3)
    fast = anydim.torch.compile(
        Mixed().eval(), (x,), {"more": {"shift": shift}}, dynamic_shapes={"x": {0: "n"}, "more": {"shift": {0: "n"}}}
    )
    got = fast(x=torch.ones(5, 3), more={"shift": torch.ones(5, 3)})
    assert (got["rows"], got["none"], got["both"]) == (5, None, True)
    close(got["y"], torch.full((5, 3), 3.0))
    with pytest.raises(anydim.InvalidArgumentError, match="expected what the example had"):
        fast(x)
    fast = anydim.torch.compile(Mixed().eval(), (x, 3.0), dynamic_shapes={"x": {0: "n"}})
    with pytest.raises(anydim.InvalidArgumentError, match=r"'scale' is 4\.0; the module was exported with 3\.0"):
        fast(x, 4.0)


def test_sixteen_bit_floats_and_whole_numbers() -> None:
    for dtype in (torch.bfloat16, torch.float16):
        module = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()).to(dtype).eval()
        fast = anydim.torch.compile(module, (torch.randn(2, 8, dtype=dtype),), dynamic_shapes=({0: "n"},))
        x = torch.randn(5, 8, dtype=dtype)
        with torch.no_grad():
            expected = module(x)
        got = fast(x)
        assert got.dtype is dtype
        torch.testing.assert_close(got, expected, rtol=0.02, atol=0.02)


def test_any_number_of_threads() -> None:
    module, fast = compiled("encoder", threads=1)
    arguments = [CASES["encoder"].arguments(random.Random(i).randint) for i in range(8)]
    with torch.no_grad():
        expected = [module(*each) for each in arguments]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            for got, other in zip(pool.map(lambda each: fast(*each), arguments), expected, strict=True):
                close(got, other)


def test_a_forked_child_runs_what_its_parent_compiled() -> None:
    _module, fast = compiled("mlp", threads=1)
    rows = torch.randn(7, 64)
    expected = fast(rows).numpy().tobytes()
    child = os.fork()
    if child == 0:
        os._exit(0 if fast(rows).numpy().tobytes() == expected else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_parameters_are_read_where_they_lie_and_packed_once() -> None:
    """No file, and no second copy beside the packed one: 64 MB of parameters add less than 1.5 times that."""
    module = torch.nn.Sequential(*(torch.nn.Linear(2048, 2048) for _ in range(4))).eval()
    small = torch.nn.Sequential(torch.nn.Linear(8, 8)).eval()
    anydim.torch.compile(small, (torch.randn(2, 8),), dynamic_shapes=({0: "n"},))  # what an export loads
    before = _resident()
    fast = anydim.torch.compile(module, (torch.randn(2, 2048),), dynamic_shapes=({0: "n"},))
    fast(torch.randn(3, 2048))
    assert _resident() - before < 1.5 * 4 * 2048 * 2048 * 4


def _resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Branch(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + 1 if x.sum() > 0 else x - 1


class Counting(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return x + self.calls


class Foreign(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.linalg.eigvalsh(x) + torch.special.i0e(x[0]) + torch.lgamma(x[0])


class Noise(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + torch.rand_like(x)


class Training(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.part = torch.nn.Dropout(0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.part(x)


@pytest.mark.parametrize(
    ("module", "says"),
    [
        (Branch().eval(), "control flow depends on data"),
        (Counting().eval(), "writes to calls"),
        (Foreign().eval(), r"no translation: .*aten"),
        (Noise().eval(), "random numbers"),
        (Training(), r"it is in training mode.*module\.eval\(\)"),
        (Training().eval().to("meta"), None),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, torch.nn.Module) else None,
)
def test_what_cannot_be_compiled_is_reported(module: torch.nn.Module, says: str | None) -> None:
    x = torch.randn(3, 3)
    if says is None:
        x, says = x.to("meta"), r"'x' is on meta; .*expected a tensor on cpu"
    with pytest.raises((anydim.UnimplementedError, anydim.InvalidArgumentError), match=says):
        anydim.torch.compile(module, (x,))


def test_every_operator_that_is_not_here_is_in_the_list() -> None:
    with pytest.raises(anydim.UnimplementedError) as told:
        anydim.torch.compile(Foreign().eval(), (torch.randn(3, 3),))
    assert all(name in str(told.value) for name in ("eigh", "lgamma"))


def test_a_part_in_training_mode_is_named() -> None:
    module = Training().eval()
    module.part.train()
    with pytest.raises(anydim.InvalidArgumentError, match="its part 'part' is in training mode"):
        anydim.torch.compile(module, (torch.randn(2),))


def test_gradients_and_other_devices_are_refused_at_the_call() -> None:
    fast = anydim.torch.compile(made("mlp"), (torch.randn(2, 64),), dynamic_shapes=({0: "n"},))
    wanted = torch.randn(2, 64, requires_grad=True)
    with pytest.raises(anydim.InvalidArgumentError, match=r"'rows' requires gradients.*no_grad"):
        fast(wanted)
    with torch.inference_mode():
        fast(wanted)
    with pytest.raises(anydim.UnimplementedError, match="'rows' is on meta"):
        fast(torch.empty(2, 64, device="meta"))
    with pytest.raises(anydim.InvalidArgumentError, match=r"not fit Mlp\.forward"):
        fast()
    with pytest.raises(anydim.Error, match="rows"):
        fast(torch.randn(2, 65))
    with pytest.raises(anydim.Error, match=r"float64|f64"):
        fast(torch.from_numpy(np.zeros((2, 64))))


def test_examples_and_dims_that_do_not_fit_are_refused() -> None:
    module, x = made("mlp"), torch.randn(2, 64)
    for shapes, says in (
        ({"nothing": {0: "n"}}, "has 'nothing'; the arguments are"),
        (({5: "n"},), "has the axis 5"),
        (({0: 2.5},), "has 2.5; expected"),
        (({0: "n"}, {0: "n"}), "one entry for each"),
        (({1: "n"},), "do not fit together"),  # the first layer has 64 columns
    ):
        with pytest.raises(anydim.InvalidArgumentError, match=says):
            anydim.torch.compile(module, (x,), dynamic_shapes=shapes)
    with pytest.raises(anydim.InvalidArgumentError, match=r"such as \(x,\)"):
        anydim.torch.compile(module, x)
