# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the cloth stands in the modifier stack."""

OURS = ("Muslin Cache", "Muslin Preview")
DEFORMING = {
    "ARMATURE", "CAST", "CURVE", "DISPLACE", "HOOK", "LAPLACIANDEFORM", "LATTICE", "MESH_DEFORM",
    "SHRINKWRAP", "SIMPLE_DEFORM", "SMOOTH", "CORRECTIVE_SMOOTH", "LAPLACIANSMOOTH",
    "SURFACE_DEFORM", "WARP", "WAVE", "MESH_CACHE",
}  # fmt: skip


def cloth_place(obj):
    """Index in obj.modifiers: of Muslin's own modifier, or before the first that adds geometry."""
    for index, modifier in enumerate(obj.modifiers):
        if modifier.name in OURS or modifier.type not in DEFORMING:
            return index
    return len(obj.modifiers)
