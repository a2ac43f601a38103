# SPDX-License-Identifier: GPL-3.0-or-later
"""What contact must not do: take momentum from free cloth, and let cloth creep that friction holds."""

import numpy as np
from common.report import heading, note, short, table
from test_scenes import solids
from test_scenes.contact.catalogue import make
from test_scenes.contact.play import Play
from truth_cases.meshes import sheet, strip
from truth_cases.rig import cloth_of, every, kinds, qualities

LEVEL = ((1, 0, 0), (0, 1, 0))

# Two free sheets
SIDE, SPEED, FRICTION = 0.3, 1.5, 0.5  # m, m/s
APART, THICKNESS = 0.03, 4e-3  # m, between them at the start
FRAME, SUBSTEPS = 1 / 24, (2, 4, 8, 16)
FLOWN = 0.25  # s
ALL_QUALITIES = ("draft", "fit", "final")

# Cloth that should stay
SETTLED, WATCHED = 3.0, 1.0  # s
CALMING = 3.0  # 1/s of damping


def momentum(results, quick):
    """momentum_loss"""
    heading("Momentum left after two free sheets met")
    choices = kinds(quick)[:1] if quick else kinds(quick)[::2]
    substeps = SUBSTEPS[::3] if quick else SUBSTEPS
    runs = every(_loss, choices, ALL_QUALITIES, substeps)
    for (kind, quality, count), loss in runs:
        results.row("momentum", kind=kind, quality=quality, step=FRAME / count, loss=loss)
    table(
        ("triangulation", "quality", *(f"h = 1/{24 * count}" for count in substeps)),
        [
            (kind, quality, *(short(loss) for (k, q, _), loss in runs if (k, q) == (kind, quality)))
            for kind in choices
            for quality in ALL_QUALITIES
        ],
        left=2,
    )
    results.number("momentum_loss", max(loss for _, loss in runs))


def _loss(kind, quality, substeps):
    """Share of the momentum that is gone, or added, after one sheet flew into another at rest."""
    flat = sheet(kind, SIDE, SIDE, SIDE / 14)
    lower = flat.standing(LEVEL)
    count = len(lower)
    upper = lower + np.float32([0.04, 0.03, APART])
    triangles = np.concatenate([flat.triangles, flat.triangles + count])
    positions = np.concatenate([lower, upper])
    speeds = np.zeros_like(positions)
    speeds[count:, 2] = -SPEED
    masses = np.tile(flat.masses(), 2)
    settings = {"quality": quality, "substeps": substeps, "gravity": (0, 0, 0), "shear": 200}
    with cloth_of(positions, triangles, 2000, 1e-5, **settings) as cloth:
        cloth.set_self_contact(True, THICKNESS, FRICTION)
        cloth.set_state(positions, speeds)
        before = masses @ speeds.astype(float)
        for _ in range(round(FLOWN / FRAME)):
            cloth.step(FRAME)
        after = masses @ cloth.state()[1].astype(float)
        return float(np.linalg.norm(after - before) / np.linalg.norm(before))


def creep(results, quick):
    """creep_mm_s: mean way of cloth that friction should hold, in a second, after it came to rest."""
    heading("Creep of cloth that should stay, mm/s")
    note(f"Mean over the vertices, from {SETTLED:g} s to {SETTLED + WATCHED:g} s after the start.")
    worst = 0.0
    cases = {"slope": _slope, "table's edge": _edge, "strap on a shoulder": _strap}
    for name, function in cases.items():
        for (kind, quality), way in every(function, kinds(quick), qualities(quick)):
            results.row("creep", case=name, kind=kind, quality=quality, mm_s=1000 * way)
            worst = max(worst, 1000 * way)
    for quality in () if quick else qualities(quick):
        way = 1000 * _worn(quality)
        results.row("creep", case="t-shirt", kind="irregular", quality=quality, mm_s=way)
        worst = max(worst, way)
    results.show("creep", "case kind quality mm_s")
    results.number("creep_mm_s", worst)


def _crept(cloth, chosen=slice(None)):
    """Mean way in a second, m/s, of a cloth that is first given time to rest; its largest motions calmed."""
    for _ in range(round(24 * SETTLED)):
        cloth.step(1 / 24)
    before = cloth.positions()[chosen].astype(float)
    for _ in range(round(24 * WATCHED)):
        cloth.step(1 / 24)
    ways = np.linalg.norm(cloth.positions()[chosen] - before, axis=1)
    return float(ways.mean()) / WATCHED


def _on(flat, positions, body, friction, quality):
    cloth = cloth_of(
        positions,
        flat.triangles,
        2000,
        2e-5,
        shear=200,
        damping=CALMING,
        quality=quality,
        substeps=2,
    )
    cloth.add_body((body.positions, body.triangles()), THICKNESS, friction)
    return cloth


def _slope(kind, quality):
    """On a slope of 30 degrees at friction 0.8: tan 30 is 0.58."""
    flat = sheet(kind, SIDE, SIDE, SIDE / 10)
    turn = solids.tilting(30.0)
    body = solids.box((4, 2, 0.2), (0, 0, -0.1))
    body.positions = (body.positions @ turn.T).astype(np.float32)
    with _on(
        flat, flat.standing(LEVEL) @ turn.T + THICKNESS * turn[:, 2], body, 0.8, quality
    ) as cloth:
        return _crept(cloth)


def _edge(kind, quality):
    """A strip over a table's edge: four parts hang, six lie; friction 0.8 alone holds the weight of 4.8 parts."""
    flat = strip(kind, 24, 0.45, 0.2)
    positions = flat.standing(LEVEL)
    positions[:, 0] += 0.18 - 0.45
    positions[:, 2] += THICKNESS
    body = solids.box((1, 1, 0.2), (-0.5, 0, -0.1), (4, 4, 1))
    with _on(flat, positions, body, 0.8, quality) as cloth:
        return _crept(cloth, positions[:, 0] < -0.02)  # what hangs may still swing


def _strap(kind, quality):
    """A strap over a round shoulder, 0.23 m on one side, 0.17 m on the other: at friction 0.5 it stays."""
    radius, length = 0.05, 0.4
    flat = sheet(kind, length, 0.05, 0.0125)
    along = flat.points[:, 0] - length / 2 - 0.03
    angle = np.clip(along / (radius + THICKNESS), -np.pi / 2, np.pi / 2)
    rest = np.maximum(np.abs(along) - (radius + THICKNESS) * np.abs(angle), 0)
    reach = radius + THICKNESS
    positions = np.column_stack(
        [reach * np.sin(angle), flat.points[:, 1] - 0.025, reach * np.cos(angle) - rest]
    )
    drum = solids.cylinder(radius, -0.2, 0.2, sides=96, spacing=0.4)
    drum.positions = np.ascontiguousarray(drum.positions[:, [1, 2, 0]])
    with _on(flat, positions, drum, 0.5, quality) as cloth:
        return _crept(cloth)


def _worn(quality):
    """Where a t-shirt lies on the shoulders of a figure that stands still."""
    scene = make("tshirt")
    for body in scene.bodies:
        body.moves = False
    with Play(scene, kept=False, quality=quality, damping=CALMING) as play:
        place = scene.cloth.positions
        top = place[:, 2] > place[:, 2].max() - 0.06
        return _crept(play.cloth, top)
