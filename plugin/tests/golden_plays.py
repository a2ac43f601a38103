"""Short plays of every solver, contact, mirror and seam, and what came of them once: golden.json.

    python3 golden_plays.py     writes golden.json anew, for a change that is meant to move cloth otherwise

The hashes are those of a release on one kind of machine, named there: another machine, and another kind of build, may
round otherwise, and are held to the positions.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import hashlib
import json
import os
import platform
from functools import partial
from pathlib import Path

import numpy as np

from muslin import links
from test_scenes import sheets
from test_scenes.contact import falls, layers, mirrored, sleeve
from test_scenes.contact.play import Play
from test_scenes.contact.scene import ContactScene

RECORD = Path(__file__).with_name("golden.json")
FRAMES, BREAK = 8, 4  # of a play; the frame after which a second cloth takes over
SAMPLES = 12  # vertices whose positions at the break are kept


def hung(diagonals="alternating", columns=35, rows=26):
    """A sheet that hangs by two corners and swings; large enough to be divided among threads."""
    mesh = sheets.grid(columns, rows, (0.7, 0.5), diagonals)
    return ContactScene("hung", "", mesh, pins=[0, columns - 1])


def sewn():
    """Two strips, 20 mm apart, that a seam draws together."""
    left, right = sheets.grid(8, 10, (0.3, 0.4)), sheets.grid(8, 10, (0.3, 0.4))
    count = len(left.positions)
    right.positions[:, 0] += 0.32
    left.positions = np.concatenate([left.positions, right.positions])
    left.faces = np.concatenate([left.faces, right.faces + count])
    return ContactScene("sewn", "", left, pins=[0, count - 1])


def seam(play):
    row = 8 * np.arange(10)
    pairs = np.column_stack([row + 7, 80 + row])
    play.cloth.set_links([links.seam(pairs)])


FALL = partial(falls.sphere, 27)
# A solve that ends early, by a residual or a count, tells another machine's rounding by a millimetre.
CONVERGED = {"solver": "implicit", "iterations": 2, "pcg_tolerance": 1e-10}
# On a body two substeps of a frame are too few for its iterations: a bit of the start became 30 mm within that frame.
STRUCK = {"substeps": 6}
LINEAR = {"scheme": "two_level", "substeps": 2}
# Name: scene, settings, what is done to the cloth before its first step.
PLAYS = {
    "draft": (hung, {**LINEAR, "quality": "draft"}, None),
    "final": (hung, {**LINEAR, "quality": "final"}, None),
    "single": (hung, {**LINEAR, "quality": "draft", "precision": "single"}, None),
    "edge": (hung, {**LINEAR, "quality": "draft", "model": "edge"}, None),
    "plain": (hung, {"scheme": "plain", "quality": "custom", "iterations": 3}, None),
    "anderson": (hung, {"scheme": "anderson", "quality": "custom", "iterations": 6}, None),
    "bdf2": (hung, {**LINEAR, "quality": "fit", "integrator": "bdf2"}, None),
    "implicit": (partial(hung, columns=12, rows=9), CONVERGED, None),
    "sweep": (hung, {"solver": "sweep", "sweeps": 4}, None),
    "threads": (partial(hung, "quads"), {"solver": "threads", "iterations": 2}, None),
    "ball": (FALL, {**LINEAR, "quality": "draft"}, None),
    "ball_implicit": (partial(falls.sphere, 13), {**CONVERGED, **STRUCK}, None),
    "sleeve": (partial(sleeve.sleeve, 0.02, start=0.0), {**LINEAR, "quality": "draft"}, None),
    "stack": (partial(layers.stack, 14, 3), {**LINEAR, "quality": "draft"}, None),
    "halved": (
        partial(mirrored.hanging, 41),
        {**LINEAR, "quality": "draft", "mirror": "exact"},
        None,
    ),
    "sewn": (sewn, {**LINEAR, "quality": "draft"}, seam),
}


def begin(name, threads=1):
    """A play that has not been stepped yet."""
    make, settings, prepare = PLAYS[name]
    play = Play(make(), quads="mirror" in settings, **{**settings, "threads": threads})
    if prepare:
        prepare(play)
    return play


def machine():
    """The kind of this machine, as golden.json names it, with its C library, whose cosines round in their own way, and of
    a build that is no release."""
    build = os.environ.get("MUSLIN_KIND", "Release")
    kind = platform.machine().replace("AMD64", "x86_64")
    return " ".join([kind, *platform.libc_ver()]) + f" {build}" * (build != "Release")


def digest(track):
    """Of the positions of some frames."""
    total = hashlib.sha256()
    for positions in track:
        total.update(positions.tobytes())
    return total.hexdigest()[:16]


def sample(positions):
    """Some vertices of a cloth, m."""
    return positions[np.linspace(0, len(positions) - 1, SAMPLES).astype(int)]


def record():
    """What golden.json holds, from this machine."""
    golden = {"machine": machine(), "plays": {}}
    for name in PLAYS:
        with begin(name) as play:
            track = play.run(FRAMES).track
        golden["plays"][name] = {
            "hash": digest(track),
            "positions": [[round(float(x), 7) for x in row] for row in sample(track[BREAK])],
        }
    return golden


if __name__ == "__main__":
    lines = json.dumps(record()).replace('"plays": {', '"plays": {\n').replace("]]},", "]]},\n")
    RECORD.write_text(lines + "\n", encoding="utf-8")
