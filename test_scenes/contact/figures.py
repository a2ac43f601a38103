# SPDX-License-Identifier: GPL-3.0-or-later
"""Garments on the moving mannequin: a t-shirt under rising arms, a skirt that walks. All our own code."""

import numpy as np

from test_scenes import garments
from test_scenes.contact.rig import posed, rigged_mannequin, transforms, turning
from test_scenes.contact.scene import OUR_OWN, Body, ContactScene, rise

WALK_FRAMES = 24  # of one cycle, two steps
EASE_FRAMES = 12  # from standing to the full stride


def arms_pose(frame, cycle=48.0, lift=50.0, sway=7.0):
    """(turns, shift): arms rise and fall once a `cycle` of frames, the torso sways and twists."""
    raised = lift * (1 - np.cos(2 * np.pi * frame / cycle)) / 2
    swing = sway * np.sin(2 * np.pi * frame / cycle) * rise(frame, 0, EASE_FRAMES)
    turns = {
        "chest": turning("y", swing) @ turning("z", 1.2 * swing),
        "left_arm": turning("y", -raised),
        "right_arm": turning("y", raised),
    }
    return turns, np.zeros(3)


def walk_pose(frame, stride=24.0, speed=0.0):
    """(turns, shift) of a walk that starts from standing; `speed` in metres a frame is along -Y."""
    ease = rise(frame, 0, EASE_FRAMES)
    phase = 2 * np.pi * frame / WALK_FRAMES
    turns = {
        "pelvis": turning("z", -5 * ease * np.sin(phase)) @ turning("y", 2 * ease * np.cos(phase)),
        "chest": turning("z", 9 * ease * np.sin(phase)) @ turning("y", -2 * ease * np.cos(phase)),
    }
    for side, late in (("left", 0.0), ("right", np.pi)):
        swing = np.sin(phase + late)
        # The knee bends while its leg comes forward, and is nearly straight under the weight.
        knee = 4 + 46 * ((1 + np.cos(phase + late + 0.5)) / 2) ** 2
        turns[f"{side}_thigh"] = turning("x", -ease * (stride * swing + 4))
        turns[f"{side}_shin"] = turning("x", ease * knee)
        turns[f"{side}_arm"] = turning("x", ease * 16 * swing)
        turns[f"{side}_forearm"] = turning("x", -ease * (12 - 8 * swing))
    bob = 0.012 * np.cos(2 * phase) - 0.012
    return turns, np.array([0.015 * ease * np.sin(phase), -speed * frame, ease * bob])


def figure(pose, spacing=0.014):
    """The mannequin as a body that pose(frame) -> (turns, shift) moves."""
    mesh, weights = rigged_mannequin(spacing)
    points = mesh.positions.astype(float)
    return Body(
        "mannequin", mesh.faces, lambda frame: posed(points, weights, *pose(frame)), moves=True
    )


def tshirt(spacing=0.02, body_spacing=0.014):
    """The t-shirt on the mannequin, which raises its arms and sways."""
    return ContactScene(
        "tshirt",
        f"t-shirt on a mannequin that raises its arms and sways; {OUR_OWN}",
        garments.tshirt(spacing),
        [figure(arms_pose, body_spacing)],
        settings={"friction": 0.3, "self_contact": True},
    )


def skirt(spacing=0.02, body_spacing=0.014, speed=0.0):
    """A knee-long skirt, narrow enough for the legs to strike, on the walking mannequin.

    Its waist follows the pelvis; `speed` in metres a frame is along -Y, 0 walks on the spot.
    """
    cloth = garments.skirt(spacing, flare=0.19)
    waist = np.flatnonzero(cloth.positions[:, 2] > cloth.positions[:, 2].max() - 1e-4)
    held = cloth.positions[waist].astype(float)

    def pose(frame):
        return walk_pose(frame, speed=speed)

    def place_pins(frame):
        rotation, offset = transforms(*pose(frame))["pelvis"]
        return held @ rotation.T + offset

    return ContactScene(
        "skirt",
        f"skirt on a walking mannequin, its waist held by the hips; {OUR_OWN}",
        cloth,
        [figure(pose, body_spacing)],
        waist,
        place_pins,
        settings={"friction": 0.3, "self_contact": True},
    )
