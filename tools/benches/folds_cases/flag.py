# SPDX-License-Identifier: GPL-3.0-or-later
"""A flag of the default cloth on a pole: how fast its free edge moves in a wind, and without one."""

import numpy as np
from common.report import heading, note
from folds_cases import rig
from muslin import Cloth, Mesh
from muslin.turbulence import Turbulence
from truth_cases.meshes import sheet
from truth_cases.rig import EXTRA

LENGTH, HEIGHT = 0.9, 0.6  # m
SPACINGS = (0.045, 0.03)
WIND = 6.0  # m/s
SHARES = {"turbulent": 0.2, "steady": 0.0}
SECONDS = 4.0  # of wind; the last second counts
CALM_SECONDS, DAMPING = (
    7.0,
    4.0,
)  # s, 1/s: without wind it comes to rest damped, and then goes on without


def tip_speed(kind, spacing, wind=WIND, share=0.0, seconds=SECONDS, damping=0.0, **settings):
    """Root mean square of the free edge's speed in the last second, m/s, and how far its middle goes across, m.

    damping: 1/s, but for the last two seconds.
    """
    flat = sheet(kind, LENGTH, HEIGHT, spacing)
    sizes = np.full(len(flat.triangles), 3, np.int32)
    mesh = Mesh(flat.standing([(1, 0, 0), (0, 0, 1)]), sizes, flat.triangles.ravel())
    along = flat.points[:, 0]
    tip = along > LENGTH - 1e-6
    gusts = Turbulence((wind, 0, 0), share) if share > 0 else None
    squares, across = [], []
    last, count = round(1 / rig.FRAME), round(seconds / rig.FRAME)
    with Cloth(mesh, **settings_of(wind, damping, settings)) as cloth:
        cloth.set_pins(np.flatnonzero(along < 1e-6).astype(np.int32))
        for frame in range(count):
            if damping and frame == count - 2 * last:
                cloth.set_material(damping=0)
            if gusts:
                cloth.set_fields(wind=gusts.at(cloth.positions(), frame * rig.FRAME))
            cloth.step(rig.FRAME)
            if frame >= count - last:
                places, speeds = (values[tip].astype(float) for values in cloth.state())
                squares.append((speeds**2).sum(1).mean())
                across.append(places[:, 1].mean())
    return float(np.sqrt(np.mean(squares))), float(np.ptp(across))


def settings_of(wind, damping, settings):
    return {"threads": 1, "wind": (wind, 0, 0), "damping": damping, **settings, **EXTRA}


def flag_tip_speed(results, quick):
    """flag_tip_speed and flag_still_speed"""
    heading("A flag: speed of its free edge in the last second")
    ways = rig.ways()
    shapes = rig.shapes(quick, SPACINGS)
    blown = {name: {"share": share} for name, share in SHARES.items()}
    blown["calm"] = {"wind": 0.0, "seconds": CALM_SECONDS, "damping": DAMPING}

    def one(shape, name, way):
        if way == "conventional" and (quick or name != "turbulent"):
            return None
        return tip_speed(*shape, **blown[name], **ways[way])

    found = rig.run_all(one, shapes, blown, ways)
    rows = [
        _row(found, shape, way)
        for shape in shapes
        for way in ways
        if found[shape, "turbulent", way] is not None
    ]
    rig.show(results, "flag", rows)
    rig.record(results, "flag_tip_speed", rows, min, "turbulent", conventional=not quick)
    rig.record(results, "flag_still_speed", rows, max, "calm")
    note(
        f"Wind of {WIND:g} m/s; turbulent: gusts of {SHARES['turbulent']:.0%} of it pass the flag."
    )


def _row(found, shape, way):
    speeds = {name: found[shape, name, way] for name in (*SHARES, "calm")}
    row = {"triangulation": shape[0], "quality": way, "mm": 1000 * shape[1]}
    row.update((name, speed and speed[0]) for name, speed in speeds.items())
    row["across mm"] = 1000 * speeds["turbulent"][1]
    return row
