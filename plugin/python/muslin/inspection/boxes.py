# SPDX-License-Identifier: GPL-3.0-or-later
"""Which boxes of one set overlap which of another, without looking at every pair.

Each set becomes a binary tree over its boxes, sorted along a space-filling curve; the two trees are
walked down together, many pairs of nodes at a time. Unlike a grid this has no cell size to choose:
a floor of two triangles under fine cloth costs no more than a fine floor.
"""

import numpy as np

# Pairs handled at a time; some hundred bytes each while they are compared.
CHUNK = 1 << 17
MORTON_BITS = 16


class BoxTree:
    """A binary tree of boxes; level 0 is the root, the last level has one box a node.

    low, high: n x 3 corners, n at least 1. Node i of a level has the children 2i and 2i + 1.
    """

    def __init__(self, low, high):
        order = morton_order(low, high)
        self.depth = int(len(order) - 1).bit_length()
        # Boxes that fill up the last level are empty and overlap nothing.
        self.order = order
        leaves_low = np.full((1 << self.depth, 3), np.inf)
        leaves_high = np.full((1 << self.depth, 3), -np.inf)
        leaves_low[: len(order)] = low[order]
        leaves_high[: len(order)] = high[order]
        self.levels = [(leaves_low, leaves_high)]
        for _ in range(self.depth):
            below_low, below_high = self.levels[0]
            joined = np.minimum(below_low[::2], below_low[1::2])
            self.levels.insert(0, (joined, np.maximum(below_high[::2], below_high[1::2])))


def morton_order(low, high):
    """The boxes in the order of their middles along a curve that keeps neighbours together."""
    middles = 0.5 * (low + high)
    bottom = middles.min(axis=0)
    extent = float((middles.max(axis=0) - bottom).max())
    cells = (middles - bottom) * ((1 << MORTON_BITS) - 1) / (extent if extent > 0 else 1.0)
    codes = np.zeros(len(middles), dtype=np.int64)
    cells = cells.astype(np.int64)
    for bit in range(MORTON_BITS):
        for axis in range(3):
            codes |= ((cells[:, axis] >> bit) & 1) << (3 * bit + axis)
    return np.argsort(codes, kind="stable")


def overlapping(one, other):
    """Pairs of boxes that overlap or touch, as arrays (numbers in one, numbers in other).

    A generator; each pair comes once, at most CHUNK of them at a time.
    """
    root = np.zeros(1, dtype=np.int64)
    waiting = [(0, 0, root, root)]
    while waiting:
        level, other_level, nodes, other_nodes = waiting.pop()
        keep = overlap(one.levels[level], nodes, other.levels[other_level], other_nodes)
        nodes, other_nodes = nodes[keep], other_nodes[keep]
        left, other_left = one.depth - level, other.depth - other_level
        if len(nodes) == 0:
            continue
        if left == 0 and other_left == 0:
            yield one.order[nodes], other.order[other_nodes]
            continue
        # The tree with more levels left goes first: so nodes of like size are compared.
        if left >= other_left:
            level, nodes, other_nodes = level + 1, children(nodes), np.repeat(other_nodes, 2)
        if other_left >= left:
            other_level += 1
            nodes, other_nodes = np.repeat(nodes, 2), children(other_nodes)
        for start in range(0, len(nodes), CHUNK):
            part = slice(start, start + CHUNK)
            waiting.append((level, other_level, nodes[part], other_nodes[part]))


def children(nodes):
    return (2 * nodes[:, None] + np.arange(2)).ravel()


def overlap(boxes, nodes, other_boxes, other_nodes):
    """For each pair of nodes: do their boxes overlap?"""
    low, high = boxes
    other_low, other_high = other_boxes
    apart = (low[nodes] > other_high[other_nodes]) | (other_low[other_nodes] > high[nodes])
    return ~apart.any(axis=1)
