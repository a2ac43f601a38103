# SPDX-License-Identifier: GPL-3.0-or-later
"""How good a worn run is, whoever made it: stretch, what is inside the body, what pierces what.

Nothing here is shared with the simulation: rays count who is inside (test_scenes/contact/judge), and the judge of
intersections counts piercings.
"""

import numpy as np
from muslin.inspection.intersections import count_between, count_self
from muslin.inspection.surface import surface_of_faces
from test_scenes.contact.judge import TOLERANCE, depths
from test_scenes.mesh import unique_edges

FIRST = 8  # the frame from which on quality counts: garments start a little inside the body
EVERY = 4  # frames from one that is judged to the next, unless said; the last one always is


def judged_frames(frames, every=EVERY):
    """Counted from 0, where the garment starts."""
    return sorted({*range(FIRST, frames + 1, every), frames})


def stretches(scene, track):
    """(99th percentile, largest) of length over rest length of edges, the worst of the frames that count."""
    first, second = unique_edges(scene.cloth.faces)[0].T

    def lengths(points):
        return np.linalg.norm(points[first].astype(np.float64) - points[second], axis=1)

    rest = lengths(scene.cloth.positions)
    ratios = [lengths(points) / rest for points in track[min(FIRST, len(track) - 1) :]]
    return max(float(np.percentile(r, 99)) for r in ratios), max(float(r.max()) for r in ratios)


def inside(points, body_points, triangles):
    """Vertices deeper in the closed triangles than a rounding."""
    return int((depths(points, body_points, triangles) > TOLERANCE).sum())


class Judge:
    """Counts for one scene; cloth and bodies are cut into triangles as they are when the garment starts.

    Both are simulated and drawn along cuts that stay: a quad that is cut anew in every shape, along the diagonal that
    is shorter now, pierces its neighbours where no triangle of anybody's does.
    """

    def __init__(self, scene):
        self.scene = scene
        self.cloth = surface_of_faces(scene.cloth.positions, scene.cloth.faces).triangles
        self.triangles = [
            surface_of_faces(body.positions(0), body.faces).triangles for body in scene.bodies
        ]

    def counts(self, points, frame):
        """(vertices inside, piercings with bodies, piercings of the cloth with itself)"""
        within, pierced = 0, 0
        for body, triangles in zip(self.scene.bodies, self.triangles):
            places = body.positions(frame)
            within += inside(points, places, triangles)
            pierced += sum(count_between(points, self.cloth, places, triangles))
        return within, pierced, count_self(points, self.cloth)


def quality_of(scene, track, self_contact, every=EVERY):
    """The columns of a row that say how good it is; piercings with itself count where it should meet itself."""
    p99, largest = stretches(scene, track)
    judge, last = Judge(scene), len(track) - 1
    found = [judge.counts(track[frame], frame) for frame in judged_frames(last, every)]
    within, pierced, own = (max(counts) for counts in zip(*found))
    return {
        "stretch_p99": p99,
        "stretch_max": largest,
        "inside": within,
        "body_piercings": pierced,
        "self_piercings": own if self_contact else None,
    }
