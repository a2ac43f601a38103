# SPDX-License-Identifier: GPL-3.0-or-later
"""Rope and cloth without a matrix [KIST 2008]: what the slides say of their method, and how ours does.

The slides have formulas and counts of operations, but no scene, size, constant or time. So ropes of 1 m are held by one
end and squares of 1 m by two corners, of the reference fabric, in steps of 1/48 s with one Newton step each, as the
slides' implicit Euler has it.
"""

import os

import numpy as np
from common.measure import cloth_of, mean_drop
from common.report import digits, heading, note, percent, short, table, whole
from common.charts import Line, write
from research.method_cases import slides
from test_scenes.fabric import REFERENCE
from test_scenes.image import contact_sheet, write_png, write_text
from test_scenes.mesh import Mesh
from test_scenes.render import Part, frame_camera, render
from test_scenes.sheets import grid, hung_cloth, rope

STEP = 1 / 48  # s
TOLERANCE, LIMIT = 1e-3, 5000  # of conjugate gradients
ONE_STEP = {"solver": "threads", "iterations": 1, "pcg_tolerance": TOLERANCE, "pcg_limit": LIMIT}
STRETCH_ONLY = {"shear": 0, "area_stiffness": 0, "bend": 0, "rope_bend": 0}
ROPES, QUICK_ROPES = (10, 100, 1000, 10_000), (10, 100)
SIDES, QUICK_SIDES = (10, 20, 40, 80), (10, 20)
ARC = np.pi / 2  # what the resting thread turns by from end to end
SKIPPED, TIMED = 5, 15  # steps
# What a cloth is made of, the slides' forces one after the other; shear is ours.
MAKES = (
    ("stretch", {}),
    ("area", {"area_stiffness": 30}),
    ("more area", {"area_stiffness": 300}),
    ("area bend", {"area_stiffness": 30, "bend": 1e-3}),
    ("area shear", {"area_stiffness": 30, "shear": 30}),
)
MAKE_SIDE, MAKE_STEPS, QUICK_STEPS = 31, 120, 24
CALM = {"damping": 2.0, "solver": "threads", "iterations": 4}
CONVERGED = {**ONE_STEP, "iterations": 20}
FALLS, QUICK_FALLS = ((100, 1), (41, 41)), ((20, 1), (11, 11))  # vertices along and across
FALL_STEPS = 12
SWING = (0, 6, 12, 18, 24, 30)  # steps of the rope that are drawn
VIEW = (360, 400)  # pixels


def measure(results, quick):
    heading("Rope and cloth without a matrix: what the slides say")
    _claims(results)
    _iterations(results, quick)
    _growth(results, quick)
    _falls(results, quick)
    _makes(results, quick)


# --- formulas --------------------------------------------------------------------------------------


def _arc(count, columns, stretch=1.0):
    """Places (count, columns, 3) of threads that turn by ARC, each 1 m long; their links are stretched alike."""
    angle, across = np.linspace(0, ARC, count), np.linspace(0, 1, columns)
    x, z = np.sin(angle), 1 - np.cos(angle)
    scale = stretch / ((count - 1) * np.hypot(x[1], z[1]))
    places = np.zeros((count, columns, 3))
    places[..., 0], places[..., 2] = scale * x[:, None], scale * z[:, None]
    places[..., 1] = stretch * across
    return places


def _rope_of(count, stretch, exact=False):
    """The slides' rope, and h^2/m."""
    rest = 1 / (count - 1)
    sheet = slides.Sheet(_arc(count, 1, stretch), rest, REFERENCE["rope_stretch"] / rest, exact)
    return sheet, STEP**2 / (REFERENCE["rope_density"] * rest)


def _jacobian_error(stretch, exact):
    sheet, _ = _rope_of(20, stretch, exact)
    v = np.random.default_rng(1).normal(size=sheet.places.shape)
    ends = [
        slides.Sheet(sheet.places + side * v, sheet.rest, sheet.stiffness).force()
        for side in (1e-7, -1e-7)
    ]
    slope = (ends[0] - ends[1]) / 2e-7
    return float(np.linalg.norm(sheet.product(v) - slope) / np.linalg.norm(slope))


def _claims(results):
    errors = [_jacobian_error(1.1, exact) for exact in (False, True)]
    sheet, scale = _rope_of(20, 0.99)
    least = float(np.linalg.eigvalsh(sheet.matrix(scale)).min())
    sheet, scale = _rope_of(20, 1.001)
    entries = np.abs(sheet.matrix(scale))
    dominant = float((2 * np.diag(entries) > entries.sum(1)).mean())
    random = np.random.default_rng(2)
    around = np.array([[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0.0]])
    printed = [
        slides.over_derivative(
            slides.area_force, slides.area_energy, around + random.normal(0, 0.1, (4, 3)), 1.0
        ),
        slides.over_derivative(
            slides.bending_force,
            slides.bending_energy,
            np.array([[-1, 0, 0], [0, 0, 0.3], [1, 0.1, 0.0]]),
            1.0,
        ),
    ]
    power = _skew_power()
    found = {
        "jacobian_error": errors[0],
        "least_eigenvalue": least,
        "dominant_rows": dominant,
        "area_part": printed[0][0],
        "bending_part": printed[1][0],
        "skew_power": power,
    }
    for key, value in found.items():
        results.number(f"threads_{key}", value)
    rows = (
        (
            "G is the derivative of g",
            f"off by {percent(errors[0])} at a stretch of 1.1 ({short(errors[1])} with l0/l)",
        ),
        ("positive definite", f"least eigenvalue {short(least)} where links are 1 % too short"),
        ("strictly diagonally dominant", f"{percent(dominant, 0)} of the rows, stretch 1.001"),
        ("area preserving force", f"{short(printed[0][0])} of minus the energy's derivative"),
        ("bending force", f"{short(printed[1][0])} of minus the energy's derivative"),
        ("area resists skew", f"energy grows with the angle's power {digits(power, 2)}"),
    )
    table(("slides", "found"), rows, left=2)


def _skew_power():
    """Of the area's energy under a small angle and half of it: 2 is a spring."""
    energies = []
    for angle in (0.02, 0.04):
        turned = np.array([np.sin(angle), np.cos(angle), 0])
        energies.append(slides.area_energy(np.array([[-1, 0, 0], [1, 0, 0], -turned, turned]), 1.0))
    return float(np.log2(energies[1] / energies[0]))


# --- conjugate gradients ---------------------------------------------------------------------------


def _arc_mesh(count, columns):
    places = _arc(count, columns).reshape(-1, 3)
    if columns == 1:
        return Mesh(places, np.zeros((0, 3), np.int32), edges=rope(count).edges)
    return Mesh(places, grid(columns, count, diagonals="quads").faces)


def _iterations(results, quick):
    """The first step of a resting arc that begins to fall: the slides' CG has no preconditioner, ours has blocks."""
    note(
        f"Conjugate gradients to {TOLERANCE:g}, stretch alone, the first step of threads at rest along a quarter of a "
        'circle. "Without preconditioning, CG will work fine."'
    )
    ropes = [(count, 1) for count in (QUICK_ROPES if quick else ROPES[:3])]
    for count, columns in ropes + [(side, side) for side in (QUICK_SIDES if quick else SIDES)]:
        rest = 1 / (count - 1)
        kind = "rope" if columns == 1 else "cloth"
        stiffness = REFERENCE["rope_stretch"] / rest if columns == 1 else REFERENCE["stretch_warp"]
        mass = (
            REFERENCE["rope_density"] * rest if columns == 1 else REFERENCE["density"] * rest**2
        )
        sheet = slides.Sheet(_arc(count, columns), rest, stiffness)
        right = np.zeros(sheet.places.shape)
        right[..., 2] = -9.81 * STEP
        held = np.zeros(sheet.places.shape[:2], bool)
        held[0, [0, -1]] = True
        theirs = slides.conjugate_gradients(sheet, STEP**2 / mass, right, held, TOLERANCE, LIMIT)
        pins = np.flatnonzero(held.ravel())
        with cloth_of(_arc_mesh(count, columns), pins, **ONE_STEP, **STRETCH_ONLY) as cloth:
            cloth.step(STEP)
            ours = cloth.stats().pcg_iterations
        results.row("threads_cg", kind=kind, vertices=count * columns, slides=theirs, ours=ours)
    results.show("threads_cg", "kind vertices slides ours")


def _growth(results, quick):
    """Time against size: a product costs the same for each vertex."""
    note(
        f"Time of a step, the whole model, falling from the horizontal, one CPU thread: medians of {TIMED} steps; "
        "conjugate gradients in each."
    )
    ropes = [("rope", count, rope(count), [0]) for count in (QUICK_ROPES if quick else ROPES)]
    sheets = [
        ("cloth", n * n, grid(n, n, 1.0, "quads"), [n * (n - 1), n * n - 1])
        for n in (QUICK_SIDES if quick else SIDES)
    ]
    for kind, count, mesh, pins in ropes + sheets:
        seconds, iterations = [], []
        with cloth_of(mesh, pins, **ONE_STEP) as cloth:
            for step in range(SKIPPED + TIMED):
                cloth.step(STEP)
                stats = cloth.stats()
                if step >= SKIPPED:
                    seconds.append(stats.total_seconds)
                    iterations.append(stats.pcg_iterations)
        ms, mean = 1e3 * float(np.median(seconds)), float(np.mean(iterations))
        each = 1e6 * ms / (count * max(mean, 1))
        results.row(
            "threads_growth",
            kind=kind,
            vertices=count,
            step_ms=ms,
            iterations=mean,
            nanoseconds=each,
            mean_strain=stats.mean_strain,
            largest_strain=stats.largest_strain,
        )
    columns = "kind vertices step_ms iterations nanoseconds mean_strain largest_strain"
    results.show("threads_growth", columns)


def _falls(results, quick):
    """One linearisation a step against the converged step, which the slides do not speak of."""
    rows = []
    for along, across in QUICK_FALLS if quick else FALLS:
        kind = "rope" if across == 1 else "cloth"
        mesh = rope(along) if across == 1 else grid(across, along, 1.0, "quads")
        pins = [0] if across == 1 else [across * (along - 1), across * along - 1]
        drops, strains = [], []
        for settings in (ONE_STEP, CONVERGED):
            with cloth_of(mesh, pins, **settings) as cloth:
                for _ in range(FALL_STEPS):
                    cloth.step(STEP)
                drops.append(-mean_drop(cloth))
                strains.append(cloth.stats().largest_strain)
        results.number(f"threads_response_{kind}", drops[0] / drops[1])
        results.row("threads_falls", kind=kind, drops=drops, largest_strains=strains)
        cells = (*(digits(d, 3) for d in drops), digits(drops[0] / drops[1], 2))
        rows.append((kind, whole(along * across), *cells, *(percent(s) for s in strains)))
    note(
        f"Mean drop after {FALL_STEPS} steps, one Newton step in each, and {CONVERGED['iterations']}."
    )
    header = ("kind", "vertices", "drop m|one", "converged", "part", "strain|one", "converged")
    table(header, rows)


# --- what each force does --------------------------------------------------------------------------


def _makes(results, quick):
    steps = QUICK_STEPS if quick else MAKE_STEPS
    note(
        f"{MAKE_SIDE} x {MAKE_SIDE} vertices hung by two corners a little closer than the cloth is wide, after {steps} "
        "damped steps, the slides' forces one after the other; shear is not theirs. Root mean squares over links, cells "
        "and joints."
    )
    rows = []
    hung, pins = hung_cloth(MAKE_SIDE)
    mesh = Mesh(hung.positions, grid(MAKE_SIDE, MAKE_SIDE, 1.0, "quads").faces)
    for name, settings in MAKES:
        with cloth_of(mesh, pins, **{**STRETCH_ONLY, **settings, **CALM}) as cloth:
            for _ in range(steps):
                cloth.step(STEP)
            points = cloth.positions().astype(np.float64)
        found = shape_of(points.reshape(MAKE_SIDE, MAKE_SIDE, 3))
        results.row("threads_makes", make=name, **found)
        results.kept["threads", name] = points
        rows.append(
            (
                name,
                *(percent(found[key], 2) for key in ("stretch", "area")),
                digits(found["skew"], 1),
                digits(found["curvature"], 1),
            )
        )
    table(("made of", "stretch", "area", "skew|degrees", "curvature|1/m"), rows)


def shape_of(places):
    """How far links, areas and right angles are from those of the square, and how curved its threads are."""
    rest = 1 / (len(places) - 1)
    ways = [np.diff(places, axis=axis) for axis in (0, 1)]
    lengths = np.concatenate([np.linalg.norm(way, axis=-1).ravel() for way in ways])
    v = (ways[0][:, 1:] + ways[0][:, :-1]) / 2
    u = (ways[1][1:] + ways[1][:-1]) / 2
    area = np.linalg.norm(np.cross(u, v), axis=-1) / rest**2
    cosine = (u * v).sum(-1) / (np.linalg.norm(u, axis=-1) * np.linalg.norm(v, axis=-1))
    bends = [np.linalg.norm(np.diff(places, 2, axis=axis), axis=-1) for axis in (0, 1)]
    return {
        "stretch": _root_mean_square(lengths / rest - 1),
        "area": _root_mean_square(area - 1),
        "skew": _root_mean_square(np.degrees(np.arcsin(np.clip(cosine, -1, 1)))),
        "curvature": _root_mean_square(
            np.concatenate([bend.ravel() for bend in bends]) / rest**2
        ),
    }


def _root_mean_square(numbers):
    return float(np.sqrt((numbers**2).mean()))


# --- pictures --------------------------------------------------------------------------------------


def draw(results, folder):
    """Time against size, iterations against size, a rope that swings, and a cloth of each make."""
    for key, name, unit in (("step_ms", "step", "ms a step"), ("iterations", "cg", "iterations")):
        lines = [
            Line(
                kind,
                tuple(
                    (row["vertices"], row[key])
                    for row in results.rows
                    if row["table"] == "threads_growth" and row["kind"] == kind
                ),
            )
            for kind in ("rope", "cloth")
        ]
        path = os.path.join(folder, f"threads_{name}.svg")
        write(path, "Rope and cloth without a matrix", "vertices", unit, lines)
    swings = [_swing(settings) for settings in (ONE_STEP, CONVERGED)]
    ropes = _views([("one newton step", swings[0]), ("converged", swings[1])], (25, 6))
    write_png(os.path.join(folder, "threads_rope.png"), ropes)
    faces = grid(MAKE_SIDE, MAKE_SIDE, 1.0, "quads").faces
    makes = [
        (key[1], [Part(points, faces, wire=True)])
        for key, points in results.kept.items()
        if key[0] == "threads"
    ]
    write_png(os.path.join(folder, "threads_cloth.png"), _views(makes, (25, 12)))


def _views(named, angles):
    """Side by side through one camera, with their names."""
    points = np.concatenate([part.positions for _, parts in named for part in parts])
    camera, views = frame_camera(points, *VIEW, *angles), []
    for name, parts in named:
        views.append(render(parts, camera, *VIEW, float(points[:, 2].min())))
        write_text(views[-1], name, 14, VIEW[1] - 26)
    return contact_sheet(views, len(views))


def _swing(settings, count=100):
    """A rope at several steps."""
    mesh, parts = rope(count), []
    with cloth_of(mesh, [0], **settings) as cloth:
        for step in range(SWING[-1] + 1):
            if step in SWING:
                parts.append(Part(cloth.positions().copy(), mesh.faces, edges=mesh.edges))
            cloth.step(STEP)
    return parts
