"""The C interface of muslin.h in ctypes: structs; _enums.py has the enums, _functions.py the prototypes.

The header is the manual; units and meanings are written there and not repeated.
plugin/tests/test_abi.py compiles the header and compares every value, offset, size and prototype.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import ctypes
from ctypes import POINTER, c_double, c_float, c_int32, c_int64, c_uint32, c_uint64

from ._enums import Defect

ABI_VERSION = 3
MESSAGE_SIZE = 512
MAX_COEFFICIENTS = 4


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
        ("mirror", c_int32),
        ("mirror_find", c_int32),
        ("mirror_point", c_float * 3),
        ("mirror_normal", c_float * 3),
        ("mirror_tolerance", c_float),
        ("closure", c_int32),
        ("overlap", c_float),
        ("over", c_int32),
        ("asymmetric_body", c_int32),
        ("precision", c_int32),
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
        ("precision", c_int32),
        ("factor_bytes", c_int64),
    ]


class Stats(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("substeps", c_int32),
        ("pcg_iterations", c_int32),
        ("newton_iterations", c_int32),
        ("pcg_stopped", c_int32),
        ("force_seconds", c_double),
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


class MirrorReport(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("mode", c_int32),
        ("point", c_double * 3),
        ("normal", c_double * 3),
        ("half_vertex_count", c_int32),
        ("paired", c_int32),
        ("on_plane", c_int32),
        ("unpaired", c_int32),
        ("extra_count", c_int32),
        ("front_count", c_int32),
        ("body", c_int32),
        ("body_vertex", c_int32),
        ("body_asymmetry", c_double),
        ("solved_whole", c_int32),
        ("whole_steps", c_int32),
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


STRUCTS = {
    "MuslinMesh": Mesh,
    "MuslinBody": Body,
    "MuslinMaterial": Material,
    "MuslinForces": Forces,
    "MuslinClothDef": ClothDef,
    "MuslinReport": Report,
    "MuslinStats": Stats,
    "MuslinMirrorReport": MirrorReport,
    "MuslinMeshReport": MeshReport,
    "MuslinFinding": Finding,
    "MuslinSymmetry": Symmetry,
}

Handle = c_uint64
FloatPointer = POINTER(c_float)
IntPointer = POINTER(c_int32)
DoublePointer = POINTER(c_double)
