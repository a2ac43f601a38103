# SPDX-License-Identifier: GPL-3.0-or-later
"""A mannequin: a smooth closed figure, 1.75 m tall, arms lowered, symmetric to the bit about x = 0.

The figure is a distance field: rounded cones and ellipsoids joined with soft seams. Garments use the
same field to keep their distance from the skin. All shapes are our own.
"""

import numpy as np

from test_scenes.mesh import Mesh
from test_scenes.mirror import reflect, smooth_half

# Torso cross-sections: height, half width, half depth, how far the middle lies behind x-z plane.
TORSO = np.array(
    [
        [0.780, 0.120, 0.080, 0.010],
        [0.830, 0.160, 0.104, 0.010],
        [0.890, 0.173, 0.114, 0.010],
        [0.960, 0.160, 0.104, 0.006],
        [1.020, 0.138, 0.093, 0.002],
        [1.075, 0.126, 0.087, 0.000],
        [1.140, 0.133, 0.092, 0.000],
        [1.210, 0.146, 0.102, 0.000],
        [1.290, 0.157, 0.108, 0.002],
        [1.360, 0.160, 0.102, 0.008],
        [1.410, 0.150, 0.088, 0.014],
        [1.445, 0.118, 0.074, 0.018],
        [1.475, 0.080, 0.062, 0.020],
        [1.500, 0.058, 0.054, 0.020],
    ]
)
TORSO_SLOPES = np.gradient(TORSO, TORSO[:, 0], axis=0)
SHOULDER = np.array([0.168, 0.014, 1.402])
ELBOW = np.array([0.335, 0.022, 1.185])
WRIST = np.array([0.478, -0.010, 0.985])
PALM = np.array([0.514, -0.024, 0.925])
FINGERS = np.array([0.548, -0.044, 0.845])
# Limbs: joints with their radii, and the width of the seam with what is there already.
LIMBS = [
    ([(0, 0.020, 1.460), (0, 0.006, 1.580)], [0.053, 0.046], 0.030),
    ([(0.030, 0.026, 1.462), (0.150, 0.018, 1.412)], [0.050, 0.044], 0.060),
    ([SHOULDER, ELBOW, WRIST, PALM, FINGERS], [0.054, 0.041, 0.027, 0.031, 0.014], 0.050),
    (
        [(0.088, 0.008, 0.850), (0.096, 0.002, 0.500), (0.101, 0.024, 0.095)],
        [0.088, 0.054, 0.035],
        0.040,
    ),
    ([(0.098, 0.022, 0.400), (0.100, 0.028, 0.290)], [0.046, 0.037], 0.070),
    ([(0.101, 0.030, 0.050), (0.116, -0.125, 0.026)], [0.040, 0.027], 0.040),
]
ARM = LIMBS[2]
# Middle, half axes, width of the seam.
ELLIPSOIDS = [
    ((0, -0.012, 1.655), (0.073, 0.090, 0.112), 0.020),
    ((0, -0.048, 1.604), (0.044, 0.044, 0.050), 0.060),
    ((0.072, -0.066, 1.268), (0.064, 0.056, 0.066), 0.075),
    ((0.078, 0.062, 0.880), (0.084, 0.072, 0.092), 0.050),
]


def distance(points):
    """Signed distance (near the skin; a lower bound elsewhere) of points (n, 3) to the mannequin.

    Only |x| is used, so mirrored points get the same bits.
    """
    return np.maximum(_union(points, LIMBS), -np.asarray(points, float)[:, 2])  # flat soles


def trunk_distance(points):
    """The same without the arms; with arm_distance it tells which part of the skin a point is on."""
    return _union(points, [limb for limb in LIMBS if limb is not ARM])


def arm_distance(points):
    """The same of the nearer arm alone."""
    return _limb(_folded(points), ARM[0], ARM[1])


def direction_outward(points):
    """The field's gradient at points (n, 3), of unit length."""
    offsets = 1e-4 * np.eye(3)[:, None]
    sides = np.concatenate([points + offsets, points - offsets])  # one call for all six
    after, before = distance(sides.reshape(-1, 3)).reshape(2, 3, -1)
    gradient = (after - before).T
    return gradient / np.maximum(np.linalg.norm(gradient, axis=1), 1e-12)[:, None]


def torso_section(height):
    """Half width, half depth and middle y of the torso at the given heights."""
    return tuple(_smooth_profile(np.asarray(height, float), k) for k in (1, 2, 3))


def figure(spacing=0.014):
    """The mannequin as a closed quad mesh with edges of about `spacing`, feet on z = 0.

    Our own distance field, polygonised by our own surface nets on one half and reflected.
    """
    positions, quads = _surface_nets_half(spacing)
    middle = positions[:, 0] == 0
    for _ in range(8):  # even the quads out, and back onto the skin
        positions = smooth_half(positions, quads, 0.5)
        positions -= distance(positions)[:, None] * direction_outward(positions)
        positions[middle, 0] = 0
    return Mesh(*reflect(positions, quads), name="mannequin")


def _folded(points):
    """A copy of the points, all brought to the half x >= 0."""
    points = np.array(points, float)
    points[:, 0] = np.abs(points[:, 0])
    return points


def _union(points, limbs):
    """The torso, these limbs and the ellipsoids, joined in this order."""
    points = _folded(points)
    field = _torso(points)
    for joints, radii, seam in limbs:
        field = _join(field, _limb(points, joints, radii), seam)
    for middle, axes, seam in ELLIPSOIDS:
        field = _join(field, _ellipsoid(points, np.array(middle), np.array(axes)), seam)
    return field


def _limb(points, joints, radii):
    """No fillet between the parts of a limb: they meet in the same sphere, a fillet would swell it."""
    joints = np.array(joints, float)
    parts = [
        _rounded_cone(points, *joints[k : k + 2], *radii[k : k + 2]) for k in range(len(joints) - 1)
    ]
    return np.minimum.reduce(parts)


def _smooth_profile(height, column):
    """Hermite interpolation with slopes from the neighbours: no kinks between the sections."""
    levels, values, slopes = TORSO[:, 0], TORSO[:, column], TORSO_SLOPES[:, column]
    height = np.clip(height, levels[0], levels[-1])
    place = np.clip(np.searchsorted(levels, height) - 1, 0, len(levels) - 2)
    width = levels[place + 1] - levels[place]
    t = (height - levels[place]) / width
    start = (1 + 2 * t) * (1 - t) ** 2 * values[place] + t * (1 - t) ** 2 * width * slopes[place]
    end = t * t * (3 - 2 * t) * values[place + 1] - t * t * (1 - t) * width * slopes[place + 1]
    return start + end


def _torso(points):
    wide, deep, middle = torso_section(points[:, 2])
    across, along = points[:, 0] / wide, (points[:, 1] - middle) / deep
    radius = np.sqrt(across**2 + along**2)
    slope = np.sqrt((across / wide) ** 2 + (along / deep) ** 2)
    side = radius * (radius - 1) / np.maximum(slope, 1e-9)
    above = np.maximum(points[:, 2] - TORSO[-1, 0], TORSO[0, 0] - points[:, 2])
    return np.maximum(side, above)


def _rounded_cone(points, start, end, first, second):
    axis = end - start
    length = np.linalg.norm(axis)
    offset = points - start
    along = offset @ axis / length
    across = np.sqrt(np.maximum((offset**2).sum(1) - along**2, 0))
    # The nearest sphere of the cone sits a little further along, where its side is met at a right angle.
    lean = (first - second) / length
    place = np.clip((along + across * lean / np.sqrt(1 - lean * lean)) / length, 0, 1)
    gap = np.sqrt((along - place * length) ** 2 + across**2)
    return gap - (first + place * (second - first))


def _ellipsoid(points, middle, axes):
    offset = (points - middle) / axes
    radius = np.sqrt((offset**2).sum(1))
    slope = np.sqrt(((offset / axes) ** 2).sum(1))
    return radius * (radius - 1) / np.maximum(slope, 1e-9)


def _join(first, second, seam):
    """The union of two fields, filleted over the width `seam`."""
    blend = np.maximum(seam - np.abs(first - second), 0) / seam
    return np.minimum(first, second) - blend * blend * blend * seam / 6


def _surface_nets_half(spacing):
    """Quads of the half x >= 0; the sample planes lie half a step off x = 0, so cells straddle it."""
    counts = np.ceil(np.array([0.64, 0.5, 1.80]) / spacing + 6).astype(int)
    axes = [
        (np.arange(counts[0]) - 0.5) * spacing,
        (np.arange(counts[1]) - counts[1] // 2) * spacing,
        (np.arange(counts[2]) - 3.5) * spacing,
    ]
    lattice = np.stack(np.meshgrid(*axes, indexing="ij"), -1)
    field = distance(lattice.reshape(-1, 3)).reshape(lattice.shape[:3])
    _untie_corners(field)
    inside = field < 0
    index, positions = _net_vertices(lattice, field, inside)
    quads = []
    for axis in range(3):
        quads.append(_net_quads(inside, index, axis))
    quads = np.concatenate(quads)
    used, renumbered = np.unique(quads, return_inverse=True)
    return positions[used], renumbered.reshape(-1, 4)


def _untie_corners(field):
    """Fills lattice squares whose insides touch only at a corner: they would give non-manifold edges."""
    tiny = -1e-9
    for _ in range(8):
        changed = 0
        for axes in ((0, 1), (0, 2), (1, 2)):
            turned = np.moveaxis(field, axes, (0, 1))
            inside = turned < 0
            a, b, c, d = inside[:-1, :-1], inside[1:, :-1], inside[:-1, 1:], inside[1:, 1:]
            rising, falling = a & d & ~b & ~c, b & c & ~a & ~d
            turned[1:, :-1][rising] = tiny
            turned[:-1, :-1][falling] = tiny
            changed += int(rising.sum() + falling.sum())
        if not changed:
            return


def _net_vertices(lattice, field, inside):
    """One vertex in each cell that the surface crosses: the mean of the crossings on its edges."""
    corners = [(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)]

    def corner(values, c):
        size = values.shape
        return values[
            c[0] : size[0] - 1 + c[0], c[1] : size[1] - 1 + c[1], c[2] : size[2] - 1 + c[2]
        ]

    total = sum(corner(inside, c).astype(int) for c in corners)
    mixed = (total > 0) & (total < 8)
    index = np.full(mixed.shape, -1)
    index[mixed] = np.arange(mixed.sum())
    summed, count = np.zeros((mixed.sum(), 3)), np.zeros((mixed.sum(), 1))
    for a in corners:
        for axis in range(3):
            if a[axis]:
                continue
            b = tuple(1 if k == axis else a[k] for k in range(3))
            low, high = corner(field, a)[mixed], corner(field, b)[mixed]
            crossed = (low < 0) != (high < 0)
            share = np.where(crossed, low / np.where(crossed, low - high, 1), 0)[:, None]
            start, end = corner(lattice, a)[mixed], corner(lattice, b)[mixed]
            summed += crossed[:, None] * (start + share * (end - start))
            count += crossed[:, None]
    positions = summed / count
    positions[np.nonzero(mixed)[0] == 0, 0] = 0  # the first cells straddle the mirror plane
    return index, positions


def _net_quads(inside, index, axis):
    """A quad around each lattice edge along `axis` whose ends lie on different sides of the surface."""
    second, third = (axis + 1) % 3, (axis + 2) % 3
    low = np.moveaxis(inside, (axis, second, third), (0, 1, 2))[:, 1:-1, 1:-1]
    cells = np.moveaxis(index, (axis, second, third), (0, 1, 2))
    start, end = low[:-1], low[1:]
    around = [cells[:, :-1, :-1], cells[:, 1:, :-1], cells[:, 1:, 1:], cells[:, :-1, 1:]]
    quads = np.stack(around, -1)
    leaving, entering = start & ~end, ~start & end
    return np.concatenate([quads[leaving], quads[entering][:, ::-1]])
