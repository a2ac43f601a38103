# SPDX-License-Identifier: GPL-3.0-or-later
"""The product along threads against that of an assembled matrix, for woven sheets."""

from common.measure import program
from common.report import Rows, heading, note

SIDES, QUICK_SIDES = (64, 128, 200), (32, 64)
ROUNDS = 20


COLUMNS = "vertices threads matrix_ms threads_ms faster difference matrix_bytes compact_bytes"


def measure(results, quick):
    """`compact_product_speedup`: how many times faster the compact product is, the least over all sizes."""
    heading("A product along threads against one with an assembled matrix of 3 x 3 blocks")
    note(f"Woven squares, {ROUNDS} products each, taken in turn.")
    rows = Rows(results, "compact", COLUMNS)
    for threads in (1, 2):
        ratios = []
        printed = program("compact", threads, ROUNDS, *(QUICK_SIDES if quick else SIDES))
        for line in printed.splitlines():
            numbers = [float(word) for word in line.split()]
            count, _blocks, matrix_ms, threads_ms, difference, bytes_taken, compact_bytes = numbers
            ratios.append(matrix_ms / threads_ms)
            rows.add(
                vertices=int(count),
                threads=threads,
                matrix_ms=matrix_ms,
                threads_ms=threads_ms,
                faster=ratios[-1],
                difference=difference,
                matrix_bytes=bytes_taken,
                compact_bytes=compact_bytes,
            )
        ending = "" if threads == 1 else f"_{threads}t"
        results.number(f"compact_product_speedup{ending}", min(ratios))
    rows.show()
