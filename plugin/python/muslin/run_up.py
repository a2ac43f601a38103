"""Frames before the first: bodies come from the pose that a garment was made for to where they start.

SPDX-License-Identifier: GPL-3.0-or-later
"""


def settle(cloth):
    """Steps until the cloth rests; gives the SettleReport of each, so that the caller may stop or show it."""
    while True:
        report = cloth.settle()
        yield report
        if report.settled:
            return


def run_up(cloth, frames, step_seconds, move):
    """Settles the cloth, takes `frames` steps, and settles it again; without frames only the first.

    move(part): tells the bodies, and pins that move, where they are at this part of the way when the next
    step ends; it goes from rest to rest, and to 1. Gives a line of text on each step, and whether the
    cloth has come to rest by itself: None where that is not known yet.
    """
    yield from map(_told, settle(cloth))
    for frame in range(1, frames + 1):
        part = frame / frames
        move(part * part * (3 - 2 * part))
        cloth.step(step_seconds)
        yield f"running up: frame {frame} of {frames}", None
    if frames:
        yield from map(_told, settle(cloth))


def _told(report):
    rests = bool(report.came_to_rest) if report.settled else None
    return f"settling: {1e3 * report.mean:.3g} mm/s", rests
