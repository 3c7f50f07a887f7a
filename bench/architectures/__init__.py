# SPDX-License-Identifier: Apache-2.0
"""Network architectures of many kinds with random weights: what catalogue.py lists is exported by export.py, for bench/zoo.py."""
