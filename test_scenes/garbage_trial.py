# SPDX-License-Identifier: GPL-3.0-or-later
"""What the library makes of a spoiled garment: looked at, draped on its body with self-contact, and mirrored.

Needs the library. A case is survived if each of the three ends in time with a clear refusal, or with places that are
finite and no edge stretched beyond what is torn, if it was not so at the start.
"""

import time
from dataclasses import dataclass

import numpy as np

from muslin import Cloth, MuslinError, check_mesh
from test_scenes.contact.play import mesh_of
from test_scenes.mesh import unique_edges

FRAMES = 3
FRAME_SECONDS = 1 / 24
TORN = 3.0  # length over that at rest
# Edges shorter than this part of the mean are left out: their ratios say nothing that can be seen.
SHORT = 0.02


@dataclass
class Outcome:
    """Of one way through the library. fault: what is wrong with it, or None; refusal: what it said, or None.

    stretch: the largest at the end; frame: the longest one, s; curtailed: substeps that ended their searches early.
    """

    way: str
    fault: str = None
    refusal: str = None
    stretch: float = 0.0
    frame: float = 0.0
    curtailed: int = 0


def stretches(edges, rest, positions):
    ends = positions[edges].astype(np.float64)
    return np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1) / rest


def measured_edges(worn):
    """Edges that count, and how long they are in the garment as it starts."""
    edges, _ = unique_edges(worn.cloth.faces)
    ends = worn.cloth.positions[edges].astype(np.float64)
    lengths = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
    kept = lengths > SHORT * lengths.mean()
    return edges[kept], lengths[kept]


def look(worn):
    outcome = Outcome("check")
    begin = time.monotonic()
    found = check_mesh(mesh_of(worn.cloth))
    outcome.frame = time.monotonic() - begin
    if not found.can_simulate:
        outcome.refusal = found.message
        if not found.message:
            outcome.fault = "refused without a word"
    return outcome


def drape(worn, way, frames=FRAMES, **settings):
    """A few frames on the body."""
    outcome = Outcome(way)
    try:
        _drape(worn, outcome, frames, {"threads": 1, **worn.settings, **settings})
    except MuslinError as error:
        outcome.refusal = str(error)
        if not outcome.refusal:
            outcome.fault = "refused without a word"
    return outcome


def _drape(worn, outcome, frames, settings):
    body = worn.body.positions
    with Cloth(mesh_of(worn.cloth, uvs=True), **settings) as cloth:
        edges, rest = measured_edges(worn)
        collider = cloth.add_body((body, worn.body.triangles()))
        cloth.set_self_contact(True)
        start = cloth.inspect().largest_stretch if "pattern" in settings else 1.0
        for frame in range(frames):
            begin = time.monotonic()
            collider.move(body + (frame + 1) * np.array(worn.motion, np.float32))
            cloth.step(FRAME_SECONDS)
            outcome.frame = max(outcome.frame, time.monotonic() - begin)
            stats = cloth.stats()
            outcome.curtailed += stats.curtailed
            positions = cloth.positions()
            if not np.isfinite(positions).all():
                outcome.fault = f"not finite in frame {frame + 1}"
                return
            outcome.stretch = _stretch(cloth, settings, edges, rest, positions)
        if outcome.stretch > max(TORN, start):
            outcome.fault = f"stretched to {outcome.stretch:.3g}"


def _stretch(cloth, settings, edges, rest, positions):
    """Of a pattern the library alone knows how long edges are at rest."""
    if "pattern" in settings:
        return cloth.inspect().largest_stretch
    return float(stretches(edges, rest, positions).max(initial=0.0))


def trial(worn, frames=FRAMES):
    """All three ways through."""
    return [
        look(worn),
        drape(worn, "drape", frames),
        drape(worn, "mirror", frames, mirror="auto"),
    ]
