# SPDX-License-Identifier: Apache-2.0
"""Functions of torch that are whole layers and have no translation, in terms of functions that have one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode


def _encoder_layer(
    x: torch.Tensor,
    width: int,
    heads: int,
    in_weight: torch.Tensor,
    in_bias: torch.Tensor,
    out_weight: torch.Tensor,
    out_bias: torch.Tensor,
    use_gelu: bool,
    norm_first: bool,
    epsilon: float,
    norm1_weight: torch.Tensor,
    norm1_bias: torch.Tensor,
    norm2_weight: torch.Tensor,
    norm2_bias: torch.Tensor,
    linear1_weight: torch.Tensor,
    linear1_bias: torch.Tensor,
    linear2_weight: torch.Tensor,
    linear2_bias: torch.Tensor,
    mask: torch.Tensor | None = None,
    mask_type: int | None = None,
) -> torch.Tensor:
    """`torch._transformer_encoder_layer_fwd`, which `nn.TransformerEncoderLayer` calls for inference. A mask says what is left out, or is
    added: of kind 0 it is (to, from), of kind 1 (batch, from), of kind 2 (batch, heads, to, from)."""
    batch, length = x.shape[0], x.shape[1]

    def attention(y: torch.Tensor) -> torch.Tensor:
        q, k, v = (
            part.reshape(batch, length, heads, width // heads).transpose(1, 2)
            for part in functional.linear(y, in_weight, in_bias).chunk(3, -1)
        )
        seen = mask
        if seen is not None and seen.dtype is torch.bool:
            seen = seen.logical_not()
        if seen is not None and mask_type == 1:
            seen = seen[:, None, None, :]
        z = functional.scaled_dot_product_attention(q, k, v, attn_mask=seen)
        return functional.linear(z.transpose(1, 2).reshape(batch, length, width), out_weight, out_bias)

    def feed_forward(y: torch.Tensor) -> torch.Tensor:
        y = functional.linear(y, linear1_weight, linear1_bias)
        y = functional.gelu(y) if use_gelu else functional.relu(y)
        return functional.linear(y, linear2_weight, linear2_bias)

    def norm1(y: torch.Tensor) -> torch.Tensor:
        return functional.layer_norm(y, (width,), norm1_weight, norm1_bias, epsilon)

    def norm2(y: torch.Tensor) -> torch.Tensor:
        return functional.layer_norm(y, (width,), norm2_weight, norm2_bias, epsilon)

    if norm_first:
        x = x + attention(norm1(x))
        return x + feed_forward(norm2(x))
    x = norm1(x + attention(x))
    return norm2(x + feed_forward(x))


_FUNCTIONS: dict[Any, Callable[..., Any]] = {torch._transformer_encoder_layer_fwd: _encoder_layer}


class SpelledOut(TorchFunctionMode):  # type: ignore[misc, unused-ignore]
    """Within it these functions are what they are made of."""

    def __torch_function__(
        self, function: Any, types: Sequence[Any], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return _FUNCTIONS.get(function, function)(*args, **(kwargs or {}))
