# SPDX-License-Identifier: GPL-3.0-or-later
"""The C interface of muslin.h in ctypes: structs and functions; _enums.py has the enums. The header is the manual.

Definitions are made from the table of settings, reports and links are declared as in C; plugin/tests/test_abi.py
compares every value, offset, size and prototype with the header.
"""

import ctypes
import re
from ctypes import POINTER, c_float, c_int32, c_uint32, c_uint64

from ._enums import Defect
from .table import SETTINGS, TABLE

ABI_VERSION = TABLE.version
MESSAGE_SIZE = 512
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

# All structs by their C names.
STRUCTS = {f"Muslin{name}": struct for name, struct in DEFINITIONS.items()}
Handle = c_uint64
NAMED = {"cloth": Handle, "char*": ctypes.c_char_p, "void*": ctypes.c_void_p}
DECLARED = re.compile(r"(\w+)(?:\[(\d+)\])?")  # a field, and how many numbers it has


def declared_type(words):
    """The ctypes type of "int32", "float*" or "Mesh*", a struct that is declared by then; "cloth" is a handle."""
    if words in NAMED:
        return NAMED[words]
    if words.endswith("*"):
        return POINTER(declared_type(words[:-1]))
    return STRUCTS.get(f"Muslin{words}") or getattr(ctypes, f"c_{words}")


def struct_of(name, *declarations):
    """A struct of fields that are declared as in C: "int32 kind, vertices[2]"."""
    fields = []
    for declaration in declarations:
        words, _, names = declaration.partition(" ")
        kind = declared_type(words)
        for field, count in DECLARED.findall(names):
            fields.append((field, kind * int(count) if count else kind))
    struct = STRUCTS[f"Muslin{name}"] = type(name, (ctypes.Structure,), {"_fields_": fields})
    return struct


def report_of(name, *declarations):
    """A struct that begins with its size."""
    return struct_of(name, "uint32 size", *declarations)


Report = report_of(
    "Report",
    "int32 ordering, vertex_count, edge_count, triangle_count, hinge_count, rope_count",
    "int32 component_count, pinned_count, soft_count",
    "int64 matrix_nonzeros, factor_nonzeros, memory_bytes",
    "double factor_flops, ordering_seconds, analysis_seconds, factor_seconds",
    "int32 analysis_count, factor_count, row_update_count, coarse_unknowns, iterations, precision",
    "int64 factor_bytes",
)
Stats = report_of(
    "Stats",
    "int32 substeps, pcg_iterations, newton_iterations, pcg_stopped",
    "double force_seconds, assemble_seconds, solve_seconds, contact_seconds, total_seconds",
    "double largest_strain, mean_strain",
    "int32 largest_strain_edge[2]",
    "double kinetic_energy, elastic_energy, gravity_energy",
    "int32 solves, corrections, rejected",
    "double coarse_seconds, pcg_residual, residual",
    "int32 contacts, self_contacts, touching, stuck, tangled",
    "double deepest, detection_seconds, response_seconds",
    "int32 sweeps, curtailed, retried, mended, body_pierced, substeps_reason",
)
MirrorReport = report_of(
    "MirrorReport",
    "int32 mode",
    "double point[3], normal[3]",
    "int32 half_vertex_count, paired, on_plane, unpaired, extra_count, front_count",
    "int32 body, body_vertex",
    "double body_asymmetry",
    "int32 solved_whole, whole_steps",
)
LevelReport = report_of(
    "LevelReport",
    "int32 level, level_count, simulated_count, vertex_count, refining, settled, quiet_steps",
    "double average_seconds",
    "int32 curtailed, retried, mended, body_pierced",
)
SettleReport = report_of(
    "SettleReport",
    "int32 settled, came_to_rest, steps, level, simulated_count",
    "double fastest, mean",
)
Inspection = report_of(
    "Inspection",
    "int32 placement, found, inside_count, deepest_vertex",
    "double deepest",
    "int32 body_piercings, cloth_piercings, self_piercings, limbs_through",
    "int32 openings, openings_empty",
    "double fullest, outward, nearest, largest_stretch",
    "int32 stretch_edge[2]",
    "double stretch_p99",
)
Place = struct_of(
    "Place", "int32 kind, body, vertices[2], corners[3], unused", "double point[3], depth"
)

POINTS = ("int32 set, vertices[4]", "float places[2]")
CLOSING = "float length, stiffness, speed"
Seam = struct_of("Seam", *POINTS, CLOSING)
Tack = struct_of("Tack", *POINTS, CLOSING, "int32 body, body_vertices[3]", "float body_weights[3]")
Elastic = struct_of("Elastic", *POINTS, "float share, strength")
Button = struct_of("Button", *POINTS, CLOSING, "int32 below[3]")
Links = report_of(
    "Links",
    "int32 seam_count, tack_count, elastic_count, button_count, weightless",
    "Seam* seams",
    "Tack* tacks",
    "Elastic* elastics",
    "Button* buttons",
)
LinkReport = report_of(
    "LinkReport", "int32 count, closing, released, widest, unused", "double largest_gap, mean_gap"
)
MeshReport = report_of(
    "MeshReport",
    "int32 component_count, boundary_edge_count, triangle_count, quad_count, edge_count",
    f"int32 defects[{Defect.KINDS:d}]",
    "double area, shortest_edge, longest_edge",
)
Finding = struct_of("Finding", "int32 kind, element, vertices[2]")
Symmetry = report_of(
    "Symmetry",
    "int32 find",
    "double point[3], normal[3], tolerance",
    "int32 paired, on_plane, unpaired, faces_without, edges_without",
    "int32 differing_cuts, crossing_cuts",
    "double rms, largest",
)
Detail = report_of(
    "Detail",
    "int32 code, outcome, element, elements[3], count, body, defect",
    "double value, limit",
    f"char name[32], sentence[{MESSAGE_SIZE}], cause[{MESSAGE_SIZE}]",
)

# By the names that NumPy has for what they point to.
NUMBERS = {"int32": c_int32, "float32": c_float, "float64": ctypes.c_double}
POINTERS = {name: POINTER(kind) for name, kind in NUMBERS.items()}

# Arguments of every exported function that returns a status.
CALLS = {
    "muslin_get_message": "cloth char* size_t",
    "muslin_get_detail_count": "cloth int32*",
    "muslin_get_detail": "cloth int32 Detail*",
    "muslin_default_cloth_def": "ClothDef*",
    "muslin_default_material": "Material*",
    "muslin_default_forces": "Forces*",
    "muslin_default_body": "Body*",
    "muslin_mesh_get_report": "Mesh* MeshReport* Finding* int32 int32*",
    "muslin_mesh_get_symmetry": "Mesh* Symmetry* int32* int32*",
    "muslin_mesh_get_fronts": "Mesh* int32*",
    "muslin_cloth_create": "Mesh* ClothDef* cloth*",
    "muslin_cloth_create_parts": "Mesh* ClothDef* int32* int32 Material* int32* cloth*",
    "muslin_cloth_destroy": "cloth",
    "muslin_cloth_prepare": "cloth double",
    "muslin_cloth_step": "cloth double",
    "muslin_cloth_set_pins": "cloth int32 int32* float* float*",
    "muslin_cloth_move_pins": "cloth int32 float*",
    "muslin_cloth_set_links": "cloth Links*",
    "muslin_cloth_add_links": "cloth Links*",
    "muslin_cloth_release_links": "cloth int32",
    "muslin_cloth_hold_links": "cloth int32",
    "muslin_cloth_get_links": "cloth int32 LinkReport*",
    "muslin_cloth_add_body": "cloth Body* int32*",
    "muslin_cloth_replace_body": "cloth int32 Body*",
    "muslin_cloth_move_body": "cloth int32 int32 float*",
    "muslin_cloth_place_body": "cloth int32 int32 float*",
    "muslin_cloth_set_body_surface": "cloth int32 float float",
    "muslin_cloth_remove_body": "cloth int32",
    "muslin_cloth_set_self_contact": "cloth int32 float float",
    "muslin_cloth_set_material": "cloth Material*",
    "muslin_cloth_set_part_material": "cloth int32 Material*",
    "muslin_cloth_set_forces": "cloth Forces*",
    "muslin_cloth_set_fields": "cloth float* float*",
    "muslin_cloth_set_iterations": "cloth int32 int32",
    "muslin_cloth_set_quality": "cloth int32",
    "muslin_cloth_set_map": "cloth int32 float*",
    "muslin_cloth_get_state": "cloth float* float*",
    "muslin_cloth_set_state": "cloth float* float*",
    "muslin_cloth_get_snapshot_size": "cloth size_t*",
    "muslin_cloth_get_snapshot": "cloth void* size_t",
    "muslin_cloth_restore": "cloth void* size_t",
    "muslin_cloth_get_report": "cloth Report*",
    "muslin_cloth_get_stats": "cloth Stats*",
    "muslin_cloth_get_inspection": "cloth Inspection* Place* int32 int32*",
    "muslin_cloth_get_mirror": "cloth MirrorReport*",
    "muslin_cloth_hold_level": "cloth int32",
    "muslin_cloth_refine": "cloth double",
    "muslin_cloth_settle": "cloth",
    "muslin_cloth_get_settling": "cloth SettleReport*",
    "muslin_cloth_get_levels": "cloth LevelReport*",
    "muslin_debug_eigenvalues": "cloth double* double*",
    "muslin_debug_solve": "cloth double* int32 double*",
    "muslin_cloth_cancel": "cloth",
    "muslin_cloth_get_progress": "cloth double*",
    "muslin_cloth_put_outside": "cloth double int32 float*",
    "muslin_cloth_get_fit": "cloth float* float* float* float* float*",
    "muslin_cloth_get_tension": "cloth float* float*",
}
# Result and arguments of every exported function.
FUNCTIONS = {
    "muslin_version": (ctypes.c_char_p, []),
    "muslin_abi_version": (c_uint32, []),
    "muslin_status_text": (ctypes.c_char_p, [c_int32]),
}
FUNCTIONS.update((name, (c_int32, [*map(declared_type, of.split())])) for name, of in CALLS.items())
