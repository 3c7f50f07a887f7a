# SPDX-License-Identifier: Apache-2.0
"""The generator of everything that follows from capi/api and core/ops/described. Run it as `python -m generator` in capi/."""
