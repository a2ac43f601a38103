# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures 7.8 and 7.9 of the thesis: cloth that is draped on a sphere and slips down, by edges and by triangles.

(a) the conventional step by conjugate gradients, (b) linear cloth guessed by rotation (IER, IAR), (c) by translation
(IVT), one round each. The thesis says that they "look almost similar"; it gives neither sizes nor fabric nor step. (d) is
the library's own default, two levels at fit.
"""

import os
from dataclasses import replace

from common.measure import cloth_of
from common.report import digits, heading, note, percent, table
from test_scenes.contact import draw as scenes
from test_scenes.contact import falls
from test_scenes.contact.play import FRAME_SECONDS, Play, rms
from test_scenes.image import contact_sheet, write_png
from research.thesis.fabric import NO_AIR
from research.thesis.meshes import square

COUNT, QUICK_COUNT = 1098, 166
FRAMES = (6, 12, 18, 24)
FLOOR = 1.5  # m, its sides
# Steps a frame: as in the tables, and so short that the thesis says there is no side effect.
SUBSTEPS, QUICK_SUBSTEPS = (2, 20), (2,)
PLAIN = {"scheme": "plain", "iterations": 1}
METHODS = (
    ("a", "conventional", {"solver": "implicit", "iterations": 1, "pcg_tolerance": 0.01}),
    ("b", "linear, rotation", {**PLAIN, "estimate": "rotation"}),
    ("c", "linear, translation", {**PLAIN, "estimate": "translation"}),
    ("d", "two levels, fit", {"quality": "fit"}),
)
FIGURES = (("7.8", "edge"), ("7.9", "triangle"))
HEADER = ("figure", "method", "step|s", "mean height|m, frame 6", "12", "18", "24")
HEADER += ("of a's|drop", "from a|mm", "mean|strain", "largest|eigenvalue")
VIEW = {"size": (300, 260), "azimuth": 25, "elevation": 12}


def scene_of(count):
    """The scenes' own sphere above a smaller floor, under an irregular square."""
    scene, cloth = falls.sphere(), square(count)
    cloth = replace(cloth, positions=cloth.positions + scene.cloth.positions.mean(0))
    return replace(scene, cloth=cloth, bodies=[scene.bodies[0], falls.floor(FLOOR)])


def measure(results, quick):
    scene = scene_of(QUICK_COUNT if quick else COUNT)
    heading("Figures 7.8 and 7.9: the sphere test")
    note(
        f"{len(scene.cloth.positions)} vertices, 1 m, the reference fabric, a sphere of 0.25 m, friction 0.1, "
        f"{FRAMES[-1]} frames. Of a's drop: the mean drop at frame {FRAMES[0]} over that of (a). From a: root mean square "
        f"distance at frame {FRAMES[-1]}. Eigenvalue: of the constant matrix; in the thesis's table 6.1 it is 2.3 and 2.9."
    )
    rows = []
    for figure, model in FIGURES:
        for substeps in QUICK_SUBSTEPS if quick else SUBSTEPS:
            rows += _rows(results, scene, figure, model, substeps)
    table(HEADER, rows, left=2)


def _rows(results, scene, figure, model, substeps):
    eigenvalue = _eigenvalue(scene, model, substeps)
    rows, first = [], None
    for letter, name, settings in METHODS:
        with Play(scene, model=model, substeps=substeps, **settings) as play:
            track = play.run(FRAMES[-1]).track
        first = track if first is None else first
        heights = [float(track[frame][:, 2].mean()) for frame in (0, *FRAMES)]
        share = (heights[1] - heights[0]) / float((first[FRAMES[0]] - first[0])[:, 2].mean())
        apart, strain = rms(track[-1], first[-1]), play.history[-1].mean_strain
        results.number(f"sphere_{model}_{letter}_{substeps}", share)
        results.row(
            "sphere",
            figure=figure,
            model=model,
            method=name,
            substeps=substeps,
            heights=heights,
            drop_of_conventional=share,
            distance=apart,
            mean_strain=strain,
            largest_eigenvalue=eigenvalue,
        )
        kept = results.kept.setdefault(("sphere", figure, substeps), [])
        kept.append([track[frame] for frame in FRAMES])
        cells = (f"1/{round(substeps / FRAME_SECONDS)}", *(digits(h, 3) for h in heights[1:]))
        cells += (percent(share, 0), digits(1e3 * apart, 0), percent(strain, 2))
        rows.append((figure, f"{letter} {name}", *cells, f"{eigenvalue:.4g}"))
    return rows


def _eigenvalue(scene, model, substeps):
    with cloth_of(scene.cloth, [], model=model, substeps=substeps, **NO_AIR) as cloth:
        cloth.prepare(FRAME_SECONDS)
        return cloth.eigenvalues()[1]


def draw(results, folder):
    """A sheet for each figure and step: a row for each method, a column for each frame."""
    for (part, figure, substeps), tracks in results.kept.items():
        if part == "sphere":
            scene = scene_of(len(tracks[0][0]))
            views = [scenes.draw(scene, FRAMES, track, **VIEW) for track in tracks]
            name = f"sphere_{figure}_step_{round(substeps / FRAME_SECONDS)}.png"
            write_png(os.path.join(folder, name), contact_sheet(views, 1))
