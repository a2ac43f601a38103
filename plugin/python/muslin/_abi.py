"""The C interface of muslin.h in ctypes: enums, structs and prototypes, and nothing else.

The header is the manual; units and meanings are written there and not repeated.
plugin/tests/test_abi.py compiles the header and compares every value, offset, size and prototype.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import ctypes
from ctypes import (
    POINTER,
    c_char_p,
    c_double,
    c_float,
    c_int32,
    c_int64,
    c_size_t,
    c_uint32,
    c_uint64,
)
from ctypes import c_void_p
from enum import IntEnum

ABI_VERSION = 2
MESSAGE_SIZE = 512
MAX_COEFFICIENTS = 4


class Status(IntEnum):
    OK = 0
    WARNING_MESH = 1
    WARNING_ALL_PINNED = 2
    WARNING_BODY_REPLACED = 3
    ERROR_HANDLE = -1
    ERROR_ARGUMENT = -2
    ERROR_MESH = -3
    ERROR_MEMORY = -4
    ERROR_MATRIX = -5
    ERROR_DIVERGED = -6
    ERROR_CANCELLED = -7
    ERROR_SNAPSHOT = -8
    ERROR_BODY = -9


class Model(IntEnum):
    EDGE = 0
    TRIANGLE = 1


class Estimate(IntEnum):
    PREVIOUS = 0
    ROTATION = 1
    TRANSLATION = 2


class Solver(IntEnum):
    LINEAR = 0
    IMPLICIT = 1


class Scheme(IntEnum):
    PLAIN = 0
    TWO_LEVEL = 1
    ANDERSON = 2


class Quality(IntEnum):
    CUSTOM = 0
    DRAFT = 1
    FIT = 2
    FINAL = 3


class Integrator(IntEnum):
    EULER = 0
    BDF2 = 1


class Ordering(IntEnum):
    AUTO = 0
    NATURAL = 1
    CUTHILL_MCKEE = 2
    REVERSE_CUTHILL_MCKEE = 3
    AMD = 4
    METIS = 5
    DISSECTION = 6


class ShearAxes(IntEnum):
    ESTIMATED = 0
    DERIVED = 1


class ShearEnergy(IntEnum):
    DIAGONAL = 0
    PRODUCT = 1


class BendRest(IntEnum):
    SHAPE = 0
    FLAT = 1


class Pattern(IntEnum):
    MESH = 0
    UV = 1


class Defect(IntEnum):
    NOT_FINITE = 0
    INDEX_RANGE = 1
    REPEATED_VERTEX = 2
    ZERO_AREA = 3
    SLIVER = 4
    DUPLICATE_FACE = 5
    ISOLATED = 6
    NON_MANIFOLD = 7
    FLIPPED = 8
    DOUBLED_VERTEX = 9
    BAD_UV = 10
    KINDS = 11


class Mesh(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("vertex_count", c_int32),
        ("face_count", c_int32),
        ("edge_count", c_int32),
        ("positions", POINTER(c_float)),
        ("face_sizes", POINTER(c_int32)),
        ("face_vertices", POINTER(c_int32)),
        ("edges", POINTER(c_int32)),
        ("corner_uvs", POINTER(c_float)),
    ]


class Body(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("vertex_count", c_int32),
        ("face_count", c_int32),
        ("positions", POINTER(c_float)),
        ("face_sizes", POINTER(c_int32)),
        ("face_vertices", POINTER(c_int32)),
        ("thickness", c_float),
        ("friction", c_float),
    ]


class Material(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("density", c_float),
        ("stretch_warp", c_float),
        ("stretch_weft", c_float),
        ("shear", c_float),
        ("bend", c_float),
        ("rope_density", c_float),
        ("rope_stretch", c_float),
        ("damping", c_float),
        ("stiffness_damping", c_float),
        ("air_drag", c_float),
        ("pin_stiffness", c_float),
    ]


class Forces(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("gravity", c_float * 3),
        ("wind", c_float * 3),
        ("normal_drag", c_float),
        ("tangent_drag", c_float),
    ]


class ClothDef(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("solver", c_int32),
        ("scheme", c_int32),
        ("quality", c_int32),
        ("integrator", c_int32),
        ("model", c_int32),
        ("estimate", c_int32),
        ("order", c_int32),
        ("coefficient_count", c_int32),
        ("coefficients", c_float * MAX_COEFFICIENTS),
        ("shear_axes", c_int32),
        ("shear_energy", c_int32),
        ("tension_only", c_int32),
        ("bend_rest", c_int32),
        ("pattern", c_int32),
        ("uv_scale", c_float),
        ("ordering", c_int32),
        ("substeps", c_int32),
        ("iterations", c_int32),
        ("pcg_tolerance", c_float),
        ("pcg_limit", c_int32),
        ("threads", c_int32),
        ("material", Material),
        ("forces", Forces),
    ]


class Report(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("ordering", c_int32),
        ("vertex_count", c_int32),
        ("edge_count", c_int32),
        ("triangle_count", c_int32),
        ("hinge_count", c_int32),
        ("rope_count", c_int32),
        ("component_count", c_int32),
        ("pinned_count", c_int32),
        ("soft_count", c_int32),
        ("matrix_nonzeros", c_int64),
        ("factor_nonzeros", c_int64),
        ("memory_bytes", c_int64),
        ("factor_flops", c_double),
        ("ordering_seconds", c_double),
        ("analysis_seconds", c_double),
        ("factor_seconds", c_double),
        ("analysis_count", c_int32),
        ("factor_count", c_int32),
        ("row_update_count", c_int32),
        ("coarse_unknowns", c_int32),
        ("rounds", c_int32),
    ]


class Stats(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("substeps", c_int32),
        ("pcg_iterations", c_int32),
        ("newton_iterations", c_int32),
        ("pcg_stopped", c_int32),
        ("estimate_seconds", c_double),
        ("assemble_seconds", c_double),
        ("solve_seconds", c_double),
        ("contact_seconds", c_double),
        ("total_seconds", c_double),
        ("largest_strain", c_double),
        ("mean_strain", c_double),
        ("largest_strain_edge", c_int32 * 2),
        ("kinetic_energy", c_double),
        ("elastic_energy", c_double),
        ("gravity_energy", c_double),
        ("solves", c_int32),
        ("corrections", c_int32),
        ("rejected", c_int32),
        ("coarse_seconds", c_double),
        ("pcg_residual", c_double),
        ("residual", c_double),
        ("contacts", c_int32),
        ("self_contacts", c_int32),
        ("touching", c_int32),
        ("stuck", c_int32),
        ("tangled", c_int32),
        ("deepest", c_double),
        ("detection_seconds", c_double),
        ("response_seconds", c_double),
    ]


class MeshReport(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("component_count", c_int32),
        ("boundary_edge_count", c_int32),
        ("triangle_count", c_int32),
        ("quad_count", c_int32),
        ("edge_count", c_int32),
        ("defects", c_int32 * Defect.KINDS),
        ("area", c_double),
        ("shortest_edge", c_double),
        ("longest_edge", c_double),
    ]


class Finding(ctypes.Structure):
    _fields_ = [
        ("kind", c_int32),
        ("element", c_int32),
        ("vertices", c_int32 * 2),
    ]


class Symmetry(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("find", c_int32),
        ("point", c_double * 3),
        ("normal", c_double * 3),
        ("tolerance", c_double),
        ("paired", c_int32),
        ("on_plane", c_int32),
        ("unpaired", c_int32),
        ("faces_without", c_int32),
        ("edges_without", c_int32),
        ("differing_cuts", c_int32),
        ("crossing_cuts", c_int32),
        ("rms", c_double),
        ("largest", c_double),
    ]


# The C name of each enum, with what all its constants start with.
ENUMS = {
    "MuslinStatus": (Status, "MUSLIN_"),
    "MuslinModel": (Model, "MUSLIN_MODEL_"),
    "MuslinEstimate": (Estimate, "MUSLIN_ESTIMATE_"),
    "MuslinSolver": (Solver, "MUSLIN_SOLVER_"),
    "MuslinScheme": (Scheme, "MUSLIN_SCHEME_"),
    "MuslinQuality": (Quality, "MUSLIN_QUALITY_"),
    "MuslinIntegrator": (Integrator, "MUSLIN_INTEGRATOR_"),
    "MuslinOrdering": (Ordering, "MUSLIN_ORDERING_"),
    "MuslinShearAxes": (ShearAxes, "MUSLIN_SHEAR_AXES_"),
    "MuslinShearEnergy": (ShearEnergy, "MUSLIN_SHEAR_ENERGY_"),
    "MuslinBendRest": (BendRest, "MUSLIN_BEND_REST_"),
    "MuslinPattern": (Pattern, "MUSLIN_PATTERN_"),
    "MuslinDefect": (Defect, "MUSLIN_DEFECT_"),
}

STRUCTS = {
    "MuslinMesh": Mesh,
    "MuslinBody": Body,
    "MuslinMaterial": Material,
    "MuslinForces": Forces,
    "MuslinClothDef": ClothDef,
    "MuslinReport": Report,
    "MuslinStats": Stats,
    "MuslinMeshReport": MeshReport,
    "MuslinFinding": Finding,
    "MuslinSymmetry": Symmetry,
}

Handle = c_uint64
FloatPointer = POINTER(c_float)
IntPointer = POINTER(c_int32)
DoublePointer = POINTER(c_double)

# Result and arguments of every exported function.
FUNCTIONS = {
    "muslin_version": (c_char_p, []),
    "muslin_abi_version": (c_uint32, []),
    "muslin_status_text": (c_char_p, [c_int32]),
    "muslin_message": (c_int32, [Handle, c_char_p, c_size_t]),
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
    "muslin_cloth_eigenvalues": (c_int32, [Handle, DoublePointer, DoublePointer]),
    "muslin_cloth_solve": (c_int32, [Handle, DoublePointer, c_int32, DoublePointer]),
    "muslin_cloth_cancel": (c_int32, [Handle]),
    "muslin_cloth_progress": (c_int32, [Handle, DoublePointer]),
}
