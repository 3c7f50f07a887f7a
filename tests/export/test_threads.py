# SPDX-License-Identifier: Apache-2.0
"""Steps of exported C on threads of the program's: the bits of one thread, whatever the order."""

from __future__ import annotations

import ctypes
import subprocess
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exported_c import ROOT, WARNINGS, Compiled, Refused, export, same_bits, sources
from exported_models import FMA, SEED, Model

TASK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int)
PARALLEL_FOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, TASK, ctypes.c_void_p, ctypes.c_int)


@pytest.mark.parametrize("name", ["rec", "mobilenet", "bert", "segmentation", "residual", "two_rates", "decoder"])
def test_several_threads_have_the_bits_of_one(name: str, folder: Path) -> None:
    model = Model(name, folder)
    export(model.path, folder / f"{name}_threads", model.bounds, threads=3)
    compiled = Compiled(folder / f"{name}_threads", ("-O2", *FMA, *WARNINGS))
    shared = []

    @PARALLEL_FOR
    def backwards(_user: Any, task: Any, step: Any, parts: int) -> None:
        shared.append(parts)
        for i in reversed(range(parts)):
            task(step, i)

    @PARALLEL_FOR
    def threads(_user: Any, task: Any, step: Any, parts: int) -> None:
        running = [threading.Thread(target=task, args=(step, i)) for i in range(parts)]
        for t in running:
            t.start()
        for t in running:
            t.join()

    random = np.random.default_rng(SEED)
    for _ in range(5):
        feeds = model.feeds(random)
        status, wanted = compiled.run(feeds)
        for way in (backwards, threads):
            again, got = compiled.run(feeds, way)
            assert again == status, f"ANYDIM_SEED={SEED}"
            assert all(same_bits(a, b) for a, b in zip(got, wanted, strict=True)), f"ANYDIM_SEED={SEED}"
        if status == 0:
            for a, b in zip(wanted, model.session.run(None, feeds), strict=True):
                assert same_bits(a, np.asarray(b)), f"ANYDIM_SEED={SEED}"
    assert max(shared, default=0) > 1 or name in ("two_rates", "decoder")  # whose steps are small


def test_thread_sanitizer_finds_nothing(folder: Path, tmp_path: Path) -> None:
    model = Model("mobilenet", folder)
    export(model.path, tmp_path / "c", model.bounds, threads=4)
    (tmp_path / "c" / "threads.c").write_text(
        """#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct { net_task *task; void *step; int part; } one;
static void *run(void *p) { one *o = (one *)p; o->task(o->step, o->part); return NULL; }
static void parallel_for(void *user, net_task *task, void *step, int parts) {
  pthread_t threads[NET_PARTS];
  one all[NET_PARTS];
  int i;
  *(int *)user += 1;
  for (i = 0; i < parts; ++i) {
    all[i].task = task, all[i].step = step, all[i].part = i;
    pthread_create(&threads[i], NULL, run, &all[i]);
  }
  for (i = 0; i < parts; ++i) pthread_join(threads[i], NULL);
}

static _Alignas(64) unsigned char arena[NET_ARENA_BYTES];
static float x[NET_X_ELEMENTS], y[NET_Y0_ELEMENTS], again[NET_Y0_ELEMENTS];

int main(void) {
  net_dims_t d = {2, 40, 48};
  int calls = 0;
  unsigned i;
  for (i = 0; i < NET_X_ELEMENTS; ++i) x[i] = (float)(i * 2654435761u >> 8) * 0x1p-23f - 1.f;
  if (net_run(&d, arena, x, y) != 0 || net_run_with(&d, arena, x, again, parallel_for, &calls) != 0) return 1;
  printf("%d steps\\n", calls);
  return memcmp(y, again, sizeof y) != 0 || calls < 3;
}
""",
        encoding="utf-8",
    )
    command = ["gcc", "-std=c11", "-O1", "-g", "-ffp-contract=off", "-fsanitize=thread", "-pthread", *FMA]
    command += ["-include", str(tmp_path / "c" / "net.h")]
    files = [*sources(tmp_path / "c"), tmp_path / "c" / "threads.c"]
    subprocess.run([*command, *map(str, files), "-lm", "-o", str(tmp_path / "threads")], check=True)
    done = subprocess.run([str(tmp_path / "threads")], capture_output=True, text=True, check=False)
    if "unexpected memory mapping" in done.stderr:
        pytest.skip("ThreadSanitizer cannot run on this kernel")
    assert done.returncode == 0, done.stdout + done.stderr


def test_threads_and_streams_do_not_go_together(folder: Path, tmp_path: Path) -> None:
    model = Model("mobilenet", folder)
    with pytest.raises(Refused, match="--threads and --stream do not go together"):
        export(model.path, tmp_path, model.bounds, stream=("x:2",), chunk=8, threads=2)
    with pytest.raises(Refused, match="--threads is 0; expected 1 to 64"):
        run = [
            str(ROOT / "build" / "bin" / "anydim"),
            "export",
            str(model.path),
            "--to",
            str(tmp_path),
            "--threads",
            "0",
        ]
        done = subprocess.run(run, capture_output=True, text=True, check=False)
        raise Refused(done.stderr)
