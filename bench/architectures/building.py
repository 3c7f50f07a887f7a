# SPDX-License-Identifier: Apache-2.0
"""What several modules of architectures are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn


class Called(nn.Module):
    """A network that is called in another way than with its inputs one after the other, or whose results are unpacked."""

    def __init__(self, network: nn.Module, call: Callable[..., Any]) -> None:
        super().__init__()
        self.network, self.call = network, call

    def forward(self, *inputs: Tensor) -> Any:
        return self.call(self.network, *inputs)


class Residual(nn.Module):
    """x + body(x)."""

    def __init__(self, *body: nn.Module) -> None:
        super().__init__()
        self.body = nn.Sequential(*body)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.body(x)
