# SPDX-License-Identifier: Apache-2.0
"""Writes the architectures of the catalogue as ONNX files with dynamic dims and random weights. Runs with Debian's Python and its
torch, and with the packages that `tools/setup zoo` puts into build/zoo/python; bench/zoo.py starts it for what is missing.

  /usr/bin/python3 bench/architectures/export.py FOLDER [NAME...]

Weights follow from the network's name. While a first input goes through, each convolution and linear layer is scaled so that its
outputs have unit variance: activations neither explode nor fade into denormals, however deep a network is. Scales and
shifts of norms, and biases, get noise, so that nothing that an engine does with them goes unseen.
A file is made again when its module, this file or its entry of the catalogue has changed.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import importlib
import os
import sys
import time
import warnings
import zlib
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent / "build" / "zoo" / "python")]

from architectures.catalogue import CATALOGUE, NAMED, Architecture  # noqa: E402


def digest(item: Architecture) -> str:
    """Of what the file follows from; how that is laid out in lines does not matter."""
    modules = [
        ast.parse((HERE / name).read_text(encoding="utf-8"))
        for name in (f"{item.module}.py", "building.py", "export.py")
    ]
    return hashlib.sha256("\0".join([*map(ast.dump, modules), repr(item)]).encode()).hexdigest()[:16]


def there(folder: Path, item: Architecture) -> bool:
    stamp = folder / f"{item.name}.digest"
    made = stamp.exists() and (folder / f"{item.name}.onnx").exists()
    return made and stamp.read_text(encoding="utf-8") == digest(item)


def settle(network: Any, inputs: tuple[Any, ...]) -> None:
    """Random weights of a size that keeps activations near one, found while `inputs` go through."""
    import torch
    from torch import nn

    layers = (nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d, nn.Linear)
    normalised: list[Any] = []
    hooks: list[Any] = []

    def scale(layer: Any, given: Any, output: Any) -> Any:
        size = float(output.std()) if output.numel() > 1 else 0.0
        if any(layer is other for other in normalised) or not 1e-12 < size < 1e12:
            return output
        normalised.append(layer)
        layer.weight.div_(size)
        return output / size

    weights = set()
    for module in network.modules():
        if type(module) in layers:
            weights.add(id(module.weight))
            if not module.weight.any():  # a head that begins at nothing
                module.weight.normal_()
            if module.bias is not None:
                module.bias.zero_()
            hooks.append(module.register_forward_hook(scale))
        elif isinstance(module, nn.Embedding):
            weights.add(id(module.weight))
            module.weight.normal_()
        elif isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)):
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.8, 1.25)
    for values in network.parameters():
        if id(values) in weights:
            continue
        if float(values.abs().max()) <= 1e-3:  # zeros, and scales of residual branches that begin at nothing
            values.normal_(0, 0.5)
        else:
            values.add_(0.1 * torch.randn_like(values) * values.abs().mean())
    network(*inputs)
    for hook in hooks:
        hook.remove()
    for module in network.modules():
        if type(module) in layers and module.bias is not None:
            module.bias.normal_(0, 0.1)


def tensors(output: Any) -> list[Any]:
    import torch

    if isinstance(output, torch.Tensor):
        return [output]
    return [tensor for part in output for tensor in tensors(part)]


def export(item: Architecture, path: Path) -> None:
    import torch

    torch.manual_seed(zlib.crc32(item.name.encode()))
    module = importlib.import_module(f"architectures.{item.module}")
    with torch.no_grad():
        network = getattr(module, item.name)().eval()
        inputs = tuple(torch.from_numpy(values) for values in item.feeds(item.stream[1]).values())
        settle(network, inputs)
        outputs = tensors(network(*inputs))
        for index, output in enumerate(outputs):
            values = output.double()
            size = float(values.square().mean().sqrt())
            if not 1e-4 < size < 1e4 and output.is_floating_point():
                raise ValueError(f"output {index} has an effective value of {size}: its weights are of no use")
        names = [f"output_{index}" for index in range(len(outputs))]
        torch.onnx.export(
            network,
            inputs,
            str(path),
            opset_version=item.opset,
            input_names=list(item.inputs),
            output_names=names,
            dynamic_axes={
                **item.dynamic(),
                **{name: list(range(o.dim())) for name, o in zip(names, outputs, strict=False)},
            },
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="default: all of the catalogue")
    options = parser.parse_args()
    import torch

    torch.set_num_threads(os.cpu_count() or 1)
    warnings.filterwarnings("ignore")  # a tracer warns of every number that it takes for a constant
    options.folder.mkdir(parents=True, exist_ok=True)
    items = [NAMED[name] for name in options.names] if options.names else list(CATALOGUE)
    failed = 0
    for item in items:
        if there(options.folder, item):
            continue
        begin = time.monotonic()
        partial = options.folder / f"{item.name}.partial"
        try:
            export(item, partial)
        except Exception as failure:  # the others are still wanted
            print(f"export: {item.name}: {type(failure).__name__}: {str(failure)[:500]}", flush=True)
            failed += 1
            continue
        os.replace(partial, options.folder / f"{item.name}.onnx")
        (options.folder / f"{item.name}.digest").write_text(digest(item), encoding="utf-8")
        size = (options.folder / f"{item.name}.onnx").stat().st_size / 2**20
        print(f"export: {item.name}: {size:.1f} MiB, {time.monotonic() - begin:.1f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
