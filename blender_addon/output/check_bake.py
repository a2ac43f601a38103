# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a bake that was made before: its file is gone, or the mesh is another one."""

from ..properties import IN_FILE
from ..scene.findings import Finding
from ..scene.problems import counted
from .find_cache import locate


def findings(obj):
    baked = obj.muslin.baked
    found = []
    if not baked.kind:
        return found
    if baked.kind not in IN_FILE and locate(obj) is None:
        text = f"The cache of {obj.name} is gone: there is no {baked.path or baked.absolute}. "
        text += "Bring the file back, or free the bake and make it anew"
        found.append(Finding("cache_gone", text, False, obj.name, fix="Free"))
    now = len(obj.data.vertices)
    if baked.vertex_count and baked.vertex_count != now:
        text = f"{obj.name} was baked with {counted(baked.vertex_count, 'vertex', 'vertices')} and "
        text += f"has {now} now: the bake is of another mesh. Free it and bake again"
        found.append(Finding("bake_of_other_mesh", text, False, obj.name, fix="Free"))
    return found
