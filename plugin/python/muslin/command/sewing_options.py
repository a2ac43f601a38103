# SPDX-License-Identifier: GPL-3.0-or-later
"""What `drape` and `settle` sew: --sew, --tack and --elastic, and the frames at which these let go (--unpick, @FRAME)."""

from argparse import ArgumentTypeError
from collections import namedtuple

import numpy as np

from ..errors import refuse
from ..sewing import links
from ..sewing.nearest import nearest_places
from ..sewing.runs import evenly_sewn, flat_places
from ..sewing.seams import split_loose_edges
from . import values

EVENLY, EXACTLY = "evenly", "exactly"
BODY = "body"
OPEN_MM = 1.0  # gaps above this are reported

SEW_HELP = """sew: loose edges that join vertices of faces are stitches; they close, then hold as one piece.
evenly (the default): consecutive stitches are distributed along both borders by length; exactly: just these
vertices. Chains of loose edges of their own stay ropes"""
TACK_HELP = """attach vertices to others, one by one, such as 12,13=40,41; or to the nearest point of a body,
12,13=body or, of several bodies, body2. @FRAME after it: release at that frame. With several garments 2:12 is
vertex 12 of the second. May be given more than once"""
ELASTIC_HELP = """an elastic along the edges between these vertices, such as 10-42=0.7: its rest length is that share of
their length. @FRAME after it: release at that frame. May be given more than once"""
UNPICK_HELP = """open seams of --sew at a frame: 30, all of them; 12-40@30, those with a side on these vertices. With
several garments 2:12-40@30. May be given more than once"""


# One --tack, --elastic or --unpick. first: a garment (from 0) and ranges of its vertices. second: likewise, a number of a body
# from 0, or a share. frame: or None.
Attached = namedtuple("Attached", "text first second frame")


def add_options(group):
    group.add_argument(
        "--sew", nargs="?", const=EVENLY, choices=(EVENLY, EXACTLY), default=None, help=SEW_HELP
    )
    speed = {"default": links.SPEED, "help": f"closing speed, m/s (default {links.SPEED:g})"}
    group.add_argument("--sew-speed", type=values.positive, metavar="V", **speed)
    several = {"action": "append"}
    group.add_argument("--tack", type=tack, metavar="A=B", help=TACK_HELP, **several)
    group.add_argument("--elastic", type=elastic, metavar="A=SHARE", help=ELASTIC_HELP, **several)


def add_unpicking(group):
    several = {"action": "append", "metavar": "[A@]FRAME"}
    group.add_argument("--unpick", type=unpick, help=UNPICK_HELP, **several)


def split(given):
    """The two sides of a value, and its frame."""
    sides, at, frame = given.partition("@")
    first, equals, second = sides.partition("=")
    if not equals or not first or not second:
        raise ArgumentTypeError(f"{given!r} is not of the form A=B")
    return first, second, values.count(frame) if at else None


def tack(given):
    first, second, frame = split(given)
    if second.startswith(BODY):
        number = second[len(BODY) :]
        return Attached(given, vertex_list(first), values.count(number or "1") - 1, frame)
    return Attached(given, vertex_list(first), vertex_list(second), frame)


def elastic(given):
    first, share, frame = split(given)
    return Attached(given, vertex_list(first), values.positive(share), frame)


def unpick(given):
    chosen, at, frame = given.rpartition("@")
    return Attached(given, vertex_list(chosen) if at else None, None, values.count(frame))


def vertex_list(given):
    """A garment, counted from 0, and ranges of its vertices."""
    garment, colon, ranges = given.partition(":")
    return (values.count(garment) - 1 if colon else 0), values.index_ranges(ranges or garment)


def vertices_of(chosen, text, garments):
    """The vertices of the whole that are meant."""
    at, ranges = chosen
    if at >= len(garments.paths):
        refuse(f"{text}: there is no garment {at + 1}")
    count = garments.meshes[at].vertex_count
    found = np.concatenate([np.zeros(0, int), *(np.arange(a, b + 1) for a, b in ranges)])
    if len(found) and found.max() >= count:
        refuse(f"{text}: {garments.paths[at]} has only the vertices 0 to {count - 1}")
    return (garments.starts[at] + found).astype(np.int32)


def take_stitches(options, garments):
    """Take the stitches out of the garments' mesh; gives them, or None where nothing is to be sewn."""
    if options.sew is None:
        return None
    garments.mesh, pairs = split_loose_edges(garments.mesh)
    if len(pairs) == 0:
        refuse("--sew: there is no loose edge that joins vertices of faces")
    if options.sew != EVENLY:
        return pairs
    return evenly_sewn(garments.mesh, pairs, flat_places(garments.mesh, options.pattern))


def attach(options, cloth, garments, bodies, stitches):
    """Give a cloth all that it is sewn and held by, besides a zip that it has; gives what lets go of it, for the
    simulation to move."""
    speed, sets = (
        options.sew_speed,
        [],
    )  # pairs of a frame, or None, and links that are released at it
    for frame, part in seam_parts(options, garments, stitches):
        sets.append((frame, links.seam(part, speed=speed)))
    for each in options.tack or ():
        sets.append((each.frame, tack_links(each, cloth, garments, bodies, speed)))
    for each in options.elastic or ():
        sets.append((each.frame, elastic_links(each, garments)))
    numbers = cloth.add_links([each for _, each in sets]) if sets else []
    return [Release(cloth, at, number) for (at, _), number in zip(sets, numbers) if at is not None]


def seam_parts(options, garments, stitches):
    """Pairs of a frame, or None for never, and the stitches that are opened at it: the earliest that is asked for."""
    wanted = sorted(options.unpick or (), key=lambda each: each.frame)
    if stitches is None:
        if wanted:
            refuse(f"--unpick {wanted[0].text}: nothing is sewn without --sew")
        return []
    left, parts = links.stitches_of(stitches), []
    for each in wanted:
        chosen = lies_on(left, each, garments)
        if not chosen.any():
            refuse(f"--unpick {each.text}: there is no closed seam there")
        parts.append((each.frame, left[chosen]))
        left = left[~chosen]
    return parts + ([(None, left)] if len(left) else [])


def lies_on(stitches, each, garments):
    """Which stitches have a side all of whose vertices are meant."""
    if each.first is None:
        return np.ones(len(stitches), bool)
    meant = vertices_of(each.first, f"--unpick {each.text}", garments)
    ends = stitches["vertices"].reshape(-1, 2, 2)
    return (np.isin(ends, meant) | (ends == links.NONE)).all(axis=2).any(axis=1)


def tack_links(each, cloth, garments, bodies, speed):
    first = vertices_of(each.first, f"--tack {each.text}", garments)
    if isinstance(each.second, tuple):
        second = vertices_of(each.second, f"--tack {each.text}", garments)
        if len(first) != len(second):
            counts = f"{len(first)} vertices, but {len(second)} to attach them to"
            refuse(f"--tack {each.text}: {counts}")
        return links.tack(first, second, speed=speed)
    if each.second >= len(bodies):
        refuse(f"--tack {each.text}: there is no --body {each.second + 1}")
    body = bodies[each.second]
    places = nearest_places(cloth.positions()[first], body.start)
    return links.tack_to_body(first, body.body, *places, length=None, speed=speed)


def elastic_links(each, garments):
    chosen = vertices_of(each.first, f"--elastic {each.text}", garments)
    sides = garments.mesh.sides()
    along = sides[np.isin(sides, chosen).all(axis=1)]
    if len(along) == 0:
        refuse(f"--elastic {each.text}: no edge joins two of these vertices")
    return links.elastic(along.astype(np.int32), each.second)


class Release:
    """Lets a set of links go at a frame; moved by the simulation as bodies are."""

    def __init__(self, cloth, frame, number):
        self.cloth, self.frame, self.number = cloth, frame, number
        self.done = False

    def move(self, frame):
        """Before the step that ends at this frame, counted from 0."""
        if frame >= self.frame and not self.done:
            self.cloth.release(self.number)
            self.done = True

    def approach(self, part):
        """Before the first frame nothing lets go."""


def open_text(report):
    """What is not as it was asked for at the end, or None."""
    gap = 1e3 * report.largest_gap
    if gap <= OPEN_MM:
        return None
    text = f"seams and tacks are up to {gap:.1f} mm open"
    closing = f", and {report.closing} of {report.count} are still closing"
    return text + closing if report.closing else text
