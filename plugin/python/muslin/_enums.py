# SPDX-License-Identifier: GPL-3.0-or-later
"""The enums of muslin.h, choices from the table of settings; plugin/tests/test_abi.py compares them with the header."""

from enum import IntEnum, IntFlag

from .table import TABLE, enum_of_maps


def counted(name, words):
    """An enum whose members count from 0."""
    return IntEnum(name, words, start=0, module=__name__)


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


class DetailCode(IntEnum):
    UNKNOWN = 0
    NULL = 1
    STRUCT_SIZE = 2
    RANGE = 3
    NOT_FINITE = 4
    COUNT = 5
    CONFLICT = 6
    INDEX_RANGE = 7
    EMPTY = 20
    FACE_CORNERS = 21
    DEFECT = 22
    THIN_HINGES = 23
    PATTERN_FLAT = 24
    PATTERN_AREA = 25
    NO_SHEAR = 26
    SHEAR_STIFF = 27
    NO_GRID = 28
    TOO_STIFF = 29
    NO_BODY = 40
    BODY_REPEATED_VERTEX = 42
    BODY_FLAT = 43
    BODY_TURNED = 44
    BODY_ASYMMETRIC = 45
    BODY_TACKS = 46
    ALL_PINNED = 60
    PINNED_TWICE = 61
    PINS_ASYMMETRIC = 62
    PINS_ON_STRIP = 63
    PINS_NOT_KEPT = 64
    MAPS_ASYMMETRIC = 80
    STATE_ASYMMETRIC = 81
    GRAVITY_ASYMMETRIC = 82
    WIND_ASYMMETRIC = 83
    NO_IMAGE = 84
    NOTHING_SYMMETRIC = 85
    COPIES = 86
    CUT_DIFFERS = 87
    ACROSS_PLANE = 88
    IN_PLANE = 89
    NO_SIZE = 90
    NOTHING_KEPT = 91
    PLANE_MISSES = 92
    FRONTS_THICK = 93
    NO_FRONT = 94
    SIDES_DIFFER = 95
    CANCELLED = 100
    DIVERGED = 101


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
    "MuslinPlacement": (Placement, "MUSLIN_PLACEMENT_"),
    "MuslinFault": (Fault, "MUSLIN_FAULT_"),
    "MuslinPlaceKind": (PlaceKind, "MUSLIN_PLACE_"),
    "MuslinDetailCode": (DetailCode, "MUSLIN_DETAIL_"),
    "MuslinOutcome": (Outcome, "MUSLIN_OUTCOME_"),
    "MuslinElement": (Element, "MUSLIN_ELEMENT_"),
}
