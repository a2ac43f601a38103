# SPDX-License-Identifier: GPL-3.0-or-later
"""The product along threads against that of an assembled matrix, for woven sheets."""

from common.measure import program
from common.report import digits, heading, note, short, table, whole

SIDES, QUICK_SIDES = (64, 128, 200), (32, 64)
ROUNDS = 20
HEADER = (
    "vertices",
    "CPU threads",
    "matrix|ms",
    "threads|ms",
    "faster",
    "difference",
    "matrix|MB",
    "threads|MB",
)


def measure(results, quick):
    """`compact_product_speedup`: how many times faster the compact product is, the least over all sizes."""
    heading("A product along threads against one with an assembled matrix of 3 x 3 blocks")
    note(f"Woven squares, {ROUNDS} products each, taken in turn.")
    rows = []
    for threads in (1, 2):
        ratios = []
        printed = program("compact", threads, ROUNDS, *(QUICK_SIDES if quick else SIDES))
        for line in printed.splitlines():
            numbers = [float(word) for word in line.split()]
            count, _blocks, matrix_ms, threads_ms, difference, bytes_taken, compact_bytes = numbers
            ratios.append(matrix_ms / threads_ms)
            results.row(
                "compact",
                vertices=int(count),
                threads=threads,
                matrix_ms=matrix_ms,
                threads_ms=threads_ms,
                difference=difference,
                matrix_bytes=bytes_taken,
                compact_bytes=compact_bytes,
            )
            rows.append(
                (
                    whole(int(count)),
                    threads,
                    digits(matrix_ms, 3),
                    digits(threads_ms, 3),
                    digits(ratios[-1], 2),
                    short(difference),
                    digits(bytes_taken / 1e6, 1),
                    digits(compact_bytes / 1e6, 1),
                )
            )
        ending = "" if threads == 1 else f"_{threads}t"
        results.number(f"compact_product_speedup{ending}", min(ratios))
    table(HEADER, rows)
