# SPDX-License-Identifier: GPL-3.0-or-later
"""A pleated dress on a dancer."""

PARTS = {}
FIGURES = ""
