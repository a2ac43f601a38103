# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole frames against Blender's own cloth, in the Blenders of this machine."""

from blender_cases import free, sizes, sphere
from blender_cases.session import open_sessions
from common.report import note


def measure(results, effort):
    sessions, missing = open_sessions()
    for version in missing:
        note(f"Blender {version} is not there; tools/blenders prepare {version} fetches it.")
    if not sessions:
        note("No Blender: the comparison with its own cloth is left out.")
        return
    if not effort.every_blender:
        sessions = sessions[-1:]
    quick = effort.name != "full"
    for case in (free, sphere):
        case.measure(results, sessions, quick)
    sizes.measure(results, sessions, effort.builtin_sides)
