# SPDX-License-Identifier: GPL-3.0-or-later
"""A pattern laid flat around the body assembles itself: how open its seams stay, and how far it is stretched."""

import numpy as np
from common.report import heading, note
from muslin import Cloth, pattern, read_obj, seams
from muslin.sewing import runs
from test_scenes.contact import real

GARMENTS = ("tshirt_pattern", "shirt_pattern")
NAMED = "tshirt_pattern"  # whose figures are the keys
FRAMES, QUICK_FRAMES = 48, 16
SECONDS = 1 / 24
NECK = 0.835  # of a person's height
SURFACE = {"thickness": 0.004, "friction": 0.3}


def measure(results, quick):
    heading("A pattern that assembles itself around the body")
    note(
        "Panels of the UV map, in its size, laid flat 10 mm off the body and sewn together by the library: fit, "
        "self-contact, cotton. Gap: the largest between two stitched places at the end. Stretch of edges over their "
        "length in the pattern."
    )
    for name in GARMENTS:
        _record(results, name, QUICK_FRAMES if quick else FRAMES)
    results.show("sewing", "garment vertices stitches closed gap_mm stretch_p99 inside")


def _record(results, name, frames):
    paths = real.FOLDER / f"{name}.obj", real.FOLDER / "body.obj"
    if not all(path.is_file() for path in paths):
        note(f"Skipped, since shared/data beside the checkout does not have it: {name}.obj")
        return
    garment, body = (read_obj(str(path)) for path in paths)
    garment.positions = garment.positions + _way_up(garment, body)
    made = pattern.cut(garment, body=body)
    panels, pairs = seams.split_loose_edges(made.mesh)
    closed = None
    with Cloth(panels, pattern="uv", quality="fit") as cloth:
        cloth.add_body(body, **SURFACE)
        cloth.set_self_contact(True, **SURFACE)
        sewn = cloth.sew(runs.evenly_sewn(panels, pairs))
        for frame in range(1, frames + 1):
            cloth.step(SECONDS)
            if closed is None and cloth.link_report(sewn).largest_gap <= 1e-3:
                closed = frame
        gap = 1e3 * cloth.link_report(sewn).largest_gap
        lie = cloth.inspect()
    row = {
        "vertices": panels.vertex_count,
        "stitches": len(pairs),
        "closed": closed,
        "gap_mm": gap,
        "stretch_p99": lie.stretch_p99,
        "inside": lie.inside_count,
    }
    results.row("sewing", garment=name, **row)
    if name == NAMED:
        results.number("seam_gap_mm", gap)
        results.number("sewn_stretch", lie.stretch_p99)


def _way_up(garment, body):
    """By how much the garment is lifted so that the body wears it: its upper end to the neck."""
    low, high = body.positions[:, 2].min(), body.positions[:, 2].max()
    return np.array([0, 0, low + NECK * (high - low) - garment.positions[:, 2].max()], np.float32)
