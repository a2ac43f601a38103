# SPDX-License-Identifier: GPL-3.0-or-later
"""The product along threads against that of an assembled matrix, for woven sheets."""

from common.measure import program

SIDES = (64, 128, 200)
ROUNDS = 20


def keys():
    """{key: value}: how many times faster the compact product is, the least over all sizes; and how far both differ."""
    found = {}
    for threads in (1, 2):
        ratios, apart = [], []
        for line in program("compact", threads, ROUNDS, *SIDES).splitlines():
            _vertices, _blocks, matrix_ms, threads_ms, difference, _bytes, _compact = map(
                float, line.split()
            )
            ratios.append(matrix_ms / threads_ms)
            apart.append(difference)
        ending = "" if threads == 1 else f"_{threads}t"
        found[f"compact_product_speedup{ending}"] = min(ratios)
        found[f"compact_product_difference{ending}"] = max(apart)
    return found
