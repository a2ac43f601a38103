# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact and friction where theory knows the answer: momentum, creep, a pressed strip, a band, a sheet that slides."""

import numpy as np
from common.bench import heading
from numpy.polynomial import Chebyshev
from test_scenes import solids
from test_scenes.contact.catalogue import make
from test_scenes.contact.play import Play
from truth_cases import theory
from truth_cases.meshes import sheet, strip
from truth_cases.rig import BARE, GRAVITY, HANGING, LEVEL, add_solid, cloth_of, kinds, qualities
from truth_cases.rig import relative, run, sizes, sweep, worst

FRAME = 1 / 24
WEIGHTLESS = {"gravity": (0, 0, 0)}

# --- two free sheets that meet ---------------------------------------------------------------------

SIDE, SPEED, FRICTION = 0.3, 1.5, 0.5  # m, m/s
APART, THICKNESS = 0.03, 4e-3  # m, between them at the start
SUBSTEPS, FLOWN = (2, 4, 8, 16), 0.25  # s


def momentum(results, quick):
    """momentum_loss"""
    heading("Momentum lost after two free sheets met")
    rows = sweep(
        _loss,
        kind=kinds(quick)[:1] if quick else kinds(quick)[::2],
        quality=("draft", "fit", "final"),
        substeps=SUBSTEPS[::3] if quick else SUBSTEPS,
    )
    results.table("momentum", rows, momentum_loss=worst(rows, "loss"))


def _loss(kind, quality, substeps):
    """Share of the momentum that is gone, or added, after one sheet flew into another at rest."""
    flat = sheet(kind, SIDE, SIDE, SIDE / 14)
    lower = flat.standing(LEVEL)
    positions = np.concatenate([lower, lower + np.float32([0.04, 0.03, APART])])
    triangles = np.concatenate([flat.triangles, flat.triangles + len(lower)])
    speeds = np.zeros_like(positions)
    speeds[len(lower) :, 2] = -SPEED
    masses = np.tile(flat.masses(), 2)
    settings = {"quality": quality, "substeps": substeps, "shear": 200, **WEIGHTLESS}
    with cloth_of(positions, triangles, 2000, 1e-5, **settings) as cloth:
        cloth.set_self_contact(True, THICKNESS, FRICTION)
        cloth.set_state(positions, speeds)
        before = masses @ speeds.astype(float)
        run(cloth, FLOWN)
        after = masses @ cloth.state()[1].astype(float)
    return {"loss": float(np.linalg.norm(after - before) / np.linalg.norm(before))}


# --- cloth that friction should hold ---------------------------------------------------------------

SETTLED, WATCHED = 3.0, 1.0  # s
CALMING = 3.0  # 1/s of damping


def creep(results, quick):
    """creep_mm_s: mean way of cloth that friction should hold, in a second, after it came to rest."""
    heading("Creep of cloth that should stay, mm/s")

    def one(case, kind, quality):
        return {"mm_s": 1000 * CREEPING[case](kind, quality)}

    rows = sweep(one, case=list(CREEPING)[:3], kind=kinds(quick), quality=qualities(quick))
    if not quick:
        rows += sweep(one, case=("t-shirt",), kind=("irregular",), quality=qualities(quick))
    results.table("creep", rows, creep_mm_s=worst(rows, "mm_s"))


def _crept(cloth, chosen=slice(None)):
    """Mean way in a second, m/s, of a cloth that is first given time to rest."""
    before = run(cloth, SETTLED)[chosen]
    ways = np.linalg.norm(run(cloth, WATCHED)[chosen] - before, axis=1)
    return float(ways.mean()) / WATCHED


def _on(flat, positions, body, friction, quality):
    settings = {"shear": 200, "damping": CALMING, "quality": quality, "substeps": 2}
    cloth = cloth_of(positions, flat.triangles, 2000, 2e-5, **settings)
    add_solid(cloth, body, THICKNESS, friction)
    return cloth


def _slope(kind, quality):
    """On a slope of 30 degrees at friction 0.8: tan 30 is 0.58."""
    flat = sheet(kind, SIDE, SIDE, SIDE / 10)
    turn = solids.tilting(30.0)
    body = solids.box((4, 2, 0.2), (0, 0, -0.1))
    body.positions = (body.positions @ turn.T).astype(np.float32)
    start = flat.standing(LEVEL) @ turn.T + THICKNESS * turn[:, 2]
    with _on(flat, start, body, 0.8, quality) as cloth:
        return _crept(cloth)


def _edge(kind, quality):
    """A strip over a table's edge: four parts hang, six lie; friction 0.8 alone holds the weight of 4.8 parts."""
    flat = strip(kind, 24, 0.45, 0.2)
    positions = flat.standing(LEVEL) + np.float32([0.18 - 0.45, 0, THICKNESS])
    body = solids.box((1, 1, 0.2), (-0.5, 0, -0.1), (4, 4, 1))
    with _on(flat, positions, body, 0.8, quality) as cloth:
        return _crept(cloth, positions[:, 0] < -0.02)  # what hangs may still swing


def _strap(kind, quality):
    """A strap over a round shoulder, 0.23 m on one side, 0.17 m on the other: at friction 0.5 it stays."""
    radius, length = 0.05, 0.4
    flat = sheet(kind, length, 0.05, 0.0125)
    along = flat.points[:, 0] - length / 2 - 0.03
    positions = _wound(along, flat.points[:, 1] - 0.025, radius + THICKNESS)
    drum = solids.cylinder(radius, -0.2, 0.2, sides=96, spacing=0.4)
    drum.positions = np.ascontiguousarray(drum.positions[:, [1, 2, 0]])
    with _on(flat, positions, drum, 0.5, quality) as cloth:
        return _crept(cloth)


def _worn(_kind, quality):
    """Where a t-shirt lies on the shoulders of a figure that stands still."""
    scene = make("tshirt")
    for body in scene.bodies:
        body.moves = False
    with Play(scene, kept=False, quality=quality, damping=CALMING) as play:
        height = scene.cloth.positions[:, 2]
        return _crept(play.cloth, height > height.max() - 0.06)


CREEPING = {"slope": _slope, "table's edge": _edge, "strap on a shoulder": _strap}
CREEPING["t-shirt"] = _worn  # of one mesh; in a full run alone


# --- a strip pressed onto a floor ------------------------------------------------------------------
#
# Weightless, so theory does not ask for its stiffness; but contacts give way by what presses on them, and friction holds
# its anchor by a spring: as stiff as leather, the foot would move by half a hundredth of the length before it slips.

STEP, THIN = 1 / 48, 1e-3  # s; m, thickness
LENGTH, BEND = 0.3, 2.5e-4  # m, N m
SHORTENINGS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
STICKING = 1.5  # friction while the strip is brought down
LOWERED = 0.01  # of the length, each time
ON_FLOOR = 0.34  # shortening from which on the strip would dip below the floor: there the pull is seen in its shape
REST = 120 * STEP  # s before the slip is looked for
ABOVE, FADE = 1.1, 0.999  # first friction over theory's; of a step over that of the one before
SLIPPED = 0.001  # of the length


def stick_slip(results, quick):
    """stick_slip_error"""
    heading("Friction that holds the foot of a pressed strip, below its clamp")
    cells = sizes(quick, (24, 32, 40))
    rows = sweep(_slips, kind=kinds(quick), cells=cells, quality=qualities(quick))
    results.table("stick_slip", rows, stick_slip_error=worst(rows))


def _slips(kind, cells, quality):
    """Rows of the shortenings: the friction at which the foot slips."""
    flat = strip(kind, cells, LENGTH)
    positions = flat.standing(HANGING) + np.float32([0, 0, LENGTH + THIN])
    rate = 20 * np.sqrt(BEND / BARE["density"]) / LENGTH**2
    settings = {"damping": rate, "quality": quality, "shear": 500, **WEIGHTLESS}
    with cloth_of(positions, flat.triangles, 2000, BEND, **settings) as cloth:
        body = add_solid(cloth, solids.box((1, 1, 0.2), (0, 0, -0.1)), THIN, STICKING)
        bulge = np.clip(flat.points[:, :1] / LENGTH, 0, 1)
        start = positions + 0.01 * LENGTH * bulge * (1 - bulge) * [1, 0, 0]
        start[flat.clamp] = positions[flat.clamp]
        cloth.set_state(start)
        foot = np.flatnonzero(flat.points[:, 0] > LENGTH * (1 - 1e-6))
        rows = []
        for short in SHORTENINGS:
            right = theory.stick_slip(short)
            if short > ON_FLOOR and body is not None:
                body = body.remove()
            _lower(cloth, positions.astype(float), flat.clamp, foot, short)
            if body is None:
                found = _needed(cloth.positions().astype(float), flat.points[:, 0], foot)
            else:
                cloth.set_pins(flat.clamp)
                run(cloth, REST, STEP)
                found = _slip(cloth, body, foot, ABOVE * right)
            rows.append(relative(found, right, shortening=short))
        return rows


def _lower(cloth, positions, clamp, foot, short):
    """Brings the clamp down, with the foot led below it."""
    pins = np.concatenate([clamp, foot])
    held = positions[pins]
    held[: len(clamp), 2] -= short * LENGTH
    before = cloth.positions()[pins].astype(float)
    cloth.set_pins(pins)
    steps = max(1, round(np.abs(held - before).max() / (LOWERED * LENGTH)))
    for step in range(steps):
        cloth.move_pins(before + (step + 1) / steps * (held - before))
        run(cloth, 4 * STEP, STEP)
    run(cloth, REST, STEP)


def _needed(positions, along, foot):
    """Friction that the foot's pull would need, from the shape: B k = N x - T z, with the foot as the origin."""
    place = np.clip(2 * along / LENGTH - 1, -1, 1)
    free = along > 0
    x, z = (Chebyshev.fit(place[free], positions[free, axis], 10) for axis in (0, 2))
    at = np.linspace(-0.9, 0.95, 200)
    curved = x.deriv()(at) * z.deriv(2)(at) - z.deriv()(at) * x.deriv(2)(at)
    curved /= np.hypot(x.deriv()(at), z.deriv()(at)) ** 3
    origin = positions[foot].mean(0)
    sides = np.column_stack([x(at) - origin[0], z(at) - origin[2]])
    normal, aside = np.linalg.lstsq(sides, curved, rcond=None)[0]
    return float(abs(aside / normal))


def _slip(cloth, body, foot, friction):
    """Less and less friction until the foot runs away; the state is as before afterwards."""
    kept = cloth.snapshot()
    place = cloth.positions()[foot, 0].mean(dtype=float)
    while friction > 0.02:
        body.set_surface(friction=friction)
        cloth.step(STEP)
        if abs(cloth.positions()[foot, 0].mean(dtype=float) - place) > SLIPPED * LENGTH:
            break
        friction *= FADE
    body.set_surface(friction=STICKING)
    cloth.restore(kept)
    return friction


# --- a band around a cylinder ----------------------------------------------------------------------

RADIUS, TAIL, SLIDING, TENSION = 0.1, 0.12, 0.02, 4.0  # m, m, m/s, N/m
BAND_STEP = 1 / 96  # s


def capstan(results, quick):
    """capstan_error"""
    heading("A band that slides half a turn around a cylinder: tension over tension")
    rows = sweep(
        lambda *choice: relative(_ratio(*choice), theory.capstan(choice[-1])),
        kind=kinds(quick),
        cells=(48,) if quick else (48, 64, 96),
        quality=qualities(quick),
        friction=(0.2, 0.3),
    )
    results.table("capstan", rows, capstan_error=worst(rows))


def _ratio(kind, cells, quality, friction):
    """Pulled by one end and held back by the other, the band's two straight ends tell their tensions by stretch."""
    radius, stretch = RADIUS + THIN, 2000.0
    length = np.pi * radius + 2 * TAIL
    width = 6 * length / cells
    flat = sheet(kind, length, width, length / cells)
    along = flat.points[:, 0] - length / 2
    positions = _wound(along, flat.points[:, 1] - width / 2, radius)
    settings = {"quality": quality, "shear": 500, **WEIGHTLESS}
    with cloth_of(positions, flat.triangles, stretch, 1e-7, **settings) as cloth:
        drum = solids.cylinder(RADIUS, -width, width, sides=180, spacing=2 * width)
        lying = drum.positions[:, [2, 0, 1]] @ np.float32([[0, 1, 0], [1, 0, 0], [0, 0, 1]])
        cloth.add_body((lying, drum.triangles()), THIN, friction)
        left = np.flatnonzero(along < -length / 2 + 1e-6)
        right = np.flatnonzero(along > length / 2 - 1e-6)
        held = np.concatenate([left, right])
        start = cloth.positions()[held].astype(float)
        cloth.set_pins(held)
        pull = TENSION / stretch * length / 2
        ends = np.r_[np.full(len(left), -1.0), np.full(len(right), 1.0)][:, None]
        ratios = []
        for step in range(120):
            tight = pull * min(1, (step + 1) / 48)
            slid = SLIDING * BAND_STEP * max(0, step - 47)
            cloth.move_pins(start + np.array([0, 0, -1.0]) * (tight + ends * slid))
            cloth.step(BAND_STEP)
            if step >= 72:
                here = cloth.positions().astype(float)
                ratios.append(_strain(here, along, 1) / _strain(here, along, -1))
        return float(np.mean(ratios))


def _wound(along, across, radius):
    """Positions of a band over the upper half of a cylinder along y, its ends straight down."""
    angle = np.clip(along / radius, -np.pi / 2, np.pi / 2)
    rest = np.maximum(np.abs(along) - radius * np.abs(angle), 0)
    return np.column_stack([radius * np.sin(angle), across, radius * np.cos(angle) - rest])


def _strain(positions, along, side):
    """Stretch of one straight end, less its own border rows."""
    end = np.pi / 2 * (RADIUS + THIN) + TAIL
    chosen = (side * along > end - 0.8 * TAIL) & (side * along < end - 0.1 * TAIL)
    return -np.polyfit(side * along[chosen], positions[chosen, 2], 1)[0] - 1


# --- a sheet that slides to rest on a table --------------------------------------------------------


def stopping(results, quick):
    """stopping_error"""
    heading("How far a sheet slides that is let go on a table, mm")
    right = theory.stopping_distance(SPEED, 0.3, GRAVITY)
    rows = sweep(
        lambda *choice: relative(1000 * _stop(*choice), 1000 * right),
        kind=kinds(quick),
        quality=qualities(quick),
        substeps=(2,) if quick else (2, 4, 8),
    )
    results.table("stopping", rows, stopping_error=worst(rows))


def _stop(kind, quality, substeps):
    flat = sheet(kind, SIDE, SIDE, SIDE / 12)
    positions = flat.standing(LEVEL) + np.float32([0, 0, THIN])
    settings = {"shear": 500, "quality": quality, "substeps": substeps}
    with cloth_of(positions, flat.triangles, 2000, 1e-5, **settings) as cloth:
        add_solid(cloth, solids.box((4, 4, 0.2), (0, 0, -0.1)), THIN, 0.3)
        run(cloth, 12 * FRAME)  # it lies: the floor carries its weight
        here, speeds = cloth.state()
        speeds[:, 0] += SPEED
        cloth.set_state(here, speeds)
        start = here[:, 0].mean(dtype=float)
        return float(run(cloth, 24 * FRAME)[:, 0].mean() - start)
