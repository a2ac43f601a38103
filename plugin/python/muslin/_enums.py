"""The enums of muslin.h; choices are those of the table of settings. plugin/tests/test_abi.py compares every value with the header.

SPDX-License-Identifier: GPL-3.0-or-later
"""

from enum import IntEnum

from .table import TABLE


class Status(IntEnum):
    OK = 0
    WARNING_MESH = 1
    WARNING_ALL_PINNED = 2
    WARNING_BODY_REPLACED = 3
    WARNING_MIRROR = 4
    ERROR_HANDLE = -1
    ERROR_ARGUMENT = -2
    ERROR_MESH = -3
    ERROR_MEMORY = -4
    ERROR_MATRIX = -5
    ERROR_DIVERGED = -6
    ERROR_CANCELLED = -7
    ERROR_SNAPSHOT = -8
    ERROR_BODY = -9


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


def choices(name):
    """An enum of the table of settings."""
    members = [(choice.name, choice.value) for choice in TABLE.enums[name].choices]
    return IntEnum(name, members, module=__name__)


CHOICES = {name: choices(name) for name in TABLE.enums}
Mirror = CHOICES["Mirror"]
Ordering = CHOICES["Ordering"]
Quality = CHOICES["Quality"]

# The C name of each enum, with what all its constants start with.
ENUMS = {
    "MuslinStatus": (Status, "MUSLIN_"),
    **{f"Muslin{name}": (kind, TABLE.enums[name].prefix) for name, kind in CHOICES.items()},
    "MuslinDefect": (Defect, "MUSLIN_DEFECT_"),
}
