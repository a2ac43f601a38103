# SPDX-License-Identifier: GPL-3.0-or-later
"""The enums of muslin.h, choices from the table of settings; plugin/tests/test_abi.py compares them with the header."""

from enum import IntEnum, IntFlag

from .table import TABLE, enum_of_maps


def counted(name, words):
    """An enum whose members count from 0."""
    return IntEnum(name, words, start=0, module=__name__)


SubstepsReason = counted("SubstepsReason", "FIXED BASE BODY PINS REPEATED")
Placement = counted("Placement", "CLEAN SLIGHT BAD")
Fault = IntFlag(
    "Fault",
    "INSIDE BODY_PIERCED SELF_PIERCED LIMB_OUTSIDE INSIDE_OUT TOO_LARGE NOT_WORN",
    module=__name__,
)
PlaceKind = counted("PlaceKind", "INSIDE THROUGH_BODY THROUGH_CLOTH THROUGH_SELF LIMB EMPTY")
Defect = counted(
    "Defect",
    "NOT_FINITE INDEX_RANGE REPEATED_VERTEX ZERO_AREA SLIVER DUPLICATE_FACE ISOLATED "
    "NON_MANIFOLD FLIPPED DOUBLED_VERTEX BAD_UV KINDS",
)
Outcome = counted("Outcome", "NONE LEFT_OUT SOLVED_WHOLE NOT_MIRRORED MEAN_MET KEPT_SIDE_MET")
Element = counted("Element", "NONE VERTEX FACE EDGE PIN BODY_VERTEX BODY_FACE")


class Status(IntEnum):
    OK = 0
    WARNING_MESH = 1
    WARNING_ALL_PINNED = 2
    WARNING_MIRROR = 4
    WARNING_MATERIAL = 5
    WARNING_BODY = 6
    ERROR_HANDLE = -1
    ERROR_ARGUMENT = -2
    ERROR_MESH = -3
    ERROR_MEMORY = -4
    ERROR_MATRIX = -5
    ERROR_DIVERGED = -6
    ERROR_CANCELLED = -7
    ERROR_SNAPSHOT = -8
    ERROR_BODY = -9
    ERROR_BUSY = -10


# By subject: arguments, the mesh, bodies, pins, mirroring, the run. Each row counts on from its first number.
_CODES = {
    0: "UNKNOWN NULL STRUCT_SIZE RANGE NOT_FINITE COUNT CONFLICT INDEX_RANGE",
    20: "EMPTY FACE_CORNERS DEFECT THIN_HINGES PATTERN_FLAT PATTERN_AREA NO_SHEAR SHEAR_STIFF "
    "NO_GRID TOO_STIFF",
    40: "NO_BODY",
    42: "BODY_REPEATED_VERTEX BODY_FLAT BODY_TURNED BODY_ASYMMETRIC BODY_TACKS BODY_JUMPED",
    60: "ALL_PINNED PINNED_TWICE PINS_ASYMMETRIC PINS_ON_STRIP PINS_NOT_KEPT",
    80: "MAPS_ASYMMETRIC STATE_ASYMMETRIC GRAVITY_ASYMMETRIC WIND_ASYMMETRIC NO_IMAGE "
    "NOTHING_SYMMETRIC COPIES CUT_DIFFERS ACROSS_PLANE IN_PLANE NO_SIZE NOTHING_KEPT "
    "PLANE_MISSES FRONTS_THICK NO_FRONT SIDES_DIFFER",
    100: "CANCELLED DIVERGED",
}
_NUMBERED = [
    (name, first + at) for first, row in _CODES.items() for at, name in enumerate(row.split())
]
DetailCode = IntEnum("DetailCode", _NUMBERED, module=__name__)


def choices(enum):
    """An enum of the table of settings."""
    members = [(choice.name, choice.value) for choice in enum.choices]
    return IntEnum(enum.name, members, module=__name__)


CHOICES = {name: choices(enum) for name, enum in TABLE.enums.items()}
Map = choices(enum_of_maps(TABLE))
Mirror = CHOICES["Mirror"]
Ordering = CHOICES["Ordering"]
Quality = CHOICES["Quality"]

# The C name of each enum, with what all its constants start with.
ENUMS = {
    "MuslinStatus": (Status, "MUSLIN_"),
    **{f"Muslin{name}": (kind, TABLE.enums[name].prefix) for name, kind in CHOICES.items()},
    "MuslinMap": (Map, "MUSLIN_MAP_"),
    "MuslinDefect": (Defect, "MUSLIN_DEFECT_"),
    "MuslinSubstepsReason": (SubstepsReason, "MUSLIN_SUBSTEPS_REASON_"),
    "MuslinPlacement": (Placement, "MUSLIN_PLACEMENT_"),
    "MuslinFault": (Fault, "MUSLIN_FAULT_"),
    "MuslinPlaceKind": (PlaceKind, "MUSLIN_PLACE_"),
    "MuslinDetailCode": (DetailCode, "MUSLIN_DETAIL_"),
    "MuslinOutcome": (Outcome, "MUSLIN_OUTCOME_"),
    "MuslinElement": (Element, "MUSLIN_ELEMENT_"),
}
