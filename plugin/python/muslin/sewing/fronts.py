# SPDX-License-Identifier: GPL-3.0-or-later
"""Open fronts of a garment that is simulated whole: two stretches of one border that could be closed with each other.

Which vertices are of one the library finds, by the rules that it has for halves (docs/notes/mirroring.md).
"""

import numpy as np

from .. import arrays
from ..calls import call
from .seams import between, border_edges, chain_of


def open_fronts(mesh):
    """Chains of vertices to be closed, as pairs: each begins and ends opposite of the other."""
    numbers = np.zeros(mesh.vertex_count, np.int32)
    struct, keep = mesh.to_struct()
    call("muslin_mesh_get_fronts", struct, arrays.int_pointer(numbers))
    del keep
    edges = border_edges(mesh)
    found = []
    for front in range(1, numbers.max(initial=0) + 1):
        first, second = (
            chain_of(edges[(numbers[edges] == n).all(axis=1)]) for n in (front, -front)
        )
        ends = mesh.positions[[first[0], first[-1]]]
        ways = [mesh.positions[[chain[0], chain[-1]]] - ends for chain in (second, second[::-1])]
        straight, crossed = (np.linalg.norm(way, axis=1).sum() for way in ways)
        found.append((first, second if straight <= crossed else second[::-1]))
    return found


def front_stitches(mesh):
    """For Cloth.sew(): what closes all open fronts, edge to edge; None where there are none."""
    fronts = open_fronts(mesh)
    if not fronts:
        return None
    return np.concatenate([between(mesh.positions, *pair) for pair in fronts])
