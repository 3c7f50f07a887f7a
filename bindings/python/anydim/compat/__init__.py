# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for other packages' interfaces, for programs that know those."""
