# SPDX-License-Identifier: GPL-3.0-or-later
"""Learning an operator from pairs of runs: the garment following a coarser level, and the garment itself.

A regression for each node, from the principal components of its input to the displacements, in its frame, of the
vertices around it from the embedded garment to the fine run. At rest nothing is added. Cross-validation over runs
chooses the spacing of nodes, the weight of far places and the regularisation.
"""

from collections import namedtuple

import numpy as np

from ..arrays import refuse
from ..inspection.surface import surface_of
from .nodes import choose_nodes, slopes_of
from .operator import ARRAYS, Upsampling, View, topology_of

SPACINGS = (4.0, 6.0, 9.0)  # mean edges between nodes: those that are tried
# of what is far beside what is near, in displacements over distances
FAR_WEIGHTS = (0.5, 1.0, 2.0, 4.0)
STRENGTHS = 10.0 ** np.arange(-5.0, 0.1, 0.5)  # of the ridge, in parts of the trace
# nodes that make a frame; that a node sees around it, and all over the garment
SPOKES, NEAR, FAR = (6, 8, 32)
POST_SPACING = 18.0  # mean edges between places that are seen from far
RANK = 16  # principal components of what a node sees
OWNERS = 3  # nodes that carry a vertex
TRIED = 150  # nodes that decide
BLOCK = 256  # nodes that are solved for at a time
LONGEST = 1.25  # times the longest way of the training: no way is longer
LOOKED_AT = 4  # one frame in so many says how well the training is fitted


# operator: an Upsampling. spacing, far_weight, strength: what was decided. fitted, left_out: RMS distance from the fine runs
# over that of the embedded garment, of the runs trained on and of those that were left out in turn.
Training = namedtuple("Training", "operator spacing far_weight strength fitted left_out")


class Scene:
    """A mesh with its nodes and what each of them sees. spacing: m between nodes."""

    def __init__(self, surface, spacing, posts):
        hung = choose_nodes(surface, spacing)
        self.vertices, graph = hung.vertices, hung.graph
        self.rest = surface.points[self.vertices]
        around = graph.nearest(np.arange(graph.count), max(SPOKES, NEAR) + 1)[:, 1:]
        self.spokes, self.near = around[:, :SPOKES], around[:, :NEAR]
        self.far = graph.nearest(graph.spread(posts)[0], FAR)
        self.slopes = slopes_of(self.rest, normals_of(surface)[self.vertices], self.spokes)
        self.owners = hung.owners[:, :OWNERS]
        self.weights = hung.weights[:, :OWNERS]
        self.weights = self.weights / self.weights.sum(axis=1, keepdims=True)

    def scales(self, far_weight):
        """What turns displacements into parts of the distance at rest: p x 3 (a + b), 1/m."""
        scales = []
        for seen, weight in ((self.near, 1.0), (self.far, far_weight)):
            away = np.linalg.norm(self.rest[seen] - self.rest[:, None], axis=2)
            least = np.median(away[:, 0])
            scales.append(np.repeat(weight / np.maximum(away, least), 3, axis=1))
        return np.hstack(scales)

    def look(self, coarse, chosen):
        """What the chosen nodes see in every frame, p x frames x 3 (a + b), and their frames, p x frames x 3 x 3."""
        view = View(self.rest, self.spokes, self.slopes, self.near, self.far, chosen)
        found = [view(frame[self.vertices].astype(float)) for frame in coarse]
        seen, frames = (np.stack(part, axis=1) for part in zip(*found))
        return seen, frames[chosen]


def normals_of(surface):
    """At every vertex, longer where faces are large."""
    corners = surface.points[surface.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    at = surface.triangles.ravel()
    sums = [np.bincount(at, np.repeat(part, 3), len(surface.points)) for part in normals.T]
    return np.stack(sums, axis=1)


def train(mesh, runs, level):
    """Learn from pairs of runs, each two arrays of frames x n x 3, m: embedded on `level`, and simulated whole."""
    runs = [check_run(mesh, *run) for run in runs]
    if not runs:
        refuse("runs: none to learn from")
    surface = surface_of(mesh)
    edge = surface.mean_edge
    tried = []
    for spacing in SPACINGS:
        scene = Scene(surface, spacing * edge, POST_SPACING * edge)
        for far_weight, found in try_scene(scene, runs):
            tried.append((*found, spacing, far_weight, scene))
    left_out, strength, spacing, far_weight, scene = min(tried, key=lambda one: one[0])
    operator = learn(scene, runs, far_weight, strength, level, topology_of(mesh))
    return Training(operator, spacing, far_weight, strength, fitted(operator, runs), left_out)


def components(seen):
    """Of what nodes see in training, p x frames x v: what makes RANK numbers of it, p x r x v; these numbers in
    training, p x r x frames, each of length 1; and their variances, p x r, in parts of the trace.
    """
    gram = seen @ seen.swapaxes(1, 2)
    values, vectors = np.linalg.eigh(gram)
    rank = min(RANK, gram.shape[1])
    values, vectors = values[:, -rank:], vectors[:, :, -rank:].swapaxes(1, 2)
    trace = np.maximum(np.trace(gram, axis1=1, axis2=2), np.finfo(float).tiny * 1e20)
    values = np.maximum(values, 1e-9 * trace[:, None])
    return vectors @ seen / values[:, :, None], vectors, values / trace[:, None]


def shrunk(values, strength):
    """What a ridge of this strength leaves of each component."""
    return (values / (values + strength))[:, :, None]


def learn(scene, runs, far_weight, strength, level, topology):
    coarse = np.concatenate([run[0] for run in runs])
    ways = np.concatenate([run[1] for run in runs]) - coarse
    scales = scene.scales(far_weight)
    count, (_, vertex_count, _) = len(scene.vertices), coarse.shape
    rank = min(RANK, len(coarse))
    maps = np.empty((count, rank, scales.shape[1]), np.float32)
    shapes = np.empty((vertex_count, OWNERS, 3, rank), np.float32)
    order = np.argsort(scene.owners.ravel(), kind="stable")
    begins = np.searchsorted(scene.owners.ravel()[order], np.arange(count + 1))
    for begin in range(0, count, BLOCK):
        chosen = slice(begin, min(begin + BLOCK, count))
        seen, frames = scene.look(coarse, chosen)
        made, amounts, values = components(seen * scales[chosen][:, None])
        maps[chosen] = made * scales[chosen][:, None]
        amounts = amounts * shrunk(values, strength)
        for node in range(chosen.start, chosen.stop):
            vertices, slots = np.divmod(order[begins[node] : begins[node + 1]], OWNERS)
            local = ways[:, vertices] @ frames[node - begin]
            found = np.tensordot(amounts[node - begin], local, axes=1).transpose(1, 2, 0)
            shapes[vertices, slots] = found * scene.weights[vertices, slots][:, None, None]
    limits = LONGEST * np.sqrt((ways**2).sum(axis=2)).max(axis=0)
    found = {
        "nodes": scene.vertices,
        "maps": maps,
        "shapes": shapes,
        "limits": limits,
        **vars(scene),
    }
    arrays = {name: found[name].astype(kind) for name, (kind, _) in ARRAYS.items()}
    return Upsampling(level, topology, **arrays)


def check_run(mesh, coarse, fine):
    """The two runs of a pair, as they are; refused where they do not belong together."""
    for name, run in (("coarse", coarse), ("fine", fine)):
        if run.ndim != 3 or run.shape[1:] != (mesh.vertex_count, 3) or len(run) == 0:
            shape = " x ".join(map(str, run.shape))
            refuse(f"{name} run: expected frames of {mesh.vertex_count} vertices, got {shape}")
        for number, frame in enumerate(run, 1):
            if not np.isfinite(frame).all():
                refuse(f"{name} run: frame {number} has a coordinate that is not a finite number")
    if len(coarse) != len(fine):
        refuse(f"a coarse run of {len(coarse)} frames, but a fine one of {len(fine)}")
    return coarse, fine


def ratio(errors):
    """RMS of what is left over RMS of what there was, from two sums of squares."""
    return float(np.sqrt(errors[0] / errors[1])) if errors[1] > 0 else 0.0


def fitted(operator, runs):
    """How well the operator does on what it was learnt from."""
    errors = np.zeros(2)
    for coarse, fine in runs:
        for before, after in zip(coarse[::LOOKED_AT], fine[::LOOKED_AT]):
            errors += ((operator.apply(before) - after) ** 2).sum(), ((before - after) ** 2).sum()
    return ratio(errors)


def try_scene(scene, runs):
    """For each weight of what is far: how well runs are foretold that are left out in turn (of a single one: its second
    half), and the strength that does best."""
    chosen = np.arange(0, len(scene.vertices), max(1, len(scene.vertices) // TRIED))
    parts = runs
    if len(runs) == 1:
        middle = max(1, len(runs[0][0]) // 2)
        parts = zip(*((run[:middle], run[middle:]) for run in runs[0]))
    examples = []
    for coarse, fine in parts:
        seen, frames = scene.look(coarse, chosen)
        at = scene.vertices[chosen]
        ways = (fine[:, at] - coarse[:, at]).swapaxes(0, 1)[:, :, None] @ frames
        examples.append((seen, ways[:, :, 0]))
    # the end is foretold by the beginning, not the other way round
    left_out = range(len(runs)) if len(runs) > 1 else (1,)
    for far_weight in FAR_WEIGHTS:
        scales = scene.scales(far_weight)[chosen][:, None]
        errors = sum(leave_out(examples, scales, left) for left in left_out)
        best = int(np.argmin(errors[:, 0]))
        yield far_weight, (ratio(errors[best]), float(STRENGTHS[best]))


def leave_out(examples, scales, left):
    """Sums of squares for each strength: what is left, and what there was, of one run learnt from the others."""
    seen, ways = examples[left]
    others = [example for number, example in enumerate(examples) if number != left]
    learnt, wanted = (np.concatenate(part, axis=1) for part in zip(*others))
    made, amounts, values = components(learnt * scales)
    predicted = (seen * scales) @ made.swapaxes(1, 2)
    shapes = amounts @ wanted
    rows = []
    for strength in STRENGTHS:
        found = predicted @ (shapes * shrunk(values, strength))
        rows.append((((found - ways) ** 2).sum(), (ways**2).sum()))
    return np.array(rows)
