# SPDX-License-Identifier: GPL-3.0-or-later
"""Fast hands: worn cloth dragged by the mouse, a body that jumps, a body that appears in the middle of cloth."""

import numpy as np
from common.bench import heading
from muslin import Cloth, Mesh, MuslinError, grab, jumps
from muslin.inspection.surface import surface_of
from test_scenes import sheets, solids
from test_scenes.contact import figures
from test_scenes.contact.play import mesh_of
from test_scenes.contact.rig import turning
from test_scenes.contact.scene import FRAMES_PER_SECOND
from test_scenes.fabric import REFERENCE

FRAME_SECONDS = 1 / FRAMES_PER_SECOND
QUALITIES = ("draft", "fit")
SPEEDS = (1.0, 3.0, 10.0)  # m/s, of the hand
REST = 12  # frames that the hand rests at its end: half a second
RELEASED = 24  # frames after it has let go
SETTLED = 8  # frames before anything happens
# Where the hand goes that has the front of the hem, m; and a corner of a sheet on a ball.
SHIRT_WAYS = {"away": (0.0, -0.8, 0.2), "through": (0.0, 0.9, 0.1), "overhead": (0.0, 0.0, 1.2)}
SHEET_WAYS = {"over": (1.5, 0.0, 0.0), "through": (0.8, 0.8, -0.8)}


class Worst:
    """The worst of the frames of a cloth, and its end. Lengths in m, speeds in m/s."""

    def __init__(self, cloth):
        self.cloth, self.stretch, self.edges, self.speed = cloth, 0.0, 0, 0.0
        self._before = cloth.positions()

    def step(self):
        self.cloth.step(FRAME_SECONDS)
        now, self.last = self.cloth.positions(), self.cloth.inspect()
        moved = np.linalg.norm(now - self._before, axis=1).max()
        self.speed = max(self.speed, float(moved) / FRAME_SECONDS)
        self.stretch = max(self.stretch, self.last.largest_stretch)
        self.edges = max(self.edges, self.end_edges)
        self._before = now

    @property
    def end_edges(self):
        return self.last.body_piercings + self.last.cloth_piercings

    def row(self, **more):
        return {
            "worst_stretch": self.stretch,
            "worst_edges": self.edges,
            "worst_speed": self.speed,
            "end_stretch": self.last.largest_stretch,
            "end_edges": self.end_edges,
            "end_self": self.last.self_piercings,
            "end_inside": self.last.inside_count,
            **more,
        }


def failed(error):
    """The row of a run that ended in an error."""
    return {"error": str(error)}


# --- what is grabbed -------------------------------------------------------------------------------


def shirt(quality, quick):
    """A t-shirt on its figure: (mesh, cloth, body as (positions, faces))."""
    scene = figures.tshirt(*(0.06, 0.04) if quick else (0.03, 0.022))
    mesh, body = mesh_of(scene.cloth), scene.bodies[0]
    shape = body.positions(0), body.triangles()
    return mesh, *dressed(mesh, shape, quality, scene.thickness())


def sheet(quality, quick):
    """A sheet that has fallen onto a ball."""
    scene = sheets.grid(*(15, 15) if quick else (31, 31), 1.0)
    positions = scene.positions - scene.positions.mean(axis=0)
    mesh = Mesh.from_faces((positions + (0, 0, 0.32)).astype(np.float32), scene.faces)
    ball = solids.uv_sphere(0.3)
    return mesh, *dressed(mesh, (ball.positions, ball.faces), quality)


def dressed(mesh, shape, quality, thickness=0.004):
    cloth = Cloth(mesh, **{**REFERENCE, "threads": 1, "quality": quality})
    body = cloth.add_body(shape, thickness)
    cloth.set_self_contact(True, thickness)
    for _ in range(SETTLED):
        cloth.step(FRAME_SECONDS)
    return cloth, body, shape


def hem_front(positions):
    hem = np.flatnonzero(positions[:, 2] < positions[:, 2].min() + 0.03)
    return int(hem[np.argmin(positions[hem, 1] + np.abs(positions[hem, 0]))])


# --- grabbing --------------------------------------------------------------------------------------


def drag(mesh, cloth, vertex, way, speed):
    """A hand takes a vertex, goes so far at this speed, rests and lets go, as Drape Now does it; a row."""
    surface, way = surface_of(mesh), np.array(way)
    patch = grab.take(mesh, surface, vertex)
    begin = cloth.positions()[patch.vertices]
    weights = grab.pull_weights(surface, patch, cloth.settings["pin_stiffness"])
    cloth.set_pins(patch.vertices, weights, begin)
    length, worst = np.linalg.norm(way), Worst(cloth)
    frames = int(np.ceil(length / speed / FRAME_SECONDS))
    for frame in range(1, frames + REST + 1):
        wanted = begin + min(1.0, frame * speed * FRAME_SECONDS / length) * way
        now = cloth.positions()[patch.vertices]
        cloth.move_pins(grab.lead(now, wanted, grab.reach(mesh)))
        worst.step()
    left = np.linalg.norm(cloth.positions()[patch.vertices] - begin - way, axis=1) @ patch.shares
    cloth.set_pins(np.zeros(0, np.int32))
    for _ in range(RELEASED):
        worst.step()
    return worst.row(left=float(left))


def grabbing(results, quick):
    heading("Cloth that is grabbed and dragged")
    rows = []
    for quality in QUALITIES[: 1 if quick else None]:
        for name, dress, ways in (("shirt", shirt, SHIRT_WAYS), ("sheet", sheet, SHEET_WAYS)):
            for way, speed in [(way, speed) for way in ways for speed in SPEEDS]:
                mesh, cloth, _, _ = dress(quality, quick)
                vertex = hem_front(cloth.positions()) if name == "shirt" else 0
                row = {"cloth": name, "quality": quality, "way": way, "speed": speed}
                with cloth:
                    try:
                        row |= drag(mesh, cloth, vertex, ways[way], speed)
                    except MuslinError as error:
                        row |= failed(error)
                rows.append(row)
    ran = [row for row in rows if "error" not in row]
    free = [row["left"] for row in ran if row["way"] == "over"]
    results.table(
        "hands",
        rows,
        "cloth quality way speed worst_stretch worst_edges end_stretch end_edges end_self left",
        hands_failed=len(rows) - len(ran),
        hands_stretch=max(row["worst_stretch"] for row in ran),
        hands_edges=max(row["worst_edges"] for row in ran),
        hands_end_edges=max(row["end_edges"] for row in ran),
        hands_left=max(free),
    )


# --- jumps -----------------------------------------------------------------------------------------

JUMPS = {"shift": (np.eye(3), (3.2, 1.0, 0.0)), "turn": (turning("z", 90.0), (2.5, 2.5, 0.3))}


def jumping(results, quick):
    """A body that wears a shirt is elsewhere from one frame to the next."""
    heading("A body that jumps")
    rows = []
    for quality in QUALITIES[: 1 if quick else None]:
        for name, (rotation, shift) in JUMPS.items():
            _, cloth, body, (positions, _) = shirt(quality, quick)
            row = {"quality": quality, "way": name}
            with cloth:
                before, worst = cloth.positions(), Worst(cloth)
                jump = jumps.move(body, positions, positions @ rotation.T + shift)
                found = jumps.carry(cloth, [jump])
                for _ in range(RELEASED):
                    worst.step()
                back = (cloth.positions() - shift) @ rotation
                apart = np.linalg.norm(back - before, axis=1).max()
                row |= worst.row(apart=float(apart), outcome=found.name.lower())
            rows.append(row)
    results.table(
        "jumps",
        rows,
        "quality way outcome worst_stretch worst_edges end_edges apart",
        jump_stretch=max(row["worst_stretch"] for row in rows),
        jump_end_edges=max(row["end_edges"] for row in rows),
        jump_apart=max(row["apart"] for row in rows),
    )


# --- bodies that appear ----------------------------------------------------------------------------

# Middle and radius, m, of a ball beside the ball that the sheet lies on.
BALLS = {"under": ((0.0, 0.0, 0.24), 0.15), "beside": ((0.32, 0.0, 0.1), 0.12)}
BALLS |= {"across": ((0.3, 0.3, 0.0), 0.2)}


def appearing(results, quick):
    heading("A body that appears in the middle of cloth")
    rows = []
    for quality in QUALITIES[: 1 if quick else None]:
        for name, (middle, radius) in BALLS.items():
            _, cloth, _, _ = sheet(quality, quick)
            row = {"quality": quality, "where": name}
            with cloth:
                ball, worst = solids.uv_sphere(radius, middle), Worst(cloth)
                try:
                    cloth.add_body((ball.positions, ball.faces))
                    for _ in range(RELEASED):
                        worst.step()
                    row |= worst.row()
                except MuslinError as error:
                    row |= failed(error)
            rows.append(row)
    ran = [row for row in rows if "error" not in row]
    results.table(
        "appearing",
        rows,
        "quality where worst_stretch worst_speed end_stretch end_edges end_inside",
        appear_failed=len(rows) - len(ran),
        appear_stretch=max(row["end_stretch"] for row in ran),
        appear_speed=max(row["worst_speed"] for row in ran),
        appear_edges=max(row["end_edges"] for row in ran),
    )


def hands(results, quick):
    grabbing(results, quick)
    jumping(results, quick)
    appearing(results, quick)


PARTS = {"hands": hands}
FIGURES = """
hands_failed | 0 | drags that end in an error: shirt on a body, sheet on a ball, 1 to 10 m/s
hands_stretch | <= 1.6 | longest edge of any frame over its length at rest
hands_edges | - | edges through the body, worst frame
hands_end_edges | 0 | the same a second after release
hands_left | <= 0.1 | m from the hand half a second after it rests, nothing in the way
jump_stretch | <= 1.6 | shirt on a body that jumps
jump_end_edges | 0 | edges through the body a second later
jump_apart | <= 0.05 | m from where it was on the body before
appear_failed | 0 | a ball appears in a sheet on another
appear_stretch | <= 1.6 | longest edge at the end
appear_speed | - | fastest vertex, m/s
appear_edges | 0 | edges through bodies at the end
"""
