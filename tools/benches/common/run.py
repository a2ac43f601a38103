# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a bench by its name: common.run NAME OPTIONS, as tools/bench does."""

import sys
from importlib import import_module, util

name = sys.argv.pop(1)
bench = import_module(name if util.find_spec(name) else f"research.{name}")
sys.exit(getattr(bench, "BENCH", bench).main())
