# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts that are crossed or buried, and uneven jackets by half: what is still through after settling.

A start is made from a good one by numbers drawn with a seed; the good one is the rest shape. Judged by what shares no
code with the simulation.
"""

import os
from dataclasses import replace

import numpy as np
from common import garments
from common.bench import heading, note
from muslin import Cloth, Mesh, read_obj
from muslin.inspection.intersections import count_between, count_self
from muslin.poses import pose_between, run_up
from test_scenes.contact import real
from test_scenes.contact.quality import stretches
from test_scenes.contact.scene import FRAMES_PER_SECOND
from test_scenes.mesh import Mesh as SceneMesh
from test_scenes.mesh import boundary_loops, unique_edges
from test_scenes.sheets import grid

FRAME_SECONDS = 1 / FRAMES_PER_SECOND
QUALITIES = ("draft", "fit")
FIGURES = """
crossed_mended_draft | >= 54 | of 60 crossed and buried starts, those that end with nothing through anything
crossed_mended_fit | >= 57 | of 60 crossed and buried starts, those that end with nothing through anything
crossed_starts | - | of so many
halve_uneven_{body,self}_{draft,fit} | 0 | uneven suits by half: edges through the body or themselves in the last frame
halve_uneven_p99_draft | <= 1.15 | likewise, one edge in a hundred is stretched to more
halve_uneven_p99_fit | <= 1.10 | likewise, one edge in a hundred is stretched to more
"""
RUN_UP = 12  # frames
SEEDS, QUICK_SEEDS = 10, 2  # of each kind of start

# --- what is worn ----------------------------------------------------------------------------------

WORN = {"tshirt_sym": "own_tshirt", "longsleeve_sym": "own_jacket", "skirt_sym": "own_tshirt"}


class Dressed:
    """A garment and its body in the pose it was made for; the scenes' own where the folder lacks it."""

    def __init__(self, name, count=None):
        scene = garments.scene(name, "arms", count)
        if scene is None:
            name = WORN.get(name, "own_jacket")
            scene = garments.scene(name, garments.OWN_MOTION, count)
        body = scene.bodies[0]
        self.name, self.scene, self.cloth = name, scene, scene.cloth
        self.body = (body.positions(0), body.faces)
        if name not in garments.OWN:
            found = read_obj(real.FOLDER / "body.obj")
            self.body = (found.positions, body.faces)


def normals_of(mesh):
    """Unit normals of a mesh's vertices."""
    triangles, points = mesh.triangles(), mesh.positions.astype(float)
    corners = points[triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sums = np.zeros_like(points)
    for k in range(3):
        np.add.at(sums, triangles[:, k], across)
    return sums / np.maximum(np.linalg.norm(sums, axis=1), 1e-12)[:, None]


def bump(points, middle, radius):
    """How much of a push around a vertex each takes: 1 there, 0 from the radius on."""
    away = np.linalg.norm(points - points[middle], axis=1) / radius
    return np.where(away < 1, (1 - away**2) ** 2, 0.0)[:, None]


# --- starts ----------------------------------------------------------------------------------------

LAYER = 0.012  # m, from a layer to the next


class Start:
    """A cloth that begins at `places`. body: (positions, faces) or None; pins: vertices that are held."""

    def __init__(self, cloth, places, body=None, pins=()):
        self.cloth, self.places, self.body = cloth, np.asarray(places, np.float32), body
        self.pins = np.asarray(pins, np.int32)


def layered(garment):
    """The garment and one of the same cut LAYER around it, in one mesh; how many vertices one has."""
    inner = garment.cloth
    outer = inner.positions + LAYER * normals_of(inner)
    faces = [list(face) for face in inner.faces]
    count = len(inner.positions)
    faces += [[v + count for v in face] for face in faces]
    return SceneMesh(np.concatenate([inner.positions, outer]), faces), count


def pushed_through(draw):
    """Two layers: places of the inner one are outside of the outer one, or the other way round."""
    garment = Dressed("tshirt_sym" if draw.random() < 0.5 else "skirt_sym")
    mesh, count = layered(garment)
    places, normals = mesh.positions.astype(float), normals_of(mesh)
    for _ in range(draw.integers(1, 4)):
        middle = draw.integers(count)
        share = bump(places[:count], middle, draw.uniform(0.05, 0.12))
        places[:count] += draw.uniform(0.02, 0.045) * share * normals[:count]
    return Start(mesh, places, garment.body)


def partly_through(draw):
    """Two layers: all of the outer one below a height is shifted, through the inner one and into the body."""
    garment = Dressed("tshirt_sym" if draw.random() < 0.5 else "longsleeve_sym")
    mesh, count = layered(garment)
    places = mesh.positions.astype(float)
    height = places[count:, 2]
    top, low = height.min() + draw.uniform(0.15, 0.35), height.min()
    share = np.clip((top - height) / (top - low), 0, 1)[:, None]
    turn = draw.uniform(0, 2 * np.pi)
    way = draw.uniform(0.02, 0.05) * np.array([np.cos(turn), np.sin(turn), 0])
    places[count:] += share * way
    return Start(mesh, places, garment.body)


def buried(draw):
    """Shifted into the body by 1 to 6 cm."""
    name = ("tshirt_sym", "longsleeve_sym", "skirt_sym")[draw.integers(3)]
    garment = Dressed(name)
    way = draw.normal(size=3)
    way *= draw.uniform(0.01, 0.06) / np.linalg.norm(way)
    return Start(garment.cloth, garment.cloth.positions + way, garment.body)


def corner_through(draw):
    """A sheet that hangs by an edge, a lower corner of it folded over and pushed through."""
    side = draw.integers(24, 36)
    sheet = grid(side, side, 0.6)
    flat = sheet.positions.astype(float)
    flat -= flat.min(0)
    size = flat[:, :2].max()
    places = np.column_stack([flat[:, 0], np.zeros(len(flat)), flat[:, 1]])
    # the corner at the origin, folded about a line across it, and tilted through the sheet behind
    reach = draw.uniform(0.25, 0.45) * size
    beyond = reach - (places[:, 0] + places[:, 2]) / np.sqrt(2)
    folded = beyond > 0
    into = np.array([1, 0, 1]) / np.sqrt(2)
    lift = np.sin(np.pi * np.minimum(beyond / reach, 1) * draw.uniform(1.15, 1.4))
    places[folded] += (1.9 * beyond[folded])[:, None] * into
    places[folded, 1] += draw.choice([-1, 1]) * 0.12 * lift[folded] * size
    return Start(sheet, places, pins=np.flatnonzero(flat[:, 1] > size - 1e-6))


def held_high(cloth):
    height = cloth.positions[:, 2]
    return np.flatnonzero(height > height.max() - 0.04 * np.ptp(height))


def sleeve_through(draw):
    """A garment that hangs by its shoulders, without a body; a sleeve is bent at the elbow and into the flank."""
    garment = Dressed("longsleeve_sym")
    points = garment.cloth.positions.astype(float)
    side = draw.choice([-1, 1])
    loops = [np.array(loop) for loop in boundary_loops(garment.cloth.faces)]
    cuff = max(loops, key=lambda loop: side * points[loop, 0].mean())
    end, length = points[cuff].mean(0), draw.uniform(0.24, 0.28)
    away = np.linalg.norm(points - end, axis=1)
    elbow = points[(away > 0.85 * length) & (away < length)].mean(0)
    aim = np.array([-side, draw.uniform(0.1, 0.5), draw.uniform(-0.6, 0.2)])
    axis = np.cross(end - elbow, aim)
    cosine = (end - elbow) @ aim / np.linalg.norm(end - elbow) / np.linalg.norm(aim)
    turn = np.arccos(cosine) * np.clip((length - away) / (0.5 * length), 0, 1)
    return Start(garment.cloth, turned(points, elbow, axis, turn), pins=held_high(garment.cloth))


def turned(points, about, axis, angles):
    """Each point turned about an axis through a place by its own angle, rad."""
    axis, arms = axis / np.linalg.norm(axis), points - about
    sine, cosine = np.sin(angles)[:, None], np.cos(angles)[:, None]
    along = (arms @ axis)[:, None] * axis
    return about + along + cosine * (arms - along) + sine * np.cross(axis, arms)


def front_through(draw):
    """A garment that hangs from above, without a body; its front goes through its back in some places."""
    garment = Dressed("skirt_sym" if draw.random() < 0.5 else "tshirt_sym")
    points = garment.cloth.positions.astype(float)
    front = np.flatnonzero(points[:, 1] < np.quantile(points[:, 1], 0.25))
    low = front[points[front, 2] < np.quantile(points[:, 2], 0.6)]
    middle = draw.choice(low)
    share = bump(points, middle, draw.uniform(0.1, 0.2))
    depth = np.ptp(points[:, 1])
    share[points[:, 1] > points[middle, 1] + 0.5 * depth] = 0
    way = np.array([0, draw.uniform(1.05, 1.25) * depth, 0])
    return Start(garment.cloth, points + share * way, pins=held_high(garment.cloth))


KINDS = {
    "pushed through": pushed_through,
    "partly through": partly_through,
    "buried": buried,
    "corner through": corner_through,
    "sleeve through": sleeve_through,
    "front through": front_through,
}


def through(start, places):
    """(edges through the cloth itself, and through the body or of it through the cloth)"""
    body = sum(count_between(places, start.cloth.faces, *start.body)) if start.body else 0
    return count_self(places, start.cloth.faces), body


def settled(start, quality):
    """Where it is after settling, a run-up on the spot, and settling again."""
    with Cloth(
        Mesh.from_faces(start.cloth.positions, start.cloth.faces),
        threads=os.cpu_count(),
        quality=quality,
    ) as cloth:
        if start.body is not None:
            cloth.add_body(Mesh.from_faces(*start.body), friction=0.3)
        cloth.set_self_contact(True)
        if len(start.pins):
            cloth.set_pins(start.pins, targets=start.places[start.pins])
        cloth.set_state(start.places)
        for _ in run_up(cloth, RUN_UP, FRAME_SECONDS, lambda part: None):
            pass
        return cloth.positions()


def crossed(results, quick):
    """How many starts of each kind end with nothing through anything."""
    heading("Crossed and buried starts, settled")
    note(f"Settled, {RUN_UP} frames, settled again. Edges through, at first and in the end.")
    rows = []
    for kind, make in KINDS.items():
        for seed in range(QUICK_SEEDS if quick else SEEDS):
            start = make(np.random.default_rng(seed))
            row = {"kind": kind, "seed": seed, "vertices": len(start.places)}
            row["self_before"], row["body_before"] = through(start, start.places)
            for quality in QUALITIES:
                places = settled(start, quality)
                row[f"self_{quality}"], row[f"body_{quality}"] = through(start, places)
            rows.append(row)
    results.table("crossed", rows)
    for quality in QUALITIES:
        mended = [row[f"self_{quality}"] == row[f"body_{quality}"] == 0 for row in rows]
        results.number(f"crossed_mended_{quality}", sum(mended))
    results.number("crossed_starts", len(rows))


# --- uneven jackets by half ------------------------------------------------------------------------


def uneven(mesh, draw, moved=0.3):
    """The mesh with another triangulation of one side, whose vertices are moved about within its surface, at most by this part
    of their shortest edge, and off it by a tenth of that."""
    points, faces = mesh.positions.astype(float), [list(face) for face in mesh.faces]
    first, second = unique_edges(mesh.faces)[0].T
    lengths = np.linalg.norm(points[first] - points[second], axis=1)
    shortest = np.full(len(points), np.inf)
    for ends in (first, second):
        np.minimum.at(shortest, ends, lengths)
    rim = np.concatenate([np.array(loop) for loop in boundary_loops(mesh.faces)])
    free = points[:, 0] < -0.02
    free[rim] = False
    normals, way = normals_of(mesh), draw.uniform(-1, 1, size=points.shape)
    off = (way * normals).sum(axis=1)[:, None] * normals
    points[free] += (moved * shortest[:, None] * (way - 0.9 * off) / np.sqrt(3))[free]
    cut = []
    for face in faces:
        if len(face) == 4 and points[face, 0].max() < -0.02:
            a, b, c, d = np.roll(face, draw.integers(2)).tolist()
            cut += [[a, b, c], [a, c, d]]
        else:
            cut.append(face)
    return SceneMesh(points, cut)


UNEVEN = (("jacket_open", None), ("jacket_open", 6000), ("longsleeve", None))
CLOSURES = ("free", "zip", "button")
MOVES = 20  # frames of arms that are raised


def by_half(worn, quality, closure, run_up_frames):
    """What the last frame has of a garment that is simulated by half; it begins where it was modelled, or runs up."""
    mesh, moving = worn.scene.cloth, worn.scene.bodies[0]
    given = Mesh.from_faces(mesh.positions, mesh.faces)
    with Cloth(
        given, threads=os.cpu_count(), quality=quality, mirror="halve", closure=closure
    ) as cloth:
        cloth.set_self_contact(True)
        body = cloth.add_body(Mesh.from_faces(*worn.body), friction=0.3)
        if run_up_frames:
            pose = pose_between(Mesh.from_faces(*worn.body), worn.body[0], moving.positions(0))
            for _ in run_up(
                cloth, run_up_frames, FRAME_SECONDS, lambda part: body.move(pose(part))
            ):
                pass
        else:
            body.place(moving.positions(0))
        for frame in range(1, MOVES + 1):
            body.move(moving.positions(frame))
            cloth.step(FRAME_SECONDS)
        places, mode = cloth.positions(), cloth.mirror().mode
    start = Start(mesh, mesh.positions, (moving.positions(MOVES), moving.faces))
    own, through_body = through(start, places)
    return {
        "mode": mode,
        "self": own,
        "body": through_body,
        "p99": stretches(worn.scene, [places])[0],
    }


def halved(results, quick):
    """Suits whose sides have other vertices and faces, by half, with every closure and from every start."""
    heading("Uneven suits by half")
    rows = []
    for name, count in UNEVEN[:1] if quick else UNEVEN:
        worn = Dressed(name, count)
        worn.scene = replace(worn.scene, cloth=uneven(worn.cloth, np.random.default_rng(1)))
        choices = [(c, r, q) for c in CLOSURES for r in (0, RUN_UP) for q in QUALITIES]
        for closure, frames, quality in choices:
            if (closure == "free" or "jacket" in worn.name) and not (quick and frames):
                row = {"name": worn.name, "closure": closure, "run_up": frames, "quality": quality}
                row["vertices"] = len(worn.scene.cloth.positions)
                rows.append({**row, **by_half(worn, quality, closure, frames)})
    results.table("halve_uneven", rows)
    for quality in QUALITIES:
        mine = results.of("halve_uneven", quality=quality)
        for key in ("body", "self", "p99"):
            results.number(f"halve_uneven_{key}_{quality}", max(row[key] for row in mine))


PARTS = {"crossed_mended": crossed, "halve_uneven": halved}
