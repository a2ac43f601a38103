"""The C interface of muslin.h in ctypes: structs; _enums.py has the enums, _functions.py the prototypes.

The header is the manual; units and meanings are written there and not repeated. Definitions are made from the
table of settings, reports are written out.
plugin/tests/test_abi.py compiles the header and compares every value, offset, size and prototype.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import ctypes
from ctypes import POINTER, c_char, c_double, c_float, c_int32, c_int64, c_uint32, c_uint64

from ._enums import Defect
from .table import SETTINGS, TABLE

ABI_VERSION = TABLE.version
MESSAGE_SIZE = 512
DETAIL_ELEMENTS = 3
DETAIL_NAME_SIZE = 32
PLACES_EACH = 32


KINDS = {"float": c_float, "int": c_int32, "flag": c_int32, "choice": c_int32}


def field_type(setting, structs):
    """The ctypes type of a setting's field."""
    if setting.type == "array":
        return POINTER(KINDS[setting.of])
    if setting.type == "struct":
        return POINTER(structs[setting.nested])
    kind = KINDS[setting.type]
    return kind * setting.length if setting.length > 1 else kind


def definitions():
    """The structs of the table of settings by their names, in its order."""
    structs = {}
    for struct in TABLE.structs.values():
        fields = [(setting.name, field_type(setting, structs)) for setting in struct.settings]
        body = {"_fields_": [("size", c_uint32), *fields], "__doc__": struct.help}
        structs[struct.name] = type(struct.name, (ctypes.Structure,), body)
    return structs


DEFINITIONS = definitions()
Mesh = DEFINITIONS["Mesh"]
Body = DEFINITIONS["Body"]
Material = DEFINITIONS["Material"]
Forces = DEFINITIONS["Forces"]
ClothDef = DEFINITIONS["ClothDef"]
MAX_COEFFICIENTS = SETTINGS["coefficients"].length


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
        ("iterations", c_int32),
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
        ("sweeps", c_int32),
        ("curtailed", c_int32),
        ("retried", c_int32),
        ("mended", c_int32),
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


class LevelReport(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("level", c_int32),
        ("level_count", c_int32),
        ("simulated_count", c_int32),
        ("vertex_count", c_int32),
        ("refining", c_int32),
        ("settled", c_int32),
        ("quiet_steps", c_int32),
        ("average_seconds", c_double),
        ("curtailed", c_int32),
        ("retried", c_int32),
        ("mended", c_int32),
    ]


class SettleReport(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("settled", c_int32),
        ("came_to_rest", c_int32),
        ("steps", c_int32),
        ("level", c_int32),
        ("simulated_count", c_int32),
        ("fastest", c_double),
        ("mean", c_double),
    ]


class Inspection(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("placement", c_int32),
        ("found", c_int32),
        ("inside_count", c_int32),
        ("deepest_vertex", c_int32),
        ("deepest", c_double),
        ("body_piercings", c_int32),
        ("cloth_piercings", c_int32),
        ("self_piercings", c_int32),
        ("limbs_through", c_int32),
        ("openings", c_int32),
        ("openings_empty", c_int32),
        ("fullest", c_double),
        ("outward", c_double),
        ("nearest", c_double),
        ("largest_stretch", c_double),
        ("stretch_edge", c_int32 * 2),
        ("stretch_p99", c_double),
    ]


class Place(ctypes.Structure):
    _fields_ = [
        ("kind", c_int32),
        ("body", c_int32),
        ("vertices", c_int32 * 2),
        ("corners", c_int32 * 3),
        ("unused", c_int32),
        ("point", c_double * 3),
        ("depth", c_double),
    ]


POINTS = [("set", c_int32), ("vertices", c_int32 * 4), ("places", c_float * 2)]
CLOSING = [("length", c_float), ("stiffness", c_float), ("speed", c_float)]


class Seam(ctypes.Structure):
    _fields_ = [*POINTS, *CLOSING]


class Tack(ctypes.Structure):
    _fields_ = [
        *POINTS,
        *CLOSING,
        ("body", c_int32),
        ("body_vertices", c_int32 * 3),
        ("body_weights", c_float * 3),
    ]


class Elastic(ctypes.Structure):
    _fields_ = [*POINTS, ("share", c_float), ("strength", c_float)]


class Button(ctypes.Structure):
    _fields_ = [*POINTS, *CLOSING, ("below", c_int32 * 3)]


class Links(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("seam_count", c_int32),
        ("tack_count", c_int32),
        ("elastic_count", c_int32),
        ("button_count", c_int32),
        ("weightless", c_int32),
        ("seams", POINTER(Seam)),
        ("tacks", POINTER(Tack)),
        ("elastics", POINTER(Elastic)),
        ("buttons", POINTER(Button)),
    ]


class LinkReport(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("count", c_int32),
        ("closing", c_int32),
        ("released", c_int32),
        ("widest", c_int32),
        ("unused", c_int32),
        ("largest_gap", c_double),
        ("mean_gap", c_double),
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


class Detail(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("code", c_int32),
        ("outcome", c_int32),
        ("element", c_int32),
        ("elements", c_int32 * DETAIL_ELEMENTS),
        ("count", c_int32),
        ("body", c_int32),
        ("defect", c_int32),
        ("value", c_double),
        ("limit", c_double),
        ("name", c_char * DETAIL_NAME_SIZE),
        ("sentence", c_char * MESSAGE_SIZE),
        ("cause", c_char * MESSAGE_SIZE),
    ]


STRUCTS = {
    **{f"Muslin{name}": struct for name, struct in DEFINITIONS.items()},
    "MuslinReport": Report,
    "MuslinStats": Stats,
    "MuslinMirrorReport": MirrorReport,
    "MuslinLevelReport": LevelReport,
    "MuslinSettleReport": SettleReport,
    "MuslinInspection": Inspection,
    "MuslinPlace": Place,
    "MuslinSeam": Seam,
    "MuslinTack": Tack,
    "MuslinElastic": Elastic,
    "MuslinButton": Button,
    "MuslinLinks": Links,
    "MuslinLinkReport": LinkReport,
    "MuslinMeshReport": MeshReport,
    "MuslinFinding": Finding,
    "MuslinSymmetry": Symmetry,
    "MuslinDetail": Detail,
}

Handle = c_uint64
FloatPointer = POINTER(c_float)
IntPointer = POINTER(c_int32)
DoublePointer = POINTER(c_double)
