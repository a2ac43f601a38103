# SPDX-License-Identifier: GPL-3.0-or-later
"""A z-buffer in NumPy: which triangle is nearest at each pixel.

Triangles are grouped by the size of their bounding box, rounded up to powers of two, and each group is
processed as one block of (triangles, rows, columns): no Python loop over triangles.
"""

import numpy as np

BLOCK_SAMPLES = 1 << 20


def rasterise(screen, nearness, triangles, width, height):
    """Owner (height, width) of each pixel, -1 where nothing is, and the nearness of what is there.

    screen    (n, 2) pixel coordinates, x right, y down; pixel centres are at .5
    nearness  (n,) larger is nearer to the eye, linear on the screen: 1 / depth in perspective
    """
    owner = np.full(width * height, -1, np.int32)
    best = np.full(width * height, -np.inf, np.float32)
    corners = screen[triangles].astype(np.float32)
    low = np.maximum(np.ceil(corners.min(1) - 0.5), 0).astype(np.int64)
    limit = np.array([width - 1, height - 1])
    high = np.minimum(np.floor(corners.max(1) - 0.5), limit).astype(np.int64)
    weights = edge_weights(corners, low)
    usable = np.flatnonzero((high >= low).all(1) & np.isfinite(weights).all((1, 2)))
    extent = high[usable] - low[usable] + 1
    rounded = 1 << np.ceil(np.log2(extent)).astype(np.int64)
    heights = nearness[triangles].astype(np.float32)
    for shape in np.unique(rounded, axis=0):
        group = usable[(rounded == shape).all(1)]
        step = max(1, BLOCK_SAMPLES // int(shape.prod()))
        for first in range(0, len(group), step):
            chunk = group[first : first + step]
            _draw(
                chunk, shape, low[chunk], high[chunk], weights[chunk], heights, width, owner, best
            )
    return owner.reshape(height, width), best.reshape(height, width)


def edge_weights(corners, origin):
    """Affine functions (t, 2, 3) of (x, y, 1) that give the weights of corners 1 and 2 of each triangle.

    x and y count whole pixels from `origin`, (t, 2), to keep single precision exact enough.
    """
    local = corners.astype(float) - (origin[:, None, :] + 0.5)
    first, second = local[:, 1] - local[:, 0], local[:, 2] - local[:, 0]
    area = first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = 1 / area
        rows = np.empty((len(corners), 2, 3))
        rows[:, 0, 0], rows[:, 0, 1] = second[:, 1] * inverse, -second[:, 0] * inverse
        rows[:, 1, 0], rows[:, 1, 1] = -first[:, 1] * inverse, first[:, 0] * inverse
        rows[:, :, 2] = -(rows[:, :, :2] * local[:, None, 0]).sum(2)
    return rows.astype(np.float32)


def _draw(chunk, shape, low, high, weights, heights, width, owner, best):
    columns = np.arange(shape[0], dtype=np.float32)
    rows = np.arange(shape[1], dtype=np.float32)
    along = weights[:, :, 0, None] * columns + weights[:, :, 2, None]
    down = weights[:, :, 1, None] * rows
    second = along[:, 0, None, :] + down[:, 0, :, None]
    third = along[:, 1, None, :] + down[:, 1, :, None]
    slack = np.float32(-1e-5)  # closes hairline gaps between neighbours
    covered = (second >= slack) & (third >= slack) & (second + third <= 1 - slack)
    # The block is rounded up: what sticks out of the bounding box may stick out of the picture.
    extent = high - low
    covered &= (columns <= extent[:, :1])[:, None, :] & (rows <= extent[:, 1:])[:, :, None]
    which, row, column = np.nonzero(covered)
    triangle = chunk[which]
    base = heights[triangle]
    near = base[:, 0] + second[covered] * (base[:, 1] - base[:, 0])
    near += third[covered] * (base[:, 2] - base[:, 0])
    pixel = (low[which, 1] + row) * width + low[which, 0] + column
    visible = np.flatnonzero(near > best[pixel])
    # Farthest first: where a pixel is written more than once, the last and nearest one stays.
    visible = visible[np.argsort(near[visible], kind="stable")]
    best[pixel[visible]] = near[visible]
    owner[pixel[visible]] = triangle[visible]
