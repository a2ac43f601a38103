# SPDX-License-Identifier: GPL-3.0-or-later
"""Strips, sheets and layers that fall, land, slide, swing, hang and fly."""

from dataclasses import dataclass
from math import atan2, degrees

import numpy as np
from common.bench import heading, note
from common.measure import energy_of
from folds_cases import rig
from muslin import Cloth
from muslin.fabrics import fabric
from muslin.table import SETTINGS
from muslin.turbulence import Turbulence
from test_scenes import solids
from truth_cases import theory
from truth_cases.bending import PEIRCE, SLACK
from truth_cases.meshes import sheet
from truth_cases.motion import Swing
from truth_cases.rig import EXTRA, GRAVITY, LEVEL, LOAD, add_solid, cloth_of, mesh_of, run, settle

STEP = rig.FRAME / rig.SUBSTEPS  # where every substep is looked at
UPRIGHT = ((1, 0, 0), (0, 0, 1))  # in the plane y = 0, to the bit

# --- a strip over a table's edge -------------------------------------------------------------------

THICKNESS = 1e-3  # m
LENGTH, WIDTH, OVER = 0.6, 0.06, 0.2  # m
STRIP_SPACINGS = (0.015, 0.01)
STRIP_FRICTION = 0.8  # holds three times as much as hangs: it does not slide off
LAYER_FRICTION, ASIDE = 0.2, np.array([3e-4, 3e-3])  # of two strips; where the second lies, m
LATEST = 1.5  # s
FALLEN = 0.8 * 0.198  # m, of what it has fallen at rest


def strip_time(kind, spacing, layers=1, **settings):
    """s until the end of the lowest strip of cotton has fallen by 80 % of the drop at rest; the latest where it never has."""
    flat = sheet(kind, LENGTH, WIDTH, spacing)
    level = flat.standing(LEVEL) + np.float32([OVER - LENGTH, -WIDTH / 2, 0])
    # no vertex above another one
    places = [level + np.float32([*(k * ASIDE), (k + 1) * THICKNESS]) for k in range(layers)]
    triangles = [flat.triangles + k * len(level) for k in range(layers)]
    end = np.flatnonzero(flat.points[:, 0] > LENGTH - 1e-6)
    settings = {**settings, "substeps": 1}
    piled = np.concatenate(places), np.concatenate(triangles)
    with rig.fabric_cloth(*piled, fabric("cotton"), **settings) as cloth:
        table = solids.box((1, 1, 0.5), (-0.5, 0, -0.25), (8, 8, 4))
        add_solid(cloth, table, THICKNESS, STRIP_FRICTION)
        if layers > 1:
            cloth.set_self_contact(True, THICKNESS, LAYER_FRICTION)
        before = 0.0
        for count in range(round(LATEST / STEP)):
            height = float(run(cloth, STEP, STEP)[end, 2].mean()) - THICKNESS
            if height <= -FALLEN:
                return float(count + (before + FALLEN) / (before - height)) * STEP
            before = height
        return LATEST


def table_time(results, quick):
    """table_time: s until 80 % of the drop at rest, over the conventional solver's."""
    _strip_times(results, quick, "table_time", "A strip over a table's edge", 1)


def layers_time(results, quick):
    """layers_time: likewise of two strips that lie on each other."""
    _strip_times(results, quick, "layers_time", "Two strips over a table's edge", 2)


def _strip_times(results, quick, key, words, layers):
    heading(f"{words}: s until 80 % of the drop")
    rows = rig.rows_of(
        lambda shape, settings: {"s": strip_time(*shape, layers, **settings)},
        rig.shapes(quick, STRIP_SPACINGS),
        rig.ways(),
    )
    right = {(r["triangulation"], r["mm"]): r["s"] for r in rows if r["quality"] == "conventional"}
    for row in rows:
        row["over"] = row["s"] / right[row["triangulation"], row["mm"]]
    results.table(key, rows)
    rig.record(results, key, rows, max, "over")


# --- a wavy sheet on a floor -----------------------------------------------------------------------

SIDE, HEIGHT = 0.4, 0.02  # m: of the sheet, of its fall
WAVE, WAVES = 0.04, 2  # m; along one side, so that nothing but bending is strained at the start
RIPPLE = 0.002  # m, along the other
WAVY_SPACINGS, WAVY_SUBSTEPS = (0.02, 0.014), (2, 4, 8)
BETWEEN = 2e-3  # m, thickness of contact


def waved(points):
    """Places of a sheet that is wavy along x and not stretched by it."""
    share = np.linspace(0, 1, 4001)
    height = WAVE * np.sin(2 * np.pi * WAVES * share)

    def ways(level):
        return np.hypot(np.diff(share) * SIDE * level, np.diff(height)).cumsum()

    # how much shorter the waves make it: their length is the sheet's
    level = theory.root(lambda level: ways(level)[-1] - SIDE, 0.5, 1.0)
    at = np.interp(points[:, 0], np.concatenate([[0], ways(level)]), share)
    up = np.interp(at, share, height) + RIPPLE * np.sin(4 * np.pi * points[:, 1] / SIDE)
    return np.column_stack([level * SIDE * at, points[:, 1], up])


def wavy_height(kind, spacing, substeps, **settings):
    """Mean height above a floor after a second of a wavy sheet's fall, m."""
    flat = sheet(kind, SIDE, SIDE, spacing)
    begun = waved(flat.points)
    begun[:, 2] += HEIGHT + BETWEEN - begun[:, 2].min()
    settings = {**settings, "substeps": substeps}
    places = flat.standing(LEVEL)
    with rig.fabric_cloth(places, flat.triangles, fabric("cotton"), **settings) as cloth:
        rig.add_floor(cloth, BETWEEN, 0.3)
        cloth.set_self_contact(True, BETWEEN, 0.3)
        cloth.set_state(begun)
        return float(run(cloth, 1.0)[:, 2].mean())


def wavy(results, quick):
    """wavy_height_mm after 1 s, and wavy_growth_mm: how much higher it lies with more substeps."""
    heading("A wavy sheet falls on a floor: mean height after 1 s, mm")

    def heights(shape, settings):
        counts = WAVY_SUBSTEPS[:1] if "solver" in settings else WAVY_SUBSTEPS
        found = {f"x{n}": 1000 * wavy_height(*shape, n, **settings) for n in counts}
        return {**found, "growth": max(0.0, max(found.values()) - found["x2"])}

    rows = rig.rows_of(heights, rig.shapes(quick, WAVY_SPACINGS), rig.ways())
    results.table("wavy", rows)
    rig.record(results, "wavy_height_mm", rows, max, "x2", conventional=True)
    rig.record(results, "wavy_growth_mm", rows, max, "growth")


# --- a tilted sheet that lands ---------------------------------------------------------------------

TILT, LANDING_SIDE = 10.0, 0.3  # degrees, m
LANDING_HEIGHTS = tuple(0.01 * k for k in range(2, 11))  # m: where in a substep it lands matters
LANDING_THICKNESS, LANDING_SECONDS = 4e-3, 0.4  # m, s


def landing_gain(kind, spacing, height, **settings):
    """Largest gain of energy in a substep of a tilted sheet of cotton that lands, over that of its fall."""
    flat = sheet(kind, LANDING_SIDE, LANDING_SIDE, spacing)
    positions = flat.standing(LEVEL).astype(float) @ solids.tilting(TILT).T
    positions[:, 2] += height + LANDING_THICKNESS - positions[:, 2].min()
    numbers, settings = fabric("cotton"), {**settings, "substeps": 1}
    way = flat.masses() @ (positions[:, 2] - LANDING_THICKNESS)  # times area
    with rig.fabric_cloth(positions, flat.triangles, numbers, **settings) as cloth:
        rig.add_floor(cloth, LANDING_THICKNESS, 0.0)
        energies = []
        for _ in range(round(LANDING_SECONDS / STEP)):
            cloth.step(STEP)
            energies.append(energy_of(cloth.stats()))
    return float(np.diff(energies).max() / (way * numbers["density"] * GRAVITY))


def landing(results, quick):
    """landing_gain"""
    heading("A tilted sheet lands without friction: largest gain of energy in a substep")

    def gain(shape, settings):
        gains = [landing_gain(*shape, height, **settings) for height in LANDING_HEIGHTS]
        return {"gain": max(0.0, *gains)}

    shapes = rig.shapes(quick, WAVY_SPACINGS)
    rows = rig.rows_of(gain, shapes, rig.ways(conventional=not quick))
    results.table("landing", rows)
    rig.record(results, "landing_gain", rows, max, "gain", conventional=not quick)


# --- sheets that slide on sheets down a slope, as Coulomb says -------------------------------------
#
# The slope is level and gravity is turned. The lowest sheet stays: friction 0.6 holds it on its floor, 27 degrees need
# 0.51. What lies on it slides with g (sin 27 - mu cos 27), however many layers there are.

DEGREES, FLOOR = 27.0, 0.6
LAYER = 2e-3  # m, of layers and floor
UPPER, LOWER = (0.2, 0.2), (0.7, 0.24)  # m, along and across the slope
FAR = (0.2, 3.0)  # m: side of the far sheet, how far away it is
FRAMES, FITTED = 10, 6  # s / 24; the last ones, whose speeds give the acceleration
MATERIAL = {"stretch": 2000, "bend": 1e-5, "shear": 500}
STACK = 5
SLIDES = {f"held, {mu:g}": {"friction": mu, "held": True} for mu in (0.0, 0.2, 0.4)}
SLIDES |= {f"free, {mu:g}": {"friction": mu} for mu in (0.0, 0.2, 0.4)}
SLIDES |= {f"stack of {STACK}": {"friction": 0.2, "count": STACK}}
SLIDES |= {"held, far rests": {"friction": 0.2, "held": True, "far": 0.0}}
SLIDES |= {"held, far falls": {"friction": 0.2, "held": True, "far": 1.0}}


@dataclass
class Slide:
    """ratio: acceleration of the top over theory's. lift: of the highest vertex above its layer's place, m."""

    ratio: float
    lift: float
    positions: np.ndarray


def pile(kind, spacing, count):
    """Places and triangles of a long sheet below and `count` - 1 short ones on it, a list of each."""
    flats = [sheet(kind, *LOWER, spacing)] + [sheet(kind, *UPPER, spacing)] * (count - 1)
    places, triangles, first = [], [], 0
    for k, flat in enumerate(flats):
        # no vertex above another one
        aside = (0.02 + 0.37 * spacing * k, 0.02 + 0.23 * spacing * k) if k else (0, 0)
        places.append(flat.standing(LEVEL) + np.float32([*aside, (k + 1) * LAYER]))
        triangles.append(flat.triangles + first)
        first += len(places[-1])
    return places, triangles


def slide(kind, spacing, friction, count=2, held=False, far=None, **settings):
    """A pile slides. held: the lowest sheet is pinned, without a floor. far: height of a far sheet above its own
    floor, m; None: there is none."""
    places, triangles = pile(kind, spacing, count)
    layer = np.repeat(np.arange(count), [len(place) for place in places])
    if far is not None:
        flat = sheet(rig.KINDS[0], FAR[0], FAR[0], spacing)
        places.append(flat.standing(LEVEL) + np.float32([0, FAR[1], LAYER + far]))
        triangles.append(flat.triangles + len(layer))
    angle = np.radians(DEGREES)
    gravity = (GRAVITY * np.sin(angle), 0, -GRAVITY * np.cos(angle))
    settings = {**MATERIAL, "gravity": gravity, "substeps": rig.SUBSTEPS, **settings}
    with cloth_of(np.concatenate(places), np.concatenate(triangles), **settings) as cloth:
        cloth.set_self_contact(True, LAYER, friction)
        if held:
            cloth.set_pins(np.flatnonzero(layer == 0))
        else:
            rig.add_floor(cloth, LAYER, FLOOR, size=2.0)
        if far is not None:
            rig.add_floor(cloth, LAYER, 1.0, size=1.0, centre=(0, FAR[1]))
        return _slid(cloth, layer, friction)


def _slid(cloth, layer, friction):
    top = np.flatnonzero(layer == layer.max())
    speeds, lift = [], 0.0
    for _ in range(FRAMES):
        cloth.step(rig.FRAME)
        places, speed = (values[: len(layer)].astype(float) for values in cloth.state())
        speeds.append(speed[top, 0].mean())
        lift = max(lift, (places[:, 2] - (layer + 1) * LAYER).max())
    gained = np.polyfit(rig.FRAME * np.arange(FITTED), speeds[-FITTED:], 1)[0]
    right = theory.incline_acceleration(DEGREES, friction, GRAVITY)
    return Slide(float(gained / right), float(lift), places)


def layers(results, quick):
    """layer_ratio, layer_lift_mm, and layer_far_same: 1 where a far sheet changes no byte, whether it rests, falls or is not there."""
    heading("Sheets slide on sheets: acceleration over Coulomb's, by the friction between them")
    ends = {}

    def one(shape, case, settings):
        slid = slide(*shape, **SLIDES[case], **settings)
        ends[(case, shape, *settings.values())] = slid.positions
        return {"ratio": slid.ratio, "off": abs(slid.ratio - 1), "lift_mm": 1000 * slid.lift}

    shapes, ways = rig.shapes(quick, WAVY_SPACINGS), rig.ways(conventional=not quick)
    rows = rig.rows_of(one, shapes, ways, case=tuple(SLIDES))
    results.table("layers", rows)
    same = []
    for way, settings in ways.items():
        for shape in shapes:
            alone, rests, falls = (
                ends[(f"held, {far}", shape, *settings.values())]
                for far in ("0.2", "far rests", "far falls")
            )
            equal = np.array_equal(alone, rests) and np.array_equal(alone, falls)
            same.append({"quality": way, "same": int(equal)})
    rig.record(results, "layer_ratio", rows, max, "off", conventional=not quick)
    rig.record(results, "layer_lift_mm", rows, max, "lift_mm", conventional=not quick)
    rig.record(results, "layer_far_same", same, min, "same")


# --- a sheet that swings, with a body far away in the scene ----------------------------------------

SWING_HEIGHT, SWING_WIDTH, SWING_SPACINGS = 0.5, 0.1, (0.02, 0.0125)  # m
SECONDS, AWAY = 3.0, 3.0  # s, m


def left(kind, spacing, body=True, **settings):
    """Amplitude of the slowest swing after 3 s over that at the start."""
    flat = sheet(kind, SWING_HEIGHT, SWING_WIDTH, spacing)
    swing = Swing(flat, SWING_HEIGHT, 1, **{"substeps": rig.SUBSTEPS, **settings})
    with swing.cloth as cloth:
        if body:
            add_solid(cloth, solids.box((0.2, 0.2, 0.2), (AWAY, 0, 0)), 1e-3, 0.3)
        run(cloth, SECONDS)
        place, speed = swing.aside()
    return float(np.hypot(place, speed / swing.turns) / swing.first)


def swing_left(results, quick):
    """swing_left"""
    heading("Swing left after 3 s without air, over that at the start")

    def both(shape, settings):
        alone, beside = (left(*shape, body, **settings) for body in (False, True))
        return {"alone": alone, "body_3_m_away": beside}

    shapes = rig.shapes(quick, SWING_SPACINGS)
    rows = rig.rows_of(both, shapes, rig.ways(conventional=False))
    results.table("swing", rows)
    rig.record(results, "swing_left", rows, min, "body_3_m_away")


# --- an exactly flat curtain whose top is drawn together -------------------------------------------

CURTAIN, COUNT, DRAWN = 1.0, 40, 0.4  # m; vertices along a side; of its width, over a second
AIR = {name: SETTINGS[name].default for name in ("normal_drag", "tangent_drag")}


def drawn(kind, spacing, frames=24, **settings):
    """(depth of the folds, m; 1st percentile of length over rest length of all edges but the pinned row's)."""
    flat = sheet(kind, CURTAIN, CURTAIN, spacing)
    positions = flat.standing(UPRIGHT)
    top = np.flatnonzero(flat.points[:, 1] > CURTAIN - 1e-6).astype(np.int32)
    middle = np.array([CURTAIN / 2, 0, 0])
    settings = {**AIR, **settings}
    with rig.fabric_cloth(positions, flat.triangles, fabric("cotton"), **settings) as cloth:
        cloth.set_pins(top)
        for frame in range(frames):
            share = 1 - (1 - DRAWN) * (frame + 1) / frames
            cloth.move_pins((positions[top] - middle) * (share, 1, 1) + middle)
            cloth.step(rig.FRAME)
        x = cloth.positions().astype(float)
    sides = np.unique(np.sort(flat.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), 1), axis=0)
    one, other = sides[~np.isin(sides, top).all(1)].T
    now, rest = (np.linalg.norm(at[one] - at[other], axis=1) for at in (x, flat.points))
    return float(np.ptp(x[:, 1])), float(np.percentile(now / rest, 1))


def curtain(results, quick):
    """curtain_mm and curtain_squeezed"""
    heading("A flat curtain drawn together to 40 %: depth of its folds, what edges are squeezed to")

    def folded(shape, settings):
        depth, squeezed = drawn(*shape, **settings)
        return {"folds_mm": 1000 * depth, "squeezed_to": squeezed}

    shapes = rig.shapes(quick, (CURTAIN / (COUNT - 1),))
    rows = rig.rows_of(folded, shapes, rig.ways(conventional=not quick))
    results.table("curtain", rows)
    rig.record(results, "curtain_mm", rows, min, "folds_mm", conventional=not quick)
    rig.record(results, "curtain_squeezed", rows, min, "squeezed_to", conventional=not quick)


# --- Peirce's strip in a clamp of several pinned rows ----------------------------------------------

CLAMP_SPACING, CLAMP_LENGTH, CLAMP_WIDTH = 0.006, 0.12, 0.03  # m, of what hangs


def angle(kind, spacing, rows, **settings):
    """Degrees below the horizontal from the clamp to the free end."""
    held = (rows - 1) * spacing
    flat = sheet(kind, held + CLAMP_LENGTH, CLAMP_WIDTH, spacing)
    points = flat.points.copy()
    row = np.rint(points[:, 0] / spacing)
    pinned = row < rows  # irregular points near a pinned row are moved onto it: a clamp is straight
    points[pinned, 0] = row[pinned] * spacing
    along = points[:, 0] - held
    bend, stretch = LOAD * CLAMP_LENGTH**3 / PEIRCE, SLACK * LOAD * CLAMP_LENGTH
    positions = np.column_stack([along, points[:, 1], 0 * along])
    damping = 2 * np.sqrt(GRAVITY / CLAMP_LENGTH * (1 + 12 / PEIRCE))  # nearly critical
    settings = {"shear": stretch / 4, "damping": damping, **settings}
    with cloth_of(positions, flat.triangles, stretch, bend, **settings) as cloth:
        cloth.set_pins(np.flatnonzero(along < 1e-6).astype(np.int32))
        ends = settle(cloth, rig.FRAME)[along > CLAMP_LENGTH - 1e-6]
    return degrees(atan2(-ends[:, 2].mean(), ends[:, 0].mean()))


def clamp_degrees(results, quick):
    """clamp_degrees: the angle farthest from theory's"""
    heading("Peirce's strip in clamps of several pinned rows: degrees")
    right = theory.peirce_degrees()
    note(f"Theory: {right:.2f} degrees.")

    def farthest(angles):
        return max(angles, key=lambda each: abs(each - right))

    def angles(shape, settings):
        found = {f"{rows}_rows": angle(*shape, rows, **settings) for rows in (2, 3, 4)}
        return {**found, "worst": farthest(found.values())}

    shapes = [(kind, CLAMP_SPACING) for kind in rig.KINDS]
    rows = rig.rows_of(angles, shapes, rig.ways(conventional=not quick))
    results.table("clamp", rows)
    rig.record(results, "clamp_degrees", rows, farthest, "worst", conventional=not quick)


# --- a flag of the default cloth on a pole ---------------------------------------------------------

FLAG, FLAG_SPACINGS = (0.9, 0.6), (0.045, 0.03)  # m
WIND, GUSTS = 6.0, 0.2  # m/s, the share of it that passes the flag
# Without wind it comes to rest damped, and then goes on without.
BLOWN = {"turbulent": {"share": GUSTS}, "steady": {}}
BLOWN["calm"] = {"wind": 0.0, "seconds": 7.0, "damping": 4.0}


def tip_speed(kind, spacing, wind=WIND, share=0.0, seconds=4.0, damping=0.0, **settings):
    """Root mean square of the free edge's speed in the last second, m/s. damping: 1/s, but for the last two seconds."""
    flat = sheet(kind, *FLAG, spacing)
    along = flat.points[:, 0]
    gusts = Turbulence((wind, 0, 0), share) if share > 0 else None
    squares = []
    last, count = round(1 / rig.FRAME), round(seconds / rig.FRAME)
    settings = {"threads": 1, "wind": (wind, 0, 0), "damping": damping, **settings, **EXTRA}
    with Cloth(mesh_of(flat.standing(UPRIGHT), flat.triangles), **settings) as cloth:
        cloth.set_pins(np.flatnonzero(along < 1e-6).astype(np.int32))
        for frame in range(count):
            if damping and frame == count - 2 * last:
                cloth.set_material(damping=0)
            if gusts:
                cloth.set_fields(wind=gusts.at(cloth.positions(), frame * rig.FRAME))
            cloth.step(rig.FRAME)
            if frame >= count - last:
                speeds = cloth.state()[1][along > FLAG[0] - 1e-6].astype(float)
                squares.append((speeds**2).sum(1).mean())
    return float(np.sqrt(np.mean(squares)))


def flag_tip_speed(results, quick):
    """flag_tip_speed and flag_still_speed"""
    heading(f"A flag in a wind of {WIND:g} m/s: speed of its free edge in the last second")

    def speeds(shape, settings):
        names = ("turbulent",) if "solver" in settings else BLOWN
        return {name: tip_speed(*shape, **BLOWN[name], **settings) for name in names}

    shapes = rig.shapes(quick, FLAG_SPACINGS)
    rows = rig.rows_of(speeds, shapes, rig.ways(conventional=not quick))
    results.table("flag", rows)
    rig.record(results, "flag_tip_speed", rows, min, "turbulent", conventional=not quick)
    rig.record(results, "flag_still_speed", rows, max, "calm")
