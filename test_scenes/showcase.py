# SPDX-License-Identifier: GPL-3.0-or-later
"""Four scenes of an artist, at the default 24 frames of two substeps, quality fit: simulated with one library, and drawn
with another's beside them.

    run FOLDER              FOLDER/NAME.npz: all frames of each scene, with the library in use
    draw BEFORE AFTER OUT   OUT/showcase_NAME.png: rows of frames, one column for each of the two folders

MUSLIN_LIBRARY names another library. The skirt and the t-shirt need shared/data beside the checkout, and are left out
where it is absent.
"""

import argparse
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable

import numpy as np
from muslin.fabrics import fabric, fabric_surface

from test_scenes import garments, solids
from test_scenes.contact import layers
from test_scenes.contact.falls import floor, square
from test_scenes.contact.play import Play
from test_scenes.contact.real import real_scene
from test_scenes.contact.rig import rigged_mannequin, turning
from test_scenes.contact.scene import Body, ContactScene, rise, still
from test_scenes.image import contact_sheet, write_png, write_text
from test_scenes.mesh import Mesh, unique_edges
from test_scenes.refine import subdivide
from test_scenes.render import SKIN, Camera, Part, render

BALL = 0.17  # m, radius
TILE, COARSER = (560, 400), 4  # pixels of a view; levels of its colours
VERTICES = 3000  # of a garment, about
TURN = (2, 38, 360.0)  # the figure turns from this frame to that one, by so many degrees
SLOPE, GRIP = 27.0, 0.6  # degrees of the board; its friction, which holds 31 degrees


@dataclass
class Show:
    """What is shown of a scene: its fabric, the frames, and how the camera sees them."""

    scene: Callable
    fabric: str
    frames: tuple
    camera: Camera
    colours: tuple


def scarf():
    """A square of silk falls on a ball, a little beside its middle."""
    return ContactScene(
        "scarf",
        "",
        square(75, 0.9, 2 * BALL + 0.12, (0.03, 0.02)),
        [still(solids.uv_sphere(BALL, (0, 0, BALL + 0.002), 48, 96)), floor()],
        frames=48,
    )


def skirt():
    """A flared skirt on a figure that turns once and stops."""
    cloth = garments.skirt(0.015, flare=0.36)
    waist = np.flatnonzero(cloth.positions[:, 2] > cloth.positions[:, 2].max() - 1e-4)

    def turned(points, frame):
        return points @ turning("z", TURN[2] * float(rise(frame, *TURN[:2]))).T

    start, held = rigged_mannequin()[0], cloth.positions[waist].astype(float)
    body = Body("figure", start.faces, lambda frame: turned(start.positions, frame), moves=True)
    return ContactScene(
        "skirt", "", cloth, [body], waist, lambda frame: turned(held, frame), frames=TURN[1] + 24
    )


def tshirt():
    """A t-shirt on a figure that raises its arms and lowers them."""
    return real_scene("tshirt_sym", "body_arms", count=VERTICES)


def stack():
    """Five sheets slide down a board that holds the lowest one."""
    found = layers.stack(36, 5, gap=0.0045)
    tilt = solids.tilting(SLOPE)
    found.cloth.positions = ((found.cloth.positions + (0.5, 0, 0)) @ tilt.T + (0, 0, 0.6)).astype(
        np.float32
    )
    board = solids.sheet((2.0, 0.9), (0, 0, 0.6), cells=(6, 3), tilt=SLOPE)
    return replace(found, bodies=[still(board, closed=False, name="board")], frames=24)


SILK, BLUE, JERSEY = (0.27, 0.012, 0.035), (0.06, 0.13, 0.27), (0.10, 0.18, 0.14)
SHEETS = (
    (0.38, 0.34, 0.27),
    (0.42, 0.16, 0.04),
    (0.04, 0.18, 0.18),
    (0.42, 0.30, 0.05),
    (0.30, 0.04, 0.03),
)
STONE, WOOD = (0.20, 0.21, 0.22), (0.22, 0.15, 0.10)
SHOWS = {
    "scarf": Show(
        scarf, "silk", (12, 48), Camera(np.array([0, 0, 0.13]), 2.5, 30, 22), (STONE, SILK)
    ),
    "skirt": Show(
        skirt, "cotton", (24, 62), Camera(np.array([0, 0, 0.80]), 3.2, 25, 8), (SKIN, BLUE)
    ),
    "tshirt": Show(
        tshirt, "jersey", (30, 60), Camera(np.array([0, 0, 0.37]), 2.2, 20, 8), (SKIN, JERSEY)
    ),
    "stack": Show(
        stack, "cotton", (12, 24), Camera(np.array([0.15, 0, 0.62]), 2.9, -35, 24), (WOOD, *SHEETS)
    ),
}


def simulate(show, scene):
    """(positions of every frame, milliseconds a frame)"""
    scene.settings = {"self_contact": True, **fabric_surface(show.fabric)}
    material = {"quality": "fit", **fabric(show.fabric)}
    with Play(scene, quads=True, uvs=True, fabric=material, threads=os.cpu_count()) as play:
        for body, of_scene in zip(play.bodies, scene.bodies):
            if of_scene.name == "board":
                body.set_surface(friction=GRIP)
        play.run()
        return np.array(play.track), 1000 * np.mean(play.frame_seconds)


def run(folder, names):
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        scene = SHOWS[name].scene()
        if scene is None:
            print(f"{name}: left out, since shared/data is not beside the checkout")
            continue
        track, milliseconds = simulate(SHOWS[name], scene)
        np.savez_compressed(folder / f"{name}.npz", track=track)
        print(f"{name}: {track.shape[1]} vertices, {milliseconds:.0f} ms per frame", flush=True)


def smoothed(positions, faces):
    """Finer and rounder, as an artist's Subdivision modifier shows it: (positions, faces)."""
    fine = subdivide(Mesh(positions, faces))
    edges, uses = unique_edges(fine.faces)
    border = np.zeros(len(fine.positions), bool)
    border[edges[uses == 1]] = True
    kept = edges[(uses == 1) | ~border[edges].any(1)]  # a border follows itself alone
    inner = edges[(uses != 1) & border[edges].any(1)]
    ends = np.concatenate(
        [kept, kept[:, ::-1], *(side[~border[side[:, 0]]] for side in (inner, inner[:, ::-1]))]
    )
    points = fine.positions.astype(float)
    for _ in range(2):
        count = np.bincount(ends[:, 0], minlength=len(points))[:, None]
        sums = [np.bincount(ends[:, 0], points[ends[:, 1], k], len(points)) for k in range(3)]
        points = 0.6 * points + 0.4 * np.stack(sums, 1) / np.maximum(count, 1)
    return points, fine.faces


def picture(show, track, frame):
    scene = show.scene()
    bodies = [body for body in scene.bodies if body.name != "floor"]
    parts = [Part(body.positions(frame), body.faces, show.colours[0]) for body in bodies]
    sheets = show.colours[len(bodies) :]
    size = len(track[0]) // len(sheets)
    faces = np.array(scene.cloth.faces).reshape(len(sheets), -1, len(scene.cloth.faces[0]))
    for k, colour in enumerate(sheets):
        own = smoothed(track[frame][k * size : (k + 1) * size], faces[k] - k * size)
        parts.append(Part(*own, colour))
    view = render(parts, show.camera, *TILE, ground=None if scene.bodies[0].moves else 0.0)
    return view // COARSER * COARSER  # without the grain, which fills two thirds of a file


def draw(before, after, out, names):
    out.mkdir(parents=True, exist_ok=True)
    for name in names:
        files = [folder / f"{name}.npz" for folder in (before, after)]
        if not all(map(Path.is_file, files)):
            continue
        show, tracks = SHOWS[name], [np.load(file)["track"] for file in files]
        views = []
        for frame in show.frames:
            for track, when in zip(tracks, ("before", "after")):
                views.append(picture(show, track, frame))
                write_text(views[-1], f"{when} frame {frame}", 14, TILE[1] - 26)
        path = out / f"showcase_{name}.png"
        write_png(path, contact_sheet(views, 2))
        print(f"{path}: {path.stat().st_size:,} bytes")


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="tools/showcase", description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("run")
    one.add_argument("folder", type=Path)
    two = commands.add_parser("draw")
    for name in ("before", "after", "out"):
        two.add_argument(name, type=Path)
    for command in (one, two):
        command.add_argument("--only", nargs="+", choices=SHOWS, default=list(SHOWS))
    options = parser.parse_args(arguments)
    if options.command == "run":
        run(options.folder, options.only)
    else:
        draw(options.before, options.after, options.out, options.only)
    return 0


if __name__ == "__main__":
    sys.exit(main())
