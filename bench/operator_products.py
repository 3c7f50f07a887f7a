# SPDX-License-Identifier: Apache-2.0
"""Matrix products, recurrent layers and attention, as cases of bench/operators.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kernel_case import Case, Drawn, constant
from operator_elements import FLOATS, dims_text, dtypes_of, uniform
from operator_windows import weights_of

MS = "com.microsoft"
PRODUCTS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((1, 768), (768, 768)),
    ((8, 768), (768, 768)),
    ((128, 768), (768, 768)),
    ((256, 256), (256, 256)),
    ((64, 64), (64, 64)),
    ((1000, 4), (4, 1000)),
    ((4, 1000), (1000, 4)),
    ((1024, 64), (64, 1)),
    ((512,), (512, 512)),
    ((512, 512), (512,)),
    ((4096,), (4096,)),
    ((12, 128, 64), (12, 64, 128)),
    ((2, 8, 64, 32), (2, 8, 32, 64)),
    ((4, 128, 256), (256, 256)),
    ((128, 128), (8, 128, 128)),
    ((8, 1, 64, 64), (1, 8, 64, 64)),
    ((64, 3, 3), (64, 3, 3)),
    ((1000, 4, 4), (4, 4)),
)


def matmuls() -> Iterator[Case]:
    for i, dtype in enumerate(dtypes_of("MatMul")):
        for a, b in PRODUCTS if i == 0 else PRODUCTS[1:4] + PRODUCTS[8:12]:
            yield Case(f"MatMul {dtype} {dims_text(a)} {dims_text(b)}", "MatMul", [(dtype, a), (dtype, b)], [dtype])
            if len(b) == 2 and dtype in FLOATS:
                name = f"MatMul {dtype} {dims_text(a)} {dims_text(b)} weights"
                yield Case(name, "MatMul", [(dtype, a), weights_of(dtype, b)], [dtype])
    for i, dtype in enumerate(dtypes_of("Gemm")):
        for ta in (0, 1):
            for tb in (0, 1):
                a, b = ((256, 128) if ta else (128, 256)), ((512, 256) if tb else (256, 512))
                own = {"transA": ta, "transB": tb}
                text = f"{dtype} {ta}{tb}"
                yield Case(f"Gemm {text}", "Gemm", [(dtype, a), (dtype, b)], [dtype], own)
                if i == 0:
                    for c in ((512,), (128, 1), (128, 512), ()):
                        scaled = {**own, "alpha": 0.5, "beta": 0.25}
                        given = [(dtype, a), weights_of(dtype, b), (dtype, c)]
                        yield Case(f"Gemm {text} weights, third {dims_text(c)}", "Gemm", given, [dtype], scaled)
    for ta in (0, 1):
        for tb in (0, 1):
            a, b = ((8, 64, 128) if ta else (8, 128, 64)), ((8, 128, 64) if tb else (8, 64, 128))
            fused = {"transA": ta, "transB": tb, "alpha": 0.125}
            yield Case(f"FusedMatMul {ta}{tb}", "FusedMatMul", [("float32", a), ("float32", b)], ["float32"], fused, MS)
    for act in ("Relu", "Sigmoid", "Tanh", "LeakyRelu"):
        given = [("float32", (128, 256)), weights_of("float32", (256, 512)), weights_of("float32", (512,))]
        yield Case(f"FusedGemm {act}", "FusedGemm", given, ["float32"], {"activation": act}, MS)


def einsums() -> Iterator[Case]:
    for equation, *dims in (
        ("ij,jk->ik", (128, 256), (256, 128)),
        ("bij,bjk->bik", (8, 128, 64), (8, 64, 128)),
        ("bhid,bhjd->bhij", (2, 8, 64, 64), (2, 8, 64, 64)),
        ("bihd,bjhd->bhij", (2, 64, 8, 64), (2, 64, 8, 64)),
        ("bhij,bjhd->bihd", (2, 8, 64, 64), (2, 64, 8, 64)),
        ("bsd,dhk->bshk", (2, 64, 256), (256, 8, 32)),
        ("bshk,hkd->bsd", (2, 64, 8, 32), (8, 32, 256)),
        ("nchw,oc->nohw", (1, 64, 28, 28), (64, 64)),
        ("nhwc,hkc->nhwk", (8, 16, 16, 32), (16, 16, 32)),
        ("ij->ji", (512, 512)),
        ("ij->i", (512, 512)),
        ("ij->j", (512, 512)),
        ("ii->i", (512, 512)),
        ("i,j->ij", (512,), (512,)),
        ("ij,ij->ij", (512, 512), (512, 512)),
        ("ij,ij->i", (512, 512), (512, 512)),
        ("ij,ij->", (512, 512), (512, 512)),
        ("...ij,...jk->...ik", (8, 64, 64), (8, 64, 64)),
        ("ij,jk,kl->il", (64, 64), (64, 64), (64, 64)),
    ):
        for dtype in (
            ("float32", "float64", "int32", "int64")
            if equation in ("ij,jk->ik", "bij,bjk->bik", "ij->i")
            else ("float32",)
        ):
            yield Case(
                f"Einsum {dtype} {equation}",
                "Einsum",
                [(dtype, d) for d in dims],
                [dtype],
                {"equation": equation},
                fixed=True,
            )


def recurrent() -> Iterator[Case]:
    for op, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        for dtype in ("float32", "float64", "float16"):
            for direction in ("forward", "reverse", "bidirectional"):
                for layout in (0, 1):
                    for steps, batch, size, hidden in ((32, 1, 64, 64), (64, 4, 128, 256), (16, 16, 64, 32)):
                        if (dtype != "float32" or layout or direction == "reverse") and hidden != 256:
                            continue
                        if dtype != "float32" and (layout or direction != "forward"):
                            continue
                        ways = 2 if direction == "bidirectional" else 1
                        x = (batch, steps, size) if layout else (steps, batch, size)
                        given = [
                            (dtype, x), weights_of(dtype, (ways, gates * hidden, size)), weights_of(dtype, (ways, gates * hidden, hidden)),
                            weights_of(dtype, (ways, 2 * gates * hidden)),
                        ]  # fmt: skip
                        own = {"hidden_size": hidden, "direction": direction, "layout": layout}
                        name = f"{op} {dtype} {direction} layout {layout} {dims_text((steps, batch, size, hidden))}"
                        yield Case(name, op, given, [dtype] * 2, own)
                        if dtype == "float32" and direction == "forward" and not layout:
                            lengths = Drawn("int32", (batch,), lambda r, d, s=steps: r.integers(s // 2, s + 1, d))
                            yield Case(name + " lengths", op, [*given, lengths], [dtype] * 2, own)
                        if op == "GRU" and hidden == 256:
                            yield Case(
                                name + " linear before reset", op, given, [dtype] * 2, {**own, "linear_before_reset": 1}
                            )


def attention() -> Iterator[Case]:
    for dtype in FLOATS:
        for batch, heads, kv, q, k, size in (
            (1, 8, 8, 128, 128, 64),
            (2, 12, 12, 64, 64, 32),
            (1, 8, 2, 1, 512, 64),
            (1, 8, 8, 1, 512, 64),
            (1, 8, 4, 128, 128, 64),
        ):
            text = f"{dtype} {dims_text((batch, heads, kv, q, k, size))}"
            four = [(dtype, (batch, heads, q, size)), *[(dtype, (batch, kv, k, size))] * 2]
            three = [(dtype, (batch, q, heads * size)), *[(dtype, (batch, k, kv * size))] * 2]
            count = {"q_num_heads": heads, "kv_num_heads": kv}
            mask = Drawn("bool", (q, k), lambda r, d: r.random(d) < 0.9)
            for causal in (0, 1) if q == k else (0,):
                note = " causal" if causal else ""
                yield Case(f"Attention {text} rank 4{note}", "Attention", four, [dtype], {"is_causal": causal})
                yield Case(
                    f"Attention {text} rank 3{note}", "Attention", three, [dtype], {"is_causal": causal, **count}
                )
            yield Case(f"Attention {text} rank 4 mask", "Attention", [*four, mask], [dtype])
            if heads == kv:
                yield Case(f"MultiHeadAttention {text}", "MultiHeadAttention", three, [dtype], {"num_heads": heads}, MS)
            if q == k:
                lengths = [Drawn("int32", (batch,), lambda r, d, k=k: k - 1), Drawn("int32", (), lambda r, d, k=k: k)]
                own = {"num_heads": heads, "kv_num_heads": kv}
                yield Case(
                    f"GroupQueryAttention {text}",
                    "GroupQueryAttention",
                    [*three, None, None, *lengths],
                    [dtype] * 3,
                    own,
                    MS,
                )
        packed = [(dtype, (2, 64, 256)), weights_of(dtype, (256, 768)), weights_of(dtype, (768,))]
        yield Case(f"com.microsoft.Attention {dtype}", "Attention", packed, [dtype], {"num_heads": 8}, MS)
        yield Case(
            f"com.microsoft.Attention {dtype} causal",
            "Attention",
            packed,
            [dtype],
            {"num_heads": 8, "unidirectional": 1},
            MS,
        )
    yield from positions()


def positions() -> Iterator[Case]:
    for dtype in ("float32", "float16", "bfloat16"):
        for inter in (0, 1):
            for dims in ((1, 8, 128, 64), (1, 128, 512)):
                ids = Drawn("int64", (1, 128), lambda r, d: range(128))
                tables = [weights_of(dtype, (256, 32)), weights_of(dtype, (256, 32))]
                heads = {} if len(dims) == 4 else {"num_heads": 8}
                text = f"{dtype} {dims_text(dims)} interleaved {inter}"
                yield Case(
                    f"RotaryEmbedding {text}",
                    "RotaryEmbedding",
                    [(dtype, dims), *tables, ids],
                    [dtype],
                    {"interleaved": inter, **heads},
                )
                own = {"interleaved": inter, **heads}
                yield Case(
                    f"com.microsoft.RotaryEmbedding {text}",
                    "RotaryEmbedding",
                    [(dtype, dims), ids, *tables],
                    [dtype],
                    own,
                    MS,
                )
    words = [Drawn("int32", (2, 64), lambda r, d, n=n: r.integers(0, n, d)) for n in (1000, 2)]
    tables = [weights_of("float32", (n, 256)) for n in (1000, 128, 2)]
    ones = [Drawn("float32", (256,), lambda r, d: 1, True), Drawn("float32", (256,), lambda r, d: 0, True)]
    given = [*words, *tables, *ones, Drawn("int32", (2, 64), lambda r, d: 1)]
    yield Case("EmbedLayerNormalization", "EmbedLayerNormalization", given, ["float32", "int32"], {}, MS)
    tables = [Drawn("uint8", (n, 256), lambda r, d: r.integers(0, 256, d), True) for n in (1000, 128, 2)]
    ones = [Drawn("uint8", (256,), lambda r, d, v=v: v, True) for v in (228, 128)]
    factors = [Drawn("float32", (), lambda r, d: 0.01, True)] * 5 + [Drawn("uint8", (), lambda r, d: 128, True)] * 5
    given = [*words, *tables, *ones, Drawn("int32", (2, 64), lambda r, d: 1), *factors]
    yield Case("QEmbedLayerNormalization", "QEmbedLayerNormalization", given, ["float32", "int32"], {}, MS)
    for rule in ("linear", "gated", "delta", "gated_delta"):
        decay = uniform("float32", (1, 64, 4), -0.5, -0.1) if "gated" in rule else None
        beta = uniform("float32", (1, 64, 4), 0.1, 0.9) if "delta" in rule else None
        given = [*[uniform("float32", (1, 64, 128), -0.3, 0.3)] * 3, None, decay, beta]
        ruled = {"q_num_heads": 4, "kv_num_heads": 4, "update_rule": rule}
        yield Case(f"LinearAttention {rule}", "LinearAttention", given, ["float32"] * 2, ruled)


def quantized() -> Iterator[Case]:
    """What bench/kernels.py has not."""
    s, z = constant("float32", 0.02), constant("uint8", 128)
    for dims in ((1, 64, 56, 56), (128, 768), (1, 56, 56, 64), (262144,)):
        for q in ("uint8", "int8", "int16", "uint16"):
            axis = 1 if len(dims) > 1 else 0
            scales = Drawn("float32", (dims[axis],), lambda r, d: r.uniform(0.01, 0.03, d), True)
            zero = constant(q, [3] * dims[axis])
            for note, sc, ze, own in (("", s, constant(q, 3), {}), (" channels", scales, zero, {"axis": axis})):
                if note and len(dims) == 1:
                    continue
                text = f"{q} {dims_text(dims)}{note}"
                for domain in ("", MS):
                    prefix = domain and domain + "."
                    yield Case(
                        f"{prefix}QuantizeLinear {text}",
                        "QuantizeLinear",
                        [("float32", dims), sc, ze],
                        [q],
                        own,
                        domain,
                    )
                    yield Case(
                        f"{prefix}DequantizeLinear {text}",
                        "DequantizeLinear",
                        [(q, dims), sc, ze],
                        ["float32"],
                        own,
                        domain,
                    )
    for batch, steps, size, hidden in ((1, 32, 64, 64), (4, 32, 64, 128), (1, 64, 128, 256)):
        w = [Drawn("uint8", (1, a, 4 * hidden), lambda r, d: r.integers(0, 255, d), True) for a in (size, hidden)]
        per = [constant("float32", [0.005]), constant("uint8", [128])]
        given = [
            ("float32", (steps, batch, size)),
            *w,
            weights_of("float32", (1, 8 * hidden)),
            None,
            None,
            None,
            None,
            *per,
            *per,
        ]
        name = f"DynamicQuantizeLSTM {dims_text((steps, batch, size, hidden))}"
        yield Case(name, "DynamicQuantizeLSTM", given, ["float32"] * 3, {"hidden_size": hidden}, MS)
    eight = Drawn("int8", (256, 768), lambda r, d: r.integers(-90, 90, d), True)
    given = [("uint8", (2, 64, 256)), eight, weights_of("float32", (768,)), s, s, None, z, constant("int8", 0)]
    yield Case("QAttention", "QAttention", given, ["float32"], {"num_heads": 8}, MS)
    for bits in (4, 8):
        table = Drawn("uint8", (3000, 256 * bits // 8), lambda r, d: r.integers(0, 255, d), True)
        given = [
            table,
            Drawn("int64", (2, 64), lambda r, d: r.integers(0, 3000, d)),
            weights_of("float32", (3000, 256 // 32)),
        ]
        own = {"bits": bits, "block_size": 32, "gather_axis": 0, "quantize_axis": 1}
        yield Case(f"GatherBlockQuantized {bits}", "GatherBlockQuantized", given, ["float32"], own, MS)
    for m in (1, 8, 128):
        for level in (0, 4):
            w = Drawn("uint8", (1024, 1024 // 32, 16), lambda r, d: r.integers(0, 255, d), True)
            own = {"K": 1024, "N": 1024, "bits": 4, "block_size": 32, "accuracy_level": level}
            given = [
                ("float32", (m, 1024)),
                w,
                Drawn("float32", (1024 * 32,), lambda r, d: r.uniform(0.01, 0.03, d), True),
            ]
            yield Case(f"MatMulNBits rows {m} level {level}", "MatMulNBits", given, ["float32"], own, MS)
    for what, size, pads in (("3x3", 3, 1), ("1x1", 1, 0)):
        padded: dict[str, Any] = {"pads": [pads] * 4}
        x = (1, 64, 28, 28)
        weights = Drawn("int8", (64, 64, size, size), lambda r, d: r.integers(-90, 90, d), True)
        tail = [s, z, weights, s, constant("int8", 0), constant("float32", 2), z]
        yield Case(f"com.microsoft.QLinearConv {what}", "QLinearConv", [("uint8", x), *tail], ["uint8"], padded, MS)
        last = [("uint8", (1, 28, 28, 64)), *tail]
        yield Case(
            f"com.microsoft.QLinearConv {what} channels last",
            "QLinearConv",
            last,
            ["uint8"],
            {**padded, "channels_last": 1},
            MS,
        )


FAMILIES = {
    "matmul": matmuls,
    "einsum": einsums,
    "recurrent": recurrent,
    "attention": attention,
    "quantized": quantized,
}
