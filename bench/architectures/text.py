# SPDX-License-Identifier: Apache-2.0
"""Encoders and decoders of text, of many kinds of attention."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from transformers import (
    AlbertConfig,
    AlbertModel,
    BartConfig,
    BartModel,
    BertConfig,
    BertModel,
    BloomConfig,
    BloomModel,
    ConvBertConfig,
    ConvBertModel,
    DebertaV2Config,
    DebertaV2Model,
    DistilBertConfig,
    DistilBertModel,
    FunnelBaseModel,
    FunnelConfig,
    GPT2Config,
    GPT2LMHeadModel,
    GPTJConfig,
    GPTJModel,
    GPTNeoConfig,
    GPTNeoModel,
    LayoutLMConfig,
    LayoutLMModel,
    MobileBertConfig,
    MobileBertModel,
    MPNetConfig,
    MPNetModel,
    NystromformerConfig,
    NystromformerModel,
    OPTConfig,
    OPTForCausalLM,
    PerceiverConfig,
    PerceiverModel,
    RoFormerConfig,
    RoFormerModel,
    SqueezeBertConfig,
    SqueezeBertModel,
    T5Config,
    T5EncoderModel,
    T5ForConditionalGeneration,
    XLNetConfig,
    XLNetModel,
)

from architectures.building import Called

WIDTHS: dict[str, Any] = {
    "vocab_size": 1000,
    "hidden_size": 256,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "intermediate_size": 1024,
}


def masked(model: nn.Module) -> nn.Module:
    return Called(model, lambda m, ids, mask: m(ids, attention_mask=mask).last_hidden_state)


def bert() -> nn.Module:
    def call(m: nn.Module, ids: Tensor, mask: Tensor, kinds: Tensor) -> tuple[Tensor, Tensor]:
        found = m(ids, attention_mask=mask, token_type_ids=kinds)
        return found.last_hidden_state, found.pooler_output

    return Called(BertModel(BertConfig(**WIDTHS)), call)


def distilbert() -> nn.Module:
    return masked(DistilBertModel(DistilBertConfig(vocab_size=1000, dim=256, n_layers=3, n_heads=8, hidden_dim=1024)))


def albert() -> nn.Module:
    return masked(AlbertModel(AlbertConfig(embedding_size=64, **WIDTHS)))


def deberta() -> nn.Module:
    """Content and relative positions apart, brought together by GatherElements."""
    config = DebertaV2Config(
        relative_attention=True, pos_att_type=["c2p", "p2c"], position_buckets=64, share_att_key=True, norm_rel_ebd="layer_norm",
        position_biased_input=False, **{**WIDTHS, "num_hidden_layers": 3},
    )  # fmt: skip
    return masked(DebertaV2Model(config))


def mpnet() -> nn.Module:
    """A bias of relative positions, in buckets."""
    return masked(MPNetModel(MPNetConfig(**WIDTHS)))


def xlnet() -> nn.Module:
    """Shifted relative positions, einsum."""
    config = XLNetConfig(vocab_size=1000, d_model=256, n_layer=3, n_head=8, d_inner=1024)
    return Called(XLNetModel(config), lambda m, ids, mask: m(ids, attention_mask=mask.float()).last_hidden_state)


def funnel() -> nn.Module:
    """Shorter after every block."""
    config = FunnelConfig(vocab_size=1000, block_sizes=[2, 2], d_model=256, n_head=4, d_head=64, d_inner=1024)
    return masked(FunnelBaseModel(config))


def convbert() -> nn.Module:
    """Convolutions whose kernels follow from the text, by unfold."""
    return masked(ConvBertModel(ConvBertConfig(embedding_size=128, **{**WIDTHS, "num_hidden_layers": 3})))


def squeezebert() -> nn.Module:
    """Grouped 1x1 convolutions where others multiply."""
    return masked(SqueezeBertModel(SqueezeBertConfig(embedding_size=256, **WIDTHS)))


def mobilebert() -> nn.Module:
    config = MobileBertConfig(
        vocab_size=1000,
        hidden_size=256,
        embedding_size=64,
        num_hidden_layers=4,
        intermediate_size=256,
        intra_bottleneck_size=64,
    )
    return masked(MobileBertModel(config))


def roformer() -> nn.Module:
    """Rotated queries and keys."""
    return masked(RoFormerModel(RoFormerConfig(embedding_size=256, max_position_embeddings=512, **WIDTHS)))


def nystromformer() -> nn.Module:
    """Landmarks, and an inverse by iteration."""
    config = NystromformerConfig(
        num_landmarks=16, segment_means_seq_len=128, conv_kernel_size=33, **{**WIDTHS, "num_hidden_layers": 3}
    )
    return masked(NystromformerModel(config))


def layoutlm() -> nn.Module:
    """Positions on a page, gathered."""
    config = LayoutLMConfig(max_2d_position_embeddings=1024, **WIDTHS)
    return Called(
        LayoutLMModel(config), lambda m, ids, mask, box: m(ids, bbox=box, attention_mask=mask).last_hidden_state
    )


def perceiver() -> nn.Module:
    """A fixed number of latents that look at inputs of any length."""
    config = PerceiverConfig(
        num_latents=64, d_latents=192, d_model=96, num_blocks=1, num_self_attends_per_block=4, num_self_attention_heads=4,
        num_cross_attention_heads=4,
    )  # fmt: skip
    return Called(PerceiverModel(config), lambda m, x: m(x).last_hidden_state)


def t5_encoder() -> nn.Module:
    config = T5Config(
        vocab_size=1000, d_model=256, d_kv=32, d_ff=1024, num_layers=4, num_heads=8, feed_forward_proj="gated-gelu"
    )
    return masked(T5EncoderModel(config))


def t5_decoder() -> nn.Module:
    """Both halves, without a cache."""
    config = T5Config(vocab_size=1000, d_model=256, d_kv=32, d_ff=1024, num_layers=2, num_heads=8)
    return Called(
        T5ForConditionalGeneration(config), lambda m, ids, said: m(ids, decoder_input_ids=said, use_cache=False).logits
    )


def bart() -> nn.Module:
    config = BartConfig(
        vocab_size=1000, d_model=256, encoder_layers=2, decoder_layers=2, encoder_attention_heads=8, decoder_attention_heads=8,
        encoder_ffn_dim=1024, decoder_ffn_dim=1024,
    )  # fmt: skip
    return Called(
        BartModel(config), lambda m, ids, said: m(ids, decoder_input_ids=said, use_cache=False).last_hidden_state
    )


def cached(model: nn.Module, layers: int) -> nn.Module:
    """A step of a decoder: past keys and values come in one after the other, and the longer ones go out."""

    def call(m: nn.Module, ids: Tensor, mask: Tensor, *past: Tensor) -> tuple[Tensor, ...]:
        pairs = tuple((past[2 * i], past[2 * i + 1]) for i in range(layers))
        found = m(ids, attention_mask=mask, past_key_values=pairs, use_cache=True)
        return (found[0], *(tensor for pair in found.past_key_values for tensor in pair))

    return Called(model, call)


def gpt2_cache() -> nn.Module:
    return cached(GPT2LMHeadModel(GPT2Config(vocab_size=1000, n_embd=256, n_layer=2, n_head=8)), 2)


def opt_cache() -> nn.Module:
    config = OPTConfig(
        vocab_size=1000,
        hidden_size=256,
        num_hidden_layers=2,
        num_attention_heads=8,
        ffn_dim=1024,
        word_embed_proj_dim=256,
    )
    return cached(OPTForCausalLM(config), 2)


def gpt_neo() -> nn.Module:
    """Every other layer looks back over a window."""
    config = GPTNeoConfig(
        vocab_size=1000,
        hidden_size=256,
        num_layers=2,
        num_heads=8,
        attention_types=[[["global", "local"], 1]],
        window_size=32,
    )
    return Called(
        GPTNeoModel(config), lambda m, ids, mask: m(ids, attention_mask=mask, use_cache=False).last_hidden_state
    )


def gptj() -> nn.Module:
    """Rotary positions, attention and feed-forward side by side."""
    config = GPTJConfig(vocab_size=1000, n_embd=256, n_layer=2, n_head=8, rotary_dim=16, n_positions=512)
    return Called(
        GPTJModel(config), lambda m, ids, mask: m(ids, attention_mask=mask, use_cache=False).last_hidden_state
    )


def bloom() -> nn.Module:
    """Biases that grow with the distance."""
    config = BloomConfig(vocab_size=1000, hidden_size=256, n_layer=2, n_head=8)
    return Called(
        BloomModel(config), lambda m, ids, mask: m(ids, attention_mask=mask, use_cache=False).last_hidden_state
    )


class Root(nn.Module):
    """Norm by the root of the mean square."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return self.scale * x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)


class Layer(nn.Module):
    """As in LLaMA: rotary positions, fewer keys than queries, a gated feed-forward net."""

    def __init__(self, width: int, heads: int, shared: int) -> None:
        super().__init__()
        self.heads, self.shared, self.size = heads, shared, width // heads
        self.q, self.out = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.k, self.v = (nn.Linear(width, shared * self.size, bias=False) for _ in range(2))
        self.gate, self.up = (nn.Linear(width, 3 * width, bias=False) for _ in range(2))
        self.down = nn.Linear(3 * width, width, bias=False)
        self.first, self.second = Root(width), Root(width)

    def forward(
        self, x: Tensor, keys: Tensor, values: Tensor, cos: Tensor, sin: Tensor, bias: Tensor
    ) -> tuple[Tensor, ...]:
        n, t, width = x.shape

        def turned(z: Tensor) -> Tensor:
            a, b = z.chunk(2, -1)
            return z * cos + torch.cat([-b, a], -1) * sin

        y = self.first(x)
        q = turned(self.q(y).view(n, t, self.heads, self.size).transpose(1, 2))
        k = torch.cat([keys, turned(self.k(y).view(n, t, self.shared, self.size).transpose(1, 2))], 2)
        v = torch.cat([values, self.v(y).view(n, t, self.shared, self.size).transpose(1, 2)], 2)
        times = self.heads // self.shared
        wide_k, wide_v = (
            z[:, :, None].expand(-1, -1, times, -1, -1).reshape(n, self.heads, z.shape[2], self.size) for z in (k, v)
        )
        weights = (q @ wide_k.transpose(2, 3) * self.size**-0.5 + bias).softmax(-1)
        x = x + self.out((weights @ wide_v).transpose(1, 2).reshape(n, t, width))
        y = self.second(x)
        return x + self.down(nn.functional.silu(self.gate(y)) * self.up(y)), k, v


def llama_cache() -> nn.Module:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rows = nn.Embedding(1000, 256)
            self.layers = nn.ModuleList([Layer(256, 8, 2) for _ in range(2)])
            self.norm, self.out = Root(256), nn.Linear(256, 1000, bias=False)

        def forward(self, ids: Tensor, k0: Tensor, v0: Tensor, k1: Tensor, v1: Tensor) -> tuple[Tensor, ...]:
            t, before = ids.shape[1], k0.shape[2]
            positions = torch.arange(before + t)
            angles = positions[before:, None].float() * 10000.0 ** (-torch.arange(16) / 16)
            angles = torch.cat([angles, angles], -1)
            hidden = positions[None, :] > positions[before:, None]
            bias = torch.zeros_like(hidden, dtype=torch.float32).masked_fill(hidden, -10000.0)
            x, kept = self.rows(ids), []
            for layer, (k, v) in zip(self.layers, ((k0, v0), (k1, v1)), strict=False):
                x, k, v = layer(x, k, v, angles.cos(), angles.sin(), bias)
                kept += [k, v]
            return (self.out(self.norm(x)), *kept)

    return Net()
