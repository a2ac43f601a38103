# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of meshes and point caches: one view, a contact sheet of chosen frames, or a film of them (.gif)."""

import argparse
import sys

import muslin
import numpy as np

from test_scenes import heat
from test_scenes.film import write_gif
from test_scenes.image import GLYPHS, contact_sheet, write_png, write_text
from test_scenes.objfile import read_obj
from test_scenes.render import CLOTH, PALE_CLOTH, SECOND_CLOTH, SKIN, Part, frame_camera, render

COLOURS = {"red": CLOTH, "blue": SECOND_CLOTH, "pale": PALE_CLOTH}
# Air around what fills the view; close, to see a little of the body that carries the cloth.
MARGIN, CLOSE_MARGIN = 1.08, 1.3


def main(arguments=None):
    options = _parser().parse_args(arguments)
    try:
        picture = draw(options)
        if is_film(options):
            write_gif(options.output, picture)
        else:
            write_png(options.output, picture)
    except (OSError, ValueError, muslin.FileError) as problem:
        print(f"picture: {problem}", file=sys.stderr)
        return 1
    print(f"{options.output}: {picture.shape[-2]} x {picture.shape[-3]}")
    return 0


def is_film(options):
    return options.output.lower().endswith(".gif")


def _parser():
    parser = argparse.ArgumentParser(prog="tools/picture", description=__doc__)
    parser.add_argument("mesh", metavar="MESH.obj")
    parser.add_argument("-o", "--output", required=True, metavar="OUT.png|OUT.gif")
    parser.add_argument("--cache", metavar="C.pc2", help="positions of the mesh over time")
    parser.add_argument("--frames", type=_numbers, help="such as 1,10,20 or 1-36; as in the cache")
    parser.add_argument("--captions", help="of the frames, such as coarse,fine; their numbers")
    parser.add_argument("--body", metavar="B.obj", help="also drawn")
    parser.add_argument("--body-cache", metavar="B.pc2", help="positions of the body over time")
    parser.add_argument("--close", action="store_true", help="fit the cloth alone into the view")
    parser.add_argument("--wire", action="store_true", help="draw the mesh lines faintly")
    parser.add_argument("--colour", choices=COLOURS, default="red")
    parser.add_argument("--fit", metavar="FIT.json", help="colour the cloth by a --fit-report")
    parser.add_argument(
        "--show", choices=heat.KINDS, default="pressure", help="what of it (pressure)"
    )
    parser.add_argument("--most", type=float, help="Pa, %%, degrees or mm at the end of the scale")
    parser.add_argument("--size", type=_size, help="of one view, such as 800x600")
    parser.add_argument("--columns", type=int, help="of the contact sheet")
    parser.add_argument("--azimuth", type=float, default=25, help="0 looks at the front (25)")
    parser.add_argument("--elevation", type=float, default=10, help="degrees above level (10)")
    parser.add_argument("--ground", type=float, help="height of the floor; the lowest point")
    parser.add_argument("--samples", type=int, default=2, help="a pixel has this squared (2)")
    return parser


def _numbers(text):
    """Numbers and ranges, with commas between them."""
    found = []
    for word in text.split(","):
        first, _, last = word.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return found


def _size(text):
    width, height = (int(word) for word in text.lower().split("x"))
    if not (16 <= width <= 8192 and 16 <= height <= 8192):
        raise ValueError("size out of range")
    return width, height


def draw(options):
    """The picture (height, width, 3) that the options ask for; of a film all of its pictures, in an array."""
    mesh = read_obj(options.mesh)
    if len(mesh.positions) == 0:
        raise ValueError(f"{options.mesh} has no vertices")
    frames, start = _positions(mesh, options.cache, options.mesh)
    chosen = options.frames or [round(start) + len(frames) - 1]
    places = [frame - round(start) for frame in chosen]
    for frame, place in zip(chosen, places):
        if not 0 <= place < len(frames):
            last = round(start) + len(frames) - 1
            raise ValueError(f"frame {frame} is not between {round(start)} and {last}")
    body = read_obj(options.body) if options.body else None
    body_frames = _positions(body, options.body_cache, options.body)[0] if body else None
    colour, most = _colour(options, len(mesh.positions))
    steps = [_parts(mesh, frames[k], colour, body, body_frames, k, options) for k in places]
    everything = _points(part for parts in steps for part in parts)
    framed = _points(parts[-1] for parts in steps) if options.close else everything
    width, height = options.size or ((800, 600) if len(steps) == 1 else (420, 480))
    margin = CLOSE_MARGIN if options.close else MARGIN
    camera = frame_camera(framed, width, height, options.azimuth, options.elevation, margin)
    ground = float(everything[:, 2].min()) if options.ground is None else options.ground
    views, captions = [], _captions(options.captions, chosen)
    for caption, parts in zip(captions, steps):
        views.append(render(parts, camera, width, height, ground, options.samples))
        if options.cache and not is_film(options):
            write_text(views[-1], caption, 14, 14 if options.fit else height - 26)
        if options.fit:
            heat.draw_legend(views[-1], most, options.show)
    if is_film(options):
        return np.stack(views)
    return contact_sheet(views, options.columns or min(len(views), 4))


def _captions(given, chosen):
    if given is None:
        return [f"frame {frame}" for frame in chosen]
    captions = given.split(",")
    if len(captions) != len(chosen):
        raise ValueError(f"{len(captions)} captions for {len(chosen)} frames")
    missing = set("".join(captions)) - set(GLYPHS)
    if missing:
        raise ValueError(f"captions: there is no letter {min(missing)!r}")
    return captions


def _colour(options, count):
    """Of the cloth, or of each of its vertices; and what the end of the scale means."""
    if not options.fit:
        return COLOURS[options.colour], None
    values = heat.read_values(options.fit, options.show, options.mesh, count)
    most = options.most or heat.default_most(values)
    return heat.colours(values, most, options.show), most


def _positions(mesh, cache, name):
    """All frames (f, n, 3) of a mesh and the number of the first: its cache, or itself alone."""
    if not cache:
        return mesh.positions[None], 1
    opened = muslin.read_pc2(cache)
    frames, start = opened.positions, opened.start
    if frames.shape[1] != len(mesh.positions):
        raise ValueError(
            f"{cache} has {frames.shape[1]} vertices and {name} has {len(mesh.positions)}"
        )
    return frames, start


def _points(parts):
    """The places of all vertices of the parts, those that are numbers."""
    points = np.concatenate([part.positions for part in parts])
    return points[np.isfinite(points).all(1)]


def _parts(mesh, positions, colour, body, body_frames, place, options):
    """What one view shows, the cloth last."""
    cloth = Part(
        np.array(positions),
        mesh.faces,
        colour,
        edges=mesh.edges,
        wire=options.wire,
    )
    if body is None:
        return [cloth]
    # A body without a cache, or with a shorter one, keeps its last pose.
    pose = np.array(body_frames[min(place, len(body_frames) - 1)])
    return [Part(pose, body.faces, SKIN), cloth]


if __name__ == "__main__":
    sys.exit(main())
