# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones for the mannequin: smooth weights, and poses by linear blending. All our own code."""

from functools import lru_cache

import numpy as np

from test_scenes import mannequin
from test_scenes.contact.scene import rise
from test_scenes.mesh import unique_edges

LEFT = np.array([1.0, 1.0, 1.0])  # the figure faces -Y, so its left side is +x
RIGHT = np.array([-1.0, 1.0, 1.0])
HIP = np.array([0.088, 0.008, 0.880])
KNEE = np.array([0.096, 0.002, 0.500])
# Bone: parent, joint it turns about at rest. A parent comes before its children.
BONES = {
    "pelvis": (None, np.array([0.0, 0.0, 0.95])),
    "chest": ("pelvis", np.array([0.0, 0.01, 1.08])),
    "left_arm": ("chest", mannequin.SHOULDER * LEFT),
    "right_arm": ("chest", mannequin.SHOULDER * RIGHT),
    "left_forearm": ("left_arm", mannequin.ELBOW * LEFT),
    "right_forearm": ("right_arm", mannequin.ELBOW * RIGHT),
    "left_thigh": ("pelvis", HIP * LEFT),
    "right_thigh": ("pelvis", HIP * RIGHT),
    "left_shin": ("left_thigh", KNEE * LEFT),
    "right_shin": ("right_thigh", KNEE * RIGHT),
}


def turning(axis, degrees):
    """The rotation about the x, y or z axis, counter-clockwise as seen from its tip."""
    angle = np.radians(degrees)
    first, second = [(1, 2), (2, 0), (0, 1)]["xyz".index(axis)]
    matrix = np.eye(3)
    matrix[first, first] = matrix[second, second] = np.cos(angle)
    matrix[second, first] = np.sin(angle)
    matrix[first, second] = -matrix[second, first]
    return matrix


def transforms(turns, shift=(0, 0, 0)):
    """Each bone's (rotation, offset) from a dictionary of rotations about their joints.

    Bones that are not named keep to their parent; `shift` moves the pelvis and all that follows.
    """
    placed = {}
    for bone, (parent, joint) in BONES.items():
        rotation = turns.get(bone, np.eye(3))
        offset = joint - rotation @ joint
        if parent is None:
            placed[bone] = rotation, offset + shift
        else:
            above, carried = placed[parent]
            placed[bone] = above @ rotation, above @ offset + carried
    return placed


def posed(points, weights, turns, shift=(0, 0, 0)):
    """Points (n, 3) with weights (n, bones) moved by the bones."""
    moved = np.zeros((len(points), 3))
    for column, (rotation, offset) in enumerate(transforms(turns, shift).values()):
        used = np.flatnonzero(weights[:, column])
        moved[used] += weights[used, column, None] * (points[used] @ rotation.T + offset)
    return moved


@lru_cache(maxsize=4)
def rigged_mannequin(spacing=0.014):
    """(mesh, weights) of the mannequin; shared, so not to be changed."""
    mesh = mannequin.figure(spacing)
    return mesh, bone_weights(mesh)


def bone_weights(mesh):
    """How much each bone carries each vertex (n, bones); rows add up to 1."""
    points = mesh.positions.astype(float)
    x, _, z = points.T
    arm = _arm_share(mesh, points)
    upper = mannequin.ELBOW - mannequin.SHOULDER
    upper = upper / np.linalg.norm(upper)
    folded = np.column_stack([np.abs(x), points[:, 1:]])
    forearm = rise((folded - mannequin.ELBOW) @ upper, -0.06, 0.06)
    # Where the thighs touch, the share goes over from one leg to the other across x = 0: opposite
    # strides then shear the flesh between them and cannot push one thigh into the other.
    left_leg = rise(x, -0.04, 0.04)
    thigh, shin = rise(-z, -0.97, -0.76), rise(-z, -0.57, -0.43)
    chest = rise(z, 0.98, 1.26)
    trunk = 1 - arm
    weights = {"pelvis": trunk * (1 - chest) * (1 - thigh), "chest": trunk * chest}
    for side, on_side in (("left", x > 0), ("right", x < 0)):
        weights[f"{side}_arm"] = on_side * arm * (1 - forearm)
        weights[f"{side}_forearm"] = on_side * arm * forearm
        leg = trunk * thigh * (left_leg if side == "left" else 1 - left_leg)
        weights[f"{side}_thigh"], weights[f"{side}_shin"] = leg * (1 - shin), leg * shin
    table = np.column_stack([weights[bone] for bone in BONES])
    return table / table.sum(1, keepdims=True)


def _arm_share(mesh, points):
    """1 on the arm, 0 on the trunk, even between them: by which of the two is nearer, then smoothed."""
    share = rise(mannequin.trunk_distance(points) - mannequin.arm_distance(points), -0.05, 0.05)
    share[points[:, 2] < 0.7] = 0  # far below the hands both are far
    edges, _ = unique_edges(mesh.faces)
    ends = np.concatenate([edges, edges[:, ::-1]])
    degree = np.bincount(ends[:, 0], minlength=len(points))
    for _ in range(12):
        mean = np.bincount(ends[:, 0], share[ends[:, 1]], len(points)) / degree
        share = (share + mean) / 2
    share[share < 1e-4] = 0
    return share
