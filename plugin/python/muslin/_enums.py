"""The enums of muslin.h. plugin/tests/test_abi.py compares every value with the header.

SPDX-License-Identifier: GPL-3.0-or-later
"""

from enum import IntEnum


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


class Precision(IntEnum):
    AUTO = 0
    SINGLE = 1
    DOUBLE = 2


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


class Mirror(IntEnum):
    OFF = 0
    AUTO = 1
    EXACT = 2
    HALVE = 3


class Closure(IntEnum):
    FREE = 0
    ZIP = 1
    BUTTON = 2


class Over(IntEnum):
    OTHER = -1
    KEPT = 1


class AsymmetricBody(IntEnum):
    SYMMETRISE = 0
    SOLVE_WHOLE = 1


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
    "MuslinPrecision": (Precision, "MUSLIN_PRECISION_"),
    "MuslinShearAxes": (ShearAxes, "MUSLIN_SHEAR_AXES_"),
    "MuslinShearEnergy": (ShearEnergy, "MUSLIN_SHEAR_ENERGY_"),
    "MuslinBendRest": (BendRest, "MUSLIN_BEND_REST_"),
    "MuslinPattern": (Pattern, "MUSLIN_PATTERN_"),
    "MuslinMirror": (Mirror, "MUSLIN_MIRROR_"),
    "MuslinClosure": (Closure, "MUSLIN_CLOSURE_"),
    "MuslinOver": (Over, "MUSLIN_OVER_"),
    "MuslinAsymmetricBody": (AsymmetricBody, "MUSLIN_BODY_"),
    "MuslinDefect": (Defect, "MUSLIN_DEFECT_"),
}
