# SPDX-License-Identifier: Apache-2.0
"""The reckoning of bench/scaling.py."""

from __future__ import annotations

import pytest
from scaling import Node, counts, reckoned, split


def test_a_node_has_its_measured_times_at_one_thread_and_at_all_cores() -> None:
    node = split("conv", 100.0, 55.0, 2)
    assert node == Node("conv", 10.0, 90.0)
    assert node.time(1) == pytest.approx(100)
    assert node.time(2) == pytest.approx(55)


def test_a_node_that_gains_nothing_is_done_by_one_thread() -> None:
    assert split("small", 3.0, 3.5, 2) == Node("small", 3.0, 0.0)
    assert split("alone", 3.0, 1.0, 1) == Node("alone", 3.0, 0.0)


def test_a_node_that_gains_more_than_its_cores_is_shared_whole() -> None:
    assert split("caches", 100.0, 40.0, 2) == Node("caches", 0.0, 100.0)


def test_nodes_add_up_and_threads_double_up_to_the_last() -> None:
    assert reckoned([Node("a", 10.0, 90.0), Node("b", 5.0, 0.0)], 9) == pytest.approx(25)
    assert counts(64) == [1, 2, 4, 8, 16, 32, 64]
    assert counts(6) == [1, 2, 4, 6]
    assert counts(1) == [1]
