# SPDX-License-Identifier: GPL-3.0-or-later
"""How far Muslin can be trusted: failing memory, broken files and meshes, kills, and long lives in Blender."""

import sys

from common.parts import Bench
from trust_cases import coverage, fuzz, garbage, kills, kills_blender, memory, soak

QUICK_HELP = "few executions, kills and steps; the same figures of shorter runs"
PARTS = {
    "coverage": coverage,
    "fuzz": fuzz,
    "garbage": garbage,
    "kills": kills,
    "kills_blender": kills_blender,
    "memory": memory,
    "soak": soak,
}
# Key, what it is, what to reach.
FIGURES = (
    ("coverage", "lines of native and plugin/src that tests run", ">= 0.97"),
    ("oom_tried", "allocations that were made to fail", "all"),
    ("oom_wrong", "of these, with a wrong result, a leak or no status", "0"),
    ("fuzz_readers", "executions of fuzzed files without a finding", ">= 1e7"),
    ("fuzz_abi", "executions of fuzzed calls without a finding", ">= 1e5"),
    ("garbage_failed", "defective real meshes, of 300, that were not survived", "0"),
    ("kills_tried", "kills during a bake, on the command line and in Blender", ">= 50"),
    ("kills_lost", "of these, with a finished frame or an older result lost", "0"),
    (
        "soak_steps",
        "random steps in Blender's window that ended well, the worst of three",
        ">= 2000",
    ),
)
BENCH = Bench("trust", __doc__, QUICK_HELP, PARTS, FIGURES)

if __name__ == "__main__":
    sys.exit(BENCH.main())
