# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of `tools/bench methods`, one file for each source or question."""
