# SPDX-License-Identifier: Apache-2.0
"""Run by test_rapidocr.py: a program with onnxruntime's interface whose sessions all prefer the OpenCL device. The last line that it prints
is the program's own, the one before it says how many programs of the device there were.

Usage, with ANYDIM_AS_ONNXRUNTIME=1: rapidocr_child.py PROGRAM ARGUMENT...
"""

from __future__ import annotations

import functools
import runpy
import sys
from typing import Any

import anydim
import anydim.session

make = anydim.session.InferenceSession.__init__


@functools.wraps(make)
def on_device(self: anydim.InferenceSession, *arguments: Any, **options: Any) -> None:
    options.setdefault("engines", "opencl")
    make(self, *arguments, **options)
    counters = anydim.counters()
    print("programs", counters["programs_compiled"] + counters["programs_loaded"])


anydim.session.InferenceSession.__init__ = on_device  # type: ignore[method-assign]
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
