# SPDX-License-Identifier: Apache-2.0
"""Where somebody speaks in a WAV file (16 bits, one channel), found while it is read, 20 ms at a time.

python examples/voice_activity.py [recording.wav]

The network is a small one with weights set by hand: the sound's energy in windows of 25 ms, every 10 ms, its level above a floor, smoothed
by a GRU forwards and by an average over 90 ms. It is computed chunk by chunk as it is written, for the whole recording: what windows reach
back to and the GRU's state are kept in between, and results have the bits of one run over the whole file.
"""

import sys
import tempfile
import wave
from pathlib import Path

import anydim
import numpy as np

RATE, CHUNK = 16000, 320  # samples: a second's, and those of 20 ms
FRAME, STEP = 400, 160  # 25 ms, every 10 ms


def network() -> anydim.ModelBuilder:
    """samples [1, 1, n] to the share of speech [1, 1, frames], 0 to 1."""
    g = anydim.ModelBuilder(opset=18)
    x = g.input("samples", (1, 1, "n"))
    high = np.array([[[-0.97, 1.0]]], np.float32)  # what hums is left out
    y = g.node("Conv", x, g.constant(high), pads=[1, 0])
    y = g.node("AveragePool", g.node("Mul", y, y), kernel_shape=[FRAME], strides=[STEP], pads=[FRAME // 2, FRAME // 2])
    y = g.node("Log", g.node("Add", y, g.constant(np.float32(1e-9))))
    level = g.node("Mul", g.node("Add", y, g.constant(np.float32(12.5))), g.constant(np.float32(0.6)))
    # One unit: z = sigmoid(1), n = tanh(2 * level): it follows the level in about 40 ms.
    w = np.array([[[0.0], [0.0], [2.0]]], np.float32)
    bias = np.array([[1.0, 0, 0, 0, 0, 0]], np.float32)
    steps = g.node("Transpose", level, perm=[2, 0, 1])
    state = g.node(
        "GRU", steps, g.constant(w), g.constant(np.zeros((1, 3, 1), np.float32)), g.constant(bias), hidden_size=1
    )
    smooth = g.node("Transpose", g.node("Squeeze", state, g.constant(np.array([1]))), perm=[1, 2, 0])
    mean = np.full((1, 1, 9), 1 / 9, np.float32)
    y = g.node("Conv", smooth, g.constant(mean), pads=[4, 4])
    g.output(g.node("Sigmoid", g.node("Mul", y, g.constant(np.float32(6.0))), outputs=["speech"]))
    return g


def example(path: Path) -> Path:
    """Three seconds: silence, a voice of harmonics from 0.8 to 2.1 s, silence."""
    t = np.arange(3 * RATE) / RATE
    voice = sum(np.sin(2 * np.pi * 140 * k * t) / k for k in range(1, 25)) * (1 + 0.5 * np.sin(2 * np.pi * 5 * t))
    sound = 0.08 * voice * ((t > 0.8) & (t < 2.1)) + 0.0004 * np.random.default_rng(0).standard_normal(len(t))
    with wave.open(str(path), "wb") as out:
        out.setparams((1, 2, RATE, 0, "NONE", ""))
        out.writeframes((sound * 32767).clip(-32768, 32767).astype("<i2").tobytes())
    return path


def chunks(path: Path):
    with wave.open(str(path), "rb") as recording:
        if recording.getnchannels() != 1 or recording.getsampwidth() != 2 or recording.getframerate() != RATE:
            sys.exit(f"{path}: expected one channel of 16 bits at {RATE} samples a second")
        while data := recording.readframes(CHUNK):
            yield np.frombuffer(data, "<i2").astype(np.float32).reshape(1, 1, -1) / 32768


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else example(Path(tempfile.mkdtemp()) / "example.wav")
    bounds = {"samples": [1, 1, (0, CHUNK)]}
    session = anydim.InferenceSession(
        network(), streaming={"samples": 2}, streaming_chunk=CHUNK, bounds=bounds, threads=1
    )
    stream = session.streaming()
    print(
        f"{stream.bytes_needed} bytes are all that it ever takes; the first result comes after {stream.info()['first_after']} samples"
    )
    frames, begun = 0, None
    speech: list[np.ndarray] = []

    def hear(new: np.ndarray) -> None:
        nonlocal frames, begun
        speech.append(new)
        for share in new[0, 0]:
            at = frames * STEP / RATE
            if share > 0.5 and begun is None:
                begun = at
            elif share < 0.5 and begun is not None:
                print(f"speech from {begun:.2f} to {at:.2f} s")
                begun = None
            frames += 1

    for chunk in chunks(path):
        hear(stream.push({"samples": chunk})[0])
    hear(stream.finish()[0])
    if begun is not None:
        print(f"speech from {begun:.2f} s to the end")
    whole = anydim.InferenceSession(network()).run(None, {"samples": np.concatenate(list(chunks(path)), axis=2)})[0]
    same = np.array_equal(np.concatenate(speech, axis=2), whole)
    print(f"{frames} frames; beside one run over all samples, same bits: {same}")


if __name__ == "__main__":
    main()
