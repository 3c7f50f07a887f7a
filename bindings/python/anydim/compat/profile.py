# SPDX-License-Identifier: Apache-2.0
"""The profile of a session as a file of trace events, with the names that onnxruntime's has: a run, and each of its nodes."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from typing import Any


class Profile:
    """Collects the events of a session's runs, which it makes one after the other."""

    def __init__(self, prefix: str) -> None:
        now = time.time()
        stamp = time.strftime("%Y-%m-%d_%H-%M-%S", time.localtime(now))
        self._path = f"{prefix or 'onnxruntime_profile_'}_{stamp}_{int(now * 1000) % 1000:03d}.json"
        self.start_ns = time.perf_counter_ns()
        self._lock = threading.Lock()
        self._events: list[dict[str, Any]] = []

    def _event(self, category: str, name: str, begin: float, duration: float, args: dict[str, Any]) -> dict[str, Any]:
        place = {"pid": os.getpid(), "tid": threading.get_native_id(), "ph": "X"}
        return {"cat": category, **place, "dur": round(duration), "ts": round(begin), "name": name, "args": args}

    def run(self, run: Callable[[], list[Any]], session: Any) -> list[Any]:
        with self._lock:
            begin = (time.perf_counter_ns() - self.start_ns) / 1000
            results = run()
            end = (time.perf_counter_ns() - self.start_ns) / 1000
            at = begin
            for number, node in enumerate(session.explain()["nodes"]):
                microseconds = node.get("nanoseconds", 0) / 1000
                args = {"op_name": node["type"], "provider": "CPUExecutionProvider", "node_index": str(number)}
                self._events.append(self._event("Node", f"{node['name']}_kernel_time", at, microseconds, args))
                at += microseconds
            self._events.append(self._event("Session", "model_run", begin, end - begin, {}))
        return results

    def write(self) -> str:
        with self._lock, open(self._path, "w") as file:
            json.dump(self._events, file, indent=0)
        return self._path
