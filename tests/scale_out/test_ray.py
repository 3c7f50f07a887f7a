# SPDX-License-Identifier: Apache-2.0
"""anydim.ray on Ray with four workers: Data gives the bytes of one process, also where a worker dies, with one packed copy of the
weights in memory; Serve batches requests, and one bad request is nobody else's."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anydim
import anydim.ray
import numpy as np
import ray
import workload
from clusters import RAY_WORKERS, run_ray
from memory_checks import check_shared, check_unshared
from ray import serve


def test_workers_give_the_bytes_of_one_process_and_share_one_copy_of_the_weights(
    ray_machine: None, images: workload.Images, packed: Path, notes: Path
) -> None:
    with workload.Sampler(notes, packed, RAY_WORKERS) as sampler:
        found = run_ray(images.folder, workload.Witness(str(notes), str(packed)))
    assert found == images.expected
    check_shared("Ray", sampler.memory, packed)


def test_a_worker_that_is_killed_half_way_is_replaced_and_its_rows_have_the_same_bytes(
    ray_machine: None, images: workload.Images, packed: Path, notes: Path
) -> None:
    after = len(images.expected) // (4 * RAY_WORKERS)
    found = run_ray(images.folder, workload.Witness(str(notes), str(packed), victim="worker", after=after))
    assert (notes / "killed").exists(), "nobody was killed"
    assert len(list(notes.glob("*.json"))) > RAY_WORKERS, "nobody came in its place"
    assert found == images.expected


def test_the_same_with_onnxruntime_has_a_copy_of_the_weights_per_worker(
    ray_machine: None, images: workload.Images, packed: Path, notes: Path
) -> None:
    with workload.Sampler(notes, packed, RAY_WORKERS) as sampler:
        found = run_ray(images.folder, workload.Witness(str(notes), str(packed), "onnxruntime"))
    assert found.keys() == images.expected.keys()
    check_unshared("Ray", sampler.memory)


def test_rows_of_mixed_widths_and_their_results_are_columns_of_arrays(
    ray_machine: None, images: workload.Images, packed: Path
) -> None:
    given = [workload.image_of(workload.image_bytes(images.seed, i)) for i in range(40)]
    session = anydim.InferenceSession(workload.MODEL, threads=1)
    name = session.get_outputs()[0].name
    data: Any = ray.data.from_items([{"id": i, "x": one} for i, one in enumerate(given)], override_num_blocks=3)
    done = data.map_batches(
        anydim.ray.Predictor,
        fn_constructor_args=(workload.MODEL,),
        fn_constructor_kwargs={"packed": packed},
        concurrency=2,
        batch_size=workload.BATCH,
    )
    rows = done.take_all()
    assert sorted(row["id"] for row in rows) == list(range(40))
    for row in rows:
        assert row.keys() == {"id", name}
        (expected,) = session.run(None, {"x": given[row["id"]][None]})
        assert np.array_equal(row[name], expected[0])


def test_serve_answers_requests_of_mixed_widths_and_a_bad_one_fails_alone(
    ray_machine: None, images: workload.Images, packed: Path
) -> None:
    given = [workload.image_of(workload.image_bytes(images.seed, i)) for i in range(40)]
    session = anydim.InferenceSession(workload.MODEL, threads=1)
    name = session.get_outputs()[0].name
    app = anydim.ray.deployment(workload.MODEL, packed=packed, max_batch_size=8, batch_wait_timeout_s=0.05)
    handle: Any = serve.run(app.options(num_replicas=2).bind(), name="rec", route_prefix=None)
    try:
        requests = [{"x": one} for one in given]
        requests.insert(17, {"x": np.zeros((5, 48, 64), np.float32)})
        with ThreadPoolExecutor(len(requests)) as threads:
            answers = list(threads.map(lambda request: _answer(handle, request), requests))
    finally:
        serve.shutdown()
    bad = answers.pop(17)
    assert isinstance(bad, anydim.Error) and "x" in str(bad), bad
    for one, answer in zip(given, answers, strict=True):
        (expected,) = session.run(None, {"x": one[None]})
        assert np.array_equal(answer[name], expected[0])


def _answer(handle: Any, request: dict[str, Any]) -> Any:
    try:
        return handle.remote(request).result(timeout_s=120)
    except anydim.Error as error:
        return error
