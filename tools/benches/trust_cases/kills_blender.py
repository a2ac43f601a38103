# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender killed at random moments of a bake; it adds to the figures of the command line's kills."""

import re
import subprocess

from blender_cases.session import TOOLS, open_sessions
from common.report import heading, note
from trust_cases.environment import plain

TEST = TOOLS.parent / "blender_addon" / "tests" / "test_kills.py"
KILLS, QUICK_KILLS = 25, 3  # of all Blenders together
SAID = re.compile(r"Muslin's kills: (\d+), lost: (\d+)")


def measure(results, quick):
    heading("Kills during a bake in Blender")
    note(
        "SIGKILL at a random moment of a bake that is to replace an older one. Lost: an older result or a finished frame that "
        "cannot be read, or a continued bake with other bytes than one that nobody killed."
    )
    sessions, _ = open_sessions()
    rows = []
    for session in sessions:
        tried, lost = count(session, -(-(QUICK_KILLS if quick else KILLS) // len(sessions)))
        rows.append((tried, lost))
        results.row("kills_blender", version=session.version, kills=tried, lost=lost)
    if not rows:
        note("Skipped: there is no Blender here; tools/blenders prepare fetches them.")
        return
    results.show("kills_blender", "version kills lost")
    for key, column in (("kills_tried", 0), ("kills_lost", 1)):
        results.add(key, sum(row[column] for row in rows))


def count(session, kills):
    """(kills, those that lost something) in one Blender."""
    command = [TOOLS / "blender_support" / "test_in_blender", session.version, TEST]
    told = plain(MUSLIN_BLENDER_HOME=session.home, MUSLIN_KILLS=kills)
    done = subprocess.run(
        command, env=told, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    found = SAID.search(done.stdout)
    if found is None:
        raise RuntimeError(f"the kills failed in Blender {session.version}:\n{done.stdout}")
    return int(found[1]), int(found[2])
