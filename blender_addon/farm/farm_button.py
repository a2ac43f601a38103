# SPDX-License-Identifier: GPL-3.0-or-later
"""What a farm calls: blender -b SHOT.blend --python-expr "import bpy; bpy.ops.muslin.bake_task()" -- JOB.json TASK."""

import argparse
import os
import sys

import bpy

from ..buttons import Button, ask_library
from ..scene.lookup import addon_preferences


class MUSLIN_OT_bake_task(Button, bpy.types.Operator):
    """Bake one task of a Muslin job, given after -- on the command line, and exit Blender with its exit code"""

    bl_idname = "muslin.bake_task"
    bl_label = "Bake a Task of a Job"
    bl_options = {"INTERNAL"}

    asks = (lambda _context: bpy.app.background,)

    def work(self, context):
        from . import farm_task

        ask_library()
        given, preferences = arguments(sys.argv), addon_preferences()
        if given.threads is not None and preferences is not None:
            preferences.threads = given.threads  # not saved: there is no window
        code, sentence = farm_task.run(given.job, given.task, given.again)
        print("Muslin:", sentence, flush=True)
        sys.stderr.flush()
        os._exit(code)  # Blender would end with 0, or with 1 whatever the reason


def arguments(line):
    """What comes after --, where Blender does not look."""
    parser = argparse.ArgumentParser(prog="bake_task", allow_abbrev=False)
    parser.add_argument("job")
    parser.add_argument("task")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--again", action="store_true")
    return parser.parse_args(line[line.index("--") + 1 :] if "--" in line else [])
