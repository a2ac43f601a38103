# SPDX-License-Identifier: GPL-3.0-or-later
"""Strips of measured fabrics, hung and pulled, against their own files."""

import json
from math import atan2, degrees, sqrt

import numpy as np
from common.bench import heading, note
from fabric_cases.theory import PEIRCE, Table, peirce_length
from muslin import Cloth, Mesh
from test_scenes.contact import real
from truth_cases.meshes import ALTERNATING, IRREGULAR, ONE_WAY, wings
from truth_cases.rig import BARE, GRAVITY, LEVEL, mesh_of, settle, sweep, worst

# --- the measured fabrics that stand beside the checkout, read here as plain numbers ----------------

FOLDER = real.FOLDER / "fabrics"
NAMES = ("11oz-black-denim", "camel-ponte-roma", "gray-interlock", "ivory-rib-knit")
NAMES += ("navy-sparkle-sweat", "pink-ribbon-brown", "royal-target", "tango-red-jet-set")
NAMES += ("white-dots-on-blk", "white-swim-solid")
QUICK = ("11oz-black-denim", "gray-interlock", "royal-target")


def measured(names):
    """{name: content} of those that are there; tells which are not."""
    absent = [name for name in names if not path_of(name).is_file()]
    if absent:
        note(f"Skipped, since shared/data/fabrics lacks it: {', '.join(absent)}.")
    return {name: json.loads(path_of(name).read_text()) for name in names if name not in absent}


def path_of(name):
    return FOLDER / f"{name}.json"


# --- Peirce's cantilever along warp, bias and weft --------------------------------------------------

KINDS = (ALTERNATING, ONE_WAY, IRREGULAR)
ROWS = {"warp": 0, "bias": 1, "weft": 2}  # of the file, 45 degrees apart
# Along the strip; its width over its length. The elastica is a narrow strip, which arches and twists as it likes: along
# the bias wide ones are stiffer, by as much as the clamp and the cloth's own stretch keep them from it.
CELLS, SHARE = 64, 0.06
SLACK = 300  # stretch stiffness over the strip's weight: stiff, but no triangle locks
DAMPING = 1.5  # of the slowest swing: nearly critical, the quickest way to rest


def hang(fabric, kind, length, bias):
    """Degrees below the horizontal at which the ends of two strips are seen from the clamp between them.

    Each is the other's image, warp `bias` degrees from their length. Held by the vertex in their middle: both are level
    there for symmetry's sake, and may arch.
    """
    flat = wings(kind, CELLS, length, SHARE)
    angle = np.radians(bias)
    along, across = np.abs(flat.points[:, 0]), flat.points[:, 1]
    u = along * np.cos(angle) + across * np.sin(angle)
    v = across * np.cos(angle) - along * np.sin(angle)
    uvs = np.column_stack([u, v]).astype(np.float32)
    stretch = SLACK * fabric["density"] * GRAVITY * length
    settings = {**BARE, "density": fabric["density"], "shear": stretch / 4}
    settings |= {"stretch_warp": stretch, "stretch_weft": stretch}
    settings["bend_samples"] = [number for row in fabric["bending"] for number in row]
    settings["damping"] = DAMPING * sqrt(GRAVITY / length)
    corners = flat.triangles.ravel()
    mesh = mesh_of(flat.standing(LEVEL), flat.triangles, uvs=uvs, uv_indices=corners)
    with Cloth(mesh, **settings) as cloth:
        cloth.set_pins([flat.clamp[np.argmin(np.abs(across[flat.clamp]))]])
        positions = settle(cloth, 1 / 48, limit=1200)
    ends = positions[along > length * (1 - 1e-6)]
    return degrees(atan2(-ends[:, 2].mean(), np.abs(ends[:, 0]).mean()))


def bending(results, quick):
    """strip_bend_degrees: the farthest that any of them hangs from 41.5 degrees."""
    heading("Measured strips that hang, as long as the elastica hangs to 41.5 degrees with")
    fabrics = measured(QUICK if quick else NAMES)
    if not fabrics:
        return

    def one(name, along, kind):
        fabric, row = fabrics[name], ROWS[along]
        weight = fabric["density"] * GRAVITY
        length = peirce_length(tuple(fabric["bending"][row]), weight)
        found = hang(fabric, kind, length, 45 * row)
        return {"length": length, "degrees": found, "off": found - PEIRCE}

    rows = sweep(one, fabric=fabrics, along=ROWS, kind=KINDS[1:2] if quick else KINDS)
    results.table("strip_bend", rows, strip_bend_degrees=worst(rows, "off"))


# --- strips that are pulled ------------------------------------------------------------------------

DIRECTIONS = (0, 45, 90)  # degrees of the strip from the warp: warp, bias and weft
# Of strips that no curve was made for: no energy can have the file's stress there.
BETWEEN = (22.5, 67.5)
STRETCHES = (0.04, 0.1)
LENGTH, WIDTH, ACROSS, ALONG = 0.48, 0.04, 6, 72  # m; cells
FINE = np.linspace(0, 1 / 6, 120)  # stretches of a curve


def flat_strip(degrees):
    """Hanging along -z, its warp turned from its length."""
    u, v = np.meshgrid(np.linspace(0, WIDTH, ACROSS + 1), np.linspace(0, LENGTH, ALONG + 1))
    u, v = u.ravel(), v.ravel()
    a = np.arange(ALONG * (ACROSS + 1)).reshape(ALONG, ACROSS + 1)[:, :-1].ravel()
    corners = np.column_stack([a, a + 1, a + ACROSS + 2, a + ACROSS + 1]).ravel()
    turn = np.radians(degrees)
    aside, down = v * np.cos(turn) - u * np.sin(turn), v * np.sin(turn) + u * np.cos(turn)
    uvs = np.column_stack([aside, down]).astype(np.float32)
    positions = np.column_stack([u, 0 * u, -v]).astype(np.float32)
    return Mesh(positions, np.full(len(a), 4, np.int32), corners, uvs=uvs, uv_indices=corners)


def pull(content, degrees, force):
    """Stretch in the middle of a strip that is pulled there with so much force per width, N/m; and that force."""
    mesh, density = flat_strip(degrees), content["density"]
    last = np.arange(mesh.vertex_count - ACROSS - 1, mesh.vertex_count)
    below = 0.5 * density * LENGTH * GRAVITY  # N/m, of the cloth itself
    load = max(force - below, 0.0) * WIDTH / GRAVITY  # kg
    # of the last row, kg
    own = density * WIDTH * LENGTH / (ACROSS * ALONG) * np.full(ACROSS + 1, 0.5)
    own[[0, -1]] /= 2
    mass = np.ones(mesh.vertex_count, np.float32)
    mass[last] += load / own.sum()
    samples = 2 * np.maximum(np.array(content["stretching"]), 0)
    settings = {**BARE, "model": "membrane", "pattern": "uv", "density": density, "bend": 1e-6}
    settings |= {"stretch_samples": samples.ravel().tolist(), "damping": 8.0, "quality": "final"}
    with Cloth(mesh, **settings) as cloth:
        cloth.set_pins(np.arange(ACROSS + 1))
        cloth.set_maps(mass=mass)
        positions = settle(cloth, 1 / 24, limit=3000, still=2e-5)
    lines = positions.reshape(ALONG + 1, ACROSS + 1, 3)[ALONG // 3 : 2 * ALONG // 3 + 1]
    now = np.linalg.norm(np.diff(lines, axis=0), axis=2).sum(0).mean()
    return now / (LENGTH * (len(lines) - 1) / ALONG) - 1, below + load * GRAVITY / WIDTH


def stretching(results, quick):
    """strip_error: force for the length against the file's numbers."""
    fabrics = measured(QUICK if quick else NAMES)
    if not fabrics:
        return
    heading("Measured strips that are pulled: force for their length against the file's numbers")

    def one(name, degrees, stretch):
        curve = Table(fabrics[name]).pulls(degrees, FINE)
        seen, force = pull(fabrics[name], degrees, float(np.interp(stretch, FINE, curve)))
        return {"error_share": force / float(np.interp(seen, FINE, curve)) - 1}

    directions = DIRECTIONS if quick else (*DIRECTIONS, *BETWEEN)
    rows = sweep(one, fabric=fabrics, degrees=directions, stretch=STRETCHES)
    results.table("strip", rows)
    for key, angles in (("strip_error", DIRECTIONS), ("strip_error_between", BETWEEN)):
        mine = [row for row in rows if row["degrees"] in angles]
        if mine:
            results.number(key, worst(mine, "error_share"))
