# SPDX-License-Identifier: GPL-3.0-or-later
"""Membranes that are stretched: against triangular springs, and measured fabrics against their own files."""

import numpy as np
from common.report import digits, heading, note, percent, table
from fabric_cases import files
from fabric_cases.table import Table
from muslin import Cloth, Mesh
from truth_cases.rig import BARE, GRAVITY, every, settle

DIRECTIONS = {"warp": 0, "bias": 45, "weft": 90}  # degrees of the strip from the warp
STRETCHES = (0.04, 0.1)
BETWEEN = (22.5, 67.5)  # degrees, of strips that no curve was made for
LENGTH, WIDTH, CELLS = 0.48, 0.04, (6, 72)  # m, across and along
STEP, DAMPING = 1 / 24, 8.0  # s, 1/s


def flat_strip(degrees):
    """Hanging along -z, its warp turned from its length."""
    across, along = CELLS
    u, v = np.meshgrid(np.linspace(0, WIDTH, across + 1), np.linspace(0, LENGTH, along + 1))
    u, v = u.ravel(), v.ravel()
    a = np.arange(along * (across + 1)).reshape(along, across + 1)[:, :-1].ravel()
    faces = np.column_stack([a, a + 1, a + across + 2, a + across + 1])
    turn = np.radians(degrees)
    uvs = np.column_stack(
        [v * np.cos(turn) - u * np.sin(turn), v * np.sin(turn) + u * np.cos(turn)]
    ).astype(np.float32)
    positions = np.column_stack([u, 0 * u, -v]).astype(np.float32)
    sizes = np.full(len(faces), 4, np.int32)
    corners = faces.ravel()
    return Mesh(positions, sizes, corners, uvs=uvs, uv_indices=corners)


def hang(content, degrees, pull):
    """Stretch in the middle of a strip that is pulled there with so much force per width, N/m."""
    mesh = flat_strip(degrees)
    across, along = CELLS
    count = mesh.vertex_count
    last = np.arange(count - across - 1, count)
    density = content["density"]
    below = 0.5 * density * LENGTH * GRAVITY  # N/m, of the cloth itself
    load = max(pull - below, 0.0) * WIDTH / GRAVITY  # kg
    own = (
        density * WIDTH * LENGTH / (across * along) * np.full(across + 1, 0.5)
    )  # of the last row, kg
    own[[0, -1]] /= 2
    mass = np.ones(count, np.float32)
    mass[last] += load * own / own.sum() / own
    samples = 2 * np.maximum(np.array(content["stretching"]), 0)
    settings = {
        **BARE,
        "model": "membrane",
        "pattern": "uv",
        "density": density,
        "stretch_samples": samples.ravel().tolist(),
        "bend": 1e-6,
        "damping": DAMPING,
        "quality": "final",
    }
    with Cloth(mesh, **settings) as cloth:
        cloth.set_pins(np.arange(across + 1))
        cloth.set_maps(mass=mass)
        positions = settle(cloth, STEP, limit=3000, still=2e-5)
    lines = positions.reshape(along + 1, across + 1, 3)[along // 3 : 2 * along // 3 + 1]
    now = np.linalg.norm(np.diff(lines, axis=0), axis=2).sum(0).mean()
    return now / (LENGTH * (len(lines) - 1) / along) - 1, (below + load * GRAVITY / WIDTH)


def biquadratic_error(results, rounds=40):
    """`trbs_energy_error`: St Venant and Kirchhoff's sheet against Delingette's springs, random places."""
    random = np.random.default_rng(3)
    young, ratio = 640.0, 0.25  # exact in single precision, and so is the shear modulus
    numbers = {"stretch_warp": young, "stretch_weft": young, "shear": young / (2 * (1 + ratio))}
    first, second = young * ratio / (1 - ratio**2), young / (1 + ratio)
    worst = 0.0
    for _ in range(rounds):
        rest = random.uniform(0, 1, (3, 3)).astype(np.float32)
        mesh = Mesh(rest, [3], [0, 1, 2])
        now = random.uniform(-1, 1, (3, 3)).astype(np.float32)
        settings = {**BARE, **numbers, "model": "membrane", "poisson": ratio, "bend": 0}
        with Cloth(mesh, **settings) as cloth:
            cloth.set_state(now)
            ours = cloth.stats().elastic_energy
        worst = max(worst, abs(ours / springs(rest, now, first, second) - 1))
    results.number("trbs_energy_error", worst)


def springs(rest, now, first, second):
    """Energy of one triangle, J, from the changes of its squared sides; by Lame's numbers, N/m."""
    rest, now = rest.astype(float), now.astype(float)
    area = np.linalg.norm(np.cross(rest[1] - rest[0], rest[2] - rest[0])) / 2
    change, cotangent = np.zeros(3), np.zeros(3)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        change[i] = ((now[k] - now[j]) ** 2).sum() - ((rest[k] - rest[j]) ** 2).sum()
        cotangent[i] = (rest[j] - rest[i]) @ (rest[k] - rest[i]) / (2 * area)
    own = (2 * cotangent**2 * (first + second) + second) / (16 * area)
    pairs = np.array([cotangent[(i + 1) % 3] * cotangent[(i + 2) % 3] for i in range(3)])
    coupling = (2 * pairs * (first + second) - second) / (16 * area)
    products = np.array([change[(i + 1) % 3] * change[(i + 2) % 3] for i in range(3)])
    return (own * change**2).sum() / 4 + (coupling * products).sum() / 2


def strips(results, quick):
    fabrics = files.measured(quick)
    if not fabrics:
        return
    heading("Measured strips that are pulled: force for their length against the file's numbers")

    def one(name, degrees, stretch):
        content = fabrics[name]
        fine = np.linspace(0, 1 / 6, 120)
        pulls = Table(content).pulls(degrees, fine)
        wanted = float(np.interp(stretch, fine, pulls))
        seen, pull = hang(content, degrees, wanted)
        return pull / float(np.interp(seen, fine, pulls)) - 1

    between = () if quick else BETWEEN
    runs = dict(every(one, fabrics, (*DIRECTIONS.values(), *between), STRETCHES))
    rows = []
    for name in fabrics:
        cells = []
        for degrees in (*DIRECTIONS.values(), *between):
            errors = [runs[name, degrees, stretch] for stretch in STRETCHES]
            cells += [percent(error, 2) for error in errors]
            for stretch, error in zip(STRETCHES, errors):
                results.row("strip", fabric=name, degrees=degrees, stretch=stretch, error=error)
        rows.append((name, *cells))
    heads = [*DIRECTIONS, *(f"{degrees} deg" for degrees in between)]
    table(("fabric", *(f"{head}|{100 * s:.0f} %" for head in heads for s in STRETCHES)), rows)

    def worst(angles):
        return max(abs(error) for (_, degrees, _), error in runs.items() if degrees in angles)

    results.number("strip_error", worst(DIRECTIONS.values()))
    if between:
        results.number("strip_error_between", worst(between))
        note(
            "Between warp, bias and weft no energy can have the file's stress; see the mathematics."
        )


def measure(results, quick):
    biquadratic_error(results)
    strips(results, quick)
    note(
        f"Triangular springs: energies agree to {digits(results.numbers['trbs_energy_error'], 16)}."
    )
