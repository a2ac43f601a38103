# SPDX-License-Identifier: GPL-3.0-or-later
"""The placement of a garment on its bodies, in words and as numbers."""

from dataclasses import asdict

import numpy as np

from .._enums import Fault, PlaceKind, Placement


def word(member):
    """The word for a member of an enum."""
    return member.name.lower()


def counted(number, one, more):
    return f"{number} {one if number == 1 else more}"


def spot(point):
    return "({:.3f}, {:.3f}, {:.3f})".format(*point)


def millimetres(length):
    """Of metres; a doll's clothes are reported as finely as a shirt."""
    length *= 1000
    return f"{length:.1f} mm" if length >= 0.1 or length == 0 else f"{length:.1g} mm"


# Sizes (m) of what people drape, from a doll's collar to a tent.
SIZES = (0.05, 25.0)


def units_text(positions):
    """That a garment's units look wrong, from its vertices; None where its size may be meant."""
    size = float(np.linalg.norm(np.ptp(positions, axis=0))) if len(positions) else 0.0
    if size == 0 or SIZES[0] <= size <= SIZES[1]:
        return None
    words = millimetres(size) if size < 1 else f"{size:.3g} m"
    return f"the garment is {words} from corner to corner: its units look wrong, they are taken for metres"


def vertex_text(vertex):
    return f"vertex {vertex}"


def first(inspection, kind):
    """The first place of a kind, or None."""
    return next((place for place in inspection.places if place.kind == kind), None)


def inside(inspection, vertex):
    vertices = counted(inspection.inside_count, "vertex is", "vertices are")
    deepest, depth = vertex(inspection.deepest_vertex), millimetres(inspection.deepest)
    return f"{vertices} inside a body, the deepest, {deepest}, by {depth}"


def body_pierced(inspection, _):
    edges = counted(inspection.body_piercings, "edge passes", "edges pass")
    back = counted(inspection.cloth_piercings, "edge", "edges")
    return f"{edges} through a body, and {back} of bodies through the cloth"


def self_pierced(inspection, _):
    of_cloth = ("edge of the cloth passes", "edges of the cloth pass")
    return f"{counted(inspection.self_piercings, *of_cloth)} through the cloth itself"


def limb_outside(inspection, vertex):
    """Of limbs through the cloth and empty openings, whichever there are."""
    parts = []
    through, empty = first(inspection, PlaceKind.LIMB), first(inspection, PlaceKind.EMPTY)
    if through is not None:
        limbs = counted(inspection.limbs_through, "limb passes", "limbs pass")
        parts.append(f"{limbs} right through the cloth, at {spot(through.point)}")
    if empty is not None:
        parts.append(
            f"{inspection.openings_empty} of {inspection.openings} openings "
            f"{'holds' if inspection.openings_empty == 1 else 'hold'} no limb, such as that of "
            f"{vertex(empty.vertices[0])} at {spot(empty.point)}"
        )
    return "; ".join(parts)


def too_large(inspection, _):
    return (
        "the garment is much larger than what it is worn on: its fullest opening is "
        f"only {100 * inspection.fullest:.0f} % filled"
    )


def not_worn(inspection, _):
    openings = counted(inspection.openings, "opening", "openings")
    return (
        f"nothing of a body is in the garment's {openings}, and it touches none: it is "
        f"{inspection.nearest:.2g} m away, or of another scale, or not to be worn"
    )


SENTENCES = {
    Fault.NOT_WORN: not_worn,
    Fault.LIMB_OUTSIDE: limb_outside,
    Fault.INSIDE_OUT: lambda *_: "the garment is inside out: its faces point at the body",
    Fault.TOO_LARGE: too_large,
    Fault.INSIDE: inside,
    Fault.BODY_PIERCED: body_pierced,
    Fault.SELF_PIERCED: self_pierced,
}

LEVELS = {
    Placement.CLEAN: "nothing is wrong",
    Placement.SLIGHT: "this should resolve itself",
    Placement.BAD: "this is unlikely to resolve itself",
}


# What settling before the first frame brings in order.
SETTLES = Fault.INSIDE | Fault.BODY_PIERCED | Fault.SELF_PIERCED


def settles(inspection):
    """Whether a bad placement has nothing else wrong."""
    return inspection.placement == Placement.BAD and not inspection.found & ~SETTLES


def sentences(inspection, faults=~Fault(0), vertex=vertex_text):
    """One for each of these faults that it has, the worst first. vertex: what a vertex is called."""
    found = inspection.found & faults
    return [words(inspection, vertex) for fault, words in SENTENCES.items() if found & fault]


def as_numbers(inspection, places=True):
    """For JSON; faults are words."""
    numbers = asdict(inspection)
    numbers["placement"] = word(inspection.placement)
    numbers["found"] = [word(fault) for fault in Fault if inspection.found & fault]
    del numbers["places"]
    if places:
        listed = [{**place._asdict(), "kind": word(place.kind)} for place in inspection.places]
        numbers["places"] = listed
    return numbers
