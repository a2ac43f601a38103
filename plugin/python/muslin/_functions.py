"""The functions of muslin.h in ctypes.

plugin/tests/test_abi.py compares every one with the header.

SPDX-License-Identifier: GPL-3.0-or-later
"""

from ctypes import POINTER, c_char_p, c_double, c_float, c_int32, c_size_t, c_uint32, c_void_p

from ._abi import (
    Body,
    ClothDef,
    Detail,
    DoublePointer,
    Finding,
    FloatPointer,
    Forces,
    Handle,
    Inspection,
    IntPointer,
    LevelReport,
    Material,
    Mesh,
    MeshReport,
    MirrorReport,
    Place,
    Report,
    SettleReport,
    Stats,
    Symmetry,
)

# Result and arguments of every exported function.
FUNCTIONS = {
    "muslin_version": (c_char_p, []),
    "muslin_abi_version": (c_uint32, []),
    "muslin_status_text": (c_char_p, [c_int32]),
    "muslin_message": (c_int32, [Handle, c_char_p, c_size_t]),
    "muslin_detail_count": (c_int32, [Handle, IntPointer]),
    "muslin_detail": (c_int32, [Handle, c_int32, POINTER(Detail)]),
    "muslin_default_cloth_def": (c_int32, [POINTER(ClothDef)]),
    "muslin_default_body": (c_int32, [POINTER(Body)]),
    "muslin_mesh_check": (
        c_int32,
        [POINTER(Mesh), POINTER(MeshReport), POINTER(Finding), c_int32, IntPointer],
    ),
    "muslin_mesh_symmetry": (
        c_int32,
        [POINTER(Mesh), POINTER(Symmetry), IntPointer, IntPointer],
    ),
    "muslin_cloth_create": (c_int32, [POINTER(Mesh), POINTER(ClothDef), POINTER(Handle)]),
    "muslin_cloth_create_parts": (
        c_int32,
        [
            POINTER(Mesh),
            POINTER(ClothDef),
            IntPointer,
            c_int32,
            POINTER(Material),
            IntPointer,
            POINTER(Handle),
        ],
    ),
    "muslin_cloth_destroy": (c_int32, [Handle]),
    "muslin_cloth_prepare": (c_int32, [Handle, c_double]),
    "muslin_cloth_step": (c_int32, [Handle, c_double]),
    "muslin_cloth_set_pins": (
        c_int32,
        [Handle, c_int32, IntPointer, FloatPointer, FloatPointer],
    ),
    "muslin_cloth_move_pins": (c_int32, [Handle, c_int32, FloatPointer]),
    "muslin_cloth_add_body": (c_int32, [Handle, POINTER(Body), IntPointer]),
    "muslin_cloth_replace_body": (c_int32, [Handle, c_int32, POINTER(Body)]),
    "muslin_cloth_move_body": (c_int32, [Handle, c_int32, c_int32, FloatPointer]),
    "muslin_cloth_place_body": (c_int32, [Handle, c_int32, c_int32, FloatPointer]),
    "muslin_cloth_set_body_surface": (c_int32, [Handle, c_int32, c_float, c_float]),
    "muslin_cloth_remove_body": (c_int32, [Handle, c_int32]),
    "muslin_cloth_set_self_contact": (c_int32, [Handle, c_int32, c_float, c_float]),
    "muslin_cloth_set_material": (c_int32, [Handle, POINTER(Material)]),
    "muslin_cloth_set_part_material": (c_int32, [Handle, c_int32, POINTER(Material)]),
    "muslin_cloth_set_forces": (c_int32, [Handle, POINTER(Forces)]),
    "muslin_cloth_set_rounds": (c_int32, [Handle, c_int32, c_int32]),
    "muslin_cloth_set_quality": (c_int32, [Handle, c_int32]),
    "muslin_cloth_set_scales": (c_int32, [Handle, FloatPointer, FloatPointer, FloatPointer]),
    "muslin_cloth_get_state": (c_int32, [Handle, FloatPointer, FloatPointer]),
    "muslin_cloth_set_state": (c_int32, [Handle, FloatPointer, FloatPointer]),
    "muslin_cloth_snapshot_size": (c_int32, [Handle, POINTER(c_size_t)]),
    "muslin_cloth_snapshot": (c_int32, [Handle, c_void_p, c_size_t]),
    "muslin_cloth_restore": (c_int32, [Handle, c_void_p, c_size_t]),
    "muslin_cloth_report": (c_int32, [Handle, POINTER(Report)]),
    "muslin_cloth_stats": (c_int32, [Handle, POINTER(Stats)]),
    "muslin_cloth_inspect": (
        c_int32,
        [Handle, POINTER(Inspection), POINTER(Place), c_int32, IntPointer],
    ),
    "muslin_cloth_mirror": (c_int32, [Handle, POINTER(MirrorReport)]),
    "muslin_cloth_hold_level": (c_int32, [Handle, c_int32]),
    "muslin_cloth_refine": (c_int32, [Handle, c_double]),
    "muslin_cloth_settle": (c_int32, [Handle, POINTER(SettleReport)]),
    "muslin_cloth_levels": (c_int32, [Handle, POINTER(LevelReport)]),
    "muslin_cloth_eigenvalues": (c_int32, [Handle, DoublePointer, DoublePointer]),
    "muslin_cloth_solve": (c_int32, [Handle, DoublePointer, c_int32, DoublePointer]),
    "muslin_cloth_cancel": (c_int32, [Handle]),
    "muslin_cloth_progress": (c_int32, [Handle, DoublePointer]),
    "muslin_cloth_put_outside": (c_int32, [Handle, c_double, c_int32, FloatPointer]),
    "muslin_cloth_fit": (c_int32, [Handle, *5 * [FloatPointer]]),
}
