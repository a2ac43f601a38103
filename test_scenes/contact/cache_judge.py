# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges a point cache frame by frame: edges through the body, both ways, and through the cloth itself, vertices inside, stretch.

Shares nothing with the simulation but the meshes.
"""

import argparse
import json
import os
import sys
from dataclasses import asdict, dataclass
from multiprocessing import get_context

import muslin
import numpy as np
from muslin.inspection.intersections import Piercings, body_piercings, self_piercings
from muslin.inspection.surface import components, surface_of, surface_of_faces
from muslin.sewing.seams import split_loose_edges

from test_scenes.contact.quality import inside
from test_scenes.mesh import boundary_loops, unique_edges


@dataclass(frozen=True)
class FrameCounts:
    """What one frame has. frame: from 1, which is the start. cloth_edges: of the cloth through faces of the body; body_edges: of the body through faces of
    the cloth; self_edges: of the cloth through its own faces; all are pairs of an edge and a face. inside: vertices.
    stretch: length over rest length of the faces' sides."""

    frame: int
    cloth_edges: int
    body_edges: int
    self_edges: int
    inside: int
    stretch_p99: float
    stretch_max: float

    @property
    def through_body(self):
        return self.cloth_edges + self.body_edges


class CacheJudge:
    """Of one garment on one body, both cut into triangles once, as the simulation does.

    triangles, body_triangles  of the cloth and the body
    sides, lengths             the faces' sides (n x 2) and their rest lengths, m
    stitches                   pairs of vertices that are one place once they are sewn: its edges and faces always touch
    held                       vertices that stay where they are put, inside the body, too: they and what has them do not count
    """

    def __init__(self, triangles, body_triangles, sides, lengths, stitches, held=()):
        self.triangles, self.body_triangles = triangles, body_triangles
        self.sides, self.lengths = sides, lengths
        self.place = components(int(triangles.max()) + 1, stitches.astype(np.int64))
        self.solid = capped(body_triangles)
        self.held = np.asarray(held, int)

    def piercings(self, points, body_points):
        """(cloth edges through the body, body edges through the cloth, cloth edges through itself) as Piercings."""
        cloth = surface_of_faces(points, self.triangles, weld=True)
        body = surface_of_faces(body_points, self.body_triangles)
        through_body, through_cloth = body_piercings(cloth, body)
        own = self_piercings(cloth)
        return (
            _chosen(through_body, self._free(through_body.edges)),
            _chosen(through_cloth, self._free(self.triangles[through_cloth.faces])),
            _chosen(own, self._unsewn(own)),
        )

    def _free(self, vertices):
        """Which rows of vertices have none that is held."""
        return ~np.isin(vertices, self.held).any(axis=1)

    def _unsewn(self, own):
        """Which piercings of the cloth with itself are no edge and face of one sewn place."""
        edges, faces = self.place[own.edges], self.place[self.triangles[own.faces]]
        return ~(edges[:, :, None] == faces[:, None, :]).any(axis=(1, 2))

    def counts(self, frame, points, body_points):
        cloth_edges, body_edges, own = self.piercings(points, body_points)
        ratios = lengths_of(points, self.sides) / self.lengths
        return FrameCounts(
            frame,
            len(cloth_edges),
            len(body_edges),
            len(own),
            inside(np.delete(points, self.held, axis=0), body_points, self.solid),
            float(np.percentile(ratios, 99)),
            float(ratios.max()),
        )


def _chosen(found, which):
    return Piercings(found.edges[which], found.faces[which], found.points[which])


def capped(triangles):
    """With a fan over each hole, such as a mouth's: of what is open nothing can be told to be inside."""
    caps = [
        np.stack([np.full(len(hole) - 2, hole[0]), hole[2:], hole[1:-1]], 1)
        for hole in map(np.array, boundary_loops(triangles))
    ]
    return np.concatenate([triangles, *caps])


def rest_of(garment, pattern):
    """The sides of a mesh's faces, and their rest lengths: of the UV map, in metres, with pattern "uv"; else as modelled."""
    faces = garment.faces()
    if pattern != "uv":
        sides = unique_edges(faces)[0]
        return sides, lengths_of(garment.positions, sides)
    before = np.concatenate([np.roll(face, 1) for face in faces])
    flat = np.concatenate([np.roll(face, 1) for face in garment.faces(garment.uv_indices)])
    ends = np.stack([garment.face_vertices, before], 1)
    sides, side = np.unique(np.sort(ends, axis=1), axis=0, return_inverse=True)
    each = lengths_of(garment.uvs, np.stack([garment.uv_indices, flat], 1))
    side = side.ravel()
    return sides, np.bincount(side, each) / np.bincount(side)


def lengths_of(points, edges):
    points = np.asarray(points, float)
    return np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)


def judge_of(garment, body, pattern="none"):
    """Of two meshes of the library; loose edges between faces of the garment are stitches."""
    _, stitches = split_loose_edges(garment)
    cuts = surface_of(garment).triangles, surface_of(body).triangles
    return CacheJudge(*cuts, *rest_of(garment, pattern), stitches)


def judged(judge, track, body_track, frames, jobs=None):
    """FrameCounts of frames, counted from 0, of two tracks, by several processes; a body that has fewer frames keeps its
    last pose."""
    given = judge, track, body_track
    with get_context("fork").Pool(jobs or os.cpu_count(), _share, given) as pool:
        return pool.map(_judge_frame, frames, chunksize=1)


_shared = []  # in each process: the judge, and both tracks


def _share(*given):
    _shared[:] = given


def _judge_frame(frame):
    judge, track, body_track = _shared
    return judge.counts(frame + 1, track[frame], body_track[min(frame, len(body_track) - 1)])


# --- the command line ------------------------------------------------------------------------------


def main(arguments=None):
    options = _parser().parse_args(arguments)
    try:
        found = judge_files(options)
    except (ValueError, muslin.MuslinError) as problem:
        print(f"judge: {problem}", file=sys.stderr)
        return 1
    show(found)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump([asdict(counts) for counts in found], file, indent=1)
    return 0


def _parser():
    parser = argparse.ArgumentParser(prog="tools/judge", description=__doc__)
    parser.add_argument("garment", metavar="GARMENT.obj", help="its loose edges are stitches")
    parser.add_argument("cache", metavar="CACHE.pc2", help="what was simulated")
    parser.add_argument("--body", required=True, metavar="B.obj")
    parser.add_argument("--body-cache", metavar="B.pc2", help="positions of the body over time")
    parser.add_argument("--pattern", choices=("none", "uv"), default="none", help="rest lengths")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every n-th frame")
    parser.add_argument("--jobs", type=int, help="processes; as many as there are cores")
    parser.add_argument("--json", metavar="FILE", help="also write the counts of frames to FILE")
    return parser


def judge_files(options):
    garment, body = muslin.read_obj(options.garment), muslin.read_obj(options.body)
    track = np.array(muslin.read_pc2(options.cache).positions)
    poses = body.positions[None]
    if options.body_cache:
        poses = np.array(muslin.read_pc2(options.body_cache).positions)
    if track.shape[1] != garment.vertex_count or poses.shape[1] != body.vertex_count:
        raise ValueError("a cache has another number of vertices than its mesh")
    frames = range(0, len(track), options.every)
    return judged(judge_of(garment, body, options.pattern), track, poses, frames, options.jobs)


def show(found):
    """A line for each frame, and the worst of all."""
    print("frame  cloth edges  body edges  itself  inside  stretch p99     max")
    for each in found:
        through = (
            f"{each.frame:5}  {each.cloth_edges:11}  {each.body_edges:10}  {each.self_edges:6}"
        )
        print(f"{through}  {each.inside:6}  {each.stretch_p99:11.4f}  {each.stretch_max:6.3f}")
    print("worst: " + ", ".join(f"{name} {value:g}" for name, value in worst_of(found).items()))


def worst_of(found):
    """The largest numbers of all frames; self_edges without those that the first frame has."""
    return {
        "body_edges": max(counts.through_body for counts in found),
        "body_frames": sum(counts.through_body > 0 for counts in found),
        "inside": max(counts.inside for counts in found),
        "self_edges": max(counts.self_edges for counts in found) - found[0].self_edges,
        "stretch_p99": max(counts.stretch_p99 for counts in found),
        "stretch_max": max(counts.stretch_max for counts in found),
    }


if __name__ == "__main__":
    sys.exit(main())
