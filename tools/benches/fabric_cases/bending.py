# SPDX-License-Identifier: GPL-3.0-or-later
"""Peirce's cantilever of every measured fabric: strips along warp, bias and weft against the elastica."""

from math import atan2, degrees, sqrt

import numpy as np
from common.report import digits, heading, note, table
from fabric_cases import elastica, files
from muslin import Cloth, Mesh
from truth_cases.meshes import ALTERNATING, IRREGULAR, ONE_WAY, wings
from truth_cases.rig import BARE, GRAVITY, every, settle

KINDS = (ALTERNATING, ONE_WAY, IRREGULAR)
ROWS = {"warp": 0, "bias": 1, "weft": 2}  # of the file, 45 degrees apart
# Along the strip; its width over its length. The elastica is a narrow strip, which arches and twists as it likes: along
# the bias wide ones are stiffer, by as much as the clamp and the cloth's own stretch keep them from it.
CELLS, SHARE = 64, 0.06
SLACK = 300  # stretch stiffness over the strip's weight: stiff, but no triangle locks
STEP = 1 / 48
DAMPING = 1.5  # of the slowest swing: nearly critical, the quickest way to rest


def strip(kind, length, bias):
    """Two strips to both sides of a clamp, each the other's image, warp `bias` degrees from their length.

    Held by the vertex in their middle: both are level there for symmetry's sake, and may arch.
    """
    flat = wings(kind, CELLS, length, SHARE)
    angle = np.radians(bias)
    along, across = np.abs(flat.points[:, 0]), flat.points[:, 1]
    uvs = np.column_stack(
        [
            along * np.cos(angle) + across * np.sin(angle),
            across * np.cos(angle) - along * np.sin(angle),
        ]
    )
    sizes = np.full(len(flat.triangles), 3, np.int32)
    corners = flat.triangles.ravel()
    positions = flat.standing([(1, 0, 0), (0, 1, 0)])
    held = flat.clamp[np.argmin(np.abs(across[flat.clamp]))]
    mesh = Mesh(positions, sizes, corners, uvs=uvs.astype(np.float32), uv_indices=corners)
    return along, held, mesh


def hang(fabric, kind, length, bias):
    """Degrees below the horizontal at which the ends are seen from the clamp."""
    along, held, mesh = strip(kind, length, bias)
    density = fabric["density"]
    stretch = SLACK * density * GRAVITY * length
    settings = {
        **BARE,
        "density": density,
        "stretch_warp": stretch,
        "stretch_weft": stretch,
        "shear": stretch / 4,
        "bend_samples": [number for row in fabric["bending"] for number in row],
        "damping": DAMPING * sqrt(GRAVITY / length),
    }
    with Cloth(mesh, **settings) as cloth:
        cloth.set_pins([held])
        positions = settle(cloth, STEP, limit=1200)
    ends = positions[along > length * (1 - 1e-6)]
    return degrees(atan2(-ends[:, 2].mean(), np.abs(ends[:, 0]).mean()))


def measure(results, quick):
    """`strip_bend_degrees`: the farthest that any of them hangs from 41.5 degrees."""
    heading("Measured strips that hang: Peirce's angle against the elastica of the file's numbers")
    fabrics = files.measured(quick)
    kinds = KINDS[1:2] if quick else KINDS
    if not fabrics:
        return

    def one(name, along, kind):
        fabric, row = fabrics[name], ROWS[along]
        weight = fabric["density"] * GRAVITY
        length = elastica.peirce_length(tuple(fabric["bending"][row]), weight)
        return length, hang(fabric, kind, length, 45 * row)

    runs = every(one, fabrics, ROWS, kinds)
    rows, worst = [], 0.0
    for name in fabrics:
        for along in ROWS:
            found = {k: value for (n, a, k), value in runs if (n, a) == (name, along)}
            length = next(iter(found.values()))[0]
            angles = [angle for _, angle in found.values()]
            worst = max(worst, *(abs(angle - elastica.PEIRCE) for angle in angles))
            rows.append((name, along, digits(1000 * length, 1), *(digits(a, 2) for a in angles)))
            for kind, (_, angle) in found.items():
                results.row(
                    "strip_bend", fabric=name, along=along, kind=kind, length=length, degrees=angle
                )
    table(("fabric", "along", "length|mm", *kinds), rows, left=2)
    note(f"The strips are as long as the elastica hangs to {elastica.PEIRCE} degrees with.")
    results.number("strip_bend_degrees", worst)
