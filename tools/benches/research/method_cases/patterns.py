# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures 6.1 and 7.1 to 7.6 of the thesis: where matrix and factor have entries, before and after reordering.

Written apart from the library: pattern, Cuthill-McKee's order and symbolic factor are found anew in NumPy, so that the
library's own counts can be compared with them.
"""

import os

import numpy as np
from common.measure import cloth_of
from common.report import heading, note
from test_scenes.image import contact_sheet, write_png
from test_scenes.patterns import RESOLUTION_SQUARES, bodice_back, bodice_front, skirt_panel
from research.thesis import published
from research.thesis.fabric import STEP_SECONDS
from research.thesis.meshes import square

PIXELS, MARGIN = 220, 6  # of one picture
PAPER, INK = 255, 40
QUICK_MOST = 1200  # vertices
COLUMNS = "figure vertices matrix natural library_natural reordered thesis_reordered kept_share"


def measure(results, quick):
    heading("Figures 7.1 to 7.6: entries of matrix and factor, natural and by Cuthill-McKee")
    note(
        "Counted in NumPy; the library's count of the natural factor beside it. Kept: the reordered factor's "
        "entries over the natural one's."
    )
    found = []
    for figure, mesh in _meshes(quick):
        pattern = Pattern(mesh)
        natural, ordered = pattern.factor(), pattern.permuted(pattern.cuthill_mckee()).factor()
        counts = [int(sum(map(len, columns))) for columns in (natural, ordered)]
        library = _library_entries(mesh)
        found.append(abs(library - counts[0]))
        theirs = published.FILL.get(pattern.count, (None, None, None))[2]
        entries = int(sum(map(len, pattern.neighbours))) + pattern.count
        results.row(
            "patterns",
            figure=figure,
            vertices=pattern.count,
            matrix=entries,
            natural=counts[0],
            library_natural=library,
            reordered=counts[1],
            thesis_reordered=theirs,
            kept_share=counts[1] / counts[0],
        )
    results.show("patterns", COLUMNS)
    results.number("pattern_miscount", max(found))


def draw(results, folder):
    """A picture for each figure: A, L, A reordered and L reordered, side by side."""
    for figure, mesh in _meshes(results.numbers.get("quick")):
        pattern = Pattern(mesh)
        ordered = pattern.permuted(pattern.cuthill_mckee())
        pictures = [
            picture(columns, pattern.count)
            for one in (pattern, ordered)
            for columns in (one.columns(), one.factor())
        ]
        write_png(os.path.join(folder, f"pattern_{figure}.png"), contact_sheet(pictures, 4))


def _meshes(quick):
    """Figure 6.1 shows the matrix of the first alone."""
    squares = [square(count) for count in RESOLUTION_SQUARES]
    pieces = [bodice_front(), bodice_back(), skirt_panel()]
    numbered = [(f"7.{k + 1}", mesh) for k, mesh in enumerate([*squares, *pieces])]
    return [pair for pair in numbered if not quick or len(pair[1].positions) < QUICK_MOST]


def _library_entries(mesh):
    with cloth_of(mesh, [], ordering="natural", bending="hinge") as cloth:
        cloth.prepare(STEP_SECONDS)
        return cloth.report().factor_nonzeros


class Pattern:
    """Which vertices of a cloth have an entry together: those of a triangle, and those of two that share an edge.

    neighbours  of each vertex, itself not among them, sorted
    """

    def __init__(self, mesh):
        triangles = np.asarray(mesh.faces)
        self.count = len(mesh.positions)
        opposite = {}
        pairs = set()
        for corners in triangles.tolist():
            for k in range(3):
                a, b, c = corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]
                edge = (min(a, b), max(a, b))
                pairs.add(edge)
                if edge in opposite:
                    pairs.add((min(c, opposite[edge]), max(c, opposite[edge])))
                opposite[edge] = c
        self.neighbours = _lists(pairs, self.count)

    def permuted(self, order):
        """The same with vertex order[k] as the k-th."""
        place = np.empty(self.count, int)
        place[order] = np.arange(self.count)
        other = object.__new__(Pattern)
        other.count = self.count
        other.neighbours = [np.sort(place[self.neighbours[v]]) for v in order]
        return other

    def columns(self):
        """Rows of each column of the whole matrix."""
        return [np.append(rows, k) for k, rows in enumerate(self.neighbours)]

    def cuthill_mckee(self):
        """Level by level from a vertex of least degree, neighbours by their degrees [Cuthill and McKee 1969]."""
        degree = np.array([len(rows) for rows in self.neighbours])
        seen, order = np.zeros(self.count, bool), []
        for start in np.argsort(degree, kind="stable"):
            if seen[start]:
                continue
            seen[start] = True
            order.append(int(start))
            done = len(order) - 1
            while done < len(order):
                fresh = [v for v in self.neighbours[order[done]] if not seen[v]]
                fresh.sort(key=lambda v: degree[v])
                seen[fresh] = True
                order += map(int, fresh)
                done += 1
        return np.array(order)

    def factor(self):
        """Rows of each column of L, the diagonal among them: those of A, and of columns whose parent it is in the
        elimination tree [Davis 2006, chapter 4]."""
        children = [[] for _ in range(self.count)]
        columns = []
        for k in range(self.count):
            below = self.neighbours[k][self.neighbours[k] > k]
            for child in children[k]:
                rows = columns[child]
                below = np.union1d(below, rows[rows > k])
            columns.append(np.concatenate([[k], below]).astype(int))
            if len(below):
                children[int(below[0])].append(k)
        return columns


def _lists(pairs, count):
    neighbours = [[] for _ in range(count)]
    for a, b in pairs:
        neighbours[a].append(b)
        neighbours[b].append(a)
    return [np.array(sorted(rows), int) for rows in neighbours]


def picture(columns, count):
    """A square picture whose pixels are dark where they hold entries, on a white margin."""
    dark = np.zeros((PIXELS, PIXELS), bool)
    for column, rows in enumerate(columns):
        dark[rows * PIXELS // count, column * PIXELS // count] = True
    image = np.full((PIXELS + 2 * MARGIN, PIXELS + 2 * MARGIN, 3), PAPER, np.uint8)
    image[MARGIN:-MARGIN, MARGIN:-MARGIN][dark] = INK
    return image
