"""Learning an operator from pairs of runs: the garment riding on a coarser level, and the garment itself.

Ridge regression, node by node: from what a node sees, relative to the rest shape, to the way from where it rides to
where the fine run has it. Where the garment is as at rest nothing is added. How strongly the maps are held back is
decided by runs that are left out in turn.

SPDX-License-Identifier: GPL-3.0-or-later
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import refuse
from ..surface import surface_of
from .heading import heading
from .nodes import choose_nodes
from .operator import Upsampling, topology_of, views_of

SPACING = 4.0  # mean edges between nodes
NEAR, FAR = 4, 48  # places that a node sees: those around it, and posts all over the garment
POST_SPACING = 18.0  # mean edges between posts
STRENGTHS = 10.0 ** np.arange(-5.0, 0.51, 0.5)  # of the ridge, in parts of the trace
AROUND = 7  # nodes, itself too, whose ways are made even
TRIED = 400  # nodes that decide on the strength
BLOCK = 256  # nodes that are solved for at a time
LONGEST = 1.25  # times the longest way of the training: no way is longer


@dataclass(frozen=True)
class Training:
    """operator: what was learnt. strength: of the ridge. fitted, left_out: RMS distance from the fine runs over that
    of riding, of the runs trained on and of those that were left out in turn."""

    operator: Upsampling
    strength: float
    fitted: float
    left_out: float


class Scene:
    """A mesh with its nodes and what each of them sees."""

    def __init__(self, mesh):
        surface = surface_of(mesh)
        points, edges = surface.points, surface.edges
        edge = float(np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1).mean())
        self.nodes = choose_nodes(surface, SPACING * edge)
        self.vertices = self.nodes.vertices
        graph = self.nodes.graph
        near = graph.nearest(np.arange(graph.count), NEAR + 1)[:, 1:]
        posts = graph.spread(POST_SPACING * edge)[0]
        self.sources = np.concatenate([near, graph.nearest(posts, FAR)], axis=1)
        self.around = graph.nearest(np.arange(graph.count), AROUND)
        self.rest = points[self.vertices].astype(np.float32)
        away = np.linalg.norm(self.rest[self.sources] - self.rest[:, None], axis=2)
        self.scales = np.repeat(1 / np.maximum(away, edge), 3, axis=1)

    def turned(self, run):
        """How far nodes have moved from the rest shape, and the ways to learn: frames x p x 3 each, m, as the garment
        would be if it were not turned."""
        moved, ways = [], []
        for before, after in zip(*run):
            places = before[self.vertices]
            turn = heading(places, self.rest)
            moved.append(places @ turn - self.rest)
            ways.append((after[self.vertices] - places) @ turn)
        return np.array(moved), np.array(ways, np.float64)

    def examples(self, turned, chosen):
        """What the chosen nodes see and the ways to learn, p x frames x (3k and 3), of what turned() gave."""
        moved, ways = turned
        sources, scales = self.sources[chosen], self.scales[chosen]
        here = np.arange(len(self.vertices))[chosen]
        seen = [views_of(frame, here, sources) * scales for frame in moved]
        return np.array(seen, np.float64).swapaxes(0, 1), ways[:, chosen].swapaxes(0, 1)


def train(mesh, runs, level):
    """Learn from pairs of runs, each two arrays of frames x n x 3, m: riding on `level`, and simulated whole."""
    runs = [check_run(mesh, *run) for run in runs]
    if not runs:
        refuse("runs: none to learn from")
    scene = Scene(mesh)
    turned = [scene.turned(run) for run in runs]
    strength, left_out = choose_strength(scene, turned)
    everything = [np.concatenate(part) for part in zip(*turned)]
    count = len(scene.vertices)
    maps = np.empty((count, 3, scene.scales.shape[1]), np.float32)
    limits = LONGEST * np.sqrt((everything[1] ** 2).sum(axis=2)).max(axis=0)
    errors = np.zeros(2)
    for begin in range(0, count, BLOCK):
        chosen = slice(begin, min(begin + BLOCK, count))
        seen, ways = scene.examples(everything, chosen)
        found = ridge(seen, ways, [strength])[0]
        errors += ((seen @ found - ways) ** 2).sum(), (ways**2).sum()
        maps[chosen] = found.swapaxes(1, 2) * scene.scales[chosen][:, None]
    operator = Upsampling(
        level=level,
        topology=topology_of(mesh),
        nodes=scene.vertices.astype(np.int32),
        rest=scene.rest,
        sources=scene.sources.astype(np.int32),
        around=scene.around.astype(np.int32),
        maps=maps,
        limits=limits.astype(np.float32),
        owners=scene.nodes.owners.astype(np.int32),
        weights=scene.nodes.weights.astype(np.float32),
    )
    return Training(operator, strength, ratio(errors), left_out)


def check_run(mesh, coarse, fine):
    """The two runs of a pair, as they are; refused where they do not belong together."""
    for name, run in (("coarse", coarse), ("fine", fine)):
        if run.ndim != 3 or run.shape[1:] != (mesh.vertex_count, 3) or len(run) == 0:
            shape = " x ".join(map(str, run.shape))
            refuse(f"{name} run: wanted frames of {mesh.vertex_count} vertices, got {shape}")
        for number, frame in enumerate(run, 1):
            if not np.isfinite(frame).all():
                refuse(f"{name} run: frame {number} has a coordinate that is not a finite number")
    if len(coarse) != len(fine):
        refuse(f"a coarse run of {len(coarse)} frames, but a fine one of {len(fine)}")
    return coarse, fine


def ratio(errors):
    """RMS of what is left over RMS of what there was, from two sums of squares."""
    return float(np.sqrt(errors[0] / errors[1])) if errors[1] > 0 else 0.0


def ridge(seen, ways, strengths):
    """Maps (p x 3k x 3) that minimise |seen map - ways|^2 + s |map|^2, s in parts of the trace of seenᵀ seen."""
    products = np.matmul(seen.swapaxes(1, 2), seen)
    right = np.matmul(seen.swapaxes(1, 2), ways)
    traces = np.trace(products, axis1=1, axis2=2)
    traces = np.maximum(traces, np.finfo(float).tiny * 1e20)[:, None, None]
    unit = np.eye(products.shape[1])
    return [np.linalg.solve(products + s * traces * unit, right) for s in strengths]


def choose_strength(scene, runs):
    """The strength that does best on runs that are left out in turn (of a single one: its second half), and how well."""
    step = max(1, len(scene.vertices) // TRIED)
    chosen = np.arange(0, len(scene.vertices), step)
    parts = runs if len(runs) > 1 else halves(*runs[0])
    examples = [scene.examples(part, chosen) for part in parts]
    errors = np.zeros((len(STRENGTHS), 2))
    for left, (seen, ways) in enumerate(examples):
        rest = [example for number, example in enumerate(examples) if number != left]
        if len(runs) == 1 and left == 0:
            continue  # the end is foretold by the beginning, not the other way round
        learnt = ridge(*(np.concatenate(part, axis=1) for part in zip(*rest)), STRENGTHS)
        for row, found in zip(errors, learnt):
            row += ((seen @ found - ways) ** 2).sum(), (ways**2).sum()
    best = int(np.argmin(errors[:, 0]))
    return float(STRENGTHS[best]), ratio(errors[best])


def halves(*run):
    """One run as two: learning from the first, looking at the second."""
    middle = max(1, len(run[0]) // 2)
    return [part[:middle] for part in run], [part[middle:] for part in run]
