# SPDX-License-Identifier: GPL-3.0-or-later
"""What the library remarks, in words for the artist: its bodies have numbers, his objects have names."""

from ..muslin import DetailCode, Outcome
from ..words import counted

# What is done about a body that is not symmetric.
THEN = {
    Outcome.SOLVED_WHOLE: "the whole garment is simulated while that lasts",
    Outcome.MEAN_MET: "the garment collides with the average of both",
    Outcome.KEPT_SIDE_MET: "both sides collide with what is on the positive side of the mirror plane only",
}


# {triangles}, {parts}, {tacks}: the detail's count with its noun.
OF_BODIES = {
    DetailCode.BODY_ASYMMETRIC: "{name} is not symmetric, its vertex {detail.vertex} is off by "
    "{detail.value:.3g} m, so {then}",
    DetailCode.BODY_REPEATED_VERTEX: "{triangles} of {name} with a repeated vertex, ignored",
    DetailCode.BODY_FLAT: "{triangles} of {name} without area",
    DetailCode.BODY_TURNED: "{parts} of {name} inside out, flipped",
    DetailCode.BODY_TACKS: "{tacks} released, whose place on {name} no longer exists",
}


def words(message, name_of):
    """A message of the library; name_of gives the name of the object that is a body, or ""."""
    return "; ".join(sentence(detail, name_of) for detail in message.sentences)


def sentence(detail, name_of):
    body = getattr(detail, "body", None)
    name = "" if body is None else name_of(body)
    if not name or detail.code not in OF_BODIES:
        return detail
    counts = {f"{noun}s": counted(detail.count, noun) for noun in ("triangle", "part", "tack")}
    then = THEN.get(detail.outcome, "")
    return OF_BODIES[detail.code].format(name=name, detail=detail, then=then, **counts)
