# SPDX-License-Identifier: GPL-3.0-or-later
"""Which vertices are on the wrong side where a body may touch itself: a judge that shares nothing with the simulation.

The winding number tells how many skins a place is behind. Cloth between two skins that overlap can only be behind both:
that is within the overlap. Behind one alone is wrong, also where an overlap is beside it; there the cloth that lies in
the overlap goes over into the cloth that lies on the skin, and a vertex may be behind one by a quarter of the thickness.
"""

from dataclasses import asdict, dataclass

import numpy as np

from muslin.inspection.intersections import count_between, count_self
from test_scenes.contact import judge
from test_scenes.contact.scene import FRAMES_PER_SECOND, THICKNESS
from test_scenes.mesh import unique_edges

BESIDE = THICKNESS / 4  # m, behind one skin, beside an overlap
LOOKED = (0.001, 0.002, 0.004, 0.006)  # m, around a vertex for an overlap
FACING = -0.3  # cosine between the normals of two skins that face each other
NEAR = 0.015  # m: cloth no further than this lies on a skin
STRAYED = (
    0.05  # m along the body, as it stands at the start, to another place beside which cloth lies
)
DIRECTIONS = np.array(
    [
        (i, j, k)
        for i in (-1, 0, 1)
        for j in (-1, 0, 1)
        for k in (-1, 0, 1)
        if (i, j, k) != (0, 0, 0)
    ],
    float,
)
DIRECTIONS /= np.linalg.norm(DIRECTIONS, axis=1)[:, None]


@dataclass
class Trapped:
    """How a run went.

    wrong_frames   frames with a vertex on the wrong side
    wrong          the most vertices in one of them; `deepest` of them, m
    held           the most vertices within an overlap
    uneven         the most that one of these is off the middle between the two skins, m; `uneven_mean`, over all
    stretch        the largest length of an edge over that at the start
    speed          of the fastest vertex, m/s; `body_speed`, of the body's
    left           at the end: vertices that are inside, edges through the body or itself, vertices beside another skin
    """

    wrong_frames: int = 0
    wrong: int = 0
    deepest: float = 0.0
    held: int = 0
    uneven: float = 0.0
    uneven_mean: float = 0.0
    stretch: float = 1.0
    speed: float = 0.0
    body_speed: float = 0.0
    left: int = 0

    def numbers(self):
        return asdict(self)


class Skins:
    """The closed triangles of one body at one frame."""

    def __init__(self, points, triangles):
        self.points, self.triangles = np.asarray(points, float), triangles
        self.corners = self.points[triangles]
        normals = np.cross(*(self.corners[:, k] - self.corners[:, 0] for k in (1, 2)))
        self.normals = normals / np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]
        self.middles = self.corners.mean(1)
        self.size = np.linalg.norm(self.corners - self.middles[:, None], axis=2).max()

    def around(self, places):
        """How many skins each place is behind."""
        return judge.winding(np.asarray(places, float), self.points, self.triangles)

    def near(self, place, among=None):
        """(distance in m, triangle) of the nearest triangle, of all or of those that are listed."""
        among = np.arange(len(self.triangles)) if among is None else among
        away = np.linalg.norm(self.middles[among] - place, axis=1)
        among = among[away < away.min() + 2 * self.size]
        each = judge.distances(place, self.corners[among])
        return float(each.min()), int(among[each.argmin()])

    def unevenness(self, place):
        """How far a place that is behind two skins is off their middle, m; 0 where no two face each other."""
        first, triangle = self.near(place)
        against = np.flatnonzero(self.normals @ self.normals[triangle] < FACING)
        behind = ((place - self.middles[against]) * self.normals[against]).sum(1) < 0
        if not behind.any():
            return 0.0
        return abs(self.near(place, against[behind])[0] - first) / 2

    def depths_alone(self, places):
        """How far places that are behind one skin are on the wrong side, m; 0 where they are not."""
        depths = np.array([self.near(place)[0] for place in places])
        depths[depths <= judge.TOLERANCE] = 0
        doubtful = np.flatnonzero((depths > 0) & (depths <= BESIDE))
        if len(doubtful):
            probes = np.concatenate([far * DIRECTIONS for far in LOOKED])
            around = places[doubtful, None] + probes
            found = self.around(around.reshape(-1, 3)).reshape(len(doubtful), -1)
            depths[doubtful[(found > 1).any(1)]] = 0
        return depths


def judged(scene, track):
    """Trapped, of the cloth's positions at every frame, the start first."""
    found = Trapped()
    body, free = scene.bodies[0], np.ones(len(track[0]), bool)
    free[scene.pins] = False
    triangles = body.triangles()
    first, second = unique_edges(scene.cloth.faces)[0].T
    rest = _lengths(track[0], first, second)
    sums = []
    for frame in range(1, len(track)):
        points, places = np.asarray(track[frame], float), body.positions(frame)
        skins = Skins(places, triangles)
        count = skins.around(points)
        alone = skins.depths_alone(points[free & (count == 1)])
        wrong = [depth for depth in alone if depth > 0]
        found.wrong_frames += bool(wrong)
        found.wrong = max(found.wrong, len(wrong))
        found.deepest = max([found.deepest, *wrong])
        within = np.flatnonzero(free & (count > 1))
        sums += [skins.unevenness(points[v]) for v in within]
        found.held = max(found.held, len(within))
        found.stretch = max(found.stretch, float((_lengths(points, first, second) / rest).max()))
        found.speed = max(found.speed, _fastest(track[frame - 1], points))
        found.body_speed = max(found.body_speed, _fastest(body.positions(frame - 1), places))
    if sums:
        found.uneven, found.uneven_mean = float(max(sums)), float(np.mean(sums))
    found.left = _left(scene, track, free)
    return found


def _lengths(points, first, second):
    return np.linalg.norm(np.asarray(points, float)[first] - points[second], axis=1)


def _fastest(before, after):
    return float(
        np.linalg.norm(np.asarray(after, float) - before, axis=1).max() * FRAMES_PER_SECOND
    )


def _left(scene, track, free):
    """What is still wrong at the end, where the skins have parted: a count that should be 0."""
    body, last = scene.bodies[0], len(track) - 1
    points, places = np.asarray(track[-1], float), body.positions(last)
    start, end = (Skins(body.positions(frame), body.triangles()) for frame in (0, last))
    faces = [tuple(map(int, face)) for face in scene.cloth.faces]
    inside = int((judge.depths(points[free], places, body.triangles()) > judge.TOLERANCE).sum())
    through = sum(count_between(track[-1], faces, places, body.triangles()))
    strayed = 0
    for vertex in np.flatnonzero(free):
        there, was = start.near(np.asarray(track[0][vertex], float))
        here, now = end.near(points[vertex])
        if there < NEAR and here < NEAR:
            strayed += np.linalg.norm(start.middles[was] - start.middles[now]) > STRAYED
    return inside + through + count_self(track[-1], faces) + int(strayed)
