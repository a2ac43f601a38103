# SPDX-License-Identifier: GPL-3.0-or-later
"""What the program native/bench/rivals prints, as records."""

import os
from dataclasses import dataclass

from common.measure import program

ONE_THREAD = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
)  # for a BLAS that would take more by itself
FIELDS = (int, int, int, int, str, int, float, float, float)
CHOLMOD = ("simplicial", "supernodal")
OTHERS = ("supernodal", "eigen")  # those that a machine may not have
WHY = {
    "supernodal": "CHOLMOD's supernodal solve is left out: no BLAS and LAPACK to build it with",
    "eigen": "Eigen's SimplicialLLT is left out: Eigen is not installed",
}


@dataclass(frozen=True)
class Line:
    """One contender at one size."""

    vertices: int
    factor_entries: int
    packed_bytes: int
    bits: int  # of a packed number
    name: str
    threads: int
    ms: float  # median
    least_ms: float
    error: float


def parse(text):
    return [
        Line(*(kind(word) for kind, word in zip(FIELDS, line.split())))
        for line in text.splitlines()
    ]


def run(turns, side):
    """The contenders at one size, by (name, threads)."""
    for name in ONE_THREAD:
        os.environ.setdefault(name, "1")
    return {(line.name, line.threads): line for line in parse(program("rivals", turns, side))}


def blas():
    """The library behind CHOLMOD's supernodal solve; a reference BLAS makes a slow opponent."""
    return program("rivals", "blas").strip()


def cholmods(lines):
    """CHOLMOD's own solves, as many as there are."""
    return [lines[name, 1] for name in CHOLMOD if (name, 1) in lines]


def best_cholmod(lines):
    """The faster of them."""
    return min(cholmods(lines), key=lambda line: line.ms)
